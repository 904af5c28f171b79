package fingerprint

import (
	"cmp"
	"slices"

	"baca/algo/graph"
)

// An Order orders the nodes of a graph by their subtrees of growing height. Isomorphic graphs with
// the same features have the same order, except for nodes whose subtrees of all heights are equal.
type Order []int32

// Arrange returns the print of g, as New does. It also makes o the order of the nodes of g by their subtrees of height 0,
// ties by height 1, and so on up to depth. The print and the order share the hashes.
//
// A graph network of at most depth layers computes for a node only what depends on its subtree of height depth. Nodes
// with equal subtrees of height h have neighbours with equal subtrees of height h−1. If the network adds up neighbours
// and nodes in this order, its sums have the same bits for isomorphic graphs, whichever of equal nodes is first.
func (o *Order) Arrange(g *graph.Graph, height, depth int) Print {
	w := spare.Get().(*workspace)
	defer spare.Put(w)
	var p Print
	p.count(w, w.subtrees(g, height))
	n := g.N()
	*o = slices.Grow((*o)[:0], n)[:n]
	for i := range *o {
		(*o)[i] = int32(i)
	}
	w.ties = append(w.ties[:0], [2]int32{0, int32(n)})
	for h := range min(height, depth) + 1 {
		w.split(*o, w.height(h, n))
	}
	for h := height; h < depth && len(w.ties) > 0; h++ {
		w.refine(g, h)
		// If a height separates no nodes, no greater height does.
		if !w.split(*o, w.height(h+1, n)) {
			break
		}
	}
	return p
}

// refine computes the hashes of subtrees of height h+1 from those of height h.
func (w *workspace) refine(g *graph.Graph, h int) {
	n := g.N()
	w.colors = slices.Grow(w.colors[:(h+1)*n], n)[:(h+2)*n]
	w.widen(g, w.height(h, n), w.height(h+1, n))
}

// split sorts tied nodes by their hashes, and reports whether some are no longer tied.
func (w *workspace) split(nodes []int32, by []uint64) (some bool) {
	ties := w.ties
	w.ties = w.others[:0]
	for _, t := range ties {
		tied := nodes[t[0]:t[1]]
		w.sortNodes(tied, by)
		for lo, hi := 0, 1; hi <= len(tied); hi++ {
			if hi == len(tied) || by[tied[hi]] != by[tied[lo]] {
				if hi-lo > 1 {
					w.ties = append(w.ties, [2]int32{t[0] + int32(lo), t[0] + int32(hi)})
				}
				some = some || hi-lo < len(tied)
				lo = hi
			}
		}
	}
	w.others = ties
	return some
}

// fewTied is the most nodes that are sorted by insertion alone.
const fewTied = 10

// sortNodes sorts nodes by their hashes. At first, most nodes of a molecule have one of a few hashes, which differ in the
// high bits. So it sorts by these bits first, then by all. For hashes built to agree in the high bits, see fewSorted.
func (w *workspace) sortNodes(nodes []int32, by []uint64) {
	from := nodes
	switch {
	case len(nodes) > manySorted:
		slices.SortFunc(nodes, func(i, j int32) int { return cmp.Compare(by[i], by[j]) })
		return
	case len(nodes) > fewTied:
		var ends [1 << 6]uint16
		for _, i := range nodes {
			ends[by[i]>>58]++
		}
		accumulate(ends[:])
		w.nodes = slices.Grow(w.nodes[:0], len(nodes))[:len(nodes)]
		for _, i := range nodes {
			at := &ends[by[i]>>58]
			w.nodes[*at] = i
			*at++
		}
		from = w.nodes
	}
	for k, i := range from {
		for ; k > 0 && by[nodes[k-1]] > by[i]; k-- {
			nodes[k] = nodes[k-1]
		}
		nodes[k] = i
	}
}
