package molecule_test

import (
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
)

// Formulas are those of RDKit's CalcMolFormula.
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
		{"[NH4+]", "H4N+"},
		{"OS(=O)(=O)O", "H2O4S"},
		{"C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", "C3H6N6O6"},
	} {
		m := must.Have(smiles.Parse(c.smiles))
		if got := m.Formula(); got != c.want {
			t.Errorf("%s has formula %s, want %s", c.smiles, got, c.want)
		}
	}
}
