package fingerprint_test

import (
	"fmt"

	"baca/algo/fingerprint"
	"baca/algo/graph"
)

// How far a ring of six is from what was seen before, two chains and a ring of five.
func Example() {
	chain := func(n int, more ...[2]int32) *graph.Graph {
		for i := range n - 1 {
			more = append(more, [2]int32{int32(i), int32(i + 1)})
		}
		g, _, err := graph.New(n, more)
		if err != nil {
			panic(err)
		}
		return g
	}
	var seen []fingerprint.Print
	for _, g := range []*graph.Graph{chain(4), chain(7), chain(5, [2]int32{4, 0})} {
		seen = append(seen, fingerprint.New(g, fingerprint.DefaultHeight))
	}
	index := fingerprint.NewIndex(seen)
	ring := fingerprint.New(chain(6, [2]int32{5, 0}), fingerprint.DefaultHeight)
	for _, n := range index.Nearest(ring, 2) {
		fmt.Printf("print %d: %.2f\n", n.Print, n.Similarity)
	}
	fmt.Printf("known %.2f\n", index.Known(ring))
	// Output:
	// print 2: 0.83
	// print 1: 0.30
	// known 1.00
}
