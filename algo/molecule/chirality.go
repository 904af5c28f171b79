package molecule

import (
	"slices"

	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
)

// Tags of atoms that are not stereocentres are removed, as in RDKit's legacy perception. An atom keeps its tag
// if its neighbours differ, or if it shares a ring system with other stereo atoms. Known centres and double bonds
// distinguish further neighbours, so the search repeats until nothing changes.
//
// RDKit compares ranks close to Cahn, Ingold and Prelog's. Only whether they are equal matters, so
// hashes of what determines them serve as well.

// MaxChiralDegree is the most neighbours with which a reader keeps a tetrahedral tag. CleanTags removes the tags of
// atoms with more than four.
const MaxChiralDegree = 16

// centres is the workspace of CleanTags.
type centres struct {
	work      int // the remaining budget
	hash, sum []uint64
	weights   []uint64 // of each link of an atom, for the hash of its neighbour

	open    []int32 // tagged atoms that may be centres but have neighbours of equal hash
	centres []int32 // tagged atoms whose neighbours all differ, not yet in label
	ringed  []int32 // tagged ring atoms that cannot be centres
	doubles []int32 // bonds with a geometry, not yet in label
	marks   []mark

	bondSeen []bool
	atomSeen []bool
	queue    []int32
}

// A mark is what label adds to the hash of an atom.
type mark struct {
	atom int32
	by   uint64
}

// CleanTags removes the tags of atoms that are not stereocentres:
//
//   - tags that do not fit the hybridisation,
//   - tetrahedral tags of atoms that cannot be stereocentres, whatever their neighbours are,
//   - tetrahedral tags of atoms whose neighbours do not all differ.
//
// Ring atoms of the last two kinds, but no flat nitrogens, keep their tag if findRingStereo marks them as special. Tags
// beyond tetrahedral that fit stay.
func (p *Draft) CleanTags() {
	c := &p.tags
	c.open, c.centres, c.ringed, c.doubles = c.open[:0], c.centres[:0], c.ringed[:0], c.doubles[:0]
	for i := range p.Atoms {
		a := &p.Atoms[i]
		switch {
		case a.Chirality == Achiral:
		case a.Chirality <= Tetrahedral && a.hybrid != SP3,
			a.Chirality >= SquarePlanar && a.Chirality.hybrid(p.Degree(int32(i))+a.Hydrogens()) == Unhybridized:
			a.Chirality = Achiral
		case a.Chirality >= SquarePlanar:
		case p.legalCentre(int32(i)):
			c.open = append(c.open, int32(i))
		case !a.ring || p.flatNitrogen(int32(i)):
			p.dropTag(int32(i))
		default:
			c.ringed = append(c.ringed, int32(i))
		}
	}
	if len(c.open)+len(c.ringed) == 0 {
		return
	}
	for k := range p.Bonds {
		if p.Bonds[k].Stereo != NoStereo {
			c.doubles = append(c.doubles, int32(k))
		}
	}
	p.beginHashes()
	p.separate()
	// Each round may tell more neighbours apart. c.work bounds the rounds.
	for len(c.open)+len(c.ringed) > 0 && c.work >= 0 && p.label() {
		p.separate()
	}
	if len(c.open)+len(c.ringed) == 0 {
		return
	}
	p.findRingStereo()
	for _, list := range [2][]int32{c.open, c.ringed} {
		for _, i := range list {
			if !p.Atoms[i].special {
				p.dropTag(i)
			}
		}
	}
}

// dropTag removes the tag of atom i. The H of [C@H], which was probably written only for the tag, becomes implicit.
func (p *Draft) dropTag(i int32) {
	a := &p.Atoms[i]
	a.Chirality = Achiral
	if a.Explicit == 1 && a.Charge == 0 && !a.Aromatic {
		a.Explicit = 0
		a.NoImplicit = false
		p.Refresh(i)
	}
}

// beginHashes hashes atoms without their neighbours, and sets the budget of work. An unknown atom class hashes as 0.
func (p *Draft) beginHashes() {
	c, n := &p.tags, len(p.Atoms)
	c.work = 1<<21 + 256*n // bounds the time for very symmetric molecules
	buffer.Grow(&c.hash, n)
	buffer.Grow(&c.sum, n)
	buffer.Grow(&c.weights, len(p.near.Links))
	for i := range c.hash {
		a, class := &p.Atoms[i], uint32(0)
		if a.HasMap {
			class = uint32(a.Map) + 1
		}
		c.hash[i] = scramble(uint64(a.Hydrogens())<<56 | uint64(a.Element)<<48 | uint64(a.Isotope)<<32 | uint64(class))
		for q := p.near.Spans[i].Lo; q < p.near.Spans[i].Hi; q++ {
			c.weights[q] = uint64(halves[p.Bonds[p.near.Links[q].Bond].Order])
		}
	}
}

// fewRounds of hashing separate the neighbours of most centres. Only later rounds count classes.
const fewRounds = 4

// separate extends the hashes of atoms by those of their neighbours, round by round, until a round separates no more
// atoms or all tags are decided. It moves atoms whose neighbours differ from open to centres.
func (p *Draft) separate() {
	c := &p.tags
	for round, classes := 0, 0; ; round++ {
		c.open = slices.DeleteFunc(c.open, func(i int32) bool {
			if p.alike(i) {
				return false
			}
			p.Atoms[i].centre = true
			c.centres = append(c.centres, i)
			return true
		})
		if len(c.open)+len(c.ringed) == 0 || c.work < 0 {
			return
		}
		if round >= fewRounds {
			before := classes
			if classes = c.classes(); classes == before {
				return
			}
		}
		// Each hash takes in those of the atom's neighbours, multiplied by the orders of the bonds.
		c.work -= len(c.hash) + len(c.weights)
		for i, sum := range c.hash {
			for q := p.near.Spans[i].Lo; q < p.near.Spans[i].Hi; q++ {
				sum += c.hash[p.near.Links[q].Atom] * c.weights[q]
			}
			c.sum[i] = scramble(sum)
		}
		c.hash, c.sum = c.sum, c.hash
	}
}

// classes returns the number of different hashes.
func (c *centres) classes() int {
	copy(c.sum, c.hash)
	slices.Sort(c.sum)
	return len(slices.Compact(c.sum))
}

// scramble hashes x to 64 bits.
func scramble(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>29
}

// alike reports whether two neighbours of atom i have the same hash. Bonds that do not affect chirality do not count.
func (p *Draft) alike(i int32) bool {
	links, hash := p.Neighbors(i), p.tags.hash
	for k, l := range links {
		if !p.Affects(l.Bond, i) {
			continue
		}
		for _, o := range links[:k] {
			if p.Affects(o.Bond, i) && hash[o.Atom] == hash[l.Atom] {
				return true
			}
		}
	}
	return false
}

// label adds to the hashes of new centres, and of the ends of new stereo bonds, how their neighbours are arranged. The
// arrangement is relative to the order of the neighbours' hashes. label returns false if there is no new centre or bond.
func (p *Draft) label() bool {
	c := &p.tags
	c.marks = c.marks[:0]
	for _, i := range c.centres {
		odd := p.Atoms[i].Chirality == CounterClockwise
		links := p.Neighbors(i)
		for k, l := range links {
			for _, o := range links[:k] {
				odd = odd != (p.Affects(l.Bond, i) && p.Affects(o.Bond, i) && c.hash[o.Atom] > c.hash[l.Atom])
			}
		}
		c.marks = append(c.marks, mark{i, scramble(1 + uint64(bit(odd)))})
	}
	c.centres = c.centres[:0]
	c.doubles = slices.DeleteFunc(c.doubles, func(k int32) bool {
		b := &p.Bonds[k]
		stereo := b.Stereo
		for _, i := range [2]int32{b.From, b.To} {
			first, second := p.beside(i, k)
			switch {
			case second < 0: // the other place has a hydrogen or nothing
			case c.hash[first] == c.hash[second]:
				return false // not yet
			case c.hash[first] < c.hash[second]:
				stereo = stereo.Flip()
			}
		}
		by := scramble(2 + uint64(stereo))
		c.marks = append(c.marks, mark{b.From, by}, mark{b.To, by})
		return true
	})
	for _, m := range c.marks { // only now, since all are relative to the hashes before
		c.hash[m.atom] += m.by
	}
	return len(c.marks) > 0
}

// beside returns the other neighbours of atom i, an end of the double bond k: at most two, or -1 for none.
func (p *Draft) beside(i, k int32) (first, second int32) {
	first, second = -1, -1
	for _, l := range p.Neighbors(i) {
		switch {
		case l.Bond == k:
		case first < 0:
			first = l.Atom
		default:
			second = l.Atom
		}
	}
	return first, second
}

// StereoBond reports whether bond k can have a geometry: it is in no ring of fewer than eight atoms.
func (p *Draft) StereoBond(k int32) bool {
	return !p.Bonds[k].InRing || !slices.ContainsFunc(p.Rings.OfBond(k), func(q int32) bool { return p.Rings.Size(int(q)) < 8 })
}

// Affects reports whether bond k matters to the chirality of atom i. Any bonds and dative bonds from i do not.
func (p *Draft) Affects(k, i int32) bool {
	b := &p.Bonds[k]
	return b.Order != Any && !(b.Order == Dative && b.From == i)
}

// legalCentre reports whether atom i could be a stereocentre if its neighbours were all different. It needs three or four
// of them, hydrogens included. Three atoms and no hydrogen suffice only to some N, P, As, S and Se.
func (p *Draft) legalCentre(i int32) bool {
	a := &p.Atoms[i]
	links := p.Neighbors(i)
	hydrogens := int(a.Hydrogens())
	degree := 0
	for _, l := range links {
		if p.Affects(l.Bond, i) {
			degree++
		}
	}
	switch total := degree + hydrogens; {
	case total > 4 || total < 3:
		return false
	case degree < 3 && a.Element != 15 && a.Element != 33:
		return false // unlike phosphines and arsines with an H
	case degree == 3 && hydrogens != 1:
		switch a.Element {
		case 7: // in a ring of three, or a bridgehead
			if !p.inTriangle(i) && !p.bridgehead(i) {
				return false
			}
		case 15, 33:
		case 16, 34: // sulfoxides, sulfonium
			if a.valence != 4 && !(a.valence == 3 && a.Charge == 1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// flatNitrogen reports whether atom i is a nitrogen with three neighbours that is neither
// in a ring of three nor a bridgehead.
func (p *Draft) flatNitrogen(i int32) bool {
	return p.Atoms[i].Element == 7 && p.Degree(i) == 3 && !p.inTriangle(i) && !p.bridgehead(i)
}

// inTriangle reports whether atom i is in a ring of three.
func (p *Draft) inTriangle(i int32) bool {
	return p.Atoms[i].ring && slices.ContainsFunc(p.Rings.OfAtom(i), func(q int32) bool { return p.Rings.Size(int(q)) == 3 })
}

// bridgehead reports whether atom i has three ring bonds and is in two rings that share two bonds.
func (p *Draft) bridgehead(i int32) bool {
	if !p.Atoms[i].ring {
		return false
	}
	n := 0
	for _, l := range p.Neighbors(i) {
		if p.Bonds[l.Bond].InRing {
			n++
		}
	}
	if n < 3 {
		return false
	}
	in := p.Rings.OfAtom(i)
	for k, q := range in {
		for _, o := range in[k+1:] {
			shared := 0
			for _, b := range p.Rings.Bonds(int(q)) {
				if slices.Contains(p.Rings.Bonds(int(o)), b) {
					shared++
				}
			}
			if shared >= 2 {
				return true
			}
		}
	}
	return false
}

// SetGeometry sets the geometry of double bonds by the directions of their neighbours.
func (p *Draft) SetGeometry() {
	for k := range p.Bonds {
		p.Bonds[k].Stereo = p.geometry(int32(k))
	}
}

// geometry returns the geometry of bond k by the written directions, see Stereo.
func (p *Draft) geometry(k int32) Stereo {
	b := &p.Bonds[k]
	if b.Order != Double || !p.StereoBond(k) {
		return NoStereo
	}
	x, y := p.side(b.From, k), p.side(b.To, k)
	switch {
	case x == Level || y == Level:
		return NoStereo
	case x == y:
		return StereoZ
	}
	return StereoE
}

// side returns the direction of the first other bond of atom i, an end of the double bond k. It is Level if the
// directions are missing or contradict each other.
func (p *Draft) side(i, k int32) Direction {
	links := p.Neighbors(i)
	if len(links) > 3 {
		return Level
	}
	side, first := Level, true
	for _, l := range links {
		if l.Bond == k {
			continue
		}
		b, d := &p.Bonds[l.Bond], p.Dirs[l.Bond]
		if b.Order != Single && b.Order != Aromatic {
			d = Level // a ring bond that is written "=" at one end and "/" at the other
		}
		if b.From != i {
			d = d.Flip() // as seen from atom i
		}
		if !first {
			d = d.Flip() // the second bond is on the other side
		}
		if d != Level {
			if side == d.Flip() {
				return Level // contradictory
			}
			side = d
		}
		first = false
	}
	return side
}

// ringCandidate reports whether ring atom i may be a stereo atom of its ring system. It may with two bonds out of rings
// to different neighbours, or with one. Without any, exactly two of its three or four ring neighbours must be alike.
// Flat nitrogens never may.
func (p *Draft) ringCandidate(i int32) bool {
	if p.flatNitrogen(i) {
		return false
	}
	links := p.Neighbors(i)
	hash := p.tags.hash
	var out [2]uint64
	outside, inside, kinds := 0, 0, 0 // bonds out of rings and in rings, and hashes at the latter
	for k, l := range links {
		if !p.Bonds[l.Bond].InRing {
			if outside < 2 {
				out[outside] = hash[l.Atom]
			}
			outside++
			continue
		}
		inside++
		if !slices.ContainsFunc(links[:k], func(o neighbor.Link) bool { return p.Bonds[o.Bond].InRing && hash[o.Atom] == hash[l.Atom] }) {
			kinds++
		}
	}
	switch outside {
	case 2:
		return out[0] != out[1]
	case 1:
		return inside >= 2
	case 0:
		return inside == 4 && kinds == 3 || inside == 3 && kinds == 2
	}
	return false
}

// findRingStereo marks ring candidates that share a ring system with another candidate as special. From each candidate
// it walks the bonds of its ring system. Only tetrahedral tags of atoms that are not yet centres count.
func (p *Draft) findRingStereo() {
	c := &p.tags
	if p.Rings.Len() == 0 {
		return
	}
	buffer.Zeroed(&c.atomSeen, len(p.Atoms))
	buffer.Zeroed(&c.bondSeen, len(p.Bonds))
	// viable reports whether atom i has an open tetrahedral tag and may be a stereo atom of a ring system.
	viable := func(i int32) bool {
		a := &p.Atoms[i]
		return a.Chirality != Achiral && a.Chirality < SquarePlanar && !a.centre && a.ring && p.ringCandidate(i)
	}
	for i := range p.Atoms {
		if c.atomSeen[i] || !viable(int32(i)) {
			continue
		}
		c.queue = c.queue[:0] // atoms that the walk reached
		// push queues the neighbours of an atom over ring bonds that the walk has not seen.
		push := func(from int32) {
			for _, l := range p.Neighbors(from) {
				if c.bondSeen[l.Bond] {
					continue
				}
				c.bondSeen[l.Bond] = true
				if p.Bonds[l.Bond].InRing && !c.atomSeen[l.Atom] {
					c.queue = append(c.queue, l.Atom)
				}
			}
		}
		push(int32(i))
		for head := 0; head < len(c.queue); head++ {
			j := c.queue[head]
			c.atomSeen[j] = true
			if viable(j) {
				p.Atoms[j].special = true
				p.Atoms[i].special = true
			}
			push(j)
		}
		c.atomSeen[i] = true
	}
}

// Odd reports whether sorting different values takes an odd number of swaps, false above MaxChiralDegree values.
func Odd(values []int32) bool {
	if len(values) > MaxChiralDegree {
		return false
	}
	odd := false
	for k, x := range values {
		for _, y := range values[:k] {
			odd = odd != (y > x)
		}
	}
	return odd
}
