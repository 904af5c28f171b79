package table

import (
	"errors"
	"math"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/molecule"
)

// Columns of explanations follow the usual ones, each value in the form of its type.
func TestColumnsOfExplanations(t *testing.T) {
	nan := math.NaN()
	row := &algo.Row{Pre: 1, Attn: 2, BaCa: 3, Score: 4, P: 0.5, Verdict: "inside"}
	rows := []Scored{
		{Record: dataset.Record{ID: "a", SMILES: "C", Aside: molecule.Aside{Stereo: true, Ions: 1}}, Scores: row, Q: 0.25, Why: &Why{
			Explanation: &algo.Explanation{
				Counted: "3 of 205, this one counted in", Duplicate: true, Reasons: []explain.Reason{{Text: `5 % "x"`}, {Text: "y"}}, Distance: 7, Ratio: nan, Embedding: 1, Subtrees: 2, Counts: 3, Nodes: 4,
				Nearest: []algo.TrainingGraph{{Row: 4, Similarity: 0.75, SMILES: "CN", Name: "a"}, {Row: -1, Similarity: 0.5, SMILES: "CO"}},
			},
			Atoms: []float64{1.5, nan, -2}, LikeOutside: []float64{9},
		}},
		{Record: dataset.Record{ID: "b", SMILES: "CC"}, Scores: row, Q: nan, Why: &Why{Explanation: &algo.Explanation{}}},
		{Record: dataset.Record{ID: "c", Err: errors.New("no")}},
	}
	for to, want := range map[string]string{
		"csv": `id,smiles,score,p_value,verdict,error,set_aside,q_value,counted,duplicate,reasons,distances,nearest,nearest_similarity,nearest_smiles,nearest_names,like_ood,atoms,atoms_subtrees,atoms_embedding,distance,ratio
a,C,4,0.5,inside,,"stereo, 1 counter-ion",0.25,"3 of 205, this one counted in",true,"5 % ""x""; y",1 2 3 4,5 nan,0.75 0.5,CN; CO,a; ,9,1.5 nan -2,,,7,
b,CC,4,0.5,inside,,,,,false,,0 0 0 0,,,,,,,,,0,0
c,,,,,no,,,,,,,,,,,,,,,,
`,
		"jsonl": `{"id":"a","smiles":"C","score":4,"p_value":0.5,"verdict":"inside","error":null,"set_aside":"stereo, 1 counter-ion","q_value":0.25,"counted":"3 of 205, this one counted in","duplicate":true,"reasons":["5 % \"x\"","y"],"distances":[1,2,3,4],"nearest":[5,null],"nearest_similarity":[0.75,0.5],"nearest_smiles":["CN","CO"],"nearest_names":["a",""],"like_ood":[9],"atoms":[1.5,null,-2],"atoms_subtrees":[],"atoms_embedding":[],"distance":7,"ratio":null}
{"id":"b","smiles":"CC","score":4,"p_value":0.5,"verdict":"inside","error":null,"set_aside":null,"q_value":null,"counted":null,"duplicate":false,"reasons":[],"distances":[0,0,0,0],"nearest":[],"nearest_similarity":[],"nearest_smiles":[],"nearest_names":[],"like_ood":[],"atoms":[],"atoms_subtrees":[],"atoms_embedding":[],"distance":0,"ratio":0}
{"id":"c","smiles":null,"score":null,"p_value":null,"verdict":null,"error":"no","set_aside":null,"q_value":null,"counted":null,"duplicate":null,"reasons":null,"distances":null,"nearest":null,"nearest_similarity":null,"nearest_smiles":null,"nearest_names":null,"like_ood":null,"atoms":null,"atoms_subtrees":null,"atoms_embedding":null,"distance":null,"ratio":null}
`,
	} {
		if got := written(to, plain, true, Fields(Usual|OfRate|OfReasons|OfNeighbors), rows...); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", to, got, want)
		}
	}
}

// Every column has a name of its own, help and one type.
func TestColumnsAreDeclared(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range fields {
		types := 0
		for _, there := range []bool{c.Text != nil, c.Number != nil, c.Truth != nil, c.Texts != nil, c.Numbers != nil} {
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
}

// A row says what it came from, also one that was refused.
func TestRunColumns(t *testing.T) {
	for to, want := range map[string]string{
		"csv":   "id,model,model_sha256,by,alpha,fdr,program\na,bbbp,0123456789ab,alone,0.05,0.1,baca " + algo.Version + "\n",
		"jsonl": `{"id":"a","model":"bbbp","model_sha256":"0123456789ab","by":"alone","alpha":0.05,"fdr":0.1,"program":"baca ` + algo.Version + "\"}\n",
	} {
		run := Run{Model: "bbbp", SHA256: "0123456789abcdef", By: algo.ByAlone, Alpha: 0.05, FDR: 0.1}
		refused := Scored{Record: dataset.Record{ID: "a", Err: errors.New("no")}}
		if got := written(to, plain, true, append(Fields(OfRecord)[:1], run.Fields()...), refused); got != want {
			t.Errorf("%s: %q, want %q", to, got, want)
		}
	}
	without := (&Run{By: algo.ByBatch, Alpha: 0.1}).Fields()
	for _, c := range without {
		if c.Name == "fdr" || c.Group != OfRun || c.Doc == "" {
			t.Errorf("without a false-discovery rate there is %s, of group %b, with the help %q", c.Name, c.Group, c.Doc)
		}
	}
	if help := Help(without); !strings.Contains(help, "  model_sha256 ") || !strings.Contains(help, "  program ") {
		t.Errorf("the help is\n%s", help)
	}
}
