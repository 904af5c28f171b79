package app

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	goapp "github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/wasm/message"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		p, alone float64
		r        rule
		want     verdict
	}{
		{0.05, 1, rule{alpha: 0.05, held: 99}, outside}, {0.051, 1, rule{alpha: 0.05, held: 99}, borderline},
		{0.1, 1, rule{alpha: 0.05, held: 99}, borderline}, {0.11, 1, rule{alpha: 0.05, held: 99}, inside},
		{math.NaN(), 1, rule{alpha: 0.05, held: 99}, undecided}, {1, 1, rule{alpha: 0.6, held: 99}, borderline},
		// Too few are held for α.
		{0.07, 1, rule{alpha: 0.05, held: 18}, undecided}, {0.5, 1, rule{alpha: 0.05, held: 0}, undecided}, {0.5, 1, rule{alpha: 0.05, held: 19}, inside},
		// The guard of the batch.
		{0.01, 0.11, rule{alpha: 0.05, held: 99, guard: 0.1}, borderline}, {0.01, 0.1, rule{alpha: 0.05, held: 99, guard: 0.1}, outside}, {0.5, 0.01, rule{alpha: 0.05, held: 99, guard: 0.1}, inside},
		{0.01, 0.11, rule{alpha: 0.05, held: 99, guard: 0.1, fdr: true, cut: 0.02}, borderline}, {0.03, 0.1, rule{alpha: 0.05, held: 99, guard: 0.1, fdr: true, cut: 0.02}, borderline},
	} {
		if got := c.r.judge(c.p, c.alone); got != c.want {
			t.Errorf("p %g, %g by itself, by %+v is %s, want %s", c.p, c.alone, c.r, got.word(), c.want.word())
		}
		r := &rows{}
		r.add(&message.Records{ID: []string{"a"}})
		r.fill(&message.Rows{Rows: message.Columns{ID: []string{"a"}, Scores: message.Scores{P: message.Floats{c.alone}}}})
		r.p = []float64{c.p}
		if r.judge(c.r); r.verdict[0] != c.want {
			t.Errorf("in the table p %g, %g by itself, by %+v is %s, want %s", c.p, c.alone, c.r, r.verdict[0].word(), c.want.word())
		}
	}
}

// The threshold is where the definition of p puts it, whatever the reference.
func TestThresholdMatchesP(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(40)
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = math.Round(4 * rng.NormFloat64()) // with ties
		}
		r := newReference(append(scores, math.NaN()))
		for _, alpha := range []float64{0.001, 0.05, 0.1, 0.25, 0.5, 1} {
			at := r.threshold(alpha)
			for s := -20.0; s <= 20; s += 0.5 {
				above := 0
				for _, x := range scores {
					if x >= s {
						above++
					}
				}
				p := float64(1+above) / float64(1+n)
				if math.Abs(p-r.p(s)) > 1e-12 {
					t.Fatalf("p of %g is %g, want %g", s, r.p(s), p)
				}
				if want := p <= alpha; want != (s > at) {
					t.Fatalf("n %d, α %g: score %g with p %g, threshold %g", n, alpha, s, p, at)
				}
			}
		}
	}
}

func TestAlphaSteps(t *testing.T) {
	for step := 0; step <= alphaSteps; step++ {
		if got := stepOf(alphaOf(step)); got < step-1 || got > step+1 {
			t.Errorf("step %d is α %g, which is step %d", step, alphaOf(step), got)
		}
	}
	if alphaOf(0) != leastAlpha || alphaOf(alphaSteps) != mostAlpha {
		t.Errorf("α goes from %g to %g", alphaOf(0), alphaOf(alphaSteps))
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(0.12345), "0.123"}, {number(-1.5), "−1.50"}, {number(123.4), "123"}, {number(1234.4), "1230"},
		{number(0), "0"}, {number(math.NaN()), none}, {number(math.Inf(1)), "+∞"}, {number(9.999), "10.0"}, {number(1e-7), "1e-07"},
		{pText(0.0004), "< 0.001"}, {pText(0.001), "0.00100"}, {pText(0.62), "0.620"},
		{count(12), "12"}, {count(1835), "1 835"}, {count(1234567), "1 234 567"}, {count(-1000), "−1 000"},
		{percent(0.05), "5 %"}, {percent(0.0012), "0.12 %"}, {percent(math.NaN()), none},
		{size(12), "12 bytes"}, {size(614000), "614 kB"}, {size(2_500_000), "2.50 MB"},
		{duration(120 * time.Millisecond), "120 ms"}, {duration(3400 * time.Millisecond), "3.4 s"}, {duration(200 * time.Second), "3 min"},
		{stem("a/b/mols.smi.gz"), "mols"}, {stem("x"), "x"}, {stem(".hidden"), ".hidden"},
		{things(1, "row", "rows"), "1 row"}, {things(2000, "row", "rows"), "2 000 rows"},
		{shorten("abcdef", 4), "abc…"}, {shorten("äöü", 3), "äöü"}, {tick(-1e-17), "0"}, {tick(-0.5), "−0.5"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		n, top, height int
		want           window
	}{
		{0, 0, 600, window{0, 0, 0, 0}},
		{5, 0, 600, window{0, 5, 0, 0}},
		{100_000, 0, 600, window{0, 12, 0, 99_988 * 60}},
		{100_000, 6000, 600, window{98, 112, 98 * 60, (100_000 - 112) * 60}},
		{100, 1 << 30, 600, window{100, 100, 6000, 0}},
	} {
		got := windowOf(c.n, 60, c.top, c.height, 2)
		if c.top > 0 && c.top < 1<<30 {
			// What is in view is drawn.
			if got.before > c.top || got.before+(got.to-got.from)*60 < c.top+c.height {
				t.Errorf("%+v does not cover %d to %d", got, c.top, c.top+c.height)
			}
		}
		if got.before+(got.to-got.from)*60+got.after != c.n*60 {
			t.Errorf("%+v is not %d rows high", got, c.n)
		}
		if c.top == 0 && got.from != 0 || got.to-got.from > 20 {
			t.Errorf("window of %d rows at %d: %+v", c.n, c.top, got)
		}
	}
}

// randomRows are rows with ties, missing values and refused records.
func randomRows(n int, rng *rand.Rand) *rows {
	r := &rows{}
	e := &message.Records{}
	for i := range n {
		e.ID = append(e.ID, fmt.Sprintf("Name with a long start %d", rng.IntN(40)))
		e.SMILES = append(e.SMILES, strings.Repeat("C", 1+rng.IntN(5)))
		e.Line = append(e.Line, int32(2*i+1))
		if rng.IntN(7) == 0 {
			e.Problems = append(e.Problems, message.Problem{Record: i, Line: 2*i + 1, Text: "no"})
		}
	}
	// They come in pieces of any size.
	for from := 0; from < n; {
		to := min(n, from+1+rng.IntN(40))
		piece := &message.Records{From: from, ID: e.ID[from:to], SMILES: e.SMILES[from:to], Drawn: make(message.Strings, to-from), Line: e.Line[from:to]}
		for _, p := range e.Problems {
			if p.Record >= from && p.Record < to {
				piece.Problems = append(piece.Problems, p)
			}
		}
		r.add(piece)
		from = to
	}
	r.batch = newBatch(n)
	for i := range n {
		if r.problem[i] == nil && rng.IntN(6) != 0 {
			r.scored[i] = true
			r.score[i] = math.Round(5 * rng.NormFloat64())
			r.p[i] = float64(1+rng.IntN(20)) / 20
			r.batch.pre[i], r.batch.attn[i], r.batch.baca[i] = rng.NormFloat64(), -rng.Float64(), rng.NormFloat64()
		}
	}
	r.judge(rule{alpha: 0.05, held: 99})
	return r
}

func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := randomRows(300, rng)
	value := func(i int32, by column) (float64, string) {
		switch by {
		case byName:
			return 0, strings.ToLower(r.name(int(i)))
		case byVerdict:
			if r.verdict[i] == unscored {
				return math.NaN(), ""
			}
			return float64(r.verdict[i]), ""
		case byInput:
			return float64(i), ""
		}
		return map[column][]float64{byP: r.p, byScore: r.score, byPre: r.batch.pre, byAttn: r.batch.attn, byBaCa: r.batch.baca}[by][i], ""
	}
	for by := byInput; by <= byBaCa; by++ {
		for _, descending := range []bool{false, true} {
			list := r.order(view{by: by, descending: descending})
			if len(list) != r.len() {
				t.Fatalf("column %d: %d rows, want %d", by, len(list), r.len())
			}
			want := make([]int32, r.len())
			for i := range want {
				want[i] = int32(i)
			}
			slices.SortStableFunc(want, func(a, b int32) int {
				x, xs := value(a, by)
				y, ys := value(b, by)
				switch {
				case math.IsNaN(x) && math.IsNaN(y):
					return 0
				case math.IsNaN(x):
					return 1
				case math.IsNaN(y):
					return -1
				}
				c := strings.Compare(xs, ys)
				if x < y {
					c = -1
				} else if x > y {
					c = 1
				}
				if descending {
					c = -c
				}
				return c
			})
			if !slices.Equal(list, want) {
				t.Errorf("column %d, descending %v: another order than that of a plain sort", by, descending)
			}
		}
	}
}

func TestFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	r := randomRows(200, rng)
	v := view{search: "  START 7"}
	v.only[inside], v.only[refused] = true, true
	list := r.order(v)
	n := 0
	for i := range r.len() {
		if strings.Contains(strings.ToLower(r.id[i]), "start 7") && (r.verdict[i] == inside || r.verdict[i] == refused) {
			if n >= len(list) || int(list[n]) != i {
				t.Fatalf("record %d is not row %d of %v", i, n, list)
			}
			n++
		}
	}
	if n == 0 || n != len(list) {
		t.Errorf("%d rows, want %d and some", len(list), n)
	}
}

func TestRecordsOfAnotherInputAreDropped(t *testing.T) {
	r := &rows{}
	r.add(&message.Records{From: 5, ID: []string{"a"}})
	if r.len() != 0 {
		t.Errorf("%d rows from a piece that does not fit", r.len())
	}
	r.add(&message.Records{ID: []string{"a", "b"}}) // without the other columns
	r.fill(&message.Rows{From: 7, Rows: message.Columns{ID: []string{"x"}}})
	if r.len() != 2 || r.scored[0] {
		t.Errorf("%d rows, scored %v", r.len(), r.scored)
	}
}

func TestMarksOfLines(t *testing.T) {
	r := &rows{}
	r.add(&message.Records{
		ID: []string{"a", "b", "c"}, SMILES: []string{"C", "x", "C"}, Line: []int32{1, 3, 4},
		Problems: []message.Problem{{Record: 1, Line: 3, Column: 1, Piece: "x", Text: "no"}},
	})
	if got, want := marks(r, 1, 6), []mark{readMark, noMark, refusedMark, readMark, noMark}; !slices.Equal(got, want) {
		t.Errorf("marks %v, want %v", got, want)
	}
	if got, want := marks(r, 3, 5), []mark{refusedMark, readMark}; !slices.Equal(got, want) {
		t.Errorf("marks of lines 3 and 4 %v, want %v", got, want)
	}
	s := newSession(nil)
	s.text, s.rows = "C\n\nx\nC\n", *r
	picture := gutter(s, 0)
	wellFormed(t, "gutter", picture)
	if strings.Count(picture, "gutter-cross") != 1 || strings.Count(picture, "gutter-tick") != 2 {
		t.Errorf("gutter %s", picture)
	}
	// A text of many lines draws no more than a screen of them.
	s.text = strings.Repeat("C\n", 100_000)
	if n := strings.Count(gutter(s, 1_000_000), "<text"); n > gutterLines {
		t.Errorf("%d numbers of lines are drawn", n)
	}
}

func TestPieceOf(t *testing.T) {
	const text = "CC a\nü😀C(x) b\nC"
	for _, c := range []struct {
		p        message.Problem
		from, to int
		ok       bool
	}{
		{message.Problem{Line: 1, Column: 2, Piece: "C"}, 1, 2, true},
		// Columns count bytes, the browser counts UTF-16.
		{message.Problem{Line: 2, Column: 9, Piece: "x"}, 10, 11, true},
		{message.Problem{Line: 2}, 5, 14, true},
		{message.Problem{Line: 3, Column: 2}, 16, 16, true},
		{message.Problem{Line: 9, Column: 1}, 0, 0, false},
		{message.Problem{}, 0, 0, false},
	} {
		from, to, ok := pieceOf(text, &c.p)
		if from != c.from || to != c.to || ok != c.ok {
			t.Errorf("line %d column %d: %d to %d %v, want %d to %d %v", c.p.Line, c.p.Column, from, to, ok, c.from, c.to, c.ok)
		}
	}
}

func TestSay(t *testing.T) {
	for _, c := range []struct {
		v           verdict
		p           float64
		held        int
		first, then string
	}{
		{outside, 1.0 / 205, 204, "Outside", "None of 204 molecules"},
		{outside, 2.0 / 205, 204, "Outside", "Only one of 204"},
		{outside, 9.0 / 205, 204, "Outside", "Only 8 of 204"},
		{borderline, 16.0 / 205, 204, "Borderline", "15 of 204"},
		{inside, 0.5, 203, "Inside", "101 of 203"},
		{undecided, math.NaN(), 0, "Undecided", "no held-out"},
		{undecided, 0.5, 9, "Undecided", "with 9, p is 0.100 at least"},
	} {
		got := say(c.v, c.p, rule{alpha: 0.05, held: c.held}, "molecules")
		if got.verdict != c.first || !strings.Contains(got.reason, c.then) {
			t.Errorf("p %g: %q, want %q with %q", c.p, got, c.first, c.then)
		}
	}
	got := say(outside, 1.0/205, rule{alpha: 0.05, held: 204, list: "new.smi"}, "molecules")
	if want := "None of 204 molecules of new.smi scores this high"; !strings.HasPrefix(got.reason, want) {
		t.Errorf("of a list of one's own it says %q, want %q", got.reason, want)
	}
}

func TestBlameAndFacts(t *testing.T) {
	// Nitromethane and a separate chloride.
	atoms := []message.Atom{{Symbol: "C", Hydrogens: 3}, {Symbol: "N", Charge: 1}, {Symbol: "O"}, {Symbol: "O", Charge: -1}, {Symbol: "Cl", Charge: -1}}
	bonds := []message.Bond{{From: 0, To: 1, Order: 1}, {From: 1, To: 2, Order: 2}, {From: 1, To: 3, Order: 1}}
	if got := blame(atoms, bonds, []float64{0.1, 3, 0.2, math.NaN(), -5}); got != "One atom matters most: nitro N." {
		t.Errorf("blamed %q", got)
	}
	if got := blame(atoms, bonds, []float64{-1, 0, 0, 0, 0}); got != "" {
		t.Errorf("blamed %q where nothing points outside", got)
	}
	f := facts(atoms, bonds)
	if f[0].value != "CH₃ClNO₂⁻" || f[1].value != "5" || f[2].value != "0" || f[3] != (fact{"Fragments", "2"}) {
		t.Errorf("facts %v", f)
	}
	ring := []message.Bond{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}, {From: 0, To: 7}}
	if f := facts(make([]message.Atom, 3), ring); f[0].value != "3" || f[1].value != "3" || f[2].value != "1" {
		t.Errorf("facts of a triangle %v", f)
	}
	if got := formula(map[string]int{"Na": 1, "O": 1}, 1, 2); got != "HNaO²⁺" {
		t.Errorf("formula %q", got)
	}
}

const aspirin = "3 2 1 3\n0 0 C 0 3 0\n1 0 o 0 0 0\n2 0.5 N 1 2 15\n0 1 2 0\n1 2 1 2\n1 1 0.5"

func TestParseDrawing(t *testing.T) {
	d, err := parseDrawing(aspirin)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.atoms) != 3 || d.atoms[1].symbol != "O" || d.atoms[2].isotope != 15 || d.bonds[1].kind != wedgeBond || len(d.circles) != 1 {
		t.Errorf("drawing %+v", d)
	}
	for _, bad := range []string{
		"", "x", "0 0 0 0", "1 0 0 2\n0 0 C 0 0 0", "2 1 0 2\n0 0 C 0 0 0\n1 0 C 0 0 0\n0 2 1 0", "1 0 0 1\nNaN 0 C 0 0 0",
		"1 0 0 1\n0 0 C 0 0", "-1 0 0 0", "999999999 0 0 0", "1 0 1 1\n0 0 C 0 0 0\n1 1",
	} {
		if d, err := parseDrawing(bad); err == nil {
			t.Errorf("%q gives %+v, want an error", bad, d)
		}
	}
}

func FuzzParseDrawing(f *testing.F) {
	f.Add(aspirin)
	f.Add("1 0 0 1\n0 0 C 0 0 0")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := parseDrawing(text); err == nil {
			wellFormed(t, "drawing", d.depict(100, 60, 22, nil, nil, text, false))
		}
	})
}

func TestPlainDrawing(t *testing.T) {
	// A ring of six nodes is drawn without crossings: neighbours are nearer than others.
	d := &message.Detailed{Atoms: make([]message.Atom, 6)}
	for i := range 6 {
		d.Bonds = append(d.Bonds, message.Bond{From: i, To: (i + 1) % 6, Order: 1})
	}
	g, again := plain(d), plain(d)
	if !slices.Equal(g.atoms, again.atoms) {
		t.Error("the same graph is drawn in two ways")
	}
	dist := func(i, j int) float64 { return math.Hypot(g.atoms[i].x-g.atoms[j].x, g.atoms[i].y-g.atoms[j].y) }
	for i := range 6 {
		if dist(i, (i+1)%6) >= dist(i, (i+3)%6) {
			t.Errorf("node %d is nearer to the opposite one (%g) than to its neighbour (%g)", i, dist(i, (i+3)%6), dist(i, (i+1)%6))
		}
	}
	if !g.graph || !g.fits(d.Atoms) {
		t.Error("the drawing is not of this graph")
	}
	plain(&message.Detailed{}) // nothing to draw
}

func TestDrawingFitsItsAtoms(t *testing.T) {
	d, _ := parseDrawing(aspirin)
	atoms := []message.Atom{{Symbol: "C"}, {Symbol: "O"}, {Symbol: "N"}}
	if !d.fits(atoms) {
		t.Error("does not fit its own atoms")
	}
	for _, other := range [][]message.Atom{atoms[:2], {{Symbol: "C"}, {Symbol: "N"}, {Symbol: "O"}}} {
		if d.fits(other) {
			t.Errorf("fits %v", other)
		}
	}
}

func wellFormed(t *testing.T, what, picture string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(picture))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v\n%s", what, err, picture)
		}
	}
}

// pictures are all that the page draws.
func pictures(saved bool) map[string]string {
	rng := rand.New(rand.NewPCG(7, 8))
	few, many := make([]float64, 30), make([]float64, 5000)
	for i := range few {
		few[i] = rng.NormFloat64()
	}
	few[3] = math.NaN()
	for i := range many {
		many[i] = rng.NormFloat64()
	}
	r := newReference(many[:200])
	d, _ := parseDrawing("6 8 1 4\n0 0 C 0 3 0\n1 0 N 1 2 0\n2 0 O -1 0 18\n3 1 S 0 0 0\n4 1 H 0 0 0\n5 1 Cl 0 0 0\n0 1 1 0\n1 2 2 0\n2 3 3 0\n3 4 1 2\n3 5 1 3\n0 5 1 1\n1 3 2 0\n0 2 4 0\n1 1 0.5")
	steps := []message.Iteration{{Step: 10, ID: message.Contents{Training: 5, Test: 2, Synthetic: 1}}, {Step: 20, ID: message.Contents{Training: 5, Test: 3, Synthetic: 4}}}
	graph := plain(&message.Detailed{Atoms: make([]message.Atom, 4), Bonds: []message.Bond{{From: 0, To: 1}, {From: 1, To: 2}}})
	return map[string]string{
		"dots":    strip{width: 700, height: 130, title: "A & B", xlabel: "score", reference: r, score: few, verdict: judged(few, r), threshold: r.threshold(0.2), selected: 2}.svg(saved),
		"bars":    strip{width: 700, height: 130, title: "Many", xlabel: "score", reference: r, score: many, verdict: judged(many, r), threshold: math.NaN(), selected: -1}.svg(saved),
		"nothing": strip{width: 300, height: 100, title: "None", selected: -1}.svg(saved),
		"plot":    plot{width: 400, height: 200, title: "Loss", xlabel: "step", x: []float64{1, 2, 3}, curves: []curve{{"loss", "line", []float64{3, math.NaN(), 1}}, {"in", "line-in", []float64{1, 1, 1}}, {"out", "line-out", []float64{1, 2, 3}}}}.svg(saved),
		"point":   plot{width: 400, height: 200, title: "One", x: []float64{1}, curves: []curve{{"loss", "line", []float64{3}}}}.svg(saved),
		"empty":   plot{width: 400, height: 200, title: "None"}.svg(saved),
		"heat":    heatmap([]float32{0, 0.5, 0.5, 1}, 2, 100, "W", saved),
		"large":   heatmap(make([]float32, 100*100), 100, 100, "W", saved),
		"stack":   stack{"Dictionary", steps, func(i message.Iteration) message.Contents { return i.ID }, 300, 150}.svg(saved),
		"drawing": d.depict(380, 260, 40, []float64{1, -1, 0, 0.5, math.NaN(), 0.02}, []bool{true, false, true}, `<"&`, saved),
		"graph":   graph.depict(100, 100, 30, nil, nil, "graph", saved),
	}
}

// judged are verdicts on scores at α = 0.2.
func judged(scores []float64, r reference) []verdict {
	v := make([]verdict, len(scores))
	for i, s := range scores {
		v[i] = rule{alpha: 0.2, held: len(r)}.judge(r.p(s), 1)
	}
	return v
}

func TestPicturesAreWellFormed(t *testing.T) {
	for _, saved := range []bool{false, true} {
		for name, p := range pictures(saved) {
			wellFormed(t, name, p)
			if strings.Contains(p, "NaN") || strings.Contains(p, "Inf") {
				t.Errorf("%s holds a number that is none: %s", name, p)
			}
			if strings.Contains(p, "style=") {
				t.Errorf("%s has a style of its own, which the page forbids", name)
			}
			if saved && strings.Contains(p, "class=") {
				t.Errorf("%s is saved with classes, which nothing colours in a file", name)
			}
		}
	}
}

// Every role has a rule in the style sheet, and every rule of a file is used.
func TestRolesHaveRules(t *testing.T) {
	css, err := os.ReadFile("../web/static/style.css")
	if err != nil {
		t.Fatal(err)
	}
	for role := range roles {
		if !strings.Contains(string(css), "."+role+" ") && !strings.Contains(string(css), "."+role+",") {
			t.Errorf("the style sheet has no rule for .%s", role)
		}
	}
	for name, p := range pictures(false) {
		for _, part := range strings.Split(p, `class="`)[1:] {
			if role, _, _ := strings.Cut(part, `"`); roles[role] == "" {
				t.Errorf("%s has a part of the role %q, which files do not know", name, role)
			}
		}
	}
}

func TestScale(t *testing.T) {
	s := scale{-1, 3, 100, 500}
	if s.at(0) != 200 || s.value(200) != 0 || s.value(s.at(2.5)) != 2.5 {
		t.Errorf("0 is at %g, 200 is %g", s.at(0), s.value(200))
	}
	if got := s.ticks(5); !slices.Equal(got, []float64{-1, 0, 1, 2, 3}) {
		t.Errorf("ticks %v", got)
	}
	if got := (scale{1, 1, 0, 1}).ticks(5); got != nil {
		t.Errorf("ticks %v of an empty scale", got)
	}
	if low, high := spread([]float64{math.NaN()}); !(low < high) {
		t.Errorf("spread of nothing is %g to %g", low, high)
	}
}

func TestMoveThreshold(t *testing.T) {
	s := newSession(nil)
	s.reference = newReference([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	s.moveThreshold(8.5)
	if s.alpha != 0.2 {
		t.Errorf("α %g with one of nine above the threshold, want 0.2", s.alpha)
	}
	if at := s.reference.threshold(s.alpha); at != 8 {
		t.Errorf("threshold %g, want 8: scores above it are outside", at)
	}
	s.moveThreshold(100)
	if s.alpha != 0.1 {
		t.Errorf("α %g beyond all, want the smallest p", s.alpha)
	}
}

func TestMix(t *testing.T) {
	got := mix([]float32{1, 0}, []float32{0, 0.5, 9}, 0.25)
	if len(got) != 2 || got[0] != 0.25 || got[1] != 0.375 {
		t.Errorf("mixture %v", got)
	}
}

// The page is drawn natively for the HTML that is sent first: without a client, and
// in every phase.
func TestRenders(t *testing.T) {
	s, f, later := newTest(t)
	f.scores("CCO\nCCCCCC\nCCCCCCCC\nx")
	html := func(s *session) string {
		t.Helper()
		p := &page{s: s}
		engine := goapp.NewTestEngine()
		if err := engine.Load(p); err != nil {
			t.Fatal(err)
		}
		return goapp.HTMLString(p)
	}
	first := html(newSession(nil))
	for _, want := range []string{"Which of your molecules", `id="smiles"`, "Nothing leaves this tab", "How to read this"} {
		if !strings.Contains(first, want) {
			t.Errorf("the first HTML lacks %q", want)
		}
	}
	if strings.Contains(first, " style=") {
		t.Error("the first HTML has inline styles, which the page forbids")
	}
	if strings.Contains(first, "hidden=\"false\"") {
		t.Error("the first HTML hides what it should show")
	}
	s.typed("CCO\nCCCCCC\nCCCCCCCC\nx")
	pass(later)
	f.next(-1)
	pass(later)
	s.choose(1)
	f.next(-1)
	s.openLab(message.StageAttention)
	f.next(-1)
	full := html(s)
	for _, want := range []string{`data-row="1"`, "refused", "no element", "What it resembles", "Lab: attention", "KL divergence"} {
		if !strings.Contains(full, want) {
			t.Errorf("the HTML of a run lacks %q", want)
		}
	}
	s.fail(&message.Failed{Code: message.CodeMemory, Text: "room for 5 000 rows"})
	if !strings.Contains(html(s), "room for 5 000 rows") {
		t.Error("a failure is not shown")
	}
}

// The figures on the cards of the models are those of README.md.
func TestCardsHaveTheMeasuredFigures(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	var head []string
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 4 {
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " *")
		}
		switch {
		case cells[1] == "ID / OOD" && slices.Contains(cells, "alone"):
			head = cells
		case head != nil && strings.Contains(cells[1], " / ") && len(cells) == len(head) && rows[cells[1]] == nil:
			rows[cells[1]] = cells
		}
	}
	figure := func(row []string, column string) string {
		text, _, _ := strings.Cut(row[slices.Index(head, column)], " ")
		return text
	}
	for name, n := range notes {
		row := rows[n.id+" / "+n.ood]
		if row == nil {
			t.Errorf("%s: README.md has no row %s / %s", name, n.id, n.ood)
			continue
		}
		if alone, batch := fmt.Sprintf("%.1f", n.alone), fmt.Sprintf("%.1f", n.batch); alone != figure(row, "alone") || batch != figure(row, "batch") {
			t.Errorf("%s: the card says %s and %s, README.md %s and %s", name, alone, batch, figure(row, "alone"), figure(row, "batch"))
		}
		if !strings.Contains(n.measured(), fmt.Sprintf("%.1f %%", n.alone)) {
			t.Errorf("%s: %s", name, n.measured())
		}
	}
}

// The parts of a score stand in the order in which they are explained, and what a model
// does not know is left out.
func TestPartsOfTheScore(t *testing.T) {
	d := &message.Detailed{Distance: 1.5, Embedding: 1, Subtrees: 2, Counts: 3, Nodes: -1, Ratio: 2.5}
	names := func() string {
		var list []string
		for _, p := range partsOf(d, "molecules") {
			list = append(list, fmt.Sprintf("%s %g", p.name, p.value))
		}
		return strings.Join(list, "; ")
	}
	distance := "How far from the nearest training molecules 1.5; by embedding 1; by subtrees 2; by subtrees with counts 3; by ℓ_n, which weighs little -1"
	if got, want := names(), distance+"; How much more like chemistry at large than like the training set 2.5"; got != want {
		t.Errorf("the parts are %q, want %q", got, want)
	}
	d.Ratio = math.NaN()
	if got := names(); got != distance {
		t.Errorf("without a background the parts are %q, want %q", got, distance)
	}
}
