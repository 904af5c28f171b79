package rival

import (
	"context"

	"baca/algo/graph"
	"baca/build/paper/rival/tape"
)

// The shape and training of InfoGraph and GraphCL: the same for both and for all pairs.
const (
	embeddedLayers, embeddedUnits = 3, 32
	embeddedWidth                 = embeddedLayers * embeddedUnits
	embeddedRate                  = 1e-3
	embeddedEpochs, embeddedSteps = 20, 1500
)

// An embedder is a graph isomorphism network whose layers are read side by side and summed
// over the nodes.
type embedder struct{ gin *tape.GIN }

func newEmbedder(p *tape.Params, gs []*graph.Graph) *embedder {
	return &embedder{tape.NewGIN(p, nodeWidth(gs), embeddedUnits, embeddedLayers, true)}
}

// nodes returns the embeddings of the nodes of b, N×embeddedWidth.
func (e *embedder) nodes(t *tape.Tape, b *graph.Batch, training bool) *tape.Value {
	return t.Concat(e.gin.Forward(t, b, t.Constant(nodeInput(b)), nil, training)...)
}

// rows returns the embeddings of graphs, each by itself.
func (e *embedder) rows(ctx context.Context, gs []*graph.Graph) ([][]float64, error) {
	t, rows := new(tape.Tape), make([][]float64, 0, len(gs))
	_, err := eachAlone(ctx, gs, func(b *graph.Batch) float64 {
		t.Reset()
		rows = append(rows, widened(t.SumNodes(e.nodes(t, b, false), b).Data))
		return 0
	})
	return rows, err
}

const embeddingDiffers = "Ours has 3 layers of 32 and 20 epochs, 1 500 steps at most, for every pair; the options behind the published figures are not told. Plain graphs are read by their degrees."

// embeddingRivals are embeddings that were learned, with each of two detectors on them.
func embeddingRivals(name, title, cite string, train func(context.Context, *Problem) (*embedder, error), distance, forest map[string]float64) []*Rival {
	training := &Training{func(ctx context.Context, p *Problem) (*Embedded, error) {
		e, err := train(ctx, p)
		if err != nil {
			return nil, err
		}
		inside, err := e.rows(ctx, p.Train)
		if err != nil {
			return nil, err
		}
		tested, err := e.rows(ctx, p.Test)
		return &Embedded{inside, tested}, err
	}}
	detector := func(name, title string, published map[string]float64, head func(*Embedded, uint64) ([]float64, error)) *Rival {
		return &Rival{
			Name: name, Title: title, Cite: cite, Published: published, Source: "the paper's table 1", Differs: embeddingDiffers, NoModel: true,
			Training: training, Head: head,
			Score: func(ctx context.Context, p *Problem) ([]float64, error) {
				e, err := training.Embed(ctx, p)
				if err != nil {
					return nil, err
				}
				return head(e, p.Seed)
			},
		}
	}
	return []*Rival{
		detector(name+"-md", title+"-MD", distance, func(e *Embedded, _ uint64) ([]float64, error) { return mahalanobis(e.Train, e.Test) }),
		detector(name+"-forest", title+"-iF", forest, func(e *Embedded, seed uint64) ([]float64, error) {
			return isolationForest(e.Train, e.Test, seed), nil
		}),
	}
}
