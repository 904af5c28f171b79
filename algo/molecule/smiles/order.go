package smiles

import (
	"cmp"
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/neighbor"
)

// orientTags converts @ and @@, which refer to the written order of neighbours, to tags relative to
// the order of bonds: a ring bond is written before later neighbours but made after them.
func (p *Parser) orientTags() {
	for i := range p.Atoms {
		a := &p.Atoms[i]
		switch a.Chirality {
		case molecule.Clockwise, molecule.CounterClockwise:
		case molecule.Tetrahedral:
			// Only now, because addClosure must not see it.
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
func (p *Parser) oddOrder(i int32) bool {
	links := p.Neighbors(i)
	if len(links) > molecule.MaxChiralDegree {
		return false
	}
	// Written: the previous atom, ring bonds, later atoms.
	var written [molecule.MaxChiralDegree]int32
	var tree [molecule.MaxChiralDegree]neighbor.Link
	n, t := 0, 0
	for _, l := range links {
		if !p.closesAt(i, l.Bond) {
			tree[t] = l
			t++
		}
	}
	slices.SortFunc(tree[:t], func(x, y neighbor.Link) int { return cmp.Compare(x.Atom, y.Atom) })
	k := 0
	if t > 0 && tree[0].Atom < i {
		written[n] = tree[0].Bond
		n, k = 1, 1
	}
	for c := p.spots[i].closure; c >= 0; c = p.closures[c].next {
		written[n] = p.closures[c].bond
		n++
	}
	for ; k < t; k++ {
		written[n] = tree[k].Bond
		n++
	}
	return molecule.OddSwaps(written[:n], links)
}

func (p *Parser) closesAt(i, bond int32) bool {
	for c := p.spots[i].closure; c >= 0; c = p.closures[c].next {
		if p.closures[c].bond == bond {
			return true
		}
	}
	return false
}

// missingNeighborTurns reports whether the fourth neighbour (hydrogen, lone pair) of an atom with
// three bonds is written in an odd place: the H of a first atom is looked from, not at; without H,
// "F[C@]1CCO1" keeps its tag although its ring bond is made last.
func (p *Parser) missingNeighborTurns(i int32) bool {
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
