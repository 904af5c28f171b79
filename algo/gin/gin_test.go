package gin_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/gin"
	"baca/algo/gin/gintest"
	"baca/algo/graph"
	"baca/algo/internal/must"
)

// randomGraphs returns graphs with random edges and features, among them one
// without edges and one of a single node.
func randomGraphs(rng *rand.Rand, count, features int) []*graph.Graph {
	var gs []*graph.Graph
	for k := range count {
		n := 2 + rng.IntN(7)
		var edges [][2]int32
		if k == 1 {
			n = 1
		}
		if k != 2 {
			for range n {
				edges = append(edges, [2]int32{rng.Int32N(int32(n)), rng.Int32N(int32(n))})
			}
		}
		g, _ := must.Both(graph.New(n, edges))
		g.Features, g.X = features, make([]float32, n*features)
		for i := range g.X {
			g.X[i] = float32(rng.NormFloat64())
		}
		g.EncodeStructure()
		gs = append(gs, g)
	}
	return gs
}

func TestForwardMatchesReference(t *testing.T) {
	ref := gintest.Encoder(t)
	var b graph.Batch
	var a gin.Activations
	b.Reset(ref.Graphs)
	ref.Encoder.Forward(&b, &a)
	for _, c := range []struct {
		name string
		got  []float32
	}{
		{"feat.graph_embedding", a.Graph[gin.Feature]},
		{"str.graph_embedding", a.Graph[gin.Structure]},
		{"g_f", a.GraphProjection[gin.Feature]},
		{"g_s", a.GraphProjection[gin.Structure]},
	} {
		want := ref.Tensors[c.name]
		if len(c.got) != len(want.Values) {
			t.Fatalf("%s: %d values, want shape %v", c.name, len(c.got), want.Shape)
		}
		worst, scale := 0.0, 0.0
		for i, w := range want.Values {
			worst = max(worst, math.Abs(float64(c.got[i])-w))
			scale = max(scale, math.Abs(w))
		}
		t.Logf("%s: largest difference %.2g of %.3g", c.name, worst, scale)
		if worst > 1e-5*scale {
			t.Errorf("%s: largest difference %g at values up to %g, want 1e-5 of that", c.name, worst, scale)
		}
	}
}

// A fixed encoder gives the same bits and panics in Backward. Activations serve encoders of different shapes in turn.
func TestFixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	var got gin.Activations
	for _, c := range []gin.Config{gin.Default(9), {Features: 3, Hidden: 5, Layers: 2}, {Features: 40, Hidden: 64, Layers: 3}} {
		e := gin.New(c, rng)
		f := e.Fixed()
		var b graph.Batch
		b.Reset(randomGraphs(rng, 90, c.Features))
		var want gin.Activations
		e.Forward(&b, &want)
		for _, e := range []*gin.Encoder{f, f, e, f} {
			e.Forward(&b, &got)
			for v := range gin.Views {
				for what, pair := range map[string][2][]float32{
					"node embeddings":   {got.Node[v], want.Node[v]},
					"graph embeddings":  {got.Graph[v], want.Graph[v]},
					"node projections":  {got.NodeProjection[v], want.NodeProjection[v]},
					"graph projections": {got.GraphProjection[v], want.GraphProjection[v]},
					"projections alone": {f.ProjectGraphs(v, got.Graph[v]), want.GraphProjection[v]},
				} {
					if !slices.Equal(pair[0], pair[1]) {
						t.Errorf("%+v: other %s in view %d", c, what, v)
					}
				}
			}
		}
		must.Panic(t, "Backward of a fixed encoder", func() {
			f.Backward(&b, &got, [gin.Views][]float32{}, [gin.Views][]float32{}, gin.Zero(c))
		})
	}
}

// naive is the forward pass as the comment of Forward writes it, in float64 and one
// graph at a time. It returns Σ weights·projections over all of both heads.
func naive(params map[string][]float64, c gin.Config, gs []*graph.Graph, dNode, dGraph [gin.Views][]float32) float64 {
	linear := func(name string, x []float64) []float64 {
		w, y := params[name+".weight"], append([]float64(nil), params[name+".bias"]...)
		for o := range y {
			for i, v := range x {
				y[o] += w[o*len(x)+i] * v
			}
		}
		return y
	}
	relu := func(x []float64) []float64 {
		for i := range x {
			x[i] = max(x[i], 0)
		}
		return x
	}
	head := func(name string, x []float64, weights []float32) (sum float64) {
		for i, y := range linear(name+".second", relu(linear(name+".first", x))) {
			sum += y * float64(weights[i])
		}
		return sum
	}
	width, node, total := c.Width(), 0, 0.0
	for k, g := range gs {
		for v, view := range []string{"feature", "structure"} {
			x, in := g.X, g.Features
			if v == gin.Structure {
				x, in = g.XS, graph.EncodingWidth
			}
			h, all := make([][]float64, g.N()), make([][]float64, g.N())
			for i := range h {
				for _, u := range x[i*in : (i+1)*in] {
					h[i] = append(h[i], float64(u))
				}
			}
			for l := range c.Layers {
				next := make([][]float64, g.N())
				for i := range h {
					sum := append([]float64(nil), h[i]...)
					for _, j := range g.Row(i) {
						for d, u := range h[j] {
							sum[d] += u
						}
					}
					name := fmt.Sprintf("%s.gin.%d", view, l)
					next[i] = relu(linear(name+".second", relu(linear(name+".first", sum))))
					all[i] = append(all[i], next[i]...)
				}
				h = next
			}
			pooled := make([]float64, width)
			for i := range all {
				for d, u := range all[i] {
					pooled[d] += u
				}
				total += head(view+".node_head", all[i], dNode[v][(node+i)*width:][:width])
			}
			total += head(view+".graph_head", pooled, dGraph[v][k*width:][:width])
		}
		node += g.N()
	}
	return total
}

// The gradient of a random linear function of all projections is compared with
// central differences of the naive forward pass, for every parameter. It is added twice.
func TestBackwardMatchesFiniteDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	gs := randomGraphs(rng, 5, 3)
	e := gin.New(gin.Config{Features: 3, Hidden: 4, Layers: 3}, rng)
	for i := range e.Params {
		e.Params[i] += float32(0.05 * rng.NormFloat64())
	}
	params := map[string][]float64{}
	for _, tensor := range e.Tensors() {
		for _, v := range tensor.Data {
			params[tensor.Name] = append(params[tensor.Name], float64(v))
		}
	}
	var b graph.Batch
	var a gin.Activations
	b.Reset(gs)
	var dNode, dGraph [gin.Views][]float32
	for v := range gin.Views {
		for range b.N() * e.Width() {
			dNode[v] = append(dNode[v], float32(rng.NormFloat64()))
		}
		for range len(b.Graphs) * e.Width() {
			dGraph[v] = append(dGraph[v], float32(rng.NormFloat64()))
		}
	}
	e.Forward(&b, &a)
	got := 0.0
	for v := range gin.Views {
		for i, x := range a.NodeProjection[v] {
			got += float64(x) * float64(dNode[v][i])
		}
		for i, x := range a.GraphProjection[v] {
			got += float64(x) * float64(dGraph[v][i])
		}
	}
	if want := naive(params, e.Config, gs, dNode, dGraph); !(math.Abs(got-want) <= 1e-4*math.Abs(want)) {
		t.Fatalf("forward: got %g, want %g", got, want)
	}
	grad := gin.Zero(e.Config)
	e.Backward(&b, &a, dNode, dGraph, grad)
	e.Backward(&b, &a, dNode, dGraph, grad)
	for _, tensor := range grad.Tensors() {
		p := params[tensor.Name]
		for i, g := range tensor.Data {
			const h = 1e-6
			old := p[i]
			p[i] = old + h
			up := naive(params, e.Config, gs, dNode, dGraph)
			p[i] = old - h
			down := naive(params, e.Config, gs, dNode, dGraph)
			p[i] = old
			if want := 2 * (up - down) / (2 * h); !(math.Abs(float64(g)-want) <= 1e-4*math.Abs(want)+1e-4) {
				t.Errorf("%s[%d]: gradient %g, difference quotient %g", tensor.Name, i, g, want)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	for c, ok := range map[gin.Config]bool{
		gin.Default(9): true, {1, 1, 1}: true, {4096, 1024, 4}: true, {1, 128, 32}: true,
		{}: false, {9, 16, 0}: false, {-1, 16, 5}: false, {9, 1024, 32}: false, {1 << 40, 1, 1}: false,
		{4097, 1, 1}: false, {1, 1025, 1}: false, {1, 1, 33}: false, {1, 1024, 5}: false,
	} {
		if err := c.Validate(); (err == nil) != ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
