package near

import "math"

// A Standardizer maps embeddings to coordinates of mean 0 and deviation 1 over
// the ID bank, clipped to ±6, so that no coordinate decides alone. Where a
// coordinate hardly varies over the bank, its deviation counts as 0.001: a unit
// that is silent on ID graphs and speaks on others then reaches the clip.
//
// Before that it rounds each coordinate to a grid of 255 steps over the range that
// it has in the bank, and on beyond the range. A model file keeps its bank that way,
// so a graph and its copy in the bank are at distance 0.
type Standardizer struct {
	low, step     []float64 // of the grid; step 0 where the bank is constant
	mean, inverse []float64
}

const (
	clip         = 6
	minDeviation = 1e-3
	gridSteps    = 255
)

// NewStandardizer measures the rows of q, each dim values. Without rows it
// leaves embeddings as they are, clipping aside.
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
	// Of the two ways to round a half, the one that processors have.
	return s.low[j] + float64(s.step[j]*math.RoundToEven((float64(x)-s.low[j])/s.step[j]))
}

// Apply returns the standardised rows of q.
func (s *Standardizer) Apply(q []float32) []float32 {
	out := make([]float32, len(q))
	s.apply(out, q, len(s.mean))
	return out
}

// apply standardises rows of q, which have the first dim coordinates.
func (s *Standardizer) apply(out, q []float32, dim int) {
	for i := 0; i < len(q); i += dim {
		row := out[i : i+dim]
		for j, x := range q[i : i+dim] {
			row[j] = float32(max(-clip, min(clip, (s.round(x, j)-s.mean[j])*s.inverse[j])))
		}
	}
}

// A Scale says where the scores of some graphs lie.
type Scale struct{ Mean, Deviation float64 }

// ScaleOf measures scores. The deviation of all-equal scores is given as 1, so
// that standardised they are all 0.
func ScaleOf(scores []float64) Scale {
	var s Scale
	for _, x := range scores {
		s.Mean += x
	}
	s.Mean /= float64(max(1, len(scores)))
	for _, x := range scores {
		s.Deviation += (x - s.Mean) * (x - s.Mean)
	}
	s.Deviation = math.Sqrt(s.Deviation / float64(max(1, len(scores))))
	if !(s.Deviation > 1e-12*(1+math.Abs(s.Mean))) {
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
