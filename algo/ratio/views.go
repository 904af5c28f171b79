package ratio

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/internal/parallel"
	"baca/algo/near"
)

// Views of graphs as vectors.
const (
	viewEmbedding = iota // contrast.Representation.Q
	viewSubtrees         // counts of subtrees in buckets
	viewCloseness        // how similar to the bank the subtrees are, and how many
	viewJoint            // that and counts of the common subtrees
	views
)

const buckets = 256

// commonest is how many subtrees have a column of their own, the most frequent in the bank. All
// others share one.
const commonest = 64

// Closeness has one minus the similarities to the closest, fifth and tenth closest bank graphs that
// differ, as sets and with counts, the number of subtrees, its logarithm, and all squares: a graph
// can be unusual by being too close.
//
// Bank graphs, each compared with the others, and new ID graphs must look alike here. So nothing in
// it was trained on the bank, and equal graphs are omitted: otherwise a batch of training graphs
// would look out-of-distribution, as each is in the bank itself.
const (
	closeRanks   = 3
	closeColumns = 2*closeRanks + 2
)

// squareClip bounds what is squared, in deviations of the bank.
const squareClip = 4

// A Bank is the ID bank that batches are compared with. Goroutines may share it.
type Bank struct {
	near *near.Bank

	index func() *fingerprint.Index // of near.Graphs

	mu    sync.Mutex
	views *bankViews // nil before the first estimate
}

// NewBank returns a bank, which the first estimate prepares.
func NewBank(b *near.Bank) *Bank {
	return &Bank{near: b, index: sync.OnceValue(func() *fingerprint.Index {
		if b.Subtrees.Len() == b.Graphs.Len() {
			return b.Subtrees
		}
		return fingerprint.NewIndex(b.Graphs.Prints)
	})}
}

// Graphs were compared with a bank.
type Graphs struct {
	*contrast.Representation
	close [][closeColumns]float64
}

// Measure compares graphs with the bank.
func (b *Bank) Measure(ctx context.Context, workers int, graphs *contrast.Representation) (*Graphs, error) {
	return b.measure(ctx, workers, graphs, false)
}

// measure compares graphs with the bank. With own they are the bank's graphs, and none is compared with itself.
func (b *Bank) measure(ctx context.Context, workers int, graphs *contrast.Representation, own bool) (*Graphs, error) {
	g := &Graphs{graphs, make([][closeColumns]float64, graphs.Len())}
	index, m := b.index(), b.near.Graphs.Len()
	err := parallel.For(ctx, workers, graphs.Len(), func(_, i int) {
		p, c, leave := graphs.Prints[i], &g.close[i], -1
		if own {
			leave = i
		}
		_, sets, counts := index.Closest(p, leave)
		for k, rank := range []int{1, 5, fingerprint.Ranks} {
			// Each graph of the bank has only m−1 others.
			at := max(1, min(rank, m-1)) - 1
			c[k], c[closeRanks+k] = 1-sets[at], 1-counts[at]
		}
		size := 0.0
		for _, n := range p.Counts {
			size += float64(n)
		}
		c[2*closeRanks], c[2*closeRanks+1] = size, math.Log1p(size)
	})
	return g, err
}

// bankViews has the bank's data for each view.
type bankViews struct {
	common   map[uint32]int           // columns of common subtrees
	scales   [closeColumns]near.Scale // of the columns of closeness, before squares
	standard [views]*near.Standardizer
	rows     [views][]float32 // standardised
}

// prepare computes the views of the bank once.
func (b *Bank) prepare(ctx context.Context, workers int) (*bankViews, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.views != nil {
		return b.views, nil
	}
	g, err := b.measure(ctx, workers, b.near.Graphs, true)
	if err != nil {
		return nil, err
	}
	s := &bankViews{common: commonSubtrees(g.Prints)}
	values := make([]float64, g.Len())
	for c := range s.scales {
		for i := range values {
			values[i] = g.close[i][c]
		}
		s.scales[c] = near.ScaleOf(values)
	}
	s.standard[viewEmbedding], s.rows[viewEmbedding] = b.near.Standard, b.near.Keys
	for v := viewSubtrees; v < views; v++ {
		rows := s.raw(v, g)
		s.standard[v] = near.NewStandardizer(rows, len(rows)/g.Len())
		s.rows[v] = s.standard[v].Apply(rows)
	}
	b.views = s
	return s, nil
}

// apply returns the standardised rows of a view.
func (s *bankViews) apply(v int, g *Graphs) []float32 { return s.standard[v].Apply(s.raw(v, g)) }

// raw returns the rows of a view, not standardised. In viewCloseness each value is followed by its square, of the value
// standardised by the bank and clipped to ±squareClip.
func (s *bankViews) raw(v int, g *Graphs) []float32 {
	switch v {
	case viewEmbedding:
		return g.Q
	case viewSubtrees:
		return sketches(g.Representation)
	case viewJoint:
		return s.joint(g)
	}
	rows := make([]float32, 0, g.Len()*2*closeColumns)
	for i := range g.close {
		for c, scale := range s.scales {
			x := g.close[i][c]
			z := max(-squareClip, min(squareClip, (x-scale.Mean)/scale.Deviation))
			rows = append(rows, float32(x), float32(z*z))
		}
	}
	return rows
}

// joint returns for each graph its closeness and, as log1p, the counts of each common subtree and the count of all
// others.
func (s *bankViews) joint(g *Graphs) []float32 {
	width := closeColumns + len(s.common) + 1
	rows := make([]float32, g.Len()*width)
	for i, p := range g.Prints {
		row := rows[i*width : (i+1)*width]
		for c, x := range g.close[i] {
			row[c] = float32(x)
		}
		counts := row[closeColumns:]
		for k, key := range p.Keys {
			c, ok := s.common[key]
			if !ok {
				c = len(s.common)
			}
			counts[c] += float32(p.Counts[k])
		}
		logarithms(counts)
	}
	return rows
}

// commonSubtrees returns a column for each of the commonest subtrees, in descending order of how many prints have them,
// ties by key.
func commonSubtrees(prints []fingerprint.Print) map[uint32]int {
	holders := map[uint32]int{}
	for _, p := range prints {
		for _, key := range p.Keys {
			holders[key]++
		}
	}
	keys := slices.SortedFunc(maps.Keys(holders), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(holders[b], holders[a]), cmp.Compare(a, b))
	})
	columns := map[uint32]int{}
	for c, key := range keys[:min(commonest, len(keys))] {
		columns[key] = c
	}
	return columns
}

// sketches returns log1p of the counts of subtrees, in buckets by key.
func sketches(r *contrast.Representation) []float32 {
	rows := make([]float32, r.Len()*buckets)
	for i, p := range r.Prints {
		row := rows[i*buckets : (i+1)*buckets]
		for k, key := range p.Keys {
			row[key%buckets] += float32(p.Counts[k])
		}
		logarithms(row)
	}
	return rows
}

// logarithms replaces counts by log1p of them.
func logarithms(counts []float32) {
	for i, x := range counts {
		if x > 0 {
			counts[i] = float32(math.Log1p(float64(x)))
		}
	}
}
