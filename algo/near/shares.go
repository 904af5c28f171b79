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
	// lacks, by sets and by counts, and what each adds that no training graph has. Lacks is how
	// much of it they lack, from 0 to 1. They are nil where nothing is lacking.
	Keys, Lacks [3][]float64
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
	if d.graphs.NodeScore == nil {
		b.novel(&s, d, i)
	}
	return s
}

// novel adds what keys that no training graph has add, which is the same of each.
func (b *Bank) novel(s *Shares, d *Distances, i int) {
	unit, novelty, p := b.unit(ByRest), d.parts[ByRest][i], d.graphs.Prints[i]
	s.Subtrees += unit * (novelty - b.scales.Parts[ByRest].Mean)
	if novelty == 0 {
		return
	}
	last := len(s.Keys) - 1
	s.Keys[last], s.Lacks[last] = make([]float64, len(p.Keys)), make([]float64, len(p.Keys))
	for k, key := range p.Keys {
		if b.Subtrees.Holders(key) == 0 {
			s.Keys[last][k], s.Lacks[last][k] = unit*novelty/math.Expm1(novelty), 1
		}
	}
}

// unit is what a part adds to the score for each unit of what is measured.
func (b *Bank) unit(part int) float64 {
	return b.weights[part] / (b.scales.Parts[part].Deviation * b.scales.Sum.Deviation)
}

// coordinates parts the distance to the nearest embedding, which is Σ d²/distance.
func (b *Bank) coordinates(q []float32) []float64 {
	at := make([]float32, len(q))
	b.Standard.apply(at, q, len(q))
	s := search{landmarks: b.landmarks, queries: at}
	s.measure()
	nearest, least := s.nearest(0, -1)
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
