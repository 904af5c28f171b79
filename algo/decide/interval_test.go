package decide

import (
	"math"
	"testing"
)

// At a bound of the interval the tail of the binomial distribution, which is added up here term by term,
// is half of the error.
func TestIntervalIsExact(t *testing.T) {
	term := func(k, n int, p float64) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	for _, n := range []int{1, 2, 10, 204, 999} {
		for _, k := range []int{0, 1, n / 20, n / 2, n - 1, n} {
			for _, confidence := range []float64{0.5, 0.9, 0.95, 0.999} {
				low, high := Interval(k, n, confidence)
				tail := (1 - confidence) / 2
				asMany, asFew := 0.0, 0.0
				for i := range n + 1 {
					if i >= k && k > 0 {
						asMany += term(i, n, low)
					}
					if i <= k && k < n {
						asFew += term(i, n, high)
					}
				}
				if k == 0 && low != 0 || k > 0 && math.Abs(asMany-tail) > 1e-9 {
					t.Errorf("%d of %d at %g: from %g, where the chance of as many is %g", k, n, confidence, low, asMany)
				}
				if k == n && high != 1 || k < n && math.Abs(asFew-tail) > 1e-9 {
					t.Errorf("%d of %d at %g: to %g, where the chance of as few is %g", k, n, confidence, high, asFew)
				}
				if p := float64(1+k) / float64(1+n); confidence >= 0.9 && n > 1 && !(low <= p && p <= high) {
					t.Errorf("%d of %d at %g: %g to %g is without the p-value %g", k, n, confidence, low, high, p)
				}
			}
		}
	}
	if low, high := Interval(0, 0, 0.95); low != 0 || high != 1 {
		t.Errorf("of nothing: %g to %g", low, high)
	}
	// As scipy.stats.beta.ppf has it.
	if low, high := Interval(9, 204, 0.95); math.Abs(low-0.020368978080692206) > 1e-12 || math.Abs(high-0.08209445290121617) > 1e-12 {
		t.Errorf("9 of 204: %.6f to %.6f", low, high)
	}
}
