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
	dim, width         int
	rows               int
	queryEnd, keyStart int

	x        []float32 // rows × dim
	q, dq    []float32 // queryEnd × width
	k, dk    []float32 // (rows − keyStart) × width
	v, dv    []float32 // rows × width; v has rows of length 1, or 0
	inverse  []float32 // 1/‖row·W_V‖, or 0
	a, value []float64
}

// term is one ATTN: a query row and, as a range of refs, the rows of its keys.
// In the loss it contributes −scale·log p, or −scale·log(1−p) unless high is set.
type term struct {
	query, lo, hi int32
	high          bool
	scale         float64
}

// shape sets the sizes and makes room; the caller then fills x.
func (c *core) shape(dim, width, rows, queryEnd, keyStart int) {
	c.dim, c.width, c.rows, c.queryEnd, c.keyStart = dim, width, rows, queryEnd, keyStart
	c.x = parallel.Grow(c.x, rows*dim)
	c.q = parallel.Grow(c.q, queryEnd*width)
	c.k = parallel.Grow(c.k, (rows-keyStart)*width)
	c.v = parallel.Grow(c.v, rows*width)
	c.inverse = parallel.Grow(c.inverse, rows)
}

// tiny is the length below which a value vector has no direction: its cosine with
// anything is 0, and so is the gradient.
const tiny = 1e-12

func (c *core) project(wq, wk, wv []float32) {
	d, w := c.dim, c.width
	mulNT := func(dst, x, weights []float32, rows int) {
		kernel.MulNT(kernel.Dense(dst, rows, w), kernel.Dense(x, rows, d), kernel.Dense(weights, w, d))
	}
	mulNT(c.q, c.x[:c.queryEnd*d], wq, c.queryEnd)
	mulNT(c.k, c.x[c.keyStart*d:], wk, c.rows-c.keyStart)
	mulNT(c.v, c.x, wv, c.rows)
	for i := range c.rows {
		row := c.v[i*w : (i+1)*w]
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
	q, u := c.qRow(query), c.vRow(query)
	top := math.Inf(-1)
	for i, key := range keys {
		c.a[i] = float64(dot(q, c.kRow(key))) * scale
		c.value[i] = float64(dot(u, c.vRow(key)))
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

func (c *core) qRow(i int32) []float32 { return part(c.q, int(i), c.width) }
func (c *core) kRow(i int32) []float32 { return part(c.k, int(i)-c.keyStart, c.width) }
func (c *core) vRow(i int32) []float32 { return part(c.v, int(i), c.width) }

func part(m []float32, i, width int) []float32 { return m[i*width : (i+1)*width] }

// loss adds up the terms and leaves in dq, dk and dv the gradient with respect to the
// projections (dv: to the values before they were brought to length 1).
func (c *core) loss(terms []term, refs []int32) float64 {
	c.dq, c.dk, c.dv = parallel.Grow(c.dq, len(c.q)), parallel.Grow(c.dk, len(c.k)), parallel.Grow(c.dv, len(c.v))
	clear(c.dq)
	clear(c.dk)
	clear(c.dv)
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

// descend carries g = ∂loss/∂ATTN of one term into dq, dk and dv. Here dv is still
// with respect to the unit vectors: ∂cos(u, v)/∂û = v̂.
func (c *core) descend(query int32, keys []int32, attn, g float64) {
	scale := g / math.Sqrt(float64(c.width))
	q, u := c.qRow(query), c.vRow(query)
	dq, du := part(c.dq, int(query), c.width), part(c.dv, int(query), c.width)
	for i, key := range keys {
		ds := float32(c.a[i] * (c.value[i] - attn) * scale)
		kernel.Axpy(dq, ds, c.kRow(key))
		kernel.Axpy(part(c.dk, int(key)-c.keyStart, c.width), ds, q)
		da := float32(c.a[i] * g)
		kernel.Axpy(du, da, c.vRow(key))
		kernel.Axpy(part(c.dv, int(key), c.width), da, u)
	}
}

// throughLength turns the gradient with respect to v̂ = v/‖v‖ into the one with
// respect to v: (dv̂ − (dv̂·v̂)·v̂)/‖v‖.
func (c *core) throughLength() {
	for i := range c.rows {
		v, dv := part(c.v, i, c.width), part(c.dv, i, c.width)
		along, inverse := dot(dv, v), c.inverse[i]
		for j := range dv {
			dv[j] = (dv[j] - along*v[j]) * inverse
		}
	}
}

// weights turns dq, dk and dv into gradients of the weights, overwriting them.
func (c *core) weights(wq, wk, wv []float32) {
	d, w := c.dim, c.width
	addTN := func(dst, dy, x []float32, rows int) {
		clear(dst)
		kernel.AddTN(kernel.Dense(dst, w, d), kernel.Dense(dy, rows, w), kernel.Dense(x, rows, d))
	}
	addTN(wq, c.dq, c.x[:c.queryEnd*d], c.queryEnd)
	addTN(wk, c.dk, c.x[c.keyStart*d:], c.rows-c.keyStart)
	addTN(wv, c.dv, c.x, c.rows)
}

// dot adds in four interleaved sums, which is four times as fast as one and as
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
