package pretrain

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/must"
)

// trees returns random graphs, among them one of a single node and one without edges.
func trees(count, features int) []*graph.Graph {
	rng := rand.New(rand.NewPCG(1, 2))
	var gs []*graph.Graph
	for k := range count {
		n := 3 + rng.IntN(12)
		if k == 5 {
			n = 1
		}
		var edges [][2]int32
		for i := 1; i < n && k != 6; i++ {
			edges = append(edges, [2]int32{rng.Int32N(int32(i)), int32(i)})
		}
		g, _ := must.Both(graph.New(n, edges))
		g.Features, g.X = features, make([]float32, n*features)
		for i := range g.X {
			g.X[i] = float32(rng.IntN(6))
		}
		gs = append(gs, g)
	}
	return gs
}

func options() Options {
	o := Defaults(2)
	o.Config = gin.Config{Features: 2, Hidden: 8, Layers: 3}
	o.Batch, o.LearningRate, o.Workers = 40, 1e-3, 1
	return o
}

func train(gs []*graph.Graph, o Options, from *State, epochs int) (*Trainer, []Loss) {
	tr := must.Have(New(gs, o, from))
	var losses []Loss
	for tr.State().Epoch < epochs {
		losses = append(losses, must.Have(tr.Epoch(context.Background())))
	}
	return tr, losses
}

// A training run ends at the same bits on every platform, with vector code and without: on amd64, in
// WebAssembly and on arm64; at any number of workers; and by a device. The sum was taken from the portable code.
func TestSameBits(t *testing.T) {
	for _, c := range []struct {
		workers int
		device  gin.Device
	}{{1, nil}, {2, nil}, {3, nil}, {8, nil}, {1, NewCPU(2)}} {
		o := options()
		o.Workers, o.Device = c.workers, c.device
		tr, _ := train(trees(120, 2), o, nil, 3)
		hash := fnv.New64a()
		for _, p := range tr.Encoder().Params {
			binary.Write(hash, binary.LittleEndian, p)
		}
		if got, want := hash.Sum64(), uint64(0xbac35b0f47e9b43e); got != want || tr.Encoder().Device != c.device {
			t.Errorf("%d workers, device %v: parameters have the checksum %#x, want %#x", c.workers, c.device, got, want)
		}
	}
}

// Graphs of a large set are encoded in each epoch, with the same result, and do not keep their encodings.
func TestEncodingsAreNotKept(t *testing.T) {
	gs := trees(90, 2)
	want, _ := train(trees(90, 2), options(), nil, 2)
	tr := must.Have(New(gs, options(), nil))
	tr.kept = len(gs) - 1
	for range 2 {
		must.Have(tr.Epoch(context.Background()))
	}
	if !slices.Equal(tr.Encoder().Params, want.Encoder().Params) {
		t.Error("other parameters than with encodings that are kept")
	}
	if slices.ContainsFunc(gs, func(g *graph.Graph) bool { return g.XS != nil }) {
		t.Error("a graph keeps its encoding")
	}
}

func TestResumeGivesTheSameBits(t *testing.T) {
	gs, o := trees(90, 2), options()
	whole, losses := train(gs, o, nil, 6)
	half, _ := train(gs, o, nil, 2)
	s := half.State()
	saved := State{Epoch: s.Epoch, Step: s.Step, Params: slices.Clone(s.Params), M: slices.Clone(s.M), V: slices.Clone(s.V)}
	// What happens after the state was saved must not reach it.
	must.Have(half.Epoch(context.Background()))
	resumed, rest := train(gs, o, &saved, 6)
	if !slices.Equal(whole.State().Params, resumed.State().Params) || !slices.Equal(whole.State().V, resumed.State().V) {
		t.Error("a resumed run ends at other parameters than one that never stopped")
	}
	if rest[3] != losses[5] {
		t.Errorf("last loss %+v, want %+v", rest[3], losses[5])
	}
}

// The gradient that a step takes is that of mean ℓ_g + mean ℓ_n over the whole batch, chunks and all. With Adam's
// moments at zero, the first step has the sign of the gradient, so the moment M = 0.1·gradient is compared instead.
func TestStepFollowsTheLoss(t *testing.T) {
	gs, o := trees(2*chunkGraphs-1, 2), options()
	o.Batch = len(gs)
	tr := must.Have(New(gs, o, nil))
	start := slices.Clone(tr.encoder.Params)
	before, moments := must.Have(tr.Epoch(context.Background())), tr.State() // one step
	e := gin.Zero(o.Config)
	var b graph.Batch
	var a gin.Activations
	b.Reset(gs)
	var w contrast.Workspace
	loss := func() Loss {
		e.Forward(&b, &a)
		width := e.Width()
		l := make([]float32, len(gs))
		w.InfoNCE(l, a.GraphProjection[0], a.GraphProjection[1], width, 0, nil, nil)
		var graphs, nodes, defined float64
		for k := range gs {
			graphs += float64(l[k])
			lo, hi := b.Nodes(k)
			lo, hi = lo*width, hi*width
			if n := w.NodeScore(a.NodeProjection[0][lo:hi], a.NodeProjection[1][lo:hi], width, 0, nil, nil); !math.IsNaN(n) {
				nodes += n
				defined++
			}
		}
		graphs, nodes = graphs/float64(len(gs)), nodes/defined
		return Loss{1, graphs + nodes, graphs, nodes}
	}
	copy(e.Params, start)
	if want := loss(); !(math.Abs(before.Total-want.Total)+math.Abs(before.Graph-want.Graph)+math.Abs(before.Node-want.Node) <= 1e-5) {
		t.Errorf("the loss of the step is %+v, want %+v", before, want)
	}
	// Along the gradient the loss must change by |gradient|²·h.
	norm := 0.0
	for _, m := range moments.M {
		norm += float64(m) * 10 * float64(m) * 10
	}
	const h = 1e-3
	shifted := func(sign float64) float64 {
		for i, m := range moments.M {
			e.Params[i] = start[i] + float32(sign*h*10*float64(m)/math.Sqrt(norm))
		}
		return loss().Total
	}
	slope := (shifted(1) - shifted(-1)) / (2 * h)
	if want := math.Sqrt(norm); !(math.Abs(slope-want) <= 0.01*want) {
		t.Errorf("slope along the gradient %g, its length %g", slope, want)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tr := must.Have(New(trees(60, 2), options(), nil))
	if _, err := tr.Epoch(ctx); !errors.Is(err, context.Canceled) || tr.State().Epoch != 0 {
		t.Errorf("error %v after %d epochs, want the context's after none", err, tr.State().Epoch)
	}
}

func TestRefusals(t *testing.T) {
	gs := trees(10, 2)
	params := gin.Zero(options().Config).Params
	for name, c := range map[string]struct {
		change func(*Options)
		graphs []*graph.Graph
		state  *State
	}{
		"fine, small":    {func(o *Options) { o.Batch = 2 }, gs[:2], &State{Params: params}},
		"fine, large":    {func(o *Options) { o.Batch = 1 << 16 }, gs, nil},
		"one graph":      {func(*Options) {}, gs[:1], nil},
		"batch of one":   {func(o *Options) { o.Batch = 1 }, gs, nil},
		"learning rate":  {func(o *Options) { o.LearningRate = math.NaN() }, gs, nil},
		"features":       {func(o *Options) { o.Config.Features = 3 }, gs, nil},
		"large batch":    {func(o *Options) { o.Batch = 1<<16 + 1 }, gs, nil},
		"no rate":        {func(o *Options) { o.LearningRate = 0 }, gs, nil},
		"shape":          {func(o *Options) { o.Config.Layers = 0 }, gs, nil},
		"no moments":     {func(*Options) {}, gs, &State{Step: 1, Params: params}},
		"moments cut":    {func(*Options) {}, gs, &State{Step: 1, Params: params, M: params[1:], V: params}},
		"before all":     {func(*Options) {}, gs, &State{Epoch: -1, Params: params}},
		"state too long": {func(*Options) {}, gs, &State{Epoch: 1, Step: 1, Params: make([]float32, 7)}},
	} {
		o := options()
		c.change(&o)
		if _, err := New(c.graphs, o, c.state); (err == nil) != strings.HasPrefix(name, "fine") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An odd graph left over would be a step without negatives. Two graphs are enough.
func TestNoStepOnOneGraph(t *testing.T) {
	o := options()
	train(trees(2, 2), o, nil, 1)
	o.Batch = 20
	_, losses := train(trees(41, 2), o, nil, 2)
	if math.IsNaN(losses[1].Total) {
		t.Error("the loss is NaN")
	}
}
