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

// Neutral is ColumnCharge without charge, FeatureSP3 is ColumnHybridization of SP3.
const (
	Neutral    = 5
	FeatureSP3 = 2
)

// Graph returns the molecule as a graph whose feature view is OGB's nine atom features, as raw integers: atomic number
// − 1 (118 for a wildcard), chirality tag (0 none, 1 clockwise, 2 counterclockwise, 4 anything else), number of
// neighbours with hydrogens (11 for more than 10), charge + 5 (11 beyond ±5), hydrogens (9 for more than 8), unpaired
// electrons (5 for more than 4), hybridisation (0 SP, 1 SP2, 2 SP3, 3 SP3D, 4 SP3D2, 5 anything else), aromatic, in a
// ring.
func (m *Molecule) Graph() *graph.Graph {
	g := &graph.Graph{}
	m.fill(g, new(neighbor.Table), make([]int32, len(m.Atoms)+1+2*len(m.Bonds)), make([]float32, len(m.Atoms)*Features))
	return g
}

// fill is Graph in zeroed memory of the right size.
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

// connect fills in the neighbours of nodes, each row ascending, in zeroed memory of the right size.
// Bonds along the chain are made with their second atoms: only late ones can be out of order.
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
	m.fill(g, &p.spare, cut(&p.ints, len(m.Atoms)+1+2*len(m.Bonds), slab), cut(&p.floats, len(m.Atoms)*Features, slab))
	return g
}

// Graph is Molecule.Graph of p.
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

// Core returns the largest fragment of a molecule with the features of Graph, the first of equals,
// without chirality tags. It may be g itself.
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

// hybridizationFeature is the index in OGB's list.
var hybridizationFeature = [...]float32{Unhybridized: 5, S: 5, SP: 0, SP2: 1, SP3: FeatureSP3, SP2D: 5, SP3D: 3, SP3D2: 4}

// describe writes the features of an atom.
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

// bit is compiled without a branch.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
