// Package entropy builds coding trees: hierarchies of the nodes of a graph that make its
// structural entropy small (Li and Pan, Structural Information and Dynamical Complexity of
// Networks, 2016). For a tree T whose leaves are the nodes of G,
//
//	H(G; T) = −Σ g_α/vol(G) · log₂(vol_α/vol_parent(α))
//
// over all α but the root, where vol_α is the sum of the degrees of the leaves below α and
// g_α the number of edges that leave them.
package entropy

import (
	"math"
	"slices"

	"baca/algo/graph"
)

// A Tree has all leaves at the same depth. Node i of level l has the parent Parents[l][i] in
// level l+1. Level 0 is the nodes of the graph, and the last level is the root alone.
type Tree struct{ Parents [][]int32 }

// New returns a tree of the given height, 1 or more, for a graph of at least one node, by
// the greedy method of SEP (Wu and others, Structural Entropy Guided Graph Hierarchical
// Pooling, 2022): merge the two neighbours whose merging lowers the entropy most until one
// node is left, drop the nodes that cost least until no path is longer than the height,
// and fill shorter paths with nodes of one child. Ties go to the node with the lower number.
func New(g *graph.Graph, height int) *Tree {
	b := newBuilder(g)
	b.mergeAll()
	for b.drop(height) {
	}
	return b.fill(height)
}

// A builder has a tree while it is made. Nodes 0 to leaves−1 are the leaves, and a parent has a
// higher number than its children.
type builder struct {
	nodes  []node
	leaves int
	total  float64 // vol(G)
}

type node struct {
	parent      int32 // −1 of the root, and of nodes that have none, not yet or no longer
	volume, cut float64
	edges       map[int32]int32 // how many join it with each other node that has no parent
}

func newBuilder(g *graph.Graph) *builder {
	b := &builder{leaves: g.N(), total: float64(len(g.Neighbors))}
	for i := range g.N() {
		d := float64(g.Degree(i))
		b.add(d, d)
		for _, j := range g.Row(i) {
			b.nodes[i].edges[j] = 1
		}
	}
	return b
}

func (b *builder) add(volume, cut float64, children ...int32) int32 {
	id := int32(len(b.nodes))
	b.nodes = append(b.nodes, node{parent: -1, volume: volume, cut: cut, edges: map[int32]int32{}})
	for _, c := range children {
		b.nodes[c].parent = id
	}
	return id
}

// gain is what a parent of two nodes below the root lowers H·vol(G) by: 2·(edges between
// them)·log₂(vol(G)/(volume of both)).
func (b *builder) gain(i, j int32) float64 {
	return 2 * float64(b.nodes[i].edges[j]) * math.Log2(b.total/(b.nodes[i].volume+b.nodes[j].volume))
}

// mergeAll makes a binary tree of each component, and joins them below one root.
func (b *builder) mergeAll() {
	for {
		most, first, second := -1.0, int32(-1), int32(-1)
		for i, n := range b.nodes {
			for j := range n.edges {
				gain := b.gain(int32(i), j)
				if int32(i) < j && (gain > most || gain == most && first == int32(i) && j < second) {
					most, first, second = gain, int32(i), j
				}
			}
		}
		if first < 0 {
			break
		}
		b.merge(first, second)
	}
	var tops []int32
	for i, n := range b.nodes {
		if n.parent < 0 {
			tops = append(tops, int32(i))
		}
	}
	if len(tops) > 1 || len(b.nodes) == 1 {
		b.add(b.total, 0, tops...)
	}
}

// merge gives two nodes a parent. Its edges are those of both.
func (b *builder) merge(i, j int32) {
	x, y := b.nodes[i], b.nodes[j]
	id := b.add(x.volume+y.volume, x.cut+y.cut-2*float64(x.edges[j]), i, j)
	for _, child := range []int32{i, j} {
		for k, n := range b.nodes[child].edges {
			if delete(b.nodes[k].edges, child); k != i && k != j {
				b.nodes[id].edges[k] += n
				b.nodes[k].edges[id] += n
			}
		}
		b.nodes[child].edges = nil
	}
}

// drop removes the inner node that costs least, of those on paths longer than the height, and
// gives its children to its parent. It is false if there is none. A node costs what H·vol(G)
// rises by: (Σ cut of its children − its own cut)·log₂(volume of its parent/its own).
func (b *builder) drop(height int) bool {
	depth, below, inside := b.paths()
	best, least := int32(-1), math.Inf(1)
	for i := b.leaves; i < len(b.nodes)-1; i++ {
		if n := b.nodes[i]; n.parent >= 0 && depth[i]+below[i] > height {
			if cost := (inside[i] - n.cut) * math.Log2(b.nodes[n.parent].volume/n.volume); cost < least {
				best, least = int32(i), cost
			}
		}
	}
	if best < 0 {
		return false
	}
	for i, n := range b.nodes {
		if n.parent == best {
			b.nodes[i].parent = b.nodes[best].parent
		}
	}
	b.nodes[best].parent = -1
	return true
}

// paths returns how far each node is from the root and from the deepest leaf below it, and the
// sum of the cuts of its children.
func (b *builder) paths() (depth, below []int, inside []float64) {
	depth, below, inside = make([]int, len(b.nodes)), make([]int, len(b.nodes)), make([]float64, len(b.nodes))
	for i, n := range b.nodes {
		if n.parent >= 0 {
			below[n.parent] = max(below[n.parent], below[i]+1)
			inside[n.parent] += n.cut
		}
	}
	for i := len(b.nodes) - 2; i >= 0; i-- {
		if p := b.nodes[i].parent; p >= 0 {
			depth[i] = depth[p] + 1
		}
	}
	return depth, below, inside
}

// fill returns the tree. The level of a node is its distance from the deepest leaf below it, and that
// of the root the height. Where a parent is higher up, nodes of one child stand between.
func (b *builder) fill(height int) *Tree {
	_, level, _ := b.paths()
	level[len(level)-1] = height
	t, nodes := &Tree{}, make([]int32, b.leaves)
	for i := range nodes {
		nodes[i] = int32(i)
	}
	for l := range height {
		above := slices.Clone(nodes)
		for k, i := range nodes {
			if p := b.nodes[i].parent; level[p] == l+1 {
				above[k] = p
			}
		}
		nodes = slices.Compact(slices.Sorted(slices.Values(above)))
		for k, i := range above {
			place, _ := slices.BinarySearch(nodes, i)
			above[k] = int32(place)
		}
		t.Parents = append(t.Parents, above)
	}
	return t
}
