package property

import (
	"strings"

	"baca/algo/molecule"
)

// A class selects neighbours, written as in SMARTS: C aliphatic, c aromatic carbon, A any aliphatic,
// a any aromatic atom, X one of [N,O,P,S,F,Cl,Br,I] and M none of these and no carbon.
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

func isHetero(element uint8) bool {
	return strings.IndexByte("\x07\x08\x0f\x10\x09\x11\x23\x35", element) >= 0
}

// on counts the neighbours of a class by bonds of an order.
func (a *atom) on(order molecule.Order, class byte) int {
	return a.count(func(l link) bool { return l.order == order && l.to.is(class) })
}

func (a *atom) single(class byte) int { return a.on(molecule.Single, class) }
func (a *atom) double(class byte) int { return a.on(molecule.Double, class) }
func (a *atom) triple(class byte) int { return a.on(molecule.Triple, class) }

// The types of table 1 of the paper in its order: the first that fits counts.

func (a *atom) logP() float64 {
	switch a.Element {
	case 1: // HS
		return 0.1125
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
		return choose(a.Charge == 0, halogens[a.Element], choose(a.Charge < 0, -2.996, 0))
	case 53:
		return choose(a.Charge == 0, 0.8857, -2.996)
	case 15:
		return 0.8612
	case sulfur:
		return a.sulfur()
	}
	return a.metal()
}

func choose(is bool, then, otherwise float64) float64 {
	if is {
		return then
	}
	return otherwise
}

func (a *atom) carbon() float64 {
	h, degree := a.Hydrogens, len(a.links)+int(a.Hydrogens)
	A, X, C, aromatic := a.single('A'), a.single('X'), a.single('C'), a.single('a')
	four := degree == 4
	switch {
	case h == 4, h == 3 && C > 0, h == 2 && C > 1: // C1
		return 0.1441
	case h == 1 && C > 2, C > 3: // C2
		return 0
	case h == 3 && X > 0, h == 2 && four && X > 0 && A > 1: // C3
		return -0.2035
	case h == 1 && four && X > 0 && A > 2, h == 0 && four && X > 0 && A > 3: // C4
		return -0.2051
	case a.double('A') > a.double('C'): // C5
		return -0.2783
	case a.double('C') > 0 && (h == 2 || h == 1 && A > 0 || h == 0 && A > 1 || a.double('C') > 1): // C6
		return 0.1551
	case degree == 2 && a.triple('A') > 0: // C7
		return 0.0017
	case h == 3 && a.single('c') > 0: // C8
		return 0.08452
	case h == 3 && aromatic > 0: // C9
		return -0.1444
	case h == 2 && four && aromatic > 0: // C10
		return -0.0516
	case h == 1 && four && aromatic > 0: // C11
		return 0.1193
	case h == 0 && four && aromatic > 0: // C12
		return -0.0967
	case a.double('C') > 0 && aromatic > 0 && (A > 0 || a.single('c') > 0 && aromatic > 1 || h == 1), a.double('c') > 0: // C26
		return 0.264
	case four && a.single('M') > 0: // C27
		return 0.2148
	}
	return 0.08129 // CS
}

func (a *atom) aromaticCarbon() float64 {
	element := func(z ...byte) int {
		return a.count(func(l link) bool { return strings.IndexByte(string(z), l.to.Element) >= 0 })
	}
	phosphorus := a.count(func(l link) bool { return l.order == molecule.Single && l.to.Element == 15 && !l.to.Aromatic })
	inRing := a.on(molecule.Aromatic, 'a')
	switch {
	case a.Hydrogens == 0 && a.single('M')+phosphorus > 0: // C13
		return -0.5443
	case element(9) > 0: // C14
		return 0
	case element(17) > 0: // C15
		return 0.245
	case element(35) > 0: // C16
		return 0.198
	case element(53) > 0: // C17
		return 0
	case a.Hydrogens == 1: // C18
		return 0.1581
	case inRing > 2: // C19
		return 0.2955
	case inRing < 2: // CS
		return 0.08129
	case a.single('a') > 0: // C20
		return 0.2713
	case a.single('C') > 0: // C21
		return 0.136
	case a.single('N') > 0: // C22
		return 0.4619
	case a.single('O') > 0: // C23
		return 0.5437
	case a.single('S') > 0: // C24
		return 0.1893
	case a.double('C')+a.double('N')+a.double('O') > 0: // C25
		return -0.8186
	}
	return 0.08129 // CS
}

func (a *atom) hydrogenLogP() float64 {
	switch {
	case a.Element == carbon: // H1
		return 0.123
	case a.Element == oxygen && !a.Aromatic:
		return a.hydroxylLogP()
	case a.Element == nitrogen: // H3
		return 0.2142
	}
	return -0.2677 // H2
}

func (a *atom) hydroxylLogP() float64 {
	bound := func(is func(to *atom) bool) bool {
		return a.count(func(l link) bool { return l.order == molecule.Single && is(l.to) }) > 0
	}
	switch {
	case a.Hydrogens > 1,
		bound(func(to *atom) bool {
			return to.is('c') || to.is('C') && len(to.links)+int(to.Hydrogens) == 4
		}),
		bound(func(to *atom) bool { return to.Element != nitrogen && !to.is('C') && !to.is('O') && !to.is('S') }): // H2
		return -0.2677
	case bound(func(to *atom) bool { return to.Element == nitrogen }): // H3
		return 0.2142
	case bound(func(to *atom) bool {
		return to.is('C') && to.count(func(l link) bool {
			return l.order == molecule.Double && (l.to.Element == carbon || l.to.Element == nitrogen || l.to.is('O') || l.to.is('S'))
		}) > 0
	}), bound(func(to *atom) bool { return to.is('O') || to.is('S') }): // H4
		return 0.298
	}
	return 0.1125 // HS
}

func (a *atom) nitrogen() float64 {
	h, neutral := a.Hydrogens, a.Charge == 0
	A, aromatic := a.single('A'), a.single('a')
	double := a.bonds(molecule.Double)
	switch {
	case neutral && h == 2 && A > 0: // N1
		return -1.019
	case neutral && h == 1 && A > 1: // N2
		return -0.7096
	case neutral && h == 2 && aromatic > 0: // N3
		return -1.027
	case neutral && h == 1 && aromatic > 0 && A+aromatic > 1: // N4
		return -0.5188
	case neutral && h == 1 && double > 0: // N5
		return 0.08387
	case neutral && double > 0 && A+aromatic > 0: // N6
		return 0.1836
	case neutral && A > 2: // N7
		return -0.3187
	case neutral && aromatic > 0 && A > 0 && A+aromatic > 2, neutral && aromatic > 2: // N8
		return -0.4458
	case neutral && a.triple('A') > 0: // N9
		return 0.01508
	case a.Charge > 0 && h >= 1 && h <= 3: // N10
		return -1.95
	}
	return a.chargedNitrogen(A, aromatic, double)
}

func (a *atom) chargedNitrogen(A, aromatic, double int) float64 {
	anions := a.count(func(l link) bool { return l.order == molecule.Double && l.to.is('N') && l.to.Charge < 0 })
	toCarbon := a.double('C') + a.double('c')
	switch {
	case a.Charge > 0 && a.Hydrogens == 0 && (A > 3 || a.double('A') > 0 && A > 0 && A+aromatic > 1 ||
		toCarbon > 0 && a.count(func(l link) bool { return l.order == molecule.Double && l.to.Element == nitrogen }) > 0): // N13
		return -0.3396
	case a.Charge > 0 && a.triple('A') > 0, a.Charge < 0, a.Charge > 0 && anions > 0 && a.double('N') > 1: // N14
		return 0.2887
	}
	return -0.4806 // NS
}

func (a *atom) oxygen() float64 {
	A, aromatic := a.single('A'), a.single('a')
	anion := a.Charge < 0 && len(a.links) == 1 && a.Hydrogens == 0
	doubleTo := func(elements string) bool {
		return a.count(func(l link) bool { return l.order == molecule.Double && strings.IndexByte(elements, l.to.Element) >= 0 }) > 0
	}
	to := func(element uint8) bool {
		return a.count(func(l link) bool { return l.order == molecule.Single && l.to.Element == element }) > 0
	}
	switch {
	case a.Aromatic: // O1
		return 0.1552
	case a.Hydrogens == 1 || a.Hydrogens == 2: // O2
		return -0.2893
	case A > 1: // O3
		return -0.0684
	case aromatic > 0 && A+aromatic > 1: // O4
		return -0.4195
	case doubleTo("\x07\x08"), anion && to(nitrogen): // O5
		return 0.0335
	case anion && to(sulfur), a.Charge == 0 && a.count(func(l link) bool { return l.order == molecule.Double && l.to.Element == sulfur && l.to.Charge == 0 }) > 0: // O6
		return -0.3339
	case a.Charge == -1 && a.count(func(l link) bool { return l.order == molecule.Single && l.to.is('C') && l.to.double('O') > 0 }) > 0: // O12
		return -1.326
	case anion && A+aromatic > 0 && a.single('N')+a.single('S') == 0: // O7
		return -1.189
	case a.double('c') > 0: // O8
		return 0.1788
	}
	for _, l := range a.links {
		if l.order == molecule.Double && l.to.is('C') {
			return l.to.carbonylLogP()
		}
	}
	return -0.1188 // OS
}

// carbonylLogP is of the oxygen of a carbonyl group, a its carbon.
func (a *atom) carbonylLogP() float64 {
	C, c, A, aromatic := a.single('C'), a.single('c'), a.single('A'), a.single('a')
	other := a.count(func(l link) bool { return l.order == molecule.Single && l.to.Element != carbon })
	h := a.Hydrogens
	switch {
	case h == 1 && C+a.single('N')+a.single('O') > 0, C > 0 && A > 1, h == 2, len(a.links) == 2 && h == 0 && a.double('O') > 1: // O9
		return -0.1526
	case h == 1 && c > 0, aromatic > 0 && C+c > 0 && C+aromatic > 1, c > 0 && A > 0: // O10
		return 0.1129
	case other > 1: // O11
		return 0.4833
	}
	return -0.1188 // OS
}

func (a *atom) sulfur() float64 {
	double := a.count(func(l link) bool {
		return l.order == molecule.Double && (l.to.is('N') || l.to.is('O') || l.to.is('S') || l.to.Element == 15 && !l.to.Aromatic)
	})
	switch {
	case a.Aromatic: // S3
		return 0.6237
	case a.Charge != 0, double > 0: // S2
		return -0.0024
	}
	return 0.6482 // S1
}

// metal is Me1 for main groups and Me2 for transition metals.
func (a *atom) metal() float64 {
	z := a.Element
	in := func(numbers string) bool { return strings.IndexByte(numbers, z) >= 0 }
	switch {
	case a.Charge == 1 && in("\x03\x0b\x13\x25\x37"):
		return -2.996
	case in("\x03\x0b\x13\x25\x37\x04\x0c\x14\x26\x38\x05\x0d\x1f\x31\x51\x0e\x20\x32\x52\x21\x33\x53\x22\x34\x54"):
		return -0.3808
	case 21 <= z && z <= 30, 39 <= z && z <= 48, 72 <= z && z <= 80:
		return -0.0025
	}
	return 0
}
