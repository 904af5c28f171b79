package trust

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"baca/algo/internal/lists"
	"baca/algo/metric"
)

// A scale is the size of a prediction's error up to a factor: (uncertainty + floor)·exp(growth·distance). Intervals are
// conformal for errors divided by it (normalised). A nil scale is 1 for all.
type scale struct{ floor, growth float64 }

// scaleFloors, in medians of uncertainties, and scaleGrowths are tried. The highest floor makes nearly all intervals equal.
var (
	scaleFloors  = []float64{0.05, 0.25, 0.5, 1, 2, 8}
	scaleGrowths = []float64{0, 0.25, 0.5, 1, 1.5, 2, 3}
)

// of returns the scale of a prediction.
func (s *scale) of(p Prediction) float64 {
	if s == nil {
		return 1
	}
	return (max(0, p.Uncertainty) + s.floor) * math.Exp(s.growth*p.Distance)
}

// fitScale returns the scale under which the errors are likeliest, by Laplace's distribution. It returns nil if too few are
// known, if the median uncertainty is 0, or if an uncertainty is negative and thus no size.
func fitScale(known []Prediction, errors []float64) (best *scale) {
	var list []Prediction
	var sizes, uncertainties []float64
	for i, p := range known {
		if finite(p.Uncertainty) && finite(p.Distance) && finite(errors[i]) {
			list, sizes, uncertainties = append(list, p), append(sizes, math.Abs(errors[i])), append(uncertainties, p.Uncertainty)
		}
	}
	if len(list) < MinPairs || slices.Min(uncertainties) < 0 {
		return nil
	}
	unit, least := metric.Percentile(uncertainties, 50), math.Inf(1)
	for _, floor := range scaleFloors {
		for _, growth := range scaleGrowths {
			s := &scale{floor * unit, growth}
			if loss := s.loss(list, sizes); unit > 0 && loss < least {
				best, least = s, loss
			}
		}
	}
	return best
}

// loss is the mean negative log-likelihood, up to a constant, of errors with a Laplace distribution whose scale is s.of times
// the factor that fits best. sizes are the absolute errors.
func (s *scale) loss(list []Prediction, sizes []float64) float64 {
	scales := lists.Map(list, s.of)
	relative, logs := 0.0, 0.0
	for i, x := range scales {
		relative += sizes[i] / x
		logs += math.Log(x)
	}
	n := float64(len(list))
	return math.Log(relative/n) + logs/n
}

// weightedMedian is the least value that half of the weight is at or below.
func weightedMedian(values, weights []float64) float64 {
	values, weights = slices.Clone(values), slices.Clone(weights)
	stat.SortWeighted(values, weights)
	return stat.Quantile(0.5, stat.Empirical, values, weights)
}
