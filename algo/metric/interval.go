package metric

import "math"

// MeanStd returns the mean and the sample standard deviation (divisor n−1) of
// results over seeds. The mean of none and the deviation of fewer than two are
// NaN.
func MeanStd(values []float64) (mean, std float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v
	}
	mean /= n // 0/0 is NaN
	if len(values) < 2 {
		return mean, math.NaN()
	}
	sum := 0.0
	for _, v := range values {
		d := v - mean
		sum += float64(d * d)
	}
	return mean, math.Sqrt(sum / (n - 1))
}

// Wilson returns the 95 % interval of a fraction of which so many of n were hits, by Wilson's
// score: it is not empty where none or all are hits, and stays within [0, 1]. Hits may be
// a sum of fractions. The ends are NaN for an n of 0.
func Wilson(hits, n float64) (low, high float64) {
	const z = 1.959963984540054
	p := hits / n
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}
