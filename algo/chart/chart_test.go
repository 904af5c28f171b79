package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"baca/algo/internal/golden"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
)

// Of a lowest and a highest value and the most steps: ticks are round numbers.
func TestTicks(t *testing.T) {
	golden.Table(t, "testdata/ticks.txt", 3, func(f []string) string {
		value := func(k int) float64 { return must.Have(strconv.ParseFloat(f[k], 64)) }
		return strings.Join(lists.Map(Ticks(value(0), value(1), int(value(2))), Label), " ")
	})
}

// Where a unit is a pixel, X is 52 + v and Y is 220 − v.
func TestChart(t *testing.T) {
	c := &Chart{Title: "title", XAxis: "x", YAxis: "y", High: 656, Top: 208}
	c.Bars(100, 50, []float64{60, 0, 20, 0}, []float64{30, 0, 0, 10}, []float64{10, 20, 30, 40})
	c.Bars(300, 0.5, []float64{1}, []float64{0}, nil)
	for _, at := range []float64{-1, 0, 524, 525, 656, 657, math.NaN()} {
		c.Vertical(at, fmt.Sprint("at ", at))
	}
	c.Level(50)
	c.Path([]float64{1, 2, 4, 8})
	golden.Same(t, "testdata/chart.svg", strings.ReplaceAll(c.SVG(), "><", ">\n<"))
	if s := (Scale{10, 20, 100, 300}); s.At(12.5) != 150 || s.Value(150) != 12.5 || s.Value(300) != 20 {
		t.Errorf("12.5 is at %g, 150 is %g", s.At(12.5), s.Value(150))
	}
}

// A line through many values has no more points than pixels, and its extremes.
func TestPath(t *testing.T) {
	values := make([]float64, 100_000)
	values[54_320], values[54_321] = -5, 9
	c := &Chart{High: float64(len(values)), Top: 10}
	c.Path(values)
	svg := c.SVG()
	if n := strings.Count(svg, "L"); n > 1300 {
		t.Errorf("%d points", n)
	}
	if !strings.Contains(svg, " 32.8L") || !strings.Contains(svg, " 324.0L") {
		t.Error("the highest and the lowest value are not drawn")
	}
}
