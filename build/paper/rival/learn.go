package rival

import (
	"context"
	"math/rand/v2"

	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/build/paper/rival/tape"
)

// paperPairs are the pairs of the paper's table 1, ID/OOD, in its order.
var paperPairs = [...]string{
	"BZR/COX2", "PTC_MR/MUTAG", "AIDS/DHFR", "ENZYMES/PROTEINS", "IMDB-MULTI/IMDB-BINARY",
	"tox21/sider", "freesolv/toxcast", "bbbp/bace", "clintox/lipo", "esol/muv",
}

// inTable returns a row of the paper's table 1, with 0 where it has no figure.
func inTable(row [len(paperPairs)]float64) map[string]float64 {
	figures := map[string]float64{}
	for k, x := range row {
		if x != 0 {
			figures[paperPairs[k]] = x
		}
	}
	return figures
}

// eachBatch calls step for batches of the graphs, so many epochs long or, in a large set,
// until there were enough steps. The order of the graphs in an epoch is drawn by rng. No
// batch has one graph alone, unless there is only one.
func eachBatch(ctx context.Context, gs []*graph.Graph, epochs, steps, size int, rng *rand.Rand, step func(index []int, b *graph.Batch)) error {
	var batch graph.Batch
	picked := make([]*graph.Graph, 0, size+1)
	for range epochs {
		for order := rng.Perm(len(gs)); len(order) > 0 && steps > 0; steps-- {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(size, len(order))
			if len(order)-n == 1 {
				n++
			}
			picked = picked[:0]
			for _, i := range order[:n] {
				picked = append(picked, gs[i])
			}
			batch.Reset(picked)
			step(order[:n], &batch)
			order = order[n:]
		}
	}
	return nil
}

// train makes a step of adam down the loss of each batch, by the batches of eachBatch. A
// loss of nil makes none.
func train(ctx context.Context, gs []*graph.Graph, epochs, steps int, rng *rand.Rand, t *tape.Tape, adam *tape.Adam, loss func(index []int, b *graph.Batch) *tape.Value) error {
	return eachBatch(ctx, gs, epochs, steps, trainingBatch, rng, func(index []int, b *graph.Batch) {
		t.Reset()
		if l := loss(index, b); l != nil {
			t.Backward(l)
			adam.Step()
		}
	})
}

// trainingBatch is the number of graphs to a step.
const trainingBatch = 128

// eachAlone returns the scores of graphs that are looked at one by one, so that none
// depends on the others.
func eachAlone(ctx context.Context, gs []*graph.Graph, score func(b *graph.Batch) float64) ([]float64, error) {
	var batch graph.Batch
	scores := make([]float64, len(gs))
	for i := range gs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch.Reset(gs[i : i+1])
		scores[i] = score(&batch)
	}
	return scores, nil
}

// widened returns numbers as float64.
func widened(list []float32) []float64 {
	wide := make([]float64, len(list))
	for i, x := range list {
		wide[i] = float64(x)
	}
	return wide
}

// nodeInput is what networks that are trained here read of nodes: the features of atoms, or
// where a graph has none, the degree, one-hot.
func nodeInput(b *graph.Batch) tape.Matrix {
	if b.Features == molecule.Features {
		return tape.Features(b)
	}
	for _, g := range b.Graphs {
		g.EncodeStructure()
	}
	all := tape.Structure(b)
	degrees := tape.NewMatrix(all.Rows, graph.DegreeClasses)
	for i := range all.Rows {
		copy(degrees.Row(i), all.Row(i)[graph.WalkSteps:])
	}
	return degrees
}

// nodeWidth is the width of nodeInput.
func nodeWidth(gs []*graph.Graph) int {
	if len(gs) > 0 && gs[0].Features == molecule.Features {
		return molecule.Features
	}
	return graph.DegreeClasses
}
