package graphon

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/must"
)

func constant(n int, p float64) *Graphon {
	w := New(n)
	for k := range w.W {
		w.W[k] = p
	}
	return w
}

// checkGraph reports what is wrong with a synthetic graph.
func checkGraph(t *testing.T, g *graph.Graph, most int) {
	t.Helper()
	if g.N() < 2 || g.N() > most {
		t.Errorf("%d nodes, want 2 to %d", g.N(), most)
	}
	for v := range g.N() {
		if g.Degree(v) == 0 {
			t.Errorf("node %d of %d is isolated", v, g.N())
		}
		if slices.Contains(g.Row(v), int32(v)) {
			t.Errorf("node %d has a self-loop", v)
		}
	}
	if len(g.XS) != g.N()*graph.EncodingWidth || len(g.X) != g.N() || g.Features != 1 {
		t.Errorf("%d nodes with %d encoding and %d feature values", g.N(), len(g.XS), len(g.X))
	}
}

func TestDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	// The second graphon was erased.
	ws := []*Graphon{randomGraphon(rng, 10), New(10), randomGraphon(rng, 10), randomGraphon(rng, 10)}
	for _, o := range []Options{
		DefaultOptions(),
		{LambdaLow: 0.25, LambdaHigh: 0.5},
		{LambdaLow: 1, LambdaHigh: 1},
	} {
		m := NewMixup(ws, o)
		if len(m.usable) != 3 || m.Warning() != "" {
			t.Errorf("%d usable graphons, warning %q, want 3 and none", len(m.usable), m.Warning())
		}
		pairs := map[[2]int]int{}
		largest, lambdas := 0, 0.0
		const draws = 2000
		for range draws {
			s, ok := m.Draw(rng)
			if !ok {
				t.Fatalf("%+v: no graph", o)
			}
			checkGraph(t, s.Graph, 10)
			largest = max(largest, s.Graph.N())
			if s.Lambda < o.LambdaLow || s.Lambda > o.LambdaHigh {
				t.Errorf("λ = %v outside [%v, %v]", s.Lambda, o.LambdaLow, o.LambdaHigh)
			}
			lambdas += s.Lambda / draws
			pairs[[2]int{s.I, s.J}]++
		}
		if largest != 10 {
			t.Errorf("%+v: the largest graph has %d nodes, want 10", o, largest)
		}
		if middle := (o.LambdaLow + o.LambdaHigh) / 2; math.Abs(lambdas-middle) > 0.03 {
			t.Errorf("mean λ %v, want about %v", lambdas, middle)
		}
		for _, want := range [][2]int{{0, 2}, {0, 3}, {2, 0}, {2, 3}, {3, 0}, {3, 2}} {
			// A sixth of the draws each, ±5 standard deviations.
			if c := pairs[want]; c < draws/6-85 || c > draws/6+85 {
				t.Errorf("pair %v in %d of %d draws", want, c, draws)
			}
			delete(pairs, want)
		}
		if len(pairs) > 0 {
			t.Errorf("pairs %v should not be there", pairs)
		}
	}
}

// Sizes of Draw are uniform from 2 to the number of steps; DrawSized gives the wanted one in that range.
func TestSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	// Complete graphs: no node is dropped.
	m := NewMixup([]*Graphon{constant(9, 1), constant(9, 1)}, DefaultOptions())
	seen := map[int]int{}
	for range 4000 {
		s, _ := m.Draw(rng)
		seen[s.Graph.N()]++
	}
	for n := range 12 {
		want := 0
		if n >= 2 && n <= 9 {
			want = 4000 / 8
		}
		if math.Abs(float64(seen[n]-want)) > 5*math.Sqrt(float64(want)) {
			t.Errorf("%d graphs of %d nodes, want about %d", seen[n], n, want)
		}
	}
	for size, want := range map[int]int{-1: 2, 0: 2, 2: 2, 5: 5, 9: 9, 30: 9} {
		if s, ok := m.DrawSized(rng, size); !ok || s.Graph.N() != want {
			t.Errorf("size %d: drawn is %v, %d nodes, want %d", size, ok, s.Graph.N(), want)
		}
	}
}

func TestDrawWarns(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	diagonal := New(3)
	diagonal.W[0] = 1 // a graph has no self-loops
	for _, c := range []struct {
		name    string
		ws      []*Graphon
		warning string
		usable  int
		drawn   bool
	}{
		{"no graphon", nil, warnEmpty, 0, false},
		{"erased", []*Graphon{New(4), New(4)}, warnEmpty, 0, false},
		{"no steps", []*Graphon{New(0)}, warnEmpty, 0, false},
		{"one step", []*Graphon{constant(1, 1)}, warnEmpty, 0, false},
		{"diagonal only", []*Graphon{diagonal}, warnEmpty, 0, false},
		{"one", []*Graphon{New(4), constant(4, 1)}, warnSingle, 1, true},
		{"hopeless", []*Graphon{constant(4, 1e-8), constant(4, 1e-8)}, "", 2, false},
	} {
		m := NewMixup(c.ws, DefaultOptions())
		if m.Warning() != c.warning || len(m.usable) != c.usable {
			t.Errorf("%s: warning %q, %d usable, want %q and %d", c.name, m.Warning(), len(m.usable), c.warning, c.usable)
		}
		s, ok := m.Draw(rng)
		if ok != c.drawn {
			t.Errorf("%s: drawn is %v, want %v", c.name, ok, c.drawn)
		}
		if ok && (s.I != 1 || s.J != 1) {
			t.Errorf("%s: mixed %d and %d, want 1 and 1", c.name, s.I, s.J)
		}
	}
}

func TestOptionsCheck(t *testing.T) {
	must.Do(DefaultOptions().Check())
	must.Do(Options{0, 1}.Check())
	for _, o := range []Options{{-0.1, 1}, {0.01, 1.1}, {0.6, 0.4}, {0.01, math.NaN()}} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), "mixing weights") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

// The chance that nodes 1, 2 and 3 form a triangle is W₁₂·W₂₃·W₁₃.
func TestSampleFrequencies(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	w := New(4)
	for i := range 4 {
		for j := range i + 1 {
			p := 0.3 + 0.6*rng.Float64()
			w.W[i*4+j], w.W[j*4+i] = p, p
		}
	}
	const draws = 40000
	want := w.W[1] * w.W[4+2] * w.W[2]
	triangles := 0
	for range draws {
		if g := sample(rng, w, 3); g != nil && g.M() == 3 {
			triangles++
		}
	}
	got := float64(triangles) / draws
	if sd := math.Sqrt(want * (1 - want) / draws); math.Abs(got-want) > 5*sd {
		t.Errorf("triangles in %v of the graphs, want %v ± %v", got, want, sd)
	}
}

// nearestByScan is the definition.
func nearestByScan(gs []*graph.Graph, xs []float32) int {
	at, best, node := -1, 0.0, 0
	for _, g := range gs {
		for v := range g.N() {
			sum := 0.0
			for c := range width {
				d := float64(xs[c]) - float64(g.XS[v*width+c])
				sum += float64(d * d)
			}
			if at < 0 || sum < best {
				at, best = node, sum
			}
			node++
		}
	}
	return at
}

func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 16))
	for trial := range 12 {
		var gs []*graph.Graph
		for range 1 + rng.IntN(40) {
			gs = append(gs, randomGraph(rng, rng.IntN(30), 0.2*rng.Float64()))
		}
		gs = append(gs, randomGraph(rng, 3, 1)) // at least one node
		if trial%3 < 2 {
			// A coarse grid, of all coordinates or of one and a degree: many donors at the same distance.
			for _, g := range gs {
				for k := range g.XS {
					if g.XS[k] = float32(rng.IntN(2)); trial%3 == 1 && k%width != sortStep && k%width != width-1 {
						g.XS[k] = 0
					}
				}
			}
		}
		d := NewDonors(gs)
		for query := range 300 {
			xs := make([]float32, width)
			switch query % 4 {
			case 0: // a donor itself
				g := gs[len(gs)-1]
				copy(xs, g.XS[:width])
			case 1: // a synthetic node
				g := randomGraph(rng, 12, 0.2)
				copy(xs, g.XS[rng.IntN(12)*width:])
			case 2: // between two steps of the grid
				xs[sortStep], xs[width-1] = float32(rng.IntN(3))/2, float32(rng.IntN(2))/2
			default:
				for k := range xs {
					xs[k] = float32(rng.IntN(4)) / 2
				}
			}
			if got, want := d.nearest(xs).first, nearestByScan(gs, xs); got != want {
				t.Fatalf("trial %d, query %d: node %d, want %d", trial, query, got, want)
			}
		}
	}
}

func TestFill(t *testing.T) {
	// A path of three nodes and a triangle, features (graph, node).
	path, triangle := build(3, [][2]int32{{0, 1}, {1, 2}}), build(3, [][2]int32{{0, 1}, {1, 2}, {2, 0}})
	for k, g := range []*graph.Graph{path, triangle} {
		g.EncodeStructure()
		g.Features, g.X = 2, nil
		for v := range g.N() {
			g.X = append(g.X, float32(k), float32(v))
		}
	}
	d := NewDonors([]*graph.Graph{path, triangle})
	// A triangle, and apart from it an edge: the ends of an edge are nearer to
	// the ends of a path than to anything else.
	g := build(5, [][2]int32{{0, 1}, {1, 2}, {2, 0}, {3, 4}})
	g.EncodeStructure()
	d.Fill(g)
	if want := []float32{1, 0, 1, 0, 1, 0, 0, 0, 0, 0}; g.Features != 2 || !slices.Equal(g.X, want) {
		t.Errorf("%d features %v, want 2 and %v", g.Features, g.X, want)
	}
	var b graph.Batch
	b.Reset([]*graph.Graph{path, g}) // shapes fit
	empty := build(0, nil)
	empty.EncodeStructure()
	NewDonors(nil).Fill(empty)
}
