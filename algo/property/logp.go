package property

import (
	"slices"

	"baca/algo/molecule"
)

// is reports whether the atom is of a class, written as in SMARTS: C, N, O and S aliphatic, c aromatic carbon, A any
// aliphatic, a any aromatic atom, X one of [N,O,P,S,F,Cl,Br,I] that is aliphatic, and M an aliphatic atom that is none
// of these and no carbon. Any other letter selects every atom.
func (a *atom) is(class byte) bool {
	switch class {
	case 'C':
		return a.Element == carbon && !a.Aromatic
	case 'c':
		return a.Element == carbon && a.Aromatic
	case 'A':
		return !a.Aromatic
	case 'a':
		return a.Aromatic
	case 'N':
		return a.Element == nitrogen && !a.Aromatic
	case 'O':
		return a.Element == oxygen && !a.Aromatic
	case 'S':
		return a.Element == sulfur && !a.Aromatic
	case 'X':
		return !a.Aromatic && isHetero(a.Element)
	case 'M':
		return !a.Aromatic && a.Element != carbon && !isHetero(a.Element)
	}
	return true
}

// isHetero reports whether an element is one of class X.
func isHetero(element uint8) bool {
	return slices.Contains([]uint8{nitrogen, oxygen, phosphorus, sulfur, 9, 17, 35, 53}, element)
}

// bound counts the neighbours of a kind by bonds of an order.
func (a *atom) bound(order molecule.Order, is func(to *atom) bool) int {
	return a.count(func(l link) bool { return l.order == order && is(l.to) })
}

// on counts the neighbours of a class by bonds of an order.
func (a *atom) on(order molecule.Order, class byte) int {
	return a.bound(order, func(to *atom) bool { return to.is(class) })
}

func (a *atom) single(class byte) int { return a.on(molecule.Single, class) }
func (a *atom) double(class byte) int { return a.on(molecule.Double, class) }
func (a *atom) triple(class byte) int { return a.on(molecule.Triple, class) }

// A rule is an atom type of table 1 of the paper, and whether it fits an atom.
type rule struct {
	value float64
	fits  bool
}

// firstFit returns the value of the first rule that fits. It panics if none does.
func firstFit(rules []rule) float64 {
	return rules[slices.IndexFunc(rules, func(r rule) bool { return r.fits })].value
}

// logP returns the contribution of the atom to logP. Comments here and below name the atom types of the paper.
func (a *atom) logP() float64 {
	switch a.Element {
	case 1:
		hydrocarbon := a.count(func(l link) bool { return l.to.Element == carbon || l.to.Element == 1 }) > 0
		return choose(hydrocarbon, 0.123, choose(len(a.links) > 0, -0.2677, 0.1125)) // H1, H2, HS
	case carbon:
		if a.Aromatic {
			return a.aromaticCarbon()
		}
		return a.carbon()
	case nitrogen:
		if a.Aromatic {
			return choose(a.Charge == 0, -0.3239, choose(a.Charge > 0, -1.119, -0.4806)) // N11, N12, NS
		}
		return a.nitrogen()
	case oxygen:
		return a.oxygen()
	case 9, 17, 35:
		halogens := map[uint8]float64{9: 0.4202, 17: 0.6895, 35: 0.8456}
		return choose(a.Charge == 0, halogens[a.Element], choose(a.Charge < 0, -2.996, 0)) // F, Cl or Br, Hal
	case 53:
		return choose(a.Charge == 0, 0.8857, -2.996) // I, Hal
	case phosphorus:
		return 0.8612 // P
	case sulfur:
		return a.sulfur()
	}
	return a.metal()
}

// choose returns then if is is true, else otherwise.
func choose(is bool, then, otherwise float64) float64 {
	if is {
		return then
	}
	return otherwise
}

// carbon returns logP of an aliphatic carbon.
func (a *atom) carbon() float64 {
	h, degree := a.Hydrogens, len(a.links)+a.Hydrogens
	A, X, C, aromatic := a.single('A'), a.single('X'), a.single('C'), a.single('a')
	four := degree == 4
	return firstFit([]rule{
		{0.1441, h == 4 || h == 3 && C > 0 || h == 2 && C > 1},                                             // C1
		{0, h == 1 && C > 2 || C > 3},                                                                      // C2
		{-0.2035, h == 3 && X > 0 || h == 2 && four && X > 0 && A > 1},                                     // C3
		{-0.2051, h == 1 && four && X > 0 && A > 2 || h == 0 && four && X > 0 && A > 3},                    // C4
		{-0.2783, a.double('A') > a.double('C')},                                                           // C5
		{0.1551, a.double('C') > 0 && (h == 2 || h == 1 && A > 0 || h == 0 && A > 1 || a.double('C') > 1)}, // C6
		{0.0017, degree == 2 && a.triple('A') > 0},                                                         // C7
		{0.08452, h == 3 && a.single('c') > 0},                                                             // C8
		{-0.1444, h == 3 && aromatic > 0},                                                                  // C9
		{-0.0516, h == 2 && four && aromatic > 0},                                                          // C10
		{0.1193, h == 1 && four && aromatic > 0},                                                           // C11
		{-0.0967, h == 0 && four && aromatic > 0},                                                          // C12
		{0.264, a.double('C') > 0 && aromatic > 0 && (A > 0 || a.single('c') > 0 && aromatic > 1 || h == 1) || a.double('c') > 0}, // C26
		{0.2148, four && a.single('M') > 0}, // C27
		{0.08129, true},                     // CS
	})
}

// aromaticCarbon returns logP of an aromatic carbon.
func (a *atom) aromaticCarbon() float64 {
	to := func(z uint8) bool { return a.count(func(l link) bool { return l.to.Element == z }) > 0 }
	phosphoryl := a.bound(molecule.Single, func(to *atom) bool { return to.Element == phosphorus && !to.Aromatic })
	inRing := a.on(molecule.Aromatic, 'a')
	return firstFit([]rule{
		{-0.5443, a.Hydrogens == 0 && a.single('M')+phosphoryl > 0}, // C13
		{0, to(9)},                  // C14
		{0.245, to(17)},             // C15
		{0.198, to(35)},             // C16
		{0, to(53)},                 // C17
		{0.1581, a.Hydrogens == 1},  // C18
		{0.2955, inRing > 2},        // C19
		{0.08129, inRing < 2},       // CS
		{0.2713, a.single('a') > 0}, // C20
		{0.136, a.single('C') > 0},  // C21
		{0.4619, a.single('N') > 0}, // C22
		{0.5437, a.single('O') > 0}, // C23
		{0.1893, a.single('S') > 0}, // C24
		{-0.8186, a.double('C')+a.double('N')+a.double('O') > 0}, // C25
		{0.08129, true}, // CS
	})
}

// hydrogenLogP returns logP of a hydrogen at the atom.
func (a *atom) hydrogenLogP() float64 {
	if a.Element == oxygen && !a.Aromatic {
		return a.hydroxylLogP()
	}
	return firstFit([]rule{
		{0.123, a.Element == carbon},    // H1
		{0.2142, a.Element == nitrogen}, // H3
		{-0.2677, true},                 // H2
	})
}

// hydroxylLogP returns logP of a hydrogen at an aliphatic oxygen.
func (a *atom) hydroxylLogP() float64 {
	carbonyl := func(to *atom) bool {
		return to.is('C') && to.bound(molecule.Double, func(end *atom) bool {
			return end.Element == carbon || end.Element == nitrogen || end.is('O') || end.is('S')
		}) > 0
	}
	saturated := func(to *atom) bool { return to.is('C') && len(to.links)+to.Hydrogens == 4 }
	other := func(to *atom) bool { return to.Element != nitrogen && !to.is('C') && !to.is('O') && !to.is('S') }
	single := func(is func(to *atom) bool) bool { return a.bound(molecule.Single, is) > 0 }
	return firstFit([]rule{
		{-0.2677, a.Hydrogens > 1 || a.single('c') > 0 || single(saturated) || single(other)}, // H2
		{0.2142, single(func(to *atom) bool { return to.Element == nitrogen })},               // H3
		{0.298, single(carbonyl) || a.single('O')+a.single('S') > 0},                          // H4
		{0.1125, true}, // HS
	})
}

// nitrogen returns logP of a nitrogen that is not aromatic.
func (a *atom) nitrogen() float64 {
	h, neutral := a.Hydrogens, a.Charge == 0
	A, aromatic := a.single('A'), a.single('a')
	double := a.bonds(molecule.Double)
	return firstFit([]rule{
		{-1.019, neutral && h == 2 && A > 0},              // N1
		{-0.7096, neutral && h == 1 && A > 1},             // N2
		{-1.027, neutral && h == 2 && aromatic > 0},       // N3
		{-0.5188, neutral && h == 1 && A+aromatic > 1},    // N4
		{0.08387, neutral && h == 1 && double > 0},        // N5
		{0.1836, neutral && double > 0 && A+aromatic > 0}, // N6
		{-0.3187, neutral && A > 2},                       // N7
		{-0.4458, neutral && A+aromatic > 2},              // N8
		{0.01508, neutral && a.triple('A') > 0},           // N9
		{-1.95, a.Charge > 0 && h >= 1 && h <= 3},         // N10
		{a.chargedNitrogen(A, aromatic, double), true},
	})
}

// chargedNitrogen returns logP of a nitrogen that is not aromatic and of none of the types N1 to N10. A, aromatic and
// double are what the method nitrogen counted.
func (a *atom) chargedNitrogen(A, aromatic, double int) float64 {
	cation := a.Charge > 0
	anions := a.bound(molecule.Double, func(to *atom) bool { return to.is('N') && to.Charge < 0 })
	diazo := a.double('C')+a.double('c') > 0 && a.bound(molecule.Double, func(to *atom) bool { return to.Element == nitrogen }) > 0
	return firstFit([]rule{
		{-0.3396, cation && a.Hydrogens == 0 && (A > 3 || a.double('A') > 0 && A > 0 && A+aromatic > 1 || diazo)}, // N13
		{0.2887, cation && a.triple('A') > 0 || a.Charge < 0 || cation && anions > 0 && a.double('N') > 1},        // N14
		{-0.4806, true}, // NS
	})
}

// oxygen returns logP of an oxygen.
func (a *atom) oxygen() float64 {
	A, aromatic := a.single('A'), a.single('a')
	anion := a.Charge < 0 && len(a.links) == 1 && a.Hydrogens == 0
	to := func(order molecule.Order, elements ...uint8) bool {
		return a.bound(order, func(to *atom) bool { return slices.Contains(elements, to.Element) }) > 0
	}
	sulfoxide := a.Charge == 0 && a.bound(molecule.Double, func(to *atom) bool { return to.Element == sulfur && to.Charge == 0 }) > 0
	acid := a.bound(molecule.Single, func(to *atom) bool { return to.is('C') && to.double('O') > 0 }) > 0
	carbonyl := -0.1188 // OS, unless a is the oxygen of a carbonyl group
	for _, l := range a.links {
		if l.order == molecule.Double && l.to.is('C') {
			carbonyl = l.to.carbonylLogP()
		}
	}
	return firstFit([]rule{
		{0.1552, a.Aromatic},                            // O1
		{-0.2893, a.Hydrogens == 1 || a.Hydrogens == 2}, // O2
		{-0.0684, A > 1},                                // O3
		{-0.4195, A+aromatic > 1},                       // O4
		{0.0335, to(molecule.Double, nitrogen, oxygen) || anion && to(molecule.Single, nitrogen)}, // O5
		{-0.3339, sulfoxide || anion && to(molecule.Single, sulfur)},                              // O6
		{-1.326, a.Charge == -1 && acid},                                                          // O12
		{-1.189, anion && A+aromatic > 0 && a.single('N')+a.single('S') == 0},                     // O7
		{0.1788, a.double('c') > 0},                                                               // O8
		{carbonyl, true},
	})
}

// carbonylLogP returns logP of the oxygen of a carbonyl group. a is the group's carbon.
func (a *atom) carbonylLogP() float64 {
	C, c, A, aromatic := a.single('C'), a.single('c'), a.single('A'), a.single('a')
	other := a.bound(molecule.Single, func(to *atom) bool { return to.Element != carbon })
	h := a.Hydrogens
	aldehyde := h == 1 && C+a.single('N')+a.single('O') > 0
	dioxide := len(a.links) == 2 && h == 0 && a.double('O') > 1
	return firstFit([]rule{
		{-0.1526, aldehyde || dioxide || C > 0 && A > 1 || h == 2},                               // O9
		{0.1129, h == 1 && c > 0 || aromatic > 0 && C+c > 0 && C+aromatic > 1 || c > 0 && A > 0}, // O10
		{0.4833, other > 1}, // O11
		{-0.1188, true},     // OS
	})
}

// sulfur returns logP of a sulfur.
func (a *atom) sulfur() float64 {
	double := a.bound(molecule.Double, func(to *atom) bool {
		return to.is('N') || to.is('O') || to.is('S') || to.Element == phosphorus && !to.Aromatic
	})
	return firstFit([]rule{
		{0.6237, a.Aromatic},                   // S3
		{-0.0024, a.Charge != 0 || double > 0}, // S2
		{0.6482, true},                         // S1
	})
}

// metal returns logP of other elements: Me1 for main groups, Me2 for transition metals, and 0.
func (a *atom) metal() float64 {
	z := a.Element
	in := func(numbers ...uint8) bool { return slices.Contains(numbers, z) }
	return firstFit([]rule{
		{-2.996, a.Charge == 1 && in(3, 11, 19, 37, 55)}, // Hal, which has alkali cations, too
		{-0.3808, in(3, 11, 19, 37, 55, 4, 12, 20, 38, 56, 5, 13, 31, 49, 81, 14, 32, 50, 82, 33, 51, 83, 34, 52, 84)},
		{-0.0025, 21 <= z && z <= 30 || 39 <= z && z <= 48 || 72 <= z && z <= 80},
		{0, true},
	})
}
