package calibrate

import (
	"context"
	"math"
	"sync"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// A Neighborhood scores graphs one by one, without a batch, by how far each is from
// the nearest graphs of the ID bank. It takes four parts: the distance of the
// embeddings, standardised; one minus the similarity of the subtrees, as sets and with
// counts (see fingerprint.Index.Closest); and ℓ_n, how badly the encoder's two views
// of each node agree. Each is put in units of what graphs of the bank have to their
// nearest other, and the score is their weighted sum. An encoder sees what the subtrees
// cannot and the reverse, and no one part is good on all data; ℓ_n tells apart graphs
// that are all equal to some graph of the bank. The sum is in units of the bank too:
// 0 and 1 are mean and standard deviation of its own graphs. It is read-only to its
// users and may be shared by goroutines.
type Neighborhood struct {
	bank     *contrast.Representation
	standard *Standardizer
	keys     []float32      // of the bank, standardised
	packed   *kernel.Packed // the same
	squares  []float32      // |key|²/2
	prints   *fingerprint.Index
	ranks    [closeRanks]int // which of the closest graphs count, from 0
	typical  float64         // stands for ℓ_n where it is not defined
	scales   [Parts]Scale
	scale    Scale // of the weighted sum of the parts

	mu   sync.Mutex
	side *bankSide // what a density ratio needs, once one is estimated
}

// The parts of the score of a Neighborhood, as indices.
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

// NewNeighborhood prepares a bank, which must not be empty and must have prints, and
// is kept.
func NewNeighborhood(ctx context.Context, workers int, bank *contrast.Representation) (*Neighborhood, error) {
	m, dim := bank.Len(), bank.Dim()
	n := &Neighborhood{
		bank: bank, standard: NewStandardizer(bank.Q, dim), prints: fingerprint.NewIndex(bank.Prints),
		typical: bank.MeanNodeScore(),
	}
	for k, rank := range []int{1, 5, fingerprint.Ranks} {
		// Each graph of the bank has only m−1 others.
		n.ranks[k] = max(1, min(rank, m-1)) - 1
	}
	n.keys = n.standard.Apply(bank.Q)
	n.packed = kernel.Pack(kernel.Dense(n.keys, m, dim))
	n.squares = make([]float32, m)
	for i := range n.squares {
		key := n.keys[i*dim : (i+1)*dim]
		n.squares[i] = kernel.Dot(key, key) / 2
	}
	own := make([]int, min(m, scaleSample))
	for k := range own {
		own[k] = k * m / len(own)
	}
	d, err := n.measure(ctx, workers, bank.Select(own), own)
	if err != nil {
		return nil, err
	}
	for k := range n.scales {
		n.scales[k] = ScaleOf(d.parts[k])
	}
	n.scale = ScaleOf(n.sum(d))
	return n, nil
}

// A Nearness is how near some graphs are to a bank: what a Neighborhood and a density
// ratio know of them.
type Nearness struct {
	parts [Parts][]float64 // as measured
	// close is one minus the similarities of the subtrees of each graph to the closest
	// ones that do not equal them, as sets and then with counts, and sizes are the
	// numbers of subtrees.
	close [][2 * closeRanks]float64
	sizes []float64
}

// sum is the weighted one of the parts, each in units of the bank.
func (n *Neighborhood) sum(d *Nearness) []float64 {
	sum := make([]float64, len(d.sizes))
	for k, part := range n.Parts(d) {
		for i, z := range part {
			sum[i] += float64(weights[k] * z)
		}
	}
	return sum
}

// Scores returns the score of each graph. It depends on nothing but the graph.
func (n *Neighborhood) Scores(d *Nearness) []float64 { return n.scale.Standardize(n.sum(d)) }

// neighborChunk graphs are compared with the bank by one product.
const neighborChunk = 16

// Measure compares graphs with the bank.
func (n *Neighborhood) Measure(ctx context.Context, workers int, r *contrast.Representation) (*Nearness, error) {
	return n.measure(ctx, workers, r, nil)
}

// LeaveOut compares each graph of the bank with the others.
func (n *Neighborhood) LeaveOut(ctx context.Context, workers int) (*Nearness, error) {
	own := make([]int, n.bank.Len())
	for i := range own {
		own[i] = i
	}
	return n.measure(ctx, workers, n.bank, own)
}

// measure leaves out the bank's own[i] for graph i if own is not nil. A bank of that
// graph alone is at distance 0.
//
// A product of 2·dim operations finds which embedding is nearest; its distance is
// then taken without the rounding of large squares that cancel.
func (n *Neighborhood) measure(ctx context.Context, workers int, r *contrast.Representation, own []int) (*Nearness, error) {
	d := newNearness(r.Len())
	q, dim, m := n.standard.Apply(r.Q), r.Dim(), len(n.squares)
	products := make([][]float32, parallel.Workers(workers))
	pieces := (r.Len() + neighborChunk - 1) / neighborChunk
	err := parallel.For(ctx, workers, pieces, func(worker, piece int) {
		if products[worker] == nil {
			products[worker] = make([]float32, neighborChunk*m)
		}
		lo := piece * neighborChunk
		rows := kernel.Dense(q, r.Len(), dim).RowRange(lo, min(r.Len(), lo+neighborChunk))
		product := kernel.Dense(products[worker][:rows.Rows*m], rows.Rows, m)
		kernel.MulPacked(product, rows, n.packed, 0, m)
		for k := range rows.Rows {
			i, leave := lo+k, -1
			if own != nil {
				leave = own[i]
			}
			nearest, most := -1, float32(math.Inf(-1))
			for j, x := range product.Row(k) {
				// |q−k|² is least where q·k − |k|²/2 is largest.
				if x -= n.squares[j]; x > most && j != leave {
					nearest, most = j, x
				}
			}
			if nearest >= 0 {
				sum := 0.0
				for t, x := range n.keys[nearest*dim : (nearest+1)*dim] {
					e := float64(x) - float64(rows.Row(k)[t])
					sum += float64(e * e)
				}
				d.parts[ByEmbedding][i] = math.Sqrt(sum)
			}
			if d.parts[ByNodes][i] = r.NodeScore[i]; math.IsNaN(r.NodeScore[i]) {
				d.parts[ByNodes][i] = n.typical
			}
			n.print(d, i, r.Prints[i], leave)
		}
	})
	return d, err
}

func newNearness(n int) *Nearness {
	d := &Nearness{close: make([][2 * closeRanks]float64, n), sizes: make([]float64, n)}
	for k := range d.parts {
		d.parts[k] = make([]float64, n)
	}
	return d
}

// print measures the subtrees of graph i.
func (n *Neighborhood) print(d *Nearness, i int, p fingerprint.Print, leave int) {
	equal, sets, counts := n.prints.Closest(p, leave)
	for k, rank := range n.ranks {
		d.close[i][k], d.close[i][closeRanks+k] = 1-sets[rank], 1-counts[rank]
	}
	if equal == 0 {
		d.parts[BySubtrees][i], d.parts[ByCounts][i] = 1-sets[0], 1-counts[0]
	}
	for _, c := range p.Counts {
		d.sizes[i] += float64(c)
	}
}

// Distances returns the distances of the embedding of graph i of r to those of the
// bank, in standard deviations of the bank.
func (n *Neighborhood) Distances(r *contrast.Representation, i int) []float64 {
	dim := r.Dim()
	q := n.standard.Apply(r.Q[i*dim : (i+1)*dim])
	d := make([]float64, len(n.squares))
	for k := range d {
		sum := 0.0
		for t, x := range n.keys[k*dim : (k+1)*dim] {
			e := float64(x) - float64(q[t])
			sum += float64(e * e)
		}
		d[k] = math.Sqrt(sum)
	}
	return d
}
