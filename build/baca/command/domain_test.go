package command

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The commands of RECIPES.md work on sets of MoleculeNet, and molecules of new scaffolds are outside or borderline more
// often than those of a random test set. BACA_TEST=all takes all sets of the page's table.
func TestDomainsOfMoleculeNet(t *testing.T) {
	sets := []string{"freesolv"}
	if os.Getenv("BACA_TEST") == "all" {
		sets = []string{"freesolv", "bace", "bbbp"}
	}
	outside := regexp.MustCompile(`\d+ outside, \d+ borderline, \d+ inside`)
	for _, set := range sets {
		input := filepath.Join("../../../../shared/data/mol", set+".csv.gz")
		if _, err := os.Stat(input); err != nil {
			t.Skip("needs ../shared/data")
		}
		count := map[string]int{}
		for _, by := range []string{"scaffold", "random"} {
			dir := t.TempDir()
			train, test, model := filepath.Join(dir, "train.csv"), filepath.Join(dir, "test.csv"), filepath.Join(dir, "model.msgpack")
			succeed(t, "split", input, "--by", by, "--no-compare", "--train-file", train, "--test-file", test)
			succeed(t, "train", train, "--name", set, "--out", model)
			rows, said := succeed(t, "score", "--model", model, test)
			succeed(t, "report", "--qmrf", "--model", model, "--out", filepath.Join(dir, "domain.html"))
			succeed(t, "model", "verify", model)
			count[by] = len(regexp.MustCompile(`(?m),(outside|borderline),`).FindAllString(rows, -1))
			t.Logf("%s, %s: %s", set, by, outside.FindString(said))
		}
		if count["scaffold"] <= count["random"] {
			t.Errorf("%s: %d of new scaffolds are outside or borderline, and %d of random ones", set, count["scaffold"], count["random"])
		}
	}
}
