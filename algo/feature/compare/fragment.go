package compare

import (
	"fmt"
	"math"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/tanimoto"
)

// leastHolders is the smallest number of molecules, of both lists together, with a fragment that is compared. At least
// one in a thousand molecules must have it, too.
const leastHolders = 10

// The fragments that are shown are the surest ones of each list. Of several that mostly have the same molecules only
// the first is shown.
const (
	mostFragments = 12   // shown for each list
	mostLooked    = 1000 // looked at for both lists together
	mostShared    = 0.7  // the most molecules that two have in common, as a share of those that have either
)

// fragments compares the subtrees of both lists and chooses those to show.
func (c *Comparison) fragments(a, b *List, xa, xb *tanimoto.Index) {
	least := max(leastHolders, (a.Len()+b.Len())/1000)
	keys := slices.Concat(xa.Keys(), xb.Keys())
	slices.Sort(keys)
	var list []Difference
	for _, key := range slices.Compact(keys) {
		if inA, inB := xa.Count(key), xb.Count(key); inA+inB >= least {
			list = append(list, Difference{Kind: KindFragment, Name: fmt.Sprintf("%08x", key), InA: inA, InB: inB})
		}
	}
	c.FragmentsTested = len(list)
	var shown [][2][]uint32 // molecules with the shown fragments
	count := map[bool]int{} // by whether commoner in B
	for k, d := range c.judge(list, a.Len(), b.Len()) {
		if k == mostLooked {
			break
		}
		ofB := d.Odds >= 1
		if count[ofB] == mostFragments {
			continue
		}
		var key uint32
		fmt.Sscanf(d.Name, "%x", &key)
		holders := [2][]uint32{xa.With(key), xb.With(key)}
		if slices.ContainsFunc(shown, func(other [2][]uint32) bool { return sharedBy(holders, other) > mostShared }) {
			continue
		}
		// The example is from the list where it is commoner.
		from, at := b, holders[1]
		if !ofB {
			from, at = a, holders[0]
		}
		if d.show(key, from, at) {
			count[ofB]++
			c.Fragments, shown = append(c.Fragments, d), append(shown, holders)
		}
	}
}

// sharedBy returns the share of molecules with both fragments among those with either.
func sharedBy(a, b [2][]uint32) float64 {
	both := tanimoto.Shared(a[0], b[0]) + tanimoto.Shared(a[1], b[1])
	return float64(both) / math.Max(1, float64(len(a[0])+len(a[1])+len(b[0])+len(b[1])-both))
}

// mostExamples bounds the molecules among which an example is chosen, mostExampleAtoms the size of an example.
const mostExamples, mostExampleAtoms = 50, 40

// show names a fragment by an example, the smallest of the first molecules that have it. It returns false for a single
// atom, which named differences cover, and if no SMILES can show the fragment.
func (d *Difference) show(key uint32, l *List, holders []uint32) bool {
	best := -1
	for _, i := range holders[:min(len(holders), mostExamples)] {
		if l.smiles[i] != "" && (best < 0 || l.atoms[i] < l.atoms[best]) {
			best = int(i)
		}
	}
	if best < 0 || l.atoms[best] > mostExampleAtoms {
		return false
	}
	m, err := smiles.Parse(l.smiles[best])
	if err != nil {
		return false
	}
	read, order, _ := smiles.In(m, molecule.Canonical)
	g := read.Graph()
	at := slices.Index(fingerprint.Nodes(g, fingerprint.DefaultHeight), key)
	if at < g.N() {
		return false // none, or height 0
	}
	atoms := around(g, at%g.N(), at/g.N()) // the subtree of height h at node i has the index h·n + i
	for k, i := range atoms {
		atoms[k] = int(order[i])
	}
	slices.Sort(atoms)
	d.Name, d.Example, d.Atoms = cutOut(m, atoms), l.smiles[best], atoms
	return true
}

// around returns the nodes up to steps edges from a node, ascending.
func around(g *graph.Graph, node, steps int) []int {
	nodes := []int{node}
	for from := 0; steps > 0; steps-- {
		end := len(nodes)
		for ; from < end; from++ {
			for _, j := range g.Row(nodes[from]) {
				if !slices.Contains(nodes, int(j)) {
					nodes = append(nodes, int(j))
				}
			}
		}
	}
	slices.Sort(nodes)
	return nodes
}

// cutOut writes some atoms of a molecule as SMILES, with * for each neighbour that is left out.
func cutOut(m *molecule.Molecule, atoms []int) string {
	part := new(molecule.Molecule)
	place := slices.Repeat([]int32{-1}, len(m.Atoms))
	for _, i := range atoms {
		place[i] = int32(len(part.Atoms))
		a := m.Atoms[i]
		a.Chirality = molecule.Achiral
		part.Atoms = append(part.Atoms, a)
	}
	for _, b := range m.Bonds {
		from, to := place[b.From], place[b.To]
		if from < 0 && to < 0 {
			continue
		}
		for _, end := range []*int32{&from, &to} {
			if *end < 0 {
				*end = int32(len(part.Atoms))
				part.Atoms = append(part.Atoms, molecule.Atom{Map: -1, Degree: 1})
			}
		}
		b.From, b.To, b.Stereo = from, to, molecule.NoStereo
		part.Bonds = append(part.Bonds, b)
	}
	return smiles.Write(part)
}
