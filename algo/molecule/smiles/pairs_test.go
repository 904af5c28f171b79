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

func TestSingleParents(t *testing.T) {
	for _, c := range []struct{ text, parent, aside string }{
		{"C1CCCCC1N=C=NC1CCCCC1", "C(=NC1CCCCC1)=NC1CCCCC1", ""},
		{"CN=C=NC", "CN=C=NC", ""},
		{"[O-]c1c[n+](no1)-c1ccccc1", "[O-]c1c[n+](no1)-c1ccccc1", ""},
		{"C1CNCCN1.C1CNCCN1.OC(=O)CC(O)(CC(O)=O)C(O)=O", "C1CNCCN1", "1 counter-ion, 1 repeat"},
		{"CC(=O)Nc1ccc(O)cc1.C1CCCCCC1", "CC(=O)Nc1ccc(O)cc1", "1 solvent"},
		{"O=C(O[Ca]OC(=O)c1ccccc1)c1ccccc1", "O=C(O)c1ccccc1", "1 counter-ion, 1 repeat, charge"},
		{"CC(C)(C)NCC(O)c1ccc(O)c(CO)c1.CC(C)Cc1ccc(cc1)C(C)C(O)=O.Cl", "CC(C)(C)NCC(O)c1cc(CO)c(O)cc1",
			"1 counter-ion, another component was not scored: CC(C)Cc1ccc(cc1)C(C)C(=O)O"},
		{"[Fe+2].[O-]S(=O)(=O)[O-].O", "O=S(=O)([O-])[O-].[Fe+2]", "1 solvent"},
		{"[Li+].[CH2-]CCC", "[CH2-]CCC.[Li+]", ""},
		{"C[Mg]Br", "C[Mg]Br", ""},
		{"[Fe+2].[cH-]1cccc1.[cH-]1cccc1", "c1ccc[cH-]1.c1ccc[cH-]1.[Fe+2]", ""},
	} {
		p, _, aside := Parent(read(t, c.text))
		if Write(p) != c.parent || aside.String() != c.aside {
			t.Errorf("%s: %s without %q, want %s without %q", c.text, Write(p), aside, c.parent, c.aside)
		}
	}
}
