package session

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"baca/algo/decide"
)

// What the page does with 100 000 rows between two pictures, each of which must stay
// far below 50 ms in a browser.
func BenchmarkRows(b *testing.B) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	r := randomRows(n, rng)
	for i := range r.id {
		r.id[i] = fmt.Sprintf("compound %d", rng.IntN(n))
	}
	b.Run("judge", func(b *testing.B) {
		for b.Loop() {
			r.judge(decide.Rule{Alpha: 0.05, Holdout: 99})
		}
		b.ReportMetric(n, "rows")
	})
	for name, v := range map[string]View{"score": {By: "score"}, "name": {By: "id"}, "search": {search: "pound 77"}} {
		b.Run("order/"+name, func(b *testing.B) {
			for b.Loop() {
				r.ranks = nil
				r.order(v)
			}
			b.ReportMetric(n, "rows")
		})
	}
}
