package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"baca/algo/chart"
	"baca/algo/decide"
	"baca/app/session"
	"baca/wasm/message"
)

func TestMarksOfLines(t *testing.T) {
	r := &session.Rows{}
	r.Add(&message.Records{
		ID: []string{"a", "b", "c"}, SMILES: []string{"C", "x", "C"}, Drawn: make([]string, 3), Line: []int32{1, 3, 4},
		Problems: []message.Problem{{Record: 1, Line: 3, Column: 1, Piece: "x", Text: "no"}},
	})
	picture := Gutter("C\n\nx\nC\n", r, 0)
	wellFormed(t, "gutter", picture)
	// What became of a line stands before its number.
	var marks []string
	for _, part := range strings.Split(picture, "<text")[:5] {
		mark := ""
		for _, m := range []string{"cross", "tick"} {
			if strings.Contains(part, "gutter-"+m) {
				mark = m
			}
		}
		marks = append(marks, mark)
	}
	if want := []string{"tick", "", "cross", "tick", ""}; !slices.Equal(marks, want) {
		t.Errorf("marks %q, want %q", marks, want)
	}
	// A text of many lines draws no more than a screen of them.
	if n := strings.Count(Gutter(strings.Repeat("C\n", 100_000), r, 1_000_000), "<text"); n > gutterLines {
		t.Errorf("%d numbers of lines are drawn", n)
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
	r := slices.Sorted(slices.Values(many[:200]))
	d, _ := parseDrawing("6 8 1 4\n0 0 C 0 3 0\n1 0 N 1 2 0\n2 0 O -1 0 18\n3 1 S 0 0 0\n4 1 H 0 0 0\n5 1 Cl 0 0 0\n0 1 1 0\n1 2 2 0\n2 3 3 0\n3 4 1 2\n3 5 1 3\n0 5 1 1\n1 3 2 0\n0 2 4 0\n1 1 0.5")
	steps := []message.Iteration{{Step: 10, ID: message.Contents{Training: 5, Test: 2, Synthetic: 1}}, {Step: 20, ID: message.Contents{Training: 5, Test: 3, Synthetic: 4}}}
	graph := plain(&message.Detailed{Atoms: make([]message.Atom, 4), Bonds: []message.Bond{{From: 0, To: 1}, {From: 1, To: 2}}})
	return map[string]string{
		"dots":    Strip{width: 700, height: 130, title: "A & B", xlabel: "score", reference: r, score: few, verdict: judged(few, r), threshold: session.Threshold(r, 0.2), selected: 2}.SVG(saved),
		"bars":    Strip{width: 700, height: 130, title: "Many", xlabel: "score", reference: r, score: many, verdict: judged(many, r), threshold: math.NaN(), selected: -1}.SVG(saved),
		"nothing": Strip{width: 300, height: 100, title: "None", selected: -1}.SVG(saved),
		"plot":    Plot{Width: 400, Height: 200, Title: "Loss", XLabel: "step", X: []float64{1, 2, 3}, Curves: []Curve{{"loss", "line", []float64{3, math.NaN(), 1}}, {"in", "line-in", []float64{1, 1, 1}}, {"out", "line-out", []float64{1, 2, 3}}}}.SVG(saved),
		"point":   Plot{Width: 400, Height: 200, Title: "One", X: []float64{1}, Curves: []Curve{{"loss", "line", []float64{3}}}}.SVG(saved),
		"empty":   Plot{Width: 400, Height: 200, Title: "None"}.SVG(saved),
		"heat":    Graphon{Title: "W", W: []float32{0, 0.5, 0.5, 1}, N: 2, Side: 100}.SVG(saved),
		"large":   Graphon{Title: "W", W: make([]float32, 100*100), N: 100, Side: 100}.SVG(saved),
		"stack":   Stack{"Dictionary", steps, func(i message.Iteration) message.Contents { return i.ID }, 300, 150}.SVG(saved),
		"drawing": d.depict(380, 260, 40, []float64{1, -1, 0, 0.5, math.NaN(), 0.02}, []bool{true, false, true}, `<"&`, saved),
		"graph":   graph.depict(100, 100, 30, nil, nil, "graph", saved),
	}
}

// judged are verdicts on scores at α = 0.2.
func judged(scores []float64, r []float64) []session.Verdict {
	v := make([]session.Verdict, len(scores))
	for i, p := range decide.PValues(scores, r) {
		v[i] = session.Rule{Alpha: 0.2, Holdout: len(r)}.Judge(p, 1)
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
	css, err := os.ReadFile("../../web/static/style.css")
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

func TestTicksAreShort(t *testing.T) {
	if got := tick(-1e-17); got != "0" {
		t.Errorf("almost nothing is %s", got)
	}
	if got := tick(-0.5); got != "−0.5" {
		t.Errorf("minus a half is %s", got)
	}
}

func TestScale(t *testing.T) {
	s := chart.Scale{Low: -1, High: 3, From: 100, To: 500}
	if s.At(0) != 200 || s.Value(200) != 0 || s.Value(s.At(2.5)) != 2.5 {
		t.Errorf("0 is at %g, 200 is %g", s.At(0), s.Value(200))
	}
	if got := chart.Ticks(s.Low, s.High, 5); !slices.Equal(got, []float64{-1, 0, 1, 2, 3}) {
		t.Errorf("ticks %v", got)
	}
	if got := chart.Ticks(1, 1, 5); got != nil {
		t.Errorf("ticks %v of an empty scale", got)
	}
	if low, high := Spread([]float64{math.NaN()}); !(low < high) {
		t.Errorf("spread of nothing is %g to %g", low, high)
	}
}

func TestMix(t *testing.T) {
	got := Mix([]float32{1, 0}, []float32{0, 0.5, 9}, 0.25)
	if len(got) != 2 || got[0] != 0.25 || got[1] != 0.375 {
		t.Errorf("mixture %v", got)
	}
}

// A picture of 100 000 records must stay far below 50 ms in a browser.
func BenchmarkStrip(b *testing.B) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	score := make([]float64, n)
	for i := range score {
		score[i] = math.Round(5 * rng.NormFloat64())
	}
	r := slices.Sorted(slices.Values(score[:500]))
	c := Strip{width: 900, height: 132, title: "Scores", reference: r, score: score, verdict: judged(score, r), selected: -1}
	for b.Loop() {
		c.SVG(false)
	}
	b.ReportMetric(n, "rows")
}
