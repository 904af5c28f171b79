// Package entropy builds coding trees: hierarchies of the nodes of a graph that make its
// structural entropy small (Li and Pan, Structural Information and Dynamical Complexity of
// Networks, 2016). For a tree T whose leaves are the nodes of G,
//
//	H(G; T) = −Σ g_α/vol(G) · log₂(vol_α/vol_parent(α))
//
// over all α but the root, where vol_α is the sum of the degrees of the leaves below α and
// g_α the number of edges that leave them. It is the mean number of bits that say where a
// random walk goes, if nodes are coded by their path in T.
package entropy

import (
	"math"
	"slices"

	"baca/algo/graph"
)

// A Tree has all of its leaves at the same depth, its height. Node i of level l has the
// parent Parents[l][i] in level l+1. Level 0 is the nodes of the graph, and the last level
// is the root alone.
type Tree struct{ Parents [][]int32 }

// New returns a tree of the given height, 1 or more, for a graph of at least one node, by
// the greedy method of SEP (Wu and others, Structural Entropy Guided Graph Hierarchical
// Pooling, 2022): merge the two neighbours whose merging lowers the entropy most until one
// node is left, drop the nodes that cost least until no path is longer than the height,
// and fill shorter paths with nodes of one child. Ties go to the node with the lower
// number. It takes O(nm) steps to merge and O(n²) to drop.
func New(g *graph.Graph, height int) *Tree {
	b := newBuilder(g)
	b.mergeAll()
	for b.drop(height) {
	}
	return b.fill(height)
}

// bits is −cut·log₂(volume/above), the part of a node in H·vol(G).
func bits(cut, volume, above float64) float64 {
	if cut == 0 {
		return 0
	}
	return cut * math.Log2(above/volume)
}

// A builder has a tree while it is made. Nodes 0 to n−1 are the leaves.
type builder struct {
	parent      []int32 // −1 of the root, and of nodes that have none yet
	volume, cut []float64
	total       float64           // vol(G)
	edges       []map[int32]int32 // how many join a node with others that have no parent
	dropped     []bool
	leaves      int
}

func newBuilder(g *graph.Graph) *builder {
	b := &builder{leaves: g.N(), total: float64(len(g.Neighbors))}
	for i := range g.N() {
		d := float64(g.Degree(i))
		b.add(d, d, nil)
		for _, j := range g.Row(i) {
			b.edges[i][j] = 1
		}
	}
	return b
}

func (b *builder) add(volume, cut float64, children []int32) int32 {
	id := int32(len(b.parent))
	b.parent, b.dropped = append(b.parent, -1), append(b.dropped, false)
	b.volume, b.cut = append(b.volume, volume), append(b.cut, cut)
	b.edges = append(b.edges, map[int32]int32{})
	for _, c := range children {
		b.parent[c] = id
	}
	return id
}

// A candidate is a pair of nodes that may be merged.
type candidate struct {
	gain float64
	a, b int32 // a < b
}

// pair returns the candidate of two nodes. A parent of both below the root lowers
// H·vol(G) by 2·(edges between them)·log₂(vol(G)/(volume of both)).
func (b *builder) pair(i, j int32) candidate {
	return candidate{2 * float64(b.edges[i][j]) * math.Log2(b.total/(b.volume[i]+b.volume[j])), min(i, j), max(i, j)}
}

// mergeAll makes a binary tree of each component, and joins them below one root.
func (b *builder) mergeAll() {
	for {
		best := candidate{gain: -1}
		for i, edges := range b.edges {
			for j := range edges {
				c := b.pair(int32(i), j)
				if c.gain > best.gain || c.gain == best.gain && c.a == best.a && c.b < best.b {
					best = c
				}
			}
		}
		if best.gain < 0 {
			break
		}
		b.merge(best.a, best.b)
	}
	var tops []int32
	for i, p := range b.parent {
		if p < 0 {
			tops = append(tops, int32(i))
		}
	}
	if len(tops) > 1 || len(b.parent) == 1 {
		b.add(b.total, 0, tops)
	}
}

// merge gives two nodes a parent. Its edges are those of both.
func (b *builder) merge(i, j int32) {
	id := b.add(b.volume[i]+b.volume[j], b.cut[i]+b.cut[j]-2*float64(b.edges[i][j]), []int32{i, j})
	for _, child := range []int32{i, j} {
		for k, n := range b.edges[child] {
			if delete(b.edges[k], child); k != i && k != j {
				b.edges[id][k] += n
				b.edges[k][id] += n
			}
		}
		b.edges[child] = nil
	}
}

// drop removes the inner node that costs least, of those on paths from the root that are
// longer than the height, and gives its children to its parent. It is false if there is
// none. A node costs (Σ cut of its children − its own cut)·log₂(volume of its parent/its own),
// which is what H·vol(G) rises by.
func (b *builder) drop(height int) bool {
	inside := make([]float64, len(b.parent)) // the cuts of the children
	for i, p := range b.parent {
		if p >= 0 && !b.dropped[i] {
			inside[p] += b.cut[i]
		}
	}
	depth, below := b.paths()
	best, least := int32(-1), math.Inf(1)
	for i := b.leaves; i < len(b.parent)-1; i++ {
		if !b.dropped[i] && depth[i]+below[i] > height {
			if cost := bits(inside[i]-b.cut[i], b.volume[i], b.volume[b.parent[i]]); cost < least {
				best, least = int32(i), cost
			}
		}
	}
	if best < 0 {
		return false
	}
	b.dropped[best] = true
	for i, p := range b.parent {
		if p == best {
			b.parent[i] = b.parent[best]
		}
	}
	return true
}

// paths returns how far each node is from the root and from the deepest leaf below it.
// A parent has a higher number than its children.
func (b *builder) paths() (depth, below []int) {
	depth, below = make([]int, len(b.parent)), make([]int, len(b.parent))
	for i, p := range b.parent {
		if p >= 0 && !b.dropped[i] {
			below[p] = max(below[p], below[i]+1)
		}
	}
	for i := len(b.parent) - 2; i >= 0; i-- {
		if !b.dropped[i] {
			depth[i] = depth[b.parent[i]] + 1
		}
	}
	return depth, below
}

// fill returns the tree. The level of a node is its distance from the deepest leaf below
// it, and that of the root is the height. A node whose parent is higher up stands in the
// levels between for a node of one child. Nodes of a level are in the order of their numbers.
func (b *builder) fill(height int) *Tree {
	_, level := b.paths()
	level[len(level)-1] = height
	t, nodes := &Tree{}, make([]int32, b.leaves)
	for i := range nodes {
		nodes[i] = int32(i)
	}
	for l := range height {
		above := slices.Clone(nodes)
		for k, i := range nodes {
			if p := b.parent[i]; level[p] == l+1 {
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
