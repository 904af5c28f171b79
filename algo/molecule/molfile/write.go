package molfile

import (
	"fmt"
	"strings"

	"baca/algo/molecule"
)

// maxWritten is the most atoms or bonds that V2000 can count.
const maxWritten = 999

// maxValence is the highest valence that V2000 can state. noBonds states a valence of 0.
const maxValence, noBonds = 14, 15

// types are V2000's bond types.
var types = map[molecule.Order]int{molecule.Single: 1, molecule.Double: 2, molecule.Triple: 3}

// Write returns a V2000 molfile of m in a Kekulé form. The file has no coordinates and so no stereochemistry. Write
// returns false for what V2000 cannot say: more than 999 atoms or bonds, quadruple, dative or Any bonds,
// more than two unpaired electrons, and hydrogens at a valence above 14. It also does so if there is no Kekulé form.
func Write(m *molecule.Molecule, name string) (string, bool) {
	if len(m.Atoms) > maxWritten || len(m.Bonds) > maxWritten {
		return "", false
	}
	orders, ok := m.Kekule()
	if !ok {
		return "", false
	}
	var atoms, bonds, properties strings.Builder
	sums := make([]int, len(m.Atoms))
	for i, b := range m.Bonds {
		order := types[orders[i]]
		if order == 0 {
			return "", false
		}
		sums[b.From] += order
		sums[b.To] += order
		fmt.Fprintf(&bonds, "%3d%3d%3d  0\n", b.From+1, b.To+1, order)
	}
	for i, a := range m.Atoms {
		valence := sums[i] + int(a.Hydrogens)
		if valence > maxValence && a.Hydrogens > 0 {
			return "", false
		}
		if valence == 0 || valence > maxValence {
			valence = noBonds // so that a reader adds no hydrogens
		}
		if a.Element == 0 {
			valence = 0
		}
		fmt.Fprintf(&atoms, "    0.0000    0.0000    0.0000 %-3s 0  0  0  0  0%3d  0  0  0  0  0  0\n",
			molecule.Symbol(int(a.Element)), valence)
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
	return fmt.Sprintf("%s\n  BaCa\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n%s%s%sM  END\n", name, len(m.Atoms),
		len(m.Bonds), atoms.String(), bonds.String(), properties.String()), true
}
