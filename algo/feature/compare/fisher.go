package compare

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/combin"
)

// fisher returns the two-sided p-value of Fisher's exact test for a of n against b of m. This is the sum over all tables
// with these margins that are no more likely, up to a rounding of 10⁻⁷ as in R and SciPy. The time is in proportion to
// the standard deviation of a.
func fisher(a, n, b, m int) float64 {
	k := a + b
	low, high := max(0, k-m), min(k, n)
	if low == high {
		return 1
	}
	// log returns the logarithm of the probability that x of n are among the k.
	log := func(x int) float64 { return choose(n, x) + choose(m, k-x) - choose(n+m, k) }
	// The distribution rises up to its mode and falls after it.
	mode := min(high, max(low, int(float64(k+1)*float64(n+1)/float64(n+m+2))))
	limit := log(a) + 1e-7
	if log(mode) <= limit {
		return 1
	}
	sum := 0.0
	// On each side of the mode the tail begins at the nearest x that is no more likely than a. The left side is searched by −x.
	if right := edge(mode, high+1, func(x int) bool { return x > high || log(x) <= limit }); right <= high {
		sum += tail(math.Exp(log(right)), right, high, func(x int) float64 { return growth(x, n, m, k) })
	}
	if left := -edge(-mode, -low+1, func(x int) bool { return -x < low || log(-x) <= limit }); left >= low {
		sum += tail(math.Exp(log(left)), -left, -low, func(x int) float64 { return 1 / growth(-x-1, n, m, k) })
	}
	return min(1, sum)
}

// growth returns the probability of x+1 relative to that of x.
func growth(x, n, m, k int) float64 {
	return float64(n-x) * float64(k-x) / (float64(x+1) * float64(m-k+x+1))
}

// edge returns the lowest x from low to high for which is holds. is must hold for all larger x too.
func edge(low, high int, is func(int) bool) int {
	return low + sort.Search(high-low, func(i int) bool { return is(low + i) })
}

// tail sums probabilities from x to last until they are negligible. p is that of x, and next(x) the ratio of x+1 to x.
func tail(p float64, x, last int, next func(int) float64) float64 {
	sum := p
	for ; x < last && p > 1e-17*sum; x++ {
		p *= next(x)
		sum += p
	}
	return sum
}

// choose returns the logarithm of the binomial coefficient n over k.
func choose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

// oddsRatio returns the odds of b in m relative to those of a in n, with Woolf's 95 % interval. Half a molecule is added
// to each cell (Haldane and Anscombe).
func oddsRatio(a, n, b, m int) (odds, low, high float64) {
	w, x := float64(b)+0.5, float64(m-b)+0.5
	y, z := float64(a)+0.5, float64(n-a)+0.5
	log := math.Log(w * z / (x * y))
	half := 1.959964 * math.Sqrt(1/w+1/x+1/y+1/z)
	return math.Exp(log), math.Exp(log - half), math.Exp(log + half)
}
