package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/explain"
	"baca/algo/internal/golden"
	"baca/algo/internal/lists"
	"baca/algo/internal/sample"
	"baca/algo/model"
)

var nan = math.NaN()

// told is a part that says so.
type told string

func (told) Take(*Entry) {}

func (t told) Write(p *document.Page) { p.Add("<h2>%s</h2>\n", string(t)) }

// full is a report with everything in it.
func full() *Report {
	var why []explain.Reason
	for _, text := range []string{"1 % & more", "b", "c", "d", "e", "a sixth"} {
		why = append(why, explain.Reason{Text: text})
	}
	first := Entry{
		ID: golden.Evil, SMILES: `C"><a href=`, SetAside: golden.Evil, Place: 4, Q: 0.07,
		Row:     batch.Row{Score: 41, P: 0.125, Verdict: decide.Outside, AloneP: 1.0 / 7, BatchP: 0.125, BatchVerdict: decide.Borderline},
		Drawing: &Drawing{Share: []float64{2, -1, nan}, Marked: []float64{0, 1, 1}},
		Why: &alone.Explanation{
			Score: 3, P: 0.02, Distance: -2, Ratio: 0.5, Embedding: 1, Subtrees: 2, Counts: 3, Nodes: 4, Reasons: why,
			Nearest: []alone.TrainingGraph{
				{Row: 0, Similarity: 1, Name: golden.Evil, SMILES: "C<", Values: &model.Values{Observed: -1.5, Predicted: nan}}, {Row: -1, Similarity: 0.999},
			},
		},
	}
	second := Entry{
		ID: "second", Row: batch.Row{P: nan, Verdict: decide.Undecided}, Drawing: graphDrawing(sample.Shape("path", 3), nil, []float64{0, 0, 1}),
		Why: &alone.Explanation{P: nan, Distance: nan, Ratio: nan, Nodes: nan},
	}
	return &Report{
		About: document.About{
			Title: golden.Evil, Warnings: []string{golden.Evil}, Input: []document.Pair{{"input", golden.Evil}}, Command: "baca report 'a b.smi'", Script: []byte("draw()"),
		},
		Read: 9, Refused: 3, Refusals: []string{golden.Evil}, Counts: decide.Counts{Outside: 2, Borderline: 1, Inside: 3}, Alpha: 0.25, FDR: 0.3,
		Scores: []float64{0, 1, 1, 20, 41, 48, nan, math.Inf(1)}, Holdout: []float64{0, 8, 16, 24, 32, 40, 48},
		P: []float64{0.05, 0.0501, 0.25, 0.3, 0.5, 1, 0}, Whole: "as a whole it differs", Differences: []string{"48 % x", golden.Evil},
		Parts: []Part{told("a part")}, Model: []document.Pair{{"name", "m"}}, Settings: []document.Pair{{"seed", "1"}},
		Top: []Entry{first, second, {ID: "large", Drawing: graphDrawing(sample.Shape("path", 301), nil, nil)}}, Rows: []Entry{first, second},
	}
}

// Reports say what is true of small inputs, and say so in all their branches.
func TestReportsSayWhatIsThere(t *testing.T) {
	var s golden.Pages
	r := full()
	s.Page(t, "report", golden.Text(Write, r))
	r.Plain, r.Refused, r.FDR, r.Whole, r.Alone, r.P = true, 0, 0, "", []float64{1}, nil
	r.Counts, r.Script, r.Undrawn, r.Again, r.Top = decide.Counts{Inside: 4, Undecided: 1}, nil, "no script", "Other bytes.", r.Top[:1]
	page := golden.Text(Write, r)
	golden.Lacks(t, strings.ToLower(page), "molecule", "atom")
	s.Page(t, "report of plain graphs", page)
	s.Page(t, "report of nothing", golden.Text(Write, &Report{
		Read: 3, Refused: 1, Refusals: r.Refusals, Rows: r.Rows, Top: r.Top, Scores: []float64{1, 2},
	}))
	fmt.Fprintln(&s, "drawn with 0, 300 and 301 nodes:", lists.Map([]int{0, 300, 301}, func(n int) bool {
		return graphDrawing(sample.Shape("path", n), nil, nil) != nil
	}))
	for _, p := range []float64{1e-9, 0.001, 0.05, 0.4, nan} {
		fmt.Fprintln(&s, batch.Whole("this list", 0.93, p))
	}
	m := &model.Model{Bank: &contrast.Representation{NodeScore: make([]float64, 90)}, Holdout: &contrast.Representation{NodeScore: make([]float64, 10)}}
	m.Card = model.Card{
		Name: "m", Schema: model.OGBParent, Dataset: "set.csv", Graphs: 12, Train: 9, HoldoutRows: []int{1, 2}, Repeats: []int{3},
		Epochs: 1, Batch: 8, LearningRate: 0.1, Seed: 7, Loss: 0.25, Program: "1.0",
	}
	fmt.Fprintln(&s, ModelCard(m, 123, "abc"))
	m.Card = model.Card{Schema: model.Constant, Holdout: "held.csv", Epochs: 2}
	fmt.Fprintln(&s, ModelCard(m, 123, "abc"))
	for _, basis := range []Basis{{Alone: true}, {Graphs: 9, Weight: 0.25}, {Graphs: 9, Sample: true}, {Graphs: 9, Sample: true, First: true}} {
		fmt.Fprintln(&s, basis.Pairs(false), basis.Pairs(true))
	}
	golden.Same(t, "testdata/reports.txt", s.String())
}
