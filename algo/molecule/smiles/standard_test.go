package smiles

import (
	"slices"
	"testing"
)

// The expected forms are those of RDKit's LargestFragmentChooser (preferOrganic) and
// Uncharger, but for the last three.
var standards = []struct{ smiles, want string }{
	{"CC(=O)[O-].[Na+]", "CC(=O)O"},
	{"C[NH3+].[Cl-]", "CN"},
	{"[NH3+]CC(=O)[O-]", "NCC(=O)O"},
	{"C[N+](C)(C)CC(=O)[O-]", "C[N+](C)(C)CC(=O)[O-]"},
	{"C[N+](C)(C)C.[Br-]", "C[N+](C)(C)C"},
	{"c1cc[nH+]cc1.Cc1ccc(cc1)S(=O)(=O)[O-]", "Cc1ccc(S(=O)(=O)O)cc1"},
	{"O=[N+]([O-])c1ccccc1", "O=[N+]([O-])c1ccccc1"},
	{"C[N+](=O)[O-].OS(O)(=O)=O", "C[N+](=O)[O-]"},
	{"[O-]c1ccccc1.[K+]", "Oc1ccccc1"},
	{"CC[NH+](CC)CC.F[B-](F)(F)F", "CCN(CC)CC"},
	{"C[N+]1=CC=CC=C1C(=O)[O-]", "C[n+]1ccccc1C(=O)[O-]"},
	{"C[S-].[Na+]", "CS"},
	{"CC(C)[N-]C(C)C.[Li+]", "CC(C)NC(C)C"},
	{"[C-]#N.[K+]", "C#N"},
	{"CC(=O)O.OC(=O)CC", "CCC(=O)O"},
	{"[O-][n+]1ccccc1", "[O-][n+]1ccccc1"},
	{"C[C@H]([NH3+])C(=O)[O-].Cl", "C[C@H](N)C(=O)O"},
	{"[O-]P(=O)([O-])OC.[Na+].[Na+]", "COP(=O)(O)O"},
	{"c1ccc2c(c1)[n-]nn2.[Na+]", "c1ccc2[nH]nnc2c1"},
	{"[CH2-]C.[Li+]", "CC"},
	{"CN1CCC[C@H]1c1cccnc1.OC(=O)C(O)C(O)C(=O)O", "CN1CCC[C@H]1c1cccnc1"},
	{"[O-]S(=O)(=O)C(F)(F)F.C[NH2+]C", "CNC"},
	{"CS(=O)(=O)[N-]c1ccccc1.[Na+]", "CS(=O)(=O)Nc1ccccc1"},
	{"c1ccccc1", "c1ccccc1"},

	// Of two acids beside a fixed cation one keeps its charge, whichever it is.
	{"[O-]C(=O)CC[N+](C)(C)CCC(=O)[O-].[Na+]", "OC(=O)CC[N+](C)(C)CCC(=O)[O-]"},
	// Nothing of a complex without carbon is a counter-ion.
	{"N.N.Cl[Pt]Cl", "N.N.Cl[Pt]Cl"},
	{"[NH4+].[Cl-]", "N.Cl"},
}

func TestStandard(t *testing.T) {
	for _, c := range standards {
		m, err := Parse(c.smiles)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Parse(c.want)
		if err != nil {
			t.Fatal(err)
		}
		s, order := Standard(m)
		canonical, _, _ := Canonical(want)
		if Write(s) != Write(canonical) {
			t.Errorf("%s: got %s, want %s", c.smiles, Write(s), Write(canonical))
		}
		for k, i := range order {
			if s.Atoms[k].Element != m.Atoms[i].Element {
				t.Fatalf("%s: atom %d is of element %d, it was %d", c.smiles, k, s.Atoms[k].Element, m.Atoms[i].Element)
			}
		}
		// Once is enough, and the way of writing does not matter.
		again, _ := Standard(s)
		rewritten, err := Parse(Write(m))
		if err != nil {
			t.Fatal(err)
		}
		other, _ := Standard(rewritten)
		if Write(again) != Write(s) || Write(other) != Write(s) {
			t.Errorf("%s: %s, then %s, and %s as %s", c.smiles, Write(s), Write(again), Write(other), Write(m))
		}
		if g, h := s.Graph(), canonical.Graph(); g.N() != h.N() || !slices.Equal(g.X, h.X) {
			t.Errorf("%s: the features differ from those of %s", c.smiles, c.want)
		}
	}
}
