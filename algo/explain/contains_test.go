package explain

import "testing"

// A molecule is a part of those that have its atoms and bonds, with other substituents on carbon and in rings.
func TestHolders(t *testing.T) {
	for _, c := range []struct {
		part, molecules string
		want            int
	}{
		{"c1c[nH]cn1", "Cc1c[nH]cn1", 1}, {"c1c[nH]cn1", "Cn1cncc1C", 1}, {"c1c[nH]cn1", "c1cc[nH]c1", 0}, {"c1c[nH]cn1", "c1ccc2[nH]cnc2c1", 1},
		{"CCO", "OCC(N)C", 1}, {"CCO", "CCOC", 0}, {"CCO", "C=CO", 0}, {"OC=O", "CC(=O)O", 1}, {"OC=O", "CC(=O)OC", 0}, {"C1CCOC1", "C1CCOCC1", 0},
		{"C1CCOC1", "OCC1CCC(O1)n1cccc1", 1}, {"CC(C)(C)C", "CCCCCC", 0}, {"CCCC", "CCC", 0}, {"[NH4+]", "N", 0},
	} {
		l := NewLibrary(parse(t, c.molecules, "C"))
		if got := l.Holders(parse(t, c.part)[0]); got != c.want {
			t.Errorf("%s is a part of %d molecules of %s, want %d", c.part, got, c.molecules, c.want)
		}
	}
}
