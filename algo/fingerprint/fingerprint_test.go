package fingerprint

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/must"
)

// random draws a graph whose nodes have two features of a few values.
func random(rng *rand.Rand) *graph.Graph {
	n := rng.IntN(12)
	var edges [][2]int32
	for range rng.IntN(2*n + 1) {
		edges = append(edges, [2]int32{int32(rng.IntN(n)), int32(rng.IntN(n))})
	}
	g, _ := must.Both(graph.New(n, edges))
	g.Features, g.X = 2, make([]float32, 2*n)
	for i := range g.X {
		g.X[i] = float32(rng.IntN(2))
	}
	return g
}

// subtree writes out what New hashes: the node's features and degree, and the subtrees of its neighbours in order.
func subtree(g *graph.Graph, i, height int) string {
	if height == 0 {
		return fmt.Sprintf("%v/%d", g.X[i*g.Features:(i+1)*g.Features], g.Degree(i))
	}
	var around []string
	for _, j := range g.Row(i) {
		around = append(around, subtree(g, int(j), height-1))
	}
	slices.Sort(around)
	return "(" + subtree(g, i, height-1) + ":" + strings.Join(around, ",") + ")"
}

// byDefinition counts the written subtrees of all heights.
func byDefinition(g *graph.Graph, height int) map[string]uint32 {
	counts := map[string]uint32{}
	for i := range g.N() {
		for h := range height + 1 {
			counts[subtree(g, i, h)]++
		}
	}
	return counts
}

// Keys stand for written subtrees one to one, with their counts, and so similarities are those of the sets of texts.
func TestPrintsAreSetsOfSubtrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for height := range 4 {
		var gs []*graph.Graph
		var prints []Print
		var written []map[string]uint32
		texts := map[uint32]string{}
		for range 40 {
			g := random(rng)
			p := New(g, height)
			want := byDefinition(g, height)
			if len(p.Keys) != len(want) || len(p.Counts) != len(want) || !slices.IsSorted(p.Keys) {
				t.Fatalf("height %d: %d keys and %d counts, want %d", height, len(p.Keys), len(p.Counts), len(want))
			}
			gs, prints, written = append(gs, g), append(prints, p), append(written, want)
		}
		// Which key is which text, by nodes.
		for i, g := range gs {
			keys := Nodes(g, height)
			for v := range g.N() {
				for h := range height + 1 {
					text := subtree(g, v, h)
					key := keys[h*g.N()+v]
					if known, ok := texts[key]; ok && known != text {
						t.Fatalf("height %d, graph %d: key %x is %s and %s", height, i, key, known, text)
					}
					texts[key] = text
				}
			}
		}
		index := NewIndex(prints)
		all := [2][]float64{make([]float64, len(prints)), make([]float64, len(prints))}
		for i, a := range prints {
			counts := written[i]
			for k, key := range a.Keys {
				if a.Counts[k] != counts[texts[key]] {
					t.Errorf("height %d, graph %d: %d times %s, want %d", height, i, a.Counts[k], texts[key], counts[texts[key]])
				}
			}
			for m := range all {
				index.Similarities(all[m], Measure(m), a)
			}
			for j := range prints {
				var common, union [2]uint32
				either := maps.Clone(written[i])
				maps.Copy(either, written[j])
				for text := range either {
					x, y := written[i][text], written[j][text]
					common[Sets] += min(x, y, 1)
					union[Sets]++
					common[Counts] += min(x, y)
					union[Counts] += max(x, y)
				}
				for m := range all {
					want := 1.0
					if union[m] > 0 {
						want = float64(common[m]) / float64(union[m])
					}
					if all[m][j] != want {
						t.Errorf("height %d: graphs %d and %d, measure %d: %v, want %v", height, i, j, m, all[m][j], want)
					}
				}
			}
		}
	}
}

// renumbered is g with its nodes in another order, and a feature of node i as given.
func renumbered(rng *rand.Rand, g *graph.Graph, column int, of func(i int) float32) *graph.Graph {
	order := rng.Perm(g.N())
	var edges [][2]int32
	for i := range order {
		for _, j := range g.Row(i) {
			edges = append(edges, [2]int32{int32(order[i]), int32(order[j])})
		}
	}
	h, _ := must.Both(graph.New(g.N(), edges))
	h.Features, h.X = 2, make([]float32, len(g.X))
	for i, k := range order {
		copy(h.X[2*k:], g.X[2*i:2*i+2])
		h.X[2*k+column] = of(i)
	}
	return h
}

// A print depends on the graph, not on how its nodes are numbered. So does a signature, which skips
// a feature, and which tells apart what prints of the same height do.
func TestOrderOfNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	seen, different := map[[2]uint64]Print{}, map[uint64]bool{}
	gs := make([]*graph.Graph, 400)
	for i := range gs {
		gs[i] = random(rng)
	}
	all := must.Have(All(t.Context(), 2, gs, 3))
	for i, g := range gs {
		column := i % 2
		same := renumbered(rng, g, column, func(i int) float32 { return g.X[2*i+column] })
		if !New(same, 3).Equal(all[i]) || !New(g, 3).Equal(all[i]) {
			t.Fatalf("another print of %v after renumbering as %v", g, same)
		}
		s := Signature(g, column)
		if got := Signature(renumbered(rng, g, column, func(int) float32 { return 7 }), column); got != s {
			t.Fatalf("signature %x in another order, want %x", got, s)
		}
		p := New(renumbered(rng, g, column, func(int) float32 { return 0 }), MaxHeight)
		if before, ok := seen[s]; ok && !before.Equal(p) {
			t.Errorf("graphs with other subtrees share a signature")
		}
		seen[s], different[p.Hash()] = p, true
	}
	if len(different) != len(seen) || len(seen) < 100 {
		t.Errorf("%d signatures of %d different graphs", len(seen), len(different))
	}
}

// The keys themselves must not change: models may come to store them.
func TestKeysStayTheSame(t *testing.T) {
	g, _ := must.Both(graph.New(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}}))
	p := New(g, 1)
	want := Print{Keys: []uint32{0x159d4913, 0x3e42c64c, 0x6c1d4bb3, 0x9abb6a72}, Counts: []uint32{2, 2, 2, 2}}
	if !slices.Equal(p.Keys, want.Keys) || !slices.Equal(p.Counts, want.Counts) {
		t.Errorf("%#v, want %#v", p, want)
	}
	zero, negative := *g, *g
	zero.X, negative.X = make([]float32, 4), make([]float32, 4)
	for i := range negative.X {
		negative.X[i] = float32(math.Copysign(0, -1))
	}
	if a, b := New(&zero, 1), New(&negative, 1); !slices.Equal(a.Keys, b.Keys) {
		t.Error("0 and −0 have different keys")
	}
}

func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var prints []Print
	for range 40 {
		prints = append(prints, New(random(rng), DefaultHeight))
	}
	const indexed = 30
	x := NewIndex(prints[:indexed])
	pairs := x.Pairs(prints)
	var like [indexed][2][]float64 // how similar each print of the index is to each print
	for j := range like {
		like[j] = [2][]float64{make([]float64, len(prints)), make([]float64, len(prints))}
		pairs.To(prints[j], like[j][Sets], like[j][Counts])
	}
	for i, p := range prints {
		for _, own := range []int{-1, min(i, indexed-1)} {
			equal, sets, counts := x.Closest(p, own)
			for m, got := range []Ranking{sets, counts} {
				want, same := similarities(prints[:indexed], Measure(m), p), 0
				for j, w := range want {
					if alike := like[j][m][i]; !(math.Abs(alike-min(1, w)) <= 1e-12) {
						t.Errorf("prints %d and %d, measure %d: %v alike, want %v", i, j, m, alike, w)
					}
					switch {
					case j == own:
						want[j] = 0
					case w == 2:
						want[j] = 0
						same++
					}
				}
				slices.SortFunc(want, func(a, b float64) int { return cmp.Compare(b, a) })
				if equal != same || !slices.Equal(got[:], want[:Ranks]) {
					t.Errorf("print %d but %d, measure %d: %d equal, closest %v; want %d, %v", i, own, m, equal, got, same, want[:Ranks])
				}
			}
		}
	}
	if got := NewIndex(nil).Nearest(prints[0], 3); len(got) != 0 {
		t.Errorf("%v of no prints", got)
	}
	if equal, sets, counts := NewIndex(nil).Closest(prints[0], -1); equal != 0 || sets != (Ranking{}) || counts != (Ranking{}) {
		t.Errorf("%d equal, closest %v and %v of no prints", equal, sets, counts)
	}
	if equal, sets, _ := NewIndex([]Print{{}, prints[0]}).Closest(Print{}, -1); equal != 1 || sets != (Ranking{}) {
		t.Errorf("%d equal to an empty print, closest %v; want 1 and nothing", equal, sets)
	}
}

// What an index knows of a print, and how many of its keys it does not.
func TestKnown(t *testing.T) {
	a := Print{Keys: []uint32{1, 2, 3}, Counts: []uint32{4, 1, 1}}
	b := Print{Keys: []uint32{1, 3, 5, 7}, Counts: []uint32{9, 1, 1, 1}}
	x := NewIndex([]Print{b, {Keys: []uint32{1}, Counts: []uint32{9}}})
	for _, c := range []struct {
		p          Print
		own, novel int
		known      float64
	}{{a, -1, 1, 5.0 / 6}, {b, -1, 0, 1}, {b, 0, 3, 1}, {Print{}, -1, 0, 1}, {Print{Keys: []uint32{8, 9}, Counts: []uint32{1, 2}}, -1, 2, 0}} {
		_, novel := x.Best(c.p, c.own)
		if known := x.Known(c.p); novel != c.novel || known != c.known {
			t.Errorf("%v without print %d: %d subtrees are new, want %d; %g is known, want %g", c.p, c.own, novel, c.novel, known, c.known)
		}
	}
}

// What is lacking is one minus the similarity to the closest print, key by key.
func TestLacks(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	var prints []Print
	for range 40 {
		prints = append(prints, New(random(rng), DefaultHeight))
	}
	x := NewIndex(prints)
	for trial := range 60 {
		p := New(random(rng), DefaultHeight)
		equal, sets, counts := x.Closest(p, -1)
		for m, closest := range []Ranking{sets, counts} {
			parts, fractions, rest := x.Lacks(p, Measure(m))
			if equal > 0 {
				if parts != nil || fractions != nil || rest != 0 {
					t.Errorf("trial %d: %v and %g lack in an equal print", trial, parts, rest)
				}
				continue
			}
			sum := rest
			for k, part := range parts {
				sum += part
				held := x.Holders(p.Keys[k])
				if part < 0 || fractions[k] < 0 || fractions[k] > 1 || (part == 0) != (fractions[k] == 0) || held == 0 && fractions[k] != 1 {
					t.Errorf("trial %d, measure %d: key %d, which %d prints hold, lacks %g, a fraction of %g", trial, m, k, held, part, fractions[k])
				}
			}
			if !(math.Abs(sum-(1-closest[0])) <= 1e-12) {
				t.Errorf("trial %d, measure %d: %g lack, want %g", trial, m, sum, 1-closest[0])
			}
		}
	}
	if parts, _, rest := NewIndex(nil).Lacks(prints[0], Sets); parts != nil || rest != 0 {
		t.Errorf("%v and %g lack in nothing", parts, rest)
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
