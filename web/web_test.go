package web

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// A wrong SMILES nearly always has the wrong formula.
func TestExamples(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(Examples())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "name,class,smiles" {
		t.Errorf("the header is %s", got)
	}
	rows = rows[1:]
	if len(rows) < 90 {
		t.Errorf("%d molecules, want at least 90", len(rows))
	}
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
		if got, want := formula(m), formulas[name]; got != want {
			t.Errorf("%s: %s is %s, want %q", name, row[2], got, want)
		}
	}
	for name := range formulas {
		if !names[name] {
			t.Errorf("%s is not among the molecules", name)
		}
	}
}

// symbols are those of the elements that occur.
var symbols = map[uint8]string{
	1: "H", 3: "Li", 6: "C", 7: "N", 8: "O", 9: "F", 11: "Na", 12: "Mg", 13: "Al", 14: "Si", 15: "P", 16: "S", 17: "Cl",
	19: "K", 25: "Mn", 26: "Fe", 28: "Ni", 29: "Cu", 33: "As", 35: "Br", 50: "Sn", 78: "Pt", 80: "Hg", 82: "Pb",
}

// formula is in Hill order: with carbon that first, then hydrogen, else by the
// alphabet.
func formula(m *molecule.Molecule) string {
	count := map[string]int{}
	for _, a := range m.Atoms {
		symbol, ok := symbols[a.Element]
		if !ok {
			symbol = fmt.Sprintf("(element %d)", a.Element)
		}
		count[symbol]++
		if a.Hydrogens > 0 {
			count["H"] += int(a.Hydrogens)
		}
	}
	order := slices.Sorted(maps.Keys(count))
	if count["C"] > 0 {
		order = slices.DeleteFunc(order, func(s string) bool { return s == "C" || s == "H" && count["H"] > 0 })
		order = append([]string{"C", "H"}, order...)
	}
	var b strings.Builder
	for _, s := range order {
		switch count[s] {
		case 0:
		case 1:
			b.WriteString(s)
		default:
			fmt.Fprintf(&b, "%s%d", s, count[s])
		}
	}
	return b.String()
}
