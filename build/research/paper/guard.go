package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/build/internal/try"
	"baca/build/internal/usage"
)

// guards are the highest values of decide.Guard that are compared; 1 is no guard.
var guards = [...]float64{0.05, 0.1, 0.15, 0.2, 1}

// growths are the lengths of a list for which the guard reaches 1 that are compared, decide.Guard's among them.
var growths = [...]float64{500, 700, 1000, 2000}

const guardSplits, shortList = 5, 100

// The batches of bench guard: lists of ID molecules, in which each call is a false alarm, and batches with OOD
// molecules, which are to be found.
const (
	oneKind = iota
	halfKind
	fifthOOD
	halfOOD
	shortFifth // of shortList graphs
	shortHalf
	guardBatches
)

func guard() *experiment {
	return &experiment{
		name: "guard", page: "guard.md", read: readAs[guardEntries], measure: chooseGuard,
		short: "Choose the guard of batch verdicts",
		flags: slices.Concat(pairwise, [][2]string{{"pairs", "validation"}, {"reading", readParent}}),
	}
}

// A guardCell is one seed of one pair, or their sum, by batch.
type guardCell [guardBatches]guardCount

// A guardCount is how many graphs there were, and how many of them were called outside by each guard, foreign graphs let pass or not,
// and by each growth, foreign ones let pass.
type guardCount struct {
	Of     int               `json:"of"`
	Called [len(guards)]int  `json:"called"`
	Passed [len(guards)]int  `json:"passed"`
	Grown  [len(growths)]int `json:"grown"`
}

// chooseGuard counts for each pair of molecules what each guard and each growth lets batches call outside.
func chooseGuard(ctx context.Context, b *bench) result {
	b.evaluations = slices.DeleteFunc(b.evaluations, func(e *evaluation) bool { return e.id.schema == algo.Constant })
	if len(b.evaluations) == 0 {
		try.Check(usage.Errorf("--pairs %s: none of them holds molecules", b.pairList))
	}
	p, list := &plan{bench: b}, make(guardEntries, len(b.evaluations))
	eachBatch(p, "guard", (*testBatch).guardCell, func(e *evaluation, c guardCell) {
		entry := &list[slices.Index(b.evaluations, e)]
		entry.Pair = e.pair.name()
		for k := range c {
			entry.Batches[k].add(&c[k])
		}
	})
	p.do(ctx)
	return list
}

// add adds the counts of o to those of g.
func (g *guardCount) add(o *guardCount) {
	g.Of += o.Of
	for k := range guards {
		g.Called[k] += o.Called[k]
		g.Passed[k] += o.Passed[k]
	}
	for k := range growths {
		g.Grown[k] += o.Grown[k]
	}
}

// A guardEntry is an entry of guard.json.
type guardEntry struct {
	Pair    string    `json:"pair"`
	Batches guardCell `json:"batches"` // one kind, half one kind, a fifth OOD, half OOD, both of shortList
}

type guardEntries []guardEntry

// guardCell counts the batches of one seed of a pair, from guardSplits halvings of the held-out graphs.
func (b *testBatch) guardCell(ctx context.Context) (cell guardCell) {
	r := newHeldOut(ctx, b.model, b.of.id.graphs, 1)
	r.ood = b.graphs[b.nID:]
	kinds := kindsOf(r.graphs)
	for k := range uint64(guardSplits) {
		rng, tested, reference := r.halves(k + 1)
		// measure scores a list as a batch of a kind, and counts its graphs from an index on. It leaves out lists that are too short.
		measure := func(gs []*graph.Graph, from, batch int) {
			if len(gs) >= algo.MinBatch {
				cell[batch].count(len(gs), r.batch(ctx, gs, reference, k+1).Rows[from:])
			}
		}
		for _, list := range r.lists(rng, kinds, tested) {
			if list.kind != kindAll {
				measure(pick(r.graphs, pick(tested, list.index)), 0, oneKind)
				measure(pick(r.graphs, pick(tested, halfOf(list.index, len(tested), rng))), 0, halfKind)
			}
		}
		measure(r.mixed(rng, tested, 0.2), len(tested), fifthOOD)
		measure(r.mixed(rng, tested, 0.5), len(tested), halfOOD)
		for short, id := range []int{shortList * 4 / 5, shortList / 2} { // ID graphs of shortFifth and shortHalf
			in := tested[:min(id, len(tested))]
			ood := rng.Perm(len(r.ood))[:min(shortList-id, len(r.ood))]
			measure(slices.Concat(pick(r.graphs, in), pick(r.ood, ood)), len(in), shortFifth+short)
		}
	}
	return cell
}

// halfOf appends to a list as many random other numbers below n, or as many as there are.
func halfOf(list []int, n int, rng *rand.Rand) []int {
	others := slices.DeleteFunc(rng.Perm(n), func(i int) bool { return slices.Contains(list, i) })
	return slices.Concat(list, others[:min(len(list), len(others))])
}

// count adds rows of a batch of so many graphs: their number, and how many of them each guard and growth lets it call outside.
func (g *guardCount) count(graphs int, rows []algo.Row) {
	g.Of += len(rows)
	alpha := algo.DefaultOptions().Alpha
	most := decide.Guard(math.MaxInt, 0)
	for _, row := range rows {
		for k, growth := range growths {
			if row.BatchP <= alpha && row.GuardP() <= max(alpha, min(most, float64(graphs)/growth)) {
				g.Grown[k]++
			}
		}
		for k, most := range guards {
			guard := guardUpTo(most, graphs, alpha)
			if row.BatchP <= alpha && row.AloneP <= guard {
				g.Called[k]++
			}
			if row.BatchP <= alpha && row.GuardP() <= guard {
				g.Passed[k]++
			}
		}
	}
}

// guardUpTo is decide.Guard with another highest value. A highest value of 1 is no guard.
func guardUpTo(most float64, graphs int, alpha float64) float64 {
	if most == 1 {
		return 1
	}
	return max(alpha, min(most, float64(graphs)*decide.Guard(1, 0)))
}

func (l guardEntries) page() *page {
	// over returns the mean over pairs of the share of a batch's graphs that are called outside.
	over := func(batch int, called func(*guardCount) int) float64 {
		return float64(meanOf(l, func(e guardEntry) rate {
			c := &e.Batches[batch]
			return rate(float64(called(c)) / float64(c.Of))
		}))
	}
	called := func(k int) func(*guardCount) int { return func(c *guardCount) int { return c.Called[k] } }
	passed := func(k int) func(*guardCount) int { return func(c *guardCount) int { return c.Passed[k] } }
	grown := func(k int) func(*guardCount) int { return func(c *guardCount) int { return c.Grown[k] } }
	table := func(title, first string, values []float64, count func(k int) func(*guardCount) int) *pageTable {
		columns := []string{first, "one kind", "half one kind", "a fifth OOD", "half", "a fifth of 100", "half of 100"}
		return tabulate(title, columns, indices(len(values)), func(k int) []any {
			row := []any{fmt.Sprint(values[k])}
			for batch := range guardBatches {
				row = append(row, over(batch, count(k)))
			}
			return row
		})
	}
	ours := slices.Index(guards[:], decide.Guard(math.MaxInt, 0))
	return &page{
		title: "The guard of batch verdicts",
		question: fmt.Sprintf(`Which p-value of its own must a graph not exceed, for its batch to call it outside? n/1000 in a batch of n, at least α and at most the
guard; 1 is no guard; foreign graphs pass. At α = %g, in percent, means over %d pairs: what is called outside in lists of one kind of ID molecules, and in lists
of which a half is, all of it false, and OOD graphs found in all held-out ones with OOD graphs, and in lists of %d.`,
			algo.DefaultOptions().Alpha, len(l), shortList),
		tables: []*pageTable{
			table("", "guard", guards[:], passed),
			table("The guard is n by this, at most "+fmt.Sprint(guards[ours]), "n by", growths[:], grown),
		},
		answer: []string{fmt.Sprintf("The program has at most %g, n/%g, and lets foreign graphs pass: it finds %.1f %% where half is OOD, "+
			"instead of %.1f, with %.1f instead of %.1f %% false alarms in lists of one kind.", guards[ours], 1/decide.Guard(1, 0),
			100*over(halfOOD, passed(ours)), 100*over(halfOOD, called(ours)), 100*over(oneKind, passed(ours)), 100*over(oneKind, called(ours)))},
	}
}
