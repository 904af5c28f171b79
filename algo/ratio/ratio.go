// Package ratio estimates the ratio between the density of a batch of graphs and that
// of the ID bank: a classifier, the head, tells the bank (class 0) from the whole
// batch (class 1), and what it says of a graph is the score. All graphs of the batch carry the same class,
// so no label of theirs is used. There are four heads: on the embeddings, on the
// counts of subtrees, and on how close the subtrees are to those of the bank, each linear,
// and a forest on closeness and the commonest subtrees together. The score is the weighted
// mean of theirs, in units of the batch, and the view that tells bank from batch better
// has more weight.
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

	"baca/algo/contrast"
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
	// Evidence is the mean AUC, over the folds and the views, at which the heads tell bank
	// graphs from batch graphs that they have not seen, ½ if none can.
	Evidence float64
	// AUC is that of the best view for held-out graphs in the place of bank graphs, and P its
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
	scores := make([][]float64, views)
	evidence, weights := 0.0, 0.0
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
		scores[k] = v.judge(samples, further)
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
	}
	return e, nil
}

// heads fits the heads of a view, one for each fold, which they do not see.
func (o Options) heads(ctx context.Context, workers, view int, s *samples) ([]head, error) {
	switch view {
	case viewTogether:
		return growForests(ctx, workers, s)
	case viewSubtrees:
		return fitLinear(ctx, workers, s, o.PrintC)
	}
	return fitLinear(ctx, workers, s, o.C)
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

// Score scores further graphs, each by the heads that have not seen its fold, as graphs of
// the batch are. Several goroutines may call it at once.
func (e *Estimate) Score(g *Graphs) []float64 {
	scores := make([]float64, g.Len())
	for k, v := range e.views {
		v.add(scores, scoreByFold(v.heads, e.bank.apply(k, g), folds(g.Representation, len(v.heads))))
	}
	return scores
}

// samples are the rows of a view, those of the bank and then those of the batch.
type samples struct {
	rows      []float32
	dim, bank int
	fold      []int // of each row
	folds     int
}

// outside lists the rows of bank and batch outside of some folds.
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

// A head scores rows: the higher, the more they are like the batch.
type head interface{ score(row []float32) float64 }

// A view is one description of graphs by vectors, with the heads that were fitted
// to it.
type view struct {
	heads    []head // by fold, which they have not seen
	scale    near.Scale
	evidence float64 // AUC of the batch against the bank
	auc      float64 // AUC of the batch against the holdout
	weight   float64
}

// minEvidence keeps a view without any evidence from a weight of 0, so that there
// are always weights.
const minEvidence = 0.001

// add adds the part of the view in a score.
func (v *view) add(sum, scores []float64) {
	for i, z := range v.scale.Standardize(scores) {
		sum[i] += float64(v.weight * z)
	}
}

// judge measures how well the heads tell graphs that they have not seen, and returns the
// scores of the batch. The holdout may be nil.
//
// A fold counts as much as it has of the batch. All the same graph, a batch is one fold, of
// which the heads say nothing.
func (v *view) judge(s *samples, holdout []float32) []float64 {
	scores := scoreByFold(v.heads, s.rows, s.fold)
	batch := scores[s.bank:]
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
	return batch
}

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
