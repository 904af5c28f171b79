package graph

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

func build(tb testing.TB, n int, edges [][2]int32) *Graph {
	tb.Helper()
	g, _ := must.Both(New(n, edges))
	return g
}

// drawn has n nodes and at most so many edges.
func drawn(tb testing.TB, rng *rand.Rand, n, most int) *Graph {
	tb.Helper()
	var edges [][2]int32
	for range most {
		edges = append(edges, [2]int32{rng.Int32N(int32(n)), rng.Int32N(int32(n))})
	}
	return build(tb, n, edges)
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		n     int
		edges [][2]int32
		want  string
	}{
		{-1, nil, "-1 nodes"},
		{MaxNodes + 1, nil, "a graph of 32769 nodes and 0 edges: want at most 32768 and 131072"},
		{2, make([][2]int32, MaxEdges+1), "a graph of 2 nodes and 131073 edges: want at most"},
		{0, [][2]int32{{0, 0}}, "edge 0"},
		{2, [][2]int32{{0, 1}, {0, 2}}, "edge 1 joins nodes 0 and 2"},
		{2, [][2]int32{{2, 1}}, "edge 0 joins nodes 2 and 1"},
		{2, [][2]int32{{-1, 1}}, "nodes -1 and 1"},
		{2, [][2]int32{{1, -1 << 31}}, "edge 0"},
	} {
		g, _, err := New(c.n, c.edges)
		if err == nil || !strings.Contains(err.Error(), c.want) || g != nil {
			t.Errorf("%d nodes, edges %v: error %v, want one with %q", c.n, c.edges, err, c.want)
		}
	}
}

// New against a dense matrix, on random lists of edges with loops and repeats.
func TestNewDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 200 {
		n := rng.IntN(12)
		var edges [][2]int32
		for range min(n, 1) * rng.IntN(40) {
			edges = append(edges, [2]int32{int32(rng.IntN(n)), int32(rng.IntN(n))})
		}
		before := slices.Clone(edges)
		a := make([][]bool, n)
		for i := range a {
			a[i] = make([]bool, n)
		}
		loops, distinct := 0, 0
		for _, e := range edges {
			switch {
			case e[0] == e[1]:
				loops++
			case !a[e[0]][e[1]]:
				a[e[0]][e[1]], a[e[1]][e[0]] = true, true
				distinct++
			}
		}
		g, d := must.Both(New(n, edges))
		if want := (Dropped{loops, len(edges) - loops - distinct}); d != want || g.N() != n || g.M() != distinct || g.Features != 1 || !slices.Equal(g.X, slices.Repeat([]float32{1}, n)) {
			t.Errorf("trial %d: %d nodes, features %v, dropped %+v of %v, want %d and %+v", trial, g.N(), g.X, d, edges, n, want)
		}
		for i := range n {
			var row []int32
			for j, in := range a[i] {
				if in {
					row = append(row, int32(j))
				}
			}
			if !slices.Equal(g.Row(i), row) || g.Degree(i) != len(row) {
				t.Errorf("trial %d: node %d has neighbours %v, want %v", trial, i, g.Row(i), row)
			}
		}
		if !slices.Equal(before, edges) {
			t.Errorf("trial %d: the list of edges was changed", trial)
		}
	}
}

func TestEdgesAndSelect(t *testing.T) {
	g, _ := must.Both(New(5, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 3}}))
	g.X = []float32{0, 1, 2, 3, 4}
	if got, want := g.Edges(), [][2]int32{{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 4}}; !slices.Equal(got, want) {
		t.Errorf("edges %d, want %d", got, want)
	}
	h := g.Select(func(i int) bool { return i != 2 })
	if !slices.Equal(h.X, []float32{0, 1, 3, 4}) || !slices.Equal(h.Offsets, []int32{0, 1, 3, 5, 6}) || !slices.Equal(h.Neighbors, []int32{1, 0, 2, 1, 3, 2}) {
		t.Errorf("without node 2: %+v", h)
	}
	if h = g.Select(func(int) bool { return false }); h.N() != 0 || len(h.Neighbors) != 0 {
		t.Errorf("without any node: %+v", h)
	}
}

// coreByDefinition takes away one node of degree at most 1 at a time.
func coreByDefinition(g *Graph) (nodes []int, left int) {
	in := slices.Repeat([]bool{true}, g.N())
	degree := func(i int) (d int) {
		for _, j := range g.Row(i) {
			if in[j] {
				d++
			}
		}
		return d
	}
	for changed := true; changed; {
		changed = false
		for i := range in {
			if in[i] && degree(i) <= 1 {
				in[i], changed = false, true
			}
		}
	}
	for i := range in {
		if in[i] {
			nodes, left = append(nodes, i), left+degree(i)
		}
	}
	return nodes, left / 2
}

// Cores, components and cycles are those of their definitions.
func TestCore(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	kept := 0
	for trial := range 200 {
		n := 1 + rng.IntN(14)
		g := drawn(t, rng, n, rng.IntN(2*n))
		edges := g.Edges()
		g.Features, g.X = 2, make([]float32, 2*n)
		for i := range n {
			g.X[2*i], g.X[2*i+1] = float32(i), -1
		}
		nodes, m := coreByDefinition(g)
		c := g.Core()
		if c.N() != len(nodes) || c.M() != m || len(c.X) != len(nodes) {
			t.Fatalf("trial %d: core of %d nodes and %d edges, want %d and %d", trial, c.N(), c.M(), len(nodes), m)
		}
		kept += m
		part, cycles := make([]int, n), 0 // the first node of each component, edge by edge
		for i := range part {
			part[i] = i
		}
		for _, e := range edges {
			a, b := part[e[0]], part[e[1]]
			if a == b {
				cycles++
			}
			for i, p := range part {
				if p == max(a, b) {
					part[i] = min(a, b)
				}
			}
		}
		var firsts []int
		var sizes, of []int32
		for i, p := range part {
			if p == i {
				firsts, sizes = append(firsts, i), append(sizes, 0)
			}
			k := slices.Index(firsts, p)
			of = append(of, int32(k))
			sizes[k]++
		}
		got, count := g.Parts()
		if !slices.Equal(got, of) || !slices.Equal(count, sizes) || g.Components() != len(sizes) || g.Cycles() != cycles {
			t.Fatalf("trial %d: parts %d of sizes %d and %d cycles, want %d, %d and %d", trial, got, count, g.Cycles(), of, sizes, cycles)
		}
		if got := g.Fraction(func(i int) bool { return of[i] == 0 }); got != float64(sizes[0])/float64(n) {
			t.Errorf("trial %d: a fraction of %g, want %d of %d", trial, got, sizes[0], n)
		}
		for k, i := range nodes {
			if c.X[k] != float32(i) {
				t.Errorf("trial %d: node %d is %v, want %d", trial, k, c.X[k], i)
			}
			for _, j := range c.Row(k) {
				a, b := int32(nodes[k]), int32(nodes[j])
				if !slices.Contains(g.Row(int(a)), b) {
					t.Errorf("trial %d: edge %d-%d is not in the graph", trial, a, b)
				}
			}
		}
	}
	if kept == 0 {
		t.Error("no core had an edge")
	}
}

// An arrangement has the edges and features of the graph under other numbers, and rows
// ascend, whatever was arranged before.
func TestArrange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	var a Arrangement
	for round := range 60 {
		n := rng.IntN(30)
		g := drawn(t, rng, n, rng.IntN(3*n+1))
		g.Features, g.X = 2, nil
		for range 2 * n {
			g.X = append(g.X, rng.Float32())
		}
		order := make([]int32, n)
		for k, i := range rng.Perm(n) {
			order[k] = int32(i)
		}
		a.Arrange(g, order)
		if a.N() != n || a.M() != g.M() || a.Features != 2 || len(a.X) != 2*n {
			t.Fatalf("round %d: %d nodes, %d edges and %d values of %d features, want %d, %d, %d and 2", round, a.N(), a.M(), len(a.X), a.Features, n, g.M(), 2*n)
		}
		for k, i := range order {
			if !slices.Equal(a.X[2*k:2*k+2], g.X[2*i:2*i+2]) || !slices.IsSorted(a.Row(k)) {
				t.Errorf("round %d: node %d has features %v and neighbours %v", round, k, a.X[2*k:2*k+2], a.Row(k))
			}
			for q, j := range order {
				if got, want := slices.Contains(a.Row(k), int32(q)), slices.Contains(g.Row(int(i)), j); got != want {
					t.Errorf("round %d: edge between nodes %d and %d: %v, want %v", round, k, q, got, want)
				}
			}
		}
	}
}

func TestBatch(t *testing.T) {
	a := build(t, 3, [][2]int32{{0, 1}, {1, 2}})
	empty, single, b := build(t, 0, nil), build(t, 1, nil), build(t, 2, [][2]int32{{0, 1}})
	gs := []*Graph{a, empty, single, b}
	for _, g := range gs {
		g.EncodeStructure()
	}
	var batch Batch
	for range 2 { // the second round reuses the memory
		batch.Reset(gs)
		if len(batch.Graphs) != 4 || batch.N() != 6 || batch.Features != 1 {
			t.Fatalf("%d graphs, %d nodes, %d features", len(batch.Graphs), batch.N(), batch.Features)
		}
		for k, want := range [][2]int{{0, 3}, {3, 3}, {3, 4}, {4, 6}} {
			if lo, hi := batch.Nodes(k); lo != want[0] || hi != want[1] {
				t.Errorf("graph %d has nodes %d to %d, want %v", k, lo, hi, want)
			}
		}
		if !slices.Equal(batch.Offsets, []int32{0, 1, 3, 4, 4, 5, 6}) || !slices.Equal(batch.Neighbors, []int32{1, 0, 2, 1, 5, 4}) {
			t.Errorf("offsets %v, neighbours %v", batch.Offsets, batch.Neighbors)
		}
		batch.Reset(gs[3:])
		if lo, hi := batch.Nodes(0); batch.N() != 2 || lo != 0 || hi != 2 {
			t.Errorf("%d nodes, those of the graph from %d to %d", batch.N(), lo, hi)
		}
	}
	if n := testing.AllocsPerRun(10, func() { batch.Reset(gs) }); n != 0 {
		t.Errorf("%v allocations for a batch of the same size, want 0", n)
	}
	batch.Reset(nil)
	if len(batch.Graphs) != 0 || batch.N() != 0 {
		t.Errorf("batch of nothing: %d graphs, %d nodes", len(batch.Graphs), batch.N())
	}
}

func TestBatchShapesPanic(t *testing.T) {
	some, other, short := build(t, 2, nil), build(t, 2, nil), build(t, 2, nil)
	other.Features, other.X = 9, make([]float32, 18)
	short.X = short.X[:1]
	for name, gs := range map[string][]*Graph{
		"features differ": {some, other},
		"values missing":  {some, short},
	} {
		must.Panic(t, name, func() { new(Batch).Reset(gs) })
	}
}

// encodeDense is the definition: powers of the dense matrix A·D⁻¹ in float64.
func encodeDense(g *Graph) []float64 {
	n := g.N()
	p := make([]float64, n*n)
	for j := range n {
		for _, i := range g.Row(j) {
			p[int(i)*n+j] = 1 / float64(g.Degree(j))
		}
	}
	out := make([]float64, n*EncodingWidth)
	power := make([]float64, n*n)
	for i := range n {
		power[i*n+i] = 1
		out[i*EncodingWidth+WalkSteps+min(g.Degree(i), DegreeClasses-1)] = 1
	}
	for k := range WalkSteps {
		next := make([]float64, n*n)
		for i := range n {
			for j := range n {
				for l := range n {
					next[i*n+j] += power[i*n+l] * p[l*n+j]
				}
			}
		}
		power = next
		for i := range n {
			out[i*EncodingWidth+k] = power[i*n+i]
		}
	}
	return out
}

func encoded(g *Graph) []float32 {
	g.EncodeStructure()
	return g.XS
}

// exactTolerance is about one float32 rounding of a probability.
const exactTolerance = 1e-7

// near reports the first value further than tolerance from its reference.
func near(t *testing.T, name string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for k, w := range want {
		if !(math.Abs(float64(got[k])-w) <= tolerance) {
			t.Errorf("%s: node %d, place %d is %v, want %v", name, k/EncodingWidth, k%EncodingWidth, got[k], w)
			return
		}
	}
}

func TestEncodeDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		n := 1 + rng.IntN(30)
		g := drawn(t, rng, n, rng.IntN(1+rng.IntN(n*n)))
		near(t, "random graph", encoded(g), encodeDense(g), exactTolerance)
	}
	star := [][2]int32{}
	for leaf := range int32(40) {
		star = append(star, [2]int32{0, leaf + 1})
	}
	for name, g := range map[string]*Graph{
		"nothing":  build(t, 0, nil),
		"isolated": build(t, 3, nil),
		"edge":     build(t, 3, [][2]int32{{0, 2}}),
		"star":     build(t, 41, star),
	} {
		near(t, name, encoded(g), encodeDense(g), exactTolerance)
	}
}

// Walks of a large graph that go together return as they do one by one. It has isolated nodes, leaves of the same node,
// and two parts of which one is never reached.
func TestEncodeTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	const n = 2*wideNodes + 5
	var edges [][2]int32
	for range 5 * n / 2 {
		edges = append(edges, [2]int32{rng.Int32N(n - 300), rng.Int32N(n - 300)})
	}
	for leaf := range int32(250) {
		edges = append(edges, [2]int32{leaf % 7, n - 299 + leaf})
	}
	g := build(t, n, append(edges, [2]int32{n - 2, n - 1}))
	want := make([]float32, n*EncodingWidth)
	w := new(walker)
	w.begin(g)
	for i := range n {
		row := want[i*EncodingWidth:][:EncodingWidth]
		w.returns(g, int32(i), row[:WalkSteps])
		row[WalkSteps+min(g.Degree(i), DegreeClasses-1)] = 1
	}
	got, differ := encoded(g), 0
	for k, x := range got {
		if math.Abs(float64(x)-float64(want[k])) > 1e-7 {
			t.Fatalf("node %d, place %d: %g, want %g", k/EncodingWidth, k%EncodingWidth, x, want[k])
		}
		if x != want[k] {
			differ++
		}
	}
	if differ > 1 {
		t.Errorf("%d values of %d differ by a rounding", differ, len(got))
	}
}

func BenchmarkEncode(b *testing.B) {
	g := drawn(b, rand.New(rand.NewPCG(1, 2)), 2048, 8192)
	dst := make([]float32, g.N()*EncodingWidth)
	for b.Loop() {
		Encode(g, dst)
	}
}

// A long ring, in memory that grows with its length and not with its square:
// the walk is back after 2k steps with the chance C(2k, k)/4^k.
func TestEncodeLongRing(t *testing.T) {
	const n = MaxNodes
	edges := make([][2]int32, n)
	for i := range edges {
		edges[i] = [2]int32{int32(i), int32((i + 1) % n)}
	}
	g := build(t, n, edges)
	dst := make([]float32, n*EncodingWidth)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Encode(g, dst)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64*n {
		t.Errorf("%d bytes allocated for %d nodes, want at most 64 each", used, n)
	}
	row := make([]float64, EncodingWidth)
	chance := 1.0
	for k := 1; 2*k <= WalkSteps; k++ {
		chance *= float64(2*k-1) / float64(2*k)
		row[2*k-1] = chance
	}
	row[WalkSteps+2] = 1
	want := make([]float64, 0, n*EncodingWidth)
	for range n {
		want = append(want, row...)
	}
	near(t, "ring", dst, want, exactTolerance)
	// Cut open, the nodes out of reach of the ends are the same, and the ends
	// are those of a short path.
	path := encoded(build(t, n, edges[:n-1]))
	const end = WalkSteps/2 + 1 // 16 steps turn round at most 8 away
	near(t, "path", path[end*EncodingWidth:(n-end)*EncodingWidth], want[end*EncodingWidth:(n-end)*EncodingWidth], exactTolerance)
	short := encodeDense(build(t, 40, edges[:39]))
	near(t, "end of the path", path[:end*EncodingWidth], short[:end*EncodingWidth], exactTolerance)
}

// The leaves of a large star must not each cost a walk over all the others.
func TestEncodeLargeStar(t *testing.T) {
	const leaves = MaxNodes - 1
	edges := make([][2]int32, leaves)
	for i := range edges {
		edges[i] = [2]int32{0, int32(i) + 1}
	}
	g, _ := must.Both(New(leaves+1, edges))
	x := encoded(g)
	for i, back := range []float64{1, 1.0 / leaves, 1.0 / leaves} {
		near(t, "star", x[i*EncodingWidth:][:2], []float64{0, back}, exactTolerance)
	}
}

func TestEncodeShapePanics(t *testing.T) {
	must.Panic(t, "short", func() { Encode(build(t, 2, nil), make([]float32, EncodingWidth)) })
}

// An asked context counts how often it is asked, and ends after that.
type asked struct {
	context.Context
	times, most int
}

func (a *asked) Err() error {
	if a.times++; a.times > a.most {
		return context.Canceled
	}
	return nil
}

// The encoding of a large graph, which takes up to minutes, ends with its context.
func TestEncodeStructureEnds(t *testing.T) {
	edges := make([][2]int32, 1000)
	for i := range edges {
		edges[i] = [2]int32{int32(i), int32(i + 1)}
	}
	g := build(t, len(edges)+1, edges)
	ctx := &asked{Context: context.Background(), most: 3}
	if err := g.EncodeStructureIn(ctx); err != context.Canceled || ctx.times != 5 || g.XS != nil {
		t.Errorf("%v, asked %d times", err, ctx.times)
	}
	ctx.most = 1000
	if err := g.EncodeStructureIn(ctx); err != nil || ctx.times < 5+len(edges)/askEvery || g.XS == nil {
		t.Errorf("%v, asked %d times", err, ctx.times)
	}
}
