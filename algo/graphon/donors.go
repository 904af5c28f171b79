package graphon

import (
	"fmt"

	"baca/algo/graph"
)

const width = graph.EncodingWidth

// Donors lend synthetic nodes their feature view: each takes the features of the
// donor whose structure view is nearest. It is read-only once built.
//
// Donors with the same structure view are kept once, in a tree of bounding
// boxes: an exact search, as a lower bound on a box and a distance to a node in
// it are summed in the same order and rounding keeps their order.
type Donors struct {
	features int
	nodes    int
	xs       []float32 // distinct × width, leaf by leaf
	x        []float32 // distinct × features, likewise
	first    []int32   // the pool's first node with this structure view
	boxes    []box     // the root is the first
}

type box struct {
	low, high   [width]float32
	start, end  int32 // nodes inside
	left, right int32 // boxes; 0 in a leaf
}

// leafNodes is where a scan is as fast as going further down the tree.
const leafNodes = 8

// NewDonors pools the nodes of gs, numbered through. The graphs must have the
// same number of features and their structure view.
func NewDonors(gs []*graph.Graph) *Donors {
	d := &Donors{}
	type donor struct {
		xs    [width]float32
		first int32
		graph int32
		node  int32
	}
	var pool []donor
	seen := make(map[[width]float32]struct{})
	for k, g := range gs {
		if k == 0 {
			d.features = g.Features
		}
		if g.Features != d.features || len(g.X) != g.N()*g.Features || len(g.XS) != g.N()*width {
			panic(fmt.Sprintf("graphon: donors of %d features got a graph of %d nodes, %d features, %d feature values and %d encoding values",
				d.features, g.N(), g.Features, len(g.X), len(g.XS)))
		}
		for v := range g.N() {
			row := [width]float32(g.XS[v*width:])
			if _, ok := seen[row]; !ok {
				seen[row] = struct{}{}
				pool = append(pool, donor{row, int32(d.nodes), int32(k), int32(v)})
			}
			d.nodes++
		}
	}
	if len(pool) == 0 {
		return d
	}
	var build func(start, end int) int32
	build = func(start, end int) int32 {
		at := int32(len(d.boxes))
		b := box{low: pool[start].xs, high: pool[start].xs, start: int32(start), end: int32(end)}
		for _, p := range pool[start+1 : end] {
			for c, v := range p.xs {
				b.low[c], b.high[c] = min(b.low[c], v), max(b.high[c], v)
			}
		}
		d.boxes = append(d.boxes, b)
		if end-start <= leafNodes {
			return at
		}
		// Halve the longest side. Distinct rows have one longer than zero, so
		// both halves hold a node.
		wide := 0
		for c := range width {
			if b.high[c]-b.low[c] > b.high[wide]-b.low[wide] {
				wide = c
			}
		}
		cut := b.low[wide] + (b.high[wide]-b.low[wide])/2
		if cut >= b.high[wide] {
			cut = b.low[wide]
		}
		middle := start
		for k := start; k < end; k++ {
			if pool[k].xs[wide] <= cut {
				pool[k], pool[middle] = pool[middle], pool[k]
				middle++
			}
		}
		if middle == start || middle == end {
			return at // only where a value is not a number
		}
		left := build(start, middle)
		right := build(middle, end)
		d.boxes[at].left, d.boxes[at].right = left, right
		return at
	}
	build(0, len(pool))
	d.xs = make([]float32, 0, len(pool)*width)
	d.x = make([]float32, 0, len(pool)*d.features)
	d.first = make([]int32, len(pool))
	for k, p := range pool {
		g := gs[p.graph]
		d.xs = append(d.xs, p.xs[:]...)
		d.x = append(d.x, g.X[int(p.node)*d.features:(int(p.node)+1)*d.features]...)
		d.first[k] = p.first
	}
	return d
}

// Len returns the number of nodes in the pool.
func (d *Donors) Len() int { return d.nodes }

// Nearest returns the number of the node in the pool whose structure view has
// the smallest Euclidean distance to xs, the first such node where there are
// several. It is −1 in an empty pool.
func (d *Donors) Nearest(xs []float32) int {
	if k := d.nearest(xs); k >= 0 {
		return int(d.first[k])
	}
	return -1
}

// Fill gives every node of g the features of its nearest donor. The structure
// view of g must be there, and the pool must not be empty.
func (d *Donors) Fill(g *graph.Graph) {
	if len(g.XS) != g.N()*width || d.nodes == 0 && g.N() > 0 {
		panic(fmt.Sprintf("graphon: %d donors for %d nodes with %d encoding values", d.nodes, g.N(), len(g.XS)))
	}
	x := make([]float32, 0, g.N()*d.features)
	for v := range g.N() {
		k := d.nearest(g.XS[v*width : (v+1)*width])
		x = append(x, d.x[k*d.features:(k+1)*d.features]...)
	}
	g.X, g.Features = x, d.features
}

// nearest returns the place of the nearest donor in d.first.
func (d *Donors) nearest(xs []float32) int {
	if len(xs) != width {
		panic(fmt.Sprintf("graphon: encoding of %d values: want %d", len(xs), width))
	}
	if len(d.first) == 0 {
		return -1
	}
	s := search{Donors: d, xs: [width]float32(xs)}
	s.best = s.distance(0)
	s.visit(0, 0)
	return s.at
}

type search struct {
	*Donors
	xs   [width]float32
	at   int
	best float64 // squared distance
}

func (s *search) visit(at int32, bound float64) {
	b := &s.boxes[at]
	if bound > s.best { // at the same distance there may be an earlier node
		return
	}
	if b.left == 0 {
		for k := int(b.start); k < int(b.end); k++ {
			d := s.distance(k)
			if d < s.best || d == s.best && s.first[k] < s.first[s.at] {
				s.best, s.at = d, k
			}
		}
		return
	}
	near, far := b.left, b.right
	nearBound, farBound := s.bound(near), s.bound(far)
	if farBound < nearBound {
		near, far, nearBound, farBound = far, near, farBound, nearBound
	}
	s.visit(near, nearBound)
	s.visit(far, farBound)
}

func (s *search) distance(k int) float64 {
	sum := 0.0
	for c, v := range s.Donors.xs[k*width : (k+1)*width] {
		d := float64(s.xs[c]) - float64(v)
		sum += float64(d * d)
	}
	return sum
}

// bound returns the squared distance to a box.
func (s *search) bound(at int32) float64 {
	b := &s.boxes[at]
	sum := 0.0
	for c, v := range s.xs {
		d := float64(max(b.low[c]-v, v-b.high[c], 0))
		sum += float64(d * d)
	}
	return sum
}
