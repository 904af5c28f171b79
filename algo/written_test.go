package algo_test

import (
	"encoding/csv"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/weights"
)

// A molecule has one score, to the last bit, however it is written, and whether or not it
// is brought into canonical form first.
func TestOneScoreHoweverWritten(t *testing.T) {
	m, err := weights.Open("bbbp")
	if err != nil {
		t.Fatal(err)
	}
	a := alone(t, m)
	rng := rand.New(rand.NewPCG(8, 3))
	for _, set := range []string{"bbbp", "esol"} {
		rows, err := csv.NewReader(golden.Open(t, "data/mol/"+set+".csv.gz")).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		column := slices.Index(rows[0], "smiles")
		var texts []string
		var lists [4][]*graph.Graph // canonical, as written, and two other ways of writing
		for i := 1; i < len(rows); i += 2 {
			text := rows[i][column]
			mol, err := smiles.Parse(text)
			if err != nil {
				continue
			}
			texts = append(texts, text)
			for k, read := range []string{text, text, rewritten(mol, rng), rewritten(mol, rng)} {
				parse := smiles.ParseUnordered
				if k == 0 {
					parse = smiles.ParseCanonical
				}
				g, err := parse(read)
				if err != nil {
					t.Fatalf("%s, written as %s: %v", text, read, err)
				}
				lists[k] = append(lists[k], g)
			}
		}
		var want []float64
		for k, gs := range lists {
			scores, err := a.Scores(t.Context(), gs)
			if err != nil {
				t.Fatal(err)
			}
			if k == 0 {
				want = scores
			}
			for i, x := range scores {
				if x != want[i] {
					t.Errorf("%s: %s scores %g in canonical form and %g in writing %d", set, texts[i], want[i], x, k)
				}
			}
		}
	}
}

// rewritten writes a molecule with its atoms in a random order.
func rewritten(m *molecule.Molecule, rng *rand.Rand) string {
	p := &molecule.Molecule{Atoms: make([]molecule.Atom, len(m.Atoms)), Bonds: slices.Clone(m.Bonds)}
	place := rng.Perm(len(m.Atoms))
	for i, a := range m.Atoms {
		p.Atoms[place[i]] = a
	}
	for k := range p.Bonds {
		b := &p.Bonds[k]
		b.From, b.To = int32(place[b.From]), int32(place[b.To])
	}
	return smiles.Write(p)
}
