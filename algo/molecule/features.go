package molecule

import (
	"fmt"
	"slices"

	"baca/algo/graph"
)

// Features is the number of features of an atom.
const Features = 9

// Graph returns the molecule as a graph whose feature view is OGB's nine atom
// features, as raw integers: atomic number − 1 (118 for a wildcard), chirality
// tag (0 none, 1 clockwise, 2 counterclockwise, 4 anything else), number of
// neighbours with hydrogens (11 for more than 10), charge + 5 (11 beyond ±5),
// hydrogens (9 for more than 8), unpaired electrons (5 for more than 4),
// hybridisation (0 SP, 1 SP2, 2 SP3, 3 SP3D, 4 SP3D2, 5 anything else), aromatic,
// in a ring.
func (m *Molecule) Graph() *graph.Graph {
	atoms, bonds := m.Atoms, m.Bonds
	n := len(atoms)
	lists := make([]int32, n+1+2*len(bonds))
	g := &graph.Graph{
		Offsets:   lists[: n+1 : n+1],
		Neighbors: lists[n+1:],
		X:         make([]float32, n*Features),
		Features:  Features,
	}
	// As graph.New would, in fewer steps: Parse makes no loops and no repeats.
	offsets, neighbors := g.Offsets, g.Neighbors
	for k := range bonds {
		b := &bonds[k]
		if b.From == b.To {
			panic(fmt.Sprintf("molecule: atom %d has a bond to itself: no simple graph", b.From))
		}
		offsets[b.From]++
		offsets[b.To]++
	}
	sum := int32(0)
	for i, d := range offsets {
		sum += d
		offsets[i] = sum
	}
	// From the last bond on, so that rows come out sorted but for ring bonds.
	for k := len(bonds) - 1; k >= 0; k-- {
		b := &bonds[k]
		x, y := &offsets[b.From], &offsets[b.To]
		*x--
		neighbors[*x] = b.To
		*y--
		neighbors[*y] = b.From
	}
	from := int32(0)
	for i, to := range offsets[1:] {
		row := neighbors[from:to]
		from = to
		if len(row) > 12 {
			slices.Sort(row)
		}
		for k := 1; k < len(row); k++ {
			j, q := row[k], k
			for ; q > 0 && j <= row[q-1]; q-- {
				if j == row[q-1] {
					panic(fmt.Sprintf("molecule: atom %d has two bonds to atom %d: no simple graph", i, j))
				}
				row[q] = row[q-1]
			}
			row[q] = j
		}
	}
	x := g.X
	for i := range atoms {
		atoms[i].features((*[Features]float32)(x))
		x = x[Features:]
	}
	return g
}

// hybridizationFeature is the place in OGB's list.
var hybridizationFeature = [...]float32{Unhybridized: 5, S: 5, SP: 0, SP2: 1, SP3: 2, SP2D: 5, SP3D: 3, SP3D2: 4}

func (a *Atom) features(x *[Features]float32) {
	x[0] = 118
	if a.Element > 0 {
		x[0] = float32(a.Element) - 1
	}
	switch a.Chirality {
	case Achiral, Clockwise, CounterClockwise:
		x[1] = float32(a.Chirality)
	default:
		x[1] = 4
	}
	x[2] = float32(min(int(a.Degree)+int(a.Hydrogens), 11))
	x[3] = 11
	if a.Charge >= -5 && a.Charge <= 5 {
		x[3] = float32(a.Charge) + 5
	}
	x[4] = float32(min(a.Hydrogens, 9))
	x[5] = float32(min(a.Radicals, 5))
	x[6] = hybridizationFeature[a.Hybridization]
	x[7], x[8] = 0, 0
	if a.Aromatic {
		x[7] = 1
	}
	if a.InRing {
		x[8] = 1
	}
}
