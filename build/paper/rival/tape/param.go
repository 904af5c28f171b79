package tape

import (
	"math"
	"math/rand/v2"
)

// A Param is a matrix that training changes.
type Param struct {
	Matrix
	Grad []float32
}

// Params are the parameters of one network, in the order in which they were made.
type Params struct {
	list []*Param
	rng  *rand.Rand
}

// NewParams returns none. Their first values follow from seed.
func NewParams(seed uint64) *Params {
	return &Params{rng: rand.New(rand.NewPCG(seed, 0))}
}

// Zeros returns a parameter of zeros, such as a bias (1×cols).
func (p *Params) Zeros(rows, cols int) *Param {
	n := &Param{NewMatrix(rows, cols), make([]float32, rows*cols)}
	p.list = append(p.list, n)
	return n
}

// Xavier returns a weight (in×out), uniform within ±√(6/(in+out)).
func (p *Params) Xavier(in, out int) *Param {
	n := p.Zeros(in, out)
	bound := math.Sqrt(6 / float64(in+out))
	for i := range n.Data {
		n.Data[i] = float32((2*p.rng.Float64() - 1) * bound)
	}
	return n
}

// Freeze makes constants of all parameters: no gradients go to them any more.
func (p *Params) Freeze() {
	for _, n := range p.list {
		n.Grad = nil
	}
}

// An Adam makes steps of Adam (Kingma and Ba 2015) with β₁ = 0.9, β₂ = 0.999, ε = 1e-8.
type Adam struct {
	Rate float64
	// Decay adds Decay·w to the gradient of w, which is called weight decay.
	Decay float64

	params *Params
	step   int
	m, v   [][]float32
}

// NewAdam prepares steps for all of params.
func NewAdam(params *Params, rate float64) *Adam {
	a := &Adam{Rate: rate, params: params}
	for _, p := range params.list {
		a.m, a.v = append(a.m, make([]float32, len(p.Data))), append(a.v, make([]float32, len(p.Data)))
	}
	return a
}

// Step moves each parameter by its gradient, which then is zero again.
func (a *Adam) Step() {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	a.step++
	first, second := 1-math.Pow(beta1, float64(a.step)), 1-math.Pow(beta2, float64(a.step))
	for k, p := range a.params.list {
		for i, grad := range p.Grad {
			g := float64(grad) + a.Decay*float64(p.Data[i])
			m := beta1*float64(a.m[k][i]) + (1-beta1)*g
			v := beta2*float64(a.v[k][i]) + (1-beta2)*g*g
			a.m[k][i], a.v[k][i] = float32(m), float32(v)
			p.Data[i] -= float32(a.Rate * (m / first) / (math.Sqrt(v/second) + epsilon))
		}
		clear(p.Grad)
	}
}

// A Linear layer returns x·W + b.
type Linear struct{ W, B *Param }

// NewLinear returns a layer with Xavier weights and a bias of zero.
func NewLinear(p *Params, in, out int) *Linear { return &Linear{p.Xavier(in, out), p.Zeros(1, out)} }

// Forward returns x·W + b for the rows of x.
func (l *Linear) Forward(t *Tape, x *Value) *Value {
	return t.AddRow(t.MatMul(x, t.Use(l.W)), t.Use(l.B))
}

// SetLinear copies the weights of a layer that stores them out×in, as package gin does.
func SetLinear(l *Linear, w, b []float32) {
	in, out := l.W.Rows, l.W.Cols
	for o := range out {
		for i := range in {
			l.W.Data[i*out+o] = w[o*in+i]
		}
	}
	copy(l.B.Data, b)
}

// An MLP is two linear layers with a ReLU between them.
type MLP struct{ First, Second *Linear }

// NewMLP returns one with a hidden layer of the given width.
func NewMLP(p *Params, in, hidden, out int) *MLP {
	return &MLP{NewLinear(p, in, hidden), NewLinear(p, hidden, out)}
}

// Forward returns W₂·ReLU(W₁·x + b₁) + b₂ for the rows of x.
func (m *MLP) Forward(t *Tape, x *Value) *Value {
	return m.Second.Forward(t, t.ReLU(m.First.Forward(t, x)))
}

// A Norm brings columns to mean 0 and variance 1 (Ioffe and Szegedy 2015), then scales and
// shifts them by parameters.
type Norm struct {
	Scale, Shift   *Param
	mean, variance []float32 // running, of training
}

// NewNorm returns one of so many columns.
func NewNorm(p *Params, cols int) *Norm {
	n := &Norm{Scale: p.Zeros(1, cols), Shift: p.Zeros(1, cols), mean: make([]float32, cols), variance: make([]float32, cols)}
	for j := range cols {
		n.Scale.Data[j], n.variance[j] = 1, 1
	}
	return n
}

// normEpsilon is added to variances, and each batch moves the running ones by normMomentum.
const normEpsilon, normMomentum = 1e-5, 0.1

// Forward takes mean and variance from the rows of x in training, and otherwise those that
// training has seen, so that rows do not depend on each other.
func (n *Norm) Forward(t *Tape, x *Value, training bool) *Value {
	var unit *Value
	if training && x.Rows > 1 {
		var means, variances []float64
		unit, means, variances = t.standardized(x, x.Cols, 1, x.Cols)
		rows := float64(x.Rows)
		for j := range means {
			n.mean[j] += normMomentum * (float32(means[j]) - n.mean[j])
			n.variance[j] += normMomentum * (float32(variances[j]*rows/(rows-1)) - n.variance[j])
		}
	} else {
		shift, scale := NewMatrix(1, x.Cols), NewMatrix(1, x.Cols)
		for j, v := range n.variance {
			shift.Data[j], scale.Data[j] = -n.mean[j], float32(1/math.Sqrt(float64(v)+normEpsilon))
		}
		unit = t.mulRow(t.AddRow(x, t.Constant(shift)), t.Constant(scale))
	}
	return t.AddRow(t.mulRow(unit, t.Use(n.Scale)), t.Use(n.Shift))
}

// mulRow multiplies each row of a by b (1×cols), element by element.
func (t *Tape) mulRow(a, b *Value) *Value {
	out := t.value(a.Rows, a.Cols, a, b)
	for i, x := range a.Data {
		out.Data[i] = x * b.Data[i%a.Cols]
	}
	out.back = func() {
		for i, d := range out.grad {
			if a.grad != nil {
				a.grad[i] += d * b.Data[i%a.Cols]
			}
			if b.grad != nil {
				b.grad[i%a.Cols] += d * a.Data[i]
			}
		}
	}
	return out
}
