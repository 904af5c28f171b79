package entropy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/graph"
	"baca/build/internal/try"
)

// Entropy returns H(G; T), 0 for a graph without edges.
func (t *Tree) Entropy(g *graph.Graph) float64 {
	at := make([]int32, g.N()) // the ancestor of each node
	for i := range at {
		at[i] = int32(i)
	}
	volume, cut := measure(g, at, g.N())
	h := 0.0
	for _, parents := range t.Parents {
		for i, a := range at {
			at[i] = parents[a]
		}
		above, cutAbove := measure(g, at, 1+int(slices.Max(parents)))
		for a, p := range parents {
			h += bits(cut[a], volume[a], above[p])
		}
		volume, cut = above, cutAbove
	}
	return h / float64(max(1, len(g.Neighbors)))
}

// measure returns the volume and the cut of count sets of nodes, of which each node has one.
func measure(g *graph.Graph, set []int32, count int) (volume, cut []float64) {
	volume, cut = make([]float64, count), make([]float64, count)
	for i, s := range set {
		for _, j := range g.Row(i) {
			volume[s]++
			if set[j] != s {
				cut[s]++
			}
		}
	}
	return volume, cut
}

// bits is −cut·log₂(volume/above), the part of a node in H·vol(G).
func bits(cut, volume, above float64) float64 {
	if cut == 0 {
		return 0
	}
	return cut * math.Log2(above/volume)
}

func newGraph(t testing.TB, n int, edges ...[2]int32) *graph.Graph {
	t.Helper()
	g, _, err := graph.New(n, edges)
	try.Check(err)
	return g
}

// random is a graph in which each pair of nodes is joined with that chance.
func random(t testing.TB, rng *rand.Rand, n int, chance float64) *graph.Graph {
	var edges [][2]int32
	for i := range n {
		for j := range i {
			if rng.Float64() < chance {
				edges = append(edges, [2]int32{int32(j), int32(i)})
			}
		}
	}
	return newGraph(t, n, edges...)
}

// triangles are two triangles that an edge joins.
func triangles(t testing.TB) *graph.Graph {
	return newGraph(t, 6, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{0, 2}, [2]int32{3, 4}, [2]int32{4, 5}, [2]int32{3, 5}, [2]int32{2, 3})
}

// TestEntropyByHand has the formula worked out on paper.
func TestEntropyByHand(t *testing.T) {
	twoGroups := &Tree{Parents: [][]int32{{0, 0, 0, 1, 1, 1}, {0, 0}}}
	for _, c := range []struct {
		name string
		g    *graph.Graph
		tree *Tree
		want float64
	}{
		{"an edge, flat: 2·½·log 2", newGraph(t, 2, [2]int32{0, 1}), &Tree{Parents: [][]int32{{0, 0}}}, 1},
		{"a path of three, flat: 2·¼·log 4 + ½·log 2", newGraph(t, 3, [2]int32{0, 1}, [2]int32{1, 2}), &Tree{Parents: [][]int32{{0, 0, 0}}}, 1.5},
		{"a square, flat", newGraph(t, 4, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{2, 3}, [2]int32{0, 3}), &Tree{Parents: [][]int32{{0, 0, 0, 0}}}, 2},
		{"two triangles: 4·2/14·log(7/2) + 2·3/14·log(7/3) + 2·1/14·log 2", triangles(t), twoGroups,
			8.0/14*math.Log2(3.5) + 6.0/14*math.Log2(7.0/3) + 2.0/14},
		{"no edges", newGraph(t, 2), &Tree{Parents: [][]int32{{0, 0}}}, 0},
	} {
		if got := c.tree.Entropy(c.g); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestTreeShape checks what every tree is: each node below one leaf, all leaves at the
// height, one root, no node without children; and that a higher tree never has more
// entropy.
func TestTreeShape(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		n := 1 + rng.IntN(30)
		g := random(t, rng, n, []float64{0, 0.05, 0.15, 0.5}[trial%4])
		last := math.Inf(1)
		for height := 1; height <= 6; height++ {
			tree := New(g, height)
			if len(tree.Parents) != height || len(tree.Parents[0]) != n {
				t.Fatalf("%d levels with %d leaves: want %d with %d", len(tree.Parents), len(tree.Parents[0]), height, n)
			}
			for l, parents := range tree.Parents {
				size := 1
				if l+1 < height {
					size = len(tree.Parents[l+1])
				}
				used := slices.Compact(slices.Sorted(slices.Values(parents)))
				if len(used) != size || used[0] != 0 || int(used[size-1]) != size-1 {
					t.Fatalf("trial %d: of %d nodes of level %d only %v have children", trial, size, l+1, used)
				}
			}
			h := tree.Entropy(g)
			if h > last+1e-9 || h < 0 {
				t.Errorf("trial %d: entropy %v at height %d, %v below", trial, h, height, last)
			}
			last = h
		}
	}
}

// TestSteps checks the change of entropy that each step expects against the formula.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 20 {
		g := random(t, rng, 3+rng.IntN(10), 0.4)
		b := newBuilder(g)
		b.mergeAll()
		before := b.entropy()
		for height := len(b.nodes); height >= 1; height-- {
			for b.drop(height) {
				after := b.entropy()
				if after < before-1e-9 {
					t.Errorf("trial %d: a drop lowered the entropy from %v to %v", trial, before, after)
				}
				before = after
			}
			if got, want := b.fill(height).Entropy(g), before/math.Max(1, b.total); math.Abs(got-want) > 1e-9 {
				t.Errorf("trial %d: the filled tree has entropy %v, want %v", trial, got, want)
			}
		}
	}
}

// entropy is H·vol(G) of the tree under way.
func (b *builder) entropy() float64 {
	h := 0.0
	for _, n := range b.nodes {
		if n.parent >= 0 {
			h += bits(n.cut, n.volume, b.nodes[n.parent].volume)
		}
	}
	return h
}

// TestPublished compares the entropies with those of the trees that the code of SEGO makes
// (github.com/name-is-what/SEGO, codingTree.py, build_encoding_tree(height, "v2")). Its
// trees differ: it adds 1 to volumes, merges what would be the best flat pair, and adds one
// level at a time. Entropies of both are by the formula.
func TestPublished(t *testing.T) {
	path := func(n int32) (edges [][2]int32) {
		for i := range n - 1 {
			edges = append(edges, [2]int32{i, i + 1})
		}
		return edges
	}
	var star, cliques, grid [][2]int32
	for i := range int32(6) {
		star = append(star, [2]int32{0, i + 1})
	}
	for a := int32(0); a < 12; a += 4 {
		for b := range int32(4) {
			for c := range b {
				cliques = append(cliques, [2]int32{a + b, a + c})
			}
		}
	}
	for i := range int32(12) {
		if i%4 < 3 {
			grid = append(grid, [2]int32{i, i + 1})
		}
		if i < 8 {
			grid = append(grid, [2]int32{i, i + 4})
		}
	}
	for _, c := range []struct {
		name  string
		nodes int
		edges [][2]int32
		want  [3]float64 // at heights 2, 3 and 5
	}{
		{"two rings", 10, append(path(10), [2]int32{9, 0}, [2]int32{4, 9}), [3]float64{2.546191, 1.924637, 1.924637}},
		{"ring with a tail", 8, append(path(8), [2]int32{0, 5}), [3]float64{2.20282, 1.691181, 1.691181}},
		{"path", 9, path(9), [3]float64{2.00824, 1.714281, 1.610521}},
		{"star", 7, star, [3]float64{2.097494, 2.065386, 1.977708}},
		{"three cliques", 12, append(cliques, [2]int32{3, 4}, [2]int32{7, 8}), [3]float64{2.143686, 1.842829, 1.814477}},
		{"grid", 12, grid, [3]float64{2.731375, 2.332279, 2.23351}},
	} {
		g := newGraph(t, c.nodes, c.edges...)
		for k, height := range []int{2, 3, 5} {
			got := New(g, height).Entropy(g)
			// Equal at height 2, and never much more.
			if above := got - c.want[k]; above > 0.075 || height == 2 && math.Abs(above) > 1e-5 {
				t.Errorf("%s, height %d: entropy %v, the published tree has %v", c.name, height, got, c.want[k])
			}
		}
	}
}
