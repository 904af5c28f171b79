package molecule

import "slices"

// Kekulé forms. Aromatic bonds as read are only a claim; each fused system must
// have an arrangement of double bonds in which every atom that needs one has one.
// The search is RDKit's: greedy from one atom to its neighbours, with bounded
// backtracking, since the same systems must be refused.

const (
	maxBacktracks = 100
	maxWildcards  = 30 // tried without a double bond; the budget ends it sooner
)

// kekuler is the workspace of kekulize.
type kekuler struct {
	fused fusion

	all        []int32 // atoms of the system, in ring order
	in         []bool
	candidate  []bool
	wild       []int32
	makeSingle []int32

	trial   []bool  // candidates left in a trial
	done    []int32 // in order
	isDone  []bool
	queue   []int32 // a deque: queue[head:]
	head    int
	queued  []int32 // how many times
	added   []bool  // bonds made double
	options []span  // neighbours left to try, in pool
	pool    []int32
	moves   []int32 // atoms with options, in order
}

type span struct{ lo, hi int32 }

// fusion is the neighbourhood of rings: ring r shares bonds with
// near[first[r]:first[r+1]], ascending.
type fusion struct {
	first, near []int32
	done        []bool
	system      []int32
	shared      []int32
	touched     []int32
	path        []int32
	next        []int32
}

// pick fills system with the rings that are connected to ring r, in depth-first
// order.
func (f *fusion) pick(r int32) {
	f.system = append(f.system[:0], r)
	f.done[r] = true
	f.path = append(f.path[:0], r)
	for len(f.path) > 0 {
		q := f.path[len(f.path)-1]
		if f.next[q] == f.first[q+1] {
			f.path = f.path[:len(f.path)-1]
			continue
		}
		o := f.near[f.next[q]]
		f.next[q]++
		if !f.done[o] {
			f.done[o] = true
			f.system = append(f.system, o)
			f.path = append(f.path, o)
		}
	}
}

// kekulize replaces aromatic bonds by single and double ones and takes the marks
// of aromaticity away.
func (p *Parser) kekulize() error {
	k, r := &p.kek, &p.rings
	aromatic := false
	for i := range p.bonds {
		aromatic = aromatic || p.bonds[i].aromatic
	}
	for i := range p.atoms {
		aromatic = aromatic || p.atoms[i].aromatic
	}
	if !aromatic {
		return nil
	}
	if r.len() > 0 {
		n, m := len(p.atoms), len(p.bonds)
		k.in = zeroed(k.in, n)
		k.candidate = zeroed(k.candidate, n)
		k.isDone = zeroed(k.isDone, n)
		k.queued = zeroed(k.queued, n)
		k.options = zeroed(k.options, n)
		k.added = zeroed(k.added, m)
		// Rings of wildcards only are left alone.
		usable := func(q int32) bool {
			if p.queries && p.hasQueryBond(q) {
				return false
			}
			for _, i := range r.ring(int(q)) {
				if p.atoms[i].z != 0 {
					return true
				}
			}
			return false
		}
		if err := p.fuse(&k.fused, usable, 0, 0); err != nil {
			return err
		}
		for q := range r.len() {
			if k.fused.done[q] {
				continue
			}
			k.fused.pick(int32(q))
			if err := p.kekulizeSystem(k.fused.system); err != nil {
				return err
			}
		}
	}
	for i := range p.bonds {
		if b := &p.bonds[i]; b.kind != typedBond {
			b.aromatic = false
		}
	}
	for i := range p.atoms {
		a := &p.atoms[i]
		if !a.aromatic {
			continue
		}
		if !a.ring {
			return p.errorAtom(int32(i), "aromatic atom that is not in a ring")
		}
		a.aromatic = false
		// The H of [nH] is one that the Kekulé form implies.
		if (a.z == 7 || a.z == 15) && a.charge == 0 && a.explicitH == 1 {
			before := a.totalValence()
			a.noImplicit = false
			a.explicitH = 0
			if p.refresh(int32(i)); a.totalValence() != before {
				return p.errorAtom(int32(i), "no Kekulé form: %s cannot keep its hydrogen", a.describe())
			}
		}
	}
	return nil
}

// fuse fills f with the neighbourhood of the usable rings of the molecule. The
// others are marked done. Where limit is not 0, larger rings have no neighbours;
// where most is not 0, rings that share more bonds are no neighbours.
func (p *Parser) fuse(f *fusion, usable func(int32) bool, limit, most int) error {
	r := &p.rings
	n := r.len()
	f.done = grow(f.done, n)
	for q := range n {
		f.done[q] = !usable(int32(q))
	}
	f.first = grow(f.first, n+1)
	f.next = grow(f.next, n)
	f.shared = zeroed(f.shared, n)
	f.near = f.near[:0]
	for q := range n {
		f.first[q] = int32(len(f.near))
		f.next[q] = f.first[q]
		if f.done[q] || limit > 0 && r.size(q) > limit {
			continue
		}
		f.touched = f.touched[:0]
		for _, b := range r.ringBonds(q) {
			of := r.ofBond(b)
			if !p.spend(len(of)) {
				return p.errorBudget()
			}
			for _, o := range of {
				if int(o) == q || f.done[o] || limit > 0 && r.size(int(o)) > limit {
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
	return nil
}

// kekulizeSystem finds a Kekulé form of the fused rings.
func (p *Parser) kekulizeSystem(system []int32) error {
	k, r := &p.kek, &p.rings
	k.all = k.all[:0]
	for _, q := range system {
		for _, i := range r.ring(int(q)) {
			if !k.in[i] {
				k.in[i] = true
				k.all = append(k.all, i)
			}
		}
	}
	// Not cleared on an error, which ends this molecule.
	defer func() {
		for _, i := range k.all {
			k.in[i], k.candidate[i] = false, false
		}
	}()
	if !slices.ContainsFunc(k.all, func(i int32) bool { return p.atoms[i].z == 0 || p.inAromatic(i) }) {
		return nil
	}
	p.markCandidates()
	k.trial = grow(k.trial, len(p.atoms))
	for _, i := range k.all {
		k.trial[i] = k.candidate[i]
	}
	ok, err := p.arrange()
	if err != nil || ok {
		return err
	}
	// Wildcards take a double bond but need none: try without, all combinations.
	if n := min(len(k.wild), maxWildcards); n > 0 {
		k.done = k.done[:0]
		for off := 1; off < 1<<n; off++ {
			for _, i := range k.all {
				for _, l := range p.neighbors(i) {
					if b := &p.bonds[l.bond]; b.aromatic && k.in[l.atom] {
						b.order = Single
					}
				}
			}
			for _, i := range k.all {
				k.trial[i] = k.candidate[i]
			}
			for q, i := range k.wild[:n] {
				if off>>q&1 == 1 {
					k.trial[i] = false
				}
			}
			if ok, err := p.arrange(); err != nil || ok {
				return err
			}
		}
	}
	for i := range p.atoms {
		if k.candidate[i] {
			return p.errorAtom(int32(i), "no Kekulé form: the aromatic ring system of %d atoms that this one is in cannot be written with single and double bonds", len(k.all))
		}
	}
	return p.errorAtom(k.all[0], "no Kekulé form")
}

// markCandidates marks the atoms of k.all that take a double bond, and makes
// their aromatic bonds single.
func (p *Parser) markCandidates() {
	k, r := &p.kek, &p.rings
	k.done, k.wild, k.makeSingle = k.done[:0], k.wild[:0], k.makeSingle[:0]
	member := k.queued // 0: not yet come to, 1: come to
	for _, i := range k.all {
		a := &p.atoms[i]
		member[i] = 1
		if a.z != 0 && !p.inAromatic(i) {
			k.done = append(k.done, i)
			continue
		}
		bonds, ignored, plain := int32(0), int32(0), 0
		for _, l := range p.neighbors(i) {
			n, b := &p.atoms[l.atom], &p.bonds[l.bond]
			if n.z != 0 && !n.aromatic && member[l.atom] == 1 {
				plain++
			}
			if b.aromatic && (b.order == Single || b.order == Double || b.order == Aromatic) {
				bonds++
				// Made single at the end: the valences below need it as it is.
				k.makeSingle = append(k.makeSingle, l.bond)
				continue
			}
			v := (p.twice(l.bond, i) + 1) / 2
			bonds += v
			if v == 0 {
				ignored++
			}
		}
		if a.z == 0 {
			in, skipped := r.ofAtom(i), 0
			for _, q := range in {
				if !p.ownsAromatic(q) {
					skipped++
				}
			}
			if plain < len(in) && skipped < len(in) {
				k.candidate[i] = true
				k.wild = append(k.wild, i)
				continue
			}
		}
		bonds += a.hydrogens()
		e := &elements[a.z]
		shift := a.shift()
		limit := int32(e.valences[0]) + shift
		total := a.totalValence()
		degree := int32(len(p.neighbors(i))) + a.room() - ignored
		for v := 1; total > limit && v < len(e.valences) && e.valences[v] > 0; v++ {
			limit = int32(e.valences[v]) + shift
		}
		if total == 5 && bonds == 4 && limit == 3 && degree == 3 && a.radicals == 0 && shift == 0 && a.hydrogens() == 0 &&
			(a.z == 7 || a.z == 15 || a.z == 33) {
			limit = 5 // as in O=n1ccccc1
		}
		if degree+a.radicals >= limit {
			continue
		}
		k.candidate[i] = limit == bonds+1+a.radicals ||
			a.radicals == 0 && a.noImplicit && limit == bonds+2 // it will be a radical
	}
	for _, i := range k.all {
		member[i] = 0
	}
	for _, b := range k.makeSingle {
		p.bonds[b].order = Single
	}
}

// hasQueryBond reports whether a bond of ring q is a query for its order.
func (p *Parser) hasQueryBond(q int32) bool {
	return slices.ContainsFunc(p.rings.ringBonds(int(q)), func(b int32) bool {
		return p.bonds[b].kind == typedBond || p.bonds[b].kind == choiceBond
	})
}

// ownsAromatic reports whether ring q has an aromatic atom that is in no other
// ring.
func (p *Parser) ownsAromatic(q int32) bool {
	return slices.ContainsFunc(p.rings.ring(int(q)), func(i int32) bool {
		return len(p.rings.ofAtom(i)) == 1 && p.inAromatic(i)
	})
}

// arrange puts double bonds between the candidates in k.trial. It reports false
// where it finds no arrangement; the bonds are then as they were.
func (p *Parser) arrange() (bool, error) {
	k := &p.kek
	start := len(k.done)
	for _, i := range k.done {
		k.isDone[i] = true
	}
	k.queue, k.head = k.queue[:0], 0
	k.moves, k.pool = k.moves[:0], k.pool[:0]
	backtracks, from := 0, 0
	ok := true
	for len(k.done) < len(k.all) || k.head < len(k.queue) {
		var i int32
		if k.head < len(k.queue) {
			i = k.queue[k.head]
			k.head++
			k.queued[i]--
		} else {
			for k.isDone[k.all[from]] {
				from++
			}
			i = k.all[from]
		}
		k.done = append(k.done, i)
		k.isDone[i] = true
		if !p.spend(4) {
			return false, p.errorBudget()
		}
		wants := k.trial[i]
		opts := k.options[i]
		again := opts.hi > opts.lo
		if !again {
			opts.lo = int32(len(k.pool))
			for _, l := range p.neighbors(i) {
				if k.isDone[l.atom] || !k.in[l.atom] {
					continue
				}
				if k.queued[l.atom] == 0 {
					k.queue = append(k.queue, l.atom)
					k.queued[l.atom]++
				}
				if wants && k.trial[l.atom] &&
					(p.bonds[l.bond].aromatic || p.atoms[i].z == 0 || p.atoms[l.atom].z == 0) {
					k.pool = append(k.pool, l.atom)
				}
			}
			opts.hi = int32(len(k.pool))
		}
		switch {
		case !wants:
		case opts.lo < opts.hi:
			j := k.pool[opts.lo]
			opts.lo++
			b := p.between(i, j)
			p.bonds[b].order = Double
			k.trial[i], k.trial[j] = false, false
			k.added[b] = true
			if again {
				k.options[i] = opts
				if opts.lo == opts.hi {
					k.options[i] = span{}
					k.moves = k.moves[:len(k.moves)-1]
				}
			} else if opts.lo < opts.hi {
				k.options[i] = opts
				k.moves = append(k.moves, i)
			}
		case p.atoms[i].z != 0:
			// Nobody is left to share a double bond with: an earlier choice
			// was wrong.
			if len(k.moves) == 0 || backtracks == maxBacktracks {
				ok = false
			} else {
				p.backtrack(k.moves[len(k.moves)-1])
				backtracks++
				from = 0
				if !p.spend(len(k.all)) {
					return false, p.errorBudget()
				}
			}
		}
		if !ok {
			break
		}
	}
	for _, i := range k.all {
		for _, l := range p.neighbors(i) {
			if k.added[l.bond] {
				k.added[l.bond] = false
				if !ok {
					p.bonds[l.bond].order = Single
				}
			}
		}
		k.isDone[i] = false
		k.queued[i] = 0
		k.options[i] = span{}
	}
	k.done = k.done[:start]
	return ok, nil
}

// backtrack undoes what followed the choice at atom i.
func (p *Parser) backtrack(i int32) {
	k := &p.kek
	at := slices.Index(k.done, i)
	undone := k.done[at:]
	k.done = k.done[:at]
	for _, j := range undone {
		k.isDone[j] = false
		k.queued[j]++
	}
	// They come first again, in the same order.
	rest := k.queue[k.head:]
	k.queue = slices.Concat(undone, rest)
	k.head = 0
	for _, j := range k.all {
		if k.isDone[j] {
			continue
		}
		for _, l := range p.neighbors(j) {
			if k.added[l.bond] && k.in[l.atom] && !k.isDone[l.atom] {
				k.added[l.bond] = false
				p.bonds[l.bond].order = Single
				k.trial[j], k.trial[l.atom] = true, true
			}
		}
	}
}
