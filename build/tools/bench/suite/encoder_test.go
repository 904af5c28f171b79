package suite

import (
	"math/rand/v2"
	"testing"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/pretrain"
)

// batchSize graphs go through the encoder together.
const batchSize = 128

// forwardCost is that of gin.Encoder.Forward, and with training set also that of
// Backward.
func forwardCost(c gin.Config, gs []*graph.Graph, training bool) (total cost) {
	n, width := nodes(gs), c.Width()
	linear := func(rows, in, out int, last bool) {
		total.add(product(rows, out, in))
		if !training {
			return
		}
		total.add(product(out, in, rows)) // the gradient of the weights
		if !last {
			total.add(product(rows, in, out)) // and by the input
		}
	}
	sum := func(in int) { // h + A·h
		for _, g := range gs {
			directed := len(g.Neighbors)
			total.add(cost{float64(directed * in), 4 * float64(2*g.N()*in+g.N()+1+directed)})
		}
	}
	for _, in := range [gin.Views]int{c.Features, graph.EncodingWidth} {
		for l := range c.Layers {
			sum(in)
			if training && l > 0 {
				sum(c.Hidden)
			}
			linear(n, in, c.Hidden, l == 0)
			linear(n, c.Hidden, c.Hidden, false)
			in = c.Hidden
		}
		total.add(cost{float64(n * width), 4 * float64((n+len(gs))*width)}) // pooling
		for range 2 {
			linear(n, width, width, false)
			linear(len(gs), width, width, false)
		}
	}
	return total
}

// nodeCost is that of ℓ_n: the similarities of the nodes of each graph.
func nodeCost(width int, gs []*graph.Graph, training bool) (total cost) {
	for _, g := range gs {
		n := g.N()
		total.add(infoNCECost(n, width, training))
	}
	return total
}

func infoNCECost(n, width int, training bool) (total cost) {
	total.add(cost{6 * float64(n*width), 16 * float64(n*width)}) // to unit rows
	total.add(product(n, n, width))
	total.add(cost{2 * float64(n*n), 12 * float64(n*n)}) // exponentials, sums
	if training {
		total.add(product(n, width, n))
		total.add(product(n, width, n))
		total.add(cost{8 * float64(n*width), 24 * float64(n*width)})
	}
	return total
}

// preCost is that of S_Pre of a batch: the encoder, ℓ_n, and ℓ_g in both directions.
func preCost(c gin.Config, gs []*graph.Graph) (total cost) {
	total.add(forwardCost(c, gs, false))
	total.add(nodeCost(c.Width(), gs, false))
	for range 2 {
		total.add(product(len(gs), len(gs), c.Width()))
	}
	return total
}

// BenchmarkParse reads SMILES and makes the nine features of every atom, then also
// the structure view.
func BenchmarkParse(b *testing.B) {
	m := druglike()
	size := 0
	for _, s := range m.smiles {
		size += len(s)
	}
	for _, structure := range []bool{false, true} {
		name := "features"
		if structure {
			name = "features+structure"
		}
		b.Run(m.name+"/"+name, func(b *testing.B) {
			var p smiles.Parser
			measure(b, cost{}, func() {
				for _, s := range m.smiles {
					if g, err := p.ParseGraph(s); err == nil && structure {
						g.EncodeStructure()
					}
				}
			}, rate{float64(len(m.smiles)), "molecules/s"}, rate{float64(size) / 1e6, "MB/s"})
		})
	}
}

// BenchmarkStructure makes the structure view of graphs.
func BenchmarkStructure(b *testing.B) {
	m := druglike()
	b.Run(m.name, func(b *testing.B) {
		dst := make([]float32, nodes(m.graphs)*graph.EncodingWidth)
		measure(b, cost{}, func() {
			rest := dst
			for _, g := range m.graphs {
				n := g.N() * graph.EncodingWidth
				graph.Encode(g, rest[:n])
				rest = rest[n:]
			}
		}, rate{float64(len(m.graphs)), "graphs/s"})
	})
}

// BenchmarkForward is the encoder on one batch: both views, all heads.
func BenchmarkForward(b *testing.B) {
	m := druglike()
	gs := take(m.graphs, batchSize)
	b.Run(m.name, func(b *testing.B) {
		e := gin.New(gin.Default(molecule.Features), rand.New(rand.NewPCG(1, 1)))
		var batch graph.Batch
		var a gin.Activations
		measure(b, forwardCost(e.Config, gs, false), func() {
			batch.Reset(gs)
			e.Forward(&batch, &a)
		}, rate{float64(len(gs)), "graphs/s"})
	})
}

// BenchmarkPre is S_Pre of a whole set in batches of 128, as they come: batching, the
// encoder and both losses, on one thread. The graphs have their structure view, or
// not.
func BenchmarkPre(b *testing.B) {
	m := druglike()
	e := gin.New(gin.Default(molecule.Features), rand.New(rand.NewPCG(1, 1))).Fixed()
	var c cost
	batches := chunks(m.graphs, batchSize)
	for _, gs := range batches {
		c.add(preCost(e.Config, gs))
	}
	score := func(b *testing.B, gs []*graph.Graph) {
		r, err := contrast.Represent(ctx, 1, e, gs)
		must(b, err)
		_, err = contrast.BaseScores(ctx, 1, r, r.Negatives(), true, contrast.PlainTerms(r))
		must(b, err)
	}
	b.Run(m.name+"/encoded", func(b *testing.B) {
		measure(b, c, func() {
			for _, gs := range batches {
				score(b, gs)
			}
		}, rate{float64(len(m.graphs)), "graphs/s"})
	})
	b.Run(m.name+"/structure", func(b *testing.B) {
		measure(b, cost{}, func() {
			for _, gs := range batches {
				score(b, bare(gs))
			}
		}, rate{float64(len(m.graphs)), "graphs/s"})
	})
}

// BenchmarkEpoch is an epoch of pre-training on a whole set, on one thread.
func BenchmarkEpoch(b *testing.B) {
	m := druglike()
	b.Run(m.name, func(b *testing.B) {
		o := pretrain.Defaults(molecule.Features)
		o.Workers = 1
		t, err := pretrain.New(m.graphs, o, nil)
		must(b, err)
		c := forwardCost(o.Config, m.graphs, true)
		c.add(nodeCost(o.Config.Width(), m.graphs, true))
		for range len(m.graphs) / o.Batch {
			c.add(infoNCECost(o.Batch, o.Config.Width(), true))
		}
		measure(b, c, func() {
			_, err := t.Epoch(ctx)
			must(b, err)
		}, rate{float64(len(m.graphs)), "graphs/s"})
	})
}
