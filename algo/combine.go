package algo

import (
	"math"

	"baca/algo/near"
)

// A Sum is a weighted sum of two scores, each in units of a batch.
type Sum struct {
	weight [2]float64
	scale  [2]near.Scale
	limit  float64 // what the first has above it is added
}

// Add is z(base) + beta·z(extra), the paper's equation 9 on one scale, in units
// of the batch with the given scores.
func Add(beta float64, base, extra []float64) Sum {
	return Sum{[2]float64{1, beta}, [2]near.Scale{near.ScaleOf(base), near.ScaleOf(extra)}, math.Inf(1)}
}

// Parts returns what makes a sum of [Add]: the scales of both scores, and beta.
func (s Sum) Parts() (base, extra near.Scale, beta float64) {
	return s.scale[0], s.scale[1], s.weight[1]
}

// blend adds the density ratio of a batch, extra, to a score of single graphs, base, in
// standard deviations of in-distribution graphs:
//
//	(1 − (1−keep)·w)·z(base) + w·z(extra) + max(0, base − limit)
//
// with keep = ¼, limit = 2.5 and z in units of the batch with the given scores. Where
// the evidence for the ratio is complete, w = 1, single graphs still have a say.
// The last term is for a graph that is alone of its kind: a density ratio sees what is
// common in the batch, and may put such a graph inside.
func blend(w float64, base, extra []float64) Sum {
	return Sum{[2]float64{1 - (1-keep)*w, w}, [2]near.Scale{near.ScaleOf(base), near.ScaleOf(extra)}, limit}
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

// gate turns evidence, the cross-validated AUC of telling a batch from a bank of
// the given sizes in the mean of the heads, into the weight of the density ratio, from 0
// to 1: half of what it lies above the ½ of a batch that looks like the bank, less one, in
// standard errors. An AUC of so many graphs that have nothing to tell apart has the
// variance (n+m+1)/(12·n·m) of the rank-sum test; the mean of four varies less.
func gate(evidence float64, batch, bank int) float64 {
	if batch == 0 || bank == 0 {
		return 0
	}
	n, m := float64(batch), float64(bank)
	z := (evidence - 0.5) / math.Sqrt((n+m+1)/(12*n*m))
	return max(0, min(1, (z-gateLow)/gateWidth))
}

const gateLow, gateWidth = 1, 2
