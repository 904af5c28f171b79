package explain

import (
	"math"
	"slices"
	"sync"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// A group is a part of a molecule with a chemical name.
type group struct {
	name  string // singular
	nodes []int  // ascending
	ring  []int  // all atoms of its ring, also those of other groups; nil for none
}

// groups divides the atoms of a molecule into functional groups, rare elements, rings and chains.
// Each atom belongs to one group: the first naming that fits takes it. rings are Rings(g).
func groups(g *graph.Graph, rings [][]int) []group {
	a := spare.Get().(*atoms)
	defer spare.Put(a)
	a.begin(g, rings)
	all, centres := namings()
	a.fits = slices.Grow(a.fits[:0], len(centres))[:len(centres)]
	clear(a.fits)
	list := make([]group, 0, g.N())
	for k := range all {
		n := &all[k]
		if !allMeet(n.needs, a.present) {
			continue
		}
		for _, i := range a.fitting(n.centre, &centres[n.centre]) {
			list = n.name(list, a, i)
		}
	}
	return list
}

// fitting returns the atoms that fit centre number k.
func (a *atoms) fitting(k int, centre *patternAtom) []int {
	if a.fits[k] == nil {
		from := len(a.room)
		for i, kind := range a.kinds {
			if kind&centre.kinds != 0 && centre.is(a, i) {
				a.room = append(a.room, i)
			}
		}
		a.fits[k] = a.room[from:len(a.room):len(a.room)]
	}
	return a.fits[k]
}

// allMeet reports whether each of some sets has a kind in common with a set.
func allMeet(sets []kindSet, with kindSet) bool {
	for _, s := range sets {
		if s&with == 0 {
			return false
		}
	}
	return true
}

// name appends the group that the naming finds around atom i, unless there is none or the atom belongs to another group.
func (n *naming) name(list []group, a *atoms, i int) []group {
	if a.taken[i] || !allMeet(n.beside, a.around[i]) {
		return list
	}
	found := n.of(a, i)
	if found.name == "" {
		return list
	}
	found.nodes = slices.DeleteFunc(append([]int{i}, found.nodes...), func(j int) bool { return a.taken[j] })
	slices.Sort(found.nodes)
	found.nodes = slices.Compact(found.nodes)
	for _, j := range found.nodes {
		a.taken[j] = true
	}
	return append(list, found)
}

// A naming names the group around one of its atoms, which fits its centre, or returns no name.
type naming struct {
	needs  []kindSet // kinds of the first atom, then of each further one: a molecule has the group only with all of them
	beside []kindSet // of these, the kinds of the first atom's neighbours
	centre int       // number of what the first atom has to fit
	of     func(a *atoms, i int) group
}

// A kindSet is a set of kinds of atoms, a bit for each: an element of nonmetals, or any metal, not aromatic in the low half
// and aromatic in the high one.
type kindSet uint64

const aromaticShift = 32

// otherKinds are those of atoms that are not aromatic.
const allKinds, otherKinds, aromaticKinds kindSet = math.MaxUint64, 1<<aromaticShift - 1, allKinds &^ otherKinds

// nonmetals are the elements that are kinds of their own.
var nonmetals = []string{"H", "B", "C", "N", "O", "F", "Si", "P", "S", "Cl", "As", "Se", "Br", "Te", "I", "At", "He", "Ne", "Ar", "Kr", "Xe", "Rn", "*"}

// kindOf has the kind of each element if it is not aromatic. Files may hold numbers beyond the last.
var kindOf = func() (kinds [molecule.MaxElement + 2]kindSet) {
	for number := range kinds {
		kinds[number] = 1 << len(nonmetals)
	}
	for k, symbol := range nonmetals {
		kinds[elementOf(symbol)] = 1 << k
	}
	return kinds
}()

// kindsOf returns the kinds of atoms of these nonmetals, aromatic or not.
func kindsOf(symbols ...string) (s kindSet) {
	for _, symbol := range symbols {
		kind := kindOf[elementOf(symbol)]
		s |= kind | kind<<aromaticShift
	}
	return s
}

// namings are in order of precedence, and centres are the different first atoms of them.
var namings = sync.OnceValues(func() (list []naming, centres []patternAtom) {
	numbers := map[string]int{}
	add := func(centre string, of func(a *atoms, i int) group, first patternAtom, further ...patternAtom) {
		number, known := numbers[centre]
		if !known {
			number = len(centres)
			numbers[centre], centres = number, append(centres, first)
		}
		n := naming{needs: []kindSet{first.kinds}, centre: number, of: of}
		for _, atom := range further {
			n.needs = append(n.needs, atom.kinds)
			if atom.parent == 0 {
				n.beside = append(n.beside, atom.kinds)
			}
		}
		list = append(list, n)
	}
	patterns := func(all []*pattern) {
		for _, p := range all {
			add(p.centre, p.naming, p.atoms[0], p.atoms[1:]...)
		}
	}
	carbon, every := patternAtom{kinds: carbons}, patternAtom{kinds: allKinds}
	add("carbon", polyhalogen, carbon, patternAtom{kinds: halogens})
	add("carbon", polyyne, carbon)
	patterns(functional())
	add("every", element, every)
	add("every", ringSystem, every)
	add("aromatic", aromaticRing, patternAtom{kinds: aromaticKinds})
	add("carbon", unsaturated, carbon)
	add("every", otherRing, every)
	patterns(plain())
	add("every", rest, every)
	return list, centres
})

// atoms is a molecule that is being divided into groups.
type atoms struct {
	molecule.Atoms
	kinds   []kindSet // of each atom, one
	around  []kindSet // of its neighbours
	present kindSet   // of all atoms
	traits  []uint32  // see pack
	fits    [][]int   // the atoms that fit each centre, nil if not known yet
	room    []int     // memory of fits
	rings   [][]int   // see Rings
	members []uint64  // bit k mod 64 tells that the atom is in ring k
	systems []group   // ring systems found so far; the name is empty if there is none
	taken   []bool    // whether an atom belongs to a group already
	found   []int     // empty, with room for the atoms of a pattern
}

// spare keeps the memory of atoms.
var spare = sync.Pool{New: func() any { return new(atoms) }}

// newAtoms returns the atoms of g with their kinds and rings.
func newAtoms(g *graph.Graph) *atoms {
	a := new(atoms)
	a.begin(g, Rings(g))
	return a
}

// begin sets a to the atoms of g, which has these rings. It reuses the memory of a, but not that of systems.
func (a *atoms) begin(g *graph.Graph, rings [][]int) {
	n := g.N()
	*a = atoms{
		Atoms: molecule.Atoms{Graph: g}, kinds: slices.Grow(a.kinds[:0], n)[:n], around: slices.Grow(a.around[:0], n)[:n], traits: slices.Grow(a.traits[:0], n)[:n],
		fits: a.fits, room: a.room[:0], rings: rings,
		members: slices.Grow(a.members[:0], n)[:n], taken: slices.Grow(a.taken[:0], n)[:n], found: slices.Grow(a.found[:0], 16),
	}
	clear(a.members)
	clear(a.taken)
	for k, ring := range a.rings {
		for _, i := range ring {
			a.members[i] |= 1 << (k % 64)
		}
	}
	for i := range a.kinds {
		kind := kindOf[min(max(a.Element(i), 0), len(kindOf)-1)]
		if a.Aromatic(i) {
			kind <<= aromaticShift
		}
		a.kinds[i] = kind
		a.present |= kind
	}
	for i := range a.traits {
		a.traits[i], a.around[i] = a.pack(i), 0
		for _, j := range a.Row(i) {
			a.around[i] |= a.kinds[j]
		}
	}
}

func (a *atoms) symbol(i int) string { return molecule.Symbol(a.Element(i)) }

// is reports whether atom i is of one of the kinds.
func (a *atoms) is(i int, kinds kindSet) bool { return a.kinds[i]&kinds != 0 }

var (
	hydrogens, carbons, nitrogens, oxygens, fluorines = kindsOf("H"), kindsOf("C"), kindsOf("N"), kindsOf("O"), kindsOf("F")
	chlorines, halogens, chalcogens                   = kindsOf("Cl"), kindsOf("F", "Cl", "Br", "I"), kindsOf("O", "S", "Se")
	metals                                            = allKinds &^ kindsOf(nonmetals...)
	usual                                             = kindsOf("H", "C", "N", "O", "F", "P", "S", "Cl", "Br", "I")
)

// neighbours counts the neighbours of an atom, hydrogens included.
func (a *atoms) neighbours(i int) int { return a.Value(i, molecule.ColumnNeighbors) }

// hydrogens counts the hydrogens of an atom, implicit and explicit.
func (a *atoms) hydrogens(i int) int {
	return a.Value(i, molecule.ColumnHydrogens) + a.explicit(i)
}

// heavy counts the neighbours of an atom that are not hydrogen.
func (a *atoms) heavy(i int) int { return a.Degree(i) - a.explicit(i) }

// explicit counts the hydrogens of an atom that are nodes of the graph.
func (a *atoms) explicit(i int) (n int) {
	for _, j := range a.Row(i) {
		if a.Element(int(j)) == 1 {
			n++
		}
	}
	return n
}

// flat reports whether an atom is sp² but not aromatic.
func (a *atoms) flat(i int) bool {
	return a.Value(i, molecule.ColumnHybridization) == 1 && !a.Aromatic(i)
}

// double reports whether a nitrogen, oxygen, sulfur or selenium atom has a double bond.
// Features do not tell bond orders: neighbours, hydrogens and charge must do.
func (a *atoms) double(i int) bool {
	if a.is(i, nitrogens) {
		return a.flat(i) && a.neighbours(i) <= 2
	}
	return a.is(i, chalcogens) && a.Degree(i) == 1 && a.hydrogens(i) == 0 && a.Charge(i) == 0
}

// metal reports whether an atom is a metal.
func (a *atoms) metal(i int) bool {
	return a.is(i, metals)
}

// near returns the neighbours of an atom that pass a test.
func (a *atoms) near(i int, test func(j int) bool) []int {
	var list []int
	for _, j := range a.Row(i) {
		if test(int(j)) {
			list = append(list, int(j))
		}
	}
	return list
}

// nearby returns the neighbours of atom i that are of one of the kinds.
func (a *atoms) nearby(i int, kinds kindSet) []int {
	return a.near(i, func(j int) bool { return a.is(j, kinds) })
}

// spread returns atom i and the atoms that are reachable from i through atoms that pass test.
// Unless bond is nil, each bond on the way has to pass bond.
func (a *atoms) spread(i int, test func(int) bool, bond func(i, j int) bool) []int {
	list := []int{i}
	for k := 0; k < len(list); k++ {
		at := list[k]
		list = append(list, a.near(at, func(j int) bool {
			return test(j) && !slices.Contains(list, j) && (bond == nil || bond(at, j))
		})...)
	}
	return list
}

// organo names compounds in which an element is bound to carbon.
var organo = map[string]string{
	"Sn": "organotin", "Hg": "organomercury", "Pb": "organolead", "Li": "organolithium", "Mg": "organomagnesium", "Al": "organoaluminium", "Zn": "organozinc", "Ge": "organogermanium",
	"As": "organoarsenic", "Se": "organoselenium", "Te": "organotellurium", "Sb": "organoantimony", "Bi": "organobismuth", "Tl": "organothallium", "Cd": "organocadmium", "Ga": "organogallium",
}

// element names an atom of an element other than H, C, N, O, F, P, S, Cl, Br and I. For these, and for aromatic atoms, the
// group is empty.
func element(a *atoms, i int) group {
	symbol := a.symbol(i)
	organic := func(j int) bool {
		return a.is(j, carbons) && a.Value(j, molecule.ColumnHybridization) > hybridizationSP
	} // sp² or sp³
	switch {
	case a.is(i, usual) || a.Aromatic(i):
		return group{}
	case symbol == "*":
		return group{name: "atom of no given element"}
	case organo[symbol] != "" && len(a.near(i, organic)) > 0:
		return group{name: organo[symbol] + " group"}
	case a.metal(i) && a.Degree(i) > 0:
		return group{name: "metal centre (" + symbol + ")"}
	case a.Degree(i) == 0 && a.Charge(i) != 0:
		return group{name: formula(a.Graph, i) + " ion"}
	}
	return group{name: symbol + " atom"}
}

// polyhalogen names carbons with two or more halogens, chained ones as one group. The group is empty if atom i is not one.
func polyhalogen(a *atoms, i int) group {
	full := func(j int) bool {
		return a.is(j, carbons) && !a.flat(j) && !a.taken[j] && len(a.nearby(j, halogens)) >= 2
	}
	if !full(i) {
		return group{}
	}
	chain := a.spread(i, full, nil)
	var all []int       // the chain with its halogens
	fluorinated := true // all halogens are fluorine
	for _, j := range chain {
		halogens := a.nearby(j, halogens)
		fluorinated = fluorinated && len(halogens) == len(a.nearby(j, fluorines))
		all = slices.Concat(all, halogens, []int{j})
	}
	name := "polyhalogenated carbon"
	switch three := len(all) == 4 && a.Degree(i) == 4; { // one carbon with three halogens and one other neighbour
	case len(chain) > 1 && fluorinated:
		name = "perfluorinated chain"
	case len(chain) > 1:
		name = "perhalogenated chain"
	case fluorinated && three:
		name = "trifluoromethyl group"
	case fluorinated && len(all) == 3 && a.hydrogens(i) == 1:
		name = "CHF₂ group"
	case fluorinated && len(all) == 3 && a.Degree(i) > 2:
		name = "CF₂ group"
	case three && len(a.nearby(i, chlorines)) == 3:
		name = "trichloromethyl group"
	}
	return group{name: name, nodes: all}
}

// hybridizationSP is the value of sp in molecule.ColumnHybridization.
const hybridizationSP = 0

// polyyne names a chain of at least four carbons with hybridization sp, found from carbon i, which must have at most two
// neighbours. Otherwise the group is empty.
func polyyne(a *atoms, i int) group {
	linear := func(j int) bool {
		return a.is(j, carbons) && a.Value(j, molecule.ColumnHybridization) == hybridizationSP && !a.taken[j]
	}
	if !linear(i) || a.Degree(i) > 2 {
		return group{}
	}
	if all := a.spread(i, linear, nil); len(all) >= 4 {
		return group{name: "polyyne chain", nodes: all}
	}
	return group{}
}

// unsaturated names carbons with double bonds to carbon that are connected to each other. The group is empty if atom i is
// none, or the only one.
func unsaturated(a *atoms, i int) group {
	// Carbons with double bonds to other elements are in groups that were taken before.
	double := func(j int) bool { return a.is(j, carbons) && a.flat(j) && !a.taken[j] }
	if !double(i) {
		return group{}
	}
	all := a.spread(i, double, nil)
	switch len(all) {
	case 1:
		return group{}
	case 2:
		return group{name: "C=C double bond", nodes: all}
	case 4:
		return group{name: "conjugated diene", nodes: all}
	}
	return group{name: "conjugated polyene", nodes: all}
}

// longChain is the smallest number of atoms in a long chain.
const longChain = 8

// rest names an atom that no other naming fits. Carbons outside rings are named with their chain.
func rest(a *atoms, i int) group {
	if !a.is(i, carbons) {
		if a.Degree(i) == 0 && a.Charge(i) != 0 {
			return group{name: formula(a.Graph, i) + " ion"}
		}
		if a.is(i, hydrogens) {
			return group{name: "written-out hydrogen"}
		}
		return group{name: a.symbol(i) + " atom"}
	}
	part := a.spread(i, func(j int) bool { return !a.taken[j] && a.is(j, carbons) && !a.InRing(j) }, nil)
	name := "saturated carbon"
	switch n := len(part); {
	case n >= longChain:
		name = "long alkyl chain"
	case n > 1:
		name = "alkyl chain"
	case a.InRing(i):
		name = "ring carbon" // graphs too large for the ring search
	case a.flat(i):
		name = "unsaturated carbon"
	case a.hydrogens(i) == 3:
		name = "methyl group"
	case a.hydrogens(i) == 2:
		name = "CH₂ group"
	case a.hydrogens(i) == 1:
		name = "CH group"
	case a.heavy(i) == 4:
		name = "quaternary carbon"
	case a.heavy(i) == 0:
		name = "C atom"
	}
	return group{name: name, nodes: part}
}
