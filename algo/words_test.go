package algo_test

import (
	"encoding/csv"
	"regexp"
	"slices"
	"testing"

	"baca/algo"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
	"baca/weights"
)

// leaks are names of features and signs of broken sentences.
var leaks = regexp.MustCompile(`hybridi[sz]|stereo tag|chirality|, no,|neighbou?r|\bsp[23²³]?\b|\bcharge -|  |\bits an? |\ba a?n? |: ?$|%!|feature|group group|in a way that .* in a way that`)

// No reason names a feature, for molecules of all benchmark sets.
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
			for _, r := range must.Have(a.Explain(t.Context(), read.Graph(), 0.05)).Reasons {
				if found := leaks.FindString(r.Text); found != "" {
					t.Errorf("%s: %q has %q", rows[i][column], r.Text, found)
				}
				t.Log(rows[i][column], "::", r.Text)
			}
		}
	}
}
