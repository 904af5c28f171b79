package pretrain

import (
	"context"
	"fmt"
	"math"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/adam"
	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// A CPU is the processor of this machine as a gin.Device.
type CPU struct{ contrast.CPU }

// NewCPU returns the processor with that many goroutines, or 0 for one on each core. Results do not
// depend on their number.
func NewCPU(workers int) CPU { return CPU{contrast.CPU{Workers: workers}} }

// String implements gin.Device.
func (c CPU) String() string {
	return fmt.Sprintf("processor, %d workers", parallel.Workers(c.Workers))
}

// Train implements gin.Device.
func (c CPU) Train(e *gin.Encoder, learningRate float64, from gin.Moments) (gin.Training, error) {
	t := &training{encoder: e, workers: c.Workers, adam: adam.New(learningRate)}
	t.adam.Step = from.Step
	t.adam.M, t.adam.V = append([]float32(nil), from.M...), append([]float32(nil), from.V...)
	return t, nil
}

// chunkGraphs is how many graphs a goroutine processes at a time. Gradients are summed by chunk, so
// this number, unlike that of workers, affects the last bits.
const chunkGraphs = 16

// A training updates the encoder's parameters in place.
type training struct {
	encoder *gin.Encoder
	workers int
	adam    *adam.Adam
	sums    gin.Losses

	chunks    []*chunk
	contrast  contrast.Workspace
	zf, zs    []float32
	dzf, dzs  []float32
	graphLoss []float32
}

// A chunk is one goroutine's part of a step. Its activations wait for the graph loss, which needs
// the whole batch, between forward and backward.
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

// Finish implements gin.Training.
func (t *training) Finish(context.Context) (gin.Losses, gin.Moments, error) {
	sums := t.sums
	t.sums = gin.Losses{}
	return sums, gin.Moments{Step: t.adam.Step, M: t.adam.M, V: t.adam.V}, nil
}

// Step implements gin.Training. A failed step changes nothing.
func (t *training) Step(ctx context.Context, gs []*graph.Graph) error {
	n, width := len(gs), t.encoder.Width()
	pieces := (n + chunkGraphs - 1) / chunkGraphs
	for len(t.chunks) < pieces {
		t.chunks = append(t.chunks, &chunk{grad: gin.Zero(t.encoder.Config)})
	}
	t.zf, t.zs = parallel.Grow(t.zf, n*width), parallel.Grow(t.zs, n*width)
	t.dzf, t.dzs = parallel.Grow(t.dzf, n*width), parallel.Grow(t.dzs, n*width)
	t.graphLoss = parallel.Grow(t.graphLoss, n)
	// A graph of one node has no ℓ_n; the mean is over the others.
	withNodes := 0
	for _, g := range gs {
		if g.N() > 1 {
			withNodes++
		}
	}
	scale := 1 / float32(max(1, withNodes))
	// Forward by chunk, then the loss between all graphs, then backward by chunk.
	err := parallel.For(ctx, t.workers, pieces, func(_, k int) {
		lo := k * chunkGraphs
		hi := min(n, lo+chunkGraphs)
		c := t.chunks[k]
		c.forward(t.encoder, gs[lo:hi], scale)
		copy(t.zf[lo*width:hi*width], c.act.GraphProjection[gin.Feature])
		copy(t.zs[lo*width:hi*width], c.act.GraphProjection[gin.Structure])
	})
	if err != nil {
		return err
	}
	t.contrast.InfoNCE(t.graphLoss, t.zf, t.zs, width, 1/float32(n), t.dzf, t.dzs)
	err = parallel.For(ctx, t.workers, pieces, func(_, k int) {
		lo := k * chunkGraphs
		hi := min(n, lo+chunkGraphs)
		c := t.chunks[k]
		c.dGraph = [gin.Views][]float32{t.dzf[lo*width : hi*width], t.dzs[lo*width : hi*width]}
		clear(c.grad.Params)
		t.encoder.Backward(&c.batch, &c.act, c.dNode, c.dGraph, c.grad)
	})
	if err != nil {
		return err
	}
	total := t.chunks[0].grad.Params // becomes the sum over the chunks, in order
	graphSum, nodeSum := 0.0, 0.0
	t.sums.GraphCount += n
	for k, c := range t.chunks[:pieces] {
		if k > 0 {
			kernel.Add(kernel.Dense(total, 1, len(total)), kernel.Dense(c.grad.Params, 1, len(total)))
		}
		nodeSum += c.nodeLoss
		t.sums.NodeCount += c.defined
	}
	for _, l := range t.graphLoss {
		graphSum += float64(l)
	}
	t.sums.Graph += graphSum
	t.sums.Node += nodeSum
	t.adam.Update(t.encoder.Params, total)
	return nil
}

// forward encodes the graphs and leaves Σℓ_n in nodeLoss, and the gradient of scale·Σℓ_n by node projections in dNode.
func (c *chunk) forward(e *gin.Encoder, gs []*graph.Graph, scale float32) {
	c.batch.Reset(gs)
	e.Forward(&c.batch, &c.act)
	width := e.Width()
	for v := range gin.Views {
		c.dNode[v] = parallel.Grow(c.dNode[v], c.batch.N()*width)
	}
	c.nodeLoss, c.defined = 0, 0
	for k := range gs {
		lo, hi := c.batch.Nodes(k)
		lo, hi = lo*width, hi*width
		l := c.contrast.NodeScore(c.act.NodeProjection[gin.Feature][lo:hi], c.act.NodeProjection[gin.Structure][lo:hi],
			width, scale, c.dNode[gin.Feature][lo:hi], c.dNode[gin.Structure][lo:hi])
		if !math.IsNaN(l) || hi-lo > width { // NaN of several nodes is a fault that Epoch reports
			c.nodeLoss += l
			c.defined++
		}
	}
}
