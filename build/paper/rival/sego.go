package rival

import (
	"slices"

	"baca/algo/contrast"
	"baca/algo/graph"
	"baca/build/paper/rival/tape"
)

// sego contrasts graphs on three levels: the nodes of the two views, the graphs of the two
// views, and each graph with its coding tree, which it calls the anchor. The score is the sum
// of the three losses, each in deviations of the training graphs.
var sego = &Rival{
	Name: "sego", Title: "SEGO",
	Cite:      "Hou and others, Structural Entropy Guided Unsupervised Graph Out-Of-Distribution Detection, AAAI 2025",
	Published: []float64{96.66, 85.02, 99.48, 64.42, 80.27, 66.67, 90.95, 87.55, 78.99, 94.59},
	Source:    "its table 1",
	Differs: "Ours takes the shared encoder, 16 wide instead of 32, and trains only the network on the trees, for 500 steps; the published one trains all of it, " +
		"with a weight tuned for each pair. Its code never trains the network on the trees, and its score has the loss between the views twice and none of the trees.",
	Batch: true,
	score: scoreSEGO,
}

func scoreSEGO(r *run) []float64 {
	known, tested := r.represent(r.Train), r.represent(r.Test)
	embed := r.segoTrees(known)
	// The losses are those of the graph and its tree, of the two views of the graph, and of
	// those of its nodes.
	losses := func(of *contrast.Representation, trees []float32) [3][]float64 {
		return [3][]float64{r.losses(of.ZF(), trees, of.Width), r.losses(of.ZF(), of.ZS(), of.Width), of.NodeScore}
	}
	before, scores := losses(known, embed(r.Train)), make([]float64, len(r.Test))
	for k, values := range losses(tested, embed(r.Test)) {
		addStandard(scores, values, before[k], 1)
	}
	return scores
}

// segoTrees trains a network to embed the trees of training graphs near the graphs, as its code
// would, and returns what embeds the trees of others.
func (r *run) segoTrees(known *contrast.Representation) func([]*graph.Graph) []float32 {
	const rate, epochs, steps = 0.01, 400, 500
	net := newTreeNet(r.params, r.Model.Encoder.Features, known.Width)
	trees, z := codingTrees(r.Train), matrixOf(known.ZF(), known.Width)
	r.rng = stream(r.Seed, 0x5e60)
	r.train(tape.NewAdam(r.params, rate), r.Train, epochs, steps, func(index []int, b *graph.Batch) *tape.Value {
		embedded := net(r.t, newTreeBatch(b, pick(trees, index)), true)
		return r.t.Mean(contrastLoss(r.t, embedded, r.t.Constant(pickRows(z, index))))
	})
	return func(gs []*graph.Graph) (all []float32) {
		var b graph.Batch
		for part := range slices.Chunk(gs, trainingBatch) {
			b.Reset(part)
			r.t.Reset()
			all = append(all, net(r.t, newTreeBatch(&b, codingTrees(part)), false).Data...)
		}
		return all
	}
}
