package molecule

import (
	"slices"

	"baca/algo/molecule/internal/buffer"
)

// hydrogens is the number of hydrogens that are not atoms of their own.
func (a *DraftAtom) Hydrogens() int32 {
	if a.NoImplicit {
		return a.Explicit
	}
	return a.Explicit + a.implicit
}

// room is how many hydrogens the valence leaves room for.
func (a *DraftAtom) Room() int32 {
	if a.NoImplicit {
		return 0
	}
	return a.implicit
}

// totalValence is the valence with all hydrogens.
func (a *DraftAtom) totalValence() int32 { return a.valence + a.Room() }

// shift is how much a charge adds to the allowed numbers of bonds.
func (a *DraftAtom) shift() int32 {
	if basics[a.Element].early || a.Element == 6 && a.Charge > 0 {
		return -a.Charge
	}
	return a.Charge
}

// inAromatic reports whether atom i or one of its bonds is aromatic.
func (p *Draft) inAromatic(i int32) bool {
	if p.Atoms[i].Aromatic {
		return true
	}
	for _, l := range p.Neighbors(i) {
		if b := &p.Bonds[l.Bond]; b.Aromatic || b.Order == Aromatic {
			return true
		}
	}
	return false
}

// explicitValence is the sum of the bond orders and the explicit hydrogens of
// atom i, rounded up where aromatic bonds make it fractional. An aromatic atom
// with more than its default valence is taken back to an allowed one where that
// is within the reach of its Kekulé forms: n in n1(C)cccc1 has 3, not 4.
func (p *Draft) ExplicitValence(i int32) int32 {
	a := &p.Atoms[i]
	sum := 2 * a.Explicit // in half bonds
	for _, l := range p.Neighbors(i) {
		sum += p.twice(l.Bond, i)
	}
	e := &elements[a.Element]
	shift := a.shift()
	allowed := int32(e.valences[0]) + shift
	// RDKit compares without sign, so that a negative number of bonds is never
	// exceeded.
	if int64(sum) > 2*int64(uint32(allowed)) && p.inAromatic(i) {
		for _, v := range e.valences {
			if v == -1 {
				break
			}
			v := int32(v) + shift
			if 2*v > sum {
				break
			}
			allowed = v
		}
		if sum-2*allowed <= 3 {
			sum = 2 * allowed
		}
	}
	// RDKit rounds (sum+0.1).
	if sum < 0 {
		return sum / 2
	}
	return (sum + 1) / 2
}

// implicitHydrogens is how many hydrogens atom i lacks, given its explicit
// valence; ok is false where that valence is more than is allowed.
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
	e := &elements[a.Element]
	if e.valences[0] == -1 {
		return 0, true
	}
	shift, used := a.shift(), a.valence+a.Radicals
	if p.inAromatic(i) {
		// Aromatic atoms get hydrogens up to the default valence only.
		if v := int32(e.valences[0]) + shift; used <= v {
			return v - used, true
		}
		for _, v := range e.valences {
			if v <= 0 {
				break
			}
			if used == int32(v)+shift {
				return 0, true
			}
		}
		return 0, false
	}
	for _, v := range e.valences {
		if v < 0 {
			return 0, true
		}
		if v := int32(v) + shift; used <= v {
			return v - used, true
		}
	}
	return 0, false
}

// checkValences computes the explicit and implicit valence of every atom and
// refuses atoms with more bonds than their element takes. sums is that of sumBonds. It
// notes whether some atoms are aromatic.
func (p *Draft) checkValences(sums []int32) error {
	atoms := p.Atoms
	sums = sums[:len(atoms)]
	for i := range atoms {
		a := &atoms[i]
		p.aromatic = p.aromatic || a.Aromatic
		if p.plainValence(a, sums[i]) {
			continue
		}
		a.valence = p.ExplicitValence(int32(i))
		e := &elements[a.Element]
		most := int32(e.valences[len(e.valences)-1])
		if most > 0 {
			// Not shift: elements with four outer electrons and more count as
			// electronegative here.
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

// sumBonds returns what the bonds of each atom add to its valence, in half bonds, in
// p.scratch, and notes whether some count at one end or nowhere, and whether some are
// aromatic.
func (p *Draft) sumBonds() []int32 {
	sums := buffer.Zeroed(&p.scratch, len(p.Atoms))
	p.weak, p.aromatic = false, false
	bonds := p.Bonds
	for k := range bonds {
		b := &bonds[k]
		p.aromatic = p.aromatic || b.Aromatic
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

// plainValence computes the valences of an atom whose bonds add up to sum, in half
// bonds, if it is one of the common ones that take no thought: no more bonds than
// the default valence, no charge. explicitValence and implicitHydrogens would find the
// same.
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

// refresh computes the valences of atom i again, whatever they are.
func (p *Draft) Refresh(i int32) {
	a := &p.Atoms[i]
	a.valence = p.ExplicitValence(i)
	a.implicit, _ = p.implicitHydrogens(i)
}

// countRadicals gives atoms in brackets the unpaired electrons that their bonds,
// hydrogens and charge leave.
func (p *Draft) countRadicals() {
	for i := range p.Atoms {
		a := &p.Atoms[i]
		if !a.NoImplicit || a.Element == 0 || a.Radicals != 0 {
			continue
		}
		e := &elements[a.Element]
		outer := int32(e.outer)
		if len(e.valences) == 1 && e.valences[0] == -1 {
			// A metal: all that can be said is whether electrons are odd.
			a.Radicals = max(outer-a.Charge, 0) % 2
			continue
		}
		sum := 2 * a.Explicit
		for _, l := range p.Neighbors(int32(i)) {
			sum += p.twice(l.Bond, int32(i))
		}
		used := sum / 2
		shell := int32(8)
		if a.Element <= 2 {
			shell = 2
		}
		n := shell - outer - used + a.Charge
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
		if r := outer - used - a.Charge; r >= 0 {
			n = min(n, r)
		}
		a.Radicals = n
	}
}

// settleHydrogens makes explicit the hydrogens that a molecule as it is now
// would no longer imply, such as that of pyrrole's nitrogen.
func (p *Draft) settleHydrogens() {
	atoms, sums := p.Atoms, p.sumBonds()
	sums = sums[:len(atoms)]
	for i := range atoms {
		a := &atoms[i]
		if !a.ring && sums[i]+2*a.Explicit == 2*a.valence {
			continue // as checkValences found it
		}
		before := a.Room()
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

// impliedHydrogens is how many hydrogens an atom without charge outside brackets is
// read with, given its bonds in half bonds (see explicitValence and
// implicitHydrogens).
func ImpliedHydrogens(z uint8, sum int32, aromatic bool) (n int32, ok bool) {
	valences := elements[z].valences
	if !aromatic {
		for _, v := range valences {
			if v := 2 * int32(v); sum <= v {
				return (v - sum) / 2, true
			}
		}
		return 0, false
	}
	first := int32(valences[0])
	if sum > 2*first {
		allowed := first
		for _, v := range valences {
			if 2*int32(v) > sum {
				break
			}
			allowed = int32(v)
		}
		if sum-2*allowed <= 3 {
			sum = 2 * allowed
		}
	}
	valence := (sum + 1) / 2
	if valence <= first {
		return first - valence, true
	}
	return 0, slices.Contains(valences, int8(min(valence, 100)))
}
