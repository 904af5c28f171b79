package paper

import (
	"context"
	"fmt"
	"slices"

	"baca/algo"
	"baca/algo/graph"
	"baca/build/internal/try"
	"baca/build/internal/usage"
)

// guards are the values of algo.Guard that are compared; 1 is none.
var guards = [...]float64{0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 1}

const (
	guardSplits = 5
	guardShare  = 0.2 // of the OOD graphs in a mixed batch
	guardFound  = 0.9 // of what is found without a guard, to be found with it
)

func guard() *experiment {
	return &experiment{
		name: "guard", page: "guard.md", read: readAs[guardEntries], measure: chooseGuard,
		short: "Choose the guard of batch verdicts",
		long: `Guard measures what a batch calls outside for several values of the guard, the p-value
that a graph must not exceed by itself: in lists of one kind of ID molecules, made as
those of bench company, where each is a false alarm, and in batches with 20 % OOD
molecules, where it is a detection. Pairs of plain graphs, which have no kinds, are
left out.`,
		example: "  baca-paper bench guard --data ../shared/data --out out/guard --weights out/encoders --seeds 1",
		flags:   slices.Concat(pairwise, [][2]string{{"pairs", "validation"}}),
	}
}

// A guardCell is one seed of one pair: how many graphs were called outside, by guard.
type guardCell struct {
	Inside   int              `json:"inside"` // graphs of the lists of one kind
	Alarms   [len(guards)]int `json:"alarms"`
	Outside  int              `json:"outside"` // OOD graphs of the mixed batches
	Detected [len(guards)]int `json:"detected"`
}

func chooseGuard(ctx context.Context, b *bench) result {
	b.evaluations = slices.DeleteFunc(b.evaluations, func(e *evaluation) bool { return e.id.schema == algo.Constant })
	if len(b.evaluations) == 0 {
		try.Check(usage.Errorf("--pairs %s: none of them holds molecules", b.pairList))
	}
	p, sums := &plan{bench: b}, map[*evaluation]*guardCell{}
	for _, e := range b.evaluations {
		sums[e] = new(guardCell)
	}
	eachBatch(p, "guard", (*testBatch).guardCell, func(e *evaluation, c *guardCell) { sums[e].add(*c) })
	p.do(ctx)
	return guardEntries(mapped(b.evaluations, func(e *evaluation) guardEntry { return sums[e].entry(e.pair.name()) }))
}

// A guardEntry is an entry of guard.json: the shares that are called outside, by guard.
type guardEntry struct {
	Pair     string `json:"pair"`
	Alarms   []rate `json:"alarms"`
	Detected []rate `json:"detected"`
}

func (g *guardCell) entry(pair string) guardEntry {
	share := func(of int) func(int) rate {
		return func(n int) rate { return rate(float64(n) / float64(of)) }
	}
	return guardEntry{pair, mapped(g.Alarms[:], share(g.Inside)), mapped(g.Detected[:], share(g.Outside))}
}

type guardEntries []guardEntry

func (g *guardCell) add(o guardCell) {
	g.Inside, g.Outside = g.Inside+o.Inside, g.Outside+o.Outside
	for k := range guards {
		g.Alarms[k] += o.Alarms[k]
		g.Detected[k] += o.Detected[k]
	}
}

// guardCell measures one seed of a pair.
func (b *testBatch) guardCell(ctx context.Context) *guardCell {
	r := newHeldOut(ctx, b.model, b.of.id.graphs, 1)
	r.ood = b.graphs[b.nID:]
	cell := new(guardCell)
	kinds := kindsOf(r.graphs)
	for k := range uint64(guardSplits) {
		rng, tested, reference := r.halves(k + 1)
		// measure counts the graphs of a batch from an index on, and how many of them are called outside.
		measure := func(gs []*graph.Graph, from int, total *int, calls *[len(guards)]int) {
			if len(gs) >= algo.MinBatch {
				*total += len(gs) - from
				count(calls, r.batch(ctx, gs, reference, k+1).Rows[from:])
			}
		}
		for _, list := range r.lists(rng, kinds, tested) {
			if list.kind != kindAll {
				measure(pick(r.graphs, pick(tested, list.index)), 0, &cell.Inside, &cell.Alarms)
			}
		}
		measure(r.mixed(rng, tested, guardShare), len(tested), &cell.Outside, &cell.Detected)
	}
	return cell
}

// count adds the rows that each guard lets a batch call outside.
func count(calls *[len(guards)]int, rows []algo.Row) {
	for _, row := range rows {
		for k, g := range guards {
			if row.BatchP <= algo.DefaultOptions().Alpha && row.AloneP <= g {
				calls[k]++
			}
		}
	}
}

func (l guardEntries) page() *page {
	over := func(k int, of func(guardEntry) []rate) float64 {
		return float64(meanOf(l, func(e guardEntry) rate { return of(e)[k] }))
	}
	alarms, found := func(e guardEntry) []rate { return e.Alarms }, func(e guardEntry) []rate { return e.Detected }
	chosen, last := 0, len(guards)-1
	for over(chosen, found) < guardFound*over(last, found) {
		chosen++
	}
	today := slices.Index(guards[:], algo.Guard)
	return &page{
		title: "The guard of batch verdicts",
		question: fmt.Sprintf(`Which p-value of its own must a graph not exceed, for its batch to call it outside? A guard of 1 is none. At α
= %g, in percent, means over %d pairs: what is called outside in lists of one kind of ID molecules, all of it false, and OOD graphs
found in batches with %.0f %% of them.`, algo.DefaultOptions().Alpha, len(l), 100*guardShare),
		tables: []*pageTable{tabulate("", []string{"guard", "false alarms", "found"}, indices(len(guards)),
			func(k int) []any { return []any{fmt.Sprint(guards[k]), over(k, alarms), over(k, found)} })},
		answer: []string{fmt.Sprintf("The smallest guard that finds %.0f %% of what is found without one is %g. "+
			"The program has %g: %.1f instead of %.1f %% of OOD graphs\nare found, and %.1f instead of %.1f %% are false alarms.",
			100*guardFound, guards[chosen], algo.Guard, 100*over(today, found), 100*over(chosen, found), 100*over(today, alarms), 100*over(chosen, alarms))},
	}
}
