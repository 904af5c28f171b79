package explain

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
)

// random draws a graph of n nodes with features of a few values.
func random(t testing.TB, rng *rand.Rand, n, features int) *graph.Graph {
	t.Helper()
	var edges [][2]int32
	for i := 1; i < n; i++ {
		edges = append(edges, [2]int32{rng.Int32N(int32(i)), int32(i)})
	}
	for range n / 3 {
		edges = append(edges, [2]int32{rng.Int32N(int32(n)), rng.Int32N(int32(n))})
	}
	g, _, err := graph.New(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	g.Features, g.X = features, make([]float32, n*features)
	for i := range g.X {
		g.X[i] = float32(rng.IntN(3))
	}
	return g
}

// The pooled embedding is that of the encoder, and its derivative by the weight of
// each node that of central differences.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	e := gin.New(gin.Config{Features: 3, Hidden: 5, Layers: 3}, rng)
	for i := range e.Params {
		e.Params[i] += float32(rng.NormFloat64() / 20) // biases too
	}
	for _, n := range []int{1, 2, 9, 14} {
		g := random(t, rng, n, 3)
		target := make([]float64, 2*e.Width())
		for j := range target {
			target[j] = rng.NormFloat64()
		}
		r, err := contrast.Represent(context.Background(), 1, e, []*graph.Graph{g})
		if err != nil {
			t.Fatal(err)
		}
		weight := make([]float64, n)
		for i := range weight {
			weight[i] = 1
		}
		// The function is target·q.
		got := derivatives(e, g, weight, func(q []float32) []float64 {
			for j, x := range q {
				if math.Abs(float64(x)-float64(r.Q[j])) > 1e-4 {
					t.Errorf("%d nodes: embedding %d is %g, the encoder's %g", n, j, x, r.Q[j])
				}
			}
			return append([]float64(nil), target...)
		})
		value := func() float64 {
			sum := 0.0
			for j, x := range forward(e, g, weight).pooled {
				sum += target[j] * math.Log1p(x)
			}
			return sum
		}
		for i := range weight {
			const h = 1e-6
			weight[i] = 1 + h
			up := value()
			weight[i] = 1 - h
			down := value()
			weight[i] = 1
			if want := (up - down) / (2 * h); math.Abs(got[i]-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%d nodes, node %d: derivative %g, differences say %g", n, i, got[i], want)
			}
		}
		// The parts of all nodes make the whole, where the function is smooth.
		whole := value()
		clear(weight)
		whole -= value()
		parts := 0.0
		for _, x := range Gradient(e, g, func([]float32) []float64 { return append([]float64(nil), target...) }) {
			parts += x
		}
		if math.Abs(parts-whole) > 0.15*(1+math.Abs(whole)) {
			t.Errorf("%d nodes: their parts sum to %g, want %g", n, parts, whole)
		}
		for i := range weight {
			weight[i] = 1
		}
		// A weight of 0 is a node that is gone, its features and the encoding
		// of the others being what they were.
		if n < 2 {
			continue
		}
		weight[n-1] = 0
		without := forward(e, g, weight).pooled
		var edges [][2]int32
		for i := range n - 1 {
			for _, j := range g.Row(i) {
				if int(j) < n-1 {
					edges = append(edges, [2]int32{int32(i), j})
				}
			}
		}
		rest, _, err := graph.New(n-1, edges)
		if err != nil {
			t.Fatal(err)
		}
		rest.Features, rest.X, rest.XS = 3, g.X[:(n-1)*3], g.XS[:(n-1)*graph.EncodingWidth]
		full := make([]float64, n-1)
		for i := range full {
			full[i] = 1
		}
		for j, x := range forward(e, rest, full).pooled {
			if math.Abs(x-without[j]) > 1e-9*(1+x) {
				t.Errorf("%d nodes, the last of weight 0: embedding %d is %g, without it %g", n, j, without[j], x)
			}
		}
	}
	if got := Gradient(e, &graph.Graph{Offsets: []int32{0}, Features: 3}, func(q []float32) []float64 { return make([]float64, len(q)) }); len(got) != 0 {
		t.Errorf("a graph without nodes has parts %v", got)
	}
}

func BenchmarkGradient(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	e := gin.New(gin.Default(9), rng)
	g := random(b, rng, 25, 9)
	for b.Loop() {
		Gradient(e, g, func(q []float32) []float64 { return make([]float64, len(q)) })
	}
	b.ReportMetric(float64(25*b.N)/b.Elapsed().Seconds(), "nodes/s")
}
