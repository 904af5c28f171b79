package compare

import "math"

// fisher returns the two-sided p-value of Fisher's exact test: how likely a table as
// unlikely as this one is, or more so, where a of n molecules of one list and b of m of
// another have something, if what has it were spread over both lists by chance. The sum is
// over all tables with the same margins that are no more likely, up to a rounding of 10⁻⁷ as
// in R and SciPy. It takes time in proportion to the standard deviation of a.
func fisher(a, n, b, m int) float64 {
	k := a + b
	low, high := max(0, k-m), min(k, n)
	if low == high {
		return 1
	}
	log := func(x int) float64 { return choose(n, x) + choose(m, k-x) - choose(n+m, k) }
	// The distribution rises up to its mode and falls behind it.
	mode := min(high, max(low, int(float64(k+1)*float64(n+1)/float64(n+m+2))))
	limit := log(a) + 1e-7
	if log(mode) <= limit {
		return 1
	}
	sum := 0.0
	// The least x above the mode, and the largest below it, that is no more likely than a.
	if right := edge(mode, high+1, func(x int) bool { return x > high || log(x) <= limit }); right <= high {
		sum += tail(math.Exp(log(right)), right, high, func(x int) float64 { return growth(x, n, m, k) })
	}
	if left := -edge(-mode, -low+1, func(x int) bool { return -x < low || log(-x) <= limit }); left >= low {
		sum += tail(math.Exp(log(left)), -left, -low, func(x int) float64 { return 1 / growth(-x-1, n, m, k) })
	}
	return min(1, sum)
}

// growth is how much more likely x+1 is than x.
func growth(x, n, m, k int) float64 {
	return float64(n-x) * float64(k-x) / (float64(x+1) * float64(m-k+x+1))
}

// edge returns the least x from low to high for which is holds, which it does from there on.
func edge(low, high int, is func(int) bool) int {
	for low < high {
		if middle := low + (high-low)/2; is(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// tail adds up probabilities from x to last, of which the first is p, as far as they count.
func tail(p float64, x, last int, next func(int) float64) float64 {
	sum := p
	for ; x < last && p > 1e-17*sum; x++ {
		p *= next(x)
		sum += p
	}
	return sum
}

// choose is the logarithm of n over k.
func choose(n, k int) float64 { return factorial(n) - factorial(k) - factorial(n-k) }

// factorial is the logarithm of n!.
func factorial(n int) float64 {
	g, _ := math.Lgamma(float64(n) + 1)
	return g
}

// oddsRatio returns by how much the odds of having something are larger in the second list,
// where b of m have it, than in the first, where a of n do, and its interval of 95 % (Woolf).
// Half a molecule is added to each cell, so that it is finite (Haldane and Anscombe).
func oddsRatio(a, n, b, m int) (odds, low, high float64) {
	w, x := float64(b)+0.5, float64(m-b)+0.5
	y, z := float64(a)+0.5, float64(n-a)+0.5
	log := math.Log(w * z / (x * y))
	half := 1.959964 * math.Sqrt(1/w+1/x+1/y+1/z)
	return math.Exp(log), math.Exp(log - half), math.Exp(log + half)
}
