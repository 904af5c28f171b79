package explain_test

import (
	"fmt"

	"baca/algo/explain"
	"baca/algo/graph"
)

// The training graphs are rings of five to nine nodes. A long chain has no ring.
func Example() {
	var rings []*graph.Graph
	for n := range int32(50) {
		edges := [][2]int32{{0, 4 + n%5}}
		for i := range 4 + n%5 {
			edges = append(edges, [2]int32{i, i + 1})
		}
		g, _, _ := graph.New(int(5+n%5), edges)
		rings = append(rings, g)
	}
	p := explain.NewProfile(rings)
	chain, _, _ := graph.New(8, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}})
	for _, r := range explain.Reasons(chain, explain.Memory{Profile: p, Train: len(rings), Least: 1}, nil) {
		fmt.Printf("%.1f %s\n", r.Weight, r.Text)
	}
	// Output:
	// 2.9 a larger share of nodes with one neighbour than 99 % of the training graphs: 25 %, half of them have none
	// 2.9 fewer rings than 99 % of the training graphs: 0, half of them have exactly 1
}
