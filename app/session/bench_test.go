package session

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

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
	b.Run("names", func(b *testing.B) {
		// The longest step among those of taking the names and of ordering them.
		var longest time.Duration
		for b.Loop() {
			var l names
			longest = 0
			for from := 0; from < n; from += 500 {
				begin := time.Now()
				l.add(r.id[from : from+500])
				longest = max(longest, time.Since(begin))
			}
			begin := time.Now()
			l.rank()
			longest = max(longest, time.Since(begin))
		}
		b.ReportMetric(float64(longest.Microseconds())/1e3, "ms/step")
		b.ReportMetric(n, "rows")
	})
	b.Run("judge", func(b *testing.B) {
		for b.Loop() {
			r.judge(decide.Rule{Alpha: 0.05, Holdout: 99})
		}
		b.ReportMetric(n, "rows")
	})
	for name, v := range map[string]View{"score": {By: ByScore}, "name": {By: ByName}, "search": {search: "pound 77"}} {
		b.Run("order/"+name, func(b *testing.B) {
			for b.Loop() {
				r.order(v)
			}
			b.ReportMetric(n, "rows")
		})
	}
}
