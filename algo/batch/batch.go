package batch

import (
	"context"
	"fmt"
	"math"
	"slices"

	"baca/algo/alone"
	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/model"
	"baca/algo/near"
	"baca/algo/ratio"
)

// Batch scores graphs of the model's feature schema as one batch. The batch supplies the negatives
// of S_Pre and trains the attention and the density ratio. The holdout is scored in the same state,
// for p-values. Fewer than MinBatch graphs are scored one by one, with a warning. The attention's
// dictionaries persist between batches. A model that was made for sharing gives an error.
func (s *Scorer) Batch(ctx context.Context, gs []*graph.Graph) (*Report, error) {
	m, o := s.model, s.options
	r := &Report{Few: len(gs) < MinBatch, Evidence: 0.5, P: math.NaN()}
	if len(gs) == 0 {
		return r, ctx.Err()
	}
	if m.Shared > 0 {
		return nil, fmt.Errorf("model %s was made for sharing: it cannot calibrate a batch", m.Card.Name)
	}
	o.Watch.Report(attention.Encoding, 0, len(gs))
	test, err := contrast.Describe(ctx, o.Workers, m.Encoder, gs)
	if err != nil {
		return nil, err
	}
	o.Watch.Report(attention.Encoding, len(gs), len(gs))
	answers, err := s.single.Represented(ctx, o.Workers, gs, test)
	if err != nil {
		return nil, err
	}
	r.Rows, r.Holdout = newRows(alone.ScoresOf(answers)), newRows(s.single.Holdout())
	if m.References() == 0 {
		r.Warnings = append(r.Warnings, "the model holds no graphs kept from training, so there are no p-values")
	}
	if r.Few {
		if o.By != ByAlone {
			r.Warnings = append(r.Warnings, fmt.Sprintf("fewer than %d graphs are no batch, so each graph is judged by itself", MinBatch))
		}
		s.state = nil
		s.decide(r.Rows, ByAlone)
		return r, nil
	}
	t, err := s.calibrate(ctx, r, gs, test)
	if err != nil {
		return nil, err
	}
	o.Watch.Report(attention.Judging, 0, 1)
	if err := t.fill(ctx, o.Workers, r.Holdout, t.holdout); err != nil {
		return nil, err
	}
	for _, row := range r.Holdout {
		t.batch = append(t.batch, row.Batch)
	}
	if o.PaperP {
		if err := s.crossFit(ctx, t, r, test); err != nil {
			return nil, err
		}
	}
	s.state = t
	s.decide(r.Rows, o.By)
	return r, nil
}

// calibrate learns from a batch, adds its scores to the report, and returns the state that scores further graphs.
func (s *Scorer) calibrate(ctx context.Context, r *Report, gs []*graph.Graph, test *contrast.Representation) (*state, error) {
	m, o := s.model, s.options
	if err := m.Holdout.CheckProjections(); err != nil {
		return nil, fmt.Errorf("model %s: holdout: %w", m.Card.Name, err)
	}
	t := &state{negatives: test.Negatives(), bank: s.single.Ratio(), partition: o.Partition}
	pre, err := t.base(ctx, o, m, test)
	if err != nil {
		return nil, err
	}
	if n := test.Undefined(); n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("s_pre is incomplete for %d of %d graphs, which have a single node", n, len(gs)))
	}
	base := pre // what partitions the batch; Row.Batch needs the ratio first
	if o.Partition == PartByBatch {
		if err := s.weigh(ctx, t, r, gs, test); err != nil {
			return nil, err
		}
		base = t.fused.Of(aloneOf(r.Rows), t.ratio.Test)
	}
	t.input = &attention.Batch{
		Encoder: m.Encoder, Graphs: gs, Test: test, Terms: t.terms, Base: pre, Part: base, Bank: m.Bank, Workers: o.Workers, Watch: o.Watch,
	}
	attn, err := s.attention.Calibrate(ctx, t.input)
	if err != nil {
		return nil, err
	}
	t.attn, t.baca = attn.Score, Add(o.Beta, base, attn.Test)
	r.Warnings = append(r.Warnings, attn.Warnings...)
	if o.Partition == PartByPre {
		if err := s.weigh(ctx, t, r, gs, test); err != nil {
			return nil, err
		}
	}
	t.setBatchScores(r.Rows, pre, attn.Test, t.ratio.Test)
	return t, nil
}

// base returns S_Pre of each graph of a batch and keeps the terms to score further graphs.
func (t *state) base(ctx context.Context, o Options, m *model.Model, test *contrast.Representation) (pre []float64, err error) {
	if o.Plain {
		t.terms = contrast.PlainTerms(m.Bank)
		return contrast.BaseScores(ctx, o.Workers, test, t.negatives, true, t.terms)
	}
	pre, t.terms, err = contrast.BatchScores(ctx, o.Workers, test, t.negatives, m.Bank.MeanNodeScore())
	return pre, err
}

// weigh estimates the density ratio of a batch to the training set, for t.ratio. In r it reports the evidence that the two
// differ, its p-value and the differences in words. The stronger the evidence, the more the ratio weighs in t.fused.
func (s *Scorer) weigh(ctx context.Context, t *state, r *Report, gs []*graph.Graph, test *contrast.Representation) error {
	m, o := s.model, s.options
	o.Watch.Report(attention.Weighing, 0, 1)
	batch, err := t.bank.Measure(ctx, o.Workers, test)
	if err != nil {
		return err
	}
	if t.holdout, err = t.bank.Measure(ctx, o.Workers, m.Holdout); err != nil {
		return err
	}
	if t.ratio, err = t.bank.Estimate(ctx, o.Workers, o.Ratio, batch, t.holdout); err != nil {
		return err
	}
	if t.ratio.Skipped != "" {
		r.Warnings = append(r.Warnings, t.ratio.Skipped)
	}
	r.Evidence, r.P = t.ratio.AUC, t.ratio.P
	if math.IsNaN(r.Evidence) {
		r.Evidence = t.ratio.Evidence
	}
	if r.P <= wholeLevel {
		r.Differences = explain.Differences(m.Profile, gs)
	}
	r.Weight = gate(t.ratio.Evidence, len(gs), m.Bank.Len())
	// A graph without nodes has the score NaN, which must not reach the others.
	scores := slices.DeleteFunc(aloneOf(r.Rows), math.IsNaN)
	t.fused = blend(r.Weight, scores, t.ratio.Test)
	return nil
}

// aloneOf returns the Alone of each row.
func aloneOf(rows []Row) []float64 {
	scores := make([]float64, len(rows))
	for i, r := range rows {
		scores[i] = r.Alone
	}
	return scores
}

// A state scores graphs after a batch.
type state struct {
	bank      *ratio.Bank
	negatives *contrast.Negatives
	terms     contrast.Terms // of S_Pre
	partition string
	input     *attention.Batch
	attn      attention.Scorer
	baca      Sum // S_BaCa
	ratio     *ratio.Estimate
	fused     Sum           // gives Row.Batch
	holdout   *ratio.Graphs // the model's holdout
	batch     []float64     // Row.Batch of the holdout
	folds     []paperFold   // nil without Options.PaperP
}

// A paperFold computes S_BaCa after learning from all other folds of the batch.
type paperFold struct {
	negatives *contrast.Negatives // the graphs of the other folds
	attn      attention.Scorer
	holdout   []float64 // S_BaCa of the holdout
}

// paperFolds is the number of folds that cross-fit S_BaCa.
const paperFolds = 5

// foldsOf assigns each graph to a fold by its subtrees, so that equal graphs share one.
func foldsOf(r *contrast.Representation) []int {
	return lists.Map(r.Prints, func(p fingerprint.Print) int { return int(p.Hash() % paperFolds) })
}

// crossFit fits S_BaCa without each fold of the batch in turn, and fills in BaCaP of the report's rows.
func (s *Scorer) crossFit(ctx context.Context, t *state, r *Report, test *contrast.Representation) error {
	o, fold := s.options, foldsOf(test)
	scorers, err := s.attention.CrossFit(ctx, t.input, fold, paperFolds)
	if err != nil {
		return err
	}
	for k, attn := range scorers {
		var rest []int
		for i, f := range fold {
			if f != k {
				rest = append(rest, i)
			}
		}
		f := paperFold{negatives: test.Select(rest).Negatives(), attn: attn}
		if f.holdout, err = t.paperBy(ctx, &f, o.Workers, r.Holdout, s.model.Holdout); err != nil {
			return err
		}
		t.folds = append(t.folds, f)
	}
	return t.fillPaperP(ctx, o.Workers, r.Rows, test)
}

// fillPaperP fills in BaCaP of rows. Each graph is scored by its own fold, which has not learned from it. It does
// nothing without folds.
func (t *state) fillPaperP(ctx context.Context, workers int, rows []Row, g *contrast.Representation) error {
	fold := foldsOf(g)
	for k := range t.folds {
		var index []int
		var of []Row
		for i, f := range fold {
			if f == k {
				index, of = append(index, i), append(of, rows[i])
			}
		}
		scores, err := t.paperBy(ctx, &t.folds[k], workers, of, g.Select(index))
		if err != nil {
			return err
		}
		for j, p := range decide.PValues(scores, t.folds[k].holdout) {
			rows[index[j]].BaCaP = p
		}
	}
	return nil
}

// paperBy returns S_BaCa of graphs as a fold scores them.
func (t *state) paperBy(ctx context.Context, f *paperFold, workers int, rows []Row, g *contrast.Representation) ([]float64, error) {
	attn, err := f.attn(ctx, g)
	if err != nil {
		return nil, err
	}
	base := lists.Map(rows, func(r Row) float64 { return r.Batch })
	if t.partition == PartByPre {
		if base, err = contrast.BaseScores(ctx, workers, g, f.negatives, false, t.terms); err != nil {
			return nil, err
		}
	}
	return t.baca.Of(base, attn), nil
}

// fill adds batch scores to rows of graphs that were not in the batch.
func (t *state) fill(ctx context.Context, workers int, rows []Row, g *ratio.Graphs) error {
	pre, err := contrast.BaseScores(ctx, workers, g.Representation, t.negatives, false, t.terms)
	if err != nil {
		return err
	}
	attn, err := t.attn(ctx, g.Representation)
	if err != nil {
		return err
	}
	t.setBatchScores(rows, pre, attn, t.ratio.Score(g))
	return nil
}

// setBatchScores sets the scores of rows that need the batch, from Alone, S_Pre, S_Attn and the density ratio. Batch joins
// Alone and the ratio; BaCa joins S_Attn and S_Pre, or Batch where that partitions the batch.
func (t *state) setBatchScores(rows []Row, pre, attn, ratio []float64) {
	batch := t.fused.Of(aloneOf(rows), ratio)
	base := pre
	if t.partition == PartByBatch {
		base = batch
	}
	baca := t.baca.Of(base, attn)
	for i := range rows {
		r := &rows[i]
		r.Pre, r.Attn, r.BaCa, r.Ratio, r.Batch = pre[i], attn[i], baca[i], ratio[i], batch[i]
	}
}

// A Sum is a weighted sum of two scores, each standardised over a batch.
type Sum struct {
	weight [2]float64
	scale  [2]near.Scale
	limit  float64 // the excess of the first above it is added
}

// Add is z(base) + beta·z(extra), the paper's equation 9, standardised over the given scores.
func Add(beta float64, base, extra []float64) Sum {
	return Sum{[2]float64{1, beta}, [2]near.Scale{near.ScaleOf(base), near.ScaleOf(extra)}, math.Inf(1)}
}

// Parts returns the scales and beta of a sum that [Add] made.
func (s Sum) Parts() (base, extra near.Scale, beta float64) {
	return s.scale[0], s.scale[1], s.weight[1]
}

// blend adds the density ratio of a batch, extra, to the score of single graphs, base:
//
//	(1 − (1−keep)·w)·z(base) + w·z(extra) + max(0, base − limit)
//
// with keep = ¼, limit = 4 and z over the batch. At w = 1, full evidence, single graphs keep a
// share. The last term protects a graph that is alone of its kind, which a density ratio may put
// inside.
func blend(w float64, base, extra []float64) Sum {
	return Sum{[2]float64{1 - (1-keep)*w, w}, [2]near.Scale{near.ScaleOf(base), near.ScaleOf(extra)}, limit}
}

// keep and limit are the constants of blend.
const keep, limit = 0.25, 4

// Of returns the sums for graphs with the given scores.
func (s Sum) Of(base, extra []float64) []float64 {
	x, y := s.scale[0].Standardize(base), s.scale[1].Standardize(extra)
	for i := range x {
		x[i] = float64(s.weight[0]*x[i]) + float64(s.weight[1]*y[i]) + max(0, base[i]-s.limit)
	}
	return x
}

// gate maps evidence to the weight of the density ratio, from 0 to 1. Evidence is the mean
// cross-validated AUC of the ratio's heads. The weight is (z − 1)/2, where z is the excess of evidence
// over ½ in standard errors of the rank-sum test, √((n+m+1)/(12·n·m)). The mean of several heads varies less than
// one AUC, so z is too small rather than too large.
func gate(evidence float64, batch, bank int) float64 {
	if batch == 0 || bank == 0 {
		return 0
	}
	n, m := float64(batch), float64(bank)
	z := (evidence - 0.5) / math.Sqrt((n+m+1)/(12*n*m))
	return max(0, min(1, (z-gateLow)/gateWidth))
}

// gate is 0 up to z = gateLow and 1 from z = gateLow + gateWidth on.
const gateLow, gateWidth = 1, 2
