package wgsl

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/pretrain"
)

// These tests need no GPU. What the shaders compute is tested by package check, in build/gpu and wasm/worker/gpu.

func trees(sizes ...int) []*graph.Graph {
	rng := rand.New(rand.NewPCG(1, 2))
	var gs []*graph.Graph
	for _, n := range sizes {
		var edges [][2]int32
		for i := 1; i < n; i++ {
			edges = append(edges, [2]int32{rng.Int32N(int32(i)), int32(i)})
		}
		g, _ := must.Both(graph.New(n, edges))
		g.EncodeStructure()
		gs = append(gs, g)
	}
	return gs
}

// A batch is the disjoint union of its graphs.
func TestPackIsTheUnion(t *testing.T) {
	gs := trees(3, 0, 1, 300, 40)
	b := new(batch)
	b.pack(gs, 0, 2, true, 1)
	b.pack(gs, 2, 5, true, 1)
	for _, c := range b.chunks {
		node, segments := 0, uint32(0)
		for k, g := range gs[c.first : c.first+c.graphs] {
			for i := range g.N() {
				row := b.tables[c.neighbors:][b.tables[c.offsets+node+i]:b.tables[c.offsets+node+i+1]]
				if len(row) != g.Degree(i) {
					t.Fatalf("graph %d node %d has %d neighbours, want %d", k, i, len(row), g.Degree(i))
				}
				for x, j := range g.Row(i) {
					if row[x] != uint32(node)+uint32(j) {
						t.Fatalf("graph %d node %d: neighbour %d, want %d", k, i, row[x], node+int(j))
					}
				}
				if b.tables[c.graphOf+node+i] != uint32(k) {
					t.Fatalf("node %d belongs to graph %d, want %d", node+i, b.tables[c.graphOf+node+i], k)
				}
				if got := b.inputs[c.x+(node+i)*g.Features]; got != g.X[i*g.Features] {
					t.Fatalf("node %d has feature %g, want %g", node+i, got, g.X[i*g.Features])
				}
				if got := b.inputs[c.xs+(node+i)*graph.EncodingWidth]; got != g.XS[i*graph.EncodingWidth] {
					t.Fatalf("node %d has structure %g, want %g", node+i, got, g.XS[i*graph.EncodingWidth])
				}
			}
			// The segments of a graph are its nodes, in pieces.
			if got := b.tables[c.graphSegment+k]; got != segments {
				t.Fatalf("graph %d begins at segment %d, want %d", k, got, segments)
			}
			for lo := 0; lo < g.N(); lo += segment {
				if got := b.tables[c.segmentFirst+int(segments)]; got != uint32(node+lo) {
					t.Fatalf("segment %d begins at node %d, want %d", segments, got, node+lo)
				}
				segments++
			}
			node += g.N()
		}
		if int(segments) != c.segments || node != c.n || b.tables[c.segmentFirst+c.segments] != uint32(node) {
			t.Fatalf("%d segments and %d nodes, want %d and %d", c.segments, c.n, segments, node)
		}
	}
}

// The tiles of ℓ_n cover each pair of rows of a graph once, and only those.
func TestTilesCoverThePairs(t *testing.T) {
	gs := trees(3, 1, 33, 0, 70, contrast.MaxNodes+10)
	b := new(batch)
	b.pack(gs, 0, len(gs), true, 0.5)
	c := b.chunks[0]
	graphOf := make([]int, 0, c.rows)
	for k := range gs {
		for range b.tables[c.rowFirst+k+1] - b.tables[c.rowFirst+k] {
			graphOf = append(graphOf, k)
		}
	}
	if len(graphOf) != c.rows || c.rows != 3+1+33+70+contrast.MaxNodes {
		t.Fatalf("%d rows, want those of %d graphs with at most %d each", c.rows, len(gs), contrast.MaxNodes)
	}
	seen := make([]bool, c.pairs)
	for k := range c.pairCount {
		p := b.tables[c.pairWork+8*k:][:8]
		for i := range p[1] {
			for j := range p[3] {
				if graphOf[p[0]+i] != graphOf[p[2]+j] {
					t.Fatalf("rows %d and %d of two graphs make a pair", p[0]+i, p[2]+j)
				}
				at := p[4] + i*p[5] + j
				if seen[at] {
					t.Fatalf("value %d is written twice", at)
				}
				seen[at] = true
			}
		}
	}
	for at, s := range seen {
		if !s {
			t.Fatalf("value %d of %d is not written", at, len(seen))
		}
	}
	rows, sums := 0, 0
	for k := range c.mulCount {
		p := b.tables[c.mulWork+8*k:][:8]
		rows += int(p[1])
		if int(p[3]) != int(p[5]) {
			t.Fatalf("a row of %d pairs is multiplied with %d rows", p[5], p[3])
		}
	}
	for k := range c.sumCount {
		sums += int(b.tables[c.sums+8*k+1])
	}
	if rows != c.rows || sums != c.rows {
		t.Errorf("%d rows multiplied and %d summed, want %d", rows, sums, c.rows)
	}
}

// The parts of the sums of ℓ_g cover all negatives of each graph once.
func TestSumWorkCoversAll(t *testing.T) {
	for _, n := range []int{0, 1, 64, 150, 5000} {
		b := new(batch)
		place, count := b.sumWork(n)
		covered := make([]int, n)
		slots := map[uint32]bool{}
		for k := range count {
			p := b.tables[place+8*k:][:8]
			for i := range p[1] {
				covered[p[0]+i] += int(p[3])
				if slots[p[4]+i] || int(p[4]+i) >= splits(n)*n {
					t.Fatalf("%d: sum %d is written twice or has no room", n, p[4]+i)
				}
				slots[p[4]+i] = true
			}
		}
		for i, got := range covered {
			if got != n {
				t.Fatalf("%d: graph %d is compared with %d negatives", n, i, got)
			}
		}
	}
}

// A fake GPU runs nothing and reads zeros.
type fake struct {
	limits  Limits
	last    Buffer
	sizes   map[Buffer]int
	kernels int
	works   []*Work
	waits   int
}

func newFake(bytes int) *fake {
	return &fake{limits: Limits{bytes, bytes}, sizes: map[Buffer]int{}}
}

func (f *fake) String() string { return "fake" }
func (f *fake) Software() bool { return true }
func (f *fake) Limits() Limits { return f.limits }
func (f *fake) Free(b Buffer) {
	if _, ok := f.sizes[b]; !ok {
		panic("a buffer that was given back before")
	}
	delete(f.sizes, b)
}
func (f *fake) NewBuffer(bytes int) (Buffer, error) {
	if bytes%4 != 0 || bytes > f.limits.Buffer {
		return 0, errors.New("a buffer that WebGPU refuses")
	}
	f.last++
	f.sizes[f.last] = bytes
	return f.last, nil
}

func (f *fake) NewKernel(string, string, []bool) (Kernel, error) {
	f.kernels++
	return Kernel(f.kernels), nil
}

func (f *fake) Submit(w *Work) (Pending, error) {
	for _, x := range w.Writes {
		if size, ok := f.sizes[x.Buffer]; !ok || x.Offset+len(x.Data) > size || len(x.Data)%4 != 0 {
			return nil, errors.New("a write that WebGPU refuses")
		}
	}
	for _, x := range w.Reads {
		if size, ok := f.sizes[x.Buffer]; !ok || x.Offset+x.Bytes > size {
			return nil, errors.New("a read that WebGPU refuses")
		}
	}
	for _, c := range w.Calls {
		if c.X < 1 || c.Y < 1 || c.X > maxGroups || c.Y > maxGroups {
			return nil, errors.New("a call that WebGPU refuses")
		}
		for _, b := range c.Buffers {
			if _, ok := f.sizes[b]; b != 0 && !ok {
				return nil, errors.New("a call with a buffer that was given back")
			}
		}
	}
	if len(w.Params) != ParamBytes*len(w.Calls) {
		return nil, errors.New("parameters and calls do not match")
	}
	f.works = append(f.works, w)
	return &fakePending{f, w.Reads}, nil
}

type fakePending struct {
	f     *fake
	reads []Read
}

func (p *fakePending) Wait(context.Context) ([][]byte, error) {
	p.f.waits++
	var data [][]byte
	for _, r := range p.reads {
		data = append(data, make([]byte, r.Bytes))
	}
	return data, nil
}

// A step is one submission, also where the batch does not fit at once, and the next one is prepared while it runs.
func TestStepIsOneSubmission(t *testing.T) {
	gs := trees(30, 20, 25, 30, 10, 9, 1, 12)
	c := gin.Config{Features: 1, Hidden: 8, Layers: 2}
	for _, memory := range []int{0, 100 << 10} {
		f := newFake(128 << 20)
		d := New(f, memory)
		tr := must.Have(d.Train(gin.Zero(c), 1e-3, gin.Moments{}))
		before, waits := len(f.works), f.waits
		for range 2 {
			must.Do(tr.Step(context.Background(), gs))
		}
		if n := len(f.works) - before; n != 2 || f.waits != waits {
			t.Errorf("memory %d: %d submissions and %d waits for two steps, want two and none", memory, n, f.waits-waits)
		}
		ends, err := d.cut(c, gs, true)
		if err != nil || (len(ends) > 1) != (memory > 0) {
			t.Errorf("memory %d: chunks end at %v, error %v", memory, ends, err)
		}
	}
}

// The next training takes over the memory of the last one, which then fails.
func TestNextTraining(t *testing.T) {
	f := newFake(1 << 20)
	d := New(f, 0)
	train := func() gin.Training {
		return must.Have(d.Train(gin.Zero(gin.Config{Features: 1, Hidden: 2, Layers: 1}), 1e-3, gin.Moments{}))
	}
	old := train()
	with := len(f.sizes)
	now := train()
	if n := len(f.sizes); n != with {
		t.Errorf("%d buffers for a second training, %d for the first", n, with)
	}
	if _, _, err := old.Finish(context.Background()); err == nil {
		t.Error("the first training ends well after the second began")
	}
	if _, _, err := now.Finish(context.Background()); err != nil {
		t.Error(err)
	}
	d.Close()
	if err := now.Step(context.Background(), trees(3, 4)); err == nil || len(f.sizes) != 0 {
		t.Errorf("%d buffers after Close, a step gives %v", len(f.sizes), err)
	}
	d.Close()
}

// Chunks keep within the limits.
func TestCut(t *testing.T) {
	var sizes []int
	for k := range 200 {
		sizes = append(sizes, 1+k%40)
	}
	gs := trees(sizes...)
	c := gin.Default(1)
	for _, training := range []bool{false, true} {
		d := New(newFake(64<<10), 1<<20)
		ends := must.Have(d.cut(c, gs, training))
		all, most := nodeBytes(c, training)
		lo := 0
		for _, hi := range ends {
			nodes := 0
			for _, g := range gs[lo:hi] {
				nodes += g.N()
			}
			if hi <= lo || nodes*most > 64<<10 || nodes*all > 1<<20 {
				t.Errorf("training %v: graphs %d to %d have %d nodes", training, lo, hi, nodes)
			}
			lo = hi
		}
		if lo != len(gs) || len(ends) < 5 {
			t.Errorf("training %v: chunks end at %v", training, ends)
		}
	}
	_, err := New(newFake(64<<10), 0).cut(c, trees(5000), false)
	var size *SizeError
	if !errors.As(err, &size) || !strings.Contains(err.Error(), "5000 nodes") || !strings.Contains(err.Error(), "nodes fit") {
		t.Errorf("error %v, want one that names the graph and the size that fits", err)
	}
}

// All tensors of an encoder are found at their places in Params.
func TestPlaces(t *testing.T) {
	e := gin.Zero(gin.Config{Features: 3, Hidden: 4, Layers: 2})
	for i := range e.Params {
		e.Params[i] = float32(i)
	}
	p := placesOf(e)
	if p.total != len(e.Params) {
		t.Fatalf("%d parameters, want %d", p.total, len(e.Params))
	}
	same := func(what string, got linear, want gin.Linear) {
		if got.in != want.In || got.out != want.Out || float32(got.w) != want.W[0] || float32(got.b) != want.B[0] {
			t.Errorf("%s: %+v, want %d×%d with weights at %g and biases at %g", what, got, want.Out, want.In, want.W[0], want.B[0])
		}
	}
	for v := range gin.Views {
		for l := range e.Layers {
			same("layer", p.layers[v][l][0], e.GIN[v][l].First)
			same("layer", p.layers[v][l][1], e.GIN[v][l].Second)
		}
		same("graph head", p.graphHead[v][1], e.GraphHead[v].Second)
		same("node head", p.nodeHead[v][0], e.NodeHead[v].First)
	}
}

// A slow device is a processor that waits.
type slow struct{ pretrain.CPU }

func (s slow) Encode(ctx context.Context, e *gin.Encoder, gs []*graph.Graph, to *gin.Encoding) error {
	time.Sleep(20 * time.Millisecond)
	return s.CPU.Encode(ctx, e, gs, to)
}

func (s slow) Train(e *gin.Encoder, rate float64, from gin.Moments) (gin.Training, error) {
	time.Sleep(20 * time.Millisecond)
	return s.CPU.Train(e, rate, from)
}

func TestFaster(t *testing.T) {
	fast, late := pretrain.NewCPU(1), slow{pretrain.NewCPU(1)}
	for want, devices := range [][]gin.Device{{fast, late}, {late, fast}} {
		for _, training := range []bool{false, true} {
			got, report, err := Faster(context.Background(), devices, gin.Config{Features: 2, Hidden: 2, Layers: 1}, 4, training)
			if err != nil || got != want || strings.Count(report, " ms on processor") != 2 {
				t.Errorf("device %d, %q and error %v, want %d", got, report, err, want)
			}
		}
	}
}
