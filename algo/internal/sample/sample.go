// Package sample draws batches of small graphs for tests.
package sample

import (
	"context"
	"math/rand/v2"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/must"
)

// A Batch is drawn from two families of random trees: ID graphs have few extra edges, OOD graphs
// many. The encoder is not trained.
type Batch struct {
	Encoder             *gin.Encoder
	Graphs              []*graph.Graph // ID, then OOD
	OOD                 []bool
	Test, Bank, Holdout *contrast.Representation
}

// New draws a batch of so many graphs.
func New(id, ood, bank, holdout int) *Batch {
	rng := rand.New(rand.NewPCG(11, 12))
	e := gin.New(gin.Default(1), rng)
	represent := func(gs []*graph.Graph) *contrast.Representation {
		return must.Have(contrast.Describe(context.Background(), 1, e, gs))
	}
	b := &Batch{Encoder: e, Graphs: append(family(rng, id, 0.1), family(rng, ood, 1)...), OOD: make([]bool, id+ood)}
	for i := id; i < id+ood; i++ {
		b.OOD[i] = true
	}
	b.Test, b.Bank, b.Holdout = represent(b.Graphs), represent(family(rng, bank, 0.1)), represent(family(rng, holdout, 0.1))
	return b
}

// family draws n trees with so many extra edges for each node.
func family(rng *rand.Rand, n int, extra float64) []*graph.Graph {
	return Trees(rng, n, 8, func(nodes int) int { return int(extra * float64(nodes)) })
}

// Trees draws n random trees of least to least + 7 nodes, with extra edges by the number
// of nodes.
func Trees(rng *rand.Rand, n, least int, extra func(nodes int) int) []*graph.Graph {
	var gs []*graph.Graph
	for range n {
		nodes := least + rng.IntN(8)
		var edges [][2]int32
		for i := 1; i < nodes; i++ {
			edges = append(edges, [2]int32{rng.Int32N(int32(i)), int32(i)})
		}
		for range extra(nodes) {
			edges = append(edges, [2]int32{rng.Int32N(int32(nodes)), rng.Int32N(int32(nodes))})
		}
		g, _ := must.Both(graph.New(nodes, edges))
		gs = append(gs, g)
	}
	return gs
}
