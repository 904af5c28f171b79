package fingerprint

import (
	"math/rand/v2"
	"slices"
	"testing"
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

// The order is that of the hashes of all heights, although those that tell nothing apart are left out.
func TestOrderByAllHeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 12))
	for range 500 {
		g := random(rng)
		const height, depth = 2, 6
		var o Order
		o.Arrange(g, height, depth)
		w, n := new(workspace), g.N()
		w.subtrees(g, height)
		for h := height; h < depth; h++ {
			w.refine(g, h)
		}
		for k := 1; k < n; k++ {
			for h := range depth + 1 {
				if a, b := w.height(h, n)[o[k-1]], w.height(h, n)[o[k]]; a < b {
					break
				} else if a > b {
					t.Fatalf("node %d comes after node %d, whose hash at height %d is larger", o[k], o[k-1], h)
				}
			}
		}
	}
}
