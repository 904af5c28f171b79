package smiles

import (
	"slices"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// In returns m in form f, the atoms of m in its order, and what was set aside.
func In(m *molecule.Molecule, f molecule.Form) (r *molecule.Molecule, order []int32, aside molecule.Aside) {
	switch {
	case f == molecule.Canonical, f == molecule.Unordered && ordered(m):
		r, order, _ = Canonical(m)
		return r, order, aside
	case f == molecule.Parent:
		return Parent(m)
	case f == molecule.UnorderedParent:
		return parentOf(m)
	}
	return m, whole(m), aside
}

// ordered is Parser.ordered of a molecule.
func ordered(m *molecule.Molecule) bool {
	_, trees := join(nil, m, func(*molecule.Bond) bool { return true })
	return trees > 1 || slices.ContainsFunc(m.Atoms, func(a molecule.Atom) bool {
		return a.Map >= 0 || handed(a.Chirality)
	})
}

// ParseIn reads the graph of a molecule in form f, and what was set aside. It avoids making a
// molecule. It is safe for concurrent use.
func ParseIn(text string, f molecule.Form) (g *graph.Graph, aside molecule.Aside, err error) {
	switch f {
	case molecule.Canonical:
		g, err = ParseCanonical(text)
	case molecule.Unordered:
		g, err = ParseUnordered(text)
	case molecule.Parent:
		return ParseCanonicalParent(text)
	case molecule.UnorderedParent:
		return ParseParent(text)
	default:
		g, err = ParseGraph(text)
	}
	return g, aside, err
}
