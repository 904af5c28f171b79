package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// coreByDefinition takes away one node of degree at most 1 at a time.
func coreByDefinition(n int, edges [][2]int32) (nodes []int, left int) {
	in := make([]bool, n)
	for i := range in {
		in[i] = true
	}
	degree := func(i int) (d int) {
		for _, e := range edges {
			if in[e[0]] && in[e[1]] && (int(e[0]) == i || int(e[1]) == i) {
				d++
			}
		}
		return d
	}
	for changed := true; changed; {
		changed = false
		for i := range n {
			if in[i] && degree(i) <= 1 {
				in[i], changed = false, true
			}
		}
	}
	for i := range n {
		if in[i] {
			nodes = append(nodes, i)
			left += degree(i)
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
		nodes, m := coreByDefinition(n, edges)
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
		if got, count := g.Parts(); !slices.Equal(got, of) || !slices.Equal(count, sizes) || g.Components() != len(sizes) || g.Cycles() != cycles {
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
