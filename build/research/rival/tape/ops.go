package tape

import (
	"math"
	"slices"

	"baca/algo/graph"
	"baca/algo/product"
)

// MatMul returns a·b.
func (t *Tape) MatMul(a, b *Value) *Value {
	return t.multiply(a, b, b.Cols, product.NN, product.NT, func(d []float32) {
		product.AddTN(b.grad, a.Data, d, a.Cols, a.Rows, b.Cols)
	})
}

// MatMulT returns a·bᵀ: the inner products of the rows of a with those of b.
func (t *Tape) MatMulT(a, b *Value) *Value {
	return t.multiply(a, b, b.Rows, product.NT, product.NN, func(d []float32) {
		product.AddTN(b.grad, d, a.Data, b.Rows, a.Rows, a.Cols)
	})
}

// multiply returns a product of a and b. The gradient of a is the product back of the
// result's with b, and toB adds to that of b.
func (t *Tape) multiply(a, b *Value, cols int, forth, back func(dst, a, b []float32, m, k, n int), toB func(d []float32)) *Value {
	out := t.value(a.Rows, cols, a, b)
	forth(out.Data, a.Data, b.Data, a.Rows, a.Cols, cols)
	out.back = func() {
		if a.grad != nil {
			part := t.take(len(a.grad))
			back(part, out.grad, b.Data, a.Rows, cols, a.Cols)
			addScaled(a.grad, 1, part)
		}
		if b.grad != nil {
			toB(out.grad)
		}
	}
	return out
}

// addScaled adds scale·x to to, unless that is nil.
func addScaled(to []float32, scale float32, x []float32) {
	if to != nil {
		product.Axpy(to, scale, x)
	}
}

// Add returns a + b. As in Sub and Mul, b is repeated to the shape of a if it is one row or one column.
func (t *Tape) Add(a, b *Value) *Value {
	b = t.spread(b, a)
	out := t.value(a.Rows, a.Cols, a, b)
	copy(out.Data, a.Data)
	addScaled(out.Data, 1, b.Data)
	out.back = func() {
		addScaled(a.grad, 1, out.grad)
		addScaled(b.grad, 1, out.grad)
	}
	return out
}

// Sub returns a − b.
func (t *Tape) Sub(a, b *Value) *Value { return t.Add(a, t.Scale(b, -1)) }

// Mul returns the products of the elements of a and b.
func (t *Tape) Mul(a, b *Value) *Value {
	b = t.spread(b, a)
	out := t.value(a.Rows, a.Cols, a, b)
	for i, x := range a.Data {
		out.Data[i] = x * b.Data[i]
	}
	out.back = func() {
		for i, d := range out.grad {
			if a.grad != nil {
				a.grad[i] += d * b.Data[i]
			}
			if b.grad != nil {
				b.grad[i] += d * a.Data[i]
			}
		}
	}
	return out
}

// spread returns b in the shape of a.
func (t *Tape) spread(b, a *Value) *Value {
	if b.Rows == 1 && a.Rows != 1 {
		b = t.move(b, make([]int32, a.Rows), upTo(a.Rows), a.Rows)
	}
	if b.Cols == 1 && a.Cols != 1 {
		b = t.MatMul(b, ones(a.Cols))
	}
	must(a.Rows == b.Rows && a.Cols == b.Cols, "%d×%d beside %d×%d", a.Rows, a.Cols, b.Rows, b.Cols)
	return b
}

func ones(n int) *Value { return Constant(Matrix{1, n, slices.Repeat([]float32{1}, n)}) }

// Dot returns the inner product of two rows.
func Dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// each returns f of each element. slope is the derivative, from the element x and y = f(x).
func (t *Tape) each(a *Value, f func(x float64) float64, slope func(x, y float32) float32) *Value {
	out := t.value(a.Rows, a.Cols, a)
	for i, x := range a.Data {
		out.Data[i] = float32(f(float64(x)))
	}
	out.back = func() {
		for i, d := range out.grad {
			a.grad[i] += d * slope(a.Data[i], out.Data[i])
		}
	}
	return out
}

// Scale returns s·a.
func (t *Tape) Scale(a *Value, s float32) *Value {
	return t.each(a, func(x float64) float64 { return float64(s) * x }, func(_, _ float32) float32 { return s })
}

// ReLU returns max(0, a).
func (t *Tape) ReLU(a *Value) *Value {
	return t.each(a, func(x float64) float64 { return max(0, x) }, func(x, _ float32) float32 {
		if x > 0 {
			return 1
		}
		return 0
	})
}

// Sum returns the sum of all elements, 1×1.
func (t *Tape) Sum(a *Value) *Value {
	row := &Value{Matrix: Matrix{1, len(a.Data), a.Data}, grad: a.grad}
	return t.SumRows(row)
}

// Mean returns the mean of all elements, 1×1; 0 where there are none.
func (t *Tape) Mean(a *Value) *Value { return t.Scale(t.Sum(a), 1/float32(max(1, len(a.Data)))) }

// reduce returns f of each row, rows×1. slope is the derivative, from an element x and y = f(row).
func (t *Tape) reduce(a *Value, f func(row []float32) float64, slope func(x, y float32) float32) *Value {
	out := t.value(a.Rows, 1, a)
	for i := range a.Rows {
		out.Data[i] = float32(f(a.Row(i)))
	}
	out.back = func() {
		for i, d := range out.grad {
			row, y := a.row(i), out.Data[i]
			for j, x := range a.Row(i) {
				row[j] += d * slope(x, y)
			}
		}
	}
	return out
}

// SumRows returns the sum of each row, rows×1.
func (t *Tape) SumRows(a *Value) *Value {
	return t.reduce(a, func(row []float32) (sum float64) {
		for _, x := range row {
			sum += float64(x)
		}
		return sum
	}, func(_, _ float32) float32 { return 1 })
}

// LogSumExp returns log Σ_j e^{a_ij} of each row, rows×1.
func (t *Tape) LogSumExp(a *Value) *Value {
	return t.reduce(a, func(row []float32) float64 {
		top, sum := slices.Max(row), 0.0
		for _, x := range row {
			sum += math.Exp(float64(x - top))
		}
		return float64(top) + math.Log(sum)
	}, func(x, y float32) float32 { return float32(math.Exp(float64(x - y))) })
}

// Unit returns the rows brought to length 1. The product of two such matrices has their
// cosines. What is added to squared lengths keeps a row of zeros.
func (t *Tape) Unit(a *Value) *Value {
	out, lengths := t.value(a.Rows, a.Cols, a), t.take(a.Rows)
	for i := range a.Rows {
		lengths[i] = float32(math.Sqrt(Dot(a.Row(i), a.Row(i)) + 1e-12))
		addScaled(out.Row(i), 1/lengths[i], a.Row(i))
	}
	out.back = func() {
		for i, l := range lengths {
			d, y, to := out.row(i), out.Row(i), a.row(i)
			along := float32(Dot(d, y))
			for j := range to {
				to[j] += (d[j] - along*y[j]) / l
			}
		}
	}
	return out
}

// standardized brings each column to mean 0 and variance 1, and returns what these were.
func (t *Tape) standardized(a *Value) (out *Value, means, variances []float64) {
	out = t.value(a.Rows, a.Cols, a)
	// mean returns the mean of x over the elements i of a column.
	mean := func(column int, x func(i int) float64) (sum float64) {
		for i := column; i < len(a.Data); i += a.Cols {
			sum += x(i) / float64(a.Rows)
		}
		return sum
	}
	for column := range a.Cols {
		middle := mean(column, func(i int) float64 { return float64(a.Data[i]) })
		variance := mean(column, func(i int) float64 { return (float64(a.Data[i]) - middle) * (float64(a.Data[i]) - middle) })
		for i, scale := column, inverse(variance); i < len(a.Data); i += a.Cols {
			out.Data[i] = float32(float64(a.Data[i])-middle) * scale
		}
		means, variances = append(means, middle), append(variances, variance)
	}
	out.back = func() {
		for column, variance := range variances {
			middle := mean(column, func(i int) float64 { return float64(out.grad[i]) })
			along := mean(column, func(i int) float64 { return float64(out.grad[i]) * float64(out.Data[i]) })
			for i, scale := column, inverse(variance); i < len(a.Data); i += a.Cols {
				a.grad[i] += scale * float32(float64(out.grad[i])-middle-along*float64(out.Data[i]))
			}
		}
	}
	return out, means, variances
}

// inverse returns one over the deviation.
func inverse(variance float64) float32 { return float32(1 / math.Sqrt(variance+normEpsilon)) }

// Concat returns the columns of all operands side by side.
func (t *Tape) Concat(parts ...*Value) *Value {
	cols := 0
	for _, p := range parts {
		must(p.Rows == parts[0].Rows, "%d rows beside %d", p.Rows, parts[0].Rows)
		cols += p.Cols
	}
	out := t.value(parts[0].Rows, cols, parts...)
	each := func(use func(p *Value, i, lo, hi int)) {
		at := 0
		for _, p := range parts {
			for i := range p.Rows {
				use(p, i, at, at+p.Cols)
			}
			at += p.Cols
		}
	}
	each(func(p *Value, i, lo, hi int) { copy(out.Row(i)[lo:hi], p.Row(i)) })
	out.back = func() {
		each(func(p *Value, i, lo, hi int) { addScaled(p.row(i), 1, out.row(i)[lo:hi]) })
	}
	return out
}

// Scatter returns n rows: row k of a is added to row to[k].
func (t *Tape) Scatter(a *Value, to []int32, n int) *Value {
	must(len(to) == a.Rows, "%d rows with %d places", a.Rows, len(to))
	return t.move(a, upTo(a.Rows), to, n)
}

// upTo returns 0 to n−1.
func upTo(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// move returns n rows. Row from[k] of a is added to row to[k].
func (t *Tape) move(a *Value, from, to []int32, n int) *Value {
	out := t.value(n, a.Cols, a)
	for k, i := range from {
		addScaled(out.Row(int(to[k])), 1, a.Row(int(i)))
	}
	out.back = func() {
		for k, i := range from {
			addScaled(a.row(int(i)), 1, out.row(int(to[k])))
		}
	}
	return out
}

// Features returns the feature view of the nodes of b, N×Features.
func Features(b *graph.Batch) *Value {
	v := Constant(Matrix{Rows: b.N(), Cols: b.Features})
	for _, g := range b.Graphs {
		v.Data = append(v.Data, g.X...)
	}
	return v
}
