package contrast

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"baca/algo/gin"
	"baca/algo/gin/gintest"
	"baca/algo/graph"
	"baca/algo/internal/must"
)

// slow is the loss as the package comment writes it, in float64.
func slow(zf, zs [][]float64, nf, ns [][]float64, self bool) []float64 {
	cos := func(a, b []float64) float64 {
		return floats.Dot(a, b) / max(floats.Norm(a, 2), 1e-12) / max(floats.Norm(b, 2), 1e-12)
	}
	loss := make([]float64, len(zf))
	for i := range zf {
		var row, col float64
		for j := range nf {
			if self && i == j {
				continue
			}
			row += math.Exp(cos(zf[i], ns[j]) / Temperature)
			col += math.Exp(cos(nf[j], zs[i]) / Temperature)
		}
		s := math.Exp(cos(zf[i], zs[i]) / Temperature)
		loss[i] = -0.5 * (math.Log(s/row) + math.Log(s/col))
	}
	return loss
}

func rows(z []float32, width int) [][]float64 {
	var r [][]float64
	for i := 0; i < len(z); i += width {
		row := make([]float64, width)
		for j := range row {
			row[j] = float64(z[i+j])
		}
		r = append(r, row)
	}
	return r
}

func random(rng *rand.Rand, n int) []float32 {
	z := make([]float32, n)
	for i := range z {
		z[i] = float32(rng.NormFloat64())
	}
	return z
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s: got %.8g, want %.8g", what, got, want)
	}
}

func TestInfoNCEMatchesDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 3, 17, 128, 700} {
		const width = 12
		zf, zs := random(rng, n*width), random(rng, n*width)
		clear(zf[:width]) // a zero projection
		var w Workspace
		loss := make([]float32, n)
		w.InfoNCE(loss, zf, zs, width, 0, nil, nil)
		want := slow(rows(zf, width), rows(zs, width), rows(zf, width), rows(zs, width), true)
		scores := must.Have(NewNegatives(zf, zs, width).Scores(context.Background(), 2, zf, zs, true))
		for i := range want {
			near(t, "InfoNCE", float64(loss[i]), want[i], 2e-6)
			near(t, "Scores", scores[i], want[i], 2e-6)
		}
		// Against others, with any number of workers.
		nf, ns := random(rng, 300*width), random(rng, 300*width)
		want = slow(rows(zf, width), rows(zs, width), rows(nf, width), rows(ns, width), false)
		one := must.Have(NewNegatives(nf, ns, width).Scores(context.Background(), 1, zf, zs, false))
		three := must.Have(NewNegatives(nf, ns, width).Scores(context.Background(), 3, zf, zs, false))
		for i := range want {
			if near(t, "Scores of others", one[i], want[i], 2e-6); one[i] != three[i] {
				t.Errorf("graph %d: %g with one worker, %g with three", i, one[i], three[i])
			}
		}
	}
}

// The gradient is that of central differences, also of more rows than one block holds.
func TestInfoNCEGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const width, scale, h = 5, 0.37, 1e-6
	for _, c := range []struct {
		n             int
		rows, columns []int
	}{{7, []int{0, 1, 2, 3, 4, 5, 6}, []int{0, 1, 2, 3, 4}}, {600, []int{0, 299, 599}, []int{1}}} {
		zf, zs := random(rng, c.n*width), random(rng, c.n*width)
		dzf, dzs := make([]float32, c.n*width), make([]float32, c.n*width)
		var w Workspace
		w.InfoNCE(make([]float32, c.n), zf, zs, width, scale, dzf, dzs)
		if blocks := len(w.sim) < c.n*c.n; blocks != (c.n > 512) {
			t.Fatalf("%d rows in several blocks: %v", c.n, blocks)
		}
		f, s := rows(zf, width), rows(zs, width)
		at := func(x *float64, by float64) float64 {
			old := *x
			*x += by
			sum := 0.0
			for _, l := range slow(f, s, f, s, true) {
				sum += scale * l
			}
			*x = old
			return sum
		}
		for _, i := range c.rows {
			for _, j := range c.columns {
				near(t, "dzf", float64(dzf[i*width+j]), (at(&f[i][j], h)-at(&f[i][j], -h))/(2*h), 2e-5)
				near(t, "dzs", float64(dzs[i*width+j]), (at(&s[i][j], h)-at(&s[i][j], -h))/(2*h), 2e-5)
			}
		}
	}
}

func TestNodeScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n, width = 9, 6
	zf, zs := random(rng, n*width), random(rng, n*width)
	var w Workspace
	want := 0.0
	for _, l := range slow(rows(zf, width), rows(zs, width), rows(zf, width), rows(zs, width), true) {
		want += l / n
	}
	d1, d2 := make([]float32, n*width), make([]float32, n*width)
	near(t, "NodeScore", w.NodeScore(zf, zs, width, 1, d1, d2), want, 2e-6)
	whole := make([]float32, n*width)
	loss := make([]float32, n)
	w.InfoNCE(loss, zf, zs, width, 1, whole, make([]float32, n*width))
	for i := range d1 {
		near(t, "gradient of the mean", float64(d1[i]), float64(whole[i])/n, 1e-6)
	}
}

// ℓ_n of a graph above MaxNodes is that of an even sample of its nodes.
func TestNodeScoreOfManyNodes(t *testing.T) {
	const n, width = 3 * MaxNodes, 2
	rng := rand.New(rand.NewPCG(11, 12))
	zf, zs := random(rng, n*width), random(rng, n*width)
	df, ds := random(rng, n*width), random(rng, n*width)
	var w Workspace
	got := w.NodeScore(zf, zs, width, 1, df, ds)
	var f, s []float32
	for i := 0; i < n; i += 3 {
		f, s = append(f, zf[i*width:(i+1)*width]...), append(s, zs[i*width:(i+1)*width]...)
	}
	d, e := make([]float32, len(f)), make([]float32, len(f))
	if want := w.NodeScore(f, s, width, 1, d, e); got != want {
		t.Errorf("ℓ_n %g, of every third node %g", got, want)
	}
	for i := range n {
		want := [2]float32{}
		if i%3 == 0 {
			want = [2]float32{d[i/3*width], e[i/3*width]}
		}
		if df[i*width] != want[0] || ds[i*width] != want[1] {
			t.Fatalf("node %d: gradients %g and %g, want %v", i, df[i*width], ds[i*width], want)
		}
	}
}

// Without negatives, for one node or one graph, the loss is NaN.
func TestNotDefined(t *testing.T) {
	var w Workspace
	z, d := []float32{1, 2, 3}, []float32{9, 9, 9}
	if l := w.NodeScore(z, z, 3, 1, d, make([]float32, 3)); !math.IsNaN(l) {
		t.Errorf("ℓ_n of one node is %g, want NaN", l)
	}
	if !slices.Equal(d, make([]float32, 3)) {
		t.Errorf("gradient %v of a loss that is not defined, want 0", d)
	}
	for self, others := range map[bool][]float32{true: z, false: nil} {
		s, err := NewNegatives(others, others, 3).Scores(context.Background(), 1, z, z, self)
		if err != nil || !math.IsNaN(s[0]) {
			t.Errorf("self=%v: ℓ_g of one graph is %g (%v), want NaN", self, s[0], err)
		}
	}
}

func TestLossesMatchReference(t *testing.T) {
	ref := gintest.Encoder(t)
	var b graph.Batch
	var a gin.Activations
	b.Reset(ref.Graphs)
	ref.Encoder.Forward(&b, &a)
	width := ref.Encoder.Width()
	zf, zs := a.GraphProjection[gin.Feature], a.GraphProjection[gin.Structure]
	graphLoss := must.Have(NewNegatives(zf, zs, width).Scores(context.Background(), 1, zf, zs, true))
	training := make([]float32, len(b.Graphs))
	var w Workspace
	w.InfoNCE(training, zf, zs, width, 0, nil, nil)
	for k := range ref.Graphs {
		near(t, "ℓ_g", graphLoss[k], ref.LossG[k], 2e-5)
		near(t, "ℓ_g in training", float64(training[k]), ref.LossG[k], 2e-5)
		lo, hi := b.Nodes(k)
		lo, hi = lo*width, hi*width
		node := w.NodeScore(a.NodeProjection[gin.Feature][lo:hi], a.NodeProjection[gin.Structure][lo:hi], width, 0, nil, nil)
		near(t, "ℓ_n", node, ref.LossN[k], 2e-5)
	}
}

// An outline has the numbers of a representation, at any number of workers: both views of
// graphs with a single feature, the feature view of others.
func TestOutlineIsAPartOfARepresentation(t *testing.T) {
	for _, features := range []int{1, 3} {
		rng := rand.New(rand.NewPCG(4, 4))
		e := gin.New(gin.Default(features), rng).Fixed()
		var gs []*graph.Graph
		for n := range 3*representChunk - 1 {
			var edges [][2]int32
			for i := 1; i < n; i++ {
				edges = append(edges, [2]int32{int32(rng.IntN(i)), int32(i)})
			}
			g, _, _ := graph.New(n, edges)
			g.Features, g.X = features, nil
			for range n * features {
				g.X = append(g.X, float32(rng.IntN(4)))
			}
			gs = append(gs, g)
		}
		outlines := map[int]*Outline{}
		for _, workers := range []int{1, 3} {
			outlines[workers] = must.Have(OutlineOf(t.Context(), workers, e, gs))
		}
		r := must.Have(Describe(t.Context(), 2, e, gs))
		want, tolerance := r.Outline(), map[int]float64{1: 0, 3: 1e-5}[features]
		dim, picked := r.Dim(), []int{31, 2, 2}
		restored := must.Have(Restore(e, r.Q, r.NodeScore, r.Prints))
		for _, of := range []*Representation{r, restored} {
			s := of.Select(picked)
			for _, z := range [][2][]float32{{s.ZF(), r.ZF()}, {s.ZS(), r.ZS()}} {
				for k, i := range picked {
					for c := range r.Width {
						near(t, "a projection", float64(z[0][k*r.Width+c]), float64(z[1][i*r.Width+c]), 1e-4)
					}
				}
			}
			same := s.NodeScore[1] == r.NodeScore[2] && s.Prints[1].Equal(r.Prints[2]) && s.Outline().Dim == want.Dim
			if !same || !slices.Equal(s.Q[dim:2*dim], r.Q[2*dim:3*dim]) {
				t.Errorf("%d features: picked graphs are not those of the representation", features)
			}
			must.Do(of.CheckProjections())
		}
		restored.Q = slices.Clone(r.Q)
		restored.Q[2*dim+r.Width] = float32(math.Inf(1))
		gs[1].Features++
		_, errRow := Restore(e, r.Q[1:], r.NodeScore, r.Prints)
		_, errPrints := Restore(e, r.Q, r.NodeScore, r.Prints[1:])
		_, errOutline := OutlineOf(t.Context(), 1, e, gs)
		for err, text := range map[error]string{
			restored.CheckProjections(): "embedding 2 projects to ", errRow: "values for 47 graphs: want ", errPrints: "46 prints for 47 graphs",
			errOutline: fmt.Sprintf("graph 2 has %d node features, the model was trained on %d", features+1, features),
		} {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%v, want %q", err, text)
			}
		}
		for workers, o := range outlines {
			if !reflect.DeepEqual(o.Prints, want.Prints) || o.Len() != r.Len() || o.Dim != want.Dim || (o.NodeScore == nil) != (features > 1) {
				t.Errorf("%d features, %d workers: another outline than that of the representation", features, workers)
			}
			if !slices.Equal(o.Q, outlines[1].Q) {
				t.Errorf("%d features: %d workers make other embeddings than one", features, workers)
			}
			for k, x := range o.Q {
				if !(math.Abs(float64(x-want.Q[k])) <= tolerance) {
					t.Fatalf("%d features: value %d of row %d of the outline is %g, in the representation %g", features, k%o.Dim, k/o.Dim, x, want.Q[k])
				}
			}
		}
	}
}

// An outline of graphs with several features has the same bits in any order of the nodes,
// though many of them are alike: next to each other, far apart, or alike up to some height only.
func TestOutlineInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	e := gin.New(gin.Default(2), rng).Fixed()
	var gs []*graph.Graph
	for n := 1; n < 70; n++ {
		var edges [][2]int32
		for i := 1; i < n; i++ {
			parent := max(0, i-1-n%3) // several long chains with one end
			if n%4 == 0 {
				parent = rng.IntN(i)
			}
			edges = append(edges, [2]int32{int32(parent), int32(i)})
		}
		if n > 3 && n%2 == 0 {
			edges = append(edges, [2]int32{0, int32(n - 1)}, [2]int32{int32(n / 2), int32(n - 1)})
		}
		g, _, _ := graph.New(n, edges)
		g.Features, g.X = 2, make([]float32, 2*n)
		for i := range n {
			g.X[2*i], g.X[2*i+1] = 5.3, float32(rng.IntN(8)/7)
		}
		gs = append(gs, g)
	}
	want := must.Have(OutlineOf(t.Context(), 1, e, gs))
	plain := must.Have(Describe(t.Context(), 1, e, gs))
	moved := 0
	for round := range 20 {
		var others []*graph.Graph
		for _, g := range gs {
			order := make([]int32, g.N())
			for k, i := range rng.Perm(g.N()) {
				order[k] = int32(i)
			}
			var a graph.Arrangement
			a.Arrange(g, order)
			others = append(others, &a.Graph)
		}
		got := must.Have(OutlineOf(t.Context(), 2, e, others))
		r := must.Have(Describe(t.Context(), 2, e, others))
		for i, g := range gs {
			if !slices.Equal(got.Row(i), want.Row(i)) || !got.Prints[i].Equal(want.Prints[i]) {
				t.Errorf("round %d: graph of %d nodes in another order has another outline", round, g.N())
			}
			if !slices.Equal(r.Q[i*r.Dim():][:e.Width()], plain.Q[i*r.Dim():][:e.Width()]) {
				moved++
			}
		}
	}
	if moved < 20*len(gs)/2 {
		t.Errorf("only %d of %d graphs have other sums in another order: the test shows little", moved, 20*len(gs))
	}
}

// S_Pre of a batch is ℓ_g + NodeShare·ℓ_n with both losses divided by their deviations, and
// its terms give the same scores to the same graphs as if they were others.
func TestBatchScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 31))
	const n, width = 40, 6
	r := &Representation{Width: width, Q: make([]float32, 2*n*width), zf: random(rng, n*width), zs: random(rng, n*width)}
	for range n {
		r.NodeScore = append(r.NodeScore, 5+3*rng.NormFloat64())
	}
	r.NodeScore[7] = math.NaN()
	negatives := r.Negatives()
	scores, terms := must.Both(BatchScores(context.Background(), 1, r, negatives, 4))
	loss := must.Have(negatives.Scores(context.Background(), 1, r.zf, r.zs, true))
	known := append(slices.Clone(r.NodeScore[:7]), r.NodeScore[8:]...)
	graphDeviation, nodeDeviation := stat.PopStdDev(loss, nil), stat.PopStdDev(known, nil)
	for i, got := range scores {
		node := r.NodeScore[i]
		if i == 7 {
			node = 4
		}
		if want := loss[i]/graphDeviation + 0.3*node/nodeDeviation; !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("graph %d: S_Pre %g, want %g", i, got, want)
		}
	}
	again, err := BaseScores(context.Background(), 1, r, negatives, true, terms)
	if err != nil || !slices.Equal(again, scores) {
		t.Errorf("by the terms %v, want %v, error %v", again, scores, err)
	}
	if deviation(nil) != 1 || deviation([]float64{3, 3, math.NaN()}) != 1 {
		t.Error("losses that do not vary have another scale than 1")
	}
	none := &Representation{NodeScore: r.NodeScore[7:8]}
	if r.Undefined() != 1 || !(math.Abs(r.MeanNodeScore()-stat.Mean(known, nil)) <= 1e-12) || none.MeanNodeScore() != 0 {
		t.Errorf("%d graphs without ℓ_n, want 1; a mean of %g", r.Undefined(), r.MeanNodeScore())
	}
}
