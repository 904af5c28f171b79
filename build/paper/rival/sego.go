package rival

import (
	"context"
	"math/rand/v2"

	"baca/algo/contrast"
	"baca/algo/graph"
	"baca/build/paper/rival/entropy"
	"baca/build/paper/rival/tape"
)

// sego contrasts graphs on three levels: the nodes of the two views, the graphs of the two
// views, and each graph with its coding tree, which it calls the anchor. The score is the sum
// of the three losses, each in deviations of the training graphs.
var sego = &Rival{
	Name:      "sego",
	Title:     "SEGO",
	Cite:      "Hou and others, Structural Entropy Guided Unsupervised Graph Out-Of-Distribution Detection, AAAI 2025",
	Published: inTable([...]float64{96.66, 85.02, 99.48, 64.42, 80.27, 66.67, 90.95, 87.55, 78.99, 94.59}),
	Source:    "its table 1",
	Differs: "Ours takes the shared encoder, 16 wide instead of 32, and trains only the network on the trees, for 500 steps; the published one trains all of it, " +
		"with a weight tuned for each pair. Its code never trains the network on the trees, and its score has the loss between the views twice and none of the trees.",
	Batch: true,
	Score: scoreSEGO,
}

// The network on the trees is trained as its code would: passes over the training graphs, of
// which large sets make no more than so many steps, and the rate of Adam.
const (
	segoEpochs, segoSteps = 400, 500
	segoRate              = 0.01
)

func scoreSEGO(ctx context.Context, p *Problem) ([]float64, error) {
	train, test, err := represent(ctx, p)
	if err != nil {
		return nil, err
	}
	embed, err := segoTrees(ctx, p, train)
	if err != nil {
		return nil, err
	}
	known, err := segoLosses(ctx, p.Workers, train, embed(p.Train))
	if err != nil {
		return nil, err
	}
	tested, err := segoLosses(ctx, p.Workers, test, embed(p.Test))
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(p.Test))
	for k, losses := range tested {
		addStandard(scores, losses, known[k], 1)
	}
	return scores, nil
}

// segoTrees trains a network to embed the trees of training graphs near the graphs, and
// returns what embeds the trees of others.
func segoTrees(ctx context.Context, p *Problem, known *contrast.Representation) (func([]*graph.Graph) []float32, error) {
	params := tape.NewParams(p.Seed)
	net := newTreeNet(params, p.Model.Encoder.Features+mostDegree+1, known.Width)
	adam, t := tape.NewAdam(params, segoRate), new(tape.Tape)
	trees := codingTrees(p.Train)
	rng := rand.New(rand.NewPCG(p.Seed, segoStream))
	err := train(ctx, p.Train, segoEpochs, segoSteps, rng, t, adam, func(index []int, b *graph.Batch) *tape.Value {
		z, batch := tape.NewMatrix(len(index), known.Width), make([]*entropy.Tree, len(index))
		for k, i := range index {
			batch[k] = trees[i]
			copy(z.Row(k), known.ZF()[i*known.Width:])
		}
		return t.Mean(contrastLoss(t, net.forward(t, newTreeBatch(b.Graphs, batch), true), t.Constant(z)))
	})
	if err != nil {
		return nil, err
	}
	return func(gs []*graph.Graph) []float32 {
		var all []float32
		for lo := 0; lo < len(gs); lo += trainingBatch {
			part := gs[lo:min(len(gs), lo+trainingBatch)]
			t.Reset()
			all = append(all, net.forward(t, newTreeBatch(part, codingTrees(part)), false).Data...)
		}
		return all
	}, nil
}

// segoStream is the second half of the seed of the order of training graphs.
const segoStream = 0x5e60

// segoLosses are those of graphs among each other: of the graph and its tree, of the two
// views of the graph, and of those of its nodes.
func segoLosses(ctx context.Context, workers int, r *contrast.Representation, trees []float32) ([3][]float64, error) {
	var losses [3][]float64
	for k, z := range [][]float32{trees, r.ZS()} {
		var err error
		if losses[k], err = contrast.NewNegatives(r.ZF(), z, r.Width).Scores(ctx, workers, r.ZF(), z, true); err != nil {
			return losses, err
		}
	}
	losses[2] = r.NodeScore
	return losses, nil
}
