package molecule

import (
	"cmp"
	"slices"

	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
)

// Chirality tags of atoms that are no stereocentres are removed, as in RDKit's legacy perception:
// an atom keeps its tag if its neighbours have different ranks in an order close to Cahn, Ingold
// and Prelog's, or if it belongs to a set of stereo atoms in a ring system. Assigned centres and
// double bonds distinguish further neighbours, so this repeats until nothing changes.

// CIP labels.
const (
	unassigned = iota
	cipS
	cipR
)

// MaxChiralDegree is the most neighbours with which a tetrahedral tag is kept while reading. No
// such atom keeps it later.
const MaxChiralDegree = 16

// ranker is the workspace of CleanTags.
type ranker struct {
	work int // the remaining budget

	order    []int32  // atoms by rank
	ranks    []int32  // of an atom: the place of its class in order
	single   []uint64 // seeds of the ranks
	keys, at []int32  // see rankKey
	near     []rankedLink

	// general ranks all tagged molecules, for tests.
	general bool

	// For allCentres.
	tagged []int32 // atoms whose tetrahedral tag is in doubt
	hollow []int32 // atoms certain to lose it
	ties   []tie
	hash   []uint64
	sum    []uint64

	bondSeen []bool
	atomSeen []bool
	atomUsed []bool
	clear    []int32
	queue    []int32
}

type rankedLink struct{ rank, count int32 }

// A tie is a bond with its rankCount at both atoms.
type tie struct {
	a, b     int32
	toA, toB int32
}

// CleanTags removes the tags of atoms that are no stereocentres.
func (p *Draft) CleanTags() {
	c := &p.cip
	some := false
	c.tagged = c.tagged[:0]
	for i := range p.Atoms {
		a := &p.Atoms[i]
		if a.Chirality == Achiral {
			continue
		}
		switch {
		case a.Chirality <= Tetrahedral && a.hybrid != SP3,
			a.Chirality >= SquarePlanar && a.Chirality.hybrid(p.Degree(int32(i))+a.Hydrogens()) == Unhybridized:
			a.Chirality = Achiral
		}
		some = some || a.Chirality != Achiral
		if a.Chirality != Achiral && a.Chirality < SquarePlanar {
			c.tagged = append(c.tagged, int32(i))
		}
	}
	if !some {
		return
	}
	if !c.general && p.allCentres() {
		for _, i := range c.hollow {
			p.dropTag(i)
		}
		return
	}
	p.rankAtoms()
	p.assignLabels()
	open := false
	for i := range p.Atoms {
		a := &p.Atoms[i]
		open = open || a.Chirality != Achiral && a.Chirality < SquarePlanar && a.cip == unassigned
	}
	if !open {
		return
	}
	p.findRingStereo()
	for i := range p.Atoms {
		a := &p.Atoms[i]
		if a.Chirality == Achiral || a.Chirality >= SquarePlanar || a.cip != unassigned || a.special {
			continue
		}
		p.dropTag(int32(i))
	}
}

// dropTag removes the tag of atom i, and the H of [C@H], which was probably written for the tag.
func (p *Draft) dropTag(i int32) {
	a := &p.Atoms[i]
	a.Chirality = Achiral
	if a.Explicit == 1 && a.Charge == 0 && !a.Aromatic {
		a.Explicit = 0
		a.NoImplicit = false
		p.Refresh(i)
	}
}

// allCentres reports whether tags can be decided without ranks, as in most molecules, in a tenth of
// the time: every atom of c.tagged is a possible centre with different neighbours, or impossible
// and goes to c.hollow, and no directions contradict each other, which labelBonds would drop.
//
// It refines hashes instead of ranks. They follow from the keys that refineRanks compares, so
// different hashes imply different ranks after as many rounds; the reverse does not hold.
func (p *Draft) allCentres() bool {
	c := &p.cip
	tagged := c.tagged
	c.tagged, c.hollow = c.tagged[:0], c.hollow[:0]
	for _, i := range tagged {
		switch {
		case p.legalCentre(i):
			c.tagged = append(c.tagged, i)
		case !p.Atoms[i].ring || p.flatNitrogen(i):
			c.hollow = append(c.hollow, i) // nor special
		default:
			return false
		}
	}
	if p.contradictory() {
		return false
	}
	n := len(p.Atoms)
	hash, sum, ties := buffer.Grow(&c.hash, n), buffer.Grow(&c.sum, n), buffer.Grow(&c.ties, len(p.Bonds))
	keys := 1 // at least what refineRanks writes in a round
	for k := range ties {
		b, t := &p.Bonds[k], &ties[k]
		t.a, t.b = b.From, b.To
		t.toA, t.toB = p.rankCount(b.Order, b.To), p.rankCount(b.Order, b.From)
		keys += int(t.toA + t.toB)
	}
	// Hydrogens enter in the first round of refineRanks.
	for i := range hash {
		h := p.Atoms[i].Hydrogens()
		hash[i] = scramble(p.rankSeed(int32(i))<<32 | uint64(h))
		keys += int(h)
	}
	rounds := min(maxHashRounds, n/2+1, (rankWork(n)-n)/keys)
	for round := 1; round <= rounds; round++ {
		if round > 1 {
			copy(sum, hash)
			for k := range ties {
				t := &ties[k]
				sum[t.a] += hash[t.b] * uint64(2*t.toA)
				sum[t.b] += hash[t.a] * uint64(2*t.toB)
			}
			for i, x := range sum {
				hash[i] = scramble(x)
			}
		}
		left := c.tagged[:0]
		for _, i := range c.tagged {
			if p.alike(i, func(j int32) uint64 { return hash[j] }) {
				left = append(left, i)
			}
		}
		if c.tagged = left; len(left) == 0 {
			return true
		}
	}
	return len(c.tagged) == 0
}

// maxHashRounds ends allCentres: few centres need more.
const maxHashRounds = 8

// scramble hashes x to 64 bits.
func scramble(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>29
}

// alike reports whether two neighbours of atom i have the same value.
func (p *Draft) alike(i int32, value func(int32) uint64) bool {
	links := p.Neighbors(i)
	for k, l := range links {
		if !p.Affects(l.Bond, i) {
			continue
		}
		for _, o := range links[:k] {
			if p.Affects(o.Bond, i) && value(o.Atom) == value(l.Atom) {
				return true
			}
		}
	}
	return false
}

// contradictory reports whether an end of a double bond has directions at two other bonds.
func (p *Draft) contradictory() bool {
	for k := range p.Bonds {
		b := &p.Bonds[k]
		if b.Order != Double {
			continue
		}
		for _, i := range [2]int32{b.From, b.To} {
			if p.Degree(i) > 3 {
				continue // as in labelBonds
			}
			directed := 0
			for _, l := range p.Neighbors(i) {
				if p.Dirs[l.Bond] != Level {
					directed++
				}
			}
			if directed > 1 {
				return true
			}
		}
	}
	return false
}

// assignLabels labels atoms and double bonds until nothing changes.
func (p *Draft) assignLabels() {
	atoms, bonds := true, p.anyDirections()
	for atoms || bonds {
		changedAtoms, changedBonds := false, false
		if atoms {
			atoms, changedAtoms = p.labelAtoms()
		}
		if bonds {
			bonds, changedBonds = p.labelBonds()
		}
		if !(atoms || bonds) || !(changedAtoms || changedBonds) {
			return
		}
		if !slices.ContainsFunc(p.Atoms, func(a DraftAtom) bool { return a.Chirality != Achiral && a.cip == unassigned }) {
			return // no tag is in doubt
		}
		// Real molecules stay far below; others keep the labels so far.
		if p.cip.work -= len(p.Atoms); p.cip.work < 0 {
			return
		}
		p.rerankAtoms()
	}
}

// anyDirections reports whether a double bond has a neighbour written "/" or "\".
func (p *Draft) anyDirections() bool {
	for k := range p.Bonds {
		b := &p.Bonds[k]
		if b.Order != Double || !p.StereoBond(int32(k)) {
			continue
		}
		for _, i := range [2]int32{b.From, b.To} {
			for _, l := range p.Neighbors(i) {
				if p.Dirs[l.Bond] != Level {
					return true
				}
			}
		}
	}
	return false
}

// StereoBond reports whether bond k is in no ring of fewer than eight atoms.
func (p *Draft) StereoBond(k int32) bool {
	if !p.Bonds[k].InRing {
		return true
	}
	for _, q := range p.Rings.OfBond(k) {
		if p.Rings.Size(int(q)) < 8 {
			return false
		}
	}
	return true
}

// Affects reports whether bond k counts for the chirality of atom i.
func (p *Draft) Affects(k, i int32) bool {
	b := &p.Bonds[k]
	return b.Order != Any && !(b.Order == Dative && b.From == i)
}

// legalCentre reports whether atom i can be a stereocentre, whatever its neighbours.
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
		// Phosphines and arsines with an H can be.
		return false
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

func (p *Draft) inTriangle(i int32) bool {
	if !p.Atoms[i].ring {
		return false
	}
	for _, q := range p.Rings.OfAtom(i) {
		if p.Rings.Size(int(q)) == 3 {
			return true
		}
	}
	return false
}

// bridgehead reports whether atom i has three ring bonds and is in two rings that
// share two bonds.
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

// labelAtoms labels tagged atoms whose neighbours have different ranks. It returns whether
// unlabelled possible centres remain and whether it labelled any.
func (p *Draft) labelAtoms() (left, changed bool) {
	for i := range p.Atoms {
		a := &p.Atoms[i]
		if a.cip != unassigned {
			continue
		}
		if !p.legalCentre(int32(i)) {
			continue
		}
		rank := func(j int32) uint64 { return uint64(p.cip.ranks[j]) }
		if a.Chirality == Achiral || p.alike(int32(i), rank) {
			left = true
			continue
		}
		changed = true
		a.cip = p.label(int32(i))
	}
	return left, changed
}

// label is the CIP label of atom i.
func (p *Draft) label(i int32) uint8 {
	a := &p.Atoms[i]
	links := p.Neighbors(i)
	var order [MaxChiralDegree]neighbor.Link
	n := copy(order[:], links)
	links = links[:n]
	slices.SortStableFunc(order[:n], func(x, y neighbor.Link) int { return cmp.Compare(p.cip.ranks[x.Atom], p.cip.ranks[y.Atom]) })
	var bonds [MaxChiralDegree]int32
	for k, l := range order[:n] {
		bonds[k] = l.Bond
	}
	odd := OddSwaps(bonds[:n], links)
	if n == 3 && a.Hydrogens() == 1 {
		odd = !odd
	}
	if (a.Chirality == CounterClockwise) != odd {
		return cipS
	}
	return cipR
}

// labelBonds finds the geometry of double bonds.
func (p *Draft) labelBonds() (left, changed bool) {
	c := &p.cip
	c.clear = c.clear[:0]
	for k := range p.Bonds {
		b := &p.Bonds[k]
		if b.Order != Double || b.Stereo != NoStereo || !p.StereoBond(int32(k)) {
			continue
		}
		if n := len(p.Neighbors(b.From)); n < 2 || n > 3 {
			continue
		}
		if n := len(p.Neighbors(b.To)); n < 2 || n > 3 {
			continue
		}
		x, nx := p.directions(b.From, int32(k))
		y, ny := p.directions(b.To, int32(k))
		if nx == 0 || ny == 0 {
			left = true
			continue
		}
		changed = true
		xs := nx == 2 && x[0].dir == x[1].dir
		ys := ny == 2 && y[0].dir == y[1].dir
		if xs || ys {
			// Contradictory: the directions are dropped at the end.
			if xs {
				c.clear = append(c.clear, x[0].Bond, x[1].Bond)
			}
			if ys {
				c.clear = append(c.clear, y[0].Bond, y[1].Bond)
			}
			continue
		}
		top := func(d [2]directed, n int) Direction {
			if n == 1 || c.ranks[d[0].Atom] > c.ranks[d[1].Atom] {
				return d[0].dir
			}
			return d[1].dir
		}
		b.Stereo = StereoE
		if top(x, nx) == top(y, ny) {
			b.Stereo = StereoZ
		}
	}
	for _, k := range c.clear {
		p.Dirs[k] = Level
	}
	return left, changed
}

// A directed neighbour lies up or down from an end of a double bond.
type directed struct {
	neighbor.Link
	dir Direction
}

// directions returns the neighbours of atom i, one end of the double bond k, with their directions;
// none if nothing is written or both are equal.
func (p *Draft) directions(i, k int32) (d [2]directed, n int) {
	seen := false
	for _, l := range p.Neighbors(i) {
		if l.Bond == k {
			continue
		}
		d[n] = directed{l, p.Dirs[l.Bond]}
		if d[n].dir != Level {
			seen = true
			if p.Bonds[l.Bond].From != i {
				d[n].dir = d[n].dir.Flip()
			}
		}
		n++
	}
	if !seen || n == 2 && p.cip.ranks[d[0].Atom] == p.cip.ranks[d[1].Atom] {
		return d, 0
	}
	if d[0].dir == Level {
		d[0].dir = d[1].dir.Flip()
	} else if n == 2 && d[1].dir == Level {
		d[1].dir = d[0].dir.Flip()
	}
	return d, n
}

// geometry is that of bond k by the written directions, about the first other bond of each end.
func (p *Draft) geometry(k int32) Stereo {
	b := &p.Bonds[k]
	if b.Order != Double || b.Stereo == StereoAny || !p.StereoBond(k) {
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

// side is the direction of the first other bond of atom i, one end of the double bond k, or Level
// if unknown.
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
			d = Level // "=" and "/" at the two ends of a ring bond
		}
		if b.From != i {
			d = d.Flip()
		}
		if !first {
			d = d.Flip()
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

// rankWork bounds the steps for the ranks of n atoms.
func rankWork(n int) int { return 1<<21 + 256*n }

// rankSeed is the initial rank: element, isotope and class of atom i, below 2³².
func (p *Draft) rankSeed(i int32) uint64 {
	a := &p.Atoms[i]
	mass := int32(0)
	if a.Isotope != 0 {
		mass = a.Isotope - int32(elements[a.Element].isotope)
		if mass >= 0 {
			mass++
		}
	}
	mass = max(mass+512, 0) % 1024
	class := int32(0)
	if a.HasMap {
		class = (a.Map + 1) % 1024
	}
	return uint64(a.Element)<<20 | uint64(mass)<<10 | uint64(class)
}

// rankCount is the weight of neighbour j in an atom's key: twice the bond order, but 1 for the
// double bond to phosphorus with three or four neighbours.
func (p *Draft) rankCount(order Order, j int32) int32 {
	if order == Double && p.Atoms[j].Element == 15 {
		if n := p.Degree(j); n == 3 || n == 4 {
			return 1
		}
	}
	return halves[order]
}

// rankAtoms ranks the atoms by seed and refines.
func (p *Draft) rankAtoms() {
	c := &p.cip
	n := len(p.Atoms)
	c.work = rankWork(n)
	buffer.Grow(&c.order, n)
	buffer.Grow(&c.ranks, n)
	buffer.Grow(&c.at, n)
	buffer.Grow(&c.single, n)
	for i := range p.Atoms {
		c.single[i] = p.rankSeed(int32(i))
		c.order[i] = int32(i)
	}
	p.seedRanks()
}

// rerankAtoms refines the ranks by labels.
func (p *Draft) rerankAtoms() {
	c := &p.cip
	for i := range p.Atoms {
		x := uint64(c.ranks[i]) << 8
		switch p.Atoms[i].cip {
		case cipS:
			x += 10
		case cipR:
			x += 20
		}
		for _, l := range p.Neighbors(int32(i)) {
			switch p.Bonds[l.Bond].Stereo {
			case StereoE:
				x++
			case StereoZ:
				x += 2
			}
		}
		c.single[i] = x
	}
	p.seedRanks()
}

// seedRanks ranks the atoms by c.single and refines.
func (p *Draft) seedRanks() {
	c := &p.cip
	slices.SortFunc(c.order, func(x, y int32) int { return cmp.Compare(c.single[x], c.single[y]) })
	c.rank(0, len(c.order), func(x, y int32) bool { return c.single[x] == c.single[y] })
	p.refineRanks()
}

// rank ranks order[lo:hi], in which equal atoms follow each other, and returns the number of ranks.
func (c *ranker) rank(lo, hi int, equal func(x, y int32) bool) (classes int) {
	first := 0
	for k, i := range c.order[lo:hi] {
		if k == 0 || !equal(i, c.order[lo+k-1]) {
			first = lo + k
			classes++
		}
		c.ranks[i] = int32(first)
	}
	return classes
}

// refineRanks splits classes by the ranks of their atoms' neighbours, the highest first, each as
// often as its rankCount, hydrogens last; it repeats until nothing changes.
func (p *Draft) refineRanks() {
	c := &p.cip
	n := len(p.Atoms)
	c.work -= n
	for round, split := 0, true; split && round < n/2+1 && c.work >= 0; round++ {
		// All keys first: they use the ranks before this round.
		c.keys = c.keys[:0]
		for i := range p.Atoms {
			p.rankKey(int32(i))
		}
		split = false
		for lo := 0; lo < n; {
			hi := lo + 1
			for hi < n && int(c.ranks[c.order[hi]]) == lo {
				hi++
			}
			if hi > lo+1 {
				slices.SortFunc(c.order[lo:hi], func(x, y int32) int { return slices.Compare(c.key(x), c.key(y)) })
				parts := c.rank(lo, hi, func(x, y int32) bool { return slices.Equal(c.key(x), c.key(y)) })
				split = split || parts > 1
			}
			lo = hi
		}
		c.work -= len(c.keys)
	}
}

// key is what rankKey wrote for atom i: a length, then that many numbers.
func (c *ranker) key(i int32) []int32 {
	at := c.at[i]
	return c.keys[at+1 : at+1+c.keys[at]]
}

// rankKey writes the key of atom i.
func (p *Draft) rankKey(i int32) {
	c := &p.cip
	c.at[i] = int32(len(c.keys))
	c.near = c.near[:0]
	for _, l := range p.Neighbors(i) {
		count := p.rankCount(p.Bonds[l.Bond].Order, l.Atom)
		c.near = append(c.near, rankedLink{c.ranks[l.Atom], count})
	}
	if len(c.near) > 16 {
		slices.SortFunc(c.near, func(x, y rankedLink) int { return cmp.Compare(y.rank, x.rank) })
	} else {
		for k := 1; k < len(c.near); k++ {
			for q := k; q > 0 && c.near[q].rank > c.near[q-1].rank; q-- {
				c.near[q], c.near[q-1] = c.near[q-1], c.near[q]
			}
		}
	}
	c.keys = append(c.keys, 0)
	for _, l := range c.near {
		for range l.count {
			c.keys = append(c.keys, l.rank+1)
		}
	}
	for range p.Atoms[i].Hydrogens() {
		c.keys = append(c.keys, 0)
	}
	c.keys[c.at[i]] = int32(len(c.keys)) - c.at[i] - 1
}

// ringCandidate reports whether atom i may be a stereo atom of its rings: it has two different
// neighbours outside, or one, or none and ring neighbours with the right number of ranks.
func (p *Draft) ringCandidate(i int32) bool {
	if p.flatNitrogen(i) {
		return false
	}
	links := p.Neighbors(i)
	var out [2]int32
	outside, inside, ranks := 0, 0, 0
	for k, l := range links {
		if !p.Bonds[l.Bond].InRing {
			if outside < 2 {
				out[outside] = p.cip.ranks[l.Atom]
			}
			outside++
			continue
		}
		inside++
		fresh := true
		for _, o := range links[:k] {
			if p.Bonds[o.Bond].InRing && p.cip.ranks[o.Atom] == p.cip.ranks[l.Atom] {
				fresh = false
				break
			}
		}
		if fresh {
			ranks++
		}
	}
	switch outside {
	case 2:
		return out[0] != out[1]
	case 1:
		return inside >= 2
	case 0:
		return inside == 4 && ranks == 3 || inside == 3 && ranks == 2
	}
	return false
}

// findRingStereo marks the atoms that share a ring system with another stereo atom.
func (p *Draft) findRingStereo() {
	c := &p.cip
	if p.Rings.Len() == 0 {
		return
	}
	buffer.Zeroed(&c.atomSeen, len(p.Atoms))
	buffer.Zeroed(&c.atomUsed, len(p.Atoms))
	buffer.Zeroed(&c.bondSeen, len(p.Bonds))
	viable := func(i int32) bool {
		a := &p.Atoms[i]
		return a.Chirality != Achiral && a.cip == unassigned && a.ring && p.ringCandidate(i)
	}
	for i := range p.Atoms {
		if c.atomSeen[i] || !viable(int32(i)) {
			continue
		}
		c.queue = c.queue[:0]
		push := func(from int32, first bool) {
			for _, l := range p.Neighbors(from) {
				if c.bondSeen[l.Bond] {
					continue
				}
				c.bondSeen[l.Bond] = true
				if p.Bonds[l.Bond].InRing && !c.atomSeen[l.Atom] && (first || !c.atomUsed[l.Atom]) {
					c.queue = append(c.queue, l.Atom)
					c.atomUsed[l.Atom] = true
				}
			}
		}
		push(int32(i), true)
		for head := 0; head < len(c.queue); head++ {
			j := c.queue[head]
			c.atomSeen[j] = true
			if viable(j) {
				p.Atoms[j].special = true
				p.Atoms[i].special = true
			}
			push(j, false)
		}
		c.atomSeen[i] = true
	}
}

// OddSwaps reports whether bonds is an odd permutation of those of links. It
// reorders bonds.
func OddSwaps(bonds []int32, links []neighbor.Link) bool {
	odd := false
	for k := range links {
		if bonds[k] == links[k].Bond {
			continue
		}
		for q := k + 1; q < len(bonds); q++ {
			if bonds[q] == links[k].Bond {
				bonds[k], bonds[q] = bonds[q], bonds[k]
				odd = !odd
				break
			}
		}
	}
	return odd
}
