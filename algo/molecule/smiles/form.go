package smiles

import (
	"math"
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/buffer"
)

// In returns m in form f, which may be m itself. order gives the atoms of m in the order of r, and aside tells what was
// set aside.
func In(m *molecule.Molecule, f molecule.Form) (r *molecule.Molecule, order []int32, aside molecule.Aside) {
	aside.Parted = uint16(min(m.HydrogenBonds, math.MaxUint16))
	switch {
	case f == molecule.Canonical, f == molecule.Unordered && ordered(m):
		r, order, _ = Canonical(m)
		return r, order, aside
	case f == molecule.Parent:
		return Parent(m)
	case f == molecule.UnorderedParent:
		return parentOf(m)
	}
	return m, buffer.Numbered(new([]int32), len(m.Atoms)), aside
}

// ordered reports whether m has tags, several fragments or atom classes, so that its graph may depend on the writing.
func ordered(m *molecule.Molecule) bool {
	_, trees := join(nil, m, func(*molecule.Bond) bool { return true })
	return trees > 1 || slices.ContainsFunc(m.Atoms, func(a molecule.Atom) bool {
		return a.Map >= 0 || a.Chirality.Handed()
	})
}
