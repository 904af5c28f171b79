package report

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"baca/algo"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/internal/must"
	"baca/algo/property"
)

func domain() *Domain {
	evil := `<script>alert("x")</script>`
	m := &algo.Model{Card: algo.Card{Name: evil, Dataset: evil, Description: evil, Schema: algo.OGBCanonical, Train: 90}, Structures: &algo.Structures{}, Bank: &contrast.Representation{NodeScore: make([]float64, 90)}, Subtrees: fingerprint.NewIndex(make([]fingerprint.Print, 90))}
	e := Entry{ID: evil, SMILES: `C"><a href=`, Place: 3, Drawing: &Drawing{share: []float64{1}}, Why: &algo.Explanation{
		Score: 3, P: 0.0196, Verdict: decide.Outside, Distance: 2, Ratio: math.NaN(), Embedding: 1, Subtrees: 2, Counts: math.NaN(),
		Reasons: []explain.Reason{{Text: evil + " 48 %"}},
	}}
	return &Domain{
		Document: Document{Title: evil, Warnings: []string{evil}, Input: []Pair{{"input", evil}}, Command: evil, Script: []byte("draw()")}, Model: m, SHA256: "ab", Program: "baca", Alpha: 0.05, Confidence: 0.95, References: 50, Reach: 2.5,
		Ranges: RangesOf([]property.Properties{{Weight: 200}, {Weight: 100}}),
		Substances: []Substance{
			{Entry: e, Properties: property.Properties{Weight: 500}, Canonical: "C<", Read: "N<", AsHigh: 0, Low: 0, High: 0.07, Unmet: 1, Surroundings: 3, Nearest: []algo.TrainingGraph{{Row: 4, Similarity: 0.6, Name: evil, SMILES: "O<", Values: &algo.Values{Observed: -1.5, Predicted: math.NaN()}}, {Row: -1, Similarity: 0.5}}, Command: "printf <"},
			{Entry: Entry{ID: "empty", Why: &algo.Explanation{Score: math.NaN(), P: math.NaN(), Verdict: decide.Undecided}}, Properties: property.Properties{Weight: 200}, Molfile: true},
		},
	}
}

// Input is escaped, and unknown fields are blank, in HTML and JSON.
func TestWriteDomain(t *testing.T) {
	d := domain()
	page, program := text(WriteDomain, d), text(WriteDomainJSON, d)
	if page != text(WriteDomain, d) {
		t.Error("the same report has other bytes")
	}
	lacks(t, page, "<script>alert", "C<", "N<", "O<", "printf <", "NaN", "%!")
	for _, b := range blanks {
		has(t, page, escape(b.Title), "left blank: "+escape(b.Why))
	}
	has(t, page, "observed −1.5", "What they are of is not known", "Not within the applicability domain", "p = (1 + 0)/(1 + 50) = 0.0196",
		"0–0.07", "Not decided", "not equal to Class 5", "Whether the substance is within the domain is not decided. If",
		`<tr><td>MW in g/mol</td><td class="n">500</td><td class="n">100</td><td class="n">105</td><td class="n">150</td><td class="n">195</td><td class="n">200</td></tr>`,
		"Outside the range of the training molecules: <strong>MW</strong>.", "Each is within the range", "written from the molfile", "48&nbsp;%", "p = 0.0196 is at most α", "of the 2 shown 2 have 0.5 or more")
	var read struct {
		Substances []map[string]any
		Blank      []blank `json:"left_blank"`
	}
	must.Do(json.Unmarshal([]byte(program), &read))
	first, second := read.Substances[0], read.Substances[1]
	for _, name := range []string{"inchi", "cas", "ec", "ratio", "endpoint", "prediction", "mechanism_domain", "metabolic_domain"} {
		if v, ok := first[name]; !ok || v != nil {
			t.Errorf("%s is %v, want null", name, v)
		}
	}
	if first["p_high"] != 0.07 || second["p_value"] != nil || second["p_low"] != nil || second["command"] != nil || len(read.Blank) != len(blanks) {
		t.Error(program)
	}
	if first["properties"].([]any)[0].(map[string]any)["outside_range"] != true || !slices.Equal(first["analogues_observed"].([]any), []any{-1.5, -1.5}) ||
		second["analogues_observed"].([]any)[0] != nil {
		t.Error(program)
	}
	near := first["analogues"].([]any)
	if a := near[0].(map[string]any); a["row"] != 5.0 || a["similarity"] != 0.6 || a["observed"] != -1.5 || a["predicted"] != nil || near[1].(map[string]any)["row"] != nil {
		t.Errorf("analogues are %v", near)
	}
}

// Where training molecules have observed values, the response space is theirs and that of the analogues.
func TestResponseSpace(t *testing.T) {
	d := domain()
	d.Model.Structures.Observed = []float64{3, math.NaN(), -7.25}
	page, program := text(WriteDomain, d), text(WriteDomainJSON, d)
	has(t, page, "Observed values of 2 training molecules range from −7.250 to 3.000, those of the structural analogues of 7.4 (1 of 2 have one) from −1.500 to −1.500.",
		"range from −7.250 to 3.000; no structural analogue of 7.4 has one.")
	lacks(t, page, "the model holds no observed values")
	lacks(t, program, `"number": "7.3 c"`)
}

// The page of a model says what was trained on, and no field is without a text.
func TestWriteModelPage(t *testing.T) {
	d := domain()
	d.Model.Profile = &explain.Profile{Quantiles: [][]float64{{1, 2, 3, 4, 5, 6, 7}}}
	p := &Domain{Document: Document{Title: "<i>", Command: "<p>x"}, Model: d.Model, SHA256: "ab", Program: "baca", Alpha: 0.05, References: 50, Reach: d.Reach, Ranges: d.Ranges}
	page := text(WriteModelPage, p)
	if program := text(WriteModelPageJSON, p); !json.Valid([]byte(program)) {
		t.Fatal(program)
	}
	has(t, page, "<span>5.1</span>", "<span>5.2</span>", "<span>5.3</span>", "<span>5.4</span>", "90 molecules of", "atoms but hydrogen", `<tr><td>MW in g/mol</td><td class="n">100</td>`,
		"The smallest p-value is 1/51", "scores from 2.500 on")
	lacks(t, page, "<script", "<i>", "<p>x", "NaN", "%!")
}
