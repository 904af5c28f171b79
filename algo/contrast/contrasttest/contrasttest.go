// Package contrasttest draws batches of small graphs for tests.
package contrasttest

import (
	"context"
	"math/rand/v2"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
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
	return sample.Trees(rng, n, 8, func(nodes int) int { return int(extra * float64(nodes)) })
}
