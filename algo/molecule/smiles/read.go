package smiles

import (
	"math"
	"slices"
	"strings"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/buffer"
)

// The reader follows RDKit's grammar: OpenSMILES, except that a ring-bond number after "%" does not
// begin with 0 (unless in parentheses), a branch begins with an atom or bond, and "++" and "--" are
// the only charges without a digit. It also reads "~", "->", "<-", "%(n)" with up to five digits,
// "[#6]" and provisional element names such as Uuo.

// maxClass is the highest atom class, RDKit's limit.
const maxClass = 2147483639

// A cursor is the reader's state; offsets are -1 for none.
type cursor struct {
	atom   int32 // the atom where the next bond begins
	branch int   // the "(" just read
	dot    int   // the "." just read
	bond   token // the bond just read
}

// afterAtom reports whether a branch, dot or ring bond may follow: an atom was read, and after it no "(" or ".".
func (c *cursor) afterAtom() bool { return c.atom >= 0 && c.branch < 0 && c.dot < 0 }

// read fills atoms and bonds from p.text[lo:hi].
func (p *parser) read(lo, hi int) error {
	p.Atoms = p.Atoms[:0]
	p.Bonds, p.slashes = p.Bonds[:0], p.slashes[:0]
	p.spots, p.closures = p.spots[:0], p.closures[:0]
	p.open = p.open[:0]
	c := cursor{atom: -1, branch: -1, dot: -1}
	c.bond.clear()
	for i := lo; i < hi; {
		size, err := 1, error(nil)
		switch s := p.Text[i]; {
		case organic[s].is || s == '[':
			size, err = p.readAtom(&c, i, hi)
		case s == '(':
			err = p.openBranch(&c, i)
		case s == ')':
			err = p.closeBranch(&c, i)
		case s == '.':
			err = p.readDot(&c, i)
		case isBond[s]:
			size, err = p.readBond(&c, i, hi)
		case s == '%' || s-'0' < 10:
			size, err = p.readClosure(&c, i, hi)
		default:
			err = p.errorLetter(i)
		}
		if err != nil {
			return err
		}
		i += size
	}
	if err := p.missingAtom(&c); err != nil {
		return err
	}
	if len(p.open) > 0 {
		return p.ErrorAt(int(p.open[len(p.open)-1].at), 1, "the branch is never closed")
	}
	if err := p.closeRings(); err != nil {
		return err
	}
	p.Link()
	dirs := buffer.Zeroed(&p.Dirs, len(p.Bonds))
	for _, s := range p.slashes {
		dirs[s.bond] = s.dir
	}
	return p.checkRepeats()
}

// missingAtom returns an error for a bond or dot that no atom follows, else nil.
func (p *parser) missingAtom(c *cursor) error {
	switch {
	case c.bond.at >= 0:
		return p.ErrorAt(c.bond.at, c.bond.size, "no atom after the bond")
	case c.dot >= 0:
		return p.ErrorAt(c.dot, 1, "no atom after the dot")
	}
	return nil
}

// readAtom reads the atom at offset i and joins it to the one before.
func (p *parser) readAtom(c *cursor, i, hi int) (size int, err error) {
	n := int32(len(p.Atoms))
	p.Atoms, p.spots = append(p.Atoms, molecule.DraftAtom{}), append(p.spots, spot{closure: -1})
	a, place := &p.Atoms[n], &p.spots[n]
	a.At = int32(i)
	if p.Text[i] != '[' {
		p.readOrganic(a, i, hi)
	} else if err := p.readBracket(a, place, i, hi); err != nil {
		return 0, err
	}
	if c.atom < 0 || c.dot >= 0 {
		place.start = true
	} else {
		p.addBond(c.atom, n, &c.bond)
	}
	c.atom, c.branch, c.dot = n, -1, -1
	c.bond.clear()
	return int(a.Size), nil
}

// openBranch reads "(" at offset i.
func (p *parser) openBranch(c *cursor, i int) error {
	switch {
	case !c.afterAtom():
		return p.ErrorAt(i, 1, "a branch must follow an atom")
	case c.bond.at >= 0:
		return p.ErrorAt(c.bond.at, c.bond.size, "a bond belongs inside the branch, after the parenthesis")
	}
	p.open = append(p.open, branch{c.atom, int32(i)})
	c.branch = i
	return nil
}

// closeBranch reads ")" at offset i. The next bond begins at the atom before the branch.
func (p *parser) closeBranch(c *cursor, i int) error {
	switch {
	case len(p.open) == 0:
		return p.ErrorAt(i, 1, "closing parenthesis without an opening one")
	case c.branch >= 0:
		return p.ErrorAt(c.branch, i+1-c.branch, "empty branch, an atom is missing")
	}
	c.atom = p.open[len(p.open)-1].atom
	p.open = p.open[:len(p.open)-1]
	return p.missingAtom(c)
}

// readDot reads "." at offset i.
func (p *parser) readDot(c *cursor, i int) error {
	if !c.afterAtom() {
		return p.ErrorAt(i, 1, "a dot must follow an atom")
	}
	if err := p.missingAtom(c); err != nil {
		return err
	}
	c.dot = i
	return nil
}

// A token is a written bond.
type token struct {
	at, size int
	order    molecule.Order
	reverse  bool // "<-"
	dir      molecule.Direction
	plain    bool // "/" or "\": single or aromatic, as if nothing was written
}

var isBond = [256]bool{'-': true, '=': true, '#': true, '$': true, ':': true, '~': true, '/': true, '\\': true, '<': true}

// clear resets t field by field, which is faster than copying a token.
func (t *token) clear() {
	t.at, t.order, t.reverse, t.dir, t.plain = -1, molecule.Any, false, molecule.Level, false
}

// readBond reads the bond at offset i.
func (p *parser) readBond(c *cursor, i, hi int) (size int, err error) {
	t := &c.bond
	switch {
	case c.atom < 0 || c.dot >= 0:
		return 0, p.ErrorAt(i, 1, "a bond must follow an atom")
	case t.at >= 0:
		return 0, p.ErrorAt(i, 1, "two bonds in a row, an atom is missing between them")
	}
	t.at, t.size = i, 1
	next := byte(0)
	if i+1 < hi {
		next = p.Text[i+1]
	}
	switch p.Text[i] {
	case '-':
		t.order = molecule.Single
		if next == '>' {
			t.order, t.size = molecule.Dative, 2
		}
	case '<':
		if next != '-' {
			return 0, p.ErrorAt(i, 1, "unexpected character")
		}
		t.order, t.reverse, t.size = molecule.Dative, true, 2
	case '=':
		t.order = molecule.Double
	case '#':
		t.order = molecule.Triple
	case '$':
		t.order = molecule.Quadruple
	case ':':
		t.order = molecule.Aromatic
	case '~':
		t.order = molecule.Any
	case '/':
		t.plain, t.dir = true, molecule.Up
	case '\\':
		t.plain, t.dir = true, molecule.Down
		if next == '\\' { // an escaped backslash
			t.size = 2
		}
	}
	return t.size, nil
}

// unwritten returns the order of a bond without a symbol.
func unwritten(x, y *molecule.DraftAtom) molecule.Order {
	if x.Aromatic && y.Aromatic {
		return molecule.Aromatic
	}
	return molecule.Single
}

// addBond joins atom i to atom j, which follows it in the text, by the written bond t.
func (p *parser) addBond(i, j int32, t *token) {
	// In place: a copied bond takes longer.
	p.Bonds = append(p.Bonds, molecule.Bond{})
	p.slash(t.dir)
	b := &p.Bonds[len(p.Bonds)-1]
	x, y := &p.Atoms[i], &p.Atoms[j]
	b.From, b.To, b.Order = i, j, t.order
	if t.at < 0 || t.plain {
		b.Order = unwritten(x, y)
	}
	b.Aromatic = b.Order == molecule.Aromatic
	if t.reverse {
		b.From, b.To = j, i
	}
	p.spots[i].degree++
	p.spots[j].degree++
}

// slash records the direction of the last bond.
func (p *parser) slash(d molecule.Direction) {
	if d != molecule.Level {
		p.slashes = append(p.slashes, slash{int32(len(p.Bonds) - 1), d})
	}
}

// readClosure reads a ring-bond number and records it at the atom before it. It returns the length of the number.
func (p *parser) readClosure(c *cursor, at, hi int) (size int, err error) {
	number, size, err := p.readRingNumber(at, hi)
	if err != nil {
		return 0, err
	}
	if !c.afterAtom() {
		return 0, p.ErrorAt(at, size, "a ring bond must follow an atom")
	}
	i, t := c.atom, &c.bond
	ring := closure{number: number, atom: i, order: t.order, specified: t.at >= 0 && !t.plain, reverse: t.reverse,
		dir: t.dir, next: -1, at: int32(at), size: int32(size)}
	t.clear()
	a, s := &p.Atoms[i], &p.spots[i]
	// Ring bonds come before branches in the order of neighbours: "C(F)1" is read as "C1(F)". To move this one before an odd
	// number of branches flips the tag. As in RDKit, an atom with one bond has one branch, and of more bonds one is to the atom
	// before, which atom 0 lacks.
	if int(i) != len(p.Atoms)-1 && a.Chirality.Handed() &&
		(s.degree == 1 || s.degree == 2 && i != 0 || s.degree == 3 && i == 0) {
		a.Chirality = a.Chirality.Turn()
	}
	k := int32(len(p.closures))
	p.closures = append(p.closures, ring)
	if s.closure < 0 {
		s.closure = k
	} else {
		p.closures[s.last].next = k
	}
	s.last = k
	return size, nil
}

// readRingNumber reads "7", "%42" or "%(123)" at offset i. size is the length of its text.
func (p *parser) readRingNumber(i, hi int) (number int32, size int, err error) {
	s := p.Text[:hi]
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
			return 0, 0, p.ErrorAt(i, j-i, "a ring bond in parentheses has one to five digits, as in %%(123)")
		}
		return number, j + 1 - i, nil
	}
	if i+2 >= hi || s[i+1]-'1' > 8 || s[i+2]-'0' > 9 {
		return 0, 0, p.ErrorAt(i, min(3, hi-i), "a ring bond after %% has two digits, the first not 0, as in %%10")
	}
	return int32(s[i+1]-'0')*10 + int32(s[i+2]-'0'), 3, nil
}

// organic maps letters outside brackets to the element, and to another element if the next letter completes its symbol.
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
func (p *parser) readOrganic(a *molecule.DraftAtom, i, hi int) {
	o := &organic[p.Text[i]]
	a.Element, a.Aromatic, a.Size = o.z, o.aromatic, 1
	if o.second != 0 && i+1 < hi && p.Text[i+1] == o.second {
		a.Element, a.Size = o.other, 2
	}
}

// errorLetter returns an error for the letter at offset i, with which nothing begins.
func (p *parser) errorLetter(i int) error {
	switch c := p.Text[i]; {
	case c == ']':
		return p.ErrorAt(i, 1, "closing bracket without an opening one")
	case c == '>':
		return p.ErrorAt(i, 1, "a reaction: want one molecule")
	case c < 0x80 && (c|0x20)-'a' < 26:
		return p.ErrorAt(i, 1, "no such atom outside brackets; other elements, hydrogen too, are written as in [Na] or [H]")
	}
	return p.ErrorAt(i, 1, "unexpected character")
}

// A bracket is the text of an atom in brackets and the reading position.
type bracket struct {
	p     *parser
	text  string // to the end of the SMILES
	from  int
	j     int
	atom  *molecule.DraftAtom
	place *spot
}

// at returns the letter at offset j, or 0 at the end.
func (b *bracket) at(j int) byte {
	if j < len(b.text) {
		return b.text[j]
	}
	return 0
}

func (b *bracket) digit() bool { return b.at(b.j)-'0' < 10 }

// number reads digits; of "01" it reads only the 0. An error names what the number is if it is greater than limit.
func (b *bracket) number(what string, limit int32) (int32, error) {
	from, v := b.j, int64(0)
	for b.digit() {
		v = min(v*10+int64(b.text[b.j]-'0'), math.MaxInt32)
		b.j++
		if v == 0 {
			break
		}
	}
	if v > int64(limit) {
		return 0, b.p.ErrorAt(from, b.j-from, "%s is greater than %d", what, limit)
	}
	return int32(v), nil
}

// readBracket reads an atom in brackets: isotope, element, chirality, hydrogens, charge, class.
func (p *parser) readBracket(a *molecule.DraftAtom, place *spot, i, hi int) (err error) {
	b := bracket{p: p, text: p.Text[:hi], from: i, j: i + 1, atom: a, place: place}
	a.NoImplicit, p.Brackets = true, true
	if b.digit() {
		if a.Isotope, err = b.number("isotope", math.MaxUint16); err != nil {
			return err
		}
	}
	lone := b.at(b.j) == 'H' // the element if no second letter follows; hydrogen takes no chirality
	if err := b.readElement(); err != nil {
		return err
	}
	if b.at(b.j) == '@' && !(lone && a.Element == 1) {
		if err := b.readChirality(); err != nil {
			return err
		}
	}
	if b.at(b.j) == 'H' {
		b.j++
		a.Explicit = 1
		if b.digit() {
			if a.Explicit, err = b.number("number of hydrogens", math.MaxUint8); err != nil {
				return err
			}
		}
	}
	if err := b.readCharge(); err != nil {
		return err
	}
	if b.at(b.j) == ':' {
		b.j++
		if !b.digit() {
			return p.ErrorAt(b.j-1, 2, "an atom class is a number, as in [C:1]")
		}
		a.HasMap = true
		if a.Map, err = b.number("atom class", maxClass); err != nil {
			return err
		}
	}
	switch b.at(b.j) {
	case ']':
	case 0:
		return p.ErrorAt(i, b.j-i, "the bracket is never closed")
	default:
		return p.ErrorAt(b.j, 1, "unexpected character in brackets, which hold isotope, element, chirality, "+
			"hydrogens, charge and class in this order")
	}
	a.Size = int32(b.j + 1 - i)
	return nil
}

// readElement reads the longest symbol that fits.
func (b *bracket) readElement() error {
	a, c, next := b.atom, b.at(b.j), b.at(b.j+1)
	size := 1
	switch {
	case c == '*':
		a.Element = 0
	case c == '#':
		b.j++
		if !b.digit() {
			return b.p.ErrorAt(b.j-1, 2, "# in brackets takes an atomic number, as in [#6]")
		}
		z, err := b.number("atomic number", molecule.MaxElement)
		a.Element, size = uint8(z), 0
		if err != nil {
			return err
		}
	case c == '\'': // 'Rf', as some programs write the heaviest elements
		a.Element, size = molecule.ElementOf(next, b.at(b.j+2)), 4
		if a.Element < 104 || b.at(b.j+3) != '\'' {
			return b.p.ErrorAt(b.j, 4, "no such element")
		}
	case c == 'U' && next == 'u' && provisional(b.at(b.j+2)) != 0:
		a.Element, size = provisional(b.at(b.j+2)), 3
	case molecule.ElementOf(c, next) != 0:
		a.Element, size = molecule.ElementOf(c, next), 2
	case molecule.ElementOf(c, 0) != 0:
		a.Element = molecule.ElementOf(c, 0)
	case c == 's' && next == 'i', c == 'a' && next == 's', c == 's' && next == 'e', c == 't' && next == 'e':
		a.Element, a.Aromatic, size = molecule.ElementOf(c-'a'+'A', next), true, 2
	case organic[c].aromatic:
		a.Element, a.Aromatic = organic[c].z, true
	case c == 0:
		return b.p.ErrorAt(b.from, b.j-b.from, "the bracket is never closed")
	case c == ']':
		return b.p.ErrorAt(b.from, b.j+1-b.from, "no element in the brackets")
	default:
		return b.p.ErrorAt(b.j, 1, "no such element")
	}
	b.j += size
	return nil
}

// readChirality reads "@", "@@" or a class such as "@TH1".
func (b *bracket) readChirality() (err error) {
	b.j++
	if class := b.chiralClass(); class != molecule.Achiral {
		b.j += 2
		b.atom.Chirality = class
		if b.digit() {
			b.place.perm, err = b.number("chirality", classes[class].permutations)
		}
		return err
	}
	b.atom.Chirality = molecule.CounterClockwise
	if b.at(b.j) == '@' {
		b.j++
		b.atom.Chirality = molecule.Clockwise
		if b.chiralClass() != molecule.Achiral {
			return b.p.ErrorAt(b.j-1, 3, "a chirality class takes one @")
		}
	}
	return nil
}

// readCharge reads a charge such as "+", "++", "+2" or "-", if there is one.
func (b *bracket) readCharge() (err error) {
	c := b.at(b.j)
	if c != '+' && c != '-' {
		return nil
	}
	b.j++
	charge := int32(1)
	if b.at(b.j) == c {
		b.j++
		charge = 2
	} else if b.digit() {
		charge, err = b.number("charge", math.MaxInt8)
	}
	if c == '-' {
		charge = -charge
	}
	b.atom.Charge = charge
	return err
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

// classes are the chirality classes by name, and how many arrangements each has.
var classes = [...]struct {
	name         string
	permutations int32
}{
	molecule.Tetrahedral: {"TH", 2}, molecule.Allene: {"AL", 2}, molecule.SquarePlanar: {"SP", 3},
	molecule.TrigonalBipyramidal: {"TB", 20}, molecule.Octahedral: {"OH", 30},
}

// chiralClass returns the class named at the reading position, or Achiral.
func (b *bracket) chiralClass() molecule.Chirality {
	for class := molecule.Tetrahedral; int(class) < len(classes); class++ {
		if strings.HasPrefix(b.text[b.j:], classes[class].name) {
			return class
		}
	}
	return molecule.Achiral
}

// closeRings makes a bond of each pair of closures with the same number. The bonds are in the order of their numbers,
// then of the text.
func (p *parser) closeRings() error {
	p.Chain = len(p.Bonds)
	if len(p.closures) == 0 {
		return nil
	}
	// The place in the text makes each number different.
	order := buffer.Grow(&p.order, len(p.closures))
	for k := range order {
		order[k] = int64(p.closures[k].number)<<32 | int64(k)
	}
	slices.Sort(order)
	for k := 0; k < len(order); k += 2 {
		x := &p.closures[int32(order[k])]
		if k+1 == len(order) || order[k+1]>>32 != order[k]>>32 {
			return p.ErrorAt(int(x.at), int(x.size), "ring bond %d is never closed", x.number)
		}
		y := &p.closures[int32(order[k+1])]
		if x.atom == y.atom {
			return p.ErrorAt(int(y.at), int(y.size), "ring bond %d joins an atom to itself", y.number)
		}
		// The order written at the first end counts, unless only the second has one. The bond begins at the end that counts.
		from, to := y, x
		if x.specified {
			from, to = x, y
		}
		b, dir := molecule.Bond{From: from.atom, To: to.atom, Order: from.order}, from.dir
		if dir == molecule.Level {
			dir = to.dir.Flip()
		}
		if from.reverse {
			b.From, b.To = b.To, b.From
		}
		if !from.specified {
			b.Order = unwritten(&p.Atoms[b.From], &p.Atoms[b.To])
		}
		b.Aromatic = b.Order == molecule.Aromatic
		x.bond, y.bond = int32(len(p.Bonds)), int32(len(p.Bonds))
		p.Bonds = append(p.Bonds, b)
		p.slash(dir)
	}
	return nil
}

// checkRepeats returns an error if a ring bond joins two atoms that have a bond already.
func (p *parser) checkRepeats() error {
	k := p.Repeat()
	if k < 0 {
		return nil
	}
	c := &p.closures[slices.IndexFunc(p.closures, func(c closure) bool { return c.bond == k })]
	return p.ErrorAt(int(c.at), int(c.size), "ring bond %d joins two atoms that have a bond already", c.number)
}
