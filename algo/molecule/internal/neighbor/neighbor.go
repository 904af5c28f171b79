// Package neighbor lists the neighbours of atoms.
package neighbor

// A Link leads over a bond to a neighbour.
type Link struct{ Atom, Bond int32 }

// A Table has all links: those of atom i are Links[Spans[i].Lo:Spans[i].Hi], in the order of bonds.
type Table struct {
	Spans []Span
	Links []Link
}

// A Span is a part of a slice, from Lo to Hi-1.
type Span struct{ Lo, Hi int32 }

// Of returns the links of atom i.
func (t *Table) Of(i int32) []Link {
	s := t.Spans[i]
	return t.Links[s.Lo:s.Hi]
}

// Degree is the number of neighbours of atom i.
func (t *Table) Degree(i int32) int32 { return t.Spans[i].Hi - t.Spans[i].Lo }

// Between returns the bond between two atoms, or -1.
func (t *Table) Between(i, j int32) int32 {
	if t.Degree(i) > t.Degree(j) {
		i, j = j, i
	}
	for _, l := range t.Of(i) {
		if l.Atom == j {
			return l.Bond
		}
	}
	return -1
}
