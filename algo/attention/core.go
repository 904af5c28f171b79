package attention

import (
	"math"

	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// core is the arithmetic of the attention on rows that are already gathered.
//
// The rows of x are ordered so that those needing a query projection are a prefix
// and those needing a key projection a suffix; the two may overlap. All rows need
// a value projection. So each of W_Q, W_K, W_V costs one product.
type core struct {
	dim, width int
	rows       int

	x        []float32 // rows × dim
	q, k, v  projection
	inverse  []float32 // 1/‖row·W_V‖, or 0; rows of v have length 1, or 0
	a, value []float64
}

// A projection is a product of the rows of x from lo on, with its gradient.
type projection struct {
	x         kernel.Matrix
	width, lo int
	y, dy     []float32
}

// of returns the projection of row i of x, and slope its gradient.
func (p *projection) of(i int32) []float32    { return part(p.y, int(i)-p.lo, p.width) }
func (p *projection) slope(i int32) []float32 { return part(p.dy, int(i)-p.lo, p.width) }

func (c *core) projections() [3]*projection { return [...]*projection{&c.q, &c.k, &c.v} }

// term is one ATTN: a query row and, as a range of refs, the rows of its keys.
// In the loss it contributes −scale·log p if high is set, else −scale·log(1−p).
type term struct {
	query, lo, hi int32
	high          bool
	scale         float64
}

// shape sets the sizes and makes room for rows of x, which the caller then fills. Rows before queryEnd
// need a query projection, rows from keyStart on a key projection.
func (c *core) shape(dim, width, rows, queryEnd, keyStart int) {
	c.dim, c.width, c.rows = dim, width, rows
	c.x = parallel.Grow(c.x, rows*dim)
	for k, p := range c.projections() { // the rows of queries, of keys, and all
		lo, hi := [...]int{0, keyStart, 0}[k], [...]int{queryEnd, rows, rows}[k]
		p.x, p.width, p.lo = kernel.Dense(c.x[lo*dim:hi*dim], hi-lo, dim), width, lo
		p.y = parallel.Grow(p.y, (hi-lo)*width)
	}
	c.inverse = parallel.Grow(c.inverse, rows)
}

// tiny is the length below which a value vector has no direction: its cosine with
// anything is 0, and so is the gradient.
const tiny = 1e-12

// project multiplies the rows of x by W_Q, W_K and W_V, and brings the value projections to length 1.
func (c *core) project(weights *[3][]float32) {
	for k, p := range c.projections() {
		kernel.MulNT(kernel.Dense(p.y, p.x.Rows, c.width), p.x, kernel.Dense(weights[k], c.width, c.dim))
	}
	for i := range c.rows {
		row := c.v.of(int32(i))
		var inverse float32
		if norm := math.Sqrt(float64(dot(row, row))); !(norm < tiny) {
			inverse = float32(1 / norm)
		}
		c.inverse[i] = inverse
		for j := range row {
			row[j] *= inverse
		}
	}
}

// attend computes ATTN = Σ a_i·value_i and leaves the weights a_i in c.a and the
// cosines value_i in c.value. There must be at least one key.
func (c *core) attend(query int32, keys []int32) float64 {
	c.a, c.value = parallel.Grow(c.a, len(keys)), parallel.Grow(c.value, len(keys))
	scale := 1 / math.Sqrt(float64(c.width))
	q, u := c.q.of(query), c.v.of(query)
	top := math.Inf(-1)
	for i, key := range keys {
		c.a[i] = float64(dot(q, c.k.of(key))) * scale
		c.value[i] = float64(dot(u, c.v.of(key)))
		top = max(top, c.a[i])
	}
	sum := 0.0
	for i, s := range c.a {
		c.a[i] = kernel.Exp64(s - top)
		sum += c.a[i]
	}
	attn := 0.0
	for i := range c.a {
		c.a[i] /= sum
		attn += c.a[i] * c.value[i]
	}
	return attn
}

// part returns row i of a row-major matrix.
func part(m []float32, i, width int) []float32 { return m[i*width : (i+1)*width] }

// loss returns the sum of the terms: −log p where a term is high, else −log(1−p), for p = (1+ATTN)/2, clipped. It
// leaves the gradients with respect to the projections in their dy. That of v is with respect to the values before they
// were brought to length 1. Clipped terms have no gradient.
func (c *core) loss(terms []term, refs []int32) float64 {
	for _, p := range c.projections() {
		p.dy = parallel.Grow(p.dy, len(p.y))
		clear(p.dy)
	}
	total := 0.0
	for _, t := range terms {
		keys := refs[t.lo:t.hi]
		attn := c.attend(t.query, keys)
		p := (1 + attn) / 2
		clipped := p < clip || p > 1-clip
		p = min(max(p, clip), 1-clip)
		slope := -0.5 / p // of −log p with respect to attn
		if t.high {
			total -= t.scale * math.Log(p)
		} else {
			total -= t.scale * math.Log1p(-p)
			slope = 0.5 / (1 - p)
		}
		if !clipped {
			c.descend(t.query, keys, attn, t.scale*slope)
		}
	}
	c.throughLength()
	return total
}

// descend adds the gradient of one term to the dy of the projections, where g = ∂loss/∂ATTN. For v it adds the
// gradient with respect to the unit vectors: ∂cos(u, v)/∂û = v̂.
func (c *core) descend(query int32, keys []int32, attn, g float64) {
	scale := g / math.Sqrt(float64(c.width))
	q, u, dq, du := c.q.of(query), c.v.of(query), c.q.slope(query), c.v.slope(query)
	for i, key := range keys {
		ds := float32(c.a[i] * (c.value[i] - attn) * scale)
		kernel.Axpy(dq, ds, c.k.of(key))
		kernel.Axpy(c.k.slope(key), ds, q)
		da := float32(c.a[i] * g)
		kernel.Axpy(du, da, c.v.of(key))
		kernel.Axpy(c.v.slope(key), da, u)
	}
}

// throughLength turns the gradients with respect to v̂ = v/‖v‖ into those with
// respect to v: (dv̂ − (dv̂·v̂)·v̂)/‖v‖.
func (c *core) throughLength() {
	for i := range c.rows {
		v, dv := c.v.of(int32(i)), c.v.slope(int32(i))
		along, inverse := dot(dv, v), c.inverse[i]
		for j := range dv {
			dv[j] = (dv[j] - along*v[j]) * inverse
		}
	}
}

// weights writes to g the gradients with respect to W_Q, W_K and W_V. It computes them from the projections' gradients dy.
func (c *core) weights(g *[3][]float32) {
	for k, p := range c.projections() {
		g[k] = parallel.Grow(g[k], c.width*c.dim)
		clear(g[k])
		kernel.AddTN(kernel.Dense(g[k], c.width, c.dim), kernel.Dense(p.dy, p.x.Rows, c.width), p.x)
	}
}

// dot returns the scalar product of a and b. Four interleaved sums are four times as fast as one and as
// reproducible.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}
