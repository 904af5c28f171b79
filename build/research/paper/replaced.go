package paper

import (
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// flat returns a copy of a molecule without stereochemistry, which an edit would have to guess.
func flat(m *molecule.Molecule) *molecule.Molecule {
	c := *m
	c.Atoms, c.Bonds = slices.Clone(m.Atoms), slices.Clone(m.Bonds)
	for i := range c.Atoms {
		c.Atoms[i].Chirality = molecule.Achiral
	}
	for k := range c.Bonds {
		c.Bonds[k].Stereo = molecule.NoStereo
	}
	return &c
}

// toHydrogen returns m without stereochemistry, with a hydrogen in place of atoms that hang on the others by one single bond. It
// returns false where the rules of valence know no such molecule.
func toHydrogen(m *molecule.Molecule, atoms []int) (*molecule.Molecule, bool) {
	c := flat(m)
	gone := member(len(m.Atoms), atoms)
	place := make([]int32, len(m.Atoms))
	var kept []molecule.Atom
	for i, a := range c.Atoms {
		if place[i] = int32(len(kept)); !gone[i] { // its place among those that are kept
			kept = append(kept, a)
		}
	}
	var bonds []molecule.Bond
	for _, b := range c.Bonds {
		switch {
		case gone[b.From] && gone[b.To]:
		case gone[b.From] != gone[b.To]:
			end := b.From
			if gone[end] {
				end = b.To
			}
			kept[place[end]].Hydrogens++
			kept[place[end]].Degree--
		default:
			b.From, b.To = place[b.From], place[b.To]
			bonds = append(bonds, b)
		}
	}
	c.Atoms, c.Bonds = kept, bonds
	read, err := smiles.Parse(smiles.Write(c))
	return read, err == nil && len(read.Atoms) == len(kept)
}

// member returns a list of n that is true at the given indices.
func member(n int, list []int) []bool {
	is := make([]bool, n)
	for _, i := range list {
		is[i] = true
	}
	return is
}

// substituents returns the sets of atoms, up to half of all, that hang on the rest by one single bond. Each ascends.
func substituents(m *molecule.Molecule) [][]int {
	near := make([][]int, len(m.Atoms))
	for _, b := range m.Bonds {
		near[b.From], near[b.To] = append(near[b.From], int(b.To)), append(near[b.To], int(b.From))
	}
	var list [][]int
	for _, b := range m.Bonds {
		if b.InRing || b.Order != molecule.Single {
			continue
		}
		for _, end := range [][2]int{{int(b.From), int(b.To)}, {int(b.To), int(b.From)}} {
			seen := member(len(m.Atoms), []int{end[0], end[1]})
			side := []int{end[0]} // grows by neighbours, but not across the bond
			for k := 0; k < len(side); k++ {
				for _, j := range near[side[k]] {
					if !seen[j] {
						seen[j] = true
						side = append(side, j)
					}
				}
			}
			if len(side) <= len(m.Atoms)/2 {
				slices.Sort(side)
				list = append(list, side)
			}
		}
	}
	return list
}

// sumOf returns the sum of the values of some atoms.
func sumOf(values []float64, atoms []int) float64 {
	sum := 0.0
	for _, i := range atoms {
		sum += values[i]
	}
	return sum
}
