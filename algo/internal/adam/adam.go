// Package adam is the optimiser of Kingma and Ba (2015), with the defaults and
// the order of operations of PyTorch's torch.optim.Adam without weight decay.
package adam

import (
	"math"

	"baca/algo/internal/kernel"
)

// Adam updates one slice of parameters. Step, M and V are its state, exported because checkpoints store them; M and V
// are as long as the parameters, or empty before the first update.
type Adam struct {
	LR, Beta1, Beta2, Eps float64
	Step                  int       // updates so far
	M, V                  []float32 // running means of the gradient and of its square
}

// New returns an Adam of the given learning rate with β₁ = 0.9, β₂ = 0.999 and ε = 1e-8.
func New(lr float64) *Adam {
	return &Adam{LR: lr, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
}

// Update moves params one step against grads. Lengths must not change.
func (a *Adam) Update(params, grads []float32) {
	if len(a.M) == 0 && len(a.V) == 0 && a.Step == 0 {
		a.M, a.V = make([]float32, len(params)), make([]float32, len(params))
	}
	a.Step++
	correct1 := 1 - math.Pow(a.Beta1, float64(a.Step))
	correct2 := 1 - math.Pow(a.Beta2, float64(a.Step))
	kernel.Adam(params, grads, a.M, a.V, kernel.AdamStep{
		Keep1: float32(a.Beta1), Take1: float32(1 - a.Beta1),
		Keep2: float32(a.Beta2), Take2: float32(1 - a.Beta2),
		Root: float32(math.Sqrt(correct2)),
		Eps:  float32(a.Eps),
		Rate: float32(a.LR / correct1),
	})
}
