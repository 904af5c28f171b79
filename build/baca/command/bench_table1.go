package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/metric"
	"baca/build/internal/replace"
)

// The contamination sweep: shares of OOD graphs, in the number of ID graphs, and how
// many random thinnings of each.
var thinShares = []float64{0, 0.02, 0.05, 0.2, 0.5, 1}

const thinDraws = 8

func newBenchTable1() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "table1 --data DIR --out DIR",
		Short: "AUROC of every score on the paper's ten pairs, and under contamination",
		Long: `Table1 measures every column on every pair by both protocols of eval, with the
first OOD graphs and with a random draw of them, thins the OOD graphs of each batch to
a share of the ID graphs, and scores each graph alone. It writes table1.json,
report.md and figures.

--quick with cached encoders takes seconds, and under three minutes without.`,
		Example: `  baca bench table1 --data ../shared/data --out out/table1
  baca bench table1 --data ../shared/data --out out/validation --pairs validation --seeds 1,2`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.table1(c) },
	}
	f.register(c, "paper")
	return c
}

// A fixedCell is one seed of one pair with one way of taking OOD graphs.
type fixedCell struct {
	Seed     uint64     `json:"seed"`
	NID      int        `json:"n_id"`
	NOOD     int        `json:"n_ood"`
	Columns  []measured `json:"columns"`
	Known    int        `json:"known_ood"` // OOD graphs that equal a graph trained on
	Warnings []string   `json:"warnings,omitempty"`

	// For figures: S_Pre and the default score, ID graphs first.
	Before []float64 `json:"before"`
	After  []float64 `json:"after"`
}

// A thinCell is the contamination sweep of one seed of one pair.
type thinCell struct {
	Seed   uint64        `json:"seed"`
	Points []thinMeasure `json:"points"`
}

// A thinMeasure is one column on one thinned batch.
type thinMeasure struct {
	Column string  `json:"column"`
	Share  float64 `json:"share"`
	Draw   int     `json:"draw"`
	NOOD   int     `json:"n_ood"`
	AUROC  rate    `json:"auroc"`
	// Alarms is the share of ID graphs that were called outside when the rate
	// Asked was asked for, see falseAlarms.
	Alarms rate `json:"alarms"`
	Asked  rate `json:"asked"`
}

// A gridCell is what the grid protocol picked for a column of one pair.
type gridCell struct {
	Column string       `json:"column"`
	Choice *gridChoice  `json:"choice"`
	Seeds  []seedResult `json:"seeds"`
}

func (f *benchFlags) table1(c *cobra.Command) error {
	pairs, err := f.begin(c)
	if err != nil {
		return err
	}
	ctx, stderr := c.Context(), c.ErrOrStderr()
	t, err := f.measureTable1(ctx, stderr, pairs)
	if err != nil {
		return err
	}
	if err := replace.File(filepath.Join(f.out, "table1.json"), func(w io.Writer) error { return writeJSON(w, t.json()) }); err != nil {
		return err
	}
	if err := replace.File(filepath.Join(f.out, "report.md"), t.report); err != nil {
		return err
	}
	if err := t.figures(); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "wrote table1.json, report.md and figures to %s\n", f.out)
	return nil
}

// A table1 is everything that was measured.
type table1 struct {
	flags *benchFlags
	pairs []*pairResult
}

type pairResult struct {
	pair  *benchPair
	fixed map[string][]*fixedCell // by way of taking OOD graphs, then seed
	thin  []*thinCell
	grid  map[string]*gridCell // by column
	files []*cellFile
}

// measureTable1 does the cells, the first seed of all pairs first.
func (f *benchFlags) measureTable1(ctx context.Context, stderr io.Writer, pairs []*benchPair) (*table1, error) {
	var cells []*cell
	var fill []func(*cellFile) error
	t := &table1{flags: f}
	for _, pair := range pairs {
		t.pairs = append(t.pairs, &pairResult{pair: pair, fixed: map[string][]*fixedCell{}, grid: map[string]*gridCell{}})
	}
	add := func(r *pairResult, name, part string, graphs int64, run func(context.Context) (any, error), into any, done func()) {
		cells = append(cells, &cell{name: r.pair.file() + "/" + name, weight: graphs, key: f.key(r.pair, part), run: run})
		fill = append(fill, func(file *cellFile) error {
			r.files = append(r.files, file)
			if err := json.Unmarshal(file.Result, into); err != nil {
				return fmt.Errorf("cell %s/%s: %w", r.pair.file(), name, err)
			}
			done()
			return nil
		})
	}
	for _, s := range f.seeds {
		seed := uint64(s)
		for _, r := range t.pairs {
			e, err := f.eval(ctx, r.pair)
			if err != nil {
				return nil, err
			}
			_, test := dataset.Split(len(e.id.Graphs), seed)
			for _, ood := range []string{"first", "random"} {
				into := &fixedCell{}
				add(r, fmt.Sprintf("seed%d-%s", seed, ood), fmt.Sprintf("fixed, seed %d, %s", seed, ood), int64(12*len(test)),
					func(ctx context.Context) (any, error) { return f.fixedCell(ctx, r.pair, seed, ood) },
					into, func() { r.fixed[ood] = append(r.fixed[ood], into) })
			}
			into := &thinCell{}
			add(r, fmt.Sprintf("seed%d-thin", seed), fmt.Sprintf("thin, seed %d, %v, %d", seed, thinShares, thinDraws), int64(150*len(test)),
				func(ctx context.Context) (any, error) { return f.thinCell(ctx, r.pair, seed) },
				into, func() { r.thin = append(r.thin, into) })
		}
	}
	for _, r := range t.pairs {
		e, err := f.eval(ctx, r.pair)
		if err != nil {
			return nil, err
		}
		for _, column := range gridColumns {
			runs := gridRuns(column)
			into := &gridCell{}
			add(r, "grid-"+column, fmt.Sprintf("grid, seeds %v, %s", f.seeds, column), int64(len(f.seeds)*runs*len(e.id.Graphs)/5),
				func(ctx context.Context) (any, error) { return f.gridCell(ctx, r.pair, column) },
				into, func() { r.grid[column] = into })
		}
	}
	files, err := f.runCells(ctx, stderr, "table 1", cells)
	if err != nil {
		return nil, err
	}
	for i, file := range files {
		if err := fill[i](file); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// prepare returns the model of a seed and its test batch, ready for scoring.
func (f *benchFlags) prepare(ctx context.Context, pair *benchPair, seed uint64, ood string) (*evalFlags, *testBatch, error) {
	e, err := f.eval(ctx, pair)
	if err != nil {
		return nil, nil, err
	}
	if ood == "random" {
		e.order = dataset.Random
	}
	m, err := e.model(ctx, io.Discard, seed)
	if err != nil {
		return nil, nil, err
	}
	b, err := e.batch(m, seed)
	if err != nil {
		return nil, nil, err
	}
	f.sets.encode(b.graphs)
	b.alone, err = algo.NewAlone(ctx, b.model, 1)
	return e, b, err
}

func (f *benchFlags) fixedCell(ctx context.Context, pair *benchPair, seed uint64, ood string) (*fixedCell, error) {
	e, b, err := f.prepare(ctx, pair, seed, ood)
	if err != nil {
		return nil, err
	}
	if n := len(b.graphs); n < algo.MinBatch {
		return nil, fmt.Errorf("%d graphs are tested, which are no batch: want at least %d, as from two sets of 100", n, algo.MinBatch)
	}
	cell := &fixedCell{Seed: seed, NID: b.nID, NOOD: len(b.graphs) - b.nID, Warnings: b.warnings}
	cell.Columns = e.statistics(b)
	l, err := e.alone(ctx, b)
	if err != nil {
		return nil, err
	}
	for _, column := range aloneColumns {
		cell.Columns = append(cell.Columns, measureColumn(column, l.scores[column], b.ood, l.seconds[column], column == columnAlone, seed))
	}
	cell.After = l.scores[columnAlone]
	cell.Columns = append(cell.Columns, measureColumn(columnDefault, cell.After, b.ood, l.seconds[columnAlone], true, seed))
	lg, err := b.graphScore(ctx)
	if err != nil {
		return nil, err
	}
	cell.Columns = append(cell.Columns, measureColumn(columnGraph, lg, b.ood, math.NaN(), false, 0))
	for _, column := range batchColumns {
		out, err := b.score(ctx, columnOptions(column, seed), column)
		if err != nil {
			return nil, err
		}
		cell.Columns = append(cell.Columns, measureColumn(column, out.scores, b.ood, out.seconds, true, seed))
		switch column {
		case columnPre:
			cell.Before = out.scores
		case columnAttention:
			cell.Warnings = append(cell.Warnings, out.warnings...)
		case columnBatch:
			cell.addNew(b, columnBatch, out.scores)
		}
	}
	cell.addNew(b, columnAlone, cell.After)
	return cell, nil
}

// newOnly names a column measured without the OOD graphs that equal a graph trained on,
// which no score can know to be outside.
func newOnly(column string) string { return column + ", new graphs" }

// addNew measures a column on the same scores without such graphs.
func (c *fixedCell) addNew(b *testBatch, column string, scores []float64) {
	var index []int
	for i := range b.graphs {
		if !b.ood[i] || !b.alone.Duplicate(b.graphs[i]) {
			index = append(index, i)
		}
	}
	c.Known = len(b.graphs) - len(index)
	ood := make([]bool, len(index))
	for k, i := range index {
		ood[k] = b.ood[i]
	}
	c.Columns = append(c.Columns, measureColumn(newOnly(column), pickScores(scores, index), ood, math.NaN(), false, 0))
}

func (f *benchFlags) thinCell(ctx context.Context, pair *benchPair, seed uint64) (*thinCell, error) {
	e, b, err := f.prepare(ctx, pair, seed, "first")
	if err != nil {
		return nil, err
	}
	l, err := e.alone(ctx, b)
	if err != nil {
		return nil, err
	}
	cell := &thinCell{Seed: seed}
	none := rate(math.NaN())
	for _, share := range thinShares {
		for draw := range thinDraws {
			drawSeed := seed<<16 | uint64(draw)
			index, err := b.thinned(share, drawSeed)
			if err != nil {
				return nil, err
			}
			t := b.pick(index)
			nOOD := len(index) - b.nID
			// All of the OOD graphs can be drawn in one way only.
			measure := nOOD > 0 && (draw == 0 || len(index) < len(b.graphs))
			for _, column := range aloneColumns {
				point := thinMeasure{Column: column, Share: share, Draw: draw, NOOD: nOOD, AUROC: none}
				if measure {
					point.AUROC = rate(metric.AUROC(pickScores(l.scores[column], index), t.ood))
				}
				a := b.falseAlarmsAlone(l.scores[column], drawSeed)
				point.Alarms, point.Asked = rate(a.rate), rate(a.asked)
				cell.Points = append(cell.Points, point)
			}
			var out *outcome
			if measure {
				if out, err = t.score(ctx, allOptions(seed), columnBatch); err != nil {
					return nil, err
				}
			}
			alarms, err := b.falseAlarms(ctx, share, drawSeed)
			if err != nil {
				return nil, err
			}
			for _, column := range batchColumns {
				point := thinMeasure{Column: column, Share: share, Draw: draw, NOOD: nOOD, AUROC: none}
				if measure {
					point.AUROC = rate(metric.AUROC(columnScores(column, out.rows), t.ood))
				}
				a := alarms[column]
				point.Alarms, point.Asked = rate(a.rate), rate(a.asked)
				cell.Points = append(cell.Points, point)
			}
		}
	}
	return cell, nil
}

// gridCell searches the settings of a column of a pair.
func (f *benchFlags) gridCell(ctx context.Context, pair *benchPair, column string) (*gridCell, error) {
	var batches []*testBatch
	for _, seed := range f.seeds {
		_, b, err := f.prepare(ctx, pair, uint64(seed), "first")
		if err != nil {
			return nil, err
		}
		batches = append(batches, b)
	}
	score := func(o algo.Options) ([]*outcome, error) {
		var all []*outcome
		for _, b := range batches {
			o.Seed = b.seed
			out, err := b.score(ctx, o, column)
			if err != nil {
				return nil, err
			}
			all = append(all, out)
		}
		return all, nil
	}
	best, choice, err := gridSearch(columnOptions(column, 0), column, batches, score)
	if err != nil {
		return nil, err
	}
	cell := &gridCell{Column: column, Choice: choice}
	for i, b := range batches {
		cell.Seeds = append(cell.Seeds, b.measure(best[i]))
	}
	return cell, nil
}

// A tableCell is an entry of table1.json.
type tableCell struct {
	Pair      string      `json:"pair"`
	Protocol  string      `json:"protocol"`
	Column    string      `json:"column"`
	OOD       string      `json:"ood"`
	Choice    *gridChoice `json:"choice,omitempty"`
	Seeds     []tableSeed `json:"seeds"`
	AUROCMean rate        `json:"auroc_mean"`
	AUROCStd  rate        `json:"auroc_std"`
}

type tableSeed struct {
	Seed    uint64 `json:"seed"`
	AUROC   rate   `json:"auroc"`
	Low     *rate  `json:"auroc_low,omitempty"`
	High    *rate  `json:"auroc_high,omitempty"`
	AUPR    rate   `json:"aupr"`
	FPR95   rate   `json:"fpr95"`
	FPR95ID *rate  `json:"fpr95_id,omitempty"`
	Seconds rate   `json:"seconds"`
}

// json is the content of table1.json.
func (t *table1) json() []tableCell {
	var list []tableCell
	for _, r := range t.pairs {
		for _, ood := range []string{"first", "random"} {
			cells := r.fixed[ood]
			for k, column := range cells[0].Columns {
				c := tableCell{Pair: r.pair.name(), Protocol: "fixed", Column: column.Column, OOD: ood}
				for _, cell := range cells {
					m := cell.Columns[k]
					s := tableSeed{Seed: cell.Seed, AUROC: m.AUROC, AUPR: m.AUPR, FPR95: m.FPR95, FPR95ID: &m.FPR95ID, Seconds: m.Seconds}
					if !math.IsNaN(float64(m.Low)) {
						s.Low, s.High = &m.Low, &m.High
					}
					c.Seeds = append(c.Seeds, s)
				}
				list = append(list, c.summarized())
			}
		}
		for _, column := range gridColumns {
			g := r.grid[column]
			c := tableCell{Pair: r.pair.name(), Protocol: "grid", Column: column, OOD: "first", Choice: g.Choice}
			for _, s := range g.Seeds {
				c.Seeds = append(c.Seeds, tableSeed{Seed: s.Seed, AUROC: s.AUROC, AUPR: s.AUPR, FPR95: s.FPR95, Seconds: s.Seconds})
			}
			list = append(list, c.summarized())
		}
	}
	return list
}

func (c tableCell) summarized() tableCell {
	var values []float64
	for _, s := range c.Seeds {
		values = append(values, float64(s.AUROC))
	}
	mean, std := metric.MeanStd(values)
	c.AUROCMean, c.AUROCStd = rate(mean), rate(std)
	return c
}
