package picture

import (
	"encoding/xml"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/explain"
	column "baca/algo/table"
	"baca/app/run"
	"baca/app/table"
	"baca/wasm/message"
)

func TestMarksOfLines(t *testing.T) {
	r := &table.Rows{}
	r.Add((&message.Records{
		Line: []int32{1, 3, 4}, Problems: []message.Problem{{Record: 1, Line: 3, Column: 1, Piece: "x", Text: "no"}},
	}).Pack(column.TextColumn("id", []string{"a", "b", "c"}), column.TextColumn("smiles", []string{"C", "x", "C"})))
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

// An album keeps what the worker said of each molecule, and asks once.
func TestAlbum(t *testing.T) {
	Pen = func(d Drawing) string { return "<svg>" + d.Layout + "</svg>" }
	t.Cleanup(func() { Pen = func(Drawing) string { return "" } })
	r := &table.Rows{}
	r.Add(new(message.Records).Pack(column.TextColumn("id", []string{"a", "b", "c", "d"}),
		column.TextColumn("smiles", []string{"CO", "C[C@H](F)Cl", "CO", "N\nN"})))
	var a Album
	if got := a.Missing(nil, r, []int32{0, 1, 2, 3, 9}); !slices.Equal(got, []string{"CO", "C[C@H](F)Cl"}) {
		t.Errorf("asks for %q", got)
	}
	a.Add("CO", "C O\n{layout}", "")
	a.Add("C[C@H](F)Cl", "", "its stereochemistry would read differently")
	if got := a.Missing(nil, r, []int32{0, 1, 2}); len(got) != 0 || a.Count != 2 {
		t.Errorf("asks for %q again", got)
	}
	if a.Small("CO") != "<svg>{layout}</svg>" || a.Small("C[C@H](F)Cl") != "" {
		t.Errorf("small pictures %q and %q", a.Small("CO"), a.Small("C[C@H](F)Cl"))
	}
	if a.Problem("CO") != "" || a.Problem("unknown") != "" || a.Problem("C[C@H](F)Cl") != "Not drawn: its stereochemistry would read differently." {
		t.Errorf("problems %q, %q, %q", a.Problem("CO"), a.Problem("unknown"), a.Problem("C[C@H](F)Cl"))
	}
}

// Colours belong to atoms: a drawing of others has none.
func TestDrawingFitsItsAtoms(t *testing.T) {
	d := &thumb{symbols: []string{"C", "O", "N"}}
	atoms := []string{"C", "O", "N"}
	if !d.fits(atoms) {
		t.Error("does not fit its own atoms")
	}
	for _, other := range [][]string{atoms[:2], {"C", "N", "O"}} {
		if d.fits(other) {
			t.Errorf("fits %v", other)
		}
	}
	s := run.New(nil)
	s.Inspector.Detail.Value = &message.Detailed{
		Drawing:     message.Drawing{Atoms: atoms},
		Explanation: algo.Explanation{Contributions: []float64{1, -2, math.NaN()}, Reasons: []explain.Reason{{Weight: explain.Unseen, Nodes: []int{2}}}},
	}
	if share, marked, note := colours(s, true); len(share) != 3 || share[1] != -1 || !slices.Equal(marked, []int{2}) || note != "" {
		t.Errorf("shares %v, marked %v, note %q", share, marked, note)
	}
	if share, marked, note := colours(s, false); share != nil || marked != nil || note == "" {
		t.Errorf("atoms of another drawing: shares %v, marked %v, note %q", share, marked, note)
	}
}

func wellFormed(t *testing.T, what, picture string) {
	t.Helper()
	if err := xml.Unmarshal([]byte("<all>"+picture+"</all>"), &struct{}{}); err != nil {
		t.Fatalf("%s is not well-formed: %v\n%s", what, err, picture)
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
	places := message.Map{Training: message.Singles{0, 0, 1, 1}, Records: message.Ints{0, 1, 2, 3}, Batch: message.Singles{0, 1, 1, 0, 2, 2, 3, 3}, At: message.Singles{1, 0}, Nearest: message.Singles{1, 1}, ShareX: 0.5, ShareY: 0.2}
	verdict := func(r int32) decide.Verdict {
		return []decide.Verdict{decide.Inside, decide.Borderline, decide.Outside, decide.Undecided}[r]
	}
	return map[string]string{
		"marked":  Plot{Width: 400, Height: 200, Title: "Loss", X: []float64{1, 2, 3}, Curves: []Curve{{Name: "loss", Role: "line", Y: []float64{3, 2, 1}}}, Mark: 2}.SVG(saved),
		"map":     Map{Title: "A & B", On: places, Verdict: verdict, Shown: 2, Width: 300, Height: 200}.SVG(saved),
		"nomap":   Map{Title: "None", Verdict: verdict, Shown: 2, Width: 300, Height: 200}.SVG(saved),
		"dots":    Strip{width: 700, height: 130, title: "A & B", xlabel: "score", reference: r, score: few, verdict: judged(few, r), threshold: table.Threshold(r, 0.2), selected: 2}.SVG(saved),
		"bars":    Strip{width: 700, height: 130, title: "Many", xlabel: "score", reference: r, score: many, verdict: judged(many, r), threshold: math.NaN(), selected: -1}.SVG(saved),
		"nothing": Strip{width: 300, height: 100, title: "None", selected: -1}.SVG(saved),
		"plot":    Plot{Width: 400, Height: 200, Title: "Loss", XLabel: "step", X: []float64{1, 2, 3}, Curves: []Curve{{Name: "loss", Role: "line", Y: []float64{3, math.NaN(), 1}}, {Name: "in", Role: "line-in", Y: []float64{1, 1, 1}}, {Name: "out", Role: "line-out", Y: []float64{1, 2, 3}}}}.SVG(saved),
		"point":   Plot{Width: 400, Height: 200, Title: "One", X: []float64{1}, Curves: []Curve{{Name: "loss", Role: "line", Y: []float64{3}}}}.SVG(saved),
		"empty":   Plot{Width: 400, Height: 200, Title: "None"}.SVG(saved),
		"heat":    Graphon{Title: "W", W: []float32{0, 0.5, 0.5, 1}, N: 2, Side: 100, Role: "cell-out", Full: 0.5}.SVG(saved),
		"large":   Graphon{Title: "W", W: make([]float32, 100*100), N: 100, Side: 100, Role: "cell"}.SVG(saved),
	}
}

// judged are verdicts on scores at α = 0.2.
func judged(scores []float64, r []float64) []decide.Verdict {
	v := make([]decide.Verdict, len(scores))
	for i, p := range decide.PValues(scores, r) {
		v[i] = map[decide.Verdict]decide.Verdict{decide.Inside: decide.Inside, decide.Borderline: decide.Borderline, decide.Outside: decide.Outside}[decide.Judge(p, 0.2, len(r))]
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

func TestSpreadOfNothing(t *testing.T) {
	if low, high := Spread([]float64{math.NaN()}); !(low < high) {
		t.Errorf("spread of nothing is %g to %g", low, high)
	}
}

// A map shows the training set, then the batch, then the record.
func TestMapIsShownInSteps(t *testing.T) {
	on := message.Map{Training: message.Singles{0, 0}, Records: message.Ints{0}, Batch: message.Singles{1, 1}, At: message.Singles{1, 1}}
	for shown, want := range []string{"true false false", "true true false", "true true true"} {
		p := Map{On: on, Verdict: func(int32) decide.Verdict { return decide.Outside }, Shown: shown, Width: 300, Height: 200}.SVG(false)
		var got []string
		for _, role := range []string{"map-known", "outside", "chosen"} {
			got = append(got, fmt.Sprint(strings.Contains(p, `class="`+role+`"`)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("step %d shows %q, want %q", shown, got, want)
		}
	}
}

func TestMix(t *testing.T) {
	got := Mix([]float32{1, 0}, []float32{0, 0.5, 9}, 0.25)
	if len(got) != 2 || got[0] != 0.25 || got[1] != 0.375 {
		t.Errorf("mixture %v", got)
	}
}

func TestStripOfGraphsHasTheirWord(t *testing.T) {
	s := run.New(nil)
	s.Opened = &message.Opened{}
	s.Rows.Add(new(message.Records).Pack(column.TextColumn("id", []string{"a"}), column.TextColumn("smiles", []string{""})))
	if got := stripBy(s, table.EachAlone, s.Rule(), 300, 100).SVG(true); !strings.Contains(got, "Each graph alone") {
		t.Errorf("the strip is %.300s", got)
	}
}

// No mark lies on the other side of the line than its verdict, whatever decides: not where a guard holds one back, nor by
// S_BaCa, whose p-values come from folds with scales of their own.
func TestMarksAreOnTheirSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const records, held = 300, 99
	normal := func(n int, mean float64) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = mean + rng.NormFloat64()
		}
		return list
	}
	s := run.New(nil)
	ids := make([]string, records)
	s.Rows.Add(new(message.Records).Pack(column.TextColumn("id", ids), column.TextColumn("smiles", ids)))
	alone, reference := normal(records, 1), normal(held, 0)
	number := column.NumberColumn
	s.SetReference(reference)
	s.Rows.Fill(&message.Rows{Rows: message.Columns{number("score", alone), number("p_value", decide.PValues(alone, reference))}})
	list, listHeld := normal(records, 1), normal(held, 0)
	baca, p, foreign := normal(records, 1), make([]float64, records), make([]float64, records)
	for i := range p {
		p[i] = decide.PValues(normal(1, 1), reference)[0] // of a fold, whatever the score of the whole list
		foreign[i] = float64(rng.IntN(2))
	}
	s.TakeBatch(records, message.Columns{number("batch", list), number("batch_p", decide.PValues(list, listHeld)), number("s_baca", baca), number("baca_p", p),
		number("batch_foreign", foreign)}, message.Columns{number("batch", listHeld), number("s_baca", normal(held, 0))})
	s.Complete = true
	for by := range table.Deciders {
		s.By, s.FDR = by, 0
		s.Settle()
		for _, rule := range []float64{0.003, 0.05, 0.1, 0.3, -0.3} { // the last is a rate
			if rule > 0 {
				s.SetAlpha(rule)
			} else {
				s.SetFDR(-rule)
			}
			c := StripOf(s, 700, 100)
			n := 0
			for i, v := range s.Rows.Verdict {
				line := c.axis().At(c.threshold)
				drawn := c.at(c.axis(), c.score[i], line, 4)
				if outside := v == decide.Outside; outside != (drawn > line) || math.Abs(drawn-line) < 4 {
					t.Fatalf("by %d at %g: %s is drawn at %g, the line at %g", by, rule, v, drawn, line)
				} else if outside {
					n++
				}
			}
			if rule >= 0.05 && (n == 0 || n == records) {
				t.Errorf("by %d at %g: %d are outside", by, rule, n)
			}
		}
		s.SetFDR(0)
		for _, alpha := range []float64{0.05, 0.2} { // the line can be moved where it is
			s.SetAlpha(alpha)
			before := slices.Clone(s.Rows.Verdict)
			if s.MoveThreshold(s.Threshold()); !slices.Equal(before, s.Rows.Verdict) {
				t.Errorf("by %d: moving the line to where it is, at %g, changes verdicts", by, alpha)
			}
		}
	}
}
