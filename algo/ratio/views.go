package ratio

import (
	"context"
	"math"
	"sync"

	"baca/algo/contrast"
	"baca/algo/near"
)

// The views of graphs, each a vector.
const (
	viewEmbedding = iota // contrast.Representation.Q
	viewSubtrees         // counts of subtrees in buckets
	viewCloseness        // how similar to the bank the subtrees are, and how many
	views
)

// buckets is the width of the view of subtrees.
const buckets = 256

// The view of closeness has near.Distances.Close, the number of subtrees and the
// logarithm of that. A graph can be unusual by being closer to all than graphs of the
// bank are to each other, so the squares of all of these are there too.
//
// Graphs of the bank, each compared with the others, and further ID graphs must look
// alike here. So nothing in it was trained on the bank, and graphs of the bank that have
// the very same subtrees are left out: else a batch of training graphs would be told from
// the bank by each having itself in it, and would look out-of-distribution.
const closeColumns = 2*near.CloseRanks + 2

// squareClip bounds what is squared, in deviations of the bank.
const squareClip = 4

// A Bank is the ID bank that batches are compared with. Several goroutines may use it at
// once.
type Bank struct {
	near *near.Bank

	mu    sync.Mutex
	views *bankViews // nil before the first estimate
}

// NewBank returns the bank for estimates. It is prepared by the first of them.
func NewBank(b *near.Bank) *Bank { return &Bank{near: b} }

// bankViews are the bank as the views have it.
type bankViews struct {
	scales   [closeColumns]near.Scale // of the columns of closeness, before squares
	standard [views]*near.Standardizer
	rows     [views][]float32 // standardised
}

// prepare makes the views of the bank once.
func (b *Bank) prepare(ctx context.Context, workers int) (*bankViews, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.views != nil {
		return b.views, nil
	}
	d, err := b.near.LeaveOut(ctx, workers)
	if err != nil {
		return nil, err
	}
	s := &bankViews{}
	values := make([]float64, d.Graphs.Len())
	for c := range s.scales {
		for i := range values {
			values[i] = column(d, i, c)
		}
		s.scales[c] = near.ScaleOf(values)
	}
	s.standard[viewEmbedding], s.rows[viewEmbedding] = b.near.Standard, b.near.Keys
	for v := viewSubtrees; v < views; v++ {
		rows := s.raw(v, d)
		s.standard[v] = near.NewStandardizer(rows, len(rows)/d.Graphs.Len())
		s.rows[v] = s.standard[v].Apply(rows)
	}
	b.views = s
	return s, nil
}

// apply returns the standardised rows of a view of graphs.
func (s *bankViews) apply(v int, d *near.Distances) []float32 {
	return s.standard[v].Apply(s.raw(v, d))
}

func (s *bankViews) raw(v int, d *near.Distances) []float32 {
	switch v {
	case viewEmbedding:
		return d.Graphs.Q
	case viewSubtrees:
		return sketches(d.Graphs)
	}
	rows := make([]float32, 0, d.Graphs.Len()*2*closeColumns)
	for i := range d.Graphs.Len() {
		for c, scale := range s.scales {
			x := column(d, i, c)
			z := max(-squareClip, min(squareClip, (x-scale.Mean)/scale.Deviation))
			rows = append(rows, float32(x), float32(z*z))
		}
	}
	return rows
}

// column is one of closeness, before squares.
func column(d *near.Distances, graph, c int) float64 {
	switch {
	case c < 2*near.CloseRanks:
		return d.Close[graph][c]
	case c == 2*near.CloseRanks:
		return d.Sizes[graph]
	}
	return math.Log1p(d.Sizes[graph])
}

// sketches are log1p of the counts of subtrees, in buckets by key.
func sketches(r *contrast.Representation) []float32 {
	rows := make([]float32, r.Len()*buckets)
	for i, p := range r.Prints {
		row := rows[i*buckets : (i+1)*buckets]
		for k, key := range p.Keys {
			row[key%buckets] += float32(p.Counts[k])
		}
		for b, x := range row {
			if x > 0 {
				row[b] = float32(math.Log1p(float64(x)))
			}
		}
	}
	return rows
}
