package metric

import (
	"math"
	"slices"
)

// Percentile returns the p-th percentile of values, 0 ≤ p ≤ 100, by linear
// interpolation between the two nearest (numpy's default). Values are not
// changed. It is NaN for no values, for a p out of range and where a value is
// NaN.
func Percentile(values []float64, p float64) float64 {
	if len(values) == 0 || slices.ContainsFunc(values, math.IsNaN) {
		return math.NaN()
	}
	if !(0 <= p && p <= 100) {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	at := float64(len(sorted)-1) * (p / 100)
	k := min(int(at), len(sorted)-1)
	t := at - float64(k)
	a := sorted[k]
	if t == 0 {
		return a // exactly, also next to an infinite value
	}
	b := sorted[k+1]
	if a == b {
		return a
	}
	// From the nearer end, so that the result is monotone in p.
	if t < 0.5 {
		return a + float64((b-a)*t)
	}
	return b - float64((b-a)*(1-t))
}
