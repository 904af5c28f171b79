package near

import (
	"math"

	"baca/algo/fingerprint"
)

// Shares say what the distance of one graph is made of, in units of Scores.
type Shares struct {
	// Embedding and Subtrees are what these parts add to the score, 0 being what they add for
	// training graphs on average.
	Embedding, Subtrees float64
	// Coordinates has what each coordinate of the outline adds by being larger than that
	// of the nearest embedding of the bank. What is smaller adds too, but no node has
	// what is missing, and it is not in here.
	Coordinates []float64
	// Keys has what each key of the print adds that the closest graph of the bank
	// lacks, by sets and by counts, and Lacks how much of it that one lacks, from 0 to 1. They
	// are nil where a graph of the bank has the same print.
	Keys, Lacks [2][]float64
}

// Shares takes apart the score of graph i of d.
func (b *Bank) Shares(d *Distances, i int) Shares {
	s := Shares{
		Embedding:   b.unit(ByEmbedding) * (d.parts[ByEmbedding][i] - b.scales.Parts[ByEmbedding].Mean),
		Coordinates: b.coordinates(d.graphs.Row(i)),
	}
	for m, part := range []int{BySubtrees, ByCounts} {
		unit := b.unit(part)
		s.Subtrees += unit * (d.parts[part][i] - b.scales.Parts[part].Mean)
		s.Keys[m], s.Lacks[m], _ = b.Subtrees.Lacks(d.graphs.Prints[i], fingerprint.Measure(m))
		for k := range s.Keys[m] {
			s.Keys[m][k] *= unit
		}
	}
	return s
}

// unit is what a part adds to the score for each unit of what is measured.
func (b *Bank) unit(part int) float64 {
	return weights[part] / (b.scales.Parts[part].Deviation * b.scales.Sum.Deviation)
}

// coordinates parts the distance to the nearest embedding, which is Σ d²/distance.
func (b *Bank) coordinates(q []float32) []float64 {
	at := make([]float32, len(q))
	b.Standard.apply(at, q, len(q))
	nearest, least := b.landmarks.nearest(at, -1)
	shares := make([]float64, len(q))
	if nearest < 0 || least == 0 {
		return shares
	}
	unit := b.unit(ByEmbedding) / math.Sqrt(least)
	for t, x := range b.landmarks.row(nearest) {
		if d := float64(at[t]) - float64(x); d > 0 {
			shares[t] = unit * d * d
		}
	}
	return shares
}
