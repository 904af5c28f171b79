package paper

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// An edit makes another whole molecule of a molecule by replacing some of its connected
// atoms, and returns false where there is none by the rules of valence.
type edit func(m *molecule.Molecule, atoms []int) (*molecule.Molecule, bool)

// flat is a molecule without stereochemistry, which an edit would have to guess.
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

// toHydrogen replaces atoms that hang on the others by one single bond by a hydrogen.
func toHydrogen(m *molecule.Molecule, atoms []int) (*molecule.Molecule, bool) {
	c := flat(m)
	gone := member(len(m.Atoms), atoms)
	place := make([]int32, len(m.Atoms))
	var kept []molecule.Atom
	for i, a := range c.Atoms {
		if place[i] = int32(len(kept)); !gone[i] {
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
	return again(c)
}

// toCarbon makes atoms saturated carbon, with as many hydrogens as that takes, and leaves
// rings as they are: aromatic nitrogen of two neighbours becomes aromatic carbon, and
// atoms that an aromatic ring needs as they are cannot be replaced.
func toCarbon(m *molecule.Molecule, atoms []int) (*molecule.Molecule, bool) {
	c := flat(m)
	is := member(len(m.Atoms), atoms)
	for _, i := range atoms {
		a := &c.Atoms[i]
		switch {
		case a.Aromatic && a.Element == 6 && a.Charge == 0:
		case a.Aromatic && a.Element == 7 && a.Charge == 0 && a.Degree == 2 && a.Hydrogens == 0:
			a.Element, a.Hydrogens = 6, 1
		case a.Aromatic || a.Degree > 4:
			return nil, false
		default:
			*a = molecule.Atom{Element: 6, Hydrogens: uint8(4 - a.Degree), Degree: a.Degree, InRing: a.InRing, Map: -1}
		}
	}
	for k := range c.Bonds {
		b := &c.Bonds[k]
		if b.Aromatic || !is[b.From] && !is[b.To] {
			continue
		}
		for _, end := range []int32{b.From, b.To} {
			// The other end keeps its valence by hydrogens.
			if a := &c.Atoms[end]; !is[end] || a.Aromatic {
				a.Hydrogens += uint8(max(0, b.Order.Halves()/2-1))
			}
		}
		b.Order = molecule.Single
	}
	return again(c)
}

// again reads a molecule that was put together, by all rules of reading.
func again(m *molecule.Molecule) (*molecule.Molecule, bool) {
	c, err := smiles.Parse(smiles.Write(m))
	return c, err == nil && len(c.Atoms) == len(m.Atoms)
}

func member(n int, list []int) []bool {
	is := make([]bool, n)
	for _, i := range list {
		is[i] = true
	}
	return is
}

// around lists the neighbours of each atom.
func around(m *molecule.Molecule) [][]int {
	list := make([][]int, len(m.Atoms))
	for _, b := range m.Bonds {
		list[b.From], list[b.To] = append(list[b.From], int(b.To)), append(list[b.To], int(b.From))
	}
	return list
}

// substituents lists the sets of atoms, up to half of all, that hang on the rest by one
// single bond.
func substituents(m *molecule.Molecule) [][]int {
	near := around(m)
	var list [][]int
	for _, b := range m.Bonds {
		if b.InRing || b.Order != molecule.Single {
			continue
		}
		for _, end := range [][2]int{{int(b.From), int(b.To)}, {int(b.To), int(b.From)}} {
			seen := member(len(m.Atoms), []int{end[0], end[1]})
			side := []int{end[0]}
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

// grow returns n connected atoms from a seed on, always taking the one that prefer, which
// gets the choice, picks. It is nil where the seed's part of the molecule is too small.
func grow(near [][]int, seed, n int, prefer func([]int) int) []int {
	atoms := []int{seed}
	is := member(len(near), atoms)
	for len(atoms) < n {
		var choice []int
		for _, i := range atoms {
			for _, j := range near[i] {
				if !is[j] && !slices.Contains(choice, j) {
					choice = append(choice, j)
				}
			}
		}
		if len(choice) == 0 {
			return nil
		}
		slices.Sort(choice)
		next := prefer(choice)
		is[next] = true
		atoms = append(atoms, next)
	}
	slices.Sort(atoms)
	return atoms
}

// mostOf grows n connected atoms that have about the largest sum of values.
func mostOf(near [][]int, n int, values []float64) [][]int {
	var list [][]int
	for seed := range near {
		set := grow(near, seed, n, func(choice []int) int {
			return slices.MaxFunc(choice, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
		})
		if set != nil {
			list = append(list, set)
		}
	}
	slices.SortStableFunc(list, func(a, b []int) int { return cmp.Compare(sumOf(values, b), sumOf(values, a)) })
	return list
}

// anyOf grows n connected atoms at random.
func anyOf(near [][]int, n int, rng *rand.Rand) []int {
	return grow(near, rng.IntN(len(near)), n, func(choice []int) int { return choice[rng.IntN(len(choice))] })
}

func sumOf(values []float64, atoms []int) float64 {
	sum := 0.0
	for _, i := range atoms {
		sum += values[i]
	}
	return sum
}
