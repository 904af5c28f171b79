package baseline_test

import (
	"fmt"

	"baca/algo/baseline"
	"baca/algo/graph"
)

// What can be counted off a ring with a tail, and what is left without the tail.
func Example() {
	g, _, _ := graph.New(5, [][2]int32{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}})
	for _, s := range baseline.Statistics() {
		fmt.Printf("%s %.1f\n", s.Name, s.Of(g))
	}
	fmt.Println("core:", g.Core().N(), "nodes")
	// Output:
	// nodes 5.0
	// edges 5.0
	// mean degree 2.0
	// leaves 0.2
	// degree 3 0.2
	// cycles 1.0
	// core: 3 nodes
}
