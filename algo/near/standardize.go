package near

import "math"

// A Standardizer maps embeddings to mean 0 and deviation 1 over the ID bank, clipped to ±6, so that
// no coordinate decides alone. A deviation is at least 0.001: a unit that is silent on ID graphs
// and active on others then reaches the clip.
//
// It first rounds each coordinate to a grid of 255 steps over its range in the bank, extended beyond. A model file
// stores its bank on that grid, so a graph and its copy in the bank are at distance 0.
type Standardizer struct {
	low, step     []float64 // of the grid; step 0 where the bank is constant
	mean, inverse []float64
}

const (
	clip         = 6
	minDeviation = 1e-3
	gridSteps    = 255
)

// NewStandardizer measures the rows of q, each dim values. Without rows it only clips.
func NewStandardizer(q []float32, dim int) *Standardizer {
	s := &Standardizer{low: make([]float64, dim), step: make([]float64, dim), mean: make([]float64, dim), inverse: make([]float64, dim)}
	for j := range dim {
		s.inverse[j] = 1
		if len(q) > 0 {
			s.measure(q, j)
		}
	}
	return s
}

// measure sets the grid, the mean and the deviation of coordinate j.
func (s *Standardizer) measure(q []float32, j int) {
	dim := len(s.mean)
	low, high := float64(q[j]), float64(q[j])
	for i := j; i < len(q); i += dim {
		low, high = min(low, float64(q[i])), max(high, float64(q[i]))
	}
	s.low[j], s.step[j] = low, (high-low)/gridSteps
	mean, square, n := 0.0, 0.0, float64(len(q)/dim)
	for i := j; i < len(q); i += dim {
		mean += s.round(q[i], j)
	}
	mean /= n
	for i := j; i < len(q); i += dim {
		d := s.round(q[i], j) - mean
		square += float64(d * d)
	}
	s.mean[j], s.inverse[j] = mean, 1/max(math.Sqrt(square/n), minDeviation)
}

// round returns the nearest point of the grid of coordinate j.
func (s *Standardizer) round(x float32, j int) float64 {
	if s.step[j] == 0 {
		return float64(x)
	}
	// Round half to even, as processors do.
	return s.low[j] + float64(s.step[j]*math.RoundToEven((float64(x)-s.low[j])/s.step[j]))
}

// Apply returns the standardised rows of q.
func (s *Standardizer) Apply(q []float32) []float32 {
	out := make([]float32, len(q))
	s.apply(out, q, len(s.mean))
	return out
}

// apply standardises rows of q with the first dim coordinates.
func (s *Standardizer) apply(out, q []float32, dim int) {
	for i := 0; i < len(q); i += dim {
		row := out[i : i+dim]
		for j, x := range q[i : i+dim] {
			z := (s.round(x, j) - s.mean[j]) * s.inverse[j]
			if z > clip { // in WebAssembly max and min are calls
				z = clip
			} else if z < -clip {
				z = -clip
			}
			row[j] = float32(z)
		}
	}
}

// A Scale is the mean and deviation of some scores.
type Scale struct{ Mean, Deviation float64 }

// ScaleOf measures scores. The deviation of all-equal scores is 1, so that they standardise to 0.
func ScaleOf(scores []float64) Scale {
	var s Scale
	for _, x := range scores {
		s.Mean += x
	}
	s.Mean /= float64(max(1, len(scores)))
	for _, x := range scores {
		s.Deviation += float64((x - s.Mean) * (x - s.Mean)) // the conversion forbids fusing, so that all machines agree
	}
	s.Deviation = math.Sqrt(s.Deviation / float64(max(1, len(scores))))
	const rounding = 1e-12                              // a deviation below this share of 1 + |mean| is an error of rounding
	if !(s.Deviation > rounding*(1+math.Abs(s.Mean))) { // or NaN
		s.Deviation = 1
	}
	return s
}

// Standardize returns scores in units of the scale.
func (s Scale) Standardize(scores []float64) []float64 {
	z := make([]float64, len(scores))
	for i, x := range scores {
		z[i] = (x - s.Mean) / s.Deviation
	}
	return z
}
