package smiles

import (
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/neighbor"
)

// Metals are drawn in three ways. The bonds of alkaline metals (alkali and alkaline-earth metals), zinc and silver
// to N, O, S and halogens are ions in any drawing. Further metals of ordinary salts count as counter-ions. Noble metals
// form complexes in any drawing.
var (
	alkaline = []uint8{3, 4, 11, 12, 19, 20, 37, 38, 55, 56, 87, 88}
	saline   = []uint8{13, 26, 30, 47, 83}
	noble    = []uint8{44, 45, 46, 76, 77, 78, 79}
	halogens = []uint8{9, 17, 35, 53}

	// bounded lists elements with a largest number of bonds, dative ones included.
	bounded = []uint8{13, 31, 49, 50, 81, 82, 83}
)

// isMetal reports whether the element with atomic number z is a metal. No metals are the wildcard, H, He, B to Ne, Si to
// Ar, Ge to Kr, Sb to Xe, At and Rn.
func isMetal(z uint8) bool {
	switch z {
	case 0, 1, 2, 5, 6, 7, 8, 9, 10, 14, 15, 16, 17, 18, 32, 33, 34, 35, 36, 51, 52, 53, 54, 85, 86:
		return false
	}
	return true
}

// metals is a molecule whose bonds of metals are being redrawn.
type metals struct {
	*molecule.Molecule
	near    neighbor.Table // before any change
	changed bool
}

// openMetals returns m with its bonds of metals redrawn: as ions, or in complexes without charges that only balance
// each other. It returns nil if nothing changes.
func openMetals(m *molecule.Molecule) *molecule.Molecule {
	if !slices.ContainsFunc(m.Atoms, func(a molecule.Atom) bool { return isMetal(a.Element) }) {
		return nil
	}
	m = clone(m)
	d := &metals{Molecule: m}
	molecule.LinkUp(&d.near, len(m.Atoms), m.Bonds)
	organometallic := d.withCarbon()
	d.join(organometallic)
	kept := make([]molecule.Bond, 0, len(m.Bonds)) // the neighbours refer to the old ones
	for _, b := range m.Bonds {
		i := d.metalOf(&b)
		if i < 0 {
			kept = append(kept, b)
			continue
		}
		x := b.From + b.To - i // the ligand
		if organometallic[i] || !isSaltMetal(m.Atoms[i].Element) || !d.bindsIon(x, b.Order) {
			d.redraw(&b, i, x)
			kept = append(kept, b)
			continue
		}
		// The bond goes. Its electrons stay with the ligand.
		if b.Order != molecule.Dative && b.Order != molecule.Any {
			order := int8(b.Order)
			m.Atoms[i].Charge, m.Atoms[x].Charge = m.Atoms[i].Charge+order, m.Atoms[x].Charge-order
			m.Atoms[i].Radicals = 0
		}
		m.Atoms[i].Degree--
		m.Atoms[x].Degree--
		d.changed = true
	}
	if m.Bonds = kept; !d.changed {
		return nil
	}
	return m
}

// isSaltMetal reports whether bonds of metal z are drawn as ions: of alkaline metals, zinc and silver.
func isSaltMetal(z uint8) bool { return slices.Contains(alkaline, z) || z == 30 || z == 47 }

// metalOf returns the end of bond b that is a metal, or −1 if none or both are.
func (d *metals) metalOf(b *molecule.Bond) int32 {
	x, y := isMetal(d.Atoms[b.From].Element), isMetal(d.Atoms[b.To].Element)
	switch {
	case x == y:
		return -1
	case x:
		return b.From
	}
	return b.To
}

// withCarbon marks the metals that are bound to carbon other than that of a cyanide.
func (d *metals) withCarbon() []bool {
	marks := make([]bool, len(d.Atoms))
	for k := range d.Bonds {
		if i := d.metalOf(&d.Bonds[k]); i >= 0 {
			x := d.Bonds[k].From + d.Bonds[k].To - i
			marks[i] = marks[i] || d.Atoms[x].Element == carbon && !d.isCyanide(x)
		}
	}
	return marks
}

// isCyanide reports whether atom x has two neighbours, one of them a nitrogen with a triple bond.
func (d *metals) isCyanide(x int32) bool {
	return d.near.Degree(x) == 2 && slices.ContainsFunc(d.near.Of(x), func(l neighbor.Link) bool {
		return d.Bonds[l.Bond].Order == molecule.Triple && d.Atoms[l.Atom].Element == nitrogen
	})
}

// bindsIon reports whether a bond of this order from a metal to atom x is drawn as ions.
func (d *metals) bindsIon(x int32, order molecule.Order) bool {
	z := d.Atoms[x].Element
	return order != molecule.Aromatic &&
		(z == nitrogen || z == oxygen || z == sulfur || slices.Contains(halogens, z) || z == carbon && d.isCyanide(x))
}

// redraw draws bond b of metal i to ligand x: as a dative bond from a neutral donor, and as a single bond to what is
// an anion on its own. An amine at a noble metal that was drawn without its third hydrogen gets it. Metals that bounded
// lists keep their bonds, since a dative bond might be one too many.
func (d *metals) redraw(b *molecule.Bond, i, x int32) {
	m, l := &d.Atoms[i], &d.Atoms[x]
	if slices.Contains(bounded, m.Element) {
		return
	}
	donor := slices.Contains([]uint8{nitrogen, oxygen, phosphorus, sulfur, 33}, l.Element)
	switch {
	case b.Order == molecule.Dative && b.From == x && l.Charge < 0: // from an anion
		b.Order = molecule.Single
		l.Charge, m.Charge, d.changed = l.Charge+1, m.Charge-1, true
	case b.Order == molecule.Double && l.Element == phosphorus && l.Charge == 0 && l.Degree == 4: // R3P=M
		b.From, b.To, b.Order, d.changed = x, i, molecule.Dative, true
	case b.Order != molecule.Single:
	case l.Charge < 0 && m.Charge > 0: // X−–M+
		l.Charge, m.Charge, d.changed = l.Charge+1, m.Charge-1, true
	case l.Charge == 1 && m.Charge < 0 && donor: // R3N+–M−
		b.From, b.To, b.Order = x, i, molecule.Dative
		l.Charge, m.Charge, d.changed = 0, m.Charge+1, true
	}
	amine := l.Element == nitrogen && l.Hydrogens > 0 && !l.Aromatic &&
		l.Degree+int32(l.Hydrogens) == 3+int32(l.Charge) && l.Hybridization == molecule.SP3
	if b.Order == molecule.Single && amine && slices.Contains(noble, m.Element) {
		b.From, b.To, b.Order, d.changed = x, i, molecule.Dative, true
		if l.Charge == 0 {
			l.Hydrogens++
		}
		if l.Charge = 0; m.Charge < 0 {
			m.Charge++
		}
	}
}

// donors is the usual number of donor atoms of noble metals.
var donors = map[uint8]int{46: 4, 78: 4, 79: 2}

// join binds the ligands of a single noble metal that were drawn apart. For another heavy metal it binds the halides
// that balance its charge, or all anions if the metal is in an organometallic cation. Metals of salts are not heavy. With
// several heavy metals it does nothing, as the ligands could belong to each.
func (d *metals) join(organometallic []bool) {
	at := int32(-1)
	var halides, amides, anions, ammonia, bases []int32
	for i := range d.Atoms {
		a := &d.Atoms[i]
		heavy := isMetal(a.Element) && !isSaltMetal(a.Element)
		switch {
		case heavy && at >= 0:
			return
		case heavy:
			at = int32(i)
		case a.Degree == 0 && a.Charge == -1 && slices.Contains(halogens, a.Element):
			halides = append(halides, int32(i))
		case a.Element == nitrogen && a.Charge == -1 && a.Hybridization == molecule.SP3 && a.Hydrogens > 0:
			amides = append(amides, int32(i))
		case a.Element == nitrogen && a.Charge == 0 && a.Degree == 0 && a.Hydrogens == 3:
			ammonia = append(ammonia, int32(i))
		case (a.Element == oxygen || a.Element == sulfur) && a.Charge == -1 && a.Degree == 1:
			anions = append(anions, int32(i))
		case a.Charge == 0 && a.Hybridization == molecule.SP3 &&
			(a.Element == nitrogen && a.Hydrogens > 0 || a.Element == phosphorus && a.Degree == 3):
			bases = append(bases, int32(i))
		}
	}
	if at < 0 {
		return
	}
	m := &d.Atoms[at]
	bare := m.Degree == 0
	precious := slices.Contains(noble, m.Element)
	if all := slices.Concat(halides, amides, anions, ammonia, bases); bare && len(all) == donors[m.Element] {
		d.bind(at, all, 6)
		return
	}
	if organometallic[at] { // anions of its own fragment are bound already
		trees, _ := join(nil, d.Molecule, func(*molecule.Bond) bool { return true })
		halides = append(halides, slices.DeleteFunc(anions, func(x int32) bool { return root(trees, x) == root(trees, at) })...)
	}
	if (bare || organometallic[at]) && m.Charge > 0 && (int(m.Charge) == len(halides) || bare && precious) {
		d.bind(at, halides, 6)
	}
	if precious {
		d.bind(at, amides, 6)
		d.bind(at, ammonia, 6)
	}
}

// bind adds bonds from ligands to metal i until it has most bonds, or no charge is left for an anion: single bonds from
// anions, whose charge they take, and dative bonds from neutral ligands.
func (d *metals) bind(i int32, ligands []int32, most int32) {
	m := &d.Atoms[i]
	for _, x := range ligands {
		l := &d.Atoms[x]
		if m.Degree >= most || l.Charge < 0 && m.Charge <= 0 {
			return
		}
		b := molecule.Bond{From: x, To: i, Order: molecule.Dative}
		if l.Charge < 0 {
			b.Order = molecule.Single
			l.Charge, m.Charge = l.Charge+1, m.Charge-1
		}
		m.Degree++
		l.Degree++
		m.Radicals = 0
		d.Bonds, d.changed = append(d.Bonds, b), true
	}
}
