package smiles

import (
	"slices"
	"strings"

	"baca/algo/molecule"
)

// In returns m in form f, and for each atom of it which atom of m it is.
func In(m *molecule.Molecule, f molecule.Form) (*molecule.Molecule, []int32) {
	switch {
	case f == molecule.Canonical, f == molecule.Unordered && ordered(m):
		c, order, _ := Canonical(m)
		return c, order
	case f == molecule.Standard:
		return Standard(m)
	}
	order := make([]int32, len(m.Atoms))
	for i := range order {
		order[i] = int32(i)
	}
	return m, order
}

// ordered is Parser.ordered of a molecule.
func ordered(m *molecule.Molecule) bool {
	_, trees := join(nil, m, func(*molecule.Bond) bool { return true })
	return trees > 1 || slices.ContainsFunc(m.Atoms, func(a molecule.Atom) bool {
		return a.Map >= 0 || handed(a.Chirality)
	})
}

// Standard returns the canonical form of m without its counter-ions and neutralised, and
// for each atom of it which atom of m it is.
//
// Of the fragments that hold carbon the one with the most atoms stays, hydrogens counted,
// then the heaviest, then the first of the canonical form; a molecule without carbon keeps
// all. Then cations that have a hydrogen to give lose it, and anions take one up, as far
// as that does not leave more charge than there was: a betaine stays as it is, and so do
// charges next to their opposite, as in a nitro group. Where several anions could stay,
// the last of the canonical form do. Tautomers stay apart.
func Standard(m *molecule.Molecule) (*molecule.Molecule, []int32) {
	c, order, _ := Canonical(m)
	c, order = withoutCounterIons(c, order)
	if !neutralize(c) {
		return c, order
	}
	// Hybridisation and aromaticity are those of a new reading.
	again, order2, _ := Canonical(c)
	read, err := Parse(Write(again))
	if err != nil || len(read.Atoms) != len(again.Atoms) {
		return again, through(order, order2)
	}
	last, order3, _ := Canonical(read)
	return last, through(through(order, order2), order3)
}

// through returns the atoms that outer picks of those of inner.
func through(inner, outer []int32) []int32 {
	all := make([]int32, len(outer))
	for k, i := range outer {
		all[k] = inner[i]
	}
	return all
}

// withoutCounterIons returns the fragment of the canonical form m that is to stay, and
// the part of order that is its.
func withoutCounterIons(m *molecule.Molecule, order []int32) (*molecule.Molecule, []int32) {
	pieces := strings.Split(Write(m), ".") // in the order of the atoms, no ring bond from one to another
	if len(pieces) == 1 {
		return m, order
	}
	var best *molecule.Molecule
	var bestSize, bestMass, bestFrom int
	from := 0
	for _, text := range pieces {
		p, err := Parse(text)
		if err != nil {
			return m, order
		}
		organic, size, mass := false, 0, 0
		for _, a := range p.Atoms {
			organic = organic || a.Element == carbon
			size += 1 + int(a.Hydrogens)
			mass += int(a.Element)
		}
		if organic && (best == nil || size > bestSize || size == bestSize && mass > bestMass) {
			best, bestSize, bestMass, bestFrom = p, size, mass, from
		}
		from += len(p.Atoms)
	}
	if best == nil || from != len(m.Atoms) {
		return m, order
	}
	c, inner, _ := Canonical(best)
	return c, through(order[bestFrom:bestFrom+len(best.Atoms)], inner)
}

const carbon = 6

// Elements whose cations give up a hydrogen, and whose anions take one up.
var (
	bases = []uint8{7, 8, 15, 16, 34}
	acids = []uint8{carbon, 7, 8, 9, 16, 17, 34, 35, 52, 53}
)

// neutralize moves hydrogens on and off charged atoms, and reports whether it did.
func neutralize(m *molecule.Molecule) bool {
	opposed := make([]bool, len(m.Atoms)) // next to an opposite charge
	for _, b := range m.Bonds {
		if x, y := m.Atoms[b.From].Charge, m.Atoms[b.To].Charge; x > 0 && y < 0 || x < 0 && y > 0 {
			opposed[b.From], opposed[b.To] = true, true
		}
	}
	var cations, anions []int
	fixed := 0
	for i, a := range m.Atoms {
		switch {
		case a.Charge == 1 && a.Hydrogens > 0 && !opposed[i] && slices.Contains(bases, a.Element):
			cations = append(cations, i)
		case a.Charge == -1 && a.Radicals == 0 && !opposed[i] && slices.Contains(acids, a.Element) && !(a.Element == carbon && a.Aromatic):
			anions = append(anions, i)
		default:
			fixed += int(a.Charge)
		}
	}
	cations = cations[:max(0, len(cations)+min(0, fixed))]
	anions = anions[:max(0, len(anions)-max(0, fixed))]
	for _, i := range cations {
		m.Atoms[i].Charge, m.Atoms[i].Chirality = 0, molecule.Achiral
		m.Atoms[i].Hydrogens--
	}
	for _, i := range anions {
		m.Atoms[i].Charge, m.Atoms[i].Chirality = 0, molecule.Achiral
		m.Atoms[i].Hydrogens++
	}
	return len(cations)+len(anions) > 0
}
