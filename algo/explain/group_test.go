package explain

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// Parts have the names that a chemist gives them, and each atom is in one. A line of the file is a molecule, and its parts.
func TestGroups(t *testing.T) {
	const file = "testdata/groups.txt"
	var b strings.Builder
	for line := range strings.Lines(string(must.Have(os.ReadFile(file)))) {
		fields := strings.Split(line, "\t")
		g := parse(t, fields[1])[0]
		var names []string
		seen := make([]int, g.N())
		for _, p := range groups(g) {
			names = append(names, p.name)
			for _, i := range p.nodes {
				seen[i]++
			}
		}
		if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Errorf("%s: atoms are in %v parts", fields[0], seen)
		}
		slices.Sort(names)
		if unique := slices.Compact(slices.Clone(names)); !slices.Equal(Groups(g), unique) {
			t.Errorf("%s: %q, want %q", fields[0], Groups(g), unique)
		}
		var text []string
		for k := 0; k < len(names); {
			n := 1
			for k+n < len(names) && names[k+n] == names[k] {
				n++
			}
			if text = append(text, names[k]); n > 1 {
				text[len(text)-1] += " ×" + strconv.Itoa(n)
			}
			k += n
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", fields[0], fields[1], strings.Join(text, ", "))
	}
	golden.Same(t, file, b.String())
}

// Of each edge in a ring one of its smallest is listed, by all distances without that edge.
func TestRings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for range 200 {
		g := random(t, rng, 3+rng.IntN(12), 1)
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
			// Distances by Floyd and Warshall.
			far := make([][]int, g.N())
			for i := range far {
				far[i] = slices.Repeat([]int{99}, g.N())
				far[i][i] = 0
				for _, j := range g.Row(i) {
					if (int32(i) != e[0] || j != e[1]) && (int32(i) != e[1] || j != e[0]) {
						far[i][j] = 1
					}
				}
			}
			for k := range far {
				for i := range far {
					for j := range far {
						far[i][j] = min(far[i][j], far[i][k]+far[k][j])
					}
				}
			}
			size := 1 + far[e[0]][e[1]]
			if slices.ContainsFunc(rings, func(r []int) bool { return len(r) == size && count([]int{int(e[0]), int(e[1])}, r) == 2 }) != (size < 99) {
				t.Errorf("edge %v is in no ring of %d among %v", e, size, rings)
			}
		}
	}
	if big, more := parse(t, "C1"+strings.Repeat("C", 998)+"C1")[0], parse(t, "C1"+strings.Repeat("C", 999)+"C1")[0]; len(Rings(big)) != 1 || Rings(more) != nil || Groups(more)[0] != "ring carbon" {
		t.Errorf("rings of 1000 and 1001: %d and %d, of the second %q", len(Rings(big)), len(Rings(more)), Groups(more))
	}
}
