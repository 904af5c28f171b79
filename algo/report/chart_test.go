package report

import (
	"strings"
	"testing"

	"baca/algo/chart"
)

// A p-value of just alpha is called outside, and drawn so.
func TestBarsOfPValues(t *testing.T) {
	for _, c := range []struct {
		p    float64
		want int
	}{{0.05, 1}, {0.0501, 0}} {
		if got := strings.Count(pChart(&Report{P: []float64{c.p, 0.5}, Alpha: 0.05}), `fill="`+chart.Outside+`"`); got != c.want {
			t.Errorf("p = %g: %d red bars, want %d", c.p, got, c.want)
		}
	}
}
