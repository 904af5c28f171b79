// Package calibrate corrects the base score S_Pre of a test batch by what the
// batch itself shows, without labels. There are two calibrators: Attention, the
// paper's dual dictionaries, and Ratio, a density ratio between the
// in-distribution bank and the batch. A Neighborhood scores graphs without any
// batch, and Fuse adds the ratio to that as far as there is evidence that the
// batch differs from the bank at all.
package calibrate

import (
	"context"
	"math"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
)

// An Input is one test batch as the frozen encoder sees it. No labels enter. For
// Ratio the representations must have prints.
type Input struct {
	Encoder *gin.Encoder
	Graphs  []*graph.Graph           // of the batch; feature and structure view
	Test    *contrast.Representation // of Graphs
	Base    []float64                // S_Pre of Graphs, negatives = the batch

	// Bank represents ID training graphs. It may be empty for Attention, but
	// neither it nor Holdout may be nil.
	Bank *contrast.Representation
	// Holdout represents further ID graphs, which are scored like the batch
	// but from which nothing is learned. It may be empty.
	Holdout *contrast.Representation

	Seed    uint64
	Workers int    // 0: all cores
	Watch   *Watch // may be nil
}

// An Output is what the attention adds to S_Pre. Higher is more OOD; the scale is
// its own, see Standardize.
type Output struct {
	Test    []float64 // one for each graph of the batch
	Holdout []float64
	// Score scores further graphs like the holdout, in the state that the batch
	// left. It may be called by several goroutines at once, until the attention sees
	// its next batch.
	Score func(ctx context.Context, r *contrast.Representation) ([]float64, error)
	// Warnings say, for people, where it had to do without something. They do not make
	// the scores invalid.
	Warnings []string
}

// An Iteration is one step of the attention's training.
type Iteration struct {
	Step int     // from 1
	Loss float64 // before the step
	KL   float64 // KL(inside‖outside) between the score histograms of the subgroups, in nats
	// Test is the score of the batch after the step; who has labels
	// may measure its AUROC. It is only valid during the call.
	Test []float64
	// Inside and Outside are the indices of the two subgroups.
	Inside, Outside []int
}

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
	n := len(q) / dim
	for j := range dim {
		s.inverse[j] = 1
	}
	if n == 0 {
		return s
	}
	high := make([]float64, dim)
	for i := 0; i < len(q); i += dim {
		for j, x := range q[i : i+dim] {
			v := float64(x)
			if i == 0 {
				s.low[j], high[j] = v, v
			}
			s.low[j], high[j] = min(s.low[j], v), max(high[j], v)
		}
	}
	for j := range dim {
		s.step[j] = (high[j] - s.low[j]) / gridSteps
	}
	square := make([]float64, dim)
	for i := 0; i < len(q); i += dim {
		for j, x := range q[i : i+dim] {
			s.mean[j] += s.round(x, j)
		}
	}
	for j := range dim {
		s.mean[j] /= float64(n)
	}
	for i := 0; i < len(q); i += dim {
		for j, x := range q[i : i+dim] {
			d := s.round(x, j) - s.mean[j]
			square[j] += float64(d * d)
		}
	}
	for j := range dim {
		s.inverse[j] = 1 / max(math.Sqrt(square[j]/float64(n)), minDeviation)
	}
	return s
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
	dim := len(s.mean)
	out := make([]float32, len(q))
	for i := 0; i < len(q); i += dim {
		row := out[i : i+dim]
		for j, x := range q[i : i+dim] {
			row[j] = float32(max(-clip, min(clip, (s.round(x, j)-s.mean[j])*s.inverse[j])))
		}
	}
	return out
}

// A Scale is where the scores of a batch lie.
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

// A Sum is a weighted sum of two scores, each in units of a batch.
type Sum struct {
	weight [2]float64
	scale  [2]Scale
	limit  float64 // what the first has above it is added
}

// Add is z(base) + beta·z(extra), the paper's equation 9 on one scale, in units
// of the batch with the given scores.
func Add(beta float64, base, extra []float64) Sum {
	return Sum{[2]float64{1, beta}, [2]Scale{ScaleOf(base), ScaleOf(extra)}, math.Inf(1)}
}

// Fuse adds what a calibrator learned from a batch, extra, to a score of single
// graphs, base, in standard deviations of in-distribution graphs:
//
//	(1 − (1−keep)·w)·z(base) + w·z(extra) + max(0, base − limit)
//
// with keep = ¼, limit = 2.5 and z in units of the batch with the given scores. Where
// the evidence for the calibrator is complete, w = 1, single graphs still have a say.
// The last term is for a graph that is alone of its kind: a density ratio sees what is
// common in the batch, and may put such a graph inside.
func Fuse(w float64, base, extra []float64) Sum {
	return Sum{[2]float64{1 - (1-keep)*w, w}, [2]Scale{ScaleOf(base), ScaleOf(extra)}, limit}
}

const keep, limit = 0.25, 2.5

// Of returns the sums for graphs with the given scores, of the batch or others.
func (s Sum) Of(base, extra []float64) []float64 {
	x, y := s.scale[0].Standardize(base), s.scale[1].Standardize(extra)
	for i := range x {
		x[i] = float64(s.weight[0]*x[i]) + float64(s.weight[1]*y[i]) + max(0, base[i]-s.limit)
	}
	return x
}

// Gate turns evidence, the cross-validated AUC of telling a batch from a bank of
// the given sizes, into the weight of a calibrator, from 0 to 1: how many standard
// errors it lies above the ½ of a batch that looks like the bank, less 2.5, by 1.5. The
// best of three heads, none of which sees anything, lies 2.5 standard errors above once
// in fifty batches. An AUC of so many graphs that have nothing to tell apart has the
// variance (n+m+1)/(12·n·m) of the rank-sum test.
func Gate(evidence float64, batch, bank int) float64 {
	if batch == 0 || bank == 0 {
		return 0
	}
	n, m := float64(batch), float64(bank)
	z := (evidence - 0.5) / math.Sqrt((n+m+1)/(12*n*m))
	return max(0, min(1, (z-gateLow)/gateWidth))
}

const gateLow, gateWidth = 2.5, 1.5
