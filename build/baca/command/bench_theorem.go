package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/spf13/cobra"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/metric"
	"baca/build/internal/replace"
	"baca/build/internal/version"
)

// The graphons of real graphs on which Theorem 1 is checked. Their cut norms are
// exact.
const (
	theoremSteps = 12
	theoremPairs = 100
)

func newBenchTheorem() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "theorem --data DIR --out DIR",
		Short: "Check Theorem 1 on graphons of real graphs, and draw the graphons",
		Long: fmt.Sprintf(`Theorem checks, on pairs of graphs of each subgroup of a test batch, how far a mixup
moves the density of four motifs, against the bound of Theorem 1 with the number of
edges as a factor and against the bound as printed. The graphons have %d steps, so
that cut norms are exact. It also draws the mean graphon of both subgroups at the
size that the method uses, and mixtures of two of their graphs.`, theoremSteps),
		Example: "  baca bench theorem --data ../shared/data --out out/theorem --seeds 1",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.theorem(c) },
	}
	f.register(c, "paper")
	return c
}

// A theoremCell is one seed of one pair.
type theoremCell struct {
	Seed    uint64         `json:"seed"`
	Motifs  []theoremMotif `json:"motifs"`
	Figures []heatmap      `json:"figures"`
}

// A theoremMotif counts mixtures.
type theoremMotif struct {
	Motif    string `json:"motif"`
	Mixtures int    `json:"mixtures"` // whose two graphons differ
	Above    int    `json:"above"`    // moved by more than the bound with e(F)
	Printed  int    `json:"printed"`  // moved by more than the bound as printed
	Largest  rate   `json:"largest"`  // moved, in parts of the bound with e(F)
}

// A heatmap is a graphon to draw.
type heatmap struct {
	Title string    `json:"title"`
	N     int       `json:"n"`
	W     []float64 `json:"w"`
}

func (f *benchFlags) theorem(c *cobra.Command) error {
	pairs, err := f.begin(c)
	if err != nil {
		return err
	}
	ctx, stderr := c.Context(), c.ErrOrStderr()
	var cells []*cell
	var of []*benchPair
	for _, s := range f.seeds {
		seed := uint64(s)
		for _, pair := range pairs {
			cells = append(cells, &cell{
				name: fmt.Sprintf("%s/seed%d-theorem", pair.file(), seed), weight: 2 * theoremPairs,
				key: f.key(pair, fmt.Sprintf("theorem, seed %d", seed)),
				run: func(ctx context.Context) (any, error) { return f.theoremCell(ctx, pair, seed) },
			})
			of = append(of, pair)
		}
	}
	files, err := f.runCells(ctx, stderr, "theorem", cells)
	if err != nil {
		return err
	}
	type entry struct {
		Pair string `json:"pair"`
		theoremCell
	}
	var all []entry
	for i, file := range files {
		e := entry{Pair: of[i].name()}
		if err := json.Unmarshal(file.Result, &e.theoremCell); err != nil {
			return fmt.Errorf("cell %s: %w", cells[i].name, err)
		}
		if e.Seed == uint64(f.seeds[0]) {
			if err := f.heatmaps(of[i], e.Figures); err != nil {
				return err
			}
		}
		e.Figures = nil
		all = append(all, e)
	}
	if err := replace.File(filepath.Join(f.out, "theorem.json"), func(w io.Writer) error { return writeJSON(w, all) }); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Theorem 1 on real graphs

`+"`%s`"+`, baca %s, on %s.

Pairs of graphs of one subgroup of a test batch, aligned to %d steps, mixed with a random λ. "Above" are
mixtures that move the density of the motif by more than (1 − λ)·e(F)·‖W_G − W_H‖_□, "printed" those that
move it by more than the bound without e(F). Largest is the largest move in parts of the first bound.

`, f.commandLine("theorem"), version.String(), machine(), theoremSteps)
	newMarkdown(&b, "ID / OOD", "seed", "motif", "mixtures", "above", "printed", "largest")
	for _, e := range all {
		for _, m := range e.Motifs {
			fmt.Fprintf(&b, "| %s | %d | %s | %d | %d | %d | %.2f |\n", e.Pair, e.Seed, m.Motif, m.Mixtures, m.Above, m.Printed, float64(m.Largest))
		}
	}
	err = replace.File(filepath.Join(f.out, "report.md"), func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "wrote theorem.json, report.md and figures to %s\n", f.out)
	return nil
}

// subgroups parts a batch by S_Pre as the attention does.
func (b *testBatch) subgroups(ctx context.Context) (inside, outside []*graph.Graph, err error) {
	o := columnOptions(columnPre, b.seed)
	out, err := b.score(ctx, o, columnPre)
	if err != nil {
		return nil, nil, err
	}
	low, high := metric.Percentile(out.scores, o.Attention.Low), metric.Percentile(out.scores, o.Attention.High)
	for i, s := range out.scores {
		switch {
		case s <= low:
			inside = append(inside, b.graphs[i])
		case s >= high:
			outside = append(outside, b.graphs[i])
		}
	}
	return inside, outside, nil
}

func (f *benchFlags) theoremCell(ctx context.Context, pair *benchPair, seed uint64) (*theoremCell, error) {
	_, b, err := f.prepare(ctx, pair, seed, "first")
	if err != nil {
		return nil, err
	}
	inside, outside, err := b.subgroups(ctx)
	if err != nil {
		return nil, err
	}
	cell := &theoremCell{Seed: seed}
	for _, m := range graphon.Motifs {
		cell.Motifs = append(cell.Motifs, theoremMotif{Motif: m.String()})
	}
	rng := rand.New(rand.NewPCG(seed, theoremStream))
	theta := algo.DefaultOptions().Attention.Theta
	var usvt graphon.USVT
	estimate := func(g *graph.Graph, steps int) *graphon.Graphon {
		w := graphon.Align(g, steps)
		usvt.Threshold(w, theta)
		return w
	}
	for _, side := range []struct {
		name   string
		graphs []*graph.Graph
	}{{"ID side", inside}, {"OOD side", outside}} {
		if len(side.graphs) < 2 {
			continue // nothing to mix
		}
		for range theoremPairs {
			i, j := rng.IntN(len(side.graphs)), rng.IntN(len(side.graphs))
			g, h := estimate(side.graphs[i], theoremSteps), estimate(side.graphs[j], theoremSteps)
			lambda := 0.01 + 0.99*rng.Float64()
			norm, _ := graphon.CutNorm(g, h, seed)
			if norm < 1e-9 {
				continue
			}
			mix := graphon.Mix(lambda, g, h)
			for k, motif := range graphon.Motifs {
				m := &cell.Motifs[k]
				moved, printed := math.Abs(mix.Density(motif)-g.Density(motif)), (1-lambda)*norm
				bound := printed * float64(motif.Edges())
				m.Mixtures++
				if moved > bound+1e-12 {
					m.Above++
				}
				if moved > printed+1e-12 {
					m.Printed++
				}
				m.Largest = max(m.Largest, rate(moved/bound))
			}
		}
		sizes := make([]int, len(side.graphs))
		for i, g := range side.graphs {
			sizes[i] = g.N()
		}
		steps := graphon.MedianSize(sizes, graphon.DefaultSizeLimit)
		mean := graphon.New(steps)
		for _, g := range side.graphs {
			for k, x := range graphon.Align(g, steps).W {
				mean.W[k] += x / float64(len(side.graphs))
			}
		}
		g, h := estimate(side.graphs[0], steps), estimate(side.graphs[len(side.graphs)-1], steps)
		cell.Figures = append(cell.Figures,
			heatmap{side.name + ", mean", steps, mean.W},
			heatmap{"one graph, G", steps, g.W}, heatmap{"another, H", steps, h.W},
			heatmap{"mixup, ½ G + ½ H", steps, graphon.Mix(0.5, g, h).W})
	}
	return cell, nil
}

// theoremStream is the second half of the seed of the pairs and of λ.
const theoremStream = 0xba1a_1004

// heatmaps draws graphons, a row for each side.
func (f *benchFlags) heatmaps(pair *benchPair, list []heatmap) error {
	const perRow, cell = 4, 2.2 * vg.Inch
	rows := (len(list) + perRow - 1) / perRow
	if rows == 0 {
		return nil
	}
	return f.saveChart("graphons-"+pair.file(), perRow*cell, vg.Length(rows)*cell+20, func(c draw.Canvas) {
		title := style(13, inkColour)
		title.XAlign, title.YAlign = draw.XCenter, draw.YTop
		c.FillText(title, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y - 4}, pair.name())
		for k, h := range list {
			x := c.Min.X + vg.Length(k%perRow)*cell
			y := c.Max.Y - 20 - vg.Length(k/perRow+1)*cell
			h.paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x + 10, Y: y + 6}, Max: vg.Point{X: x + cell - 10, Y: y + cell - 22},
			}})
			label := style(10, inkColour)
			label.XAlign, label.YAlign = draw.XCenter, draw.YTop
			c.FillText(label, vg.Point{X: x + cell/2, Y: y + cell - 6}, h.Title)
		}
	})
}

// paint draws the graphon as a square, its first step at the top left, darker where
// an edge is more likely.
func (h heatmap) paint(c draw.Canvas) {
	side := min(c.Max.X-c.Min.X, c.Max.Y-c.Min.Y)
	step := side / vg.Length(max(h.N, 1))
	for i := range h.N {
		for j := range h.N {
			v := math.Sqrt(max(0, min(1, h.W[i*h.N+j]))) // sparse graphons are nearly white else
			if v < 1.0/255 {
				continue
			}
			shade := func(ink uint8) uint8 { return uint8(255 - v*float64(255-ink)) }
			c.FillPolygon(color.RGBA{shade(insideColour.R), shade(insideColour.G), shade(insideColour.B), 255}, square(c.Min.X+vg.Length(j)*step, c.Min.Y+side-vg.Length(i+1)*step, step))
		}
	}
	outline := square(c.Min.X, c.Min.Y, side)
	c.StrokeLines(draw.LineStyle{Color: softColour, Width: 0.6}, append(outline, outline[0]))
}

func square(x, y, side vg.Length) []vg.Point {
	return []vg.Point{{X: x, Y: y}, {X: x + side, Y: y}, {X: x + side, Y: y + side}, {X: x, Y: y + side}}
}
