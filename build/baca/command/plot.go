package command

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"baca/algo/decide"
	"baca/build/internal/figure"
	"baca/build/internal/usage"
)

// A scoreFigure shows scores of one batch before and after calibration.
type scoreFigure struct {
	outside       []bool // the final verdict on each graph
	alpha         float64
	before, after panel
}

// A panel is one score of the batch and of the holdout.
type panel struct {
	title, axis   string
	test, holdout []float64
}

// checkPlot reports a value of --plot that is no name of a figure.
func checkPlot(name string) error {
	if name != "" && !strings.EqualFold(filepath.Ext(name), ".svg") {
		return usage.Errorf("--plot %s: want the name of an .svg file", name)
	}
	return nil
}

const (
	figureWidth  = 9.6 * vg.Inch
	figureHeight = 4.2 * vg.Inch
	bins         = 40 // across a panel, about
)

// draw writes an SVG file.
func (f *scoreFigure) draw(w io.Writer) error {
	return figure.WriteSVG(w, figureWidth, figureHeight, func(all draw.Canvas) {
		top := 0.0
		panels := []*panel{&f.before, &f.after}
		histograms := make([]*histogram, len(panels))
		for i, p := range panels {
			histograms[i] = newHistogram(p, f.outside, f.alpha)
			top = max(top, histograms[i].top())
		}
		const gap, legend, margin = 22, 34, 10
		width := (all.Max.X - all.Min.X - gap - 2*margin) / 2
		for i, p := range panels {
			left := all.Min.X + margin + vg.Length(i)*(width+gap)
			p.plot(histograms[i], f.alpha, top*1.1).Draw(draw.Canvas{Canvas: all.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: left, Y: all.Min.Y + legend},
				Max: vg.Point{X: left + width, Y: all.Max.Y - margin},
			}})
		}
		f.legend(all)
	})
}

// plot lays out one panel, whose vertical axis ends at top.
func (p *panel) plot(h *histogram, alpha, top float64) *plot.Plot {
	q := figure.New(p.title, p.axis, "molecules")
	q.BackgroundColor = nil
	q.X.Padding, q.Y.Padding, q.X.Label.Padding = 2, 2, 3
	q.Add(h)
	if at, ok := decide.Threshold(p.holdout, alpha); ok {
		q.Add(&limit{at, fmt.Sprintf("p = %g", alpha)})
	}
	q.X.Min, q.X.Max, q.Y.Min, q.Y.Max = h.edge(0), h.edge(len(h.holdout)), 0, top
	return q
}

// A histogram draws the batch as stacked bars, inside below outside, and the
// holdout, scaled to the size of the batch, as an outline.
type histogram struct {
	at, width                float64 // where bar number first begins, and how wide each is
	first                    int
	inside, outside, holdout []float64
}

// newHistogram chooses bars so that one begins at the threshold, and so no bar has
// graphs from both sides of it.
func newHistogram(p *panel, outside []bool, alpha float64) *histogram {
	low, high := math.Inf(1), math.Inf(-1)
	for _, side := range [][]float64{p.test, p.holdout} {
		for _, x := range side {
			low, high = min(low, x), max(high, x)
		}
	}
	h := &histogram{at: low - 0.5, width: (high - low) / bins}
	if h.width == 0 {
		h.width = 1
	} else if at, ok := decide.Threshold(p.holdout, alpha); ok {
		h.at, h.first = at, int(math.Ceil((at-low)/h.width+0.5))
	} else {
		h.at = low - h.width/2
	}
	n := h.bin(high) + 2
	h.inside, h.outside, h.holdout = make([]float64, n), make([]float64, n), make([]float64, n)
	for i, x := range p.test {
		if outside[i] {
			h.outside[h.bin(x)]++
		} else {
			h.inside[h.bin(x)]++
		}
	}
	for _, x := range p.holdout {
		h.holdout[h.bin(x)] += float64(len(p.test)) / float64(len(p.holdout))
	}
	return h
}

// bin is the bar of x. It counts from the threshold, so that no rounding takes a score
// to the other side of it.
func (h *histogram) bin(x float64) int { return h.first + int(math.Floor((x-h.at)/h.width)) }

// edge is where bar i begins.
func (h *histogram) edge(i int) float64 { return h.at + float64(i-h.first)*h.width }

func (h *histogram) top() float64 {
	top := 1.0
	for i := range h.holdout {
		top = max(top, h.inside[i]+h.outside[i], h.holdout[i])
	}
	return top
}

// Plot implements [plot.Plotter].
func (h *histogram) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const gap = 0.4
	for i := range h.holdout {
		left, right := x(h.edge(i))+gap, x(h.edge(i+1))-gap
		middle := h.inside[i]
		for _, part := range []struct {
			from, to float64
			colour   color.Color
		}{{0, middle, figure.Inside}, {middle, middle + h.outside[i], figure.Outside}} {
			if part.to > part.from {
				c.FillPolygon(part.colour, []vg.Point{
					{X: left, Y: y(part.from)}, {X: right, Y: y(part.from)}, {X: right, Y: y(part.to)}, {X: left, Y: y(part.to)},
				})
			}
		}
	}
	var line []vg.Point
	for i, n := range h.holdout {
		line = append(line, vg.Point{X: x(h.edge(i)), Y: y(n)}, vg.Point{X: x(h.edge(i + 1)), Y: y(n)})
	}
	if len(h.holdout) > 0 {
		c.StrokeLines(holdoutLine, line)
	}
}

var (
	holdoutLine = draw.LineStyle{Color: figure.Ink, Width: 1.2}
	limitLine   = draw.LineStyle{Color: figure.Ink, Width: 1, Dashes: []vg.Length{4, 3}}
)

// A limit is a vertical line with a label.
type limit struct {
	at    float64
	label string
}

// Plot implements [plot.Plotter].
func (l *limit) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	at := x(l.at)
	c.StrokeLine2(limitLine, at, c.Min.Y, at, c.Max.Y)
	s := figure.Style(9.5, figure.Ink)
	s.YAlign = draw.YTop
	at += 4
	if at > c.Min.X+0.8*(c.Max.X-c.Min.X) {
		s.XAlign = draw.XRight
		at -= 8
	}
	left, width := at, s.Width(l.label)
	if s.XAlign == draw.XRight {
		left -= width
	}
	c.FillPolygon(color.White, []vg.Point{ // over a line of the grid
		{X: left, Y: c.Max.Y - 12}, {X: left + width, Y: c.Max.Y - 12}, {X: left + width, Y: c.Max.Y}, {X: left, Y: c.Max.Y},
	})
	c.FillText(s, vg.Point{X: at, Y: c.Max.Y}, l.label)
}

// legend goes below both panels.
func (f *scoreFigure) legend(c draw.Canvas) {
	s := figure.Style(10.5, figure.Ink)
	s.YAlign = draw.YCenter
	n := 0
	for _, o := range f.outside {
		if o {
			n++
		}
	}
	const box, pad, space = 11, 5, 40 // the font may turn out wider
	entries := []struct {
		colour color.Color // nil for the line of the holdout
		text   string
	}{
		{figure.Inside, fmt.Sprintf("called inside or borderline (%d)", len(f.outside)-n)},
		{figure.Outside, fmt.Sprintf("called outside (%d)", n)},
		{nil, fmt.Sprintf("in-distribution, not trained on (%d, scaled)", len(f.before.holdout))},
	}
	if len(f.before.holdout) == 0 {
		entries = entries[:2]
	}
	width := vg.Length(-space)
	for _, e := range entries {
		width += box + pad + s.Width(e.text) + space
	}
	x, y := (c.Min.X+c.Max.X-width)/2, c.Min.Y+16
	for _, e := range entries {
		if e.colour == nil {
			c.StrokeLine2(holdoutLine, x-2, y, x+box, y)
		} else {
			c.FillPolygon(e.colour, []vg.Point{
				{X: x, Y: y - box/2}, {X: x + box, Y: y - box/2}, {X: x + box, Y: y + box/2}, {X: x, Y: y + box/2},
			})
		}
		x += box + pad
		c.FillText(s, vg.Point{X: x, Y: y}, e.text)
		x += s.Width(e.text) + space
	}
}
