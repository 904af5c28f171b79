// Package smarts searches molecules for substructures that are written as SMARTS: Parse, then Pattern.In.
//
// It follows RDKit: aromaticity is that of package molecule, hydrogens count for their neighbour,
// and marks of stereochemistry are read but not compared. Not read are v (the sum of bond orders),
// reactions, and parentheses around components.
package smarts

import (
	"math"
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/neighbor"
	"baca/algo/molecule/internal/rings"
)

// A Pattern is a substructure. Goroutines may share it.
type Pattern struct {
	atoms []atom // each comes after an atom that it is bound to, or begins a component
}

type atom struct {
	is    func(place) bool
	bonds []bond // to earlier atoms
}

type bond struct {
	to int
	is func(*molecule.Bond) bool
}

// A place is an atom of the searched molecule.
type place struct {
	*target
	i int32
}

// A target is the searched molecule.
type target struct {
	*molecule.Molecule
	near  neighbor.Table
	rings *rings.Finder // nil until needed
	steps int           // how many more atoms may be tried
}

// MaxSteps is how many atoms In tries before it gives up. Patterns that people write take some hundreds.
const MaxSteps = 1_000_000

// In reports whether m contains the pattern. It returns false if MaxSteps do not suffice.
func (p *Pattern) In(m *molecule.Molecule) bool {
	t := &target{Molecule: m, steps: MaxSteps}
	molecule.LinkUp(&t.near, len(m.Atoms), m.Bonds)
	return p.extend(t, make([]int32, 0, len(p.atoms)))
}

// extend places the remaining atoms of the pattern, and reports whether that is possible. found are the places of the
// first atoms.
func (p *Pattern) extend(t *target, found []int32) bool {
	k := len(found)
	if k == len(p.atoms) {
		return true
	}
	if bonds := p.atoms[k].bonds; len(bonds) > 0 {
		for _, l := range t.near.Of(found[bonds[0].to]) {
			if p.put(t, found, l.Atom) {
				return true
			}
		}
		return false
	}
	for i := range t.Atoms {
		if p.put(t, found, int32(i)) {
			return true
		}
	}
	return false
}

// put places the next atom of the pattern at atom i, then the others. It returns false if they do not fit or steps run out.
func (p *Pattern) put(t *target, found []int32, i int32) bool {
	t.steps--
	next := &p.atoms[len(found)]
	if t.steps < 0 || slices.Contains(found, i) || !next.is(place{t, i}) {
		return false
	}
	for _, b := range next.bonds {
		if k := t.near.Between(i, found[b.to]); k < 0 || !b.is(&t.Bonds[k]) {
			return false
		}
	}
	return p.extend(t, append(found, i))
}

func (a place) atom() *molecule.Atom { return &a.Atoms[a.i] }

// hydrogens counts implicit hydrogens and hydrogen atoms.
func (a place) hydrogens() int {
	n := int(a.atom().Hydrogens)
	for _, l := range a.near.Of(a.i) {
		if a.Atoms[l.Atom].Element == 1 {
			n++
		}
	}
	return n
}

// ringBonds counts the bonds in rings.
func (a place) ringBonds() int {
	n := 0
	for _, l := range a.near.Of(a.i) {
		if a.Bonds[l.Bond].InRing {
			n++
		}
	}
	return n
}

// ringsOf returns the number of smallest rings that have the atom, and the size of the smallest of them or 0.
func (a place) ringsOf() (n, smallest int) {
	if !a.atom().InRing {
		return 0, 0
	}
	if a.rings == nil {
		ends := make([][2]int32, len(a.Bonds))
		for k, b := range a.Bonds {
			ends[k] = [2]int32{b.From, b.To}
		}
		a.target.rings = &rings.Finder{Budget: math.MaxInt} // reading has refused tangled molecules
		a.rings.Find(&a.near, ends, -1)
	}
	if a.rings.Len() == 0 {
		return 0, 0
	}
	list := a.rings.OfAtom(a.i)
	for _, r := range list {
		if size := a.rings.Size(int(r)); smallest == 0 || size < smallest {
			smallest = size
		}
	}
	return len(list), smallest
}
