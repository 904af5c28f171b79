package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/graph"
	"baca/build/internal/replace"
	"baca/build/internal/version"
)

// guards are the values of algo.Guard that are compared; 1 is none.
var guards = []float64{0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 1}

const (
	guardSplits = 5
	guardShare  = 0.2 // of the OOD graphs in a mixed batch
	guardFound  = 0.9 // of what is found without a guard, to be found with it
)

func newBenchGuard() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "guard --data DIR --out DIR",
		Short: "Choose the guard of batch verdicts",
		Long: `Guard measures what a batch calls outside for several values of the guard, the p-value
that a graph must not exceed by itself: in lists of one kind of ID molecules, made as
those of bench company, where each is a false alarm, and in batches with 20 % OOD
molecules, where it is a detection. Pairs of plain graphs, which have no kinds, are
left out.`,
		Example: "  baca bench guard --data ../shared/data --out out/guard --weights out/encoders --seeds 1",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.guard(c) },
	}
	f.register(c, "validation")
	return c
}

// A guardCell is one seed of one pair: how many graphs were called outside, by guard.
type guardCell struct {
	Inside   int   `json:"inside"` // graphs of the lists of one kind
	Alarms   []int `json:"alarms"`
	Outside  int   `json:"outside"` // OOD graphs of the mixed batches
	Detected []int `json:"detected"`
}

func (f *benchFlags) guard(c *cobra.Command) error {
	pairs, err := f.begin(c)
	if err != nil {
		return err
	}
	ctx := c.Context()
	var molecules []*benchPair
	var cells []*cell
	for _, pair := range pairs {
		e, err := f.eval(ctx, pair)
		if err != nil {
			return err
		}
		if e.idSchema == algo.Constant {
			continue
		}
		molecules = append(molecules, pair)
		for _, s := range f.seeds {
			seed := uint64(s)
			cells = append(cells, &cell{
				name: fmt.Sprintf("%s/seed%d-guard", pair.file(), seed), weight: int64(len(e.id.Graphs)),
				key: f.key(pair, fmt.Sprintf("guard, seed %d, %v, %d", seed, guards, guardSplits)),
				run: func(ctx context.Context) (any, error) { return f.guardCell(ctx, pair, seed) },
			})
		}
	}
	if len(molecules) == 0 {
		return usagef("--pairs %s: none of them holds molecules", f.pairs)
	}
	files, err := f.runCells(ctx, c.ErrOrStderr(), "guard", cells)
	if err != nil {
		return err
	}
	sums := make([]guardCell, len(molecules))
	for i, file := range files {
		var g guardCell
		if err := json.Unmarshal(file.Result, &g); err != nil {
			return fmt.Errorf("cell %s: %w", cells[i].name, err)
		}
		sums[i/len(f.seeds)].add(g)
	}
	return replace.File(filepath.Join(f.out, "guard.md"), func(w io.Writer) error {
		_, err := w.Write(f.guardReport(molecules, sums))
		return err
	})
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

func (f *benchFlags) guardCell(ctx context.Context, pair *benchPair, seed uint64) (*guardCell, error) {
	e, t, err := f.prepare(ctx, pair, seed, "first")
	if err != nil {
		return nil, err
	}
	b, err := newDecisionBench(ctx, t.model, e.id.Graphs, 1)
	if err != nil {
		return nil, err
	}
	b.ood = t.graphs[t.nID:]
	cell := &guardCell{Alarms: make([]int, len(guards)), Detected: make([]int, len(guards))}
	kinds := companyKinds(b.held)
	for k := range uint64(guardSplits) {
		rng, tested, held := b.halves(k + 1)
		for _, list := range companyLists(rng, b, kinds, tested) {
			if list.kind == companyAll || len(list.index) < algo.MinBatch {
				continue
			}
			var gs []*graph.Graph
			for _, i := range list.index {
				gs = append(gs, b.held[tested[i]])
			}
			r, err := b.batch(ctx, gs, held, k+1)
			if err != nil {
				return nil, err
			}
			cell.Inside += len(gs)
			count(cell.Alarms, r.Rows)
		}
		var gs []*graph.Graph
		for _, i := range tested {
			gs = append(gs, b.held[i])
		}
		for _, i := range b.outside(rng, guardShare) {
			gs = append(gs, b.ood[i])
		}
		if len(gs) < algo.MinBatch {
			continue
		}
		r, err := b.batch(ctx, gs, held, k+1)
		if err != nil {
			return nil, err
		}
		cell.Outside += len(gs) - len(tested)
		count(cell.Detected, r.Rows[len(tested):])
	}
	return cell, nil
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

func (f *benchFlags) guardReport(pairs []*benchPair, cells []guardCell) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The guard of batch verdicts\n\n`%s`, baca %s, on %s.\n\n", f.commandLine("guard"), version.String(), machine())
	fmt.Fprintf(&b, `What a batch calls outside at α = %g for several guards g, if the graph's own p is at most g, in percent; 1 is
no guard. Lists are of one kind of ID molecules (bench company), so all is false there; mixed batches have %.0f %% OOD.

`, algo.DefaultOptions().Alpha, 100*guardShare)
	head := []string{"ID / OOD"}
	for _, g := range guards {
		head = append(head, fmt.Sprintf("g = %g", g))
	}
	table := func(title string, of func(guardCell) ([]int, int)) (means []float64) {
		fmt.Fprintf(&b, "## %s\n\n", title)
		m := newMarkdown(&b, head...)
		means = make([]float64, len(guards))
		for i, pair := range pairs {
			calls, n := of(cells[i])
			fields, numbers := []string{pair.name()}, []float64{math.NaN()}
			for k := range guards {
				share := float64(calls[k]) / float64(n)
				means[k] += share / float64(len(pairs))
				fields, numbers = append(fields, fmt.Sprintf("%.1f", 100*share)), append(numbers, share)
			}
			m.row(fields, numbers)
		}
		m.mean()
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
	fmt.Fprintf(&b, "A guard bounds the false alarms in the worst company, so the smallest is best that still finds %.0f %% of what is found\nwithout one: %g. The program has %g.\n", 100*guardFound, chosen, algo.Guard)
	return b.Bytes()
}
