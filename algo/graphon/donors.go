package graphon

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"baca/algo/graph"
)

const width = graph.EncodingWidth

// Donors give synthetic nodes a feature view: that of the donor with the nearest structure view. They are read-only
// once built; donors with equal structure views are stored once, in a pool for each degree.
type Donors struct {
	features int
	pools    map[degree][]donor // ascending by xs[sortStep]
}

// A degree is the second half of a structure view.
type degree [graph.DegreeClasses]float32

type donor struct {
	xs    [width]float32 // its structure view
	x     []float32
	first int // the first node with this structure view, numbered over all graphs
}

// sortStep is the return probability after four steps, which varies widely.
const sortStep = 3

// NewDonors pools the nodes of gs, which must have equal features and a structure view.
func NewDonors(gs []*graph.Graph) *Donors {
	d := &Donors{pools: map[degree][]donor{}}
	if len(gs) > 0 {
		d.features = gs[0].Features
	}
	seen, node := map[[width]float32]bool{}, 0
	for _, g := range gs {
		if g.Features != d.features || len(g.X) != g.N()*g.Features || len(g.XS) != g.N()*width {
			panic(fmt.Sprintf("graphon: donors of %d features got a graph of %d nodes, %d features, %d feature values and %d encoding values",
				d.features, g.N(), g.Features, len(g.X), len(g.XS)))
		}
		for v := range g.N() {
			if xs := [width]float32(g.XS[v*width:]); !seen[xs] {
				seen[xs] = true
				of := degree(xs[graph.WalkSteps:])
				d.pools[of] = append(d.pools[of], donor{xs, g.X[v*g.Features : (v+1)*g.Features], node})
			}
			node++
		}
	}
	for _, p := range d.pools {
		slices.SortFunc(p, func(a, b donor) int { return cmp.Compare(a.xs[sortStep], b.xs[sortStep]) })
	}
	return d
}

// Fill gives every node of g the features of its nearest donor. g must have its structure view, and
// there must be donors.
func (d *Donors) Fill(g *graph.Graph) {
	if len(g.XS) != g.N()*width || len(d.pools) == 0 && g.N() > 0 {
		panic(fmt.Sprintf("graphon: donors of %d degrees for %d nodes with %d encoding values", len(d.pools), g.N(), len(g.XS)))
	}
	x := make([]float32, 0, g.N()*d.features)
	for v := range g.N() {
		x = append(x, d.nearest(g.XS[v*width:(v+1)*width]).x...)
	}
	g.X, g.Features = x, d.features
}

// nearest returns the donor with the structure view nearest to xs, of equals the first in the order of nodes.
func (d *Donors) nearest(xs []float32) (nearest *donor) {
	best, at, own := math.Inf(1), xs[sortStep], degree(xs[graph.WalkSteps:])
	// meet compares a donor. It returns false if this donor, and so all beyond it, are too far by the sorted step alone.
	meet := func(o *donor) bool {
		if squaredDistance(xs[sortStep:sortStep+1], o.xs[sortStep:], best) > best {
			return false
		}
		if sum := squaredDistance(xs, o.xs[:], best); sum < best || sum == best && o.first < nearest.first {
			best, nearest = sum, o
		}
		return true
	}
	// visit meets the donors of a pool, from the place of xs in its order upwards and then downwards.
	visit := func(pool []donor) {
		middle, _ := slices.BinarySearchFunc(pool, at, func(o donor, x float32) int { return cmp.Compare(o.xs[sortStep], x) })
		for k := middle; k < len(pool) && meet(&pool[k]); k++ {
		}
		for k := middle - 1; k >= 0 && meet(&pool[k]); k-- {
		}
	}
	visit(d.pools[own]) // usually the nearest, which rules out most other pools
	for of, pool := range d.pools {
		if of != own && squaredDistance(own[:], of[:], best) <= best {
			visit(pool)
		}
	}
	return nearest
}

// squaredDistance returns Σ (a−b)². Once a partial sum exceeds the bound it returns that.
func squaredDistance(a, b []float32, bound float64) float64 {
	sum := 0.0
	for c, v := range a {
		d := float64(v) - float64(b[c])
		if sum += float64(d * d); sum > bound {
			break
		}
	}
	return sum
}
