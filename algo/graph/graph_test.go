package graph

import (
	"math/rand/v2"
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
