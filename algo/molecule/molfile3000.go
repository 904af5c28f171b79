package molecule

import (
	"math"
	"strings"
	"unicode/utf8"
)

// The V3000 form: words between blanks, on lines that begin with "M  V30 " and go on
// on the next one behind a "-".

const v30 = "M  V30 "

// nextV3000 goes to the next line and returns it without its beginning, joined to
// those that it goes on with. A joined line has no columns: errors point at its
// end.
func (m *molfile) nextV3000() (string, error) {
	m.joined = m.joined[:0]
	for {
		m.next()
		if !strings.HasPrefix(m.line, v30) {
			if m.ended && m.line == "" {
				return "", m.fail(0, 0, "the text ends: want a line that begins with %q", v30)
			}
			return "", m.fail(0, len(v30), "want a line that begins with %q", v30)
		}
		text := m.line[len(v30):]
		if !strings.HasSuffix(text, "-") {
			if len(m.joined) == 0 {
				return text, nil
			}
			return string(append(m.joined, text...)), nil
		}
		m.joined = append(m.joined, text[:len(text)-1]...)
	}
}

// wrong reports the word of a line, or the whole line where that is not found.
func (m *molfile) wrong(word, format string, args ...any) error {
	if at := strings.Index(m.line, word); at >= 0 && word != "" {
		return m.fail(at, len(word), format, args...)
	}
	return m.fail(0, len(m.line), format, args...)
}

// readV3000 reads the blocks from BEGIN CTAB to M  END.
func (m *molfile) readV3000() error {
	upper := func() (string, error) {
		line, err := m.nextV3000()
		return strings.ToUpper(line), err
	}
	line, err := upper()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(line, "BEGIN CTAB") {
		return m.wrong("", "want BEGIN CTAB")
	}
	if line, err = upper(); err != nil {
		return err
	}
	counts, ok := strings.CutPrefix(line, "COUNTS ")
	words := strings.FieldsFunc(counts, func(c rune) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' })
	if !ok || len(words) < 2 {
		return m.wrong("", "want COUNTS and the numbers of atoms, bonds, groups and constraints")
	}
	var count [5]uint32
	for k := range min(len(words), len(count)) {
		n, ok := integer(words[k], false)
		if !ok {
			return m.wrong(words[k], "want a number")
		}
		count[k] = uint32(n)
	}
	if count[0] > 0 {
		if err := m.readAtoms3000(count[0]); err != nil {
			return err
		}
	}
	at := m.pos
	if count[1] > 0 {
		if err := m.readBonds3000(count[1]); err != nil {
			return err
		}
	}
	m.p.link()
	if err := m.checkRepeats(at); err != nil {
		return err
	}
	if line, err = upper(); err != nil {
		return err
	}
	for len(line) > 8 && strings.HasPrefix(line, "LINKNODE") {
		if line, err = m.nextV3000(); err != nil {
			return err
		}
	}
	if count[2] > 0 {
		if !strings.HasPrefix(strings.ToUpper(line), "BEGIN SGROUP") {
			return m.wrong("", "want BEGIN SGROUP")
		}
		if line, err = m.readGroups3000(count[2]); err != nil {
			return err
		}
		if !strings.HasPrefix(strings.ToUpper(line), "END SGROUP") {
			return m.wrong("", "want END SGROUP behind %d groups", count[2])
		}
		if line, err = m.nextV3000(); err != nil {
			return err
		}
	}
	for len(line) > 5 && strings.HasPrefix(line, "BEGIN") {
		if len(line) > 15 && line[6:16] == "COLLECTION" {
			err = m.readCollection()
		} else {
			for err == nil && !strings.HasPrefix(line, "END") {
				line, err = m.nextV3000()
			}
		}
		if err == nil {
			line, err = m.nextV3000()
		}
		if err != nil {
			return err
		}
	}
	if count[3] > 0 {
		if !strings.HasPrefix(strings.ToUpper(line), "BEGIN OBJ3D") {
			return m.wrong("", "want BEGIN OBJ3D")
		}
		for range count[3] {
			if _, err := m.nextV3000(); err != nil {
				return err
			}
		}
		if line, err = upper(); err != nil {
			return err
		}
		if !strings.HasPrefix(line, "END OBJ3D") {
			return m.wrong("", "want END OBJ3D behind %d constraints", count[3])
		}
		if line, err = m.nextV3000(); err != nil {
			return err
		}
	}
	if !strings.HasPrefix(strings.ToUpper(line), "END CTAB") {
		return m.wrong("", "want END CTAB")
	}
	m.next()
	if !strings.HasPrefix(m.line, "M  END") {
		return m.fail(0, 6, "want M  END")
	}
	return nil
}

// words3000 cuts a line into words. Quotes and parentheses hold blanks together, and
// quotes around a word are taken off.
func words3000(words []string, line string) []string {
	words = words[:0]
	quoted, inside := false, false
	start, i := 0, 0
	for i < len(line) {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			if start == i {
				start++
			} else if !quoted && !inside {
				words = append(words, line[start:i])
				start = i + 1
			}
			i++
		case c == ')' && inside:
			i++
			words = append(words, line[start:i])
			inside = false
			start = i
		case c == '(' && !quoted:
			inside = true
			i++
		case c == '"' && !inside:
			switch {
			case i+1 < len(line) && line[i+1] == '"':
				i += 2
			case quoted:
				words = append(words, line[start+1:i])
				i++
				start = i
				quoted = false
			default:
				i++
				quoted = true
			}
		default:
			i++
		}
	}
	if start != i {
		words = append(words, line[start:])
	}
	return words
}

// trim3000 takes the blanks off a line.
func trim3000(line string) string { return strings.Trim(line, " \t\r\n") }

func (m *molfile) readAtoms3000(n uint32) error {
	line, err := m.nextV3000()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(line, "BEGIN ATOM") {
		return m.wrong("", "want BEGIN ATOM")
	}
	for range n {
		if line, err = m.nextV3000(); err != nil {
			return err
		}
		words := words3000(m.words, trim3000(line))
		m.words = words
		if len(words) < 6 {
			return m.wrong("", "atom line of %d words: want a number, an element, three coordinates and an atom map", len(words))
		}
		var s site
		a := atom{at: int32(m.from + max(0, strings.Index(m.line, words[1]))), size: int32(len(words[1])), closure: -1}
		if err := m.symbol3000(&a, words[1]); err != nil {
			return err
		}
		s.at = point{float(words[2]), float(words[3]), float(words[4])}
		if class := leadingInt(words[5]); class > 0 {
			a.hasMap, a.class = true, class
		}
		if err := m.properties3000(&a, &s, words[6:]); err != nil {
			return err
		}
		i := int32(len(m.p.atoms))
		if err := m.addAtom(a, s, 0); err != nil {
			return err
		}
		m.marked = remember(m.marked, uint32(leading(words[0], false)), i)
	}
	if line, err = m.nextV3000(); err != nil {
		return err
	}
	if !strings.HasPrefix(line, "END ATOM") {
		return m.wrong("", "want END ATOM behind %d atoms", n)
	}
	return nil
}

// remember notes the number that atom or bond i has in the file. As long as that is
// i+1, nothing is noted. Of equal numbers the first counts.
func remember(numbers map[uint32]int32, number uint32, i int32) map[uint32]int32 {
	if numbers == nil {
		if number == uint32(i)+1 {
			return nil
		}
		numbers = make(map[uint32]int32)
		for k := range i {
			numbers[uint32(k)+1] = k
		}
	}
	if _, ok := numbers[number]; !ok {
		numbers[number] = i
	}
	return numbers
}

// recall returns the atom or bond with a number, of n.
func recall(numbers map[uint32]int32, number uint32, n int) (int32, bool) {
	if numbers == nil {
		return int32(number - 1), number >= 1 && uint64(number) <= uint64(n)
	}
	i, ok := numbers[number]
	return i, ok
}

// leadingInt is C's atoi.
func leadingInt(s string) int32 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	if strings.HasPrefix(s, "+") {
		if s = s[1:]; strings.HasPrefix(s, "-") {
			return 0
		}
	}
	return leading(s, true)
}

// symbol3000 sets the element of a: a list counts as its first element.
func (m *molfile) symbol3000(a *atom, word string) error {
	s := trim3000(word)
	negated := false
	if len(s) > 3 && strings.EqualFold(s[:3], "NOT") {
		negated = true
		s = trim3000(s[3:])
	}
	if strings.HasPrefix(s, "[") {
		if !strings.HasSuffix(s, "]") || len(s) < 2 {
			return m.wrong(word, "the atom list is not closed")
		}
		found := false
		for e := range strings.SplitSeq(s[1:len(s)-1], ",") {
			if e = trim3000(e); e == "" {
				continue
			}
			z, ok := elementOf(e)
			if !ok {
				return m.wrong(word, "%q is no element: want symbols in the atom list", e)
			}
			if !found {
				a.z = z
			}
			found = true
		}
		if !found {
			return m.wrong(word, "the atom list is empty")
		}
		a.marks |= isQuery
		return nil
	}
	if negated {
		return m.wrong(word, "want an atom list behind NOT")
	}
	if isLabel(s) {
		a.isotope = labelNumber(s)
		return nil
	}
	if s == "R#" {
		return nil
	}
	return m.symbol(a, s, max(0, strings.Index(m.line, word)))
}

// assignment cuts a word at its only "=".
func assignment(word string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(word, "=")
	return strings.ToUpper(name), value, ok && !strings.Contains(value, "=")
}

// properties3000 reads the words behind an atom.
func (m *molfile) properties3000(a *atom, s *site, words []string) error {
	for _, word := range words {
		name, value, ok := assignment(word)
		if !ok {
			return m.wrong(word, "want a property such as CHG=1")
		}
		number := int32(0)
		switch name {
		case "HCOUNT", "RBCNT", "VAL", "STBOX", "SUBST", "EXACHG", "INVRET", "ATTCHPT", "ATTCHORD", "SEQID":
			if value == "0" {
				continue
			}
			fallthrough
		case "CHG", "RAD", "CFG":
			if number, ok = integer(value, true); !ok {
				return m.wrong(word, "want a whole number")
			}
		}
		query := a.marks&isQuery != 0
		switch name {
		case "CHG":
			if !query {
				a.charge = number
				if err := m.checkCharge(number, 0, len(m.line)); err != nil {
					return err
				}
			}
		case "RAD":
			switch {
			case number < 0 || number > 3:
				return m.wrong(word, "want 0 (none), 1 (singlet), 2 (doublet) or 3 (triplet)")
			case number > 0:
				a.radicals = unpaired(number)
			}
		case "MASS":
			mass := 0.0
			if v, ok := integer(value, true); ok {
				mass = float64(v)
			} else if v, ok := columnFloat(value, 0, len(value)); ok {
				mass = math.Floor(v)
			} else {
				mass = -1
			}
			switch {
			case !(mass >= 0):
				return m.wrong(word, "want a mass number")
			case query:
			case mass > math.MaxUint16:
				return m.wrong(word, "isotope is greater than %d", math.MaxUint16)
			default:
				a.isotope = int32(mass)
			}
		case "CFG":
			if number < 0 || number > 3 {
				return m.wrong(word, "want 0 to 3")
			}
		case "HCOUNT", "RBCNT":
			a.marks |= isQuery
		case "UNSAT":
			if value == "1" {
				a.marks |= isQuery
			}
		case "VAL":
			s.valence = number
		case "RGROUPS":
			if err := m.labels3000(a, word, value); err != nil {
				return err
			}
		case "SUBST":
			if number != 0 {
				s.degree = number
			}
		case "ATTCHPT":
			if s.attached {
				return m.wrong(word, "an atom has two attachment points")
			}
			s.attached = true
		}
	}
	return nil
}

// labels3000 reads R group labels, (1 5).
func (m *molfile) labels3000(a *atom, word, value string) error {
	if !strings.HasPrefix(value, "(") || !strings.HasSuffix(value, ")") {
		return m.wrong(word, "want labels in parentheses")
	}
	numbers := strings.Split(value[1:max(1, len(value)-1)], " ")
	n, ok := natural(numbers[0])
	if !ok || uint64(len(numbers)) < uint64(n)+1 {
		return m.wrong(word, "want how many labels, and the labels")
	}
	for _, number := range numbers[1 : n+1] {
		label, ok := natural(number)
		if !ok || label > math.MaxUint16 {
			return m.wrong(word, "want labels up to %d", math.MaxUint16)
		}
		a.marks |= isQuery
		a.isotope = int32(label)
	}
	return nil
}

func (m *molfile) readBonds3000(n uint32) error {
	line, err := m.nextV3000()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(line, "BEGIN BOND") {
		return m.wrong("", "want BEGIN BOND")
	}
	for range n {
		if line, err = m.nextV3000(); err != nil {
			return err
		}
		words := words3000(m.words, trim3000(line))
		m.words = words
		if len(words) < 4 {
			return m.wrong("", "bond line of %d words: want a number, an order and two atoms", len(words))
		}
		kind := uint32(leading(words[1], false))
		b := bondOf(kind)
		switch kind {
		case 9:
			b.order = Dative
		case 10:
			b.kind = hydrogenBond
		}
		w := notWedged
		for _, word := range words[4:] {
			name, value, ok := assignment(word)
			if !ok {
				return m.wrong(word, "want a property such as CFG=1")
			}
			switch name {
			case "CFG":
				switch leading(value, false) {
				case 0:
				case 1:
					w = wedgeUp
					m.chiral = true
				case 2:
					if kind == 1 {
						w = wavy
					} else if kind == 2 {
						w = crossed
						b.stereo = stereoAny
					}
				case 3:
					w = wedgeDown
					m.chiral = true
				default:
					return m.wrong(word, "want 0 to 3")
				}
			case "TOPO":
				switch value {
				case "0":
				case "1", "2":
					b.makeQuery()
				default:
					return m.wrong(word, "want 0, 1 for a ring or 2 for a chain")
				}
			case "RXCTR":
				if _, ok := integer(value, true); !ok {
					return m.wrong(word, "want a whole number")
				}
			}
		}
		var ends [2]int32
		for k := range ends {
			number := uint32(leading(words[2+k], false))
			var ok bool
			if ends[k], ok = recall(m.marked, number, len(m.p.atoms)); !ok {
				return m.wrong("", "a bond to atom %d, which is not there", number)
			}
		}
		k := int32(len(m.p.bonds))
		if err := m.addBond(ends[0], ends[1], b, w); err != nil {
			return err
		}
		m.bonded = remember(m.bonded, uint32(leading(words[0], false)), k)
	}
	if line, err = m.nextV3000(); err != nil {
		return err
	}
	if !strings.HasPrefix(line, "END BOND") {
		return m.wrong("", "want END BOND behind %d bonds", n)
	}
	return nil
}

// stereoGroup takes "MDLV30/STEabsN ATOMS=(n atoms)" apart, in upper case: the three
// characters of its kind, how many atoms, and what stands for the atoms.
func stereoGroup(line string) (kind, n, atoms string, ok bool) {
	rest, ok := strings.CutPrefix(line, "MDLV30/STE")
	if !ok {
		return "", "", "", false
	}
	for range 3 {
		_, size := utf8.DecodeRuneInString(rest)
		if size == 0 {
			return "", "", "", false
		}
		kind, rest = kind+rest[:size], rest[size:]
	}
	rest = strings.TrimLeft(rest, "0123456789")
	blanks := len(rest)
	rest = strings.TrimLeft(rest, " ")
	rest, ok = strings.CutPrefix(rest, "ATOMS=(")
	if !ok || blanks == len(rest)+len("ATOMS=(") {
		return "", "", "", false
	}
	atoms = strings.TrimLeft(rest, "0123456789")
	n = rest[:len(rest)-len(atoms)]
	blanks = len(atoms)
	atoms = strings.TrimLeft(atoms, " ")
	if n == "" || blanks == len(atoms) {
		return "", "", "", false
	}
	atoms, ok = strings.CutSuffix(strings.TrimRight(atoms, " "), ")")
	return kind, n, atoms, ok
}

// readCollection checks the atoms of stereo groups, which are not kept, up to the
// line that begins with END.
func (m *molfile) readCollection() error {
	for {
		line, err := m.nextV3000()
		if err != nil {
			return err
		}
		line = strings.ToUpper(line)
		if strings.HasPrefix(line, "END") {
			return nil
		}
		kind, count, atoms, ok := stereoGroup(line)
		if !ok {
			continue
		}
		switch kind {
		case "ABS", "REL", "RAC":
		default:
			return m.wrong("", "want MDLV30/STEABS, MDLV30/STEREL or MDLV30/STERAC")
		}
		n, ok := natural(count)
		numbers := strings.Fields(atoms)
		if !ok || n > 0 && len(numbers) == 0 {
			return m.wrong("", "want how many atoms, and the atoms")
		}
		for k := range min(uint64(n), uint64(len(numbers))) {
			number, ok := natural(numbers[k])
			if !ok || number < 1 || uint64(number) > uint64(len(m.p.atoms)) {
				return m.wrong("", "atom %s: there are %d atoms", numbers[k], len(m.p.atoms))
			}
		}
	}
}
