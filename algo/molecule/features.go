package molecule

import (
	"fmt"
	"slices"

	"baca/algo/graph"
)

// Columns of an atom's features, see [Molecule.Graph], and their number.
const (
	ColumnElement = iota
	ColumnChirality
	ColumnNeighbors
	ColumnCharge
	ColumnHydrogens
	ColumnRadicals
	ColumnHybridization
	ColumnAromatic
	ColumnRing
	Features
)

// Neutral is ColumnCharge without charge, FeatureSP3 is ColumnHybridization of SP3.
const (
	Neutral    = 5
	FeatureSP3 = 2
)

// Graph returns the molecule as a graph whose feature view is OGB's nine atom
// features, as raw integers: atomic number − 1 (118 for a wildcard), chirality
// tag (0 none, 1 clockwise, 2 counterclockwise, 4 anything else), number of
// neighbours with hydrogens (11 for more than 10), charge + 5 (11 beyond ±5),
// hydrogens (9 for more than 8), unpaired electrons (5 for more than 4),
// hybridisation (0 SP, 1 SP2, 2 SP3, 3 SP3D, 4 SP3D2, 5 anything else), aromatic,
// in a ring.
func (m *Molecule) Graph() *graph.Graph {
	g := &graph.Graph{}
	m.fill(g, make([]int32, len(m.Atoms)+1+2*len(m.Bonds)), make([]float32, len(m.Atoms)*Features))
	return g
}

// fill is Graph in zeroed memory of the right size.
func (m *Molecule) fill(g *graph.Graph, lists []int32, x []float32) {
	atoms, bonds := m.Atoms, m.Bonds
	n := len(atoms)
	g.Offsets, g.Neighbors, g.X, g.Features = lists[:n+1:n+1], lists[n+1:], x, Features
	// As graph.New, in fewer steps: Parse makes no loops and no repeats.
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
	// From the last bond on, rows come out sorted except for ring bonds.
	for k := len(bonds) - 1; k >= 0; k-- {
		b := &bonds[k]
		x, y := &offsets[b.From], &offsets[b.To]
		*x--
		neighbors[*x] = b.To
		*y--
		neighbors[*y] = b.From
	}
	for i := range n {
		row := g.Row(i)
		sortRow(row)
		for k := 1; k < len(row); k++ {
			if row[k] == row[k-1] {
				panic(fmt.Sprintf("molecule: atom %d has two bonds to atom %d: no simple graph", i, row[k]))
			}
		}
	}
	for i := range atoms {
		a := &atoms[i]
		r := (*[Features]float32)(x)
		self(r, a.Element, a.Chirality, a.Charge, a.Radicals)
		around(r, a.Degree, a.Hydrogens, a.Hybridization, a.Aromatic, a.InRing)
		x = x[Features:]
	}
}

// sortRow sorts few neighbours that are mostly in order.
func sortRow(row []int32) {
	if len(row) > 12 {
		slices.Sort(row)
		return
	}
	for k := 1; k < len(row); k++ {
		for q := k; q > 0 && row[q] < row[q-1]; q-- {
			row[q], row[q-1] = row[q-1], row[q]
		}
	}
}

// Memory is allocated for some twenty drug-like graphs at once; the last one in use keeps it alive.
// Single allocations would take a twentieth of the time.
const (
	slab      = 1 << 12
	graphSlab = 16
)

// cut takes n zeros from store, which it refills with slab zeros.
func cut[T any](store *[]T, n, slab int) []T {
	if len(*store) < n {
		if n > slab/4 {
			return make([]T, n)
		}
		*store = make([]T, slab)
	}
	s := (*store)[:n:n]
	*store = (*store)[n:]
	return s
}

// GraphOf is m.Graph in memory of p.
func (p *Draft) GraphOf(m *Molecule) *graph.Graph {
	g := &cut(&p.graphs, 1, graphSlab)[0]
	m.fill(g, cut(&p.ints, len(m.Atoms)+1+2*len(m.Bonds), slab), cut(&p.floats, len(m.Atoms)*Features, slab))
	return g
}

// Graph is Molecule.Graph of p.
func (p *Draft) Graph() *graph.Graph {
	n := len(p.Atoms)
	lists := cut(&p.ints, n+1+len(p.near.Links), slab)
	g := &cut(&p.graphs, 1, graphSlab)[0]
	g.Offsets, g.Neighbors = lists[:n+1:n+1], lists[n+1:]
	g.X, g.Features = cut(&p.floats, n*Features, slab), Features
	neighbors := g.Neighbors[:len(p.near.Links)]
	for k := range p.near.Links {
		neighbors[k] = p.near.Links[k].Atom
	}
	x := g.X
	for i := range p.Atoms {
		a := &p.Atoms[i]
		h := uint8(a.Hydrogens())
		r := (*[Features]float32)(x)
		self(r, a.Element, a.Chirality, int8(a.Charge), uint8(a.Radicals))
		around(r, p.Degree(int32(i)), h, a.hybrid, a.Aromatic, a.ring)
		x = x[Features:]
		g.Offsets[i+1] = p.near.Spans[i].Hi
	}
	// Bonds along the chain are made with their second atoms, so only later ones can be out of
	// order.
	for k := p.Chain; k < len(p.Bonds); k++ {
		for _, i := range [2]int32{p.Bonds[k].From, p.Bonds[k].To} {
			sortRow(g.Row(int(i)))
		}
	}
	return g
}

// Core returns the largest fragment of a molecule with the features of Graph, the first of equals,
// without chirality tags. It may be g itself.
func Core(g *graph.Graph) *graph.Graph {
	n := g.N()
	if g.Features != Features {
		panic(fmt.Sprintf("molecule: core of a graph with %d features, want %d", g.Features, Features))
	}
	var few [3 * fewAtoms]int32 // memory for most molecules
	memory := few[:]
	if n > fewAtoms {
		memory = make([]int32, 3*n)
	}
	part, sizes, stack := memory[:n:n], memory[n:n:2*n], memory[2*n:2*n]
	for i := range part {
		part[i] = -1
	}
	tagged := false
	for i := range n {
		tagged = tagged || g.X[i*Features+ColumnChirality] != 0
		if part[i] >= 0 {
			continue
		}
		id := int32(len(sizes))
		sizes, stack = append(sizes, 0), append(stack, int32(i))
		part[i] = id
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			sizes[id]++
			for _, j := range g.Row(int(at)) {
				if part[j] < 0 {
					part[j] = id
					stack = append(stack, j)
				}
			}
		}
	}
	if len(sizes) <= 1 && !tagged {
		return g
	}
	largest := int32(0)
	for id, size := range sizes {
		if size > sizes[largest] {
			largest = int32(id)
		}
	}
	p := g.Select(func(i int) bool { return part[i] == largest })
	for i := range p.N() {
		p.X[i*Features+ColumnChirality] = 0
	}
	return p
}

// fewAtoms suffice for most molecules.
const fewAtoms = 128

// hybridizationFeature is the index in OGB's list.
var hybridizationFeature = [...]float32{Unhybridized: 5, S: 5, SP: 0, SP2: 1, SP3: FeatureSP3, SP2D: 5, SP3D: 3, SP3D2: 4}

// self writes the features that do not depend on neighbours.
func self(x *[Features]float32, element uint8, tag Chirality, charge int8, radicals uint8) {
	x[ColumnElement] = 118
	if element > 0 {
		x[ColumnElement] = float32(int32(element) - 1)
	}
	if tag > CounterClockwise {
		tag = 4
	}
	x[ColumnChirality] = float32(tag)
	x[ColumnCharge] = 11
	if charge >= -5 && charge <= 5 {
		x[ColumnCharge] = float32(int32(charge) + Neutral)
	}
	x[ColumnRadicals] = float32(min(radicals, 5))
}

// around writes the other features.
func around(x *[Features]float32, degree int32, hydrogens uint8, h Hybridization, aromatic, ring bool) {
	x[ColumnNeighbors] = float32(min(degree+int32(hydrogens), 11))
	x[ColumnHydrogens] = float32(min(hydrogens, 9))
	x[ColumnHybridization] = hybridizationFeature[h]
	x[ColumnAromatic] = float32(bit(aromatic))
	x[ColumnRing] = float32(bit(ring))
}

// bit is compiled without a branch.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
