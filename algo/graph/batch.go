package graph

import "fmt"

// A Batch is the disjoint union of some graphs, its nodes numbered through.
// Reset may be called again and again; the buffers are reused.
type Batch struct {
	Graphs    []int32 // B+1: graph k has nodes Graphs[k] to Graphs[k+1]
	Offsets   []int32 // N+1
	Neighbors []int32
	X         []float32 // N×Features
	XS        []float32 // N×EncodingWidth
	Features  int
}

// Reset makes b the union of gs, which must have the same number of features
// and their structural encodings (see [Graph.EncodeStructure]).
func (b *Batch) Reset(gs []*Graph) {
	b.Graphs = append(b.Graphs[:0], 0)
	b.Offsets = append(b.Offsets[:0], 0)
	b.Neighbors, b.X, b.XS = b.Neighbors[:0], b.X[:0], b.XS[:0]
	if len(gs) > 0 {
		b.Features = gs[0].Features
	}
	for _, g := range gs {
		if g.Features != b.Features || len(g.X) != g.N()*g.Features || len(g.XS) != g.N()*EncodingWidth {
			panic(fmt.Sprintf("graph: batch of %d features got a graph of %d nodes, %d features, %d feature values and %d encoding values",
				b.Features, g.N(), g.Features, len(g.X), len(g.XS)))
		}
		node, entry := b.Graphs[len(b.Graphs)-1], int32(len(b.Neighbors))
		for _, o := range g.Offsets[1:] {
			b.Offsets = append(b.Offsets, entry+o)
		}
		for _, v := range g.Neighbors {
			b.Neighbors = append(b.Neighbors, node+v)
		}
		b.X = append(b.X, g.X...)
		b.XS = append(b.XS, g.XS...)
		b.Graphs = append(b.Graphs, node+int32(g.N()))
	}
}

// Len returns the number of graphs.
func (b *Batch) Len() int { return len(b.Graphs) - 1 }

// N returns the number of nodes of all graphs.
func (b *Batch) N() int { return len(b.Offsets) - 1 }
