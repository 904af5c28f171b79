package wgsl

import (
	"fmt"
	"math"
	"slices"

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

// largest has the largest sizes of all chunks.
func (b *batch) largest() (most chunk) {
	for _, c := range b.chunks {
		most.n, most.rows, most.graphs = max(most.n, c.n), max(most.rows, c.rows), max(most.graphs, c.graphs)
		most.segments, most.pairs = max(most.segments, c.segments), max(most.pairs, c.pairs)
	}
	return most
}

// piece appends an entry of a work list: eight words, of which those left out are 0.
func (b *batch) piece(w ...uint32) {
	var p [8]uint32
	copy(p[:], w)
	b.tables = append(b.tables, p[:]...)
}

// nodeBytes estimates how many bytes of the device a node takes, in all buffers and in the one where it takes most.
func nodeBytes(c gin.Config, training bool) (all, buffer int) {
	width := c.Width()
	deep := (c.Layers-1)*c.Hidden + max(c.Features, graph.EncodingWidth) // inputs of all layers
	// Nodes and node heads of both views, unit rows with their sums, inputs and hidden values of the layers.
	values := 2*3*width + 3*width + 2*(deep+width)
	if training {
		values += 2*3*width + 2*width + 2*c.Hidden
	}
	return 4 * values, 4 * max(width, deep, c.Features+graph.EncodingWidth+1)
}

// A load is what graphs take of the device.
type load struct{ nodes, edges, pairs int }

// loadOf returns what g takes of the device: its nodes, both directions of its edges and, in training, the pairs of nodes
// that the loss of nodes compares. That loss takes at most contrast.MaxNodes nodes.
func loadOf(g *graph.Graph, training bool) load {
	rows := 0
	if training {
		rows = min(g.N(), contrast.MaxNodes)
	}
	return load{g.N(), len(g.Neighbors), rows * rows}
}

// buffer returns the bytes of the largest buffer, where a buffer takes at most perNode bytes for each node.
func (l load) buffer(perNode int) int { return max(l.nodes*perNode, 4*l.pairs, 4*(l.edges+8*l.nodes)) }

// cut divides graphs into chunks that fit on the device. Chunk k ends before gs[ends[k]]. A graph that takes more than all
// of the memory is a chunk by itself; one that takes more than a buffer may hold is an error.
func (d *Device) cut(c gin.Config, gs []*graph.Graph, training bool) (ends []int, err error) {
	perNode, perNodeInBuffer := nodeBytes(c, training)
	var sum load
	for k, g := range gs {
		own := loadOf(g, training)
		if own.buffer(perNodeInBuffer) > d.limits.Binding {
			return nil, d.tooLarge(g, own.buffer(perNodeInBuffer), perNodeInBuffer, training)
		}
		more := load{sum.nodes + own.nodes, sum.edges + own.edges, sum.pairs + own.pairs}
		full := more.buffer(perNodeInBuffer) > d.limits.Binding || more.nodes*perNode+4*more.pairs > d.memory
		if full && sum.nodes > 0 {
			ends, more = append(ends, k), own
		}
		sum = more
	}
	return append(ends, len(gs)), nil
}

// tooLarge says which size of graph would fit.
func (d *Device) tooLarge(g *graph.Graph, need, node int, training bool) error {
	limit := d.limits.Binding
	fits := limit / max(node, 4*(len(g.Neighbors)/max(g.N(), 1)+8))
	if training && 4*contrast.MaxNodes*contrast.MaxNodes > limit {
		fits = min(fits, int(math.Sqrt(float64(limit/4))))
	}
	return &SizeError{
		Device: d.String(), What: fmt.Sprintf("a graph of %d nodes and %d edges", g.N(), g.M()), Need: need, Have: limit,
		Fits: fmt.Sprintf("graphs of this kind with up to %d nodes", fits),
	}
}

// pack adds graphs first to end of the batch as a chunk. With training set it adds the backward
// pass of ℓ_n, with its gradient times scale.
func (b *batch) pack(gs []*graph.Graph, first, end int, training bool, scale float32) {
	c := chunk{first: first, graphs: end - first}
	var offsets, neighbors, graphOf, segmentFirst, graphSegment, row, rowFirst []uint32
	var x, xs, share []float32
	for k, g := range gs[first:end] {
		n, edges := g.N(), uint32(len(neighbors))
		for _, o := range g.Offsets[:n] {
			offsets = append(offsets, edges+uint32(o))
		}
		for _, j := range g.Neighbors {
			neighbors = append(neighbors, uint32(c.n)+uint32(j))
		}
		graphSegment = append(graphSegment, uint32(len(segmentFirst)))
		for i := range n {
			graphOf = append(graphOf, uint32(k))
			if i%segment == 0 {
				segmentFirst = append(segmentFirst, uint32(c.n+i))
			}
		}
		// The rows of ℓ_n, evenly spaced as in contrast.NodeScore. A single node has no ℓ_n.
		rowFirst = append(rowFirst, uint32(len(row)))
		rows, part := min(n, contrast.MaxNodes), float32(0)
		if n > 1 {
			part = 1 / float32(rows)
		}
		for i := range rows {
			row, share = append(row, uint32(c.n+i*n/rows)), append(share, part)
		}
		x, xs = append(x, g.X...), append(xs, g.XS...)
		c.n += n
	}
	c.segments, c.rows = len(segmentFirst), len(row)
	c.offsets = b.table(append(offsets, uint32(len(neighbors))))
	c.neighbors, c.graphOf = b.table(neighbors), b.table(graphOf)
	c.segmentFirst = b.table(append(segmentFirst, uint32(c.n)))
	c.graphSegment = b.table(append(graphSegment, uint32(c.segments)))
	rowFirst = append(rowFirst, uint32(c.rows))
	c.row, c.rowFirst = b.table(row), b.table(rowFirst)
	b.packWork(&c, rowFirst, training, scale)
	c.x = len(b.inputs)
	c.xs, c.share = c.x+len(x), c.x+len(x)+len(xs)
	b.inputs = slices.Concat(b.inputs, x, xs, share)
	b.chunks = append(b.chunks, c)
}

// table appends a table and returns its place.
func (b *batch) table(values []uint32) (at int) {
	at = len(b.tables)
	b.tables = append(b.tables, values...)
	return at
}

// packWork lists the tiles of ℓ_n: sums over rows, and with training set its gradients, for each graph a
// square of row pairs.
func (b *batch) packWork(c *chunk, rowFirst []uint32, training bool, scale float32) {
	// each calls f with the first row of each graph and how many it has, and returns where the list that f adds begins.
	each := func(f func(lo, n int)) int {
		at := len(b.tables)
		for k := range c.graphs {
			f(int(rowFirst[k]), int(rowFirst[k+1]-rowFirst[k]))
		}
		return at
	}
	c.sums = each(func(lo, n int) { c.sumCount += b.rowTiles(nodeTile, lo, n, lo, n, lo, 1) })
	if !training {
		return
	}
	c.pairWork = each(func(lo, n int) {
		s := scale / float32(max(n, 1))
		if n < 2 {
			s = 0
		}
		c.pairCount += b.pairTiles(nodeTile, lo, n, lo, n, c.pairs, s)
		c.pairs += n * n
	})
	pairs := 0
	c.mulWork = each(func(lo, n int) {
		c.mulCount += b.rowTiles(nodeTile, lo, n, lo, n, pairs, n)
		pairs += n * n
	})
}

// rowTiles lists rows i0 to i0+m, in tiles, against rows j0 to j0+n. Values of a row begin at place at,
// those of the next row stride places later.
func (b *batch) rowTiles(tile, i0, m, j0, n, at, stride int) (count int) {
	for i := 0; i < m; i += tile {
		b.piece(words(i0+i, min(tile, m-i), j0, n, at+i*stride, stride)...)
		count++
	}
	return count
}

// pairTiles lists the pairs of the same rows in square tiles, with the scale of their gradient.
func (b *batch) pairTiles(tile, i0, m, j0, n, at int, scale float32) (count int) {
	for i := 0; i < m; i += tile {
		for j := 0; j < n; j += tile {
			b.piece(words(i0+i, min(tile, m-i), j0+j, min(tile, n-j), at+i*n+j, n, int(math.Float32bits(scale)))...)
			count++
		}
	}
	return count
}
