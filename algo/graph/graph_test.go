package graph

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func build(tb testing.TB, n int, edges [][2]int32) *Graph {
	tb.Helper()
	g, _, err := New(n, edges)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		name      string
		n         int
		edges     [][2]int32
		offsets   []int32
		neighbors []int32
		dropped   Dropped
	}{
		{"no nodes", 0, nil, []int32{0}, nil, Dropped{}},
		{"isolated nodes", 3, nil, []int32{0, 0, 0, 0}, nil, Dropped{}},
		{"an edge among isolated nodes", 4, [][2]int32{{3, 1}}, []int32{0, 0, 1, 1, 2}, []int32{3, 1}, Dropped{}},
		{"rows are sorted", 4, [][2]int32{{0, 3}, {0, 1}, {2, 0}}, []int32{0, 3, 4, 5, 6}, []int32{1, 2, 3, 0, 0, 0}, Dropped{}},
		{"self-loops", 2, [][2]int32{{0, 0}, {0, 1}, {1, 1}, {1, 1}}, []int32{0, 1, 2}, []int32{1, 0}, Dropped{SelfLoops: 3}},
		{"self-loops only", 1, [][2]int32{{0, 0}}, []int32{0, 0}, nil, Dropped{SelfLoops: 1}},
		{"both directions", 2, [][2]int32{{0, 1}, {1, 0}}, []int32{0, 1, 2}, []int32{1, 0}, Dropped{Duplicates: 1}},
		{"four lines an edge", 3, [][2]int32{{0, 1}, {1, 0}, {0, 1}, {1, 2}, {1, 0}}, []int32{0, 1, 3, 4}, []int32{1, 0, 2, 1}, Dropped{Duplicates: 3}},
	} {
		g, d, err := New(c.n, c.edges)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(g.Offsets, c.offsets) || !slices.Equal(g.Neighbors, c.neighbors) || d != c.dropped {
			t.Errorf("%s: offsets %v, neighbours %v, %+v, want %v, %v, %+v",
				c.name, g.Offsets, g.Neighbors, d, c.offsets, c.neighbors, c.dropped)
		}
		if g.N() != c.n || g.M() != len(c.neighbors)/2 {
			t.Errorf("%s: %d nodes and %d edges", c.name, g.N(), g.M())
		}
		if g.Features != 1 || len(g.X) != c.n || slices.ContainsFunc(g.X, func(x float32) bool { return x != 1 }) {
			t.Errorf("%s: features %v, want %d ones", c.name, g.X, c.n)
		}
	}
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
		n := 1 + rng.IntN(12)
		var edges [][2]int32
		for range rng.IntN(40) {
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
		g, d, err := New(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		if want := (Dropped{loops, len(edges) - loops - distinct}); d != want || g.M() != distinct {
			t.Errorf("trial %d: dropped %+v of %v, want %+v", trial, d, edges, want)
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
	g, _, err := New(5, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 3}})
	if err != nil {
		t.Fatal(err)
	}
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
