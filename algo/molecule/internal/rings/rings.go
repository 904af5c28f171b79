// Package rings finds the rings of a molecule (Finder.Find).
//
// Aromaticity depends on the chosen set of smallest rings, which is not unique, so this package follows RDKit's search
// step by step. It is Figueras' breadth-first search from atoms with two ring bonds (J. Chem. Inf. Comput. Sci. 36 (1996)
// 986). A ring that several atoms find may hide another: each of these atoms searches again with the others cut off.
// Superfluous rings are dropped. Rings as good as a chosen one are added back (symmetrised SSSR). Of equally good
// rings the first one found is chosen.
package rings

import (
	"cmp"
	"errors"
	"slices"

	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
)

// ErrTangled ends a search whose budget is spent.
var ErrTangled = errors.New("ring system is too large or too tangled")

// A List holds rings: ring r has the atoms atoms[start[r]:start[r+1]], in order around the ring,
// and bonds likewise, bond k between atom k and the next.
type List struct {
	atoms, bonds, start []int32
}

// Clear removes all rings.
func (l *List) Clear() {
	// One by one, so that only lengths are stored.
	l.atoms = l.atoms[:0]
	l.bonds = l.bonds[:0]
	l.start = l.start[:0]
	l.start = append(l.start, 0)
}

func (l *List) Len() int            { return len(l.start) - 1 }
func (l *List) Ring(r int) []int32  { return l.atoms[l.start[r]:l.start[r+1]] }
func (l *List) Bonds(r int) []int32 { return l.bonds[l.start[r]:l.start[r+1]] }
func (l *List) Size(r int) int      { return int(l.start[r+1] - l.start[r]) }

// add adds a ring of these atoms and bonds.
func (l *List) add(atoms, bonds []int32) {
	l.atoms = append(l.atoms, atoms...)
	l.bonds = append(l.bonds, bonds...)
	l.end()
}

// end completes the ring appended to atoms and bonds.
func (l *List) end() { l.start = append(l.start, int32(len(l.atoms))) }

// addFrom adds ring k of o.
func (l *List) addFrom(o *List, k int) { l.add(o.Ring(k), o.Bonds(k)) }

// A Finder is workspace and result of Find. The zero value is ready.
type Finder struct {
	List

	// Budget bounds the remaining search steps, so that all inputs take linear time.
	Budget int

	// Plain disables short cuts, for tests.
	Plain bool

	near  neighbor.Table
	ends  [][2]int32
	chain int

	byAtom, byBond membership
	fused          []bool // rings that share a bond, once marked
	marked         bool

	found List     // in the current fragment
	small List     // of one search
	seen  []uint64 // hashes of found

	extra  List // of the last fragment with surplus rings
	hits   []ringHit
	byRing []ringHit // sorted
	cut    []int32   // bonds cut for one search

	open     int     // parts of the fragment with remaining cycles
	left     int     // its remaining atoms
	fragment []int32 // its atoms
	order    []int32 // atoms by fragment: upward or grouped
	label    []int32
	shut     []uint8 // bonds trimmed, or a bridge
	blocked  []int32 // atoms in a picked run, by epoch
	two      []int32 // picked atoms of degree two
	changed  []int32
	covered  []bool
	counts   []int32
	sorted   []int32

	path, pathBonds []int32          // the current ring
	way             [3]neighbor.Link // a part of it

	// By atom. In tree, parents precede children and fragments are contiguous.
	nodes      []ringNode
	tree       []int32 // order or walked
	fragmentOf []int32

	upward  []int32 // 0, 1, 2 …
	grouped []int32
	walked  []int32

	// Breadth-first search.
	epoch int32
	visit []visit
	queue []int32
}

type ringNode struct {
	up     neighbor.Link // to its parent in a spanning forest; the bond is -1 at a root
	depth  int32         // below the root
	degree int32         // bonds not trimmed
	done   bool          // its bonds are trimmed

	// top names the ring system: two atoms have the same top if two paths between them share no bond. cycles, at the
	// top, is the cyclomatic number of the system minus the plain rings found in it. Bonds trimmed at first count.
	top, cycles int32
}

// Why a bond is excluded from searches.
const (
	trimmed = 1
	bridge  = 2 // in no ring
)

// A visit is an atom's state in a breadth-first search, valid if stamp is the epoch.
type visit struct {
	stamp  int32 // one more once dequeued
	parent int32 // or -1
	over   int32 // the bond to the parent
	depth  int32
	branch int32 // the root's neighbour that leads here
}

// A ringHit records a ring found from an atom.
type ringHit struct {
	hash uint64
	atom int32
}

// Mix hashes an atom number (splitmix64). The sum over the atoms of a ring identifies the ring.
func Mix(i int32) uint64 {
	z := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// ringHash returns the same number for all orders of a ring's atoms.
func ringHash(ring []int32) uint64 {
	h := uint64(0)
	for _, i := range ring {
		h += Mix(i)
	}
	return h
}

// isNew records a ring of the fragment by its hash, and reports whether it was not recorded before.
func (r *Finder) isNew(ring []int32) bool {
	h := ringHash(ring)
	if slices.Contains(r.seen, h) {
		return false
	}
	r.seen = append(r.seen, h)
	return true
}

// Find finds the rings of atoms with these links. ends are the atoms of each bond. The first chain
// bonds form a forest in which parents precede children; if chain is negative, none is known. Find
// spends r.Budget, and returns ErrTangled if that does not suffice.
func (r *Finder) Find(near *neighbor.Table, ends [][2]int32, chain int) (err error) {
	defer Recover(&err)
	r.near, r.ends, r.chain = *near, ends, chain
	r.prepare()
	if r.Plain || !r.spanText() { // both fill tree, order and label
		r.spanWalk()
	}
	r.findBridges()
	for f := range len(r.label) - 1 {
		lo, hi := r.label[f], r.label[f+1]
		r.fragment = r.order[lo:hi]
		r.fragmentRings(r.tree[lo:hi])
		if len(r.label) == 2 { // the only fragment
			r.List, r.found = r.found, r.List
			break
		}
		for k := range r.found.Len() {
			r.addFrom(&r.found, k)
		}
	}
	if r.extra.Len() > 0 {
		r.symmetrize()
	}
	r.byAtom.made, r.byBond.made, r.marked = false, false, false
	return nil
}

// Recover, deferred, turns a panic with ErrTangled into an error of the deferring function.
func Recover(err *error) {
	if r := recover(); r == ErrTangled {
		*err = ErrTangled
	} else if r != nil {
		panic(r)
	}
}

// prepare clears what the search writes.
func (r *Finder) prepare() {
	r.Clear()
	r.extra.Clear()
	n, m := len(r.near.Spans), len(r.ends)
	nodes := buffer.Grow(&r.nodes, n)
	for i := range nodes {
		o := &nodes[i]
		o.up.Atom, o.up.Bond = -1, -1
		o.depth, o.cycles, o.done = 0, 0, false
		o.degree = r.near.Degree(int32(i))
		o.top = int32(i)
	}
	buffer.Zeroed(&r.shut, m)
	buffer.Grow(&r.queue, n)
	// Stamps of earlier molecules are below the epoch.
	buffer.Grow(&r.visit, n)
	buffer.Grow(&r.blocked, n)
	if r.epoch > 1<<30 {
		clear(r.visit[:cap(r.visit)])
		clear(r.blocked[:cap(r.blocked)])
		r.epoch = 0
	}
}

// spanText takes the chain of the text, all bonds except those that ring numbers close, as spanning tree of one fragment.
// It marks the tree's bonds as bridges. Those in rings lose the mark in findBridges. spanText returns false and does nothing
// if the chain does not join all atoms: there is no text, or it has several components.
func (r *Finder) spanText() bool {
	n := len(r.near.Spans)
	if r.chain != n-1 {
		return false
	}
	nodes, shut, chain := r.nodes, r.shut, r.ends[:r.chain]
	for k := range chain {
		i, j := min(chain[k][0], chain[k][1]), max(chain[k][0], chain[k][1])
		o := &nodes[j]
		o.up.Atom, o.up.Bond = i, int32(k)
		o.depth = nodes[i].depth + 1
		shut[k] |= bridge
	}
	// The fragment and the tree have the atoms 0 to n-1 in the order of the text, so parents precede children.
	r.label = append(r.label[:0], 0, int32(n))
	for len(r.upward) < n {
		r.upward = append(r.upward, int32(len(r.upward)))
	}
	r.order = r.upward[:n]
	r.tree = r.order
	return true
}

// spanWalk makes a breadth-first spanning forest, a tree for each fragment. It marks the forest's bonds as bridges, as
// spanText does, and drops the chain.
func (r *Finder) spanWalk() {
	r.chain = 0
	n := len(r.near.Spans)
	buffer.Grow(&r.fragmentOf, n)
	nodes := r.nodes
	for i := range nodes {
		nodes[i].up, nodes[i].depth = neighbor.Link{Atom: -1, Bond: -1}, -1
	}
	r.walked = r.walked[:0]
	fragments := 0
	for root := range nodes {
		if nodes[root].depth >= 0 {
			continue
		}
		nodes[root].depth = 0
		head := len(r.walked)
		for r.walked = append(r.walked, int32(root)); head < len(r.walked); head++ {
			i := r.walked[head]
			r.fragmentOf[i] = int32(fragments)
			for _, l := range r.near.Of(i) {
				if o := &nodes[l.Atom]; o.depth < 0 {
					o.up, o.depth = neighbor.Link{Atom: i, Bond: l.Bond}, nodes[i].depth+1
					r.shut[l.Bond] |= bridge
					r.walked = append(r.walked, l.Atom)
				}
			}
		}
		fragments++
	}
	r.tree = r.walked
	r.sortFragments(fragments)
}

// sortFragments fills r.order with the atoms by fragment, ascending. Fragments are in the order of their first atoms.
// Fragment f is order[label[f]:label[f+1]].
func (r *Finder) sortFragments(fragments int) {
	buffer.Zeroed(&r.label, fragments+1)
	for _, f := range r.fragmentOf {
		r.label[f]++
	}
	sum := int32(0)
	for f, size := range r.label {
		r.label[f] = sum
		sum += size
	}
	r.counts = append(r.counts[:0], r.label...)
	r.order = buffer.Grow(&r.grouped, len(r.fragmentOf))
	for i, f := range r.fragmentOf {
		r.order[r.counts[f]] = int32(i)
		r.counts[f]++
	}
}

// findBridges finds the ring systems and removes the bridge mark of bonds in rings. Each bond outside of the forest
// closes a ring with the paths in the forest from its two ends to where they meet.
func (r *Finder) findBridges() {
	nodes, shut := r.nodes, r.shut
	for k := r.chain; k < len(r.ends); k++ {
		i, j := r.ends[k][0], r.ends[k][1]
		if nodes[i].up.Bond == int32(k) || nodes[j].up.Bond == int32(k) {
			continue // in the forest
		}
		i, j = r.top(i), r.top(j)
		cycles := int32(1) // of the system that the ring and all systems on the two paths form
		for i != j {       // the deeper end moves up
			if nodes[i].depth < nodes[j].depth {
				i, j = j, i
			}
			o := &nodes[i]
			shut[o.up.Bond] &^= bridge
			cycles += o.cycles
			o.cycles = 0
			o.top = o.up.Atom
			i = r.top(o.top)
		}
		nodes[i].cycles += cycles
	}
}

// top returns the atom that names the ring system of atom i. It shortens the chain of tops on the way.
func (r *Finder) top(i int32) int32 {
	for {
		up := r.nodes[i].top
		if up == i {
			return i
		}
		r.nodes[i].top = r.nodes[up].top
		i = up
	}
}

// trim removes atom i's bonds. Neighbours that keep one bond or none go on the changed list.
func (r *Finder) trim(i int32) {
	for _, l := range r.near.Of(i) {
		if r.shut[l.Bond]&trimmed != 0 {
			continue
		}
		o := &r.nodes[l.Atom]
		if o.degree <= 2 {
			r.changed = append(r.changed, l.Atom)
		}
		r.shut[l.Bond] |= trimmed
		o.degree--
		r.nodes[i].degree--
	}
}

// trimChains trims side chains from their ends, children before parents. It sets r.left to the atoms that remain and
// adds to r.open those with cycles. Ends that it cannot trim, such as the root of the tree, go on the changed list for
// trim. It returns the number of bonds of the fragment before that.
func (r *Finder) trimChains(tree []int32) int {
	nodes, bonds := r.nodes, 0
	r.left = len(tree)
	for q := len(tree) - 1; q >= 0; q-- {
		i := tree[q]
		at := &nodes[i]
		if at.cycles > 0 {
			r.open++
		}
		bonds += int(at.degree)
		if at.degree > 1 {
			continue
		}
		if at.degree == 1 { // its only bond should lead to the parent
			k := at.up.Bond
			if r.Plain || k < 0 || r.shut[k]&trimmed != 0 {
				r.changed = append(r.changed, i)
				continue
			}
			r.shut[k] |= trimmed
			at.degree = 0
			nodes[at.up.Atom].degree--
			bonds++ // the other end will not count it
		}
		at.done = true
		r.left--
	}
	return bonds / 2 // each was counted at both ends
}

// fragmentRings leaves the rings of r.fragment in r.found. tree is its spanning tree. It takes atoms from the fragment until
// no cycles remain: side chains, then atoms of degree two, else one of degree three, whose rings it finds first.
func (r *Finder) fragmentRings(tree []int32) {
	r.found.Clear()
	r.seen = r.seen[:0]
	r.changed = r.changed[:0]
	r.open = 0
	bonds := r.trimChains(tree)
	if r.open == 0 {
		return
	}
	want := bonds - len(r.fragment) + 1 // the number of independent rings
	for first := true; r.open > 0; first = false {
		for len(r.changed) > 0 {
			i := r.changed[len(r.changed)-1]
			r.changed = r.changed[:len(r.changed)-1]
			if !r.nodes[i].done {
				r.finish(i)
			}
		}
		if r.left <= 0 {
			break
		}
		r.spend(len(r.fragment))
		if first && !r.Plain && r.plainRings() {
			break
		}
		r.pickTwos()
		if len(r.two) > 0 {
			r.searchTwos()
			if r.open == 0 {
				break
			}
			for _, i := range r.two {
				r.finish(i)
			}
			continue
		}
		k := slices.IndexFunc(r.fragment, func(i int32) bool { return r.nodes[i].degree == 3 })
		if k < 0 {
			break
		}
		r.searchThree(r.fragment[k])
		r.finish(r.fragment[k])
	}
	switch n := r.found.Len(); {
	case n < want:
		r.treeRings()
	case n > want:
		r.dropRings()
	}
}

// treeRings replaces the rings of r.fragment by those that bonds outside of the spanning forest close with it. It serves
// where the search misses rings, as among atoms with four ring bonds each. There RDKit goes on searching, but no data
// set has such a molecule.
func (r *Finder) treeRings() {
	r.found.Clear()
	nodes := r.nodes
	for _, i := range r.fragment {
		for _, l := range r.near.Of(i) {
			x, y := i, l.Atom
			if x > y || nodes[x].up.Bond == l.Bond || nodes[y].up.Bond == l.Bond {
				continue // seen from its other end, or in the tree
			}
			// Both ends move up to where they meet. down has the atoms on the side of x, which the ring visits last.
			r.path, r.pathBonds = r.path[:0], append(r.pathBonds[:0], l.Bond)
			down := []int32{}
			for x != y {
				if nodes[x].depth < nodes[y].depth {
					r.path, r.pathBonds = append(r.path, y), append(r.pathBonds, nodes[y].up.Bond)
					y = nodes[y].up.Atom
				} else {
					down = append(down, x)
					x = nodes[x].up.Atom
				}
			}
			r.path = append(r.path, x)
			for _, o := range slices.Backward(down) {
				r.path, r.pathBonds = append(r.path, o), append(r.pathBonds, nodes[o].up.Bond)
			}
			r.spend(len(r.path))
			// The ring begins at atom i: the bond after an atom leads to the next.
			r.found.add(append([]int32{i}, r.path[:len(r.path)-1]...), r.pathBonds)
		}
	}
}

// finish removes atom i from the search.
func (r *Finder) finish(i int32) {
	r.nodes[i].done = true
	r.left--
	r.trim(i)
}

// follow extends r.path by link l of root and on to a branch, or around to root. Rings continue from a branch over several
// bonds, or over none.
func (r *Finder) follow(root int32, l neighbor.Link) {
	path, bonds, shut := r.path, append(r.pathBonds, l.Bond), r.shut
	for l.Atom != root {
		path = append(path, l.Atom)
		n, over := 0, l.Bond
		for _, o := range r.near.Of(l.Atom) {
			if shut[o.Bond] == 0 && o.Bond != over {
				l = o
				n++
			}
		}
		if r.Budget -= 4; n != 1 {
			break
		}
		bonds = append(bonds, l.Bond)
	}
	r.path, r.pathBonds = path, bonds
}

// plainRings finds all rings of r.fragment if plainRing finds them, in the order in which searchTwos would. Otherwise it
// returns false and changes nothing. No two of them are equal, since the atoms of degree two in such a ring are all on
// the path that plainRing follows from any of them.
func (r *Finder) plainRings() bool {
	open := r.open
	r.epoch++
	for _, i := range r.fragment {
		if r.nodes[i].degree != 2 || r.blocked[i] == r.epoch {
			continue
		}
		cycles := &r.nodes[r.top(i)].cycles
		if *cycles == 0 {
			continue // between rings, or nothing remains
		}
		if !r.plainRing(i) {
			break
		}
		r.spend(len(r.path))
		r.found.add(r.path, r.pathBonds)
		for _, j := range r.path {
			r.blocked[j] = r.epoch
		}
		if *cycles--; *cycles == 0 {
			if r.open--; r.open == 0 {
				return true
			}
		}
	}
	for k := range r.found.Len() {
		r.nodes[r.top(r.found.Ring(k)[0])].cycles++
	}
	r.found.Clear()
	r.open = open
	return false
}

// plainRing finds the ring that smallest(root, -1) would meet first, without a search. It leaves the ring in
// r.path and r.pathBonds. It returns false if only a search can tell. The caller checks the budget.
//
// A root with two bonds has one path to each side. Either both are one path that leads around to root, or they end at
// branches u and v, and shortWay closes the ring. No other ring through root is as small. The search would meet this
// ring first, because at equal distance it visits the first neighbour's side first.
//
// searchDuplicates need not search again for this ring: any other atom that finds it lies on the same path between
// u and v, since shortWay has no atoms of degree two.
func (r *Finder) plainRing(root int32) bool {
	r.path = r.path[:0]
	r.pathBonds = r.pathBonds[:0]
	var start [2]neighbor.Link // the root's bonds
	n := 0
	for _, l := range r.near.Of(root) {
		if r.shut[l.Bond] == 0 {
			if n == 2 {
				return false
			}
			start[n] = l
			n++
		}
	}
	if n < 2 {
		return false
	}
	r.path = append(r.path, root)
	r.follow(root, start[0])
	if len(r.path) != len(r.pathBonds) { // it ended at a branch u, not at root
		one := len(r.path)
		r.pathBonds = append(r.pathBonds, -1) // in place of the way from u to v
		r.follow(root, start[1])
		u, v := r.path[one-1], r.path[len(r.path)-1]
		way := r.way[:0]
		if u == v {
			r.path = r.path[:len(r.path)-1]
		} else if way = r.shortWay(way, u, v, r.pathBonds[one-2]); len(way) == 0 {
			return false
		}
		slices.Reverse(r.path[one:]) // now from v back to root
		slices.Reverse(r.pathBonds[one:])
		r.pathBonds = slices.Delete(r.pathBonds, one-1, one)
		for k, l := range way {
			r.pathBonds = slices.Insert(r.pathBonds, one-1+k, l.Bond)
			if l.Atom != v {
				r.path = slices.Insert(r.path, one+k, l.Atom)
			}
		}
	}
	// In even rings the search meets itself on the second neighbour's side, and goes that way first.
	if len(r.path)%2 == 0 {
		slices.Reverse(r.path[1:])
		slices.Reverse(r.pathBonds)
	}
	return true
}

// shortWay appends to way the links of the shortest path from u to v that does not begin with bond over. It returns an
// empty way if the path is not unique, has more than three bonds or inner atoms of degree two, or if it meets
// an atom of degree above four.
func (r *Finder) shortWay(way []neighbor.Link, u, v, over int32) []neighbor.Link {
	if k := r.near.Between(u, v); k >= 0 && r.shut[k] == 0 {
		return append(way, neighbor.Link{Atom: v, Bond: k})
	}
	if r.near.Degree(u) > 4 || r.near.Degree(v) > 4 {
		return way
	}
	r.Budget -= 16
	two, three := 0, 0 // numbers of paths with two and three bonds
	for _, a := range r.near.Of(u) {
		if r.shut[a.Bond] != 0 || a.Bond == over {
			continue
		}
		if r.near.Degree(a.Atom) > 4 {
			return way[:0]
		}
		for _, b := range r.near.Of(a.Atom) {
			if r.shut[b.Bond] != 0 || b.Bond == a.Bond {
				continue
			}
			if b.Atom == v {
				way = append(way[:0], a, b)
				two++
			}
			if two > 0 {
				continue // a path of three bonds is not the shortest
			}
			if k := r.near.Between(b.Atom, v); k >= 0 && r.shut[k] == 0 {
				way = append(way[:0], a, b, neighbor.Link{Atom: v, Bond: k})
				three++
			}
		}
	}
	if two > 1 || two == 0 && three != 1 {
		return way[:0]
	}
	for _, l := range way[:len(way)-1] {
		if r.nodes[l.Atom].degree == 2 {
			return way[:0]
		}
	}
	return way
}

// pickTwos fills r.two with one atom of each run of atoms of degree two, and blocks the others.
func (r *Finder) pickTwos() {
	r.two = r.two[:0]
	r.epoch++
	nodes, blocked, shut, epoch := r.nodes, r.blocked, r.shut, r.epoch
	for _, i := range r.fragment {
		if nodes[i].degree != 2 || blocked[i] == epoch {
			continue
		}
		r.two = append(r.two, i)
		blocked[i] = epoch
		for _, l := range r.near.Of(i) {
			// The run continues over the only bond that does not lead back.
			for shut[l.Bond]&trimmed == 0 && nodes[l.Atom].degree == 2 && blocked[l.Atom] != epoch {
				blocked[l.Atom] = epoch
				for _, o := range r.near.Of(l.Atom) {
					if shut[o.Bond]&trimmed == 0 && o.Bond != l.Bond {
						l = o
						break
					}
				}
			}
		}
	}
}

// smallest appends to r.small the rings through root that a breadth-first search meets up to the size of the smallest.
// They avoid an atom (-1 for none). It returns their number. As in RDKit, larger rings that are met earlier count, too.
func (r *Finder) smallest(root, avoid int32) int {
	r.epoch += 2
	grey, black := r.epoch, r.epoch+1 // stamps of queued and of finished atoms
	visits, queue, shut := r.visit, r.queue, r.shut
	if avoid >= 0 {
		visits[avoid].stamp = black
	}
	visits[root] = visit{stamp: grey, parent: -1}
	queue[0] = root
	count, best := 0, int32(1<<30)
	for head, tail := 0, 1; head < tail; head++ {
		i := queue[head]
		at := &visits[i]
		at.stamp = black
		depth := at.depth + 1
		if depth > best {
			break
		}
		links := r.near.Of(i)
		r.spend(len(links))
		for _, l := range links {
			j := l.Atom
			if shut[l.Bond] != 0 || at.parent == j {
				continue
			}
			to := &visits[j]
			if to.stamp < grey {
				to.stamp, to.parent, to.over, to.depth, to.branch = grey, i, l.Bond, depth, at.branch
				if i == root {
					to.branch = j
				}
				queue[tail] = j
				tail++
				continue
			}
			// The paths to j close a ring through root if they are on different branches.
			if to.stamp == black || to.branch == at.branch {
				continue
			}
			size := depth + to.depth
			if size > best {
				return count
			}
			best = size
			count++
			r.spend(int(size))
			r.addSmall(root, i, l)
		}
	}
	return count
}

// addSmall adds to r.small the ring of the paths from root to atom i and to its neighbour by l.
func (r *Finder) addSmall(root, i int32, l neighbor.Link) {
	small := &r.small
	from := len(small.atoms)
	for k := i; k != root; k = r.visit[k].parent {
		small.atoms = append(small.atoms, k)
		small.bonds = append(small.bonds, r.visit[k].over)
	}
	small.atoms = append(small.atoms, root)
	slices.Reverse(small.atoms[from:])
	slices.Reverse(small.bonds[from:])
	small.bonds = append(small.bonds, l.Bond)
	for k := l.Atom; k != root; k = r.visit[k].parent {
		small.atoms = append(small.atoms, k)
		small.bonds = append(small.bonds, r.visit[k].over)
	}
	small.end()
}

// searchTwos adds the smallest rings through the atoms of r.two to r.found.
func (r *Finder) searchTwos() {
	r.small.Clear()
	r.hits = r.hits[:0]
	for _, i := range r.two {
		cycles := &r.nodes[r.top(i)].cycles
		if *cycles == 0 {
			continue // between rings, or nothing remains
		}
		if !r.Plain && r.plainRing(i) {
			if r.isNew(r.path) {
				r.found.add(r.path, r.pathBonds)
				// Removing i after this round removes a cycle. At zero, all atoms of degree two are in rings like this.
				if *cycles--; *cycles == 0 {
					r.open--
				}
			}
			r.spend(len(r.path))
			continue
		}
		from := r.small.Len()
		count := r.takeSmallest(i, -1)
		for k := from; k < r.small.Len(); k++ {
			r.hits = append(r.hits, ringHit{ringHash(r.small.Ring(k)), i})
		}
		// The bonds of i stay, since another small ring may need them; without a ring the chain is removed.
		if count == 0 {
			before := len(r.changed)
			r.changed = append(r.changed, i)
			for len(r.changed) > before {
				j := r.changed[len(r.changed)-1]
				r.changed = r.changed[:len(r.changed)-1]
				r.trim(j)
			}
		}
	}
	r.searchDuplicates()
}

// searchDuplicates searches again from atoms that found the same ring as others. The others are cut off for this search,
// because they may have hidden a ring.
func (r *Finder) searchDuplicates() {
	r.byRing = append(r.byRing[:0], r.hits...)
	slices.SortFunc(r.byRing, func(x, y ringHit) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.atom, y.atom))
	})
	for lo, hi := 0, 0; lo < len(r.hits); lo = hi {
		atom := r.hits[lo].atom
		r.cut = r.cut[:0]
		for hi = lo; hi < len(r.hits) && r.hits[hi].atom == atom; hi++ {
			r.cutOthers(r.hits[hi])
		}
		if len(r.cut) == 0 {
			continue
		}
		r.takeSmallest(atom, -1)
		for _, k := range r.cut {
			r.shut[k] &^= trimmed
		}
	}
}

// cutOthers cuts off the other atoms that found the ring of a hit: it marks their bonds as trimmed and adds them to
// r.cut. r.byRing is sorted by the hashes of rings.
func (r *Finder) cutOthers(h ringHit) {
	at, _ := slices.BinarySearchFunc(r.byRing, h.hash, func(x ringHit, hash uint64) int { return cmp.Compare(x.hash, hash) })
	for ; at < len(r.byRing) && r.byRing[at].hash == h.hash; at++ {
		r.spend(1)
		if r.byRing[at].atom == h.atom {
			continue
		}
		for _, l := range r.near.Of(r.byRing[at].atom) {
			if r.shut[l.Bond]&trimmed == 0 {
				r.shut[l.Bond] |= trimmed
				r.cut = append(r.cut, l.Bond)
			}
		}
	}
}

// searchThree finds the rings of an atom with three bonds when none with two is left: at least
// three, each bond in two of them.
func (r *Finder) searchThree(root int32) {
	r.small.Clear()
	count := r.takeSmallest(root, -1)
	if count != 1 && count != 2 {
		return
	}
	shared := make([]int32, 0, 3) // neighbours in all rings so far
	for _, l := range r.near.Of(root) {
		if r.shut[l.Bond]&trimmed == 0 && slices.Contains(r.small.Ring(0), l.Atom) && slices.Contains(r.small.Ring(count-1), l.Atom) {
			shared = append(shared, l.Atom)
		}
	}
	// The third ring avoids a common neighbour of the first two. After one ring, two more avoid one of its neighbours each.
	if count == 2 {
		shared = shared[:1]
	}
	for _, i := range slices.Backward(shared) {
		r.takeSmallest(root, i)
	}
}

// takeSmallest calls smallest and adds the rings that are new to r.found. It returns what smallest returns.
func (r *Finder) takeSmallest(root, avoid int32) (count int) {
	from := r.small.Len()
	count = r.smallest(root, avoid)
	for k := from; k < r.small.Len(); k++ {
		if r.isNew(r.small.Ring(k)) {
			r.found.addFrom(&r.small, k)
		}
	}
	return count
}

// dropRings moves rings from r.found to r.extra if all their bonds are in smaller rings, or in equal ones found earlier.
func (r *Finder) dropRings() {
	by := buffer.Numbered(&r.sorted, r.found.Len())
	slices.SortStableFunc(by, func(x, y int32) int { return cmp.Compare(r.found.Size(int(x)), r.found.Size(int(y))) })
	buffer.Zeroed(&r.covered, len(r.ends))
	r.extra.Clear()
	r.small.Clear()
	for _, k := range by {
		to := &r.extra
		for _, b := range r.found.Bonds(int(k)) {
			if !r.covered[b] {
				to, r.covered[b] = &r.small, true
			}
		}
		to.addFrom(&r.found, int(k))
	}
	r.found, r.small = r.small, r.found
}

// symmetrize adds the extra rings that could replace a ring of the same size without uncovering a bond.
func (r *Finder) symmetrize() {
	n := r.Len()
	buffer.Zeroed(&r.counts, len(r.ends))
	for _, k := range r.bonds {
		r.counts[k]++
	}
	buffer.Zeroed(&r.covered, len(r.ends))
	for e := range r.extra.Len() {
		ring, bonds := r.extra.Ring(e), r.extra.Bonds(e)
		for _, k := range bonds {
			r.covered[k] = true
		}
		for q := range n {
			if r.Size(q) != len(ring) {
				continue
			}
			r.spend(len(ring))
			share, replaces := false, true // bonds that only ring q has must be in the extra ring
			for _, k := range r.Bonds(q) {
				if r.covered[k] {
					share = true
				} else if r.counts[k] == 1 {
					replaces = false
				}
			}
			if share && replaces {
				r.add(ring, bonds)
				break
			}
		}
		for _, k := range bonds {
			r.covered[k] = false
		}
	}
}

// A membership lists the rings of atoms or bonds: rings[first[i]:first[i+1]], ascending, computed on first use.
type membership struct {
	first, rings []int32
	made         bool
}

// of returns the rings of l with atom i, or with bond i. in is l.atoms or l.bonds, and n the number of atoms or bonds.
func (m *membership) of(i int32, l *List, in []int32, n int) []int32 {
	if !m.made {
		m.made = true
		first, rings := buffer.Zeroed(&m.first, n+1), buffer.Grow(&m.rings, len(in))
		for _, i := range in {
			first[i]++ // for now the number of rings, then their end; filling from there lowers it to the first
		}
		sum := int32(0)
		for i := range first {
			sum += first[i]
			first[i] = sum
		}
		for k := l.Len() - 1; k >= 0; k-- {
			for q := l.start[k]; q < l.start[k+1]; q++ {
				first[in[q]]--
				rings[first[in[q]]] = int32(k)
			}
		}
	}
	return m.rings[m.first[i]:m.first[i+1]]
}

// OfAtom returns the rings of an atom. The molecule must have rings.
func (r *Finder) OfAtom(i int32) []int32 {
	return r.byAtom.of(i, &r.List, r.atoms, len(r.nodes))
}

// OfBond returns the rings that bond k is in. The molecule must have rings.
func (r *Finder) OfBond(k int32) []int32 {
	return r.byBond.of(k, &r.List, r.bonds, len(r.shut))
}

// markFused marks the rings that share a bond with another.
func (r *Finder) markFused() {
	r.marked = true
	fused, first := buffer.Zeroed(&r.fused, r.Len()), buffer.Zeroed(&r.counts, len(r.ends)) // one more than a bond's first ring
	for q := range fused {
		for _, k := range r.Bonds(q) {
			if first[k] > 0 {
				fused[q], fused[first[k]-1] = true, true
			} else {
				first[k] = int32(q + 1)
			}
		}
	}
}

// Fused reports whether ring q shares a bond with another.
func (r *Finder) Fused(q int) bool {
	if !r.marked {
		r.markFused()
	}
	return r.fused[q]
}

// spend takes steps from the budget, and panics if they are not left.
func (r *Finder) spend(steps int) {
	if r.Budget -= steps; r.Budget < 0 {
		panic(ErrTangled)
	}
}
