package molecule

import (
	"math"
	"strconv"
	"strings"
)

// Molfiles (MDL's connection tables) are read as RDKit's MolFromMolBlock reads
// them: fields are cut at fixed columns, so that a field that is shifted or blank
// takes what RDKit takes for it. This file has what V2000 and V3000 share and the
// V2000 form, molfile3000.go the V3000 form, sgroup.go the substance groups of
// both, and wedge.go the stereochemistry.

// MaxMolfile is the longest molfile accepted, in bytes.
const MaxMolfile = 4 << 20

// ParseMol reads one molfile, V2000 or V3000, as far as its line M  END; what
// follows is ignored. The name is the first line. The error is a *[SyntaxError].
//
// Explicit hydrogens are folded as [Parse] does it, but the valence of their
// neighbours decides how many they are where nothing else does. Chirality comes from
// the coordinates if they are in three dimensions, from wedged bonds if not; atom
// parities are not looked at. Queries are read as what they have in common with a
// molecule: an atom list as its first element, A, Q, * and R groups as wildcards, bonds
// of several orders as Any.
//
// It differs from RDKit on purpose in a few things. A molfile without atoms is
// refused, and so are charges, isotopes and numbers of hydrogens beyond those that
// Parse takes, and M  ZBO with more than four bonds. The SMARTS of Marvin's M  MRV SMA
// is not checked.
//
// Atom.Column counts bytes from the beginning of the block.
//
// It may be called from several goroutines at once.
func ParseMol(block string) (*Molecule, error) {
	p := parsers.Get().(*Parser)
	m, err := p.ParseMol(block)
	if cap(p.atoms) <= 1<<12 {
		parsers.Put(p)
	}
	return m, err
}

// ParseMol is the function [ParseMol] with the buffers of p.
func (p *Parser) ParseMol(block string) (*Molecule, error) {
	if p.block == nil {
		p.block = &molfile{p: p}
	}
	p.text, p.brackets, p.queries, p.lean, p.chain = block, true, false, true, 0
	m := p.block
	defer func() {
		p.text, m.line = "", ""
		m.groups, m.groupAt, m.marked, m.bonded = nil, nil, nil, nil
		clear(m.words[:cap(m.words)]) // they are parts of the block
	}()
	name, err := m.read()
	if err == nil {
		err = m.finish()
	}
	if e, ok := err.(*SyntaxError); ok {
		// Columns were counted from the beginning of the block.
		at := min(e.Column-1, len(block))
		begin := 1 + strings.LastIndexByte(block[:at], '\n')
		line, _, _ := strings.Cut(block[begin:], "\n")
		e.Line = 1 + strings.Count(block[:at], "\n")
		e.Column = at - begin + 1
		e.cut = max(0, at-begin-caretWidth)
		e.line = strings.Clone(line[e.cut:min(len(line), at-begin+caretWidth)])
	}
	if err != nil {
		return nil, err
	}
	return p.finish(strings.Clone(strings.TrimSpace(name))), nil
}

// molfile is the workspace for reading molfiles.
type molfile struct {
	p *Parser

	pos    int      // offset of the next line
	from   int      // offset of line
	line   string   // without its end
	ended  bool     // the text ended before a line feed
	joined []byte   // lines of V3000 that belong together
	words  []string // of one

	// By atom as read, hydrogens included.
	sites []site
	// By bond as read.
	wedges []wedge
	first  []int32 // the number of an atom after hydrogens are folded, or -1

	solid  bool // coordinates are in three dimensions
	chiral bool // some bond says something about chirality

	groups  []*group
	groupAt map[uint32]*group // by number
	scd     scd
	marked  map[uint32]int32 // V3000: atoms by number, if not 1, 2, 3 …
	bonded  map[uint32]int32 // bonds alike

	double doubles
}

// A site is what only molfiles say about an atom.
type site struct {
	at       point
	valence  int32 // all bonds with hydrogens, 15 or -1 for none; 0: not said
	degree   int32 // V3000 SUBST
	attached bool  // has an attachment point
	fixed    bool  // its hydrogens are given by M  HYD
	wavy     bool  // had a wavy bond to a hydrogen
}

// A wedge is the way in which a bond is drawn.
type wedge uint8

const (
	notWedged wedge = iota
	wedgeUp         // its begin is the point
	wedgeDown
	crossed // a double bond of unknown geometry
	wavy
)

// fail reports n bytes of the current line from column at, which counts from 0.
func (m *molfile) fail(at, n int, format string, args ...any) error {
	return m.p.errorAt(m.from+min(at, len(m.line)), min(n, max(0, len(m.line)-at)), format, args...)
}

// next goes to the next line, which is empty behind the last one.
func (m *molfile) next() {
	text := m.p.text
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

// read fills the atoms and bonds of p, and sites and wedges. It returns the name.
func (m *molfile) read() (name string, err error) {
	p := m.p
	p.atoms, p.bonds, p.closures = p.atoms[:0], p.bonds[:0], p.closures[:0]
	m.sites, m.wedges = m.sites[:0], m.wedges[:0]
	m.pos, m.solid, m.chiral, m.scd = 0, false, false, scd{}
	if len(p.text) > MaxMolfile {
		n, ok := molfileEnd(p.text[:MaxMolfile])
		if !ok {
			return "", p.errorAt(0, 0, "no M  END within %d bytes, more are not read", MaxMolfile)
		}
		p.text = p.text[:n]
	}
	m.next()
	name = m.line
	m.next()
	solid := len(m.line) >= 22 && (m.line[20:22] == "3D" || m.line[20:22] == "3d")
	m.next()
	m.next()
	if len(m.line) < 6 {
		return "", m.fail(0, len(m.line), "no counts line: want the numbers of atoms and bonds on line 4, after three lines of header")
	}
	var numbers [2]int
	for k := range numbers {
		n, ok := integer(m.line[3*k:3*k+3], false)
		if !ok {
			return "", m.fail(3*k, 3, "want the number of %s in columns %d to %d of the counts line", [2]string{"atoms", "bonds"}[k], 3*k+1, 3*k+3)
		}
		numbers[k] = int(n)
	}
	version := "V2000"
	if len(m.line) > 35 {
		if len(m.line) >= 39 {
			version = m.line[34:39]
		}
		if len(m.line) < 39 || version != "V2000" && version != "V3000" {
			return "", m.fail(34, 5, "want the version V2000 or V3000 in columns 35 to 39 of the counts line")
		}
	}
	if version == "V3000" {
		if numbers != [2]int{} {
			return "", m.fail(0, 6, "want no atoms and bonds in the first counts line of a V3000 molfile")
		}
		err = m.readV3000()
	} else {
		err = m.readV2000(numbers[0], numbers[1])
	}
	if err != nil {
		return "", err
	}
	if len(p.atoms) == 0 {
		return "", p.errorAt(0, 0, "no atoms: want at least one")
	}
	m.solid = solid
	for i := range m.sites {
		m.solid = m.solid || m.sites[i].at.z != 0
	}
	return name, nil
}

// addBond appends a bond between atoms i and j.
func (m *molfile) addBond(i, j int32, b bond, w wedge) error {
	if i == j {
		return m.fail(0, len(m.line), "a bond joins atom %d to itself", i+1)
	}
	b.a, b.b = i, j
	m.p.bonds = append(m.p.bonds, b)
	m.wedges = append(m.wedges, w)
	m.p.queries = m.p.queries || b.kind != plainBond
	return nil
}

// checkRepeats refuses two bonds between the same atoms; at is a line of theirs.
func (m *molfile) checkRepeats(at int) error {
	p := m.p
	seen := grow(&p.scratch, len(p.atoms))
	for i := range seen {
		seen[i] = -1
	}
	for i := range p.atoms {
		for _, l := range p.neighbors(int32(i)) {
			if seen[l.atom] == int32(i) {
				return p.errorAt(at, 0, "atoms %d and %d have two bonds between them", i+1, l.atom+1)
			}
			seen[l.atom] = int32(i)
		}
	}
	return nil
}

// readV2000 reads the blocks of atoms, bonds and properties.
func (m *molfile) readV2000(atoms, bonds int) error {
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
	m.p.link()
	if err := m.checkRepeats(at); err != nil {
		return err
	}
	return m.readProperties()
}

// readAtom reads a line of the atom block.
func (m *molfile) readAtom() error {
	const least = 34
	line := m.line
	if len(line) < least {
		return m.fail(0, len(line), "atom line of %d characters: want at least %d, three coordinates of ten columns each, a blank and the element in columns 32 to 34", len(line), least)
	}
	var s site
	for k, c := range [3]*float64{&s.at.x, &s.at.y, &s.at.z} {
		v, ok := columnFloat(line, 10*k, 10*k+10)
		if !ok {
			return m.fail(10*k, 10, "want a coordinate in columns %d to %d", 10*k+1, 10*k+10)
		}
		*c = v
	}
	symbol := strings.TrimSpace(line[31:34])
	a := atom{at: int32(m.from + 31 + max(0, strings.Index(line[31:34], symbol))), size: int32(len(symbol)), closure: -1}
	var fields [12]int32 // by column, in threes from 33
	for k := range fields {
		lo, hi := 33+3*k, 36+3*k
		if k == 0 {
			lo = 34
		}
		if k == 6 || len(line) < hi {
			continue // not read by RDKit
		}
		if text := line[lo:hi]; text != "  0"[3-(hi-lo):] {
			v, ok := columnInt(line, lo, hi, true)
			if !ok {
				return m.fail(lo, hi-lo, "want a whole number in columns %d to %d of an atom line", lo+1, hi)
			}
			fields[k] = v
		}
	}
	massShift, charge, hydrogens, valence := fields[0], fields[1], fields[3], fields[5]
	if len(line) >= 63 && line[60:63] != "  0" {
		a.hasMap, a.class = true, fields[9]
	}
	switch {
	case symbol == "L", symbol == "LP", symbol == "R#":
	case isLabel(symbol):
		if massShift == 0 {
			a.isotope = labelNumber(symbol)
		}
	default:
		if err := m.symbol(&a, symbol, 31); err != nil {
			return err
		}
	}
	if charge != 0 {
		a.charge = 4 - charge
	}
	if hydrogens >= 1 {
		a.marks |= isQuery
		a.noImplicit = true
	}
	if massShift != 0 {
		a.isotope = int32(uint16(int32(elements[a.z].isotope) + massShift))
	}
	s.valence = valence
	return m.addAtom(a, s, 36)
}

// addAtom appends an atom; its charge stands at column at.
func (m *molfile) addAtom(a atom, s site, at int) error {
	if err := m.checkCharge(a.charge, at, 3); err != nil {
		return err
	}
	m.p.atoms = append(m.p.atoms, a)
	m.sites = append(m.sites, s)
	return nil
}

func (m *molfile) checkCharge(charge int32, at, n int) error {
	if charge < -math.MaxInt8 || charge > math.MaxInt8 {
		return m.fail(at, n, "charge %+d: want at most %d, positive or negative", charge, math.MaxInt8)
	}
	return nil
}

// isLabel reports whether a symbol is that of a numbered R group, as RDKit compares
// it.
func isLabel(s string) bool { return s >= "R0" && s <= "R99" && s[0] == 'R' }

func labelNumber(s string) int32 {
	n, err := strconv.Atoi(s[1:])
	if err != nil {
		return 0
	}
	return int32(n)
}

// symbol sets the element of a, or makes it a wildcard. The symbol stands at the
// given column.
func (m *molfile) symbol(a *atom, s string, at int) error {
	switch s {
	case "*", "A", "AH", "Q", "QH", "X", "XH", "M", "MH":
		a.marks |= isQuery
		a.noImplicit = true
		return nil
	case "R":
		return nil
	case "D":
		a.z, a.isotope = 1, 2
		return nil
	case "T":
		a.z, a.isotope = 1, 3
		return nil
	case "Pol", "Mod":
		return nil
	}
	z, ok := elementOf(s)
	if !ok {
		if s == "" {
			return m.fail(at, 3, "no element")
		}
		return m.fail(at, max(3, len(s)), "%q is no element: want a symbol such as C or Cl", s)
	}
	a.z = z
	return nil
}

// elementOf returns the element with a symbol, whose second letter may be a
// capital.
func elementOf(s string) (z uint8, ok bool) {
	switch {
	case s == "*":
		return 0, true
	case len(s) == 1 && s[0]-'A' < 26:
		z = oneLetter[s[0]-'A']
	case len(s) == 2 && s[1]-'A' < 26:
		z = symbol(s[0], s[1]-'A'+'a')
	case len(s) == 2:
		z = symbol(s[0], s[1])
	}
	return z, z != 0
}

// readBond reads a line of the bond block.
func (m *molfile) readBond() error {
	line := m.line
	if len(line) < 9 {
		return m.fail(0, len(line), "bond line of %d characters: want at least 9, two atoms and the order in three columns each", len(line))
	}
	var v [3]uint32
	for k := range v {
		n, ok := columnInt(line, 3*k, 3*k+3, false)
		if !ok {
			return m.fail(3*k, 3, "want %s in columns %d to %d", [3]string{"an atom", "an atom", "the order of the bond"}[k], 3*k+1, 3*k+3)
		}
		v[k] = uint32(n)
		if k < 2 && (v[k] == 0 || int(v[k]) > len(m.p.atoms)) {
			return m.fail(3*k, 3, "a bond to atom %d: there are %d atoms", v[k], len(m.p.atoms))
		}
	}
	b := bondOf(v[2])
	w := notWedged
	if len(line) >= 12 && line[9:12] != "  0" {
		if n, ok := columnInt(line, 9, 12, false); ok {
			switch n {
			case 1:
				w = wedgeUp
			case 3:
				w = crossed
				b.stereo = stereoAny
			case 4:
				w = wavy
			case 6:
				w = wedgeDown
			}
		}
	}
	m.chiral = m.chiral || w == wedgeUp || w == wedgeDown || w == crossed
	if len(line) >= 18 && line[15:18] != "  0" {
		if n, ok := columnInt(line, 15, 18, true); ok && n != 0 {
			if n != 1 && n != 2 {
				return m.fail(15, 3, "topology %d of a bond: want 0, 1 for a ring or 2 for a chain", n)
			}
			b.makeQuery()
		}
	}
	return m.addBond(int32(v[0])-1, int32(v[1])-1, b, w)
}

// bondOf returns a bond of MDL's type, but for the types of V3000. What has no
// single order is Any.
func bondOf(kind uint32) bond {
	switch kind {
	case 1:
		return bond{order: Single}
	case 2:
		return bond{order: Double}
	case 3:
		return bond{order: Triple}
	case 4:
		return bond{order: Aromatic, aromatic: true}
	case 5, 6, 7:
		return bond{kind: choiceBond}
	}
	return bond{}
}

// makeQuery makes a bond a query that asks for more than its order.
func (b *bond) makeQuery() {
	if b.kind == plainBond {
		b.kind = typedBond
	}
}

// readProperties reads the lines from the bond block to M  END.
func (m *molfile) readProperties() error {
	p := m.p
	m.next()
	if m.line == "" {
		if m.ended {
			return m.fail(0, 0, "the text ends before M  END")
		}
		return m.fail(0, 0, "an empty line: want a property such as M  CHG, or M  END")
	}
	if strings.IndexByte("MAVGS", m.line[0]) < 0 {
		if strings.HasPrefix(m.line, separator) {
			return m.fail(0, len(separator), "the record ends before M  END")
		}
		if m.line[0] == '>' {
			return m.fail(0, len(m.line), "data before M  END")
		}
		if err := m.readOldList(); err != nil {
			return err
		}
	}
	reset := false // charges of the atom block, by the first M  CHG or M  RAD
	for !m.ended && !strings.HasPrefix(m.line, "M  END") && !strings.HasPrefix(m.line, separator) {
		var err error
		kind := m.line[:min(6, len(m.line))]
		switch {
		case kind == "":
		case kind[0] == 'A':
			if _, err = m.lineAtom("A "); err == nil {
				m.next() // the text of the alias
			}
		case kind[0] == 'G':
			m.next() // the text of the abbreviation
		case kind[0] == 'V':
			if _, err = m.lineAtom("V "); err == nil && len(m.line) < 7 {
				err = m.fail(0, len(m.line), "want an atom in columns 4 to 6 and a text from column 8")
			}
		case kind == "S  SKP":
			var n int32
			if n, err = m.entryCount(); err == nil && n < 0 {
				err = m.fail(6, 3, "want how many lines to skip")
			}
			for ; err == nil && n > 0 && !m.ended; n-- {
				m.next()
			}
		case kind == "M  CHG" || kind == "M  RAD":
			if !reset {
				reset = true
				for i := range p.atoms {
					p.atoms[i].charge = 0
				}
			}
			if kind == "M  CHG" {
				err = m.readCharges()
			} else {
				err = m.readRadicals()
			}
		case kind == "M  ISO":
			err = m.readIsotopes()
		case kind == "M  RGP":
			err = m.readLabels()
		case kind == "M  ALS":
			err = m.readList()
		case kind == "M  RBC":
			err = m.readAtomQuery(-2, 4, true)
		case kind == "M  SUB":
			err = m.readAtomQuery(-2, 6, true)
		case kind == "M  UNS":
			err = m.readAtomQuery(0, 1, false)
		case kind == "M  PXA":
			if _, err = m.atomAt(7, 3); err == nil && len(m.line) < 10 {
				err = m.fail(7, 3, "want an atom in columns 8 to 10")
			}
		case kind == "M  ZBO":
			err = m.readZeroOrders()
		case kind == "M  ZCH":
			err = m.readAtomValues(0, func(i, v int32) error {
				p.atoms[i].charge = v
				return m.checkCharge(v, 0, len(m.line))
			})
		case kind == "M  HYD":
			err = m.readAtomValues(-1, func(i, v int32) error {
				if v > math.MaxUint8 {
					return m.fail(0, len(m.line), "%d hydrogens: want at most %d", v, math.MaxUint8)
				}
				if v >= 0 {
					m.sites[i].fixed = true
					p.atoms[i].explicitH = v
				}
				return nil
			})
		case kind == "M  APO":
			err = m.readAtomValues(0, func(i, v int32) error {
				if v < 0 || v > 3 {
					return m.fail(0, len(m.line), "attachment point %d: want 0 to 3", v)
				}
				if v != 0 && m.sites[i].attached {
					return m.fail(0, len(m.line), "atom %d has two attachment points", i+1)
				}
				m.sites[i].attached = m.sites[i].attached || v != 0
				return nil
			})
		case kind == "M  LIN":
			err = m.readLinkNodes()
		case kind == "M  MRV":
			if strings.HasPrefix(m.line, "M  MRV SMA") {
				var i int32
				if i, err = m.atomAt(10, 5); err == nil {
					m.query(i)
				}
			}
		case kind[0] == 'M' && len(kind) == 6 && kind[3] == 'S', kind == "M  CRS":
			err = m.readGroupLine()
		}
		if err != nil {
			return err
		}
		m.next()
	}
	if !strings.HasPrefix(m.line, "M  END") {
		if m.ended {
			return m.fail(0, 0, "the text ends before M  END")
		}
		return m.fail(0, len(separator), "the record ends before M  END")
	}
	return nil
}

// query makes atom i a query.
func (m *molfile) query(i int32) { m.p.atoms[i].marks |= isQuery }

// part returns n columns of the line from column at, fewer at its end.
func (m *molfile) part(at, n int) (string, error) {
	if at > len(m.line) {
		return "", m.fail(len(m.line), 0, "the line ends: want another entry from column %d", at+1)
	}
	return m.line[at:min(len(m.line), at+n)], nil
}

// number returns the whole number in n columns from column at, 0 for blanks.
func (m *molfile) number(at, n int) (int32, error) {
	text, err := m.part(at, n)
	if err != nil {
		return 0, err
	}
	v, ok := integer(text, true)
	if !ok {
		return 0, m.fail(at, n, "want a whole number in columns %d to %d", at+1, at+n)
	}
	return v, nil
}

// natural is number without a sign; it refuses blanks.
func (m *molfile) natural(at, n int) (uint32, error) {
	text, err := m.part(at, n)
	if err != nil {
		return 0, err
	}
	v, ok := natural(text)
	if !ok {
		return 0, m.fail(at, n, "want a number in columns %d to %d", at+1, at+n)
	}
	return v, nil
}

// atomAt returns the atom whose number is in n columns from column at.
func (m *molfile) atomAt(at, n int) (int32, error) {
	v, err := m.natural(at, n)
	if err != nil {
		return 0, err
	}
	return m.checkAtom(int64(v), at, n)
}

func (m *molfile) checkAtom(v int64, at, n int) (int32, error) {
	if v < 1 || v > int64(len(m.p.atoms)) {
		return 0, m.fail(at, n, "atom %d: there are %d atoms", v, len(m.p.atoms))
	}
	return int32(v - 1), nil
}

// lineAtom returns the atom of a line that begins with a letter and a blank.
func (m *molfile) lineAtom(start string) (int32, error) {
	if !strings.HasPrefix(m.line, start) {
		return 0, m.fail(0, len(m.line), "want %q and an atom in columns 4 to 6", start)
	}
	return m.atomAt(3, 3)
}

// entryCount returns how many entries a property line has.
func (m *molfile) entryCount() (int32, error) { return m.number(6, 3) }

func (m *molfile) readCharges() error {
	n, err := m.entryCount()
	for k := range max(0, int(n)) {
		at := 9 + 8*k
		i, charge := int32(0), int32(0)
		if i, charge, err = m.pair(at); err != nil {
			break
		}
		m.p.atoms[i].charge = charge
		if err = m.checkCharge(charge, at+4, 4); err != nil {
			break
		}
	}
	return err
}

// pair returns the atom and the value of an entry at a column.
func (m *molfile) pair(at int) (i, v int32, err error) {
	if v, err = m.number(at, 4); err != nil {
		return 0, 0, err
	}
	if _, err = m.part(at+4, 4); err != nil {
		return 0, 0, err
	}
	if i, err = m.checkAtom(int64(v), at, 4); err != nil {
		return 0, 0, err
	}
	v, err = m.number(at+4, 4)
	return i, v, err
}

func (m *molfile) readRadicals() error {
	n, err := m.entryCount()
	for k := range max(0, int(n)) {
		at := 9 + 8*k
		i, v := int32(0), int32(0)
		if i, v, err = m.pair(at); err != nil {
			break
		}
		if v < 1 || v > 3 {
			return m.fail(at+4, 4, "radical %d: want 1 (singlet), 2 (doublet) or 3 (triplet)", v)
		}
		m.p.atoms[i].radicals = unpaired(v)
	}
	return err
}

// unpaired is how many electrons MDL's kinds of radical have.
func unpaired(kind int32) int32 {
	if kind == 2 {
		return 1
	}
	return 2
}

// blankAt reports whether the four columns from column at are missing or blank.
func (m *molfile) blankAt(at int) bool {
	return len(m.line) < at+4 || m.line[at:at+4] == "    "
}

func (m *molfile) readIsotopes() error {
	n, err := m.natural(6, 3)
	at := 9
	for ; err == nil && n > 0; n-- {
		var i, v int32
		if i, err = m.atomAt(at, 4); err != nil {
			break
		}
		at += 4
		if m.blankAt(at) {
			continue
		}
		if v, err = m.number(at, 4); err == nil && v >= 0 {
			m.p.atoms[i].isotope = v
			at += 4
		}
	}
	return err
}

// readAtomQuery reads entries with values from low to high, of which all but 0 make
// a query. RDKit takes a 0, and with advance false any value, for the atom of
// the next entry.
func (m *molfile) readAtomQuery(low, high int32, advance bool) error {
	n, err := m.natural(6, 3)
	at := 9
	for ; err == nil && n > 0; n-- {
		var i, v int32
		if i, err = m.atomAt(at, 4); err != nil {
			break
		}
		at += 4
		if m.blankAt(at) {
			continue
		}
		if v, err = m.number(at, 4); err != nil || v == 0 {
			continue
		}
		if v < low || v > high {
			return m.fail(at, 4, "value %d: want %d to %d", v, low, high)
		}
		m.query(i)
		if advance {
			at += 4
		}
	}
	return err
}

// readAtomValues reads entries of an atom and a value, missing where it is blank.
func (m *molfile) readAtomValues(missing int32, set func(i, v int32) error) error {
	n, err := m.natural(6, 3)
	for at := 9; err == nil && n > 0; n-- {
		var i int32
		v := missing
		if i, err = m.atomAt(at, 4); err != nil {
			break
		}
		at += 4
		if !m.blankAt(at) {
			if v, err = m.cast(at, 4); err != nil {
				break
			}
		}
		at += 4
		err = set(i, v)
	}
	return err
}

// cast is number, but refuses what is not a number from end to end.
func (m *molfile) cast(at, n int) (int32, error) {
	v, err := strconv.ParseInt(strings.Trim(m.line[at:at+n], " "), 10, 32)
	if err != nil {
		return 0, m.fail(at, n, "want a whole number in columns %d to %d", at+1, at+n)
	}
	return int32(v), nil
}

func (m *molfile) readZeroOrders() error {
	n, err := m.natural(6, 3)
	for at := 9; err == nil && n > 0; n-- {
		var k, order uint32
		if k, err = m.natural(at, 4); err != nil {
			break
		}
		at += 4
		if !m.blankAt(at) {
			if order, err = m.natural(at, 4); err != nil {
				break
			}
		}
		if k < 1 || int(k) > len(m.p.bonds) {
			return m.fail(at-4, 4, "bond %d: there are %d bonds", k, len(m.p.bonds))
		}
		if order > 4 {
			return m.fail(at, 4, "order %d of a bond: want 0 to 4", order)
		}
		b := &m.p.bonds[k-1]
		b.order = [...]Order{Any, Single, Double, Triple, Quadruple}[order]
		if order == 0 {
			b.kind = zeroBond
			m.p.queries = true
		}
		at += 4
	}
	return err
}

func (m *molfile) readLinkNodes() error {
	n, err := m.natural(6, 3)
	for at := 9; err == nil && n > 0; n-- {
		if _, err = m.atomAt(at, 4); err != nil {
			break
		}
		var v [3]uint32 // repeats, substituents
		for k := range v {
			at += 4
			if m.blankAt(at) {
				continue
			}
			if v[k], err = m.natural(at, 4); err != nil {
				return err
			}
		}
		at += 4
		if v[0] < 2 {
			return m.fail(at-12, 4, "want at least 2 repeats of a link node")
		}
		if atoms := len(m.p.atoms); v[1] == 0 || int(v[1]) > atoms || int(v[2]) > atoms {
			return m.fail(at-8, 8, "want a neighbour of the link node from 1 to %d, or two", atoms)
		}
	}
	return err
}

func (m *molfile) readLabels() error {
	n, err := m.entryCount()
	for k := range max(0, int(n)) {
		at := 10 + 8*k
		var i int32
		if i, err = m.atomAt(at, 3); err != nil {
			break
		}
		var label uint32
		if label, err = m.natural(at+4, 3); err != nil {
			break
		}
		if label > 0 && label < 999 {
			m.p.atoms[i].isotope = int32(label)
		}
		m.query(i)
	}
	return err
}

// readOldList reads an atom list of the form before M  ALS.
func (m *molfile) readOldList() error {
	i, err := m.atomAt(0, 3)
	if err != nil {
		return err
	}
	if len(m.line) < 5 || m.line[4] != 'T' && m.line[4] != 'F' {
		return m.fail(4, 1, "want T or F in column 5 of an atom list")
	}
	if _, err := m.part(9, 1); err != nil {
		return err
	}
	n, ok := columnInt(m.line, 9, 10, true)
	if !ok || n < 0 || n > 5 {
		return m.fail(9, 1, "want how many elements, 0 to 5, in column 10 of an atom list")
	}
	m.query(i)
	for k := range int(n) {
		at := 11 + 4*k
		if _, err := m.part(at, 3); err != nil {
			return err
		}
		z, ok := columnInt(m.line, at, at+3, true)
		if !ok || z < 0 || z > maxElement {
			return m.fail(at, 3, "want an atomic number in columns %d to %d", at+1, at+3)
		}
		if k == 0 {
			m.p.atoms[i].z = uint8(z)
		}
	}
	return nil
}

// readList reads an atom list.
func (m *molfile) readList() error {
	if len(m.line) < 15 {
		return m.fail(0, len(m.line), "atom list of %d characters: want at least 15", len(m.line))
	}
	i, err := m.atomAt(7, 3)
	if err != nil {
		return err
	}
	n, err := m.number(10, 3)
	if err != nil || n == 0 {
		return err
	}
	if n < 0 {
		return m.fail(10, 3, "want how many elements in columns 11 to 13")
	}
	if c := m.line[14]; c != 'T' && c != 'F' {
		return m.fail(14, 1, "want T or F in column 15 of an atom list")
	}
	for k := range int(n) {
		at := 16 + 4*k
		if len(m.line) < at+4 {
			return m.fail(len(m.line), 0, "want %d elements in four columns each", n)
		}
		symbol, _, found := strings.Cut(m.line[at:at+4], " ")
		z := uint8(0)
		if found && symbol != "*" {
			if len(symbol) == 2 && symbol[1]-'A' < 26 {
				found = false // not here
			} else {
				z, found = elementOf(symbol)
			}
		}
		if !found {
			return m.fail(at, 4, "want an element in columns %d to %d", at+1, at+4)
		}
		if k == 0 {
			m.p.atoms[i].z = z
		}
	}
	m.query(i)
	return nil
}

// The numbers of molfiles, as RDKit reads them.

// columnInt reads the whole number in columns lo to hi of a line, with an overrun:
// where all of them are blank the number that follows is taken, as RDKit does.
func columnInt(line string, lo, hi int, signed bool) (int32, bool) {
	for _, c := range []byte(line[lo:min(hi, len(line))]) {
		if c-'0' > 9 && c != ' ' && c != '+' && !(signed && c == '-') {
			return 0, false
		}
	}
	i := lo
	for i < len(line) && line[i] == ' ' {
		i++
	}
	if i > hi {
		hi = len(line)
	}
	return leading(line[i:max(i, min(hi, len(line)))], signed), true
}

// integer reads a whole number between blanks. What follows a first number is
// ignored, and there need not be one.
func integer(s string, signed bool) (int32, bool) {
	for _, c := range []byte(s) {
		if c-'0' > 9 && c != ' ' && c != '+' && !(signed && c == '-') {
			return 0, false
		}
	}
	return leading(strings.TrimLeft(s, " "), signed), true
}

// leading reads the digits that s begins with, 0 if there are none or too many. An
// unsigned number beyond the int32 range wraps.
func leading(s string, signed bool) int32 {
	negative := signed && strings.HasPrefix(s, "-")
	if negative {
		s = s[1:]
	}
	v := int64(0)
	for _, c := range []byte(s) {
		if c-'0' > 9 {
			break
		}
		if v = v*10 + int64(c-'0'); v > math.MaxUint32 {
			return 0
		}
	}
	if negative {
		v = -v
	}
	if signed && (v > math.MaxInt32 || v < math.MinInt32) {
		return 0
	}
	return int32(v)
}

// natural reads a number without a fraction between blanks, from end to end. As in
// C, minus one is the greatest number.
func natural(s string) (uint32, bool) {
	s = strings.Trim(s, " ")
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	v, err := strconv.ParseUint(s, 10, 32)
	if negative {
		v = -v
	}
	return uint32(v), err == nil
}

// columnFloat reads a coordinate. It ends where the number ends, not where the
// columns do.
func columnFloat(line string, lo, hi int) (float64, bool) {
	for _, c := range []byte(line[lo:hi]) {
		if c-'0' > 9 && c != ' ' && c != '+' && c != '-' && c != ',' && c != '.' {
			return 0, false
		}
	}
	return float(line[lo:]), true
}

// float reads the number that s begins with, after blanks, like C's atof: 0 if
// there is none.
func float(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	i := 0
	digits := func() int {
		from := i
		for i < len(s) && s[i]-'0' < 10 {
			i++
		}
		return i - from
	}
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	n := digits()
	if i < len(s) && s[i] == '.' {
		i++
		n += digits()
	}
	if n == 0 {
		// Infinities and NaN, which V3000 may have.
		word := s[min(i, len(s)):]
		word = strings.ToLower(word[:min(3, len(word))])
		if word != "inf" && word != "nan" {
			return 0
		}
		i += 3
	} else if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		end := i
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if digits() == 0 {
			i = end
		}
	}
	v, _ := strconv.ParseFloat(s[:i], 64) // ±Inf where it is out of range, as in C
	return v
}
