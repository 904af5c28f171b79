package molecule

import (
	"slices"

	"baca/algo/molecule/internal/neighbor"
)

// conjugated reports whether a bond of atom i is conjugated. Aromatic bonds are. A bond between two atoms that can take
// part in conjugation is, if one of them has another multiple bond. Then this multiple bond is conjugated, too.
func (p *Draft) conjugated(i int32) bool {
	links := p.Neighbors(i)
	if slices.ContainsFunc(links, func(l neighbor.Link) bool { return p.Bonds[l.Bond].Aromatic }) {
		return true
	}
	for _, l := range links {
		// The bond itself stands beside a multiple one.
		if p.joins(i, l) && (p.multipleBeside(i, l.Bond) || p.multipleBeside(l.Atom, l.Bond)) {
			return true
		}
		if !p.multiple(l.Bond) || !p.takesPart(l.Atom) {
			continue
		}
		// The bond is the multiple one, beside a bond of its other end.
		for _, o := range p.Neighbors(l.Atom) {
			if p.joins(l.Atom, o) && p.multipleBeside(l.Atom, o.Bond) {
				return true
			}
		}
	}
	return false
}

// multiple reports whether bond k is more than single.
func (p *Draft) multiple(k int32) bool { return halves[p.Bonds[k].Order] >= 3 }

// multipleBeside reports whether atom i has a multiple bond other than bond k.
func (p *Draft) multipleBeside(i, k int32) bool {
	return slices.ContainsFunc(p.Neighbors(i), func(l neighbor.Link) bool { return l.Bond != k && p.multiple(l.Bond) })
}

// joins reports whether link l of atom i joins atoms that take part in conjugation.
func (p *Draft) joins(i int32, l neighbor.Link) bool { return p.takesPart(i) && p.takesPart(l.Atom) }

// takesPart reports whether atom i can take part in conjugation: it has at most three neighbours and is conjugable.
func (p *Draft) takesPart(i int32) bool {
	return p.Degree(i)+p.Atoms[i].Hydrogens() <= 3 && p.conjugable(i)
}

// conjugable reports whether atom i has electrons for a π system. Beyond the second row, elements of the nitrogen group
// have none, and those of the oxygen group only with one neighbour, such as =S.
func (p *Draft) conjugable(i int32) bool {
	a := &p.Atoms[i]
	if outer := basics[a.Element].outer; a.Element > 10 && (outer == 5 || outer == 6) {
		if outer == 5 || p.Degree(i)+a.Hydrogens() >= 2 {
			return false
		}
	}
	return p.piElectrons(i) > 0
}

// byOrbitals is the hybridisation for each number of neighbours and lone pairs together.
var byOrbitals = [...]Hybridization{S, S, SP, SP2, SP3, SP3D, SP3D2}

// hybridize sets every atom's hybridisation.
func (p *Draft) hybridize() {
	atoms := p.Atoms
	for i := range atoms {
		a := &atoms[i]
		degree := p.Degree(int32(i)) + a.Hydrogens()
		if a.Element == 6 && a.valence+a.Room() == 4 && uint32(degree) <= 4 && a.Charge|a.Radicals == 0 && a.Chirality == Achiral {
			a.hybrid = byOrbitals[degree] // most atoms: no lone pairs
			continue
		}
		a.hybrid = Unhybridized
		if a.Chirality != Achiral && a.Element != 0 {
			a.hybrid = a.Chirality.hybrid(degree) // a fitting tag decides
		}
		if a.hybrid == Unhybridized && a.Element != 0 {
			orbitals := degree                   // of neighbours and lone pairs
			if a.Element > 1 && a.Element < 89 { // from actinium on only neighbours count, as in RDKit
				orbitals += a.lonePairs()
			}
			if orbitals >= 0 && int(orbitals) < len(byOrbitals) {
				a.hybrid = byOrbitals[orbitals]
			}
			// Flat with a conjugated lone pair, as the second oxygen of O=CO.
			if orbitals == 4 && degree <= 3 && p.conjugated(int32(i)) {
				a.hybrid = SP2
			}
		}
	}
}

// hybrid returns the hybridisation that a tag implies for an atom with degree neighbours, or Unhybridized.
func (c Chirality) hybrid(degree int32) Hybridization {
	switch {
	case c <= Tetrahedral && degree == 4:
		return SP3
	case c == SquarePlanar && degree >= 2 && degree <= 4:
		return SP2D
	case c == TrigonalBipyramidal && degree >= 2 && degree <= 5:
		return SP3D
	case c == Octahedral && degree >= 2 && degree <= 6:
		return SP3D2
	}
	return Unhybridized
}

// lonePairs counts orbitals with lone pairs or unpaired electrons. It is negative for some metals.
func (a *DraftAtom) lonePairs() int32 {
	outer := int32(basics[a.Element].outer)
	total := a.totalValence()
	free := outer - (total + a.Charge)
	if a.Radicals != 0 && total+outer-a.Charge < 8 { // below an octet each unpaired electron has an orbital
		return (free-a.Radicals)/2 + a.Radicals
	}
	return free / 2
}
