package graphon

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"baca/algo/graph"
)

const width = graph.EncodingWidth

// Donors give synthetic nodes a feature view: that of the donor with the nearest structure view.
// They are read-only once built; donors with equal structure views are stored once, in a pool for
// each degree.
type Donors struct {
	features int
	pools    []pool
	of       map[degree]int // pool by degree
}

// A degree is the second half of a structure view.
type degree [graph.DegreeClasses]float32

type pool struct {
	degree degree
	donors []donor // ascending by walks[sortStep]
}

type donor struct {
	walks [graph.WalkSteps]float32 // the first half of its structure view
	x     []float32
	first int32 // the first node with this structure view, numbered over all graphs
}

// sortStep is the return probability after four steps, which varies widely.
const sortStep = 3

// NewDonors pools the nodes of gs, numbered over all graphs, which must have equal features and a
// structure view.
func NewDonors(gs []*graph.Graph) *Donors {
	d := &Donors{of: map[degree]int{}}
	if len(gs) > 0 {
		d.features = gs[0].Features
	}
	node := int32(0)
	seen := make(map[[width]float32]bool)
	for _, g := range gs {
		if g.Features != d.features || len(g.X) != g.N()*g.Features || len(g.XS) != g.N()*width {
			panic(fmt.Sprintf("graphon: donors of %d features got a graph of %d nodes, %d features, %d feature values and %d encoding values",
				d.features, g.N(), g.Features, len(g.X), len(g.XS)))
		}
		for v := range g.N() {
			xs := [width]float32(g.XS[v*width:])
			if !seen[xs] {
				seen[xs] = true
				d.add(xs, g.X[v*g.Features:(v+1)*g.Features], node)
			}
			node++
		}
	}
	for _, p := range d.pools {
		slices.SortFunc(p.donors, func(a, b donor) int { return cmp.Compare(a.walks[sortStep], b.walks[sortStep]) })
	}
	return d
}

func (d *Donors) add(xs [width]float32, x []float32, node int32) {
	of := degree(xs[graph.WalkSteps:])
	k, ok := d.of[of]
	if !ok {
		k = len(d.pools)
		d.of[of] = k
		d.pools = append(d.pools, pool{degree: of})
	}
	d.pools[k].donors = append(d.pools[k].donors, donor{[graph.WalkSteps]float32(xs[:]), x, node})
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

// nearest returns the nearest donor, the first of equals.
func (d *Donors) nearest(xs []float32) *donor {
	s := search{walks: xs[:graph.WalkSteps], degree: degree(xs[graph.WalkSteps:]), best: math.Inf(1)}
	own, ok := d.of[s.degree]
	if !ok {
		own = 0
	}
	for i := range d.pools {
		s.visit(&d.pools[(own+i)%len(d.pools)])
	}
	return s.nearest
}

type search struct {
	walks   []float32
	degree  degree
	best    float64 // squared distance
	nearest *donor
}

// visit walks a pool both ways from the nearest sorted step, as far as that step and the degree
// allow.
func (s *search) visit(p *pool) {
	if squaredDistance(0, s.degree[:], p.degree[:], s.best) > s.best {
		return
	}
	at := s.walks[sortStep]
	middle, _ := slices.BinarySearchFunc(p.donors, at, func(d donor, x float32) int { return cmp.Compare(d.walks[sortStep], x) })
	for k := middle; k < len(p.donors) && s.meet(p, k); k++ {
	}
	for k := middle - 1; k >= 0 && s.meet(p, k); k-- {
	}
}

// meet compares with a donor, and is false if those beyond are too far.
func (s *search) meet(p *pool, k int) bool {
	d := &p.donors[k]
	if squaredDistance(0, s.walks[sortStep:sortStep+1], d.walks[sortStep:sortStep+1], s.best) > s.best {
		return false
	}
	sum := squaredDistance(0, s.walks, d.walks[:], s.best)
	sum = squaredDistance(sum, s.degree[:], p.degree[:], s.best)
	if sum < s.best || sum == s.best && d.first < s.nearest.first {
		s.best, s.nearest = sum, d
	}
	return true
}

// squaredDistance adds Σ (a−b)² to sum, and may stop above enough.
func squaredDistance(sum float64, a, b []float32, enough float64) float64 {
	for c, v := range a {
		d := float64(v) - float64(b[c])
		if sum += float64(d * d); sum > enough {
			break
		}
	}
	return sum
}
