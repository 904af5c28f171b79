package app

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// What the page does with 10 000 rows between two pictures, each of which must stay
// far below 50 ms in a browser.
func BenchmarkRows(b *testing.B) {
	const n = 10_000
	rng := rand.New(rand.NewPCG(1, 2))
	r := randomRows(n, rng)
	for i := range r.id {
		r.id[i] = fmt.Sprintf("compound %d", rng.IntN(n))
	}
	b.Run("judge", func(b *testing.B) {
		for b.Loop() {
			r.judge(0.05)
		}
		b.ReportMetric(n, "rows")
	})
	for name, v := range map[string]view{"score": {by: byScore}, "name": {by: byName}, "search": {search: "pound 77"}} {
		b.Run("order/"+name, func(b *testing.B) {
			for b.Loop() {
				r.order(v)
			}
			b.ReportMetric(n, "rows")
		})
	}
	c := strip{width: 900, height: stripHeight, title: "Scores", reference: newReference(r.score[:500]), score: r.score, verdict: r.verdict, selected: -1}
	b.Run("strip", func(b *testing.B) {
		for b.Loop() {
			c.svg(false)
		}
		b.ReportMetric(n, "rows")
	})
}
