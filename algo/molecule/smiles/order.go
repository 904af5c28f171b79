package smiles

import (
	"baca/algo/molecule"
	"baca/algo/molecule/internal/neighbor"
)

// orientTags converts @ and @@ to tags relative to the order of bonds. @ and @@ refer to the written order of
// neighbours, in which a ring bond precedes later neighbours although it is made after them.
func (p *parser) orientTags() {
	for i := range p.Atoms {
		a := &p.Atoms[i]
		switch a.Chirality {
		case molecule.Clockwise, molecule.CounterClockwise:
		case molecule.Tetrahedral:
			// Only now, because readClosure turns the tags @ and @@.
			a.Chirality = molecule.CounterClockwise
			if p.spots[i].perm == 2 {
				a.Chirality = molecule.Clockwise
			}
		default:
			continue
		}
		if p.oddOrder(int32(i)) != p.missingNeighborTurns(int32(i)) {
			a.Chirality = a.Chirality.Turn()
		}
	}
}

// oddOrder reports whether the written bonds of atom i are an odd permutation of the made ones.
func (p *parser) oddOrder(i int32) bool {
	links := p.Neighbors(i)
	if len(links) > molecule.MaxChiralDegree {
		return false
	}
	var places [molecule.MaxChiralDegree]int32
	for k, l := range links {
		places[k] = p.writtenPlace(i, l)
	}
	return molecule.Odd(places[:len(links)])
}

// writtenPlace orders the neighbours of atom i as they are written: the previous atom, ring bonds, later atoms. It is
// lower for what comes first.
func (p *parser) writtenPlace(i int32, l neighbor.Link) int32 {
	for c := p.spots[i].closure; c >= 0; c = p.closures[c].next {
		if p.closures[c].bond == l.Bond {
			return c
		}
	}
	if l.Atom < i {
		return -1
	}
	return int32(len(p.closures)) + l.Atom
}

// missingNeighborTurns reports whether the fourth neighbour of an atom with three bonds, a hydrogen or lone pair, inverts
// the tag. It does if it is written in an odd place. The H of a first atom is the point from which one looks.
// Without H, "F[C@]1CCO1" keeps its tag although its ring bond is made last.
func (p *parser) missingNeighborTurns(i int32) bool {
	a, s := &p.Atoms[i], &p.spots[i]
	links := p.Neighbors(i)
	if len(links) != 3 {
		return false
	}
	if s.start && a.Explicit == 1 {
		return true
	}
	if a.Explicit == 1 || s.closure < 0 || p.closures[s.closure].next >= 0 {
		return false
	}
	for _, l := range links {
		switch p.Bonds[l.Bond].Order {
		case molecule.Double, molecule.Triple, molecule.Quadruple, molecule.Aromatic:
			return false
		}
	}
	return true
}
