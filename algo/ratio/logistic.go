package ratio

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/optimize"

	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// A linear head is a logistic classifier; its scores are logits.
type linear struct {
	weights   []float64
	intercept float64
}

// newLinear returns a head of dim weights that scores 0.
func newLinear(dim int) *linear { return &linear{weights: make([]float64, dim)} }

// score returns the logit of a row.
func (h *linear) score(row []float32) float64 {
	sum := h.intercept
	for j, x := range row {
		sum += float64(h.weights[j] * float64(x))
	}
	return sum
}

// fitLinear fits a head to the rows outside each fold, to tell those of the batch from those of the bank. c is the mean
// weight of a row against the penalty ½|w|². The head scores 0 where bank or batch have no rows outside the fold.
func fitLinear(ctx context.Context, workers int, s *samples, c float64) ([]head, error) {
	l := newLogistic(s.dim, len(s.fold))
	l.add(s.rows[:s.bank*s.dim], -1)
	l.add(s.rows[s.bank*s.dim:], 1)
	// A head without a fold resembles the head of all rows: it starts there and uses the same curvature.
	whole := l.fit(newLinear(s.dim), l.balanced(c, func(int) bool { return true }))
	heads := make([]head, s.folds)
	err := parallel.For(ctx, workers, s.folds, func(_, f int) {
		if bank, batch := s.outside(func(k int) bool { return k == f }); len(bank) == 0 || len(batch) == 0 {
			heads[f] = newLinear(s.dim)
			return
		}
		seen := *l
		heads[f] = seen.fit(whole, seen.balanced(c, func(i int) bool { return s.fold[i] != f }))
	})
	return heads, err
}

// A logistic fits a head: it minimises ½|w|² + Σ s_i·log(1 + exp(−y_i·(w·x_i + b))) for y ∈ {−1, 1}
// and given s. The problem is strictly convex in w, so the starting point does not matter.
type logistic struct {
	dim  int
	x, y []float64 // rows of dim+1 values, the last of which is 1 for b

	// curvature is the Cholesky factor U of a matrix UᵀU near the Hessian. L-BFGS searches in u =
	// U·(w, b), where its steps are nearly Newton's. It is nil before the first fit, which sets it.
	curvature []float64
}

// newLogistic returns a logistic without rows, with room for that many.
func newLogistic(dim, rows int) *logistic {
	return &logistic{dim: dim, x: make([]float64, 0, rows*(dim+1)), y: make([]float64, 0, rows)}
}

// add adds rows with the label y, −1 or 1.
func (l *logistic) add(rows []float32, y float64) {
	for i := 0; i < len(rows); i += l.dim {
		for _, x := range rows[i : i+l.dim] {
			l.x = append(l.x, float64(x))
		}
		l.x, l.y = append(l.x, 1), append(l.y, y)
	}
}

func (l *logistic) row(i int) []float64 { return l.x[i*(l.dim+1) : (i+1)*(l.dim+1)] }

// balanced returns weights s for the used rows: C on average, with the same sum for both classes.
func (l *logistic) balanced(c float64, used func(i int) bool) []float64 {
	count := map[float64]int{}
	for i, y := range l.y {
		if used(i) {
			count[y]++
		}
	}
	s := make([]float64, len(l.y))
	for i, y := range l.y {
		if used(i) {
			s[i] = c * float64(count[-1]+count[1]) / float64(2*count[y])
		}
	}
	return s
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }

// triangle returns the curvature as an upper triangular matrix.
func (l *logistic) triangle() blas64.Triangular {
	return blas64.Triangular{N: l.dim + 1, Stride: l.dim + 1, Data: l.curvature, Uplo: blas.Upper, Diag: blas.NonUnit}
}

// fitRows rows of some hundred values fit the second level cache, and a product of as many factors
// up to 2 fits a float64.
const fitRows = 64

// A loss is the objective in the variables u.
type loss struct {
	*logistic
	s     []float64 // of the rows
	at    []float64 // u of the latest visit
	p     []float64 // the same point as weights and intercept
	value float64
	slope []float64 // by u
}

// visit sets value and slope to those at u, unless they are. The optimiser asks for both at the same points, so one pass over
// the rows computes them, block by block in the cache.
func (l *loss) visit(u []float64) {
	if slices.Equal(l.at, u) {
		return
	}
	copy(l.at, u)
	copy(l.p, u)
	blas64.Trsv(blas.NoTrans, l.triangle(), vector(l.p))
	l.value = 0.5 * floats.Dot(l.p[:l.dim], l.p[:l.dim])
	copy(l.slope, l.p)
	l.slope[l.dim] = 0
	k := l.dim + 1
	var logits [fitRows]float64
	for lo := 0; lo < len(l.y); lo += fitRows {
		hi := min(len(l.y), lo+fitRows)
		rows, block := l.x[lo*k:hi*k], logits[:hi-lo]
		kernel.Products(block, rows, l.p)
		l.addBlock(lo, block)
		kernel.AddProducts(l.slope, block, rows)
	}
	blas64.Trsv(blas.Trans, l.triangle(), vector(l.slope))
}

// addBlock adds the loss of rows from lo on, and turns their logits into derivatives. The logarithm
// of a product of factors, each at most 2, sums the logarithms of rows with one weight.
func (l *loss) addBlock(lo int, logits []float64) {
	product, last := 1.0, 0.0
	for i, v := range logits {
		weight, y := l.s[lo+i], l.y[lo+i]
		if weight == 0 {
			logits[i] = 0
			continue
		}
		if weight != last {
			l.value += float64(last * math.Log(product))
			product, last = 1, weight
		}
		v *= y
		// log(1 + e^−v) and 1/(1 + e^v) without overflow.
		e := kernel.Exp64(-math.Abs(v))
		product *= 1 + e
		l.value += float64(weight * max(0, -v))
		if v > 0 {
			e = 1 / e
		}
		logits[i] = -weight * y / (1 + e)
	}
	l.value += float64(last * math.Log(product))
}

// fit returns the head for weights s, starting at another.
func (l *logistic) fit(start *linear, s []float64) *linear {
	k := l.dim + 1
	first := append(slices.Clone(start.weights), start.intercept)
	own := l.curvature == nil // the first fit sets it, for itself and for later ones
	if own {
		l.bend(s, first)
	}
	blas64.Trmv(blas.NoTrans, l.triangle(), vector(first))
	f := &loss{logistic: l, s: s, at: make([]float64, k), p: make([]float64, k), slope: make([]float64, k)}
	f.at[0] = math.NaN() // equals no point
	problem := optimize.Problem{
		Func: func(u []float64) float64 { f.visit(u); return f.value },
		Grad: func(grad, u []float64) { f.visit(u); copy(grad, f.slope) },
	}
	// An optimiser that stops early still returns the best point it saw.
	result, err := optimize.Minimize(problem, first, &optimize.Settings{GradientThreshold: 1e-5, MajorIterations: 200}, &optimize.LBFGS{})
	if result == nil {
		panic(fmt.Sprintf("ratio: logistic head: %v", err))
	}
	best := result.X
	blas64.Trsv(blas.NoTrans, l.triangle(), vector(best))
	if own {
		l.bend(s, best)
	}
	return &linear{weights: best[:l.dim], intercept: best[l.dim]}
}

// bend sets curvature to the Hessian at p. It only shapes the steps, so single precision suffices.
func (l *logistic) bend(s, p []float64) {
	n, k := len(l.y), l.dim+1
	scaled := make([]float32, n*k)
	for i := range n {
		row := l.row(i)
		q := 1 / (1 + kernel.Exp64(floats.Dot(p, row)))
		root := math.Sqrt(s[i] * q * (1 - q))
		for j, x := range row {
			scaled[i*k+j] = float32(root * x)
		}
	}
	outer := make([]float32, k*k)
	rows := kernel.Dense(scaled, n, k)
	kernel.AddTN(kernel.Dense(outer, k, k), rows, rows)
	l.curvature = make([]float64, k*k)
	h := blas64.Symmetric{N: k, Stride: k, Data: l.curvature, Uplo: blas.Upper}
	// 1 is the penalty's part. More helps where rounding made a curvature negative.
	for ridge := 1.0; ridge < 1e12; ridge *= 10 {
		for i, x := range outer {
			l.curvature[i] = float64(x)
		}
		for j := range k {
			l.curvature[j*k+j] += ridge
		}
		if _, ok := lapack64.Potrf(h); ok {
			return
		}
	}
	panic("ratio: the curvature of a convex function is not positive definite")
}
