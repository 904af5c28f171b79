package explain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
)

// Parts have the names that a chemist gives them, and each atom is in one.
func TestGroups(t *testing.T) {
	golden.Table(t, "testdata/groups.txt", 2, func(f []string) string {
		g := parse(t, f[1])[0]
		times, seen := map[string]int{}, make([]int, g.N())
		for _, p := range groups(g, Rings(g)) {
			times[p.name]++
			for _, i := range p.nodes {
				seen[i]++
			}
		}
		if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Errorf("%s: atoms are in %v parts", f[0], seen)
		}
		return strings.Join(lists.Map(Groups(g, Rings(g)), func(name string) string {
			if n := times[name]; n > 1 {
				return fmt.Sprintf("%s ×%d", name, n)
			}
			return name
		}), ", ")
	})
}

// Of each edge in a ring one of its smallest is listed, by the distance without that edge.
func TestRings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for range 200 {
		g := random(rng, 3+rng.IntN(12), 1)
		rings := Rings(g)
		if !slices.IsSortedFunc(rings, func(a, b []int) int { return len(a) - len(b) }) {
			t.Errorf("rings are not in order of size: %v", rings)
		}
		for _, ring := range rings {
			if !slices.IsSorted(ring) || slices.ContainsFunc(ring, func(i int) bool { return count(within(g, i, 1), ring) < 2 }) {
				t.Errorf("%v is no ring", ring)
			}
		}
		for _, e := range g.Edges() {
			h, _ := must.Both(graph.New(g.N(), slices.DeleteFunc(g.Edges(), func(f [2]int32) bool { return f == e })))
			from, to, size := int(e[0]), int(e[1]), 0
			if slices.Contains(within(h, from, g.N()), to) {
				size = 1 + steps(h, from, to)
			}
			if slices.ContainsFunc(rings, func(r []int) bool { return len(r) == size && count([]int{from, to}, r) == 2 }) != (size > 0) {
				t.Errorf("edge %v is in no ring of %d among %v", e, size, rings)
			}
		}
	}
	large := parse(t, "C1"+strings.Repeat("C", 998)+"C1", "C1"+strings.Repeat("C", 999)+"C1")
	if len(Rings(large[0])) != 1 || Rings(large[1]) != nil || Groups(large[1], nil)[0] != "ring carbon" {
		t.Errorf("%d rings of 1000, %d of 1001, of which %q", len(Rings(large[0])), len(Rings(large[1])), Groups(large[1], nil))
	}
}

func BenchmarkGroups(b *testing.B) {
	g := parse(b, "CC(=O)Nc1ccc(S(=O)(=O)N2CCN(CC2)C(=O)c2ccc(OC(F)(F)F)cc2)cc1")[0]
	for b.Loop() {
		Groups(g, Rings(g))
	}
}
