package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
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

// Calibrate implements Calibrator. It has no steps to trace.
func (r Ratio) Calibrate(ctx context.Context, in *Input, _ func(Iteration)) (*Output, error) {
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
	aucs := make([]float64, r.Folds)
	heads := make([]*head, r.Folds)
	err := parallel.For(ctx, in.Workers, r.Folds, func(_, f int) {
		var x, y []float64
		for _, side := range []struct {
			rows []float64
			fold []int
			y    float64
		}{{bank, bankFold, -1}, {test, testFold, 1}} {
			for i, fold := range side.fold {
				if fold != f {
					x = append(x, side.rows[i*dim:(i+1)*dim]...)
					y = append(y, side.y)
				}
			}
		}
		h := fit(x, y, dim, r.C)
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

// fit minimises ½|w|² + C·Σ s_i·log(1 + exp(−y_i·(w·x_i + b))) for y ∈ {−1, 1},
// where s_i gives both classes the same total weight. The problem is strictly
// convex in w, so the starting point does not matter.
func fit(x, y []float64, dim int, c float64) *head {
	n := len(y)
	positive := 0
	for _, v := range y {
		if v > 0 {
			positive++
		}
	}
	weight := make([]float64, n) // c·s_i
	for i, v := range y {
		weight[i] = c * float64(n) / (2 * float64(n-positive))
		if v > 0 {
			weight[i] = c * float64(n) / (2 * float64(positive))
		}
	}
	rows := blas64.General{Rows: n, Cols: dim, Stride: dim, Data: x}
	f, g := make([]float64, n), make([]float64, n)
	vector := func(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }
	margins := func(p []float64) {
		blas64.Gemv(blas.NoTrans, 1, rows, vector(p[:dim]), 0, vector(f))
		for i := range f {
			f[i] = y[i] * (f[i] + p[dim])
		}
	}
	problem := optimize.Problem{
		Func: func(p []float64) float64 {
			margins(p)
			sum := 0.5 * floats.Dot(p[:dim], p[:dim])
			for i, v := range f {
				// log(1 + e^−v) without overflow.
				sum += weight[i] * (math.Log1p(math.Exp(-math.Abs(v))) + max(0, -v))
			}
			return sum
		},
		Grad: func(grad, p []float64) {
			margins(p)
			bias := 0.0
			for i, v := range f {
				g[i] = -weight[i] * y[i] / (1 + math.Exp(v))
				bias += g[i]
			}
			copy(grad, p[:dim])
			blas64.Gemv(blas.Trans, 1, rows, vector(g), 1, vector(grad[:dim]))
			grad[dim] = bias
		},
	}
	settings := &optimize.Settings{
		GradientThreshold: 1e-6 * (1 + c*float64(n)),
		MajorIterations:   200,
	}
	// An optimiser that stops early for lack of progress has still returned
	// the best point it saw.
	result, err := optimize.Minimize(problem, make([]float64, dim+1), settings, &optimize.LBFGS{})
	if result == nil {
		panic(fmt.Sprintf("calibrate: logistic head: %v", err))
	}
	return &head{weights: result.X[:dim], intercept: result.X[dim]}
}
