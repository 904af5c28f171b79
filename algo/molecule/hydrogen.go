package molecule

// foldHydrogens takes ordinary hydrogen atoms out of the molecule and counts
// them at their neighbours. A hydrogen stays where it says something that a
// count does not: an isotope, no or several neighbours, a neighbour that is a
// wildcard, a hydrogen or has a stereo class, or the geometry of a double bond.
func (p *Parser) foldHydrogens() {
	n := 0
	for i := range p.atoms {
		if p.atoms[i].z == 1 && p.foldable(int32(i)) {
			p.atoms[i].removed = true
			n++
		}
	}
	if n == 0 {
		return
	}
	scratch := zeroed(&p.scratch, len(p.bonds)+len(p.atoms))
	gone, to := scratch[:len(p.bonds)], scratch[len(p.bonds):] // 1: bond to a folded hydrogen
	// From the last to the first, because each moves to the end of its
	// neighbour's bonds before it goes.
	for i := len(p.atoms) - 1; i >= 0; i-- {
		if !p.atoms[i].removed {
			continue
		}
		l := p.neighbors(int32(i))[0]
		heavy := &p.atoms[l.atom]
		if !p.lean || p.countsHydrogens(l.atom) {
			heavy.explicitH++
		}
		if heavy.chirality == Clockwise || heavy.chirality == CounterClockwise {
			for around, after := p.neighbors(l.atom), false; len(around) > 0; around = around[1:] {
				switch {
				case around[0].bond == l.bond:
					after = true
				case after && gone[around[0].bond] == 0:
					heavy.chirality = heavy.chirality.turn()
				}
			}
		}
		p.handDirection(int32(i), l, gone)
		gone[l.bond] = 1
	}
	// Close the gaps.
	m := int32(0)
	for i := range p.atoms {
		if p.atoms[i].removed {
			continue
		}
		to[i] = m
		p.atoms[m] = p.atoms[i]
		m++
	}
	kept, chain := p.bonds[:0], p.chain
	for k := range p.bonds {
		if gone[k] == 0 {
			b := p.bonds[k]
			b.a, b.b = to[b.a], to[b.b]
			kept = append(kept, b)
		} else if k < p.chain {
			chain--
		}
	}
	p.atoms, p.bonds, p.chain = p.atoms[:m], kept, chain
	p.link()
}

func (p *Parser) foldable(i int32) bool {
	a := &p.atoms[i]
	links := p.neighbors(i)
	if len(links) != 1 || a.isotope != 0 || a.marks != 0 {
		return false
	}
	l := links[0]
	heavy := &p.atoms[l.atom]
	if heavy.z <= 1 || heavy.chirality >= SquarePlanar {
		return false
	}
	if p.bonds[l.bond].dir != level {
		if around := p.neighbors(l.atom); len(around) == 2 {
			for _, k := range around {
				if p.bonds[k.bond].order == Double {
					return false
				}
			}
		}
	}
	return true
}

// countsHydrogens reports whether a hydrogen of a molfile that is folded into atom
// i is counted there. Otherwise it is left to what the valence implies, so that
// ammonium drawn without its charge becomes ammonia.
func (p *Parser) countsHydrogens(i int32) bool {
	a := &p.atoms[i]
	if a.noImplicit || a.chirality != Achiral {
		return true
	}
	for _, v := range elements[a.z].valences[1:] {
		if int32(v) == a.totalValence() {
			return true
		}
	}
	return false
}

// handDirection hands the direction of the bond to hydrogen h on to another
// single bond of its neighbour, unless one of them has a direction already.
func (p *Parser) handDirection(h int32, l link, gone []int32) {
	b := &p.bonds[l.bond]
	if b.dir == level {
		return
	}
	var other *bond
	for _, k := range p.neighbors(l.atom) {
		if o := &p.bonds[k.bond]; k.bond != l.bond && gone[k.bond] == 0 && o.order == Single {
			if o.dir != level {
				return
			}
			other = o
		}
	}
	if other == nil {
		return
	}
	other.dir = b.dir
	if other.a == l.atom && b.a == l.atom {
		other.dir = b.dir.flip()
	}
}

// normalize rewrites some groups that are commonly drawn with too many bonds:
// nitro N(=O)=O and N-oxides, azides and diazo groups N=N#N, phosphorus as in
// C=P(=O)X, and the oxo acids of chlorine, bromine and iodine. sums is that of sumBonds.
// It reports whether it may have changed a bond.
func (p *Parser) normalize(sums []int32) bool {
	changed := false
	atoms := p.atoms
	sums = sums[:len(atoms)]
	for i := range atoms {
		a := &atoms[i]
		if sums[i]+2*a.explicitH <= 2*int32(basics[a.z].valence) {
			continue // no more than the default valence
		}
		switch a.z {
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

func (p *Parser) normalizeNitrogen(i int32) {
	a := &p.atoms[i]
	if a.charge != 0 {
		return
	}
	held := a.aromatic
	a.aromatic = false
	valence := p.explicitValence(i)
	a.aromatic = held
	if valence != 5 {
		return
	}
	for _, l := range p.neighbors(i) {
		n, b := &p.atoms[l.atom], &p.bonds[l.bond]
		if n.charge != 0 {
			continue
		}
		if n.z == 8 && b.order == Double {
			b.order = Single
		} else if n.z == 7 && b.order == Triple {
			b.order = Double
		} else {
			continue
		}
		a.charge, n.charge = 1, -1
		return
	}
}

func (p *Parser) normalizePhosphorus(i int32) {
	a := &p.atoms[i]
	links := p.neighbors(i)
	if a.charge != 0 || len(links) != 3 || p.explicitValence(i) != 5 {
		return
	}
	oxygen, multiple := link{-1, -1}, false
	for _, l := range links {
		n := &p.atoms[l.atom]
		if p.bonds[l.bond].order != Double {
			continue
		}
		if n.z == 8 && n.charge == 0 {
			oxygen = l
		} else if (n.z == 6 || n.z == 7) && len(p.neighbors(l.atom)) >= 2 {
			multiple = true
		}
	}
	if multiple && oxygen.atom >= 0 {
		p.atoms[oxygen.atom].charge = -1
		p.bonds[oxygen.bond].order = Single
		a.charge = 1
	}
}

func (p *Parser) normalizeHalogen(i int32) {
	a := &p.atoms[i]
	if a.charge != 0 {
		return
	}
	if v := p.explicitValence(i); v != 3 && v != 5 && v != 7 {
		return
	}
	for _, l := range p.neighbors(i) {
		if p.atoms[l.atom].z != 8 {
			return
		}
	}
	for _, l := range p.neighbors(i) {
		if b := &p.bonds[l.bond]; b.order == Double {
			b.order = Single
			p.atoms[l.atom].charge = -1
			a.charge++
		}
	}
}
