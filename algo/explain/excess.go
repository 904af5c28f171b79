package explain

import (
	"math"
	"slices"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// Excess takes the limit from what each node adds to a score: as usual where nodes add less, else from what pushes outside.
// Of that each named part of a molecule keeps a fraction in proportion to the fourth root of what it adds. Molecules that are
// inside have parts that add little, too, and an atom of one must not outrank those of a large part that share more.
func (b *Blame) Excess(g *graph.Graph, usual []float64, limit float64) []float64 {
	list, sum, left := slices.Clone(b.Nodes), 0.0, -limit
	for _, x := range list {
		sum, left = sum+x, left+max(0, x)
	}
	if sum <= limit {
		Add(list, -limit, usual)
		return list
	}
	of, sizes := make([]int, g.N()), make([]float64, 1)
	if g.Features == molecule.Features && limit > 0 {
		b.groups = groups(g)
		sizes = make([]float64, len(b.groups))
		for k, group := range b.groups {
			for _, i := range group.nodes {
				of[i] = k
			}
		}
	}
	for i, x := range list {
		sizes[of[i]] += max(0, x)
	}
	kept := fractions(sizes, left)
	for i, x := range list {
		if x > 0 {
			list[i] *= kept[of[i]]
		}
	}
	return list
}

// fractions of sizes add up to left, and are in proportion to their fourth roots, but at most 1. One size keeps what is left.
func fractions(sizes []float64, left float64) []float64 {
	kept := make([]float64, len(sizes))
	if len(sizes) == 1 {
		kept[0] = left / sizes[0]
		return kept
	}
	rest, ascending := 0.0, slices.Clone(sizes)
	slices.Sort(ascending)
	for _, size := range ascending {
		rest += size * root(size)
	}
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

// root is the power that makes replacing blamed substituents worth most, on the pairs of "choose": 0 and ½ are worth less.
func root(size float64) float64 { return math.Sqrt(math.Sqrt(size)) }
