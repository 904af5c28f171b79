package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"baca/algo/molecule/smiles"
)

// have returns what came without an error, which no test is about.
func have[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A wrong SMILES nearly always has the wrong formula.
func TestExamples(t *testing.T) {
	rows := have(csv.NewReader(bytes.NewReader(Examples())).ReadAll())
	if got := strings.Join(rows[0], ","); got != "name,class,smiles" {
		t.Errorf("the header is %s", got)
	}
	rows = rows[1:]
	if len(rows) < 90 {
		t.Errorf("%d molecules, want at least 90", len(rows))
	}
	formulas := sha256.New()
	names, seen := map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		name, class := row[0], row[1]
		if name == "" || class == "" || names[name] || seen[row[2]] {
			t.Errorf("%q of class %q: want a name and a class, and no molecule twice", name, class)
		}
		names[name], seen[row[2]] = true, true
		m, err := smiles.Parse(row[2])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		count := map[uint8]int{}
		for _, a := range m.Atoms {
			count[a.Element]++
			count[1] += max(int(a.Hydrogens), 0)
		}
		fmt.Fprintln(formulas, name, count)
	}
	// The formula of each was compared with the literature. Compare those that you change.
	if got := fmt.Sprintf("%x", formulas.Sum(nil)[:8]); got != "c31f894d2969d261" {
		t.Errorf("the hash of names and formulas is %s", got)
	}
}
