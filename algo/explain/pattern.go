package explain

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"baca/algo/molecule"
)

// A pattern is a tree of atoms that identifies a group. Its notation resembles SMILES: C is an atom
// that is not aromatic, c an aromatic one, branches are in parentheses, and a bracket has elements
// and conditions:
//
//	[N;q+1;x3;h0]  a positive nitrogen with three neighbours, none of them hydrogen
//	=O             an atom with a double bond to it, as features show it
//	~C             a required atom of another group
//
// The conditions are
//
//	q  the sign of the charge; + and - are short for q+1 and q-1
//	h  hydrogens
//	x  neighbours, hydrogens included
//	d  neighbours, hydrogens not included
//	^  1 linear, 2 flat, 3 tetrahedral
//	r  all atoms with r are in one ring. With r5 that ring has five atoms, and those of
//	   them that are not aromatic belong to the group.
//
// M is any metal.
type pattern struct {
	name   string
	centre string        // the notation of the first atom
	atoms  []patternAtom // the first is the centre
	size   int           // of the ring, 0 for any
}

type patternAtom struct {
	parent  int // index of the atom it is bound to; -1 for the centre
	kinds   kindSet
	context bool // ~: not a member of the group
	in      bool // r
	// The traits of an atom that fits, as pack has them, have these values in the bits of asked.
	asked, traits uint32
}

// Traits of an atom have four bits each, in this order, then one that tells of a double bond, see atoms.double.
const traitNames = "qhxd^"

const doubleTrait = 1 << (4 * len(traitNames))

// pack returns the traits of atom i.
func (a *atoms) pack(i int) (traits uint32) {
	for k, value := range [len(traitNames)]int{
		cmp.Compare(a.Charge(i), 0), a.hydrogens(i), a.neighbours(i), a.heavy(i), a.Value(i, molecule.ColumnHybridization) + 1,
	} {
		traits |= trait4(value) << (4 * k)
	}
	if a.double(i) {
		traits |= doubleTrait
	}
	return traits
}

// trait4 returns the four bits of a value. Those from 13 on are alike, and no pattern asks for them.
func trait4(value int) uint32 { return uint32(min(max(value, -1), 13) + 1) }

// tokens are parentheses and atoms with marks, elements and conditions.
var tokens = regexp.MustCompile(`[()]|([~=]*)(?:\[([^\]]*)\]|([A-Za-z]))`)

// parsePattern parses the pattern of a group name. Patterns are built in: a mistake panics.
func parsePattern(name, text string) *pattern {
	p, at, stack := &pattern{name: name}, -1, []int(nil) // at is the atom before; stack has those before open branches
	for _, token := range tokens.FindAllStringSubmatch(text, -1) {
		switch token[0] {
		case "(":
			stack = append(stack, at)
		case ")":
			at, stack = stack[len(stack)-1], stack[:len(stack)-1]
		default:
			atom := patternAtom{parent: at, context: strings.Contains(token[1], "~")}
			if strings.Contains(token[1], "=") {
				atom.ask(doubleTrait, doubleTrait)
			}
			p.read(&atom, token[2]+token[3])
			if at < 0 {
				p.centre = token[0]
			}
			at, p.atoms = len(p.atoms), append(p.atoms, atom)
		}
	}
	return p
}

// read parses the elements and conditions of an atom into atom, and the size of the ring into p.
func (p *pattern) read(atom *patternAtom, text string) {
	parts := strings.Split(text, ";")
	for _, symbol := range strings.Split(parts[0], ",") {
		if symbol == "M" {
			atom.kinds = metals & otherKinds
			continue
		}
		half := otherKinds
		if symbol == strings.ToLower(symbol) {
			half = aromaticKinds
		}
		atom.kinds |= kindsOf(strings.ToUpper(symbol[:1])+symbol[1:]) & half
	}
	for _, part := range parts[1:] {
		if part == "+" || part == "-" {
			part = "q" + part + "1"
		}
		value, _ := strconv.Atoi(part[1:]) // 0 for r alone
		if part[0] == 'r' {
			atom.in, p.size = true, value
		} else {
			at := 4 * strings.IndexByte(traitNames, part[0])
			atom.ask(15<<at, trait4(value)<<at)
		}
	}
}

// elementOf returns the atomic number of a symbol. It panics if there is no such element.
func elementOf(symbol string) int {
	for number := range molecule.MaxElement + 1 {
		if molecule.Symbol(number) == symbol {
			return number
		}
	}
	panic("explain: no element " + symbol)
}

// naming returns the group that the pattern finds around atom i, which fits its centre, or a group without a name. The nodes of the
// group leave out those that the pattern has as context, and include the ring that it asks for, but not its aromatic
// atoms.
func (p *pattern) naming(a *atoms, i int) group {
	found, ring := p.place(a, append(a.found, i))
	if found == nil {
		return group{}
	}
	var nodes []int
	for k, j := range found {
		if !p.atoms[k].context {
			nodes = append(nodes, j)
		}
	}
	if p.size == 0 {
		return group{name: p.name, nodes: nodes}
	}
	return group{name: p.name, nodes: append(nodes, slices.DeleteFunc(slices.Clone(ring), a.Aromatic)...), ring: ring}
}

// place extends found, the atoms of a for the first atoms of the pattern, to the whole pattern. It returns all atoms and
// the ring that they close, see closed, or nil if nothing fits.
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

// closed checks that one ring of the right size has all atoms marked r, and returns found and this ring. The ring is
// nil if no atom is marked. If no ring fits, both are nil.
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

// count returns how many of these are in list.
func count(these, list []int) int {
	n := 0
	for _, i := range these {
		if slices.Contains(list, i) {
			n++
		}
	}
	return n
}

// ask adds what the bits of asked have to be.
func (t *patternAtom) ask(asked, traits uint32) { t.asked, t.traits = t.asked|asked, t.traits|traits }

// is reports whether atom i of a molecule fits.
func (t *patternAtom) is(a *atoms, i int) bool {
	return a.kinds[i]&t.kinds != 0 && a.traits[i]&t.asked == t.traits
}
