package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// An arrangement has the edges and features of the graph under other numbers, and rows
// ascend, whatever was arranged before.
func TestArrange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	var a Arrangement
	for round := range 60 {
		n := rng.IntN(30)
		g := drawn(t, rng, n, rng.IntN(3*n+1))
		g.Features, g.X = 2, nil
		for range 2 * n {
			g.X = append(g.X, rng.Float32())
		}
		order := make([]int32, n)
		for k, i := range rng.Perm(n) {
			order[k] = int32(i)
		}
		a.Arrange(g, order)
		if a.N() != n || a.M() != g.M() || a.Features != 2 || len(a.X) != 2*n {
			t.Fatalf("round %d: %d nodes, %d edges and %d values of %d features, want %d, %d, %d and 2", round, a.N(), a.M(), len(a.X), a.Features, n, g.M(), 2*n)
		}
		for k, i := range order {
			if !slices.Equal(a.X[2*k:2*k+2], g.X[2*i:2*i+2]) || !slices.IsSorted(a.Row(k)) {
				t.Errorf("round %d: node %d has features %v and neighbours %v", round, k, a.X[2*k:2*k+2], a.Row(k))
			}
			for q, j := range order {
				if got, want := slices.Contains(a.Row(k), int32(q)), slices.Contains(g.Row(int(i)), j); got != want {
					t.Errorf("round %d: edge between nodes %d and %d: %v, want %v", round, k, q, got, want)
				}
			}
		}
	}
}
