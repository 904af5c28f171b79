package molecule

import (
	"cmp"
	"slices"
)

// maxChiralDegree is how many neighbours an atom with a tetrahedral tag may
// have for the tag to be kept while reading. No such atom keeps it later.
const maxChiralDegree = 16

// orientTags turns the @ and @@ of the text, which refer to the order in which
// the neighbours are written, into tags that refer to the order of bonds: a ring
// bond is written before the neighbours that follow it in the text, but is made
// after them.
func (p *Parser) orientTags() {
	for i := range p.atoms {
		a := &p.atoms[i]
		switch a.chirality {
		case Clockwise, CounterClockwise:
		case Tetrahedral:
			// Only now, because addClosure must not see it.
			a.chirality = CounterClockwise
			if a.perm == 2 {
				a.chirality = Clockwise
			}
		default:
			continue
		}
		if p.oddOrder(int32(i)) != p.missingNeighborTurns(int32(i)) {
			a.chirality = a.chirality.turn()
		}
	}
}

// oddOrder reports whether the bonds of atom i as written are an odd permutation
// of its bonds as made.
func (p *Parser) oddOrder(i int32) bool {
	links := p.neighbors(i)
	if len(links) > maxChiralDegree {
		return false
	}
	// As written: the atom before, the ring bonds, the atoms after.
	var written [maxChiralDegree]int32
	var tree [maxChiralDegree]link
	n, t := 0, 0
	for _, l := range links {
		if !p.closesAt(i, l.bond) {
			tree[t] = l
			t++
		}
	}
	slices.SortFunc(tree[:t], func(x, y link) int { return cmp.Compare(x.atom, y.atom) })
	k := 0
	if t > 0 && tree[0].atom < i {
		written[n] = tree[0].bond
		n, k = 1, 1
	}
	for c := p.atoms[i].closure; c >= 0; c = p.closures[c].next {
		written[n] = p.closures[c].bond
		n++
	}
	for ; k < t; k++ {
		written[n] = tree[k].bond
		n++
	}
	return oddSwaps(written[:n], links)
}

func (p *Parser) closesAt(i, bond int32) bool {
	for c := p.atoms[i].closure; c >= 0; c = p.closures[c].next {
		if p.closures[c].bond == bond {
			return true
		}
	}
	return false
}

// oddSwaps reports whether bonds is an odd permutation of those of links. It
// reorders bonds.
func oddSwaps(bonds []int32, links []link) bool {
	odd := false
	for k := range links {
		if bonds[k] == links[k].bond {
			continue
		}
		for q := k + 1; q < len(bonds); q++ {
			if bonds[q] == links[k].bond {
				bonds[k], bonds[q] = bonds[q], bonds[k]
				odd = !odd
				break
			}
		}
	}
	return odd
}

// missingNeighborTurns reports whether an atom with three bonds stands in the text
// so that its fourth neighbour (a hydrogen, a lone pair) is in an odd place: an
// H of the first atom is looked at from, not looked at first; without an H,
// "F[C@]1CCO1" is to stay what it is although its ring bond is made last.
func (p *Parser) missingNeighborTurns(i int32) bool {
	a := &p.atoms[i]
	links := p.neighbors(i)
	if len(links) != 3 {
		return false
	}
	if a.start && a.explicitH == 1 {
		return true
	}
	if a.explicitH == 1 || a.closure < 0 || p.closures[a.closure].next >= 0 {
		return false
	}
	for _, l := range links {
		switch p.bonds[l.bond].order {
		case Double, Triple, Quadruple, Aromatic:
			return false
		}
	}
	return true
}
