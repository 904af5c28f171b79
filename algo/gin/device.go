package gin

import (
	"context"

	"baca/algo/graph"
)

// A Device runs encoding and training. The processor is one, see pretrain.CPU; package
// wgsl drives a GPU. All give the same results up to rounding. Methods may be called concurrently.
type Device interface {
	String() string

	// Encode encodes graphs with structural encodings, and fills every slice of to.
	Encode(ctx context.Context, e *Encoder, gs []*graph.Graph, to *Encoding) error

	// Train prepares to train copies of e and of Adam's state, whose moments are as long as the
	// parameters, or empty before the first step.
	Train(e *Encoder, learningRate float64, from Moments) (Training, error)
}

// An Encoding of n graphs.
type Encoding struct {
	// Pooled has each graph's embeddings, feature view then structure view, n×2E.
	Pooled []float32
	// Projection has the graph projections, n×E a view.
	Projection [Views][]float32
	// NodeLoss is ℓ_n (see package contrast), NaN where it is not defined.
	NodeLoss []float64
}

// NewEncoding has room for n graphs and views of that width.
func NewEncoding(n, width int) *Encoding {
	return &Encoding{
		Pooled:     make([]float32, 2*n*width),
		Projection: [Views][]float32{make([]float32, n*width), make([]float32, n*width)},
		NodeLoss:   make([]float64, n),
	}
}

// Moments are Adam's state after a number of steps.
type Moments struct {
	Step int
	M, V []float32
}

// Losses sums ℓ_g and ℓ_n over the graphs that have them.
type Losses struct {
	Graph, Node           float64
	GraphCount, NodeCount int
}

// A Training makes Adam steps on the mean of ℓ_g plus the mean of ℓ_n of batches. It is not safe
// for concurrent use.
type Training interface {
	// Step begins a step on a batch of at least two graphs with structural encodings. It may return
	// before the device is done; the graphs must not change until Finish.
	Step(ctx context.Context, gs []*graph.Graph) error
	// Finish waits for the steps since the last Finish, writes the parameters to the encoder, and
	// returns the losses of these steps and Adam's state, which later steps may overwrite.
	Finish(ctx context.Context) (Losses, Moments, error)
}
