package rival

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/build/research/rival/tape"
)

func randomMatrix(rows, cols int, rng *rand.Rand) tape.Matrix {
	m := tape.NewMatrix(rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(rng.NormFloat64())
	}
	return m
}

// cosineOf is the cosine of two rows, and inner their product.
func cosineOf(a, b []float32) float64 { return inner(a, b) / math.Sqrt(inner(a, a)*inner(b, b)) }

func inner(a, b []float32) float64 { return floats.Dot(widened(a), widened(b)) }

// The losses are what their formulas say, pair by pair.
func TestEmbeddingLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	nodes, graphs := randomMatrix(7, 3, rng), randomMatrix(3, 3, rng)
	owners := []int32{0, 0, 1, 1, 1, 2, 2}
	softplus := func(x float64) float64 { return math.Log1p(math.Exp(x)) }
	same, others := 0.0, 0.0
	for i := range nodes.Rows {
		for k := range graphs.Rows {
			s := inner(nodes.Row(i), graphs.Row(k))
			if int(owners[i]) == k {
				same += softplus(-s) / 7
			} else {
				others += softplus(s) / 14
			}
		}
	}
	tp := new(tape.Tape)
	got := informationLoss(tp, tape.Constant(nodes), tape.Constant(graphs), owners).Float()
	alike(t, "information", []float64{got}, []float64{same + others}, 1e-5)

	one, other := randomMatrix(4, 5, rng), randomMatrix(4, 5, rng)
	want := 0.0
	for i := range 4 {
		sum := 0.0
		for j := range 4 {
			if j != i {
				sum += math.Exp(cosineOf(one.Row(i), other.Row(j)) / graphCLTemperature)
			}
		}
		want -= math.Log(math.Exp(cosineOf(one.Row(i), other.Row(i))/graphCLTemperature)/sum) / 4
	}
	got = viewLoss(tp, tape.Constant(one), tape.Constant(other)).Float()
	alike(t, "view loss", []float64{got}, []float64{want}, 1e-4)
}

// The four changes keep what they say they keep.
func TestChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, g := range randomGraphs(40, 5) {
		n, count := g.N(), int(changedShare*float64(g.N()))
		for range 10 {
			if k := changed(g, rng).N(); k != n && k != n-count {
				t.Fatalf("%d nodes become %d, want %d or %d", n, k, n, n-count)
			}
		}
		if h := movedEdges(g, rng); h.N() != n || h.M() > g.M() || len(h.X) != len(g.X) {
			t.Errorf("edges moved: %d nodes, %d edges of %d", h.N(), h.M(), g.M())
		}
		part := keepNodes(g, surroundings(g, n-count, rng))
		if k := part.Components(); k != 1 {
			t.Errorf("the surroundings of a node in a tree fall into %d parts", k)
		}
		before := append([]float32(nil), g.X...)
		h := hidden(g, []int{0, n - 1})
		alike(t, "features kept", widened(h.X[1:n-1]), widened(before[1:n-1]), 0)
		alike(t, "features of the graph", widened(g.X), widened(before), 0)
		if h.X[0] != h.X[n-1] {
			t.Errorf("hidden features are %g and %g, want the mean", h.X[0], h.X[n-1])
		}
	}
}
