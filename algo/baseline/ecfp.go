package baseline

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// ECFP returns the extended-connectivity fingerprint of a molecule (Rogers and Hahn, Journal of Chemical Information
// and Modeling 50, 742, 2010): the set of its circular environments up to radius bonds; radius 2 is ECFP4. Atoms start
// from element, degree, hydrogens, charge, isotope and ring membership, bonds from order, so similarities equal those
// of RDKit's unfolded Morgan fingerprints. Environments with the same bonds as an earlier one are left out.
func ECFP(m *molecule.Molecule, radius int) fingerprint.Print {
	p := ECFC(m, radius)
	for k := range p.Counts {
		p.Counts[k] = 1
	}
	return p
}

// ECFPs returns the ECFP of each SMILES, or an error that names the first one that cannot be read.
func ECFPs(texts []string, radius int) ([]fingerprint.Print, error) {
	prints := make([]fingerprint.Print, len(texts))
	for i, text := range texts {
		m, err := smiles.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("molecule %q: %w", text, err)
		}
		prints[i] = ECFP(m, radius)
	}
	return prints, nil
}

// ECFC is [ECFP] with the number of times that each environment occurs.
func ECFC(m *molecule.Molecule, radius int) fingerprint.Print {
	all := environments(m, radius)
	slices.Sort(all)
	var p fingerprint.Print
	for _, key := range all {
		if last := len(p.Keys) - 1; last >= 0 && p.Keys[last] == key {
			p.Counts[last]++
			continue
		}
		p.Keys, p.Counts = append(p.Keys, key), append(p.Counts, 1)
	}
	return p
}

// environments returns the keys of all environments, one for each atom and radius at which it has a new one, unsorted.
func environments(m *molecule.Molecule, radius int) []uint32 {
	n := len(m.Atoms)
	bonds := make([][]int, n)
	for b, bond := range m.Bonds {
		bonds[bond.From], bonds[bond.To] = append(bonds[bond.From], b), append(bonds[bond.To], b)
	}
	words := (len(m.Bonds) + 63) / 64
	keys, done := make([]uint32, n), make([]bool, n) // done: no wider environment of the atom is new
	around := make([][]uint64, n)                    // bonds of each atom's environment, as bits
	var all []uint32
	for i, a := range m.Atoms {
		ring := uint32(0)
		if a.InRing {
			ring = 1
		}
		keys[i] = hash(uint32(a.Element), uint32(len(bonds[i]))+uint32(a.Hydrogens), uint32(a.Hydrogens),
			uint32(int32(a.Charge)), uint32(a.Isotope), ring)
		around[i] = make([]uint64, words)
		all = append(all, keys[i])
	}
	var seen [][]uint64 // bonds of all environments so far; of those with equal ones the first counts
	for layer := range radius {
		var found []environment
		for i := range m.Atoms {
			if !done[i] && len(bonds[i]) > 0 {
				found = append(found, widened(m, layer, i, bonds[i], keys, around))
			}
		}
		slices.SortFunc(found, func(a, b environment) int {
			return cmp.Or(slices.Compare(a.bits, b.bits), cmp.Compare(a.key, b.key), cmp.Compare(a.atom, b.atom))
		})
		next := slices.Clone(keys)
		for _, e := range found {
			if slices.ContainsFunc(seen, func(bits []uint64) bool { return slices.Equal(bits, e.bits) }) {
				done[e.atom] = true
				continue
			}
			seen = append(seen, e.bits)
			next[e.atom], around[e.atom] = e.key, e.bits
			all = append(all, e.key)
		}
		keys = next
	}
	return all
}

// An environment is what surrounds an atom.
type environment struct {
	atom int
	key  uint32
	bits []uint64 // its bonds
}

// widened returns an atom's environment, one bond wider than the known ones. bonds are those of the atom.
func widened(m *molecule.Molecule, layer, atom int, bonds []int, keys []uint32, around [][]uint64) environment {
	bits := slices.Clone(around[atom])
	var list [][2]uint32
	for _, b := range bonds {
		bond := m.Bonds[b]
		other := bond.From + bond.To - int32(atom)
		bits[b/64] |= 1 << (b % 64)
		for w, x := range around[other] { // the bonds that the neighbour has
			bits[w] |= x
		}
		order := uint32(bond.Order)
		if bond.Aromatic {
			order = uint32(molecule.Aromatic)
		}
		list = append(list, [2]uint32{order, keys[other]})
	}
	slices.SortFunc(list, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	values := []uint32{uint32(layer), keys[atom]}
	for _, pair := range list {
		values = append(values, pair[0], pair[1])
	}
	return environment{atom, hash(values...), bits}
}

// hash returns a hash of values in this order.
func hash(values ...uint32) uint32 {
	h := fnv.New32a()
	for _, v := range values {
		h.Write([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
	}
	return h.Sum32()
}
