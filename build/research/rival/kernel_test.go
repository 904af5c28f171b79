package rival

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/build/internal/try"
)

// randomGraphs are graphs of 4 to 12 nodes with one random feature.
func randomGraphs(n int, seed uint64) []*graph.Graph {
	rng := rand.New(rand.NewPCG(seed, 1))
	gs := make([]*graph.Graph, n)
	for k := range gs {
		nodes := 4 + rng.IntN(9)
		var edges [][2]int32
		for i := 1; i < nodes; i++ {
			edges = append(edges, [2]int32{int32(i), int32(rng.IntN(i))})
		}
		g := graphOf(nodes, edges)
		g.X = slices.Clone(g.X)
		for i := range g.X {
			g.X[i] = float32(rng.IntN(3))
		}
		gs[k] = g
	}
	return gs
}

// The inverted lists give the same cosines as the sums over common keys.
func TestCosines(t *testing.T) {
	gs := randomGraphs(12, 1)
	prints := subtrees(gs, 0)
	product := func(a, b fingerprint.Print) float64 {
		sum := 0.0
		for i, key := range a.Keys {
			if j, ok := slices.BinarySearch(b.Keys, key); ok {
				sum += float64(a.Counts[i]) * float64(b.Counts[j])
			}
		}
		return sum
	}
	kernel := cosines(prints, 8)
	for i := range prints {
		want := make([]float64, 8)
		for j := range want {
			want[j] = product(prints[i], prints[j]) / math.Sqrt(product(prints[i], prints[i])*product(prints[j], prints[j]))
		}
		alike(t, "cosine", kernel.row(i), want, 1e-12)
	}
}

// The walk of the values of labels is that of distributions over labels, by matrices.
func TestPropagation(t *testing.T) {
	g := randomGraphs(1, 2)[0]
	n := g.N()
	labels := nodeLabels(g)
	values := directionOf(labels, 7)
	kinds := slices.Compact(slices.Sorted(slices.Values(labels)))
	distribution := make([][]float64, n) // over kinds
	for i, label := range labels {
		distribution[i] = make([]float64, len(kinds))
		distribution[i][slices.Index(kinds, label)] = 1
	}
	for step := range 4 {
		want := make([]float64, n)
		for i, row := range distribution {
			sum := 0.0
			for k, share := range row {
				want[i] += share * values[slices.Index(labels, kinds[k])]
				sum += share
			}
			alike(t, "distribution", []float64{sum}, []float64{1}, 1e-12)
		}
		alike(t, "walk", walked(g, values, step), want, 1e-9)
		next := make([][]float64, n)
		for i := range next {
			next[i] = make([]float64, len(kinds))
			for _, j := range g.Row(i) {
				for k, share := range distribution[j] {
					next[i][k] += share / float64(g.Degree(i))
				}
			}
		}
		distribution = next
	}
	if a, b := propagated([]*graph.Graph{g}, 3), propagated([]*graph.Graph{g}, 3); !a[0].Equal(b[0]) {
		t.Error("one seed gives two kernels")
	}
}

// Every detector that trains nothing scores all graphs, gives the same scores twice, and
// what it is shown beside a graph does not matter.
func TestGraphDetectors(t *testing.T) {
	p := &Problem{Train: randomGraphs(60, 3), Test: randomGraphs(10, 4), Seed: 1}
	texts := []string{"CCO", "CCCO", "CCCCO", "CCN", "CCCN", "c1ccccc1O", "c1ccccc1N", "CC(C)O", "CC(C)N", "CCOC"}
	for range 6 {
		p.TrainSMILES = append(p.TrainSMILES, texts...)
	}
	p.Background = try.To(baseline.ECFPs(slices.Repeat([]string{"CCCCCCCCP", "c1ccc(F)cc1S", "FC(F)(F)CCl", "c1ccsc1C(F)F", "CP(C)C"}, 12), 2))
	p.TestSMILES = append(texts[:9:9], "FC(F)(F)S(=O)(=O)c1nnsc1P")
	for _, r := range slices.Concat(kernels(), domains()) {
		all, one := scores(t, r, p), *p
		one.Test, one.TestSMILES = p.Test[9:], p.TestSMILES[9:]
		alike(t, r.Name+" of the last graph", scores(t, r, &one), all[9:], 1e-12)
		// No cut of a forest is on a bit that no training molecule has.
		if r.Molecules && r.Name != "ecfp-forest" && all[9] < slices.Max(all[:9]) {
			t.Errorf("%s: %g for a molecule like no other, %v for known ones", r.Name, all[9], all[:9])
		}
	}
}
