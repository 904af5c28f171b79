package calibrate

import (
	"fmt"
	"math"

	"baca/algo/fingerprint"
)

// Parts returns the parts of the score of each graph, each in standard deviations of
// what graphs of the bank have to their nearest other, 0 being the mean. Their weighted
// sum, standardised the same way, is the score.
func (n *Neighborhood) Parts(d *Nearness) [Parts][]float64 {
	var z [Parts][]float64
	for k := range z {
		z[k] = n.scales[k].Standardize(d.parts[k])
	}
	return z
}

// Gradient returns the derivative of the score by the embedding of a graph, a row of
// contrast.Representation.Q: how the distance to the nearest embedding of the bank
// changes, with that one held fast. The rounding of coordinates is passed over, as it
// has no derivative of its own; where a coordinate is clipped, its derivative is 0.
// The other parts do not depend on the embedding.
func (n *Neighborhood) Gradient(q []float32) []float64 {
	dim := len(n.standard.mean)
	if len(q) != dim {
		panic(fmt.Sprintf("calibrate: embedding of %d values, the bank's have %d", len(q), dim))
	}
	at := n.standard.Apply(q)
	nearest, least := 0, math.Inf(1)
	for k := range n.squares {
		sum := 0.0
		for t, x := range n.keys[k*dim : (k+1)*dim] {
			e := float64(x) - float64(at[t])
			sum += float64(e * e)
		}
		if sum < least {
			nearest, least = k, sum
		}
	}
	gradient := make([]float64, dim)
	if least == 0 {
		return gradient
	}
	unit := weights[ByEmbedding] / (n.scale.Deviation * n.scales[ByEmbedding].Deviation * math.Sqrt(least))
	for t, x := range n.keys[nearest*dim : (nearest+1)*dim] {
		if math.Abs(float64(at[t])) < clip {
			gradient[t] = unit * (float64(at[t]) - float64(x)) * n.standard.inverse[t]
		}
	}
	return gradient
}

// Prints returns the index of the subtrees of the bank.
func (n *Neighborhood) Prints() *fingerprint.Index { return n.prints }
