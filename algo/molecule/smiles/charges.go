package smiles

import (
	"cmp"
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/neighbor"
)

// A drawing is a fragment in a Kekulé form whose charges are being settled. First, charges recombine
// if another drawing of the same electrons has fewer charges. Then protons move. Atoms keep their mark of
// aromaticity, and bonds have an order.
type drawing struct {
	*molecule.Molecule
	near neighbor.Table
	path []int32 // bonds of the search
	on   []bool  // atoms of path
	left int     // steps of searches

	changed bool
}

// draw returns a copy of m to redraw, in a Kekulé form if there is one.
func draw(m *molecule.Molecule) *drawing {
	d := &drawing{Molecule: clone(m), on: make([]bool, len(m.Atoms)), left: searchSteps}
	if orders, ok := m.Kekule(); ok {
		for k := range d.Bonds {
			d.Bonds[k].Order, d.Bonds[k].Aromatic = orders[k], false
		}
	}
	molecule.LinkUp(&d.near, len(d.Atoms), d.Bonds)
	return d
}

// link returns a drawing of m itself, for queries only.
func link(m *molecule.Molecule) *drawing {
	d := &drawing{Molecule: m}
	molecule.LinkUp(&d.near, len(m.Atoms), m.Bonds)
	return d
}

// Bounds of searches along conjugation: the bonds of a path, and the steps in one fragment. Reading a drawing counts
// as a step for each atom.
const (
	longestPath = 16
	searchSteps = 100_000
)

// read returns the molecule of the drawing, perceived anew, and the number of its aromatic atoms, or −1 if it cannot be
// read.
func (d *drawing) read() (m *molecule.Molecule, aromatic int) {
	d.left -= len(d.Atoms)
	m = clone(d.Molecule)
	// A drawing with aromatic bonds, since no Kekulé form was found, keeps its marks.
	if !slices.ContainsFunc(d.Bonds, func(b molecule.Bond) bool { return b.Aromatic }) {
		for i := range m.Atoms {
			m.Atoms[i].Aromatic = false
		}
		p := parsers.Get().(*parser)
		defer p.giveBack()
		if _, err := p.parse(Write(m)); err != nil || len(p.Atoms) != len(m.Atoms) {
			return nil, -1
		}
		m = p.Molecule("")
	}
	for i := range m.Atoms {
		aromatic += int(asBit(m.Atoms[i].Aromatic))
	}
	return m, aromatic
}

// clone returns a copy of the atoms, bonds and name of m.
func clone(m *molecule.Molecule) *molecule.Molecule {
	return &molecule.Molecule{Atoms: slices.Clone(m.Atoms), Bonds: slices.Clone(m.Bonds), Name: m.Name}
}

// canonicalClasses is Canonical but keeps atom classes, which do not affect the order.
func canonicalClasses(m *molecule.Molecule) *molecule.Molecule {
	l := layouts.Get().(*layout)
	defer l.giveBack()
	bare, c := &l.read, new(molecule.Molecule)
	bare.Atoms, bare.Bonds = append(bare.Atoms[:0], m.Atoms...), append(bare.Bonds[:0], m.Bonds...)
	for i := range bare.Atoms {
		bare.Atoms[i].Map = -1
	}
	order, _ := l.canonical(bare, c)
	for k, i := range order {
		c.Atoms[k].Map = m.Atoms[i].Map
	}
	return c
}

// settleCharges settles the charges of m until they stay, at most mostPasses times. If the first pass changes nothing
// it returns m itself and false, else the new molecule in canonical order and true.
func settleCharges(m *molecule.Molecule) (*molecule.Molecule, bool) {
	for pass := range mostPasses {
		r, changed := settleOnce(m)
		if !changed || bareText(r) == bareText(m) {
			return m, pass > 0
		}
		m = r
	}
	return m, true
}

// Bounds of how often the charges of a fragment are settled, since a charge that moved may let another one move.
const mostPasses, mostSteps = 4, 16

// settleOnce is one pass of settleCharges. It may report a change even if the atoms are those of m.
func settleOnce(m *molecule.Molecule) (*molecule.Molecule, bool) {
	d := draw(m)
	for range mostSteps {
		if !d.step() {
			break
		}
	}
	cation := false
	d.cations(func(int32, *molecule.Atom) { cation = true })
	if !d.changed && !cation {
		return m, false
	}
	r := m
	if d.changed {
		s, aromatic := d.read()
		if aromatic < 0 {
			return m, false
		}
		r = canonicalClasses(s)
	}
	if !cation {
		return r, true
	}
	// Choices that follow the order of atoms need the canonical order of the protonated form.
	e := d
	if d.changed {
		e = draw(r)
	}
	before := e.changed
	e.deprotonate()
	e.recombine()
	e.relocate()
	if e.changed != before {
		if s, aromatic := e.read(); aromatic >= 0 {
			return canonicalClasses(s), true
		}
	}
	return r, r != m
}

// step makes one pass over all charges and reports any change.
func (d *drawing) step() (again bool) {
	before := d.changed
	d.changed = false
	d.joinOpposites()
	d.openMesoionic()
	d.recombine()
	d.spread()
	d.loseProtons()
	d.gainProtons()
	again = d.changed
	d.changed = d.changed || before
	return again
}

// opposed reports whether a neighbour of atom i has the opposite charge.
func (d *drawing) opposed(i int32) bool {
	return slices.ContainsFunc(d.near.Of(i), func(l neighbor.Link) bool {
		return int(d.Atoms[i].Charge)*int(d.Atoms[l.Atom].Charge) < 0
	})
}

// Elements whose cations lose a hydrogen, whose anions gain one, and whose cations share a double
// bond with an adjacent anion.
var (
	bases     = []uint8{carbon, nitrogen, oxygen, phosphorus, sulfur, selenium}
	acids     = []uint8{nitrogen, oxygen, fluorine, sulfur, chlorine, selenium, bromine, tellurium, iodine}
	expanding = []uint8{phosphorus, sulfur, arsenic, selenium, tellurium, iodine}
	chalcogen = []uint8{oxygen, sulfur, selenium}
)

// joinOpposites turns adjacent opposite charges into a bond of a higher order, if the octet of the cation allows it. The
// anion must be of C, N, O, S, Se or Te. It also draws
//
//   - dative bonds to nonmetals as a single bond between charges,
//   - azides, diazo groups and nitrones as cumulate does.
func (d *drawing) joinOpposites() {
	for k := range d.Bonds {
		b := &d.Bonds[k]
		x, y := &d.Atoms[b.From], &d.Atoms[b.To]
		if b.Order == molecule.Dative && !isMetal(y.Element) {
			x.Charge, y.Charge, b.Order, d.changed = x.Charge+1, y.Charge-1, molecule.Single, true
			if y.Element == boron && y.Degree+int32(y.Hydrogens) == 3 {
				y.Hydrogens++ // N->B is read with two
			}
		}
		i := b.From
		if x.Charge < 0 {
			x, y, i = y, x, b.To
		}
		if x.Charge <= 0 || y.Charge >= 0 ||
			!slices.Contains([]uint8{carbon, nitrogen, oxygen, sulfur, selenium, tellurium}, y.Element) {
			continue
		}
		single := b.Order == molecule.Single
		switch {
		case single && x.Element == nitrogen && x.Charge == 1:
			d.cumulate(i, b, y)
		case y.Aromatic && y.Element == carbon: // stays
		case single && slices.Contains(expanding, x.Element), single && x.Element == nitrogen,
			x.Element == carbon && (single || b.Order == molecule.Double):
			b.Order++
			x.Charge, y.Charge, d.changed = x.Charge-1, y.Charge+1, true
		}
	}
}

// cumulate redraws the bond b between atom i, N+, and y: Y−–N+≡N becomes Y=N+=N−, and the nitrone C−–N+=O becomes
// C=N+–O−.
func (d *drawing) cumulate(i int32, b *molecule.Bond, y *molecule.Atom) {
	for _, l := range d.near.Of(i) {
		end, c := &d.Atoms[l.Atom], &d.Bonds[l.Bond]
		diazo := c.Order == molecule.Triple && end.Element == nitrogen && (y.Element != carbon || !y.Aromatic)
		nitrone := c.Order == molecule.Double && end.Element == oxygen && y.Element == carbon && y.Charge == -1 && y.Radicals == 0
		if (diazo || nitrone) && end.Charge == 0 && end.Degree == 1 {
			b.Order, c.Order = molecule.Double, c.Order-1
			y.Charge, end.Charge, d.changed = y.Charge+1, -1, true
		}
	}
}

// openMesoionic moves the charge of a ring atom that is bound to the cation of an aromatic ring of five to an atom
// outside the ring: sydnones are drawn with C–O−, not N−.
func (d *drawing) openMesoionic() {
	for i := range d.Atoms {
		a := &d.Atoms[i]
		if a.Charge != -1 || !a.Aromatic || !d.opposed(int32(i)) || !d.inFive(int32(i)) {
			continue
		}
		if d.shortest(int32(i), false, 2, 4, func(end int32) bool {
			e := &d.Atoms[end]
			return !e.Aromatic && e.Charge == 0 && (e.Element == nitrogen || slices.Contains(chalcogen, e.Element))
		}) {
			d.flip(false)
			a.Charge, d.Atoms[d.end(int32(i))].Charge = 0, -1
		}
	}
}

// search extends d.path from atom i by a number of bonds to an atom that fits. The bonds lose and gain an order in turn;
// the first one loses if loses is set. The caller chooses loses so that the last one gains. A path passes charged atoms only
// beside the anion where it begins. search returns false, and leaves d.path, if there is no such path or d.left is spent.
func (d *drawing) search(i int32, loses bool, bonds int, fits func(end int32) bool) bool {
	if d.left--; d.left < 0 {
		return false
	}
	d.on[i] = true
	defer func() { d.on[i] = false }()
	for _, l := range d.near.Of(i) {
		order, end := d.Bonds[l.Bond].Order, &d.Atoms[l.Atom]
		if d.on[l.Atom] || loses && order != molecule.Double && order != molecule.Triple || !loses && order != molecule.Single {
			continue
		}
		d.path = append(d.path, l.Bond)
		if bonds == 1 && fits(l.Atom) || bonds > 1 && (end.Charge == 0 || d.Atoms[i].Charge < 0) &&
			d.search(l.Atom, !loses, bonds-1, fits) {
			return true
		}
		d.path = d.path[:len(d.path)-1]
	}
	return false
}

// shortest leaves in d.path the shortest path of first, first+2, … up to most bonds from atom i to an atom that fits. loses
// is as in search. It returns false if there is no path or the budget d.left is spent.
func (d *drawing) shortest(i int32, loses bool, first, most int, fits func(end int32) bool) bool {
	d.path = d.path[:0]
	for bonds := first; bonds <= most; bonds += 2 {
		if d.search(i, loses, bonds, fits) {
			return true
		}
	}
	return false
}

// reach leaves in d.path the shortest path from cation x, of up to most bonds, to an atom that fits. It returns false if
// there is none. The path from a carbon cation has an odd number of bonds, since carbon has no double bond to lose.
func (d *drawing) reach(x int32, most int, fits func(end int32) bool) bool {
	if d.Atoms[x].Element == carbon {
		return d.shortest(x, false, 1, most, fits)
	}
	return d.shortest(x, true, 2, most, fits)
}

// move moves a charge of cation x along d.path to its end.
func (d *drawing) move(x int32) {
	d.flip(d.Atoms[x].Element != carbon)
	d.Atoms[x].Charge--
	d.Atoms[d.end(x)].Charge++
}

// flip removes an order from the bonds of d.path and adds one, in turn. It begins with a removal if loses is set.
func (d *drawing) flip(loses bool) {
	for _, k := range d.path {
		if loses {
			d.Bonds[k].Order--
		} else {
			d.Bonds[k].Order++
		}
		loses = !loses
	}
	d.changed = true
}

// end returns the atom to which d.path leads from x.
func (d *drawing) end(x int32) int32 {
	for _, k := range d.path {
		x = d.Bonds[k].From + d.Bonds[k].To - x
	}
	return x
}

// cations calls use for the cations of bases that no adjacent anion balances: without radicals, carbon with three bonds.
func (d *drawing) cations(use func(i int32, a *molecule.Atom)) {
	for i := range d.Atoms {
		if a := &d.Atoms[i]; a.Charge > 0 && a.Radicals == 0 && slices.Contains(bases, a.Element) &&
			!d.opposed(int32(i)) && (a.Element != carbon || d.valence(int32(i)) == 3) {
			use(int32(i), a)
		}
	}
}

// valence returns the number of bonds of atom i, hydrogens included.
func (d *drawing) valence(i int32) int32 {
	sum := 2 * int32(d.Atoms[i].Hydrogens)
	for _, l := range d.near.Of(i) {
		sum += d.Bonds[l.Bond].Order.Halves()
	}
	return sum / 2
}

// recombine removes pairs of opposite charges that are conjugated, at most longestPath bonds apart. It moves the charge
// of the cation to the anion. The anion must have no cation beside it, and be
//
//   - a carbon, a phosphorus or a chalcogen, or
//   - a nitrogen, if the cation has no hydrogens.
//
// A move from a cation that is aromatic or has hydrogens is undone if fewer atoms are aromatic after it: there a proton can
// be removed instead.
func (d *drawing) recombine() {
	if !slices.ContainsFunc(d.Atoms, func(a molecule.Atom) bool { return a.Charge < 0 }) {
		return
	}
	d.cations(func(x int32, a *molecule.Atom) {
		if !d.reach(x, longestPath, func(end int32) bool {
			e := &d.Atoms[end]
			accepts := e.Element == carbon || e.Element == nitrogen && a.Hydrogens == 0 || e.Element == phosphorus ||
				slices.Contains(chalcogen, e.Element)
			return accepts && e.Charge < 0 && !d.opposed(end)
		}) {
			return
		}
		if !a.Aromatic && a.Hydrogens == 0 {
			d.move(x) // the protons cannot help
		} else {
			d.moveKeeping(x)
		}
	})
}

// moveKeeping calls move, but takes it back and returns false if aromatic atoms are lost.
func (d *drawing) moveKeeping(x int32) bool {
	was, before := d.snapshot(), d.aromatics()
	if d.move(x); d.aromatics() >= before {
		return true
	}
	d.restore(was)
	return false
}

// spread moves the charge of an atom without hydrogens to a conjugated atom that has one to lose, such as
// NC=[N+](C)C to [NH2+]=CN(C)C, unless aromatic atoms are lost. The charge of a carbenium ion goes to any conjugated
// atom with a lone pair.
func (d *drawing) spread() {
	d.cations(func(x int32, a *molecule.Atom) {
		switch {
		case a.Charge > 1:
		case a.Element == carbon && !a.Aromatic:
			for _, donors := range [][]uint8{{nitrogen}, chalcogen} {
				if d.reach(x, longestPath, func(end int32) bool {
					return slices.Contains(donors, d.Atoms[end].Element) && d.hasLonePair(end)
				}) {
					d.move(x)
					return
				}
			}
		case a.Element == nitrogen && a.Hydrogens == 0:
			d.spreadNitrogen(x)
		}
	})
}

// spreadNitrogen moves the charge of nitrogen x to an atom with hydrogens that conjugation reaches: to O, S or another
// chalcogen, else to a nitrogen.
func (d *drawing) spreadNitrogen(x int32) {
	small := d.inFive(x)
	for _, donors := range [][]uint8{chalcogen, {nitrogen}} {
		if d.reach(x, 4, func(end int32) bool {
			e := &d.Atoms[end]
			fits := e.Charge == 0 && e.Radicals == 0 && e.Hydrogens > 0 && slices.Contains(donors, e.Element)
			// The nitrogen of an aromatic ring of six gives its charge to no amine.
			return fits && (!d.Atoms[x].Aromatic || small || e.Element != nitrogen || e.Aromatic)
		}) && d.moveKeeping(x) {
			return
		}
	}
}

// A snapshot is a state of a drawing to return to.
type snapshot struct {
	m       *molecule.Molecule
	changed bool
}

func (d *drawing) snapshot() snapshot { return snapshot{clone(d.Molecule), d.changed} }

func (d *drawing) restore(s snapshot) { d.Molecule, d.changed = s.m, s.changed }

// aromatics returns the number of aromatic atoms once the drawing is read anew, or −1 if it cannot be read. It is 0 for
// a drawing that marks none as aromatic.
func (d *drawing) aromatics() int {
	if !slices.ContainsFunc(d.Atoms, func(a molecule.Atom) bool { return a.Aromatic }) {
		return 0
	}
	_, aromatic := d.read()
	return aromatic
}

// inRing reports whether an aromatic ring of least to most atoms holds atom i and, if cation is set, a cation
// of nitrogen.
func (d *drawing) inRing(i int32, least, most int, cation bool) bool {
	// walk extends a path of length atoms that ends at atom at. found is set once it has a cation, or none is needed.
	var walk func(at int32, length int, found bool) bool
	walk = func(at int32, length int, found bool) bool {
		a := &d.Atoms[at]
		found = found || a.Element == nitrogen && a.Charge == 1 && a.Hydrogens == 0 && !d.opposed(at)
		d.on[at] = true
		defer func() { d.on[at] = false }()
		return slices.ContainsFunc(d.near.Of(at), func(l neighbor.Link) bool {
			if l.Atom == i {
				return found && length >= least
			}
			return length < most && d.Atoms[l.Atom].Aromatic && !d.on[l.Atom] && walk(l.Atom, length+1, found)
		})
	}
	return d.Atoms[i].Aromatic && walk(i, 1, !cation)
}

func (d *drawing) inFive(i int32) bool { return d.inRing(i, 5, 5, false) }

// loseProtons takes hydrogens off cations of bases, except carbon and ligands of metals.
func (d *drawing) loseProtons() {
	for i := range d.Atoms {
		a := &d.Atoms[i]
		for a.Charge > 0 && a.Hydrogens > 0 && a.Element != carbon && slices.Contains(bases, a.Element) && !d.onMetal(int32(i)) {
			a.Charge, d.changed = a.Charge-1, true
			a.Hydrogens--
		}
	}
	// A protonated N-oxide, N+–OH, loses that of the oxygen.
	for _, b := range d.Bonds {
		x, y := b.From, b.To
		if d.Atoms[x].Element != nitrogen {
			x, y = y, x
		}
		n, o := &d.Atoms[x], &d.Atoms[y]
		if n.Element == nitrogen && n.Charge == 1 && n.Hydrogens == 0 && !d.opposed(x) && o.Element == oxygen &&
			o.Charge == 0 && o.Hydrogens == 1 && o.Degree == 1 {
			o.Charge, o.Hydrogens, d.changed = -1, 0, true
		}
	}
}

// onMetal reports whether atom i is bound to a metal.
func (d *drawing) onMetal(i int32) bool {
	return slices.ContainsFunc(d.near.Of(i), func(l neighbor.Link) bool { return isMetal(d.Atoms[l.Atom].Element) })
}

// gainProtons gives anions hydrogens, in the place where the compound has them.
func (d *drawing) gainProtons() {
	for i := range d.Atoms {
		a := &d.Atoms[i]
		// An enol or imidic acid: its hydrogen moves to the far end.
		if a.Charge == 0 && a.Hydrogens > 0 && a.Degree == 1 && d.protonateFar(int32(i)) {
			a.Hydrogens--
			d.changed = true
		}
		if a.Charge >= 0 || a.Radicals > 0 {
			continue
		}
		if d.opposed(int32(i)) && (d.closeNitronate(int32(i)) || !d.spare(int32(i))) {
			continue // it balances the cation
		}
		if a.Element == carbon && !d.acidic(int32(i)) || a.Element != carbon && !slices.Contains(acids, a.Element) {
			continue
		}
		for ; a.Charge < 0; a.Charge++ {
			if !d.protonateFar(int32(i)) {
				a.Hydrogens++
			}
			d.changed = true
		}
	}
}

// mostAround is the most neighbours of a cation that spare compares.
const mostAround = 8

// spare reports whether anion i may gain a hydrogen because other anions balance the cations beside it, as in a nitrate,
// a perchlorate or an azide. O− is not spare if one of these is not of oxygen, as in a nitramide or nitronate: that one
// gains the hydrogen.
func (d *drawing) spare(i int32) bool {
	return !slices.ContainsFunc(d.near.Of(i), func(l neighbor.Link) bool {
		sum := d.Atoms[l.Atom].Charge
		if sum <= 0 {
			return false
		}
		if d.near.Degree(l.Atom) > mostAround {
			return true
		}
		for _, m := range d.near.Of(l.Atom) {
			a := &d.Atoms[m.Atom]
			sum += min(a.Charge, 0)
			if a.Charge < 0 && a.Element != oxygen && d.Atoms[i].Element == oxygen {
				return true // its acid is weaker
			}
		}
		return sum >= 0
	})
}

// acidic reports whether carbanion i is the anion of a weak acid, of a cyanide or alkyne, or is conjugated with a group
// such as C=O, C≡N, NO2 or SO2. Other carbanions are ligands or reagents.
func (d *drawing) acidic(i int32) bool {
	if slices.ContainsFunc(d.near.Of(i), func(l neighbor.Link) bool { return d.Bonds[l.Bond].Order == molecule.Triple }) {
		return true
	}
	return d.shortest(i, false, 2, 4, func(end int32) bool {
		return slices.Contains([]uint8{nitrogen, oxygen, sulfur}, d.Atoms[end].Element) && d.Atoms[end].Charge == 0 &&
			!d.Atoms[end].Aromatic
	})
}

// protonateFar moves the double bond and the hydrogen of an amide, isothiocyanate, sulfonamide or ketone: a hydrogen for
// atom i, O or S, goes to the far end of O–C=N, S–C≡N, O–S=N or an open O–C=CH. The caller removes the charge or the
// hydrogen of atom i. protonateFar returns false if there is no such end.
func (d *drawing) protonateFar(i int32) bool {
	a := &d.Atoms[i]
	if !slices.Contains(chalcogen, a.Element) {
		return false
	}
	for _, l := range d.near.Of(i) {
		c := &d.Atoms[l.Atom]
		if d.Bonds[l.Bond].Order != molecule.Single || c.Charge != 0 || c.Element != carbon &&
			(c.Element != sulfur || a.Element != oxygen) {
			continue
		}
		for _, m := range d.near.Of(l.Atom) {
			b, end := &d.Bonds[m.Bond], &d.Atoms[m.Atom]
			if m.Atom == i || b.Order != molecule.Double && b.Order != molecule.Triple || end.Charge != 0 || c.Aromatic && end.Aromatic {
				continue
			}
			ketone := c.Element == carbon && end.Element == carbon && end.Hydrogens > 0 && !b.InRing &&
				b.Order == molecule.Double && a.Element == oxygen
			if end.Element == nitrogen || ketone {
				d.Bonds[l.Bond].Order++
				b.Order--
				end.Hydrogens++
				return true
			}
		}
	}
	return false
}

// closeNitronate makes C=N+(O−)O− a nitro group, CH–N+(=O)O−, if atom o is one of its oxygens. Otherwise it returns false.
func (d *drawing) closeNitronate(o int32) bool {
	near := d.near.Of(o)
	if len(near) != 1 || d.Atoms[o].Element != oxygen || d.Atoms[near[0].Atom].Element != nitrogen {
		return false
	}
	n := near[0].Atom
	anions, double := 0, neighbor.Link{Atom: -1}
	for _, l := range d.near.Of(n) {
		switch a := &d.Atoms[l.Atom]; {
		case a.Element == oxygen && a.Charge == -1:
			anions++
		case a.Element == carbon && d.Bonds[l.Bond].Order == molecule.Double:
			double = l
		}
	}
	if anions != 2 || double.Atom < 0 {
		return false
	}
	d.Bonds[near[0].Bond].Order, d.Bonds[double.Bond].Order = molecule.Double, molecule.Single
	d.Atoms[o].Charge, d.changed = 0, true
	d.Atoms[double.Atom].Hydrogens++
	return true
}

// deprotonate removes the most acidic hydrogens of a fragment with permanent cations until its net charge is 0. So a
// betaine or a sydnone and its salts have the same drawing.
func (d *drawing) deprotonate() {
	net := 0
	for _, a := range d.Atoms {
		net += int(a.Charge)
	}
	for class := range 3 { // from the most acidic
		for i := range d.Atoms {
			a := &d.Atoms[i]
			if net > 0 && a.Charge == 0 && a.Hydrogens > 0 && a.Radicals == 0 && d.acidity(int32(i)) == class {
				a.Charge, net, d.changed = -1, net-1, true
				a.Hydrogens--
			}
		}
	}
}

// acidity ranks the hydrogens of atom i, the most acidic first: 0 for hydroxyl groups of S(=O), P(=O) and the like, 1
// for those of C(=O), and 2 for hydroxyl and thiol groups at an aromatic ring with a nitrogen cation. Amines at such a
// ring also have 2 if it has five atoms. All else has 3.
func (d *drawing) acidity(i int32) int {
	a := &d.Atoms[i]
	if a.Degree != 1 && a.Element != nitrogen {
		return 3
	}
	for _, l := range d.near.Of(i) {
		c := &d.Atoms[l.Atom]
		if c.Aromatic && !a.Aromatic && (a.Element != nitrogen || d.inFive(l.Atom)) {
			if slices.Contains([]uint8{nitrogen, oxygen, sulfur}, a.Element) && d.inRing(l.Atom, 3, 6, true) {
				return 2
			}
		}
		if a.Element != oxygen || !slices.ContainsFunc(d.near.Of(l.Atom), func(m neighbor.Link) bool {
			return d.Bonds[m.Bond].Order == molecule.Double && slices.Contains(chalcogen, d.Atoms[m.Atom].Element)
		}) {
			continue
		}
		switch c.Element {
		case phosphorus, sulfur, selenium:
			return 0
		case carbon:
			return 1
		}
	}
	return 3
}

// relocate chooses an atom for each permanent cation that is spread over several atoms: the drawing with most
// aromatic atoms, then with the charge on nitrogen, then the first by canonical text.
func (d *drawing) relocate() {
	moved := map[int32]bool{} // atoms with a charge that was placed
	d.cations(func(x int32, a *molecule.Atom) {
		if moved[x] || a.Charge != 1 || a.Element == carbon {
			return
		}
		paths := d.places(x, a.Element)
		if len(paths) == 0 {
			return
		}
		was := d.snapshot()
		best, least, at := was, d.rating(x), x // the best drawing so far, its rating and the atom with the charge
		for _, path := range paths {
			if d.left < 0 {
				break
			}
			d.restore(snapshot{clone(was.m), was.changed})
			d.path = path
			end := d.end(x)
			d.move(x)
			if r := d.rating(end); r.less(least) {
				least, best, at = r, d.snapshot(), end
			}
		}
		d.restore(best)
		moved[at] = true
	})
}

// places returns a path to each other atom at which the charge of cation x, of the given element, may be drawn.
func (d *drawing) places(x int32, element uint8) (paths [][]int32) {
	tried := map[int32]bool{x: true}
	d.shortest(x, true, 2, longestPath, func(end int32) bool {
		if !tried[end] && d.shares(end, element) {
			tried[end] = true
			paths = append(paths, slices.Clone(d.path))
		}
		return false // so that the search goes on
	})
	return paths
}

// shares reports whether atom i may carry the charge of a cation of the given element instead. i has no hydrogens and a
// lone pair.
func (d *drawing) shares(i int32, cation uint8) bool {
	a := &d.Atoms[i]
	return (a.Element == nitrogen || cation != nitrogen && slices.Contains(chalcogen, a.Element)) && a.Hydrogens == 0 && d.hasLonePair(i)
}

// hasLonePair reports whether atom i is saturated, without charge, and has electrons to share.
func (d *drawing) hasLonePair(i int32) bool {
	a := &d.Atoms[i]
	bonds := a.Degree + int32(a.Hydrogens)
	if a.Charge != 0 || a.Radicals > 0 || !(a.Element == nitrogen && bonds == 3 || slices.Contains(chalcogen, a.Element) && bonds == 2) {
		return false
	}
	return !slices.ContainsFunc(d.near.Of(i), func(l neighbor.Link) bool { return d.Bonds[l.Bond].Order != molecule.Single })
}

// A rating orders the drawings of a cation. The lower one is better.
type rating struct {
	plain, other int // number of atoms that are not aromatic; 1 if the cation is not a nitrogen
	m            *molecule.Molecule
}

// rating returns how good the drawing is with its charge on this cation.
func (d *drawing) rating(cation int32) rating {
	m, aromatic := d.read()
	return rating{len(d.Atoms) - aromatic, int(asBit(d.Atoms[cation].Element != nitrogen)), m}
}

// less reports whether r is the better drawing: it has fewer atoms that are not aromatic, or as many and its cation is
// a nitrogen. Equal ones are told apart by the canonical SMILES, if both could be read.
func (r rating) less(o rating) bool {
	if c := cmp.Or(cmp.Compare(r.plain, o.plain), cmp.Compare(r.other, o.other)); c != 0 || r.m == nil || o.m == nil {
		return c < 0
	}
	return bareText(canonicalClasses(r.m)) < bareText(canonicalClasses(o.m))
}

// bareText returns the SMILES of m, in its order and without atom classes.
func bareText(m *molecule.Molecule) string {
	bare := clone(m)
	for i := range bare.Atoms {
		bare.Atoms[i].Map = -1
	}
	return Write(bare)
}
