package gin

import (
	"context"

	"baca/algo/graph"
)

// A Device is where the heavy half of the method runs: encoding, the losses and
// training. The processor is one, see pretrain.CPU; package wgsl drives a GPU.
// Apart from rounding, all give the same results, and what calls them does not know
// which one ran. The methods may be called by several goroutines at once.
type Device interface {
	// String names the device for people.
	String() string

	// Encode encodes the graphs, whose structural encodings must be there, and
	// fills every slice of to.
	Encode(ctx context.Context, e *Encoder, gs []*graph.Graph, to *Encoding) error

	// GraphLoss writes ℓ_g (see package contrast) of the graphs with projections
	// zf and zs, n×width each, to loss, which has n values. The negatives are the
	// graphs with projections nf and ns, which must not change any more, since a
	// device may keep them, or with self set the graphs themselves, and then nf
	// and ns are not read. A graph without any negative gets NaN.
	GraphLoss(ctx context.Context, width int, zf, zs, nf, ns []float32, self bool, loss []float64) error

	// Train prepares to train e from the given state of Adam, whose moments are
	// as long as the parameters or, before the first step, empty. The device
	// goes on with copies of its own.
	Train(e *Encoder, learningRate float64, from Moments) (Training, error)
}

// An Encoding is what an encoder makes of n graphs.
type Encoding struct {
	// Pooled has the graph embeddings of the feature view and then the structure
	// view of each graph, n×2E.
	Pooled []float32
	// Projection has the graph projections, n×E a view.
	Projection [Views][]float32
	// NodeLoss is ℓ_n (see package contrast), NaN where it is not defined.
	NodeLoss []float64
}

// Moments are the state of Adam after a number of steps.
type Moments struct {
	Step int
	M, V []float32
}

// A Losses sums ℓ_g and ℓ_n over the graphs for which each is defined.
type Losses struct {
	Graph, Node           float64
	GraphCount, NodeCount int
}

// A Training makes steps of Adam on the mean of ℓ_g plus the mean of ℓ_n of
// batches. Its methods must not be called at the same time.
type Training interface {
	// Step begins one step on a batch of at least two graphs, whose structural
	// encodings must be there. The device may still be busy with it when Step
	// returns; the graphs must not change until Finish.
	Step(ctx context.Context, gs []*graph.Graph) error
	// Finish waits for the steps since the last Finish, writes the parameters to
	// the encoder, and returns the sums of the losses that these steps saw and
	// the state of Adam, which later steps may overwrite.
	Finish(ctx context.Context) (Losses, Moments, error)
}
