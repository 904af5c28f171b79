// Package sample draws small graphs for tests.
package sample

import (
	"math/rand/v2"

	"baca/algo/graph"
	"baca/algo/internal/must"
)

// Shape is a plain path, ring or star of n nodes, whose only feature is 1, or 2 in a ring.
func Shape(name string, n int) *graph.Graph {
	var edges [][2]int32
	for i := int32(1); i < int32(n); i++ {
		edge := [2]int32{i - 1, i}
		if name == "star" {
			edge[0] = 0
		}
		edges = append(edges, edge)
	}
	x := float32(1)
	if name == "ring" {
		edges, x = append(edges, [2]int32{0, int32(n - 1)}), 2
	}
	g, _ := must.Both(graph.New(n, edges))
	g.Features, g.X = 1, make([]float32, n)
	for i := range g.X {
		g.X[i] = x
	}
	return g
}

// Featured gives graphs that many random features of a few values.
func Featured(rng *rand.Rand, features int, gs ...*graph.Graph) []*graph.Graph {
	for _, g := range gs {
		g.Features, g.X = features, make([]float32, g.N()*features)
		for i := range g.X {
			g.X[i] = float32(1 + rng.IntN(3))
		}
	}
	return gs
}

// Trees draws n random trees of least to least + 7 nodes, with extra edges by the number of nodes.
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
