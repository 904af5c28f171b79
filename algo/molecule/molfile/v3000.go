package molfile

import (
	"math"
	"strconv"
	"strings"

	"baca/algo/molecule"
)

// V3000: words between blanks, on lines that begin with "M V30 " and continue after a "-".

const v30 = "M  V30 "

// nextV3000 returns the next line, joined with its continuations and without prefixes. Errors about joined lines point at
// the last one.
func (m *reader) nextV3000() (string, error) {
	var joined []byte
	for {
		m.next()
		if !strings.HasPrefix(m.line, v30) {
			if m.ended && m.line == "" {
				return "", m.fail(0, 0, "the text ends: want a line that begins with %q", v30)
			}
			return "", m.fail(0, len(v30), "want a line that begins with %q", v30)
		}
		text, more := strings.CutSuffix(m.line[len(v30):], "-")
		if !more && joined == nil {
			return text, nil
		}
		joined = append(joined, text...)
		if !more {
			return string(joined), nil
		}
	}
}

// wrong returns a SyntaxError about a word of the current line, or about the line if it does not have the word.
func (m *reader) wrong(word, format string, args ...any) error {
	if at := strings.Index(m.line, word); at >= 0 && word != "" {
		return m.fail(at, len(word), format, args...)
	}
	return m.fail(0, len(m.line), format, args...)
}

// expect reads the next line, which must begin with words.
func (m *reader) expect(words string) error {
	line, err := m.nextV3000()
	if err == nil && !strings.HasPrefix(strings.ToUpper(line), words) {
		err = m.wrong("", "want %s", words)
	}
	return err
}

// words3000 splits the next line into words. It returns an error, which says want, for fewer than least words.
func (m *reader) words3000(least int, want string) ([]string, error) {
	line, err := m.nextV3000()
	if err != nil {
		return nil, err
	}
	words := strings.Fields(line)
	if len(words) < least {
		return nil, m.wrong("", "line of %d words: want %s", len(words), want)
	}
	return words, nil
}

// integer parses digits. Its error points at word, which holds them, or at the line if word is empty.
func (m *reader) integer(word, digits string) (int32, error) {
	v, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0, m.wrong(word, "want a whole number")
	}
	return int32(v), nil
}

// readV3000 reads the blocks from BEGIN CTAB to M END. Of those after the bonds it reads only the substance groups that
// set hydrogens. There, a line that ends in - continues on the next line.
func (m *reader) readV3000() error {
	if err := m.expect("BEGIN CTAB"); err != nil {
		return err
	}
	words, err := m.words3000(3, "COUNTS and the numbers of atoms and bonds")
	if err != nil {
		return err
	}
	var counts [2]int32
	for k := range counts {
		if counts[k], err = m.integer("", words[1+k]); err != nil {
			return err
		}
	}
	places := map[int32]int32{}
	if err := m.readBlock("ATOM", counts[0], func() error { return m.readAtom3000(places) }); err != nil {
		return err
	}
	at := m.pos
	if err := m.readBlock("BOND", counts[1], func() error { return m.readBond3000(places) }); err != nil {
		return err
	}
	m.p.Link()
	if err := m.checkRepeats(at); err != nil {
		return err
	}
	var joined strings.Builder
	for !strings.HasPrefix(m.line, "M  END") {
		if m.ended {
			return m.fail(0, 0, "the text ends before M  END")
		}
		text, more := strings.CutSuffix(strings.TrimPrefix(m.line, v30), "-")
		if joined.WriteString(text); !more {
			m.readGroup3000(joined.String(), places)
			joined.Reset()
		}
		m.next()
	}
	return nil
}

// readGroup3000 reads a substance group that sets the hydrogens of atoms. It passes over other lines.
func (m *reader) readGroup3000(line string, places map[int32]int32) {
	_, list, ok := strings.Cut(line, "ATOMS=(")
	_, value, given := strings.Cut(line, "FIELDDATA=")
	if !ok || !given || !strings.Contains(line, "FIELDNAME="+implicitHydrogens) {
		return
	}
	list, _, _ = strings.Cut(list, ")")
	value, _, _ = strings.Cut(value, " ")
	for k, word := range strings.Fields(list) { // the first is the number of atoms
		number, err := strconv.ParseInt(word, 10, 32)
		if i, ok := places[int32(number)]; k > 0 && err == nil && ok {
			m.imply(i, value)
		}
	}
}

// readBlock calls read for each of the n lines between BEGIN and END of a block. The text may leave out a block without
// lines.
func (m *reader) readBlock(name string, n int32, read func() error) error {
	if n <= 0 {
		return nil
	}
	if err := m.expect("BEGIN " + name); err != nil {
		return err
	}
	for range n {
		if err := read(); err != nil {
			return err
		}
	}
	return m.expect("END " + name)
}

// readAtom3000 reads an atom and records its place, the index in the Draft, by its number.
func (m *reader) readAtom3000(places map[int32]int32) error {
	words, err := m.words3000(6, "a number, an element, three coordinates and an atom map")
	if err != nil {
		return err
	}
	number, err := m.integer(words[0], words[0])
	if err != nil {
		return err
	}
	if _, ok := places[number]; ok {
		return m.wrong("", "a second atom %d", number)
	}
	places[number] = int32(len(m.p.Atoms))
	for _, word := range words[6:] {
		if class, ok := strings.CutPrefix(strings.ToUpper(word), "CLASS="); ok {
			return m.wrong(word, "%q is a residue or template (class %s), no element: want it expanded to atoms", words[1], class)
		}
	}
	at := max(0, strings.Index(m.line, words[1]))
	a := molecule.DraftAtom{At: int32(m.from + at), Size: int32(len(words[1]))}
	if err := m.symbol(&a, words[1], at); err != nil {
		return err
	}
	var s site
	for k, c := range [3]*float64{&s.at.x, &s.at.y, &s.at.z} {
		v, ok := coordinate(words[2+k])
		if !ok {
			return m.wrong(words[2+k], "want a coordinate")
		}
		*c = v
	}
	if a.Map, err = m.integer(words[5], words[5]); err != nil {
		return err
	}
	a.HasMap = a.Map > 0
	for _, word := range words[6:] {
		if err := m.property3000(&a, &s, word); err != nil {
			return err
		}
	}
	m.addAtom(a, s)
	return nil
}

// property3000 reads an atom's property, such as CHG=1. It ignores those other than CHG, RAD, MASS and VAL.
func (m *reader) property3000(a *molecule.DraftAtom, s *site, word string) error {
	name, value, _ := strings.Cut(word, "=")
	switch name = strings.ToUpper(name); name {
	case "CHG", "RAD", "MASS", "VAL":
	default:
		return nil
	}
	v, err := m.integer(word, value)
	if err != nil {
		return err
	}
	at := max(0, strings.Index(m.line, word))
	switch name {
	case "CHG":
		a.Charge = v
		return m.checkCharge(v, at, len(word))
	case "RAD":
		if v != 0 {
			a.Radicals, err = m.unpaired(v, at, len(word))
		}
	case "MASS":
		if a.Isotope = v; v < 0 || v > math.MaxUint16 {
			return m.wrong(word, "isotope %d: want at most %d", v, math.MaxUint16)
		}
	case "VAL":
		s.valence = v
	}
	return err
}

// readBond3000 reads a bond. places has the index of each atom by its number.
func (m *reader) readBond3000(places map[int32]int32) error {
	words, err := m.words3000(4, "a number, an order and two atoms")
	if err != nil {
		return err
	}
	kind, err := m.integer(words[1], words[1])
	if err != nil {
		return err
	}
	b, err := m.bondOf(kind)
	if err != nil {
		return err
	}
	var ends [2]int32
	for k, word := range words[2:4] {
		number, err := m.integer(word, word)
		if err != nil {
			return err
		}
		var ok bool
		if ends[k], ok = places[number]; !ok {
			return m.wrong("", "a bond to atom %d, which is not there", number)
		}
	}
	w := notWedged
	for _, word := range words[4:] {
		switch strings.ToUpper(word) {
		case "CFG=1":
			w = wedgeUp
		case "CFG=2": // either direction
			if kind == 1 {
				w = wavy
			} else if kind == 2 {
				w = crossed
			}
		case "CFG=3":
			w = wedgeDown
		}
	}
	return m.addBond(ends[0], ends[1], b, w)
}
