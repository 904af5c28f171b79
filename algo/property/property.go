// Package property computes what chemists sort by: weight, lipophilicity, polar surface, hydrogen
// bonds and flexibility.
//
//	p := property.Of(m)
package property

import (
	"fmt"

	"baca/algo/molecule"
)

// Properties are of a molecule as written, all its fragments together.
type Properties struct {
	Weight    float64 // average molecular weight, in g/mol
	LogP      float64 // Wildman and Crippen, J. Chem. Inf. Comput. Sci. 39, 868 (1999)
	TPSA      float64 // in Å², of nitrogen and oxygen; Ertl, Rohde and Selzer, J. Med. Chem. 43, 3714 (2000)
	Donors    int     // hydrogens on nitrogen and oxygen, as Lipinski counts
	Acceptors int     // nitrogens and oxygens, as Lipinski counts
	Rotatable int     // single bonds outside of rings between atoms that have further neighbours and no triple bond
}

// String returns all properties on one line.
func (p *Properties) String() string {
	return fmt.Sprintf("%.1f g/mol, logP %.1f, TPSA %.0f Å², H-bond donors %d, acceptors %d, rotatable bonds %d",
		p.Weight, p.LogP, p.TPSA, p.Donors, p.Acceptors, p.Rotatable)
}

// Of returns the properties of m, whose isotopes count as natural.
func Of(m *molecule.Molecule) Properties {
	var p Properties
	atoms := surroundings(m)
	for i := range atoms {
		a := &atoms[i]
		if a.counted {
			continue
		}
		p.Weight += weights[a.Element] + float64(a.Hydrogens)*weights[1]
		p.LogP += a.logP() + float64(a.Hydrogens)*a.hydrogenLogP()
		p.TPSA += a.surface()
		if a.Element == nitrogen || a.Element == oxygen {
			p.Acceptors++
			p.Donors += a.Hydrogens
		}
	}
	for _, b := range m.Bonds {
		if b.Order == molecule.Single && !b.InRing && atoms[b.From].turns() && atoms[b.To].turns() {
			p.Rotatable++
		}
	}
	return p
}

const (
	carbon     = 6
	nitrogen   = 7
	oxygen     = 8
	phosphorus = 15
	sulfur     = 16
)

// An atom of a molecule with hydrogen atoms counted by their neighbour.
type atom struct {
	*molecule.Atom
	Hydrogens int    // with those that are atoms, such as deuterium
	counted   bool   // a hydrogen atom, by its neighbour
	links     []link // to atoms that are not counted
	three     bool   // in a ring of three
}

type link struct {
	order molecule.Order
	to    *atom
}

// surroundings returns the atoms of m with their links.
func surroundings(m *molecule.Molecule) []atom {
	atoms := make([]atom, len(m.Atoms))
	for i := range atoms {
		atoms[i].Atom, atoms[i].Hydrogens = &m.Atoms[i], int(m.Atoms[i].Hydrogens)
	}
	for _, b := range m.Bonds {
		from, to := &atoms[b.From], &atoms[b.To]
		if from.countedBy(to) || to.countedBy(from) {
			continue
		}
		from.links = append(from.links, link{b.Order, to})
		to.links = append(to.links, link{b.Order, from})
	}
	for _, b := range m.Bonds { // rings of three: a neighbour of one end is a neighbour of the other
		if !b.InRing {
			continue
		}
		from, to := &atoms[b.From], &atoms[b.To]
		for _, l := range from.links {
			if l.to.count(func(l link) bool { return l.to == to }) > 0 {
				from.three, to.three, l.to.three = true, true, true
			}
		}
	}
	return atoms
}

// countedBy counts a as a hydrogen of its neighbour to and returns true. It does nothing and returns false if a is no
// hydrogen or has other bonds, or if to is a hydrogen or wildcard.
func (a *atom) countedBy(to *atom) bool {
	if a.Element != 1 || a.Degree != 1 || to.Element <= 1 {
		return false
	}
	a.counted = true
	to.Hydrogens++
	return true
}

// count returns how many links of the atom fulfil a condition.
func (a *atom) count(is func(l link) bool) int {
	n := 0
	for _, l := range a.links {
		if is(l) {
			n++
		}
	}
	return n
}

// bonds counts the bonds of an order.
func (a *atom) bonds(order molecule.Order) int {
	return a.count(func(l link) bool { return l.order == order })
}

// turns reports whether a bond of the atom can be rotatable, see Properties.
func (a *atom) turns() bool { return len(a.links) > 1 && a.bonds(molecule.Triple) == 0 }

// weights are standard atomic weights by atomic number.
var weights = [molecule.MaxElement + 1]float64{
	0, 1.008, 4.003, 6.941, 9.012, 10.812, 12.011, 14.007, 15.999, 18.998, 20.18, 22.99, 24.305, 26.982, 28.086,
	30.974, 32.067, 35.453, 39.948, 39.098, 40.078, 44.956, 47.867, 50.942, 51.996, 54.938, 55.845, 58.933,
	58.693, 63.546, 65.39, 69.723, 72.61, 74.922, 78.96, 79.904, 83.8, 85.468, 87.62, 88.906, 91.224, 92.906,
	95.94, 98, 101.07, 102.906, 106.42, 107.868, 112.412, 114.818, 118.711, 121.76, 127.6, 126.904, 131.29,
	132.905, 137.328, 138.906, 140.116, 140.908, 144.24, 145, 150.36, 151.964, 157.25, 158.925, 162.5, 164.93,
	167.26, 168.934, 173.04, 174.967, 178.49, 180.948, 183.84, 186.207, 190.23, 192.217, 195.078, 196.967, 200.59,
	204.383, 207.2, 208.98, 209, 210, 222, 223, 226, 227, 232.038, 231.036, 238.029, 237, 244, 243, 247, 247, 251,
	252, 257, 258, 259, 262, 267, 268, 269, 270, 269, 278, 281, 281, 285, 284, 289, 288, 293, 292, 294,
}
