package tape

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Params are the parameters of one network, which training changes, in the order in which they
// were made. They are values that outlive a tape.
type Params struct {
	list []*Value
	rng  *rand.Rand
}

// NewParams returns none. Their first values follow from seed.
func NewParams(seed uint64) *Params { return &Params{rng: rand.New(rand.NewPCG(seed, 0))} }

// Zeros returns a parameter of zeros, such as a bias (1×cols).
func (p *Params) Zeros(rows, cols int) *Value {
	n := &Value{Matrix: NewMatrix(rows, cols), grad: make([]float32, rows*cols)}
	p.list = append(p.list, n)
	return n
}

// Xavier returns a weight (in×out), uniform within ±√(6/(in+out)).
func (p *Params) Xavier(in, out int) *Value {
	n := p.Zeros(in, out)
	bound := math.Sqrt(6 / float64(in+out))
	for i := range n.Data {
		n.Data[i] = float32((2*p.rng.Float64() - 1) * bound)
	}
	return n
}

// An Adam makes steps of Adam (Kingma and Ba 2015) with β₁ = 0.9, β₂ = 0.999, ε = 1e-8.
type Adam struct {
	Rate float64

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
		for i, grad := range p.grad {
			g := float64(grad)
			m := beta1*float64(a.m[k][i]) + (1-beta1)*g
			v := beta2*float64(a.v[k][i]) + (1-beta2)*g*g
			a.m[k][i], a.v[k][i] = float32(m), float32(v)
			p.Data[i] -= float32(a.Rate * (m / first) / (math.Sqrt(v/second) + epsilon))
		}
		clear(p.grad)
	}
}

// A Layer maps rows.
type Layer func(t *Tape, x *Value) *Value

// Sequence puts layers one after the other.
func Sequence(layers ...Layer) Layer {
	return func(t *Tape, x *Value) *Value {
		for _, l := range layers {
			x = l(t, x)
		}
		return x
	}
}

// ReLU is [Tape.ReLU] as a layer.
var ReLU Layer = (*Tape).ReLU

// NewLinear returns x·W + b, with Xavier weights and a bias of zero.
func NewLinear(p *Params, in, out int) Layer {
	w, b := p.Xavier(in, out), p.Zeros(1, out)
	return func(t *Tape, x *Value) *Value { return t.Add(t.MatMul(x, w), b) }
}

// NewMLP returns two linear layers with a ReLU between them, W₂·ReLU(W₁·x + b₁) + b₂.
func NewMLP(p *Params, in, hidden, out int) Layer {
	return Sequence(NewLinear(p, in, hidden), ReLU, NewLinear(p, hidden, out))
}

// normEpsilon is added to variances, and each batch moves the running ones by normMomentum.
const normEpsilon, normMomentum = 1e-5, 0.1

// NewNorm returns a layer that brings columns to mean 0 and variance 1 (Ioffe and Szegedy 2015), of
// the rows in training, else of what training has seen, and then scales and shifts them.
func NewNorm(p *Params, cols int) Layer {
	scale, shift := p.Zeros(1, cols), p.Zeros(1, cols)
	mean, variance := NewMatrix(1, cols), slices.Repeat([]float32{1}, cols) // running
	copy(scale.Data, variance)
	return func(t *Tape, x *Value) *Value {
		var unit *Value
		if t.Training && x.Rows > 1 {
			var means, variances []float64
			unit, means, variances = t.standardized(x)
			rows := float64(x.Rows)
			for j := range means {
				mean.Data[j] += normMomentum * (float32(means[j]) - mean.Data[j])
				variance[j] += normMomentum * (float32(variances[j]*rows/(rows-1)) - variance[j])
			}
		} else {
			inverses := NewMatrix(1, cols)
			for j, v := range variance {
				inverses.Data[j] = inverse(float64(v))
			}
			unit = t.Mul(t.Sub(x, Constant(mean)), Constant(inverses))
		}
		return t.Add(t.Mul(unit, scale), shift)
	}
}
