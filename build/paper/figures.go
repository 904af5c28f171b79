package paper

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"baca/algo/chart"
	"baca/build/internal/replace"
)

// draw writes a figure into the results folder.
func (b *bench) draw(name string, write func(io.Writer) error) error {
	path := filepath.Join(b.out, "figures", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return replace.File(path, write)
}

// drawChart writes a chart as a file of its own.
func (b *bench) drawChart(name string, c *chart.Chart) error {
	text := strings.Replace(c.SVG(), `<svg class="chart"`, `<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12"`, 1)
	return b.draw(name+".svg", func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// A line of a chart. Points whose y is NaN are left out.
type line struct {
	name string
	x, y []float64
}

// Everyone can tell lineColours and lineDashes apart (Okabe and Ito).
var (
	lineColours = []string{chart.Outside, chart.Inside, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", chart.Ink}
	lineDashes  = []string{"", "6 3", "2 2", "8 2 2 2", "4 4", "1 3", "10 3"}
)

// drawLines draws lines over each other, with a legend in the right quarter.
func (b *bench) drawLines(name, title, xAxis, yAxis string, lines ...line) error {
	xLow, xHigh, yLow, yHigh := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for i, y := range l.y {
			if !math.IsNaN(y) {
				xLow, xHigh, yLow, yHigh = min(xLow, l.x[i]), max(xHigh, l.x[i]), min(yLow, y), max(yHigh, y)
			}
		}
	}
	if xLow > xHigh {
		return nil // no point
	}
	c := &chart.Chart{
		Title: html.EscapeString(title), XAxis: html.EscapeString(xAxis), YAxis: html.EscapeString(yAxis),
		Low: xLow, High: xHigh + cmp.Or(xHigh-xLow, 1)/3, Bottom: yLow, Top: yHigh + cmp.Or(yHigh-yLow, 1)/50,
	}
	for k, l := range lines {
		style := fmt.Sprintf(`stroke="%s" stroke-width="1.6" stroke-dasharray="%s"`, lineColours[k%len(lineColours)], lineDashes[k%len(lineDashes)])
		letter := "M"
		c.Add(`<path fill="none" %s d="`, style)
		for i, y := range l.y {
			if !math.IsNaN(y) {
				c.Add("%s%.1f %.1f", letter, c.X(l.x[i]), c.Y(y))
				letter = "L"
			}
		}
		x, y := c.X(xLow+0.78*(c.High-xLow)), 24+16*float64(k)
		c.Add(`"/><path %s d="M%.1f %.1fh22"/><text x="%.1f" y="%.1f">%s</text>`, style, x, y, x+28, y+4, html.EscapeString(l.name))
	}
	return b.drawChart(name, c)
}
