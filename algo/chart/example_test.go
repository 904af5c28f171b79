package chart_test

import (
	"fmt"
	"strings"

	"baca/algo/chart"
)

// A histogram in the colours of all charts, with a line where the threshold is.
func Example() {
	c := chart.Chart{
		Title: "Scores of 9 graphs", XAxis: "score", YAxis: "graphs",
		Low: -1, High: 2, Bottom: 0, Top: 5,
	}
	c.Bars(-1, 1, []float64{2, 4, 0}, []float64{0, 1, 2}, nil)
	c.Vertical(0.5, "threshold")
	svg := c.SVG()
	fmt.Println(strings.Count(svg, chart.Inside), "bars inside,", strings.Count(svg, chart.Outside), "outside")
	fmt.Printf("the axis goes from pixel %.0f to %.0f\n", c.X(-1), c.X(2))
	// Output:
	// 2 bars inside, 2 outside
	// the axis goes from pixel 52 to 708
}
