package domain

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/background"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/molecule/smiles"
	"baca/algo/property"
	"baca/algo/report"
)

var nan = math.NaN()

// example has a substance that is outside, and an empty one.
func example() *Domain {
	m := &model.Model{
		Card: model.Card{
			Name: "m", Dataset: golden.Evil, Description: golden.Evil, Schema: model.OGBParent, Graphs: 100, Train: 90, HoldoutRows: make([]int, 10),
		},
		Structures: &model.Structures{Observed: []float64{3, nan, -7.25}}, Background: &background.Head{AUC: 0.9},
		Bank: &contrast.Representation{NodeScore: make([]float64, 90)}, Holdout: &contrast.Representation{NodeScore: make([]float64, 10)},
		Subtrees: fingerprint.NewIndex(make([]fingerprint.Print, 90)),
		Profile:  explain.NewProfile([]*graph.Graph{must.Have(smiles.ParseGraph("CCO")), must.Have(smiles.ParseGraph("C[NH3+]"))}),
	}
	e := report.Entry{ID: golden.Evil, SMILES: `C"><a href=`, Place: 3, SetAside: "a salt", Drawing: &report.Drawing{Share: []float64{1}}, Why: &alone.Explanation{
		Score: 3, P: 1.0 / 51, Verdict: decide.Outside, Distance: 2, Ratio: nan, Embedding: 1, Subtrees: 2, Counts: nan, Duplicate: true,
		Reasons: []explain.Reason{{Text: golden.Evil + " 48 %"}},
	}}
	return &Domain{
		About: document.About{
			Title: golden.Evil, Warnings: []string{golden.Evil}, Input: []document.Pair{{"input", golden.Evil}}, Command: "baca report 'a b.smi'", Script: []byte("draw()"),
		}, Model: m, SHA256: "ab", Program: "baca", Alpha: 0.05, Confidence: 0.95, References: 50, Reach: 2.5,
		Ranges: RangesOf([]property.Properties{{Weight: 200}, {Weight: 100}}),
		Substances: []Substance{
			{
				Entry: e, Properties: property.Properties{Weight: 500}, Canonical: "C<", Read: "N<", High: 0.07, Unmet: 1, Surroundings: 3,
				Nearest: []alone.TrainingGraph{
					{Row: 0, Similarity: 0.6, Name: golden.Evil, SMILES: "O<", Values: &model.Values{Observed: -1.5, Predicted: nan}}, {Row: -1, Similarity: 0.5},
				},
				Command: "printf <",
			},
			{
				Entry:      report.Entry{ID: "empty", Why: &alone.Explanation{Score: nan, P: nan, Verdict: decide.Undecided}},
				Properties: property.Properties{Weight: 200}, Molfile: true,
			},
		},
	}
}

// Forms for regulators say what is true of small inputs. A field is blank where nothing is known.
func TestFormsSayWhatIsThere(t *testing.T) {
	var s golden.Pages
	d := example()
	s.JSON("domain", golden.Text(WriteJSON, d))
	s.JSON("model", golden.Text(WriteModelPageJSON, d))
	for _, c := range []struct {
		verdict   decide.Verdict
		asHigh    int
		low, high float64
	}{{decide.Borderline, 3, 0.02, 0.11}, {decide.Inside, 25, 0.11, 0.9}, {decide.Undecided, 25, 0, 0.05}} {
		x := d.Substances[0]
		x.Why = &alone.Explanation{P: float64(1+c.asHigh) / 51, Verdict: c.verdict, Ratio: 1}
		x.AsHigh, x.Low, x.High, x.Nearest, x.Read = c.asHigh, c.low, c.high, x.Nearest[1:], ""
		d.Substances = append(d.Substances, x)
	}
	page := golden.Text(Write, d)
	if s.Page(t, "domain", page); page != golden.Text(Write, d) || strings.Count(page, `<section class="sheet">`) != 5 {
		t.Error("the same report has other bytes, or a substance begins no sheet")
	}
	d.Substances, d.Model.Shared, d.Reach, d.Script, d.Undrawn = d.Substances[:1], 5, nan, nil, "no script"
	s.Page(t, "domain of one", golden.Between(golden.Text(Write, d), "</title>", "<h2>2"))
	s.Page(t, "domain of a shared model", golden.Between(golden.Text(Write, d), "<h2>6", "<h3>Ref"))
	s.JSON("the same", golden.Text(WriteJSON, d))
	s.Page(t, "model", golden.Text(WriteModelPage, d))
	d.References, d.Model.Structures, d.Model.Shared, d.Model.Background = 0, nil, 0, nil
	d.Model.Card.Schema, d.Ranges = model.OGB, RangesOf(nil)
	d.Substances[0].Why.P, d.Substances[0].Why.Verdict, d.Model.Profile, d.Model.Card.Description = nan, decide.Undecided, nil, ""
	s.Page(t, "domain without a holdout", golden.Between(golden.Text(Write, d), "<h2>5", "<h3>Ref"))
	s.Page(t, "model without a holdout", golden.Between(golden.Text(WriteModelPage, d), "<h2>5", "<h2>Ref"))
	s.JSON("the same", golden.Text(WriteModelPageJSON, d))
	for _, call := range regexp.MustCompile(`[\w-]+\(`).FindAllString(formStyle, -1) {
		if !slices.Contains([]string{"minmax(", "repeat(", "counter(", "not("}, call) {
			t.Errorf("the style calls %s…)", call)
		}
	}
	golden.Same(t, "testdata/forms.txt", s.String())
}
