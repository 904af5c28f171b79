package tape

import (
	"fmt"
	"math"
	"slices"

	"baca/algo/product"
)

// MatMul returns a·b.
func (t *Tape) MatMul(a, b *Value) *Value {
	if a.Cols != b.Rows {
		panic(fmt.Sprintf("tape: product of %d×%d and %d×%d", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	out := t.value(a.Rows, b.Cols, a, b)
	product.NN(out.Data, a.Data, b.Data, a.Rows, a.Cols, b.Cols)
	out.back = func() {
		if a.grad != nil {
			part := t.take(len(a.grad))
			product.NT(part, out.grad, b.Data, a.Rows, b.Cols, a.Cols)
			addScaled(a.grad, 1, part)
		}
		if b.grad != nil {
			product.AddTN(b.grad, a.Data, out.grad, a.Cols, a.Rows, b.Cols)
		}
	}
	return out
}

// MatMulT returns a·bᵀ: the inner products of the rows of a with those of b.
func (t *Tape) MatMulT(a, b *Value) *Value {
	if a.Cols != b.Cols {
		panic(fmt.Sprintf("tape: inner products of rows of %d×%d and %d×%d", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	out := t.value(a.Rows, b.Rows, a, b)
	product.NT(out.Data, a.Data, b.Data, a.Rows, a.Cols, b.Rows)
	out.back = func() {
		if a.grad != nil {
			part := t.take(len(a.grad))
			product.NN(part, out.grad, b.Data, a.Rows, b.Rows, a.Cols)
			addScaled(a.grad, 1, part)
		}
		if b.grad != nil {
			product.AddTN(b.grad, out.grad, a.Data, b.Rows, a.Rows, a.Cols)
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

// sum returns a + scale·b.
func (t *Tape) sum(name string, a, b *Value, scale float32) *Value {
	sameShape(name, a, b)
	out := t.value(a.Rows, a.Cols, a, b)
	copy(out.Data, a.Data)
	addScaled(out.Data, scale, b.Data)
	out.back = func() {
		addScaled(a.grad, 1, out.grad)
		addScaled(b.grad, scale, out.grad)
	}
	return out
}

// Add returns a + b.
func (t *Tape) Add(a, b *Value) *Value { return t.sum("sum", a, b, 1) }

// Sub returns a − b.
func (t *Tape) Sub(a, b *Value) *Value { return t.sum("difference", a, b, -1) }

// Mul returns the products of the elements of a and b.
func (t *Tape) Mul(a, b *Value) *Value {
	sameShape("elementwise product", a, b)
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

// AddRow adds the row b (1×cols), such as a bias, to each row of a.
func (t *Tape) AddRow(a, b *Value) *Value {
	if b.Rows != 1 || b.Cols != a.Cols {
		panic(fmt.Sprintf("tape: %d×%d plus a row of %d×%d", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	out := t.value(a.Rows, a.Cols, a, b)
	copy(out.Data, a.Data)
	for i := range a.Rows {
		addScaled(out.Row(i), 1, b.Data)
	}
	out.back = func() {
		addScaled(a.grad, 1, out.grad)
		for i := range a.Rows {
			addScaled(b.grad, 1, out.gradient().Row(i))
		}
	}
	return out
}

// MulColumn multiplies each row of a by its element of the column b (rows×1).
func (t *Tape) MulColumn(a, b *Value) *Value { return t.Mul(a, t.repeat(b, a.Cols)) }

// repeat returns the column b so many times side by side.
func (t *Tape) repeat(b *Value, cols int) *Value {
	ones := NewMatrix(1, cols)
	for j := range ones.Data {
		ones.Data[j] = 1
	}
	return t.MatMul(b, t.Constant(ones))
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// each returns f of each element. slope is the derivative, from the element x and y = f(x).
func (t *Tape) each(a *Value, f func(x float32) float32, slope func(x, y float32) float32) *Value {
	out := t.value(a.Rows, a.Cols, a)
	for i, x := range a.Data {
		out.Data[i] = f(x)
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
	return t.each(a, func(x float32) float32 { return s * x }, func(_, _ float32) float32 { return s })
}

// Shift returns a + s.
func (t *Tape) Shift(a *Value, s float32) *Value {
	return t.each(a, func(x float32) float32 { return x + s }, func(_, _ float32) float32 { return 1 })
}

// ReLU returns max(0, a).
func (t *Tape) ReLU(a *Value) *Value {
	return t.each(a, func(x float32) float32 { return max(0, x) }, func(x, _ float32) float32 {
		if x > 0 {
			return 1
		}
		return 0
	})
}

// Sigmoid returns 1/(1 + e^−a).
func (t *Tape) Sigmoid(a *Value) *Value {
	return t.each(a, sigmoid, func(_, y float32) float32 { return y * (1 - y) })
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

// Softplus returns log(1 + e^a). The cross entropy of a logit a is Softplus(−a) where the
// label is 1, and Softplus(a) where it is 0.
func (t *Tape) Softplus(a *Value) *Value {
	return t.each(a, func(x float32) float32 {
		return max(0, x) + float32(math.Log1p(math.Exp(-math.Abs(float64(x)))))
	}, func(x, _ float32) float32 { return sigmoid(x) })
}

// Exp returns e^a.
func (t *Tape) Exp(a *Value) *Value {
	return t.each(a, func(x float32) float32 { return float32(math.Exp(float64(x))) }, func(_, y float32) float32 { return y })
}

// Log returns the natural logarithm of a, whose elements must be positive.
func (t *Tape) Log(a *Value) *Value {
	return t.each(a, func(x float32) float32 { return float32(math.Log(float64(x))) }, func(x, _ float32) float32 { return 1 / x })
}

// Square returns the squares of the elements.
func (t *Tape) Square(a *Value) *Value {
	return t.each(a, func(x float32) float32 { return x * x }, func(x, _ float32) float32 { return 2 * x })
}

// Sum returns the sum of all elements, 1×1.
func (t *Tape) Sum(a *Value) *Value {
	return t.SumRows(&Value{Matrix: Matrix{1, len(a.Data), a.Data}, grad: a.grad})
}

// Mean returns the mean of all elements, 1×1; 0 where there are none.
func (t *Tape) Mean(a *Value) *Value {
	return t.Scale(t.Sum(a), 1/float32(max(1, len(a.Data))))
}

// SumRows returns the sum of each row, rows×1.
func (t *Tape) SumRows(a *Value) *Value {
	out := t.value(a.Rows, 1, a)
	for i := range a.Rows {
		sum := 0.0
		for _, x := range a.Row(i) {
			sum += float64(x)
		}
		out.Data[i] = float32(sum)
	}
	out.back = func() {
		for i, d := range out.grad {
			row := a.gradient().Row(i)
			for j := range row {
				row[j] += d
			}
		}
	}
	return out
}

// LogSumExp returns log Σ_j e^{a_ij} of each row, rows×1.
func (t *Tape) LogSumExp(a *Value) *Value {
	out := t.value(a.Rows, 1, a)
	for i := range a.Rows {
		out.Data[i] = float32(logSumExp(a.Row(i)))
	}
	out.back = func() {
		for i, d := range out.grad {
			row, at := a.gradient().Row(i), out.Data[i]
			for j, x := range a.Row(i) {
				row[j] += d * float32(math.Exp(float64(x-at)))
			}
		}
	}
	return out
}

func logSumExp(row []float32) float64 {
	top := slices.Max(row)
	if math.IsInf(float64(top), 0) {
		return float64(top)
	}
	sum := 0.0
	for _, x := range row {
		sum += math.Exp(float64(x - top))
	}
	return float64(top) + math.Log(sum)
}

// LogSoftmax returns a_ij − log Σ_k e^{a_ik}.
func (t *Tape) LogSoftmax(a *Value) *Value {
	return t.Sub(a, t.repeat(t.LogSumExp(a), a.Cols))
}

// tiny is added to squared lengths, so that a row of zeros stays one.
const tiny = 1e-12

// Unit returns the rows brought to length 1. The product of two such matrices has their
// cosines.
func (t *Tape) Unit(a *Value) *Value {
	out, lengths := t.value(a.Rows, a.Cols, a), t.take(a.Rows)
	for i := range a.Rows {
		lengths[i] = float32(math.Sqrt(dot(a.Row(i), a.Row(i)) + tiny))
		addScaled(out.Row(i), 1/lengths[i], a.Row(i))
	}
	out.back = func() {
		for i, l := range lengths {
			d, y, to := out.gradient().Row(i), out.Row(i), a.gradient().Row(i)
			along := float32(dot(d, y))
			for j := range to {
				to[j] += (d[j] - along*y[j]) / l
			}
		}
	}
	return out
}

// StandardizeRows brings each row to mean 0 and variance 1.
func (t *Tape) StandardizeRows(a *Value) *Value {
	out, _, _ := t.standardized(a, a.Rows, a.Cols, 1)
	return out
}

// standardized brings parts of a to mean 0 and variance 1, whose means and variances it
// returns: rows, which begin each so many elements after the other and have elements a stride
// apart, or columns.
func (t *Tape) standardized(a *Value, parts, step, stride int) (out *Value, means, variances []float64) {
	out = t.value(a.Rows, a.Cols, a)
	means, variances = make([]float64, parts), make([]float64, parts)
	n := len(a.Data) / max(1, parts)
	scale := func(k int) float32 { return float32(1 / math.Sqrt(variances[k]+normEpsilon)) }
	for k := range parts {
		first, end, size := k*step, k*step+n*stride, float64(n)
		mean, variance := 0.0, 0.0
		for i := first; i < end; i += stride {
			mean += float64(a.Data[i]) / size
		}
		for i := first; i < end; i += stride {
			variance += (float64(a.Data[i]) - mean) * (float64(a.Data[i]) - mean) / size
		}
		means[k], variances[k] = mean, variance
		for i, s := first, scale(k); i < end; i += stride {
			out.Data[i] = float32(float64(a.Data[i])-mean) * s
		}
	}
	out.back = func() {
		for k := range parts {
			first, end, size := k*step, k*step+n*stride, float64(n)
			sum, along := 0.0, 0.0
			for i := first; i < end; i += stride {
				sum += float64(out.grad[i]) / size
				along += float64(out.grad[i]) * float64(out.Data[i]) / size
			}
			for i, s := first, scale(k); i < end; i += stride {
				a.grad[i] += s * float32(float64(out.grad[i])-sum-along*float64(out.Data[i]))
			}
		}
	}
	return out, means, variances
}

// Concat returns the columns of all operands side by side.
func (t *Tape) Concat(parts ...*Value) *Value {
	cols := 0
	for _, p := range parts {
		if p.Rows != parts[0].Rows {
			panic(fmt.Sprintf("tape: %d rows beside %d", p.Rows, parts[0].Rows))
		}
		cols += p.Cols
	}
	out := t.value(parts[0].Rows, cols, parts...)
	at := 0
	for _, p := range parts {
		for i := range p.Rows {
			copy(out.Row(i)[at:], p.Row(i))
		}
		at += p.Cols
	}
	out.back = func() {
		at := 0
		for _, p := range parts {
			for i := 0; i < p.Rows && p.grad != nil; i++ {
				addScaled(p.gradient().Row(i), 1, out.gradient().Row(i)[at:at+p.Cols])
			}
			at += p.Cols
		}
	}
	return out
}

// Gather returns the rows of a with the given indices, which may repeat.
func (t *Tape) Gather(a *Value, rows []int32) *Value {
	return t.move(a, len(rows), len(rows), func(k int) (from, to int) { return int(rows[k]), k })
}

// Scatter returns n rows: row k of a is added to row to[k].
func (t *Tape) Scatter(a *Value, to []int32, n int) *Value {
	if len(to) != a.Rows {
		panic(fmt.Sprintf("tape: %d rows with %d places", a.Rows, len(to)))
	}
	return t.move(a, n, len(to), func(k int) (int, int) { return k, int(to[k]) })
}

// move returns n rows, to which so many moves add rows of a.
func (t *Tape) move(a *Value, n, moves int, at func(k int) (from, to int)) *Value {
	out := t.value(n, a.Cols, a)
	for k := range moves {
		from, to := at(k)
		addScaled(out.Row(to), 1, a.Row(from))
	}
	out.back = func() {
		for k := range moves {
			from, to := at(k)
			addScaled(a.gradient().Row(from), 1, out.gradient().Row(to))
		}
	}
	return out
}
