package rival

import (
	"baca/algo/graph"
	"baca/build/paper/rival/tape"
)

// An embedder returns the embeddings of the nodes of b, N×embeddedWidth: the three layers of a
// graph isomorphism network side by side. Those of a graph are their sum.
type embedder func(b *graph.Batch, training bool) *tape.Value

const embeddedWidth = 3 * 32

func newEmbedder(r *run) embedder {
	g := tape.NewGIN(r.params, nodeWidth(r.Train), embeddedWidth/3, 3, true)
	return func(b *graph.Batch, training bool) *tape.Value {
		return g(r.t, b, r.t.Constant(nodeInput(b)), nil, training)
	}
}

// embeddingRivals are embeddings that were learned by a loss, with each of two detectors on
// them. The training is the same for all losses and pairs.
func embeddingRivals(name, title, cite string, newLoss func(*run, embedder) batchLoss, distance, forest []float64) []*Rival {
	training := &Training{func(r *run) *Embedded {
		const rate, epochs, steps = 1e-3, 20, 1500
		e := newEmbedder(r)
		loss := newLoss(r, e)
		r.train(tape.NewAdam(r.params, rate), r.Train, epochs, steps, loss)
		rows := func(gs []*graph.Graph) [][]float64 {
			return wideRows(r.alone(gs, func(b *graph.Batch) *tape.Value { return r.t.SumNodes(e(b, false), b) }))
		}
		return &Embedded{rows(r.Train), rows(r.Test)}
	}}
	detector := func(suffix, head string, published []float64, judge func(*Embedded, uint64) []float64) *Rival {
		return &Rival{
			Name: name + suffix, Title: title + head, Cite: cite, Published: published, Source: "the paper's table 1",
			Differs: "Ours has 3 layers of 32 and 20 epochs, 1 500 steps at most, for every pair; the options behind the published figures are not told. " +
				"Plain graphs are read by their degrees.",
			NoModel: true, Training: training, head: judge,
		}
	}
	return []*Rival{detector("-md", "-MD", distance, mahalanobis), detector("-forest", "-iF", forest, isolationForest)}
}
