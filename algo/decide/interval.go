package decide

import "gonum.org/v1/gonum/mathext"

// Interval returns the Clopper–Pearson interval (Biometrika 26, 404, 1934) of the share of which k
// of n were seen, 0 ≤ k ≤ n: quantiles of Beta(k, n−k+1) and Beta(k+1, n−k). It is 0 to 1 for n =
// 0.
func Interval(k, n int, confidence float64) (low, high float64) {
	tail := (1 - confidence) / 2
	low, high = 0, 1
	if k > 0 {
		low = betaQuantile(float64(k), float64(n-k+1), tail)
	}
	if k < n {
		high = betaQuantile(float64(k+1), float64(n-k), 1-tail)
	}
	return low, high
}

// betaQuantile returns the p-quantile of Beta(a, b).
func betaQuantile(a, b, p float64) float64 {
	low, high := bisect(60, func(x float64) bool { return mathext.RegIncBeta(a, b, x) < p })
	return (low + high) / 2
}

// bisect narrows 0 to 1 down to where is, true at first, becomes false.
func bisect(steps int, is func(x float64) bool) (low, high float64) {
	low, high = 0, 1
	for range steps {
		if middle := (low + high) / 2; is(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low, high
}
