package chart

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		most      int
		want      []float64
	}{
		{-1, 3, 5, []float64{-1, 0, 1, 2, 3}},
		{0, 0.5, 5, []float64{0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5}},
		{0, 100, 4, []float64{0, 50, 100}},
		{1, 1, 5, nil},
		{0, math.Inf(1), 5, nil},
	} {
		got := Ticks(c.low, c.high, c.most)
		if !slices.Equal(got, c.want) {
			t.Errorf("%g to %g, at most %d: %v, want %v", c.low, c.high, c.most, got, c.want)
		}
	}
	if got := Label(-0.5); got != "−0.5" {
		t.Errorf("−0.5 is %s", got)
	}
}

// A line through many values has no more points than pixels, and its extremes.
func TestPath(t *testing.T) {
	values := make([]float64, 100_000)
	values[54_321] = 9
	c := &Chart{High: float64(len(values)), Top: 10}
	c.Path(values)
	svg := c.SVG()
	if n := strings.Count(svg, "L"); n > 1300 {
		t.Errorf("%d points", n)
	}
	if want := " 32.8L"; !strings.Contains(svg, want) {
		t.Errorf("the highest value is not drawn: no %q", want)
	}
}
