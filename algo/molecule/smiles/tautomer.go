package smiles

import (
	"math/bits"
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/rings"
)

// Tautomers of azoles and amidines, including guanidines, differ in which nitrogen has the hydrogen. The parent has
// it on the first nitrogen in an atom order that ignores hydrogens. Other tautomers stay as written.

// azole counts the nitrogens of an aromatic ring of five: with of them have a hydrogen, of may have one. Other rings
// give 0, 0.
func (p *parser) azole(ring []int32) (with, of int32) {
	if len(ring) != 5 {
		return 0, 0
	}
	for _, i := range ring {
		if !p.Atoms[i].Aromatic {
			return 0, 0
		}
		if p.inAzole(i) {
			with, of = with+p.Atoms[i].Hydrogens(), of+1
		}
	}
	return with, of
}

// inAzole reports whether atom i is a neutral nitrogen with two neighbours.
func (p *parser) inAzole(i int32) bool {
	a := &p.Atoms[i]
	return a.Element == nitrogen && a.Charge == 0 && a.Radicals == 0 && p.Degree(i) == 2
}

// doubled returns the other atom of the only multiple bond of atom i, if that is a double bond. It returns −1 if there
// is no multiple bond, and −2 otherwise.
func (p *parser) doubled(i int32) int32 {
	c := int32(-1)
	for _, l := range p.Neighbors(i) {
		switch p.Bonds[l.Bond].Order {
		case molecule.Single:
		case molecule.Double:
			if c != -1 {
				return -2
			}
			c = l.Atom
		default:
			return -2
		}
	}
	return c
}

// amidine appends to list the nitrogens that may have the double bond of atom c, except those in not. It returns an
// empty list if c is not a carbon with a double bond to one of them. Fewer than two mean that c is not the carbon of an
// amidine.
func (p *parser) amidine(c int32, not []bool, list []int32) []int32 {
	neutral := func(a *molecule.DraftAtom, z uint8) bool {
		return a.Element == z && !a.Aromatic && a.Charge == 0 && a.Radicals == 0
	}
	partner := p.doubled(c)
	if partner < 0 || !neutral(&p.Atoms[c], carbon) {
		return list[:0]
	}
	for _, l := range p.Neighbors(c) {
		n := l.Atom
		if !neutral(&p.Atoms[n], nitrogen) || p.Degree(n) > 2 || not != nil && not[n] {
			continue
		}
		// n is saturated, or its double bond leads to c or another such carbon.
		if d := p.doubled(n); d == -1 || d >= 0 && neutral(&p.Atoms[d], carbon) {
			list = append(list, n)
		}
	}
	if !slices.Contains(list, partner) {
		return list[:0]
	}
	return list
}

// chooseTautomer converts the molecule to its chosen tautomer of the groups that n names, and reports any change.
func (p *parser) chooseTautomer(n need) bool {
	t := &p.tautomers
	t.azoles, t.amidines, t.nitrogens = t.azoles[:0], t.amidines[:0], t.nitrogens[:0]
	if n&azoles != 0 {
		p.findAzoles()
	}
	if n&amidines != 0 {
		p.findAmidines()
	}
	if len(t.nitrogens) == 0 || !p.rankTautomers() {
		return false
	}
	t.aromatic = p.aromatics()
	p.save(&t.first)
	before := p.checksum()
	changed := p.settleAmidines()
	changed = p.settleAzoles() || changed
	if !changed || p.checksum() != before {
		return changed
	}
	// A hydrogen that moved between equal nitrogens changes nothing. If classes do not tell, texts do.
	text := canonicalText(p.Molecule(""))
	p.save(&t.last)
	if p.restore(&t.first); canonicalText(p.Molecule("")) == text {
		return false
	}
	p.restore(&t.last)
	return true
}

// A state is a copy of a molecule's atoms and bonds.
type state struct {
	atoms []molecule.DraftAtom
	bonds []molecule.Bond
}

// save copies the atoms and bonds to s.
func (p *parser) save(s *state) {
	s.atoms, s.bonds = append(s.atoms[:0], p.Atoms...), append(s.bonds[:0], p.Bonds...)
}

// restore takes the atoms and bonds back to s.
func (p *parser) restore(s *state) {
	copy(p.Atoms, s.atoms)
	copy(p.Bonds, s.bonds)
}

// aromatics counts aromatic atoms.
func (p *parser) aromatics() (n int) {
	for i := range p.Atoms {
		n += int(asBit(p.Atoms[i].Aromatic))
	}
	return n
}

// checksum returns a checksum of the numbers of hydrogens at each class of nitrogens.
func (p *parser) checksum() (sum uint64) {
	for _, i := range p.nitrogens {
		sum += rings.Mix(p.class[i]) * uint64(p.Atoms[i].Hydrogens()+1)
	}
	return sum
}

// tautomers are a molecule's groups with mobile hydrogens, with reusable buffers.
type tautomers struct {
	azoles    [][]int32 // nitrogens of each ring that may have its hydrogens
	amidines  []amidine
	nitrogens []int32 // of azoles and amidines
	place     []int32 // of each atom in an order that all tautomers share, see rankTautomers
	class     []int32 // equal for atoms that may be equivalent, whatever their hydrogens
	aromatic  int     // how many atoms are aromatic

	marks               []bool
	left                []int32
	first, before, last state
}

// An amidine is a carbon and the nitrogens that may have its double bond. The first one has it.
type amidine struct {
	carbon    int32
	nitrogens []int32
}

// findAzoles finds aromatic five-rings with several unsubstituted nitrogens, some with a hydrogen and some without.
func (p *parser) findAzoles() {
	t := &p.tautomers
	used := buffer.Zeroed(&t.marks, len(p.Atoms))
	for q := range p.Rings.Len() {
		ring := p.Rings.Ring(q)
		with, n := p.azole(ring)
		if with == 0 || with == n || slices.ContainsFunc(ring, func(i int32) bool { return used[i] }) {
			continue
		}
		from := len(t.nitrogens)
		for _, i := range ring {
			if p.inAzole(i) {
				t.nitrogens, used[i] = append(t.nitrogens, i), true
			}
		}
		t.azoles = append(t.azoles, t.nitrogens[from:])
	}
}

// findAmidines finds carbons whose double bond could move to another nitrogen. A carbon with only one such nitrogen
// keeps its bond, which may leave carbons around that nitrogen with one, too.
func (p *parser) findAmidines() {
	t := &p.tautomers
	fixed := buffer.Zeroed(&t.marks, len(p.Atoms)) // nitrogens whose double bond stays
	left := buffer.Numbered(&t.left, len(p.Atoms))
	var list []int32
	for len(left) > 0 {
		c := left[len(left)-1]
		left = left[:len(left)-1]
		if list = p.amidine(c, fixed, list[:0]); len(list) > 1 {
			continue
		}
		for _, l := range p.Neighbors(c) {
			if n := l.Atom; p.Bonds[l.Bond].Order == molecule.Double && p.Atoms[n].Element == nitrogen && !fixed[n] {
				fixed[n] = true
				for _, o := range p.Neighbors(n) {
					left = append(left, o.Atom)
				}
			}
		}
	}
	for c := range int32(len(p.Atoms)) {
		if list := p.amidine(c, fixed, nil); len(list) > 1 {
			t.amidines = append(t.amidines, amidine{c, list})
			t.nitrogens = append(t.nitrogens, list...)
		}
	}
}

// rankTautomers fills class and place in a way that is equal for all tautomers. Atoms that may be equivalent share a
// class. Places order the atoms of groups, those of a class too. It returns false if all tautomers are equal, because a
// single group has equal nitrogens.
func (p *parser) rankTautomers() (differ bool) {
	t := &p.tautomers
	l := layouts.Get().(*layout)
	defer l.giveBack()
	m := &l.read
	p.Fill(m)
	p.blankGroups(m)
	l.canon.partition(m)
	t.class, t.place = append(t.class[:0], l.canon.cell...), append(t.place[:0], l.canon.cell...)
	distinct := true
	for i := range m.Atoms {
		distinct = distinct && (m.Atoms[i].Isotope != mobile || l.canon.size[t.class[i]] == 1)
	}
	if distinct { // each atom of a group has a class of its own, which serves as its place
		return true
	}
	l.canon.search()
	copy(t.place, l.canon.place)
	first := t.nitrogens[0]
	// Nitrogens of a class are equal if an automorphism maps one to the other. None is recorded for those without
	// another neighbour than their carbon (see orderTwins), which are always equal.
	return len(t.azoles)+len(t.amidines) > 1 || slices.ContainsFunc(t.nitrogens, func(i int32) bool {
		return t.class[i] != t.class[first] || p.Degree(i) > 1 && root(l.canon.orbit, i) != root(l.canon.orbit, first)
	})
}

// mobile marks the atoms of groups in place of a mass number, which no atom of a parent has.
const mobile = 1000

// blankGroups removes from m what differs between tautomers, the hydrogens, hybridisation and bond orders of groups. The
// mark mobile keeps their atoms apart from others that look alike now.
func (p *parser) blankGroups(m *molecule.Molecule) {
	blank := func(i int32) {
		m.Atoms[i].Hydrogens, m.Atoms[i].Hybridization, m.Atoms[i].Isotope = 0, 0, mobile
	}
	for _, i := range p.nitrogens {
		blank(i)
	}
	for _, a := range p.amidines {
		blank(a.carbon)
		for _, l := range p.Neighbors(a.carbon) {
			if slices.Contains(a.nitrogens, l.Atom) {
				m.Bonds[l.Bond].Order = molecule.Any
				p.blur(m, l.Atom)
			}
		}
		p.blur(m, a.carbon)
	}
}

// blur removes the hybridisation of saturated atoms beside atom i from m. This differs between tautomers: a lone pair
// is conjugated beside the double bond but not beside the single one.
func (p *parser) blur(m *molecule.Molecule, i int32) {
	for _, l := range p.Neighbors(i) {
		if !p.isUnsaturated(l.Atom) {
			m.Atoms[l.Atom].Hybridization = 0
		}
	}
}

// sort sorts atoms by their place.
func (t *tautomers) sort(atoms []int32) {
	slices.SortFunc(atoms, func(i, j int32) int { return int(t.place[i]) - int(t.place[j]) })
}

// settleAzoles gives the hydrogens of each ring to its first nitrogens and reports any change. If this loses
// aromaticity, each ring gets the first choice that keeps it. Such a try reads the whole molecule, so it is made only
// for at most fewAzoles rings.
func (p *parser) settleAzoles() (changed bool) {
	p.save(&p.before)
	for _, ring := range p.azoles {
		p.sort(ring)
		with, now := p.holders(ring)
		first := 1<<with - 1 // the set of the first nitrogens, as many as have a hydrogen
		p.giveHydrogens(ring, first)
		changed = changed || now != first
	}
	if !changed || p.keeps() {
		return changed
	}
	changed = false
	for _, ring := range p.azoles[:min(len(p.azoles), fewAzoles)] {
		changed = p.settleAzole(ring) || changed
	}
	return changed
}

const fewAzoles = 8

// holders returns how many nitrogens of a ring have a hydrogen, and which: bit k is set for ring[k].
func (p *parser) holders(ring []int32) (with, which int) {
	for k, i := range ring {
		h := int(p.Atoms[i].Hydrogens())
		with += h
		which |= h << k
	}
	return with, which
}

// giveHydrogens gives atom k of a ring one hydrogen if bit k of choice is set, else none.
func (p *parser) giveHydrogens(ring []int32, choice int) {
	for k, i := range ring {
		p.SetHydrogens(i, int32(choice>>k&1))
	}
}

// settleAzole gives the hydrogens of one ring to the first choice of nitrogens that keeps aromaticity, and reports any
// change. Choices are sets of bits, as holders returns them, and the lowest comes first.
func (p *parser) settleAzole(ring []int32) bool {
	with, now := p.holders(ring)
	p.save(&p.before)
	for choice := range now {
		if bits.OnesCount(uint(choice)) != with {
			continue // another number of hydrogens
		}
		if p.giveHydrogens(ring, choice); p.keeps() {
			return true
		}
	}
	return false
}

// keeps reports whether the changed molecule is as aromatic as before. If not, it undoes the change.
func (p *parser) keeps() bool {
	if p.PerceiveAgain() == nil && p.aromatics() == p.aromatic {
		return true
	}
	p.restore(&p.before)
	return false
}

// settleAmidines gives each carbon, in order, a double bond to its first nitrogen, as long as every other carbon
// still gets one, and reports any change. It changes nothing if the search takes more than amidineSteps, or if
// aromaticity would be lost.
func (p *parser) settleAmidines() (changed bool) {
	slices.SortFunc(p.amidines, func(x, y amidine) int { return int(p.place[x.carbon]) - int(p.place[y.carbon]) })
	for _, a := range p.amidines {
		p.sort(a.nitrogens)
	}
	steps := amidineSteps
	holder := make([]int32, len(p.Atoms)) // for each nitrogen: 1 + the carbon that has it
	var choose func(list []amidine) bool  // gives each carbon of the list a nitrogen, or returns false
	choose = func(list []amidine) bool {
		if len(list) == 0 {
			return true
		}
		for _, n := range list[0].nitrogens {
			if holder[n] != 0 {
				continue
			}
			if steps--; steps < 0 {
				return false
			}
			holder[n] = list[0].carbon + 1
			if choose(list[1:]) {
				return true
			}
			holder[n] = 0
		}
		return false
	}
	if len(p.amidines) == 0 || !choose(p.amidines) {
		return false
	}
	p.save(&p.before)
	// A nitrogen has three bonds. If it has the double bond, two go to its carbon. Hydrogens are the rest.
	for _, a := range p.amidines {
		for _, l := range p.Neighbors(a.carbon) {
			n := l.Atom
			if !slices.Contains(a.nitrogens, n) {
				continue
			}
			order, hydrogens := molecule.Single, 3-p.Degree(n)
			if holder[n] == a.carbon+1 {
				order = molecule.Double
			}
			if holder[n] != 0 {
				hydrogens--
			}
			changed = changed || p.Bonds[l.Bond].Order != order
			p.Bonds[l.Bond].Order = order
			p.SetHydrogens(n, hydrogens)
		}
	}
	return changed && p.keeps()
}

// amidineSteps bounds the search for amidines that share nitrogens.
const amidineSteps = 10_000
