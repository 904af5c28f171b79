package near

import (
	"math"

	"baca/algo/fingerprint"
)

// Shares splits the distance of one graph, in units of Scores.
type Shares struct {
	// Embedding and Subtrees are what these parts add, 0 at the mean of training graphs.
	Embedding, Subtrees float64
	// Coordinates has what each coordinate of the outline adds by exceeding the nearest embedding.
	// Smaller coordinates add too, but belong to no node and are not included.
	Coordinates []float64
	// Keys has what each key of the print adds that the closest training graph lacks, by sets and
	// by counts, and that no training graph has. Lacks is the part of it that is lacking, from 0 to
	// 1. They are nil where nothing is lacking.
	Keys, Lacks [3][]float64
}

// Shares splits the score of graph i of d.
func (b *Bank) Shares(d *Distances, i int) Shares {
	s := Shares{
		Embedding:   b.unit(ByEmbedding) * (d.parts[ByEmbedding][i] - b.scales.Parts[ByEmbedding].Mean),
		Coordinates: b.coordinates(d.graphs.Row(i)),
	}
	for m, part := range []int{BySubtrees, ByCounts} {
		unit := b.unit(part)
		s.Subtrees += float64(unit * (d.parts[part][i] - b.scales.Parts[part].Mean))
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

// novel adds the shares of keys that no training graph has, equal for each.
func (b *Bank) novel(s *Shares, d *Distances, i int) {
	unit, novelty, p := b.unit(ByRest), d.parts[ByRest][i], d.graphs.Prints[i]
	s.Subtrees += float64(unit * (novelty - b.scales.Parts[ByRest].Mean))
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

// unit is the slope of the score by a part.
func (b *Bank) unit(part int) float64 {
	return b.weights[part] / (b.scales.Parts[part].Deviation * b.scales.Sum.Deviation)
}

// coordinates splits the distance to the nearest embedding, which is Σ d²/distance.
func (b *Bank) coordinates(q []float32) []float64 {
	at := make([]float32, len(q))
	b.Standard.apply(at, q, len(q))
	s := search{landmarks: b.landmarks, queries: at}
	s.measure()
	nearest, least := s.nearest(0, -1)
	shares := make([]float64, len(q))
	unit := b.unit(ByEmbedding) / math.Sqrt(least)
	for t, x := range b.landmarks.row(nearest) {
		if d := float64(at[t]) - float64(x); d > 0 { // of no coordinate at distance 0
			shares[t] = unit * d * d
		}
	}
	return shares
}
