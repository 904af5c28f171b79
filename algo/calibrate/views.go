package calibrate

import (
	"context"
	"math"

	"baca/algo/contrast"
	"baca/algo/internal/parallel"
)

// The views of graphs that a density ratio has, each a vector.
const (
	viewEmbedding = iota // Q
	viewSubtrees         // counts of subtrees in buckets
	viewCloseness        // how similar to the bank the subtrees are, and how many
	views
)

// buckets is the width of the view of subtrees.
const buckets = 256

// The view of closeness has for sets of subtrees and with counts how far the graph is
// from its nearest, fifth and tenth graph of the bank, its number of subtrees and the
// logarithm of that. A graph can be unusual by being closer to all than graphs of the
// bank are to each other, so the squares of all of these are there too.
//
// Graphs of the bank, each compared with the others, and further ID graphs must look
// alike here. So nothing in it was trained on the bank, and graphs of the bank that have
// the very same subtrees are left out: else a batch of training graphs would be told from
// the bank by each having itself in it, and would look out-of-distribution.
const (
	closeRanks   = 3
	closeColumns = 2*closeRanks + 2
)

// squareClip bounds what is squared, in deviations of the bank.
const squareClip = 4

// A bankSide is the bank as the views have it.
type bankSide struct {
	scales   [closeColumns]Scale // of the columns of closeness, before squares
	standard [views]*Standardizer
	rows     [views][]float32 // standardised
}

// bankSide prepares the views of the bank once.
func (n *Neighborhood) bankSide(ctx context.Context, workers int) (*bankSide, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.side != nil {
		return n.side, nil
	}
	m := n.bank.Len()
	s := &bankSide{}
	d := newNearness(m)
	const piece = 32
	err := parallel.For(ctx, workers, (m+piece-1)/piece, func(_, k int) {
		for i := k * piece; i < min(m, (k+1)*piece); i++ {
			n.print(d, i, n.bank.Prints[i], i)
		}
	})
	if err != nil {
		return nil, err
	}
	values := make([]float64, m)
	for c := range s.scales {
		for i := range values {
			values[i] = column(d, i, c)
		}
		s.scales[c] = ScaleOf(values)
	}
	s.standard[viewEmbedding], s.rows[viewEmbedding] = n.standard, n.keys
	for v := viewSubtrees; v < views; v++ {
		rows := s.raw(v, n.bank, d)
		s.standard[v] = NewStandardizer(rows, s.dim(v, n.bank))
		s.rows[v] = s.standard[v].Apply(rows)
	}
	n.side = s
	return s, nil
}

// dim is the width of a view.
func (s *bankSide) dim(v int, r *contrast.Representation) int {
	switch v {
	case viewEmbedding:
		return r.Dim()
	case viewSubtrees:
		return buckets
	}
	return 2 * closeColumns
}

// apply returns the standardised rows of a view of graphs.
func (s *bankSide) apply(v int, r *contrast.Representation, d *Nearness) []float32 {
	return s.standard[v].Apply(s.raw(v, r, d))
}

func (s *bankSide) raw(v int, r *contrast.Representation, d *Nearness) []float32 {
	switch v {
	case viewEmbedding:
		return r.Q
	case viewSubtrees:
		return sketches(r)
	}
	rows := make([]float32, 0, r.Len()*2*closeColumns)
	for i := range r.Len() {
		for c, scale := range s.scales {
			x := column(d, i, c)
			z := max(-squareClip, min(squareClip, (x-scale.Mean)/scale.Deviation))
			rows = append(rows, float32(x), float32(z*z))
		}
	}
	return rows
}

// column is one of closeness, before squares.
func column(d *Nearness, graph, c int) float64 {
	switch {
	case c < 2*closeRanks:
		return d.close[graph][c]
	case c == 2*closeRanks:
		return d.sizes[graph]
	}
	return math.Log1p(d.sizes[graph])
}

// sketches are log1p of the counts of subtrees, in buckets.
func sketches(r *contrast.Representation) []float32 {
	rows := make([]float32, r.Len()*buckets)
	for i, p := range r.Prints {
		p.Sketch(rows[i*buckets : (i+1)*buckets])
	}
	for i, x := range rows {
		if x > 0 {
			rows[i] = float32(math.Log1p(float64(x)))
		}
	}
	return rows
}
