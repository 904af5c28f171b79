package tanimoto_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/fingerprint"
	"baca/algo/tanimoto"
)

// draw returns sets of fewer than most keys. Some keys are in many sets, most in few.
func draw(rng *rand.Rand, n, most, keys int) [][]uint32 {
	var sets [][]uint32
	for range n {
		var s []uint32
		for range rng.IntN(most) {
			s = append(s, uint32(float64(keys)*math.Pow(rng.Float64(), 3)))
		}
		slices.Sort(s)
		sets = append(sets, slices.Compact(s))
	}
	return sets
}

// What is found among random sets is what comparing all pairs finds, with fewer and with more keys than have bits.
func TestSearchIsThatOfAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{0, 1, 2, 30, 400} {
		keys := 3 * size
		sets := draw(rng, size, 30, keys)
		queries := append(draw(rng, 200, 30, keys+100), sets...)
		s := tanimoto.NewSearch(tanimoto.New(sets))
		for q, query := range queries {
			all := make([]float64, size)
			for i, other := range sets {
				all[i] = fingerprint.Tanimoto(tanimoto.Shared(query, other), len(query), len(other))
			}
			for _, skip := range []int{-1, max(-1, q-200)} {
				want := -1.0
				for i, x := range all {
					if i != skip {
						want = max(want, x)
					}
				}
				if got := s.Nearest(query, skip); got != want {
					t.Fatalf("%d sets, query %v but %d: %g, want %g", size, query, skip, got, want)
				}
			}
			for _, least := range []float64{0.05, 0.2, 1.0 / 3, 0.35, 1} {
				var want []uint32
				for i, x := range all {
					if x >= least {
						want = append(want, uint32(i))
					}
				}
				got := s.Within(nil, query, least)
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Fatalf("%d sets, query %v, at least %g: %v, want %v", size, query, least, got, want)
				}
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	sets := draw(rand.New(rand.NewPCG(5, 6)), 20_000, 100, 20_000) // as many keys as molecules have
	s := tanimoto.NewSearch(tanimoto.New(sets))
	b.Run("nearest", func(b *testing.B) {
		for i := range b.N {
			s.Nearest(sets[i%len(sets)], i%len(sets))
		}
	})
	var found []uint32
	b.Run("within", func(b *testing.B) {
		for i := range b.N {
			found = s.Within(found[:0], sets[i%len(sets)], 0.35)
		}
	})
}
