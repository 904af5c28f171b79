package molecule

// conjugate marks conjugated bonds: aromatic ones, and a multiple bond next to
// another bond whose far end can take part.
func (p *Parser) conjugate() {
	const can, cannot, multiple = 1, 2, 4 // conjugable, not; with a multiple bond
	known := zeroed(p.scratch, len(p.atoms))
	p.scratch = known
	for k := range p.bonds {
		b := &p.bonds[k]
		b.conj = b.aromatic
		if halves[b.order] >= 3 {
			known[b.a] = multiple
			known[b.b] = multiple
		}
	}
	conjugable := func(i int32) bool {
		if known[i]&(can|cannot) == 0 {
			if p.conjugable(i) {
				known[i] |= can
			} else {
				known[i] |= cannot
			}
		}
		return known[i]&can != 0
	}
	for i := range p.atoms {
		if known[i]&multiple == 0 {
			continue
		}
		links := p.neighbors(int32(i))
		if len(links) < 2 {
			continue
		}
		if n := int32(len(links)) + p.atoms[i].hydrogens(); n > 3 || !conjugable(int32(i)) {
			continue
		}
		for _, l := range links {
			if p.twice(l.bond, int32(i)) < 3 {
				continue
			}
			for _, o := range links {
				if o == l || p.bonds[l.bond].conj && p.bonds[o.bond].conj {
					continue
				}
				far := p.neighbors(o.atom)
				if int32(len(far))+p.atoms[o.atom].hydrogens() <= 3 && conjugable(o.atom) {
					p.bonds[l.bond].conj = true
					p.bonds[o.bond].conj = true
				}
			}
		}
	}
}

// conjugable reports whether atom i has electrons to share. Beyond the second row,
// elements of the nitrogen and oxygen groups do not (but for =S and the like).
func (p *Parser) conjugable(i int32) bool {
	a := &p.atoms[i]
	if outer := elements[a.z].outer; a.z > 10 && (outer == 5 || outer == 6) {
		if outer == 5 || int32(len(p.neighbors(i)))+a.hydrogens() >= 2 {
			return false
		}
	}
	return p.piElectrons(i) > 0
}

// hybridize sets the hybridisation of every atom from its number of neighbours
// and lone pairs.
func (p *Parser) hybridize() {
	for i := range p.atoms {
		a := &p.atoms[i]
		links := p.neighbors(int32(i))
		degree := int32(len(links)) + a.hydrogens()
		a.hybrid = Unhybridized
		if a.z == 0 {
			continue
		}
		// A stereo class that fits the number of neighbours decides.
		switch {
		case a.chirality == Achiral:
		case a.chirality <= Tetrahedral && degree == 4:
			a.hybrid = SP3
		case a.chirality == SquarePlanar && degree >= 2 && degree <= 4:
			a.hybrid = SP2D
		case a.chirality == TrigonalBipyramidal && degree >= 2 && degree <= 5:
			a.hybrid = SP3D
		case a.chirality == Octahedral && degree >= 2 && degree <= 6:
			a.hybrid = SP3D2
		}
		if a.hybrid != Unhybridized {
			continue
		}
		orbitals := degree
		if p.queries {
			for _, l := range links {
				if p.bonds[l.bond].kind == zeroBond {
					orbitals--
				}
			}
		}
		if a.z > 1 && a.z < 89 {
			orbitals += a.lonePairs()
		}
		switch orbitals {
		case 0, 1:
			a.hybrid = S
		case 2:
			a.hybrid = SP
		case 3:
			a.hybrid = SP2
		case 4:
			// Flat where a lone pair is conjugated, like that of the second
			// oxygen in O=CO.
			a.hybrid = SP3
			if degree <= 3 {
				for _, l := range links {
					if p.bonds[l.bond].conj {
						a.hybrid = SP2
						break
					}
				}
			}
		case 5:
			a.hybrid = SP3D
		case 6:
			a.hybrid = SP3D2
		}
	}
}

// lonePairs is the number of orbitals that hold lone pairs or unpaired electrons.
// It is negative for some metals.
func (a *atom) lonePairs() int32 {
	outer := int32(elements[a.z].outer)
	total := a.totalValence()
	free := outer - (total + a.charge)
	if total+outer-a.charge < 8 {
		return (free-a.radicals)/2 + a.radicals
	}
	return free / 2
}
