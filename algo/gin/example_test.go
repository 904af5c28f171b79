package gin_test

import (
	"fmt"
	"math/rand/v2"

	"baca/algo/gin"
	"baca/algo/graph"
)

// Two graphs through an encoder that is not trained: the same graph with its nodes in
// another order has the same embedding.
func Example() {
	path, _, _ := graph.New(3, [][2]int32{{0, 1}, {1, 2}})
	again, _, _ := graph.New(3, [][2]int32{{1, 0}, {0, 2}})
	gs := []*graph.Graph{path, again}
	for _, g := range gs {
		g.EncodeStructure()
	}
	e := gin.New(gin.Config{Features: 1, Hidden: 4, Layers: 2}, rand.New(rand.NewPCG(1, 1)))
	var batch graph.Batch
	batch.Reset(gs)
	var a gin.Activations
	e.Forward(&batch, &a)
	for k := range gs {
		fmt.Printf("%.3f\n", a.Graph[gin.Structure][k*e.Width():][4:8])
	}
	// Output:
	// [1.652 0.000 0.000 1.178]
	// [1.652 0.000 0.000 1.178]
}
