package molecule

import (
	"math"
	"slices"
)

// The reader follows RDKit's grammar, which is that of OpenSMILES but for a few
// points: a ring-bond number after "%" does not begin with 0 (unless in
// parentheses), a branch begins with an atom or bond, not with a dot or ring
// bond, and "++" and "--" are the only charges without a digit. Beyond OpenSMILES
// it takes "~", "->", "<-", "%(n)" with up to five digits, "[#6]" and the
// provisional element names such as Uuo.

// maxClass is the highest atom class, RDKit's limit.
const maxClass = 2147483639

// read fills atoms and bonds from p.text[lo:hi].
func (p *Parser) read(lo, hi int) error {
	p.atoms = p.atoms[:0]
	p.bonds = p.bonds[:0]
	p.closures = p.closures[:0]
	p.open = p.open[:0]
	const nothing = -1
	var (
		s       = p.text[:hi]
		last    = int32(nothing) // the atom that the next bond begins at
		branch0 = nothing        // the "(" just read
		dot     = nothing        // the "." just read
		pending token            // the bond just read
	)
	pending.clear()
	for i := lo; i < hi; {
		switch c := s[i]; {
		case organic[c].is || c == '[':
			n := int32(len(p.atoms))
			p.atoms = append(p.atoms, atom{})
			a := &p.atoms[n]
			a.at, a.closure = int32(i), nothing
			if c == '[' {
				if err := p.readBracket(a, i, hi); err != nil {
					return err
				}
			} else {
				p.readOrganic(a, i, hi)
			}
			i += int(a.size)
			if last == nothing || dot != nothing {
				a.start = true
			} else {
				p.addBond(last, n, &pending)
			}
			last, branch0, dot = n, nothing, nothing
			pending.clear()
		case c == '(':
			switch {
			case last == nothing || branch0 != nothing || dot != nothing:
				return p.errorAt(i, 1, "a branch must follow an atom")
			case pending.at != nothing:
				return p.errorAt(pending.at, pending.size, "a bond belongs inside the branch, after the parenthesis")
			}
			p.open = append(p.open, branch{last, int32(i)})
			branch0 = i
			i++
		case c == ')':
			switch {
			case len(p.open) == 0:
				return p.errorAt(i, 1, "closing parenthesis without an opening one")
			case branch0 != nothing:
				return p.errorAt(branch0, i+1-branch0, "empty branch, an atom is missing")
			case dot != nothing:
				return p.errorAt(dot, 1, "no atom after the dot")
			case pending.at != nothing:
				return p.errorAt(pending.at, pending.size, "no atom after the bond")
			}
			last = p.open[len(p.open)-1].atom
			p.open = p.open[:len(p.open)-1]
			i++
		case c == '.':
			switch {
			case last == nothing || branch0 != nothing || dot != nothing:
				return p.errorAt(i, 1, "a dot must follow an atom")
			case pending.at != nothing:
				return p.errorAt(pending.at, pending.size, "no atom after the bond")
			}
			dot = i
			i++
		case isBond[c]:
			switch {
			case last == nothing || dot != nothing:
				return p.errorAt(i, 1, "a bond must follow an atom")
			case pending.at != nothing:
				return p.errorAt(i, 1, "two bonds in a row, an atom is missing between them")
			}
			if err := p.readBond(&pending, i, hi); err != nil {
				return err
			}
			i += pending.size
		case c == '%' || c-'0' < 10:
			number, size, err := p.readRingNumber(i, hi)
			if err != nil {
				return err
			}
			if last == nothing || branch0 != nothing || dot != nothing {
				return p.errorAt(i, size, "a ring bond must follow an atom")
			}
			p.addClosure(last, number, &pending, i, size)
			pending.clear()
			i += size
		default:
			return p.errorLetter(i)
		}
	}
	switch {
	case pending.at != nothing:
		return p.errorAt(pending.at, pending.size, "no atom after the bond")
	case dot != nothing:
		return p.errorAt(dot, 1, "no atom after the dot")
	case len(p.open) > 0:
		return p.errorAt(int(p.open[len(p.open)-1].at), 1, "the branch is never closed")
	}
	if err := p.closeRings(); err != nil {
		return err
	}
	p.link()
	return p.checkDuplicates()
}

// A token is a written bond.
type token struct {
	at, size int
	order    Order
	reverse  bool // "<-"
	dir      direction
	plain    bool // "/" or "\": single or aromatic, as if nothing was written
}

var isBond = [256]bool{'-': true, '=': true, '#': true, '$': true, ':': true, '~': true, '/': true, '\\': true, '<': true}

// clear makes t no bond. Field by field, since a token put together elsewhere takes longer
// to copy.
func (t *token) clear() {
	t.at, t.order, t.reverse, t.dir, t.plain = -1, Any, false, level, false
}

// readBond reads the bond at offset i into t, which is none.
func (p *Parser) readBond(t *token, i, hi int) error {
	t.at, t.size = i, 1
	next := byte(0)
	if i+1 < hi {
		next = p.text[i+1]
	}
	switch p.text[i] {
	case '-':
		t.order = Single
		if next == '>' {
			t.order, t.size = Dative, 2
		}
	case '<':
		if next != '-' {
			return p.errorAt(i, 1, "unexpected character")
		}
		t.order, t.reverse, t.size = Dative, true, 2
	case '=':
		t.order = Double
	case '#':
		t.order = Triple
	case '$':
		t.order = Quadruple
	case ':':
		t.order = Aromatic
	case '~':
		t.order = Any
	case '/':
		t.plain, t.dir = true, up
	case '\\':
		t.plain, t.dir = true, down
		if next == '\\' { // an escaped backslash
			t.size = 2
		}
	}
	return nil
}

// unwritten is the order of a bond without a symbol.
func unwritten(x, y *atom) Order {
	if x.aromatic && y.aromatic {
		return Aromatic
	}
	return Single
}

// addBond joins atom i to atom j, which follows it in the text.
func (p *Parser) addBond(i, j int32, t *token) {
	// In place: a bond put together elsewhere would be copied byte by byte.
	p.bonds = append(p.bonds, bond{})
	b := &p.bonds[len(p.bonds)-1]
	x, y := &p.atoms[i], &p.atoms[j]
	b.a, b.b, b.order, b.dir = i, j, t.order, t.dir
	if t.at < 0 || t.plain {
		b.order = unwritten(x, y)
	}
	b.aromatic = b.order == Aromatic
	if t.reverse {
		b.a, b.b = j, i
	}
	x.degree++
	y.degree++
}

// addClosure notes a ring-bond number at atom i.
func (p *Parser) addClosure(i int32, number int32, t *token, at, size int) {
	c := closure{number: number, atom: i, order: t.order, specified: t.at >= 0 && !t.plain, reverse: t.reverse, dir: t.dir, next: -1, at: int32(at), size: int32(size)}
	a := &p.atoms[i]
	// A ring-bond number behind a branch ("C(F)1") comes earlier in the order of
	// neighbours than where it is written; where that makes an odd permutation
	// of the neighbours so far, the tag turns over.
	if int(i) != len(p.atoms)-1 && (a.chirality == Clockwise || a.chirality == CounterClockwise) &&
		(a.degree == 1 || a.degree == 2 && i != 0 || a.degree == 3 && i == 0) {
		a.chirality = a.chirality.turn()
	}
	k := int32(len(p.closures))
	p.closures = append(p.closures, c)
	if a.closure < 0 {
		a.closure = k
	} else {
		p.closures[a.last].next = k
	}
	a.last = k
}

// turn is the opposite tag.
func (c Chirality) turn() Chirality {
	switch c {
	case Clockwise:
		return CounterClockwise
	case CounterClockwise:
		return Clockwise
	}
	return c
}

// readRingNumber reads "7", "%42" or "%(123)".
func (p *Parser) readRingNumber(i, hi int) (number int32, size int, err error) {
	s := p.text[:hi]
	if s[i] != '%' {
		return int32(s[i] - '0'), 1, nil
	}
	if i+1 < hi && s[i+1] == '(' {
		j := i + 2
		for j < hi && s[j]-'0' < 10 && j < i+7 {
			number = number*10 + int32(s[j]-'0')
			j++
		}
		if j == i+2 || j >= hi || s[j] != ')' {
			return 0, 0, p.errorAt(i, j-i, "a ring bond in parentheses has one to five digits, as in %%(123)")
		}
		return number, j + 1 - i, nil
	}
	if i+2 >= hi || s[i+1]-'1' > 8 || s[i+2]-'0' > 9 {
		return 0, 0, p.errorAt(i, min(3, hi-i), "a ring bond after %% has two digits, the first not 0, as in %%10")
	}
	return int32(s[i+1]-'0')*10 + int32(s[i+2]-'0'), 3, nil
}

// organic are the letters of atoms outside brackets: the element, and another one where
// the letter after is the second of its symbol.
var organic = [256]struct {
	is, aromatic bool
	z            uint8
	second       byte
	other        uint8
}{
	'*': {is: true},
	'B': {is: true, z: 5, second: 'r', other: 35},
	'C': {is: true, z: 6, second: 'l', other: 17},
	'N': {is: true, z: 7},
	'O': {is: true, z: 8},
	'F': {is: true, z: 9},
	'P': {is: true, z: 15},
	'S': {is: true, z: 16},
	'I': {is: true, z: 53},
	'b': {is: true, z: 5, aromatic: true},
	'c': {is: true, z: 6, aromatic: true},
	'n': {is: true, z: 7, aromatic: true},
	'o': {is: true, z: 8, aromatic: true},
	'p': {is: true, z: 15, aromatic: true},
	's': {is: true, z: 16, aromatic: true},
}

// readOrganic reads an atom outside brackets.
func (p *Parser) readOrganic(a *atom, i, hi int) {
	o := &organic[p.text[i]]
	a.z, a.aromatic, a.size = o.z, o.aromatic, 1
	if o.second != 0 && i+1 < hi && p.text[i+1] == o.second {
		a.z, a.size = o.other, 2
	}
}

// errorLetter is about a letter that is no atom.
func (p *Parser) errorLetter(i int) error {
	switch c := p.text[i]; {
	case c == ']':
		return p.errorAt(i, 1, "closing bracket without an opening one")
	case c < 0x80 && (c|0x20)-'a' < 26:
		return p.errorAt(i, 1, "no such atom outside brackets; other elements, hydrogen too, are written as in [Na] or [H]")
	}
	return p.errorAt(i, 1, "unexpected character")
}

// readBracket reads an atom in brackets: isotope, element, chirality, hydrogens,
// charge, class.
func (p *Parser) readBracket(a *atom, i, hi int) error {
	s := p.text[:hi]
	at := func(j int) byte {
		if j < hi {
			return s[j]
		}
		return 0
	}
	j := i + 1
	digit := func(j int) bool { return at(j)-'0' < 10 }
	// number reads digits from j on; "0" is a number but "01" is not.
	number := func(what string, limit int32) (int32, error) {
		from, v := j, int64(0)
		for digit(j) {
			v = min(v*10+int64(s[j]-'0'), math.MaxInt32)
			j++
			if v == 0 {
				break
			}
		}
		if v > int64(limit) {
			return 0, p.errorAt(from, j-from, "%s is greater than %d", what, limit)
		}
		return int32(v), nil
	}
	a.noImplicit, p.brackets = true, true
	var err error
	if digit(j) {
		if a.isotope, err = number("isotope", math.MaxUint16); err != nil {
			return err
		}
	}
	// The element: the longest symbol that fits.
	c, next := at(j), at(j+1)
	hydrogen := false
	switch {
	case c == '*':
		a.z = 0
		j++
	case c == '#':
		j++
		if !digit(j) {
			return p.errorAt(j-1, 2, "# in brackets takes an atomic number, as in [#6]")
		}
		z, err := number("atomic number", maxElement)
		if err != nil {
			return err
		}
		a.z = uint8(z)
	case c == '\'': // 'Rf', as some programs write the heaviest elements
		if z := symbol(next, at(j+2)); z >= 104 && at(j+3) == '\'' {
			a.z = z
			j += 4
		} else {
			return p.errorAt(j, 4, "no such element")
		}
	case c == 'U' && next == 'u' && provisional(at(j+2)) != 0:
		a.z = provisional(at(j + 2))
		j += 3
	case symbol(c, next) != 0:
		a.z = symbol(c, next)
		j += 2
	case c-'A' < 26 && oneLetter[c-'A'] != 0:
		a.z = oneLetter[c-'A']
		hydrogen = c == 'H'
		j++
	case c == 's' && next == 'i':
		a.z, a.aromatic = 14, true
		j += 2
	case c == 'a' && next == 's':
		a.z, a.aromatic = 33, true
		j += 2
	case c == 's' && next == 'e':
		a.z, a.aromatic = 34, true
		j += 2
	case c == 't' && next == 'e':
		a.z, a.aromatic = 52, true
		j += 2
	case organic[c].aromatic:
		a.z, a.aromatic = organic[c].z, true
		j++
	case c == 0:
		return p.errorAt(i, j-i, "the bracket is never closed")
	case c == ']':
		return p.errorAt(i, j+1-i, "no element in the brackets")
	default:
		return p.errorAt(j, 1, "no such element")
	}
	if at(j) == '@' && !hydrogen {
		j++
		if class := chiralClass(at(j), at(j+1)); class != Achiral {
			j += 2
			a.chirality = class
			from := j
			if digit(j) {
				if a.perm, err = number("chirality", math.MaxInt32); err != nil {
					return err
				}
			}
			if a.perm > permutations[class] {
				return p.errorAt(from, j-from, "chirality is greater than %d", permutations[class])
			}
		} else if at(j) == '@' {
			j++
			a.chirality = Clockwise
			if chiralClass(at(j), at(j+1)) != Achiral {
				return p.errorAt(j-1, 3, "a chirality class takes one @")
			}
		} else {
			a.chirality = CounterClockwise
		}
	}
	if at(j) == 'H' {
		j++
		a.explicitH = 1
		if digit(j) {
			if a.explicitH, err = number("number of hydrogens", math.MaxUint8); err != nil {
				return err
			}
		}
	}
	if c := at(j); c == '+' || c == '-' {
		j++
		a.charge = 1
		switch {
		case at(j) == c:
			j++
			a.charge = 2
		case digit(j):
			if a.charge, err = number("charge", math.MaxInt8); err != nil {
				return err
			}
		}
		if c == '-' {
			a.charge = -a.charge
		}
	}
	if at(j) == ':' {
		j++
		if !digit(j) {
			return p.errorAt(j-1, 2, "an atom class is a number, as in [C:1]")
		}
		a.hasMap = true
		if a.class, err = number("atom class", maxClass); err != nil {
			return err
		}
	}
	switch at(j) {
	case ']':
	case 0:
		return p.errorAt(i, j-i, "the bracket is never closed")
	default:
		return p.errorAt(j, 1, "unexpected character in brackets, which hold isotope, element, chirality, hydrogens, charge and class in this order")
	}
	a.size = int32(j + 1 - i)
	return nil
}

// symbol returns the element with a two-letter symbol, or 0.
func symbol(c, d byte) uint8 {
	if c-'A' < 26 && d-'a' < 26 {
		return twoLetters[int(c-'A')*26+int(d-'a')]
	}
	return 0
}

// provisional returns the element Uun, Uuu, Uub … by its third letter, or 0.
func provisional(c byte) uint8 {
	const letters = "nubtqphso"
	for k := range len(letters) {
		if letters[k] == c {
			return uint8(110 + k)
		}
	}
	return 0
}

func chiralClass(c, d byte) Chirality {
	switch {
	case c == 'T' && d == 'H':
		return Tetrahedral
	case c == 'A' && d == 'L':
		return Allene
	case c == 'S' && d == 'P':
		return SquarePlanar
	case c == 'T' && d == 'B':
		return TrigonalBipyramidal
	case c == 'O' && d == 'H':
		return Octahedral
	}
	return Achiral
}

// permutations is how many arrangements a chirality class has.
var permutations = [...]int32{Tetrahedral: 2, Allene: 2, SquarePlanar: 3, TrigonalBipyramidal: 20, Octahedral: 30}

// closeRings makes a bond of each pair of closures with the same number, by
// ascending number and then in the order of the text.
func (p *Parser) closeRings() error {
	p.chain = len(p.bonds)
	if len(p.closures) == 0 {
		return nil
	}
	// The place in the text makes each number different.
	order := grow(&p.order, len(p.closures))
	for k := range order {
		order[k] = int64(p.closures[k].number)<<32 | int64(k)
	}
	slices.Sort(order)
	for k := 0; k < len(order); k += 2 {
		x := &p.closures[int32(order[k])]
		if k+1 == len(order) || order[k+1]>>32 != order[k]>>32 {
			return p.errorAt(int(x.at), int(x.size), "ring bond %d is never closed", x.number)
		}
		y := &p.closures[int32(order[k+1])]
		if x.atom == y.atom {
			return p.errorAt(int(y.at), int(y.size), "ring bond %d joins an atom to itself", y.number)
		}
		// The bond as written at its first end counts, unless only the second
		// end has it. It begins at the end that counts.
		from, to := y, x
		if x.specified {
			from, to = x, y
		}
		b := bond{a: from.atom, b: to.atom, order: from.order, dir: from.dir}
		if b.dir == level {
			b.dir = to.dir.flip()
		}
		if from.reverse {
			b.a, b.b = b.b, b.a
		}
		if !from.specified || b.order == Any { // RDKit loses the "~" of a ring bond
			b.order = unwritten(&p.atoms[b.a], &p.atoms[b.b])
		}
		b.aromatic = b.order == Aromatic
		x.bond, y.bond = int32(len(p.bonds)), int32(len(p.bonds))
		p.bonds = append(p.bonds, b)
	}
	return nil
}

// link builds links from bonds.
func (p *Parser) link() {
	bonds := p.bonds
	spans, links := zeroed(&p.spans, len(p.atoms)), grow(&p.links, 2*len(bonds))
	for k := range bonds {
		spans[bonds[k].a].hi++
		spans[bonds[k].b].hi++
	}
	sum := int32(0)
	for i := range spans {
		s := &spans[i]
		sum += s.hi
		s.lo, s.hi = sum, sum
	}
	for k := len(bonds) - 1; k >= 0; k-- {
		b := &bonds[k]
		x, y := &spans[b.a], &spans[b.b]
		x.lo--
		links[x.lo] = link{b.b, int32(k)}
		y.lo--
		links[y.lo] = link{b.a, int32(k)}
	}
}

// grow makes the length of a buffer n, its values unspecified, and returns it. It takes
// a pointer because storing a slice anew makes work for the garbage collector, which
// cutting it to length does not.
func grow[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n, n+n/2)
	}
	*s = (*s)[:n]
	return *s
}

// checkDuplicates refuses two bonds between the same atoms. Only a ring bond can
// be the second one.
func (p *Parser) checkDuplicates() error {
	again := false
	for k := p.chain; k < len(p.bonds); k++ {
		again = again || p.between(p.bonds[k].a, p.bonds[k].b) != int32(k)
	}
	if !again {
		return nil
	}
	// The first one in the text is to be named.
	seen := grow(&p.scratch, len(p.atoms))
	for i := range seen {
		seen[i] = -1
	}
	for k := range p.closures {
		c := &p.closures[k]
		if p.atoms[c.atom].closure != int32(k) {
			continue // an atom once
		}
		for _, l := range p.neighbors(c.atom) {
			if seen[l.atom] == c.atom {
				for q := range p.closures {
					if d := &p.closures[q]; d.bond == l.bond {
						return p.errorAt(int(d.at), int(d.size), "ring bond %d joins two atoms that have a bond already", d.number)
					}
				}
			}
			seen[l.atom] = c.atom
		}
	}
	return nil
}
