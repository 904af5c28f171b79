package attention

import (
	"math"

	"baca/algo/internal/kernel"
)

type float interface{ ~float32 | ~float64 }

// core is the arithmetic of the attention on rows that are already gathered, for
// any float type: float32 with the kernels at work, float64 with plain loops
// where the tests compare it with finite differences.
//
// The rows of x are ordered so that those needing a query projection are a prefix
// and those needing a key projection a suffix; the two may overlap. All rows need
// a value projection. So each of W_Q, W_K, W_V costs one product.
type core[F float] struct {
	mulNT func(dst, a, b []F, m, n, k int) // dst = a·bᵀ
	addTN func(dst, a, b []F, m, n, k int) // dst += aᵀ·b

	dim, width         int
	rows               int
	queryEnd, keyStart int

	x        []F // rows × dim
	q, dq    []F // queryEnd × width
	k, dk    []F // (rows − keyStart) × width
	v, dv    []F // rows × width; v has rows of length 1, or 0
	inverse  []F // 1/‖row·W_V‖, or 0
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
func (c *core[F]) shape(dim, width, rows, queryEnd, keyStart int) {
	c.dim, c.width, c.rows, c.queryEnd, c.keyStart = dim, width, rows, queryEnd, keyStart
	c.x = grow(c.x, rows*dim)
	c.q = grow(c.q, queryEnd*width)
	c.k = grow(c.k, (rows-keyStart)*width)
	c.v = grow(c.v, rows*width)
	c.inverse = grow(c.inverse, rows)
}

// tiny is the length below which a value vector has no direction: its cosine with
// anything is 0, and so is the gradient.
const tiny = 1e-12

func (c *core[F]) project(wq, wk, wv []F) {
	d, w := c.dim, c.width
	c.mulNT(c.q, c.x[:c.queryEnd*d], wq, c.queryEnd, w, d)
	c.mulNT(c.k, c.x[c.keyStart*d:], wk, c.rows-c.keyStart, w, d)
	c.mulNT(c.v, c.x, wv, c.rows, w, d)
	for i := range c.rows {
		row := c.v[i*w : (i+1)*w]
		var inverse F
		if norm := math.Sqrt(float64(dot(row, row))); !(norm < tiny) {
			inverse = F(1 / norm)
		}
		c.inverse[i] = inverse
		for j := range row {
			row[j] *= inverse
		}
	}
}

// attend computes ATTN = Σ a_i·value_i and leaves the weights a_i in c.a and the
// cosines value_i in c.value. There must be at least one key.
func (c *core[F]) attend(query int32, keys []int32) float64 {
	c.a, c.value = grow(c.a, len(keys)), grow(c.value, len(keys))
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
		c.a[i] = math.Exp(s - top)
		sum += c.a[i]
	}
	attn := 0.0
	for i := range c.a {
		c.a[i] /= sum
		attn += c.a[i] * c.value[i]
	}
	return attn
}

func (c *core[F]) qRow(i int32) []F { return part(c.q, int(i), c.width) }
func (c *core[F]) kRow(i int32) []F { return part(c.k, int(i)-c.keyStart, c.width) }
func (c *core[F]) vRow(i int32) []F { return part(c.v, int(i), c.width) }

func part[F float](m []F, i, width int) []F { return m[i*width : (i+1)*width] }

// loss adds up the terms and, where backward is set, leaves in dq, dk and dv the
// gradient with respect to the projections (dv: to the values before they were
// brought to length 1).
func (c *core[F]) loss(terms []term, refs []int32, backward bool) float64 {
	if backward {
		c.dq, c.dk, c.dv = grow(c.dq, len(c.q)), grow(c.dk, len(c.k)), grow(c.dv, len(c.v))
		clear(c.dq)
		clear(c.dk)
		clear(c.dv)
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
		if backward && !clipped {
			c.descend(t.query, keys, attn, t.scale*slope)
		}
	}
	if backward {
		c.throughLength()
	}
	return total
}

// descend carries g = ∂loss/∂ATTN of one term into dq, dk and dv. Here dv is still
// with respect to the unit vectors: ∂cos(u, v)/∂û = v̂.
func (c *core[F]) descend(query int32, keys []int32, attn, g float64) {
	scale := g / math.Sqrt(float64(c.width))
	q, u := c.qRow(query), c.vRow(query)
	dq, du := part(c.dq, int(query), c.width), part(c.dv, int(query), c.width)
	for i, key := range keys {
		ds := F(c.a[i] * (c.value[i] - attn) * scale)
		axpy(dq, ds, c.kRow(key))
		axpy(part(c.dk, int(key)-c.keyStart, c.width), ds, q)
		da := F(c.a[i] * g)
		axpy(du, da, c.vRow(key))
		axpy(part(c.dv, int(key), c.width), da, u)
	}
}

// throughLength turns the gradient with respect to v̂ = v/‖v‖ into the one with
// respect to v: (dv̂ − (dv̂·v̂)·v̂)/‖v‖.
func (c *core[F]) throughLength() {
	for i := range c.rows {
		v, dv := part(c.v, i, c.width), part(c.dv, i, c.width)
		along, inverse := dot(dv, v), c.inverse[i]
		for j := range dv {
			dv[j] = (dv[j] - along*v[j]) * inverse
		}
	}
}

// weights turns dq, dk and dv into gradients of the weights, overwriting them.
func (c *core[F]) weights(wq, wk, wv []F) {
	d, w := c.dim, c.width
	clear(wq)
	clear(wk)
	clear(wv)
	c.addTN(wq, c.dq, c.x[:c.queryEnd*d], w, d, c.queryEnd)
	c.addTN(wk, c.dk, c.x[c.keyStart*d:], w, d, c.rows-c.keyStart)
	c.addTN(wv, c.dv, c.x, w, d, c.rows)
}

// dot adds in four interleaved sums, which is four times as fast as one and as
// reproducible.
func dot[F float](a, b []F) F {
	b = b[:len(a)]
	var s0, s1, s2, s3 F
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

func axpy[F float](d []F, x F, b []F) {
	if d, ok := any(d).([]float32); ok {
		kernel.Axpy(d, float32(x), any(b).([]float32))
		return
	}
	b = b[:len(d)]
	for i := range d {
		d[i] += x * b[i]
	}
}

// grow returns a slice of length n in the memory of s where that is enough. What
// it holds is unspecified. The slack keeps sizes that vary a little from step to
// step from allocating again and again.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
