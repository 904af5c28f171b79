package fingerprint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The most similar of all prints of an index is the one that Best finds.
func TestPairsAgreeWithBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	draw := func(n int) []Print {
		prints := make([]Print, n)
		for i := range prints {
			for key := range uint32(60) {
				if rng.IntN(int(key)/4+2) == 0 {
					prints[i].Keys, prints[i].Counts = append(prints[i].Keys, key), append(prints[i].Counts, 1+rng.Uint32N(4))
				}
			}
		}
		return prints
	}
	training, points := draw(40), draw(60)
	points = append(points, training[3], Print{})
	x := NewIndex(training)
	pairs := x.Pairs(points)
	sets, counts := make([]float64, len(points)), make([]float64, len(points))
	most := make([][2]float64, len(points))
	for i := range training {
		pairs.To(training[i], sets, counts)
		for k := range points {
			most[k][Sets], most[k][Counts] = max(most[k][Sets], sets[k]), max(most[k][Counts], counts[k])
		}
	}
	for k, p := range points {
		best := x.Best(p, -1)
		for m := range best {
			if math.Abs(best[m].Similarity-most[k][m]) > 1e-12 {
				t.Errorf("point %d, measure %d: %g, want %g", k, m, most[k][m], best[m].Similarity)
			}
		}
	}
}
