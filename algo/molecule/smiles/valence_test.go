package smiles

import (
	"slices"
	"strconv"
	"testing"

	"baca/algo/molecule"
)

// Unpaired electrons are those that RDKit 2022.09 counts (GetNumRadicalElectrons).
func TestRadicals(t *testing.T) {
	for text, want := range map[string][]int{
		"[CH2]": {2}, "[CH]": {3}, "[N]": {3}, "[B]": {3}, "[SiH2]": {2}, "[S]": {2}, "[O-]": {1}, "[S-]": {1}, "[S+]": {3}, "[SH+]": {2}, "[P+]": {4}, "[O]O": {1, 0},
		// More bonds than the lowest valence: what the next one leaves, less the charge.
		"[PH4]": {1}, "[SH3]": {1}, "[SH4]": {0}, "[SH5]": {1}, "[IH2]": {1}, "[PH3-]": {1}, "[PH4-]": {0}, "[PH5-]": {1}, "[PH6-]": {0}, "[SH4-]": {1}, "[SH5-]": {0}, "[SH2-2]": {0},
		"[SH4+]": {1}, "[SH5+]": {0}, "[SH6+]": {1}, "[PH5+]": {1}, "[AsH5-]": {1}, "C[I]C": {0, 1, 0}, "[I](=O)=O": {1, 0, 0}, "C[S](C)C": {0, 1, 0, 0},
		"[Fe+3]": {1}, "[Zn]": {0},
	} {
		g, err := ParseGraph(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []int
		for i := range g.N() {
			got = append(got, int(g.X[i*molecule.Features+molecule.ColumnRadicals]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v unpaired electrons, want %v", text, got, want)
		}
	}
}

// A wildcard in an aromatic ring takes a double bond only where the ring then has a Kekulé form. The
// hydrogens and the aromatic atoms are RDKit's.
func TestAromaticWildcards(t *testing.T) {
	for text, want := range map[string][2]string{
		"*1cccc1": {"01111", "11111"}, "*1c*c*1": {"02020", "00000"}, "[nH]1c**cc1": {"110011", "000000"}, "[nH]1cc**c1": {"111001", "000000"},
		"[nH]1**ccc1": {"100111", "000000"}, "c1ccc2*ccc2c1": {"111001101", "111111111"}, "*1ccc*1": {"01110", "11111"},
	} {
		m := read(t, text)
		var hydrogens, aromatic string
		for _, a := range m.Atoms {
			hydrogens += strconv.Itoa(int(a.Hydrogens))
			aromatic += map[bool]string{true: "1", false: "0"}[a.Aromatic]
		}
		if hydrogens != want[0] || aromatic != want[1] {
			t.Errorf("%s: hydrogens %s, aromatic %s, want %v", text, hydrogens, aromatic, want)
		}
	}
}
