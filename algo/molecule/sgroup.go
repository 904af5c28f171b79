package molecule

import (
	"cmp"
	"slices"
	"strings"
)

// Substance groups (polymers, abbreviations, data attached to atoms) do not make a
// different molecule, but for three things: the data of Marvin that give the
// hydrogens of an aromatic atom or make a bond dative, hydrogens that are kept
// because they bound a group, and groups that are not written as they should be, for
// which RDKit refuses the molecule.

// A group is a substance group.
type group struct {
	number uint32
	kind   string // SUP, DAT …

	atoms, parents []int32
	bonds          []int32
	states         []int32 // bonds with a state
	points         []int32 // atoms that are attachment points
	isIn, crosses  map[int32]bool

	field     string // what the data are about
	queryKind string
	queryOp   string
	data      []string
}

var groupKinds = []string{"SRU", "MON", "COP", "CRO", "GRA", "MOD", "MER", "ANY", "COM", "MIX", "FOR", "SUP", "MUL", "DAT", "GEN"}

// newGroup appends a group. Of two with one number the first counts.
func (m *molfile) newGroup(number uint32, kind string) *group {
	g := &group{number: number, kind: kind, isIn: map[int32]bool{}, crosses: map[int32]bool{}}
	if m.groupAt == nil {
		m.groupAt = map[uint32]*group{}
	}
	if m.groupAt[number] == nil {
		m.groupAt[number] = g
		m.groups = append(m.groups, g)
	}
	return g
}

func (m *molfile) checkKind(kind string) error {
	if !slices.Contains(groupKinds, kind) {
		return m.wrong(kind, "%q is no kind of substance group: want one of %s", kind, strings.Join(groupKinds, ", "))
	}
	return nil
}

func (m *molfile) checkSubtype(s string) error {
	if s != "ALT" && s != "RAN" && s != "BLO" {
		return m.wrong(s, "subtype %q of a substance group: want ALT, RAN or BLO", s)
	}
	return nil
}

func (m *molfile) checkConnection(s string) error {
	if s != "HH" && s != "HT" && s != "EU" {
		return m.wrong(s, "connection %q of a substance group: want HH, HT or EU", s)
	}
	return nil
}

func (m *molfile) checkComponent(n uint32) error {
	if n > 256 {
		return m.wrong("", "component %d of a substance group: want at most 256", n)
	}
	return nil
}

// markedAtom returns the atom with a number in the file.
func (m *molfile) markedAtom(number uint32) (int32, error) {
	i, ok := recall(m.marked, number, len(m.p.atoms))
	if !ok {
		return 0, m.wrong("", "a substance group has atom %d, which is not there", number)
	}
	return i, nil
}

// markedBond returns the bond with a number in the file.
func (m *molfile) markedBond(number uint32) (int32, error) {
	k, ok := recall(m.bonded, number, len(m.p.bonds))
	if !ok {
		return 0, m.wrong("", "a substance group has bond %d, which is not there", number)
	}
	return k, nil
}

func (m *molfile) groupAtom(g *group, number uint32) error {
	i, err := m.markedAtom(number)
	if err == nil {
		g.atoms = append(g.atoms, i)
		g.isIn[i] = true
	}
	return err
}

func (m *molfile) groupParent(g *group, number uint32) error {
	i, err := m.markedAtom(number)
	if err == nil && !g.isIn[i] {
		err = m.wrong("", "atom %d is a parent in a substance group that it does not belong to", number)
	}
	if err == nil {
		g.parents = append(g.parents, i)
	}
	return err
}

func (m *molfile) groupBond(g *group, number uint32) error {
	k, err := m.markedBond(number)
	if err == nil {
		g.bonds = append(g.bonds, k)
		g.crosses[k] = true
	}
	return err
}

// bounds reports whether bond k has one end in group g; ok is false where it has
// none.
func (m *molfile) bounds(g *group, k int32) (one, ok bool) {
	b := &m.p.bonds[k]
	x, y := g.isIn[b.a], g.isIn[b.b]
	return x != y, x || y
}

func (m *molfile) groupState(g *group, number uint32) error {
	k, err := m.markedBond(number)
	if err != nil {
		return err
	}
	if one, _ := m.bounds(g, k); !g.crosses[k] || !one {
		return m.wrong("", "bond %d has a state in a substance group that it does not bound", number)
	}
	g.states = append(g.states, k)
	return nil
}

// scd is where data of the V2000 form stand that go over several lines.
type scd struct {
	lines int
	last  uint32
	text  strings.Builder
}

// A reader of groupLine takes columns from the line one after the other.
type groupLine struct {
	m   *molfile
	at  int
	err error
}

// take returns a number of n columns behind a blank.
func (l *groupLine) take(n int) uint32 {
	if l.err != nil {
		return 0
	}
	l.at++
	var v int32
	v, l.err = l.m.number(l.at, n)
	l.at += n
	return uint32(v)
}

// need refuses a line that has not n more columns.
func (l *groupLine) need(n int) {
	if l.err == nil && len(l.m.line) < l.at+n {
		l.err = l.m.fail(len(l.m.line), 0, "the line ends: want another entry of %d columns from column %d", n, l.at+1)
	}
}

// word returns n columns behind a blank.
func (l *groupLine) word(n int) string {
	if l.err != nil {
		return ""
	}
	l.at++
	var s string
	s, l.err = l.m.part(l.at, n)
	l.at += n
	return s
}

func (l *groupLine) check(err error) {
	if l.err == nil {
		l.err = err
	}
}

func (l *groupLine) float() {
	if l.err != nil {
		return
	}
	var s string
	if s, l.err = l.m.part(l.at, 10); l.err == nil {
		if _, ok := columnFloat(s, 0, len(s)); !ok {
			l.err = l.m.fail(l.at, 10, "want a coordinate in columns %d to %d", l.at+1, l.at+10)
		}
	}
	l.at += 10
}

// readGroupLine reads a line M  S.. of the V2000 form. Lines about groups that are
// not there are ignored.
func (m *molfile) readGroupLine() error {
	l := &groupLine{m: m, at: 6}
	kind := m.line[3:6]
	if kind == "CRS" {
		return m.fail(3, 3, "this line about a substance group is not read")
	}
	// A line about several groups: n entries that begin with a group.
	each := func(size int, do func(*group)) error {
		for n := l.take(2); l.err == nil && n > 0; n-- {
			l.need(size)
			g := m.groupAt[l.take(3)]
			if l.err != nil || g == nil {
				break
			}
			do(g)
		}
		return l.err
	}
	switch kind {
	case "STY":
		for n := l.take(2); l.err == nil && n > 0; n-- {
			l.need(8)
			number, word := l.take(3), l.word(3)
			if l.err == nil {
				if l.err = m.checkKind(word); l.err == nil {
					m.newGroup(number, word)
				}
			}
		}
		return l.err
	case "SST":
		return each(8, func(*group) {
			if s := l.word(3); l.err == nil {
				l.check(m.checkSubtype(s))
			}
		})
	case "SCN":
		return each(7, func(*group) {
			if s := l.word(2); l.err == nil {
				l.check(m.checkConnection(s))
			}
			l.at++
		})
	case "SLB", "SPL":
		return each(8, func(*group) { l.take(3) })
	case "SNC":
		return each(8, func(*group) { l.check(m.checkComponent(l.take(3))) })
	case "SBT":
		return each(8, func(*group) {
			if v := l.take(3); l.err == nil && v > 1 {
				l.err = m.fail(l.at-3, 3, "bracket %d: want 0 or 1", v)
			}
		})
	case "SDS":
		if !strings.HasPrefix(m.line, "M  SDS EXP") {
			return m.fail(0, len(m.line), "want M  SDS EXP")
		}
		l.at = 10
		return each(4, func(*group) {})
	case "SAL", "SBL", "SPA", "SDI", "SMT", "SBV", "SDT", "SDD", "SCD", "SED", "SAP", "SCL":
	default:
		return nil // not about a group
	}
	number := l.take(3)
	g := m.groupAt[number]
	if l.err != nil || g == nil {
		return l.err
	}
	switch kind {
	case "SAL", "SBL", "SPA":
		for n := l.take(2); l.err == nil && n > 0; n-- {
			l.need(4)
			number := l.take(3)
			if l.err != nil {
				break
			}
			switch kind {
			case "SAL":
				l.err = m.groupAtom(g, number)
			case "SBL":
				l.err = m.groupBond(g, number)
			default:
				l.err = m.groupParent(g, number)
			}
		}
	case "SDI":
		if n := l.take(2); l.err == nil && n != 4 {
			return m.fail(l.at-2, 2, "%d coordinates of a bracket: want 4", n)
		}
		for range 4 {
			l.float()
		}
	case "SMT", "SCL":
		if l.at+1 >= len(m.line) {
			return m.fail(len(m.line), 0, "the line ends: want a text from column %d", l.at+2)
		}
	case "SBV":
		bond := l.take(3)
		if l.err == nil {
			_, l.err = m.markedBond(bond)
		}
		if g.kind == "SUP" {
			l.float()
			l.float()
		}
		if l.err == nil {
			l.err = m.groupState(g, bond)
		}
	case "SDT":
		// Field name, type, units, kind of query, operator.
		at := l.at + 1
		for _, f := range []struct {
			n  int
			to *string
		}{{30, &g.field}, {2, nil}, {20, nil}, {2, &g.queryKind}, {len(m.line), &g.queryOp}} {
			if at > len(m.line) {
				break
			}
			if s := strings.TrimRight(m.line[at:min(len(m.line), at+f.n)], " \t\n\v\f\r"); f.to != nil && s != "" {
				*f.to = s
			}
			at += f.n
		}
	case "SCD", "SED":
		return m.readData(g, l.at, kind == "SED")
	case "SAP":
		for n := l.take(2); l.err == nil && n > 0; n-- {
			l.need(11)
			first, leaving := l.take(3), l.take(3)
			l.at += 3
			if l.err != nil {
				break
			}
			var i int32
			if i, l.err = m.markedAtom(first); l.err == nil && leaving != 0 {
				_, l.err = m.markedAtom(leaving)
			}
			g.points = append(g.points, i)
		}
	}
	return l.err
}

// readData reads a line of data, the last of a field or not.
func (m *molfile) readData(g *group, at int, last bool) error {
	s := &m.scd
	switch {
	case s.last != 0 && s.last != g.number:
		return m.fail(7, 3, "data of substance group %d: want more of group %d first", g.number, s.last)
	case last:
		s.last = 0
	default:
		s.last = g.number
	}
	if !last && s.lines > 2 {
		return m.fail(3, 3, "more than three lines M  SCD in a row: want M  SED")
	}
	if at+1 >= len(m.line) {
		return nil
	}
	s.text.WriteString(m.line[at+1 : min(len(m.line), at+70)])
	s.lines++
	if last {
		data := strings.TrimRight(s.text.String(), " \t\n\v\f\r")
		g.data = append(g.data, strings.Clone(data[:min(len(data), 200)]))
		s.text.Reset()
		s.lines = 0
	}
	return nil
}

// applyGroups does what groups say about the molecule.
func (m *molfile) applyGroups() error {
	p := m.p
	slices.SortStableFunc(m.groups, func(x, y *group) int { return cmp.Compare(int32(x.number), int32(y.number)) })
	var done []int // as RDKit counts them, which does not count those done before
	count := 0
	for _, g := range m.groups {
		switch {
		case g.kind != "DAT":
		case g.field == "MRV_COORDINATE_BOND_TYPE":
			done = append(done, count)
			if len(g.data) == 0 {
				continue
			}
			k, ok := integer(g.data[0], false)
			if !ok {
				return p.errorAt(0, 0, "substance group %d: want the number of a dative bond, not %q", g.number, g.data[0])
			}
			if k := uint32(k) - 1; uint64(k) < uint64(len(p.bonds)) {
				if b := &p.bonds[k]; b.order == Any && b.kind != hydrogenBond && b.kind != zeroBond {
					*b = bond{a: b.a, b: b.b, order: Dative}
					m.wedges[k] = notWedged
				}
			}
			continue
		case g.field == "MRV_IMPLICIT_H":
			done = append(done, count)
			for _, data := range g.data {
				text, ok := strings.CutPrefix(data, "IMPL_H")
				if !ok {
					continue
				}
				n, ok := integer(text, true)
				if !ok || n < 0 || n > 255 {
					return p.errorAt(0, 0, "substance group %d: want IMPL_H and a number of hydrogens, not %q", g.number, data)
				}
				for _, i := range g.atoms {
					for _, l := range p.neighbors(i) {
						if p.bonds[l.bond].order == Aromatic {
							p.atoms[i].explicitH = n
						}
					}
				}
			}
			continue
		case g.queryKind == "SMARTSQ" || g.queryKind == "SQ":
			done = append(done, count)
			if (g.queryOp == "" || g.queryOp == "=") && len(g.data) > 0 && g.data[0] != "" {
				for _, i := range g.atoms {
					m.query(i)
				}
			}
			continue
		}
		count++
	}
	for _, k := range slices.Backward(done) {
		m.groups = slices.Delete(m.groups, k, k+1)
	}
	return nil
}

// keepHydrogens marks the hydrogens that are not folded because of a group.
func (m *molfile) keepHydrogens() error {
	p := m.p
	if len(m.groups) == 0 {
		return nil
	}
	some := false
	for i := range p.atoms {
		some = some || p.atoms[i].z == 1 && p.foldable(int32(i))
	}
	if !some {
		return nil
	}
	keep := func(i int32) {
		if p.atoms[i].z == 1 {
			p.atoms[i].marks |= isKept
		}
	}
	for _, g := range m.groups {
		for _, k := range g.bonds {
			one, ok := m.bounds(g, k)
			if !ok {
				return p.errorAt(0, 0, "substance group %d has bond %d, but neither of its atoms", g.number, k+1)
			}
			if one {
				keep(p.bonds[k].a)
				keep(p.bonds[k].b)
			}
		}
		for _, i := range g.points {
			keep(i)
		}
		for _, k := range g.states {
			keep(p.bonds[k].a)
			keep(p.bonds[k].b)
		}
	}
	// A group is not left without atoms.
	for _, g := range m.groups {
		goes := func(i int32) bool { return p.atoms[i].z == 1 && p.foldable(i) }
		stays := func(i int32) bool { return !goes(i) }
		if len(g.atoms)+len(g.parents) == 0 || slices.ContainsFunc(g.atoms, stays) || slices.ContainsFunc(g.parents, stays) {
			continue
		}
		for _, i := range g.atoms {
			keep(i)
		}
		for _, i := range g.parents {
			keep(i)
		}
	}
	return nil
}

// A stream takes values from a line, like C++'s.
type stream struct {
	s      string
	failed bool
	ended  bool
}

func (s *stream) good() bool { return !s.failed && !s.ended }

// get takes one character, 0 at the end.
func (s *stream) get() byte {
	if !s.good() || s.s == "" {
		s.failed, s.ended = true, true
		return 0
	}
	c := s.s[0]
	s.s = s.s[1:]
	return c
}

// until takes what comes before c, and c.
func (s *stream) until(c byte) string {
	if !s.good() {
		s.failed = true
		return ""
	}
	before, after, found := strings.Cut(s.s, string(c))
	s.s = after
	if !found {
		s.ended = true
		s.failed = before == ""
	}
	return before
}

func (s *stream) skipBlanks() bool {
	if !s.good() {
		s.failed = true
		return false
	}
	s.s = strings.TrimLeft(s.s, " \t\n\v\f\r")
	if s.s == "" {
		s.failed, s.ended = true, true
	}
	return s.s != ""
}

// word takes what comes before the next blank.
func (s *stream) word() string {
	if !s.skipBlanks() {
		return ""
	}
	i := strings.IndexAny(s.s, " \t\n\v\f\r")
	if i < 0 {
		i = len(s.s)
		s.ended = true
	}
	w := s.s[:i]
	s.s = s.s[i:]
	return w
}

// run takes the characters in set.
func (s *stream) run(set string) string {
	if !s.skipBlanks() {
		return ""
	}
	rest := strings.TrimLeft(s.s, set)
	w := s.s[:len(s.s)-len(rest)]
	s.s = rest
	s.ended = rest == ""
	return w
}

func (s *stream) natural() uint32 {
	v, ok := natural(s.run("+-0123456789"))
	s.failed = s.failed || !ok
	return v
}

// text takes a word, or a text in double quotes where doubled ones stand for one.
func (s *stream) text() string {
	if s.s == "" || !s.good() {
		s.failed, s.ended = true, true
		return ""
	}
	var b strings.Builder
	switch s.s[0] {
	case '"':
		s.s = s.s[1:]
		for {
			part, rest, found := strings.Cut(s.s, `"`)
			b.WriteString(part)
			s.s = rest
			if !found {
				s.failed, s.ended = true, true
				break
			}
			if !strings.HasPrefix(rest, `"`) {
				s.ended = rest == "" // C++ looked whether there is another quote
				break
			}
			b.WriteByte('"')
			s.s = rest[1:]
		}
	case '\'':
		s.s = s.s[1:]
	default:
		b.WriteString(s.word())
	}
	return strings.TrimRight(b.String(), " \t\n\v\f\r")
}

// readGroups3000 reads n groups and returns the line behind them.
func (m *molfile) readGroups3000(n uint32) (string, error) {
	line, err := m.nextV3000()
	if err != nil {
		return "", err
	}
	standard := ""
	if strings.HasPrefix(line, "DEFAULT") && len(line) > 8 {
		standard = strings.TrimRight(line[7:], " \t\n\v\f\r")
		if line, err = m.nextV3000(); err != nil {
			return "", err
		}
		line = strings.TrimRight(line, " \t\n\v\f\r")
	}
	for k := range n {
		s := &stream{s: line}
		number, kind := s.natural(), s.word()
		s.natural() // the number that the user sees
		if err := m.checkKind(kind); err != nil {
			return "", err
		}
		g := m.newGroup(number, kind)
		if uint32(len(m.groups)) != k+1 {
			return "", m.wrong("", "a second substance group %d", number)
		}
		said := map[string]bool{}
		for s.good() {
			if err := m.groupProperty(g, s, said, false); err != nil {
				return "", err
			}
		}
		for s := (&stream{s: standard}); s.good(); {
			if err := m.groupProperty(g, s, said, true); err != nil {
				return "", err
			}
		}
		if line, err = m.nextV3000(); err != nil {
			return "", err
		}
		line = strings.TrimRight(line, " \t\n\v\f\r")
	}
	return line, nil
}

// groupProperty reads a property of g. A standard one counts only where it was not
// said.
func (m *molfile) groupProperty(g *group, s *stream, said map[string]bool, standard bool) error {
	switch c := s.get(); {
	case !s.good() && c == 0:
		return nil
	case c != ' ':
		return m.wrong("", "want a blank before each property of a substance group, not %q", c)
	}
	label := s.until('=')
	if standard && said[label] {
		switch {
		case strings.HasPrefix(s.s, " "):
			return m.wrong("", "want no blank behind = in the defaults of substance groups")
		case strings.HasPrefix(s.s, "("):
			s.until(')')
			s.get()
		case strings.HasPrefix(s.s, `"`):
			s.get()
			s.until('"')
		default:
			s.until(' ')
			if !s.ended {
				s.s = " " + s.s
			}
		}
		return nil
	}
	if !standard {
		said[label] = true
	}
	// numbers takes "(n a b c …)" and does something with each.
	numbers := func(most int, do func(uint32) error) error {
		s.get()
		n := s.natural()
		if uint64(n) > uint64(most) {
			return m.wrong("", "%d members of a substance group: there are only %d", n, most)
		}
		for range n {
			if err := do(s.natural()); err != nil {
				return err
			}
		}
		s.get()
		return nil
	}
	floats := func(n int) {
		for range n {
			s.run("+-0123456789.eE")
		}
	}
	switch label {
	case "XBHEAD", "XBCORR":
		return numbers(len(m.p.bonds), func(uint32) error { return nil })
	case "ATOMS":
		return numbers(len(m.p.atoms), func(v uint32) error { return m.groupAtom(g, v) })
	case "PATOMS":
		return numbers(len(m.p.atoms), func(v uint32) error { return m.groupParent(g, v) })
	case "CBONDS", "XBONDS":
		return numbers(len(m.p.bonds), func(v uint32) error { return m.groupBond(g, v) })
	case "BRKXYZ":
		s.get()
		if n := s.natural(); n != 9 {
			return m.wrong("", "%d coordinates of a bracket: want 9", n)
		}
		floats(9)
		s.get()
	case "CSTATE":
		s.get()
		n, number := s.natural(), s.natural()
		if want := map[bool]uint32{true: 4, false: 1}[g.kind == "SUP"]; n != want {
			return m.wrong("", "%d values of CSTATE: want %d", n, want)
		}
		if g.kind == "SUP" {
			floats(3)
		}
		if err := m.groupState(g, number); err != nil {
			return err
		}
		s.get()
	case "SAP":
		s.get()
		s.natural()
		first, leaving, id := s.natural(), s.word(), s.word()
		if id == "" {
			return m.wrong("", "want SAP=(3 atom leaving name)")
		}
		i, err := m.markedAtom(first)
		if err != nil {
			return err
		}
		if !strings.EqualFold(leaving, "AIDX") {
			v, ok := integer(leaving, true)
			if !ok {
				return m.wrong(leaving, "want an atom, 0 or AIDX")
			}
			if v > 0 {
				if _, err := m.markedAtom(uint32(v)); err != nil {
					return err
				}
			}
		}
		g.points = append(g.points, i)
	case "PARENT":
		s.natural()
	case "COMPNO":
		return m.checkComponent(s.natural())
	case "FIELDDATA":
		data := s.text()
		g.data = append(g.data, data[:min(len(data), 200)])
	case "SUBTYPE":
		return m.checkSubtype(s.text())
	case "CONNECT":
		return m.checkConnection(s.text())
	case "FIELDNAME":
		g.field = s.text()
	case "QUERYTYPE":
		g.queryKind = s.text()
	case "QUERYOP":
		g.queryOp = s.text()
	default:
		s.text()
	}
	return nil
}
