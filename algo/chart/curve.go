package chart

import "strings"

// A Curve of a chart, with its label, which is safe in XML.
type Curve struct {
	X, Y   []float64
	Colour string
	Dashed bool
	Label  string
}

// labelStep is the distance of the labels of a legend, in pixels.
const labelStep = 16

// Curves draws curves with a legend. Its first label is at (x, y), the others below.
func (c *Chart) Curves(x, y float64, list []Curve) {
	for k, line := range list {
		c.Curve(line)
		c.Legend(line, x, y+labelStep*float64(k))
	}
}

// Right is where a legend at the right begins.
func (c *Chart) Right() float64 { return c.X(c.Low + 0.76*(c.High-c.Low)) }

// Legend writes the label of a curve at a place.
func (c *Chart) Legend(l Curve, x, y float64) {
	c.Add(`<path d="M%.1f %.1fh22" stroke="%s" stroke-width="1.6"%s/><text x="%.1f" y="%.1f">%s</text>`, x, y, l.Colour, l.dashes(), x+28, y+4, l.Label)
}

// dashes returns the SVG attribute of a dashed line, or nothing.
func (l Curve) dashes() string {
	if l.Dashed {
		return ` stroke-dasharray="5 3"`
	}
	return ""
}

// Curve draws the line through the points.
func (c *Chart) Curve(l Curve) {
	c.Add(`<path d="`)
	for i := range l.Y {
		c.Add("%c%.1f %.1f", "ML"[min(i, 1)], c.X(l.X[i]), c.Y(l.Y[i]))
	}
	c.Add(`" fill="none" stroke="%s" stroke-width="1.6"%s/>`, l.Colour, l.dashes())
}

// File is the chart as a file of its own.
func (c *Chart) File() string {
	return strings.Replace(c.SVG(), "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" font-family="Arial,Helvetica,sans-serif" font-size="11" `, 1)
}
