package contrast_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
)

// The base scores of a small batch: its graphs are each other's negatives.
func Example() {
	var gs []*graph.Graph
	for n := range int32(4) {
		var edges [][2]int32
		for i := range n + 2 {
			edges = append(edges, [2]int32{i, i + 1})
		}
		path, _, _ := graph.New(int(n)+3, edges)
		gs = append(gs, path)
	}
	ctx := context.Background()
	e := gin.New(gin.Default(1), rand.New(rand.NewPCG(1, 1)))
	r, err := contrast.Describe(ctx, 1, e, gs)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := contrast.BaseScores(ctx, 1, r, r.Negatives(), true, contrast.PlainTerms(r))
	fmt.Printf("%.2f, %d without node scores, %v\n", scores, r.Undefined(), err)
	// Output:
	// [1.81 2.22 2.47 2.68], 0 without node scores, <nil>
}
