// Package pretrain trains an encoder on in-distribution graphs (Trainer.Epoch): it minimises L_Pre
// = mean(ℓ_g) + mean(ℓ_n) (see package contrast) with Adam.
package pretrain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/parallel"
)

// Options are fixed for a run. All except Workers determine its result, Device up to rounding.
type Options struct {
	Config       gin.Config
	Batch        int     // graphs in a step
	LearningRate float64 // of Adam
	Seed         uint64
	Workers      int        // 0: all cores
	Device       gin.Device // nil: the processor, with Workers
}

// Defaults are the paper's settings for graphs with the given number of node features.
func Defaults(features int) Options {
	return Options{Config: gin.Default(features), Batch: 128, LearningRate: 1e-4, Seed: 1}
}

// A State is what a run needs to resume; the order of each epoch follows from the seed.
type State struct {
	Epoch, Step int
	Params      []float32 // as gin.Encoder.Params
	M, V        []float32 // Adam's moments
}

// Loss is the mean losses of an epoch during training.
type Loss struct {
	Epoch       int     // from 1
	Total       float64 // Graph + Node
	Graph, Node float64 // means of ℓ_g and ℓ_n where they are defined
}

// A Trainer trains one encoder on one list of graphs.
type Trainer struct {
	options  Options
	graphs   []*graph.Graph
	encoder  *gin.Encoder
	training gin.Training
	moments  gin.Moments // after the last epoch
	epoch    int
	batch    []*graph.Graph
	kept     int           // mostEncoded
	copies   []graph.Graph // of the graphs of a batch, see encode
	walks    []float32     // their structural encodings
}

// Untrained returns the encoder before its first step.
func Untrained(o Options) *gin.Encoder {
	return gin.New(o.Config, rand.New(rand.NewPCG(o.Seed, 0)))
}

// New prepares a run from the first epoch, or from the state of an earlier run with the same graphs and options.
func New(graphs []*graph.Graph, o Options, from *State) (*Trainer, error) {
	if err := o.Config.Validate(); err != nil {
		return nil, err
	}
	if o.Batch < 2 || o.Batch > 1<<16 {
		return nil, fmt.Errorf("batch of %d graphs: want 2 to %d, a graph alone has nothing to be told from", o.Batch, 1<<16)
	}
	if !(o.LearningRate > 0) || math.IsInf(o.LearningRate, 0) {
		return nil, fmt.Errorf("learning rate %g: want a positive number", o.LearningRate)
	}
	if len(graphs) < 2 {
		return nil, fmt.Errorf("%d graphs to train on: want at least 2", len(graphs))
	}
	for i, g := range graphs {
		if g.Features != o.Config.Features {
			return nil, fmt.Errorf("graph %d has %d node features, the encoder %d", i+1, g.Features, o.Config.Features)
		}
	}
	device := o.Device
	if device == nil {
		device = NewCPU(o.Workers)
	}
	t := &Trainer{
		options: o,
		graphs:  graphs,
		encoder: Untrained(o),
		kept:    mostEncoded,
	}
	t.encoder.Device = o.Device
	if from != nil {
		n := len(t.encoder.Params)
		if len(from.Params) != n || from.Step > 0 && (len(from.M) != n || len(from.V) != n) || from.Epoch < 0 || from.Step < 0 {
			return nil, fmt.Errorf("saved state with %d parameters after %d epochs: want %d for this encoder",
				len(from.Params), from.Epoch, n)
		}
		copy(t.encoder.Params, from.Params)
		t.moments = gin.Moments{Step: from.Step, M: from.M, V: from.V}
		t.epoch = from.Epoch
	}
	var err error
	t.training, err = device.Train(t.encoder, o.LearningRate, t.moments)
	return t, err
}

// Encoder returns the encoder, which later epochs change.
func (t *Trainer) Encoder() *gin.Encoder { return t.encoder }

// State returns the state after the last whole epoch. Its slices change with the next epoch.
func (t *Trainer) State() State {
	return State{Epoch: t.epoch, Step: t.moments.Step, Params: t.encoder.Params, M: t.moments.M, V: t.moments.V}
}

// mostEncoded is the most graphs that keep their structural encodings, which take three quarters of their memory.
const mostEncoded = 1 << 13

// encode computes the structural encodings of the batch. Of more than kept graphs it puts copies into the batch, whose
// encodings the next batch overwrites, so that each epoch computes them again.
func (t *Trainer) encode(ctx context.Context) error {
	if len(t.graphs) <= t.kept {
		return parallel.For(ctx, t.options.Workers, len(t.batch), func(_, k int) { t.batch[k].EncodeStructureIn(ctx) })
	}
	nodes := 0
	for _, g := range t.batch {
		nodes += g.N()
	}
	t.copies, t.walks = t.copies[:0], parallel.Grow(t.walks, nodes*graph.EncodingWidth)
	left := t.walks
	for k, g := range t.batch {
		t.copies = append(t.copies, *g)
		t.copies[k].XS, left = left[:g.N()*graph.EncodingWidth], left[g.N()*graph.EncodingWidth:]
	}
	return parallel.For(ctx, t.options.Workers, len(t.batch), func(_, k int) {
		graph.EncodeIn(ctx, t.batch[k], t.copies[k].XS)
		t.batch[k] = &t.copies[k]
	})
}

// Epoch visits every graph once, in an order drawn from seed and epoch number. After an error
// the trainer is inside an epoch: resume from the last saved state.
func (t *Trainer) Epoch(ctx context.Context) (Loss, error) {
	order := rand.New(rand.NewPCG(t.options.Seed, uint64(t.epoch)+1)).Perm(len(t.graphs))
	for len(order) > 0 {
		n := min(t.options.Batch, len(order))
		if len(order)-n == 1 {
			n = len(order) // a step needs two graphs
		}
		t.batch = t.batch[:0]
		for _, i := range order[:n] {
			t.batch = append(t.batch, t.graphs[i])
		}
		order = order[n:]
		if err := t.encode(ctx); err != nil {
			return Loss{}, err
		}
		if err := t.training.Step(ctx, t.batch); err != nil {
			return Loss{}, err
		}
	}
	sums, moments, err := t.training.Finish(ctx)
	if err != nil {
		return Loss{}, err
	}
	t.moments = moments
	t.epoch++
	l := Loss{Epoch: t.epoch, Graph: sums.Graph / float64(max(1, sums.GraphCount)), Node: sums.Node / float64(max(1, sums.NodeCount))}
	l.Total = l.Graph + l.Node
	if math.IsNaN(l.Total) || math.IsInf(l.Total, 0) {
		return l, fmt.Errorf("epoch %d: the loss is %g; try a lower learning rate than %g", l.Epoch, l.Total, t.options.LearningRate)
	}
	return l, nil
}
