package molecule

import (
	"slices"

	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
)

// FoldHydrogens removes the hydrogen atoms that Foldable allows, and counts them at their neighbours. A tag of the
// neighbour turns with each bond that the hydrogen's bond passes on its way to the end of the list.
func (p *Draft) FoldHydrogens() {
	n := 0
	for i := range p.Atoms {
		if p.Atoms[i].Element == 1 && p.Foldable(int32(i)) {
			p.Atoms[i].removed = true
			n++
		}
	}
	if n == 0 {
		return
	}
	scratch := buffer.Zeroed(&p.scratch, len(p.Bonds)+len(p.Atoms))
	gone, to := scratch[:len(p.Bonds)], scratch[len(p.Bonds):] // gone is 1 for a bond to a folded hydrogen
	// Backwards, because each moves to the end of its neighbour's bonds before it is removed.
	for i := len(p.Atoms) - 1; i >= 0; i-- {
		if !p.Atoms[i].removed {
			continue
		}
		l := p.Neighbors(int32(i))[0]
		heavy := &p.Atoms[l.Atom]
		if !p.Lean || p.countsHydrogens(l.Atom) {
			heavy.Explicit++
		}
		if heavy.Chirality.Handed() {
			after := false // behind the hydrogen's bond
			for _, o := range p.Neighbors(l.Atom) {
				if after && gone[o.Bond] == 0 {
					heavy.Chirality = heavy.Chirality.Turn()
				}
				after = after || o.Bond == l.Bond
			}
		}
		p.passDirection(l, gone)
		gone[l.Bond] = 1
	}
	p.closeGaps(gone, to)
}

// closeGaps removes folded hydrogens and the bonds marked in gone, and numbers the rest anew. to is scratch for the new
// numbers of atoms.
func (p *Draft) closeGaps(gone, to []int32) {
	m := int32(0)
	for i := range p.Atoms {
		if p.Atoms[i].removed {
			continue
		}
		to[i] = m
		p.Atoms[m] = p.Atoms[i]
		m++
	}
	kept, chain := 0, p.Chain
	for k := range p.Bonds {
		if gone[k] == 0 {
			b := p.Bonds[k]
			b.From, b.To = to[b.From], to[b.To]
			p.Bonds[kept], p.Dirs[kept] = b, p.Dirs[k]
			kept++
		} else if k < p.Chain {
			chain--
		}
	}
	p.Atoms, p.Bonds, p.Dirs, p.Chain = p.Atoms[:m], p.Bonds[:kept], p.Dirs[:kept], chain
	p.Link()
}

// Foldable reports whether hydrogen i can become a count at its neighbour without loss of information. It cannot
//
//   - if it is an isotope, is to be kept, or has no neighbour or several,
//   - if its neighbour is a wildcard, a hydrogen or of a stereo class beyond tetrahedral,
//   - if its bond tells the geometry of its neighbour's double bond, and the neighbour has no other bond that could.
func (p *Draft) Foldable(i int32) bool {
	a := &p.Atoms[i]
	links := p.Neighbors(i)
	if len(links) != 1 || a.Isotope != 0 || a.Kept {
		return false
	}
	l := links[0]
	heavy := &p.Atoms[l.Atom]
	if heavy.Element <= 1 || heavy.Chirality >= SquarePlanar {
		return false
	}
	if p.Dirs[l.Bond] != Level {
		around := p.Neighbors(l.Atom)
		return len(around) != 2 || p.Bonds[around[0].Bond].Order != Double && p.Bonds[around[1].Bond].Order != Double
	}
	return true
}

// countsHydrogens reports whether hydrogens of a molfile become explicit hydrogens of atom i: if it takes no implicit
// ones, has a tag, or has a valence above the default that is allowed. Otherwise only the valence gives the atom
// hydrogens, so that ammonium drawn without charge becomes ammonia.
func (p *Draft) countsHydrogens(i int32) bool {
	a := &p.Atoms[i]
	if a.NoImplicit || a.Chirality != Achiral {
		return true
	}
	return slices.ContainsFunc(elements[a.Element].valences[1:], func(v int8) bool { return int32(v) == a.totalValence() })
}

// passDirection moves the direction of a hydrogen's bond l to another single bond of the hydrogen's neighbour. It does
// nothing if one of the other bonds has a direction already. Bonds k with gone[k] ≠ 0 do not count.
func (p *Draft) passDirection(l neighbor.Link, gone []int32) {
	dir := p.Dirs[l.Bond]
	if dir == Level {
		return
	}
	other := int32(-1)
	for _, k := range p.Neighbors(l.Atom) {
		if k.Bond != l.Bond && gone[k.Bond] == 0 && p.Bonds[k.Bond].Order == Single {
			if p.Dirs[k.Bond] != Level {
				return
			}
			other = k.Bond
		}
	}
	if other < 0 {
		return
	}
	p.Dirs[other] = dir
	// Of two bonds that both lead away from the atom, one is up where the other is down.
	if p.Bonds[other].From == l.Atom && p.Bonds[l.Bond].From == l.Atom {
		p.Dirs[other] = dir.Flip()
	}
}

// normalize rewrites groups that are often drawn with too many bonds: nitro N(=O)=O and N-oxides,
// azides and diazo groups N=N#N, phosphorus as in C=P(=O)X, and oxo acids of chlorine, bromine and
// iodine. sums are the half bonds of sumBonds. It returns true if a bond may have changed.
func (p *Draft) normalize(sums []int32) bool {
	changed := false
	atoms := p.Atoms
	sums = sums[:len(atoms)]
	for i := range atoms {
		a := &atoms[i]
		if sums[i]+2*a.Explicit <= 2*int32(basics[a.Element].valence) {
			continue // at most the default valence
		}
		switch a.Element {
		case 7:
			p.normalizeNitrogen(int32(i))
		case 15:
			p.normalizePhosphorus(int32(i))
		case 17, 35, 53:
			p.normalizeHalogen(int32(i))
		default:
			continue
		}
		changed = true
	}
	return changed
}

// normalizeNitrogen makes N(=O) and N#N of a nitrogen with five bonds [N+][O-] and [N+]=[N-].
func (p *Draft) normalizeNitrogen(i int32) {
	a := &p.Atoms[i]
	if a.Charge != 0 {
		return
	}
	aromatic := a.Aromatic
	a.Aromatic = false
	valence := p.ExplicitValence(i) // which would be lowered for an aromatic atom
	a.Aromatic = aromatic
	if valence != 5 {
		return
	}
	for _, l := range p.Neighbors(i) {
		n, b := &p.Atoms[l.Atom], &p.Bonds[l.Bond]
		if n.Charge != 0 {
			continue
		}
		if n.Element == 8 && b.Order == Double {
			b.Order = Single
		} else if n.Element == 7 && b.Order == Triple {
			b.Order = Double
		} else {
			continue
		}
		a.Charge, n.Charge = 1, -1
		return
	}
}

// normalizePhosphorus makes C=P(=O) and N=P(=O) of a phosphorus with five bonds [P+][O-].
func (p *Draft) normalizePhosphorus(i int32) {
	a := &p.Atoms[i]
	links := p.Neighbors(i)
	if a.Charge != 0 || len(links) != 3 || p.ExplicitValence(i) != 5 {
		return
	}
	oxygen, multiple := neighbor.Link{Atom: -1, Bond: -1}, false
	for _, l := range links {
		n := &p.Atoms[l.Atom]
		if p.Bonds[l.Bond].Order != Double {
			continue
		}
		if n.Element == 8 && n.Charge == 0 {
			oxygen = l
		} else if (n.Element == 6 || n.Element == 7) && len(p.Neighbors(l.Atom)) >= 2 {
			multiple = true
		}
	}
	if multiple && oxygen.Atom >= 0 {
		p.Atoms[oxygen.Atom].Charge = -1
		p.Bonds[oxygen.Bond].Order = Single
		a.Charge = 1
	}
}

// normalizeHalogen makes each =O of a halogen that is bound to oxygen alone [O-].
func (p *Draft) normalizeHalogen(i int32) {
	a := &p.Atoms[i]
	if a.Charge != 0 {
		return
	}
	if v := p.ExplicitValence(i); v != 3 && v != 5 && v != 7 {
		return
	}
	if slices.ContainsFunc(p.Neighbors(i), func(l neighbor.Link) bool { return p.Atoms[l.Atom].Element != 8 }) {
		return
	}
	for _, l := range p.Neighbors(i) {
		if b := &p.Bonds[l.Bond]; b.Order == Double {
			b.Order = Single
			p.Atoms[l.Atom].Charge = -1
			a.Charge++
		}
	}
}
