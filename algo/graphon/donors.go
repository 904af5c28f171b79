package graphon

import (
	"fmt"
	"math"

	"baca/algo/graph"
)

const width = graph.EncodingWidth

// Donors give synthetic nodes a feature view: that of the donor with the nearest structure view. They are read-only
// once built; donors with equal structure views are stored once, in a pool for each degree.
type Donors struct {
	features int
	pools    []pool
}

// A pool is the donors of a degree as a tree: the donor in the middle parts those before it from those after it by one
// return probability, its axis, and so on in both halves.
type pool struct {
	degree degree
	donors []donor
}

// Probabilities are the first half of a structure view.
type probabilities [graph.WalkSteps]float32

// A degree is the second half of a structure view.
type degree [graph.DegreeClasses]float32

type donor struct {
	xs        [width]float32 // its structure view
	x         []float32
	first     int           // the first node with this structure view, numbered over all graphs
	low, high probabilities // the least and the largest in its tree
	axis      int           // donors before it in the tree have at most xs[axis], those after it at least
}

// NewDonors pools the nodes of gs, which must have equal features and a structure view.
func NewDonors(gs []*graph.Graph) *Donors {
	d := &Donors{}
	if len(gs) > 0 {
		d.features = gs[0].Features
	}
	nodes := 0
	for _, g := range gs {
		nodes += g.N()
	}
	seen, node := make(map[[width]uint32]bool, nodes), 0
	for _, g := range gs {
		if g.Features != d.features || len(g.X) != g.N()*g.Features || len(g.XS) != g.N()*width {
			panic(fmt.Sprintf("graphon: donors of %d features got a graph of %d nodes, %d features, %d feature values and %d encoding values",
				d.features, g.N(), g.Features, len(g.X), len(g.XS)))
		}
		for v := range g.N() {
			xs := [width]float32(g.XS[v*width:])
			var key [width]uint32 // hashed faster than numbers
			for c, x := range xs {
				key[c] = math.Float32bits(x)
			}
			if !seen[key] {
				seen[key] = true
				p := d.pool(degree(xs[graph.WalkSteps:]))
				p.donors = append(p.donors, donor{xs: xs, x: g.X[v*g.Features : (v+1)*g.Features], first: node})
			}
			node++
		}
	}
	for _, p := range d.pools {
		arrange(p.donors)
	}
	return d
}

// pool returns the pool of a degree, a new one if there is none.
func (d *Donors) pool(of degree) *pool {
	for i := range d.pools {
		if d.pools[i].degree == of {
			return &d.pools[i]
		}
	}
	d.pools = append(d.pools, pool{degree: of})
	return &d.pools[len(d.pools)-1]
}

// arrange makes a tree of donors. Each part is halved where it is widest.
func arrange(donors []donor) {
	if len(donors) == 0 {
		return
	}
	low := probabilities(donors[0].xs[:])
	high, axis := low, 0
	for i := range donors {
		for c, x := range donors[i].xs[:graph.WalkSteps] {
			if x < low[c] {
				low[c] = x
			} else if x > high[c] {
				high[c] = x
			}
		}
	}
	for c := range low {
		if high[c]-low[c] > high[axis]-low[axis] {
			axis = c
		}
	}
	middle := len(donors) / 2
	// Quickselect: the part that has the middle is divided until it is in its place.
	for lo, hi := 0, len(donors)-1; lo < hi; {
		pivot, i, j := donors[(lo+hi)/2].xs[axis], lo, hi
		for i <= j {
			for donors[i].xs[axis] < pivot {
				i++
			}
			for donors[j].xs[axis] > pivot {
				j--
			}
			if i <= j {
				donors[i], donors[j] = donors[j], donors[i]
				i++
				j--
			}
		}
		if middle <= j {
			hi = j
		} else if middle >= i {
			lo = i
		} else {
			break
		}
	}
	donors[middle].low, donors[middle].high, donors[middle].axis = low, high, axis
	arrange(donors[:middle])
	arrange(donors[middle+1:])
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
func (d *Donors) nearest(xs []float32) *donor {
	s := search{xs: [width]float32(xs), best: math.Inf(1)}
	own := degree(xs[graph.WalkSteps:])
	for _, near := range [...]bool{true, false} { // usually the nearest has the degree, which rules out the other pools
		for i := range d.pools {
			if p := &d.pools[i]; (p.degree == own) == near {
				s.visit(p.donors)
			}
		}
	}
	return s.nearest
}

// A search looks for the donor nearest to a structure view.
type search struct {
	xs      [width]float32
	best    float64 // squared distance of nearest
	nearest *donor
}

// visit compares the donors of a tree, but for parts that are too far.
func (s *search) visit(tree []donor) {
	for len(tree) > 0 {
		middle := len(tree) / 2
		o := &tree[middle]
		if len(tree) > 1 && s.least(o) > s.best {
			return
		}
		if sum := squaredDistance(s.xs[:], o.xs[:], s.best); sum < s.best || sum == s.best && o.first < s.nearest.first {
			s.best, s.nearest = sum, o
		}
		near, far := tree[:middle], tree[middle+1:]
		beyond := float64(s.xs[o.axis]) - float64(o.xs[o.axis])
		if beyond > 0 {
			near, far = far, near
		}
		s.visit(near)
		if float64(beyond*beyond) > s.best { // by one probability alone
			return
		}
		tree = far
	}
}

// least returns at most the squared distance of any donor in the tree of o. Rounding keeps that true: no term exceeds
// the donor's, and they are added in the same order.
func (s *search) least(o *donor) float64 {
	sum := 0.0
	for c, x := range s.xs[:graph.WalkSteps] {
		d := 0.0
		if low, high := o.low[c], o.high[c]; x < low {
			d = float64(low) - float64(x)
		} else if x > high {
			d = float64(x) - float64(high)
		}
		if sum += float64(d * d); sum > s.best {
			return sum
		}
	}
	for c := graph.WalkSteps; c < width; c++ {
		d := float64(s.xs[c]) - float64(o.xs[c])
		sum += float64(d * d)
	}
	return sum
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
