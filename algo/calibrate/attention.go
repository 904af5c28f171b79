package calibrate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/internal/parallel"
	"baca/algo/metric"
)

// AttentionOptions configure Attention.
type AttentionOptions struct {
	// Graphs with S_Pre at or below the Low percentile are taken for ID, at or
	// above the High percentile for OOD.
	Low, High float64
	Theta     float64 // USVT threshold, see graphon.USVT
	Mixup     graphon.Options
	Synthetic int // synthetic graphs drawn for each side over all steps

	Training     int // graphs of the ID bank in the ID dictionary, at most
	Capacity     int // of each queue
	TopK         int // 𝕂
	Width        int // d_k, at most 2E
	Steps        int // T
	Draws        int // keys drawn from each side for a step
	LearningRate float64
}

// DefaultAttention is one setting for all data sets.
func DefaultAttention() AttentionOptions {
	return AttentionOptions{
		Low: 25, High: 75,
		Theta: graphon.DefaultTheta, Mixup: graphon.DefaultOptions(), Synthetic: 128,
		Training: 512, Capacity: dictionary.DefaultCapacity, TopK: 5, Width: 64,
		Steps: 200, Draws: 32, LearningRate: 1e-3,
	}
}

// MinAttentionGraphs is the smallest batch that can be parted in two.
const MinAttentionGraphs = 4

// refresh is how many steps pass between draws of synthetic graphs. Each draw
// changes the dictionaries, after which neighbours must be looked up afresh.
const refresh = 50

// attentionStream is the second half of the seed of everything random here.
const attentionStream = 0xba1a_0002

// Validate reports an option that is out of its range.
func (a AttentionOptions) Validate() error {
	switch {
	case !(a.Low >= 0 && a.Low < a.High && a.High <= 100):
		return fmt.Errorf("percentiles %g and %g: want 0 ≤ low < high ≤ 100", a.Low, a.High)
	case !(a.Theta >= 0):
		return fmt.Errorf("USVT threshold %g: want 0 or more", a.Theta)
	case a.TopK < 1 || a.Width < 1 || a.Capacity < 0 || a.Steps < 0 || a.Draws < 1 || a.Synthetic < 0 || a.Training < 0:
		return fmt.Errorf("attention with top-%d, width %d, capacity %d, %d steps of %d draws and %d synthetic graphs: want positive numbers", a.TopK, a.Width, a.Capacity, a.Steps, a.Draws, a.Synthetic)
	case !(a.LearningRate > 0):
		return fmt.Errorf("learning rate %g: want a positive number", a.LearningRate)
	}
	return a.Mixup.Check()
}

// Attention is the paper's calibrator: the batch is parted by S_Pre, each part's
// graphons are mixed into synthetic graphs, test and synthetic graphs fill two
// dictionaries, and an attention over both is trained to tell their keys apart.
// Its score is S_Attn; S_BaCa is Add(β, S_Pre, S_Attn).
//
// Successive batches of one stream go on with the same queues and the same
// trained attention; the memory banks are those of the latest batch. All batches
// must come with the same encoder and ID bank. It is not safe for concurrent use.
type Attention struct {
	options AttentionOptions
	rng     *rand.Rand
	sides   [2]*side
	trainer *attention.Trainer
	latest  *latest // nil before the first batch
}

// NewAttention prepares for the first batch of a stream.
func NewAttention(o AttentionOptions, seed uint64) (*Attention, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Attention{
		options: o,
		rng:     rand.New(rand.NewPCG(seed, attentionStream)),
		sides:   [2]*side{{of: dictionary.ID}, {of: dictionary.OOD}},
	}, nil
}

// A side is one half of the method: a dictionary and what feeds it.
type side struct {
	of       dictionary.Side
	members  []int // of the batch
	dict     *dictionary.Dictionary
	keys     *attention.Keys
	mixup    *graphon.Mixup
	graphons []*graphon.Graphon // of the members
	donors   *graphon.Donors
	row      map[int]int32 // batch index to dictionary row
	steps    int           // of the graphons
}

// Calibrate scores a batch. One that cannot be parted, because it is
// smaller than MinAttentionGraphs or all its base scores are equal, is compared
// with the ID bank alone, without training, and a warning says so.
func (a *Attention) Calibrate(ctx context.Context, in *Input) (*Output, error) {
	o, n, dim := a.options, in.Test.Len(), in.Test.Dim()
	out := &Output{Test: make([]float64, n), Holdout: make([]float64, in.Holdout.Len())}
	standard := NewStandardizer(in.Bank.Q, dim)
	test := standard.Apply(in.Test.Q)
	if a.trainer == nil {
		a.trainer = attention.NewTrainer(attention.NewHead(dim, min(o.Width, dim)), o.LearningRate)
	}
	head := a.trainer.Head

	steps := o.Steps
	a.latest = nil
	in.Watch.stage(Parting, 0, 1)
	for _, s := range a.sides {
		s.members = nil
	}
	if n >= MinAttentionGraphs {
		low, high := metric.Percentile(in.Base, o.Low), metric.Percentile(in.Base, o.High)
		for i, b := range in.Base {
			if b <= low && low < high {
				a.sides[0].members = append(a.sides[0].members, i)
			} else if b >= high && low < high {
				a.sides[1].members = append(a.sides[1].members, i)
			}
		}
	}
	if len(a.sides[0].members) == 0 || len(a.sides[1].members) == 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d graphs with these base scores cannot be parted in two, so the attention compares them with the ID bank alone", n))
		steps = 0
	}
	for k, s := range a.sides {
		in.Watch.stage(Graphons, k, len(a.sides))
		if err := s.build(ctx, o, in, standard, test); err != nil {
			return nil, err
		}
		if w := s.mixup.Warning(); steps > 0 && w != "" {
			out.Warnings = append(out.Warnings, fmt.Sprintf("synthetic graphs on the %s side: %s", s.of, w))
		}
	}
	look := &lookup{in: a.sides[0].keys, out: a.sides[1].keys, topK: o.TopK, workers: in.Workers}
	own := make([][2]int32, n)
	for i := range own {
		own[i] = [2]int32{a.sides[0].rowOf(i), a.sides[1].rowOf(i)}
	}
	a.latest = &latest{standard, own, look}
	in.Watch.parted(a.sides[0].members, a.sides[1].members, [2]int{a.sides[0].steps, a.sides[1].steps})
	draws := make([]attention.Draw, 0, 2*o.Draws)
	rounds := (steps + refresh - 1) / refresh
	for t := range steps {
		if t%refresh == 0 {
			round := t / refresh
			count := o.Synthetic*(round+1)/rounds - o.Synthetic*round/rounds
			for _, s := range a.sides {
				if err := s.extend(ctx, a.rng, in, standard, count); err != nil {
					return nil, err
				}
			}
			in.Watch.stage(Mixing, 2*o.Synthetic*(round+1)/rounds, 2*o.Synthetic)
			look.reset()
		}
		draws = draws[:0]
		for _, s := range a.sides {
			for range o.Draws {
				draws = append(draws, attention.Draw{Side: s.of, Key: a.rng.IntN(s.keys.Len())})
			}
		}
		if err := look.neighbors(ctx, draws); err != nil {
			return nil, err
		}
		loss := a.trainer.Step(draws, look.in, look.out)
		in.Watch.stage(Attending, t+1, steps)
		if in.Watch.wants(t+1, steps) {
			if err := look.scores(ctx, head, out.Test, test, own); err != nil {
				return nil, err
			}
			inside, outside := a.sides[0].members, a.sides[1].members
			in.Watch.Step(Iteration{
				Step: t + 1, Loss: loss, KL: metric.KL(pick(out.Test, inside), pick(out.Test, outside), histogramBins),
				Test: out.Test, Inside: inside, Outside: outside,
			})
		}
	}
	if err := look.scores(ctx, head, out.Test, test, own); err != nil {
		return nil, err
	}
	spare := sync.Pool{New: func() any { return new(attention.Workspace) }}
	out.Score = func(ctx context.Context, r *contrast.Representation) ([]float64, error) {
		w := spare.Get().(*attention.Workspace)
		defer spare.Put(w)
		scores, s := make([]float64, r.Len()), make([]attention.Score, r.Len())
		head.Scores(w, s, standard.Apply(r.Q), nil, look.in, look.out, look.topK)
		for i := range s {
			scores[i] = s[i].Attn()
		}
		return scores, ctx.Err()
	}
	var err error
	out.Holdout, err = out.Score(ctx, in.Holdout)
	return out, err
}

// histogramBins is the resolution of the KL divergence that Iteration reports.
const histogramBins = 20

func pick(values []float64, index []int) []float64 {
	picked := make([]float64, len(index))
	for k, i := range index {
		picked[k] = values[i]
	}
	return picked
}

// A lookup finds keys, on several cores.
type lookup struct {
	in, out *attention.Keys
	topK    int
	workers int
	work    []attention.Workspace
	// known[side][key] has the neighbours of a key once they were asked for, in
	// room, and asked says whether they were.
	known   [2][]attention.Draw
	asked   [2][]bool
	room    []int32
	unknown []attention.Draw // for neighbors
}

// lookupBlock queries are one piece of parallel work.
const lookupBlock = 64

// reset forgets all neighbours; the keys have changed.
func (l *lookup) reset() {
	keys := [2]int{l.in.Len(), l.out.Len()}
	size := 2 * l.topK // In and Out
	room := slices.Grow(l.room[:0], (keys[0]+keys[1])*size)
	l.room = room
	for side, n := range keys {
		l.asked[side] = slices.Grow(l.asked[side][:0], n)[:n]
		clear(l.asked[side])
		l.known[side] = slices.Grow(l.known[side][:0], n)[:n]
		for k := range l.known[side] {
			own := room[:size][:0]
			room = room[:cap(room)][size:]
			l.known[side][k] = attention.Draw{
				Side: dictionary.Side(side), Key: k,
				In: own[:0:l.topK], Out: own[l.topK:l.topK:size],
			}
		}
	}
}

func (l *lookup) each(ctx context.Context, n int, f func(w *attention.Workspace, lo, hi int)) error {
	if l.work == nil {
		l.work = make([]attention.Workspace, parallel.Workers(l.workers))
	}
	return parallel.For(ctx, l.workers, (n+lookupBlock-1)/lookupBlock, func(worker, piece int) {
		f(&l.work[worker], piece*lookupBlock, min(n, (piece+1)*lookupBlock))
	})
}

// neighbors fills In and Out of the draws.
func (l *lookup) neighbors(ctx context.Context, draws []attention.Draw) error {
	unknown := l.unknown[:0]
	for _, d := range draws {
		if asked := l.asked[d.Side]; !asked[d.Key] {
			asked[d.Key] = true
			unknown = append(unknown, l.known[d.Side][d.Key])
		}
	}
	l.unknown = unknown
	err := l.each(ctx, len(unknown), func(w *attention.Workspace, lo, hi int) {
		w.Neighbors(unknown[lo:hi], l.in, l.out, l.topK)
	})
	if err != nil {
		return err
	}
	for _, d := range unknown {
		l.known[d.Side][d.Key] = d
	}
	for i, d := range draws {
		draws[i] = l.known[d.Side][d.Key]
	}
	return nil
}

// scores writes S_Attn of every query to dst.
func (l *lookup) scores(ctx context.Context, head *attention.Head, dst []float64, queries []float32, own [][2]int32) error {
	return l.each(ctx, len(dst), func(w *attention.Workspace, lo, hi int) {
		var scores [lookupBlock]attention.Score
		rows := own
		if own != nil {
			rows = own[lo:hi]
		}
		head.Scores(w, scores[:hi-lo], queries[lo*head.Dim:hi*head.Dim], rows, l.in, l.out, l.topK)
		for i, s := range scores[:hi-lo] {
			dst[lo+i] = s.Attn()
		}
	})
}

// build fills the memory bank with the subgroup's own graphs, on the ID side
// after the embeddings that ship with the model, and estimates the graphons.
func (s *side) build(ctx context.Context, a AttentionOptions, in *Input, standard *Standardizer, test []float32) error {
	dim := in.Test.Dim()
	var bank []dictionary.Entry
	if s.of == dictionary.ID {
		training := standard.Apply(in.Bank.Q)
		n := in.Bank.Len()
		// Evenly spread over the bank, which is in the order of the data set.
		for k := range min(n, a.Training) {
			i := k * n / min(n, a.Training)
			bank = append(bank, dictionary.Entry{Key: training[i*dim : (i+1)*dim], Origin: dictionary.Training, Index: i})
		}
	}
	s.row = map[int]int32{}
	graphs := make([]*graph.Graph, len(s.members))
	sizes := make([]int, len(s.members))
	for k, i := range s.members {
		s.row[i] = int32(len(bank))
		bank = append(bank, dictionary.Entry{Key: test[i*dim : (i+1)*dim], Score: in.Base[i], Origin: dictionary.Test, Index: i})
		graphs[k], sizes[k] = in.Graphs[i], in.Graphs[i].N()
	}
	if s.dict == nil {
		s.dict = dictionary.New(s.of, dim, a.Capacity, bank)
	} else {
		s.dict.SetBank(bank)
	}
	s.keys = attention.NewKeys(dim, s.dict.Keys())

	steps := graphon.MedianSize(sizes, graphon.DefaultSizeLimit)
	s.steps = steps
	ws := make([]*graphon.Graphon, len(graphs))
	workspaces := make([]graphon.USVT, parallel.Workers(in.Workers))
	err := parallel.For(ctx, in.Workers, len(graphs), func(worker, k int) {
		ws[k] = graphon.Align(graphs[k], steps)
		workspaces[worker].Threshold(ws[k], a.Theta)
	})
	if err != nil {
		return err
	}
	s.graphons = ws
	if s.mixup, err = graphon.NewMixup(ws, a.Mixup); err != nil {
		return err
	}
	s.donors = graphon.NewDonors(graphs)
	return nil
}

// rowOf returns the row of graph i of the batch among the keys, or −1. What a
// graph says of itself is no news.
func (s *side) rowOf(i int) int32 {
	if row, ok := s.row[i]; ok {
		return row
	}
	return -1
}

// extend draws synthetic graphs and offers them to the queue.
func (s *side) extend(ctx context.Context, rng *rand.Rand, in *Input, standard *Standardizer, count int) error {
	var graphs []*graph.Graph
	for range count {
		if synthetic, ok := s.mixup.Draw(rng); ok {
			s.donors.Fill(synthetic.Graph)
			graphs = append(graphs, synthetic.Graph)
		}
	}
	if len(graphs) == 0 {
		return nil
	}
	r, err := contrast.Represent(ctx, in.Workers, in.Encoder, graphs)
	if err != nil {
		return err
	}
	base, _, err := contrast.BaseScores(ctx, in.Workers, r, in.Test.Negatives(), false, in.Bank.MeanNodeScore())
	if err != nil {
		return err
	}
	q, dim := standard.Apply(r.Q), r.Dim()
	for i, b := range base {
		key := q[i*dim : (i+1)*dim]
		p := s.dict.Offer(dictionary.Entry{Key: key, Score: b, Origin: dictionary.Synthetic})
		if p.Entered {
			s.keys.Set(p.Index, key)
		}
	}
	return nil
}
