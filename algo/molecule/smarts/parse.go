package smarts

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"baca/algo/molecule"
)

// MaxLength is the longest accepted pattern in bytes.
const MaxLength = 2000

// maxDepth bounds patterns in patterns.
const maxDepth = 20

// Parse reads a pattern. The error is a *molecule.SyntaxError.
func Parse(text string) (p *Pattern, err error) {
	text = strings.TrimSpace(text)
	r := &reader{text: text}
	defer func() {
		if failed, ok := recover().(*molecule.SyntaxError); ok {
			p, err = nil, failed
		}
	}()
	if len(text) > MaxLength {
		r.fail(fmt.Sprintf("the pattern has %d bytes, want at most %d", len(text), MaxLength))
	}
	p = r.pattern(0)
	if r.at < len(text) {
		r.fail("this parenthesis was not opened")
	}
	return p, nil
}

// A reader reads a text, and panics with a SyntaxError.
type reader struct {
	text string
	at   int
}

func (r *reader) fail(reason string) {
	piece := ""
	if r.at < len(r.text) {
		piece = r.text[r.at : r.at+1]
	}
	panic(&molecule.SyntaxError{Column: r.at + 1, Piece: piece, Reason: reason})
}

// next is the next byte, 0 at the end.
func (r *reader) next() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// take skips a text that comes next.
func (r *reader) take(text string) bool {
	if !strings.HasPrefix(r.text[r.at:], text) {
		return false
	}
	r.at += len(text)
	return true
}

// none stands for a number that is not written.
const none = -1

// number reads digits, or gives another number where there are none.
func (r *reader) number(without int) int {
	from := r.at
	for r.next() >= '0' && r.next() <= '9' && r.at-from < 4 {
		r.at++
	}
	if n, err := strconv.Atoi(r.text[from:r.at]); err == nil {
		return n
	}
	return without
}

// A ringBond waits for its other end.
type ringBond struct {
	atom int
	is   func(*molecule.Bond) bool // nil if not written
}

// pattern reads up to a parenthesis that it did not open. depth counts the patterns around it.
func (r *reader) pattern(depth int) *Pattern {
	p, last := &Pattern{}, -1
	var branches []int
	open := map[int]ringBond{}
	if depth > maxDepth {
		r.fail(fmt.Sprintf("want at most %d patterns inside each other", maxDepth))
	}
	for r.at < len(r.text) && !(r.next() == ')' && len(branches) == 0) {
		switch {
		case r.next() == '(' && last >= 0:
			branches, r.at = append(branches, last), r.at+1
			continue
		case r.take(")"):
			last, branches = branches[len(branches)-1], branches[:len(branches)-1]
			continue
		case r.take("."):
			last = -1
			continue
		}
		is := r.bond()
		if number := r.ringNumber(); number >= 0 && last >= 0 {
			r.closeRing(p, open, number, ringBond{last, is})
			continue
		}
		a := atom{is: r.atom(depth)}
		if last >= 0 {
			a.bonds = []bond{{last, orUsual(is)}}
		} else if is != nil {
			r.fail("a bond begins at an atom")
		}
		last, p.atoms = len(p.atoms), append(p.atoms, a)
	}
	switch {
	case len(p.atoms) == 0:
		r.fail("want an atom, such as C, c or [#6]")
	case len(branches) > 0:
		r.fail("the branch is never closed")
	case len(open) > 0:
		r.fail("a ring is never closed")
	}
	return p
}

// ringNumber reads the number of a ring bond.
func (r *reader) ringNumber() int {
	if r.take("%") {
		if n := r.number(none); n >= 0 {
			return n
		}
		r.fail("want the number of a ring")
	}
	if c := r.next(); c >= '0' && c <= '9' {
		r.at++
		return int(c - '0')
	}
	return none
}

// closeRing opens a ring bond, or closes it: the bond belongs to the later atom.
func (r *reader) closeRing(p *Pattern, open map[int]ringBond, number int, end ringBond) {
	begin, opened := open[number]
	if !opened {
		open[number] = end
		return
	}
	delete(open, number)
	if begin.atom == end.atom {
		r.fail("a ring needs two atoms")
	}
	if end.is == nil {
		end.is = begin.is
	}
	later := &p.atoms[max(begin.atom, end.atom)]
	later.bonds = append(later.bonds, bond{min(begin.atom, end.atom), orUsual(end.is)})
}

// orUsual is a bond as written, or single or aromatic.
func orUsual(is func(*molecule.Bond) bool) func(*molecule.Bond) bool {
	if is != nil {
		return is
	}
	return func(b *molecule.Bond) bool { return b.Aromatic || b.Order == molecule.Single }
}

// expression reads primitives that are joined by !, &, "," and ;, of which ; binds least. more
// reports whether another primitive follows.
func expression[T any](r *reader, more func() bool, primitive func() func(T) bool) func(T) bool {
	var low, middle, high []func(T) bool
	for {
		high = append(high, negated(r, primitive))
		switch {
		case r.take("&"):
		case r.take(","):
			middle, high = append(middle, every(high)), nil
		case r.take(";"):
			low, middle, high = append(low, anyOf(append(middle, every(high)))), nil, nil
		case !more():
			return every(append(low, anyOf(append(middle, every(high)))))
		}
	}
}

func negated[T any](r *reader, primitive func() func(T) bool) func(T) bool {
	if !r.take("!") {
		return primitive()
	}
	is := negated(r, primitive)
	return func(x T) bool { return !is(x) }
}

func every[T any](list []func(T) bool) func(T) bool { return unless(list, false) }
func anyOf[T any](list []func(T) bool) func(T) bool { return unless(list, true) }

// unless answers end if one of the list does, else the opposite.
func unless[T any](list []func(T) bool, end bool) func(T) bool {
	if len(list) == 1 {
		return list[0]
	}
	return func(x T) bool {
		return slices.ContainsFunc(list, func(is func(T) bool) bool { return is(x) == end }) == end
	}
}

// bond reads a bond, nil for none.
func (r *reader) bond() func(*molecule.Bond) bool {
	more := func() bool { return r.next() != 0 && strings.IndexByte(`-=#:~@$/\!`, r.next()) >= 0 }
	if !more() {
		return nil
	}
	return expression(r, more, func() func(*molecule.Bond) bool {
		is := bonds[r.next()]
		if is == nil {
			r.fail(`want a bond: one of - = # : ~ @ $ / \`)
		}
		r.at++
		return is
	})
}

var bonds = map[byte]func(*molecule.Bond) bool{
	'-':  isSingle,
	'/':  isSingle,
	'\\': isSingle,
	'=':  func(b *molecule.Bond) bool { return b.Order == molecule.Double },
	'#':  func(b *molecule.Bond) bool { return b.Order == molecule.Triple },
	'$':  func(b *molecule.Bond) bool { return b.Order == molecule.Quadruple },
	':':  func(b *molecule.Bond) bool { return b.Aromatic },
	'~':  func(*molecule.Bond) bool { return true },
	'@':  func(b *molecule.Bond) bool { return b.InRing },
}

func isSingle(b *molecule.Bond) bool { return b.Order == molecule.Single && !b.Aromatic }

// atom reads an atom.
func (r *reader) atom(depth int) func(place) bool {
	if !r.take("[") {
		for _, symbol := range []string{"Cl", "Br", "*", "A", "a", "B", "C", "N", "O", "P", "S", "F", "I", "b", "c", "n", "o", "p", "s"} {
			if r.take(symbol) {
				return symbolTest(symbol)
			}
		}
		r.fail("want an atom; elements such as Si, and all conditions, stand in brackets")
	}
	hydrogen := lonelyHydrogen.MatchString(r.text[r.at:])
	more := func() bool { return r.next() != ']' && r.next() != 0 }
	is := expression(r, more, func() func(place) bool {
		if hydrogen && r.take("H") {
			return symbolTest("H")
		}
		return r.primitive(depth)
	})
	if !r.take("]") {
		r.fail("the bracket is never closed")
	}
	return is
}

// lonelyHydrogen is a bracket in which H is an element: elsewhere it counts hydrogens.
var lonelyHydrogen = regexp.MustCompile(`^\d*H([+-]+\d*)?(:\d+)?\]`)

// symbolTest tests for *, A, a, or an element, aromatic in small letters.
func symbolTest(symbol string) func(place) bool {
	aromatic := symbol[0] >= 'a'
	switch symbol {
	case "*":
		return func(place) bool { return true }
	case "A", "a":
		return func(a place) bool { return a.atom().Aromatic == aromatic }
	}
	element := elementOf(strings.ToUpper(symbol[:1]) + symbol[1:])
	return func(a place) bool { return a.atom().Element == element && a.atom().Aromatic == aromatic }
}

// elementOf is the element of a symbol, 0 for none.
func elementOf(symbol string) uint8 {
	if len(symbol) == 1 {
		return molecule.ElementOf(symbol[0], 0)
	}
	return molecule.ElementOf(symbol[0], symbol[1])
}

// counts are the conditions on numbers, and the number that is meant where none is written, some for any but 0.
var counts = map[byte]struct {
	without int
	of      func(place) int
}{
	'D': {1, func(a place) int { return int(a.atom().Degree) }},
	'H': {1, place.hydrogens},
	'h': {none, func(a place) int { return int(a.atom().Hydrogens) }},
	'X': {1, func(a place) int { return int(a.atom().Degree) + int(a.atom().Hydrogens) }},
	'x': {none, place.ringBonds},
	'R': {none, func(a place) int { n, _ := a.ringsOf(); return n }},
	'r': {none, func(a place) int { _, size := a.ringsOf(); return size }},
	'#': {0, func(a place) int { return int(a.atom().Element) }},
}

// primitive reads one condition of a bracket.
func (r *reader) primitive(depth int) func(place) bool {
	if symbol := r.symbol(); symbol != "" {
		r.at += len(symbol)
		return symbolTest(symbol)
	}
	c := r.next()
	count, counted := counts[c]
	switch {
	case counted:
		r.at++
		n := r.number(count.without)
		return func(a place) bool { return count.of(a) == n || n == none && count.of(a) > 0 }
	case c == '+', c == '-':
		return r.charge(c)
	case c >= '0' && c <= '9':
		mass := uint16(r.number(0))
		return func(a place) bool { return a.atom().Isotope == mass }
	case r.take("@"):
		r.take("@")
		return func(place) bool { return true }
	case r.take(":"):
		r.number(0)
		return func(place) bool { return true }
	case r.take("$("):
		p := r.pattern(depth + 1)
		if !r.take(")") {
			r.fail("the pattern in $( is never closed")
		}
		return func(a place) bool { return p.put(a.target, make([]int32, 0, len(p.atoms)), a.i) }
	}
	r.fail("want an element or one of * A a # D H h X x R r + - @ $(")
	return nil
}

// symbol is the symbol of an atom that comes next, the longest, or empty.
func (r *reader) symbol() string {
	rest := r.text[r.at:]
	if len(rest) > 1 {
		two := rest[:2]
		if elementOf(two) > 0 || slices.Contains([]string{"as", "se", "si", "te"}, two) {
			return two
		}
	}
	if c := r.next(); c != 0 && strings.IndexByte("*AaBCNOPSFIKVYWUbcnops", c) >= 0 {
		return rest[:1]
	}
	return ""
}

// charge reads + or -, repeated or with a number.
func (r *reader) charge(sign byte) func(place) bool {
	n := 0
	for r.take(string(sign)) {
		n++
	}
	if n == 1 {
		n = r.number(1)
	}
	if sign == '-' {
		n = -n
	}
	return func(a place) bool { return int(a.atom().Charge) == n }
}
