// Package rewrite writes a compound in other ways (Kind.Form), to test what depends on notation.
package rewrite

import (
	"math/rand/v2"
	"slices"

	"baca/algo/molecule"
)

// A Kind is a way of writing a compound.
type Kind struct {
	Name string
	// Other marks forms that may have another parent, see [smiles.Parent].
	Other   bool
	organic bool // it needs an organic fragment
	change  func(e *edit) bool
}

// Azole names the kind whose forms some readers refuse. It excludes rings with a carbonyl group.
const Azole = "azole tautomer"

// Kinds are in the order of reports.
var Kinds = []Kind{
	{"atoms renumbered", false, false, renumber},
	{"flat, without stereo marks", false, false, flatten},
	{"CD3 for CH3", false, false, func(e *edit) bool { return deuterate(e, 1, 3) }},
	{"all D and carbon-13", false, false, func(e *edit) bool { return deuterate(e, len(e.Atoms), 1) }},
	{"with HCl and water", false, true, func(e *edit) bool { return e.add(17, 0, 1) && e.add(8, 0, 2) }},
	{"hydrochloride", false, true, func(e *edit) bool { return protonate(e) && e.add(17, -1, 0) }},
	{"protonated", false, true, protonate},
	{"sodium salt", false, true, func(e *edit) bool {
		n := deprotonate(e)
		for range n {
			e.add(11, 1, 0)
		}
		return n > 0
	}},
	{"deprotonated", false, true, func(e *edit) bool { return deprotonate(e) > 0 }},
	{Azole, false, true, azole},
	{"amidine tautomer", true, true, func(e *edit) bool { return e.shift(amidine) }},
	{"lactam and lactim", true, true, func(e *edit) bool { return e.shift(lactam) }},
}

// An edit is a molecule being rewritten.
type edit struct {
	*molecule.Molecule
	was   *molecule.Molecule
	atoms []int32 // of the organic fragment
	rng   *rand.Rand
}

// Form returns a copy of m rewritten in this way, or nil if m has no such form. atoms are the atoms of m in its organic
// parent, or nil without one. Organic kinds need them.
func (k Kind) Form(m *molecule.Molecule, atoms []int32, rng *rand.Rand) *molecule.Molecule {
	if k.organic && atoms == nil {
		return nil
	}
	e := &edit{&molecule.Molecule{Atoms: slices.Clone(m.Atoms), Bonds: slices.Clone(m.Bonds)}, m, atoms, rng}
	if !k.change(e) {
		return nil
	}
	return e.Molecule
}

// add adds an atom without bonds. It returns true, since callers return whether they changed the molecule.
func (e *edit) add(element uint8, charge int8, hydrogens uint8) bool {
	e.Atoms = append(e.Atoms, molecule.Atom{Element: element, Charge: charge, Hydrogens: hydrogens, Map: -1})
	return true
}

// renumber shuffles the atoms. Chirality and stereo marks stay, as they refer to the order of bonds. It returns false for
// a single atom.
func renumber(e *edit) bool {
	place := e.rng.Perm(len(e.Atoms))
	for i, k := range place {
		e.Atoms[k] = e.was.Atoms[i]
	}
	for k := range e.Bonds {
		b := &e.Bonds[k]
		b.From, b.To = int32(place[b.From]), int32(place[b.To])
	}
	return len(place) > 1
}

// flatten removes all stereo marks, and reports whether there were any.
func flatten(e *edit) (changed bool) {
	for i := range e.Atoms {
		changed = changed || e.Atoms[i].Chirality != molecule.Achiral
		e.Atoms[i].Chirality = molecule.Achiral
	}
	for k := range e.Bonds {
		changed = changed || e.Bonds[k].Stereo != molecule.NoStereo
		e.Bonds[k].Stereo = molecule.NoStereo
	}
	return changed
}

// deuterate replaces the hydrogens of so many atoms by deuterium. With hydrogens = 1 these are the first atoms that
// have any, and carbons also become carbon-13. Otherwise they are carbons with exactly so many hydrogens. It returns
// false if there is no such atom.
func deuterate(e *edit, atoms int, hydrogens uint8) bool {
	n := len(e.Atoms)
	for i := 0; i < n && atoms > 0; i++ {
		a := &e.Atoms[i]
		if a.Element <= 1 || a.Hydrogens < hydrogens || hydrogens > 1 && (a.Element != carbon || a.Hydrogens != hydrogens) {
			continue
		}
		atoms--
		a.Chirality = molecule.Achiral
		if hydrogens == 1 && a.Element == carbon {
			a.Isotope = 13
		}
		for count := a.Hydrogens; count > 0; count-- {
			e.Atoms[i].Hydrogens--
			e.Bonds = append(e.Bonds, molecule.Bond{From: int32(i), To: int32(len(e.Atoms)), Order: molecule.Single})
			e.Atoms = append(e.Atoms, molecule.Atom{Element: 1, Isotope: 2, Map: -1})
		}
	}
	return len(e.Atoms) > n
}

const carbon, nitrogen, oxygen = 6, 7, 8

// protonate gives the first amine or pyridine a proton, and reports that. It does nothing if an anion could take it.
func protonate(e *edit) bool {
	if slices.ContainsFunc(e.atoms, func(i int32) bool { return e.Atoms[i].Charge < 0 && !e.nextToCharge(i) }) {
		return false
	}
	for _, i := range e.atoms {
		a := &e.Atoms[i]
		pyridine := a.Aromatic && a.Degree == 2 && a.Hydrogens == 0
		amine := !a.Aromatic && a.Hybridization == molecule.SP3 && !e.nextToCharge(i)
		if a.Element == nitrogen && a.Charge == 0 && a.Radicals == 0 && (pyridine || amine) {
			a.Charge, a.Chirality = 1, molecule.Achiral
			a.Hydrogens++
			return true
		}
	}
	return false
}

// deprotonate removes the protons of all hydroxyl groups, and returns their number.
func deprotonate(e *edit) (n int) {
	for _, i := range e.atoms {
		if a := &e.Atoms[i]; a.Element == oxygen && a.Charge == 0 && a.Hydrogens == 1 && a.Degree == 1 && !e.nextToCharge(i) {
			a.Charge, a.Hydrogens = -1, 0
			n++
		}
	}
	return n
}

// nextToCharge tells whether a neighbour of atom i had a charge.
func (e *edit) nextToCharge(i int32) bool {
	return slices.ContainsFunc(e.was.Bonds, func(b molecule.Bond) bool {
		return b.From == i && e.was.Atoms[b.To].Charge != 0 || b.To == i && e.was.Atoms[b.From].Charge != 0
	})
}

// azole moves the hydrogen of an aromatic ring of five to another nitrogen of it. It returns false if there is no such ring.
func azole(e *edit) bool {
	mobile := func(i int32, hydrogens uint8) bool {
		a := &e.Atoms[i]
		return a.Element == nitrogen && a.Aromatic && a.Degree == 2 && a.Charge == 0 && a.Radicals == 0 && a.Hydrogens == hydrogens
	}
	next := make([][]int32, len(e.Atoms)) // neighbours over aromatic bonds
	for _, b := range e.Bonds {
		if b.Aromatic {
			next[b.From], next[b.To] = append(next[b.From], b.To), append(next[b.To], b.From)
		}
	}
	var walk func(path []int32) bool // extends the path to a ring of five and moves the hydrogen of its first atom
	walk = func(path []int32) bool {
		last := path[len(path)-1]
		if len(path) == 5 {
			k := slices.IndexFunc(path, func(i int32) bool { return mobile(i, 0) })
			if k < 0 || !slices.Contains(next[last], path[0]) {
				return false
			}
			e.Atoms[path[0]].Hydrogens, e.Atoms[path[k]].Hydrogens = 0, 1
			return true
		}
		return slices.ContainsFunc(next[last],
			func(i int32) bool { return !slices.Contains(path, i) && walk(append(slices.Clone(path), i)) })
	}
	return slices.ContainsFunc(e.atoms, func(i int32) bool { return mobile(i, 1) && walk([]int32{i}) })
}

// shift moves a hydrogen from one neighbour of a carbon to another, at the first place where fits allows it. near and
// far are the bonds of the carbon to the two neighbours. It returns false if there is no such place.
func (e *edit) shift(fits func(from, over, to *molecule.Atom, near, far *molecule.Bond) bool) bool {
	other := func(b *molecule.Bond, i int32) *molecule.Atom { return &e.Atoms[b.From+b.To-i] }
	bonds := make([][]*molecule.Bond, len(e.Atoms)) // of each atom
	for k := range e.Bonds {
		b := &e.Bonds[k]
		bonds[b.From], bonds[b.To] = append(bonds[b.From], b), append(bonds[b.To], b)
	}
	for _, i := range e.atoms {
		for _, near := range bonds[i] {
			for _, far := range bonds[i] {
				from, to := other(near, i), other(far, i)
				if e.Atoms[i].Element != carbon || from.Hydrogens == 0 || from.Charge != 0 || to.Charge != 0 ||
					from.Radicals+to.Radicals > 0 || !fits(from, &e.Atoms[i], to, near, far) {
					continue
				}
				from.Hydrogens--
				to.Hydrogens++
				if near.Order == molecule.Single {
					near.Order = molecule.Double
				}
				if far.Order == molecule.Double {
					far.Order = molecule.Single
				}
				near.Stereo, far.Stereo = molecule.NoStereo, molecule.NoStereo
				return true
			}
		}
	}
	return false
}

// amidine matches N–C=N, the atoms from, over and to, outside of aromatic rings.
func amidine(from, over, to *molecule.Atom, near, far *molecule.Bond) bool {
	plain := func(a *molecule.Atom) bool { return a.Element == nitrogen && !a.Aromatic && a.Degree <= 2 }
	return plain(from) && plain(to) && !over.Aromatic && near.Order == molecule.Single && far.Order == molecule.Double
}

// lactam matches N and O at a ring carbon with N in the ring: a lactam's N gives the hydrogen, or a lactim's O.
func lactam(from, over, to *molecule.Atom, near, far *molecule.Bond) bool {
	if from.Element == nitrogen {
		return to.Element == oxygen && from.Degree == 2 && near.InRing && near.Order != molecule.Double && far.Order == molecule.Double
	}
	return from.Element == oxygen && to.Element == nitrogen && to.Degree == 2 && to.Hydrogens == 0 && far.InRing &&
		near.Order == molecule.Single && far.Order != molecule.Single
}
