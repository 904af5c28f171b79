package smarts

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"baca/algo/molecule"
)

// MaxLength is the longest accepted pattern in bytes.
const MaxLength = 2000

// maxDepth bounds the nesting of patterns in $(…).
const maxDepth = 20

// Parse reads a pattern. The error is a *molecule.SyntaxError.
func Parse(text string) (p *Pattern, err error) {
	text = strings.TrimSpace(text)
	r := &reader{text: text}
	defer func() {
		if failed, ok := recover().(*molecule.SyntaxError); ok { // by fail
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

// fail ends the reading with an error at the next character, by a panic with a *molecule.SyntaxError.
func (r *reader) fail(reason string) {
	piece := ""
	if r.at < len(r.text) {
		piece = r.text[r.at : r.at+1]
	}
	panic(&molecule.SyntaxError{Column: r.at + 1, Piece: piece, Reason: reason})
}

// next returns the next byte, or 0 at the end.
func (r *reader) next() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// take skips text if it comes next, and reports whether it did.
func (r *reader) take(text string) bool {
	if !strings.HasPrefix(r.text[r.at:], text) {
		return false
	}
	r.at += len(text)
	return true
}

// match skips what form matches and returns its submatches, or nil if form does not match here.
func (r *reader) match(form *regexp.Regexp) []string {
	parts := form.FindStringSubmatch(r.text[r.at:])
	if parts != nil {
		r.at += len(parts[0])
	}
	return parts
}

// Forms of what is written. Numbers have up to four digits.
var (
	ringForm     = regexp.MustCompile(`^(?:(\d)|%(\d{1,4}))`)
	plainForm    = regexp.MustCompile(`^(?:Cl|Br|[*AaBCNOPSFIbcnops])`)
	hydrogenForm = regexp.MustCompile(`^\d*H(?:[+-]+\d*)?(?::\d+)?\]`) // in such a bracket H is an element, else a count
	symbolForm   = regexp.MustCompile(`^(?:as|se|si|te|[*AaBCNOPSFIKVYWUbcnops])`)
	countForm    = regexp.MustCompile(`^([DHhXxRr#])(\d{0,4})`)
	chargeForm   = regexp.MustCompile(`^(\++|-+)(\d{0,2})`)
	massForm     = regexp.MustCompile(`^\d{1,4}`)
	ignoredForm  = regexp.MustCompile(`^(?:@@?|:\d+)`) // stereochemistry and classes
)

// A ringBond is a ring number whose other end is not read yet.
type ringBond struct {
	atom int
	is   func(*molecule.Bond) bool // nil if not written
}

// pattern reads a pattern to its end or to the parenthesis that closes it, which it leaves. depth counts the enclosing
// patterns. It panics with an error by fail.
func (r *reader) pattern(depth int) *Pattern {
	p, last := &Pattern{}, -1     // last is the atom where the next bond begins, or -1
	var branches []int            // atoms where the open branches begin
	open := map[string]ringBond{} // by number
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
		if number := r.match(ringForm); number != nil && last >= 0 {
			r.closeRing(p, open, number[1]+number[2], ringBond{last, is})
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

// closeRing records the first end of a ring number. At the second end it adds the bond to the later of both atoms. A
// ring of one atom panics by fail.
func (r *reader) closeRing(p *Pattern, open map[string]ringBond, number string, end ringBond) {
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

// orUsual returns the test that was written for a bond, or without one a test for single and aromatic bonds.
func orUsual(is func(*molecule.Bond) bool) func(*molecule.Bond) bool {
	if is != nil {
		return is
	}
	return func(b *molecule.Bond) bool { return b.Aromatic || b.Order == molecule.Single }
}

// expression reads primitives that are joined by !, &, "," and ";", the strongest first, and returns their common test.
// Primitives side by side are joined like &. more reports whether another primitive follows.
func expression[T any](r *reader, more func() bool, primitive func() func(T) bool) func(T) bool {
	var low, middle, high []func(T) bool // joined by ";", by "," and by & so far
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

// negated reads a primitive after any number of exclamation marks.
func negated[T any](r *reader, primitive func() func(T) bool) func(T) bool {
	if !r.take("!") {
		return primitive()
	}
	is := negated(r, primitive)
	return func(x T) bool { return !is(x) }
}

// every returns a test that is true if all tests of the list are, anyOf one that is true if some test of the list is.
func every[T any](list []func(T) bool) func(T) bool { return decided(list, false) }
func anyOf[T any](list []func(T) bool) func(T) bool { return decided(list, true) }

// decided returns a test that gives decisive if some test of the list does, and !decisive otherwise.
func decided[T any](list []func(T) bool, decisive bool) func(T) bool {
	if len(list) == 1 {
		return list[0]
	}
	return func(x T) bool {
		for _, is := range list {
			if is(x) == decisive {
				return decisive
			}
		}
		return !decisive
	}
}

// bond reads a bond and returns its test, or nil if none is written.
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

// atom reads an atom and returns its test. depth counts the enclosing patterns.
func (r *reader) atom(depth int) func(place) bool {
	if !r.take("[") {
		if symbol := r.match(plainForm); symbol != nil {
			return symbolTest(symbol[0])
		}
		r.fail("want an atom; elements such as Si, and all conditions, stand in brackets")
	}
	hydrogen := hydrogenForm.MatchString(r.text[r.at:]) // H is the element here
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

// symbolTest returns the test for *, A, a or an element. Small letters test for aromatic atoms.
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

// elementOf returns the atomic number of a symbol of one letter or two, or 0.
func elementOf(symbol string) uint8 { return molecule.ElementOf(symbol[0], (symbol + "\x00")[1]) }

// counts are the conditions on numbers. without is the number that is meant if none is written: none means any but 0.
var counts = map[string]struct {
	without string
	of      func(place) int
}{
	"D": {"1", func(a place) int { return int(a.atom().Degree) }},
	"H": {"1", place.hydrogens},
	"h": {none, func(a place) int { return int(a.atom().Hydrogens) }},
	"X": {"1", func(a place) int { return int(a.atom().Degree) + int(a.atom().Hydrogens) }},
	"x": {none, place.ringBonds},
	"R": {none, func(a place) int { n, _ := a.ringsOf(); return n }},
	"r": {none, func(a place) int { _, size := a.ringsOf(); return size }},
	"#": {"0", func(a place) int { return int(a.atom().Element) }},
}

const none = "-1"

// primitive reads one condition of a bracket and returns its test. depth counts the enclosing patterns. It panics by fail.
func (r *reader) primitive(depth int) func(place) bool {
	if rest := r.text[r.at:]; len(rest) > 1 && elementOf(rest[:2]) > 0 {
		r.at += 2
		return symbolTest(rest[:2])
	}
	if symbol := r.match(symbolForm); symbol != nil {
		return symbolTest(symbol[0])
	}
	if m := r.match(countForm); m != nil {
		count := counts[m[1]]
		n := number(m[2], count.without)
		return func(a place) bool { return count.of(a) == n || n < 0 && count.of(a) > 0 } // n < 0 is none
	}
	if m := r.match(chargeForm); m != nil {
		n := number(m[2], strconv.Itoa(len(m[1])))
		if m[1][0] == '-' {
			n = -n
		}
		return func(a place) bool { return int(a.atom().Charge) == n }
	}
	if m := r.match(massForm); m != nil {
		mass := number(m[0], none)
		return func(a place) bool { return int(a.atom().Isotope) == mass }
	}
	if r.match(ignoredForm) != nil {
		return func(place) bool { return true }
	}
	if !r.take("$(") {
		r.fail("want an element or one of * A a # D H h X x R r + - @ $(")
	}
	p := r.pattern(depth + 1)
	if !r.take(")") {
		r.fail("the pattern in $( is never closed")
	}
	return func(a place) bool { return p.put(a.target, make([]int32, 0, len(p.atoms)), a.i) }
}

// number parses digits. Without digits it parses the text without.
func number(digits, without string) int {
	n, _ := strconv.Atoi(cmp.Or(digits, without)) // the forms allow nothing else
	return n
}
