package wgsl

import (
	"fmt"
	"math"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
)

// segment nodes of a graph are summed by one thread, a larger graph in segments.
const segment = 256

// nodeTile is the tile of the ℓ_n shaders in rows, graphTile that of ℓ_g. Most molecules have fewer
// atoms than the first, most batches more graphs than the second.
const (
	nodeTile  = 32
	graphTile = 64
)

// A chunk is a part of a batch whose activations fit on the device: some graphs as one CSR, and
// work lists for the shaders.
type chunk struct {
	first, graphs int // of the batch
	n             int // nodes
	segments      int
	rows          int // nodes that take part in ℓ_n
	pairs         int // values of the gradient of ℓ_n by cosines

	// Offsets in the tables.
	offsets, neighbors, graphOf, segmentFirst, graphSegment int
	row, rowFirst                                           int
	sums, pairWork, mulWork                                 int
	sumCount, pairCount, mulCount                           int
	// Offsets in the inputs.
	x, xs, share int // share: 1/rows of the graph, for each row
}

// A batch is the upload for some graphs.
type batch struct {
	chunks []chunk
	tables []uint32
	inputs []float32
}

// piece appends an entry of a work list.
func (b *batch) piece(w ...uint32) {
	var p [8]uint32
	copy(p[:], w)
	b.tables = append(b.tables, p[:]...)
}

// nodeBytes estimates a node's device memory, and the largest buffer's share of it.
func nodeBytes(c gin.Config, training bool) (all, buffer int) {
	width := c.Width()
	deep := (c.Layers-1)*c.Hidden + max(c.Features, graph.EncodingWidth)
	values := 2*3*width + 3*width + 2*(deep+width)
	if training {
		values += 2*3*width + 2*width + 2*c.Hidden
	}
	return 4 * values, 4 * max(width, deep, c.Features+graph.EncodingWidth+1)
}

// cut divides graphs into chunks that fit on the device.
func (d *Device) cut(c gin.Config, gs []*graph.Graph, training bool) (ends []int, err error) {
	all, most := nodeBytes(c, training)
	limit := d.limits.Binding
	nodes, edges, pairs := 0, 0, 0
	for k, g := range gs {
		n := g.N()
		p := min(n, contrast.MaxNodes)
		p *= p
		if !training {
			p = 0
		}
		if n*most > limit || 4*p > limit || 4*(len(g.Neighbors)+8*n) > limit {
			what := fmt.Sprintf("a graph of %d nodes and %d edges", n, g.M())
			fits := limit / max(most, 4*(len(g.Neighbors)/max(n, 1)+8))
			if training && 4*contrast.MaxNodes*contrast.MaxNodes > limit {
				fits = min(fits, int(math.Sqrt(float64(limit/4))))
			}
			return nil, &SizeError{
				Device: d.String(), What: what, Need: max(n*most, 4*p, 4*(len(g.Neighbors)+8*n)), Have: limit,
				Fits: fmt.Sprintf("graphs of this kind with up to %d nodes", fits),
			}
		}
		full := (nodes+n)*most > limit || 4*(pairs+p) > limit || 4*(edges+len(g.Neighbors)+8*(nodes+n)) > limit ||
			(nodes+n)*all+4*(pairs+p) > d.memory
		if k > 0 && full && nodes > 0 {
			ends = append(ends, k)
			nodes, edges, pairs = 0, 0, 0
		}
		nodes, edges, pairs = nodes+n, edges+len(g.Neighbors), pairs+p
	}
	return append(ends, len(gs)), nil
}

// pack adds graphs first to end of the batch as a chunk. With training set it adds the backward
// pass of ℓ_n, with its gradient times scale.
func (b *batch) pack(gs []*graph.Graph, first, end int, training bool, scale float32) {
	c := chunk{first: first, graphs: end - first}
	at := func() int { return len(b.tables) }
	c.offsets = at()
	edges := uint32(0)
	for _, g := range gs[first:end] {
		for _, o := range g.Offsets[:g.N()] {
			b.tables = append(b.tables, edges+uint32(o))
		}
		edges += uint32(len(g.Neighbors))
	}
	b.tables = append(b.tables, edges)
	c.neighbors = at()
	for _, g := range gs[first:end] {
		for _, j := range g.Neighbors {
			b.tables = append(b.tables, uint32(c.n)+uint32(j))
		}
		c.n += g.N()
	}
	c.graphOf = at()
	for k, g := range gs[first:end] {
		for range g.N() {
			b.tables = append(b.tables, uint32(k))
		}
	}
	c.segmentFirst = at()
	node := 0
	var graphSegment, rowFirst []uint32
	for _, g := range gs[first:end] {
		graphSegment = append(graphSegment, uint32(c.segments))
		for lo := 0; lo < g.N(); lo += segment {
			b.tables = append(b.tables, uint32(node+lo))
			c.segments++
		}
		node += g.N()
	}
	b.tables = append(b.tables, uint32(node))
	c.graphSegment = at()
	b.tables = append(append(b.tables, graphSegment...), uint32(c.segments))
	// The rows of ℓ_n, as in contrast.NodeScore.
	c.row, node = at(), 0
	for _, g := range gs[first:end] {
		n := g.N()
		rows := min(n, contrast.MaxNodes)
		rowFirst = append(rowFirst, uint32(c.rows))
		for k := range rows {
			b.tables = append(b.tables, uint32(node+k*n/rows))
		}
		c.rows += rows
		node += n
	}
	rowFirst = append(rowFirst, uint32(c.rows))
	c.rowFirst = at()
	b.tables = append(b.tables, rowFirst...)
	c.sums = at()
	for k := range c.graphs {
		lo, hi := int(rowFirst[k]), int(rowFirst[k+1])
		for i := lo; i < hi; i += nodeTile {
			b.piece(words(i, min(nodeTile, hi-i), lo, hi-lo, i)...)
			c.sumCount++
		}
	}
	if training {
		b.packPairs(&c, rowFirst, scale)
	}
	c.x = len(b.inputs)
	for _, g := range gs[first:end] {
		b.inputs = append(b.inputs, g.X...)
	}
	c.xs = len(b.inputs)
	for _, g := range gs[first:end] {
		b.inputs = append(b.inputs, g.XS...)
	}
	c.share = len(b.inputs)
	for k := range c.graphs {
		rows := rowFirst[k+1] - rowFirst[k]
		for range rows {
			share := float32(0) // a single node has no ℓ_n
			if rows > 1 {
				share = 1 / float32(rows)
			}
			b.inputs = append(b.inputs, share)
		}
	}
	b.chunks = append(b.chunks, c)
}

// packPairs lists the tiles of ℓ_n's gradients: for each graph a square of row pairs.
func (b *batch) packPairs(c *chunk, rowFirst []uint32, scale float32) {
	c.pairWork = len(b.tables)
	for k := range c.graphs {
		lo, hi := int(rowFirst[k]), int(rowFirst[k+1])
		n := hi - lo
		s := scale / float32(max(n, 1))
		if n < 2 {
			s = 0
		}
		for i := 0; i < n; i += nodeTile {
			for j := 0; j < n; j += nodeTile {
				b.piece(uint32(lo+i), uint32(min(nodeTile, n-i)), uint32(lo+j), uint32(min(nodeTile, n-j)),
					uint32(c.pairs+i*n+j), uint32(n), math.Float32bits(s))
				c.pairCount++
			}
		}
		c.pairs += n * n
	}
	c.mulWork = len(b.tables)
	pairs := 0
	for k := range c.graphs {
		lo, hi := int(rowFirst[k]), int(rowFirst[k+1])
		n := hi - lo
		for i := 0; i < n; i += nodeTile {
			b.piece(words(lo+i, min(nodeTile, n-i), lo, n, pairs+i*n, n)...)
			c.mulCount++
		}
		pairs += n * n
	}
}
