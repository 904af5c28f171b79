package explain

import (
	"slices"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// A group is a part of a molecule that chemists have a name for.
type group struct {
	name  string // singular
	nodes []int  // ascending
}

// groups parts the atoms of a molecule into functional groups, atoms of other elements,
// rings and chains. Each atom is in one of them.
func groups(g *graph.Graph) []group {
	a := atoms{g, make([]bool, g.N())}
	var list []group
	for _, of := range namings {
		for i := range g.N() {
			if a.taken[i] {
				continue
			}
			name, nodes := of(&a, i)
			if name == "" {
				continue
			}
			nodes = slices.DeleteFunc(append(nodes, i), func(j int) bool { return a.taken[j] })
			slices.Sort(nodes)
			nodes = slices.Compact(nodes)
			for _, j := range nodes {
				a.taken[j] = true
			}
			list = append(list, group{name, nodes})
		}
	}
	return list
}

// atoms reads the features of the atoms of a molecule.
type atoms struct {
	*graph.Graph
	taken []bool // by a group
}

func (a *atoms) value(i, column int) int { return int(a.X[i*molecule.Features+column]) }

func (a *atoms) is(i int, symbols ...string) bool {
	return slices.Contains(symbols, molecule.Symbol(a.value(i, molecule.ColumnElement)+1))
}

func (a *atoms) charge(i int) int    { return a.value(i, molecule.ColumnCharge) - molecule.Neutral }
func (a *atoms) hydrogens(i int) int { return a.value(i, molecule.ColumnHydrogens) }
func (a *atoms) aromatic(i int) bool { return a.value(i, molecule.ColumnAromatic) == 1 }
func (a *atoms) inRing(i int) bool   { return a.value(i, molecule.ColumnRing) == 1 }
func (a *atoms) flat(i int) bool {
	return a.value(i, molecule.ColumnHybridization) == 1 && !a.aromatic(i)
}
func (a *atoms) linear(i int) bool    { return a.value(i, molecule.ColumnHybridization) == 0 }
func (a *atoms) terminal(i int) bool  { return a.Degree(i) == 1 }
func (a *atoms) neighbours(i int) int { return a.value(i, molecule.ColumnNeighbors) } // with hydrogens

// near returns the neighbours of an atom for which a test holds.
func (a *atoms) near(i int, test func(j int) bool) []int {
	var list []int
	for _, j := range a.Row(i) {
		if test(int(j)) {
			list = append(list, int(j))
		}
	}
	return list
}

// nearby returns the neighbours of these elements.
func (a *atoms) nearby(i int, symbols ...string) []int {
	return a.near(i, func(j int) bool { return a.is(j, symbols...) })
}

// oxo are the neighbours that are oxygen with no further neighbour and no hydrogen.
func (a *atoms) oxo(i int) []int {
	return a.near(i, func(j int) bool { return a.is(j, "O") && a.terminal(j) && a.hydrogens(j) == 0 })
}

// namings name groups by one of their atoms, with the other atoms. Those in front come
// first, and an atom is in one group.
var namings = []func(a *atoms, i int) (name string, others []int){
	element, nitrogenOxide, nitrogens, sulfurOxide, phosphorus, carbonyl, polyhalogen,
	cyano, carbonNitrogen, oxygenPair, aromaticRing, unsaturated, single, rest,
}

// element names atoms of elements beyond those of most organic molecules.
func element(a *atoms, i int) (string, []int) {
	if a.is(i, "H", "C", "N", "O", "F", "P", "S", "Cl", "Br", "I") {
		return "", nil
	}
	return molecule.Symbol(a.value(i, molecule.ColumnElement)+1) + " atom", nil
}

func nitrogenOxide(a *atoms, i int) (string, []int) {
	if !a.is(i, "N") {
		return "", nil
	}
	oxo := a.oxo(i)
	switch {
	case len(oxo) == 0:
	case len(oxo) >= 2:
		if bridge := a.near(i, func(j int) bool { return a.is(j, "O") && !a.terminal(j) }); len(bridge) == 1 {
			return "nitrate group", append(oxo, bridge...)
		}
		if amine := a.nearby(i, "N"); len(amine) == 1 {
			return "nitramine group", append(oxo, amine...)
		}
		return "nitro group", oxo
	case a.charge(i) > 0:
		return "N-oxide group", oxo
	case a.Degree(i) == 2:
		return "nitroso group", append(oxo, a.near(i, func(j int) bool { return a.is(j, "N", "O") && !a.terminal(j) && !a.aromatic(j) })...)
	}
	return "", nil
}

// nitrogens names chains of nitrogen that are not aromatic.
func nitrogens(a *atoms, i int) (string, []int) {
	chain := func(j int) []int {
		return a.near(j, func(k int) bool { return a.is(k, "N") && !a.aromatic(k) && !a.taken[k] })
	}
	if !a.is(i, "N") || a.aromatic(i) || len(chain(i)) == 0 {
		return "", nil
	}
	others := chain(i)
	for _, j := range others {
		others = append(others, chain(j)...)
	}
	switch {
	case len(a.nearby(i, "N")) == 2 && a.linear(i) || slices.ContainsFunc(others, func(j int) bool { return a.linear(j) && len(a.nearby(j, "N")) == 2 }):
		return "azide group", others
	case a.linear(i) || a.linear(others[0]):
		return "diazo group", append(others, a.doubles(others, i)...)
	case a.neighbours(i) == 2 && a.neighbours(others[0]) == 2:
		return "azo group", others
	case a.neighbours(i) == 2 || a.neighbours(others[0]) == 2:
		return "hydrazone group", append(others, a.doubles(others, i)...)
	}
	return "hydrazine group", others
}

// doubles are the carbons that may have a double bond to one of these atoms of nitrogen.
func (a *atoms) doubles(nitrogen []int, i int) []int {
	var list []int
	for _, j := range append(slices.Clone(nitrogen), i) {
		if a.neighbours(j) == 2 {
			list = append(list, a.near(j, func(k int) bool { return a.is(k, "C") && a.flat(k) })...)
		}
	}
	return list
}

func sulfurOxide(a *atoms, i int) (string, []int) {
	if !a.is(i, "S") || a.aromatic(i) {
		return "", nil
	}
	oxo := a.oxo(i)
	switch nitrogen := a.nearby(i, "N"); {
	case len(oxo) >= 2 && len(nitrogen) > 0:
		return "sulfonamide group", append(oxo, nitrogen...)
	case len(oxo) >= 2 && len(a.nearby(i, "O")) > 2:
		return "sulfonic acid group", a.nearby(i, "O")
	case len(oxo) >= 2:
		return "sulfone group", oxo
	case len(oxo) == 1:
		return "sulfoxide group", oxo
	}
	return "", nil
}

func phosphorus(a *atoms, i int) (string, []int) {
	if !a.is(i, "P") {
		return "", nil
	}
	around := a.nearby(i, "O", "S", "N", "F", "Cl")
	switch {
	case len(a.nearby(i, "O")) == 4:
		return "phosphate group", around
	case len(a.nearby(i, "O")) == 3:
		return "phosphonate group", around
	}
	return "phosphorus group", around
}

// carbonyl names groups by a carbon with a double bond to oxygen.
func carbonyl(a *atoms, i int) (string, []int) {
	if !a.is(i, "C") || !a.flat(i) {
		return "", nil
	}
	oxo := a.near(i, func(j int) bool { return a.is(j, "O") && a.terminal(j) && a.hydrogens(j) == 0 && a.charge(j) == 0 })
	if len(oxo) != 1 {
		return "", nil
	}
	nitrogen := a.near(i, func(j int) bool { return a.is(j, "N") && !a.aromatic(j) })
	oxygen := a.near(i, func(j int) bool { return a.is(j, "O") && j != oxo[0] })
	all := slices.Concat(oxo, nitrogen, oxygen)
	switch {
	case len(nitrogen) == 2:
		return "urea group", all
	case len(nitrogen) == 1 && len(oxygen) == 1:
		return "carbamate group", all
	case len(nitrogen) == 1:
		return "amide group", all
	case len(oxygen) == 2:
		return "carbonate group", all
	case len(oxygen) == 1 && a.charge(oxygen[0]) < 0:
		return "carboxylate group", all
	case len(oxygen) == 1 && a.terminal(oxygen[0]):
		return "carboxylic acid group", all
	case len(oxygen) == 1:
		return "ester group", all
	case len(a.nearby(i, "Cl", "Br", "F")) > 0:
		return "acyl halide group", append(all, a.nearby(i, "Cl", "Br", "F")...)
	case a.hydrogens(i) > 0:
		return "aldehyde group", all
	}
	return "ketone group", all
}

// polyhalogen names carbons of two halogens and more, with those of a chain that follow.
func polyhalogen(a *atoms, i int) (string, []int) {
	full := func(j int) bool {
		return a.is(j, "C") && !a.taken[j] && len(a.nearby(j, "F", "Cl", "Br", "I")) >= 2
	}
	if !full(i) {
		return "", nil
	}
	chain := a.spread(i, full)
	var all []int
	fluorine := true
	for _, j := range chain {
		halogens := a.nearby(j, "F", "Cl", "Br", "I")
		fluorine = fluorine && len(halogens) == len(a.nearby(j, "F"))
		all = slices.Concat(all, halogens, []int{j})
	}
	switch {
	case len(chain) > 1 && fluorine:
		return "perfluorinated chain", all
	case len(chain) > 1:
		return "perhalogenated chain", all
	case fluorine && len(a.nearby(i, "F")) == 3:
		return "trifluoromethyl group", all
	case fluorine:
		return "CF₂ group", all
	}
	return "polyhalogenated carbon", all
}

// spread returns the atoms for which a test holds and that hang together with one.
func (a *atoms) spread(i int, test func(int) bool) []int {
	list := []int{i}
	for k := 0; k < len(list); k++ {
		list = append(list, a.near(list[k], func(j int) bool { return test(j) && !slices.Contains(list, j) })...)
	}
	return list
}

// cyano names triple and cumulated bonds.
func cyano(a *atoms, i int) (string, []int) {
	if !a.is(i, "C") || !a.linear(i) {
		return "", nil
	}
	ends := a.near(i, func(j int) bool { return a.is(j, "N", "O", "S") && a.terminal(j) })
	nitrogen := a.nearby(i, "N")
	switch {
	case len(ends) == 1 && a.is(ends[0], "N"):
		return "nitrile group", ends
	case len(ends) == 1 && a.is(ends[0], "O") && len(nitrogen) == 1:
		return "isocyanate group", append(ends, nitrogen...)
	case len(ends) == 1 && a.is(ends[0], "S") && len(nitrogen) == 1:
		return "isothiocyanate group", append(ends, nitrogen...)
	case len(ends) == 2 && a.is(ends[0], "O") && a.is(ends[1], "O"):
		return "carbon dioxide", ends
	case len(ends) == 1 && a.Degree(i) == 1:
		return "carbon monoxide", ends
	case len(ends) == 1 && a.is(ends[0], "O") && len(a.nearby(i, "C")) == 0:
		return "carbonyl ligand", ends
	case len(nitrogen) == 1 && a.Degree(i) == 1:
		return "isocyanide group", nitrogen
	case len(ends) == 1:
		return "ketene group", append(ends, a.near(i, a.flat)...)
	}
	if triple := a.near(i, func(j int) bool { return a.is(j, "C") && a.linear(j) }); len(triple) > 0 {
		return "alkyne group", triple
	}
	return "allene group", a.near(i, a.flat)
}

// carbonNitrogen names carbons with double bonds to nitrogen and sulfur.
func carbonNitrogen(a *atoms, i int) (string, []int) {
	if !a.is(i, "C") || !a.flat(i) {
		return "", nil
	}
	nitrogen := a.near(i, func(j int) bool { return a.is(j, "N") && !a.aromatic(j) })
	double := slices.ContainsFunc(nitrogen, func(j int) bool { return a.flat(j) && a.neighbours(j) <= 2 || a.charge(j) > 0 })
	switch sulfur := a.near(i, func(j int) bool { return a.is(j, "S") && a.terminal(j) && a.hydrogens(j) == 0 }); {
	case len(sulfur) == 1:
		return "thiocarbonyl group", append(sulfur, nitrogen...)
	case len(nitrogen) == 3:
		return "guanidine group", nitrogen
	case len(nitrogen) == 2 && double:
		return "amidine group", nitrogen
	case double:
		return "imine group", nitrogen
	}
	return "", nil
}

// oxygenPair names peroxides, disulfides and epoxides.
func oxygenPair(a *atoms, i int) (string, []int) {
	if a.aromatic(i) {
		return "", nil
	}
	switch {
	case a.is(i, "O") && len(a.nearby(i, "O")) > 0:
		return "peroxide group", a.nearby(i, "O")
	case a.is(i, "S") && len(a.nearby(i, "S")) > 0:
		return "disulfide group", a.nearby(i, "S")
	case a.is(i, "O") && a.Degree(i) == 2:
		row := a.Row(i)
		if slices.Contains(a.Row(int(row[0])), row[1]) {
			return "epoxide ring", []int{int(row[0]), int(row[1])}
		}
	}
	return "", nil
}

// aromaticRing names systems of aromatic atoms.
func aromaticRing(a *atoms, i int) (string, []int) {
	if !a.aromatic(i) {
		return "", nil
	}
	ring := a.spread(i, func(j int) bool { return a.aromatic(j) && !a.taken[j] })
	switch hetero := slices.ContainsFunc(ring, func(j int) bool { return !a.is(j, "C") }); {
	case !hetero && len(ring) == 6:
		return "benzene ring", ring
	case !hetero:
		return "aromatic ring system", ring
	}
	return "heteroaromatic ring system", ring
}

// unsaturated names double bonds between carbons.
func unsaturated(a *atoms, i int) (string, []int) {
	carbons := func(j int) bool { return a.is(j, "C") && a.flat(j) && !a.taken[j] }
	if !carbons(i) {
		return "", nil
	}
	return "C=C double bond", a.spread(i, carbons)
}

// single names other atoms than carbon.
func single(a *atoms, i int) (string, []int) {
	switch {
	case a.is(i, "C"):
		return "", nil
	case a.is(i, "N") && a.charge(i) > 0:
		return "ammonium group", nil
	case a.is(i, "N"):
		return "amine group", nil
	case a.is(i, "O") && a.charge(i) > 0:
		return "oxonium", nil
	case a.is(i, "O") && a.charge(i) < 0:
		return "oxide", nil
	case a.is(i, "O") && a.terminal(i) && a.hydrogens(i) > 0:
		return "hydroxyl group", nil
	case a.is(i, "O") && a.Degree(i) == 2:
		return "ether oxygen", nil
	case a.is(i, "O") && a.Degree(i) == 0:
		return "water", nil
	case a.is(i, "S") && a.terminal(i) && a.hydrogens(i) > 0:
		return "thiol group", nil
	case a.is(i, "S") && a.Degree(i) == 2:
		return "thioether sulfur", nil
	}
	return molecule.Symbol(a.value(i, molecule.ColumnElement)+1) + " atom", nil
}

// rest names carbon that no other name is for.
func rest(a *atoms, i int) (string, []int) {
	ring := a.inRing(i)
	part := a.spread(i, func(j int) bool { return !a.taken[j] && a.inRing(j) == ring })
	switch {
	case ring:
		return "saturated ring part", part
	case len(part) > 1:
		return "saturated chain", part
	case a.terminal(i):
		return "methyl group", part
	}
	return "saturated carbon", part
}
