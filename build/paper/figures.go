package paper

import (
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"baca/build/internal/figure"
	"baca/build/internal/replace"
)

const (
	chartWidth  = 6 * vg.Inch
	chartHeight = 4 * vg.Inch
	legendWidth = 1.75 * vg.Inch
	titleHeight = 0.4 * vg.Inch
)

// draw writes a figure into the results folder.
func (b *bench) draw(name string, write func(io.Writer) error) error {
	path := filepath.Join(b.out, "figures", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return replace.File(path, write)
}

// drawPlots writes plots beside each other.
func (b *bench) drawPlots(name string, plots ...*plot.Plot) error {
	width := chartWidth * vg.Length(len(plots))
	return b.draw(name+".svg", func(w io.Writer) error {
		return figure.WriteSVG(w, width, chartHeight, func(c draw.Canvas) {
			paintBeside(c, plots)
		})
	})
}

// drawWithLegend writes plots of the same lines side by side with one legend at the right, clear of
// lines and with room for wider fonts.
func (b *bench) drawWithLegend(name string, plots ...*plot.Plot) error {
	legend := plots[0].Legend
	legend.Left, legend.Top, legend.XOffs, legend.YOffs = true, true, 0, 0
	for _, q := range plots {
		q.Legend = plot.NewLegend()
	}
	width := chartWidth*vg.Length(len(plots)) + legendWidth
	return b.draw(name+".svg", func(w io.Writer) error {
		return figure.WriteSVG(w, width, chartHeight, func(c draw.Canvas) {
			paintBeside(draw.Crop(c, 0, -legendWidth, 0, 0), plots)
			legend.Draw(draw.Crop(c, width-legendWidth, 0, 0, -titleHeight))
		})
	})
}

// paintBeside paints plots beside each other.
func paintBeside(c draw.Canvas, plots []*plot.Plot) {
	for k, q := range plots {
		left, right := chartWidth*vg.Length(k), chartWidth*vg.Length(len(plots)-1-k)
		q.Draw(draw.Crop(c, left+8, -right-12, 8, -8))
	}
}

// chart writes a plot of lines.
func (b *bench) chart(name string, q *plot.Plot, lines ...figure.Line) error {
	if err := figure.AddLines(q, lines...); err != nil {
		return err
	}
	return b.drawPlots(name, q)
}

// legendAtTop puts the legend into a corner and extends the axis to x.
func legendAtTop(q *plot.Plot, x float64) {
	q.Legend.Top, q.X.Max = true, x
}
