package molfile

import (
	"fmt"
	"strings"

	"baca/algo/molecule"
)

// maxWritten bounds atoms and bonds in V2000.
const maxWritten = 999

// orders are V2000's bond types.
var orders = map[molecule.Order]int{molecule.Single: 1, molecule.Double: 2, molecule.Triple: 3, molecule.Aromatic: 1}

// Write returns a V2000 molfile of m in a Kekulé form, without coordinates and so without
// stereochemistry. It is false for what V2000 lacks: more than 999 atoms or bonds, quadruple,
// dative or Any bonds, and three unpaired electrons.
func Write(m *molecule.Molecule, name string) (string, bool) {
	if len(m.Atoms) > maxWritten || len(m.Bonds) > maxWritten {
		return "", false
	}
	double, ok := kekule(m)
	if !ok {
		return "", false
	}
	var atoms, bonds, properties strings.Builder
	sums := make([]int, len(m.Atoms))
	for i, b := range m.Bonds {
		order := orders[b.Order]
		if order == 0 {
			return "", false
		}
		if double[i] {
			order = 2
		}
		sums[b.From] += order
		sums[b.To] += order
		fmt.Fprintf(&bonds, "%3d%3d%3d  0\n", b.From+1, b.To+1, order)
	}
	for i, a := range m.Atoms {
		valence := sums[i] + int(a.Hydrogens)
		if valence == 0 || valence > 14 {
			valence = 15
		}
		if a.Element == 0 {
			valence = 0
		}
		fmt.Fprintf(&atoms, "    0.0000    0.0000    0.0000 %-3s 0  0  0  0  0%3d  0  0  0  0  0  0\n", molecule.Symbol(int(a.Element)), valence)
		if a.Charge != 0 {
			fmt.Fprintf(&properties, "M  CHG  1 %3d %3d\n", i+1, a.Charge)
		}
		switch {
		case a.Radicals > 2:
			return "", false
		case a.Radicals > 0:
			fmt.Fprintf(&properties, "M  RAD  1 %3d %3d\n", i+1, a.Radicals+1) // doublet or triplet
		}
		if a.Isotope != 0 {
			fmt.Fprintf(&properties, "M  ISO  1 %3d %3d\n", i+1, a.Isotope)
		}
	}
	name, _, _ = strings.Cut(name, "\n")
	return fmt.Sprintf("%s\n  BaCa\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n%s%s%sM  END\n", name, len(m.Atoms), len(m.Bonds), atoms.String(), bonds.String(), properties.String()), true
}

// maxTries bounds the Kekulé search, which rarely backtracks.
const maxTries = 100_000

// kekule returns the double bonds of one Kekulé form, false if none is found.
func kekule(m *molecule.Molecule) (double []bool, ok bool) {
	double = make([]bool, len(m.Bonds))
	used := make([]int, len(m.Atoms))
	aromatic := make([][]int, len(m.Atoms)) // bonds
	for i, b := range m.Bonds {
		order := orders[b.Order]
		used[b.From] += order
		used[b.To] += order
		if b.Order == molecule.Aromatic {
			aromatic[b.From], aromatic[b.To] = append(aromatic[b.From], i), append(aromatic[b.To], i)
		}
	}
	open := map[int32]bool{} // atoms that lack a double bond
	for i, a := range m.Atoms {
		if len(aromatic[i]) > 0 && lacks(a, used[i]+int(a.Hydrogens)+int(a.Radicals)) {
			open[int32(i)] = true
		}
	}
	tries := 0
	var search func() bool
	search = func() bool {
		if len(open) == 0 {
			return true
		}
		// The first atom with the fewest choices.
		at, choices := int32(-1), []int(nil)
		for i := range m.Atoms {
			if !open[int32(i)] {
				continue
			}
			var own []int
			for _, b := range aromatic[i] {
				if other := m.Bonds[b].From + m.Bonds[b].To - int32(i); open[other] {
					own = append(own, b)
				}
			}
			if at < 0 || len(own) < len(choices) {
				at, choices = int32(i), own
			}
			if len(choices) < 2 {
				break
			}
		}
		for _, b := range choices {
			if tries++; tries > maxTries {
				return false
			}
			other := m.Bonds[b].From + m.Bonds[b].To - at
			double[b] = true
			delete(open, at)
			delete(open, other)
			if search() {
				return true
			}
			double[b], open[at], open[other] = false, true, true
		}
		return false
	}
	return double, search()
}

// lacks reports an aromatic atom with one spare valence.
func lacks(a molecule.Atom, used int) bool {
	group := map[uint8]int{5: 3, 6: 4, 7: 5, 8: 6, 14: 4, 15: 5, 16: 6, 33: 5, 34: 6, 52: 6}[a.Element] - int(a.Charge)
	if a.Element == 5 {
		group = 3 - int(a.Charge)
	}
	valence := group // up to four electrons, else the complement to eight
	if group > 4 {
		valence = 8 - group
	}
	for used > valence && a.Element > 10 && valence < 6 {
		valence += 2
	}
	return valence-used == 1
}
