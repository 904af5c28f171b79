package calibrate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/optimize"

	"baca/algo/contrast"
	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
	"baca/algo/metric"
)

// Ratio estimates the ratio between the density of the test batch and that of
// the ID bank: a logistic head tells the bank (class 0) from the whole batch
// (class 1), and its logit is the score. All test graphs carry the same class,
// so no label of theirs is used. There are three heads: on the embeddings, on the
// counts of subtrees, and on how close the subtrees are to those of the bank. The score
// is the weighted mean of their logits, in units of the batch, and the view that tells
// bank from batch better has more weight.
//
// The graphs are scored by heads that never saw them: the batch is cut into
// folds and each is scored by the head of the others. So a graph cannot raise
// its own score, and an ID graph of the batch is exchangeable with a held-out ID
// graph, which is what p-values need. The fold of a graph follows a hash of its
// subtrees. So graphs that are equal share a fold and a score, and neither order nor
// copies matter to what a graph gets.
type Ratio struct {
	C      float64 // inverse strength of the L2 penalty of the heads on embeddings and closeness
	PrintC float64 // and of the head on subtrees
	Folds  int
}

// DefaultRatio is one setting for all data sets. With ten folds a head sees nine
// tenths of the batch.
func DefaultRatio() Ratio { return Ratio{C: 0.1, PrintC: 0.001, Folds: 10} }

// MinRatioGraphs is the smallest bank and the smallest batch for which a ratio
// can be estimated at all.
const MinRatioGraphs = 10

// skip says why no ratio can be estimated, or nothing.
func (r Ratio) skip(in *Input) string {
	n, m := in.Test.Len(), in.Bank.Len()
	if n >= MinRatioGraphs && m >= MinRatioGraphs {
		return ""
	}
	return fmt.Sprintf("density ratio skipped: %d test graphs and %d ID bank graphs, it needs %d of each", n, m, MinRatioGraphs)
}

// An Estimate is a density ratio.
type Estimate struct {
	Test []float64 // scores of the batch
	// Evidence is for Gate: the mean AUC over the folds at which the best of the heads
	// tells bank graphs from batch graphs that it has not seen, ½ if none can.
	Evidence float64
	// AUC is the same for held-out graphs in the place of bank graphs, and P its
	// p-value: how often so many graphs like the held-out ones would be told from
	// them as well. They are of the batch as a whole, NaN where too few are held out.
	AUC, P float64
	// Skipped says why the scores are all 0 and the evidence ½, if they are.
	Skipped string

	side  *bankSide
	views []*view
}

// Estimate compares a batch with the bank, which near must be of; test is how near the
// batch is to it. With too few graphs the result is skipped. The representations must
// have prints.
func (r Ratio) Estimate(ctx context.Context, in *Input, near *Neighborhood, test *Nearness) (*Estimate, error) {
	n := in.Test.Len()
	e := &Estimate{Test: make([]float64, n), Evidence: 0.5, AUC: math.NaN(), P: math.NaN(), Skipped: r.skip(in)}
	if e.Skipped != "" {
		return e, nil
	}
	in.Watch.stage(Weighing, 0, 1)
	var err error
	if e.side, err = near.bankSide(ctx, in.Workers); err != nil {
		return nil, err
	}
	var held *Nearness
	if in.Holdout.Len() >= MinRatioGraphs {
		if held, err = near.Measure(ctx, in.Workers, in.Holdout); err != nil {
			return nil, err
		}
	}
	bankFold, testFold := folds(in.Bank, r.Folds), folds(in.Test, r.Folds)
	sum := 0.0
	for k := range views {
		v := &view{dim: e.side.dim(k, in.Bank), c: r.C}
		if k == viewSubtrees {
			v.c = r.PrintC
		}
		var heldRows []float32
		if held != nil {
			heldRows = e.side.apply(k, in.Holdout, held)
		}
		if err := v.fit(ctx, in.Workers, e.side.rows[k], e.side.apply(k, in.Test, test), heldRows, r.Folds, bankFold, testFold); err != nil {
			return nil, err
		}
		e.Evidence = max(e.Evidence, v.evidence)
		if held != nil && !(v.auc <= e.AUC) {
			e.AUC = v.auc
		}
		above := max(minEvidence, v.evidence-0.5)
		v.weight = above * above
		sum += v.weight
		e.views = append(e.views, v)
	}
	if held != nil {
		e.P = min(1, views*rankSumP(e.AUC, different(in.Test), float64(in.Holdout.Len())))
	}
	for _, v := range e.views {
		v.weight /= sum
		v.add(e.Test, v.test)
	}
	return e, nil
}

// rankSumP is the chance that the AUC of n against m graphs, which nothing tells apart,
// is as large, by the normal approximation of the rank-sum test. Its variance is for one
// head. The folds have a head each, and over batches of held-out molecules the mean of
// their AUCs varies foldVariance times as much.
func rankSumP(auc, n, m float64) float64 {
	z := (auc - 0.5) / math.Sqrt(foldVariance*(n+m+1)/(12*n*m))
	return 0.5 * math.Erfc(z/math.Sqrt2)
}

const foldVariance = 1.3

// different is how many graphs that differ say as much as these: copies say nothing
// new. It is 1/Σw² for the shares w that the different graphs have, Kish's effective size
// of a sample.
func different(r *contrast.Representation) float64 {
	copies := map[uint64]float64{}
	for _, p := range r.Prints {
		copies[p.Hash()]++
	}
	hashes := slices.Sorted(maps.Keys(copies)) // a sum in another order is another number
	sum := 0.0
	for _, h := range hashes {
		w := copies[h] / float64(r.Len())
		sum += float64(w * w)
	}
	return 1 / sum
}

// Score scores further graphs, d being how near they are to the bank. It may be called
// by several goroutines at once.
func (e *Estimate) Score(r *contrast.Representation, d *Nearness) []float64 {
	scores := make([]float64, r.Len())
	for k, v := range e.views {
		rows, logits := widen(e.side.apply(k, r, d)), make([]float64, r.Len())
		for i := range logits {
			logits[i] = v.mean.logit(rows[i*v.dim : (i+1)*v.dim])
		}
		v.add(scores, logits)
	}
	return scores
}

// A view is one description of graphs by vectors, with the heads that were fitted
// to it.
type view struct {
	dim int
	c   float64

	test     []float64 // logits of the batch, each of a head that has not seen the graph
	scale    Scale     // of test
	mean     *head     // of the heads
	evidence float64   // AUC of the batch against the bank
	auc      float64   // AUC of the batch against the holdout
	weight   float64
}

// minEvidence keeps a view without any evidence from a weight of 0, so that there
// are always weights.
const minEvidence = 0.001

// add adds the share of the view in a score.
func (v *view) add(scores, logits []float64) {
	for i, z := range v.scale.Standardize(logits) {
		scores[i] += float64(v.weight * z)
	}
}

// fit learns the heads from rows of the bank and the batch. The holdout may be nil.
//
// A fold counts as much as it has of the batch. All the same graph, a batch is one fold,
// and what has seen none of it says 0 of everything.
func (v *view) fit(ctx context.Context, workers int, bank, test, holdout []float32, count int, bankFold, testFold []int) error {
	n, m := len(testFold), len(bankFold)
	l := newLogistic(v.dim, m+n)
	l.add(bank, -1)
	l.add(test, 1)
	fold := slices.Concat(bankFold, testFold)
	// The folds are much like the whole: they begin at its head, and see their
	// variables through its curvature there.
	whole := l.fit(&head{weights: make([]float64, v.dim)}, l.balanced(v.c, func(int) bool { return true }))
	held := widen(holdout)
	v.test = make([]float64, n)
	evidence, aucs := make([]float64, count), make([]float64, count)
	heads, shares := make([]*head, count), make([]float64, count)
	for _, f := range testFold {
		shares[f] += 1 / float64(n)
	}
	err := parallel.For(ctx, workers, count, func(_, f int) {
		heads[f] = &head{weights: make([]float64, v.dim)}
		if in := slices.ContainsFunc(bankFold, func(k int) bool { return k != f }); in && shares[f] < 1-1e-9 {
			seen := *l
			heads[f] = seen.fit(whole, seen.balanced(v.c, func(i int) bool { return fold[i] != f }))
		}
		var of [2][]float64 // logits of the bank and the batch
		for i := range fold {
			if fold[i] == f {
				logit := heads[f].logit(l.row(i)[:v.dim])
				if i >= m {
					v.test[i-m] = logit
					of[1] = append(of[1], logit)
				} else {
					of[0] = append(of[0], logit)
				}
			}
		}
		var kept []float64
		for i := 0; i < len(held); i += v.dim {
			kept = append(kept, heads[f].logit(held[i:i+v.dim]))
		}
		evidence[f], aucs[f] = rankAbove(of[1], of[0]), rankAbove(of[1], kept)
	})
	if err != nil {
		return err
	}
	// The mean of linear heads is a linear head.
	v.mean = &head{weights: make([]float64, v.dim)}
	for f, h := range heads {
		v.evidence += shares[f] * evidence[f]
		v.auc += shares[f] * aucs[f]
		v.mean.intercept += shares[f] * h.intercept
		floats.AddScaled(v.mean.weights, shares[f], h.weights)
	}
	v.scale = ScaleOf(v.test)
	return nil
}

// rankAbove is the AUROC of high against low, ½ where one of them is empty.
func rankAbove(high, low []float64) float64 {
	if len(high) == 0 || len(low) == 0 {
		return 0.5
	}
	isHigh := make([]bool, len(high)+len(low))
	for i := range high {
		isHigh[i] = true
	}
	return metric.AUROC(slices.Concat(high, low), isHigh)
}

// folds assigns each graph to one of k folds, by its subtrees.
func folds(r *contrast.Representation, k int) []int {
	fold := make([]int, r.Len())
	for i, p := range r.Prints {
		fold[i] = int(p.Hash() % uint64(k))
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
// ½|w|² + Σ s_i·log(1 + exp(−y_i·(w·x_i + b))) for y ∈ {−1, 1} and given s. The
// problem is strictly convex in w, so the starting point does not matter.
type logistic struct {
	dim  int
	x, y []float64 // rows of dim+1 values, the last of which is 1 for b

	// curvature is the Cholesky factor U of a matrix UᵀU like the Hessian, for
	// u = U·(w, b) to be the variables in which L-BFGS searches: its steps are
	// then nearly Newton's. Nil before fit, which leaves that of its result.
	curvature []float64
}

func newLogistic(dim, rows int) *logistic {
	return &logistic{dim: dim, x: make([]float64, 0, rows*(dim+1)), y: make([]float64, 0, rows)}
}

// add adds rows of one class.
func (l *logistic) add(rows []float32, y float64) {
	for i := 0; i < len(rows); i += l.dim {
		for _, x := range rows[i : i+l.dim] {
			l.x = append(l.x, float64(x))
		}
		l.x, l.y = append(l.x, 1), append(l.y, y)
	}
}

func (l *logistic) row(i int) []float64 { return l.x[i*(l.dim+1) : (i+1)*(l.dim+1)] }

// balanced returns the s for rows of which only some are used: C on average over
// them, with the same sum for both classes.
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

func (l *logistic) triangle() blas64.Triangular {
	return blas64.Triangular{N: l.dim + 1, Stride: l.dim + 1, Data: l.curvature, Uplo: blas.Upper, Diag: blas.NonUnit}
}

// fitRows rows of up to some hundred values stay in the second level cache; a product
// of as many factors up to 2 is a float64.
const fitRows = 64

// fit returns the head for s, beginning at another.
func (l *logistic) fit(start *head, s []float64) *head {
	n, k := len(l.y), l.dim+1
	at, p, slope := make([]float64, k), make([]float64, k), make([]float64, k)
	var f [fitRows]float64
	value := 0.0
	// The value and the gradient are asked for at the same points in turn. Both come
	// of one pass over the rows, of which a block is in the cache for both products.
	visit := func(u []float64) {
		if slices.Equal(at, u) {
			return
		}
		copy(at, u)
		copy(p, u)
		blas64.Trsv(blas.NoTrans, l.triangle(), vector(p))
		value = 0.5 * floats.Dot(p[:l.dim], p[:l.dim])
		copy(slope, p)
		slope[l.dim] = 0
		for lo := 0; lo < n; lo += fitRows {
			hi := min(n, lo+fitRows)
			rows := blas64.General{Rows: hi - lo, Cols: k, Stride: k, Data: l.x[lo*k : hi*k]}
			block := vector(f[:hi-lo])
			blas64.Gemv(blas.NoTrans, 1, rows, vector(p), 0, block)
			// The logarithm of a product of rows of one weight, each at most 2, is
			// the sum of theirs.
			product, last := 1.0, 0.0
			for i, v := range block.Data {
				weight, y := s[lo+i], l.y[lo+i]
				if weight == 0 {
					block.Data[i] = 0
					continue
				}
				if weight != last {
					value += float64(last * math.Log(product))
					product, last = 1, weight
				}
				v *= y
				// log(1 + e^−v) and 1/(1 + e^v) without overflow.
				e := math.Exp(-math.Abs(v))
				product *= 1 + e
				value += float64(weight * max(0, -v))
				if v > 0 {
					e = 1 / e
				}
				block.Data[i] = -weight * y / (1 + e)
			}
			value += float64(last * math.Log(product))
			blas64.Gemv(blas.Trans, 1, rows, block, 1, vector(slope))
		}
		blas64.Trsv(blas.Trans, l.triangle(), vector(slope))
	}
	problem := optimize.Problem{
		Func: func(u []float64) float64 { visit(u); return value },
		Grad: func(grad, u []float64) { visit(u); copy(grad, slope) },
	}
	first := append(slices.Clone(start.weights), start.intercept)
	own := l.curvature == nil
	if own {
		l.bend(s, first)
	}
	blas64.Trmv(blas.NoTrans, l.triangle(), vector(first))
	at[0] = math.NaN()
	// An optimiser that stops early for lack of progress has still returned
	// the best point it saw.
	result, err := optimize.Minimize(problem, first, &optimize.Settings{GradientThreshold: 1e-5, MajorIterations: 200}, &optimize.LBFGS{})
	if result == nil {
		panic(fmt.Sprintf("calibrate: logistic head: %v", err))
	}
	best := result.X
	blas64.Trsv(blas.NoTrans, l.triangle(), vector(best))
	if own {
		l.bend(s, best)
	}
	return &head{weights: best[:l.dim], intercept: best[l.dim]}
}

// bend sets curvature to that at the head p. It only shapes the steps of the
// search, so single precision is enough for it.
func (l *logistic) bend(s, p []float64) {
	n, k := len(l.y), l.dim+1
	scaled := make([]float32, n*k)
	for i := range n {
		row := l.row(i)
		q := 1 / (1 + math.Exp(floats.Dot(p, row)))
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
	// 1 is the penalty's part. The intercept has none, but it may as well, and more
	// may be needed where rounding has cost the curvature of a direction its sign.
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
	panic("calibrate: the curvature of a convex function is not positive definite")
}
