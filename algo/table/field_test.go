package table

import (
	"encoding/csv"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/feature/trust"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/parquet"
)

// Rows have these bytes in each form, whatever is known of them: the files of testdata were read line by line.
func TestForms(t *testing.T) {
	nan := math.NaN()
	row := batch.Row{Pre: 1, Attn: 2, BaCa: 3, Score: 4.0000004, P: 0.5, Verdict: "inside", Alone: nan, AloneP: 1, Foreign: true, BatchVerdict: "outside"}
	near := []alone.TrainingGraph{
		{Row: 0, Similarity: 0.75, SMILES: "CN", Name: "a", Values: &model.Values{Observed: 1.5, Predicted: nan}},
		{Row: -1, Similarity: 0.5, SMILES: "CO"},
	}
	judged := trust.Judgement{Predicted: 1, Error: 2, Low: 3, High: 4, Verdict: "check", BatchLow: 5, BatchHigh: nan, BatchVerdict: "trust"}
	why := Why{
		Given: true,
		Explanation: alone.Explanation{
			Counted: "3 of 205, this one included", Duplicate: true, Reasons: []explain.Reason{{Text: `5 % "x"`}, {Text: "y"}},
			Distance: 7, Ratio: nan, Embedding: 1, Subtrees: 2, Counts: 3, Nodes: 4, Nearest: near,
		},
		Atoms: []float64{1.5, nan, -2}, LikeOutside: []float64{9},
	}
	outside := batch.Row{Score: 1234567, P: 1e-9, Verdict: "outside"}
	rows := []Row{
		&Scored{Record: dataset.Record{Entry: dataset.Entry{ID: "a", SMILES: "C", Aside: molecule.Aside{Stereo: true, Ions: 1}}},
			Scores: row, Q: 0.25, Why: why, Structure: "C", Trust: judged},
		&Scored{Record: dataset.Record{Entry: dataset.Entry{ID: "b\tb", SMILES: "CC"}}, Scores: row, Q: nan,
			Why: Why{Given: true, Explanation: alone.Explanation{Nodes: nan}}, Trust: trust.Unjudged(nan), Nearest: near[1:]},
		&dataset.Entry{ID: "c", SMILES: "not one", Err: errors.New("no")},
		NewScored(dataset.Record{Entry: dataset.Entry{ID: "d", SMILES: "O=C=O"}}, outside),
	}
	list := append(Fields(Usual|OfPaper|OfAnswers|OfRate|OfStructure|OfTrust|OfReasons|OfNeighbors|OfValues), Field{Name: "<own>",
		Group: OfRecord, Input: func(e *dataset.Entry) string { return e.ID }})
	for _, to := range []string{"csv", "tsv", "jsonl", "sdf"} {
		if got, want := written(to, plain, true, list, rows...), must.Have(os.ReadFile("testdata/rows."+to)); got != string(want) {
			t.Errorf("%s:\n%s\nwant:\n%s", to, got, want)
		}
		if FormOf("a.b/C."+strings.ToUpper(to)) != to || !Lines(to) {
			t.Errorf("a file of %s is one of %q", to, FormOf("C."+to))
		}
	}
	// In a Parquet file the flat columns are as in text.
	file := written("parquet", plain, true, list, rows...)
	f := must.Have(parquet.Open(strings.NewReader(file), int64(len(file)), parquet.Codecs{}))
	text := must.Have(csv.NewReader(strings.NewReader(written("csv", plain, true, list, rows...))).ReadAll())
	for i, c := range f.Columns() {
		if c.What == "lists" {
			continue
		}
		k := 0
		for cells, err := range f.Rows(i) {
			must.Do(err)
			k++
			if x, err := strconv.ParseFloat(string(cells[0]), 64); c.Name != text[0][i] || string(cells[0]) != text[k][i] && (err != nil ||
				Number(x) != text[k][i]) && c.Name != "id" && c.Name != "<own>" {
				t.Errorf("column %s of row %d is %q, want %q", c.Name, k, cells[0], text[k][i])
			}
		}
	}
	if Lines("parquet") || FormOf("a.pq") != "parquet" || FormOf("a.xyz") != "" ||
		!slices.Equal(Forms(), []string{"csv", "tsv", "jsonl", "parquet", "sdf"}) {
		t.Errorf("forms %q", Forms())
	}
	columns := Pick(Of(list, rows), []int32{3, 0})
	if Rows(columns) != 2 || Rows(nil) != 0 || Named(columns, "score").Numbers[0] != 1234567 || Named(columns, "id").Texts[1] != "a" ||
		Named(columns, "x") != nil {
		t.Errorf("picked %+v", columns[:4])
	}
	for i, verdicts := range [][]decide.Verdict{{"outside", "inside"}, {"borderline", "outside"}, {"undecided", "outside"},
		{"outside", "outside"}} {
		s := NewScored(dataset.Record{Entry: *rows[i].Input()}, batch.Row{Score: 1, P: 2, Verdict: verdicts[0]})
		s.Others, rows[i] = []batch.Row{{Score: 3, P: 4, Verdict: verdicts[1]}}, s
		if got := s.Best(); got != verdicts[0] && got != "inside" || (got == "inside") != s.Covered(1) {
			t.Errorf("of %q the best is %s", verdicts, got)
		}
	}
	got := written("csv", plain, true, ModelFields([]string{"m", "n"}), rows[0], rows[3])
	if want := "id,smiles,m_score,m_p_value,m_verdict,n_score,n_p_value,n_verdict,covered_by,error,set_aside\n" +
		"a,C,1,2,outside,3,4,inside,n,,\"stereo, 1 counter-ion\"\nd,O=C=O,1,2,outside,3,4,outside,,,\n"; got != want {
		t.Errorf("two models:\n%s\nwant:\n%s", got, want)
	}
}

// Every column has a name of its own, help and one type.
func TestColumnsAreDeclared(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range fields {
		types := 0
		for _, there := range []bool{c.Text != nil, c.Number != nil, c.Truth != nil, c.Texts != nil, c.Numbers != nil, c.Score != nil, c.Input != nil} {
			if there {
				types++
			}
		}
		if types != 1 || c.Group&(c.Group-1) != 0 || c.Group == 0 || c.Doc == "" || seen[c.Name] {
			t.Errorf("column %s has %d types, group %b and the help %q", c.Name, types, c.Group, c.Doc)
		}
		if seen[c.Name] = true; !strings.Contains(Help(Fields(c.Group)), "  "+c.Name+" ") {
			t.Errorf("the help of its group does not name %s", c.Name)
		}
	}
	for line := range strings.Lines(Help(fields)) {
		if len(line) > helpWidth+1 {
			t.Errorf("a line of %d bytes: %s", len(line)-1, line)
		}
	}
}

// A row says what it came from, also one that was refused.
func TestRunColumns(t *testing.T) {
	for to, want := range map[string]string{
		"csv":   "id,model,model_sha256,by,alpha,fdr,program\na,bbbp,0123456789ab,alone,0.05,0.1,baca " + model.Version + "\n",
		"jsonl": `{"id":"a","model":"bbbp","model_sha256":"0123456789ab","by":"alone","alpha":0.05,"fdr":0.1,"program":"baca ` + model.Version + "\"}\n",
	} {
		run := Run{Model: "bbbp", SHA256: "0123456789abcdef", By: batch.ByAlone, Alpha: 0.05, FDR: 0.1}
		refused := &dataset.Entry{ID: "a", Err: errors.New("no")}
		if got := written(to, plain, true, append(Fields(OfRecord)[:1], run.Fields()...), refused); got != want {
			t.Errorf("%s: %q, want %q", to, got, want)
		}
	}
	without := (&Run{By: batch.ByBatch, Alpha: 0.1}).Fields()
	for _, c := range without {
		if c.Name == "fdr" || c.Group != OfRun || c.Doc == "" {
			t.Errorf("without a false-discovery rate there is %s, of group %b, with the help %q", c.Name, c.Group, c.Doc)
		}
	}
	if help := Help(without); !strings.Contains(help, "  model_sha256 ") || !strings.Contains(help, "  program ") {
		t.Errorf("the help is\n%s", help)
	}
}
