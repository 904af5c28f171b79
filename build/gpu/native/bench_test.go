package native

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/pretrain"
	"baca/algo/wgsl"
)

// The benchmarks compare the device with the processor on all cores: S_Pre of whole
// batches, and epochs of training. They report graphs/s and the arithmetic that was
// needed, multiplications and additions each counted: what a share of the peak is
// taken of. Bytes are the least that must cross the device's memory: activations
// written and read once.

var (
	benchSets    = []string{"tox21", "scale-mix"}
	benchBatches = []int{512, 2048, 8192}
	benchWidths  = []int{16, 64}
)

// work counts the operations and bytes of encoding graphs; training takes three
// times as much of both.
func work(c gin.Config, gs []*graph.Graph) (operations, bytes float64) {
	e := float64(c.Width())
	d := float64(c.Hidden)
	for _, g := range gs {
		n, edges := float64(g.N()), float64(len(g.Neighbors))
		for _, in := range []int{c.Features, graph.EncodingWidth} {
			for l := range c.Layers {
				w := d
				if l == 0 {
					w = float64(in)
				}
				operations += edges*w + 2*n*d*(w+d)
				bytes += 4 * (edges*w + n*(w+d))
			}
			operations += n*e + 4*(n+1)*e*e
			bytes += 4 * (n + 1) * 5 * e
		}
		rows := min(n, contrast.MaxNodes)
		operations += 4 * rows * rows * e
	}
	return operations, bytes
}

// each runs a benchmark on both devices, with the first graphs of each set.
func each(b *testing.B, run func(b *testing.B, d gin.Device, c gin.Config, gs []*graph.Graph, batch int)) {
	g := open(b)
	most := slices.Max(benchBatches)
	for _, set := range benchSets {
		gs := read(b, set)
		gs = gs[:min(most, len(gs))]
		for _, g := range gs {
			g.EncodeStructure()
		}
		for _, hidden := range benchWidths {
			for _, batch := range benchBatches {
				c := gin.Config{Features: gs[0].Features, Hidden: hidden, Layers: 5}
				b.Run(fmt.Sprintf("%s/d=%d/%d/gpu", set, hidden, batch), func(b *testing.B) {
					d := wgsl.New(g, 8<<30)
					defer d.Close()
					run(b, d, c, gs, min(batch, len(gs)))
				})
				b.Run(fmt.Sprintf("%s/d=%d/%d/cpu", set, hidden, batch), func(b *testing.B) {
					run(b, pretrain.NewCPU(0), c, gs, min(batch, len(gs)))
				})
			}
		}
	}
}

func report(b *testing.B, graphs int, operations, bytes float64) {
	s := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(graphs)/s, "graphs/s")
	b.ReportMetric(operations/s/1e9, "GFLOP/s")
	b.ReportMetric(bytes/s/1e9, "GB/s")
}

func BenchmarkSPre(b *testing.B) {
	each(b, func(b *testing.B, d gin.Device, c gin.Config, gs []*graph.Graph, batch int) {
		gs = gs[:batch]
		e := gin.New(c, rand.New(rand.NewPCG(1, 1)))
		e.Device = d
		for b.Loop() {
			r, err := contrast.Represent(context.Background(), 0, e, gs)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := contrast.BaseScores(context.Background(), 0, r, r.Negatives(), true, contrast.PlainTerms(r)); err != nil {
				b.Fatal(err)
			}
		}
		operations, bytes := work(c, gs)
		report(b, len(gs), operations+4*float64(len(gs))*float64(len(gs))*float64(c.Width()), bytes)
	})
}

func BenchmarkEpoch(b *testing.B) {
	each(b, func(b *testing.B, d gin.Device, c gin.Config, gs []*graph.Graph, batch int) {
		o := pretrain.Defaults(c.Features)
		o.Config, o.Device, o.Batch = c, d, batch
		t, err := pretrain.New(gs, o, nil)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := t.Epoch(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
		operations, bytes := work(c, gs)
		report(b, len(gs), 3*operations+12*float64(len(gs))*float64(o.Batch)*float64(c.Width()), 3*bytes)
	})
}
