package explain

import (
	"slices"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// A Trait is something that a molecule has or lacks, besides its groups (names.go, ring.go), its
// elements and its rings.
type Trait struct {
	Name string                             // its name in comparisons of lists; empty if they leave it out
	List string                             // what experiments call a list of such molecules; empty if they make none
	some func(a molecule.Atoms, i int) bool // whether atom i has the trait: a molecule has it if one atom has
	is   func(g *graph.Graph) bool          // or, if not nil, whether the whole graph has it
}

// Traits are in the order of reports.
var Traits = []Trait{
	{List: "nitro groups", some: isNitro},
	{List: "anilines", some: isAniline},
	{List: "halogens", some: ofElement(9, 17, 35, 53)}, // F, Cl, Br and I
	{Name: "salt or mixture", List: "salts and mixtures", is: func(g *graph.Graph) bool { return g.Components() > 1 }},
	{Name: "charged atom", List: "charged atoms", some: molecule.Atoms.Charged},
	{Name: "stereocentre that is written", some: molecule.Atoms.Tagged},
	{Name: "chain of six saturated carbons", List: "long chains", some: beginsChain},
	{List: "sulfur", some: ofElement(16)},
	{List: "phosphorus", some: ofElement(15)},
	{List: "steroid-like polycycles", is: isSteroid},
	{List: "no ring", is: func(g *graph.Graph) bool { return g.Cycles() == 0 }},
	{List: "one ring", is: func(g *graph.Graph) bool { return g.Cycles() == 1 }},
	{List: "48 atoms and more", is: func(g *graph.Graph) bool { return g.N() >= 48 }},
	{List: "8 atoms and fewer", is: func(g *graph.Graph) bool { return g.N() <= 8 }},
}

// Of reports whether g has the trait. Plain graphs have no traits of atoms.
func (t *Trait) Of(g *graph.Graph) bool {
	if t.is != nil {
		return t.is(g)
	}
	for i := range g.N() {
		if g.Features == molecule.Features && t.some(molecule.Atoms{Graph: g}, i) {
			return true
		}
	}
	return false
}

// ofElement returns a test for atoms of these atomic numbers.
func ofElement(numbers ...int) func(a molecule.Atoms, i int) bool {
	return func(a molecule.Atoms, i int) bool { return slices.Contains(numbers, a.Element(i)) }
}

// isNitro reports whether atom i is the nitrogen of a nitro group: two of its three neighbours are terminal oxygens.
func isNitro(a molecule.Atoms, i int) bool {
	ends := 0
	for _, j := range a.Row(i) {
		if a.Element(int(j)) == 8 && a.Degree(int(j)) == 1 {
			ends++
		}
	}
	return a.Element(i) == 7 && a.Degree(i) == 3 && ends == 2
}

// isAniline reports whether atom i is a nitrogen with hydrogens on an aromatic carbon, whose other
// neighbours are saturated or aromatic carbons, unlike those of an amide.
func isAniline(a molecule.Atoms, i int) bool {
	aryl := false
	for _, j := range a.Row(i) {
		aryl = aryl || a.Aromatic(int(j))
		if a.Element(int(j)) != 6 || !a.Aromatic(int(j)) && !a.Tetrahedral(int(j)) {
			return false
		}
	}
	return aryl && a.Element(i) == 7 && !a.Aromatic(i) && a.Value(i, molecule.ColumnHydrogens) > 0
}

// beginsChain reports whether atom i is the first of six consecutive saturated carbons outside of
// rings. A longer chain is found from its end.
func beginsChain(a molecule.Atoms, i int) bool {
	link := func(i int) bool { return a.Element(i) == 6 && a.Tetrahedral(i) && !a.InRing(i) }
	var walk func(i, from, length int) bool
	walk = func(i, from, length int) bool {
		if length == 6 {
			return true
		}
		for _, j := range a.Row(i) {
			if int(j) != from && link(int(j)) && walk(int(j), i, length+1) {
				return true
			}
		}
		return false
	}
	return link(i) && walk(i, -1, 1)
}

// isSteroid reports whether a molecule has at least four rings and twelve ring atoms that are not aromatic.
func isSteroid(g *graph.Graph) bool {
	if g.Features != molecule.Features {
		return false
	}
	a, saturated := molecule.Atoms{Graph: g}, 0
	for i := range g.N() {
		if a.InRing(i) && !a.Aromatic(i) {
			saturated++
		}
	}
	return g.Cycles() >= 4 && saturated >= 12
}
