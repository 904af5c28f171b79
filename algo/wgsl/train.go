package wgsl

import (
	"context"
	"errors"
	"fmt"
	"math"

	"baca/algo/gin"
	"baca/algo/graph"
)

// The optimiser's constants are those of package adam.
const (
	beta1, beta2 = 0.9, 0.999
	epsilon      = 1e-8
)

// maxSteps is the number of steps whose losses wait on the device.
const maxSteps = 1024

// maxRunning is the number of submitted unfinished steps: the next is packed and uploaded while the last computes.
const maxRunning = 2

// A training keeps its state on the device.
type training struct {
	d       *Device
	encoder *gin.Encoder
	places  places
	rate    float64
	moments gin.Moments

	params, grad, m, v, losses Buffer

	running []Pending
	steps   int // since the losses were read
	sums    gin.Losses
}

// Train implements gin.Device. A device holds the state of one training: the next Train ends it.
func (d *Device) Train(e *gin.Encoder, learningRate float64, from gin.Moments) (gin.Training, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(e.Params)
	if from.Step > 0 && (len(from.M) != n || len(from.V) != n) {
		panic(fmt.Sprintf("wgsl: training of %d parameters from %d and %d moments", n, len(from.M), len(from.V)))
	}
	if from.Step == 0 {
		from.M, from.V = make([]float32, n), make([]float32, n)
	}
	j := &job{d: d}
	t := &training{
		d: d, encoder: e, places: placesOf(e), rate: learningRate, moments: gin.Moments{Step: from.Step},
		params: j.buffer("trained parameters", n), grad: j.buffer("gradient", n), m: j.buffer("means", n), v: j.buffer("squares", n),
		losses: j.buffer("losses of steps", 2*maxSteps),
	}
	d.training = t
	j.write(t.params, bytesOf(e.Params))
	j.write(t.m, bytesOf(from.M))
	j.write(t.v, bytesOf(from.V))
	p, err := j.submit()
	if err == nil {
		_, err = p.Wait(context.Background())
	}
	return t, d.failed(err)
}

// check returns an error if the state is gone or ctx has ended.
func (t *training) check(ctx context.Context) error {
	if t.d.training != t {
		return errors.New("the device began another training, or was closed")
	}
	return ctx.Err()
}

// Step implements gin.Training: one submission. If it fails before that, nothing changed.
func (t *training) Step(ctx context.Context, gs []*graph.Graph) error {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	if err := t.check(ctx); err != nil {
		return err
	}
	if t.steps == maxSteps {
		if err := t.collect(ctx, false); err != nil {
			return err
		}
	}
	for len(t.running) >= maxRunning {
		if err := t.wait(ctx); err != nil {
			return err
		}
	}
	if err := checkGraphs(t.encoder, gs); err != nil {
		return err
	}
	withNodes := 0
	for _, g := range gs {
		if g.N() > 1 {
			withNodes++
		}
	}
	j := &job{d: t.d}
	if err := t.step(j, gs, 1/float32(max(1, withNodes))); err != nil {
		return fits(err, len(gs))
	}
	p, err := j.submit()
	if err != nil {
		return fits(err, len(gs))
	}
	t.running = append(t.running, p)
	t.moments.Step++
	t.steps++
	t.sums.GraphCount += len(gs)
	t.sums.NodeCount += withNodes
	return nil
}

// wait waits for the oldest step, and forgets it even if ctx ends first.
func (t *training) wait(ctx context.Context) error {
	p := t.running[0]
	t.running = t.running[1:]
	_, err := p.Wait(ctx)
	return t.d.failed(err)
}

// step assembles the work of one step.
func (t *training) step(j *job, gs []*graph.Graph, scale float32) error {
	d, p, width := t.d, &t.places, t.places.Width()
	ends, err := d.cut(p.Config, gs, true)
	if err != nil {
		return err
	}
	b := new(batch)
	first := 0
	for _, end := range ends {
		b.pack(gs, first, end, true, scale)
		first = end
	}
	n := len(gs)
	place, count := b.sumWork(n)
	blocks := b.lossBlocks(n, 1/float32(n), d.limits.Binding/4)

	s := j.reserve(p, b, t.params, n, true)
	var z, dz [gin.Views]Buffer
	for v := range gin.Views {
		z[v], dz[v] = j.buffer(fmt.Sprint("projections ", v), n*width), j.buffer(fmt.Sprint("projection gradient ", v), n*width)
	}
	g := j.reserveGradient(p, b, n, blocks)
	j.write(s.tables, bytesOf(b.tables))
	j.write(s.inputs, bytesOf(b.inputs))

	// ℓ_g needs the projections of all graphs before any gradient.
	for i := range b.chunks {
		j.forward(&s, p, &b.chunks[i], z, true)
	}
	j.normalize(&s, width, n, none, z[gin.Feature], z[gin.Structure], s.uf, s.us)
	j.sums(graphTile, width, place, count, s.tables, s.uf, s.us, s.rows)
	j.sums(graphTile, width, place, count, s.tables, s.us, s.uf, s.cols)
	j.loss(&s, n, splits(n))
	j.total(&s, t.losses, n, none, 2*t.steps, false)
	for _, k := range blocks { // the gradient of ℓ_g
		j.pairs(graphTile, width, k, s.tables, s.uf, s.us, s.rows, s.cols, g.pairs, g.unit[gin.Feature])
		j.pairs(graphTile, width, k, s.tables, s.us, s.uf, s.cols, s.rows, g.pairs, g.unit[gin.Structure])
	}
	for v, u := range [gin.Views]Buffer{s.uf, s.us} {
		j.unnormalize(&s, width, n, none, v, g.unit[v], u, dz[v])
	}
	for i := range b.chunks {
		c := &b.chunks[i]
		if len(b.chunks) > 1 { // another chunk has overwritten its activations
			j.forward(&s, p, c, z, true)
		}
		j.nodeLoss(&s, p, c)
		j.total(&s, t.losses, c.rows, c.share, 2*t.steps+1, i > 0)
		work := pairWork{c.pairWork, c.pairCount, c.mulWork, c.mulCount}
		j.pairs(nodeTile, width, work, s.tables, s.uf, s.us, s.rows, s.cols, g.pairs, g.unit[gin.Feature])
		j.pairs(nodeTile, width, work, s.tables, s.us, s.uf, s.cols, s.rows, g.pairs, g.unit[gin.Structure])
		for v, u := range [gin.Views]Buffer{s.uf, s.us} {
			if c.rows < c.n {
				j.each("clear", c.n*width, words(c.n*width), g.node)
			}
			j.unnormalize(&s, width, c.rows, c.row, v, g.unit[v], u, g.node)
			j.backward(&s, &g, p, c, v, dz[v], t.grad, i > 0)
		}
	}
	// As package adam computes it.
	step := float64(t.moments.Step + 1)
	total := len(t.encoder.Params)
	j.each("adam", total, []uint32{
		uint32(total), bits(t.rate / (1 - math.Pow(beta1, step))), bits(math.Sqrt(1 - math.Pow(beta2, step))), bits(epsilon),
		bits(beta1), bits(1 - beta1), bits(beta2), bits(1 - beta2),
	}, t.grad, t.params, t.m, t.v)
	return j.err
}

// splits is the number of parts of sums over n graphs, which keeps a GPU busy on small batches. It
// depends on nothing else, as it shows in the last bits.
func splits(n int) int {
	tiles := (n + graphTile - 1) / graphTile
	return max(1, min(256/max(tiles, 1), 16, tiles))
}

// sumWork lists the work of ℓ_g: sums of n rows over all of them, in parts.
func (b *batch) sumWork(n int) (place, count int) {
	place = len(b.tables)
	parts := splits(n)
	for s := range parts {
		lo, hi := n*s/parts, n*(s+1)/parts
		count += b.rowTiles(graphTile, 0, n, lo, hi-lo, s*n, 1)
	}
	return place, count
}

// total adds up the losses of n rows.
func (j *job) total(s *space, losses Buffer, n, weights, place int, add bool) {
	j.call("total", 1, words(n, weights, place, flag(add)), s.loss, s.inputs, losses)
}

// A pairWork is two lists of work, for pairs.wgsl and pairmul.wgsl.
type pairWork struct{ pairs, pairCount, mul, mulCount int }

// lossBlocks lists the work of ℓ_g's gradient, times scale, for blocks of rows with at most that
// many pairs with all n graphs.
func (b *batch) lossBlocks(n int, scale float32, most int) []pairWork {
	rows := max(graphTile, min(n, most/max(n, 1), 1<<24/max(n, 1))/graphTile*graphTile) // of a block, in whole tiles
	var blocks []pairWork
	for lo := 0; lo < n; lo += rows {
		k := pairWork{pairs: len(b.tables)}
		k.pairCount = b.pairTiles(graphTile, lo, min(rows, n-lo), 0, n, 0, scale)
		k.mul = len(b.tables)
		k.mulCount = b.rowTiles(graphTile, lo, min(rows, n-lo), 0, n, 0, n)
		blocks = append(blocks, k)
	}
	return blocks
}

// pairs writes to unit the gradient with respect to the unit rows a. b are the unit rows of the other view. w is the
// part of the work list to do, and the buffer pairs holds its values for pairs of rows in between.
func (j *job) pairs(tile, width int, w pairWork, tables, a, b, rows, cols, pairs, unit Buffer) {
	name := fmt.Sprintf(" TILE=%d", tile)
	j.call("pairs"+name, w.pairCount, []uint32{uint32(width), uint32(w.pairs), bits(inverse), uint32(w.pairCount)},
		tables, a, b, rows, cols, pairs)
	columns := (width + tile - 1) / tile
	j.call("pairmul"+name, w.mulCount*columns, words(width, w.mul, columns, w.mulCount*columns), tables, pairs, b, unit)
}

// unnormalize writes to d the gradient with respect to rows before they were brought to length 1. g is the gradient
// with respect to the unit rows u.
func (j *job) unnormalize(s *space, width, rows, table, view int, g, u, d Buffer) {
	j.call("unnormalize", rows, []uint32{uint32(rows), uint32(width), uint32(table), uint32(view), uint32(rows)},
		s.tables, g, u, s.stats, d)
}

// A gradient names the buffers of the backward pass.
type gradient struct {
	pairs                     Buffer
	unit                      [gin.Views]Buffer // by unit rows
	node                      Buffer            // by the node projections of a view
	hidden, nodes, mid, sum   Buffer
	graphHidden, graphs, part Buffer
}

// reserveGradient reserves the buffers of the backward pass for the largest chunk and the largest block of pairs.
func (j *job) reserveGradient(p *places, b *batch, graphs int, blocks []pairWork) gradient {
	most := b.largest()
	n, pairs := most.n, most.pairs
	for _, k := range blocks {
		// Tiles of whole rows: at most that many values.
		pairs = max(pairs, min(k.mulCount*graphTile, graphs)*graphs)
	}
	width, d := p.Width(), p.Hidden
	var g gradient
	g.pairs = j.buffer("pairs", pairs)
	for v := range gin.Views {
		g.unit[v] = j.buffer(fmt.Sprint("unit gradient ", v), max(most.rows, graphs)*width)
	}
	g.node = j.buffer("node projection gradient", n*width)
	g.hidden = j.buffer("node head gradient", n*width)
	g.nodes = j.buffer("node gradient", n*width)
	g.mid = j.buffer("hidden gradient", n*d)
	g.sum = j.buffer("sum gradient", n*d)
	g.graphHidden = j.buffer("graph head gradient", most.graphs*width)
	g.graphs = j.buffer("graph gradient", most.graphs*width)
	part := 0
	for v := range gin.Views {
		for _, l := range append([][2]linear{p.graphHead[v], p.nodeHead[v]}, p.layers[v]...) {
			for _, l := range l {
				slab := slabOf(l, n)
				part = max(part, (n+slab-1)/slab*l.out*(l.in+1))
			}
		}
	}
	g.part = j.buffer("slabs", part)
	return g
}

// Bounds of slabOf: workgroups, values of all slabs, and rows of a slab.
const (
	mostGroups = 512
	mostParts  = 1 << 22
	leastSlab  = 64
)

// slabOf is how many rows of a weight gradient one workgroup adds: few enough to keep a GPU busy,
// enough to keep the sum of slabs cheap.
func slabOf(l linear, rows int) int {
	tn := tileN(l.in + 1)
	tiles := (l.out + tileM - 1) / tileM * ((l.in + tn) / tn)
	slabs := max(1, min(mostGroups/tiles, mostParts/(l.out*(l.in+1))))
	return max(leastSlab, (rows+slabs-1)/slabs)
}

// gradientOf adds a layer's gradient to grad, or with add false stores it there: dyᵀ·x for the weights and the column
// sums of dy for the biases. The rows are cut into slabs, whose gradients go to g.part; reduce adds them up.
func (j *job) gradientOf(s *space, g *gradient, l linear, dy, x view, rows int, grad Buffer, add bool) {
	slab := slabOf(l, rows)
	slabs := (rows + slab - 1) / slab
	values := l.out * (l.in + 1)
	j.multiply(s, product{
		m: l.out, n: l.in + 1, k: rows, flags: withOnes,
		a: dy.buffer, aAt: dy.at, aRow: 1, aCol: dy.row,
		b: x.buffer, bAt: x.at, bRow: x.row, bCol: 1,
		c: g.part, cRow: l.in + 1,
		slab: slab, slabStride: values,
	})
	j.each("reduce", values, words(values, l.in+1, slabs, l.w, l.b, flag(add)), g.part, grad)
}

// through computes dx = dy·W for n rows, cleared where mask, if given, is 0.
func (j *job) through(s *space, l linear, dx, dy view, n int, mask *view) {
	p := product{
		m: n, n: l.in, k: l.out,
		a: dy.buffer, aAt: dy.at, aRow: dy.row, aCol: 1,
		b: s.params, bAt: l.w, bRow: l.in, bCol: 1,
		c: dx.buffer, cAt: dx.at, cRow: dx.row,
	}
	if mask != nil {
		p.flags, p.mask, p.maskAt, p.maskRow = withMask, mask.buffer, mask.at, mask.row
	}
	j.multiply(s, p)
}

// headBackward is the backward pass of a projection head for n rows.
func (j *job) headBackward(s *space, g *gradient, m [2]linear, dx, dHidden, dy, hidden, x view, n int, grad Buffer, add bool) {
	j.gradientOf(s, g, m[1], dy, hidden, n, grad, add)
	j.through(s, m[1], dHidden, dy, n, &hidden)
	j.gradientOf(s, g, m[0], dHidden, x, n, grad, add)
	j.through(s, m[0], dx, dHidden, n, nil)
}

// backward is the backward pass of one view of a chunk, from the gradients by node projections, in
// g.node, and graph projections, rows from c.first on of dz.
func (j *job) backward(s *space, g *gradient, p *places, c *chunk, v int, dz, grad Buffer, add bool) {
	width, d := p.Width(), p.Hidden
	whole := func(b Buffer) view { return view{b, 0, width} }
	j.headBackward(s, g, p.nodeHead[v], whole(g.nodes), whole(g.hidden), whole(g.node), whole(s.nodeHidden[v]),
		whole(s.nodes[v]), c.n, grad, add)
	j.headBackward(s, g, p.graphHead[v], whole(g.graphs), whole(g.graphHidden), view{dz, c.first * width, width},
		whole(s.graphHidden[v]), whole(s.pooled[v]), c.graphs, grad, add)
	j.each("spread", c.n*width, words(c.n, width, (p.Layers-1)*d, c.graphOf), s.tables, g.graphs, s.nodes[v], g.nodes)
	for l := p.Layers - 1; l >= 0; l-- {
		m := p.layers[v][l]
		dOut, dMid := view{g.nodes, l * d, width}, view{g.mid, 0, d}
		mid, sum := view{s.mids[v], p.midAt(l, c.n), d}, view{s.sums[v], p.sumAt(v, l, c.n), m[0].in}
		j.gradientOf(s, g, m[1], dOut, mid, c.n, grad, add)
		j.through(s, m[1], dMid, dOut, c.n, &mid)
		j.gradientOf(s, g, m[0], dMid, sum, c.n, grad, add)
		if l > 0 {
			j.through(s, m[0], view{g.sum, 0, d}, dMid, c.n, nil)
			j.each("scatter", c.n*d, words(c.n, d, c.offsets, c.neighbors, (l-1)*d, width), s.tables, g.sum, s.nodes[v], g.nodes)
		}
	}
}

// Finish implements gin.Training.
func (t *training) Finish(ctx context.Context) (gin.Losses, gin.Moments, error) {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	if err := t.collect(ctx, true); err != nil {
		return gin.Losses{}, gin.Moments{}, err
	}
	sums := t.sums
	t.sums = gin.Losses{}
	return sums, t.moments, nil
}

// collect waits for all steps and reads their losses, and with state set parameters and moments.
func (t *training) collect(ctx context.Context, state bool) error {
	if err := t.check(ctx); err != nil {
		return err
	}
	n := len(t.encoder.Params)
	j := &job{d: t.d}
	j.read(t.losses, 2*max(t.steps, 1))
	if state {
		for _, b := range []Buffer{t.params, t.m, t.v} {
			j.read(b, n)
		}
	}
	p, err := j.submit()
	if err != nil {
		return err
	}
	t.running = append(t.running, p)
	for len(t.running) > 1 {
		if err := t.wait(ctx); err != nil {
			return err
		}
	}
	t.running = nil
	data, err := p.Wait(ctx)
	if err != nil {
		return t.d.failed(err)
	}
	losses := make([]float32, 2*t.steps)
	floats(losses, data[0])
	for i, l := range losses {
		if i%2 == 0 {
			t.sums.Graph += float64(l)
		} else {
			t.sums.Node += float64(l)
		}
	}
	t.steps = 0
	if state {
		if t.moments.M == nil {
			t.moments.M, t.moments.V = make([]float32, n), make([]float32, n)
		}
		floats(t.encoder.Params, data[1])
		floats(t.moments.M, data[2])
		floats(t.moments.V, data[3])
	}
	return nil
}
