package qsar

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Penalties are those that FitLinear chooses from.
var Penalties = []float64{3, 10, 30}

// The fit of a logistic regression ends where no weight moves by more than settled.
const settled, mostSteps, leastWeight = 1e-8, 50, 1e-10

// A Linear is a ridge or a logistic regression, with an intercept that is not penalised.
type Linear struct {
	Penalty float64 // of half the squared length of the weights

	weights []float64     // of the bits, and the intercept
	inverse *mat.SymDense // of the Hessian of the loss
	noise   float64       // variance of numbers about the fit
	classes bool
}

// FitLinear fits a ridge regression, or for classes a logistic one, with the penalty that
// has the least loss where each molecule is left out: exactly so for ridge, and in a step of
// Newton's from the fit for classes (Rad and Maleki, Journal of the Royal Statistical
// Society B 82, 2020).
func FitLinear(ctx context.Context, t *Table) (*Linear, error) {
	var best *Linear
	least := math.Inf(1)
	for _, penalty := range Penalties {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, loss, err := fitPenalised(t, penalty)
		if err != nil {
			return nil, err
		}
		if loss < least {
			best, least = l, loss
		}
	}
	if best == nil {
		return nil, errors.New("no penalty gives a finite loss")
	}
	return best, nil
}

// fitPenalised fits with a penalty, and returns the mean loss of molecules that are left out.
func fitPenalised(t *Table, penalty float64) (*Linear, float64, error) {
	if err := t.check(); err != nil {
		return nil, 0, err
	}
	n, d := len(t.Rows), t.Width+1
	l := &Linear{Penalty: penalty, weights: make([]float64, d), classes: t.Classes}
	slope, curve := make([]float64, n), make([]float64, n) // of the loss of each row, by its sum
	gradient := mat.NewVecDense(d, nil)
	var factor mat.Cholesky
	loss := l.loss(t)
	for range mostSteps {
		for i, row := range t.Rows {
			slope[i], curve[i] = l.slope(l.sum(row), t.Values[i])
		}
		hessian := l.gradient(t, slope, curve, gradient)
		if !factor.Factorize(hessian) {
			return nil, 0, errors.New("the fit has no solution: want a larger penalty")
		}
		var step mat.VecDense
		if err := factor.SolveVecTo(&step, gradient); err != nil {
			return nil, 0, err
		}
		if !t.Classes { // the loss is a square: one step is all
			l.move(&step, 1)
			break
		}
		moved, most := loss, 0.0
		for share := 1.0; share > 1e-6; share /= 2 { // a whole step may go too far
			l.move(&step, share)
			if moved = l.loss(t); moved <= loss {
				most = share * mat.Norm(&step, math.Inf(1))
				break
			}
			l.move(&step, -share)
		}
		loss = moved
		if most < settled {
			break
		}
	}
	l.inverse = new(mat.SymDense)
	if err := factor.InverseTo(l.inverse); err != nil {
		return nil, 0, err
	}
	return l, l.leftOut(t), nil
}

// move goes a share of a step down.
func (l *Linear) move(step *mat.VecDense, share float64) {
	for k := range l.weights {
		l.weights[k] -= share * step.AtVec(k)
	}
}

// sum is the weighted sum of a row.
func (l *Linear) sum(row []int32) float64 {
	s := l.weights[len(l.weights)-1]
	for _, bit := range row {
		s += l.weights[bit]
	}
	return s
}

// slope returns the first two derivatives of the loss of a row by its sum.
func (l *Linear) slope(sum, y float64) (first, second float64) {
	if !l.classes {
		return sum - y, 1
	}
	p := logistic(sum)
	return p - y, max(p*(1-p), leastWeight)
}

// loss is what the fit makes least.
func (l *Linear) loss(t *Table) float64 {
	total := 0.0
	for _, w := range l.weights[:t.Width] {
		total += l.Penalty / 2 * w * w
	}
	for i, row := range t.Rows {
		total += l.lossOf(l.sum(row), t.Values[i])
	}
	return total
}

// lossOf is half the squared error, or for classes the negative log-likelihood.
func (l *Linear) lossOf(sum, y float64) float64 {
	if !l.classes {
		return (sum - y) * (sum - y) / 2
	}
	if y == 1 {
		sum = -sum
	}
	return max(sum, 0) + math.Log1p(math.Exp(-math.Abs(sum)))
}

// gradient fills in the gradient of the loss and returns the Hessian.
func (l *Linear) gradient(t *Table, slope, curve []float64, gradient *mat.VecDense) *mat.SymDense {
	d := t.Width + 1
	hessian, g := mat.NewSymDense(d, nil), gradient.RawVector().Data
	for k, w := range l.weights {
		g[k] = l.Penalty * w
		hessian.SetSym(k, k, l.Penalty)
	}
	g[t.Width] = 0
	hessian.SetSym(t.Width, t.Width, 0)
	upper := hessian.RawSymmetric()
	for i, row := range t.Rows {
		g[t.Width] += slope[i]
		upper.Data[d*d-1] += curve[i]
		for a, bit := range row {
			g[bit] += slope[i]
			line := upper.Data[int(bit)*d : (int(bit)+1)*d]
			line[t.Width] += curve[i]
			for _, other := range row[a:] {
				line[other] += curve[i]
			}
		}
	}
	return hessian
}

// leverage is xᵀH⁻¹x of a row with its intercept.
func (l *Linear) leverage(row []int32) float64 {
	upper := l.inverse.RawSymmetric()
	d := upper.N
	sum := upper.Data[d*d-1]
	for a, bit := range row {
		line := upper.Data[int(bit)*d : (int(bit)+1)*d]
		sum += line[bit] + 2*line[d-1]
		for _, other := range row[a+1:] {
			sum += 2 * line[other]
		}
	}
	return sum
}

// leftOut returns the mean loss of rows that are left out, and for ridge sets the noise.
func (l *Linear) leftOut(t *Table) float64 {
	total := 0.0
	for i, row := range t.Rows {
		sum := l.sum(row)
		first, second := l.slope(sum, t.Values[i])
		h := l.leverage(row)
		total += l.lossOf(sum+h*first/max(1-second*h, 1e-9), t.Values[i])
	}
	mean := total / float64(len(t.Rows))
	if !l.classes {
		l.noise = 2 * mean
	}
	return mean
}

// Predict implements Model.
func (l *Linear) Predict(row []int32) Estimate {
	sum, h := l.sum(row), l.leverage(row)
	if l.classes {
		p := logistic(sum)
		return Estimate{p, p * (1 - p) * math.Sqrt(h)}
	}
	return Estimate{sum, math.Sqrt(l.noise * (1 + h))}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
