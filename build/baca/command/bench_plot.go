package command

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"baca/build/internal/replace"
)

// lineColours can be told apart by everyone (Okabe and Ito), as can the dashes.
var lineColours = []color.RGBA{
	outsideColour, insideColour, {0x00, 0x9E, 0x73, 0xFF}, {0xCC, 0x79, 0xA7, 0xFF}, {0xE6, 0x9F, 0x00, 0xFF}, {0x56, 0xB4, 0xE9, 0xFF}, inkColour,
}

var lineDashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {4, 4}, {1, 3}, {10, 3}}

const (
	chartWidth  = 6 * vg.Inch
	chartHeight = 4 * vg.Inch
)

// newChart returns an empty plot in the style of all figures.
func newChart(title, x, y string) *plot.Plot {
	q := plot.New()
	q.Title.Text = title
	q.Title.TextStyle = style(13, inkColour)
	q.Title.TextStyle.XAlign, q.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	q.Title.Padding = 8
	for _, a := range []*plot.Axis{&q.X, &q.Y} {
		align := a.Label.TextStyle
		a.Label.TextStyle = style(11, inkColour)
		a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign, a.Label.TextStyle.Rotation = align.XAlign, align.YAlign, align.Rotation
		align = a.Tick.Label
		a.Tick.Label = style(9.5, softColour)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = align.XAlign, align.YAlign
		a.LineStyle.Color, a.LineStyle.Width = softColour, 0.6
		a.Tick.LineStyle.Color, a.Tick.LineStyle.Width, a.Tick.Length = softColour, 0.6, 4
		a.Tick.Marker = plot.TickerFunc(ticks)
	}
	q.X.Label.Text, q.Y.Label.Text = x, y
	align := q.Legend.TextStyle
	q.Legend.TextStyle = style(9.5, inkColour)
	q.Legend.TextStyle.XAlign, q.Legend.TextStyle.YAlign = align.XAlign, align.YAlign
	q.Legend.ThumbnailWidth, q.Legend.Padding, q.Legend.XOffs, q.Legend.YOffs = 24, 2, -6, 6
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color, grid.Horizontal.Width, grid.Horizontal.Dashes = gridColour, 0.6, nil
	q.Add(grid)
	return q
}

// A series is one line of a chart. NaN points are left out.
type series struct {
	name string
	x, y []float64
}

// addLines adds lines, each with its own colour and dashes, and a legend.
func addLines(q *plot.Plot, list []series) error {
	for k, s := range list {
		var points plotter.XYs
		for i := range s.x {
			if !math.IsNaN(s.y[i]) {
				points = append(points, plotter.XY{X: s.x[i], Y: s.y[i]})
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
		q.Legend.Add(s.name, line)
	}
	return nil
}

// saveChart writes a figure as SVG and PNG, below the folder of results.
func (f *benchFlags) saveChart(name string, width, height vg.Length, paint func(draw.Canvas)) error {
	path := filepath.Join(f.out, "figures", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	svg := vgsvg.New(width, height)
	png := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(150))}
	for _, canvas := range []vg.CanvasSizer{svg, png} {
		c := draw.New(canvas)
		c.SetColor(color.White)
		c.Fill(c.Rectangle.Path())
		paint(c)
	}
	var text strings.Builder
	if _, err := svg.WriteTo(&text); err != nil {
		return err
	}
	err := replace.File(path+".svg", func(w io.Writer) error {
		_, err := io.WriteString(w, portableFont(text.String()))
		return err
	})
	if err != nil {
		return err
	}
	return replace.File(path+".png", func(w io.Writer) error {
		_, err := png.WriteTo(w)
		return err
	})
}

// chart writes one plot.
func (f *benchFlags) chart(name string, q *plot.Plot) error {
	return f.saveChart(name, chartWidth, chartHeight, func(c draw.Canvas) { q.Draw(draw.Crop(c, 8, -12, 8, -8)) })
}

// figures draws table 1: the scores of the first seed before and after calibration,
// and the contamination sweep of each pair.
func (t *table1) figures() error {
	for _, r := range t.pairs {
		cell := r.fixed["first"][0]
		panels := []struct {
			title, axis string
			scores      []float64
		}{{"before: S_Pre", "S_Pre", cell.Before}, {"after: default", "score", cell.After}}
		var plots []*plot.Plot
		for _, p := range panels {
			q, err := distributions(r.pair.name()+", "+p.title, p.axis, p.scores[:cell.NID], p.scores[cell.NID:])
			if err != nil {
				return err
			}
			plots = append(plots, q)
		}
		err := t.flags.saveChart("scores-"+r.pair.file(), 2*chartWidth, chartHeight, func(c draw.Canvas) {
			half := (c.Max.X - c.Min.X) / 2
			plots[0].Draw(draw.Crop(c, 8, -half-12, 8, -8))
			plots[1].Draw(draw.Crop(c, half+8, -12, 8, -8))
		})
		if err != nil {
			return err
		}
		q := newChart(r.pair.name()+" under contamination", "OOD graphs, % of the number of ID graphs", "AUROC, %")
		var list []series
		for _, column := range []string{columnAlone, columnBatch, columnPre, columnAttention, columnNearest, columnPrint1} {
			s := series{name: column}
			for k, share := range thinShares[1:] {
				auroc, _, _ := r.contaminated(column, share)
				if !math.IsNaN(auroc) { // else the batches were too small
					s.x, s.y = append(s.x, float64(k)), append(s.y, 100*auroc)
				}
			}
			if len(s.x) > 0 {
				list = append(list, s)
			}
		}
		if err := addLines(q, list); err != nil {
			return err
		}
		q.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
			var marks []plot.Tick
			for k, share := range thinShares[1:] {
				marks = append(marks, plot.Tick{Value: float64(k), Label: fmt.Sprintf("%g", 100*share)})
			}
			return marks
		})
		q.X.Max = float64(len(thinShares)-2) * 1.35 // room for the legend
		q.Legend.Top = true
		if err := t.flags.chart("contamination-"+r.pair.file(), q); err != nil {
			return err
		}
	}
	return nil
}

// distributions draws two histograms over each other, as shares of their graphs.
func distributions(title, axis string, id, ood []float64) (*plot.Plot, error) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, side := range [][]float64{id, ood} {
		for _, x := range side {
			low, high = min(low, x), max(high, x)
		}
	}
	if !(high > low) {
		high = low + 1
	}
	const bars = 30
	q := newChart(title, axis, "share of graphs, %")
	var list []series
	for _, side := range []struct {
		name   string
		scores []float64
	}{{"OOD", ood}, {"ID", id}} {
		count := make([]float64, bars)
		for _, x := range side.scores {
			count[min(bars-1, int(bars*(x-low)/(high-low)))] += 100 / float64(len(side.scores))
		}
		s := series{name: side.name, x: []float64{low}, y: []float64{0}}
		for k, c := range count {
			from, to := low+(high-low)*float64(k)/bars, low+(high-low)*float64(k+1)/bars
			s.x, s.y = append(s.x, from, to), append(s.y, c, c)
		}
		s.x, s.y = append(s.x, high), append(s.y, 0)
		list = append(list, s)
	}
	q.Legend.Top = true
	return q, addLines(q, list)
}
