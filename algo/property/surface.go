package property

import "baca/algo/molecule"

// surfaceKey describes an atom as table 3 of Ertl's paper does.
type surfaceKey struct {
	element                          uint8
	hydrogens                        int
	charge                           int8
	single, double, triple, aromatic int8
	three                            bool // in a ring of three
}

// surfaces are in Å².
var surfaces = map[surfaceKey]float64{
	{nitrogen, 0, 0, 0, 0, 1, 0, false}: 23.79, // N#
	{nitrogen, 1, 0, 0, 1, 0, 0, false}: 23.85, // [NH]=
	{nitrogen, 2, 0, 1, 0, 0, 0, false}: 26.02, // [NH2]-
	{nitrogen, 2, 1, 0, 1, 0, 0, false}: 25.59, // [NH2+]=
	{nitrogen, 3, 1, 1, 0, 0, 0, false}: 27.64, // [NH3+]-
	{nitrogen, 0, 0, 1, 1, 0, 0, false}: 12.36, // -N=
	{nitrogen, 0, 0, 0, 1, 1, 0, false}: 13.60, // =N#
	{nitrogen, 1, 0, 2, 0, 0, 0, false}: 12.03, // -[NH]-
	{nitrogen, 1, 0, 2, 0, 0, 0, true}:  21.94,
	{nitrogen, 0, 1, 1, 0, 1, 0, false}: 4.36,  // -[N+]#
	{nitrogen, 1, 1, 1, 1, 0, 0, false}: 13.97, // -[NH+]=
	{nitrogen, 2, 1, 2, 0, 0, 0, false}: 16.61, // -[NH2+]-
	{nitrogen, 0, 0, 0, 0, 0, 2, false}: 12.89, // :n:
	{nitrogen, 1, 0, 0, 0, 0, 2, false}: 15.79, // :[nH]:
	{nitrogen, 1, 1, 0, 0, 0, 2, false}: 14.14, // :[nH+]:
	{nitrogen, 0, 0, 3, 0, 0, 0, false}: 3.24,  // -N(-)-
	{nitrogen, 0, 0, 3, 0, 0, 0, true}:  3.01,
	{nitrogen, 0, 0, 1, 2, 0, 0, false}: 11.68, // -N(=)=
	{nitrogen, 0, 1, 2, 1, 0, 0, false}: 3.01,  // -[N+](-)=
	{nitrogen, 1, 1, 3, 0, 0, 0, false}: 4.44,  // -[NH+](-)-
	{nitrogen, 0, 0, 0, 0, 0, 3, false}: 4.41,  // :n(:):
	{nitrogen, 0, 0, 1, 0, 0, 2, false}: 4.93,  // -n(:):
	{nitrogen, 0, 0, 0, 1, 0, 2, false}: 8.39,  // =n(:):
	{nitrogen, 0, 1, 0, 0, 0, 3, false}: 4.10,  // :[n+](:):
	{nitrogen, 0, 1, 1, 0, 0, 2, false}: 3.88,  // -[n+](:):
	{nitrogen, 0, 1, 4, 0, 0, 0, false}: 0,     // -[N+](-)(-)-
	{oxygen, 0, 0, 0, 1, 0, 0, false}:   17.07, // O=
	{oxygen, 1, 0, 1, 0, 0, 0, false}:   20.23, // [OH]-
	{oxygen, 0, -1, 1, 0, 0, 0, false}:  23.06, // [O-]-
	{oxygen, 0, 0, 2, 0, 0, 0, false}:   9.23,  // -O-
	{oxygen, 0, 0, 2, 0, 0, 0, true}:    12.53,
	{oxygen, 0, 0, 0, 0, 0, 2, false}:   13.14, // :o:
}

// surface returns the polar surface of an atom in Å², 0 for elements other than nitrogen and oxygen. Atoms that are not in
// the table get what the paper's fit to numbers of neighbours and hydrogens gives.
func (a *atom) surface() float64 {
	if a.Element != nitrogen && a.Element != oxygen {
		return 0
	}
	bonds := func(order molecule.Order) int8 { return int8(a.bonds(order)) }
	key := surfaceKey{
		a.Element, a.Hydrogens, a.Charge,
		bonds(molecule.Single), bonds(molecule.Double), bonds(molecule.Triple), bonds(molecule.Aromatic), a.three,
	}
	area, known := surfaces[key]
	if !known {
		key.three = false // few types differ in a ring of three
		area, known = surfaces[key]
	}
	switch {
	case known:
		return area
	case a.Element == nitrogen:
		return max(0, 30.5-8.2*float64(len(a.links))+1.5*float64(a.Hydrogens))
	}
	return max(0, 28.5-8.6*float64(len(a.links))+1.5*float64(a.Hydrogens))
}
