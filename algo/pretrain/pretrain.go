// Package pretrain fits an encoder to in-distribution graphs by minimising
// L_Pre = mean(ℓ_g) + mean(ℓ_n) (see package contrast) with Adam.
package pretrain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/adam"
	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// Options are fixed for a whole run; all but Workers decide its result.
type Options struct {
	Config       gin.Config
	Batch        int     // graphs in a step
	LearningRate float64 // of Adam
	Seed         uint64
	Workers      int // 0: all cores
}

// Defaults are the paper's settings for graphs with the given number of node
// features.
func Defaults(features int) Options {
	return Options{Config: gin.Default(features), Batch: 128, LearningRate: 1e-4, Seed: 1}
}

// chunkGraphs is how many graphs one goroutine takes at a time. The gradient is
// the sum over chunks in their order, so this number, unlike the number of
// workers, shows in the last bits of a result.
const chunkGraphs = 16

// A State is everything that a run needs to go on as if it had never stopped:
// the order of the graphs in each epoch follows from the seed.
type State struct {
	Epoch, Step int
	Params      []float32 // as gin.Encoder.Params
	M, V        []float32 // Adam's moments
}

// Loss is what one epoch measured while it trained.
type Loss struct {
	Epoch       int     // from 1
	Total       float64 // Graph + Node
	Graph, Node float64 // means of ℓ_g and ℓ_n where they are defined
}

// A Trainer trains one encoder on one list of graphs.
type Trainer struct {
	options Options
	graphs  []*graph.Graph
	encoder *gin.Encoder
	adam    *adam.Adam
	epoch   int

	chunks     []*chunk
	contrast   contrast.Workspace
	zf, zs     []float32
	dzf, dzs   []float32
	graphLoss  []float32
	batchGraph []*graph.Graph
}

// A chunk is the share of a step that one goroutine works on. Its activations
// wait for the graph loss, which needs the whole batch, between forward and
// backward.
type chunk struct {
	batch    graph.Batch
	act      gin.Activations
	contrast contrast.Workspace
	dNode    [gin.Views][]float32
	dGraph   [gin.Views][]float32
	grad     *gin.Encoder
	nodeLoss float64
	defined  int
}

// New prepares a run from the first epoch, or from a state that an earlier run
// with the same graphs and options has saved.
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
			return nil, fmt.Errorf("graph %d has %d node features, the encoder %d", i, g.Features, o.Config.Features)
		}
		g.EncodeStructure()
	}
	t := &Trainer{
		options: o,
		graphs:  graphs,
		encoder: gin.New(o.Config, rand.New(rand.NewPCG(o.Seed, 0))),
		adam:    adam.New(o.LearningRate),
	}
	if from != nil {
		n := len(t.encoder.Params)
		if len(from.Params) != n || from.Step > 0 && (len(from.M) != n || len(from.V) != n) || from.Epoch < 0 || from.Step < 0 {
			return nil, fmt.Errorf("saved state with %d parameters after %d epochs: want %d for this encoder", len(from.Params), from.Epoch, n)
		}
		copy(t.encoder.Params, from.Params)
		t.adam.Step = from.Step
		t.adam.M = append([]float32(nil), from.M...)
		t.adam.V = append([]float32(nil), from.V...)
		t.epoch = from.Epoch
	}
	return t, nil
}

// Encoder returns the encoder, which later epochs go on changing.
func (t *Trainer) Encoder() *gin.Encoder { return t.encoder }

// Epochs returns how many epochs are done.
func (t *Trainer) Epochs() int { return t.epoch }

// State returns the state after the last whole epoch. Its slices are the
// trainer's own: write them out before the next epoch.
func (t *Trainer) State() State {
	return State{Epoch: t.epoch, Step: t.adam.Step, Params: t.encoder.Params, M: t.adam.M, V: t.adam.V}
}

// Epoch takes every graph once, in an order drawn from the seed and the number
// of the epoch. If ctx ends, it returns its error and the trainer is in the
// middle of an epoch: go on from the last saved state instead.
func (t *Trainer) Epoch(ctx context.Context) (Loss, error) {
	order := rand.New(rand.NewPCG(t.options.Seed, uint64(t.epoch)+1)).Perm(len(t.graphs))
	var sums stepLoss
	for len(order) > 0 {
		n := min(t.options.Batch, len(order))
		if len(order)-n == 1 {
			n = len(order) // no step on a graph alone
		}
		t.batchGraph = t.batchGraph[:0]
		for _, i := range order[:n] {
			t.batchGraph = append(t.batchGraph, t.graphs[i])
		}
		order = order[n:]
		s, err := t.step(ctx, t.batchGraph)
		if err != nil {
			return Loss{}, err
		}
		sums.graph += s.graph
		sums.node += s.node
		sums.graphs += s.graphs
		sums.nodes += s.nodes
	}
	t.epoch++
	l := Loss{Epoch: t.epoch, Graph: sums.graph / float64(max(1, sums.graphs)), Node: sums.node / float64(max(1, sums.nodes))}
	l.Total = l.Graph + l.Node
	if math.IsNaN(l.Total) || math.IsInf(l.Total, 0) {
		return l, fmt.Errorf("epoch %d: the loss is %g; try a lower learning rate than %g", l.Epoch, l.Total, t.options.LearningRate)
	}
	return l, nil
}

// stepLoss sums ℓ_g and ℓ_n over the graphs and nodes for which each is defined.
type stepLoss struct {
	graph, node   float64
	graphs, nodes int
}

// step makes one Adam step on the mean loss of a batch of at least two graphs.
func (t *Trainer) step(ctx context.Context, gs []*graph.Graph) (stepLoss, error) {
	n, width := len(gs), t.options.Config.Width()
	pieces := (n + chunkGraphs - 1) / chunkGraphs
	for len(t.chunks) < pieces {
		t.chunks = append(t.chunks, &chunk{grad: gin.Zero(t.options.Config)})
	}
	t.zf, t.zs = grow(t.zf, n*width), grow(t.zs, n*width)
	t.dzf, t.dzs = grow(t.dzf, n*width), grow(t.dzs, n*width)
	t.graphLoss = grow(t.graphLoss, n)
	// A graph of one node has no ℓ_n; the mean is over the others.
	withNodes := 0
	for _, g := range gs {
		if g.N() > 1 {
			withNodes++
		}
	}
	scale := 1 / float32(max(1, withNodes))
	err := parallel.For(ctx, t.options.Workers, pieces, func(_, k int) {
		lo := k * chunkGraphs
		hi := min(n, lo+chunkGraphs)
		c := t.chunks[k]
		c.forward(t.encoder, gs[lo:hi], scale)
		copy(t.zf[lo*width:hi*width], c.act.GraphProjection[gin.Feature])
		copy(t.zs[lo*width:hi*width], c.act.GraphProjection[gin.Structure])
	})
	if err != nil {
		return stepLoss{}, err
	}
	t.contrast.InfoNCE(t.graphLoss, t.zf, t.zs, width, 1/float32(n), t.dzf, t.dzs)
	err = parallel.For(ctx, t.options.Workers, pieces, func(_, k int) {
		lo := k * chunkGraphs
		hi := min(n, lo+chunkGraphs)
		c := t.chunks[k]
		c.dGraph = [gin.Views][]float32{t.dzf[lo*width : hi*width], t.dzs[lo*width : hi*width]}
		clear(c.grad.Params)
		t.encoder.Backward(&c.batch, &c.act, c.dNode, c.dGraph, c.grad)
	})
	if err != nil {
		return stepLoss{}, err
	}
	total := t.chunks[0].grad.Params
	s := stepLoss{graphs: n}
	for k, c := range t.chunks[:pieces] {
		if k > 0 {
			kernel.Add(kernel.Dense(total, 1, len(total)), kernel.Dense(c.grad.Params, 1, len(total)))
		}
		s.node += c.nodeLoss
		s.nodes += c.defined
	}
	for _, l := range t.graphLoss {
		s.graph += float64(l)
	}
	t.adam.Update(t.encoder.Params, total)
	return s, nil
}

// forward encodes the graphs and leaves the gradient of scale·Σℓ_n by their
// node projections in dNode.
func (c *chunk) forward(e *gin.Encoder, gs []*graph.Graph, scale float32) {
	c.batch.Reset(gs)
	e.Forward(&c.batch, &c.act)
	width := e.Width()
	for v := range gin.Views {
		c.dNode[v] = grow(c.dNode[v], c.batch.N()*width)
	}
	c.nodeLoss, c.defined = 0, 0
	for k := range gs {
		lo, hi := c.batch.Nodes(k)
		lo, hi = lo*width, hi*width
		l := c.contrast.NodeScore(c.act.NodeProjection[gin.Feature][lo:hi], c.act.NodeProjection[gin.Structure][lo:hi],
			width, scale, c.dNode[gin.Feature][lo:hi], c.dNode[gin.Structure][lo:hi])
		if !math.IsNaN(l) || hi-lo > width {
			c.nodeLoss += l
			c.defined++
		}
	}
}

func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}
