// Package molfile reads molfiles, MDL's connection tables V2000 and V3000 (Parse), and splits SDF files (SDF).
//
// Fields are cut at fixed columns, as in RDKit. Explicit hydrogens are folded as in SMILES; their
// number follows the neighbour's valence unless stated. Chirality comes from three-dimensional
// coordinates, else from wedged bonds; atom parities are ignored.
//
// Molfiles without atoms are refused, as are charges, isotopes and hydrogen counts beyond those of SMILES, residues of
// template atoms, and several atoms without bonds or charges: coordinates only. Of the properties charges, radicals and
// isotopes are read. Atom lists, A, Q, * and R groups are wildcards. A hydrogen bond, type 10, parts two components.
// Substance groups and queries are skipped, but those of Marvin's MRV_IMPLICIT_H count hydrogens, and bonds of several
// orders and the zero-order extension (M ZBO, M ZCH, M HYD) are refused.
package molfile

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/buffer"
)

// MaxLength is the longest molfile accepted, in bytes.
const MaxLength = 4 << 20

var readers = sync.Pool{New: func() any { return &reader{p: new(molecule.Draft)} }}

// Parse reads one molfile up to its line M END. The name is the first line. The error is a
// *[molecule.SyntaxError]. Atom.Column counts bytes from the beginning of the block. It is safe for
// concurrent use.
func Parse(block string) (*molecule.Molecule, error) {
	m := readers.Get().(*reader)
	made, err := m.parse(block)
	if cap(m.p.Atoms) <= 1<<12 { // large buffers are not kept
		readers.Put(m)
	}
	return made, err
}

// parse reads a molfile. Errors are *molecule.SyntaxError, with line and column.
func (m *reader) parse(block string) (*molecule.Molecule, error) {
	p := m.p
	p.Text, p.Brackets, p.Lean, p.Chain = block, true, true, -1
	name, err := m.read()
	if err == nil {
		err = m.finish()
	}
	p.Text, m.line = "", ""
	if err != nil {
		err.(*molecule.SyntaxError).Locate(block)
		return nil, err
	}
	made := p.Molecule(strings.Clone(strings.TrimSpace(name)))
	made.HydrogenBonds = m.hydrogenBonds
	return made, nil
}

// A reader is the workspace for reading molfiles.
type reader struct {
	p *molecule.Draft

	pos   int    // offset of the next line
	from  int    // offset of line
	line  string // without its end
	ended bool   // the text ended before a line feed

	sites   []site  // by atom as read, with hydrogens
	wedges  []wedge // by bond as read
	scratch []int32
	first   []int32 // an atom's number after folding, or -1

	groups map[int32]group // of V2000, by number

	hydrogenBonds int

	solid  bool // coordinates are three-dimensional
	chiral bool // some bond defines chirality
}

// A site is molfile-specific atom data.
type site struct {
	at      point
	valence int32 // as stated, including hydrogens: noBonds or -1 for 0, and 0 if the file does not say
	wavy    bool  // had a wavy bond to a hydrogen
}

// A group is a substance group that may set hydrogens.
type group struct {
	atoms   []int32
	implied bool // its data are implicitHydrogens
}

// implicitHydrogens is the name of data by Marvin that give aromatic atoms their hydrogens. IMPL_H1 stands for one.
const implicitHydrogens = "MRV_IMPLICIT_H"

// A wedge is how a bond is drawn.
type wedge uint8

const (
	notWedged wedge = iota
	wedgeUp         // pointing at its begin
	wedgeDown
	crossed // a double bond of unknown geometry
	wavy
)

// fail returns a SyntaxError about n bytes of the current line from column at, which counts from 0.
func (m *reader) fail(at, n int, format string, args ...any) error {
	return m.p.ErrorAt(m.from+min(at, len(m.line)), min(n, max(0, len(m.line)-at)), format, args...)
}

// next makes the next line the current one. After the last line the current line is empty.
func (m *reader) next() {
	text := m.p.Text
	m.from = m.pos
	i := strings.IndexByte(text[m.pos:], '\n')
	m.ended = i < 0
	if m.ended {
		m.line = text[m.pos:]
		m.pos = len(text)
	} else {
		m.line = text[m.pos : m.pos+i]
		m.pos += i + 1
	}
	m.line = strings.TrimSuffix(m.line, "\r")
}

// read fills p, sites and wedges, and returns the name.
func (m *reader) read() (name string, err error) {
	p := m.p
	p.Atoms, p.Bonds = p.Atoms[:0], p.Bonds[:0]
	m.sites, m.wedges = m.sites[:0], m.wedges[:0]
	m.pos, m.chiral, m.hydrogenBonds, m.groups = 0, false, 0, nil
	if n, _ := molfileEnd(p.Text); n > MaxLength {
		return "", p.ErrorAt(0, 0, "no M  END within %d bytes, more are not read", MaxLength)
	}
	m.next()
	name = m.line
	m.next() // the program, and "2D" or "3D" in columns 21 and 22
	m.solid = len(m.line) >= 22 && (m.line[20:22] == "3D" || m.line[20:22] == "3d")
	m.next() // a comment
	m.next()
	if len(m.line) < 6 {
		return "", m.fail(0, len(m.line), "no counts line: want the numbers of atoms and bonds on line 4, after three lines of header")
	}
	atoms, err := m.number(0, 3, "the number of atoms")
	if err != nil {
		return "", err
	}
	bonds, err := m.number(3, 3, "the number of bonds")
	if err != nil {
		return "", err
	}
	switch version := m.line[min(34, len(m.line)):min(39, len(m.line))]; version {
	case "V3000":
		err = m.readV3000()
	case "", " ", "V2000":
		err = m.readV2000(atoms, bonds)
	default:
		err = m.fail(34, 5, "want the version V2000 or V3000 in columns 35 to 39 of the counts line")
	}
	if err != nil {
		return "", err
	}
	buffer.Zeroed(&p.Dirs, len(p.Bonds))
	if len(p.Atoms) == 0 {
		return "", p.ErrorAt(0, 0, "no atoms: want at least one")
	}
	if m.unbonded() {
		return "", p.ErrorAt(0, 0, "%d atoms without bonds or charges, coordinates only: want a structure with bonds", len(p.Atoms))
	}
	for i := range m.sites {
		m.solid = m.solid || m.sites[i].at.z != 0 // whatever the header says
	}
	return name, nil
}

// unbonded reports whether bonds are missing: there are several atoms, but no bonds, and they are not the ions of a
// salt such as Na⁺ Cl⁻. Ions have charges, and hardly two of them are lone carbons.
func (m *reader) unbonded() bool {
	if len(m.p.Atoms) < 2 || len(m.p.Bonds) > 0 || m.hydrogenBonds > 0 {
		return false
	}
	carbons, charged := 0, false
	for i := range m.p.Atoms {
		a := &m.p.Atoms[i]
		charged = charged || a.Charge != 0
		if a.Element == 6 {
			carbons++
		}
	}
	return carbons > 1 || !charged
}

// addAtom appends an atom.
func (m *reader) addAtom(a molecule.DraftAtom, s site) {
	m.p.Atoms = append(m.p.Atoms, a)
	m.sites = append(m.sites, s)
}

// addBond appends a bond between atoms i and j and its wedge. A hydrogen bond is only counted. A bond from an atom to
// itself is an error.
func (m *reader) addBond(i, j int32, b molecule.Bond, w wedge) error {
	if i == j {
		return m.fail(0, len(m.line), "a bond joins atom %d to itself", i+1)
	}
	if b.Order == hydrogenBond {
		m.hydrogenBonds++
		return nil
	}
	b.From, b.To = i, j
	m.p.Bonds = append(m.p.Bonds, b)
	m.wedges = append(m.wedges, w)
	m.chiral = m.chiral || w == wedgeUp || w == wedgeDown || w == crossed
	return nil
}

// checkRepeats returns an error if two bonds join the same atoms. at is the offset that the error names.
func (m *reader) checkRepeats(at int) error {
	if k := m.p.Repeat(); k >= 0 {
		b := &m.p.Bonds[k]
		return m.p.ErrorAt(at, 0, "atoms %d and %d have two bonds between them", min(b.From, b.To)+1, max(b.From, b.To)+1)
	}
	return nil
}

// readV2000 reads the blocks of atoms, bonds and properties.
func (m *reader) readV2000(atoms, bonds int32) error {
	for i := range atoms {
		m.next()
		if m.ended {
			return m.fail(0, 0, "the text ends in the atom block: want %d atoms, there are %d", atoms, i)
		}
		if err := m.readAtom(); err != nil {
			return err
		}
	}
	at := m.pos
	for k := range bonds {
		m.next()
		if m.ended {
			return m.fail(0, 0, "the text ends in the bond block: want %d bonds, there are %d", bonds, k)
		}
		if err := m.readBond(); err != nil {
			return err
		}
	}
	m.p.Link()
	if err := m.checkRepeats(at); err != nil {
		return err
	}
	return m.readProperties()
}

// readAtom reads a line of the atom block.
func (m *reader) readAtom() error {
	const least, element = 32, 34 // blanks may be missing at the end
	line := m.line
	if len(line) < least {
		return m.fail(0, len(line), "atom line of %d characters: want at least %d, three coordinates of ten "+
			"columns each, a blank and the element in columns 32 to 34", len(line), least)
	}
	for len(line) < element {
		line += " "
	}
	var s site
	for k, c := range [3]*float64{&s.at.x, &s.at.y, &s.at.z} {
		v, ok := coordinate(line[10*k : 10*k+10])
		if !ok {
			return m.fail(10*k, 10, "want a coordinate in columns %d to %d", 10*k+1, 10*k+10)
		}
		*c = v
	}
	symbol := strings.TrimSpace(line[31:34])
	a := molecule.DraftAtom{At: int32(m.from + 31 + strings.Index(line[31:34], symbol)), Size: int32(len(symbol))}
	if err := m.symbol(&a, symbol, 31); err != nil {
		return err
	}
	// Fields after the element: mass shift, charge, hydrogen query, valence and atom map.
	columns := [5][2]int{{34, 2}, {36, 3}, {42, 3}, {48, 3}, {60, 3}}
	var fields [5]int32
	for k, c := range columns {
		if len(line) < c[0]+c[1] {
			break
		}
		var err error
		if fields[k], err = m.number(c[0], c[1], "a whole number"); err != nil {
			return err
		}
	}
	shift, charge, hydrogens := fields[0], fields[1], fields[2]
	s.valence = fields[3]
	a.Map, a.HasMap = fields[4], fields[4] != 0
	if shift != 0 {
		a.Isotope = int32(uint16(molecule.MassNumber(a.Element) + shift)) // in the 16 bits of Atom.Isotope
	}
	if charge != 0 {
		a.Charge = 4 - charge // the field is 1 for +3 to 7 for −3
	}
	a.NoImplicit = hydrogens >= 1
	m.addAtom(a, s)
	return m.checkCharge(a.Charge, 36, 3)
}

// checkCharge returns an error for a charge beyond ±127, which stands in n bytes at column at.
func (m *reader) checkCharge(charge int32, at, n int) error {
	if charge < -math.MaxInt8 || charge > math.MaxInt8 {
		return m.fail(at, n, "charge %+d: want at most %d, positive or negative", charge, math.MaxInt8)
	}
	return nil
}

// symbol sets the element of a by symbol s, and leaves a wildcard for queries, lists and R groups. at is the column of the
// symbol for the error, which it returns for other texts.
func (m *reader) symbol(a *molecule.DraftAtom, s string, at int) error {
	switch s {
	case "*", "A", "AH", "Q", "QH", "X", "XH", "M", "MH", "L", "LP", "R", "R#", "Pol", "Mod":
		return nil
	case "D":
		a.Element, a.Isotope = 1, 2
		return nil
	case "T":
		a.Element, a.Isotope = 1, 3
		return nil
	}
	if strings.HasPrefix(s, "[") {
		return nil // a list of elements
	}
	if label, ok := strings.CutPrefix(s, "R"); ok && label != "" && label[0]-'0' < 10 {
		n, err := strconv.ParseUint(label, 10, 16)
		if err != nil {
			return m.fail(at, len(s), "R group %s: want R1 to R%d", label, math.MaxUint16)
		}
		a.Isotope = int32(n)
		return nil
	}
	// The second letter may be a capital.
	switch {
	case len(s) == 1:
		a.Element = molecule.ElementOf(s[0], 0)
	case len(s) == 2:
		a.Element = molecule.ElementOf(s[0], s[1]|0x20)
	}
	if a.Element == 0 {
		return m.fail(at, max(3, len(s)), "%q is no element: want a symbol such as C or Cl", s)
	}
	return nil
}

// readBond reads a line of the bond block.
func (m *reader) readBond() error {
	line := m.line
	if len(line) < 9 {
		return m.fail(0, len(line), "bond line of %d characters: want at least 9, two atoms and the order in three columns each", len(line))
	}
	var v [3]int32
	for k, what := range [3]string{"an atom", "an atom", "the order of the bond"} {
		var err error
		if v[k], err = m.number(3*k, 3, what); err != nil {
			return err
		}
		if k < 2 && (v[k] < 1 || int(v[k]) > len(m.p.Atoms)) {
			return m.fail(3*k, 3, "a bond to atom %d: there are %d atoms", v[k], len(m.p.Atoms))
		}
	}
	b, err := m.bondOf(v[2])
	if err != nil {
		return err
	}
	drawn, err := m.number(9, 3, "how the bond is drawn")
	if err != nil {
		return err
	}
	w := notWedged
	switch drawn {
	case 1:
		w = wedgeUp
	case 3:
		w = crossed
	case 4:
		w = wavy
	case 6:
		w = wedgeDown
	}
	return m.addBond(v[0]-1, v[1]-1, b, w)
}

// bondOf returns a bond of MDL's type kind. An unknown type gives a bond that adds nothing to a valence.
func (m *reader) bondOf(kind int32) (molecule.Bond, error) {
	switch kind {
	case 1:
		return molecule.Bond{Order: molecule.Single}, nil
	case 2:
		return molecule.Bond{Order: molecule.Double}, nil
	case 3:
		return molecule.Bond{Order: molecule.Triple}, nil
	case 4:
		return molecule.Bond{Order: molecule.Aromatic, Aromatic: true}, nil
	case 5, 6, 7:
		return molecule.Bond{}, m.fail(0, len(m.line), "bond type %d is a query for several orders: want a bond of one order", kind)
	case 9:
		return molecule.Bond{Order: molecule.Dative}, nil
	case 10:
		return molecule.Bond{Order: hydrogenBond}, nil
	}
	return molecule.Bond{}, nil
}

// hydrogenBond is a bond type without an order: such bonds are left out.
const hydrogenBond = molecule.Order(255)

// readProperties reads the lines between the bond block and M  END.
func (m *reader) readProperties() error {
	atoms := m.p.Atoms
	reset := false // whether M  CHG or M  RAD has reset the charges of the atom block
	for m.next(); !strings.HasPrefix(m.line, "M  END"); m.next() {
		if strings.HasPrefix(m.line, separator) {
			return m.fail(0, len(separator), "the record ends before M  END")
		}
		if m.ended {
			return m.fail(0, 0, "the text ends before M  END")
		}
		kind := m.line[:min(6, len(m.line))]
		if !reset && (kind == "M  CHG" || kind == "M  RAD") {
			reset = true
			for i := range atoms {
				atoms[i].Charge = 0
			}
		}
		var err error
		switch kind {
		case "M  CHG":
			err = m.readEntries(func(a *molecule.DraftAtom, v int32, at int) error {
				a.Charge = v
				return m.checkCharge(v, at, 4)
			})
		case "M  RAD":
			err = m.readEntries(func(a *molecule.DraftAtom, v int32, at int) (err error) {
				a.Radicals, err = m.unpaired(v, at, 4)
				return err
			})
		case "M  ISO":
			err = m.readEntries(func(a *molecule.DraftAtom, v int32, at int) error {
				if a.Isotope = v; v < 0 {
					return m.fail(at, 4, "isotope %d: want a mass number", v)
				}
				return nil
			})
		case "M  SAL":
			err = m.readGroupAtoms()
		case "M  SDT", "M  SED":
			err = m.readGroupData(kind)
		case "M  ZBO", "M  ZCH", "M  HYD":
			err = m.fail(0, len(kind), "%s is not read: want charges in M  CHG and bonds in the bond block", kind)
		case "S  SKP":
			n := int32(0)
			for n, err = m.number(6, 3, "how many lines to skip"); n > 0 && !m.ended; n-- {
				m.next()
			}
		default:
			if strings.HasPrefix(kind, "A  ") || strings.HasPrefix(kind, "G  ") {
				m.next() // the text of an alias or abbreviation
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readGroupAtoms reads the atoms of a group.
func (m *reader) readGroupAtoms() error {
	number, err := m.number(6, 4, "a group")
	if err != nil {
		return err
	}
	n, err := m.number(10, 3, "the number of atoms")
	if m.groups == nil {
		m.groups = map[int32]group{}
	}
	g := m.groups[number]
	for at := 13; err == nil && n > 0 && at+4 <= len(m.line); n-- {
		var i int32
		i, err = m.number(at, 4, "an atom")
		g.atoms = append(g.atoms, i)
		at += 4
	}
	m.groups[number] = g
	return err
}

// readGroupData reads the name (M  SDT) or the value (M  SED) of a group's data. It ignores groups without atoms.
func (m *reader) readGroupData(kind string) error {
	number, err := m.number(6, 4, "a group")
	g, ok := m.groups[number]
	if err != nil || !ok || len(m.line) < 11 {
		return err
	}
	text := strings.TrimSpace(m.line[11:])
	if kind == "M  SDT" {
		name, _, _ := strings.Cut(text, " ")
		g.implied = name == implicitHydrogens
		m.groups[number] = g
	} else if g.implied {
		for _, i := range g.atoms {
			m.imply(i-1, text)
		}
	}
	return nil
}

// imply gives atom i the hydrogens of a text such as IMPL_H1, if the atom has an aromatic bond and no stated valence. It
// ignores other texts and atoms.
func (m *reader) imply(i int32, text string) {
	count, ok := strings.CutPrefix(text, "IMPL_H")
	n, err := strconv.ParseUint(count, 10, 3) // three bits: 0 to 7
	if !ok || err != nil || i < 0 || int(i) >= len(m.p.Atoms) || m.sites[i].valence != 0 {
		return
	}
	for _, l := range m.p.Neighbors(i) {
		if m.p.Bonds[l.Bond].Order == molecule.Aromatic {
			m.p.Atoms[i].Explicit = int32(n)
		}
	}
}

// readEntries reads the entries of a property line and calls set for each: four columns for an atom and four for its
// value. at is the column of the value. It stops at the first error.
func (m *reader) readEntries(set func(a *molecule.DraftAtom, value int32, at int) error) error {
	n, err := m.number(6, 3, "the number of entries")
	for at := 9; err == nil && n > 0; n-- {
		if len(m.line) < at+5 {
			return m.fail(len(m.line), 0, "the line ends: want another entry from column %d", at+1)
		}
		var i, v int32
		if i, err = m.number(at, 4, "an atom"); err != nil {
			break
		}
		if i < 1 || int(i) > len(m.p.Atoms) {
			return m.fail(at, 4, "atom %d: there are %d atoms", i, len(m.p.Atoms))
		}
		if v, err = m.number(at+4, 4, "a whole number"); err == nil {
			err = set(&m.p.Atoms[i-1], v, at+4)
		}
		at += 8
	}
	return err
}

// unpaired returns the number of unpaired electrons of MDL's radical kind, which stands in n bytes at column at.
func (m *reader) unpaired(kind int32, at, n int) (int32, error) {
	switch kind {
	case 1, 3:
		return 2, nil
	case 2:
		return 1, nil
	}
	return 0, m.fail(at, n, "radical %d: want 1 (singlet), 2 (doublet) or 3 (triplet)", kind)
}

// number returns the integer in n columns from column at, or 0 if these are missing or blank. what names it in an error.
func (m *reader) number(at, n int, what string) (int32, error) {
	text := strings.Trim(m.line[min(at, len(m.line)):min(at+n, len(m.line))], " ")
	if text == "" {
		return 0, nil
	}
	v, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, m.fail(at, n, "want %s in columns %d to %d", what, at+1, at+n)
	}
	return int32(v), nil
}

// coordinate reads a coordinate, 0 if it is blank. It returns false for text that is not a finite number.
func coordinate(text string) (float64, bool) {
	text = strings.Trim(text, " ")
	if text == "" {
		return 0, true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}
