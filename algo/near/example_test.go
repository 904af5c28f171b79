package near_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/near"
)

// Chains are the training graphs. A star is farther from them than another chain.
func Example() {
	tree := func(n int32, parent func(i int32) int32) *graph.Graph {
		var edges [][2]int32
		for i := int32(1); i < n; i++ {
			edges = append(edges, [2]int32{parent(i), i})
		}
		g, _, _ := graph.New(int(n), edges)
		return g
	}
	chain := func(i int32) int32 { return i - 1 }
	var training []*graph.Graph
	for n := range int32(12) {
		training = append(training, tree(n+3, chain))
	}
	ctx := context.Background()
	e := gin.New(gin.Default(1), rand.New(rand.NewPCG(1, 1)))
	known, err := contrast.Describe(ctx, 1, e, training)
	if err != nil {
		fmt.Println(err)
		return
	}
	bank, err := near.NewBank(ctx, 1, known, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	others, err := contrast.OutlineOf(ctx, 1, e, []*graph.Graph{tree(15, chain), tree(9, func(int32) int32 { return 0 })})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := bank.Measure(ctx, 1, others)
	fmt.Printf("a chain %.1f, a star %.1f, %v\n", bank.Scores(d)[0], bank.Scores(d)[1], err)
	// Output:
	// a chain -0.5, a star 5.2, <nil>
}
