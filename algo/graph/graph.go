// Package graph holds undirected simple graphs in compressed sparse row form (New), packs them into
// batches and computes the structural encoding that the encoder's structure view reads.
package graph

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// MaxNodes and MaxEdges bound a plain graph. An embedded node takes 2 kB where its text takes 9
// bytes, and [Encode] up to 16·MaxNodes·MaxEdges steps, a minute. Common classification sets have
// at most 6 000 nodes.
const (
	MaxNodes = 1 << 15
	MaxEdges = 1 << 17
)

// CheckSize returns an error for a graph of more than MaxNodes or MaxEdges.
func CheckSize(nodes, edges int) error {
	if nodes < 0 || nodes > MaxNodes || edges > MaxEdges {
		return fmt.Errorf("a graph of %d nodes and %d edges: want at most %d and %d", nodes, edges, MaxNodes, MaxEdges)
	}
	return nil
}

// A Graph is an undirected simple graph with a row of features for each node. The neighbours of
// node i are Neighbors[Offsets[i]:Offsets[i+1]], ascending. A Graph is read-only; batches share it.
type Graph struct {
	Offsets   []int32 // n+1
	Neighbors []int32 // 2m: each edge in both directions

	// X is the feature view, n rows of Features values.
	X        []float32
	Features int
	// Reading tells graphs of the same molecule apart that were read in different ways, see molecule.Form.Reading; 0 if
	// that is not known.
	Reading uint8

	// XS is the structure view, n rows of EncodingWidth values, once EncodeStructure has run.
	XS []float32
}

// Dropped counts edges that New left out.
type Dropped struct {
	SelfLoops  int
	Duplicates int // repeated edges, either direction
}

// New builds a graph of n nodes from undirected edges, given in one direction or both. It drops and counts self-loops and
// repeats. The feature view is the constant 1. An end outside [0, n) is an error, and so is a graph that is too large.
func New(n int, edges [][2]int32) (*Graph, Dropped, error) {
	var d Dropped
	if err := CheckSize(n, len(edges)); err != nil {
		return nil, d, err
	}
	offsets := make([]int32, n+1)
	for k, e := range edges {
		if e[0] < 0 || int(e[0]) >= n || e[1] < 0 || int(e[1]) >= n {
			return nil, d, fmt.Errorf("edge %d joins nodes %d and %d: want nodes 0 to %d", k, e[0], e[1], n-1)
		}
		if e[0] == e[1] {
			d.SelfLoops++
			continue
		}
		offsets[e[0]+1]++
		offsets[e[1]+1]++
	}
	for i := range n {
		offsets[i+1] += offsets[i]
	}
	neighbors := make([]int32, offsets[n])
	next := slices.Clone(offsets[:n])
	for _, e := range edges {
		if e[0] == e[1] {
			continue
		}
		neighbors[next[e[0]]] = e[1]
		next[e[0]]++
		neighbors[next[e[1]]] = e[0]
		next[e[1]]++
	}
	// Sort each row and close the gaps of dropped repeats.
	end := int32(0)
	for i := range n {
		row := neighbors[offsets[i]:next[i]]
		slices.Sort(row)
		row = slices.Compact(row)
		offsets[i] = end
		end += int32(copy(neighbors[end:], row))
	}
	d.Duplicates = (len(neighbors) - int(end)) / 2
	offsets[n] = end
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	return &Graph{Offsets: offsets, Neighbors: neighbors[:end:end], X: x, Features: 1}, d, nil
}

// N returns the number of nodes.
func (g *Graph) N() int { return len(g.Offsets) - 1 }

// M returns the number of undirected edges.
func (g *Graph) M() int { return len(g.Neighbors) / 2 }

// Degree returns the number of neighbours of node i.
func (g *Graph) Degree(i int) int { return int(g.Offsets[i+1] - g.Offsets[i]) }

// Row returns the ascending neighbours of node i, which must not be changed.
func (g *Graph) Row(i int) []int32 { return g.Neighbors[g.Offsets[i]:g.Offsets[i+1]] }

// Edges returns each edge once, its lower node first, in ascending order of lower and then upper nodes.
func (g *Graph) Edges() [][2]int32 {
	edges := make([][2]int32, 0, g.M())
	for i := range int32(g.N()) {
		for _, j := range g.Row(int(i)) {
			if j > i {
				edges = append(edges, [2]int32{i, j})
			}
		}
	}
	return edges
}

// Select returns the induced subgraph of the nodes that keep accepts, in their order, without a structure view.
func (g *Graph) Select(keep func(node int) bool) *Graph {
	h := &Graph{
		Features: g.Features, X: make([]float32, 0, len(g.X)),
		Offsets: append(make([]int32, 0, len(g.Offsets)), 0), Neighbors: make([]int32, 0, len(g.Neighbors)),
	}
	place, n := make([]int32, g.N()), int32(0) // place is the new index of each node, −1 without one
	for i := range place {
		place[i] = -1
		if keep(i) {
			place[i] = n
			n++
			h.X = append(h.X, g.X[i*g.Features:(i+1)*g.Features]...)
		}
	}
	for i, at := range place {
		if at < 0 {
			continue
		}
		for _, j := range g.Row(i) {
			if place[j] >= 0 {
				h.Neighbors = append(h.Neighbors, place[j])
			}
		}
		h.Offsets = append(h.Offsets, int32(len(h.Neighbors)))
	}
	return h
}

// EncodeStructure computes XS unless it is there, see [Encode]. Concurrent calls are safe.
func (g *Graph) EncodeStructure() { g.EncodeStructureIn(context.Background()) }

// EncodeStructureIn is EncodeStructure, which takes minutes for a large dense graph, but stops when ctx ends. It then returns
// the error of ctx and leaves XS unset.
func (g *Graph) EncodeStructureIn(ctx context.Context) error {
	structure.RLock()
	done := g.XS != nil
	structure.RUnlock()
	if done {
		return nil
	}
	xs := make([]float32, g.N()*EncodingWidth)
	if err := EncodeIn(ctx, g, xs); err != nil {
		return err
	}
	structure.Lock()
	defer structure.Unlock()
	if g.XS == nil {
		g.XS = xs
	}
	return nil
}

// structure guards XS of all graphs, for no longer than an assignment.
var structure sync.RWMutex
