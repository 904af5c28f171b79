package fingerprint

import (
	"cmp"
	"slices"

	"baca/algo/graph"
)

// An Order is an order of the nodes of a graph by their subtrees of growing height. It is
// the same for isomorphic graphs with the same features, but for nodes whose subtrees of
// all heights are the same.
type Order []int32

// Arrange is New, and makes o the order of the nodes of g by their subtrees of height 0, those
// equal in that by height 1, and so on up to depth. The heights up to height are those of
// the print and are hashed once for both.
//
// What a graph network of at most depth layers computes for a node depends on its subtree of
// height depth alone, if each node adds up its neighbours in this order: where nodes have
// the same subtree of height h, their neighbours have the same ones of height h−1, and in
// the same order, since it puts heights below h−1 first and these follow from that. So
// sums over the neighbours of a node and over all nodes have the same bits for isomorphic
// graphs, and which of equal nodes is first does not matter.
func (o *Order) Arrange(g *graph.Graph, height, depth int) Print {
	w := spare.Get().(*workspace)
	defer spare.Put(w)
	var p Print
	p.count(w, w.subtrees(g, height))
	w.refine(g, height, depth)
	n := g.N()
	*o = slices.Grow((*o)[:0], n)[:n]
	for i := range *o {
		(*o)[i] = int32(i)
	}
	w.arrange(*o, 0, depth, n)
	return p
}

// refine hashes subtrees of the heights above from, up to one. What is around a node is
// added up and not sorted, as in Signature.
func (w *workspace) refine(g *graph.Graph, from, to int) {
	n := g.N()
	w.colors = slices.Grow(w.colors, max(0, to-from)*n)[:(max(from, to)+1)*n]
	for h := from; h < to; h++ {
		now, next := w.height(h, n), w.height(h+1, n)
		for i := range n {
			next[i] = widened(g, now, i)
		}
	}
}

// arrange sorts nodes whose subtrees below height h are the same.
func (w *workspace) arrange(nodes []int32, h, depth, n int) {
	by := w.height(h, n)
	if len(nodes) <= fewSorted {
		for k, i := range nodes {
			for ; k > 0 && by[nodes[k-1]] > by[i]; k-- {
				nodes[k] = nodes[k-1]
			}
			nodes[k] = i
		}
	} else {
		slices.SortFunc(nodes, func(i, j int32) int { return cmp.Compare(by[i], by[j]) })
	}
	if h == depth {
		return
	}
	for lo, hi := 0, 1; hi <= len(nodes); hi++ {
		if hi == len(nodes) || by[nodes[hi]] != by[nodes[lo]] {
			if hi-lo > 1 {
				w.arrange(nodes[lo:hi], h+1, depth, n)
			}
			lo = hi
		}
	}
}
