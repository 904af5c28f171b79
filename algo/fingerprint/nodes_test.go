package fingerprint

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/must"
)

// A print in the memory of another one costs no allocation, and is the same.
func TestDescribeAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	var p Print
	for range 50 {
		g := random(rng)
		want := New(g, DefaultHeight)
		if p.Describe(g, DefaultHeight); !slices.Equal(p.Keys, want.Keys) || !slices.Equal(p.Counts, want.Counts) {
			t.Fatalf("print %v in used memory, want %v", p, want)
		}
		if n := testing.AllocsPerRun(10, func() { p.Describe(g, DefaultHeight) }); n != 0 {
			t.Fatalf("%g allocations in used memory, want none", n)
		}
	}
}

// What a memo returns is what it would have to hash, also after others took its places and
// where graphs have other features.
func TestMemo(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 12))
	var m memo
	for range 2000 {
		g := random(rng)
		g.Features, g.X = memoFeatures, nil
		if rng.IntN(20) == 0 {
			g.Features += rng.IntN(3) - 1
		}
		for range g.N() * g.Features {
			g.X = append(g.X, float32(rng.IntN(12)/8*rng.IntN(4)))
		}
		for i := range g.N() {
			if got, want := m.root(g, i), root(g, i, -1); got != want {
				t.Fatalf("node %d of %d features: %x, want %x", i, g.Features, got, want)
			}
		}
	}
}

// The order is that of the hashes of all heights up to depth, although those that tell nothing apart
// are left out, then that of the nodes.
func TestOrderByAllHeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 12))
	for trial := range 500 {
		g := random(rng)
		height, depth := rng.IntN(4), rng.IntN(7)
		if trial%100 == 0 { // a chain, whose nodes differ by how far the ends are, or by features
			n := []int{20, 60, manySorted + 10}[trial/100%3]
			var edges [][2]int32
			for i := range int32(n - 1) {
				edges = append(edges, [2]int32{i, i + 1})
			}
			g, _ = must.Both(graph.New(n, edges))
			g.Features, g.X = 1, make([]float32, n)
			for i := range g.X {
				g.X[i] = float32(i * (n / manySorted))
			}
		}
		var o Order
		if got := o.Arrange(g, height, depth); !got.Equal(New(g, height)) {
			t.Fatalf("trial %d: print %v", trial, got)
		}
		w, n := new(workspace), g.N()
		w.subtrees(g, height)
		for h := height; h < depth; h++ {
			w.refine(g, h)
		}
		want := make(Order, n)
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(i, j int32) (by int) {
			for h := 0; h <= depth && by == 0; h++ {
				by = cmp.Compare(w.height(h, n)[i], w.height(h, n)[j])
			}
			return by
		})
		if !slices.Equal(o, want) {
			t.Fatalf("trial %d, heights %d and %d: order %v, want %v", trial, height, depth, o, want)
		}
	}
}
