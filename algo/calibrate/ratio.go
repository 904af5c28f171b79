package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/optimize"

	"baca/algo/contrast"
	"baca/algo/internal/parallel"
	"baca/algo/metric"
)

// Ratio estimates the ratio between the density of the test batch and that of
// the ID bank: a logistic head tells the bank (class 0) from the whole batch
// (class 1), and its logit is the score. All test graphs carry the same class,
// so no label of theirs is used.
//
// The graphs are scored by heads that never saw them: the batch is cut into
// folds and each is scored by the head of the others. So a graph cannot raise
// its own score, and an ID graph of the batch is exchangeable with a held-out ID
// graph, which is what p-values need.
type Ratio struct {
	C     float64 // inverse strength of the L2 penalty
	Folds int
}

// DefaultRatio is one setting for all data sets. With ten folds a head sees nine
// tenths of the batch.
func DefaultRatio() Ratio { return Ratio{C: 0.1, Folds: 10} }

// MinRatioGraphs is the smallest bank and the smallest batch for which a ratio
// can be estimated at all.
const MinRatioGraphs = 10

// Calibrate implements Calibrator. It has no steps to watch.
func (r Ratio) Calibrate(ctx context.Context, in *Input) (*Output, error) {
	out, _, err := r.Estimate(ctx, in)
	return out, err
}

// Estimate is Calibrate, and also returns the evidence for Fuse: the mean AUC
// over the folds at which a head tells bank graphs from batch graphs that it has
// not seen, ½ if it cannot. With too few graphs all scores are 0, the evidence is
// ½, and a warning says so.
func (r Ratio) Estimate(ctx context.Context, in *Input) (*Output, float64, error) {
	n, m := in.Test.Len(), in.Bank.Len()
	out := &Output{Test: make([]float64, n), Holdout: make([]float64, in.Holdout.Len())}
	if n < MinRatioGraphs || m < MinRatioGraphs {
		out.Score = func(_ context.Context, r *contrast.Representation) ([]float64, error) {
			return make([]float64, r.Len()), nil
		}
		out.Warnings = append(out.Warnings, fmt.Sprintf("density ratio skipped: %d test graphs and %d ID bank graphs, it needs %d of each", n, m, MinRatioGraphs))
		return out, 0.5, nil
	}
	in.Watch.stage(Weighing, 0, 1)
	dim := in.Test.Dim()
	s := NewStandardizer(in.Bank.Q, dim)
	bank, test := widen(s.Apply(in.Bank.Q)), widen(s.Apply(in.Test.Q))
	rng := rand.New(rand.NewPCG(in.Seed, ratioStream))
	bankFold, testFold := folds(rng, m, r.Folds), folds(rng, n, r.Folds)
	all := newLogistic(dim, r.C, m+n)
	for _, side := range []struct {
		rows []float64
		y    float64
	}{{bank, -1}, {test, 1}} {
		for i := range len(side.rows) / dim {
			all.add(side.rows[i*dim:(i+1)*dim], side.y)
		}
	}
	// The folds are much like the whole: they begin at its head, and see their
	// variables through its curvature there.
	whole := all.fit(&head{weights: make([]float64, dim)})
	aucs := make([]float64, r.Folds)
	heads := make([]*head, r.Folds)
	err := parallel.For(ctx, in.Workers, r.Folds, func(_, f int) {
		seen := newLogistic(dim, r.C, m+n)
		for _, side := range []struct {
			rows []float64
			fold []int
			y    float64
		}{{bank, bankFold, -1}, {test, testFold, 1}} {
			for i, fold := range side.fold {
				if fold != f {
					seen.add(side.rows[i*dim:(i+1)*dim], side.y)
				}
			}
		}
		seen.curvature = all.curvature
		h := seen.fit(whole)
		heads[f] = h
		var unseen []float64
		var isTest []bool
		for i, fold := range bankFold {
			if fold == f {
				unseen = append(unseen, h.logit(bank[i*dim:(i+1)*dim]))
				isTest = append(isTest, false)
			}
		}
		for i, fold := range testFold {
			if fold == f {
				out.Test[i] = h.logit(test[i*dim : (i+1)*dim])
				unseen = append(unseen, out.Test[i])
				isTest = append(isTest, true)
			}
		}
		aucs[f] = metric.AUROC(unseen, isTest)
	})
	if err != nil {
		return nil, 0, err
	}
	// The mean of linear heads is a linear head.
	mean := &head{weights: make([]float64, dim)}
	evidence := 0.0
	for f, h := range heads {
		evidence += aucs[f] / float64(r.Folds)
		mean.intercept += h.intercept / float64(r.Folds)
		floats.AddScaled(mean.weights, 1/float64(r.Folds), h.weights)
	}
	out.Score = func(_ context.Context, r *contrast.Representation) ([]float64, error) {
		rows, scores := widen(s.Apply(r.Q)), make([]float64, r.Len())
		for i := range scores {
			scores[i] = mean.logit(rows[i*dim : (i+1)*dim])
		}
		return scores, nil
	}
	out.Holdout, err = out.Score(ctx, in.Holdout)
	return out, evidence, err
}

// ratioStream is the second half of the seed of the folds.
const ratioStream = 0xba1a_0001

// folds assigns n items at random to k folds whose sizes differ by at most one.
func folds(rng *rand.Rand, n, k int) []int {
	fold := make([]int, n)
	for i, p := range rng.Perm(n) {
		fold[p] = i % k
	}
	return fold
}

func widen(x []float32) []float64 {
	w := make([]float64, len(x))
	for i, v := range x {
		w[i] = float64(v)
	}
	return w
}

// A head is a linear classifier.
type head struct {
	weights   []float64
	intercept float64
}

func (h *head) logit(x []float64) float64 { return floats.Dot(h.weights, x) + h.intercept }

// A logistic is the fit of a head: it minimises
// ½|w|² + C·Σ s_i·log(1 + exp(−y_i·(w·x_i + b))) for y ∈ {−1, 1}, where s_i gives
// both classes the same total weight. The problem is strictly convex in w, so the
// starting point does not matter.
type logistic struct {
	dim  int
	c    float64
	x, y []float64 // rows of dim+1 values, the last of which is 1 for b

	// curvature is the Cholesky factor U of a matrix UᵀU like the Hessian, for
	// u = U·(w, b) to be the variables in which L-BFGS searches: its steps are
	// then nearly Newton's. Nil before fit, which leaves that of its result.
	curvature []float64
}

func newLogistic(dim int, c float64, rows int) *logistic {
	return &logistic{dim: dim, c: c, x: make([]float64, 0, rows*(dim+1)), y: make([]float64, 0, rows)}
}

func (l *logistic) add(x []float64, y float64) {
	l.x, l.y = append(append(l.x, x...), 1), append(l.y, y)
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }

func (l *logistic) triangle() blas64.Triangular {
	return blas64.Triangular{N: l.dim + 1, Stride: l.dim + 1, Data: l.curvature, Uplo: blas.Upper, Diag: blas.NonUnit}
}

// fit returns the head, beginning at another.
func (l *logistic) fit(start *head) *head {
	n, k := len(l.y), l.dim+1
	positive := 0
	for _, v := range l.y {
		if v > 0 {
			positive++
		}
	}
	weight := make([]float64, n) // c·s_i
	for i, v := range l.y {
		weight[i] = l.c * float64(n) / (2 * float64(n-positive))
		if v > 0 {
			weight[i] = l.c * float64(n) / (2 * float64(positive))
		}
	}
	rows := blas64.General{Rows: n, Cols: k, Stride: k, Data: l.x}
	// The value and the gradient are asked for at the same points in turn.
	at, p, f, g := make([]float64, k), make([]float64, k), make([]float64, n), make([]float64, n)
	margins := func(u []float64) {
		if slices.Equal(at, u) {
			return
		}
		copy(at, u)
		copy(p, u)
		blas64.Trsv(blas.NoTrans, l.triangle(), vector(p))
		blas64.Gemv(blas.NoTrans, 1, rows, vector(p), 0, vector(f))
		for i := range f {
			f[i] *= l.y[i]
		}
	}
	problem := optimize.Problem{
		Func: func(u []float64) float64 {
			margins(u)
			sum := 0.5 * floats.Dot(p[:l.dim], p[:l.dim])
			for i, v := range f {
				// log(1 + e^−v) without overflow.
				sum += weight[i] * (math.Log1p(math.Exp(-math.Abs(v))) + max(0, -v))
			}
			return sum
		},
		Grad: func(grad, u []float64) {
			margins(u)
			for i, v := range f {
				g[i] = -weight[i] * l.y[i] / (1 + math.Exp(v))
			}
			copy(grad, p)
			grad[l.dim] = 0
			blas64.Gemv(blas.Trans, 1, rows, vector(g), 1, vector(grad))
			blas64.Trsv(blas.Trans, l.triangle(), vector(grad))
		},
	}
	first := append(slices.Clone(start.weights), start.intercept)
	own := l.curvature == nil
	if own {
		l.bend(weight, first)
	}
	blas64.Trmv(blas.NoTrans, l.triangle(), vector(first))
	at[0] = math.NaN()
	// An optimiser that stops early for lack of progress has still returned
	// the best point it saw.
	result, err := optimize.Minimize(problem, first, &optimize.Settings{GradientThreshold: 1e-6, MajorIterations: 200}, &optimize.LBFGS{})
	if result == nil {
		panic(fmt.Sprintf("calibrate: logistic head: %v", err))
	}
	best := result.X
	blas64.Trsv(blas.NoTrans, l.triangle(), vector(best))
	if own {
		l.bend(weight, best)
	}
	return &head{weights: best[:l.dim], intercept: best[l.dim]}
}

// bend sets curvature to that at the head p.
func (l *logistic) bend(weight, p []float64) {
	n, k := len(l.y), l.dim+1
	scaled := make([]float64, n*k)
	for i := range n {
		row, d := l.x[i*k:(i+1)*k], scaled[i*k:(i+1)*k]
		s := 1 / (1 + math.Exp(floats.Dot(p, row)))
		floats.AddScaled(d, math.Sqrt(weight[i]*s*(1-s)), row)
	}
	h := blas64.Symmetric{N: k, Stride: k, Data: make([]float64, k*k), Uplo: blas.Upper}
	blas64.Syrk(blas.Trans, 1, blas64.General{Rows: n, Cols: k, Stride: k, Data: scaled}, 0, h)
	for j := range k {
		// 1 is the penalty's part. The intercept has none, but a little keeps the
		// factor sound where all of its curvature is lost to rounding.
		h.Data[j*k+j] += 1
		if j == l.dim {
			h.Data[j*k+j] += 1e-3 - 1
		}
	}
	if _, ok := lapack64.Potrf(h); !ok {
		panic("calibrate: the curvature of a convex function is not positive definite")
	}
	l.curvature = h.Data
}
