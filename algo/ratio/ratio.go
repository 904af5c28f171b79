// Package ratio estimates the ratio between the density of a batch of graphs and that
// of the ID bank: a logistic head tells the bank (class 0) from the whole batch
// (class 1), and its logit is the score. All graphs of the batch carry the same class,
// so no label of theirs is used. There are three heads: on the embeddings, on the
// counts of subtrees, and on how close the subtrees are to those of the bank. The score
// is the weighted mean of their logits, in units of the batch, and the view that tells
// bank from batch better has more weight.
//
// The graphs are scored by heads that never saw them: the batch is cut into
// folds and each is scored by the head of the others. So a graph cannot raise
// its own score, and an ID graph of the batch is exchangeable with a held-out ID
// graph, which is what p-values need. The fold of a graph follows a hash of its
// subtrees. So graphs that are equal have one fold and one score, and neither order nor
// copies matter to what a graph gets.
package ratio

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"baca/algo/contrast"
	"baca/algo/internal/parallel"
	"baca/algo/metric"
	"baca/algo/near"
)

// Options configure an estimate.
type Options struct {
	C      float64 // inverse strength of the L2 penalty of the heads on embeddings and closeness
	PrintC float64 // and of the head on subtrees
	Folds  int
}

// DefaultOptions is one setting for all data sets. With ten folds a head sees nine
// tenths of the batch.
func DefaultOptions() Options { return Options{C: 0.1, PrintC: 0.001, Folds: 10} }

// minGraphs is the smallest bank and the smallest batch for which a ratio can be
// estimated at all.
const minGraphs = 10

// An Estimate is a density ratio.
type Estimate struct {
	Test []float64 // scores of the batch
	// Evidence is the mean AUC over the folds at which the best of the heads tells bank
	// graphs from batch graphs that it has not seen, ½ if none can.
	Evidence float64
	// AUC is the same for held-out graphs in the place of bank graphs, and P its
	// p-value: how often so many graphs like the held-out ones would be told from
	// them as well. They are of the batch as a whole, NaN where too few are held out.
	AUC, P float64
	// Skipped says why the scores are all 0 and the evidence ½, if they are.
	Skipped string

	bank  *bankViews
	views []*view
}

// Estimate compares a batch with the bank. The holdout may be empty, but not nil. With
// too few graphs the result is skipped.
func (b *Bank) Estimate(ctx context.Context, workers int, o Options, batch, holdout *Graphs) (*Estimate, error) {
	n, m := batch.Len(), b.near.Graphs.Len()
	e := &Estimate{Test: make([]float64, n), Evidence: 0.5, AUC: math.NaN(), P: math.NaN()}
	if n < minGraphs || m < minGraphs {
		e.Skipped = fmt.Sprintf("density ratio skipped: %d test graphs and %d ID bank graphs, it needs %d of each", n, m, minGraphs)
		return e, nil
	}
	var err error
	if e.bank, err = b.prepare(ctx, workers); err != nil {
		return nil, err
	}
	enough := holdout.Len() >= minGraphs
	bankFold, batchFold := folds(b.near.Graphs, o.Folds), folds(batch.Representation, o.Folds)
	sum := 0.0
	for k := range views {
		v := newView(e.bank.rows[k], e.bank.apply(k, batch), bankFold, batchFold)
		c := o.C
		if k == viewSubtrees {
			c = o.PrintC
		}
		var holdoutRows []float32
		if enough {
			holdoutRows = e.bank.apply(k, holdout)
		}
		if err := v.fit(ctx, workers, c, o.Folds, holdoutRows); err != nil {
			return nil, err
		}
		e.Evidence = max(e.Evidence, v.evidence)
		if enough && !(v.auc <= e.AUC) {
			e.AUC = v.auc
		}
		above := max(minEvidence, v.evidence-0.5)
		v.weight = above * above
		sum += v.weight
		e.views = append(e.views, v)
	}
	if enough {
		e.P = min(1, views*rankSumP(e.AUC, different(batch.Representation), float64(holdout.Len())))
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
// new. It is 1/Σw² for the fractions w that the different graphs have, Kish's effective
// size of a sample.
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

// Score scores further graphs. Several goroutines may call it at once.
func (e *Estimate) Score(g *Graphs) []float64 {
	scores := make([]float64, g.Len())
	for k, v := range e.views {
		v.add(scores, v.mean.logits(e.bank.apply(k, g)))
	}
	return scores
}

// A view is one description of graphs by vectors, with the heads that were fitted
// to it.
type view struct {
	rows     *logistic // of the bank and then the batch
	fold     []int     // of each row
	bank     int       // rows of the bank
	batch    int       // rows of the batch
	test     []float64 // logits of the batch, each of a head that has not seen the graph
	scale    near.Scale
	mean     *head   // of the heads
	evidence float64 // AUC of the batch against the bank
	auc      float64 // AUC of the batch against the holdout
	weight   float64
}

// minEvidence keeps a view without any evidence from a weight of 0, so that there
// are always weights.
const minEvidence = 0.001

func newView(bank, batch []float32, bankFold, batchFold []int) *view {
	m, n := len(bankFold), len(batchFold)
	v := &view{rows: newLogistic(len(batch)/n, m+n), fold: slices.Concat(bankFold, batchFold), bank: m, batch: n, test: make([]float64, n)}
	v.rows.add(bank, -1)
	v.rows.add(batch, 1)
	return v
}

// add adds the part of the view in a score.
func (v *view) add(scores, logits []float64) {
	for i, z := range v.scale.Standardize(logits) {
		scores[i] += float64(v.weight * z)
	}
}

// fit learns the heads, of strength c. The holdout may be nil.
//
// A fold counts as much as it has of the batch. All the same graph, a batch is one fold,
// and what has seen none of it says 0 of everything.
func (v *view) fit(ctx context.Context, workers int, c float64, count int, holdout []float32) error {
	// The folds are much like the whole: they begin at its head, and see their
	// variables through its curvature there.
	whole := v.rows.fit(newHead(v.rows.dim), v.rows.balanced(c, func(int) bool { return true }))
	evidence, aucs := make([]float64, count), make([]float64, count)
	heads, parts := make([]*head, count), make([]float64, count)
	for _, f := range v.fold[v.bank:] {
		parts[f] += 1 / float64(v.batch)
	}
	err := parallel.For(ctx, workers, count, func(_, f int) {
		heads[f] = newHead(v.rows.dim)
		if in := slices.ContainsFunc(v.fold[:v.bank], func(k int) bool { return k != f }); in && parts[f] < 1-1e-9 {
			seen := *v.rows
			heads[f] = seen.fit(whole, seen.balanced(c, func(i int) bool { return v.fold[i] != f }))
		}
		bank, batch := v.unseen(heads[f], f)
		evidence[f], aucs[f] = rankAbove(batch, bank), rankAbove(batch, heads[f].logits(holdout))
	})
	if err != nil {
		return err
	}
	// The mean of linear heads is a linear head.
	v.mean = newHead(v.rows.dim)
	for f, h := range heads {
		v.evidence += parts[f] * evidence[f]
		v.auc += parts[f] * aucs[f]
		v.mean.intercept += parts[f] * h.intercept
		floats.AddScaled(v.mean.weights, parts[f], h.weights)
	}
	v.scale = near.ScaleOf(v.test)
	v.rows = nil // large, and of no further use
	return nil
}

// unseen returns the logits of the bank and the batch in fold f, which the head has not
// seen, and keeps those of the batch.
func (v *view) unseen(h *head, f int) (bank, batch []float64) {
	for i, k := range v.fold {
		if k != f {
			continue
		}
		logit := h.logit(v.rows.row(i)[:v.rows.dim])
		if i < v.bank {
			bank = append(bank, logit)
			continue
		}
		v.test[i-v.bank] = logit
		batch = append(batch, logit)
	}
	return bank, batch
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
