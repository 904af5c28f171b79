// Package near measures how far graphs are from the nearest training graphs: Bank.Measure, then
// Bank.Scores. With the ratio of package background that is the score of a single graph.
package near

import (
	"context"
	"math"
	"slices"
	"sync"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/internal/parallel"
)

// A Bank holds training graphs to compare others with. The distance of a graph is a weighted sum of parts: the
// standardised distance of the embeddings; one minus the similarity of the subtrees, as sets and with counts (see
// fingerprint.Index.Best); and ℓ_n for graphs with a single feature, or log(1 + n) for n subtrees that no training
// graph has. No part alone is good on all data. Each part, and the sum, is standardised by what the bank's graphs have
// to their nearest other. A Bank is read-only; goroutines may share it.
//
// The embedding is that of contrast.Outline: for graphs with features the feature view. The
// structure view and ℓ_n take nine tenths of encoding and find hardly more. Batches use both.
type Bank struct {
	// Graphs are landmarks, the training set or a sample of it. Embeddings are compared with them.
	Graphs   *contrast.Representation
	Standard *Standardizer // of both views
	Keys     []float32     // the embeddings, standardised
	// Subtrees are those of the whole training set.
	Subtrees *fingerprint.Index

	places    []int      // of Graphs in Subtrees
	dim       int        // of the part of Keys that outlines have
	landmarks *landmarks // that part
	typical   float64    // replaces ℓ_n where it is NaN
	weights   [Parts]float64
	scales    Scales
}

// Scales standardise parts and sum by the bank's own graphs.
type Scales struct {
	Parts [Parts]Scale
	Sum   Scale // of the weighted sum of the parts
}

const (
	ByEmbedding = iota
	BySubtrees  // sets of subtrees
	ByCounts    // subtrees with counts
	ByRest      // ℓ_n, or for graphs with several features novelty
	Parts
)

// bareWeights are the weights of the parts for graphs with a single feature, weights those for others, chosen on the
// validation pairs, where nearby values do as well. Of molecules the embedding finds less than any other part.
var (
	bareWeights = [Parts]float64{1, 2, 2, 0.3}
	weights     = [Parts]float64{0.4, 2, 2, 2}
)

// scaleSample bounds the graphs that scales are measured on.
const scaleSample = 300

// NewBank prepares at least one graph, with prints, which the bank keeps. subtrees are those of the
// training set from which Place picked the graphs, or nil for those of the graphs. scales are
// Bank.Scales of an equal bank, or nil to measure them.
func NewBank(ctx context.Context, workers int, graphs *contrast.Representation, subtrees *fingerprint.Index,
	scales *Scales) (*Bank, error) {
	m, own := graphs.Len(), graphs.Outline()
	if subtrees == nil {
		subtrees = fingerprint.NewIndex(graphs.Prints)
	}
	b := &Bank{
		Graphs: graphs, Standard: NewStandardizer(graphs.Q, graphs.Dim()), Subtrees: subtrees,
		places: make([]int, m), dim: own.Dim, typical: graphs.MeanNodeScore(), weights: weights,
	}
	if own.NodeScore != nil {
		b.weights = bareWeights
	}
	b.Keys = b.Standard.Apply(graphs.Q)
	view := make([]float32, 0, m*b.dim)
	for i := range m {
		b.places[i] = Place(i, m, subtrees.Len())
		view = append(view, b.Keys[i*graphs.Dim():][:b.dim]...)
	}
	b.landmarks = newLandmarks(view, b.dim)
	if scales != nil {
		b.scales = *scales
		return b, nil
	}
	sample := make([]int, min(m, scaleSample))
	for k := range sample {
		sample[k] = Place(k, len(sample), m)
	}
	d, err := b.measure(ctx, workers, graphs.Select(sample).Outline(), sample)
	if err != nil {
		return nil, err
	}
	for k := range b.scales.Parts {
		b.scales.Parts[k] = ScaleOf(d.parts[k])
	}
	b.scales.Sum = ScaleOf(b.sum(d))
	return b, nil
}

// Scales returns the scales that were given or measured.
func (b *Bank) Scales() Scales { return b.scales }

// Place returns which of n graphs is the k-th of m evenly picked ones.
func Place(k, m, n int) int { return k * n / m }

// Distances of graphs from a bank.
type Distances struct {
	graphs *contrast.Outline
	parts  [Parts][]float64 // as measured
	equal  []bool           // see Equal
}

// Parts returns the parts of each graph's score, standardised by the bank's graphs. Scores is their
// standardised weighted sum.
func (b *Bank) Parts(d *Distances) [Parts][]float64 {
	var z [Parts][]float64
	for k := range z {
		z[k] = b.scales.Parts[k].Standardize(d.parts[k])
	}
	return z
}

func (b *Bank) sum(d *Distances) []float64 {
	sum := make([]float64, d.graphs.Len())
	for k, part := range b.Parts(d) {
		for i, z := range part {
			sum[i] += float64(b.weights[k] * z)
		}
	}
	return sum
}

// Scores returns the score of each graph. It depends only on the graph.
func (b *Bank) Scores(d *Distances) []float64 { return b.scales.Sum.Standardize(b.sum(d)) }

// Measure compares graphs with the bank.
func (b *Bank) Measure(ctx context.Context, workers int, graphs *contrast.Outline) (*Distances, error) {
	return b.measure(ctx, workers, graphs, nil)
}

// LeaveOut compares each landmark with the others, and its subtrees with those of all other training graphs.
func (b *Bank) LeaveOut(ctx context.Context, workers int) (*Distances, error) {
	own := make([]int, b.Graphs.Len())
	for i := range own {
		own[i] = i
	}
	return b.measure(ctx, workers, b.Graphs.Outline(), own)
}

const measureChunk = 16

// measure leaves out the bank's own[i] for graph i unless own is nil. A bank of that graph alone is at distance 0.
func (b *Bank) measure(ctx context.Context, workers int, graphs *contrast.Outline, own []int) (*Distances, error) {
	n, dim := graphs.Len(), b.dim
	d := &Distances{graphs: graphs, equal: make([]bool, n)}
	all := make([]float64, n*Parts)
	for k := range d.parts {
		d.parts[k] = all[k*n : (k+1)*n]
	}
	searches := make([]*search, parallel.Workers(workers))
	err := parallel.For(ctx, workers, (n+measureChunk-1)/measureChunk, func(worker, piece int) {
		from, to := piece*measureChunk, min(n, (piece+1)*measureChunk)
		if searches[worker] == nil {
			searches[worker] = spare.Get().(*search)
			searches[worker].landmarks = b.landmarks
		}
		s := searches[worker]
		s.queries = slices.Grow(s.queries[:0], measureChunk*dim)[:(to-from)*dim]
		for i := from; i < to; i++ {
			b.Standard.apply(s.query(i-from), graphs.Row(i), dim)
		}
		s.measure()
		for i := from; i < to; i++ {
			leave, place := -1, -1
			if own != nil {
				leave, place = own[i], b.places[own[i]]
			}
			_, square := s.nearest(i-from, leave)
			d.parts[ByEmbedding][i] = math.Sqrt(square)
			best, novel := b.Subtrees.Best(graphs.Prints[i], place)
			d.parts[BySubtrees][i], d.parts[ByCounts][i] = 1-best[fingerprint.Sets].Similarity, 1-best[fingerprint.Counts].Similarity
			d.equal[i] = best[fingerprint.Counts].Equal
			d.parts[ByRest][i] = b.unexplained(graphs, i, novel)
		}
	})
	for _, s := range searches {
		if s != nil {
			s.landmarks = nil
			spare.Put(s)
		}
	}
	return d, err
}

// spare keeps the memory of searches.
var spare = sync.Pool{New: func() any { return new(search) }}

// unexplained is ℓ_n of graph i, or log(1 + n) for n subtrees that no other training graph has.
func (b *Bank) unexplained(graphs *contrast.Outline, i, novel int) float64 {
	switch {
	case graphs.NodeScore == nil:
		return math.Log1p(float64(novel))
	case math.IsNaN(graphs.NodeScore[i]):
		return b.typical
	}
	return graphs.NodeScore[i]
}

// SquaredDistance is Σ (a−b)², in float64.
func SquaredDistance(a, b []float32) float64 {
	sum := 0.0
	for t, x := range a {
		d := float64(x) - float64(b[t])
		sum += float64(d * d)
	}
	return sum
}

// Embeddings returns the distances of an embedding of both views, a row of
// contrast.Representation.Q, to the landmarks, in standard deviations.
func (b *Bank) Embeddings(q []float32) []float64 {
	at, dim := b.Standard.Apply(q), b.Graphs.Dim()
	distances := make([]float64, b.Graphs.Len())
	for k := range distances {
		distances[k] = math.Sqrt(SquaredDistance(b.Keys[k*dim:(k+1)*dim], at))
	}
	return distances
}
