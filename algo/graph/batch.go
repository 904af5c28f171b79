package graph

import (
	"fmt"
	"math"
)

// A Batch is the disjoint union of some graphs, nodes numbered consecutively. It refers to the
// graphs and copies only their edges. Reset reuses its memory.
type Batch struct {
	Graphs   []*Graph
	Features int
	// Offsets and Neighbors of the union, as in Graph.
	Offsets, Neighbors []int32

	first []int // B+1: graph k has nodes first[k] to first[k+1]
}

// Reset makes b the union of gs. It panics unless all have the same number of features. Readers of the structure view need
// encodings, see [Graph.EncodeStructure].
func (b *Batch) Reset(gs []*Graph) {
	b.Graphs, b.first = gs, append(b.first[:0], 0)
	if len(gs) > 0 {
		b.Features = gs[0].Features
	}
	n := 0
	b.Offsets, b.Neighbors = append(b.Offsets[:0], 0), b.Neighbors[:0]
	for _, g := range gs {
		if g.Features != b.Features || len(g.X) != g.N()*g.Features {
			panic(fmt.Sprintf("graph: batch of %d features got a graph of %d nodes, %d features and %d feature values",
				b.Features, g.N(), g.Features, len(g.X)))
		}
		if n+g.N() > math.MaxInt32 || len(b.Neighbors)+len(g.Neighbors) > math.MaxInt32 {
			panic(fmt.Sprintf("graph: a batch of more than %d nodes or edges", math.MaxInt32))
		}
		edges := int32(len(b.Neighbors))
		for _, o := range g.Offsets[1:] {
			b.Offsets = append(b.Offsets, edges+o)
		}
		for _, j := range g.Neighbors {
			b.Neighbors = append(b.Neighbors, int32(n)+j)
		}
		n += g.N()
		b.first = append(b.first, n)
	}
}

// N returns the number of nodes of all graphs.
func (b *Batch) N() int { return b.first[len(b.first)-1] }

// Nodes returns the node range [lo, hi) of graph k.
func (b *Batch) Nodes(k int) (lo, hi int) { return b.first[k], b.first[k+1] }
