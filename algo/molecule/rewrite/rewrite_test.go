package rewrite_test

import (
	"math/rand/v2"
	"testing"

	"baca/algo/molecule"
	"baca/algo/molecule/rewrite"
	"baca/algo/molecule/smiles"
)

// Each kind writes what its name says.
func TestForms(t *testing.T) {
	for _, c := range []struct{ kind, text, want string }{
		{"flat, without stereo marks", "C[C@H](N)/C=C/F", "CC(N)C=CF"},
		{"CD3 for CH3", "CC=O", "[2H]C([2H])([2H])C=O"},
		{"with HCl and water", "CCN", "CCN.Cl.O"},
		{"hydrochloride", "CCN", "CC[NH3+].[Cl-]"},
		{"protonated", "CCN", "CC[NH3+]"},
		{"sodium salt", "CC(=O)O", "CC(=O)[O-].[Na+]"},
		{"deprotonated", "CC(=O)O", "CC(=O)[O-]"},
		{"azole tautomer", "Cc1c[nH]cn1", "Cc1cnc[nH]1"},
		{"amidine tautomer", "CN=CN", "CNC=N"},
		{"amidine tautomer", "CC=CN", ""},
		{"amidine tautomer", "CC(=O)N", ""},
		{"lactam and lactim", "O=C1CCCCN1", "OC1=NCCCC1"},
		{"lactam and lactim", "OC1=NCCCC1", "O=C1CCCCN1"},
		{"lactam and lactim", "CC(=O)NC", ""},
	} {
		m := parse(t, c.text)
		atoms := make([]int32, len(m.Atoms))
		for i := range atoms {
			atoms[i] = int32(i)
		}
		for _, kind := range rewrite.Kinds {
			if kind.Name != c.kind {
				continue
			}
			got, want := kind.Form(m, atoms, rand.New(rand.NewPCG(1, 1))), ""
			switch {
			case (got == nil) != (c.want == ""):
				t.Errorf("%s of %s: %v, want %q", c.kind, c.text, got, c.want)
			case got != nil:
				if want = canonical(parse(t, c.want)); canonical(got) != want {
					t.Errorf("%s of %s: %s, want %s", c.kind, c.text, canonical(got), want)
				}
			}
		}
	}
}

func parse(t *testing.T, text string) *molecule.Molecule {
	t.Helper()
	m, err := smiles.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

func canonical(m *molecule.Molecule) string {
	c, _, _ := smiles.Canonical(m)
	return smiles.Write(c)
}
