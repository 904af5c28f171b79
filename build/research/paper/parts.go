package paper

import (
	"cmp"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/split"
)

// A part is one side of a division of a set.
type part struct {
	divide func([]*graph.Graph) (most, rest []int)
	rest   bool
}

// parts are the named parts that do not depend on another set.
var parts = map[string]part{
	"early": {byOrder, false}, "late": {byOrder, true},
	"common": {byScaffold, false}, "rare": {byScaffold, true},
}

// of returns the ascending indices of the part in a set.
func (p part) of(gs []*graph.Graph) []int {
	index, rest := p.divide(gs)
	if p.rest {
		index = rest
	}
	slices.Sort(index)
	return index
}

// byScaffold parts molecules by what is left without their side chains: the most
// frequent scaffolds, ties by which came first, until they make four fifths, and
// the rest.
func byScaffold(gs []*graph.Graph) (common, rare []int) {
	groups := split.Scaffolds(gs)
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	for _, group := range groups {
		if 5*len(common) < 4*len(gs) {
			common = append(common, group...)
		} else {
			rare = append(rare, group...)
		}
	}
	return common, rare
}

// byOrder takes the first three fifths of a set in the order of its file, and the last fifth.
func byOrder(gs []*graph.Graph) (early, late []int) {
	all := indices(len(gs))
	return all[:3*len(all)/5], all[4*len(all)/5:]
}

func printOf(g *graph.Graph) fingerprint.Print { return fingerprint.New(g, fingerprint.DefaultHeight) }
