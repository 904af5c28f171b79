package tape

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// MatMul returns a·b.
func (t *Tape) MatMul(a, b *Value) *Value {
	if a.Cols != b.Rows {
		panic(fmt.Sprintf("tape: product of %d×%d and %d×%d", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	out := t.value(a.Rows, b.Cols, a, b)
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, a.general(), b.general(), 0, out.general())
	out.back = func() {
		d := out.gradient().general()
		if a.grad != nil {
			blas32.Gemm(blas.NoTrans, blas.Trans, 1, d, b.general(), 1, a.gradient().general())
		}
		if b.grad != nil {
			blas32.Gemm(blas.Trans, blas.NoTrans, 1, a.general(), d, 1, b.gradient().general())
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
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, a.general(), b.general(), 0, out.general())
	out.back = func() {
		d := out.gradient().general()
		if a.grad != nil {
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, d, b.general(), 1, a.gradient().general())
		}
		if b.grad != nil {
			blas32.Gemm(blas.Trans, blas.NoTrans, 1, d, a.general(), 1, b.gradient().general())
		}
	}
	return out
}

// addScaled adds scale·x to to, unless that is nil.
func addScaled(to []float32, scale float32, x []float32) {
	if to == nil {
		return
	}
	for i, v := range x {
		to[i] += scale * v
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
func (t *Tape) MulColumn(a, b *Value) *Value {
	if b.Cols != 1 || b.Rows != a.Rows {
		panic(fmt.Sprintf("tape: rows of %d×%d times a column of %d×%d", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	out := t.value(a.Rows, a.Cols, a, b)
	for i, s := range b.Data {
		addScaled(out.Row(i), s, a.Row(i))
	}
	out.back = func() {
		for i, s := range b.Data {
			d := out.gradient().Row(i)
			if a.grad != nil {
				addScaled(a.gradient().Row(i), s, d)
			}
			if b.grad != nil {
				b.grad[i] += float32(dot(a.Row(i), d))
			}
		}
	}
	return out
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
	out := t.value(1, 1, a)
	sum := 0.0
	for _, x := range a.Data {
		sum += float64(x)
	}
	out.Data[0] = float32(sum)
	out.back = func() {
		for i := range a.grad {
			a.grad[i] += out.grad[0]
		}
	}
	return out
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
	top := float32(math.Inf(-1))
	for _, x := range row {
		top = max(top, x)
	}
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
	total := t.LogSumExp(a)
	ones := t.value(1, a.Cols)
	for j := range ones.Data {
		ones.Data[j] = 1
	}
	return t.Sub(a, t.MatMul(total, ones))
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
	out, scale := t.value(a.Rows, a.Cols, a), t.take(a.Rows)
	cols := float64(a.Cols)
	for i := range a.Rows {
		mean, variance := 0.0, 0.0
		for _, x := range a.Row(i) {
			mean += float64(x) / cols
		}
		for _, x := range a.Row(i) {
			variance += (float64(x) - mean) * (float64(x) - mean) / cols
		}
		scale[i] = float32(1 / math.Sqrt(variance+normEpsilon))
		for j, x := range a.Row(i) {
			out.Row(i)[j] = float32(float64(x)-mean) * scale[i]
		}
	}
	out.back = func() {
		for i, s := range scale {
			d, y, to := out.gradient().Row(i), out.Row(i), a.gradient().Row(i)
			sum, along := 0.0, dot(d, y)/cols
			for _, x := range d {
				sum += float64(x) / cols
			}
			for j := range to {
				to[j] += s * float32(float64(d[j])-sum-along*float64(y[j]))
			}
		}
	}
	return out
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
	// columns visits what each operand has of a row.
	columns := func(of Matrix, visit func(p *Value, i int, row []float32)) {
		for i := range of.Rows {
			row := of.Row(i)
			for _, p := range parts {
				visit(p, i, row[:p.Cols])
				row = row[p.Cols:]
			}
		}
	}
	columns(out.Matrix, func(p *Value, i int, row []float32) { copy(row, p.Row(i)) })
	out.back = func() {
		columns(out.gradient(), func(p *Value, i int, row []float32) {
			if p.grad != nil {
				addScaled(p.gradient().Row(i), 1, row)
			}
		})
	}
	return out
}

// Rows returns the rows from lo up to but not including hi.
func (t *Tape) Rows(a *Value, lo, hi int) *Value {
	out := t.value(hi-lo, a.Cols, a)
	copy(out.Data, a.Data[lo*a.Cols:hi*a.Cols])
	out.back = func() { addScaled(a.grad[lo*a.Cols:hi*a.Cols], 1, out.grad) }
	return out
}

// Gather returns the rows of a with the given indices, which may repeat.
func (t *Tape) Gather(a *Value, rows []int32) *Value {
	out := t.value(len(rows), a.Cols, a)
	for k, i := range rows {
		copy(out.Row(k), a.Row(int(i)))
	}
	out.back = func() {
		for k, i := range rows {
			addScaled(a.gradient().Row(int(i)), 1, out.gradient().Row(k))
		}
	}
	return out
}

// Scatter returns n rows: row k of a is added to row to[k].
func (t *Tape) Scatter(a *Value, to []int32, n int) *Value {
	if len(to) != a.Rows {
		panic(fmt.Sprintf("tape: %d rows with %d places", a.Rows, len(to)))
	}
	out := t.value(n, a.Cols, a)
	for k, i := range to {
		addScaled(out.Row(int(i)), 1, a.Row(k))
	}
	out.back = func() {
		for k, i := range to {
			addScaled(a.gradient().Row(k), 1, out.gradient().Row(int(i)))
		}
	}
	return out
}
