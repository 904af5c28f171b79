package algo_test

import (
	"encoding/csv"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/rewrite"
	"baca/algo/molecule/smiles"
	"baca/weights"
)

// A compound has one score, to the last bit, however it is written: with its atoms in another
// order, as a salt or ion, with other isotopes, without stereo marks, as another azole, and whether or
// not it is brought into canonical order. smiles.TestOneParentOfAllForms has all sets.
func TestOneScoreHoweverWritten(t *testing.T) {
	m := must.Have(weights.Open("bbbp"))
	a := alone(m)
	rng := rand.New(rand.NewPCG(8, 3))
	for _, set := range []string{"bbbp", "esol", "sider"} {
		rows := must.Have(csv.NewReader(golden.Open(t, "data/mol/"+set+".csv.gz")).ReadAll())
		column := slices.Index(rows[0], "smiles")
		for i := 1; i < len(rows); i += 4 {
			forms, gs := formsOf(t, rows[i][column], rng)
			scores := must.Have(a.Scores(t.Context(), gs))
			for k, x := range scores {
				if x != scores[0] {
					t.Errorf("%s: %s scores %g, and %g as %s", set, forms[0], scores[0], x, forms[k])
				}
			}
		}
	}
}

// formsOf writes a molecule in all ways that have one parent, and reads the parents.
func formsOf(t *testing.T, text string, rng *rand.Rand) (forms []string, gs []*graph.Graph) {
	t.Helper()
	m := must.Have(smiles.Parse(text))
	p, atoms, _ := smiles.Parent(m)
	if !smiles.IsOrganic(p) {
		atoms = nil
	}
	forms, gs = []string{text}, []*graph.Graph{p.Graph()}
	for _, kind := range rewrite.Kinds {
		c := kind.Form(m, atoms, rng)
		if c == nil || kind.Other {
			continue
		}
		form := smiles.Write(c)
		g, _, err := smiles.ParseIn(form, molecule.UnorderedParent)
		if err != nil && kind.Name == rewrite.Azole {
			continue // beside a carbonyl group in the ring
		}
		if err != nil {
			t.Fatalf("%s of %s: %v", form, text, err)
		}
		forms, gs = append(forms, form), append(gs, g)
	}
	return forms, gs
}
