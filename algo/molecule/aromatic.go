package molecule

import "slices"

// RDKit's model of aromaticity: atoms offer 0, 1 or 2 electrons, and rings, or
// up to six fused rings taken together, are aromatic where Hückel's 4n+2 can be
// met.

const (
	maxFusedSize  = 24  // larger rings are looked at alone
	maxFusedRings = 6   // rings taken together
	maxSystem     = 300 // with more rings in a system only pairs are
)

// aromatizer is the workspace of aromatize.
type aromatizer struct {
	fused  fusion
	donor  []donor
	count  []uint8 // rings of the subset that an atom is in
	atoms  []int32
	times  []uint8 // rings of the subset that a bond is in
	bonds  []int32
	marked []bool // bonds found aromatic in the system

	// Enumeration of connected subsets of rings.
	subset []int32
	reach  []uint8
}

// A donor says how many electrons an atom offers.
type donor uint8

const (
	unknown  donor = iota
	noDonor        // cannot be part of an aromatic ring
	vacant         // 0, an empty orbital
	one            // 1
	two            // 2
	wildcard       // 1 or 2
)

// aromatize marks aromatic atoms and bonds.
func (p *Parser) aromatize() error {
	r, a := &p.rings, &p.aro
	if r.len() == 0 {
		return nil
	}
	n, m := len(p.atoms), len(p.bonds)
	zeroed(&a.donor, n)
	some := false
	candidate := func(q int32) bool {
		wild := true
		for _, i := range r.ring(int(q)) {
			if p.atoms[i].z != 0 {
				wild = false
			}
			if a.donor[i] == unknown {
				a.donor[i] = p.donorOf(i)
			}
			if a.donor[i] == noDonor {
				return false
			}
		}
		some = some || !wild
		return !wild
	}
	if err := p.fuse(&a.fused, candidate, maxFusedSize, 1); err != nil {
		return err
	}
	if !some {
		return nil
	}
	zeroed(&a.count, n)
	zeroed(&a.times, m)
	zeroed(&a.marked, m)
	zeroed(&a.reach, r.len())
	for q := range r.len() {
		if a.fused.done[q] {
			continue
		}
		a.fused.pick(int32(q))
		if err := p.aromatizeSystem(a.fused.system); err != nil {
			return err
		}
	}
	return nil
}

// aromatizeSystem tries the rings of a fused system alone, in pairs, and so on
// until all bonds are aromatic.
func (p *Parser) aromatizeSystem(system []int32) error {
	r, a := &p.rings, &p.aro
	done := 0
	if len(system) == 1 {
		p.tryRings(system, &done)
		return nil
	}
	total := 0
	for _, q := range system {
		for _, b := range r.ringBonds(int(q)) {
			if a.times[b] == 0 {
				a.times[b] = 1
				total++
			}
		}
	}
	for _, q := range system {
		for _, b := range r.ringBonds(int(q)) {
			a.times[b] = 0
		}
	}
	for size := 1; size <= min(len(system), maxFusedRings) && done < total; size++ {
		if size == 3 && len(system) > maxSystem {
			break
		}
		// Each connected subset once: those whose least ring is q, grown over
		// neighbours greater than q.
		for _, q := range system {
			a.subset = append(a.subset[:0], q)
			if err := p.subsets(size, q, a.fused.near[a.fused.first[q]:a.fused.first[q+1]], &done); err != nil {
				return err
			}
		}
	}
	return nil
}

// subsets grows a.subset, whose least ring is least, to the given size in all
// ways that use rings of the extension, and tries each (Wernicke's ESU).
func (p *Parser) subsets(size int, least int32, extension []int32, done *int) error {
	a := &p.aro
	if len(a.subset) == size {
		p.tryRings(a.subset, done)
		if !p.spend(8 * size) {
			return p.errorBudget()
		}
		return nil
	}
	// a.reach counts how often a ring is in the subset or next to it.
	last := a.subset[len(a.subset)-1]
	near := a.fused.near[a.fused.first[last]:a.fused.first[last+1]]
	a.reach[last]++
	for _, o := range near {
		a.reach[o]++
	}
	var err error
	for k, q := range extension {
		if q <= least {
			continue
		}
		a.subset = append(a.subset, q)
		var next []int32
		if len(a.subset) < size {
			// What is new with q: its neighbours that no ring of the subset has.
			next = slices.Clone(extension[k+1:])
			for _, o := range a.fused.near[a.fused.first[q]:a.fused.first[q+1]] {
				if o > least && a.reach[o] == 0 {
					next = append(next, o)
				}
			}
		}
		err = p.subsets(size, least, next, done)
		a.subset = a.subset[:len(a.subset)-1]
		if err != nil {
			break
		}
	}
	a.reach[last]--
	for _, o := range near {
		a.reach[o]--
	}
	return err
}

// tryRings applies Hückel's rule to the rings taken together and marks them.
func (p *Parser) tryRings(subset []int32, done *int) {
	r, a := &p.rings, &p.aro
	a.atoms = a.atoms[:0]
	for _, q := range subset {
		for _, i := range r.ring(int(q)) {
			if a.count[i] == 0 {
				a.atoms = append(a.atoms, i)
			}
			a.count[i]++
		}
	}
	low, high, wild := 0, 0, 0
	for _, i := range a.atoms {
		// An atom inside three rings is no part of the perimeter.
		if a.count[i] <= 2 {
			switch a.donor[i] {
			case one:
				low++
				high++
			case two:
				low += 2
				high += 2
			case wildcard:
				low++
				high += 2
				wild++
			}
		}
		a.count[i] = 0
	}
	if wild > 1 || !huckel(low, high) {
		return
	}
	for _, i := range a.atoms {
		p.atoms[i].aromatic = true
	}
	// Only bonds that one ring has are aromatic, not those between two.
	a.bonds = a.bonds[:0]
	for _, q := range subset {
		for _, b := range r.ringBonds(int(q)) {
			if a.times[b] == 0 {
				a.bonds = append(a.bonds, b)
			}
			a.times[b]++
		}
	}
	for _, k := range a.bonds {
		if b := &p.bonds[k]; a.times[k] == 1 {
			b.aromatic = true
			if b.order == Single || b.order == Double {
				b.order = Aromatic
			}
			if !a.marked[k] {
				a.marked[k] = true
				*done++
			}
		}
		a.times[k] = 0
	}
}

// huckel reports whether a number of electrons from low to high is 4n+2.
func huckel(low, high int) bool {
	if high >= 6 {
		for n := low; n <= high; n++ {
			if (n-2)%4 == 0 {
				return true
			}
		}
		return false
	}
	return high == 2
}

// donorOf says what atom i, which is in a ring, offers to aromaticity.
func (p *Parser) donorOf(i int32) donor {
	a := &p.atoms[i]
	// The first three rows, selenium and tellurium.
	if a.z > 18 && a.z != 34 && a.z != 52 {
		return noDonor
	}
	d := p.electronsOffered(i)
	if d == noDonor {
		return noDonor
	}
	// Not more than the default valence, counted as the neutral atom with as
	// many electrons.
	if basics[a.z].valence > 0 {
		z := int32(a.z) - a.charge
		if z < 0 || z > maxElement || a.totalValence() > int32(basics[z].valence) {
			return noDonor
		}
	}
	// A radical only on neutral carbon.
	if a.radicals != 0 && (a.z != 6 || a.charge != 0) {
		return noDonor
	}
	// Not two multiple bonds.
	if a.valence-p.degree(i) > 1 {
		multiple := 0
		for _, l := range p.neighbors(i) {
			if o := p.bonds[l.bond].order; o == Double || o == Triple {
				multiple++
			}
		}
		if multiple > 1 {
			return noDonor
		}
	}
	return d
}

func (p *Parser) electronsOffered(i int32) donor {
	a := &p.atoms[i]
	n := p.piElectrons(i)
	if n < 0 && a.z != 0 {
		return noDonor
	}
	// A multiple bond that leaves the rings, and one within them. Of the former
	// RDKit looks at the first. With two bonds there is none, and the latter does not
	// matter to an atom with electrons.
	outer, inner := int32(-1), false
	links := p.neighbors(i)
	if n > 0 && len(links) == 2 {
		links = nil
	}
	for _, l := range links {
		if b := &p.bonds[l.bond]; halves[b.order] >= 4 {
			if b.ring {
				inner = true
			} else if outer < 0 {
				outer = l.atom
			}
		}
	}
	if a.z == 0 {
		if inner {
			return one
		}
		return wildcard
	}
	switch n {
	case 0:
		if outer >= 0 {
			return vacant
		}
		if inner {
			return one
		}
		return noDonor
	case 1:
		if outer >= 0 {
			if moreElectronegative(p.atoms[outer].z, a.z) {
				return vacant
			}
			return one
		}
		// Some multiple bond must be there, but for tropylium and the like.
		degree := p.degree(i) + a.explicitH
		if p.weak {
			for _, l := range p.neighbors(i) {
				if p.twice(l.bond, i) == 0 {
					degree--
				}
			}
		}
		if a.valence != degree {
			return one
		}
		if a.charge == 1 {
			return vacant
		}
		return noDonor
	}
	if outer >= 0 && moreElectronegative(p.atoms[outer].z, a.z) {
		n--
	}
	if n%2 == 1 {
		return one
	}
	return two
}

// piElectrons is how many electrons atom i has for a π system, or -1 where it can
// have none.
func (p *Parser) piElectrons(i int32) int32 {
	a := &p.atoms[i]
	e := &basics[a.z]
	v := int32(e.valence)
	if v <= 1 {
		return -1
	}
	links := p.neighbors(i)
	degree := int32(len(links)) + a.hydrogens()
	if p.weak {
		for _, l := range links {
			if p.twice(l.bond, i) == 0 && p.bonds[l.bond].kind != choiceBond {
				degree--
			}
		}
	}
	if degree > 3 {
		return -1
	}
	pairs := max(int32(e.outer)-v-a.charge, 0)
	n := v - degree + pairs - a.radicals
	if n > 1 && a.valence-p.degree(i) > 1 {
		return 1 // a triple bond
	}
	return n
}

// moreElectronegative compares elements as RDKit does, by outer electrons.
func moreElectronegative(z, than uint8) bool {
	a, b := basics[z].outer, basics[than].outer
	return a > b || a == b && z < than
}
