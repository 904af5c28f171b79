package graph_test

import (
	"fmt"

	"baca/algo/graph"
)

// A triangle with a tail. An edge that comes twice and a self-loop are left out.
func Example() {
	g, dropped, err := graph.New(4, [][2]int32{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {1, 0}, {3, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.N(), "nodes,", g.M(), "edges, dropped:", dropped)
	g.EncodeStructure()
	// The structure view begins with how likely a random walk is back after 1, 2, … steps.
	for i := range g.N() {
		fmt.Printf("node %d: neighbours %v, back after two steps %.2f\n", i, g.Row(i), g.XS[i*graph.EncodingWidth+1])
	}
	// Output:
	// 4 nodes, 4 edges, dropped: {1 1}
	// node 0: neighbours [1 2], back after two steps 0.42
	// node 1: neighbours [0 2], back after two steps 0.42
	// node 2: neighbours [0 1 3], back after two steps 0.67
	// node 3: neighbours [2], back after two steps 0.33
}
