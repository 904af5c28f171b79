package molecule

import (
	"slices"

	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
)

// Hydrogens counts the hydrogens that are not atoms of the Draft.
func (a *DraftAtom) Hydrogens() int32 {
	if a.NoImplicit {
		return a.Explicit
	}
	return a.Explicit + a.implicit
}

// Room returns the number of implicit hydrogens: those that fill the valence.
func (a *DraftAtom) Room() int32 {
	if a.NoImplicit {
		return 0
	}
	return a.implicit
}

// totalValence returns the valence including all hydrogens.
func (a *DraftAtom) totalValence() int32 { return a.valence + a.Room() }

// shift returns what the charge adds to the allowed numbers of bonds. Carbon loses a bond by either charge.
func (a *DraftAtom) shift() int32 {
	if basics[a.Element].early || a.Element == 6 && a.Charge > 0 {
		return -a.Charge // B− has four bonds
	}
	return a.Charge
}

// inAromatic reports whether atom i or one of its bonds is aromatic.
func (p *Draft) inAromatic(i int32) bool {
	return p.Atoms[i].Aromatic || slices.ContainsFunc(p.Neighbors(i), func(l neighbor.Link) bool {
		return p.Bonds[l.Bond].Aromatic || p.Bonds[l.Bond].Order == Aromatic
	})
}

// ExplicitValence returns the sum of the bond orders and explicit hydrogens of atom i. Half bonds are rounded up.
// For an aromatic atom above its default valence it returns an allowed valence that a Kekulé form can
// reach: n in n1(C)cccc1 has 3, not 4.
func (p *Draft) ExplicitValence(i int32) int32 {
	a := &p.Atoms[i]
	sum := 2 * a.Explicit // in half bonds
	for _, l := range p.Neighbors(i) {
		sum += p.twice(l.Bond, i)
	}
	e, shift := &elements[a.Element], a.shift()
	if sum > 2*(int32(e.valences[0])+shift) && p.inAromatic(i) {
		sum = e.reduce(sum, shift)
	}
	return (sum + 1) / 2
}

// reduce lowers a sum of half bonds to the largest allowed valence below it. A sum more than three half bonds above
// stays as it is.
func (e *element) reduce(sum, shift int32) int32 {
	allowed := int32(e.valences[0]) + shift
	for _, v := range e.valences {
		if v == -1 || 2*(int32(v)+shift) > sum {
			break
		}
		allowed = int32(v) + shift
	}
	if sum-2*allowed <= 3 {
		return 2 * allowed
	}
	return sum
}

// implicitHydrogens returns how many hydrogens atom i lacks. ok is false if its explicit valence is too high, or if it is a
// lone hydrogen with a charge beyond ±1.
func (p *Draft) implicitHydrogens(i int32) (n int32, ok bool) {
	a := &p.Atoms[i]
	if a.NoImplicit || a.Element == 0 {
		return 0, true
	}
	if a.Element == 1 && a.valence == 0 && a.Radicals == 0 {
		switch a.Charge {
		case 0:
			return 1, true
		case 1, -1:
			return 0, true
		}
		return 0, false
	}
	return elements[a.Element].room(a.valence+a.Radicals, a.shift(), p.inAromatic(i))
}

// room returns how many hydrogens fit an atom that already has used bonds. ok is false if these are too many. Aromatic
// atoms take hydrogens only up to the default valence.
func (e *element) room(used, shift int32, aromatic bool) (n int32, ok bool) {
	for k, v := range e.valences {
		free, fills := int32(v)+shift-used, k == 0 || !aromatic // fills: hydrogens may take what is free
		switch {
		case v < 0: // any number of bonds
			return 0, fills
		case free == 0, free > 0 && fills:
			return free, true
		}
	}
	return 0, false
}

// checkValences computes the valences of all atoms. It returns an error for an atom with too many bonds. sums are the
// half bonds of sumBonds. It also adds aromatic atoms to p.aromatic and sets p.wild.
func (p *Draft) checkValences(sums []int32) error {
	atoms := p.Atoms
	sums = sums[:len(atoms)]
	for i := range atoms {
		a := &atoms[i]
		p.aromatic += int(bit(a.Aromatic))
		if p.plainValence(a, sums[i]) {
			continue
		}
		p.wild = p.wild || a.Element == 0
		a.valence = p.ExplicitValence(int32(i))
		e := &elements[a.Element]
		most := int32(e.valences[len(e.valences)-1])
		if most > 0 {
			// Unlike in shift, a positive charge adds bonds to every element with four or more outer electrons.
			limit := most + a.Charge
			if e.outer < 4 {
				limit = most - a.Charge
			}
			if limit < 0 {
				return p.ErrorAtom(int32(i), "%s is not possible", a.describe())
			}
			if a.valence > limit {
				return p.ErrorAtom(int32(i), "%s has %s, at most %d are allowed", a.describe(), countBonds(a.valence), limit)
			}
		}
		var ok bool
		if a.implicit, ok = p.implicitHydrogens(int32(i)); !ok {
			return p.ErrorAtom(int32(i), "%s has %s, which is not a valence that it can have", a.describe(), countBonds(a.valence))
		}
	}
	return nil
}

// sumBonds returns the sum of each atom's bonds, in half bonds. The result is in p.scratch. It sets p.weak and p.aromatic
// by the bonds, and clears p.wild.
func (p *Draft) sumBonds() []int32 {
	sums := buffer.Zeroed(&p.scratch, len(p.Atoms))
	p.weak, p.wild, p.aromatic = false, false, 0
	bonds := p.Bonds
	for k := range bonds {
		b := &bonds[k]
		p.aromatic += int(bit(b.Aromatic))
		h := halves[b.Order]
		sums[b.To] += h
		if b.Order == Dative || b.Order == Any {
			p.weak = true
			if b.Order == Dative {
				continue
			}
		}
		sums[b.From] += h
	}
	return sums
}

// plainValence is a shortcut for ExplicitValence and implicitHydrogens in the common case: an uncharged atom whose bonds,
// sum half bonds in all, do not exceed the default valence. In other cases it returns false and changes nothing.
func (p *Draft) plainValence(a *DraftAtom, sum int32) bool {
	sum += 2 * a.Explicit
	v := int32(basics[a.Element].plain)
	if sum > 2*v || a.Charge|a.Radicals != 0 {
		return false
	}
	a.valence = (sum + 1) / 2
	a.implicit = v - a.valence
	if a.NoImplicit {
		a.implicit = 0
	}
	return true
}

// Refresh computes the valences of atom i again, unchecked.
func (p *Draft) Refresh(i int32) {
	a := &p.Atoms[i]
	a.valence = p.ExplicitValence(i)
	a.implicit, _ = p.implicitHydrogens(i)
}

// countRadicals gives bracket atoms the unpaired electrons that bonds, hydrogens and charge leave. An atom has as many
// as its outer shell has places left, but no more than it has outer electrons outside bonds. With more bonds than the
// shell allows, it has as many as it lacks to its next higher valence.
func (p *Draft) countRadicals() {
	for i := range p.Atoms {
		a := &p.Atoms[i]
		if !a.NoImplicit || a.Element == 0 || a.Radicals != 0 {
			continue
		}
		e := &elements[a.Element]
		outer := int32(e.outer)
		if len(e.valences) == 1 && e.valences[0] == -1 {
			// A metal: only the parity of electrons is known.
			a.Radicals = max(outer-a.Charge, 0) % 2
			continue
		}
		sum := 2 * a.Explicit
		for _, l := range p.Neighbors(int32(i)) {
			sum += p.twice(l.Bond, int32(i))
		}
		used := sum / 2
		shell := int32(8) // places for electrons; 2 for hydrogen and helium
		if a.Element <= 2 {
			shell = 2
		}
		n := shell - outer - used + a.Charge // places left
		if n < 0 {
			n = 0
			if len(e.valences) > 1 {
				for _, v := range e.valences {
					if r := int32(v) - used + a.Charge; r >= 0 {
						n = r
						break
					}
				}
			}
		}
		if r := outer - used - a.Charge; r >= 0 { // electrons outside bonds
			n = min(n, r)
		}
		a.Radicals = n
	}
}

// settleHydrogens computes valences again for the aromatic bonds. Hydrogens that these no longer imply, such
// as that of pyrrole's nitrogen, become explicit.
func (p *Draft) settleHydrogens() {
	atoms, sums := p.Atoms, p.sumBonds()
	sums = sums[:len(atoms)]
	for i := range atoms {
		a := &atoms[i]
		if !a.ring && sums[i]+2*a.Explicit == 2*a.valence {
			continue // as checkValences found it
		}
		before := a.Room() // as the Kekulé form implies
		if p.plainValence(a, sums[i]) && a.implicit >= before {
			continue
		}
		a.valence = p.ExplicitValence(int32(i))
		if a.NoImplicit {
			continue
		}
		a.implicit, _ = p.implicitHydrogens(int32(i))
		if a.implicit < before {
			a.Explicit += before - a.implicit
			a.valence = p.ExplicitValence(int32(i))
		}
	}
}

// ImpliedHydrogens returns how many hydrogens a reader gives an uncharged atom of element z outside brackets whose bonds
// add up to sum half bonds. ok is false if there are too many bonds.
func ImpliedHydrogens(z uint8, sum int32, aromatic bool) (n int32, ok bool) {
	e := &elements[z]
	if aromatic && sum > 2*int32(e.valences[0]) {
		sum = e.reduce(sum, 0)
	}
	return e.room((sum+1)/2, 0, aromatic)
}
