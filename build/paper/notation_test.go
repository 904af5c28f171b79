package paper

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/molecule/rewrite"
	"baca/build/internal/testset"
)

// The order of atoms changes nothing, and of a model that reads parents no way of writing a
// compound that has the same parent.
func TestBenchNotation(t *testing.T) {
	publicSet(t, testset.Model(t, "freesolv"), "freesolv")
	out := t.TempDir()
	succeed(t, "bench", "notation", "--data", shared, "--out", out, "--models", "freesolv", "--others", "esol", "--molecules", "40")
	var result notationResult
	if err := json.Unmarshal(read(t, filepath.Join(out, "notation.json")), &result); err != nil {
		t.Fatal(err)
	}
	if len(result.Sets) != 3 || len(result.Sets[0].Rows) < 8 || result.Sets[1].Rows[0].Molecules < 38 || len(result.Sets[2].Rows) != len(notationPairs) {
		t.Fatalf("%+v: want what freesolv has not seen, 40 of esol and the known compounds", result.Sets)
	}
	for _, s := range result.Sets {
		for _, row := range s.Rows {
			same := row.Kind == rewrite.Kinds[0].Name || s.Schema == algo.OGBParent && !row.Other
			if same && row.Scores+row.Verdicts > 0 || row.Before > row.Molecules {
				t.Errorf("%s, %s: %+v", s.Model, s.Set, row)
			}
		}
	}
	page := string(read(t, filepath.Join(out, "notation.md")))
	for _, want := range []string{"| atoms renumbered | ", "| *lactam and lactim* | ", "have another verdict."} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "%!") {
		t.Error(page)
	}
	refuse(t, true, "none of them reads molecules", "bench", "notation", "--data", shared, "--out", out, "--models", "bzr")
}
