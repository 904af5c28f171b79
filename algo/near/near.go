// Package near says how far graphs are from the nearest training graphs. With the
// ratio of package background that makes the score of one graph by itself.
package near

import (
	"context"
	"math"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// A Bank holds training graphs, ready to be compared with others. A graph's score is
// how far it is from the nearest of them. It has four parts: the distance of the
// embeddings, standardised; one minus the similarity of the subtrees, as sets and with
// counts (see fingerprint.Index.Closest); and ℓ_n, how badly the encoder's two views
// of each node agree. Each is put in units of what graphs of the bank have to their
// nearest other, and the score is their weighted sum. An encoder sees what the subtrees
// cannot and the reverse, and no one part is good on all data; ℓ_n tells apart graphs
// that are all equal to some graph of the bank. The sum is in units of the bank too:
// 0 and 1 are mean and standard deviation of its own graphs. A Bank is read-only, and
// several goroutines may use it at once.
type Bank struct {
	Graphs   *contrast.Representation
	Standard *Standardizer      // of the embeddings
	Keys     []float32          // the embeddings, standardised
	Subtrees *fingerprint.Index // of Graphs

	packed  *kernel.Packed  // Keys
	squares []float32       // |key|²/2
	ranks   [CloseRanks]int // which of the closest graphs count, from 0
	typical float64         // stands for ℓ_n where it is not defined
	scales  [Parts]Scale
	scale   Scale // of the weighted sum of the parts
}

// The parts of a score, as indices.
const (
	ByEmbedding = iota
	BySubtrees  // sets of subtrees
	ByCounts    // subtrees with counts
	ByNodes     // ℓ_n
	Parts
)

// weights are those of the parts. They were chosen on the validation pairs of the
// benchmark, where others about these do as well.
var weights = [Parts]float64{1, 2, 2, 0.3}

// scaleSample bounds the graphs of the bank that the scales are measured on.
const scaleSample = 300

// NewBank prepares graphs. There must be at least one, and they must have prints. The
// bank keeps the graphs.
func NewBank(ctx context.Context, workers int, graphs *contrast.Representation) (*Bank, error) {
	m, dim := graphs.Len(), graphs.Dim()
	b := &Bank{
		Graphs: graphs, Standard: NewStandardizer(graphs.Q, dim), Subtrees: fingerprint.NewIndex(graphs.Prints),
		squares: make([]float32, m), typical: graphs.MeanNodeScore(),
	}
	for k, rank := range []int{1, 5, fingerprint.Ranks} {
		// Each graph of the bank has only m−1 others.
		b.ranks[k] = max(1, min(rank, m-1)) - 1
	}
	b.Keys = b.Standard.Apply(graphs.Q)
	b.packed = kernel.Pack(kernel.Dense(b.Keys, m, dim))
	for i := range b.squares {
		b.squares[i] = kernel.Dot(b.key(i), b.key(i)) / 2
	}
	own := make([]int, min(m, scaleSample))
	for k := range own {
		own[k] = k * m / len(own)
	}
	d, err := b.measure(ctx, workers, graphs.Select(own), own)
	if err != nil {
		return nil, err
	}
	for k := range b.scales {
		b.scales[k] = ScaleOf(d.parts[k])
	}
	b.scale = ScaleOf(b.sum(d))
	return b, nil
}

func (b *Bank) key(i int) []float32 {
	dim := b.Graphs.Dim()
	return b.Keys[i*dim : (i+1)*dim]
}

// Distances say how far graphs are from a bank.
type Distances struct {
	Graphs *contrast.Representation
	// Close is one minus the similarities of the subtrees of each graph to the closest,
	// fifth and tenth closest ones of the bank that do not equal them, as sets and then
	// with counts.
	Close [][2 * CloseRanks]float64
	Sizes []float64 // numbers of subtrees

	parts [Parts][]float64 // as measured
}

// CloseRanks is how many of the closest graphs Distances.Close looks at.
const CloseRanks = 3

// Parts returns the parts of the score of each graph, each in standard deviations of
// what graphs of the bank have to their nearest other, 0 being the mean. Their weighted
// sum, standardised the same way, is the score.
func (b *Bank) Parts(d *Distances) [Parts][]float64 {
	var z [Parts][]float64
	for k := range z {
		z[k] = b.scales[k].Standardize(d.parts[k])
	}
	return z
}

// sum is the weighted one of the parts.
func (b *Bank) sum(d *Distances) []float64 {
	sum := make([]float64, len(d.Sizes))
	for k, part := range b.Parts(d) {
		for i, z := range part {
			sum[i] += float64(weights[k] * z)
		}
	}
	return sum
}

// Scores returns the score of each graph. It depends on nothing but the graph.
func (b *Bank) Scores(d *Distances) []float64 { return b.scale.Standardize(b.sum(d)) }

// Measure compares graphs with the bank.
func (b *Bank) Measure(ctx context.Context, workers int, graphs *contrast.Representation) (*Distances, error) {
	return b.measure(ctx, workers, graphs, nil)
}

// LeaveOut compares each graph of the bank with the others.
func (b *Bank) LeaveOut(ctx context.Context, workers int) (*Distances, error) {
	own := make([]int, b.Graphs.Len())
	for i := range own {
		own[i] = i
	}
	return b.measure(ctx, workers, b.Graphs, own)
}

// measureChunk graphs are compared with the bank by one product.
const measureChunk = 16

// measure leaves out the bank's own[i] for graph i if own is not nil. A bank of that
// graph alone is at distance 0.
//
// A product of 2·dim operations finds which embedding is nearest; its distance is
// then taken without the rounding of large squares that cancel.
func (b *Bank) measure(ctx context.Context, workers int, graphs *contrast.Representation, own []int) (*Distances, error) {
	n, dim, m := graphs.Len(), graphs.Dim(), len(b.squares)
	d := &Distances{Graphs: graphs, Close: make([][2 * CloseRanks]float64, n), Sizes: make([]float64, n)}
	for k := range d.parts {
		d.parts[k] = make([]float64, n)
	}
	q := b.Standard.Apply(graphs.Q)
	products := make([][]float32, parallel.Workers(workers))
	err := parallel.For(ctx, workers, (n+measureChunk-1)/measureChunk, func(worker, piece int) {
		if products[worker] == nil {
			products[worker] = make([]float32, measureChunk*m)
		}
		lo := piece * measureChunk
		rows := kernel.Dense(q, n, dim).RowRange(lo, min(n, lo+measureChunk))
		product := kernel.Dense(products[worker][:rows.Rows*m], rows.Rows, m)
		kernel.MulPacked(product, rows, b.packed, 0, m)
		for k := range rows.Rows {
			i, leave := lo+k, -1
			if own != nil {
				leave = own[i]
			}
			nearest, most := -1, float32(math.Inf(-1))
			for j, x := range product.Row(k) {
				// |q−k|² is least where q·k − |k|²/2 is largest.
				if x -= b.squares[j]; x > most && j != leave {
					nearest, most = j, x
				}
			}
			if nearest >= 0 {
				d.parts[ByEmbedding][i] = math.Sqrt(SquaredDistance(b.key(nearest), rows.Row(k)))
			}
			if d.parts[ByNodes][i] = graphs.NodeScore[i]; math.IsNaN(graphs.NodeScore[i]) {
				d.parts[ByNodes][i] = b.typical
			}
			b.measureSubtrees(d, i, leave)
		}
	})
	return d, err
}

// measureSubtrees compares the subtrees of graph i.
func (b *Bank) measureSubtrees(d *Distances, i, leave int) {
	p := d.Graphs.Prints[i]
	equal, sets, counts := b.Subtrees.Closest(p, leave)
	for k, rank := range b.ranks {
		d.Close[i][k], d.Close[i][CloseRanks+k] = 1-sets[rank], 1-counts[rank]
	}
	if equal == 0 {
		d.parts[BySubtrees][i], d.parts[ByCounts][i] = 1-sets[0], 1-counts[0]
	}
	for _, c := range p.Counts {
		d.Sizes[i] += float64(c)
	}
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

// Embeddings returns the distances of an embedding, a row of
// contrast.Representation.Q, to those of the bank, in standard deviations of the bank.
func (b *Bank) Embeddings(q []float32) []float64 {
	at := b.Standard.Apply(q)
	distances := make([]float64, len(b.squares))
	for k := range distances {
		distances[k] = math.Sqrt(SquaredDistance(b.key(k), at))
	}
	return distances
}
