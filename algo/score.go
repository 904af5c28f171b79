package algo

import (
	"context"
	"fmt"
	"math"

	"baca/algo/calibrate"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/graph"
)

// The calibrators by name.
const (
	Auto      = "auto"      // density ratio, as far as the evidence goes
	Ratio     = "ratio"     // density ratio alone
	Attention = "attention" // the paper's S_BaCa
	None      = "none"      // the base score
)

// Calibrators lists the names, the default first.
var Calibrators = []string{Auto, Attention, Ratio, None}

// MinBatch is the smallest number of graphs that is scored as a batch. Fewer say
// too little about each other, so each is then scored on its own.
const MinBatch = 20

// Options configure a Scorer.
type Options struct {
	Calibrator string
	// Beta is the weight of S_Attn in S_BaCa, the paper's equation 9 with both
	// scores standardised.
	Beta      float64
	Attention calibrate.AttentionOptions
	Ratio     calibrate.Ratio
	Alpha     float64 // rate of false alarms for verdicts
	Seed      uint64
	Workers   int // 0: all cores

	// Trace, unless nil, sees every step of the attention's training.
	Trace func(calibrate.Iteration)
}

// DefaultOptions are one setting for all data.
func DefaultOptions() Options {
	return Options{
		Calibrator: Auto,
		Beta:       1,
		Attention:  calibrate.DefaultAttention(),
		Ratio:      calibrate.DefaultRatio(),
		Alpha:      0.05,
		Seed:       1,
	}
}

// A Row is what the method says about one graph. Scores are higher the more OOD.
type Row struct {
	Pre     float64 // S_Pre = ℓ_g + ℓ_n
	Attn    float64 // S_Attn in [−2, 2]
	BaCa    float64 // S_BaCa = z(S_Pre) + β·z(S_Attn)
	Score   float64 // of the chosen calibrator
	P       float64 // conformal p-value of Score, NaN without a holdout
	Verdict decide.Verdict
}

// A Report is the result for one batch.
type Report struct {
	Rows []Row
	// Holdout has the scores of the model's holdout in the same state, without
	// p-values and verdicts: what the rows are compared with.
	Holdout    []Row
	Calibrator string
	// Alone says that the graphs were too few for a batch: Score, p-value and
	// verdict of each are then those it would get by itself.
	Alone bool
	// Evidence is the cross-validated AUC of telling the batch from the ID
	// bank, and Weight what that makes the density ratio's share of Score.
	Evidence, Weight float64
	Warnings         []string
}

// A Scorer scores the batches of one stream, in order: the dictionaries of the
// attention go on from batch to batch. It is not safe for concurrent use.
type Scorer struct {
	model     *Model
	options   Options
	attention *calibrate.Attention
}

// NewScorer checks the options against the model.
func NewScorer(m *Model, o Options) (*Scorer, error) {
	known := false
	for _, name := range Calibrators {
		known = known || name == o.Calibrator
	}
	if !known {
		return nil, fmt.Errorf("calibrator %q: want one of %v", o.Calibrator, Calibrators)
	}
	if m.Bank.Len() == 0 {
		return nil, fmt.Errorf("model %s has no bank of in-distribution graphs to compare with", m.Card.Name)
	}
	if err := decide.CheckAlpha(o.Alpha, m.Holdout.Len()); err != nil {
		return nil, err
	}
	a, err := calibrate.NewAttention(o.Attention, o.Seed)
	if err != nil {
		return nil, err
	}
	return &Scorer{model: m, options: o, attention: a}, nil
}

// Batch scores graphs together. All must have the model's feature schema.
//
// Up from MinBatch graphs, the negatives of S_Pre are the batch itself, the
// calibrator learns from the batch, and the model's holdout is scored in the same
// state for p-values. With fewer, the negatives are the ID bank and Score, unless
// the calibrator is None or Attention, is the mean of the standardised ℓ_n and
// distance to the nearest bank graph, which depend on nothing but the graph.
func (s *Scorer) Batch(ctx context.Context, gs []*graph.Graph) (*Report, error) {
	m, o := s.model, s.options
	if len(gs) == 0 {
		return &Report{Calibrator: o.Calibrator}, ctx.Err()
	}
	test, err := contrast.Represent(ctx, o.Workers, m.Encoder, gs)
	if err != nil {
		return nil, err
	}
	r := &Report{Calibrator: o.Calibrator, Alone: len(gs) < MinBatch, Evidence: 0.5}
	negatives := test
	if r.Alone {
		negatives = m.Bank
		r.Warnings = append(r.Warnings, fmt.Sprintf("fewer than %d graphs say too little about each other: each of the %d is scored alone, against the model's bank", MinBatch, len(gs)))
	}
	var base pair
	var undefined int
	typical := m.Bank.MeanNodeScore()
	if base.test, undefined, err = contrast.BaseScores(ctx, o.Workers, test, negatives, typical); err != nil {
		return nil, err
	}
	if base.holdout, _, err = contrast.BaseScores(ctx, o.Workers, m.Holdout, negatives, typical); err != nil {
		return nil, err
	}
	if undefined > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("ℓ_n is not defined for a single node: the mean of the bank took its place for %d of %d graphs", undefined, len(gs)))
	}
	in := &calibrate.Input{
		Encoder: m.Encoder, Graphs: gs, Test: test, Base: base.test, Bank: m.Bank, Holdout: m.Holdout,
		Seed: o.Seed, Workers: o.Workers,
	}
	if r.Alone {
		// Without a batch there is nothing to part.
		in.Base = make([]float64, len(gs))
	}
	attn, err := s.attention.Calibrate(ctx, in, o.Trace)
	if err != nil {
		return nil, err
	}
	baca := pair{}
	if r.Alone && m.Holdout.Len() > 0 {
		// A batch of a few has no scale of its own.
		baca.holdout, baca.test = calibrate.Add(o.Beta, base.holdout, attn.Holdout, base.test, attn.Test)
	} else {
		baca.test, baca.holdout = calibrate.Add(o.Beta, base.test, attn.Test, base.holdout, attn.Holdout)
	}
	if !r.Alone || o.Calibrator == Attention {
		r.Warnings = append(r.Warnings, attn.Warnings...)
	}
	score, err := s.choose(ctx, r, in, base, baca)
	if err != nil {
		return nil, err
	}
	p := decide.PValues(score.test, score.holdout)
	for i := range gs {
		r.Rows = append(r.Rows, Row{
			Pre: base.test[i], Attn: attn.Test[i], BaCa: baca.test[i],
			Score: score.test[i], P: p[i], Verdict: decide.Judge(p[i], o.Alpha),
		})
	}
	for i := range m.Holdout.Len() {
		r.Holdout = append(r.Holdout, Row{
			Pre: base.holdout[i], Attn: attn.Holdout[i], BaCa: baca.holdout[i],
			Score: score.holdout[i], P: math.NaN(), Verdict: decide.Unknown,
		})
	}
	if m.Holdout.Len() == 0 {
		r.Warnings = append(r.Warnings, "the model holds no graphs kept from training, so there are no p-values")
	}
	return r, nil
}

// A pair is a score of the batch and of the holdout, in one state.
type pair struct{ test, holdout []float64 }

// choose computes Score by the chosen calibrator.
func (s *Scorer) choose(ctx context.Context, r *Report, in *calibrate.Input, base, baca pair) (pair, error) {
	o := s.options
	switch {
	case o.Calibrator == None:
		return base, nil
	case o.Calibrator == Attention:
		return baca, nil
	case r.Alone:
		return s.alone(ctx, in)
	}
	ratio, evidence, err := o.Ratio.Estimate(ctx, in)
	if err != nil {
		return pair{}, err
	}
	r.Warnings = append(r.Warnings, ratio.Warnings...)
	r.Evidence, r.Weight = evidence, 1
	if o.Calibrator == Ratio && len(ratio.Warnings) == 0 {
		return pair{ratio.Test, ratio.Holdout}, nil
	}
	r.Weight = calibrate.Gate(evidence)
	test, holdout := calibrate.Fuse(evidence, in.Base, ratio.Test, base.holdout, ratio.Holdout)
	return pair{test, holdout}, nil
}

// alone scores each graph by itself: ℓ_n and the distance to the nearest graph
// of the bank, each in units of the holdout (of the batch, where there is none).
func (s *Scorer) alone(ctx context.Context, in *calibrate.Input) (pair, error) {
	var sum pair
	add := func(test, holdout []float64) {
		reference := holdout
		if len(holdout) == 0 {
			reference = test
		}
		scale := calibrate.ScaleOf(defined(reference))
		for _, side := range []struct {
			total  *[]float64
			scores []float64
		}{{&sum.test, test}, {&sum.holdout, holdout}} {
			if *side.total == nil {
				*side.total = make([]float64, len(side.scores))
			}
			for i, z := range scale.Standardize(side.scores) {
				if !math.IsNaN(z) { // ℓ_n of a single node says nothing
					(*side.total)[i] += z / 2
				}
			}
		}
	}
	add(in.Test.NodeScore, in.Holdout.NodeScore)
	var near pair
	var err error
	if near.test, err = calibrate.Nearest(ctx, in.Workers, in.Test.Q, in.Bank.Q, in.Bank.Dim()); err != nil {
		return pair{}, err
	}
	if near.holdout, err = calibrate.Nearest(ctx, in.Workers, in.Holdout.Q, in.Bank.Q, in.Bank.Dim()); err != nil {
		return pair{}, err
	}
	add(near.test, near.holdout)
	return sum, nil
}

func defined(x []float64) []float64 {
	var d []float64
	for _, v := range x {
		if !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	return d
}
