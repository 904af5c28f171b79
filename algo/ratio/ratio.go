// Package ratio estimates the density ratio of a batch of graphs to the ID bank, by Bank.Estimate:
// classifiers, the heads, separate the bank (class 0) from the whole batch (class 1), and their
// outputs are the scores. No label of a batch graph is used. There are four heads: linear ones on
// embeddings, on counts of subtrees and on closeness to the bank, and a forest on closeness and the
// commonest subtrees. The score is their mean, standardised over the batch and weighted by how well
// each separates.
//
// Each fold of the batch is scored by heads that never saw it. So a graph cannot raise its own
// score, and an ID graph of the batch is exchangeable with a held-out one, as p-values require.
// Folds follow a hash of the subtrees: equal graphs have one score, and neither order nor copies
// matter.
package ratio

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"baca/algo/contrast"
	"baca/algo/metric"
	"baca/algo/near"
)

type Options struct {
	C      float64 // inverse strength of the L2 penalty on embeddings and closeness
	PrintC float64 // the same on subtrees
	Folds  int
}

// DefaultOptions is one setting for all data sets.
func DefaultOptions() Options { return Options{C: 0.1, PrintC: 0.001, Folds: 10} }

// minGraphs is the least size of bank and batch.
const minGraphs = 10

type Estimate struct {
	Test []float64 // scores of the batch
	Bank []float64 // ascending scores of the bank, each by heads that have not seen its fold
	// Evidence is the mean AUC, over folds and views, of separating bank graphs from unseen batch
	// graphs, ½ if nothing separates them.
	Evidence float64
	// AUC is that of the best view, with held-out graphs for bank graphs, and P its p-value: how
	// often as many held-out graphs are separated as well. Both are NaN where too few are held out.
	AUC, P float64
	// Skipped, unless empty, says why all scores are 0 and the evidence ½.
	Skipped string

	bank  *bankViews
	views []*view
}

// Estimate compares a batch with the bank. The holdout may be empty, but not nil. Too few graphs
// give a skipped result.
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
	scores, known := make([][]float64, views), make([][]float64, views)
	e.Bank = make([]float64, m)
	evidence, weights := 0.0, 0.0
	// Fit the heads of each view, and measure how well they separate.
	for k := range views {
		rows := e.bank.apply(k, batch)
		samples := &samples{slices.Concat(e.bank.rows[k], rows), len(rows) / n, m, slices.Concat(bankFold, batchFold), o.Folds}
		v := &view{}
		if v.heads, err = o.heads(ctx, workers, k, samples); err != nil {
			return nil, err
		}
		var further []float32
		if enough {
			further = e.bank.apply(k, holdout)
		}
		scores[k], known[k] = v.judge(samples, further)
		evidence += v.evidence / views
		if enough && !(v.auc <= e.AUC) {
			e.AUC = v.auc
		}
		v.weight = max(minEvidence, v.evidence-0.5)
		weights += v.weight
		e.views = append(e.views, v)
	}
	if enough {
		e.P = min(1, views*rankSumP(e.AUC, different(batch.Representation), float64(holdout.Len())))
	}
	e.Evidence = evidence
	for k, v := range e.views {
		v.weight /= weights
		v.add(e.Test, scores[k])
		v.add(e.Bank, known[k])
	}
	slices.Sort(e.Bank)
	return e, nil
}

// heads fits a view's heads, each without its fold.
func (o Options) heads(ctx context.Context, workers, view int, s *samples) ([]head, error) {
	switch view {
	case viewJoint:
		return growForests(ctx, workers, s)
	case viewSubtrees:
		return fitLinear(ctx, workers, s, o.PrintC)
	}
	return fitLinear(ctx, workers, s, o.C)
}

// rankSumP is the p-value of an AUC of n against m graphs by the normal approximation of the
// rank-sum test. That variance holds for one head; over batches of held-out molecules the mean over
// folds varies foldVariance times as much.
func rankSumP(auc, n, m float64) float64 {
	z := (auc - 0.5) / math.Sqrt(foldVariance*(n+m+1)/(12*n*m))
	return 0.5 * math.Erfc(z/math.Sqrt2)
}

const foldVariance = 1.3

// different returns how many different graphs a batch is worth: Kish's effective size 1/Σw², with the fractions w of different
// graphs.
func different(r *contrast.Representation) float64 {
	copies := map[uint64]float64{}
	for _, p := range r.Prints {
		copies[p.Hash()]++
	}
	hashes := slices.Sorted(maps.Keys(copies)) // the order of a sum changes its bits
	sum := 0.0
	for _, h := range hashes {
		w := copies[h] / float64(r.Len())
		sum += float64(w * w)
	}
	return 1 / sum
}

// Score scores further graphs by the heads that have not seen their fold, as graphs of the batch.
// Concurrent calls are allowed.
func (e *Estimate) Score(g *Graphs) []float64 {
	scores := make([]float64, g.Len())
	for k, v := range e.views {
		v.add(scores, scoreByFold(v.heads, e.bank.apply(k, g), folds(g.Representation, len(v.heads))))
	}
	return scores
}

// Foreign reports whether at most 2 graphs of the bank, at most one in 200, and at most one for each 100 of the
// batch, have such a score of the batch or a higher one. Some have where the batch is merely focused on a part of
// what the bank holds.
func (e *Estimate) Foreign(score float64) bool {
	below, _ := slices.BinarySearch(e.Bank, score)
	return len(e.Bank) >= foreignBank && len(e.Bank)-below <= min(2, len(e.Bank)/foreignBank, len(e.Test)/foreignBatch)
}

const foreignBatch = 100

// foreignBank is the least bank that can tell that a graph is foreign.
const foreignBank = 200

// samples are the rows of a view, bank first, then batch.
type samples struct {
	rows      []float32
	dim, bank int
	fold      []int // of each row
	folds     int
}

// outside lists the rows outside of some folds.
func (s *samples) outside(of func(fold int) bool) (bank, batch []int32) {
	for i, f := range s.fold {
		switch {
		case of(f):
		case i < s.bank:
			bank = append(bank, int32(i))
		default:
			batch = append(batch, int32(i))
		}
	}
	return bank, batch
}

// A head scores rows: higher is more like the batch.
type head interface{ score(row []float32) float64 }

// A view describes graphs by vectors and holds the heads fitted to them.
type view struct {
	heads    []head // by fold, which they have not seen
	scale    near.Scale
	evidence float64 // AUC of the batch against the bank
	auc      float64 // AUC of the batch against the holdout
	weight   float64
}

// minEvidence keeps weights above 0.
const minEvidence = 0.001

// add adds the view's part of a score.
func (v *view) add(sum, scores []float64) {
	for i, z := range v.scale.Standardize(scores) {
		sum[i] += float64(v.weight * z)
	}
}

// judge measures how well the heads separate unseen graphs, and returns the scores of batch and bank.
// The holdout may be nil. Folds count by their share of the batch; if all graphs are equal there is
// one fold, and the heads say nothing.
func (v *view) judge(s *samples, holdout []float32) (batch, bank []float64) {
	scores := scoreByFold(v.heads, s.rows, s.fold)
	bank, batch = scores[:s.bank], scores[s.bank:]
	for f, h := range v.heads {
		var of [2][]float64 // bank and batch
		for i, k := range s.fold {
			switch {
			case k != f:
			case i < s.bank:
				of[0] = append(of[0], scores[i])
			default:
				of[1] = append(of[1], scores[i])
			}
		}
		part := float64(len(of[1])) / float64(len(batch))
		v.evidence += float64(part * rankAbove(of[1], of[0]))
		v.auc += float64(part * rankAbove(of[1], scoreBy(h, holdout, s.dim)))
	}
	v.scale = near.ScaleOf(batch)
	return batch, bank
}

// scoreBy returns the scores of rows of dim values.
func scoreBy(h head, rows []float32, dim int) []float64 {
	scores := make([]float64, len(rows)/dim)
	for i := range scores {
		scores[i] = h.score(rows[i*dim : (i+1)*dim])
	}
	return scores
}

// scoreByFold scores each row by the head of its fold.
func scoreByFold(heads []head, rows []float32, fold []int) []float64 {
	scores := make([]float64, len(fold))
	for i, f := range fold {
		dim := len(rows) / len(fold)
		scores[i] = heads[f].score(rows[i*dim : (i+1)*dim])
	}
	return scores
}

// rankAbove is the AUROC of high against low, ½ where one of them is empty.
func rankAbove(high, low []float64) float64 {
	if len(high) == 0 || len(low) == 0 {
		return 0.5
	}
	return metric.Above(high, low)
}

// folds assigns each graph to one of k folds, by its subtrees.
func folds(r *contrast.Representation, k int) []int {
	fold := make([]int, r.Len())
	for i, p := range r.Prints {
		fold[i] = int(p.Hash() % uint64(k))
	}
	return fold
}
