package explain

import (
	"slices"
	"strconv"
	"strings"

	"baca/algo/molecule"
)

// A pattern is a tree of atoms that a group is told by. It is written much like a SMILES: C is an atom
// that is not aromatic, c one that is, branches are in parentheses, and a bracket has elements
// and conditions:
//
//	[N;+;x3;h0]  a positive nitrogen with three neighbours, none of them hydrogen
//	=O           one that a double bond leads to, as the features show it
//	~C           an atom that has to be there, but is of another group
//
// The conditions are +, - and 0 (charges), h (hydrogens), x (neighbours with hydrogens), d (without), ^
// (1 linear, 2 flat, 3 tetrahedral) and r: all atoms with r are in one ring, and with r5 in one of
// five, whose other atoms belong to the group unless they are aromatic. M is any metal.
type pattern struct {
	name  string
	atoms []patternAtom // the first is the middle
	size  int           // of the ring, 0 for any
}

type patternAtom struct {
	parent                        int
	elements                      []int // none for a metal
	aromatic, context, double, in bool
	conditions                    []condition
}

type condition struct {
	kind  byte
	value int
}

// parsePattern reads a pattern of the table, in which a mistake is one of the program.
func parsePattern(name, text string) *pattern {
	p, at, stack := &pattern{name: name}, -1, []int(nil)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			stack = append(stack, at)
			continue
		case ')':
			at, stack = stack[len(stack)-1], stack[:len(stack)-1]
			continue
		}
		atom := patternAtom{parent: at}
		for ; text[i] == '~' || text[i] == '='; i++ {
			atom.context = atom.context || text[i] == '~'
			atom.double = atom.double || text[i] == '='
		}
		end := i + 1
		if text[i] == '[' {
			end = i + strings.IndexByte(text[i:], ']')
			i++
		}
		p.read(&atom, text[i:end])
		i = max(i, end-1)
		if end < len(text) && text[end] == ']' {
			i = end
		}
		p.atoms = append(p.atoms, atom)
		at = len(p.atoms) - 1
	}
	return p
}

// read reads the elements and conditions of an atom.
func (p *pattern) read(atom *patternAtom, text string) {
	parts := strings.Split(text, ";")
	for _, symbol := range strings.Split(parts[0], ",") {
		atom.aromatic = symbol == strings.ToLower(symbol)
		if symbol != "M" {
			atom.elements = append(atom.elements, elementOf(strings.ToUpper(symbol[:1])+symbol[1:]))
		}
	}
	for _, part := range parts[1:] {
		value, _ := strconv.Atoi(strings.TrimLeft(part, "hxd^r+-0"))
		if atom.in = atom.in || part[0] == 'r'; part[0] == 'r' {
			p.size = value
			continue
		}
		atom.conditions = append(atom.conditions, condition{part[0], value})
	}
}

func elementOf(symbol string) int {
	for number := 1; number <= molecule.MaxElement; number++ {
		if molecule.Symbol(number) == symbol {
			return number
		}
	}
	panic("explain: no element " + symbol)
}

// find returns the atoms of the group whose middle is atom i, and false where it is in none.
func (p *pattern) find(a *atoms, i int) ([]int, bool) {
	if a.taken[i] || !p.atoms[0].is(a, i) {
		return nil, false
	}
	found, ring := p.place(a, []int{i})
	if found == nil {
		return nil, false
	}
	var nodes []int
	for k, j := range found {
		if !p.atoms[k].context {
			nodes = append(nodes, j)
		}
	}
	if p.size > 0 {
		for _, j := range ring {
			if !a.aromatic(j) {
				nodes = append(nodes, j)
			}
		}
	}
	return nodes, true
}

// place finds atoms for the rest of the pattern, and their ring.
func (p *pattern) place(a *atoms, found []int) (all, ring []int) {
	k := len(found)
	if k == len(p.atoms) {
		return p.closed(a, found)
	}
	next := &p.atoms[k]
	for _, j := range a.Row(found[next.parent]) {
		if j := int(j); (next.context || !a.taken[j]) && !slices.Contains(found, j) && next.is(a, j) {
			if all, ring := p.place(a, append(found, j)); all != nil {
				return all, ring
			}
		}
	}
	return nil, nil
}

// closed tells whether atoms are in one ring as far as the pattern has them in one.
func (p *pattern) closed(a *atoms, found []int) (all, ring []int) {
	var inside []int
	for k, j := range found {
		if p.atoms[k].in {
			inside = append(inside, j)
		}
	}
	if inside == nil {
		return found, nil
	}
	for _, ring := range a.rings {
		if (p.size == 0 || len(ring) == p.size) && count(inside, ring) == len(inside) {
			return found, ring
		}
	}
	return nil, nil
}

// count is how many of these are in the list.
func count(these, list []int) int {
	n := 0
	for _, i := range these {
		if slices.Contains(list, i) {
			n++
		}
	}
	return n
}

func (t *patternAtom) is(a *atoms, i int) bool {
	if t.elements == nil && !a.metal(i) || t.elements != nil && !slices.Contains(t.elements, a.element(i)) || t.aromatic != a.aromatic(i) {
		return false
	}
	if t.double && !a.double(i) {
		return false
	}
	for _, c := range t.conditions {
		if !c.holds(a, i) {
			return false
		}
	}
	return true
}

func (c condition) holds(a *atoms, i int) bool {
	switch c.kind {
	case '+':
		return a.charge(i) > 0
	case '-':
		return a.charge(i) < 0
	case '0':
		return a.charge(i) == 0
	case 'h':
		return a.hydrogens(i) == c.value
	case 'x':
		return a.neighbours(i) == c.value
	case 'd':
		return a.Degree(i) == c.value
	}
	return a.value(i, molecule.ColumnHybridization) == c.value-1
}
