package explain

import (
	"math"
	"slices"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// Excess returns what each node adds to the difference between the score and the limit. The values add up to that
// difference. usual is each node's share of 1, see Spread.Usual. The groups of a molecule are kept in b for Reasons.
//
// If the score is at most the limit, each node loses its usual share of the limit. Otherwise negative values stay and
// positive values shrink. Each named part of a molecule then keeps a fraction of its
// positive values in proportion to the fourth root of their sum. So small contributions, which molecules inside also
// have, shrink most, and an atom of such a part does not outrank the atoms of a large part that share more.
func (b *Blame) Excess(g *graph.Graph, usual []float64, limit float64) []float64 {
	list, sum, left := slices.Clone(b.Nodes), 0.0, -limit // left is what the positive values may add up to
	for _, x := range list {
		sum, left = sum+x, left+max(0, x)
	}
	if sum <= limit {
		Add(list, -limit, usual)
		return list
	}
	// The nodes of a plain graph are one part. So are those of a molecule if nothing has to shrink.
	partOf, sizes := make([]int, g.N()), make([]float64, 1)
	if g.Features == molecule.Features && limit > 0 {
		b.groups = groups(g, Rings(g))
		sizes = make([]float64, len(b.groups))
		for k, group := range b.groups {
			for _, i := range group.nodes {
				partOf[i] = k
			}
		}
	}
	for i, x := range list {
		sizes[partOf[i]] += max(0, x)
	}
	kept := fractions(sizes, left)
	for i, x := range list {
		if x > 0 {
			list[i] *= kept[partOf[i]]
		}
	}
	return list
}

// fractions returns the fraction of each size to keep, so that the kept amounts add up to left.
// Fractions are in proportion to the fourth roots of the sizes, but at most 1. A single size keeps left.
func fractions(sizes []float64, left float64) []float64 {
	kept := make([]float64, len(sizes))
	if len(sizes) == 1 {
		kept[0] = left / sizes[0]
		return kept
	}
	rest, ascending := 0.0, slices.Clone(sizes) // rest is the sum of size·root over the sizes that shrink
	slices.Sort(ascending)
	for _, size := range ascending {
		rest += size * root(size)
	}
	// The largest sizes, whose fraction would be above 1, are kept whole.
	for _, size := range slices.Backward(ascending) {
		if left*root(size) <= rest {
			break
		}
		left, rest = left-size, rest-size*root(size)
	}
	for k, size := range sizes {
		kept[k] = min(1, left/rest*root(size))
	}
	return kept
}

// root returns the fourth root of size. Of the powers 0, ¼ and ½, this one made it most useful to replace the blamed
// substituents in the benchmark's pairs named "choose".
func root(size float64) float64 { return math.Sqrt(math.Sqrt(size)) }
