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
	"cmp"
	"container/heap"
	"math"
	"slices"

	"baca/algo/graph"
)

// A Tree has all of its leaves at the same depth, its height. Node i of level l has the
// parent Parents[l][i] in level l+1. Level 0 is the nodes of the graph, and the last level
// is the root alone.
type Tree struct {
	Parents [][]int32
}

// New returns a tree of the given height, 1 or more, for a graph of at least one node, by
// the greedy method of SEP (Wu and others, Structural Entropy Guided Graph Hierarchical
// Pooling, 2022): merge the two neighbours whose merging lowers the entropy most until one
// node is left, drop the nodes that cost least until no path is longer than the height,
// and fill shorter paths with nodes of one child. Ties go to the node with the lower
// number. It takes O(m log² n) steps to merge and O(n²) to drop.
func New(g *graph.Graph, height int) *Tree {
	b := newBuilder(g)
	b.mergeAll()
	for b.drop(height) {
	}
	return b.fill(height)
}

// Entropy returns H(G; T), 0 for a graph without edges.
func (t *Tree) Entropy(g *graph.Graph) float64 {
	at := make([]int32, g.N()) // the ancestor of each node
	for i := range at {
		at[i] = int32(i)
	}
	volume, cut := measure(g, at, g.N())
	h := 0.0
	for _, parents := range t.Parents {
		for i, a := range at {
			at[i] = parents[a]
		}
		above, cutAbove := measure(g, at, 1+int(slices.Max(parents)))
		for a, p := range parents {
			h += bits(cut[a], volume[a], above[p])
		}
		volume, cut = above, cutAbove
	}
	return h / float64(max(1, len(g.Neighbors)))
}

// measure returns the volume and the cut of count sets of nodes, of which each node has one.
func measure(g *graph.Graph, set []int32, count int) (volume, cut []float64) {
	volume, cut = make([]float64, count), make([]float64, count)
	for i, s := range set {
		for _, j := range g.Row(i) {
			volume[s]++
			if set[j] != s {
				cut[s]++
			}
		}
	}
	return volume, cut
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
	children    [][]int32
	volume, cut []float64
	total       float64           // vol(G)
	edges       []map[int32]int32 // how many join a node with others that have no parent
	dropped     []bool
	cost        []float64 // what dropping an inner node adds to H·vol(G)
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
	b.parent, b.children = append(b.parent, -1), append(b.children, children)
	b.volume, b.cut = append(b.volume, volume), append(b.cut, cut)
	b.edges, b.dropped = append(b.edges, map[int32]int32{}), append(b.dropped, false)
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

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(c[j].gain, c[i].gain), cmp.Compare(c[i].a, c[j].a), cmp.Compare(c[i].b, c[j].b)) < 0
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// pair returns the candidate of two nodes. A parent of both below the root lowers
// H·vol(G) by 2·(edges between them)·log₂(vol(G)/(volume of both)).
func (b *builder) pair(i, j int32) candidate {
	return candidate{2 * float64(b.edges[i][j]) * math.Log2(b.total/(b.volume[i]+b.volume[j])), min(i, j), max(i, j)}
}

// mergeAll makes a binary tree of each component, and joins them below one root.
func (b *builder) mergeAll() {
	queue := &candidates{}
	for i := range b.leaves {
		for j := range b.edges[i] {
			if int(j) > i {
				*queue = append(*queue, b.pair(int32(i), j))
			}
		}
	}
	heap.Init(queue)
	for queue.Len() > 0 {
		c := heap.Pop(queue).(candidate)
		if b.parent[c.a] >= 0 || b.parent[c.b] >= 0 {
			continue
		}
		id := b.merge(c.a, c.b)
		for j := range b.edges[id] {
			heap.Push(queue, b.pair(id, j))
		}
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

// merge gives two nodes a parent and returns it. Its edges are those of both.
func (b *builder) merge(i, j int32) int32 {
	between := b.edges[i][j]
	id := b.add(b.volume[i]+b.volume[j], b.cut[i]+b.cut[j]-2*float64(between), []int32{i, j})
	if len(b.edges[i]) < len(b.edges[j]) {
		i, j = j, i
	}
	edges := b.edges[i]
	delete(edges, j)
	for k, n := range b.edges[j] {
		if k != i {
			edges[k] += n
			delete(b.edges[k], j)
		}
	}
	for k, n := range edges {
		delete(b.edges[k], i)
		b.edges[k][id] = n
	}
	b.edges[i], b.edges[j], b.edges[id] = nil, nil, edges
	return id
}

// drop removes the inner node that costs least, of those on paths from the root that are
// longer than the height, and gives its children to its parent. It is false if there is
// none.
func (b *builder) drop(height int) bool {
	if b.cost == nil {
		b.cost = make([]float64, len(b.parent))
		for i := b.leaves; i < len(b.parent); i++ {
			b.price(int32(i))
		}
	}
	depth, below := b.paths()
	best := -1
	for i := b.leaves; i < len(b.parent)-1; i++ {
		if !b.dropped[i] && depth[i]+below[i] > height && (best < 0 || b.cost[i] < b.cost[best]) {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	p := b.parent[best]
	b.dropped[best] = true
	siblings := slices.DeleteFunc(b.children[p], func(c int32) bool { return c == int32(best) })
	b.children[p] = append(siblings, b.children[best]...)
	for _, c := range b.children[best] {
		b.parent[c] = p
		b.price(c)
	}
	b.price(p)
	return true
}

// price sets the cost of an inner node: (Σ cut of its children − its own cut)·log₂(volume
// of its parent/its own).
func (b *builder) price(i int32) {
	p := b.parent[i]
	if p < 0 || int(i) < b.leaves {
		return
	}
	inside := -b.cut[i]
	for _, c := range b.children[i] {
		inside += b.cut[c]
	}
	b.cost[i] = bits(inside, b.volume[i], b.volume[p])
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
	root := len(b.parent) - 1
	level[root] = height
	numbers := func(l int) (place []int32, count int32) {
		place = make([]int32, len(b.parent))
		for i := range place {
			place[i] = -1
			if !b.dropped[i] && level[i] <= l && (i == root || level[b.parent[i]] > l) {
				place[i] = count
				count++
			}
		}
		return place, count
	}
	t := &Tree{Parents: make([][]int32, height)}
	place, count := numbers(0)
	for l := range height {
		next, nextCount := numbers(l + 1)
		t.Parents[l] = make([]int32, count)
		for i, at := range place {
			if at < 0 {
				continue
			}
			if p := b.parent[i]; level[p] == l+1 {
				t.Parents[l][at] = next[p]
			} else {
				t.Parents[l][at] = next[i]
			}
		}
		place, count = next, nextCount
	}
	return t
}
