package suite

import (
	"testing"

	"baca/algo"
	"baca/algo/attention"
	scores "baca/algo/batch"
	"baca/algo/contrast"
	"baca/algo/near"
	"baca/algo/ratio"
	"baca/build/internal/try"
)

// BenchmarkStage is what calibrates the scores of the largest batch, on one thread: the paper's attention
// with all its steps, and the density ratio.
func BenchmarkStage(b *testing.B) {
	batch := largest(b)
	bank, graphs := batch.model.Bank, rate{float64(len(batch.graphs)), "graphs/s"}
	test := try.To(contrast.Describe(ctx, 1, batch.model.Encoder, batch.graphs))
	base, terms, err := contrast.BatchScores(ctx, 1, test, test.Negatives(), bank.MeanNodeScore())
	try.Check(err)
	input := &attention.Batch{
		Encoder: batch.model.Encoder, Graphs: batch.graphs, Test: test, Terms: terms, Base: base, Part: base, Bank: bank, Workers: 1,
	}
	b.Run("attention", func(b *testing.B) {
		measure(b, func() {
			a := try.To(attention.New(attention.DefaultOptions(), 1))
			try.To(a.Calibrate(ctx, input))
		}, graphs)
	})
	b.Run("ratio", func(b *testing.B) {
		known := try.To(near.NewBank(ctx, 1, bank, batch.model.Subtrees, nil))
		bank := ratio.NewBank(known)
		holdout := try.To(bank.Measure(ctx, 1, batch.model.Holdout))
		measure(b, func() {
			test := try.To(bank.Measure(ctx, 1, test))
			try.To(bank.Estimate(ctx, 1, ratio.DefaultOptions(), test, holdout))
		}, graphs)
	})
}

// BenchmarkBatch is the full run on a test batch, from graphs as a reader makes them to scores: structure view,
// encoder, S_Pre, both calibrators with all their steps. It uses all cores.
func BenchmarkBatch(b *testing.B) {
	onAllCores(b)
	for _, open := range []func() *batch{
		func() *batch { return largest(b) },
		func() *batch { return halves(b, "PTC_MR", "MUTAG") },
		func() *batch { return halves(b, "BZR", "COX2") },
	} {
		t := open()
		b.Run(t.name, func(b *testing.B) {
			measure(b, func() {
				s := try.To(scores.NewScorer(ctx, t.model, algo.DefaultOptions()))
				try.To(s.Batch(ctx, bare(t.graphs)))
			}, rate{float64(len(t.graphs)), "graphs/s"})
		})
	}
}
