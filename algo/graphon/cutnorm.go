package graphon

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// ExactCutSize is the largest number of steps with an exact cut norm. Each further step doubles the
// time, about 0.05 s at this size.
const ExactCutSize = 20

const cutRestarts = 64

// CutNorm returns ‖v − w‖_□, the largest |∫_{S×T} (v − w)| over all S and T in [0, 1] (the paper's
// appendix, definition 2). For step functions of equal size unions of steps reach it: it is the
// largest |sum over S×T| of the matrix, divided by N².
//
// Up to ExactCutSize steps the value is exact: it tries all S; the best T follows from the signs of
// the column sums. Above, it is a lower bound by alternating improvement of S and T from random
// starts (seed).
func CutNorm(v, w *Graphon, seed uint64) (norm float64, exact bool) {
	if v.N != w.N {
		panic(fmt.Sprintf("graphon: cut norm of the difference of %d×%d and %d×%d steps", v.N, v.N, w.N, w.N))
	}
	n := v.N
	if n == 0 {
		return 0, true
	}
	d := make([]float64, n*n)
	for k, p := range v.W {
		d[k] = p - w.W[k]
	}
	if n <= ExactCutSize {
		norm, exact = cutExact(d, n), true
	} else {
		norm = cutAlternating(d, n, rand.New(rand.NewPCG(seed, 0)))
	}
	return norm / float64(n*n), exact
}

// cutExact walks the binary tree of row sets S; sums[depth] has the column sums of the rows so far.
func cutExact(d []float64, n int) float64 {
	sums := make([]float64, (n+1)*n)
	best := 0.0
	var choose func(depth int)
	choose = func(depth int) {
		now := sums[depth*n : (depth+1)*n]
		if depth == n {
			positive, negative := 0.0, 0.0
			for _, s := range now {
				positive += max(s, 0)
				negative += max(-s, 0)
			}
			best = max(best, positive, negative)
			return
		}
		next := sums[(depth+1)*n : (depth+2)*n]
		copy(next, now)
		choose(depth + 1)
		for j, s := range now {
			next[j] = s + d[depth*n+j]
		}
		choose(depth + 1)
	}
	choose(0)
	return best
}

// cutAlternating relies on d being symmetric: rows serve as columns.
func cutAlternating(d []float64, n int, rng *rand.Rand) float64 {
	set := make([]bool, n)
	sums := make([]float64, n)
	best := 0.0
	for restart := range 2 * cutRestarts {
		sign := float64(1 - 2*(restart%2))
		for i := range set {
			set[i] = rng.IntN(2) == 1
		}
		// The value never falls, and there are finitely many sets; the bound guards against
		// rounding.
		for value, step := math.Inf(-1), 0; step < 16*n; step++ {
			clear(sums)
			for i, in := range set {
				if in {
					for j, p := range d[i*n : (i+1)*n] {
						sums[j] += p
					}
				}
			}
			improved := 0.0
			for j, s := range sums {
				s *= sign
				set[j] = s > 0
				improved += max(s, 0)
			}
			best = max(best, improved)
			if improved <= value {
				break
			}
			value = improved
		}
	}
	return best
}
