// Package batch scores graphs by themselves and as a list.
package batch

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/alone"
	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/ratio"
)

// Values of Options.By: which score decides.
const (
	ByAlone     = "alone"     // the graph by itself
	ByBatch     = "batch"     // the graph and the density ratio between batch and training set
	ByAttention = "attention" // the paper's S_BaCa
)

// Deciders lists the values of Options.By.
func Deciders() []string { return []string{ByAlone, ByBatch, ByAttention} }

// CheckBy returns an error for an unknown value of Options.By.
func CheckBy(by string) error {
	if slices.Contains(Deciders(), by) {
		return nil
	}
	return fmt.Errorf("decide by %.40q: want one of %s", by, strings.Join(Deciders(), ", "))
}

// CheckModel returns an error if the model cannot decide by a value of Options.By. Only ByAlone suits a model made for
// sharing, and ByAttention needs a trained encoder.
func CheckModel(m *model.Model, by string) error {
	switch {
	case by != ByAlone && m.Shared > 0:
		return fmt.Errorf("model %s was made for sharing and holds no single graphs to compare a batch with: it decides by %q only", m.Card.Name, ByAlone)
	case by == ByAttention && m.Card.Steps() < leastSteps:
		trained := "is not trained"
		if n := m.Card.Steps(); n > 0 {
			trained = fmt.Sprintf("was trained for %d steps of at least %d", n, leastSteps)
		}
		return fmt.Errorf("the encoder of model %s %s, which the paper's method needs: train the model again with baca train --for %s, or elsewhere with a number of epochs",
			m.Card.Name, trained, ByAttention)
	}
	return nil
}

// leastSteps is the fewest training steps that make an encoder useful to the paper's method. On the paper's pairs, seeds 1
// and 2, S_BaCa has AUROC 68.8 after one epoch and 83.8 after 400 (bench ablation --seeds 1,2 --epochs 1).
const leastSteps = 300

// Values of Options.Partition: which score partitions a batch for the attention, see attention.Options.BankWeight, and is the
// base of S_BaCa.
const (
	PartByPre   = "s_pre" // S_Pre, as in the paper
	PartByBatch = "batch" // Row.Batch
)

// MinBatch is the smallest number of graphs that form a batch.
const MinBatch = 20

// Options configure a Scorer.
type Options struct {
	By    string  // which score fills Score, P and Verdict of a Row
	Alpha float64 // rate of false alarms for verdicts

	// PaperP fills BaCaP of a Row where another score decides, too. The model must suit ByAttention.
	PaperP bool

	// Partition is the score that partitions the batch for the attention and that S_Attn is added
	// to.
	Partition string
	// Plain makes S_Pre the paper's sum ℓ_g + ℓ_n.
	Plain bool
	// Beta is the weight of S_Attn in S_BaCa (equation 9, both scores standardised).
	Beta      float64
	Attention attention.Options
	Ratio     ratio.Options
	Seed      uint64 // of the attention, the only random part
	Workers   int    // 0: all cores

	// Single, if not nil, is reused to score single graphs.
	Single *alone.Scorer
	// Watch, if not nil, follows the work on each batch.
	Watch *attention.Watch
}

// DefaultOptions returns the options that fit all data: none is tuned to one data set.
func DefaultOptions() Options {
	return Options{
		By:        ByAlone,
		Alpha:     0.05,
		Partition: PartByPre,
		Beta:      2,
		Attention: attention.DefaultOptions(),
		Ratio:     ratio.DefaultOptions(),
		Seed:      1,
	}
}

// PartedByBatch returns the options changed to partition by Row.Batch, with the weight of S_Attn that the
// validation pairs favour. The bank has no weight of its own, since Row.Batch includes it.
func (o Options) PartedByBatch() Options {
	o.Partition, o.Beta = PartByBatch, 0.5
	o.Attention.BankWeight, o.Attention.LearningRate = 0, 1e-3
	return o
}

// A Row holds the scores of one graph. Higher is more OOD.
type Row struct {
	// The deciding score, chosen by Options.By.
	Score   float64
	P       float64 // conformal p-value of Score, NaN without a holdout
	Verdict decide.Verdict

	// Of the graph by itself.
	Alone, AloneP float64

	// Of the graph in a batch, NaN without one.
	Pre    float64 // S_Pre: ℓ_g + 0.3·ℓ_n, standardised over the batch
	Attn   float64 // S_Attn in [−2, 2]
	BaCa   float64 // S_BaCa = z(S_Pre) + β·z(S_Attn), with Batch for S_Pre if that partitions the batch
	Ratio  float64 // the density ratio alone
	BaCaP  float64 // conformal p-value of S_BaCa, cross-fitted; NaN unless Options.PaperP
	Batch  float64 // Alone and Ratio, joined by the evidence
	BatchP float64 // conformal p-value of Batch
	// Foreign is set if hardly any training graph is as similar to the batch, see ratio.Estimate.Foreign.
	Foreign bool
	// BatchVerdict is outside where BatchP ≤ alpha, and AloneP ≤ decide.Guard or Foreign.
	BatchVerdict decide.Verdict
}

// GuardP is the p-value that decide.Guard or decide.PaperGuard must bound for an outside verdict: AloneP, or 0 for
// a foreign graph.
func (r *Row) GuardP() float64 {
	if r.Foreign {
		return 0
	}
	return r.AloneP
}

// unscored is a row before any score is known.
var unscored = Row{
	Score: math.NaN(), P: math.NaN(), Verdict: decide.Undecided, Alone: math.NaN(), AloneP: math.NaN(),
	Pre: math.NaN(), Attn: math.NaN(), BaCa: math.NaN(), BaCaP: math.NaN(), Ratio: math.NaN(), Batch: math.NaN(), BatchP: math.NaN(), BatchVerdict: decide.Undecided,
}

// newRows returns a row for each score of a single graph, without p-values and verdicts.
func newRows(scores []float64) []Row {
	rows := make([]Row, len(scores))
	for i, x := range scores {
		rows[i] = unscored
		rows[i].Alone = x
	}
	return rows
}

// A Report is the result for one batch.
type Report struct {
	Rows []Row
	// Holdout has the scores of the holdout in the same state, without p-values and verdicts.
	Holdout []Row
	// Few is set if there were fewer than MinBatch graphs, so that each was scored by itself.
	Few bool
	// Evidence is the cross-validated AUC with which a classifier tells the batch from held-out graphs, or
	// from training graphs if too few are held out. P is its p-value, NaN if too few are held out.
	Evidence, P float64
	// Weight, from 0 to 1, is the weight of the density ratio in Row.Batch. It depends on the
	// evidence against training graphs, of which there are more.
	Weight float64
	// Differences says in words how the batch differs from the training set, where P ≤ 0.05.
	Differences []string
	Warnings    []string
}

// A Scorer scores single graphs and batches, and further graphs in the state after a batch. Only
// Score may be called concurrently.
type Scorer struct {
	model     *model.Model
	options   Options
	single    *alone.Scorer
	attention *attention.Calibrator
	state     *state // after the latest batch
}

// NewScorer returns a scorer. An error names the option that is wrong or that the model does not allow.
func NewScorer(ctx context.Context, m *model.Model, o Options) (*Scorer, error) {
	if err := CheckBy(o.By); err != nil {
		return nil, err
	}
	if o.Partition != PartByPre && o.Partition != PartByBatch {
		return nil, fmt.Errorf("partition by %q: want %q or %q", o.Partition, PartByPre, PartByBatch)
	}
	if err := decide.CheckAlpha(o.Alpha); err != nil {
		return nil, err
	}
	if o.Single != nil && o.Single.Model() != m {
		return nil, fmt.Errorf("Options.Single belongs to another model, not to %s", m.Card.Name)
	}
	by := o.By
	if o.PaperP {
		by = ByAttention // the model must suit it
	}
	o.PaperP = by == ByAttention
	if err := CheckModel(m, by); err != nil {
		return nil, err
	}
	a, err := attention.New(o.Attention, o.Seed)
	if err != nil {
		return nil, err
	}
	s := &Scorer{model: m, options: o, single: o.Single, attention: a}
	if s.single == nil {
		s.single, err = alone.New(ctx, m, o.Workers)
	}
	return s, err
}

// Single returns the scorer of single graphs.
func (s *Scorer) Single() *alone.Scorer { return s.single }

// Attention returns the calibrator after the latest batch, to be read only.
func (s *Scorer) Attention() *attention.Calibrator { return s.attention }

// Paper returns how S_BaCa of the latest batch is summed from its base and S_Attn. ok is false before the first
// batch.
func (s *Scorer) Paper() (sum Sum, ok bool) {
	if s.state == nil {
		return Sum{}, false
	}
	return s.state.baca, true
}

// Score scores further graphs. Before a batch it scores each graph by itself. After a batch it also gives the
// batch scores, as for the holdout. A row depends only on its graph, which must have the model's
// feature schema. Concurrent calls are allowed, and each uses one core.
func (s *Scorer) Score(ctx context.Context, gs []*graph.Graph) ([]Row, error) {
	if s.state == nil {
		answers, _, _, err := s.single.Outlined(ctx, 1, gs)
		if err != nil {
			return nil, err
		}
		rows := newRows(alone.ScoresOf(answers))
		s.decide(rows, ByAlone)
		return rows, nil
	}
	r, err := contrast.Describe(ctx, 1, s.model.Encoder, gs)
	if err != nil {
		return nil, err
	}
	answers, err := s.single.Represented(ctx, 1, gs, r)
	if err != nil {
		return nil, err
	}
	g, err := s.state.bank.Measure(ctx, 1, r)
	if err != nil {
		return nil, err
	}
	rows := newRows(alone.ScoresOf(answers))
	if err := s.state.fill(ctx, 1, rows, g); err != nil {
		return nil, err
	}
	if err := s.state.fillPaperP(ctx, 1, rows, r); err != nil {
		return nil, err
	}
	s.decide(rows, s.options.By)
	return rows, nil
}

// decide fills in p-values and verdicts, and the deciding score that by chooses.
func (s *Scorer) decide(rows []Row, by string) {
	alpha, references := s.options.Alpha, s.model.References()
	// pValues returns those of one score of all rows.
	pValues := func(score func(*Row) float64, holdout []float64) []float64 {
		scores := make([]float64, len(rows))
		for i := range rows {
			scores[i] = score(&rows[i])
		}
		return decide.PValues(scores, holdout)
	}
	aloneP := pValues(func(r *Row) float64 { return r.Alone }, s.single.Ranked())
	var batchP []float64
	rule := decide.Rule{Alpha: alpha, Holdout: references}
	if s.state != nil {
		rule.Guard = decide.Guard(len(s.state.ratio.Test), alpha)
		batchP = pValues(func(r *Row) float64 { return r.Batch }, s.state.batch)
	}
	for i := range rows {
		r := &rows[i]
		r.AloneP = aloneP[i]
		if s.state != nil {
			r.BatchP = batchP[i]
			r.Foreign = s.state.ratio.Foreign(r.Ratio)
			r.BatchVerdict = rule.Judge(batchP[i], r.GuardP())
		}
		switch by {
		case ByBatch:
			r.Score, r.P, r.Verdict = r.Batch, r.BatchP, r.BatchVerdict
		case ByAttention:
			r.Score, r.P = r.BaCa, r.BaCaP
			r.Verdict = decide.Rule{Alpha: alpha, Holdout: references, Guard: decide.PaperGuard(alpha)}.Judge(r.BaCaP, r.GuardP())
		default:
			r.Score, r.P, r.Verdict = r.Alone, aloneP[i], decide.Judge(aloneP[i], alpha, references)
		}
	}
}

// DeviceChunk is the number of graphs that a GPU gets at once.
const DeviceChunk = 1024

// Chunk returns the best number of graphs for one call of Score: DeviceChunk with a GPU, 0 for any number without.
func (s *Scorer) Chunk() int {
	if s.model.Encoder.Device == nil {
		return 0
	}
	return DeviceChunk
}
