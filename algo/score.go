package algo

import (
	"context"
	"errors"
	"fmt"
	"math"

	"baca/algo/calibrate"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/graph"
)

// The calibrators by name.
const (
	Auto      = "auto"      // the score of single graphs, and the density ratio as far as the evidence goes
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
	// Near is what is prepared of the model's bank (see Alone.Near), for scorers of one
	// model to share; nil for the scorer to prepare it. NewScorer refuses that of
	// another bank.
	Near *calibrate.Neighborhood

	// Watch, unless nil, follows the work on each batch.
	Watch *Watch
}

// A Watch follows the work on batches, for those who want to see it. It changes no
// result.
type Watch struct {
	calibrate.Watch
	// Preview, unless nil, sees what each graph would get alone, with the p-values
	// and verdicts of that and with Score alone, before the batch is calibrated.
	// It is not called where the model has no holdout.
	Preview func(rows []Row, holdout []float64)
}

// EveryStep returns a Watch that sees every step of the attention's training.
func EveryStep(see func(calibrate.Iteration)) *Watch {
	return &Watch{Watch: calibrate.Watch{Every: 1, Step: see}}
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
	Ratio   float64 // the density ratio alone, 0 where none is estimated
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
	// Evidence is the cross-validated AUC of telling the batch from the ID bank,
	// and Weight, from 0 to 1, what that makes of the density ratio in Score.
	Evidence, Weight float64
	Warnings         []string
}

// A Scorer scores a batch, and with what it learned from the batch any number of
// further graphs. Its methods must not be called at the same time, but for Score.
type Scorer struct {
	model     *Model
	options   Options
	attention *calibrate.Attention
	state     *state              // after the latest batch
	single    *Alone              // once it is needed
	nearness  *calibrate.Nearness // of the batch at hand, once it is measured
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
	if o.Near != nil && !o.Near.Of(m.Bank) {
		return nil, fmt.Errorf("Near was prepared of another bank than that of model %s", m.Card.Name)
	}
	if err := decide.CheckAlpha(o.Alpha, m.References()); err != nil {
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
// the calibrator is None or Attention, is that of calibrate.Neighborhood, which
// depends on nothing but the graph.
//
// After an earlier batch the dictionaries of the attention go on from there.
func (s *Scorer) Batch(ctx context.Context, gs []*graph.Graph) (*Report, error) {
	m, o := s.model, s.options
	defer func() { s.nearness = nil }()
	if len(gs) == 0 {
		return &Report{Calibrator: o.Calibrator}, ctx.Err()
	}
	test, err := s.encode(ctx, gs)
	if err != nil {
		return nil, err
	}
	r := &Report{Calibrator: o.Calibrator, Alone: len(gs) < MinBatch || m.Shared > 0, Evidence: 0.5}
	negatives := test
	if r.Alone {
		negatives = m.Bank
	}
	if m.Shared > 0 {
		r.Warnings = append(r.Warnings, "the model was made for sharing and holds no single graphs: each graph is scored alone, and only the default score has p-values")
	} else if r.Alone {
		r.Warnings = append(r.Warnings, fmt.Sprintf("fewer than %d graphs say too little about each other: each of the %d is scored alone, against the model's bank", MinBatch, len(gs)))
	}
	t := &state{negatives: negatives.Negatives(), typical: m.Bank.MeanNodeScore(), alpha: o.Alpha, workers: o.Workers}
	base, undefined, err := contrast.BaseScores(ctx, o.Workers, test, t.negatives, !r.Alone, t.typical)
	if err != nil {
		return nil, err
	}
	if undefined > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("ℓ_n is not defined for a single node: the mean of the bank took its place for %d of %d graphs", undefined, len(gs)))
	}
	in := &calibrate.Input{
		Encoder: m.Encoder, Graphs: gs, Test: test, Base: base, Bank: m.Bank, Holdout: m.Holdout,
		Seed: o.Seed, Workers: o.Workers,
	}
	if o.Watch != nil {
		in.Watch = &o.Watch.Watch
	}
	if r.Alone {
		// Without a batch there is nothing to part.
		in.Base = make([]float64, len(gs))
	}
	attn, err := s.attention.Calibrate(ctx, in)
	if err != nil {
		return nil, err
	}
	t.attn = attn.Score
	t.baca = calibrate.Add(o.Beta, base, attn.Test)
	if r.Alone && m.Holdout.Len() > 0 {
		// A batch of a few has no scale of its own.
		held, _, err := contrast.BaseScores(ctx, o.Workers, m.Holdout, t.negatives, false, t.typical)
		if err != nil {
			return nil, err
		}
		t.baca = calibrate.Add(o.Beta, held, attn.Holdout)
	}
	baca := t.baca.Of(base, attn.Test)
	if !r.Alone || o.Calibrator == Attention {
		r.Warnings = append(r.Warnings, attn.Warnings...)
	}
	score, err := s.choose(ctx, r, t, in, base, baca)
	if err != nil {
		return nil, err
	}
	if o.Watch != nil && o.Watch.Stage != nil {
		o.Watch.Stage(calibrate.Judging, 0, 1)
	}
	if r.Holdout, err = t.rows(ctx, m.Holdout); err != nil {
		return nil, err
	}
	for _, row := range r.Holdout {
		t.holdout = append(t.holdout, row.Score)
	}
	if m.Shared > 0 && o.Calibrator != None && o.Calibrator != Attention {
		t.holdout = m.Reference
	}
	r.Rows = score.rows(base, attn.Test, baca)
	t.judge(r.Rows)
	if m.References() == 0 {
		r.Warnings = append(r.Warnings, "the model holds no graphs kept from training, so there are no p-values")
	}
	s.state = t
	return r, nil
}

// Score scores further graphs in the state that the latest batch left, just as
// that batch scored the holdout: a row depends on nothing else but its graph. All
// graphs must have the model's feature schema, and there must have been a batch.
// It may be called by several goroutines at once; each call runs on one core.
func (s *Scorer) Score(ctx context.Context, gs []*graph.Graph) ([]Row, error) {
	if s.state == nil {
		return nil, errors.New("no batch has been scored that further graphs could be compared with")
	}
	t := *s.state
	t.workers = 1
	r, err := contrast.Describe(ctx, 1, s.model.Encoder, gs)
	if err != nil {
		return nil, err
	}
	rows, err := t.rows(ctx, r)
	if err != nil {
		return nil, err
	}
	t.judge(rows)
	return rows, nil
}

// A state is what scores a graph once a batch has been seen.
type state struct {
	negatives *contrast.Negatives
	typical   float64 // stands for ℓ_n where it is not defined
	attn      func(context.Context, *contrast.Representation) ([]float64, error)
	baca      calibrate.Sum
	// score is the chosen calibrator's, for graphs with these base and BaCa
	// scores, with the density ratio where it is estimated.
	score   func(ctx context.Context, workers int, r *contrast.Representation, base, baca []float64) (chosen, error)
	holdout []float64 // its scores of the holdout
	alpha   float64
	workers int
}

// rows scores graphs from which nothing was learned, without judging them.
func (t *state) rows(ctx context.Context, r *contrast.Representation) ([]Row, error) {
	base, _, err := contrast.BaseScores(ctx, t.workers, r, t.negatives, false, t.typical)
	if err != nil {
		return nil, err
	}
	attn, err := t.attn(ctx, r)
	if err != nil {
		return nil, err
	}
	baca := t.baca.Of(base, attn)
	c, err := t.score(ctx, t.workers, r, base, baca)
	if err != nil {
		return nil, err
	}
	return c.rows(base, attn, baca), nil
}

// A chosen is what the chosen calibrator says of graphs.
type chosen struct {
	score []float64
	ratio []float64 // nil without one
}

// rows are those of the graphs, not judged yet.
func (c chosen) rows(base, attn, baca []float64) []Row {
	rows := make([]Row, len(base))
	for i := range rows {
		rows[i] = Row{Pre: base[i], Attn: attn[i], BaCa: baca[i], Score: c.score[i], P: math.NaN(), Verdict: decide.Unknown}
		if c.ratio != nil {
			rows[i].Ratio = c.ratio[i]
		}
	}
	return rows
}

// judge fills in p-values and verdicts.
func (t *state) judge(rows []Row) {
	scores := make([]float64, len(rows))
	for i, row := range rows {
		scores[i] = row.Score
	}
	for i, p := range decide.PValues(scores, t.holdout) {
		rows[i].P, rows[i].Verdict = p, decide.Judge(p, t.alpha)
	}
}

// choose returns what the chosen calibrator says of the batch, and sets t.score.
func (s *Scorer) choose(ctx context.Context, r *Report, t *state, in *calibrate.Input, base, baca []float64) (chosen, error) {
	o := s.options
	switch {
	case o.Calibrator == None:
		t.score = func(_ context.Context, _ int, _ *contrast.Representation, base, _ []float64) (chosen, error) {
			return chosen{score: base}, nil
		}
		return chosen{score: base}, nil
	case o.Calibrator == Attention:
		t.score = func(_ context.Context, _ int, _ *contrast.Representation, _, baca []float64) (chosen, error) {
			return chosen{score: baca}, nil
		}
		return chosen{score: baca}, nil
	}
	near, test, err := s.near(ctx, in.Test)
	if err != nil {
		return chosen{}, err
	}
	// measured has a score made of how near graphs are to the bank.
	measured := func(score func(*contrast.Representation, *calibrate.Nearness) chosen) {
		t.score = func(ctx context.Context, workers int, r *contrast.Representation, _, _ []float64) (chosen, error) {
			d, err := near.Measure(ctx, workers, r)
			if err != nil {
				return chosen{}, err
			}
			return score(r, d), nil
		}
	}
	single := near.Scores(test)
	if r.Alone {
		measured(func(_ *contrast.Representation, d *calibrate.Nearness) chosen { return chosen{score: near.Scores(d)} })
		return chosen{score: single}, nil
	}
	ratio, err := o.Ratio.Estimate(ctx, in, near, test)
	if err != nil {
		return chosen{}, err
	}
	r.Evidence, r.Weight = ratio.Evidence, 1
	if ratio.Skipped != "" {
		r.Warnings = append(r.Warnings, ratio.Skipped)
	} else if o.Calibrator == Ratio {
		measured(func(r *contrast.Representation, d *calibrate.Nearness) chosen {
			score := ratio.Score(r, d)
			return chosen{score, score}
		})
		return chosen{ratio.Test, ratio.Test}, nil
	}
	r.Weight = calibrate.Gate(ratio.Evidence, in.Test.Len(), in.Bank.Len())
	fuse := calibrate.Fuse(r.Weight, single, ratio.Test)
	measured(func(r *contrast.Representation, d *calibrate.Nearness) chosen {
		extra := ratio.Score(r, d)
		return chosen{fuse.Of(near.Scores(d), extra), extra}
	})
	return chosen{fuse.Of(single, ratio.Test), ratio.Test}, nil
}

// near returns what is prepared of the bank, and how near the batch at hand is to it.
func (s *Scorer) near(ctx context.Context, test *contrast.Representation) (*calibrate.Neighborhood, *calibrate.Nearness, error) {
	o := &s.options
	var err error
	if o.Near == nil {
		if o.Near, err = calibrate.NewNeighborhood(ctx, o.Workers, s.model.Bank); err != nil {
			return nil, nil, err
		}
	}
	if s.nearness == nil {
		s.nearness, err = o.Near.Measure(ctx, o.Workers, test)
	}
	return o.Near, s.nearness, err
}
