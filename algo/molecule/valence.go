package molecule

// hydrogens is the number of hydrogens that are not atoms of their own.
func (a *atom) hydrogens() int32 {
	if a.noImplicit {
		return a.explicitH
	}
	return a.explicitH + a.implicit
}

// room is how many hydrogens the valence leaves room for.
func (a *atom) room() int32 {
	if a.noImplicit {
		return 0
	}
	return a.implicit
}

// totalValence is the valence with all hydrogens.
func (a *atom) totalValence() int32 { return a.valence + a.room() }

// shift is how much a charge adds to the allowed numbers of bonds.
func (a *atom) shift() int32 {
	if basics[a.z].early || a.z == 6 && a.charge > 0 {
		return -a.charge
	}
	return a.charge
}

// inAromatic reports whether atom i or one of its bonds is aromatic.
func (p *Parser) inAromatic(i int32) bool {
	if p.atoms[i].aromatic {
		return true
	}
	for _, l := range p.neighbors(i) {
		if b := &p.bonds[l.bond]; b.aromatic || b.order == Aromatic {
			return true
		}
	}
	return false
}

// explicitValence is the sum of the bond orders and the explicit hydrogens of
// atom i, rounded up where aromatic bonds make it fractional. An aromatic atom
// with more than its default valence is taken back to an allowed one where that
// is within the reach of its Kekulé forms: n in n1(C)cccc1 has 3, not 4.
func (p *Parser) explicitValence(i int32) int32 {
	a := &p.atoms[i]
	sum := 2 * a.explicitH // in half bonds
	for _, l := range p.neighbors(i) {
		sum += p.twice(l.bond, i)
	}
	e := &elements[a.z]
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
func (p *Parser) implicitHydrogens(i int32) (n int32, ok bool) {
	a := &p.atoms[i]
	if a.noImplicit || a.z == 0 || p.queries && p.hasChoice(i) {
		return 0, true
	}
	if a.z == 1 && a.valence == 0 && a.radicals == 0 {
		switch a.charge {
		case 0:
			return 1, true
		case 1, -1:
			return 0, true
		}
		return 0, false
	}
	e := &elements[a.z]
	if e.valences[0] == -1 {
		return 0, true
	}
	shift, used := a.shift(), a.valence+a.radicals
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

// hasChoice reports whether atom i has a bond that is one of several orders.
func (p *Parser) hasChoice(i int32) bool {
	for _, l := range p.neighbors(i) {
		if p.bonds[l.bond].kind == choiceBond {
			return true
		}
	}
	return false
}

// checkValences computes the explicit and implicit valence of every atom and
// refuses atoms with more bonds than their element takes. sums is that of sumBonds. It
// notes whether some atoms are aromatic.
func (p *Parser) checkValences(sums []int32) error {
	atoms := p.atoms
	sums = sums[:len(atoms)]
	for i := range atoms {
		a := &atoms[i]
		p.aromatic = p.aromatic || a.aromatic
		if p.plainValence(a, sums[i]) {
			continue
		}
		a.valence = p.explicitValence(int32(i))
		e := &elements[a.z]
		most := int32(e.valences[len(e.valences)-1])
		if most > 0 {
			// Not shift: elements with four outer electrons and more count as
			// electronegative here.
			limit := most + a.charge
			if e.outer < 4 {
				limit = most - a.charge
			}
			if limit < 0 {
				return p.errorAtom(int32(i), "%s is not possible", a.describe())
			}
			if a.valence > limit {
				return p.errorAtom(int32(i), "%s has %s, at most %d are allowed", a.describe(), countBonds(a.valence), limit)
			}
		}
		var ok bool
		if a.implicit, ok = p.implicitHydrogens(int32(i)); !ok {
			return p.errorAtom(int32(i), "%s has %s, which is not a valence that it can have", a.describe(), countBonds(a.valence))
		}
	}
	return nil
}

// sumBonds returns what the bonds of each atom add to its valence, in half bonds, in
// p.scratch, and notes whether some count at one end or nowhere, and whether some are
// aromatic.
func (p *Parser) sumBonds() []int32 {
	sums := zeroed(&p.scratch, len(p.atoms))
	p.weak, p.aromatic = false, false
	bonds := p.bonds
	for k := range bonds {
		b := &bonds[k]
		p.aromatic = p.aromatic || b.aromatic
		h := halves[b.order]
		sums[b.b] += h
		if b.order == Dative || b.order == Any {
			p.weak = true
			if b.order == Dative {
				continue
			}
		}
		sums[b.a] += h
	}
	return sums
}

// plainValence computes the valences of an atom whose bonds add up to sum, in half
// bonds, if it is one of the common ones that take no thought: no more bonds than
// the default valence, no charge. explicitValence and implicitHydrogens would find the
// same.
func (p *Parser) plainValence(a *atom, sum int32) bool {
	sum += 2 * a.explicitH
	v := int32(basics[a.z].plain)
	if sum > 2*v || a.charge|a.radicals != 0 || p.queries {
		return false
	}
	a.valence = (sum + 1) / 2
	a.implicit = v - a.valence
	if a.noImplicit {
		a.implicit = 0
	}
	return true
}

// refresh computes the valences of atom i again, whatever they are.
func (p *Parser) refresh(i int32) {
	a := &p.atoms[i]
	a.valence = p.explicitValence(i)
	a.implicit, _ = p.implicitHydrogens(i)
}

// countRadicals gives atoms in brackets the unpaired electrons that their bonds,
// hydrogens and charge leave.
func (p *Parser) countRadicals() {
	for i := range p.atoms {
		a := &p.atoms[i]
		if !a.noImplicit || a.z == 0 || a.radicals != 0 {
			continue
		}
		e := &elements[a.z]
		outer := int32(e.outer)
		if len(e.valences) == 1 && e.valences[0] == -1 {
			// A metal: all that can be said is whether electrons are odd.
			a.radicals = max(outer-a.charge, 0) % 2
			continue
		}
		sum := 2 * a.explicitH
		for _, l := range p.neighbors(int32(i)) {
			sum += p.twice(l.bond, int32(i))
		}
		used := sum / 2
		shell := int32(8)
		if a.z <= 2 {
			shell = 2
		}
		n := shell - outer - used + a.charge
		if n < 0 {
			n = 0
			if len(e.valences) > 1 {
				for _, v := range e.valences {
					if r := int32(v) - used + a.charge; r >= 0 {
						n = r
						break
					}
				}
			}
		}
		if r := outer - used - a.charge; r >= 0 {
			n = min(n, r)
		}
		a.radicals = n
	}
}

// settleHydrogens makes explicit the hydrogens that a molecule as it is now
// would no longer imply, such as that of pyrrole's nitrogen.
func (p *Parser) settleHydrogens() {
	atoms, sums := p.atoms, p.sumBonds()
	sums = sums[:len(atoms)]
	for i := range atoms {
		a := &atoms[i]
		if !a.ring && !p.queries && sums[i]+2*a.explicitH == 2*a.valence {
			continue // as checkValences found it
		}
		before := a.room()
		if p.plainValence(a, sums[i]) && a.implicit >= before {
			continue
		}
		a.valence = p.explicitValence(int32(i))
		if a.noImplicit {
			continue
		}
		a.implicit, _ = p.implicitHydrogens(int32(i))
		if a.implicit < before {
			a.explicitH += before - a.implicit
			a.valence = p.explicitValence(int32(i))
		}
	}
}
