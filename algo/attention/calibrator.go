package attention

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"baca/algo/contrast"
	"baca/algo/dictionary"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/metric"
	"baca/algo/near"
)

// Options configure a Calibrator.
type Options struct {
	// Graphs at or below the Low percentile of the partitioning score count as ID, at or above the
	// High percentile as OOD.
	Low, High float64
	// BankWeight is the weight, in the partitioning score, of S_in before training by the ID bank alone. Batch.Part
	// has the weight 1. Both are standardised.
	BankWeight float64
	Theta      float64 // USVT threshold, see graphon.USVT
	Mixup      graphon.Options
	Synthetic  int // synthetic graphs for each side over all steps

	Training     int // the most bank graphs in the ID dictionary
	Capacity     int // of each queue
	TopK         int // 𝕂
	Width        int // d_k, at most the width 2E of a key
	Steps        int // T
	Draws        int // keys drawn from each side for a step
	FoldSteps    int // training steps for each fold of CrossFit
	LearningRate float64
}

// DefaultOptions is one setting for all data sets, chosen on validation pairs (algo/DEPARTURES.md).
// Twice as many synthetic graphs as places let the queue keep those farthest from the
// boundary.
func DefaultOptions() Options {
	return Options{
		Low: 45, High: 55, BankWeight: 0.5,
		Theta: graphon.DefaultTheta, Mixup: graphon.DefaultOptions(), Synthetic: 256,
		Training: 2000, Capacity: 128, TopK: 2, Width: 160,
		Steps: 200, Draws: 32, FoldSteps: 50, LearningRate: 3e-5,
	}
}

// minGraphs is the fewest graphs that can be partitioned.
const minGraphs = 4

// refresh is the number of steps between draws of synthetic graphs. Each draw changes the dictionaries
// and so the top keys.
const refresh = 50

// stream separates the random numbers of a Calibrator from those of others with the same seed.
const stream = 0xba1a_0002

// validate returns an error that names the first option out of range.
func (o Options) validate() error {
	switch {
	case !(o.Low >= 0 && o.Low < o.High && o.High <= 100):
		return fmt.Errorf("percentiles %g and %g: want 0 ≤ low < high ≤ 100", o.Low, o.High)
	case !(o.BankWeight >= 0) || math.IsInf(o.BankWeight, 1):
		return fmt.Errorf("weight of the bank %g: want 0 or more", o.BankWeight)
	case !(o.Theta >= 0):
		return fmt.Errorf("USVT threshold %g: want 0 or more", o.Theta)
	case o.TopK < 1 || o.Width < 1 || o.Capacity < 0 || o.Steps < 0 || o.Draws < 1 || o.Synthetic < 0 || o.Training < 0:
		return fmt.Errorf("attention with top-%d, width %d, capacity %d, %d steps of %d draws and %d synthetic graphs: want positive numbers", o.TopK, o.Width, o.Capacity, o.Steps, o.Draws, o.Synthetic)
	case !(o.LearningRate > 0):
		return fmt.Errorf("learning rate %g: want a positive number", o.LearningRate)
	}
	return o.Mixup.Check()
}

// A Calibrator corrects a score by a batch, without labels. The score (S_Pre in the paper)
// partitions the batch, helped by the bank, see Options.BankWeight. Each part's graphons are mixed into synthetic graphs. Test and synthetic
// graphs fill two dictionaries, and an attention over both is trained to tell their keys apart. Its
// score is S_Attn.
//
// The queues and the attention persist between batches of a stream. The memory banks are those of the
// latest batch. All batches must use the same encoder and ID bank. A Calibrator is not safe for
// concurrent use.
type Calibrator struct {
	options Options
	rng     *rand.Rand
	sides   [2]*side
	trainer *Trainer
	latest  *state // of the latest batch, nil before the first one
}

// New returns a Calibrator for a new stream of batches, or an error that names an option out of range.
func New(o Options, seed uint64) (*Calibrator, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	return &Calibrator{
		options: o,
		rng:     rand.New(rand.NewPCG(seed, stream)),
		sides:   [2]*side{newSide(dictionary.ID, o.Capacity), newSide(dictionary.OOD, o.Capacity)},
	}, nil
}

// A Batch is some graphs as the frozen encoder sees them, without labels.
type Batch struct {
	Encoder *gin.Encoder
	Graphs  []*graph.Graph           // feature and structure view
	Test    *contrast.Representation // of Graphs
	Terms   contrast.Terms           // of S_Pre
	Base    []float64                // S_Pre of Graphs, with the batch as negatives
	Part    []float64                // the partitioning score, Base in the paper

	// Bank represents ID training graphs. It may be empty, but not nil.
	Bank *contrast.Representation

	Workers int    // 0: all cores
	Watch   *Watch // may be nil
}

// A Result is S_Attn. Higher is more OOD; the scale is its own.
type Result struct {
	Test []float64 // one for each graph of the batch
	// Score scores further graphs in the state after the batch. Concurrent calls are allowed until
	// the next batch.
	Score Scorer
	// Warnings say what was left out. Scores are valid all the same.
	Warnings []string
}

// A Scorer scores graphs in a state of the dictionaries.
type Scorer func(ctx context.Context, r *contrast.Representation) ([]float64, error)

// A state is what a batch leaves behind to score further graphs with.
type state struct {
	standard *near.Standardizer
	bank     *Keys              // the sample of the ID bank, with which the ID side begins
	ranked   map[source]ranking // see lookup
	test     []float32          // standardised queries of the batch
	own      [][2]int32         // keys of the batch's own graphs, −1 for none
	keys     *lookup
}

// Calibrate scores a batch. A batch that cannot be partitioned is compared with the ID bank alone, without training, and
// the result has a warning. This happens with fewer than four graphs, and with scores that are nearly all equal
// or not numbers. An error comes only from ctx or a worker.
func (c *Calibrator) Calibrate(ctx context.Context, b *Batch) (*Result, error) {
	n, dim := b.Test.Len(), b.Test.Dim()
	result := &Result{Test: make([]float64, n)}
	if c.trainer == nil {
		c.trainer = NewTrainer(NewHead(dim, min(c.options.Width, dim)), c.options.LearningRate)
	}
	standard := near.NewStandardizer(b.Bank.Q, dim)
	var bank []float32
	for _, i := range bankRows(b.Bank.Len(), c.options.Training) {
		bank = append(bank, part(b.Bank.Q, i, dim)...)
	}
	c.latest = &state{
		standard: standard, bank: NewKeys(dim, standard.Apply(bank)), ranked: map[source]ranking{}, test: standard.Apply(b.Test.Q),
	}
	b.Watch.Report(Parting, 0, 1)
	parting, err := c.parting(ctx, b)
	if err != nil {
		return nil, err
	}
	steps := c.options.Steps
	if !c.part(parting) {
		result.Warnings = append(result.Warnings, fmt.Sprintf("%d graphs with these scores cannot be parted in two, so the attention compares them with the ID bank alone", n))
		steps = 0
	}
	if err := c.fit(ctx, b, steps, result.Test); err != nil {
		return nil, err
	}
	for _, side := range c.sides {
		if w := side.mixup.Warning(); steps > 0 && w != "" {
			result.Warnings = append(result.Warnings, fmt.Sprintf("synthetic graphs on the %s side: %s", side.of, w))
		}
	}
	s := c.latest
	result.Score = s.scorer(c.trainer.Head)
	return result, s.keys.scores(ctx, c.trainer.Head, result.Test, s.test, s.own)
}

// fit fills the dictionaries from the members of the sides and trains the attention for so many steps. It may
// use test, one value a graph, to hold scores for a Watch.
func (c *Calibrator) fit(ctx context.Context, b *Batch, steps int, test []float64) error {
	s := c.latest
	for k, side := range c.sides {
		b.Watch.Report(Graphons, k, len(c.sides))
		if err := side.build(ctx, c.options, b, s); err != nil {
			return err
		}
	}
	inside, outside := c.sides[0], c.sides[1]
	for i := range b.Graphs {
		s.own = append(s.own, [2]int32{inside.rowOf(i), outside.rowOf(i)})
	}
	s.keys = &lookup{
		in: inside.keys, out: outside.keys, topK: c.options.TopK, workers: b.Workers, ranked: s.ranked,
		entry: func(d Draw) dictionary.Entry { return c.sides[d.Side].dict.Entry(d.Key) },
	}
	s.keys.reset()
	if b.Watch != nil && b.Watch.Parted != nil {
		b.Watch.Parted(inside.members, outside.members, [2]int{inside.steps, outside.steps})
	}
	return c.train(ctx, b, s, steps, test)
}

// parting returns the scores that partition the batch: Batch.Part, and by Options.BankWeight the
// untrained attention to the bank.
func (c *Calibrator) parting(ctx context.Context, b *Batch) ([]float64, error) {
	o, s := c.options, c.latest
	if o.BankWeight == 0 {
		return b.Part, nil
	}
	dim, own := b.Test.Dim(), make([][2]int32, len(b.Part))
	for i := range own {
		own[i] = [2]int32{-1, -1}
	}
	known := make([]float64, len(b.Part))
	l := &lookup{in: s.bank.sharing(), out: NewKeys(dim, nil), topK: o.TopK, workers: b.Workers, ranked: s.ranked}
	if err := l.scores(ctx, NewHead(dim, min(o.Width, dim)), known, s.test, own); err != nil {
		return nil, err
	}
	sum := near.ScaleOf(b.Part).Standardize(b.Part)
	for i, x := range near.ScaleOf(known).Standardize(known) {
		sum[i] += float64(o.BankWeight * x)
	}
	return sum, nil
}

// part makes the graphs with the lowest scores members of the ID side and those with the highest scores members of the
// OOD side. It returns false if there are too few scores, or if they are nearly all equal or not numbers.
func (c *Calibrator) part(scores []float64) bool {
	inside, outside := c.sides[0], c.sides[1]
	inside.members, outside.members = nil, nil
	inside.graphons, outside.graphons = nil, nil
	if len(scores) < minGraphs {
		return false
	}
	low, high := metric.Percentile(scores, c.options.Low), metric.Percentile(scores, c.options.High)
	if !(low < high) {
		return false
	}
	for i, x := range scores {
		if x <= low {
			inside.members = append(inside.members, i)
		} else if x >= high {
			outside.members = append(outside.members, i)
		}
	}
	return true
}

// train takes steps of training, and draws synthetic graphs every refresh steps. It may use test to hold
// scores for a Watch.
func (c *Calibrator) train(ctx context.Context, b *Batch, s *state, steps int, test []float64) error {
	o := c.options
	draws := make([]Draw, 0, 2*o.Draws)
	rounds := (steps + refresh - 1) / refresh
	for t := range steps {
		if t%refresh == 0 {
			if err := c.extend(ctx, b, s, t/refresh, rounds); err != nil {
				return err
			}
		}
		draws = draws[:0]
		for _, side := range c.sides {
			for range o.Draws {
				draws = append(draws, Draw{Side: side.of, Key: c.rng.IntN(side.keys.Len())})
			}
		}
		if err := s.keys.fillTop(ctx, draws); err != nil {
			return err
		}
		loss := c.trainer.Step(draws, s.keys.in, s.keys.out)
		b.Watch.Report(Attending, t+1, steps)
		if b.Watch.wants(t+1, steps) {
			if err := s.keys.scores(ctx, c.trainer.Head, test, s.test, s.own); err != nil {
				return err
			}
			inside, outside := c.sides[0].members, c.sides[1].members
			b.Watch.Step(Iteration{
				Step: t + 1, Loss: loss, KL: metric.KL(pick(test, inside), pick(test, outside), histogramBins),
				Test: test, Inside: inside, Outside: outside,
			})
		}
	}
	return nil
}

// extend draws the synthetic graphs of one of rounds equal rounds, for both sides.
func (c *Calibrator) extend(ctx context.Context, b *Batch, s *state, round, rounds int) error {
	synthetic := c.options.Synthetic
	count := synthetic*(round+1)/rounds - synthetic*round/rounds
	for _, side := range c.sides {
		if err := side.extend(ctx, c.rng, b, s.standard, count); err != nil {
			return err
		}
	}
	b.Watch.Report(Mixing, 2*synthetic*(round+1)/rounds, 2*synthetic)
	s.keys.reset()
	return nil
}

// scorer returns a Scorer for graphs that are not keys. It keeps using the state and the head.
func (s *state) scorer(head *Head) Scorer {
	spare := sync.Pool{New: func() any { return new(Workspace) }}
	return func(ctx context.Context, r *contrast.Representation) ([]float64, error) {
		w := spare.Get().(*Workspace)
		defer spare.Put(w)
		scores, list := make([]float64, r.Len()), make([]Score, r.Len())
		head.Scores(w, list, s.standard.Apply(r.Q), nil, s.keys.in, s.keys.out, s.keys.topK)
		for i := range list {
			scores[i] = list[i].Attn()
		}
		return scores, ctx.Err()
	}
}

// histogramBins is the resolution of the KL divergence that Iteration reports.
const histogramBins = 20

// pick returns the values at the indices.
func pick(values []float64, index []int) []float64 {
	picked := make([]float64, len(index))
	for k, i := range index {
		picked[k] = values[i]
	}
	return picked
}

// Dictionary returns the dictionary of a side after the latest batch, read-only and until the next
// batch.
func (c *Calibrator) Dictionary(side dictionary.Side) *dictionary.Dictionary {
	return c.sides[side].dict
}

// Keys returns the keys of a side's dictionary, row by row.
func (c *Calibrator) Keys(side dictionary.Side) *Keys { return c.sides[side].keys }

// Query returns an embedding as the attention compares it with keys: standardised as in the latest batch, of length 1.
func (c *Calibrator) Query(q []float32) []float32 {
	return NewKeys(len(q), c.latest.standard.Apply(q)).Unit(0)
}

// Members returns the indices of the latest batch's graphs on a side, and their graphons, which
// must not be changed.
func (c *Calibrator) Members(side dictionary.Side) ([]int, []*graphon.Graphon) {
	return c.sides[side].members, c.sides[side].graphons
}

// Synthetic returns the synthetic graph of the dictionary entry with this Index, or nil if there is none. It
// must not be changed.
func (c *Calibrator) Synthetic(side dictionary.Side, index int) *graph.Graph {
	return c.sides[side].drawn[index]
}

// Explain returns the keys that make S_Attn of an embedding in the state after the latest batch. q is a
// row of contrast.Representation.Q. i is the graph's index in that batch, so that the graph is not compared
// with itself, or −1 for another graph. Before the first batch the result is empty.
func (c *Calibrator) Explain(q []float32, i int) Explanation {
	s := c.latest
	if s == nil {
		return Explanation{}
	}
	own := [2]int32{-1, -1}
	if i >= 0 {
		own = s.own[i]
	}
	var w Workspace
	return c.trainer.Head.Explain(&w, s.standard.Apply(q), own, s.keys.in, s.keys.out, s.keys.topK)
}
