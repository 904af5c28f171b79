package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/weights"
)

// Edits give the molecules that a chemist would draw.
func TestEdits(t *testing.T) {
	canonical := func(m *molecule.Molecule) string {
		c, _, _ := smiles.Canonical(m)
		return smiles.Write(c)
	}
	for _, c := range []struct {
		smiles string
		atoms  []int
		want   string
	}{
		{"Cc1ccccc1[N+](=O)[O-]", []int{7, 8, 9}, "Cc1ccccc1"},
		{"CC(=O)Oc1ccccc1C(=O)O", []int{0, 1, 2}, "Oc1ccccc1C(=O)O"},
		{"CC(=O)N[C@@H](C)F", []int{6}, "CC(=O)NCC"},
	} {
		m := try.To(smiles.Parse(c.smiles))
		got, ok := toHydrogen(m, c.atoms)
		if want := canonical(try.To(smiles.Parse(c.want))); !ok || canonical(got) != want {
			t.Errorf("%s without %v is %s, %v: want %s", c.smiles, c.atoms, canonical(got), ok, want)
		}
	}
	m := try.To(smiles.Parse("CC(=O)Oc1ccccc1"))
	sides := mapped(substituents(m), func(atoms []int) string { return fmt.Sprint(atoms) })
	slices.Sort(sides)
	if want := []string{"[0 1 2 3]", "[0 1 2]", "[0]"}; !slices.Equal(sides, want) {
		t.Errorf("substituents %q, want %q", sides, want)
	}
}

// The colours of known strangers and of training molecules agree with the verdict.
func TestExplanationsOfKnownMolecules(t *testing.T) {
	m := testset.Model(t, weights.Default)
	ctx := context.Background()
	a := try.To(algo.NewSingleScorer(ctx, m, 0))
	for _, c := range []struct {
		name, smiles string
		verdict      decide.Verdict
		about        string // what the first reason about atoms is about; none for empty
	}{
		{"RDX", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", decide.Outside, "its 3 nitramine groups"},
		{"TCNQ", "N#CC(C#N)=C1C=CC(=C(C#N)C#N)C=C1", decide.Outside, "its 4 nitrile groups"},
		{"dieldrin", "ClC1=C(Cl)C2(Cl)C3C4CC(C5OC45)C3C1(Cl)C2(Cl)Cl", decide.Outside, "its polyhalogenated carbon"},
		{"tetraethyllead", "CC[Pb](CC)(CC)CC", decide.Outside, "its organolead group"},
		{"aspirin", "CC(=O)Oc1ccccc1C(=O)O", decide.Inside, ""},
		{"caffeine", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", decide.Inside, ""},
		{"testosterone", "CC12CCC3C(C1CCC2O)CCC4=CC(=O)CCC34C", decide.Inside, ""},
	} {
		mol := try.To(smiles.Parse(c.smiles))
		read, _, _ := smiles.In(mol, m.Form())
		x := try.To(a.Explain(ctx, read.Graph(), 0.05))
		if sum := floats.Sum(x.Contributions); math.Abs(sum-(x.Score-x.Limit)) > 1e-9 {
			t.Errorf("%s: contributions add up to %g, the score is %g above the limit", c.name, sum, x.Score-x.Limit)
		}
		if x.Verdict != c.verdict || c.verdict == decide.Outside && slices.Max(x.Contributions) <= 0 || c.verdict == decide.Inside && slices.Min(x.Contributions) > 0 {
			t.Errorf("%s is %s, and its atoms have %v", c.name, x.Verdict, x.Contributions)
		}
		about := ""
		at := slices.IndexFunc(x.Reasons, func(r explain.Reason) bool { return r.About != "" })
		if at >= 0 {
			about = x.Reasons[at].About
			if blame := sumOf(x.Contributions, x.Reasons[at].Nodes); blame <= 0 {
				t.Errorf("%s: %s has %g", c.name, about, blame)
			}
		}
		if about != c.about {
			t.Errorf("%s: the first reason is about %q, want %q: %+v", c.name, about, c.about, x.Reasons)
		}
	}
}
