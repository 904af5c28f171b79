package molecule_test

import (
	"reflect"
	"slices"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// Formulas are those of RDKit's CalcMolFormula. A graph tells of its atoms what the molecule does.
func TestFormula(t *testing.T) {
	for _, c := range []struct{ smiles, want string }{
		{"CC(=O)Oc1ccccc1C(=O)O", "C9H8O4"},
		{"O", "H2O"},
		{"C[NH2+]C", "C2H8N+"},
		{"[Ca+2].[Cl-].[Cl-]", "CaCl2"},
		{"[Ca+2]", "Ca+2"},
		{"[O-]S(=O)(=O)[O-]", "O4S-2"},
		{"[2H]C([2H])([2H])O", "CH4O"},
		{"OB(O)c1ccc(Br)cc1", "C6H6BBrO2"},
		{"[Na+].CC(=O)[O-]", "C2H3NaO2"},
		{"N", "H3N"},
		{"[H][H]", "H2"},
		{"*CC", "C2H5*"},
		{"ClC(Cl)(F)I", "CCl2FI"},
		{"F[C@](Cl)(Br)I", "CBrClFI"},
		{"[NH4+]", "H4N+"},
		{"OS(=O)(=O)O", "H2O4S"},
		{"C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", "C3H6N6O6"},
	} {
		m := must.Have(smiles.Parse(c.smiles))
		if got := m.Formula(); got != c.want {
			t.Errorf("%s has formula %s, want %s", c.smiles, got, c.want)
		}
		atoms := molecule.Atoms{Graph: m.Graph()}
		for i, a := range m.Atoms {
			got := []any{atoms.Charge(i), atoms.Charged(i), atoms.Aromatic(i), atoms.InRing(i), atoms.Tagged(i), atoms.Tetrahedral(i)}
			want := []any{int(a.Charge), a.Charge != 0, a.Aromatic, a.InRing, a.Chirality != molecule.Achiral, a.Hybridization == molecule.SP3}
			if !slices.Equal(got, want) || a.Element > 0 && atoms.Element(i) != int(a.Element) {
				t.Errorf("%s, atom %d: %v and element %d, want %v and %d", c.smiles, i, got, atoms.Element(i), want, a.Element)
			}
		}
	}
}

func TestCore(t *testing.T) {
	for _, c := range []struct{ smiles, core string }{
		{"CC.C", "CC"},
		{"C.CC", "CC"},
		{"CO.CN", "CO"},
		{"C[C@H](N)O", "CC(N)O"},
		{"[Na+].C[C@H](N)C(=O)[O-]", "CC(N)C(=O)[O-]"},
	} {
		got, want := molecule.Core(must.Have(smiles.Parse(c.smiles)).Graph()), must.Have(smiles.Parse(c.core)).Graph()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", c.smiles, got, want)
		}
		if molecule.Core(want) != want {
			t.Errorf("%s: another graph", c.core)
		}
	}
}

func TestSymbols(t *testing.T) {
	for z := 1; z <= molecule.MaxElement; z++ {
		if symbol := molecule.Symbol(z) + "\x00"; int(molecule.ElementOf(symbol[0], symbol[1])) != z {
			t.Errorf("%d: %q", z, symbol)
		}
	}
	if got, want := molecule.Symbol(0)+molecule.Symbol(-1)+molecule.Symbol(molecule.MaxElement+1), "***"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
