// Package chart draws values over an axis as SVG (Chart), and shares scales, ticks and colours with
// other pictures.
package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Colours of all charts. Everyone can tell the first two apart (Okabe and Ito).
const (
	Inside  = "#0072b2"
	Outside = "#d55e00"
	Ink     = "#222"
	Soft    = "#777"
	Grid    = "#e6e6e6"
)

// A Scale maps the values from Low to High to the pixels between From and To.
type Scale struct{ Low, High, From, To float64 }

// At returns the pixel of a value.
func (s Scale) At(v float64) float64 { return s.From + (s.To-s.From)*(v-s.Low)/(s.High-s.Low) }

// Value returns the value at a pixel.
func (s Scale) Value(pixel float64) float64 {
	return s.Low + (pixel-s.From)/(s.To-s.From)*(s.High-s.Low)
}

// Ticks returns round numbers from low to high, with at most so many intervals between them.
func Ticks(low, high float64, intervals int) []float64 {
	if !(high > low) || math.IsInf(high-low, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(intervals))))
	for _, factor := range []float64{2, 2.5, 2} { // 2, 5, 10
		if (high-low)/step > float64(intervals) {
			step *= factor
		}
	}
	var list []float64
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		list = append(list, k*step+0) // no −0
	}
	return list
}

// Label formats a tick.
func Label(x float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(x, 'g', 6, 64), "-", "−")
}

// A Chart is drawn by its methods, and written by SVG.
type Chart struct {
	Title, XAxis, YAxis    string  // safe in XML
	Low, High, Bottom, Top float64 // the ends of both axes
	drawn                  strings.Builder
}

// Size and margins of a chart, in pixels.
const (
	width, height                                    = 720.0, 260.0
	marginLeft, marginRight, marginTop, marginBottom = 52.0, 12.0, 12.0, 40.0
)

// X and Y return the pixel of a value on their axis.
func (c *Chart) X(v float64) float64 {
	return Scale{c.Low, c.High, marginLeft, width - marginRight}.At(v)
}

// Y is described at X.
func (c *Chart) Y(v float64) float64 {
	return Scale{c.Bottom, c.Top, height - marginBottom, marginTop}.At(v)
}

// Add adds SVG to what is drawn between the grid and the axes.
func (c *Chart) Add(format string, args ...any) { fmt.Fprintf(&c.drawn, format, args...) }

// SVG returns the chart with its axes.
func (c *Chart) SVG() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %g %g" width="%g" height="%g" role="img"><title>%s</title>`, width, height, width, height, c.Title)
	for _, t := range Ticks(c.Bottom, c.Top, 5) {
		fmt.Fprintf(&b, `<path d="M%g %.1fH%g" stroke="%s" stroke-width=".6"/><text x="%g" y="%.1f" text-anchor="end" fill="%s">%s</text>`,
			marginLeft, c.Y(t), width-marginRight, Grid, marginLeft-6, c.Y(t)+4, Soft, Label(t))
	}
	b.WriteString(c.drawn.String())
	fmt.Fprintf(&b, `<path d="M%g %.1fH%g" stroke="%s" stroke-width=".8"/>`, marginLeft, c.Y(c.Bottom), width-marginRight, Soft)
	for _, t := range Ticks(c.Low, c.High, 9) {
		fmt.Fprintf(&b, `<path d="M%.1f %.1fv4" stroke="%s" stroke-width=".8"/><text x="%.1f" y="%.1f" text-anchor="middle" fill="%s">%s</text>`,
			c.X(t), c.Y(c.Bottom), Soft, c.X(t), c.Y(c.Bottom)+16, Soft, Label(t))
	}
	fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, (width+marginLeft-marginRight)/2, height-6, c.XAxis)
	middle := (height + marginTop - marginBottom) / 2
	fmt.Fprintf(&b, `<text x="12" y="%.1f" text-anchor="middle" transform="rotate(-90 12 %.1f)">%s</text></svg>`, middle, middle, c.YAxis)
	return b.String()
}

// Vertical draws a dashed line at a value of the horizontal axis, with a label. Beyond the axis it draws nothing.
func (c *Chart) Vertical(at float64, label string) {
	if !(at >= c.Low && at <= c.High) {
		return
	}
	anchor, shift := "start", 5.0
	if c.X(at) > 0.8*width {
		anchor, shift = "end", -5
	}
	c.Add(`<path d="M%.1f %gV%.1f" stroke="%s" stroke-dasharray="4 3"/><text x="%.1f" y="%g" text-anchor="%s">%s</text>`,
		c.X(at), marginTop, c.Y(c.Bottom), Ink, c.X(at)+shift, marginTop+10, anchor, label)
}

// Level draws a dashed line at a value of the vertical axis.
func (c *Chart) Level(at float64) {
	c.Add(`<path d="M%g %.1fH%g" stroke="%s" stroke-dasharray="4 3"/>`, marginLeft, c.Y(at), width-marginRight, Outside)
}

// Bars draws bars of a width, the first one at from: counts inside, counts outside on top of them, and expected counts as a line
// unless nil.
func (c *Chart) Bars(from, width float64, inside, outside, line []float64) {
	for i := range inside {
		left, right := c.X(from+float64(i)*width)+0.4, c.X(from+float64(i+1)*width)-0.4
		for _, part := range []struct {
			low, high float64
			colour    string
		}{{0, inside[i], Inside}, {inside[i], inside[i] + outside[i], Outside}} {
			if part.high > part.low {
				c.Add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, left, c.Y(part.high), max(0.3, right-left), c.Y(part.low)-c.Y(part.high), part.colour)
			}
		}
	}
	if line == nil {
		return
	}
	c.Add(`<path d="M%.1f %.1f`, c.X(from), c.Y(0))
	for i, v := range line {
		c.Add("V%.1fH%.1f", c.Y(v), c.X(from+float64(i+1)*width))
	}
	c.Add(`V%.1f" fill="none" stroke="%s" stroke-width="1.2"/>`, c.Y(0), Ink)
}

// Path draws a line through values at 0, 1, 2 …, reduced to the lowest and highest value of each
// pixel.
func (c *Chart) Path(values []float64) {
	group := max(1, len(values)/600)
	c.Add(`<path d="`)
	letter := 'M'
	point := func(i int, v float64) {
		c.Add("%c%.1f %.1f", letter, c.X(float64(i)), c.Y(v))
		letter = 'L'
	}
	for at := 0; at < len(values); at += group {
		low, high := values[at], values[at]
		for _, v := range values[at:min(len(values), at+group)] {
			low, high = min(low, v), max(high, v)
		}
		point(at, low)
		if high > low {
			point(at, high)
		}
	}
	c.Add(`" fill="none" stroke="%s" stroke-width="1.4"/>`, Inside)
}
