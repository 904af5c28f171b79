// Package figure styles figures of gonum/plot.
package figure

import (
	"encoding/hex"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"baca/algo/chart"
)

var (
	Inside  = colour(chart.Inside)
	Outside = colour(chart.Outside)
	Ink     = colour(chart.Ink)
	Soft    = colour(chart.Soft)
	grid    = colour(chart.Grid)
)

// colour parses a colour of package chart, such as #222.
func colour(css string) color.RGBA {
	digits := css[1:]
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	rgb, err := hex.DecodeString(digits)
	if err != nil {
		panic(err) // a constant
	}
	return color.RGBA{rgb[0], rgb[1], rgb[2], 0xFF}
}

// Everyone can tell lineColours and dashes apart (Okabe and Ito).
var lineColours = []color.RGBA{
	Outside, Inside, {0x00, 0x9E, 0x73, 0xFF}, {0xCC, 0x79, 0xA7, 0xFF}, {0xE6, 0x9F, 0x00, 0xFF}, {0x56, 0xB4, 0xE9, 0xFF}, Ink,
}

var lineDashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {4, 4}, {1, 3}, {10, 3}}

func Style(size vg.Length, c color.Color) text.Style {
	var s text.Style
	restyle(&s, size, c)
	return s
}

// restyle keeps the text's position.
func restyle(s *text.Style, size vg.Length, c color.Color) {
	s.Color, s.Handler = c, plot.DefaultTextHandler
	s.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func New(title, x, y string) *plot.Plot {
	q := plot.New()
	q.Title.Text, q.X.Label.Text, q.Y.Label.Text = title, x, y
	restyle(&q.Title.TextStyle, 13, Ink)
	q.Title.Padding = 8
	for _, a := range []*plot.Axis{&q.X, &q.Y} {
		restyle(&a.Label.TextStyle, 11, Ink)
		restyle(&a.Tick.Label, 9.5, Soft)
		a.LineStyle.Color, a.LineStyle.Width = Soft, 0.6
		a.Tick.LineStyle.Color, a.Tick.LineStyle.Width, a.Tick.Length = Soft, 0.6, 4
		a.Tick.Marker = plot.TickerFunc(ticks)
	}
	restyle(&q.Legend.TextStyle, 9.5, Ink)
	q.Legend.ThumbnailWidth, q.Legend.Padding, q.Legend.XOffs, q.Legend.YOffs = 24, 2, -6, 6
	lines := plotter.NewGrid()
	lines.Vertical.Width = 0
	lines.Horizontal.Color, lines.Horizontal.Width, lines.Horizontal.Dashes = grid, 0.6, nil
	q.Add(lines)
	return q
}

func ticks(low, high float64) []plot.Tick {
	var marks []plot.Tick
	for _, x := range chart.Ticks(low, high, 8) {
		marks = append(marks, plot.Tick{Value: x, Label: chart.Label(x)})
	}
	return marks
}

// A Line of a plot. NaN points are left out.
type Line struct {
	Name string
	X, Y []float64
}

// AddLines adds lines with distinct colours and dashes, and a legend.
func AddLines(q *plot.Plot, lines ...Line) error {
	for k, l := range lines {
		var points plotter.XYs
		for i, y := range l.Y {
			if !math.IsNaN(y) {
				points = append(points, plotter.XY{X: l.X[i], Y: y})
			}
		}
		if len(points) == 0 {
			continue
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		line.Color, line.Width, line.Dashes = lineColours[k%len(lineColours)], 1.6, lineDashes[k%len(lineDashes)]
		q.Add(line)
		q.Legend.Add(l.Name, line)
	}
	return nil
}

// Paint paints on a white canvas.
func Paint(canvas vg.CanvasSizer, paint func(draw.Canvas)) {
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	paint(c)
}

// WriteSVG writes a painting as SVG.
func WriteSVG(w io.Writer, width, height vg.Length, paint func(draw.Canvas)) error {
	canvas := vgsvg.New(width, height)
	Paint(canvas, paint)
	var b strings.Builder
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// Fallbacks of equal width for a missing font.
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), "font-family:Liberation Sans", "font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	return err
}
