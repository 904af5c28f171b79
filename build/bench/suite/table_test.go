package suite

import (
	"iter"
	"strings"
	"testing"
	"time"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/table"
)

// BenchmarkTable scores a long file, from its text to rows of scores, on all cores
// that it is given. The rate is that of the rows after the sample that they are
// scored by, which a file of any length has once.
func BenchmarkTable(b *testing.B) {
	m := druglike()
	b.Run(m.name, func(b *testing.B) {
		const rows, sample = 3000, 512
		var text strings.Builder
		text.WriteString("smiles\n")
		for i := range rows {
			text.WriteString(m.smiles[i%len(m.smiles)])
			text.WriteByte('\n')
		}
		model := model(b, "bbbp")
		canonical := model.Card.Schema == algo.OGBCanonical
		records := func() iter.Seq2[table.Unread, error] {
			return table.Molecules(strings.NewReader(text.String()), dataset.Options{Format: dataset.CSV, Canonical: canonical})
		}
		var onwards time.Duration
		for b.Loop() {
			s, err := algo.NewScorer(model, algo.DefaultOptions())
			must(b, err)
			var fitted time.Time
			err = table.Score(ctx, s, table.Input{
				Records: records(),
				Again:   func() (iter.Seq2[table.Unread, error], func(), error) { return records(), func() {}, nil },
			}, table.Options{
				Graphs: sample, Seed: 1,
				Fitted: func(*table.Fit) error { fitted = time.Now(); return nil },
			}, func([]table.Scored) error { return nil })
			must(b, err)
			onwards += time.Since(fitted)
		}
		b.ReportMetric(float64(b.N*(rows-sample))/onwards.Seconds(), "molecules/s")
	})
}
