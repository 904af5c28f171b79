package paper

import (
	"context"
	"fmt"
	"math/rand/v2"

	"baca/algo"
	"baca/build/internal/usage"
)

// guards are the values of algo.Guard that are compared; 1 is none.
var guards = []float64{0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 1}

const (
	guardSplits = 5
	guardShare  = 0.2 // of the OOD graphs in a mixed batch
	guardFound  = 0.9 // of what is found without a guard, to be found with it
)

func guard() *experiment {
	return &experiment{
		name: "guard", pairs: "validation",
		short: "Choose the guard of batch verdicts",
		long: `Guard measures what a batch calls outside for several values of the guard, the p-value
that a graph must not exceed by itself: in lists of one kind of ID molecules, made as
those of bench company, where each is a false alarm, and in batches with 20 % OOD
molecules, where it is a detection. Pairs of plain graphs, which have no kinds, are
left out.`,
		example: "  baca-paper bench guard --data ../shared/data --out out/guard --weights out/encoders --seeds 1",
		measure: chooseGuard,
	}
}

// A guardCell is one seed of one pair: how many graphs were called outside, by guard.
type guardCell struct {
	Inside   int   `json:"inside"` // graphs of the lists of one kind
	Alarms   []int `json:"alarms"`
	Outside  int   `json:"outside"` // OOD graphs of the mixed batches
	Detected []int `json:"detected"`
}

// guardResults are the sums over the seeds of each pair of molecules.
type guardResults struct {
	bench *bench
	pairs []*pair
	sums  []guardCell
}

func (*guardResults) values() any    { return nil }
func (*guardResults) figures() error { return nil }

func chooseGuard(ctx context.Context, b *bench) (results, error) {
	var cells []*guardCell // by pair, then seed
	p, t := &plan{bench: b}, &guardResults{bench: b}
	for _, e := range b.evaluations {
		if e.id.schema == algo.Constant {
			continue
		}
		t.pairs = append(t.pairs, e.pair)
		for _, s := range b.seeds {
			seed := uint64(s)
			cells = append(cells, add(p, e, fmt.Sprintf("seed%d-guard", seed), fmt.Sprintf("guard, seed %d, %v, %d", seed, guards, guardSplits), len(e.id.graphs),
				func(ctx context.Context) (*guardCell, error) { return e.guardCell(ctx, seed) }))
		}
	}
	if len(t.pairs) == 0 {
		return nil, usage.Errorf("--pairs %s: none of them holds molecules", b.pairList)
	}
	if err := p.do(ctx, b.name); err != nil {
		return nil, err
	}
	t.sums = make([]guardCell, len(t.pairs))
	for i, c := range cells {
		t.sums[i/len(b.seeds)].add(*c)
	}
	return t, nil
}

func (g *guardCell) add(o guardCell) {
	if g.Alarms == nil {
		g.Alarms, g.Detected = make([]int, len(guards)), make([]int, len(guards))
	}
	g.Inside, g.Outside = g.Inside+o.Inside, g.Outside+o.Outside
	for k := range guards {
		g.Alarms[k] += o.Alarms[k]
		g.Detected[k] += o.Detected[k]
	}
}

// guardCell measures one seed of a pair.
func (e *evaluation) guardCell(ctx context.Context, seed uint64) (*guardCell, error) {
	t, err := e.prepare(ctx, seed, "first")
	if err != nil {
		return nil, err
	}
	r, err := newHeldOut(ctx, t.model, e.id.graphs, 1)
	if err != nil {
		return nil, err
	}
	r.ood = t.graphs[t.nID:]
	cell := &guardCell{Alarms: make([]int, len(guards)), Detected: make([]int, len(guards))}
	kinds := kindsOf(r.graphs)
	for k := range uint64(guardSplits) {
		rng, tested, reference := r.halves(k + 1)
		for _, list := range r.lists(rng, kinds, tested) {
			if list.kind == kindAll || len(list.index) < algo.MinBatch {
				continue
			}
			report, err := r.batch(ctx, pick(r.graphs, pick(tested, list.index)), reference, k+1)
			if err != nil {
				return nil, err
			}
			cell.Inside += len(list.index)
			count(cell.Alarms, report.Rows)
		}
		if err := cell.addMixed(ctx, r, rng, tested, reference, k+1); err != nil {
			return nil, err
		}
	}
	return cell, nil
}

// addMixed measures a batch with OOD graphs.
func (g *guardCell) addMixed(ctx context.Context, r *heldOut, rng *rand.Rand, tested, reference []int, seed uint64) error {
	gs := r.mixed(rng, tested, guardShare)
	if len(gs) < algo.MinBatch {
		return nil
	}
	report, err := r.batch(ctx, gs, reference, seed)
	if err != nil {
		return err
	}
	g.Outside += len(gs) - len(tested)
	count(g.Detected, report.Rows[len(tested):])
	return nil
}

// count adds the rows that each guard lets a batch call outside.
func count(calls []int, rows []algo.Row) {
	for _, row := range rows {
		for k, g := range guards {
			if row.BatchP <= algo.DefaultOptions().Alpha && row.AloneP <= g {
				calls[k]++
			}
		}
	}
}

func (t *guardResults) report() *markdown {
	m := t.bench.heading("The guard of batch verdicts")
	m.text(`What a batch calls outside at α = %g for several guards g, if the graph's own p is at most g, in percent; 1 is
no guard. Lists are of one kind of ID molecules (bench company), so all is false there; mixed batches have %.0f %% OOD.

`, algo.DefaultOptions().Alpha, 100*guardShare)
	head := []string{"ID / OOD"}
	for _, g := range guards {
		head = append(head, fmt.Sprintf("g = %g", g))
	}
	table := func(title string, of func(guardCell) ([]int, int)) (means []float64) {
		m.text("## %s\n\n", title)
		table := m.tableOf(head...)
		means = make([]float64, len(guards))
		for i, p := range t.pairs {
			calls, n := of(t.sums[i])
			fields := []field{words("%s", p.name())}
			for k := range guards {
				share := float64(calls[k]) / float64(n)
				means[k] += share / float64(len(t.pairs))
				fields = append(fields, field{fmt.Sprintf("%.1f", 100*share), share})
			}
			table.row(fields...)
		}
		table.mean()
		return means
	}
	table("False alarms in lists of one kind", func(c guardCell) ([]int, int) { return c.Alarms, c.Inside })
	found := table("OOD found in mixed batches", func(c guardCell) ([]int, int) { return c.Detected, c.Outside })
	chosen, last := 1.0, len(guards)-1
	for k := last; k >= 0; k-- {
		if found[k] >= guardFound*found[last] {
			chosen = guards[k]
		}
	}
	m.text("A guard bounds the false alarms in the worst company, so the smallest is best that still finds %.0f %% of what is found\nwithout one: %g. The program has %g.\n", 100*guardFound, chosen, algo.Guard)
	return m
}
