package algo_test

import (
	"testing"

	"baca/algo"
	"baca/algo/molecule/smiles"
)

// Counted by hand: a training molecule has nothing new, and of chlorobutane next to alkanes that end in O and N
// only what is at most two bonds from the chlorine is.
func TestSurroundings(t *testing.T) {
	m, set := moleculeModel(t)
	a, err := algo.NewSingleScorer(ctx, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	for row, from := range set {
		if unmet, all := a.Surroundings(from.Graph); row%7 != 3 && unmet != 0 || all != 3*from.Graph.N() {
			t.Errorf("row %d: %d of %d", row, unmet, all)
		}
	}
	g, err := smiles.ParseGraph("CCCCCCCl")
	if err != nil {
		t.Fatal(err)
	}
	// Cl at every width, the next atom from one bond on, and the one behind it at two.
	if unmet, all := a.Surroundings(g); unmet != 3+2+1 || all != 21 {
		t.Errorf("hexyl chloride: %d of %d, want 6 of 21", unmet, all)
	}
}
