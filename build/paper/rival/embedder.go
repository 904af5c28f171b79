package rival

import (
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

// An embedder returns the embeddings of the nodes of b, N×embeddedWidth: the layers of a graph
// isomorphism network side by side. Those of a graph are their sum.
type embedder func(b *graph.Batch, training bool) *tape.Value

func newEmbedder(r *run) embedder {
	g := tape.NewGIN(r.params, nodeWidth(r.Train), embeddedUnits, embeddedLayers, true)
	return func(b *graph.Batch, training bool) *tape.Value {
		return g(r.t, b, r.t.Constant(nodeInput(b)), nil, training)
	}
}

const embeddingDiffers = "Ours has 3 layers of 32 and 20 epochs, 1 500 steps at most, for every pair; the options behind the published figures are not told. Plain graphs are read by their degrees."

// embeddingRivals are embeddings that were learned, with each of two detectors on them.
func embeddingRivals(name, title, cite string, train func(*run) embedder, distance, forest []float64) []*Rival {
	training := &Training{func(r *run) *Embedded {
		e := train(r)
		rows := func(gs []*graph.Graph) [][]float64 {
			return wideRows(r.alone(gs, func(b *graph.Batch) *tape.Value { return r.t.SumNodes(e(b, false), b) }))
		}
		return &Embedded{rows(r.Train), rows(r.Test)}
	}}
	detector := func(suffix, head string, published []float64, judge func(*Embedded, uint64) []float64) *Rival {
		return &Rival{
			Name: name + suffix, Title: title + head, Cite: cite, Published: published, Source: "the paper's table 1", Differs: embeddingDiffers,
			NoModel: true, Training: training, head: judge,
		}
	}
	return []*Rival{detector("-md", "-MD", distance, mahalanobis), detector("-forest", "-iF", forest, isolationForest)}
}
