package algo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/ratio"
)

// What decides, by name: the values of Options.By.
const (
	ByAlone     = "alone"     // the graph by itself: the same whatever stands beside it
	ByBatch     = "batch"     // that and the density ratio between the batch and the training set
	ByAttention = "attention" // the paper's S_BaCa
)

// Deciders lists the names, the default first.
func Deciders() []string { return []string{ByAlone, ByBatch, ByAttention} }

// CheckBy reports what is none of Deciders.
func CheckBy(by string) error {
	if slices.Contains(Deciders(), by) {
		return nil
	}
	return fmt.Errorf("decide by %.40q: want one of %s", by, strings.Join(Deciders(), ", "))
}

// What parts a batch for the attention, and is the base of S_BaCa: the values of
// Options.Partition.
const (
	PartByPre   = "s_pre" // S_Pre, as in the paper
	PartByBatch = "batch" // Row.Batch: the score of single graphs and, as far as the evidence goes, the density ratio
)

// MinBatch is the smallest number of graphs that is calibrated as a batch. Fewer say
// too little about each other.
const MinBatch = 20

// Guard bounds the p-value that a graph may have by itself to be called outside by its
// batch. A batch of one kind can lie anywhere, also deep inside the training set, and
// what learns from it then finds all of it strange. Guard is the rate of false alarms
// in the worst company; `baca bench guard` says how it was chosen.
const Guard = 0.1

// Options configure a Scorer.
type Options struct {
	By    string  // what Score, P and Verdict of a Row are taken from
	Alpha float64 // rate of false alarms for verdicts

	// For batches:

	// Partition is what parts the batch for the attention and what S_Attn is added to.
	Partition string
	// Plain makes S_Pre the sum ℓ_g + ℓ_n, as the paper prints it.
	Plain bool
	// Beta is the weight of S_Attn in S_BaCa, the paper's equation 9 with both
	// scores standardised.
	Beta      float64
	Attention attention.Options
	Ratio     ratio.Options
	Seed      uint64 // of the attention; nothing else is random
	Workers   int    // 0: all cores

	// Single scores single graphs of the model; nil for the scorer to make one.
	Single *SingleScorer
	// Watch, unless nil, follows the work on each batch.
	Watch *attention.Watch
}

// EveryStep returns a Watch that sees every step of the attention's training.
func EveryStep(see func(attention.Iteration)) *attention.Watch {
	return &attention.Watch{Every: 1, Step: see}
}

// DefaultOptions are one setting for all data.
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

// PartedByBatch returns the options with the better partition, PartByBatch, and the weight
// of S_Attn that is best beside it on the validation pairs.
func (o Options) PartedByBatch() Options {
	o.Partition, o.Beta = PartByBatch, 0.5
	return o
}

// A Row is what the method says about one graph. Scores are higher the more OOD.
type Row struct {
	// What decides, as chosen by Options.By.
	Score   float64
	P       float64 // conformal p-value of Score, NaN without a holdout
	Verdict decide.Verdict

	// Of the graph by itself. Nothing else enters.
	Alone, AloneP float64

	// Of the graph in a calibrated batch, NaN without one.
	Pre    float64 // S_Pre: ℓ_g + 0.3·ℓ_n, each in its deviations in the batch
	Attn   float64 // S_Attn in [−2, 2]
	BaCa   float64 // S_BaCa = z(S_Pre) + β·z(S_Attn), with Batch for S_Pre where that parts the batch
	Ratio  float64 // the density ratio alone
	Batch  float64 // Alone and Ratio, as far as the evidence goes
	BatchP float64 // conformal p-value of Batch
	// BatchVerdict is outside where BatchP is at most alpha and AloneP at most Guard.
	BatchVerdict decide.Verdict
}

// unscored is a row without any score.
var unscored = Row{
	Score: math.NaN(), P: math.NaN(), Verdict: decide.Undecided, Alone: math.NaN(), AloneP: math.NaN(),
	Pre: math.NaN(), Attn: math.NaN(), BaCa: math.NaN(), Ratio: math.NaN(), Batch: math.NaN(), BatchP: math.NaN(), BatchVerdict: decide.Undecided,
}

// A Report is the result for one batch.
type Report struct {
	Rows []Row
	// Holdout has the scores of the model's holdout in the same state, without
	// p-values and verdicts: what the rows are compared with.
	Holdout []Row
	// Few says that the graphs were too few to be calibrated: their rows have no scores
	// of a batch, and each graph is decided alone.
	Few bool
	// Evidence is the cross-validated AUC of telling the batch from held-out graphs
	// of the training set, or where too few are held out from training graphs. P is the
	// p-value of that, for the batch as a whole, NaN where too few are held out.
	Evidence, P float64
	// Weight, from 0 to 1, is that of the density ratio in Row.Batch. It follows from how
	// well the batch is told from training graphs, of which there are more.
	Weight float64
	// Differences says in words in what the batch differs from the training set, where P
	// is at most 0.05.
	Differences []string
	Warnings    []string
}

// A Scorer scores graphs by themselves, and batches of them. With what it learned from a
// batch it scores any number of further graphs. Its methods must not be called at the
// same time, but for Score.
type Scorer struct {
	model     *Model
	options   Options
	single    *SingleScorer
	attention *attention.Calibrator
	state     *state // after the latest batch
}

// NewScorer checks the options against the model.
func NewScorer(ctx context.Context, m *Model, o Options) (*Scorer, error) {
	if err := CheckBy(o.By); err != nil {
		return nil, err
	}
	if o.Partition != PartByPre && o.Partition != PartByBatch {
		return nil, fmt.Errorf("partition by %q: want %q or %q", o.Partition, PartByPre, PartByBatch)
	}
	if err := decide.CheckAlpha(o.Alpha); err != nil {
		return nil, err
	}
	if o.Single != nil && o.Single.model != m {
		return nil, fmt.Errorf("Options.Single belongs to another model, not to %s", m.Card.Name)
	}
	if o.By != ByAlone && m.Shared > 0 {
		return nil, fmt.Errorf("model %s was made for sharing and holds no single graphs to compare a batch with: it decides by %q only", m.Card.Name, ByAlone)
	}
	a, err := attention.New(o.Attention, o.Seed)
	if err != nil {
		return nil, err
	}
	s := &Scorer{model: m, options: o, single: o.Single, attention: a}
	if s.single == nil {
		s.single, err = NewSingleScorer(ctx, m, o.Workers)
	}
	return s, err
}

// Attention returns the calibrator of the scorer with what the latest batch left in
// it, to be read only.
func (s *Scorer) Attention() *attention.Calibrator { return s.attention }

// Paper returns S_BaCa of the latest batch as a sum of S_Pre, or what else parts the
// batch, and S_Attn, and whether there was a batch.
func (s *Scorer) Paper() (sum Sum, ok bool) {
	if s.state == nil {
		return Sum{}, false
	}
	return s.state.baca, true
}

// Score scores further graphs: by themselves, and after a batch also in the state that it
// left, just as the batch scored the holdout. A row depends on nothing else but its
// graph. All graphs must have the model's feature schema. Score may be called by several
// goroutines at once; each call runs on one core.
func (s *Scorer) Score(ctx context.Context, gs []*graph.Graph) ([]Row, error) {
	if s.state == nil {
		answers, _, err := s.single.answersOf(ctx, 1, gs)
		if err != nil {
			return nil, err
		}
		rows := unjudged(scoresOf(answers))
		s.decide(rows, ByAlone)
		return rows, nil
	}
	r, err := contrast.Describe(ctx, 1, s.model.Encoder, gs)
	if err != nil {
		return nil, err
	}
	answers, err := s.single.answersBeside(ctx, 1, gs, r)
	if err != nil {
		return nil, err
	}
	rows := unjudged(scoresOf(answers))
	if err := s.state.fill(ctx, 1, rows, r); err != nil {
		return nil, err
	}
	s.decide(rows, s.options.By)
	return rows, nil
}

// decide fills in p-values and verdicts, and what decides.
func (s *Scorer) decide(rows []Row, by string) {
	alpha, references := s.options.Alpha, s.model.References()
	of := func(score func(*Row) float64, holdout []float64) []float64 {
		scores := make([]float64, len(rows))
		for i := range rows {
			scores[i] = score(&rows[i])
		}
		return decide.PValues(scores, holdout)
	}
	single := of(func(r *Row) float64 { return r.Alone }, s.single.ranked)
	var batch, paper []float64
	if s.state != nil {
		batch = of(func(r *Row) float64 { return r.Batch }, s.state.batch)
		paper = of(func(r *Row) float64 { return r.BaCa }, s.state.paper)
	}
	for i := range rows {
		r := &rows[i]
		r.AloneP = single[i]
		if s.state != nil {
			r.BatchP = batch[i]
			r.BatchVerdict = Guarded(decide.Judge(batch[i], alpha, references), single[i])
		}
		switch by {
		case ByBatch:
			r.Score, r.P, r.Verdict = r.Batch, r.BatchP, r.BatchVerdict
		case ByAttention:
			r.Score, r.P = r.BaCa, PaperP(paper[i], single[i])
			r.Verdict = decide.Judge(r.P, alpha, references)
		default:
			r.Score, r.P, r.Verdict = r.Alone, single[i], decide.Judge(single[i], alpha, references)
		}
	}
}

// Guarded is what becomes of the verdict of a batch on a graph that has the p-value alone
// by itself, see Guard.
func Guarded(v decide.Verdict, alone float64) decide.Verdict {
	if v == decide.Outside && alone > Guard {
		return decide.Borderline
	}
	return v
}

// PaperP is the p-value of a graph by S_BaCa: the larger of that from the scores of the
// holdout and of the graph's p-value alone. The attention learns from the graphs of the batch
// and not from the holdout, so the first by itself is too small, by a factor of up to 1.7.
// Of in-distribution graphs no more than a share α has the second at α or below, and so
// none more the larger of both.
func PaperP(baca, alone float64) float64 { return max(baca, alone) }

// DeviceChunk is how many graphs a device beside the processor gets at once.
const DeviceChunk = 1024

// Chunk is how many graphs are best given to Score at once, of many that there are:
// 0 for any number, or more where a device beside the processor encodes them.
func (s *Scorer) Chunk() int {
	if s.model.Encoder.Device == nil {
		return 0
	}
	return DeviceChunk
}
