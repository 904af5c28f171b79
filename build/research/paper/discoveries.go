package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/training"
	"baca/build/internal/try"
	"baca/build/internal/version"
	"baca/weights"
)

// discoveryShares are those of OOD graphs in a list, discoveryDraws the lists of each share and split.
var discoveryShares = []float64{0, 0.01, 0.05, 0.2}

const discoveryDraws, discoveryOOD, discoveryFDR = 20, "lipo", 0.1

func discoveries() *experiment {
	return &experiment{
		name: "discoveries", page: "discoveries.md", read: readAs[discoveriesResult], measure: measureDiscoveries,
		short: "Measure false discoveries where few molecules are outside",
		flags: [][2]string{{"sets", "bace,esol,clintox,tox21"}, {"splits", "12"}, {"steps", "300"}},
	}
}

// A discoveryCell is a split: by p-values, of held-out molecules and approximate.
type discoveryCell [2]struct {
	False, Found []rate // by share, means over lists: the false share of what is called, the share of OOD that is
	Kinds        rate   // the share of lists of one kind in which anything is called
}

// A discoveryRow is the mean over splits, with standard errors over splits.
type discoveryRow struct {
	Set        string `json:"set"`
	By         string `json:"p_values"`
	False      []rate `json:"false"` // by share of OOD molecules
	Errors     []rate `json:"false_errors"`
	Found      []rate `json:"found"`
	Kinds      rate   `json:"kinds"`
	KindsError rate   `json:"kinds_error"`
}

type discoveriesResult struct {
	Program string         `json:"program"`
	Splits  int            `json:"splits"`
	Steps   int            `json:"steps"`
	Rows    []discoveryRow `json:"rows"`
}

func measureDiscoveries(ctx context.Context, b *bench) result {
	read, p := &sets{folder: b.data, workers: b.workers, parent: true}, &plan{bench: b}
	out := read.open(ctx, discoveryOOD, "")
	options := dataset.Options{Format: dataset.SMI, Form: molecule.Parent}
	background, _, err := training.ReadBackground(ctx, weights.Background(), options, nil)
	try.Check(err)
	names, cells := strings.Split(b.setList, ","), map[string][]discoveryCell{}
	for split := range uint64(b.splits) {
		for _, name := range names {
			l := read.open(ctx, name, "")
			add(p, runKey{Pair: l.name + "/" + out.name, IDData: l.sha256, OODData: out.sha256}, fmt.Sprintf("split%d", split+1),
				func(ctx context.Context) discoveryCell {
					return b.discoveryCell(ctx, l, out.graphs, background, split+1)
				},
				func(c discoveryCell) { cells[name] = append(cells[name], c) })
		}
	}
	p.do(ctx)
	r := discoveriesResult{Program: version.String(), Splits: b.splits, Steps: b.steps}
	for _, name := range names {
		for k, by := range []string{"held out", "approximate"} {
			r.Rows = append(r.Rows, discoveryRowOf(name, by, k, cells[name]))
		}
	}
	return r
}

// discoveryCell measures one split of a set.
func (b *bench) discoveryCell(ctx context.Context, l *loadedSet, ood, background []*graph.Graph, split uint64) (c discoveryCell) {
	r := newHeldOut(ctx, b.train.part(ctx, l, split, b.steps), l.graphs, 1)
	r.ood, r.oodScores = ood, try.To(r.alone.Scores(ctx, ood))
	_, tested, reference := r.halves(split)
	_, alone := r.withReference(ctx, reference)
	wide, _, err := alone.Approximate(ctx, background)
	try.Check(err)
	lists := r.lists(streamed(split), kindsOf(l.graphs), tested)
	for k, by := range []*algo.SingleScorer{alone, wide} {
		called := func(scores []float64) (list []bool) {
			p, _ := by.Judge(scores, 0.05)
			return mapped(decide.QValues(p), func(q float64) bool { return q <= discoveryFDR })
		}
		for _, share := range discoveryShares {
			rng := streamed(split)
			var wrong, right []rate
			for range discoveryDraws {
				some := pick(r.oodScores, r.outside(rng, share))
				list := called(slices.Concat(pick(r.scores, tested), some))
				isFalse, isTrue := trues(list[:len(tested)]), trues(list[len(tested):])
				wrong = append(wrong, rate(isFalse/max(1, isFalse+isTrue)))
				right = append(right, rate(isTrue/float64(len(some))))
			}
			c[k].False = append(c[k].False, mean(wrong))
			c[k].Found = append(c[k].Found, mean(right))
		}
		var any []rate
		for _, list := range lists {
			if focused(list.kind) {
				any = append(any, rate(min(1, trues(called(pick(r.scores, pick(tested, list.index)))))))
			}
		}
		c[k].Kinds = mean(any)
	}
	return c
}

func trues(list []bool) (n float64) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}

// discoveryRowOf sums up splits.
func discoveryRowOf(set, by string, k int, cells []discoveryCell) discoveryRow {
	row := discoveryRow{Set: set, By: by}
	errorOf := func(of func(discoveryCell) rate) (mean, error rate) {
		mean, deviation := meanStd(mapped(cells, of))
		return mean, deviation / rate(math.Sqrt(float64(len(cells))))
	}
	for s := range discoveryShares {
		mean, error := errorOf(func(c discoveryCell) rate { return c[k].False[s] })
		row.False, row.Errors = append(row.False, mean), append(row.Errors, error)
		row.Found = append(row.Found, meanOf(cells, func(c discoveryCell) rate { return c[k].Found[s] }))
	}
	row.Kinds, row.KindsError = errorOf(func(c discoveryCell) rate { return c[k].Kinds })
	return row
}

func (r discoveriesResult) page() *page {
	return &page{
		title: "What --fdr finds where few molecules are outside",
		question: fmt.Sprintf(`How many of those called outside at --fdr %g are not, and how many outside are found? In %d splits three
quarters of a set train a model, and half of the rest gives p-values to the other half, to which molecules of %s are added, %d times
for each share. Approximate p-values compare with training molecules, too. In percent: the false share of what is called ± its
standard error over splits → molecules of %[3]s found; lists of one kind in which anything is called, always falsely.`,
			discoveryFDR, r.Splits, discoveryOOD, discoveryDraws),
		tables: []*pageTable{tabulate("", strings.Split("set,p-values,none outside,1 %,5 %,20 %,of one kind", ","), r.Rows, func(d discoveryRow) []any {
			cells := []any{d.Set, d.By}
			for s := range discoveryShares {
				text := d.False[s].percent(1) + " ± " + d.Errors[s].percent(1)
				if s > 0 {
					text += " → " + d.Found[s].percent(1)
				}
				cells = append(cells, text)
			}
			return append(cells, d.Kinds.percent(1)+" ± "+d.KindsError.percent(1))
		})},
	}
}
