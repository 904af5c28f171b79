package graph

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"baca/algo/internal/kernel"
)

// The structure view of a node: its random-walk return probabilities after 1 to WalkSteps steps
// (RWSE), then its degree, one-hot, capped at DegreeClasses-1.
const (
	WalkSteps     = 16
	DegreeClasses = 16
	EncodingWidth = WalkSteps + DegreeClasses
)

// Encode writes the structural encoding of g to dst, n rows of EncodingWidth:
// diag((A·D⁻¹)^k) for k = 1…16, then the one-hot of min(degree, 15). Isolated
// nodes have D⁻¹ = 0.
//
// A walk on an undirected graph is reversible: with P = A·D⁻¹,
// d_j·(P^a)_ij = d_i·(P^a)_ji. Hence
//
//	(P^(a+b))_ii = d_i · Σ_j (P^a)_ji (P^b)_ji / d_j,
//
// and eight steps from each node give sixteen return probabilities. A step
// touches only nodes within its reach, so the cost is O(k·n·m) at worst, the
// size of the 8-hop balls in sparse graphs, and the memory is O(n). Where walks reach a quarter of a large
// graph, walks from eight nodes go together, in half the time.
func Encode(g *Graph, dst []float32) { EncodeIn(context.Background(), g, dst) }

// askEvery is after how many nodes EncodeIn asks whether it is still wanted.
const askEvery = 64

// EncodeIn is Encode until ctx ends, whose error it returns.
func EncodeIn(ctx context.Context, g *Graph, dst []float32) error {
	n := g.N()
	if len(dst) != n*EncodingWidth {
		panic(fmt.Sprintf("graph: encoding of %d nodes needs %d values, got %d", n, n*EncodingWidth, len(dst)))
	}
	clear(dst)
	w := walkers.Get().(*walker)
	defer walkers.Put(w)
	w.begin(g)
	wide := false        // the last walk reached many nodes of a large graph
	var together []int32 // nodes that wait for returnsOf
	for i := range n {
		if i%askEvery == askEvery-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := dst[i*EncodingWidth : (i+1)*EncodingWidth]
		row[WalkSteps+min(g.Degree(i), DegreeClasses-1)] = 1
		if g.Degree(i) == 1 {
			first := &w.leaf[g.Row(i)[0]]
			if *first != 0 { // the first leaf has the same probabilities, which are copied at the end
				w.alike = append(w.alike, [2]int32{int32(i), *first - 1})
				continue
			}
			*first = int32(i) + 1
		}
		if wide && i%askEvery != 0 { // sometimes a node walks alone, to see whether walks are still wide
			together = append(together, int32(i))
		} else {
			w.returns(g, int32(i), row[:WalkSteps])
			wide = n >= wideNodes && len(w.here) > n/4
		}
		if len(together) == kernel.Walks {
			w.returnsOf(g, together, dst)
			together = together[:0]
		}
	}
	if len(together) > 0 {
		w.returnsOf(g, together, dst)
	}
	for _, leaf := range w.alike {
		copy(dst[int(leaf[0])*EncodingWidth:][:WalkSteps], dst[int(leaf[1])*EncodingWidth:])
	}
	return nil
}

// A walker spreads one unit of probability from a node. now and next are P^a e_i and P^(a+1) e_i,
// zero except at reached nodes, and all zero between two starts.
type walker struct {
	inverse       []float64 // of the degrees
	now, next     []float64
	here, reached []int32
	// All leaves of a node are alike, so one is computed: a star would otherwise cost the square of
	// its size.
	leaf  []int32    // first leaf of a node, plus 1
	alike [][2]int32 // further leaves, and the first

	wide [2][]kernel.Lane // memory of returnsOf
	near []bool           // memory of widen
}

// walkers reuses memory between graphs.
var walkers = sync.Pool{New: func() any { return new(walker) }}

// begin prepares w for the nodes of g.
func (w *walker) begin(g *Graph) {
	n := g.N()
	if cap(w.inverse) < n {
		*w = walker{
			inverse: make([]float64, n), now: make([]float64, n), next: make([]float64, n),
			here: make([]int32, 0, n+1), reached: make([]int32, 0, n+1), leaf: make([]int32, n),
		}
	}
	w.inverse, w.now, w.next, w.leaf = w.inverse[:n], w.now[:n], w.next[:n], w.leaf[:n]
	clear(w.leaf)
	w.alike = w.alike[:0]
	for i := range n {
		w.inverse[i] = 1 / float64(g.Degree(i)) // +Inf where no step is possible
	}
}

// returns writes the probabilities (P^k)_ii of a return to node i after k = 1…len(dst) steps; len(dst) is even. Each of
// its rounds walks one step and writes two of them, see Encode.
func (w *walker) returns(g *Graph, i int32, dst []float32) {
	degree := float64(g.Degree(int(i)))
	w.here = append(w.here[:0], i)
	w.now[i] = 1
	for a := range len(dst) / 2 {
		// Which nodes are new is unpredictable, so the loop does not branch on it.
		next, reached, n := w.next, w.reached[:g.N()+1], 0
		for _, u := range w.here {
			// A rounded-off node stays in the list, so a zero entry means "not reached yet".
			part := w.now[u] * w.inverse[u]
			if part == 0 {
				continue
			}
			for _, v := range g.Row(int(u)) {
				p := next[v]
				next[v], reached[n] = p+part, v
				if p == 0 {
					n++
				}
			}
		}
		w.reached = reached[:n]
		var odd, even float64 // steps 2a+1 and 2a+2
		for _, v := range w.reached {
			p := float64(w.next[v] * w.inverse[v])
			odd += float64(p * w.now[v])
			even += float64(p * w.next[v])
		}
		dst[2*a] = float32(degree * odd)
		dst[2*a+1] = float32(degree * even)
		for _, u := range w.here { // becomes next, which has to be zero
			w.now[u] = 0
		}
		w.now, w.next = w.next, w.now
		w.here, w.reached = w.reached, w.here
	}
	for _, u := range w.here {
		w.now[u] = 0
	}
}

// From wideNodes on a graph is large: the vectors of many walks no longer fit the nearest cache.
const wideNodes = 1024

// returnsOf is returns for up to kernel.Walks nodes together, in the rows of dst that Encode has for them. It adds up in the order of
// all nodes, but visits only those that a walk can have reached.
func (w *walker) returnsOf(g *Graph, nodes []int32, dst []float32) {
	n := g.N()
	for k := range w.wide {
		w.wide[k] = slices.Grow(w.wide[k][:0], n)[:n]
	}
	part, next := w.wide[0], w.wide[1] // D⁻¹·P^a·e_i and D⁻¹·P^(a+1)·e_i
	clear(part)
	clear(next)
	for l, i := range nodes {
		part[i][l] = w.inverse[i]
	}
	reach := slices.Clone(nodes)
	for a := range WalkSteps / 2 {
		reach = w.widen(g, reach)
		var odd, even kernel.Lane
		kernel.Walk(next, part, w.inverse, g.Offsets, g.Neighbors, reach, &odd, &even)
		for l, i := range nodes {
			to, degree := dst[int(i)*EncodingWidth:], float64(g.Degree(int(i)))
			to[2*a], to[2*a+1] = float32(degree*odd[l]), float32(degree*even[l])
		}
		part, next = next, part
	}
}

// widen returns nodes and their neighbours, ascending, in the memory of nodes. Where nodes are half of the graph or more,
// it returns all.
func (w *walker) widen(g *Graph, nodes []int32) []int32 {
	n := g.N()
	if len(nodes) == n {
		return nodes
	}
	w.near = slices.Grow(w.near[:0], n)[:n]
	clear(w.near)
	all := 2*len(nodes) >= n
	for _, u := range nodes {
		w.near[u] = true
		for _, v := range g.Row(int(u)) {
			w.near[v] = true
		}
	}
	nodes = nodes[:0]
	for v, near := range w.near {
		if near || all {
			nodes = append(nodes, int32(v))
		}
	}
	return nodes
}
