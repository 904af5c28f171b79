package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"baca/algo/decide"
)

// The colours of all figures.
const (
	inside  = "#0072b2"
	outside = "#d55e00"
	ink     = "#222"
	soft    = "#777"
	grid    = "#e6e6e6"
)

// A chart maps values to a picture.
type chart struct {
	strings.Builder
	title                  string
	xAxis, yAxis           string
	low, high, bottom, top float64
}

// The size of a chart and its margins, in pixels.
const (
	chartWidth, chartHeight                          = 720.0, 260.0
	marginLeft, marginRight, marginTop, marginBottom = 52.0, 12.0, 12.0, 40.0
)

func (c *chart) x(v float64) float64 {
	return marginLeft + (chartWidth-marginLeft-marginRight)*(v-c.low)/(c.high-c.low)
}

func (c *chart) y(v float64) float64 {
	return chartHeight - marginBottom - (chartHeight-marginTop-marginBottom)*(v-c.bottom)/(c.top-c.bottom)
}

func (c *chart) add(format string, args ...any) { fmt.Fprintf(&c.Builder, format, args...) }

// svg puts the axes around what was drawn.
func (c *chart) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %g %g" width="%g" height="%g" role="img"><title>%s</title>`, chartWidth, chartHeight, chartWidth, chartHeight, Escape(c.title))
	for _, t := range steps(c.bottom, c.top, 5) {
		fmt.Fprintf(&b, `<path d="M%g %.1fH%g" stroke="%s" stroke-width=".6"/><text x="%g" y="%.1f" text-anchor="end" style="fill:%s">%s</text>`,
			marginLeft, c.y(t), chartWidth-marginRight, grid, marginLeft-6, c.y(t)+4, soft, mark(t))
	}
	b.WriteString(c.String())
	fmt.Fprintf(&b, `<path d="M%g %.1fH%g" stroke="%s" stroke-width=".8"/>`, marginLeft, c.y(c.bottom), chartWidth-marginRight, soft)
	for _, t := range steps(c.low, c.high, 9) {
		fmt.Fprintf(&b, `<path d="M%.1f %.1fv4" stroke="%s" stroke-width=".8"/><text x="%.1f" y="%.1f" text-anchor="middle" style="fill:%s">%s</text>`,
			c.x(t), c.y(c.bottom), soft, c.x(t), c.y(c.bottom)+16, soft, mark(t))
	}
	fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, (chartWidth+marginLeft-marginRight)/2, chartHeight-6, Escape(c.xAxis))
	middle := (chartHeight + marginTop - marginBottom) / 2
	fmt.Fprintf(&b, `<text x="12" y="%.1f" text-anchor="middle" transform="rotate(-90 12 %.1f)">%s</text></svg>`, middle, middle, Escape(c.yAxis))
	return b.String()
}

// steps are at most so many round numbers from low to high.
func steps(low, high float64, most int) []float64 {
	if !(high > low) || math.IsInf(high-low, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(most))))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step > float64(most) {
			step *= factor
		}
	}
	var list []float64
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		list = append(list, k*step+0)
	}
	return list
}

func mark(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', 6, 64), "-", "−", 1)
}

// vertical draws a dashed line with a label.
func (c *chart) vertical(at float64, label string) {
	if !(at >= c.low && at <= c.high) {
		return
	}
	anchor, shift := "start", 5.0
	if c.x(at) > 0.8*chartWidth {
		anchor, shift = "end", -5
	}
	c.add(`<path d="M%.1f %gV%.1f" stroke="%s" stroke-dasharray="4 3"/><text x="%.1f" y="%g" text-anchor="%s">%s</text>`,
		c.x(at), marginTop, c.y(c.bottom), ink, c.x(at)+shift, marginTop+10, anchor, Escape(label))
}

// bars draws stacked counts and a line of expected ones, in bars of one width.
func (c *chart) bars(from, width float64, blue, red, line []float64) {
	for i := range blue {
		left, right := c.x(from+float64(i)*width)+0.4, c.x(from+float64(i+1)*width)-0.4
		for _, part := range []struct {
			low, high float64
			colour    string
		}{{0, blue[i], inside}, {blue[i], blue[i] + red[i], outside}} {
			if part.high > part.low {
				c.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, left, c.y(part.high), max(0.3, right-left), c.y(part.low)-c.y(part.high), part.colour)
			}
		}
	}
	if line == nil {
		return
	}
	c.add(`<path d="M%.1f %.1f`, c.x(from), c.y(0))
	for i, v := range line {
		c.add("V%.1fH%.1f", c.y(v), c.x(from+float64(i+1)*width))
	}
	c.add(`V%.1f" fill="none" stroke="%s" stroke-width="1.2"/>`, c.y(0), ink)
}

// finite leaves out what is not a number.
func finite(values []float64) []float64 {
	var list []float64
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			list = append(list, v)
		}
	}
	return list
}

// scoreChart is the histogram of scores. A bar begins at the threshold, so none has
// graphs from both sides of it.
func scoreChart(r *Report) string {
	scores, holdout := finite(r.Scores), finite(r.Holdout)
	c := &chart{title: "Distribution of scores", xAxis: "score", yAxis: "graphs"}
	low, high := math.Inf(1), math.Inf(-1)
	for _, list := range [][]float64{scores, holdout} {
		for _, v := range list {
			low, high = min(low, v), max(high, v)
		}
	}
	if len(scores) == 0 {
		c.low, c.high, c.bottom, c.top = 0, 1, 0, 1
		return c.svg()
	}
	const count = 48
	width := (high - low) / count
	if !(width > 1e-12*(1+math.Abs(low))) {
		width = 1
	}
	most, by := r.most()
	at, limited := decide.Threshold(r.Holdout, most)
	from := low - width/2
	if limited {
		from = at - width*math.Ceil((at-low)/width+0.5)
	}
	n := int((high-from)/width) + 2
	blue, red := make([]float64, n), make([]float64, n)
	var line []float64
	for _, v := range scores {
		if i := int((v - from) / width); limited && v >= at {
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
	c.low, c.high, c.top = from, from+float64(n)*width, 1
	for i := range blue {
		c.top = max(c.top, blue[i]+red[i])
		if line != nil {
			c.top = max(c.top, line[i])
		}
	}
	c.top *= 1.08
	c.bars(from, width, blue, red, line)
	if limited {
		c.vertical(at, by)
	}
	return c.svg()
}

// pChart is the histogram of p-values.
func pChart(r *Report) string {
	const count = 20
	c := &chart{title: "Distribution of p-values", xAxis: "p-value", yAxis: "graphs", high: 1, top: 1}
	blue, red, line := make([]float64, count), make([]float64, count), make([]float64, count)
	list := finite(r.P)
	most, _ := r.most()
	for _, p := range list {
		// A p-value of exactly k/20 belongs to the bar on its left.
		i := min(count-1, max(0, int(math.Ceil(p*count-1e-9))-1))
		if p <= most {
			red[i]++
		} else {
			blue[i]++
		}
	}
	for i := range line {
		line[i] = float64(len(list)) / count
		c.top = max(c.top, 1.08*(blue[i]+red[i]), 1.08*line[i])
	}
	c.bars(0, 1.0/count, blue, red, line)
	return c.svg()
}

// driftChart is the path of the wealth.
func driftChart(r *Report) string {
	level := -math.Log10(r.Delta)
	c := &chart{title: "Evidence of drift", xAxis: "graphs so far", yAxis: "powers of ten", bottom: -1, top: level * 1.2}
	c.high = float64(len(r.Wealth) - 1)
	for _, x := range r.Wealth {
		c.bottom, c.top = min(c.bottom, x), max(c.top, 1.05*x)
	}
	c.add(`<path d="M%g %.1fH%g" stroke="%s" stroke-dasharray="4 3"/>`, marginLeft, c.y(level), chartWidth-marginRight, outside)
	// No more points than pixels: of each group the lowest and the highest.
	group := max(1, len(r.Wealth)/600)
	c.add(`<path d="`)
	letter := 'M'
	point := func(i int, v float64) {
		c.add("%c%.1f %.1f", letter, c.x(float64(i)), c.y(v))
		letter = 'L'
	}
	for at := 0; at < len(r.Wealth); at += group {
		low, high := r.Wealth[at], r.Wealth[at]
		for _, v := range r.Wealth[at:min(len(r.Wealth), at+group)] {
			low, high = min(low, v), max(high, v)
		}
		point(at, low)
		if high > low {
			point(at, high)
		}
	}
	c.add(`" fill="none" stroke="%s" stroke-width="1.4"/>`, inside)
	return c.svg()
}

// DriftSVG draws the path of a drift test by itself, with delta as its rate of false
// alarms and powers of ten, the first for the start.
func DriftSVG(wealth []float64, delta float64) string {
	svg := driftChart(&Report{Wealth: wealth, Delta: delta})
	return strings.Replace(svg, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" font-family="Arial,Helvetica,sans-serif" font-size="11" `, 1)
}
