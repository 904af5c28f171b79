package molecule

import (
	"slices"

	"baca/algo/molecule/internal/buffer"
)

// RDKit's model of aromaticity: atoms offer 0, 1 or 2 electrons; a ring, or up to six fused rings
// as one, is aromatic where Hückel's 4n+2 can be met.

const (
	maxFusedSize  = 24  // larger rings are tried alone
	maxFusedRings = 6   // the most rings that are tried together
	maxSystem     = 300 // in systems of more rings at most pairs are tried together
)

// aromatizer is the workspace of aromatize.
type aromatizer struct {
	fused  fusion
	donor  []donor
	count  []uint8 // number of the subset's rings at an atom
	atoms  []int32
	times  []uint8 // number of the subset's rings at a bond
	bonds  []int32
	marked []bool // bonds already aromatic

	// Enumeration of connected subsets of rings.
	subset []int32
	reach  []uint8
}

// A donor is the number of π electrons that an atom offers to a ring.
type donor uint8

const (
	unknown  donor = iota
	noDonor        // cannot be part of an aromatic ring
	vacant         // 0, an empty orbital
	one            // 1
	two            // 2
	wildcard       // 1 or 2
)

// aromatize marks aromatic atoms and bonds. It tries only candidates: rings of allowed donors that are not all wildcards.
func (p *Draft) aromatize() {
	r, a := &p.Rings, &p.aro
	if !slices.ContainsFunc(p.kept.mates, func(mate int32) bool { return mate > saturated }) {
		return // all rings stay as they are
	}
	n, m := len(p.Atoms), len(p.Bonds)
	buffer.Zeroed(&a.donor, n)
	some := false // some ring is a candidate
	candidate := func(q int32) bool {
		if p.kept.mates[q] <= saturated {
			return false
		}
		wild := true
		for _, i := range r.Ring(int(q)) {
			if p.Atoms[i].Element != 0 {
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
	if p.fuse(&a.fused, candidate, maxFusedSize, 1); !some {
		return
	}
	buffer.Zeroed(&a.count, n)
	buffer.Zeroed(&a.times, m)
	buffer.Zeroed(&a.marked, m)
	buffer.Zeroed(&a.reach, r.Len())
	for q := range r.Len() {
		if a.fused.done[q] {
			continue
		}
		p.aromatizeSystem(a.fused.pick(int32(q)))
	}
}

// aromatizeSystem tries the rings of a fused system alone, then in pairs, and so on. It stops when all bonds are
// aromatic, or after maxFusedRings.
func (p *Draft) aromatizeSystem(system []int32) {
	r, a := &p.Rings, &p.aro
	done := 0 // aromatic bonds of the system
	if len(system) == 1 {
		p.tryRings(system, &done)
		return
	}
	total := 0 // bonds of the system; a.times marks those that were counted
	for _, q := range system {
		for _, b := range r.Bonds(int(q)) {
			if a.times[b] == 0 {
				a.times[b] = 1
				total++
			}
		}
	}
	for _, q := range system {
		for _, b := range r.Bonds(int(q)) {
			a.times[b] = 0
		}
	}
	for size := 1; size <= min(len(system), maxFusedRings) && done < total; size++ {
		if size == 3 && len(system) > maxSystem {
			break
		}
		// Each connected subset once: those with least ring q, grown over greater neighbours.
		for _, q := range system {
			a.subset = append(a.subset[:0], q)
			p.subsets(size, q, a.fused.near[a.fused.first[q]:a.fused.first[q+1]], &done)
		}
	}
}

// subsets extends a.subset by rings of extension to every connected subset of the given size whose lowest ring is least,
// and tries each once (Wernicke's ESU algorithm). done counts aromatic bonds, see tryRings.
func (p *Draft) subsets(size int, least int32, extension []int32, done *int) {
	a := &p.aro
	if len(a.subset) == size {
		p.tryRings(a.subset, done)
		p.spend(8 * size)
		return
	}
	// a.reach counts how often a ring is in or next to the subset.
	last := a.subset[len(a.subset)-1]
	near := a.fused.near[a.fused.first[last]:a.fused.first[last+1]]
	a.reach[last]++
	for _, o := range near {
		a.reach[o]++
	}
	for k, q := range extension {
		if q <= least {
			continue
		}
		a.subset = append(a.subset, q)
		var next []int32
		if len(a.subset) < size {
			// New neighbours of q that no other ring of the subset has.
			next = slices.Clone(extension[k+1:])
			for _, o := range a.fused.near[a.fused.first[q]:a.fused.first[q+1]] {
				if o > least && a.reach[o] == 0 {
					next = append(next, o)
				}
			}
		}
		p.subsets(size, least, next, done)
		a.subset = a.subset[:len(a.subset)-1]
	}
	a.reach[last]--
	for _, o := range near {
		a.reach[o]--
	}
}

// tryRings marks the atoms and bonds of the union of the rings as aromatic if Hückel's rule allows it. It adds the number
// of newly aromatic bonds to done.
func (p *Draft) tryRings(subset []int32, done *int) {
	r, a := &p.Rings, &p.aro
	a.atoms = a.atoms[:0]
	for _, q := range subset {
		for _, i := range r.Ring(int(q)) {
			if a.count[i] == 0 {
				a.atoms = append(a.atoms, i)
			}
			a.count[i]++
		}
	}
	low, high, wild := 0, 0, 0 // the fewest and most electrons, and the wildcards among the donors
	for _, i := range a.atoms {
		// An atom inside three rings is not on the perimeter.
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
	if wild > 1 || !huckel(low, high) { // RDKit allows one wildcard
		return
	}
	p.redrawn = true
	for _, i := range a.atoms {
		p.Atoms[i].Aromatic = true
	}
	// Only bonds in one ring are aromatic, not shared ones.
	a.bonds = a.bonds[:0]
	for _, q := range subset {
		for _, b := range r.Bonds(int(q)) {
			if a.times[b] == 0 {
				a.bonds = append(a.bonds, b)
			}
			a.times[b]++
		}
	}
	for _, k := range a.bonds {
		if b := &p.Bonds[k]; a.times[k] == 1 {
			b.Aromatic = true
			if b.Order == Single || b.Order == Double {
				b.Order = Aromatic
			}
			if !a.marked[k] {
				a.marked[k] = true
				*done++
			}
		}
		a.times[k] = 0
	}
}

// huckel reports whether some number from low to high is 4n+2. Below 6, high itself must be 2, as in RDKit.
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

// donorOf returns what ring atom i offers to an aromatic ring, or noDonor if it is not allowed in one.
func (p *Draft) donorOf(i int32) donor {
	a := &p.Atoms[i]
	// Allowed are the first three rows, selenium and tellurium.
	if a.Element > 18 && a.Element != 34 && a.Element != 52 {
		return noDonor
	}
	d := p.electronsOffered(i)
	if d == noDonor {
		return noDonor
	}
	// At most the default valence of the neutral atom with as many electrons.
	if basics[a.Element].valence > 0 {
		z := int32(a.Element) - a.Charge
		if z < 0 || z > MaxElement || a.totalValence() > int32(basics[z].valence) {
			return noDonor
		}
	}
	// Radicals only on neutral carbon.
	if a.Radicals != 0 && (a.Element != 6 || a.Charge != 0) {
		return noDonor
	}
	// Not two multiple bonds.
	if a.valence-p.Degree(i) > 1 {
		multiple := 0
		for _, l := range p.Neighbors(i) {
			if o := p.Bonds[l.Bond].Order; o == Double || o == Triple {
				multiple++
			}
		}
		if multiple > 1 {
			return noDonor
		}
	}
	return d
}

// electronsOffered returns what ring atom i offers by its electrons and multiple bonds alone.
func (p *Draft) electronsOffered(i int32) donor {
	a := &p.Atoms[i]
	n := p.piElectrons(i)
	if n < 0 && a.Element != 0 {
		return noDonor
	}
	// With two bonds no multiple bond leaves the rings, and one within them is irrelevant to an atom with electrons.
	outer, inner := int32(-1), false
	if n <= 0 || p.Degree(i) != 2 {
		outer, inner = p.multipleBonds(i)
	}
	if a.Element == 0 {
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
			if moreElectronegative(p.Atoms[outer].Element, a.Element) {
				return vacant
			}
			return one
		}
		// Without a bond out of the rings it needs one within, except in tropylium and the like.
		degree := p.Degree(i) + a.Explicit
		if p.weak {
			for _, l := range p.Neighbors(i) {
				if p.twice(l.Bond, i) == 0 {
					degree--
				}
			}
		}
		if a.valence != degree {
			return one
		}
		if a.Charge == 1 {
			return vacant
		}
		return noDonor
	}
	if outer >= 0 && moreElectronegative(p.Atoms[outer].Element, a.Element) {
		n-- // the outer atom draws one away
	}
	if n%2 == 1 {
		return one
	}
	return two
}

// multipleBonds returns the far end of the first multiple bond of atom i that is in no ring, or -1, and whether
// a multiple bond of atom i is in a ring.
func (p *Draft) multipleBonds(i int32) (outer int32, inner bool) {
	outer = -1
	for _, l := range p.Neighbors(i) {
		if b := &p.Bonds[l.Bond]; halves[b.Order] >= halves[Double] {
			if b.InRing {
				inner = true
			} else if outer < 0 {
				outer = l.Atom
			}
		}
	}
	return outer, inner
}

// piElectrons returns how many electrons atom i has for a π system, or -1 if it cannot be part of one.
func (p *Draft) piElectrons(i int32) int32 {
	a := &p.Atoms[i]
	e := &basics[a.Element]
	v := int32(e.valence)
	if v <= 1 {
		return -1
	}
	links := p.Neighbors(i)
	degree := int32(len(links)) + a.Hydrogens()
	if p.weak {
		for _, l := range links {
			if p.twice(l.Bond, i) == 0 {
				degree--
			}
		}
	}
	if degree > 3 {
		return -1
	}
	pairs := max(int32(e.outer)-v-a.Charge, 0)
	n := v - degree + pairs - a.Radicals
	if n > 1 && a.valence-p.Degree(i) > 1 {
		return 1 // a triple bond
	}
	return n
}

// moreElectronegative compares elements as RDKit does, by outer electrons.
func moreElectronegative(z, than uint8) bool {
	a, b := basics[z].outer, basics[than].outer
	return a > b || a == b && z < than
}
