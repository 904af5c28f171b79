package molecule

// conjugated reports whether a bond of atom i is conjugated. Conjugated bonds are aromatic
// ones; a bond between atoms that can take part, if one of them has a multiple bond beside
// it; and that multiple bond.
func (p *Parser) conjugated(i int32) bool {
	links := p.neighbors(i)
	for _, l := range links {
		if p.bonds[l.bond].aromatic {
			return true
		}
	}
	for _, l := range links {
		if p.joins(i, l) && (p.multipleBeside(i, l.bond) || p.multipleBeside(l.atom, l.bond)) {
			return true
		}
		if !p.multiple(l.bond) || !p.takesPart(l.atom) {
			continue
		}
		for _, o := range p.neighbors(l.atom) {
			if p.joins(l.atom, o) && p.multipleBeside(l.atom, o.bond) {
				return true
			}
		}
	}
	return false
}

// multiple reports whether bond k is more than single.
func (p *Parser) multiple(k int32) bool { return halves[p.bonds[k].order] >= 3 }

// multipleBeside reports whether atom i has a multiple bond other than bond k.
func (p *Parser) multipleBeside(i, k int32) bool {
	for _, l := range p.neighbors(i) {
		if l.bond != k && p.multiple(l.bond) {
			return true
		}
	}
	return false
}

// joins reports whether link l of atom i is between atoms that take part in conjugation.
func (p *Parser) joins(i int32, l link) bool { return p.takesPart(i) && p.takesPart(l.atom) }

// takesPart reports whether atom i can take part in conjugation. It has three neighbours
// at most.
func (p *Parser) takesPart(i int32) bool {
	return p.degree(i)+p.atoms[i].hydrogens() <= 3 && p.conjugable(i)
}

// conjugable reports whether atom i has electrons to share. Beyond the second row,
// elements of the nitrogen and oxygen groups do not (but for =S and the like).
func (p *Parser) conjugable(i int32) bool {
	a := &p.atoms[i]
	if outer := basics[a.z].outer; a.z > 10 && (outer == 5 || outer == 6) {
		if outer == 5 || p.degree(i)+a.hydrogens() >= 2 {
			return false
		}
	}
	return p.piElectrons(i) > 0
}

// byOrbitals is the hybridisation of an atom with so many neighbours and lone pairs.
var byOrbitals = [...]Hybridization{S, S, SP, SP2, SP3, SP3D, SP3D2}

// hybridize sets the hybridisation of every atom from its number of neighbours
// and lone pairs.
func (p *Parser) hybridize() {
	atoms := p.atoms
	for i := range atoms {
		a := &atoms[i]
		degree := p.degree(int32(i)) + a.hydrogens()
		a.hybrid = Unhybridized
		if a.chirality != Achiral {
			a.hybrid = a.stereoHybrid(degree)
		}
		if a.hybrid == Unhybridized && a.z != 0 {
			orbitals := degree
			if p.queries {
				for _, l := range p.neighbors(int32(i)) {
					if p.bonds[l.bond].kind == zeroBond {
						orbitals--
					}
				}
			}
			if a.z > 1 && a.z < 89 {
				orbitals += a.lonePairs()
			}
			if orbitals >= 0 && int(orbitals) < len(byOrbitals) {
				a.hybrid = byOrbitals[orbitals]
			}
			// Flat where a lone pair is conjugated, like that of the second oxygen in
			// O=CO.
			if orbitals == 4 && degree <= 3 && p.conjugated(int32(i)) {
				a.hybrid = SP2
			}
		}
	}
}

// stereoHybrid is the hybridisation that a stereo class makes of an atom with as many
// neighbours as fit it.
func (a *atom) stereoHybrid(degree int32) Hybridization {
	switch {
	case a.z == 0:
	case a.chirality <= Tetrahedral && degree == 4:
		return SP3
	case a.chirality == SquarePlanar && degree >= 2 && degree <= 4:
		return SP2D
	case a.chirality == TrigonalBipyramidal && degree >= 2 && degree <= 5:
		return SP3D
	case a.chirality == Octahedral && degree >= 2 && degree <= 6:
		return SP3D2
	}
	return Unhybridized
}

// lonePairs is the number of orbitals that hold lone pairs or unpaired electrons.
// It is negative for some metals.
func (a *atom) lonePairs() int32 {
	outer := int32(basics[a.z].outer)
	total := a.totalValence()
	free := outer - (total + a.charge)
	if a.radicals != 0 && total+outer-a.charge < 8 {
		return (free-a.radicals)/2 + a.radicals
	}
	return free / 2
}
