package explain

import (
	"slices"

	"baca/algo/graph"
)

// Groups names what a molecule is made of: functional groups, rings, chains and atoms of
// rarer elements, each name once, in alphabetical order. Each atom is in one group. The
// graph must have the features of package molecule.
func Groups(g *graph.Graph) []string {
	var names []string
	for _, group := range groups(g) {
		names = append(names, group.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
