package background

import (
	"math"
	"slices"

	"baca/algo/near"
)

// Sizes has mean and deviation of the summed parts by size of training graph, so that large
// molecules are compared with their like. Only what large graphs have more is subtracted; small
// graphs are compared with all. Sizes range from Low to High nodes, the smallest and largest
// training graph.
//
// Of held-out molecules in the largest fifth 7.5 % are outside at α = 5 %, without it 14 %.
type Sizes struct {
	Low, High       int
	Mean, Deviation [SizeKnots]float64 // at sizes evenly spaced by logarithm
}

// SizeKnots is the number of knots; the curve is linear in between.
const SizeKnots = 16

// sizeWidth is the smoothing width in log nodes, sizePrior the number of graphs of the overall mean
// added at each knot.
const sizeWidth, sizePrior = 0.2, 20

// sizeEffect multiplies the excess of large training graphs. With 1, 9 % of the largest fifth are
// outside: new large molecules exceed training ones.
const sizeEffect = 1.5

// NewSizes fits the curve to the sums of graphs with these numbers of nodes.
func NewSizes(nodes []int, sums []float64) *Sizes {
	sorted := slices.Sorted(slices.Values(nodes))
	s := &Sizes{Low: sorted[0], High: sorted[len(sorted)-1]}
	median := math.Log(float64(sorted[len(sorted)/2]))
	all := near.ScaleOf(sums)
	for k := range s.Mean {
		s.Mean[k], s.Deviation[k] = all.Mean, all.Deviation
		at := s.knot(k)
		if at <= median {
			continue // small graphs are compared with all
		}
		// Mean and deviation of graphs of about this size, weighed by a normal curve, with the prior.
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
		s.Mean[k] += float64(sizeEffect * max(0, mean-all.Mean))
		s.Deviation[k] += float64(sizeEffect * max(0, math.Sqrt(square/weight)-all.Deviation))
	}
	return s
}

// knot returns the logarithm of the size at knot k. Knots are evenly spaced from Low to High on this scale.
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

// Of returns mean and deviation for graphs of that many nodes. Beyond the smallest and the largest training
// graph it returns those of small graphs: nothing excuses such sizes.
func (s *Sizes) Of(nodes int) (mean, deviation float64) {
	if nodes < s.Low || nodes > s.High {
		return s.Mean[0], s.Deviation[0]
	}
	return s.at(float64(nodes))
}

// Between returns the curve between two sizes, as far as s has them.
func (s *Sizes) Between(low, high int) *Sizes {
	part := &Sizes{Low: max(low, s.Low), High: min(high, s.High)}
	part.High = max(part.Low, part.High)
	for k := range part.Mean {
		part.Mean[k], part.Deviation[k] = s.at(math.Exp(part.knot(k)))
	}
	return part
}
