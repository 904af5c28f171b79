package molecule

// An end is what conjugate knows of an atom.
type end struct {
	sum        int32 // what its bonds add to its valence, in half bonds
	multiple   int32 // bonds that are more than single
	open       int32 // those that are not aromatic
	takes      takes
	all        bool // all its multiple bonds are conjugated
	conjugated bool // some of its bonds are
}

// takes says whether an atom can take part in conjugation.
type takes uint8

const (
	takesUnknown takes = iota
	takesPart
	takesNone
)

// conjugate fills p.ends and with that finds the atoms with conjugated bonds: aromatic
// ones; and a bond between atoms that can take part, if one of them has a multiple bond
// beside it, together with that.
func (p *Parser) conjugate() {
	bonds, ends := p.bonds, zeroed(&p.ends, len(p.atoms))
	open := false
	for k := range bonds {
		b := &bonds[k]
		x, y := &ends[b.a], &ends[b.b]
		if b.aromatic {
			x.conjugated, y.conjugated = true, true
		}
		h := halves[b.order]
		y.sum += h
		if b.order != Dative {
			x.sum += h
		}
		if h < 3 {
			continue
		}
		x.multiple++
		y.multiple++
		if !b.aromatic {
			x.open++
			y.open++
			open = true
		}
	}
	part := func(i int32) bool {
		e := &ends[i]
		if e.takes == takesUnknown {
			e.takes = takesNone
			if p.degree(i)+p.atoms[i].hydrogens() <= 3 && p.conjugable(i) {
				e.takes = takesPart
			}
		}
		return e.takes == takesPart
	}
	for k := range bonds {
		b := &bonds[k]
		x, y := &ends[b.a], &ends[b.b]
		self := int32(0)
		if halves[b.order] >= 3 {
			self = 1
		}
		if x.multiple+y.multiple == 2*self || x.open|y.open == 0 && x.conjugated && y.conjugated {
			continue // nothing beside it, or nothing new
		}
		if part(b.a) && part(b.b) {
			x.conjugated, y.conjugated = true, true
			x.all = x.all || x.multiple > self
			y.all = y.all || y.multiple > self
		}
	}
	if !open {
		return
	}
	for k := range bonds {
		if b := &bonds[k]; halves[b.order] >= 3 {
			x, y := &ends[b.a], &ends[b.b]
			all := x.all || y.all
			x.conjugated = x.conjugated || all
			y.conjugated = y.conjugated || all
		}
	}
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

// hybridize sets the hybridisation of every atom from its number of neighbours
// and lone pairs.
func (p *Parser) hybridize() {
	atoms := p.atoms
	ends := p.ends[:len(atoms)]
	for i := range atoms {
		a := &atoms[i]
		degree := p.degree(int32(i)) + a.hydrogens()
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
			for _, l := range p.neighbors(int32(i)) {
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
			if degree <= 3 && ends[i].conjugated {
				a.hybrid = SP2
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
	outer := int32(basics[a.z].outer)
	total := a.totalValence()
	free := outer - (total + a.charge)
	if total+outer-a.charge < 8 {
		return (free-a.radicals)/2 + a.radicals
	}
	return free / 2
}
