package suite

import (
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/pretrain"
	"baca/build/internal/try"
)

// batchSize graphs go through the encoder together.
const batchSize = 128

// BenchmarkParse reads SMILES and makes the nine features of every atom, then also the structure view.
func BenchmarkParse(b *testing.B) {
	m := druglike()
	for _, name := range []string{"features", "features+structure"} {
		b.Run(m.name+"/"+name, func(b *testing.B) {
			measure(b, func() {
				for _, s := range m.smiles {
					if g, err := smiles.ParseGraph(s); err == nil && name != "features" {
						g.EncodeStructure()
					}
				}
			}, rate{float64(len(m.smiles)), "molecules/s"})
		})
	}
}

// BenchmarkForward is the encoder on one batch: both views, all heads.
func BenchmarkForward(b *testing.B) {
	m := druglike()
	gs := take(m.graphs, batchSize)
	b.Run(m.name, func(b *testing.B) {
		e := gin.New(gin.Default(molecule.Features), rand.New(rand.NewPCG(1, 1)))
		var batch graph.Batch
		var a gin.Activations
		measure(b, func() {
			batch.Reset(gs)
			e.Forward(&batch, &a)
		}, rate{float64(len(gs)), "graphs/s"})
	})
}

// BenchmarkPre is S_Pre of a whole set in batches of 128, as they come: batching, the encoder and both losses, on one
// thread. The graphs have their structure view, or not.
func BenchmarkPre(b *testing.B) {
	m := druglike()
	e := gin.New(gin.Default(molecule.Features), rand.New(rand.NewPCG(1, 1))).Fixed()
	batches := slices.Collect(slices.Chunk(m.graphs, batchSize))
	score := func(gs []*graph.Graph) {
		r := try.To(contrast.Represent(ctx, 1, e, gs))
		try.To(contrast.BaseScores(ctx, 1, r, r.Negatives(), true, contrast.PlainTerms(r)))
	}
	for _, name := range []string{"encoded", "structure"} {
		b.Run(m.name+"/"+name, func(b *testing.B) {
			measure(b, func() {
				for _, gs := range batches {
					if name == "structure" {
						gs = bare(gs)
					}
					score(gs)
				}
			}, rate{float64(len(m.graphs)), "graphs/s"})
		})
	}
}

// BenchmarkEpoch is an epoch of pre-training on a whole set, on one thread.
func BenchmarkEpoch(b *testing.B) {
	m := druglike()
	b.Run(m.name, func(b *testing.B) {
		o := pretrain.Defaults(molecule.Features)
		o.Workers = 1
		t := try.To(pretrain.New(m.graphs, o, nil))
		measure(b, func() {
			try.To(t.Epoch(ctx))
		}, rate{float64(len(m.graphs)), "graphs/s"})
	})
}
