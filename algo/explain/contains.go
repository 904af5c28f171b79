package explain

import (
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/molecule"
)

// A Library is a list of molecules that can be searched for a part.
type Library struct {
	graphs []*graph.Graph
	traces [][3]uint64 // trace of each graph
}

// NewLibrary prepares molecules for Holders.
func NewLibrary(gs []*graph.Graph) *Library { return &Library{gs, lists.Map(gs, trace)} }

// Holders counts the molecules of the library that contain part, a connected molecule. They have the atoms and bonds
// of part, and may have further substituents on its carbon atoms and on the atoms of its rings.
func (l *Library) Holders(part *graph.Graph) (n int) {
	own := trace(part)
	for k, g := range l.graphs {
		has := &l.traces[k]
		hasBits := own[0]&^has[0]|own[1]&^has[1]|own[2]&^has[2] == 0
		if hasBits && contains(g, part) {
			n++
		}
	}
	return n
}

// trace hashes the bonds of a molecule into 64 bits, and its paths of three atoms into another 128.
// If a molecule contains a part, the bits of the part are a subset of its bits.
func trace(g *graph.Graph) (bits [3]uint64) {
	a := molecule.Atoms{Graph: g}
	// kind hashes what fits compares: the element, whether the atom is aromatic, and the hybridization of other carbons.
	kind := func(i int) uint64 {
		x := uint64(a.Element(i)) << 4
		if a.Aromatic(i) {
			x++
		} else if a.Element(i) == carbon+1 {
			x += 2 + uint64(a.Value(i, molecule.ColumnHybridization))
		}
		return fingerprint.Mix(1, x)
	}
	for i := range g.N() {
		around, own := g.Row(i), kind(i)
		for k, j := range around {
			bits[0] |= 1 << (fingerprint.Mix(2, own+kind(int(j))) % 64) // the sum is the same from both ends
			for _, l := range around[:k] {
				at := fingerprint.Mix(own, kind(int(j))+kind(int(l))) % 128
				bits[1+at/64] |= 1 << (at % 64)
			}
		}
	}
	return bits
}

// contains reports whether whole contains part, as Holders defines it, by backtracking over the atoms of part.
func contains(whole, part *graph.Graph) bool {
	if whole.N() < part.N() {
		return false
	}
	m := match{whole: molecule.Atoms{Graph: whole}, part: molecule.Atoms{Graph: part}, order: []int{0}, before: []int{-1}}
	for k := 0; k < len(m.order); k++ {
		for _, j := range part.Row(m.order[k]) {
			if !slices.Contains(m.order, int(j)) {
				m.order, m.before = append(m.order, int(j)), append(m.before, k)
			}
		}
	}
	return m.extend()
}

// A match is a search for a part in a whole molecule.
type match struct {
	whole, part molecule.Atoms
	order       []int // the atoms of part, each after one of its neighbours
	before      []int // the place in order of that neighbour; -1 for the first atom
	found       []int // atoms of whole for the first atoms of order
}

// extend finds atoms of whole for the rest of order. If it returns false, found is as before.
func (m *match) extend() bool {
	k := len(m.found)
	switch {
	case k == len(m.order):
		return true
	case k > 0:
		return slices.ContainsFunc(m.whole.Row(m.found[m.before[k]]), func(i int32) bool { return m.try(int(i)) })
	}
	for i := range m.whole.N() {
		if m.try(i) {
			return true
		}
	}
	return false
}

// try takes atom i of whole for the next atom of order, and extends the match from there. It returns false, with found as
// before, if the atom does not fit or a later one finds no place.
func (m *match) try(i int) bool {
	k := len(m.found)
	next := m.order[k]
	if slices.Contains(m.found, i) || m.whole.Degree(i) < m.part.Degree(next) || !m.fits(i, next) {
		return false
	}
	for l, at := range m.found {
		bound := slices.Contains(m.part.Row(next), int32(m.order[l]))
		if bound && !slices.Contains(m.whole.Row(i), int32(at)) {
			return false
		}
	}
	m.found = append(m.found, i)
	if m.extend() {
		return true
	}
	m.found = m.found[:k]
	return false
}

// fits reports whether atom i of whole is of the same kind as atom j of part. Only carbons and ring atoms may have further
// substituents, so other atoms must have as many hydrogens.
func (m *match) fits(i, j int) bool {
	same := func(column int) bool { return m.whole.Value(i, column) == m.part.Value(j, column) }
	if !same(molecule.ColumnElement) || !same(molecule.ColumnCharge) || !same(molecule.ColumnAromatic) {
		return false
	}
	if m.part.Element(j) == carbon+1 {
		return same(molecule.ColumnHybridization)
	}
	return m.part.InRing(j) || same(molecule.ColumnHydrogens)
}
