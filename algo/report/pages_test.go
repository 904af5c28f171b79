package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/background"
	"baca/algo/batch"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/feature/compare"
	"baca/algo/feature/suggest"
	"baca/algo/feature/trust"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
	"baca/algo/model"
	"baca/algo/molecule/smiles"
	"baca/algo/property"
)

// evil must be escaped.
const evil = `</title><script>alert("x")</script><img src=x onerror=y>`

var nan = math.NaN()

// full is a report with everything in it.
func full() *Report {
	var why []explain.Reason
	for _, text := range []string{"1 % & more", "b", "c", "d", "e", "a sixth"} {
		why = append(why, explain.Reason{Text: text})
	}
	first := Entry{
		ID: evil, SMILES: `C"><a href=`, SetAside: evil, Place: 4, Q: 0.07,
		Row:     batch.Row{Score: 41, P: 0.125, Verdict: decide.Outside, AloneP: 1.0 / 7, BatchP: 0.125, BatchVerdict: decide.Borderline},
		Drawing: &Drawing{share: []float64{2, -1, nan}, marked: []float64{0, 1, 1}},
		Why: &alone.Explanation{
			Score: 3, P: 0.02, Distance: -2, Ratio: 0.5, Embedding: 1, Subtrees: 2, Counts: 3, Nodes: 4, Reasons: why,
			Nearest: []alone.TrainingGraph{
				{Row: 0, Similarity: 1, Name: evil, SMILES: "C<", Values: &model.Values{Observed: -1.5, Predicted: nan}}, {Row: -1, Similarity: 0.999},
			},
		},
	}
	second := Entry{
		ID: "second", Row: batch.Row{P: nan, Verdict: decide.Undecided}, Drawing: graphDrawing(sample.Shape("path", 3), nil, []float64{0, 0, 1}),
		Why: &alone.Explanation{P: nan, Distance: nan, Ratio: nan, Nodes: nan},
	}
	return &Report{
		Document: Document{
			Title: evil, Warnings: []string{evil}, Input: []Pair{{"input", evil}}, Command: "baca report 'a b.smi'", Script: []byte("draw()"),
		},
		Read: 9, Refused: 3, Refusals: []string{evil}, Counts: decide.Counts{Outside: 2, Borderline: 1, Inside: 3}, Alpha: 0.25, FDR: 0.3,
		Scores: []float64{0, 1, 1, 20, 41, 48, nan, math.Inf(1)}, Holdout: []float64{0, 8, 16, 24, 32, 40, 48},
		P: []float64{0.05, 0.0501, 0.25, 0.3, 0.5, 1, 0}, Whole: "as a whole it differs", Differences: []string{"48 % x", evil},
		Wealth: []float64{0, -1.5, 1, 2, 7, 7, 3}, Delta: 0.01, Model: []Pair{{"name", "m"}}, Settings: []Pair{{"seed", "1"}},
		Top: []Entry{first, second, {ID: "large", Drawing: graphDrawing(sample.Shape("path", 301), nil, nil)}}, Rows: []Entry{first, second},
	}
}

func text[R any](write func(io.Writer, R) error, r R) string {
	var b strings.Builder
	must.Do(write(&b, r))
	return b.String()
}

// lacks reports texts that are there.
func lacks(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if i := strings.Index(text, part); i >= 0 {
			t.Errorf("there is %q: %s", part, text[max(i-40, 0):min(i+40, len(text))])
		}
	}
}

// part is a text between two others.
func part(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

// add adds a page, which makes no tags of what must be escaped.
func add(t *testing.T, s *golden.Pages, name, page string) {
	lacks(t, page, "<script>alert", "<img", "<a href", "NaN", "%!")
	s.Page(name, page)
}

// Reports say what is true of small inputs, and say so in all their branches.
func TestReportsSayWhatIsThere(t *testing.T) {
	var s golden.Pages
	r := full()
	add(t, &s, "report", text(Write, r))
	r.Plain, r.Refused, r.FDR, r.Whole, r.Alone, r.P, r.Delta, r.Wealth = true, 0, 0, "", []float64{1}, nil, 1e-7, []float64{0, 0.5, 0.25}
	r.Counts, r.Script, r.Undrawn, r.Again, r.Top = decide.Counts{Inside: 4, Undecided: 1}, nil, "no script", "Other bytes.", r.Top[:1]
	page := text(Write, r)
	lacks(t, strings.ToLower(page), "molecule", "atom")
	add(t, &s, "report of plain graphs", page)
	add(t, &s, "report of nothing", text(Write, &Report{
		Read: 3, Refused: 1, Refusals: r.Refusals, Rows: r.Rows, Top: r.Top, Scores: []float64{1, 2}, Wealth: []float64{0},
	}))
	add(t, &s, "drift", DriftHTML(false, []float64{0, 2, 5.63}, 0.01, func(n int) string { return fmt.Sprint("<", n, ">") }))
	add(t, &s, "no drift", DriftHTML(true, []float64{0, -2, 0.3}, 1e-6, nil))
	fmt.Fprintln(&s, "drawn with 0, 300 and 301 nodes:", lists.Map([]int{0, 300, 301}, func(n int) bool {
		return graphDrawing(sample.Shape("path", n), nil, nil) != nil
	}))
	for _, p := range []float64{1e-9, 0.001, 0.05, 0.4, nan} {
		fmt.Fprintln(&s, Whole("this list", 0.93, p))
	}
	m := domain().Model
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

// Tools say what is true of small inputs.
func TestToolsSayWhatIsThere(t *testing.T) {
	var s golden.Pages
	var c compare.Comparison
	must.Do(json.Unmarshal(must.Have(os.ReadFile("testdata/comparison.json")), &c))
	add(t, &s, "comparison", text(WriteComparison, &Comparison{full().Document, &c, []Pair{{"seed", "1"}}}))
	c.Named, c.Evidence = c.Named[:31], compare.Evidence{Skipped: "few"}
	add(t, &s, "comparison in the page", part((&Comparison{Comparison: &c}).HTML(), "", "<h2>Nearest"))
	page := text(WriteComparison, &Comparison{Document{Undrawn: "no script"}, &c, nil})
	add(t, &s, "comparison without drawings", part(page, "<h2>Frag", "<h2>Nearest"))
	c.Plain, c.Named, c.Fragments = true, nil, nil
	page = text(WriteComparison, &Comparison{Document{Script: []byte("x")}, &c, nil})
	lacks(t, strings.ToLower(page+CoverageSVG(&c)), "molecule", "atom")
	add(t, &s, "comparison of plain graphs", part(page, "", "<h2>Nearest"))
	x := &suggest.Suggestion{Far: []float64{2, 1, 0.5}, FarRandom: []float64{2, 1.5, 1}, FarTop: []float64{2, 2, 2}}
	picks := slices.Repeat([]suggest.Row{{Record: 1, Rank: 2, ID: "y", Similarity: 1}}, 101)
	picks[0] = suggest.Row{Record: 3, Rank: 1, ID: evil, SMILES: "C<", Score: 9, Verdict: "outside", Price: new(12.5), Gain: 0.125, Nearer: 2, Inside: 1, Similarity: 0.5}
	add(t, &s, "suggestion", (&Suggestion{x, picks, []string{"one thing"}, []string{"a warning"}, "graphs", "baca suggest"}).HTML())
	add(t, &s, "suggestion of 100", (&Suggestion{Suggestion: &suggest.Suggestion{Far: []float64{0}}, Picks: picks[:100]}).HTML())
	add(t, &s, "suggestion of nothing", (&Suggestion{Sentences: []string{"none"}}).HTML())
	var pairs []trust.Pair
	for k := range 40 {
		pairs = append(pairs, trust.Pair{Score: float64(k), Error: float64(k) / 10})
	}
	judged := must.Have(trust.New(pairs, trust.Options{Tolerance: 2, Rate: 0.2}))
	var outcomes []trust.Outcome
	for k := range 25 {
		outcomes = append(outcomes, trust.Outcome{Score: float64(k), Observed: float64(k) / 8, Judgement: judged.Judge(float64(k), 0)})
	}
	judged.HeldOut = map[trust.Verdict]trust.Rate{
		trust.Trust: {N: 10, Large: 5, Share: 0.5}, trust.Check: {N: 5, Large: 1, Share: 0.2}, trust.DoNotUse: {N: 4, Large: 4, Share: 1, Low: 0.5, High: 1},
	}
	add(t, &s, "trust", TrustHTML([]string{"it rests on this"}, judged, trust.NewAudit(outcomes, judged), []string{"a problem"}))
	add(t, &s, "trust without values", TrustHTML(nil, judged, nil, nil))
	add(t, &s, "trust of three", part(TrustHTML(nil, judged, trust.NewAudit(outcomes[:3], judged), nil), "How many", "<figure"))
	files := CoverageSVG(&c) + SuggestionSVG(x, "graphs") + DriftSVG([]float64{0, 1}, 0.01)
	fmt.Fprintln(&s, "pictures that are files:", strings.Count(files, `<svg xmlns="http://www.w3.org/2000/svg"`))
	golden.Same(t, "testdata/tools.txt", s.String())
}

// domain has a substance that is outside, and an empty one.
func domain() *Domain {
	m := &model.Model{
		Card: model.Card{
			Name: "m", Dataset: evil, Description: evil, Schema: model.OGBParent, Graphs: 100, Train: 90, HoldoutRows: make([]int, 10),
		},
		Structures: &model.Structures{Observed: []float64{3, nan, -7.25}}, Background: &background.Head{AUC: 0.9},
		Bank: &contrast.Representation{NodeScore: make([]float64, 90)}, Holdout: &contrast.Representation{NodeScore: make([]float64, 10)},
		Subtrees: fingerprint.NewIndex(make([]fingerprint.Print, 90)),
		Profile:  explain.NewProfile([]*graph.Graph{must.Have(smiles.ParseGraph("CCO")), must.Have(smiles.ParseGraph("C[NH3+]"))}),
	}
	e := Entry{ID: evil, SMILES: `C"><a href=`, Place: 3, SetAside: "a salt", Drawing: &Drawing{share: []float64{1}}, Why: &alone.Explanation{
		Score: 3, P: 1.0 / 51, Verdict: decide.Outside, Distance: 2, Ratio: nan, Embedding: 1, Subtrees: 2, Counts: nan, Duplicate: true,
		Reasons: []explain.Reason{{Text: evil + " 48 %"}},
	}}
	return &Domain{
		Document: full().Document, Model: m, SHA256: "ab", Program: "baca", Alpha: 0.05, Confidence: 0.95, References: 50, Reach: 2.5,
		Ranges: RangesOf([]property.Properties{{Weight: 200}, {Weight: 100}}),
		Substances: []Substance{
			{
				Entry: e, Properties: property.Properties{Weight: 500}, Canonical: "C<", Read: "N<", High: 0.07, Unmet: 1, Surroundings: 3,
				Nearest: []alone.TrainingGraph{
					{Row: 0, Similarity: 0.6, Name: evil, SMILES: "O<", Values: &model.Values{Observed: -1.5, Predicted: nan}}, {Row: -1, Similarity: 0.5},
				},
				Command: "printf <",
			},
			{
				Entry:      Entry{ID: "empty", Why: &alone.Explanation{Score: nan, P: nan, Verdict: decide.Undecided}},
				Properties: property.Properties{Weight: 200}, Molfile: true,
			},
		},
	}
}

// Forms for regulators say what is true of small inputs. A field is blank where nothing is known.
func TestFormsSayWhatIsThere(t *testing.T) {
	var s golden.Pages
	d := domain()
	s.JSON("domain", text(WriteDomainJSON, d))
	s.JSON("model", text(WriteModelPageJSON, d))
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
	page := text(WriteDomain, d)
	if add(t, &s, "domain", page); page != text(WriteDomain, d) || strings.Count(page, `<section class="sheet">`) != 5 {
		t.Error("the same report has other bytes, or a substance begins no sheet")
	}
	d.Substances, d.Model.Shared, d.Reach, d.Script, d.Undrawn = d.Substances[:1], 5, nan, nil, "no script"
	add(t, &s, "domain of one", part(text(WriteDomain, d), "</title>", "<h2>2"))
	add(t, &s, "domain of a shared model", part(text(WriteDomain, d), "<h2>6", "<h3>Ref"))
	s.JSON("the same", text(WriteDomainJSON, d))
	add(t, &s, "model", text(WriteModelPage, d))
	d.References, d.Model.Structures, d.Model.Shared, d.Model.Background = 0, nil, 0, nil
	d.Model.Card.Schema, d.Ranges = model.OGB, RangesOf(nil)
	d.Substances[0].Why.P, d.Substances[0].Why.Verdict, d.Model.Profile, d.Model.Card.Description = nan, decide.Undecided, nil, ""
	add(t, &s, "domain without a holdout", part(text(WriteDomain, d), "<h2>5", "<h3>Ref"))
	add(t, &s, "model without a holdout", part(text(WriteModelPage, d), "<h2>5", "<h2>Ref"))
	s.JSON("the same", text(WriteModelPageJSON, d))
	golden.Same(t, "testdata/forms.txt", s.String())
}
