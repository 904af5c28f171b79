package molecule

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
)

// SMILES writes the molecule: fragments and branches in the order of Atoms,
// beginning with the first atom. Parse reads the same molecule from it, the atoms
// in the order of the text; [Molecule.Canonical] has them in that order already.
//
// Hydrogens, charges, isotopes, atom classes, aromatic and dative bonds,
// tetrahedral centres and the geometry of double bonds are written. Of a square
// planar, bipyramidal or octahedral centre only the class is, since a Molecule
// does not keep the arrangement; and a ring bond of order Any becomes one of no
// special order, since RDKit reads it so. Nor is a molecule read again as it was if
// only a tolerance of RDKit's let it in: an aromatic atom with more bonds than its
// Kekulé form can have, an aromatic system in which the bounded search for a Kekulé
// form depends on the order of atoms, a metal whose tag was removed.
func (m *Molecule) SMILES() string {
	l := layouts.Get().(*layout)
	l.w.walk(m, nil)
	text := string(l.w.write())
	if cap(l.w.order) <= 1<<12 {
		l.w.m = nil
		layouts.Put(l)
	}
	return text
}

// neighborhood lists the bonds of every atom: those of atom i are
// links[first[i]:first[i+1]], in the order of Bonds.
type neighborhood struct {
	first []int32
	links []link
}

func (h *neighborhood) of(i int32) []link { return h.links[h.first[i]:h.first[i+1]] }

func (h *neighborhood) fill(m *Molecule) {
	zeroed(&h.first, len(m.Atoms)+1)
	grow(&h.links, 2*len(m.Bonds))
	for k := range m.Bonds {
		h.first[m.Bonds[k].From]++
		h.first[m.Bonds[k].To]++
	}
	sum := int32(0)
	for i := range h.first {
		sum += h.first[i]
		h.first[i] = sum
	}
	for k := len(m.Bonds) - 1; k >= 0; k-- {
		b := &m.Bonds[k]
		h.first[b.From]--
		h.links[h.first[b.From]] = link{b.To, int32(k)}
		h.first[b.To]--
		h.links[h.first[b.To]] = link{b.From, int32(k)}
	}
}

// A writer lays a molecule out as a text.
type writer struct {
	m    *Molecule
	near neighborhood

	order  []int32 // atoms as written
	place  []int32 // the inverse
	parent []link  // of an atom: the one before it and the bond between, or -1
	last   []int32 // of an atom: its last child, which needs no branch, or -1

	// Ring bonds, by the place where they are opened; those of the atom at
	// place k are opening[opens[k]:opens[k+1]]. closing alike, by the place
	// where they are closed.
	rings           []ringBond
	opens, closes   []int32
	closing         []int32
	newBond         []int32 // the place of a bond in what Parse would read
	dir             []direction
	next            []int32
	roots, stack    []int32
	sorted          []link
	cluster         []int32
	entered         []bool
	out             []byte
	written, shadow []int32
}

// A ringBond is a bond written as two ring-bond numbers.
type ringBond struct {
	bond        int32
	open, close int32 // places of its atoms
	number      int32
}

// walk lays m out: depth first from the first atom of each fragment, neighbours in
// order. The order of atoms is that of rank, or of their numbers where it is nil.
func (w *writer) walk(m *Molecule, rank []int32) {
	n := len(m.Atoms)
	w.m = m
	w.near.fill(m)
	w.order = w.order[:0]
	grow(&w.place, n)
	grow(&w.parent, n)
	grow(&w.last, n)
	for i := range n {
		w.place[i], w.last[i] = -1, -1
	}
	at := func(i int32) int32 { return i }
	w.sorted = append(w.sorted[:0], w.near.links...)
	if rank != nil {
		at = func(i int32) int32 { return rank[i] }
	}
	for i := range n {
		links := w.sorted[w.near.first[i]:w.near.first[i+1]]
		if len(links) > 12 {
			slices.SortFunc(links, func(x, y link) int { return cmp.Compare(at(x.atom), at(y.atom)) })
			continue
		}
		for k := 1; k < len(links); k++ {
			for q := k; q > 0 && at(links[q].atom) < at(links[q-1].atom); q-- {
				links[q], links[q-1] = links[q-1], links[q]
			}
		}
	}
	grow(&w.roots, n)
	for i := range int32(n) {
		w.roots[at(i)] = i
	}
	w.findClusters()
	w.next = append(w.next[:0], w.near.first[:n]...)
	for _, i := range w.roots {
		if w.place[i] < 0 {
			w.visit(i)
		}
	}
	w.closeRings()
}

// visit goes through a fragment.
func (w *writer) visit(root int32) {
	stack := w.stack[:0]
	enter := func(i int32, from link) {
		w.place[i] = int32(len(w.order))
		w.parent[i] = from
		w.order = append(w.order, i)
		stack = append(stack, i)
		if w.cluster != nil {
			w.entered[w.cluster[i]] = true
		}
	}
	enter(root, link{-1, -1})
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if w.next[i] == w.near.first[i+1] {
			stack = stack[:len(stack)-1]
			continue
		}
		l := w.sorted[w.next[i]]
		w.next[i]++
		if w.place[l.atom] >= 0 {
			continue
		}
		if w.cluster != nil && w.entered[w.cluster[l.atom]] && w.m.Bonds[l.bond].Order != Any {
			continue // it will be come to over an Any bond
		}
		w.last[i] = l.atom
		enter(l.atom, link{i, l.bond})
	}
	w.stack = stack
}

// findClusters finds the parts that are joined by Any bonds, if there are any.
// Such a bond cannot be written as a ring bond, so that once a cluster is entered
// only its own bonds lead to the rest of it.
func (w *writer) findClusters() {
	w.cluster = nil
	if !slices.ContainsFunc(w.m.Bonds, func(b Bond) bool { return b.Order == Any }) {
		return
	}
	n := len(w.m.Atoms)
	cluster := make([]int32, n)
	for i := range cluster {
		cluster[i] = int32(i)
	}
	find := func(i int32) int32 { return root(cluster, i) }
	for _, b := range w.m.Bonds {
		if b.Order == Any {
			cluster[find(b.From)] = find(b.To)
		}
	}
	for i := range cluster {
		cluster[i] = find(int32(i))
	}
	w.cluster = cluster
	w.entered = make([]bool, n)
}

// root is the representative of i in a forest of parents, whose paths it halves.
func root(parent []int32, i int32) int32 {
	for parent[i] != i {
		parent[i] = parent[parent[i]]
		i = parent[i]
	}
	return i
}

// isTree reports whether bond k is written between an atom and one that follows.
func (w *writer) isTree(k int32) bool {
	b := &w.m.Bonds[k]
	return w.parent[b.From].bond == k || w.parent[b.To].bond == k
}

// closeRings numbers the ring bonds, each with the lowest number that is free where
// it is opened; numbers closed at the same atom are free only behind it.
func (w *writer) closeRings() {
	n := len(w.order)
	w.rings, w.closing = w.rings[:0], w.closing[:0]
	trees := 0
	for _, i := range w.order {
		if w.parent[i].bond >= 0 {
			trees++
		}
	}
	if trees == len(w.m.Bonds) {
		return
	}
	grow(&w.opens, n+1)
	zeroed(&w.closes, n+1)
	for k, i := range w.order {
		w.opens[k] = int32(len(w.rings))
		from := len(w.rings)
		for _, l := range w.near.of(i) {
			if q := w.place[l.atom]; int(q) > k && !w.isTree(l.bond) {
				w.rings = append(w.rings, ringBond{bond: l.bond, open: int32(k), close: q})
				w.closes[q+1]++
			}
		}
		slices.SortFunc(w.rings[from:], func(x, y ringBond) int { return cmp.Compare(x.close, y.close) })
	}
	w.opens[n] = int32(len(w.rings))
	for k := range n {
		w.closes[k+1] += w.closes[k]
	}
	grow(&w.closing, len(w.rings))
	w.shadow = append(w.shadow[:0], w.closes[:n]...)
	for r := range w.rings {
		q := w.rings[r].close
		w.closing[w.shadow[q]] = int32(r)
		w.shadow[q]++
	}
	// used is a set of bits; all numbers below 64*low are in it.
	used, low := []uint64{1}, 0
	for k := range n {
		for r := w.opens[k]; r < w.opens[k+1]; r++ {
			for used[low] == 1<<64-1 {
				if low++; low == len(used) {
					used = append(used, 0)
				}
			}
			free := bits.TrailingZeros64(^used[low])
			used[low] |= 1 << free
			w.rings[r].number = int32(64*low + free)
		}
		for _, r := range w.closing[w.closes[k]:w.closes[k+1]] {
			number := int(w.rings[r].number)
			used[number/64] &^= 1 << (number % 64)
			low = min(low, number/64)
		}
	}
}

// lowercase reports whether an atom is written as an aromatic one.
func (a *Atom) lowercase() bool {
	if !a.Aromatic {
		return false
	}
	switch a.Element {
	case 5, 6, 7, 8, 14, 15, 16, 33, 34, 52:
		return true
	}
	return false
}

// symbol is what is written for bond k from atom i on, its direction aside; "" where
// its order goes without saying.
func (w *writer) symbol(k, i int32) string {
	b := &w.m.Bonds[k]
	aromatic := w.m.Atoms[b.From].lowercase() && w.m.Atoms[b.To].lowercase()
	switch b.Order {
	case Any:
		return "~"
	case Single:
		if aromatic {
			return "-"
		}
	case Double:
		return "="
	case Triple:
		return "#"
	case Quadruple:
		return "$"
	case Aromatic:
		if !aromatic {
			return ":"
		}
	case Dative:
		if b.From == i {
			return "->"
		}
		return "<-"
	}
	return ""
}

// write returns the text. Its bytes are those of the writer.
func (w *writer) write() []byte {
	w.direct()
	w.out = w.out[:0]
	for k, i := range w.order {
		from := w.parent[i]
		if k > 0 {
			// Close the branches between the atom before and from.
			for j := w.order[k-1]; j != from.atom && w.parent[j].atom >= 0; j = w.parent[j].atom {
				if up := w.parent[j].atom; w.last[up] != j {
					w.out = append(w.out, ')')
				}
			}
			if from.atom < 0 {
				w.out = append(w.out, '.')
			} else if w.last[from.atom] != i {
				w.out = append(w.out, '(')
			}
		}
		if from.atom >= 0 {
			w.writeBond(from.bond, from.atom)
		}
		w.writeAtom(int32(k), i)
		if len(w.rings) == 0 {
			continue
		}
		for _, r := range w.closing[w.closes[k]:w.closes[k+1]] {
			w.writeNumber(w.rings[r].number)
		}
		for _, r := range w.rings[w.opens[k]:w.opens[k+1]] {
			w.writeBond(r.bond, i)
			w.writeNumber(r.number)
		}
	}
	return w.out
}

func (w *writer) writeBond(k, i int32) {
	if w.dir != nil {
		switch w.dir[k] {
		case up:
			w.out = append(w.out, '/')
			return
		case down:
			w.out = append(w.out, '\\')
			return
		}
	}
	w.out = append(w.out, w.symbol(k, i)...)
}

func (w *writer) writeNumber(number int32) {
	switch {
	case number > 99:
		w.out = append(w.out, "%("...)
		w.out = strconv.AppendInt(w.out, int64(number), 10)
		w.out = append(w.out, ')')
		return
	case number > 9:
		w.out = append(w.out, '%')
	}
	w.out = strconv.AppendInt(w.out, int64(number), 10)
}

// chiralClasses are the classes that have a name in the text.
var chiralClasses = [...]string{Allene: "@AL", SquarePlanar: "@SP", TrigonalBipyramidal: "@TB", Octahedral: "@OH"}

// writeAtom writes atom i, which is at place k.
func (w *writer) writeAtom(k, i int32) {
	a := &w.m.Atoms[i]
	if w.plain(i) {
		w.writeElement(a)
		return
	}
	w.out = append(w.out, '[')
	if a.Isotope != 0 {
		w.out = strconv.AppendInt(w.out, int64(a.Isotope), 10)
	}
	w.writeElement(a)
	if a.Element != 1 {
		switch a.Chirality {
		case Achiral:
		case Clockwise, CounterClockwise:
			w.out = append(w.out, '@')
			if (a.Chirality == Clockwise) != w.turned(k, i) {
				w.out = append(w.out, '@')
			}
		default:
			w.out = append(w.out, chiralClasses[a.Chirality]...)
		}
	}
	if a.Hydrogens > 0 {
		w.out = append(w.out, 'H')
		if a.Hydrogens > 1 {
			w.out = strconv.AppendInt(w.out, int64(a.Hydrogens), 10)
		}
	}
	if a.Charge != 0 {
		if a.Charge > 0 {
			w.out = append(w.out, '+')
		} else {
			w.out = append(w.out, '-')
		}
		if c := max(int(a.Charge), -int(a.Charge)); c > 1 {
			w.out = strconv.AppendInt(w.out, int64(c), 10)
		}
	}
	if a.Map >= 0 {
		w.out = append(w.out, ':')
		w.out = strconv.AppendInt(w.out, int64(a.Map), 10)
	}
	w.out = append(w.out, ']')
}

func (w *writer) writeElement(a *Atom) {
	s := elements[a.Element].symbol
	if !a.lowercase() {
		w.out = append(w.out, s...)
		return
	}
	w.out = append(w.out, s[0]|0x20)
	w.out = append(w.out, s[1:]...)
}

// plain reports whether atom i needs no brackets: one of the organic subset that is
// read with the hydrogens that it has.
func (w *writer) plain(i int32) bool {
	a := &w.m.Atoms[i]
	if a.Charge != 0 || a.Isotope != 0 || a.Radicals != 0 || a.Chirality != Achiral || a.Map >= 0 {
		return false
	}
	switch a.Element {
	case 0:
		return a.Hydrogens == 0
	case 5, 6, 7, 8, 9, 15, 16, 17, 35, 53:
	default:
		return false
	}
	sum, aromatic := int32(0), a.Aromatic
	for _, l := range w.near.of(i) {
		b := &w.m.Bonds[l.bond]
		if b.Order == Dative && b.From == i {
			continue
		}
		sum += halves[b.Order]
		aromatic = aromatic || b.Order == Aromatic || b.Aromatic
	}
	h, ok := impliedHydrogens(a.Element, sum, aromatic)
	return ok && h == int32(a.Hydrogens)
}

// impliedHydrogens is how many hydrogens an atom without charge outside brackets is
// read with, given its bonds in half bonds (see explicitValence and
// implicitHydrogens).
func impliedHydrogens(z uint8, sum int32, aromatic bool) (n int32, ok bool) {
	valences := elements[z].valences
	if !aromatic {
		for _, v := range valences {
			if v := 2 * int32(v); sum <= v {
				return (v - sum) / 2, true
			}
		}
		return 0, false
	}
	first := int32(valences[0])
	if sum > 2*first {
		allowed := first
		for _, v := range valences {
			if 2*int32(v) > sum {
				break
			}
			allowed = int32(v)
		}
		if sum-2*allowed <= 3 {
			sum = 2 * allowed
		}
	}
	valence := (sum + 1) / 2
	if valence <= first {
		return first - valence, true
	}
	return 0, slices.Contains(valences, int8(min(valence, 100)))
}

// turned reports whether the tag of atom i is written the other way round: the
// order of its neighbours in the text is an odd permutation of its bonds, or its
// missing neighbour stands in an odd place (see missingNeighborTurns).
func (w *writer) turned(k, i int32) bool {
	links := w.near.of(i)
	// The written order, as places where each bond is written. A child comes
	// behind all ring bonds.
	at := w.written[:0]
	rings := 0
	for _, l := range links {
		switch {
		case w.parent[i].bond == l.bond:
			at = append(at, -1)
		case w.isTree(l.bond):
			at = append(at, int32(2*len(w.m.Bonds))+w.place[l.atom])
		default:
			rings++
			at = append(at, w.ringPlace(k, l.bond))
		}
	}
	w.written = at
	odd := oddPermutation(at)
	if len(links) != 3 {
		return odd
	}
	if w.m.Atoms[i].Hydrogens == 1 {
		return odd != (w.parent[i].atom < 0)
	}
	if rings != 1 {
		return odd
	}
	for _, l := range links {
		switch w.m.Bonds[l.bond].Order {
		case Double, Triple, Quadruple, Aromatic:
			return odd
		}
	}
	return !odd
}

// ringPlace tells the ring bonds of the atom at place k in order.
func (w *writer) ringPlace(k, bond int32) int32 {
	for q, r := range w.closing[w.closes[k]:w.closes[k+1]] {
		if w.rings[r].bond == bond {
			return int32(q)
		}
	}
	q := slices.IndexFunc(w.rings[w.opens[k]:w.opens[k+1]], func(r ringBond) bool { return r.bond == bond })
	return w.closes[k+1] - w.closes[k] + int32(q)
}

// oddPermutation reports whether sorting values takes an odd number of swaps.
func oddPermutation(values []int32) bool {
	if len(values) > maxChiralDegree {
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

// direct decides which bonds are written "/" and "\". w.dir is nil if none is,
// and otherwise in the direction in which the bond is written.
func (w *writer) direct() {
	m := w.m
	w.dir = nil
	var doubles []int32
	for k := range m.Bonds {
		if m.Bonds[k].stereo != stereoNone {
			doubles = append(doubles, int32(k))
		}
	}
	var held []int32 // bonds of hydrogens that only a direction keeps
	for i := range m.Atoms {
		if k := w.heldBond(int32(i)); k >= 0 {
			held = append(held, k)
		}
	}
	if len(doubles)+len(held) == 0 {
		return
	}
	at := func(k int32) (int32, int32) {
		x, y := w.place[m.Bonds[k].From], w.place[m.Bonds[k].To]
		return max(x, y), min(x, y)
	}
	slices.SortFunc(doubles, func(x, y int32) int {
		xl, xf := at(x)
		yl, yf := at(y)
		return cmp.Or(cmp.Compare(xl, yl), cmp.Compare(xf, yf))
	})
	// Each end of a double bond needs one bond with a direction. One bond may
	// serve two double bonds.
	carries := make([]bool, len(m.Bonds))
	for _, k := range held {
		carries[k] = true
	}
	for _, k := range doubles {
		for _, i := range [2]int32{m.Bonds[k].From, m.Bonds[k].To} {
			best, merit := int32(-1), -1
			for _, l := range w.near.of(i) {
				if l.bond == k || w.symbol(l.bond, i) != "" {
					continue
				}
				x := 1
				switch {
				case carries[l.bond]:
					x = 3
				case !w.hasDouble(l.atom):
					x = 2
				}
				if x > merit || x == merit && w.place[l.atom] < w.place[w.other(best, i)] {
					best, merit = l.bond, x
				}
			}
			if best >= 0 {
				carries[best] = true
			}
		}
	}
	// Directions are equal or opposite: a forest of parents with parities.
	parent := make([]int32, len(m.Bonds))
	flip := make([]bool, len(m.Bonds))
	for k := range parent {
		parent[k] = int32(k)
	}
	find := func(k int32) (int32, bool) {
		// Two passes, so that chains of double bonds take linear time.
		top, odd := k, false
		for parent[top] != top {
			odd = odd != flip[top]
			top = parent[top]
		}
		for x, f := k, odd; parent[x] != x; {
			up, step := parent[x], flip[x]
			parent[x], flip[x] = top, f
			x, f = up, f != step
		}
		return top, odd
	}
	unite := func(x, y int32, differ bool) {
		rx, fx := find(x)
		ry, fy := find(y)
		if rx != ry {
			parent[rx] = ry
			flip[rx] = fx != fy != differ
		}
	}
	// away reports whether bond k is written from atom i on.
	away := func(k, i int32) bool { return w.place[i] < w.place[w.other(k, i)] }
	for _, k := range doubles {
		b := &m.Bonds[k]
		var carrier [2]int32
		var lead [2]bool // it is the first other bond of its end
		for e, i := range [2]int32{b.From, b.To} {
			carrier[e] = -1
			first := true
			for _, l := range w.near.of(i) {
				if l.bond == k {
					continue
				}
				if carries[l.bond] {
					if carrier[e] < 0 {
						carrier[e], lead[e] = l.bond, first
					} else {
						unite(carrier[e], l.bond, away(carrier[e], i) == away(l.bond, i))
					}
				}
				first = false
			}
		}
		if carrier[0] < 0 || carrier[1] < 0 {
			continue // not to be written: no single bond at one end
		}
		same := (b.stereo == stereoZ) == (lead[0] == lead[1])
		unite(carrier[0], carrier[1], same != (away(carrier[0], b.From) == away(carrier[1], b.To)))
	}
	// The first of each set is "/".
	w.dir = make([]direction, len(m.Bonds))
	begin := make([]direction, len(m.Bonds)) // of the top of a set
	mark := func(k int32) {
		if !carries[k] {
			return
		}
		top, odd := find(k)
		if begin[top] == level {
			begin[top] = up
			if odd {
				begin[top] = down
			}
		}
		w.dir[k] = begin[top]
		if odd {
			w.dir[k] = begin[top].flip()
		}
	}
	for k, i := range w.order {
		if from := w.parent[i]; from.bond >= 0 {
			mark(from.bond)
		}
		if len(w.rings) > 0 {
			for _, r := range w.rings[w.opens[k]:w.opens[k+1]] {
				mark(r.bond)
			}
		}
	}
}

// other is the atom at the other end of bond k.
func (w *writer) other(k, i int32) int32 {
	b := &w.m.Bonds[k]
	return b.From + b.To - i
}

func (w *writer) hasDouble(i int32) bool {
	return slices.ContainsFunc(w.near.of(i), func(l link) bool { return w.m.Bonds[l.bond].Order == Double })
}

// heldBond returns the bond of hydrogen i if it is an atom only because that bond
// has a direction (see foldable), or -1.
func (w *writer) heldBond(i int32) int32 {
	a := &w.m.Atoms[i]
	links := w.near.of(i)
	if a.Element != 1 || a.Isotope != 0 || len(links) != 1 {
		return -1
	}
	heavy := &w.m.Atoms[links[0].atom]
	if heavy.Element <= 1 || len(w.near.of(links[0].atom)) != 2 || !w.hasDouble(links[0].atom) {
		return -1
	}
	return links[0].bond
}

// arrange returns the molecule with its atoms and bonds as Parse would read them
// from what w writes. The atom k of it is w.order[k].
func (w *writer) arrange() *Molecule {
	m := w.m
	c := &Molecule{Atoms: make([]Atom, len(m.Atoms)), Bonds: make([]Bond, 0, len(m.Bonds)), Name: m.Name}
	grow(&w.newBond, len(m.Bonds))
	add := func(k, from, to int32) {
		b := m.Bonds[k]
		if b.Order == Dative {
			from, to = w.place[b.From], w.place[b.To]
		}
		b.From, b.To = from, to
		w.newBond[k] = int32(len(c.Bonds))
		c.Bonds = append(c.Bonds, b)
	}
	for k, i := range w.order {
		c.Atoms[k] = m.Atoms[i]
		if from := w.parent[i]; from.atom >= 0 {
			add(from.bond, w.place[from.atom], int32(k))
		}
	}
	if len(w.rings) > 0 {
		rings := slices.Clone(w.rings)
		slices.SortStableFunc(rings, func(x, y ringBond) int { return cmp.Compare(x.number, y.number) })
		for _, r := range rings {
			// A ring bond begins where its order is written, or else where it
			// is closed.
			if s := w.symbol(r.bond, w.order[r.open]); s == "" || s == "~" {
				add(r.bond, r.close, r.open)
			} else {
				add(r.bond, r.open, r.close)
			}
		}
	}
	for k, i := range w.order {
		if a := &c.Atoms[k]; a.Chirality == Clockwise || a.Chirality == CounterClockwise {
			at := w.written[:0]
			for _, l := range w.near.of(i) {
				at = append(at, w.newBond[l.bond])
			}
			w.written = at
			if oddPermutation(at) {
				a.Chirality = a.Chirality.turn()
			}
		}
	}
	for k := range m.Bonds {
		b := &m.Bonds[k]
		if b.stereo == stereoNone {
			continue
		}
		for _, i := range [2]int32{b.From, b.To} {
			// It is about the first other bond of each end, which may be another
			// one now.
			first, lead := int32(-1), int32(-1)
			for _, l := range w.near.of(i) {
				if l.bond == int32(k) {
					continue
				}
				if first < 0 {
					first = l.bond
				}
				if lead < 0 || w.newBond[l.bond] < w.newBond[lead] {
					lead = l.bond
				}
			}
			if first != lead {
				c.Bonds[w.newBond[k]].stereo = c.Bonds[w.newBond[k]].stereo.flip()
			}
		}
	}
	return c
}
