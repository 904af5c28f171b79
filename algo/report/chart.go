package report

import (
	"math"
	"slices"

	"baca/algo/chart"
	"baca/algo/decide"
)

// finite returns the values without NaN and infinities.
func finite(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// scoreChart draws the histogram of scores, and those of the holdout as a line. A bar begins at the threshold, so that none
// has scores of both sides.
func scoreChart(r *Report) string {
	scores, holdout := finite(r.Scores), finite(r.Holdout)
	c := &chart.Chart{Title: "Distribution of scores", XAxis: "score", YAxis: "molecules"}
	low, high := math.Inf(1), math.Inf(-1)
	for _, list := range [][]float64{scores, holdout} {
		for _, v := range list {
			low, high = min(low, v), max(high, v)
		}
	}
	if len(scores) == 0 {
		c.Low, c.High, c.Bottom, c.Top = 0, 1, 0, 1
		return c.SVG()
	}
	const count = 48
	width := (high - low) / count
	if !(width > 1e-12*(1+math.Abs(low))) {
		width = 1
	}
	most, by := r.most()
	threshold, limited := decide.Threshold(r.Holdout, most)
	from := low - width/2 // where the first bar begins
	if limited {
		from = threshold - width*math.Ceil((threshold-low)/width+0.5)
	}
	n := int((high-from)/width) + 2
	blue, red := make([]float64, n), make([]float64, n)
	var line []float64
	for _, v := range scores {
		if i := int((v - from) / width); limited && v >= threshold {
			red[i]++
		} else {
			blue[i]++
		}
	}
	if len(holdout) > 0 {
		line = make([]float64, n)
		for _, v := range holdout {
			line[int((v-from)/width)] += float64(len(scores)) / float64(len(holdout))
		}
	}
	c.Low, c.High, c.Top = from, from+float64(n)*width, 1
	for i := range blue {
		c.Top = max(c.Top, blue[i]+red[i])
		if line != nil {
			c.Top = max(c.Top, line[i])
		}
	}
	c.Top *= 1.08
	c.Bars(from, width, blue, red, line)
	if limited {
		c.Vertical(threshold, by)
	}
	return c.SVG()
}

// pChart draws the histogram of p-values, and as a line the height of equal bars.
func pChart(r *Report) string {
	const count = 20
	c := &chart.Chart{Title: "Distribution of p-values", XAxis: "p-value", YAxis: "molecules", High: 1, Top: 1}
	blue, red, line := make([]float64, count), make([]float64, count), make([]float64, count)
	list := finite(r.P)
	most, _ := r.most()
	for _, p := range list {
		// p = k/20 belongs to the bar on its left.
		i := min(count-1, max(0, int(math.Ceil(p*count-1e-9))-1))
		if p <= most {
			red[i]++
		} else {
			blue[i]++
		}
	}
	for i := range line {
		line[i] = float64(len(list)) / count
		c.Top = max(c.Top, 1.08*(blue[i]+red[i]), 1.08*line[i])
	}
	c.Bars(0, 1.0/count, blue, red, line)
	return c.SVG()
}
