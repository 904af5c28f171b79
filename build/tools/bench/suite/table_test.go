package suite

import (
	"iter"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/job"
	"baca/algo/table"
	"baca/build/internal/try"
)

// BenchmarkTable scores a long file, from its text to rows of scores, on all cores,
// each graph by itself.
func BenchmarkTable(b *testing.B) {
	onAllCores(b)
	m := druglike()
	b.Run(m.name, func(b *testing.B) {
		const rows = 3000
		var text strings.Builder
		text.WriteString("smiles\n")
		for i := range rows {
			text.WriteString(m.smiles[i%len(m.smiles)])
			text.WriteByte('\n')
		}
		model := model(b, "bbbp")
		records := func() iter.Seq2[dataset.Record, error] {
			return dataset.Records(strings.NewReader(text.String()), dataset.Options{Format: dataset.CSV, Form: algo.FormOf(model.Card.Schema)})
		}
		s := try.To(algo.NewScorer(ctx, model, algo.DefaultOptions()))
		for b.Loop() {
			try.Check(job.Score(ctx, s, job.Input{Records: records()}, job.ScoreOptions{}, func([]table.Scored) error { return nil }))
		}
		b.ReportMetric(float64(b.N*rows)/b.Elapsed().Seconds(), "molecules/s")
	})
}
