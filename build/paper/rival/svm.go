package rival

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	svmNu        = 0.5 // of scikit-learn
	svmTolerance = 1e-4
)

// oneClass is the one-class support vector machine of Schölkopf, Platt, Shawe-Taylor, Smola and
// Williamson (Neural Computation 13, 2001). It returns ρ − Σ_j α_j·k(x, j) of each tested point x
// by a kernel: how far it is on the other side of the plane that parts ν of the n training points
// from the rest. The weights minimise ½ αᵀKα with 0 ≤ α ≤ 1 and Σα = νn, two at a time (Fan, Chen
// and Lin, Journal of Machine Learning Research 6, 2005).
func oneClass(p points, _ uint64) []float64 {
	k, total := tabulate(p.n, p.row), svmNu*float64(p.n)
	alpha := tabulate(p.n, func(i int) float64 { return min(1, max(0, total-float64(i))) })
	gradient := tabulate(p.n, func(i int) float64 { return floats.Dot(k[i], alpha) })
	for range 1_000_000 {
		up, down := workingPair(k, alpha, gradient)
		if down < 0 {
			break
		}
		step := min((gradient[down]-gradient[up])/curvature(k, up, down), 1-alpha[up], alpha[down])
		alpha[up], alpha[down] = alpha[up]+step, alpha[down]-step
		for i := range gradient {
			gradient[i] += step * (k[up][i] - k[down][i])
		}
	}
	rho := margin(alpha, gradient)
	return tabulate(p.tested, func(i int) float64 { return rho - floats.Dot(alpha, p.row(p.n+i)) })
}

// curvature is how fast the slope falls when weight i rises and j falls as much.
func curvature(k [][]float64, i, j int) float64 { return max(k[i][i]+k[j][j]-2*k[i][j], 1e-12) }

// workingPair returns a weight that is to rise and one that is to fall: the first where
// that helps most, the second where both together do. The second is −1 once nothing
// helps.
func workingPair(k [][]float64, alpha, gradient []float64) (up, down int) {
	up, down = -1, -1
	for i, g := range gradient {
		if alpha[i] < 1 && (up < 0 || g < gradient[up]) {
			up = i
		}
	}
	gain, slope := 0.0, 0.0
	for j, g := range gradient {
		d := g - gradient[up]
		if alpha[j] <= 0 || d <= 0 {
			continue
		}
		slope = max(slope, d)
		if d*d/curvature(k, up, j) > gain {
			down, gain = j, d*d/curvature(k, up, j)
		}
	}
	if slope < svmTolerance {
		return up, -1
	}
	return up, down
}

// margin is ρ: the gradient at weights strictly between their bounds, or between those of
// weights at 0 and at 1 where there are none.
func margin(alpha, gradient []float64) float64 {
	sum, free := 0.0, 0.0
	low, high := math.Inf(-1), math.Inf(1)
	for i, a := range alpha {
		switch {
		case a >= 1:
			low = max(low, gradient[i])
		case a <= 0:
			high = min(high, gradient[i])
		default:
			sum, free = sum+gradient[i], free+1
		}
	}
	if free > 0 {
		return sum / free
	}
	return (low + high) / 2
}
