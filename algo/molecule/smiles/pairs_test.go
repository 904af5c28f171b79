package smiles

import (
	"os"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// Both drawings of a line have one parent, which is its own.
func TestPairs(t *testing.T) {
	for line := range strings.Lines(string(must.Have(os.ReadFile("testdata/pairs.txt")))) {
		c := strings.Split(strings.TrimSpace(line), "|")
		x, _, _ := Parent(read(t, c[1]))
		y, _, aside := Parent(read(t, c[2]))
		if Write(x) != Write(y) {
			t.Errorf("%s: %s has the parent %s, %s has %s (%s)", c[0], c[1], Write(x), c[2], Write(y), aside)
		}
		for _, m := range []string{Write(x), Write(y)} {
			if again, _, _ := Parent(read(t, m)); Write(again) != m {
				t.Errorf("%s: the parent of the parent %s is %s", c[0], m, Write(again))
			}
		}
	}
}

// Every row of components.tsv is read and is listed once.
func TestComponents(t *testing.T) {
	rows := 0
	for line := range strings.Lines(componentTable) {
		rows += int(asBit(strings.Contains(line, "\t") && !strings.HasPrefix(line, "#")))
	}
	if n := len(listed()); n != rows-1 {
		t.Errorf("%d components of %d rows", n, rows-1)
	}
}
