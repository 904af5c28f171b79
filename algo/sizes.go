package algo

import (
	"math"

	"baca/algo/near"
)

// Sizes says what the length of both parts is for training graphs of each size, so that a
// large molecule of a set of mostly small ones is compared with its like. The numbers of
// nodes go from Low to High, those of the smallest and the largest training graph.
type Sizes struct {
	Low, High       int
	Mean, Deviation [SizeKnots]float64 // at sizes evenly spaced by logarithm
}

// SizeKnots is the number of sizes at which a curve is kept. Between them it is straight.
const SizeKnots = 16

// sizeWidth is the width, in logarithms of the number of nodes, over which sizes are
// smoothed, and sizePrior how many graphs of the mean of all sizes are added to each.
const sizeWidth, sizePrior = 0.2, 20

// newSizes fits a curve to the sums of graphs with these numbers of nodes.
func newSizes(nodes []int, sums []float64) *Sizes {
	s := &Sizes{Low: math.MaxInt}
	for _, n := range nodes {
		s.Low, s.High = min(s.Low, n), max(s.High, n)
	}
	all := near.ScaleOf(sums)
	for k := range s.Mean {
		at := s.knot(k)
		weight, mean := float64(sizePrior), float64(sizePrior*all.Mean)
		weights := make([]float64, len(nodes))
		for i, n := range nodes {
			z := (math.Log(float64(n)) - at) / sizeWidth
			weights[i] = math.Exp(-float64(z*z) / 2)
			weight += weights[i]
			mean += float64(weights[i] * sums[i])
		}
		mean /= weight
		square := float64(sizePrior * all.Deviation * all.Deviation)
		for i, x := range sums {
			square += float64(weights[i] * (x - mean) * (x - mean))
		}
		s.Mean[k], s.Deviation[k] = mean, math.Sqrt(square/weight)
	}
	return s
}

// knot returns the logarithm of the size at a knot.
func (s *Sizes) knot(k int) float64 {
	low, high := math.Log(float64(s.Low)), math.Log(float64(s.High))
	return low + float64((high-low)*float64(k))/(SizeKnots-1)
}

// at returns mean and deviation at a size within the curve.
func (s *Sizes) at(nodes float64) (mean, deviation float64) {
	at, step := 0.0, (s.knot(SizeKnots-1)-s.knot(0))/(SizeKnots-1)
	if step > 0 {
		at = (math.Log(nodes) - s.knot(0)) / step
	}
	k := max(0, min(int(at), SizeKnots-2))
	t := at - float64(k)
	return s.Mean[k] + float64(t*(s.Mean[k+1]-s.Mean[k])), s.Deviation[k] + float64(t*(s.Deviation[k+1]-s.Deviation[k]))
}

// standardize returns a sum in deviations of training graphs of that many nodes. Beyond
// the sizes of the training set it only ever makes a graph look further outside.
func (s *Sizes) standardize(sum float64, nodes int) float64 {
	mean, deviation := s.at(float64(max(s.Low, min(s.High, nodes))))
	z := (sum - mean) / deviation
	if nodes < s.Low || nodes > s.High {
		middle := SizeKnots / 2
		z = max(z, (sum-s.Mean[middle])/s.Deviation[middle])
	}
	return z
}

// between returns the part of the curve from one size to another.
func (s *Sizes) between(low, high int) *Sizes {
	part := &Sizes{Low: max(low, s.Low), High: min(high, s.High)}
	part.High = max(part.Low, part.High)
	for k := range part.Mean {
		part.Mean[k], part.Deviation[k] = s.at(math.Exp(part.knot(k)))
	}
	return part
}
