package molecule

import (
	"fmt"
	"slices"

	"baca/algo/graph"
	"baca/algo/molecule/internal/neighbor"
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

// Neutral is the value of ColumnCharge for no charge, and FeatureSP3 that of ColumnHybridization for SP3.
const (
	Neutral    = 5
	FeatureSP3 = 2
)

// Graph returns the molecule as a graph whose feature view is OGB's nine atom features, as raw integers:
//
//	ColumnElement        atomic number − 1; 118 for a wildcard
//	ColumnChirality      0 none, 1 clockwise, 2 counterclockwise, 4 anything else
//	ColumnNeighbors      neighbours, hydrogens included; 11 for more than 10
//	ColumnCharge         charge + 5; 11 beyond ±5
//	ColumnHydrogens      hydrogens; 9 for more than 8
//	ColumnRadicals       unpaired electrons; 5 for more than 4
//	ColumnHybridization  0 SP, 1 SP2, 2 SP3, 3 SP3D, 4 SP3D2, 5 anything else
//	ColumnAromatic       1 for an aromatic atom
//	ColumnRing           1 for an atom in a ring
//
// It panics if the bonds do not form a simple graph.
func (m *Molecule) Graph() *graph.Graph {
	g := &graph.Graph{}
	m.fill(g, new(neighbor.Table), make([]int32, len(m.Atoms)+1+2*len(m.Bonds)), make([]float32, len(m.Atoms)*Features))
	return g
}

// fill makes g the graph of m. lists and x are zeroed memory of the right size; near is scratch.
func (m *Molecule) fill(g *graph.Graph, near *neighbor.Table, lists []int32, x []float32) {
	LinkUp(near, len(m.Atoms), m.Bonds)
	connect(g, near, m.Bonds, lists)
	for i := range m.Atoms {
		for k, j := range g.Row(i) {
			if int(j) == i || k > 0 && j == g.Row(i)[k-1] {
				panic(fmt.Sprintf("molecule: atom %d has two bonds to atom %d or one to itself: no simple graph", i, j))
			}
		}
	}
	g.X, g.Features = x, Features
	for i := range m.Atoms {
		m.Atoms[i].describe((*[Features]float32)(x[i*Features:]))
	}
}

// connect fills in the neighbours of g's nodes, each row ascending. lists is zeroed memory of the right size.
// Rows are in order already, except those of atoms with late bonds: a reader makes the bonds along the chain
// in the order of their second atoms.
func connect(g *graph.Graph, near *neighbor.Table, late []Bond, lists []int32) {
	n := len(near.Spans)
	g.Offsets, g.Neighbors = lists[:n+1:n+1], lists[n+1:]
	neighbors := g.Neighbors[:len(near.Links)]
	for k := range near.Links {
		neighbors[k] = near.Links[k].Atom
	}
	for i := range near.Spans {
		g.Offsets[i+1] = near.Spans[i].Hi
	}
	for k := range late {
		sortRow(g.Row(int(late[k].From)))
		sortRow(g.Row(int(late[k].To)))
	}
}

// sortRow sorts neighbours. Insertion is fastest for few that are mostly in order.
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

// slab and graphSlab are the sizes in which a Draft allocates memory for graphs, enough for some twenty
// drug-like molecules. Allocating each graph alone would make reading 5 % slower. A slab stays alive as long as
// one of its graphs.
const (
	slab      = 1 << 12
	graphSlab = 16
)

// cut returns n zero values from store. A store with fewer values is replaced by one of slab values, except that a large n
// gets memory of its own.
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

// GraphOf returns m.Graph(). It takes the memory from p's slabs.
func (p *Draft) GraphOf(m *Molecule) *graph.Graph {
	g := &cut(&p.graphs, 1, graphSlab)[0]
	m.fill(g, &p.spare, cut(&p.ints, len(m.Atoms)+1+2*len(m.Bonds), slab), cut(&p.floats, len(m.Atoms)*Features, slab))
	return g
}

// Graph returns the graph of the molecule that was read, as Molecule.Graph does.
func (p *Draft) Graph() *graph.Graph {
	n := len(p.Atoms)
	g := &cut(&p.graphs, 1, graphSlab)[0]
	connect(g, &p.near, p.Bonds[max(p.Chain, 0):], cut(&p.ints, n+1+len(p.near.Links), slab))
	g.X, g.Features = cut(&p.floats, n*Features, slab), Features
	var a Atom
	for i := range p.Atoms {
		p.fillAtom(&a, int32(i))
		a.describe((*[Features]float32)(g.X[i*Features:]))
	}
	return g
}

// Core returns the largest fragment of a molecule's graph without chirality tags. Of equally large fragments it
// returns the first. The result may be g itself. Core panics if g has not the features of Graph.
func Core(g *graph.Graph) *graph.Graph {
	n := g.N()
	if g.Features != Features {
		panic(fmt.Sprintf("molecule: core of a graph with %d features, want %d", g.Features, Features))
	}
	tagged := false
	for i := range n {
		tagged = tagged || g.X[i*Features+ColumnChirality] != 0
	}
	part, sizes := g.Parts()
	if len(sizes) <= 1 && !tagged {
		return g
	}
	largest := int32(slices.Index(sizes, slices.Max(sizes)))
	p := g.Select(func(i int) bool { return part[i] == largest })
	for i := range p.N() {
		p.X[i*Features+ColumnChirality] = 0
	}
	return p
}

// hybridizationFeature is the value of ColumnHybridization for each hybridisation.
var hybridizationFeature = [...]float32{Unhybridized: 5, S: 5, SP: 0, SP2: 1, SP3: FeatureSP3, SP2D: 5, SP3D: 3, SP3D2: 4}

// describe writes the features of an atom to x.
func (a *Atom) describe(x *[Features]float32) {
	x[ColumnElement] = 118
	if a.Element > 0 {
		x[ColumnElement] = float32(int32(a.Element) - 1)
	}
	tag := a.Chirality
	if tag > CounterClockwise {
		tag = 4
	}
	x[ColumnChirality] = float32(tag)
	x[ColumnNeighbors] = float32(min(a.Degree+int32(a.Hydrogens), 11))
	x[ColumnCharge] = 11
	if a.Charge >= -5 && a.Charge <= 5 {
		x[ColumnCharge] = float32(int32(a.Charge) + Neutral)
	}
	x[ColumnHydrogens] = float32(min(a.Hydrogens, 9))
	x[ColumnRadicals] = float32(min(a.Radicals, 5))
	x[ColumnHybridization] = hybridizationFeature[a.Hybridization]
	x[ColumnAromatic] = float32(bit(a.Aromatic))
	x[ColumnRing] = float32(bit(a.InRing))
}

// bit returns 1 for true, else 0. The compiler makes it without a branch.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
