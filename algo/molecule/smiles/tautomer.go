package smiles

import (
	"maps"
	"math/bits"
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/rings"
)

// Tautomers of azoles and amidines, guanidines included, differ in which nitrogen has the hydrogen.
// Both become the first in an atom order that ignores hydrogens. Other tautomers stay as written.

// mobile reports whether p has azoles, and may have amidines, with mobile hydrogens.
func (p *parser) mobile() (azoles, amidines bool) {
	for i := range p.Atoms {
		a := &p.Atoms[i]
		if a.Element != nitrogen || a.Charge != 0 {
			continue
		}
		if a.Aromatic {
			azoles = azoles || a.Hydrogens() > 0
			continue
		}
		for _, l := range p.Neighbors(int32(i)) {
			amidines = amidines || p.Bonds[l.Bond].Order == molecule.Double && p.carriesNitrogen(l.Atom, int32(i))
		}
	}
	for q := 0; azoles && q < p.Rings.Len(); q++ {
		if with, of := p.azole(p.Rings.Ring(q)); with > 0 && with < of {
			return azoles, amidines
		}
	}
	return false, amidines
}

// azole counts the nitrogens of an aromatic ring of five that may have a hydrogen, and those that do.
func (p *parser) azole(ring []int32) (with, of int32) {
	if len(ring) != 5 {
		return 0, 0
	}
	for _, i := range ring {
		a := &p.Atoms[i]
		if !a.Aromatic {
			return 0, 0
		}
		if a.Element == nitrogen && a.Charge == 0 && a.Radicals == 0 && p.Degree(i) == 2 {
			with, of = with+a.Hydrogens(), of+1
		}
	}
	return with, of
}

// carriesNitrogen reports whether atom i is a carbon bound to another nitrogen than n that has fewer than
// three neighbours. findAmidines checks the rest.
func (p *parser) carriesNitrogen(i, n int32) bool {
	if p.Atoms[i].Element != carbon || p.Atoms[i].Aromatic {
		return false
	}
	for _, l := range p.Neighbors(i) {
		if a := &p.Atoms[l.Atom]; l.Atom != n && a.Element == nitrogen && !a.Aromatic && p.Degree(l.Atom) < 3 {
			return true
		}
	}
	return false
}

// chooseTautomer converts the molecule to one tautomer, and reports whether it changed.
func (p *parser) chooseTautomer(azoles, amidines bool) bool {
	before := p.Molecule("")
	t := &tautomers{p: p, m: &molecule.Molecule{Atoms: slices.Clone(before.Atoms), Bonds: slices.Clone(before.Bonds)}}
	if azoles {
		t.findAzoles(p)
	}
	if amidines {
		t.findAmidines()
	}
	if len(t.azoles) == 0 && len(t.nitrogens) == 0 {
		return false
	}
	t.rank()
	mobile := t.mobile()
	changed := t.settleAmidines()
	changed = t.settleAzoles() || changed
	// A hydrogen moved between equal nitrogens changes nothing. Texts tell only where classes do not.
	if changed && (t.mobile() != mobile || canonicalText(before) != canonicalText(t.m)) {
		return t.current || p.reread(t.m, Write(before))
	}
	if t.tried {
		p.parse(Write(before))
	}
	return false
}

// mobile is a checksum of which classes of nitrogens have how many hydrogens.
func (t *tautomers) mobile() (sum uint64) {
	add := func(list []int32) {
		for _, i := range list {
			sum += rings.Mix(t.class[i]) * uint64(t.m.Atoms[i].Hydrogens+1)
		}
	}
	for _, ring := range t.azoles {
		add(ring)
	}
	for _, list := range t.nitrogens {
		add(list)
	}
	return sum
}

// tautomers are a molecule's groups with mobile hydrogens.
type tautomers struct {
	m              *molecule.Molecule
	p              *parser   // reads choices
	tried, current bool      // p has read a choice; that of m
	azoles         [][]int32 // nitrogens of each ring that may have its hydrogens
	// nitrogens of each amidine carbon.
	nitrogens map[int32][]int32
	order     []int32 // the place of each atom
	class     []int32 // equal for atoms that may be equivalent, whatever their hydrogens
}

// findAzoles finds aromatic five-rings with several unsubstituted nitrogens, some with a hydrogen
// and some without.
func (t *tautomers) findAzoles(p *parser) {
	used := map[int32]bool{}
	for q := range p.Rings.Len() {
		ring := p.Rings.Ring(q)
		with, n := p.azole(ring)
		if with == 0 || with == n || slices.ContainsFunc(ring, func(i int32) bool { return used[i] }) {
			continue
		}
		var of []int32
		for _, i := range ring {
			if a := &t.m.Atoms[i]; a.Element == nitrogen && a.Charge == 0 && a.Degree == 2 && a.Radicals == 0 {
				of = append(of, i)
			}
		}
		for _, i := range of {
			used[i] = true
		}
		t.azoles = append(t.azoles, of)
	}
}

// findAmidines finds carbons with a double bond that could move to another nitrogen.
func (t *tautomers) findAmidines() {
	double := make([]int32, len(t.m.Atoms)) // the carbon at a nitrogen's double bond, or −1
	near := make([][]int32, len(t.m.Atoms)) // a carbon's nitrogens
	able := make([]bool, len(t.m.Atoms))
	multiple := make([]int, len(t.m.Atoms)) // a carbon's multiple bonds: two if it is cumulated
	for i, a := range t.m.Atoms {
		double[i] = -1
		able[i] = !a.Aromatic && a.Charge == 0 && a.Radicals == 0 && (a.Element == carbon || a.Element == nitrogen && a.Degree <= 2)
	}
	for _, b := range t.m.Bonds {
		c, n := b.From, b.To
		if t.m.Atoms[c].Element != carbon {
			c, n = n, c
		}
		if b.Order == molecule.Double || b.Order == molecule.Triple {
			multiple[b.From]++
			multiple[b.To]++
		}
		fits := able[c] && able[n] && t.m.Atoms[c].Element == carbon && t.m.Atoms[n].Element == nitrogen
		switch {
		case fits && b.Order == molecule.Double && double[n] < 0:
			double[n] = c
		case b.Order != molecule.Single: // a nitrogen with another multiple bond
			able[b.From], able[b.To] = able[b.From] && t.m.Atoms[b.From].Element == carbon, able[b.To] && t.m.Atoms[b.To].Element == carbon
		}
		if fits {
			near[c] = append(near[c], n)
		}
	}
	t.nitrogens = map[int32][]int32{}
	for settled := false; !settled; {
		settled = true
		clear(t.nitrogens)
		for c, list := range near {
			var of []int32
			held := false
			for _, n := range list {
				if able[n] {
					of = append(of, n)
					held = held || double[n] == int32(c)
				}
			}
			if held && len(of) > 1 && multiple[c] == 1 {
				t.nitrogens[int32(c)] = of
			}
		}
		for n, c := range double {
			if _, ok := t.nitrogens[c]; c >= 0 && able[n] && !ok {
				able[n], settled = false, false
			}
		}
	}
}

// rank orders the atoms as if all tautomers were equal.
func (t *tautomers) rank() {
	l := layouts.Get().(*layout)
	defer l.giveBack()
	m := &l.read
	m.Atoms, m.Bonds = append(m.Atoms[:0], t.m.Atoms...), append(m.Bonds[:0], t.m.Bonds...)
	const azole, amidine = 1000, 1001 // in place of a mass number
	blank := func(i int32, mark uint16) {
		m.Atoms[i].Hydrogens, m.Atoms[i].Hybridization, m.Atoms[i].Isotope = 0, 0, mark
	}
	for _, ring := range t.azoles {
		for _, i := range ring {
			blank(i, azole)
		}
	}
	member := map[[2]int32]bool{}
	for c, list := range t.nitrogens {
		blank(c, amidine)
		for _, n := range list {
			blank(n, amidine)
			member[[2]int32{c, n}], member[[2]int32{n, c}] = true, true
		}
	}
	unsaturated := make([]bool, len(m.Atoms))
	for _, b := range m.Bonds {
		multiple := b.Order != molecule.Single
		unsaturated[b.From], unsaturated[b.To] = unsaturated[b.From] || multiple, unsaturated[b.To] || multiple
	}
	for k := range m.Bonds {
		b := &m.Bonds[k]
		if member[[2]int32{b.From, b.To}] {
			b.Order = molecule.Any
		}
		// A lone pair beside the double bond is conjugated, beside the single bond it is not.
		for _, e := range [2][2]int32{{b.From, b.To}, {b.To, b.From}} {
			if m.Atoms[e[0]].Isotope == amidine && !unsaturated[e[1]] {
				m.Atoms[e[1]].Hybridization = 0
			}
		}
	}
	l.canon.partition(m)
	t.class = slices.Clone(l.canon.cell)
	if t.distinct() {
		t.order = t.class
		return
	}
	l.canon.search()
	t.order = slices.Clone(l.canon.place)
}

// distinct reports whether the classes of nitrogens and amidine carbons order them.
func (t *tautomers) distinct() bool {
	seen := map[int32]int32{}
	alone := func(i int32) bool {
		j, ok := seen[t.class[i]]
		seen[t.class[i]] = i
		return !ok || i == j
	}
	all := true
	for _, ring := range t.azoles {
		for _, i := range ring {
			all = all && alone(i)
		}
	}
	for c, list := range t.nitrogens {
		all = all && alone(c)
		for _, i := range list {
			all = all && alone(i)
		}
	}
	return all
}

func (t *tautomers) sorted(atoms []int32) []int32 {
	slices.SortFunc(atoms, func(i, j int32) int { return int(t.order[i]) - int(t.order[j]) })
	return atoms
}

// settleAzoles gives the hydrogens of each ring to its first nitrogens. If that loses aromaticity,
// each ring gets the first choice that keeps it, if rings are few: every try reads the whole
// molecule. It reports any change.
func (t *tautomers) settleAzoles() (changed bool) {
	before := slices.Clone(t.m.Atoms)
	for _, ring := range t.azoles {
		with, now := t.holders(t.sorted(ring))
		t.give(ring, 1<<with-1)
		changed = changed || now != 1<<with-1
	}
	if !changed || t.readable() {
		return changed
	}
	copy(t.m.Atoms, before)
	changed, t.current = false, false
	for _, ring := range t.azoles[:min(len(t.azoles), fewAzoles)] {
		changed = t.settleAzole(ring) || changed
	}
	return changed
}

const fewAzoles = 8

// holders counts a ring's hydrogens and returns which nitrogens have them.
func (t *tautomers) holders(ring []int32) (with, which int) {
	for k, i := range ring {
		with += int(t.m.Atoms[i].Hydrogens)
		which |= int(t.m.Atoms[i].Hydrogens) << k
	}
	return with, which
}

func (t *tautomers) give(ring []int32, choice int) {
	t.current = false
	for k, i := range ring {
		t.m.Atoms[i].Hydrogens = uint8(choice >> k & 1)
	}
}

// settleAzole is settleAzoles of one ring.
func (t *tautomers) settleAzole(ring []int32) bool {
	with, now := t.holders(ring)
	for choice := range now {
		if bits.OnesCount(uint(choice)) != with {
			continue
		}
		if t.give(ring, choice); t.readable() {
			return true
		}
	}
	t.give(ring, now)
	return false
}

// readable reports whether the changed molecule keeps its aromatic atoms. Then p has it.
func (t *tautomers) readable() bool {
	_, err := t.p.parse(Write(t.m))
	count := countAromatic(t.m)
	for i := range t.p.Atoms {
		count -= int(asBit(t.p.Atoms[i].Aromatic))
	}
	t.tried, t.current = true, err == nil && count == 0
	return t.current
}

// settleAmidines gives each carbon, in order, a double bond to its first nitrogen that leaves one
// for every other carbon, and reports any change.
func (t *tautomers) settleAmidines() bool {
	carbons := t.sorted(slices.Collect(maps.Keys(t.nitrogens)))
	for _, list := range t.nitrogens {
		t.sorted(list)
	}
	chosen, holder := map[int32]int32{}, map[int32]int32{}
	steps := amidineSteps
	var choose func(k int) bool
	choose = func(k int) bool {
		if k == len(carbons) {
			return true
		}
		c := carbons[k]
		for _, n := range t.nitrogens[c] {
			if _, taken := holder[n]; taken {
				continue
			}
			if steps--; steps < 0 {
				return false
			}
			chosen[c], holder[n] = n, c
			if choose(k + 1) {
				return true
			}
			delete(holder, n)
		}
		return false
	}
	if !choose(0) {
		return false
	}
	changed := false
	before := &molecule.Molecule{Atoms: slices.Clone(t.m.Atoms), Bonds: slices.Clone(t.m.Bonds)}
	for k := range t.m.Bonds {
		b := &t.m.Bonds[k]
		c, n := b.From, b.To
		if _, ok := t.nitrogens[c]; !ok {
			c, n = n, c
		}
		if !slices.Contains(t.nitrogens[c], n) {
			continue
		}
		order, hydrogens := molecule.Single, 3-t.m.Atoms[n].Degree
		if holder[n] == c && chosen[c] == n {
			order = molecule.Double
		}
		if _, ok := holder[n]; ok {
			hydrogens--
		}
		changed = changed || b.Order != order
		b.Order, t.m.Atoms[n].Hydrogens = order, uint8(hydrogens)
	}
	if changed && !t.readable() {
		t.m.Atoms, t.m.Bonds, changed, t.current = before.Atoms, before.Bonds, false, false
	}
	return changed
}

// amidineSteps bounds the search for amidines that share nitrogens.
const amidineSteps = 10_000
