package metric

import (
	"fmt"
	"math"
)

// uniformPart is how much of the uniform histogram KL mixes in.
const uniformPart = 0.01

// KL returns the divergence KL(P‖Q) = Σ P_k·ln(P_k/Q_k) in nats between the
// histograms of two lists of scores, such as those of the two subgroups (the
// paper's figure 1c): P is the first list. It is not symmetric.
//
// The range from the lowest to the highest score of both lists is cut into
// equal bins, 20 or so; a score on a border belongs to the upper bin, the
// highest score to the last. Each histogram is mixed with 1 % of the uniform
// one, so that a bin empty in Q costs much but not everything: the divergence
// is 0 for equal histograms and at most ln(1 + 99·bins), which is 7.6 at 20. It
// depends on the number of bins.
//
// It is NaN where a list is empty or a score is not finite. It panics for less
// than one bin and for more than a million.
func KL(p, q []float64, bins int) float64 {
	if bins < 1 || bins > 1e6 {
		panic(fmt.Sprintf("metric: divergence of histograms of %d bins", bins))
	}
	if len(p) == 0 || len(q) == 0 {
		return math.NaN()
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, list := range [][]float64{p, q} {
		for _, v := range list {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return math.NaN()
			}
			low, high = min(low, v), max(high, v)
		}
	}
	// Halves, as the whole range may be beyond the largest number.
	width := high/2 - low/2
	histogram := func(list []float64) []float64 {
		h := make([]float64, bins)
		for _, v := range list {
			k := 0
			if width > 0 {
				k = min(int((v/2-low/2)/width*float64(bins)), bins-1)
			}
			h[k]++
		}
		for k := range h {
			h[k] = float64((1-uniformPart)*h[k]/float64(len(list))) + uniformPart/float64(bins)
		}
		return h
	}
	a, b := histogram(p), histogram(q)
	sum := 0.0
	for k := range a {
		sum += float64(a[k] * math.Log(a[k]/b[k]))
	}
	return max(sum, 0) // rounding may leave −1e-17
}
