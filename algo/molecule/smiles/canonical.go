package smiles

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
	"baca/algo/molecule/internal/rings"
)

// Canonical numbering by individualisation and refinement (McKay, Congressus Numerantium 30 (1981) 45). Atoms are
// sorted by properties. Classes of equal atoms, called cells, are split by their neighbours until nothing changes. If
// atoms are still equal, one is individualised, in all ways that may differ. The numbering with the least certificate
// wins. The certificate holds the whole molecule, including tags and double-bond geometries, so two molecules get the
// same numbering if and only if they are equal, whatever their symmetry.

// canonicalBudget bounds the search steps in one fragment. They take about a quarter of a second.
const canonicalBudget = 20_000_000

// Canonical returns the molecule in canonical order. The order does not depend on how m was written, nor does the
// text that Write makes of c, nor the graph, which is the same for c and for Parse(Write(c)). Atom k of c is
// atom order[k] of m.
//
// The largest fragment comes first. Canonical drops atom classes with the tags that only they justify, and
// the geometry of double bonds with two equal neighbours at one end.
//
// exact reports whether the bounded search was complete. It fails only for some two thousand atoms of high
// symmetry. Then c is a valid renumbering, but another writing of m may give another one.
func Canonical(m *molecule.Molecule) (c *molecule.Molecule, order []int32, exact bool) {
	l := layouts.Get().(*layout)
	m = &molecule.Molecule{Atoms: slices.Clone(m.Atoms), Bonds: slices.Clone(m.Bonds), Name: m.Name}
	c = &molecule.Molecule{Atoms: make([]molecule.Atom, len(m.Atoms)), Bonds: make([]molecule.Bond, len(m.Bonds))}
	order, exact = l.canonical(m, c)
	order = slices.Clone(order)
	l.giveBack()
	return c, order, exact
}

// A layout is the workspace of Canonical.
type layout struct {
	canon
	w writer

	read, arranged molecule.Molecule // of graph
	parent         []int32           // of split
}

// mostKept is the number of atoms up to which a workspace is kept for reuse.
const mostKept = 1 << 12

var layouts = sync.Pool{New: func() any { return new(layout) }}

// giveBack keeps l for reuse, unless its buffers are for more than mostKept atoms.
func (l *layout) giveBack() {
	if cap(l.order) <= mostKept && cap(l.w.order) <= mostKept {
		l.w.m, l.m = nil, nil
		layouts.Put(l)
	}
}

// graph returns the graph of the canonical form of the molecule that p has read.
func (l *layout) graph(p *parser) *graph.Graph {
	p.Fill(&l.read)
	l.canonical(&l.read, &l.arranged)
	return p.GraphOf(&l.arranged)
}

// canonical is Canonical in the memory of c and l. It changes m, and order is valid until the next call.
func (l *layout) canonical(m, c *molecule.Molecule) (order []int32, exact bool) {
	s, w := &l.canon, &l.w
	classes := false
	for i := range m.Atoms {
		classes = classes || m.Atoms[i].Map >= 0
		m.Atoms[i].Map = -1
	}
	if classes {
		if order, exact, ok := l.reread(m, c); ok {
			return order, exact
		}
	}
	var trees int
	if l.parent, trees = join(l.parent, m, func(b *molecule.Bond) bool { return true }); trees <= 1 {
		rank, exact := s.rank(m)
		w.walk(m, rank)
		w.arrange(c)
		return w.order, exact
	}
	// Several fragments: each is numbered alone, then they are ordered by size and text.
	parts := split(m, l.parent, trees)
	exact = true
	texts := make([]string, len(parts))
	for k := range parts {
		part := &parts[k]
		rank, ok := s.rank(part.m)
		exact = exact && ok
		for q, b := range part.m.Bonds {
			m.Bonds[part.bonds[q]].Stereo = b.Stereo
		}
		w.walk(part.m, rank)
		texts[k] = string(w.write())
		for q, i := range w.order {
			w.order[q] = part.atoms[i]
		}
		part.order = slices.Clone(w.order)
	}
	by := make([]int, len(parts))
	for k := range by {
		by[k] = k
	}
	slices.SortStableFunc(by, func(x, y int) int {
		return cmp.Or(cmp.Compare(len(parts[y].order), len(parts[x].order)), strings.Compare(texts[x], texts[y]))
	})
	rank := make([]int32, len(m.Atoms))
	n := int32(0)
	for _, k := range by {
		for _, i := range parts[k].order {
			rank[i] = n
			n++
		}
	}
	w.walk(m, rank)
	w.arrange(c)
	return w.order, exact
}

// reread writes m without atom classes and reads it again, to find which tags remain, and makes that canonical. ok is
// false if the text cannot be read.
func (l *layout) reread(m, c *molecule.Molecule) (order []int32, exact, ok bool) {
	w := &l.w
	w.walk(m, nil)
	again, err := Parse(string(w.write()))
	if err != nil || len(again.Atoms) != len(m.Atoms) {
		return nil, false, false
	}
	for k, i := range w.order {
		again.Atoms[k].Column = m.Atoms[i].Column
	}
	again.Name = m.Name
	before := slices.Clone(w.order)
	order, exact = l.canonical(again, c)
	for k, i := range order {
		order[k] = before[i]
	}
	return order, exact, true
}

// A part is a fragment as a molecule.
type part struct {
	m            *molecule.Molecule
	atoms, bonds []int32 // their indices in the whole molecule
	order        []int32 // atoms of the whole as written
}

// split returns the n fragments of a molecule, the trees of join's forest.
func split(m *molecule.Molecule, parent []int32, n int) []part {
	parts := make([]part, 0, n)
	of := make([]int32, len(m.Atoms))    // an atom's part
	place := make([]int32, len(m.Atoms)) // and its number there
	for i, a := range m.Atoms {
		r := root(parent, int32(i))
		if int(r) == i {
			of[i] = int32(len(parts))
			parts = append(parts, part{m: new(molecule.Molecule)})
		}
		of[i] = of[r]
		p := &parts[of[i]]
		place[i] = int32(len(p.atoms))
		p.atoms = append(p.atoms, int32(i))
		p.m.Atoms = append(p.m.Atoms, a)
	}
	for k, b := range m.Bonds {
		p := &parts[of[b.From]]
		b.From, b.To = place[b.From], place[b.To]
		p.bonds = append(p.bonds, int32(k))
		p.m.Bonds = append(p.m.Bonds, b)
	}
	return parts
}

// canon is the workspace of the search.
type canon struct {
	m      *molecule.Molecule
	near   neighbor.Table
	code   []uint8 // of a link: the kind of bond, seen from its far end
	keys   []atomKey
	budget int

	// The cell that begins at place s is order[s:s+size[s]]. place is the inverse of order. cell gives the
	// place at which an atom's cell begins.
	order, place, cell, size []int32
	cells                    int
	trail                    []int32 // first places of cells made by splitting

	queue  []int32 // cells whose neighbours are to be split
	head   int
	queued []bool // by first place
	sum    []uint64
	hit    []int32 // atoms with a sum
	split  []int32 // cells with such atoms
	count  []int32

	centres []int32 // atoms with a tag
	doubles []int32 // bonds with a geometry

	// The search.
	path, bestPath            []int32
	firstTrace, bestTrace     []uint64
	first, best               []int32 // order of the first and the best leaf
	firstLeaf, bestLeaf, leaf []int64 // certificates
	hasFirst, hasBest         bool
	fork                      int // depth of the last choice on the way to the first leaf
	orbit                     []int32
	moves                     []move // of automorphisms: generator g has moves[begin[g]:begin[g+1]]
	begin                     []int32
	pool                      []int32
	stamp                     []int32
	epoch                     int32
}

// An atomKey holds an atom's own properties, for sorting.
type atomKey struct{ high, low uint64 }

// compare returns −1, 0 or 1, as x is below, equal to or above y.
func (x *atomKey) compare(y *atomKey) int {
	if x.high != y.high {
		return cmp.Compare(x.high, y.high)
	}
	return cmp.Compare(x.low, y.low)
}

// A move is an atom and its image under an automorphism.
type move struct{ from, to int32 }

// weights are summed over an atom's bonds to a cell. They are below 2⁴⁰, so sums do not overflow;
// equal sums by chance only cost time.
var weights [256]uint64

// init sets the weights to odd numbers that look random.
func init() {
	for k := range weights {
		weights[k] = rings.Mix(int32(k))>>24 | 1
	}
}

// Weights for what is not a bond.
const (
	weightTag  = 250 // and the next one
	weightBond = 252
)

// rank returns the place of each atom of a fragment in the canonical order, valid until the next call, and whether the
// search was complete. It drops the geometry of double bonds with two equal neighbours at one end.
func (s *canon) rank(m *molecule.Molecule) (rank []int32, exact bool) {
	s.partition(m)
	exact = s.search()
	return s.place, exact
}

// partition makes the cells of rank before any atom is individualised, and drops the geometries that rank drops.
func (s *canon) partition(m *molecule.Molecule) {
	s.m = m
	molecule.LinkUp(&s.near, len(m.Atoms), m.Bonds)
	n := len(m.Atoms)
	buffer.Grow(&s.order, n)
	buffer.Grow(&s.place, n)
	buffer.Grow(&s.cell, n)
	buffer.Grow(&s.size, n)
	buffer.Zeroed(&s.queued, n)
	buffer.Zeroed(&s.sum, n)
	buffer.Zeroed(&s.count, n)
	buffer.Grow(&s.code, len(s.near.Links))
	for i := range int32(n) {
		for k, l := range s.near.Of(i) {
			b := &m.Bonds[l.Bond]
			c := uint8(b.Order)<<3 | asBit(b.Aromatic)<<2 | asBit(b.InRing)<<1
			if b.Order == molecule.Dative {
				c |= asBit(b.To == l.Atom)
			}
			s.code[int(s.near.Spans[i].Lo)+k] = c
		}
	}
	s.centres = s.centres[:0]
	for i := range m.Atoms {
		if c := m.Atoms[i].Chirality; c.Handed() {
			s.centres = append(s.centres, int32(i))
		}
	}
	s.budget = canonicalBudget
	for { // until no geometry is dropped, since it may be all that makes two neighbours differ
		s.doubles = s.doubles[:0]
		for k := range m.Bonds {
			if m.Bonds[k].Stereo != molecule.NoStereo {
				s.doubles = append(s.doubles, int32(k))
			}
		}
		s.begin0()
		s.refine()
		dropped := false
		for _, k := range s.doubles {
			if s.geometry(k) == 0 {
				m.Bonds[k].Stereo = molecule.NoStereo
				dropped = true
			}
		}
		if !dropped {
			break
		}
		s.budget -= n // bounds constructed molecules
		if s.budget < 0 {
			break
		}
	}
}

// begin0 sorts the atoms into cells of equal keys, and queues the cells.
func (s *canon) begin0() {
	n := len(s.m.Atoms)
	buffer.Grow(&s.keys, n)
	for i := range s.m.Atoms {
		a := &s.m.Atoms[i]
		tag := a.Chirality // which hand it is depends on the order of neighbours: see handedness
		if tag == molecule.CounterClockwise {
			tag = molecule.Clockwise
		}
		degree := s.near.Degree(int32(i))
		s.keys[i] = atomKey{
			high: uint64(degree)<<32 | uint64(a.Element)<<24 | uint64(asBit(!a.Aromatic))<<17 | uint64(asBit(a.InRing))<<16 |
				uint64(a.Hydrogens)<<8 | uint64(uint8(a.Charge)),
			low: uint64(a.Isotope)<<32 | uint64(a.Radicals)<<16 | uint64(a.Hybridization)<<8 | uint64(tag)<<1,
		}
		s.order[i] = int32(i)
	}
	for _, k := range s.doubles {
		s.keys[s.m.Bonds[k].From].low |= 1
		s.keys[s.m.Bonds[k].To].low |= 1
	}
	sortAtoms(s.order, 32, func(x, y int32) int { return s.keys[x].compare(&s.keys[y]) })
	s.cells, s.trail = 0, s.trail[:0]
	s.queue, s.head = s.queue[:0], 0
	start := int32(0)
	for k, i := range s.order {
		if k == 0 || s.keys[i] != s.keys[s.order[k-1]] {
			start = int32(k)
			s.cells++
			s.size[k] = 0
			s.push(start)
		}
		s.cell[i], s.place[i] = start, int32(k)
		s.size[start]++
	}
}

// sortAtoms sorts atoms. It keeps the order of equal atoms if there are at most few. For more it uses a faster
// sort, which is deterministic, too.
func sortAtoms(atoms []int32, few int, compare func(x, y int32) int) {
	if len(atoms) <= few {
		slices.SortStableFunc(atoms, compare)
	} else {
		slices.SortFunc(atoms, compare)
	}
}

// push queues the cell that begins at start.
func (s *canon) push(start int32) {
	s.queued[start] = true
	s.queue = append(s.queue, start)
}

// stir returns a hash of a hash and a value.
func stir(hash, value uint64) uint64 {
	hash = (hash ^ value) * 0x9e3779b97f4a7c15
	return hash ^ hash>>29
}

// refine splits cells until no cell separates atoms of another. It returns a hash of the process
// that does not depend on atom numbers.
func (s *canon) refine() uint64 {
	hash := uint64(len(s.trail))
	n := len(s.order)
	for {
		for s.head < len(s.queue) && s.cells < n {
			start := s.queue[s.head]
			s.head++
			s.queued[start] = false
			s.hit = s.hit[:0]
			near := uint64(0)
			for _, i := range s.order[start : start+s.size[start]] {
				lo, hi := s.near.Spans[i].Lo, s.near.Spans[i].Hi
				s.budget -= int(hi - lo)
				for q := lo; q < hi; q++ {
					j := s.near.Links[q].Atom
					weight := weights[s.code[q]]
					if c := s.cell[j]; s.size[c] == 1 { // nothing to split
						near += weight * uint64(2*c+1)
						continue
					}
					if s.sum[j] == 0 {
						s.hit = append(s.hit, j)
					}
					s.sum[j] += weight
				}
			}
			hash = stir(hash, near+uint64(start))
			hash = s.splitCells(hash)
		}
		for _, start := range s.queue[s.head:] { // left if all cells are single
			s.queued[start] = false
		}
		s.queue, s.head = s.queue[:0], 0
		if s.cells == n || len(s.centres)+len(s.doubles) == 0 {
			return hash
		}
		before := s.cells
		hash = s.splitCells(s.sumStereo(hash))
		if s.cells == before {
			return hash
		}
	}
}

// sumStereo adds the tags and geometries that are decided by now to the sums of their atoms. An atom alone in its cell
// needs no sum: it changes the hash instead. sumStereo returns the new hash.
func (s *canon) sumStereo(hash uint64) uint64 {
	s.hit = s.hit[:0]
	note := func(i int32, weight uint64) {
		c := s.cell[i]
		if s.size[c] == 1 {
			hash += weight * uint64(2*c+1)
			return
		}
		if s.sum[i] == 0 {
			s.hit = append(s.hit, i)
		}
		s.sum[i] += weight
	}
	s.budget -= 8 * (len(s.centres) + len(s.doubles))
	for _, i := range s.centres {
		if x := s.handedness(i); x > 0 {
			note(i, weights[weightTag+x-1])
		}
	}
	for _, k := range s.doubles {
		if x := s.geometry(k); x > 0 {
			note(s.m.Bonds[k].From, weights[weightBond+x-1])
			note(s.m.Bonds[k].To, weights[weightBond+x-1])
		}
	}
	return hash
}

// splitCells splits the cells of the atoms in s.hit by their sums, clears the sums and returns the new hash. Atoms
// without a sum come first in their old cell.
func (s *canon) splitCells(hash uint64) uint64 {
	s.split = s.split[:0]
	for _, i := range s.hit {
		c := s.cell[i]
		if s.count[c] == 0 {
			s.split = append(s.split, c)
		}
		s.count[c]++
		s.move(i, c+s.size[c]-s.count[c])
	}
	if len(s.split) > 1 {
		slices.Sort(s.split)
	}
	for _, c := range s.split {
		hash = s.splitCell(c, hash)
	}
	return hash
}

// move exchanges atom i with the one at place y.
func (s *canon) move(i, y int32) {
	x, j := s.place[i], s.order[y]
	s.order[x], s.order[y] = j, i
	s.place[j], s.place[i] = x, y
}

// splitCell splits cell c by the sums of its hit atoms, which are at its end. It queues the new cells and returns the new
// hash.
func (s *canon) splitCell(c int32, hash uint64) uint64 {
	end := c + s.size[c]
	at := end - s.count[c]
	s.count[c] = 0
	moved := s.order[at:end]
	sortAtoms(moved, 24, func(x, y int32) int { return cmp.Compare(s.sum[x], s.sum[y]) })
	hash = stir(hash, uint64(c)<<32|uint64(at))
	// Parts begin at c, unless all were hit, and where sums change.
	largest, most, fresh := c, int32(0), len(s.trail)
	from := c
	for q := at; q <= end; q++ {
		if q == end || q == at && at > c || q > at && s.sum[s.order[q]] != s.sum[s.order[q-1]] {
			if q-from > most {
				largest, most = from, q-from
			}
			s.size[from] = q - from
			if from > c {
				s.trail = append(s.trail, from)
				s.cells++
				hash = stir(hash, uint64(from))
			}
			from = q
		}
		if q < end {
			i := s.order[q]
			s.place[i] = q
			s.cell[i] = from
			if q == from {
				hash = stir(hash, s.sum[i])
			}
		}
	}
	for _, i := range s.order[at:end] {
		s.sum[i] = 0
	}
	if len(s.trail) == fresh {
		return hash
	}
	// The largest part need not be queued: what it separates, the whole cell and the other parts separate.
	if s.queued[c] {
		largest = -1
	} else if largest != c {
		s.push(c)
	}
	for _, part := range s.trail[fresh:] {
		if part != largest {
			s.push(part)
		}
	}
	return hash
}

// undo takes back the cells made since the trail had that length: it joins each with the cell before it.
func (s *canon) undo(mark int) {
	for len(s.trail) > mark {
		c := s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-1]
		to := s.cell[s.order[c-1]]
		for _, i := range s.order[c : c+s.size[c]] {
			s.cell[i] = to
		}
		s.budget -= int(s.size[c])
		s.size[to] += s.size[c]
		s.cells--
	}
}

// single splits atom i off its cell. The atom becomes the last, in a cell of its own, which single returns.
func (s *canon) single(i int32) int32 {
	c := s.cell[i]
	s.size[c]--
	y := c + s.size[c]
	s.move(i, y)
	s.cell[i], s.size[y] = y, 1
	s.trail = append(s.trail, y)
	s.cells++
	return y
}

// fix individualises atom i, refines, and orders the twins in each new cell and in the cell before it. It returns the hash
// of the refinement, which does not cover the twins.
func (s *canon) fix(i int32) uint64 {
	mark := len(s.trail)
	s.push(s.single(i))
	hash := s.refine()
	for _, c := range s.trail[mark:] {
		s.orderTwins(s.cell[s.order[c-1]])
		s.orderTwins(c)
	}
	return hash
}

// handedness returns the tag of atom i, 1 or 2, relative to the order of its neighbours, or 0 if two of them share
// a cell.
func (s *canon) handedness(i int32) int {
	links := s.near.Of(i)
	odd := s.m.Atoms[i].Chirality == molecule.CounterClockwise
	for k, l := range links {
		x := s.cell[l.Atom]
		for _, o := range links[:k] {
			y := s.cell[o.Atom]
			if x == y {
				return 0
			}
			odd = odd != (y > x)
		}
	}
	if odd {
		return 2
	}
	return 1
}

// geometry returns the geometry of bond k, 1 or 2, relative to the last neighbours of its ends, or 0 if two
// neighbours share a cell.
func (s *canon) geometry(k int32) int {
	b := &s.m.Bonds[k]
	z := b.Stereo == molecule.StereoZ
	for _, i := range [2]int32{b.From, b.To} {
		first := int32(-1)
		for _, l := range s.near.Of(i) {
			if l.Bond == k {
				continue
			}
			c := s.cell[l.Atom]
			switch {
			case first < 0:
				first = c
			case c == first:
				return 0
			case c > first:
				z = !z
			}
		}
	}
	if z {
		return 2
	}
	return 1
}

// search finds the best order and leaves it in s.place. It reports whether the budget sufficed.
func (s *canon) search() bool {
	n := len(s.order)
	if s.cells == n {
		return true
	}
	s.path, s.bestPath = s.path[:0], s.bestPath[:0]
	s.firstTrace, s.bestTrace = s.firstTrace[:0], s.bestTrace[:0]
	s.hasFirst, s.hasBest = false, false
	s.moves, s.begin = s.moves[:0], append(s.begin[:0], 0)
	s.pool = s.pool[:0]
	buffer.Numbered(&s.orbit, n)
	buffer.Zeroed(&s.stamp, n)
	s.epoch = 0
	for c := int32(0); int(c) < n; {
		end := c + s.size[c]
		s.orderTwins(c)
		c = end
	}
	s.node(0, int32(n-1), true, true)
	for k, i := range s.best {
		s.place[i] = int32(k)
	}
	return s.budget >= 0
}

// outOfBudget is what node returns to end the search.
const outOfBudget = -2

// node searches the tree below the present cells, after depth atoms were individualised. No cell of several
// atoms begins after place from. asFirst and asBest tell whether the hashes so far equal those on the way to the first
// and to the best leaf. node returns the depth at which the search continues, or outOfBudget.
func (s *canon) node(depth int, from int32, asFirst, asBest bool) int {
	target := s.target(&from)
	if target < 0 {
		return s.reachLeaf(depth, asFirst, asBest)
	}
	base := len(s.pool)
	s.pool = append(s.pool, s.order[target:target+s.size[target]]...)
	members := s.pool[base:]
	defer func() { s.pool = s.pool[:base] }()
	s.budget -= len(members)
	mark, onFirst := len(s.trail), !s.hasFirst // onFirst: this node is on the way to the first leaf
	var orbit []int32                          // under automorphisms that fix the path
	known := 0
	for k, i := range members {
		if s.budget < 0 {
			return outOfBudget
		}
		switch {
		case onFirst:
			orbit = s.orbit // all automorphisms found so far fix the path to the first leaf
		case k > 0 && len(s.begin) != known:
			known = len(s.begin)
			orbit = s.stabilized(orbit, depth)
		}
		if k > 0 && s.explored(orbit, members[:k], i) {
			continue
		}
		s.path = append(s.path[:depth], i)
		if onFirst {
			s.fork = depth
		}
		hash := s.fix(i)
		if !s.hasFirst {
			s.firstTrace = append(s.firstTrace, hash)
		}
		// Below, only paths with the hashes of the first leaf (for automorphisms) or of the best one are of use.
		first := asFirst && depth < len(s.firstTrace) && hash == s.firstTrace[depth]
		if best := asBest && s.leads(depth, hash); first || best {
			if to := s.node(depth+1, from, first, best); to < depth { // go on further up
				s.undo(mark)
				return to
			}
		}
		s.undo(mark)
	}
	return depth - 1
}

// explored reports whether an automorphism maps atom i to one of the atoms tried before.
func (s *canon) explored(orbit, tried []int32, i int32) bool {
	top := root(orbit, i)
	return slices.ContainsFunc(tried, func(j int32) bool {
		s.budget--
		return root(orbit, j) == top
	})
}

// leads reports whether a path with this hash at depth may lead to the best leaf, which has the lowest hashes along its
// path. A path longer than that of the best leaf cannot. If the hash is lower than that of the best path so far, the
// path becomes the best.
func (s *canon) leads(depth int, hash uint64) bool {
	switch {
	case depth == len(s.bestTrace):
		if s.hasBest {
			return false
		}
	case hash >= s.bestTrace[depth]:
		return hash == s.bestTrace[depth]
	}
	s.bestTrace = append(s.bestTrace[:depth], hash)
	s.hasBest = false
	return true
}

// targetWindow is how many of the latest cells may become a target.
const targetWindow = 64

// target chooses the cell to individualise, or -1 if all cells are single. It prefers the latest cell made, so that
// one part of the molecule is finished first. Otherwise it takes the last place: its atoms have the most
// neighbours, and their order often settles their neighbours' order. No cell of several atoms begins after from,
// which target lowers.
func (s *canon) target(from *int32) int32 {
	for k := len(s.trail) - 1; k >= max(0, len(s.trail)-targetWindow); k-- {
		if c := s.trail[k]; s.size[c] > 1 {
			return c
		}
	}
	for *from >= 0 {
		c := s.cell[s.order[*from]]
		if s.size[c] > 1 {
			return c
		}
		*from = c - 1
	}
	return -1
}

// orderTwins splits cell c into single atoms if its atoms are bound to the same atom and to no other. Their order
// does not matter, except at a stereocentre or a double bond with a geometry: orderTwins leaves their neighbours.
func (s *canon) orderTwins(c int32) {
	if s.size[c] == 1 {
		return
	}
	atoms := s.order[c : c+s.size[c]]
	up := int32(-1)
	for _, i := range atoms {
		links := s.near.Of(i)
		if len(links) != 1 || up >= 0 && links[0].Atom != up {
			return
		}
		up = links[0].Atom
	}
	if t := s.m.Atoms[up].Chirality; t.Handed() {
		return
	}
	for _, l := range s.near.Of(up) {
		if s.m.Bonds[l.Bond].Stereo != molecule.NoStereo {
			return
		}
	}
	for s.size[c] > 1 {
		s.single(s.order[c])
	}
}

// reachLeaf compares a complete order with the first and the best one, and records automorphisms. It returns the depth at
// which the search continues.
func (s *canon) reachLeaf(depth int, asFirst, asBest bool) int {
	s.certify()
	switch {
	case !s.hasFirst:
		s.hasFirst, s.hasBest = true, true
		s.first = append(s.first[:0], s.order...)
		s.firstLeaf = append(s.firstLeaf[:0], s.leaf...)
	case asFirst && slices.Equal(s.leaf, s.firstLeaf):
		s.addAutomorphism(s.first)
		return s.fork // the rest below the fork is an image of what was searched
	case !asBest:
		return depth - 1
	case s.hasBest:
		switch slices.Compare(s.leaf, s.bestLeaf) {
		case 0:
			s.addAutomorphism(s.best)
			// Continue where the path left that of the best leaf.
			for k, i := range s.path[:depth] {
				if i != s.bestPath[k] {
					return k
				}
			}
			return depth - 1
		case 1:
			return depth - 1
		}
	}
	// The order is the best so far.
	s.hasBest = true
	s.best = append(s.best[:0], s.order...)
	s.bestLeaf = append(s.bestLeaf[:0], s.leaf...)
	s.bestPath = append(s.bestPath[:0], s.path[:depth]...)
	return depth - 1
}

// certify writes the certificate of the present order to s.leaf: each atom's bonds to earlier atoms, the tags of
// centres and the geometries of double bonds. MaxInt64 ends the bonds of an atom.
func (s *canon) certify() {
	s.leaf = s.leaf[:0]
	for k, i := range s.order {
		from := len(s.leaf)
		lo, hi := s.near.Spans[i].Lo, s.near.Spans[i].Hi
		for q := lo; q < hi; q++ {
			if x := s.place[s.near.Links[q].Atom]; int(x) < k {
				s.leaf = append(s.leaf, int64(x)<<8|int64(s.code[q]))
			}
		}
		slices.Sort(s.leaf[from:])
		s.leaf = append(s.leaf, math.MaxInt64)
	}
	tags := len(s.leaf)
	for _, i := range s.centres {
		s.leaf = append(s.leaf, int64(s.place[i])<<2|int64(s.handedness(i)))
	}
	slices.Sort(s.leaf[tags:])
	bonds := len(s.leaf)
	for _, k := range s.doubles {
		x, y := s.place[s.m.Bonds[k].From], s.place[s.m.Bonds[k].To]
		s.leaf = append(s.leaf, int64(max(x, y))<<34|int64(min(x, y))<<2|int64(s.geometry(k)))
	}
	slices.Sort(s.leaf[bonds:])
	s.budget -= len(s.leaf)
}

// addAutomorphism records the automorphism from another order to the present one, by the atoms that it moves, and joins
// their orbits.
func (s *canon) addAutomorphism(order []int32) {
	for k, i := range order {
		if j := s.order[k]; i != j {
			s.moves = append(s.moves, move{i, j})
		}
	}
	s.budget -= len(order)
	s.joinOrbits()
}

// joinOrbits makes the moves after the last generator a new generator, and joins their orbits.
func (s *canon) joinOrbits() {
	from := s.begin[len(s.begin)-1]
	for _, v := range s.moves[from:] {
		if x, y := root(s.orbit, v.from), root(s.orbit, v.to); x != y {
			s.orbit[max(x, y)] = min(x, y)
		}
	}
	s.begin = append(s.begin, int32(len(s.moves)))
}

// stabilized returns the orbits under automorphisms that fix the first depth atoms of the path, in the memory of orbit.
func (s *canon) stabilized(orbit []int32, depth int) []int32 {
	buffer.Numbered(&orbit, len(s.order))
	s.epoch++
	for _, i := range s.path[:depth] {
		s.stamp[i] = s.epoch
	}
	for g := range len(s.begin) - 1 {
		moves := s.moves[s.begin[g]:s.begin[g+1]]
		if slices.ContainsFunc(moves, func(v move) bool { return s.stamp[v.from] == s.epoch }) {
			continue
		}
		for _, v := range moves {
			if x, y := root(orbit, v.from), root(orbit, v.to); x != y {
				orbit[max(x, y)] = min(x, y)
			}
		}
	}
	s.budget -= len(orbit) + len(s.moves)
	return orbit
}

// join returns a forest whose trees are the atoms connected by the bonds that joins accepts, and the number of trees.
// Each root is the first atom of its tree. The forest uses the memory of parent.
func join(parent []int32, m *molecule.Molecule, joins func(*molecule.Bond) bool) (forest []int32, trees int) {
	buffer.Numbered(&parent, len(m.Atoms))
	trees = len(parent)
	for k := range m.Bonds {
		b := &m.Bonds[k]
		if !joins(b) {
			continue
		}
		if x, y := root(parent, b.From), root(parent, b.To); x != y {
			parent[max(x, y)] = min(x, y)
			trees--
		}
	}
	return parent, trees
}

// root returns the root of atom i's tree, and halves the path to it.
func root(parent []int32, i int32) int32 {
	for parent[i] != i {
		parent[i] = parent[parent[i]]
		i = parent[i]
	}
	return i
}

// asBit returns 1 for true, 0 for false.
func asBit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
