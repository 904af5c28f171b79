package fingerprint

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Nearest finds what comparing with every print does, by number where prints are equally similar.
func TestNearestPrints(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for _, n := range []int{0, 1, 7, 300, 3000} {
		prints := library(rng, n, 40, 0.05)
		x, similar, asked := NewIndex(prints), make([]float64, n), []Print{{}, skewed(rng, 40, 0.1)}
		for range min(n, 60) {
			p := prints[rng.IntN(n)]
			asked = append(asked, p, changed(rng, p))
		}
		for i, p := range asked {
			x.Similarities(similar, Counts, p)
			all := make([]Match, n)
			for row, s := range similar {
				all[row] = Match{s, row, prints[row].Equal(p)}
			}
			slices.SortStableFunc(all, func(a, b Match) int { return cmp.Compare(b.Similarity, a.Similarity) })
			for _, k := range []int{0, 1, 5, 20, 400} {
				if got, want := x.Nearest(p, k), all[:min(k, n)]; !slices.Equal(got, want) {
					t.Fatalf("of %d prints the %d nearest to %d: %v, want %v", n, k, i, got, want)
				}
			}
		}
	}
}
