// Package tape differentiates computations on matrices, to train small graph networks. A [Tape]
// writes down each operation as it computes it; Backward goes through them from the last to the
// first and leaves the gradient of a loss in each parameter.
//
// Values are float32, long sums float64. The same operations give the same bits. A tape
// is for one goroutine. Shapes that do not fit are mistakes of the caller, and panic.
package tape

import (
	"fmt"
	"slices"
)

// A Matrix has its rows one after another.
type Matrix struct {
	Rows, Cols int
	Data       []float32 // Rows·Cols
}

// NewMatrix returns one of zeros.
func NewMatrix(rows, cols int) Matrix { return Matrix{rows, cols, make([]float32, rows*cols)} }

// Row returns row i. It shares the memory of m.
func (m Matrix) Row(i int) []float32 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// A Value is a matrix that an operation gave, or that went into one: a constant or a parameter.
type Value struct {
	Matrix
	grad []float32 // of the loss by each element, nil where none is wanted
	back func()    // adds to the gradients of the operands what they owe to grad
}

// row returns row i of the gradient, nil where none is wanted.
func (v *Value) row(i int) []float32 {
	if v.grad == nil {
		return nil
	}
	return v.grad[i*v.Cols : (i+1)*v.Cols]
}

// A Tape remembers operations. The zero value is ready for use.
type Tape struct {
	Training bool // whether a [NewNorm] takes mean and variance from what it is given

	values []*Value
	memory []float32 // of values, which is used again after Reset
	used   int
}

// Reset forgets all operations. Their values must not be read any more: the next ones take
// their memory.
func (t *Tape) Reset() {
	clear(t.values)
	t.values, t.used = t.values[:0], 0
}

// take returns n zeros. Memory grows until all operations between two resets fit.
func (t *Tape) take(n int) []float32 {
	if t.used+n > len(t.memory) {
		t.memory, t.used = make([]float32, 2*len(t.memory)+n), 0
	}
	s := t.memory[t.used : t.used+n : t.used+n]
	t.used += n
	clear(s)
	return s
}

// value returns a matrix of zeros for an operation on some operands. It has a gradient if
// one of them has.
func (t *Tape) value(rows, cols int, operands ...*Value) *Value {
	v := &Value{Matrix: Matrix{rows, cols, t.take(rows * cols)}}
	if slices.ContainsFunc(operands, func(o *Value) bool { return o.grad != nil }) {
		v.grad = t.take(rows * cols)
		t.values = append(t.values, v)
	}
	return v
}

// Constant returns a value without gradient, in the memory of m.
func Constant(m Matrix) *Value { return &Value{Matrix: m} }

// Backward adds the gradient of loss, a matrix of one element, to each parameter in use.
func (t *Tape) Backward(loss *Value) {
	must(len(loss.Data) == 1, "the loss is a %d×%d matrix, want 1×1", loss.Rows, loss.Cols)
	if loss.grad == nil {
		return // of no parameter
	}
	loss.grad[0] = 1
	for k := len(t.values) - 1; k >= 0; k-- {
		t.values[k].back()
	}
}

// must panics unless shapes fit.
func must(fit bool, format string, shapes ...any) {
	if !fit {
		panic("tape: " + fmt.Sprintf(format, shapes...))
	}
}
