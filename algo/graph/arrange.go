package graph

import (
	"fmt"
	"slices"
)

// An Arrangement is a graph with its nodes in another order. Arrange reuses its memory.
type Arrangement struct {
	Graph // without XS

	place []int32 // new index of each original node
}

// Arrange makes a the graph g in another order: node k of a is node order[k] of g. It panics unless order has as many
// entries as g nodes. It must have each node once.
func (a *Arrangement) Arrange(g *Graph, order []int32) {
	n, f := g.N(), g.Features
	if len(order) != n || len(g.X) != n*f {
		panic(fmt.Sprintf("graph: order of %d nodes and %d feature values for a graph of %d nodes with %d features", len(order), len(g.X), n, f))
	}
	place := slices.Grow(a.place[:0], n)[:n]
	offsets, neighbors := slices.Grow(a.Offsets[:0], n+1)[:n+1], slices.Grow(a.Neighbors[:0], len(g.Neighbors))[:len(g.Neighbors)]
	a.X, a.Features = slices.Grow(a.X[:0], n*f)[:0], f
	offsets[0] = 0
	sum := int32(0)
	for k, i := range order {
		place[i] = int32(k)
		offsets[k+1] = sum // end of the filled part of row k
		sum += int32(g.Degree(int(i)))
		a.X = append(a.X, g.X[int(i)*f:(int(i)+1)*f]...)
	}
	// Nodes come in their new order, so every row is filled ascending.
	for k, i := range order {
		for _, j := range g.Row(int(i)) {
			end := &offsets[place[j]+1]
			neighbors[*end] = int32(k)
			*end++
		}
	}
	a.place, a.Offsets, a.Neighbors = place, offsets, neighbors
}
