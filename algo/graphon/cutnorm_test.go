package graphon

import "fmt"

// MaxCutSize is the largest number of steps with a cut norm. Each further step doubles the time,
// about 0.05 s at this size.
const MaxCutSize = 20

// CutNorm returns ‖v − w‖_□, the largest |∫_{S×T} (v − w)| over all S and T in [0, 1] (the paper's appendix, definition
// 2). For step functions of equal size unions of steps reach it: it is the largest |sum over S×T| of the matrix,
// divided by N². It tries all S; the best T follows from the signs of the column sums.
func CutNorm(v, w *Graphon) float64 {
	n := v.N
	if n != w.N || n > MaxCutSize {
		panic(fmt.Sprintf("graphon: cut norm of the difference of %d×%d and %d×%d steps, of at most %d", n, n, w.N, w.N, MaxCutSize))
	}
	d := make([]float64, n*n)
	for k, p := range v.W {
		d[k] = p - w.W[k]
	}
	return cut(d, n) / float64(max(1, n*n))
}

// cut walks the binary tree of row sets S; sums[depth] has the column sums of the rows so far.
func cut(d []float64, n int) float64 {
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
