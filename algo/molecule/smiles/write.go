package smiles

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
)

// Write writes a molecule in the order of Atoms: fragments from their first atom, branches by their atoms. Parse
// reads the same molecule, with atoms in the order of the text. A [Canonical] molecule is in this order already.
//
// It writes hydrogens, charges, isotopes, atom classes, aromatic and dative bonds, tetrahedral centres and double-bond
// geometry. It loses the arrangement of square planar, bipyramidal and octahedral centres, which a Molecule does not
// store. It may also lose what only a tolerance of RDKit let in: an aromatic atom with too many bonds, an aromatic
// system whose bounded Kekulé search depends on atom order, a metal whose tag was removed.
func Write(m *molecule.Molecule) string {
	l := layouts.Get().(*layout)
	l.w.walk(m, nil)
	text := string(l.w.write())
	l.giveBack()
	return text
}

type writer struct {
	m    *molecule.Molecule
	near neighbor.Table

	order  []int32         // atoms as written
	place  []int32         // the inverse
	parent []neighbor.Link // of an atom: the previous one and the bond, or -1
	last   []int32         // of an atom: its last child, which needs no branch, or -1

	trees        int      // number of bonds other than ring bonds
	rings        []int32  // ring bonds by opening place, then by closing place
	number       []int32  // of a ring bond
	around       []int32  // see ringBonds
	used         []uint64 // numbers in use
	newBond      []int32  // a bond's place in what Parse would read
	dir          []molecule.Direction
	next         []int32 // of an atom: which of its sorted links visit follows next
	roots, stack []int32
	numbers      []int32 // of the atoms, in order
	sorted       []neighbor.Link
	out          []byte
	written      []int32
}

// walk fixes the order of m's atoms in the text: depth first from each fragment's first atom. Neighbours follow by rank,
// or by number if rank is nil.
func (w *writer) walk(m *molecule.Molecule, rank []int32) {
	n := len(m.Atoms)
	w.m = m
	molecule.LinkUp(&w.near, len(m.Atoms), m.Bonds)
	w.order = w.order[:0]
	buffer.Grow(&w.place, n)
	buffer.Grow(&w.parent, n)
	buffer.Grow(&w.last, n)
	for i := range n {
		w.place[i], w.last[i] = -1, -1
	}
	if rank == nil {
		rank = buffer.Numbered(&w.numbers, n)
	}
	w.sorted = append(w.sorted[:0], w.near.Links...)
	for i := range n {
		links := w.sorted[w.near.Spans[i].Lo:w.near.Spans[i].Hi]
		slices.SortFunc(links, func(x, y neighbor.Link) int { return cmp.Compare(rank[x.Atom], rank[y.Atom]) })
	}
	buffer.Grow(&w.roots, n)
	for i, k := range rank {
		w.roots[k] = int32(i)
	}
	buffer.Grow(&w.next, n)
	for i := range w.next {
		w.next[i] = w.near.Spans[i].Lo
	}
	w.trees = n
	for _, i := range w.roots {
		if w.place[i] < 0 {
			w.visit(i)
			w.trees--
		}
	}
	w.numberRings()
}

// visit adds the atoms of root's fragment to the order, depth first, and sets their place, parent and last child.
func (w *writer) visit(root int32) {
	stack := w.stack[:0]
	enter := func(i int32, from neighbor.Link) {
		w.place[i] = int32(len(w.order))
		w.parent[i] = from
		w.order = append(w.order, i)
		stack = append(stack, i)
	}
	enter(root, neighbor.Link{Atom: -1, Bond: -1})
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if w.next[i] == w.near.Spans[i].Hi {
			stack = stack[:len(stack)-1]
			continue
		}
		l := w.sorted[w.next[i]]
		w.next[i]++
		if w.place[l.Atom] >= 0 {
			continue
		}
		w.last[i] = l.Atom
		enter(l.Atom, neighbor.Link{Atom: i, Bond: l.Bond})
	}
	w.stack = stack
}

// isTree reports whether bond k is written between neighbouring atoms of the text, not as a ring bond.
func (w *writer) isTree(k int32) bool {
	b := &w.m.Bonds[k]
	return w.parent[b.From].Bond == k || w.parent[b.To].Bond == k
}

// numberRings numbers the ring bonds. Each gets the lowest number that is free where it opens. Numbers that close at an
// atom are free again after it.
func (w *writer) numberRings() {
	w.rings = w.rings[:0]
	buffer.Grow(&w.number, len(w.m.Bonds))
	// used is a bit set in which all numbers below 64*low are set.
	used, low := append(w.used[:0], 1), 0
	for k := range w.order {
		bonds, closing := w.ringBonds(int32(k))
		for _, bond := range bonds[closing:] {
			for used[low] == 1<<64-1 {
				if low++; low == len(used) {
					used = append(used, 0)
				}
			}
			free := bits.TrailingZeros64(^used[low])
			used[low] |= 1 << free
			w.number[bond] = int32(64*low + free)
			w.rings = append(w.rings, bond)
		}
		for _, bond := range bonds[:closing] {
			number := int(w.number[bond])
			used[number/64] &^= 1 << (number % 64)
			low = min(low, number/64)
		}
	}
	w.used = used
}

// ringBonds returns the ring bonds of the atom at place k, sorted by the place of their other end. The first closing
// ones close at k, the others open. The list is valid until the next call.
func (w *writer) ringBonds(k int32) (bonds []int32, closing int) {
	if w.trees == len(w.m.Bonds) {
		return nil, 0
	}
	i, bonds := w.order[k], w.around[:0]
	for _, l := range w.near.Of(i) {
		if w.isTree(l.Bond) {
			continue
		}
		if w.place[l.Atom] < k {
			closing++
		}
		bonds = append(bonds, l.Bond)
	}
	if len(bonds) > 1 {
		slices.SortFunc(bonds, func(x, y int32) int { return cmp.Compare(w.place[w.other(x, i)], w.place[w.other(y, i)]) })
	}
	w.around = bonds
	return bonds, closing
}

// lowercase reports whether an atom is written as an aromatic one.
func lowercase(a *molecule.Atom) bool {
	if !a.Aromatic {
		return false
	}
	switch a.Element {
	case 5, 6, 7, 8, 14, 15, 16, 33, 34, 52:
		return true
	}
	return false
}

// symbol returns the text of bond k from atom i, without direction. It is empty for an implied order.
func (w *writer) symbol(k, i int32) string {
	b := &w.m.Bonds[k]
	aromatic := lowercase(&w.m.Atoms[b.From]) && lowercase(&w.m.Atoms[b.To])
	switch b.Order {
	case molecule.Any:
		return "~"
	case molecule.Single:
		if aromatic {
			return "-"
		}
	case molecule.Double:
		return "="
	case molecule.Triple:
		return "#"
	case molecule.Quadruple:
		return "$"
	case molecule.Aromatic:
		if !aromatic {
			return ":"
		}
	case molecule.Dative:
		if b.From == i {
			return "->"
		}
		return "<-"
	}
	return ""
}

// write returns the text in the writer's memory.
func (w *writer) write() []byte {
	w.direct()
	w.out = w.out[:0]
	for k, i := range w.order {
		from := w.parent[i]
		if k > 0 {
			// Close the branches between the previous atom and from.
			for j := w.order[k-1]; j != from.Atom && w.parent[j].Atom >= 0; j = w.parent[j].Atom {
				if up := w.parent[j].Atom; w.last[up] != j {
					w.out = append(w.out, ')')
				}
			}
			if from.Atom < 0 {
				w.out = append(w.out, '.')
			} else if w.last[from.Atom] != i {
				w.out = append(w.out, '(')
			}
		}
		if from.Atom >= 0 {
			w.writeBond(from.Bond, from.Atom)
		}
		w.writeAtom(int32(k), i)
		bonds, closing := w.ringBonds(int32(k))
		for q, bond := range bonds {
			if q >= closing {
				w.writeBond(bond, i)
			}
			w.writeNumber(w.number[bond])
		}
	}
	return w.out
}

// writeBond writes bond k, which leads on from atom i: a slash if w gives it a direction, nothing if it needs no symbol.
func (w *writer) writeBond(k, i int32) {
	if w.dir != nil {
		switch w.dir[k] {
		case molecule.Up:
			w.out = append(w.out, '/')
			return
		case molecule.Down:
			w.out = append(w.out, '\\')
			return
		}
	}
	w.out = append(w.out, w.symbol(k, i)...)
}

// writeNumber writes the number of a ring closure.
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
		case molecule.Achiral:
		case molecule.Clockwise, molecule.CounterClockwise:
			w.out = append(w.out, '@')
			if (a.Chirality == molecule.Clockwise) != w.turned(k, i) {
				w.out = append(w.out, '@')
			}
		default:
			w.out = append(append(w.out, '@'), classes[a.Chirality].name...)
		}
	}
	if a.Hydrogens > 0 {
		w.out = append(w.out, 'H')
		if a.Hydrogens > 1 {
			w.out = strconv.AppendInt(w.out, int64(a.Hydrogens), 10)
		}
	}
	switch {
	case a.Charge > 0:
		w.out = append(w.out, '+')
	case a.Charge < 0:
		w.out = append(w.out, '-')
	}
	if c := max(int(a.Charge), -int(a.Charge)); c > 1 {
		w.out = strconv.AppendInt(w.out, int64(c), 10)
	}
	if a.Map >= 0 {
		w.out = append(w.out, ':')
		w.out = strconv.AppendInt(w.out, int64(a.Map), 10)
	}
	w.out = append(w.out, ']')
}

// writeElement writes an atom's symbol, in small letters if it is written as aromatic.
func (w *writer) writeElement(a *molecule.Atom) {
	s := molecule.Symbol(int(a.Element))
	if !lowercase(a) {
		w.out = append(w.out, s...)
		return
	}
	w.out = append(w.out, s[0]|0x20)
	w.out = append(w.out, s[1:]...)
}

// plain reports whether atom i needs no brackets. It must be of the organic subset and be read with its hydrogens.
func (w *writer) plain(i int32) bool {
	a := &w.m.Atoms[i]
	if a.Charge != 0 || a.Isotope != 0 || a.Radicals != 0 || a.Chirality != molecule.Achiral || a.Map >= 0 {
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
	for _, l := range w.near.Of(i) {
		b := &w.m.Bonds[l.Bond]
		if b.Order == molecule.Dative && b.From == i {
			continue
		}
		sum += b.Order.Halves()
		aromatic = aromatic || b.Order == molecule.Aromatic || b.Aromatic
	}
	h, ok := molecule.ImpliedHydrogens(a.Element, sum, aromatic)
	return ok && h == int32(a.Hydrogens)
}

// turned reports whether the text has the inverse of atom i's tag. It does if its neighbours are an odd permutation of
// its bonds, or if its missing neighbour is in an odd place (see missingNeighborTurns), but not if both hold.
func (w *writer) turned(k, i int32) bool {
	links := w.near.Of(i)
	rings, _ := w.ringBonds(k)
	// The written order, by place of bonds. Children follow all ring bonds.
	at := w.written[:0]
	for _, l := range links {
		switch {
		case w.parent[i].Bond == l.Bond:
			at = append(at, -1)
		case w.isTree(l.Bond):
			at = append(at, int32(len(links))+w.place[l.Atom])
		default:
			at = append(at, int32(slices.Index(rings, l.Bond)))
		}
	}
	w.written = at
	odd := molecule.Odd(at)
	if len(links) != 3 {
		return odd
	}
	if w.m.Atoms[i].Hydrogens == 1 { // it inverts the tag of a first atom
		return odd != (w.parent[i].Atom < 0)
	}
	// A lone pair inverts it at an atom with one ring bond and no multiple bond.
	if len(rings) != 1 {
		return odd
	}
	for _, l := range links {
		switch w.m.Bonds[l.Bond].Order {
		case molecule.Double, molecule.Triple, molecule.Quadruple, molecule.Aromatic:
			return odd
		}
	}
	return !odd
}

// direct chooses the bonds written "/" and "\\" and fills w.dir, relative to the direction of writing. Without such
// bonds w.dir is nil.
func (w *writer) direct() {
	m := w.m
	w.dir = nil
	var doubles []int32
	for k := range m.Bonds {
		if m.Bonds[k].Stereo != molecule.NoStereo {
			doubles = append(doubles, int32(k))
		}
	}
	var toHydrogen []int32 // bonds to hydrogens that stay atoms only because of a direction
	for i := range m.Atoms {
		if k := w.keepingBond(int32(i)); k >= 0 {
			toHydrogen = append(toHydrogen, k)
		}
	}
	if len(doubles)+len(toHydrogen) == 0 {
		return
	}
	// In the order of the text, by the later end of each bond, then by the earlier one.
	ends := func(k int32) int64 {
		x, y := w.place[m.Bonds[k].From], w.place[m.Bonds[k].To]
		return int64(max(x, y))<<32 | int64(min(x, y))
	}
	slices.SortFunc(doubles, func(x, y int32) int { return cmp.Compare(ends(x), ends(y)) })
	carries := w.carriers(doubles, toHydrogen)
	w.markDirections(carries, w.uniteCarriers(doubles, carries))
}

// carriers chooses the bonds with a direction, by number of bond. Each end of a double bond needs one. The best is one that
// serves another end already, then one to an atom without a double bond, then the first in the text.
func (w *writer) carriers(doubles, toHydrogen []int32) []bool {
	carries := make([]bool, len(w.m.Bonds))
	for _, k := range toHydrogen {
		carries[k] = true
	}
	for _, k := range doubles {
		for _, i := range [2]int32{w.m.Bonds[k].From, w.m.Bonds[k].To} {
			best, merit := int32(-1), -1
			for _, l := range w.near.Of(i) {
				if l.Bond == k || w.symbol(l.Bond, i) != "" {
					continue // a slash cannot stand with another symbol
				}
				value := 1
				switch {
				case carries[l.Bond]:
					value = 3
				case !w.hasDouble(l.Atom):
					value = 2
				}
				if value > merit || value == merit && w.place[l.Atom] < w.place[w.other(best, i)] {
					best, merit = l.Bond, value
				}
			}
			if best >= 0 {
				carries[best] = true
			}
		}
	}
	return carries
}

// A parity is a forest of bonds whose directions are equal or opposite to their parent's.
type parity struct {
	parent []int32
	flip   []bool // opposite to the parent
}

// find returns the root of bond k's tree, and whether k is opposite to it.
func (f *parity) find(k int32) (int32, bool) {
	// The second pass joins all bonds on the way to the root, which keeps chains of double bonds linear.
	top, odd := k, false
	for f.parent[top] != top {
		odd = odd != f.flip[top]
		top = f.parent[top]
	}
	for x, o := k, odd; f.parent[x] != x; {
		up, step := f.parent[x], f.flip[x]
		f.parent[x], f.flip[x] = top, o
		x, o = up, o != step
	}
	return top, odd
}

// unite joins the sets of x and y. differ says whether x and y have different signs.
func (f *parity) unite(x, y int32, differ bool) {
	rx, fx := f.find(x)
	ry, fy := f.find(y)
	if rx != ry {
		f.parent[rx] = ry
		f.flip[rx] = fx != fy != differ
	}
}

// uniteCarriers returns the forest of the bonds in carries whose directions determine each other: at both ends of a
// double bond, and beside each other at one end.
func (w *writer) uniteCarriers(doubles []int32, carries []bool) *parity {
	f := &parity{make([]int32, len(carries)), make([]bool, len(carries))}
	for k := range f.parent {
		f.parent[k] = int32(k)
	}
	// away reports whether bond k is written from atom i on.
	away := func(k, i int32) bool { return w.place[i] < w.place[w.other(k, i)] }
	for _, k := range doubles {
		b := &w.m.Bonds[k]
		var carrier [2]int32
		var lead [2]bool // the carrier is the first other bond of its end
		for e, i := range [2]int32{b.From, b.To} {
			carrier[e] = -1
			first := true
			for _, l := range w.near.Of(i) {
				if l.Bond == k {
					continue
				}
				if carries[l.Bond] {
					if carrier[e] < 0 {
						carrier[e], lead[e] = l.Bond, first
					} else {
						f.unite(carrier[e], l.Bond, away(carrier[e], i) == away(l.Bond, i))
					}
				}
				first = false
			}
		}
		if carrier[0] < 0 || carrier[1] < 0 {
			continue // cannot be written: no single bond at one end
		}
		same := (b.Stereo == molecule.StereoZ) == (lead[0] == lead[1])
		f.unite(carrier[0], carrier[1], same != (away(carrier[0], b.From) == away(carrier[1], b.To)))
	}
	return f
}

// markDirections fills w.dir for the bonds in carries. The first bond of each set is "/".
func (w *writer) markDirections(carries []bool, f *parity) {
	w.dir = make([]molecule.Direction, len(carries))
	begin := make([]molecule.Direction, len(carries)) // of the root of a set
	mark := func(k int32) {
		if !carries[k] {
			return
		}
		top, odd := f.find(k)
		if begin[top] == molecule.Level {
			begin[top] = molecule.Up
			if odd {
				begin[top] = molecule.Down
			}
		}
		w.dir[k] = begin[top]
		if odd {
			w.dir[k] = begin[top].Flip()
		}
	}
	for k, i := range w.order {
		if from := w.parent[i]; from.Bond >= 0 {
			mark(from.Bond)
		}
		bonds, closing := w.ringBonds(int32(k))
		for _, bond := range bonds[closing:] {
			mark(bond)
		}
	}
}

// other returns the atom to which bond k leads from atom i.
func (w *writer) other(k, i int32) int32 {
	b := &w.m.Bonds[k]
	return b.From + b.To - i
}

// hasDouble reports whether atom i has a double bond.
func (w *writer) hasDouble(i int32) bool {
	return slices.ContainsFunc(w.near.Of(i), func(l neighbor.Link) bool { return w.m.Bonds[l.Bond].Order == molecule.Double })
}

// keepingBond returns the bond of hydrogen i if its direction alone keeps the hydrogen an atom (see Foldable), or -1.
func (w *writer) keepingBond(i int32) int32 {
	a := &w.m.Atoms[i]
	links := w.near.Of(i)
	if a.Element != 1 || a.Isotope != 0 || len(links) != 1 {
		return -1
	}
	heavy := &w.m.Atoms[links[0].Atom]
	if heavy.Element <= 1 || len(w.near.Of(links[0].Atom)) != 2 || !w.hasDouble(links[0].Atom) {
		return -1
	}
	return links[0].Bond
}

// arrange makes c the molecule that Parse would read from the text. Atom k of c is w.order[k].
func (w *writer) arrange(c *molecule.Molecule) {
	m := w.m
	buffer.Grow(&c.Atoms, len(m.Atoms))
	c.Bonds, c.Name = buffer.Grow(&c.Bonds, len(m.Bonds))[:0], m.Name
	buffer.Grow(&w.newBond, len(m.Bonds))
	add := func(k, from, to int32) {
		b := m.Bonds[k]
		if b.Order == molecule.Dative {
			from, to = w.place[b.From], w.place[b.To]
		}
		b.From, b.To = from, to
		w.newBond[k] = int32(len(c.Bonds))
		c.Bonds = append(c.Bonds, b)
	}
	for k, i := range w.order {
		c.Atoms[k] = m.Atoms[i]
		if from := w.parent[i]; from.Atom >= 0 {
			add(from.Bond, w.place[from.Atom], int32(k))
		}
	}
	slices.SortStableFunc(w.rings, func(x, y int32) int { return cmp.Compare(w.number[x], w.number[y]) })
	for _, bond := range w.rings {
		from, to := w.place[m.Bonds[bond].From], w.place[m.Bonds[bond].To]
		// A ring bond begins where its order is written, at the opening end, or else where it closes.
		if (w.symbol(bond, w.order[min(from, to)]) == "") != (from > to) {
			from, to = to, from
		}
		add(bond, from, to)
	}
	w.arrangeStereo(c)
}

// arrangeStereo converts the tags and geometries of c from the bond order of w.m to that of c.
func (w *writer) arrangeStereo(c *molecule.Molecule) {
	m := w.m
	for k, i := range w.order {
		if a := &c.Atoms[k]; a.Chirality.Handed() {
			at := w.written[:0]
			for _, l := range w.near.Of(i) {
				at = append(at, w.newBond[l.Bond])
			}
			w.written = at
			if molecule.Odd(at) {
				a.Chirality = a.Chirality.Turn()
			}
		}
	}
	for k := range m.Bonds {
		b := &m.Bonds[k]
		if b.Stereo == molecule.NoStereo {
			continue
		}
		for _, i := range [2]int32{b.From, b.To} {
			// Geometry refers to the first other bond of each end, which may have changed.
			first, lead := int32(-1), int32(-1)
			for _, l := range w.near.Of(i) {
				if l.Bond == int32(k) {
					continue
				}
				if first < 0 {
					first = l.Bond
				}
				if lead < 0 || w.newBond[l.Bond] < w.newBond[lead] {
					lead = l.Bond
				}
			}
			if first != lead {
				c.Bonds[w.newBond[k]].Stereo = c.Bonds[w.newBond[k]].Stereo.Flip()
			}
		}
	}
}
