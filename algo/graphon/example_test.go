package graphon_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"baca/algo/graph"
	"baca/algo/graphon"
)

// A subgroup of two molecules' skeletons: from graphs to a synthetic graph with features.
func Example() {
	ring := [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}
	benzene, _, _ := graph.New(6, ring)
	toluene, _, _ := graph.New(7, append(ring, [2]int32{0, 6}))
	subgroup := []*graph.Graph{benzene, toluene}

	for _, g := range subgroup {
		g.EncodeStructure()
	}
	ws, err := graphon.Estimate(context.Background(), 1, subgroup, graphon.Steps(subgroup), graphon.DefaultTheta)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := graphon.NewMixup(ws, graphon.DefaultOptions())
	s, ok := m.Draw(rand.New(rand.NewPCG(3, 0)))
	if !ok {
		fmt.Println(m.Warning())
		return
	}
	graphon.NewDonors(subgroup).Fill(s.Graph)
	fmt.Printf("%.2f of graphon %d and the rest of %d: %d nodes, %d edges\n", s.Lambda, s.I, s.J, s.Graph.N(), s.Graph.M())
	// Output:
	// 0.84 of graphon 0 and the rest of 1: 5 nodes, 4 edges
}
