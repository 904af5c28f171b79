// Package check holds the tests that a wgsl.GPU must pass, natively and in a
// browser: each result is compared with that of the processor.
package check

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
	"baca/algo/pretrain"
	"baca/algo/wgsl"
)

// Tolerances, relative to the largest value of a kind.
const (
	close       = 1e-4 // of results
	closeEnough = 1e-3 // of gradients
)

// Floors of the size that differences are relative to: 1 for losses, which are differences of numbers of that size.
const (
	one  = 1
	tiny = 1e-6
)

// Run runs all tests on a GPU. The graphs are a real batch with their structural encodings; nil stands for Drugs.
func Run(t *testing.T, g wgsl.GPU, gs []*graph.Graph) {
	if gs == nil {
		gs = Drugs(t)
	}
	g = &compiled{GPU: g, kernels: map[string]wgsl.Kernel{}}
	t.Run("Encode", func(t *testing.T) { encode(t, g, gs) })
	t.Run("Gradient", func(t *testing.T) { gradients(t, g, gs) })
	t.Run("Steps", func(t *testing.T) { steps(t, g, gs) })
	t.Run("Resume", func(t *testing.T) { resume(t, g, gs) })
	t.Run("Limits", func(t *testing.T) { limits(t, g, gs) })
	t.Run("Memory", func(t *testing.T) { memory(t, g, gs) })
	t.Run("Lost", func(t *testing.T) { lost(t, g, gs) })
}

// compiled remembers the kernels, since software takes long to compile them.
type compiled struct {
	wgsl.GPU
	kernels map[string]wgsl.Kernel
}

// NewKernel returns the kernel of that name, compiled at most once.
func (c *compiled) NewKernel(name, code string, writable []bool) (wgsl.Kernel, error) {
	k, ok := c.kernels[name]
	if ok {
		return k, nil
	}
	k, err := c.GPU.NewKernel(name, code, writable)
	if err == nil {
		c.kernels[name] = k
	}
	return k, err
}

// Drugs are the graphs of some molecules.
func Drugs(t testing.TB) []*graph.Graph {
	t.Helper()
	const list = `CC(=O)Oc1ccccc1C(=O)O CN1C=NC2=C1C(=O)N(C(=O)N2C)C CC(C)Cc1ccc(cc1)C(C)C(=O)O
CN1CCC[C@H]1c2cccnc2 CC(=O)Nc1ccc(O)cc1 OC(=O)c1ccccc1O CCO CC(C)NCC(O)COc1cccc2ccccc12
CN(C)CCCN1c2ccccc2CCc2ccccc21 CNCCC(Oc1ccc(cc1)C(F)(F)F)c1ccccc1 Clc1ccccc1 C1CCCCC1
CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O Nc1ccc(cc1)S(=O)(=O)N O=C(O)CCCCC
CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc21 CC12CCC3C(CCC4=CC(=O)CCC34C)C1CCC2O OCC1OC(O)C(O)C(O)C1O
CCN(CC)CC(=O)Nc1c(C)cccc1C COc1cc2c(cc1OC)C(=O)C(CC1CCN(Cc3ccccc3)CC1)C2 c1ccc2ccccc2c1
CN1CCN(CC1)C1=Nc2cc(Cl)ccc2Nc2ccccc12 O=C1NC(=O)C(c2ccccc2)(c2ccccc2)N1 CCCCCCCCCC [Na+].[Cl-]`
	var gs []*graph.Graph
	for _, s := range strings.Fields(list) {
		g, err := smiles.ParseGraph(s)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		g.EncodeStructure()
		gs = append(gs, g)
	}
	return gs
}

// edgeCases returns random trees whose sizes lie at the borders of the shaders' tiles, every third a star, and
// one graph without edges. With large set, one has more nodes than take part in ℓ_n.
func edgeCases(features int, large bool) []*graph.Graph {
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []int{0, 1, 2, 31, 32, 33, 64, 65, 255, 256, 300, 5}
	if large {
		sizes = append(sizes, 4200)
	}
	var gs []*graph.Graph
	for k, n := range sizes {
		var edges [][2]int32
		for i := 1; i < n && n != 5; i++ {
			j := rng.Int32N(int32(i))
			if k%3 == 0 {
				j = 0
			}
			edges = append(edges, [2]int32{j, int32(i)})
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

// encoder returns a new encoder, always the same.
func encoder(c gin.Config) *gin.Encoder { return gin.New(c, rand.New(rand.NewPCG(3, 4))) }

// compare compares each value with that of the processor, relative to the largest
// of its row, and if that is less than floor to floor.
func compare[T float32 | float64](t *testing.T, what string, got, want []T, row int, floor, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	worst, at := 0.0, 0
	for lo := 0; lo < len(want); lo += row {
		scale := 0.0
		for _, w := range want[lo : lo+row] {
			if !math.IsNaN(float64(w)) {
				scale = max(scale, math.Abs(float64(w)))
			}
		}
		for i := lo; i < lo+row; i++ {
			g, w := float64(got[i]), float64(want[i])
			if math.IsNaN(w) && math.IsNaN(g) {
				continue
			}
			d := math.Abs(g-w) / max(scale, floor)
			if math.IsNaN(d) || d > worst {
				if worst, at = d, i; math.IsNaN(d) {
					worst = math.Inf(1)
				}
			}
		}
	}
	t.Logf("%s: largest relative difference %.2g", what, worst)
	if worst > tolerance {
		t.Errorf("%s: value %d is %g, on the processor %g: relative difference %.2g, want at most %g", what, at,
			got[at], want[at], worst, tolerance)
	}
}

// compareEncodings compares all results of Encode with those of the processor.
func compareEncodings(t *testing.T, what string, d gin.Device, e *gin.Encoder, gs []*graph.Graph) {
	t.Helper()
	ctx, width := context.Background(), e.Width()
	got, want := gin.NewEncoding(len(gs), width), gin.NewEncoding(len(gs), width)
	must.Do(pretrain.NewCPU(1).Encode(ctx, e, gs, want))
	if err := d.Encode(ctx, e, gs, got); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	compare(t, what+", embeddings", got.Pooled, want.Pooled, width, tiny, close)
	compare(t, what+", feature projections", got.Projection[0], want.Projection[0], width, tiny, close)
	compare(t, what+", structure projections", got.Projection[1], want.Projection[1], width, tiny, close)
	compare(t, what+", ℓ_n", got.NodeLoss, want.NodeLoss, 1, one, close)
}

// encode checks Encode on real and odd graphs, in encoders of several shapes, and in many chunks.
func encode(t *testing.T, g wgsl.GPU, gs []*graph.Graph) {
	d := wgsl.New(g, 0)
	defer d.Close()
	compareEncodings(t, "real batch", d, encoder(gin.Default(gs[0].Features)), gs)
	compareEncodings(t, "real batch of width 64", d,
		encoder(gin.Config{Features: gs[0].Features, Hidden: 64, Layers: 2}), gs[:min(len(gs), 10)])
	compareEncodings(t, "odd graphs", d, encoder(gin.Config{Features: 3, Hidden: 12, Layers: 2}), edgeCases(3, false))
	if !testing.Short() {
		compareEncodings(t, "odd graphs and a large one", d, encoder(gin.Config{Features: 3, Hidden: 8, Layers: 2}), edgeCases(3, true))
	}
	compareEncodings(t, "wide features", d, encoder(gin.Config{Features: 100, Hidden: 7, Layers: 2}), edgeCases(100, false))
	compareEncodings(t, "wide layers", d, encoder(gin.Config{Features: 3, Hidden: 70, Layers: 2}), edgeCases(3, false))
	compareEncodings(t, "one layer", d, encoder(gin.Config{Features: 1, Hidden: 1, Layers: 1}), edgeCases(1, false))
	compareEncodings(t, "no graphs", d, encoder(gin.Default(3)), nil)

	small := wgsl.New(g, 100<<10)
	defer small.Close()
	compareEncodings(t, "real batch, in many chunks", small, encoder(gin.Config{Features: gs[0].Features, Hidden: 8, Layers: 2}), gs)
}

// trainer returns a new encoder, and its training at a learning rate.
func trainer(d gin.Device, c gin.Config, rate float64) (*gin.Encoder, gin.Training) {
	e := encoder(c)
	tr := must.Have(d.Train(e, rate, gin.Moments{}))
	return e, tr
}

// gradient returns that of one batch, tensor by tensor: after the first step the first moment is a tenth of it.
func gradient(d gin.Device, c gin.Config, gs []*graph.Graph) (*gin.Encoder, gin.Losses) {
	_, tr := trainer(d, c, 1e-3)
	must.Do(tr.Step(context.Background(), gs))
	losses, moments := must.Both(tr.Finish(context.Background()))
	grad := gin.Zero(c)
	for i, m := range moments.M {
		grad.Params[i] = 10 * m
	}
	return grad, losses
}

// compareGradients compares the losses and the gradient of one step with those of the processor.
func compareGradients(t *testing.T, what string, d gin.Device, c gin.Config, gs []*graph.Graph) {
	t.Helper()
	got, loss := gradient(d, c, gs)
	want, wantLoss := gradient(pretrain.NewCPU(1), c, gs)
	if loss.GraphCount != wantLoss.GraphCount || loss.NodeCount != wantLoss.NodeCount {
		t.Errorf("%s: losses of %d graphs and the nodes of %d, want %d and %d", what, loss.GraphCount, loss.NodeCount,
			wantLoss.GraphCount, wantLoss.NodeCount)
	}
	compare(t, what+", ℓ_g and ℓ_n", []float64{loss.Graph, loss.Node}, []float64{wantLoss.Graph, wantLoss.Node}, 1, one, close)
	ts := want.Tensors()
	worst, name, largest := 0.0, "", 0.0
	for _, w := range want.Params {
		largest = max(largest, math.Abs(float64(w)))
	}
	for k, g := range got.Tensors() {
		// A gradient that cancels, as on a graph of like nodes, is compared to those of other tensors.
		scale, difference := 1e-3*largest, 0.0
		for i, w := range ts[k].Data {
			scale = max(scale, math.Abs(float64(w)))
			difference = max(difference, math.Abs(float64(w)-float64(g.Data[i])))
		}
		if r := difference / scale; !(r <= worst) {
			worst, name = r, g.Name
		}
	}
	t.Logf("%s: largest relative difference of a tensor's gradient %.2g, of %s", what, worst, name)
	if !(worst <= closeEnough) {
		t.Errorf("%s: gradient of %s differs by %.2g of its largest value from the processor's, want at most %g",
			what, name, worst, closeEnough)
	}
}

// gradients checks the gradients of the graphs that encode checks.
func gradients(t *testing.T, g wgsl.GPU, gs []*graph.Graph) {
	d := wgsl.New(g, 0)
	defer d.Close()
	c := gin.Default(gs[0].Features)
	compareGradients(t, "real batch", d, c, gs)
	compareGradients(t, "real batch of width 64", d, gin.Config{Features: c.Features, Hidden: 64, Layers: 2}, gs[:min(len(gs), 10)])
	compareGradients(t, "odd graphs", d, gin.Config{Features: 3, Hidden: 12, Layers: 2}, edgeCases(3, false))
	compareGradients(t, "wide layers", d, gin.Config{Features: 70, Hidden: 70, Layers: 2}, edgeCases(70, false)[:8])
	compareGradients(t, "two graphs", d, gin.Config{Features: 3, Hidden: 4, Layers: 1}, edgeCases(3, false)[2:4])
	small := wgsl.New(g, 200<<10)
	defer small.Close()
	compareGradients(t, "real batch, in many chunks", small, gin.Config{Features: c.Features, Hidden: 8, Layers: 2}, gs)
}

// steps trains side by side with the processor for a while.
func steps(t *testing.T, g wgsl.GPU, gs []*graph.Graph) {
	d := wgsl.New(g, 0)
	defer d.Close()
	c := gin.Config{Features: gs[0].Features, Hidden: 8, Layers: 3}
	run := func(d gin.Device) (*gin.Encoder, gin.Losses) {
		e, tr := trainer(d, c, 1e-3)
		for k := range 6 {
			// Batches of all sizes, so that room must be made in between.
			must.Do(tr.Step(context.Background(), gs[:min(len(gs), 3+5*k)]))
		}
		l, m := must.Both(tr.Finish(context.Background()))
		if m.Step != 6 {
			t.Errorf("%s: %d steps, want 6", d, m.Step)
		}
		return e, l
	}
	got, loss := run(d)
	want, wantLoss := run(pretrain.NewCPU(1))
	compare(t, "ℓ_g and ℓ_n", []float64{loss.Graph, loss.Node}, []float64{wantLoss.Graph, wantLoss.Node}, 1, one, closeEnough)
	compare(t, "parameters", got.Params, want.Params, len(want.Params), tiny, closeEnough)
	// On one machine a run repeats to the bit.
	again, _ := run(d)
	compare(t, "the same run again", again.Params, got.Params, 1, one, 0)
}

// resume checks that training goes on from its state as if it had not stopped.
func resume(t *testing.T, g wgsl.GPU, gs []*graph.Graph) {
	d := wgsl.New(g, 0)
	defer d.Close()
	o := pretrain.Defaults(gs[0].Features)
	o.Config.Hidden, o.Config.Layers, o.Batch, o.Device = 8, 2, 10, d
	run := func(from *pretrain.State, epochs int) *pretrain.Trainer {
		tr := must.Have(pretrain.New(gs, o, from))
		for tr.State().Epoch < epochs {
			must.Have(tr.Epoch(context.Background()))
		}
		return tr
	}
	whole := run(nil, 3).State()
	half := run(nil, 1).State()
	rest := run(&half, 3).State()
	compare(t, "parameters after a stop", rest.Params, whole.Params, 1, one, 0)
	compare(t, "moments after a stop", rest.V, whole.V, 1, one, 0)
}

// limited is a GPU with lower limits than its own.
type limited struct {
	wgsl.GPU
	limits wgsl.Limits
	room   int  // bytes that it gives, if not 0
	lost   bool // from the next submission on
	sizes  map[wgsl.Buffer]int
}

func (l *limited) Limits() wgsl.Limits { return l.limits }

// NewBuffer fails with ErrMemory if room is left for less.
func (l *limited) NewBuffer(bytes int) (wgsl.Buffer, error) {
	if l.room > 0 && bytes > l.room {
		return 0, wgsl.ErrMemory
	}
	b, err := l.GPU.NewBuffer(bytes)
	if err == nil && l.room > 0 {
		l.room -= bytes
		l.sizes[b] = bytes
	}
	return b, err
}

func (l *limited) Free(b wgsl.Buffer) {
	l.room += l.sizes[b]
	l.GPU.Free(b)
}

func (l *limited) Submit(w *wgsl.Work) (wgsl.Pending, error) {
	if l.lost {
		return nil, wgsl.ErrLost
	}
	return l.GPU.Submit(w)
}

// limits parts batches that the adapter's buffers cannot hold, and refuses single
// graphs that they cannot hold, with the size that they can.
func limits(t *testing.T, g wgsl.GPU, gs []*graph.Graph) {
	d := wgsl.New(&limited{GPU: g, limits: wgsl.Limits{Binding: 256 << 10, Buffer: 256 << 10}}, 0)
	defer d.Close()
	c := gin.Default(gs[0].Features)
	compareEncodings(t, "real batch in small buffers", d, encoder(c), slices.Concat(gs, gs, gs))
	wide := wgsl.New(&limited{GPU: g, limits: wgsl.Limits{Binding: 512 << 10, Buffer: 512 << 10}}, 0)
	defer wide.Close()
	compareGradients(t, "real batch in small buffers", wide, gin.Config{Features: c.Features, Hidden: 8, Layers: 2}, gs)

	large := edgeCases(c.Features, true)
	err := d.Encode(context.Background(), encoder(c), large, gin.NewEncoding(len(large), c.Width()))
	var size *wgsl.SizeError
	if !errors.As(err, &size) || !strings.Contains(err.Error(), "nodes fit") {
		t.Fatalf("error %v for a graph that is too large, want one that names the size that fits", err)
	}
	t.Log(err)
}

// memory reports a lack of memory with the size that would fit, and recovers.
func memory(t *testing.T, g wgsl.GPU, gs []*graph.Graph) {
	d := wgsl.New(&limited{GPU: g, limits: g.Limits(), room: 3 << 20, sizes: map[wgsl.Buffer]int{}}, 0)
	defer d.Close()
	c := gin.Default(gs[0].Features)
	e := encoder(c)
	many := gs
	for len(many) < 1000 {
		many = append(many, gs...)
	}
	err := d.Encode(context.Background(), e, many, gin.NewEncoding(len(many), c.Width()))
	var size *wgsl.SizeError
	if !errors.As(err, &size) || !errors.Is(err, wgsl.ErrMemory) || size.Fits == "" {
		t.Fatalf("error %v for a batch that is too large, want one that names the size that fits", err)
	}
	t.Log(err)
	compareEncodings(t, "a smaller batch afterwards", d, e, gs[:4])
}

// lost reports a lost device, then and ever after.
func lost(t *testing.T, g wgsl.GPU, gs []*graph.Graph) {
	l := &limited{GPU: g, limits: g.Limits()}
	d := wgsl.New(l, 0)
	defer d.Close()
	c := gin.Default(gs[0].Features)
	e, tr := trainer(d, c, 1e-3)
	l.lost = true
	if err := tr.Step(context.Background(), gs[:4]); !errors.Is(err, wgsl.ErrLost) {
		t.Errorf("error %v of a step on a lost device, want %v", err, wgsl.ErrLost)
	}
	l.lost = false
	err := d.Encode(context.Background(), e, gs[:4], gin.NewEncoding(4, c.Width()))
	if !errors.Is(err, wgsl.ErrLost) || !strings.Contains(err.Error(), g.String()) {
		t.Errorf("error %v after a device was lost, want %v and the name of the device", err, wgsl.ErrLost)
	}
}
