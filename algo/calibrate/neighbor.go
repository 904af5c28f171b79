package calibrate

import (
	"context"
	"math"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// A Neighborhood scores graphs one by one, without a batch, by how far each is from
// the nearest graphs of the ID bank. It takes three distances: that of the
// embeddings, standardised, and one minus the similarity of the subtrees, as sets
// and with counts. Each is put in units of what graphs of the bank have to their
// nearest other, and the score is their mean. An encoder sees what the
// subtrees cannot and the reverse, and no one of the three is good on all data. The
// mean is in units of the bank too: 0 and 1 are mean and standard deviation of its own
// graphs. It is read-only and may be shared by goroutines.
type Neighborhood struct {
	standard *Standardizer
	keys     []float32      // of the bank, standardised
	packed   *kernel.Packed // the same
	squares  []float32      // |key|²/2
	prints   *fingerprint.Index
	scales   [distances]Scale
	scale    Scale // of the mean of the three
}

// distances is how many a Neighborhood takes.
const distances = 3

// scaleSample bounds the graphs of the bank that the scales are measured on.
const scaleSample = 300

// NewNeighborhood prepares a bank, which must not be empty and must have prints.
func NewNeighborhood(ctx context.Context, workers int, bank *contrast.Representation) (*Neighborhood, error) {
	m, dim := bank.Len(), bank.Dim()
	n := &Neighborhood{standard: NewStandardizer(bank.Q, dim), prints: fingerprint.NewIndex(bank.Prints)}
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
	d, err := n.distances(ctx, workers, bank.Select(own), own)
	for k := range d {
		n.scales[k] = ScaleOf(d[k])
	}
	n.scale = ScaleOf(n.mean(d))
	return n, err
}

// mean is that of the three distances, each in units of the bank.
func (n *Neighborhood) mean(d [distances][]float64) []float64 {
	mean := make([]float64, len(d[0]))
	for k := range d {
		for i, z := range n.scales[k].Standardize(d[k]) {
			mean[i] += z / distances
		}
	}
	return mean
}

// Scores returns the score of each graph. It depends on nothing but the graph.
func (n *Neighborhood) Scores(ctx context.Context, workers int, r *contrast.Representation) ([]float64, error) {
	d, err := n.distances(ctx, workers, r, nil)
	if err != nil {
		return nil, err
	}
	return n.scale.Standardize(n.mean(d)), nil
}

// neighborChunk graphs are compared with the bank by one product.
const neighborChunk = 16

// distances returns the three distances of each graph to the bank, without the
// graph's own[i] if own is not nil. A bank of that graph alone is at distance 0.
//
// A product of 2·dim operations finds which embedding is nearest; its distance is
// then taken without the rounding of large squares that cancel.
func (n *Neighborhood) distances(ctx context.Context, workers int, r *contrast.Representation, own []int) ([distances][]float64, error) {
	var d [distances][]float64
	for k := range d {
		d[k] = make([]float64, r.Len())
	}
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
				d[0][i] = math.Sqrt(sum)
			}
			sets, counts := n.prints.Best(r.Prints[i], leave)
			d[1][i], d[2][i] = 1-sets, 1-counts
		}
	})
	return d, err
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
