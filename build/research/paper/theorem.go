package paper

import (
	"context"
	"fmt"
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
		short: "Check Theorem 1 on graphons of real graphs",
		long: fmt.Sprintf(`Theorem checks, on pairs of graphs of each subgroup of a test batch, how far a mixup
moves the density of four motifs, against the bound of Theorem 1 with the number of
edges as a factor and against the bound as printed. The graphons have %d steps, so
that cut norms are exact.`, theoremSteps),
		example: "  baca-paper bench theorem --data ../shared/data --out out/theorem --seeds 1",
		flags:   slices.Concat(pairwise, [][2]string{{"pairs", "paper"}}),
	}
}

// A theoremMotif counts mixtures.
type theoremMotif struct {
	Motif    string `json:"motif"`
	Mixtures int    `json:"mixtures"` // whose two graphons differ
	Above    int    `json:"above"`    // moved by more than the bound with e(F)
	Printed  int    `json:"printed"`  // moved by more than the bound as printed
	Largest  rate   `json:"largest"`  // moved, in parts of the bound with e(F)
}

// A theoremEntry is one seed of one pair.
type theoremEntry struct {
	Pair   string         `json:"pair"`
	Seed   uint64         `json:"seed"`
	Motifs []theoremMotif `json:"motifs"`
}

type theoremEntries []theoremEntry

func checkTheorem(ctx context.Context, b *bench) result {
	p, all := &plan{bench: b}, theoremEntries(nil)
	eachBatch(p, "theorem", (*testBatch).theoremCell, func(_ *evaluation, e *theoremEntry) { all = append(all, *e) })
	p.do(ctx)
	return all
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
		tables: []*pageTable{tabulate("", []string{"motif", "mixtures", "above", "printed", "largest"}, sums,
			func(m theoremMotif) []any {
				return []any{m.Motif, m.Mixtures, m.Above, m.Printed, decimals(float64(m.Largest), 2)}
			})},
		answer: []string{fmt.Sprintf("With the number of edges as a factor the bound is broken %d times, as printed %d times.", above, printed)},
	}
}

// subgroups parts a batch by S_Pre as the attention does.
func (b *testBatch) subgroups(ctx context.Context) (inside, outside []*graph.Graph) {
	o := columnOptions(columnPre, b.seed)
	out := b.score(ctx, o, columnPre)
	low, high := metric.Percentile(out.scores, o.Attention.Low), metric.Percentile(out.scores, o.Attention.High)
	for i, s := range out.scores {
		switch {
		case s <= low:
			inside = append(inside, b.graphs[i])
		case s >= high:
			outside = append(outside, b.graphs[i])
		}
	}
	return inside, outside
}

// theoremCell mixes pairs of graphs of each subgroup of a batch.
func (b *testBatch) theoremCell(ctx context.Context) *theoremEntry {
	inside, outside := b.subgroups(ctx)
	entry := &theoremEntry{Pair: b.of.pair.name(), Seed: b.seed}
	for _, m := range graphon.Motifs() {
		entry.Motifs = append(entry.Motifs, theoremMotif{Motif: m.String()})
	}
	rng := rand.New(rand.NewPCG(b.seed, theoremStream))
	var usvt graphon.USVT
	estimate := func(g *graph.Graph) *graphon.Graphon {
		w := graphon.Align(g, theoremSteps)
		usvt.Threshold(w, algo.DefaultOptions().Attention.Theta)
		return w
	}
	for _, gs := range [][]*graph.Graph{inside, outside} {
		for range theoremPairs {
			if len(gs) < 2 {
				break // nothing to mix
			}
			i, j := rng.IntN(len(gs)), rng.IntN(len(gs))
			entry.addMixture(estimate(gs[i]), estimate(gs[j]), 0.01+0.99*rng.Float64())
		}
	}
	return entry
}

// addMixture compares how far a mixture moves the densities of motifs with both bounds.
func (c *theoremEntry) addMixture(g, h *graphon.Graphon, lambda float64) {
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
