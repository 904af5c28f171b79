package molecule

import (
	"slices"
	"sync"

	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
)

// Kekulé forms. Aromatic bonds as read are a claim; each fused system must have an arrangement of
// double bonds that satisfies every atom that needs one. The search is RDKit's, greedy with bounded
// backtracking, so that the same systems are refused.

const (
	maxBacktracks = 100
	maxWildcards  = 30 // tried without a double bond, within the budget
)

// kekuler is the workspace of kekulize.
type kekuler struct {
	fused fusion

	atoms      []kekuleAtom
	all        []int32 // atoms of the system, in ring order
	wild       []int32 // its wildcards that are candidates
	makeSingle []int32 // bonds

	done    []int32 // atoms that are settled, in order
	queue   []int32 // a deque: queue[head:]
	head    int
	added   []bool  // bonds made double
	doubled []int32 // all bonds that were made double, also those undone since
	pool    []neighbor.Link
	moves   []int32 // atoms with options, in order
}

type kekuleAtom struct {
	in        bool // in the system
	candidate bool // takes a double bond
	trial     bool // a candidate in the current trial
	done      bool
	queued    int32         // how often the atom is in the queue
	options   neighbor.Span // neighbours left to try, in pool
}

// fusion lists which rings share bonds: ring r does with near[first[r]:first[r+1]], ascending.
type fusion struct {
	first, near     []int32
	done            []bool  // rings that pick has returned, or that are not usable
	system          []int32 // what pick returns
	shared, touched []int32 // scratch
}

// pick returns the rings connected to ring r, depth first.
func (f *fusion) pick(r int32) []int32 {
	f.system = f.system[:0]
	f.visit(r)
	return f.system
}

// visit adds ring r and all rings fused to it, directly or by others, to the system.
func (f *fusion) visit(r int32) {
	f.system = append(f.system, r)
	f.done[r] = true
	for _, o := range f.near[f.first[r]:f.first[r+1]] {
		if !f.done[o] {
			f.visit(o)
		}
	}
}

// kekulize replaces aromatic bonds by single and double ones and removes the marks of aromatic atoms and bonds. It
// returns an error if a ring system has no Kekulé form.
func (p *Draft) kekulize() error {
	k, r := &p.kek, &p.Rings
	if p.aromatic == 0 {
		return nil
	}
	atoms, bonds := p.Atoms, p.Bonds
	if r.Len() > 0 { // each system of fused rings
		buffer.Zeroed(&k.atoms, len(atoms))
		buffer.Zeroed(&k.added, len(bonds))
		// Rings of wildcards only are not arranged.
		usable := func(q int32) bool {
			return slices.ContainsFunc(r.Ring(int(q)), func(i int32) bool { return p.Atoms[i].Element != 0 })
		}
		p.fuse(&k.fused, usable, 0, 0)
		for q := range r.Len() {
			if k.fused.done[q] {
				continue
			}
			if err := p.kekulizeSystem(k.fused.pick(int32(q))); err != nil {
				return err
			}
		}
	}
	for i := range bonds {
		bonds[i].Aromatic = false
	}
	for i := range atoms {
		a := &atoms[i]
		if !a.Aromatic {
			continue
		}
		if !a.ring {
			return p.ErrorAtom(int32(i), "aromatic atom that is not in a ring")
		}
		a.Aromatic = false
		// The Kekulé form implies the H of [nH].
		if (a.Element == 7 || a.Element == 15) && a.Charge == 0 && a.Explicit == 1 {
			before := a.totalValence()
			a.NoImplicit = false
			a.Explicit = 0
			if p.Refresh(int32(i)); a.totalValence() != before {
				return p.ErrorAtom(int32(i), "no Kekulé form: %s cannot keep its hydrogen", a.describe())
			}
		}
	}
	return nil
}

// Kekule returns the orders of m's bonds in a Kekulé form. ok is false if it finds none.
func (m *Molecule) Kekule() (orders []Order, ok bool) {
	p := drafts.Get().(*Draft)
	defer drafts.Put(p)
	buffer.Grow(&p.Atoms, len(m.Atoms))
	p.Bonds, p.Chain = append(p.Bonds[:0], m.Bonds...), -1
	for i := range m.Atoms {
		a := &m.Atoms[i]
		p.Atoms[i] = DraftAtom{
			Element: a.Element, Charge: int32(a.Charge), Radicals: int32(a.Radicals),
			Aromatic: a.Aromatic, Explicit: int32(a.Hydrogens), NoImplicit: true,
		}
	}
	p.Link()
	err := p.bounded(func() error {
		if err := p.checkValences(p.sumBonds()); err != nil {
			return err
		}
		p.findRings()
		return p.kekulize()
	})
	if err != nil {
		return nil, false
	}
	orders = make([]Order, len(p.Bonds))
	for k := range orders {
		orders[k] = p.Bonds[k].Order
	}
	return orders, true
}

var drafts = sync.Pool{New: func() any { return new(Draft) }}

// fuse fills f with the usable rings and marks the others done. Rings are neighbours if they share a bond, but not if one
// has more than limit atoms or if they share more than most bonds. 0 means no such limit.
func (p *Draft) fuse(f *fusion, usable func(int32) bool, limit, most int) {
	r := &p.Rings
	n := r.Len()
	buffer.Grow(&f.done, n)
	for q := range n {
		f.done[q] = !usable(int32(q))
	}
	buffer.Grow(&f.first, n+1)
	buffer.Zeroed(&f.shared, n)
	f.near = f.near[:0]
	for q := range n {
		f.first[q] = int32(len(f.near))
		if !r.Fused(q) || f.done[q] || limit > 0 && r.Size(q) > limit {
			continue
		}
		f.touched = f.touched[:0] // rings that share a bond with ring q; f.shared counts the bonds
		for _, b := range r.Bonds(q) {
			sharing := r.OfBond(b)
			if len(sharing) == 1 {
				continue
			}
			p.spend(len(sharing))
			for _, o := range sharing {
				if int(o) == q || f.done[o] || limit > 0 && r.Size(int(o)) > limit {
					continue
				}
				if f.shared[o] == 0 {
					f.touched = append(f.touched, o)
				}
				f.shared[o]++
			}
		}
		slices.Sort(f.touched)
		for _, o := range f.touched {
			if most == 0 || int(f.shared[o]) <= most {
				f.near = append(f.near, o)
			}
			f.shared[o] = 0
		}
	}
	f.first[n] = int32(len(f.near))
}

// kekulizeSystem finds a Kekulé form of the fused rings in system, or returns an error. It does nothing if no atom in
// them is aromatic or a wildcard.
func (p *Draft) kekulizeSystem(system []int32) error {
	k, r := &p.kek, &p.Rings
	k.all = k.all[:0]
	for _, q := range system {
		for _, i := range r.Ring(int(q)) {
			if !k.atoms[i].in {
				k.atoms[i].in = true
				k.all = append(k.all, i)
			}
		}
	}
	defer func() {
		for _, i := range k.all {
			k.atoms[i].in, k.atoms[i].candidate = false, false
		}
	}()
	if !slices.ContainsFunc(k.all, func(i int32) bool { return p.Atoms[i].Element == 0 || p.inAromatic(i) }) {
		return nil
	}
	p.markCandidates()
	for _, i := range k.all {
		at := &k.atoms[i]
		at.trial = at.candidate
	}
	if p.arrange() {
		return nil
	}
	// Wildcards may lack a double bond: try every set of them without one. Bit q of off stands for wildcard q.
	if n := min(len(k.wild), maxWildcards); n > 0 {
		k.done = k.done[:0]
		for off := 1; off < 1<<n; off++ {
			for _, i := range k.all { // begin anew
				for _, l := range p.Neighbors(i) {
					if b := &p.Bonds[l.Bond]; b.Aromatic && k.atoms[l.Atom].in {
						b.Order = Single
					}
				}
			}
			for _, i := range k.all {
				k.atoms[i].trial = k.atoms[i].candidate
			}
			for q, i := range k.wild[:n] {
				if off>>q&1 == 1 {
					k.atoms[i].trial = false
				}
			}
			if p.arrange() {
				return nil
			}
		}
	}
	for i := range p.Atoms {
		if k.atoms[i].candidate {
			return p.ErrorAtom(int32(i), "no Kekulé form: the aromatic ring system of %d atoms that this one is in "+
				"cannot be written with single and double bonds", len(k.all))
		}
	}
	return p.ErrorAtom(k.all[0], "no Kekulé form")
}

// markCandidates marks the atoms of k.all that take a double bond, and makes their aromatic bonds single.
func (p *Draft) markCandidates() {
	k := &p.kek
	k.done = k.done[:0]
	k.wild = k.wild[:0]
	k.makeSingle = k.makeSingle[:0]
	for _, i := range k.all {
		a := &p.Atoms[i]
		k.atoms[i].queued = 1 // here only: the atom was visited
		if a.Element != 0 && !p.inAromatic(i) {
			k.done = append(k.done, i) // not aromatic: its bonds stay
			continue
		}
		bonds, ignored := int32(0), int32(0)
		for _, l := range p.Neighbors(i) {
			b := &p.Bonds[l.Bond]
			if b.Aromatic && (b.Order == Single || b.Order == Double || b.Order == Aromatic) {
				bonds++
				// The bond changes only at the end: the valences below need it as it is.
				k.makeSingle = append(k.makeSingle, l.Bond)
				continue
			}
			v := (p.twice(l.Bond, i) + 1) / 2
			bonds += v
			if v == 0 {
				ignored++
			}
		}
		if a.Element == 0 && p.openWildcard(i) {
			k.atoms[i].candidate = true
			k.wild = append(k.wild, i)
		} else {
			k.atoms[i].candidate = p.lacksBond(i, bonds, ignored)
		}
	}
	for _, i := range k.all {
		k.atoms[i].queued = 0
	}
	for _, b := range k.makeSingle {
		p.Bonds[b].Order = Single
	}
}

// openWildcard reports whether wildcard i takes a double bond. One of its rings must own an aromatic atom. It must
// also be in more rings than it has visited neighbours that are neither wildcards nor aromatic.
func (p *Draft) openWildcard(i int32) bool {
	plain := 0
	for _, l := range p.Neighbors(i) {
		if n := &p.Atoms[l.Atom]; n.Element != 0 && !n.Aromatic && p.kek.atoms[l.Atom].queued == 1 {
			plain++
		}
	}
	in := p.Rings.OfAtom(i)
	return plain < len(in) && slices.ContainsFunc(in, p.ownsAromatic)
}

// lacksBond reports whether atom i has room for one more bond. bonds is the sum of its bond orders, with aromatic bonds as
// single ones. ignored is the number of its bonds that add nothing to its valence.
func (p *Draft) lacksBond(i, bonds, ignored int32) bool {
	a := &p.Atoms[i]
	bonds += a.Hydrogens()
	shift := a.shift()
	limit := int32(basics[a.Element].valence) + shift
	total := a.totalValence()
	degree := p.Degree(i) + a.Room() - ignored
	if total > limit { // take the lowest valence that suffices
		for _, v := range elements[a.Element].valences[1:] {
			if total <= limit || v <= 0 {
				break
			}
			limit = int32(v) + shift
		}
	}
	if total == 5 && bonds == 4 && limit == 3 && degree == 3 && a.Radicals == 0 && shift == 0 && a.Hydrogens() == 0 &&
		(a.Element == 7 || a.Element == 15 || a.Element == 33) {
		limit = 5 // as in O=n1ccccc1
	}
	return degree+a.Radicals < limit &&
		(limit == bonds+1+a.Radicals ||
			a.Radicals == 0 && a.NoImplicit && limit == bonds+2) // it will be a radical
}

// ownsAromatic reports whether ring q has an aromatic atom that is in no other ring.
func (p *Draft) ownsAromatic(q int32) bool {
	return slices.ContainsFunc(p.Rings.Ring(int(q)), func(i int32) bool {
		return len(p.Rings.OfAtom(i)) == 1 && p.inAromatic(i)
	})
}

// arrange places double bonds between the candidates on trial. It returns false, and leaves the bonds unchanged, if it
// finds no arrangement within maxBacktracks. Each candidate takes the first partner among its open neighbours. Where none
// is left, the latest choice with other options is undone and takes its next one.
func (p *Draft) arrange() bool {
	k, atoms := &p.kek, p.kek.atoms
	start := len(k.done)
	for _, i := range k.done {
		atoms[i].done = true
	}
	k.queue, k.head = k.queue[:0], 0
	k.moves, k.pool, k.doubled = k.moves[:0], k.pool[:0], k.doubled[:0]
	backtracks, from := 0, 0 // all[:from] are done
	ok := true
	for ok && (len(k.done) < len(k.all) || k.head < len(k.queue)) {
		var i int32
		if k.head < len(k.queue) { // neighbours of settled atoms first
			i = k.queue[k.head]
			k.head++
			atoms[i].queued--
		} else {
			for atoms[k.all[from]].done {
				from++
			}
			i = k.all[from]
		}
		k.done = append(k.done, i)
		atoms[i].done = true
		p.spend(4)
		options := atoms[i].options
		again := options.Lo < options.Hi // the search came back to atom i for its next option
		if !again {
			options = p.findOptions(i)
		}
		switch {
		case !atoms[i].trial: // it has its double bond, or takes none
		case options.Lo < options.Hi:
			p.double(i, options, again)
		case p.Atoms[i].Element != 0:
			// No partner is left: an earlier choice was wrong.
			if len(k.moves) == 0 || backtracks == maxBacktracks {
				ok = false
				break
			}
			p.backtrack(k.moves[len(k.moves)-1])
			backtracks++
			from = 0
			p.spend(len(k.all))
		}
	}
	p.endSearch(ok)
	k.done = k.done[:start]
	return ok
}

// endSearch resets the workspace after a search. Unless keep is set, it makes the double bonds single again.
func (p *Draft) endSearch(keep bool) {
	k := &p.kek
	for _, b := range k.doubled {
		if k.added[b] && !keep {
			p.Bonds[b].Order = Single
		}
		k.added[b] = false
	}
	for _, i := range k.all {
		at := &k.atoms[i]
		at.done, at.queued, at.options = false, 0, neighbor.Span{}
	}
}

// findOptions queues the open neighbours of atom i and returns those that a double bond could join to it.
func (p *Draft) findOptions(i int32) neighbor.Span {
	k, atoms := &p.kek, p.kek.atoms
	lo := int32(len(k.pool))
	for _, l := range p.Neighbors(i) {
		o := &atoms[l.Atom]
		if o.done || !o.in {
			continue
		}
		if o.queued == 0 {
			k.queue = append(k.queue, l.Atom)
			o.queued++
		}
		if atoms[i].trial && o.trial &&
			(p.Bonds[l.Bond].Aromatic || p.Atoms[i].Element == 0 || p.Atoms[l.Atom].Element == 0) {
			k.pool = append(k.pool, l)
		}
	}
	return neighbor.Span{Lo: lo, Hi: int32(len(k.pool))}
}

// double places a double bond between atom i and its first option. It keeps the other options for backtracking: k.moves
// lists the atoms that have any. again is set if atom i is listed already.
func (p *Draft) double(i int32, options neighbor.Span, again bool) {
	k, atoms := &p.kek, p.kek.atoms
	l := k.pool[options.Lo]
	options.Lo++
	p.Bonds[l.Bond].Order = Double
	atoms[i].trial, atoms[l.Atom].trial = false, false
	k.added[l.Bond] = true
	k.doubled = append(k.doubled, l.Bond)
	atoms[i].options = options
	switch more := options.Lo < options.Hi; {
	case again && !more:
		k.moves = k.moves[:len(k.moves)-1]
	case more && !again:
		k.moves = append(k.moves, i)
	}
}

// backtrack undoes the choice at atom i and everything after it.
func (p *Draft) backtrack(i int32) {
	k := &p.kek
	first := slices.Index(k.done, i)
	undone := k.done[first:]
	k.done = k.done[:first]
	for _, j := range undone {
		k.atoms[j].done = false
		k.atoms[j].queued++
	}
	// The undone atoms return to the front of the queue, in order.
	rest := k.queue[k.head:]
	k.queue = slices.Concat(undone, rest)
	k.head = 0
	for _, j := range k.all { // double bonds between undone atoms become single
		if k.atoms[j].done {
			continue
		}
		for _, l := range p.Neighbors(j) {
			if k.added[l.Bond] && k.atoms[l.Atom].in && !k.atoms[l.Atom].done {
				k.added[l.Bond] = false
				p.Bonds[l.Bond].Order = Single
				k.atoms[j].trial, k.atoms[l.Atom].trial = true, true
			}
		}
	}
}
