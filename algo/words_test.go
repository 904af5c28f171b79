package algo_test

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
	"baca/weights"
)

// leaks are names of features and signs of broken sentences.
var leaks = regexp.MustCompile(`hybridi[sz]|stereo tag|chirality|, no,|neighbou?r|\bsp[23²³]?\b|\bcharge -|  |\bits an? |\ba a?n? |: ?$|%!|feature|group group|in a way that .* in a way that`)

// No reason names a feature, for molecules of all benchmark sets. The only reason for a training
// molecule is which one it is.
func TestReasonsLeakNoFeatures(t *testing.T) {
	m := must.Have(weights.Open("bbbp"))
	a := alone(m)
	for _, set := range []string{"hiv", "tox21", "toxcast", "sider", "muv", "lipo", "bbbp"} {
		rows := must.Have(csv.NewReader(golden.Open(t, "data/mol/"+set+".csv.gz")).ReadAll())
		column, step := slices.Index(rows[0], "smiles"), max(1, len(rows)/150)
		for i := 1; i < len(rows); i += step {
			mol, err := smiles.Parse(rows[i][column])
			if err != nil {
				continue
			}
			read, _, _ := smiles.In(mol, algo.FormOf(m.Card.Schema))
			g := read.Graph()
			x := must.Have(a.Explain(t.Context(), g, 0.05))
			for _, r := range x.Reasons {
				if found := leaks.FindString(r.Text); found != "" {
					t.Errorf("%s: %q has %q", rows[i][column], r.Text, found)
				}
				t.Log(rows[i][column], "::", r.Text)
			}
			if x.Duplicate && (len(x.Reasons) != 1 || !strings.Contains(x.Reasons[0].Text, "training molecule")) {
				t.Errorf("%s was trained on, and has %v", rows[i][column], x.Reasons)
			}
			if slices.ContainsFunc(x.Nearest, func(n algo.TrainingGraph) bool { return n.Similarity <= 0 }) {
				t.Errorf("%s has neighbours with which it shares nothing", rows[i][column])
			}
		}
	}
}
