package fingerprint

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The keys of all nodes are the print, and each is the hash of the node's subtree.
func TestNodesMakeThePrint(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var prints []Print
	for range 60 {
		g := random(rng)
		const height = 3
		keys := Nodes(g, height)
		counts := map[uint32]uint32{}
		for h := range height + 1 {
			for i := range g.N() {
				key := keys[h*g.N()+i]
				counts[key]++
				if want := keyOf(t, g, i, h); key != want {
					t.Fatalf("node %d at height %d has key %x, want %x", i, h, key, want)
				}
			}
		}
		p := New(g, height)
		if len(p.Keys) != len(counts) {
			t.Fatalf("%d keys, the print has %d", len(counts), len(p.Keys))
		}
		for k, key := range p.Keys {
			if counts[key] != p.Counts[k] {
				t.Fatalf("key %x occurs %d times, in the print %d times", key, counts[key], p.Counts[k])
			}
		}
		prints = append(prints, p)
	}
	x := NewIndex(prints)
	for _, key := range prints[3].Keys {
		holders := 0
		for _, p := range prints {
			for _, k := range p.Keys {
				if k == key {
					holders++
				}
			}
		}
		if got := x.Holders(key); got != holders {
			t.Errorf("key %x is in %d prints, want %d", key, got, holders)
		}
	}
	if x.Holders(0x12345) != 0 {
		t.Error("a key that no print has, has holders")
	}
}

// Keys are sorted, however many there are and whatever their high bytes.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	w := new(workspace)
	for _, n := range []int{0, 1, fewSorted - 1, fewSorted, 75, 225, manySorted, manySorted + 1, 5000} {
		for _, bits := range []int{2, 20, 32} {
			keys := make([]uint32, n)
			for i := range keys {
				keys[i] = rng.Uint32() >> (32 - bits)
			}
			want := slices.Sorted(slices.Values(keys))
			if w.sort(keys); !slices.Equal(keys, want) {
				t.Errorf("%d keys of %d bits are not sorted", n, bits)
			}
		}
	}
}

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
