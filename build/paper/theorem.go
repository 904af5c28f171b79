package paper

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/metric"
)

// The graphons of real graphs on which Theorem 1 is checked. Their cut norms are
// exact.
const (
	theoremSteps = 12
	theoremPairs = 100
)

// theoremStream is the second half of the seed of the pairs and of λ.
const theoremStream = 0xba1a_1004

func theorem() *experiment {
	return &experiment{
		name: "theorem", read: readAs[theoremEntries], measure: checkTheorem,
		short: "Check Theorem 1 on graphons of real graphs, and draw the graphons",
		long: fmt.Sprintf(`Theorem checks, on pairs of graphs of each subgroup of a test batch, how far a mixup
moves the density of four motifs, against the bound of Theorem 1 with the number of
edges as a factor and against the bound as printed. The graphons have %d steps, so
that cut norms are exact. It also draws the mean graphon of both subgroups at the
size that the method uses, and mixtures of two of their graphs.`, theoremSteps),
		example: "  baca-paper bench theorem --data ../shared/data --out out/theorem --seeds 1",
		flags:   slices.Concat(pairwise, [][2]string{{"pairs", "paper"}}),
	}
}

// A theoremCell is one seed of one pair.
type theoremCell struct {
	Seed    uint64         `json:"seed"`
	Motifs  []theoremMotif `json:"motifs"`
	Figures []heatmap      `json:"figures"` // null in theorem.json
}

// A theoremMotif counts mixtures.
type theoremMotif struct {
	Motif    string `json:"motif"`
	Mixtures int    `json:"mixtures"` // whose two graphons differ
	Above    int    `json:"above"`    // moved by more than the bound with e(F)
	Printed  int    `json:"printed"`  // moved by more than the bound as printed
	Largest  rate   `json:"largest"`  // moved, in parts of the bound with e(F)
}

// A heatmap is a graphon to draw: of each side the mean, one graph, another, and a mixture of these two.
type heatmap struct {
	N int       `json:"n"`
	W []float64 `json:"w"`
}

// A theoremEntry is an entry of theorem.json.
type theoremEntry struct {
	Pair string `json:"pair"`
	theoremCell
}

type theoremEntries []theoremEntry

func checkTheorem(ctx context.Context, b *bench) (result, error) {
	p := &plan{bench: b}
	var all theoremEntries
	drawn := map[*pair][]heatmap{} // of the first seed
	for _, seed := range b.seeds {
		for _, e := range b.evaluations {
			addTo(p, e, fmt.Sprintf("seed%d-theorem", seed), fmt.Sprintf("theorem, seed %d", seed), 2*theoremPairs,
				func(ctx context.Context) (*theoremCell, error) { return e.theoremCell(ctx, seed) },
				func(c *theoremCell) {
					if drawn[e.pair] == nil {
						drawn[e.pair] = c.Figures
					}
					c.Figures = nil
					all = append(all, theoremEntry{e.pair.name(), *c})
				})
		}
	}
	b.figures = func() error {
		for p, list := range drawn {
			if err := b.drawGraphons(p, list); err != nil {
				return err
			}
		}
		return nil
	}
	return all, p.do(ctx)
}

func (l theoremEntries) page() *page {
	var sums []theoremMotif
	above, printed := 0, 0
	for _, e := range l {
		for _, m := range e.Motifs {
			k := slices.IndexFunc(sums, func(s theoremMotif) bool { return s.Motif == m.Motif })
			if k < 0 {
				k, sums = len(sums), append(sums, theoremMotif{Motif: m.Motif})
			}
			s := &sums[k]
			s.Mixtures, s.Above, s.Printed, s.Largest = s.Mixtures+m.Mixtures, s.Above+m.Above, s.Printed+m.Printed, max(s.Largest, m.Largest)
			above, printed = above+m.Above, printed+m.Printed
		}
	}
	return &page{
		title: "Theorem 1 on real graphs",
		question: fmt.Sprintf(`Does mixup move densities of motifs by no more than Theorem 1 says? Pairs of graphs of one subgroup of a test batch, aligned to %d steps, are mixed with a random λ:
%d batches. "Above" moved the density by more than (1 − λ)·e(F)·‖W_G − W_H‖_□, "printed" by more than the bound as printed, without e(F). Largest is the largest move
in parts of the first bound.`, theoremSteps, len(l)),
		tables: []*pageTable{tabulate("", sums,
			column[theoremMotif]{"motif", func(m theoremMotif) any { return m.Motif }},
			column[theoremMotif]{"mixtures", func(m theoremMotif) any { return m.Mixtures }},
			column[theoremMotif]{"above", func(m theoremMotif) any { return m.Above }},
			column[theoremMotif]{"printed", func(m theoremMotif) any { return m.Printed }},
			column[theoremMotif]{"largest", func(m theoremMotif) any { return decimals(float64(m.Largest), 2) }})},
		answer: []string{fmt.Sprintf("With the number of edges as a factor the bound is broken %d times, as printed %d times.", above, printed)},
	}
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

// theoremCell checks one seed of a pair.
func (e *evaluation) theoremCell(ctx context.Context, seed uint64) (*theoremCell, error) {
	b, err := e.prepare(ctx, seed, "first")
	if err != nil {
		return nil, err
	}
	inside, outside, err := b.subgroups(ctx)
	if err != nil {
		return nil, err
	}
	cell := &theoremCell{Seed: seed}
	for _, m := range graphon.Motifs() {
		cell.Motifs = append(cell.Motifs, theoremMotif{Motif: m.String()})
	}
	rng := rand.New(rand.NewPCG(seed, theoremStream))
	cell.addSide(rng, "ID side", inside)
	cell.addSide(rng, "OOD side", outside)
	return cell, nil
}

// addSide mixes pairs of graphs of a subgroup, and draws its graphons.
func (c *theoremCell) addSide(rng *rand.Rand, name string, gs []*graph.Graph) {
	if len(gs) < 2 {
		return // nothing to mix
	}
	theta := algo.DefaultOptions().Attention.Theta
	var usvt graphon.USVT
	estimate := func(g *graph.Graph, steps int) *graphon.Graphon {
		w := graphon.Align(g, steps)
		usvt.Threshold(w, theta)
		return w
	}
	for range theoremPairs {
		i, j := rng.IntN(len(gs)), rng.IntN(len(gs))
		c.addMixture(estimate(gs[i], theoremSteps), estimate(gs[j], theoremSteps), 0.01+0.99*rng.Float64())
	}
	steps := graphon.Steps(gs)
	mean := graphon.New(steps)
	for _, g := range gs {
		for k, x := range graphon.Align(g, steps).W {
			mean.W[k] += x / float64(len(gs))
		}
	}
	g, h := estimate(gs[0], steps), estimate(gs[len(gs)-1], steps)
	c.Figures = append(c.Figures,
		heatmap{steps, mean.W}, heatmap{steps, g.W}, heatmap{steps, h.W}, heatmap{steps, graphon.Mix(0.5, g, h).W})
}

// addMixture compares how far a mixture moves the densities of motifs with both bounds.
func (c *theoremCell) addMixture(g, h *graphon.Graphon, lambda float64) {
	norm := graphon.CutNorm(g, h)
	if norm < 1e-9 {
		return
	}
	mix := graphon.Mix(lambda, g, h)
	for k, motif := range graphon.Motifs() {
		m := &c.Motifs[k]
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

// drawGraphons draws graphons as squares, darker where an edge is more likely: a row for each side, as in the
// paper's figure of mixtures.
func (b *bench) drawGraphons(p *pair, list []heatmap) error {
	const perRow, side, gap = 4, 240, 10
	rows := (len(list) + perRow - 1) / perRow
	if rows == 0 {
		return nil
	}
	picture := image.NewGray(image.Rect(0, 0, perRow*(side+gap)+gap, rows*(side+gap)+gap))
	draw.Draw(picture, picture.Bounds(), image.White, image.Point{}, draw.Src)
	for k, h := range list {
		left, top := gap+k%perRow*(side+gap), gap+k/perRow*(side+gap)
		for y := range side {
			for x := range side {
				w := h.W[y*h.N/side*h.N+x*h.N/side]
				shade := math.Sqrt(max(0, min(1, w))) // sparse graphons are nearly white else
				picture.SetGray(left+x, top+y, color.Gray{Y: uint8(245 * (1 - shade))})
			}
		}
	}
	return b.draw("graphons-"+p.file()+".png", func(w io.Writer) error { return png.Encode(w, picture) })
}
