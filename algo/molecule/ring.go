package molecule

import (
	"cmp"
	"slices"
)

// Ring perception. What decides aromaticity is not only which atoms are in rings
// but which rings are in the chosen set of smallest rings, and that set is not
// unique. So this is the same search as RDKit's, step by step: Figueras' breadth
// first search from atoms with two ring bonds (J. Chem. Inf. Comput. Sci. 36
// (1996) 986), rings found twice searched again with the other finders cut off,
// superfluous rings dropped, and rings as good as a chosen one added back
// (symmetrised SSSR).

// A ringList holds rings one after the other: ring r has the atoms
// atoms[start[r]:start[r+1]], in order around the ring, and bonds alike, bond k
// between atom k and the next.
type ringList struct {
	atoms, bonds []int32
	start        []int32
}

func (l *ringList) reset() {
	l.atoms, l.bonds, l.start = l.atoms[:0], l.bonds[:0], append(l.start[:0], 0)
}

func (l *ringList) len() int                { return len(l.start) - 1 }
func (l *ringList) ring(r int) []int32      { return l.atoms[l.start[r]:l.start[r+1]] }
func (l *ringList) ringBonds(r int) []int32 { return l.bonds[l.start[r]:l.start[r+1]] }
func (l *ringList) size(r int) int          { return int(l.start[r+1] - l.start[r]) }

func (l *ringList) add(ring []int32) {
	l.atoms = append(l.atoms, ring...)
	l.start = append(l.start, int32(len(l.atoms)))
}

// rings is the workspace and the result of findRings.
type rings struct {
	ringList

	// Rings of atom i: member[memberOf[i]:memberOf[i+1]], ascending; of bond k:
	// bondMember and bondMemberOf alike. Only where there are rings.
	memberOf, member         []int32
	bondMemberOf, bondMember []int32

	found ringList // of the fragment at hand
	small ringList // of one search
	seen  hashes   // of found

	extra    ringList // of the last fragment that had too many
	hits     []ringHit
	groups   []hitGroup
	inGroups []inGroup
	cut      []int32 // bonds cut off for one search

	fragment []int32 // atoms of the fragment at hand
	order    []int32 // atoms by fragment
	label    []int32
	degree   []int32
	active   []bool // bonds not yet trimmed
	done     []bool
	blocked  []bool
	two      []int32 // picked atoms with two bonds
	stack    []int32
	changed  []int32
	ringAtom []bool
	ringBond []bool
	deadBond []bool
	covered  []bool
	keep     []uint8
	counts   []int32
	sorted   []int32
	path     []int32

	// Depth-first search: low and enter are Tarjan's numbers, next the link to
	// follow from an atom, way the path.
	bridge     []bool // bonds that are in no ring
	fragmentOf []int32
	enter, low []int32
	next       []int32
	way        []link

	// Breadth-first search.
	epoch int32
	visit []visit
	queue []int32
}

// A visit is an atom in a breadth-first search, where stamp is the epoch.
type visit struct {
	stamp  int32
	parent int32 // or -1
	depth  int32
	branch int32 // the atom next to the root that leads here
	black  bool  // taken from the queue
}

// A ringHit says that the search from an atom found a ring.
type ringHit struct {
	hash uint64
	seq  int32
	atom int32
	ring int32 // in small, of the round
}

// A hitGroup is a run of hits with the same ring.
type hitGroup struct{ lo, hi int32 }

// An inGroup says that an atom has a hit in a group.
type inGroup struct{ atom, group int32 }

// mix spreads an atom number over 64 bits (splitmix64); the sum over a ring
// stands for its set of atoms.
func mix(i int32) uint64 {
	z := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func ringHash(ring []int32) uint64 {
	h := uint64(0)
	for _, i := range ring {
		h += mix(i)
	}
	return h
}

// hashes is a set, a slice while it is small.
type hashes struct {
	list []uint64
	more map[uint64]struct{}
}

func (h *hashes) reset() {
	h.list, h.more = h.list[:0], nil
}

// add reports whether x is new.
func (h *hashes) add(x uint64) bool {
	if h.more == nil {
		if slices.Contains(h.list, x) {
			return false
		}
		h.list = append(h.list, x)
		if len(h.list) > 32 {
			h.more = make(map[uint64]struct{}, 128)
			for _, y := range h.list {
				h.more[y] = struct{}{}
			}
		}
		return true
	}
	if _, ok := h.more[x]; ok {
		return false
	}
	h.more[x] = struct{}{}
	return true
}

// findRings fills p.rings and marks atoms and bonds in rings.
func (p *Parser) findRings() error {
	r := &p.rings
	r.reset()
	r.extra.reset()
	n, m := len(p.atoms), len(p.bonds)
	if len(p.closures) == 0 && !p.lean {
		return nil
	}
	r.degree = grow(r.degree, n)
	for i := range n {
		r.degree[i] = p.first[i+1] - p.first[i]
	}
	r.active = grow(r.active, m)
	for k := range r.active {
		b := &p.bonds[k]
		if r.active[k] = b.kind != zeroBond; !r.active[k] {
			r.degree[b.a]--
			r.degree[b.b]--
		}
	}
	r.done = zeroed(r.done, n)
	r.ringAtom = zeroed(r.ringAtom, n)
	r.ringBond = zeroed(r.ringBond, m)
	r.blocked = zeroed(r.blocked, n)
	// The stamps of former molecules are lower than the epoch.
	if r.visit = grow(r.visit, n); r.epoch > 1<<30 {
		clear(r.visit[:cap(r.visit)])
		r.epoch = 0
	}
	fragments := p.explore()
	exact := true
	for f := range fragments {
		lo, hi := r.label[f], r.label[f+1]
		r.fragment = r.order[lo:hi]
		bonds, all := int32(0), int32(0)
		for _, i := range r.fragment {
			bonds += r.degree[i]
			all += p.first[i+1] - p.first[i]
		}
		bonds /= 2
		if int(all/2) < len(r.fragment) {
			continue
		}
		var err error
		if exact, err = p.fragmentRings(int(bonds)); err != nil {
			return err
		}
		if !exact {
			break
		}
		for k := range r.found.len() {
			r.add(r.found.ring(k))
		}
	}
	if !exact {
		if err := p.quickRings(); err != nil {
			return err
		}
	}
	p.ringBondsOf(&r.ringList)
	if r.extra.len() > 0 {
		if err := p.symmetrize(); err != nil {
			return err
		}
	}
	p.fillMembers()
	return nil
}

func zeroed[T any](s []T, n int) []T {
	s = grow(s, n)
	clear(s)
	return s
}

// explore goes through the molecule depth first. It marks in r.bridge the bonds
// that are in no ring (Tarjan), and sorts the atoms by fragment into r.order,
// ascending within each fragment, fragments by their first atom; fragment f is
// order[label[f]:label[f+1]]. It returns the number of fragments.
func (p *Parser) explore() int {
	r := &p.rings
	n := len(p.atoms)
	r.bridge = zeroed(r.bridge, len(p.bonds))
	r.enter = zeroed(r.enter, n)
	r.low = grow(r.low, n)
	r.next = append(r.next[:0], p.first[:n]...)
	r.fragmentOf = grow(r.fragmentOf, n)
	r.label = append(r.label[:0], 0)
	count := int32(0)
	for root := range n {
		if r.enter[root] != 0 {
			continue
		}
		fragment := int32(len(r.label) - 1)
		count++
		r.enter[root], r.low[root] = count, count
		r.way = append(r.way[:0], link{int32(root), -1})
		for len(r.way) > 0 {
			at := r.way[len(r.way)-1]
			i := at.atom
			if r.next[i] < p.first[i+1] {
				l := p.links[r.next[i]]
				r.next[i]++
				switch {
				case l.bond == at.bond:
				case r.enter[l.atom] == 0:
					count++
					r.enter[l.atom] = count
					if p.first[l.atom+1]-p.first[l.atom] == 1 { // no need to go there
						r.bridge[l.bond] = true
						r.fragmentOf[l.atom] = fragment
						continue
					}
					r.low[l.atom] = count
					r.way = append(r.way, l)
				default:
					r.low[i] = min(r.low[i], r.enter[l.atom])
				}
				continue
			}
			r.fragmentOf[i] = fragment
			r.way = r.way[:len(r.way)-1]
			if len(r.way) > 0 {
				up := r.way[len(r.way)-1].atom
				r.low[up] = min(r.low[up], r.low[i])
				r.bridge[at.bond] = r.low[i] > r.enter[up]
			}
		}
		r.label = append(r.label, count)
	}
	fragments := len(r.label) - 1
	r.order = grow(r.order, n)
	r.counts = append(r.counts[:0], r.label...)
	for i := range n {
		f := r.fragmentOf[i]
		r.order[r.counts[f]] = int32(i)
		r.counts[f]++
	}
	return fragments
}

// trim takes atom i's bonds away; neighbours that are left with one bond or none
// go on the changed list.
func (p *Parser) trim(i int32) {
	r := &p.rings
	for _, l := range p.neighbors(i) {
		if !r.active[l.bond] {
			continue
		}
		if r.degree[l.atom] <= 2 {
			r.changed = append(r.changed, l.atom)
		}
		r.active[l.bond] = false
		r.degree[l.atom]--
		r.degree[i]--
	}
}

// fragmentRings finds the rings of r.fragment, which has the given number of
// bonds. It reports false where the search failed and the quick one is to be
// used for the whole molecule.
func (p *Parser) fragmentRings(bonds int) (exact bool, err error) {
	r := &p.rings
	r.found.reset()
	r.seen.reset()
	r.changed = r.changed[:0]
	for _, i := range r.fragment {
		if r.degree[i] < 2 {
			r.changed = append(r.changed, i)
		}
	}
	want := bonds - len(r.fragment) + 1
	finished, first := 0, true
	for finished < len(r.fragment) {
		for len(r.changed) > 0 {
			i := r.changed[len(r.changed)-1]
			r.changed = r.changed[:len(r.changed)-1]
			if !r.done[i] {
				r.done[i] = true
				finished++
				p.trim(i)
			}
		}
		if finished >= len(r.fragment) {
			break
		}
		if first && p.simpleRings(want) {
			return true, nil
		}
		first = false
		if !p.spend(len(r.fragment)) {
			return false, p.errorBudget()
		}
		p.pickTwos()
		if len(r.two) > 0 {
			if err := p.searchTwos(); err != nil {
				return false, err
			}
			for _, i := range r.two {
				r.done[i] = true
				finished++
				p.trim(i)
			}
			continue
		}
		three := int32(-1)
		for _, i := range r.fragment {
			if r.degree[i] == 3 {
				three = i
				break
			}
		}
		if three < 0 {
			break
		}
		if err := p.searchThree(three); err != nil {
			return false, err
		}
		r.done[three] = true
		finished++
		p.trim(three)
	}
	if r.found.len() < want {
		if err := p.missedRings(bonds); err != nil {
			return false, err
		}
		if r.found.len() < want {
			return false, nil
		}
	}
	if r.found.len() > want {
		if err := p.dropRings(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// simpleRings finds the rings of a fragment, its side chains trimmed, in which no
// two rings share an atom and each has an atom with two bonds. It leaves them in
// r.found as the general search would, only faster; or nothing, and reports false.
func (p *Parser) simpleRings(want int) bool {
	r := &p.rings
	for _, i := range r.fragment {
		if r.done[i] {
			continue
		}
		n := 0
		for _, l := range p.neighbors(i) {
			if r.active[l.bond] && !r.bridge[l.bond] {
				n++
			}
		}
		if n != 0 && n != 2 {
			return false
		}
	}
	// along is the first ring bond of atom i other than the one come over.
	along := func(i, over int32) link {
		for _, l := range p.neighbors(i) {
			if r.active[l.bond] && !r.bridge[l.bond] && l.bond != over {
				return l
			}
		}
		return link{-1, -1}
	}
	r.sorted = r.sorted[:0]
	for _, i := range r.fragment {
		if r.done[i] || r.blocked[i] || r.degree[i] != 2 {
			continue
		}
		l := along(i, -1)
		if l.atom < 0 {
			continue // on a chain between rings
		}
		ring := append(r.path[:0], i)
		for ; l.atom != i; l = along(l.atom, l.bond) {
			ring = append(ring, l.atom)
		}
		// The search meets itself on the side of the second neighbour in even
		// rings, and goes that way first.
		if len(ring)%2 == 0 {
			slices.Reverse(ring[1:])
		}
		r.path = ring
		r.found.add(ring)
		for _, j := range ring {
			r.blocked[j] = true
		}
		r.sorted = append(r.sorted, ring...)
	}
	for _, i := range r.sorted {
		r.blocked[i] = false
	}
	if r.found.len() != want {
		r.found.reset()
		return false
	}
	return true
}

// pickTwos fills r.two with one atom of each run of atoms with two bonds.
func (p *Parser) pickTwos() {
	r := &p.rings
	r.two = r.two[:0]
	r.sorted = r.sorted[:0] // blocked atoms
	for _, i := range r.fragment {
		if r.degree[i] != 2 || r.blocked[i] {
			continue
		}
		r.two = append(r.two, i)
		r.blocked[i] = true
		r.sorted = append(r.sorted, i)
		r.stack = append(r.stack[:0], i)
		for len(r.stack) > 0 {
			j := r.stack[len(r.stack)-1]
			r.stack = r.stack[:len(r.stack)-1]
			for _, l := range p.neighbors(j) {
				if r.active[l.bond] && !r.blocked[l.atom] && r.degree[l.atom] == 2 {
					r.blocked[l.atom] = true
					r.sorted = append(r.sorted, l.atom)
					r.stack = append(r.stack, l.atom)
				}
			}
		}
	}
	for _, i := range r.sorted {
		r.blocked[i] = false
	}
}

// smallest appends to r.small the smallest rings through root, avoiding the atom
// avoid (or -1), and returns how many the search came across. As in RDKit that
// includes a ring met before a smaller one.
func (p *Parser) smallest(root, avoid int32) (int, error) {
	r := &p.rings
	r.epoch++
	if avoid >= 0 {
		r.visit[avoid] = visit{stamp: r.epoch, black: true}
	}
	r.visit[root] = visit{stamp: r.epoch, parent: -1}
	r.queue = append(r.queue[:0], root)
	count, best := 0, int32(1<<30)
	for head := 0; head < len(r.queue); head++ {
		i := r.queue[head]
		r.visit[i].black = true
		at := r.visit[i]
		depth := at.depth + 1
		if depth > best {
			break
		}
		links := p.neighbors(i)
		if !p.spend(len(links)) {
			return 0, p.errorBudget()
		}
		for _, l := range links {
			j := l.atom
			if !r.active[l.bond] || r.bridge[l.bond] || at.parent == j {
				continue
			}
			to := &r.visit[j]
			if to.stamp != r.epoch {
				*to = visit{stamp: r.epoch, parent: i, depth: depth, branch: at.branch}
				if i == root {
					to.branch = j
				}
				r.queue = append(r.queue, j)
				continue
			}
			// The two ways to j close a ring; it goes through root if they are
			// on different branches.
			if to.black || to.branch == at.branch {
				continue
			}
			size := at.depth + 1 + to.depth
			if size > best {
				return count, nil
			}
			best = size
			count++
			// root … i, then j … the atom next to root.
			from := len(r.small.atoms)
			for k := i; k != -1; k = r.visit[k].parent {
				r.small.atoms = append(r.small.atoms, k)
			}
			slices.Reverse(r.small.atoms[from:])
			for k := j; k != root; k = r.visit[k].parent {
				r.small.atoms = append(r.small.atoms, k)
			}
			if !p.spend(int(size)) {
				return 0, p.errorBudget()
			}
			r.small.start = append(r.small.start, int32(len(r.small.atoms)))
		}
	}
	return count, nil
}

// noteRing marks the atoms and bonds of a ring as known ring members.
func (p *Parser) noteRing(ring []int32) {
	r := &p.rings
	for k, i := range ring {
		j := ring[0]
		if k+1 < len(ring) {
			j = ring[k+1]
		}
		r.ringAtom[i] = true
		r.ringBond[p.between(i, j)] = true
	}
}

// searchTwos searches from the atoms of r.two.
func (p *Parser) searchTwos() error {
	r := &p.rings
	r.small.reset()
	r.hits = r.hits[:0]
	for _, i := range r.two {
		from := r.small.len()
		count, err := p.smallest(i, -1)
		if err != nil {
			return err
		}
		for k := from; k < r.small.len(); k++ {
			ring := r.small.ring(k)
			h := ringHash(ring)
			if r.seen.add(h) {
				r.found.add(ring)
				p.noteRing(ring)
			}
			r.hits = append(r.hits, ringHit{h, int32(len(r.hits)), i, int32(k)})
		}
		// The bonds of i stay for now, since another small ring may need them;
		// without a ring they can go, and the chain with them.
		if count == 0 {
			held := len(r.changed)
			r.changed = append(r.changed, i)
			for len(r.changed) > held {
				j := r.changed[len(r.changed)-1]
				r.changed = r.changed[:len(r.changed)-1]
				p.trim(j)
			}
		}
	}
	return p.searchDuplicates()
}

// searchDuplicates searches again from atoms that found the same ring, each time
// with the others cut off: one of them may have hidden a ring of another.
func (p *Parser) searchDuplicates() error {
	r := &p.rings
	if len(r.hits) < 2 {
		return nil
	}
	slices.SortFunc(r.hits, func(x, y ringHit) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.seq, y.seq))
	})
	r.groups = r.groups[:0]
	for lo := 0; lo < len(r.hits); {
		hi := lo + 1
		for hi < len(r.hits) && r.hits[hi].hash == r.hits[lo].hash {
			hi++
		}
		if hi-lo > 1 {
			r.groups = append(r.groups, hitGroup{int32(lo), int32(hi)})
		}
		lo = hi
	}
	if len(r.groups) == 0 {
		return nil
	}
	// RDKit keeps the rings in a map ordered as if their sets of atoms were
	// binary numbers, so they are compared from the highest atom down.
	if len(r.groups) > 1 {
		for _, g := range r.groups {
			ring := r.small.ring(int(r.hits[g.lo].ring))
			slices.SortFunc(ring, func(x, y int32) int { return cmp.Compare(y, x) })
		}
		slices.SortFunc(r.groups, func(x, y hitGroup) int {
			return slices.Compare(r.small.ring(int(r.hits[x.lo].ring)), r.small.ring(int(r.hits[y.lo].ring)))
		})
	}
	// For each atom the groups that it is in.
	r.inGroups = r.inGroups[:0]
	for k, g := range r.groups {
		for _, h := range r.hits[g.lo:g.hi] {
			r.inGroups = append(r.inGroups, inGroup{h.atom, int32(k)})
		}
	}
	slices.SortFunc(r.inGroups, func(x, y inGroup) int {
		return cmp.Or(cmp.Compare(x.atom, y.atom), cmp.Compare(x.group, y.group))
	})
	for _, g := range r.groups {
		shortest := 1 << 30
		from := r.small.len()
		for _, h := range r.hits[g.lo:g.hi] {
			// Cut off all atoms that share any ring with this one.
			cut := r.cut[:0]
			q, _ := slices.BinarySearchFunc(r.inGroups, h.atom, func(x inGroup, i int32) int { return cmp.Compare(x.atom, i) })
			for ; q < len(r.inGroups) && r.inGroups[q].atom == h.atom; q++ {
				o := r.groups[r.inGroups[q].group]
				if !p.spend(int(o.hi - o.lo)) {
					return p.errorBudget()
				}
				for _, x := range r.hits[o.lo:o.hi] {
					if x.atom == h.atom {
						continue
					}
					for _, l := range p.neighbors(x.atom) {
						if r.active[l.bond] {
							r.active[l.bond] = false
							cut = append(cut, l.bond)
						}
					}
				}
			}
			r.cut = cut
			before := r.small.len()
			_, err := p.smallest(h.atom, -1)
			for _, k := range cut {
				r.active[k] = true
			}
			if err != nil {
				return err
			}
			for k := before; k < r.small.len(); k++ {
				shortest = min(shortest, r.small.size(k))
			}
		}
		for k := from; k < r.small.len(); k++ {
			if ring := r.small.ring(k); len(ring) == shortest && r.seen.add(ringHash(ring)) {
				r.found.add(ring)
			}
		}
	}
	return nil
}

// searchThree finds the rings of an atom with three bonds, no atom with two being
// left: at least three, each bond in two of them.
func (p *Parser) searchThree(root int32) error {
	r := &p.rings
	r.small.reset()
	count, err := p.smallest(root, -1)
	if err != nil {
		return err
	}
	take := func(from int) {
		for k := from; k < r.small.len(); k++ {
			if ring := r.small.ring(k); r.seen.add(ringHash(ring)) {
				r.found.add(ring)
			}
		}
	}
	take(0)
	if count != 1 && count != 2 {
		return nil
	}
	var next [3]int32
	k := 0
	for _, l := range p.neighbors(root) {
		if r.active[l.bond] && k < 3 {
			next[k] = l.atom
			k++
		}
	}
	again := func(avoid int32) error {
		from := r.small.len()
		if _, err := p.smallest(root, avoid); err != nil {
			return err
		}
		take(from)
		return nil
	}
	if count == 2 {
		// The third ring avoids the neighbour that both have.
		for _, f := range next {
			if slices.Contains(r.small.ring(0), f) && slices.Contains(r.small.ring(1), f) {
				return again(f)
			}
		}
		return p.errorBudget()
	}
	// Two more rings, through the neighbour that the first does not have and
	// through one each of the others.
	var f1, f2 int32
	switch ring := r.small.ring(0); {
	case !slices.Contains(ring, next[0]):
		f1, f2 = next[1], next[2]
	case !slices.Contains(ring, next[1]):
		f1, f2 = next[0], next[2]
	default:
		f1, f2 = next[0], next[1]
	}
	if err := again(f2); err != nil {
		return err
	}
	return again(f1)
}

// missedRings looks for rings that close over bonds between ring atoms that are
// in no ring yet. As in RDKit only the first bonds of the molecule are looked
// at, as many as the fragment has.
func (p *Parser) missedRings(bonds int) error {
	r := &p.rings
	r.deadBond = zeroed(r.deadBond, len(p.bonds))
	for k := 0; k < bonds; {
		b := &p.bonds[k]
		if r.ringBond[k] || r.deadBond[k] || !r.ringAtom[b.a] || !r.ringAtom[b.b] {
			k++
			continue
		}
		ok, err := p.searchOver(b.a, b.b)
		if err != nil {
			return err
		}
		if ok {
			k = 0 // new ring atoms may have made earlier bonds eligible
		} else {
			r.deadBond[k] = true
		}
	}
	return nil
}

// searchOver looks for a shortest path over ring atoms from one end of a bond to
// the other that makes a new ring.
func (p *Parser) searchOver(from, to int32) (bool, error) {
	r := &p.rings
	type step struct{ atom, before int32 }
	queue := []step{{from, -1}}
	for head := 0; head < len(queue); head++ {
		at := queue[head]
		for _, l := range p.neighbors(at.atom) {
			if !p.spend(4) {
				return false, p.errorBudget()
			}
			if l.atom == to {
				if at.atom == from {
					continue
				}
				ring := r.path[:0]
				ring = append(ring, to)
				for k := int32(head); k >= 0; k = queue[k].before {
					ring = append(ring, queue[k].atom)
				}
				slices.Reverse(ring)
				r.path = ring
				if r.seen.add(ringHash(ring)) {
					r.found.add(ring)
					p.noteRing(ring)
					return true, nil
				}
				continue
			}
			if !r.ringAtom[l.atom] {
				continue
			}
			on := false
			for k := int32(head); k >= 0 && !on; k = queue[k].before {
				on = queue[k].atom == l.atom
				p.budget--
			}
			if !on {
				queue = append(queue, step{l.atom, int32(head)})
			}
		}
	}
	return false, nil
}

// ringBondsOf fills l.bonds.
func (p *Parser) ringBondsOf(l *ringList) {
	l.bonds = l.bonds[:0]
	for k := range l.len() {
		ring := l.ring(k)
		for q, i := range ring {
			j := ring[0]
			if q+1 < len(ring) {
				j = ring[q+1]
			}
			l.bonds = append(l.bonds, p.between(i, j))
		}
	}
}

// dropRings drops rings from r.found that bring no new bond: the smallest ring
// first, and among rings of the same size the one that overlaps most with what is
// there. What is dropped goes to r.extra.
func (p *Parser) dropRings() error {
	r := &p.rings
	n := r.found.len()
	by := grow(r.sorted, n)
	r.sorted = by
	for k := range by {
		by[k] = int32(k)
	}
	sortLikeSTL(by, func(x, y int32) bool { return r.found.size(int(x)) < r.found.size(int(y)) })
	p.ringBondsOf(&r.found)
	r.covered = zeroed(r.covered, len(p.bonds))
	const available, kept, considered = 1, 2, 4
	state := grow(r.keep, n)
	r.keep = state
	for k := range state {
		state[k] = available
	}
	overlap := func(k int) (shared, size int) {
		bonds := r.found.ringBonds(int(by[k]))
		for _, b := range bonds {
			if r.covered[b] {
				shared++
			}
		}
		return shared, len(bonds)
	}
	cover := func(k int) {
		for _, b := range r.found.ringBonds(int(by[k])) {
			r.covered[b] = true
		}
		state[k] |= kept
	}
	for i := range n {
		if shared, size := overlap(i); shared == size {
			state[i] &^= available
		}
		if state[i]&available == 0 {
			continue
		}
		cover(i)
		end := i + 1
		left := 0
		for end < n && r.found.size(int(by[end])) == r.found.size(int(by[i])) {
			if state[end]&available != 0 {
				state[end] |= considered
				left++
			}
			end++
		}
		for ; left > 0; left-- {
			best, most, full := -1, -1, false
			for j := i + 1; j < end; j++ {
				if state[j]&considered == 0 {
					continue
				}
				shared, size := overlap(j)
				if !p.spend(size) {
					return p.errorBudget()
				}
				if shared > most {
					best, most, full = j, shared, shared == size
				}
			}
			state[best] &^= considered | available
			if !full {
				cover(best)
			}
		}
	}
	r.extra.reset()
	r.small.reset()
	for k := range n {
		if ring := r.found.ring(int(by[k])); state[k]&kept != 0 {
			r.small.add(ring)
		} else {
			r.extra.add(ring)
		}
	}
	r.found, r.small = r.small, r.found
	return nil
}

// symmetrize adds the extra rings that could take the place of a ring of the same
// size without uncovering a bond.
func (p *Parser) symmetrize() error {
	r := &p.rings
	n := r.len()
	r.counts = zeroed(r.counts, len(p.bonds))
	for _, k := range r.bonds {
		r.counts[k]++
	}
	p.ringBondsOf(&r.extra)
	r.covered = zeroed(r.covered, len(p.bonds))
	for e := range r.extra.len() {
		ring, bonds := r.extra.ring(e), r.extra.ringBonds(e)
		for _, k := range bonds {
			r.covered[k] = true
		}
		for q := range n {
			if r.size(q) != len(ring) {
				continue
			}
			if !p.spend(len(ring)) {
				return p.errorBudget()
			}
			share, replaces := false, true
			for _, k := range r.ringBonds(q) {
				if r.covered[k] {
					share = true
				} else if r.counts[k] == 1 {
					replaces = false
				}
			}
			if share && replaces {
				r.add(ring)
				r.bonds = append(r.bonds, bonds...)
				break
			}
		}
		for _, k := range bonds {
			r.covered[k] = false
		}
	}
	return nil
}

// quickRings makes the rings those of a depth-first search: one for each bond
// that leads back to an atom on the path.
func (p *Parser) quickRings() error {
	r := &p.rings
	r.reset()
	color := zeroed(r.keep, len(p.atoms)) // 1: on the path, 2: done
	r.keep = color
	next := zeroed(r.counts, len(p.atoms))
	r.counts = next
	path := r.stack[:0]
	for root := range p.atoms {
		if color[root] != 0 {
			continue
		}
		if len(p.neighbors(int32(root))) < 2 {
			color[root] = 2
			continue
		}
		path = append(path[:0], int32(root))
		color[root] = 1
		for len(path) > 0 {
			i := path[len(path)-1]
			links := p.neighbors(i)
			if int(next[i]) == len(links) {
				color[i] = 2
				path = path[:len(path)-1]
				continue
			}
			j := links[next[i]].atom
			next[i]++
			switch color[j] {
			case 0:
				if len(p.neighbors(j)) < 2 {
					color[j] = 2
				} else {
					color[j] = 1
					path = append(path, j)
				}
			case 1:
				if len(path) < 2 || path[len(path)-2] == j {
					continue
				}
				for k := len(path) - 1; path[k] != j; k-- {
					r.atoms = append(r.atoms, path[k])
				}
				r.atoms = append(r.atoms, j)
				if !p.spend(len(r.atoms) - int(r.start[len(r.start)-1])) {
					return p.errorBudget()
				}
				r.start = append(r.start, int32(len(r.atoms)))
			}
		}
	}
	r.stack = path
	return nil
}

// fillMembers lists the rings of each atom and bond.
func (p *Parser) fillMembers() {
	r := &p.rings
	fill := func(of, members, in []int32, n int) ([]int32, []int32) {
		of = zeroed(of, n+1)
		members = grow(members, len(in))
		for _, i := range in {
			of[i]++
		}
		sum := int32(0)
		for i := range of {
			sum += of[i]
			of[i] = sum
		}
		for k := r.len() - 1; k >= 0; k-- {
			for q := r.start[k]; q < r.start[k+1]; q++ {
				of[in[q]]--
				members[of[in[q]]] = int32(k)
			}
		}
		return of, members
	}
	r.memberOf, r.member = fill(r.memberOf, r.member, r.atoms, len(p.atoms))
	r.bondMemberOf, r.bondMember = fill(r.bondMemberOf, r.bondMember, r.bonds, len(p.bonds))
	for _, i := range r.atoms {
		p.atoms[i].ring = true
	}
	for _, k := range r.bonds {
		p.bonds[k].ring = true
	}
}

// ofAtom and ofBond are the rings that an atom or bond is in. Only where there
// are rings.
func (r *rings) ofAtom(i int32) []int32 { return r.member[r.memberOf[i]:r.memberOf[i+1]] }
func (r *rings) ofBond(k int32) []int32 { return r.bondMember[r.bondMemberOf[k]:r.bondMemberOf[k+1]] }
