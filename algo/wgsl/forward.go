package wgsl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
)

// places are the offsets of an encoder's layers in its parameters.
type places struct {
	gin.Config
	layers              [gin.Views][][2]linear
	graphHead, nodeHead [gin.Views][2]linear
	total               int
}

// linear is one layer, out×in, with the places of its weights and biases.
type linear struct{ in, out, w, b int }

// placesOf returns where the layers of an encoder begin in its parameters.
func placesOf(e *gin.Encoder) places {
	p := places{Config: e.Config}
	ts := e.Tensors()
	next := func() (m [2]linear) {
		for i := range m {
			s := ts[0].Shape
			m[i] = linear{in: s[1], out: s[0], w: p.total, b: p.total + len(ts[0].Data)}
			p.total = m[i].b + len(ts[1].Data)
			ts = ts[2:]
		}
		return m
	}
	for v := range gin.Views {
		for range e.Layers {
			p.layers[v] = append(p.layers[v], next())
		}
		p.graphHead[v] = next()
		p.nodeHead[v] = next()
	}
	return p
}

// maxFused is the largest width of a layer in one kernel.
const maxFused = 64

// layerNodes is how many nodes a workgroup of layer.wgsl computes.
const layerNodes = 32

// A space names the buffers of one chunk.
type space struct {
	tables, inputs, params Buffer
	unused                 [2]Buffer // for what a call does not write

	nodes, sums, mids                        [gin.Views]Buffer
	pooled, graphHidden, nodeHidden, nodeOut [gin.Views]Buffer
	part                                     Buffer
	uf, us, stats, rows, cols, loss, perRow  Buffer
}

// reserve allocates for the largest chunk, and for ℓ_g of a batch.
func (j *job) reserve(p *places, b *batch, params Buffer, graphs int, keep bool) space {
	most, width := b.largest(), p.Width()
	s := space{params: params}
	s.tables = j.buffer("tables", len(b.tables))
	s.inputs = j.buffer("inputs", len(b.inputs))
	s.unused = [2]Buffer{j.buffer("unused 1", 1), j.buffer("unused 2", 1)}
	for v := range gin.Views {
		name := func(what string) string { return fmt.Sprint(what, " ", v) }
		s.nodes[v] = j.buffer(name("nodes"), most.n*width)
		s.sums[v], s.mids[v] = s.unused[0], s.unused[1]
		in := p.layers[v][0][0].in
		if widest := max(in, p.Hidden); keep {
			s.sums[v] = j.buffer(name("sums"), most.n*(in+(p.Layers-1)*p.Hidden))
			s.mids[v] = j.buffer(name("hidden"), most.n*width)
		} else if widest > maxFused {
			s.sums[v] = j.buffer(name("sums"), most.n*widest)
			s.mids[v] = j.buffer(name("hidden"), most.n*p.Hidden)
		}
		s.pooled[v] = j.buffer(name("graphs"), most.graphs*width)
		s.graphHidden[v] = j.buffer(name("graph head"), most.graphs*width)
		s.nodeHidden[v] = j.buffer(name("node head"), most.n*width)
		s.nodeOut[v] = j.buffer(name("node projections"), most.n*width)
	}
	s.part = j.buffer("segments", most.segments*width)
	parts := max(most.rows, graphs*splits(graphs)) // of sums
	rows := max(most.rows, graphs)
	s.uf, s.us = j.buffer("unit rows 0", rows*width), j.buffer("unit rows 1", rows*width)
	s.stats = j.buffer("lengths", 3*rows)
	s.rows, s.cols = j.buffer("row sums", parts), j.buffer("column sums", parts)
	s.loss, s.perRow = j.buffer("losses", rows), j.buffer("loss sums", rows)
	return s
}

// A product is C = A·B, see gemm.wgsl.
type product struct {
	m, n, k                 int
	a, b, c, bias, mask     Buffer
	aAt, aRow, aCol         int
	bAt, bRow, bCol         int
	cAt, cRow               int
	biasAt, maskAt, maskRow int
	flags                   int
	slab, slabStride        int // 0: all terms at once
}

// The flags of gemm.wgsl.
const (
	withBias = 1 << iota
	withReLU
	withMask
	withOnes
)

// tileM is a tile's rows in gemm.wgsl, tileN its columns for a product with n.
const tileM = 64

// tileN returns how many columns a tile of a product with n columns has.
func tileN(n int) int {
	switch {
	case n <= 16:
		return 16
	case n <= 32:
		return 32
	}
	return 64
}

// multiply adds to the job the call of gemm.wgsl that computes p: a workgroup for each tile of C, and for each slab
// of terms if p cuts them.
func (j *job) multiply(s *space, p product) {
	tn := tileN(p.n)
	tilesM, tilesN := (p.m+tileM-1)/tileM, (p.n+tn-1)/tn
	slabs := 1
	if p.slab == 0 {
		p.slab = max(p.k, 1)
	} else {
		slabs = (p.k + p.slab - 1) / p.slab
	}
	// Each binding needs a buffer. The shader does not read these without their flags.
	if p.bias == 0 {
		p.bias = s.params
	}
	if p.mask == 0 {
		p.mask = s.params
	}
	groups := tilesM * tilesN * slabs
	j.call(fmt.Sprintf("gemm TM=%d TN=%d", tileM, tn), groups, words(
		p.m, p.n, p.k, p.flags,
		p.aAt, p.aRow, p.aCol, p.biasAt,
		p.bAt, p.bRow, p.bCol, p.maskAt,
		p.cAt, p.cRow, p.maskRow, p.slab,
		tilesM, tilesN, p.slabStride, groups,
	), p.a, p.b, p.bias, p.mask, p.c)
}

// view is a part of a buffer, as rows of values.
type view struct {
	buffer  Buffer
	at, row int
}

// apply computes y = x·Wᵀ + b for n rows.
func (j *job) apply(s *space, l linear, y, x view, n int, relu bool) {
	flags := withBias
	if relu {
		flags |= withReLU
	}
	j.multiply(s, product{
		m: n, n: l.out, k: l.in, flags: flags,
		a: x.buffer, aAt: x.at, aRow: x.row, aCol: 1,
		b: s.params, bAt: l.w, bRow: 1, bCol: l.in,
		c: y.buffer, cAt: y.at, cRow: y.row,
		bias: s.params, biasAt: l.b,
	})
}

// head computes a projection head for n rows.
func (j *job) head(s *space, m [2]linear, out, hidden, x view, n int) {
	j.apply(s, m[0], hidden, x, n, true)
	j.apply(s, m[1], out, hidden, n, false)
}

// sumAt returns where the input of a layer's MLP begins in s.sums, for n nodes.
func (p *places) sumAt(v, l, n int) int {
	if l == 0 {
		return 0
	}
	return n * (p.layers[v][0][0].in + (l-1)*p.Hidden)
}

// midAt returns where the hidden layer of that MLP begins in s.mids.
func (p *places) midAt(l, n int) int { return n * l * p.Hidden }

// forward encodes a chunk. Graph projections go to z, from row c.first on. With keep set, s.sums and s.mids keep the
// inputs of the backward pass. Layers of at most maxFused values run as one kernel.
func (j *job) forward(s *space, p *places, c *chunk, z [gin.Views]Buffer, keep bool) {
	width, d := p.Width(), p.Hidden
	for v := range gin.Views {
		for l := range p.Layers {
			m := p.layers[v][l]
			src := view{s.nodes[v], (l - 1) * d, width}
			if l == 0 {
				src = view{s.inputs, [gin.Views]int{c.x, c.xs}[v], m[0].in}
			}
			sum, mid := 0, 0
			if keep {
				sum, mid = p.sumAt(v, l, c.n), p.midAt(l, c.n)
			}
			if m[0].in <= maxFused && d <= maxFused {
				groups := (c.n + layerNodes - 1) / layerNodes
				j.call("layer", groups, words(
					c.n, m[0].in, d, groups,
					c.offsets, c.neighbors, src.at, src.row,
					m[0].w, m[0].b, m[1].w, m[1].b,
					l*d, width, flag(keep), sum, mid, flag(l == 0),
				), s.tables, s.inputs, s.params, s.nodes[v], s.sums[v], s.mids[v])
				continue
			}
			j.each("aggregate", c.n*m[0].in, words(c.n, m[0].in, c.offsets, c.neighbors, src.at, src.row, sum),
				s.tables, src.buffer, s.sums[v])
			j.apply(s, m[0], view{s.mids[v], mid, d}, view{s.sums[v], sum, m[0].in}, c.n, true)
			j.apply(s, m[1], view{s.nodes[v], l * d, width}, view{s.mids[v], mid, d}, c.n, true)
		}
		j.each("pool", c.segments*width, words(c.segments, width, c.segmentFirst, width, 0), s.tables, s.nodes[v], s.part)
		j.each("pool", c.graphs*width, words(c.graphs, width, c.graphSegment, width, 0), s.tables, s.part, s.pooled[v])
		j.head(s, p.graphHead[v], view{z[v], c.first * width, width}, view{s.graphHidden[v], 0, width},
			view{s.pooled[v], 0, width}, c.graphs)
		j.head(s, p.nodeHead[v], view{s.nodeOut[v], 0, width}, view{s.nodeHidden[v], 0, width}, view{s.nodes[v], 0, width}, c.n)
	}
}

// nodeLoss leaves ℓ of each row of a chunk in s.loss.
func (j *job) nodeLoss(s *space, p *places, c *chunk) {
	j.normalize(s, p.Width(), c.rows, c.row, s.nodeOut[gin.Feature], s.nodeOut[gin.Structure], s.uf, s.us)
	j.sums(nodeTile, p.Width(), c.sums, c.sumCount, s.tables, s.uf, s.us, s.rows)
	j.sums(nodeTile, p.Width(), c.sums, c.sumCount, s.tables, s.us, s.uf, s.cols)
	j.loss(s, c.rows, 1)
}

const inverse = 1 / float64(contrast.Temperature)

// normalize writes the unit rows of zf and zs to uf and us, and their lengths to s.stats.
func (j *job) normalize(s *space, width, rows, table int, zf, zs, uf, us Buffer) {
	j.call("normalize", rows, []uint32{uint32(rows), uint32(width), uint32(table), uint32(rows)}, s.tables, zf, zs, uf, us, s.stats)
}

// sums leaves the parts of Σ e^{cos/τ} of the rows a over the other rows of b in out.
func (j *job) sums(tile, width, list, count int, tables, a, b, out Buffer) {
	j.call(fmt.Sprintf("expsum TILE=%d", tile), count,
		[]uint32{uint32(width), uint32(list), bits(inverse), uint32(count)}, tables, a, b, out)
}

// loss computes the loss of each row from the sums in s.rows and s.cols.
func (j *job) loss(s *space, rows, splits int) {
	j.each("loss", rows, []uint32{uint32(rows), uint32(splits), bits(inverse)}, s.stats, s.rows, s.cols, s.loss)
}

// Encode implements gin.Device. Each chunk is one submission, uploaded while the previous one computes.
func (d *Device) Encode(ctx context.Context, e *gin.Encoder, gs []*graph.Graph, to *gin.Encoding) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := placesOf(e)
	if err := check(e, gs, to); err != nil {
		return err
	}
	ends, err := d.cut(e.Config, gs, false)
	if err != nil {
		return err
	}
	params, err := d.parameters(e)
	if err != nil {
		return err
	}
	before := func() error { return nil } // waits for the chunk before
	lo := 0
	for _, hi := range ends {
		if err := ctx.Err(); err != nil {
			break
		}
		pending, err := d.encode(&p, params, gs, lo, hi)
		if err != nil {
			before()
			return fits(err, hi-lo)
		}
		if err := before(); err != nil {
			return err
		}
		from := lo
		before = func() error {
			data, err := pending.Wait(ctx)
			if err != nil {
				return d.failed(err)
			}
			unpack(p.Width(), gs, from, hi, data, to)
			return nil
		}
		lo = hi
	}
	if err := before(); err != nil {
		return err
	}
	return ctx.Err()
}

// check panics if the buffers in to do not fit the graphs, and returns an error if the encoder cannot read these.
func check(e *gin.Encoder, gs []*graph.Graph, to *gin.Encoding) error {
	n, width := len(gs), e.Width()
	if len(to.Pooled) != 2*n*width || len(to.Projection[0]) != n*width || len(to.Projection[1]) != n*width || len(to.NodeLoss) != n {
		panic(fmt.Sprintf("wgsl: encoding of %d graphs of width %d into %d, %d, %d and %d values",
			n, width, len(to.Pooled), len(to.Projection[0]), len(to.Projection[1]), len(to.NodeLoss)))
	}
	return checkGraphs(e, gs)
}

// checkGraphs returns an error if a graph has other features than the encoder reads, or no structure view.
func checkGraphs(e *gin.Encoder, gs []*graph.Graph) error {
	for k, g := range gs {
		if g.Features != e.Features || len(g.X) != g.N()*g.Features || len(g.XS) != g.N()*graph.EncodingWidth {
			return fmt.Errorf("graph %d has %d node features and %d values of structure, the encoder reads %d and %d",
				k+1, g.Features, len(g.XS), e.Features, g.N()*graph.EncodingWidth)
		}
	}
	return nil
}

// parameters returns the buffer of the encoder's parameters. It uploads them if they differ from those of the last
// upload.
func (d *Device) parameters(e *gin.Encoder) (Buffer, error) {
	b, err := d.reserve("parameters", len(e.Params))
	if err != nil {
		return 0, err
	}
	if !slices.Equal(d.uploaded, e.Params) {
		j := &job{d: d}
		j.write(b, bytesOf(e.Params))
		p, err := j.submit()
		if err != nil {
			return 0, err
		}
		d.uploaded = append(d.uploaded[:0], e.Params...)
		if _, err := p.Wait(context.Background()); err != nil {
			d.uploaded = nil
			return 0, d.failed(err)
		}
	}
	return b, nil
}

// encode submits the encoding of the graphs lo to hi as one chunk.
func (d *Device) encode(p *places, params Buffer, gs []*graph.Graph, lo, hi int) (Pending, error) {
	b := new(batch)
	b.pack(gs[lo:hi], 0, hi-lo, false, 0)
	j := &job{d: d}
	s := j.reserve(p, b, params, 0, false)
	width, c := p.Width(), &b.chunks[0]
	z := [gin.Views]Buffer{j.buffer("projections 0", c.graphs*width), j.buffer("projections 1", c.graphs*width)}
	j.write(s.tables, bytesOf(b.tables))
	j.write(s.inputs, bytesOf(b.inputs))
	j.forward(&s, p, c, z, false)
	j.nodeLoss(&s, p, c)
	j.each("pool", c.graphs, words(c.graphs, 1, c.rowFirst, 1, 0), s.tables, s.loss, s.perRow)
	for v := range gin.Views {
		j.read(s.pooled[v], c.graphs*width)
		j.read(z[v], c.graphs*width)
	}
	j.read(s.perRow, c.graphs)
	return j.submit()
}

// unpack writes what encode reads back, data, to the rows lo to hi of to. ℓ_n is a mean over nodes, NaN for fewer than two.
func unpack(width int, gs []*graph.Graph, lo, hi int, data [][]byte, to *gin.Encoding) {
	for v := range gin.Views {
		for k := lo; k < hi; k++ {
			floats(to.Pooled[k*2*width+v*width:][:width], data[2*v][4*(k-lo)*width:])
		}
		floats(to.Projection[v][lo*width:hi*width], data[2*v+1])
	}
	sum := make([]float32, hi-lo)
	floats(sum, data[4])
	for k := lo; k < hi; k++ {
		n := min(gs[k].N(), contrast.MaxNodes)
		to.NodeLoss[k] = float64(sum[k-lo]) / float64(n)
		if n < 2 {
			to.NodeLoss[k] = math.NaN()
		}
	}
}

// fits adds to a SizeError how many graphs would fit.
func fits(err error, graphs int) error {
	var s *SizeError
	if errors.As(err, &s) && s.Fits == "" && graphs > 0 {
		s.What = fmt.Sprintf("a batch of %d graphs", graphs)
		if n := int(int64(graphs) * int64(s.Have) / int64(s.Need)); n > 0 && n < graphs {
			s.Fits = fmt.Sprintf("about %d graphs of this size", n)
		}
	}
	return err
}
