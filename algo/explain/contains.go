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
		if own[0]&^has[0]|own[1]&^has[1]|own[2]&^has[2] == 0 && contains(g, part) {
			n++
		}
	}
	return n
}

// trace hashes the bonds of a molecule into 64 bits, and its paths of three atoms into another 128.
// If a molecule contains a part, the bits of the part are a subset of its bits.
func trace(g *graph.Graph) (bits [3]uint64) {
	a := molecule.Atoms{Graph: g}
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
			bits[0] |= 1 << (fingerprint.Mix(2, own+kind(int(j))) % 64)
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
	a, b := molecule.Atoms{Graph: whole}, molecule.Atoms{Graph: part}
	if whole.N() < part.N() {
		return false
	}
	// order lists the atoms of part, each after one of its neighbours, whose place in order is in before.
	order, before := []int{0}, []int{-1}
	for k := 0; k < len(order); k++ {
		for _, j := range b.Row(order[k]) {
			if !slices.Contains(order, int(j)) {
				order, before = append(order, int(j)), append(before, k)
			}
		}
	}
	fits := func(i, j int) bool {
		carbon := b.Element(j) == carbon+1
		for _, column := range []int{molecule.ColumnElement, molecule.ColumnCharge, molecule.ColumnAromatic, molecule.ColumnHybridization} {
			open := column == molecule.ColumnHybridization && !carbon
			if !open && a.Value(i, column) != b.Value(j, column) {
				return false
			}
		}
		return carbon || b.InRing(j) || a.Value(i, molecule.ColumnHydrogens) == b.Value(j, molecule.ColumnHydrogens)
	}
	place := make([]int, 0, len(order)) // the atom of whole for each atom of order
	var extend func() bool
	extend = func() bool {
		k := len(place)
		if k == len(order) {
			return true
		}
		try := func(i int) bool {
			if slices.Contains(place, i) || a.Degree(i) < b.Degree(order[k]) || !fits(i, order[k]) {
				return false
			}
			for l, at := range place {
				if slices.Contains(part.Row(order[k]), int32(order[l])) && !slices.Contains(whole.Row(i), int32(at)) {
					return false
				}
			}
			place = append(place, i)
			if extend() {
				return true
			}
			place = place[:k]
			return false
		}
		if k > 0 {
			return slices.ContainsFunc(a.Row(place[before[k]]), func(i int32) bool { return try(int(i)) })
		}
		for i := range whole.N() {
			if try(i) {
				return true
			}
		}
		return false
	}
	return extend()
}
