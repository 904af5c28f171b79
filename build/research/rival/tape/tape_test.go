package tape

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns values within (lo, hi).
func random(rows, cols int, lo, hi float64, rng *rand.Rand) Matrix {
	m := NewMatrix(rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(lo + (hi-lo)*rng.Float64())
	}
	return m
}

// An operation has operands of shapes with elements in (lo, hi).
type operation struct {
	shapes [][2]int
	lo, hi float64
	apply  func(t *Tape, v []*Value) *Value
}

// operations are all of them.
func operations() map[string]operation {
	unary := func(lo, hi float64, f func(t *Tape, a *Value) *Value) operation {
		return operation{[][2]int{{4, 3}}, lo, hi, func(t *Tape, v []*Value) *Value { return f(t, v[0]) }}
	}
	normed := func(training bool) operation {
		return operation{[][2]int{{4, 3}, {1, 3}, {1, 3}}, -1, 1, func(t *Tape, v []*Value) *Value {
			params := NewParams(1)
			norm := NewNorm(params, 3)
			t.Training = true
			norm(t, Constant(random(9, 3, -1, 2, rand.New(rand.NewPCG(8, 8))))) // which moves the running mean and variance
			t.Training = training
			*params.list[0], *params.list[1] = *v[1], *v[2]
			return norm(t, v[0])
		}}
	}
	return map[string]operation{
		"MatMul":           {[][2]int{{4, 3}, {3, 2}}, -1, 1, func(t *Tape, v []*Value) *Value { return t.MatMul(v[0], v[1]) }},
		"MatMulT":          {[][2]int{{4, 3}, {2, 3}}, -1, 1, func(t *Tape, v []*Value) *Value { return t.MatMulT(v[0], v[1]) }},
		"Gram":             unary(-1, 1, func(t *Tape, a *Value) *Value { return t.MatMulT(a, a) }),
		"Add":              {[][2]int{{4, 3}, {4, 3}}, -1, 1, func(t *Tape, v []*Value) *Value { return t.Add(v[0], v[1]) }},
		"Sub":              {[][2]int{{4, 3}, {4, 3}}, -1, 1, func(t *Tape, v []*Value) *Value { return t.Sub(v[0], v[1]) }},
		"Mul":              {[][2]int{{4, 3}, {4, 3}}, -1, 1, func(t *Tape, v []*Value) *Value { return t.Mul(v[0], v[1]) }},
		"Add of a row":     {[][2]int{{4, 3}, {1, 3}}, -1, 1, func(t *Tape, v []*Value) *Value { return t.Add(v[0], v[1]) }},
		"Mul by a column":  {[][2]int{{4, 3}, {4, 1}}, -1, 1, func(t *Tape, v []*Value) *Value { return t.Mul(v[0], v[1]) }},
		"Scale":            unary(-1, 1, func(t *Tape, a *Value) *Value { return t.Scale(a, -1.5) }),
		"ReLU off":         unary(-1, -0.1, (*Tape).ReLU),
		"ReLU on":          unary(0.1, 1, (*Tape).ReLU),
		"Sum":              unary(-1, 1, (*Tape).Sum),
		"Mean":             unary(-1, 1, (*Tape).Mean),
		"SumRows":          unary(-1, 1, (*Tape).SumRows),
		"LogSumExp":        unary(-2, 2, (*Tape).LogSumExp),
		"Unit":             unary(-1, 1, (*Tape).Unit),
		"Concat":           {[][2]int{{4, 3}, {4, 1}, {4, 2}}, -1, 1, func(t *Tape, v []*Value) *Value { return t.Concat(v...) }},
		"Scatter":          unary(-1, 1, func(t *Tape, a *Value) *Value { return t.Scatter(a, []int32{1, 4, 1, 0}, 5) }),
		"Norm in training": normed(true),
		"Norm":             normed(false),
	}
}

func TestGradients(t *testing.T) {
	for name, op := range operations() {
		rng := rand.New(rand.NewPCG(7, 7))
		var operands []*Value
		for _, s := range op.shapes {
			operands = append(operands, &Value{Matrix: random(s[0], s[1], op.lo, op.hi, rng), grad: make([]float32, s[0]*s[1])})
		}
		tape := new(Tape)
		var weights Matrix
		// The loss is a random combination of the elements, so that each has another part.
		loss := func() *Value {
			tape.Reset()
			out := op.apply(tape, operands)
			if weights.Data == nil {
				weights = random(out.Rows, out.Cols, -1, 1, rng)
			}
			return tape.Sum(tape.Mul(out, Constant(weights)))
		}
		tape.Backward(loss())
		for k, p := range operands {
			for i, got := range p.grad {
				const h = 5e-3
				x := p.Data[i]
				p.Data[i] = x + h
				up := float64(loss().Data[0])
				p.Data[i] = x - h
				down := float64(loss().Data[0])
				p.Data[i] = x
				want := (up - down) / (2 * h)
				if math.Abs(want-float64(got)) > 2e-3*max(1, math.Abs(want)) {
					t.Errorf("%s: derivative by element %d of operand %d is %.5f, want %.5f", name, i, k, got, want)
				}
			}
		}
	}
}

// The golden values are those of the formulas of the paper, computed apart from this
// package, for gradients 1, −2, 0.5.
func TestAdam(t *testing.T) {
	params := NewParams(1)
	p := params.Zeros(1, 1)
	adam := NewAdam(params, 0.1)
	for k, step := range []struct{ gradient, want float64 }{{1, -0.1}, {-2, -0.0633897}, {0.5, -0.0497206}} {
		p.grad[0] = float32(step.gradient)
		adam.Step()
		if math.Abs(float64(p.Data[0])-step.want) > 1e-6 {
			t.Errorf("after step %d the parameter is %g, want %g", k+1, p.Data[0], step.want)
		}
		if p.grad[0] != 0 {
			t.Errorf("the gradient is %g after a step", p.grad[0])
		}
	}
}

// After training a norm knows the mean and the deviation of what it has seen, and rows no
// longer depend on each other.
func TestNormRemembers(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	norm, tape := NewNorm(NewParams(1), 1), new(Tape)
	for range 200 {
		tape.Reset()
		x := NewMatrix(64, 1)
		for i := range x.Data {
			x.Data[i] = float32(3 + 2*rng.NormFloat64())
		}
		tape.Training = true
		norm(tape, Constant(x))
	}
	tape.Training = false
	got := norm(tape, Constant(Matrix{2, 1, []float32{3, 5}}))
	if math.Abs(float64(got.Data[0])) > 0.2 || math.Abs(float64(got.Data[1])-1) > 0.2 {
		t.Errorf("mean and mean + deviation became %.2f and %.2f, want 0 and 1", got.Data[0], got.Data[1])
	}
}

// fit trains a network to add the squares of three numbers, and returns its losses.
func fit(steps int) []float64 {
	inputs := random(16, 3, -1, 1, rand.New(rand.NewPCG(6, 6)))
	target := NewMatrix(inputs.Rows, 1)
	for i := range target.Data {
		target.Data[i] = float32(Dot(inputs.Row(i), inputs.Row(i)))
	}
	params := NewParams(5)
	net := NewMLP(params, 3, 16, 1)
	adam := NewAdam(params, 0.02)
	tape := &Tape{Training: true}
	var losses []float64
	for range steps {
		tape.Reset()
		miss := tape.Sub(net(tape, Constant(inputs)), Constant(target))
		loss := tape.Mean(tape.Mul(miss, miss))
		tape.Backward(loss)
		adam.Step()
		losses = append(losses, float64(loss.Data[0]))
	}
	return losses
}

func TestTrainingRepeats(t *testing.T) {
	first := fit(200)
	if last := first[len(first)-1]; last > 0.05*first[0] {
		t.Errorf("the loss fell from %g to %g only", first[0], last)
	}
	if again := fit(200); !slices.Equal(first, again) {
		t.Error("the same seed gave other losses")
	}
}

func TestMemoryIsUsedAgain(t *testing.T) {
	tape, size := new(Tape), 0
	for round := range 5 {
		tape.Reset()
		for range 10 {
			list := tape.take(1000)
			if slices.Max(list) != 0 {
				t.Fatal("memory that is used again is not zero")
			}
			list[0] = 1
		}
		if round == 2 {
			size = len(tape.memory)
		}
	}
	if n := len(tape.memory); n < 10_000 || n != size {
		t.Errorf("memory for %d values and later for %d, want it to hold 10 000 and stay", size, n)
	}
}

func TestShapesMustFit(t *testing.T) {
	tape := new(Tape)
	a, b := Constant(NewMatrix(2, 3)), Constant(NewMatrix(4, 2))
	for name, f := range map[string]func(){
		"MatMul": func() { tape.MatMul(a, b) }, "MatMulT": func() { tape.MatMulT(a, b) }, "Add": func() { tape.Add(a, b) },
		"Concat": func() { tape.Concat(a, b) }, "Backward": func() { tape.Backward(a) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of other shapes did not panic", name)
				}
			}()
			f()
		}()
	}
}
