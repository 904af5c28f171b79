package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/metric"
)

// The contamination sweep: shares of OOD graphs, in the number of ID graphs, and how
// many random thinnings of each.
var thinShares = []float64{0, 0.02, 0.05, 0.2, 0.5, 1}

const thinDraws = 8

func tableOne() *experiment {
	return &experiment{
		name: "table1", pairs: "paper", readings: []string{readOGB, readParent},
		short: "AUROC of every score on the paper's ten pairs, and under contamination",
		long: `Table1 measures every column on every pair by both protocols of eval, with the
first OOD graphs and with a random draw of them, thins the OOD graphs of each batch to
a share of the ID graphs, and scores each graph alone. Molecules are read as OGB does;
alone and batch are measured on their parents, too. It writes table1.json, report.md and
figures.

--quick with cached encoders takes seconds, and under three minutes without.`,
		example: `  baca-paper bench table1 --data ../shared/data --out out/table1
  baca-paper bench table1 --data ../shared/data --out out/validation --pairs validation --seeds 1,2`,
		measure: measureTable1,
	}
}

// A fixedCell is one seed of one pair with one way of taking OOD graphs.
type fixedCell struct {
	Seed     uint64     `json:"seed"`
	NID      int        `json:"n_id"`
	NOOD     int        `json:"n_ood"`
	Columns  []measured `json:"columns"`
	Known    int        `json:"known_ood"` // OOD graphs that equal a graph trained on
	Warnings []string   `json:"warnings,omitempty"`

	// For figures: S_Pre, S_BaCa and the default score, ID graphs first.
	Before []float64 `json:"before"`
	BaCa   []float64 `json:"baca"`
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

// A table1 is everything that was measured.
type table1 struct {
	bench *bench
	pairs []*pairResult
}

type pairResult struct {
	pair  *pair
	fixed map[string][]*fixedCell // by way of taking OOD graphs or readParent, then seed
	thin  []*thinCell
	grid  map[string]*gridCell // by column
	cells []*cell              // all of them
}

// measureTable1 does the cells, the first seed of all pairs first.
func measureTable1(ctx context.Context, b *bench) (results, error) {
	p, t := &plan{bench: b}, &table1{bench: b}
	of := map[*pair]*pairResult{}
	for _, e := range b.evaluations {
		if e.reading() == readOGB {
			of[e.pair] = &pairResult{pair: e.pair, fixed: map[string][]*fixedCell{}, grid: map[string]*gridCell{}}
			t.pairs = append(t.pairs, of[e.pair])
		}
	}
	for _, s := range b.seeds {
		seed := uint64(s)
		for _, e := range b.evaluations {
			r := of[e.pair]
			if e.reading() == readParent {
				r.fixed[readParent] = append(r.fixed[readParent], add(p, e, fmt.Sprintf("seed%d-first", seed), fmt.Sprintf("fixed, seed %d, first", seed), 2*len(e.id.graphs)/10,
					func(ctx context.Context) (*fixedCell, error) { return e.parentCell(ctx, seed) }))
				continue
			}
			_, test := dataset.Split(len(e.id.graphs), seed)
			for _, ood := range []string{"first", "random"} {
				r.fixed[ood] = append(r.fixed[ood], add(p, e, fmt.Sprintf("seed%d-%s", seed, ood), fmt.Sprintf("fixed, seed %d, %s", seed, ood), 12*len(test),
					func(ctx context.Context) (*fixedCell, error) { return e.fixedCell(ctx, seed, ood) }))
			}
			r.thin = append(r.thin, add(p, e, fmt.Sprintf("seed%d-thin", seed), fmt.Sprintf("thin, seed %d, %v, %d", seed, thinShares, thinDraws), 150*len(test),
				func(ctx context.Context) (*thinCell, error) { return e.thinCell(ctx, seed) }))
		}
	}
	for _, e := range b.evaluations {
		if e.reading() == readParent {
			continue
		}
		for _, column := range gridColumns {
			weight := len(b.seeds) * gridRuns(column) * len(e.id.graphs) / 5
			of[e.pair].grid[column] = add(p, e, "grid-"+column, fmt.Sprintf("grid, seeds %v, %s", b.seeds, column), weight,
				func(ctx context.Context) (*gridCell, error) { return e.gridCell(ctx, b.seeds, column) })
		}
	}
	if err := p.do(ctx, "table 1"); err != nil {
		return nil, err
	}
	for _, r := range t.pairs {
		for _, c := range p.cells {
			if c.pair == r.pair {
				r.cells = append(r.cells, c)
			}
		}
	}
	return t, nil
}

func (e *evaluation) fixedCell(ctx context.Context, seed uint64, ood string) (*fixedCell, error) {
	b, err := e.prepare(ctx, seed, ood)
	if err != nil {
		return nil, err
	}
	if n := len(b.graphs); n < algo.MinBatch {
		return nil, fmt.Errorf("%d graphs are tested, which are no batch: want at least %d, as from two sets of 100", n, algo.MinBatch)
	}
	cell := &fixedCell{Seed: seed, NID: b.nID, NOOD: len(b.graphs) - b.nID, Warnings: b.warnings, Columns: e.statistics(b)}
	add := func(column string, scores []float64, seconds float64, interval bool) {
		cell.Columns = append(cell.Columns, measureColumn(column, scores, b.ood, seconds, interval, seed))
	}
	l, err := e.alone(ctx, b)
	if err != nil {
		return nil, err
	}
	for _, column := range aloneColumns {
		add(column, l.scores[column], l.seconds[column], column == columnAlone)
	}
	cell.After = l.scores[columnAlone]
	add(columnDefault, cell.After, l.seconds[columnAlone], true)
	lg, err := b.graphScore(ctx)
	if err != nil {
		return nil, err
	}
	add(columnGraph, lg, math.NaN(), false)
	for _, column := range append(slices.Clone(batchColumns), columnBetter) {
		out, err := b.score(ctx, columnOptions(column, seed), column)
		if err != nil {
			return nil, err
		}
		add(column, out.scores, out.seconds, true)
		switch column {
		case columnPre:
			cell.Before = out.scores
		case columnAttention:
			cell.BaCa = out.scores
			cell.Warnings = append(cell.Warnings, out.warnings...)
		case columnBatch:
			cell.addNew(b, columnBatch, out.scores)
		}
	}
	cell.addNew(b, columnAlone, cell.After)
	return cell, nil
}

// parentColumns are measured where molecules are read as parents.
var parentColumns = []string{columnAlone, columnBatch}

// parentCell measures parentColumns.
func (e *evaluation) parentCell(ctx context.Context, seed uint64) (*fixedCell, error) {
	b, err := e.prepare(ctx, seed, "first")
	if err != nil {
		return nil, err
	}
	out, err := b.score(ctx, columnOptions(columnBatch, seed), columnBatch)
	if err != nil {
		return nil, err
	}
	cell := &fixedCell{Seed: seed, NID: b.nID, NOOD: len(b.graphs) - b.nID, Warnings: out.warnings}
	for _, column := range parentColumns {
		scores := columnScores(column, out.rows)
		cell.Columns = append(cell.Columns, measureColumn(column, scores, b.ood, out.seconds, true, seed))
		cell.addNew(b, column, scores)
	}
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
	c.Columns = append(c.Columns, measureColumn(newOnly(column), pick(scores, index), pick(b.ood, index), math.NaN(), false, 0))
}

func (e *evaluation) thinCell(ctx context.Context, seed uint64) (*thinCell, error) {
	b, err := e.prepare(ctx, seed, "first")
	if err != nil {
		return nil, err
	}
	l, err := e.alone(ctx, b)
	if err != nil {
		return nil, err
	}
	cell := &thinCell{Seed: seed}
	for _, share := range thinShares {
		for draw := range thinDraws {
			points, err := b.thinDraw(ctx, l, share, draw)
			if err != nil {
				return nil, err
			}
			cell.Points = append(cell.Points, points...)
		}
	}
	return cell, nil
}

// thinDraw measures one thinning of a batch, whose graphs have these scores by themselves.
func (b *testBatch) thinDraw(ctx context.Context, l *singleScores, share float64, draw int) ([]thinMeasure, error) {
	seed := b.seed<<16 | uint64(draw)
	index, err := b.thinned(share, seed)
	if err != nil {
		return nil, err
	}
	t := b.pick(index)
	nOOD := len(index) - b.nID
	// All of the OOD graphs can be drawn in one way only.
	measured := nOOD > 0 && (draw == 0 || len(index) < len(b.graphs))
	var points []thinMeasure
	add := func(column string, a alarm, scores func() []float64) {
		point := thinMeasure{Column: column, Share: share, Draw: draw, NOOD: nOOD, AUROC: none, Alarms: rate(a.rate), Asked: rate(a.asked)}
		if measured {
			point.AUROC = rate(metric.AUROC(scores(), t.ood))
		}
		points = append(points, point)
	}
	for _, column := range aloneColumns {
		add(column, b.falseAlarmsAlone(l.scores[column], seed), func() []float64 { return pick(l.scores[column], index) })
	}
	var out *outcome
	if measured {
		if out, err = t.score(ctx, allOptions(b.seed), columnBatch); err != nil {
			return nil, err
		}
	}
	alarms, err := b.falseAlarms(ctx, share, seed)
	if err != nil {
		return nil, err
	}
	for _, column := range batchColumns {
		add(column, alarms[column], func() []float64 { return columnScores(column, out.rows) })
	}
	if measured {
		if out, err = t.score(ctx, columnOptions(columnBetter, b.seed), columnBetter); err != nil {
			return nil, err
		}
	}
	add(columnBetter, alarm{math.NaN(), math.NaN()}, func() []float64 { return out.scores })
	return points, nil
}

// gridCell searches the settings of a column of a pair.
func (e *evaluation) gridCell(ctx context.Context, seeds []uint, column string) (*gridCell, error) {
	var batches []*testBatch
	for _, seed := range seeds {
		b, err := e.prepare(ctx, uint64(seed), "first")
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
	Reading   string      `json:"reading"`
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

// values are the content of table1.json.
func (t *table1) values() any {
	var list []tableCell
	for _, r := range t.pairs {
		for _, ood := range []string{"first", "random", readParent} {
			cells, reading := r.fixed[ood], readOGB
			if len(cells) == 0 {
				continue // plain graphs have no parents
			}
			if ood == readParent {
				ood, reading = "first", readParent
			}
			for k, column := range cells[0].Columns {
				c := tableCell{Pair: r.pair.name(), Reading: reading, Protocol: "fixed", Column: column.Column, OOD: ood}
				for _, cell := range cells {
					m := cell.Columns[k]
					s := tableSeed{Seed: cell.Seed, AUROC: m.AUROC, AUPR: m.AUPR, FPR95: m.FPR95, FPR95ID: &m.FPR95ID, Seconds: m.Seconds}
					if m.Low.defined() {
						s.Low, s.High = &m.Low, &m.High
					}
					c.Seeds = append(c.Seeds, s)
				}
				list = append(list, c.summarized())
			}
		}
		for _, column := range gridColumns {
			g := r.grid[column]
			c := tableCell{Pair: r.pair.name(), Reading: readOGB, Protocol: "grid", Column: column, OOD: "first", Choice: g.Choice}
			for _, s := range g.Seeds {
				c.Seeds = append(c.Seeds, tableSeed{Seed: s.Seed, AUROC: s.AUROC, AUPR: s.AUPR, FPR95: s.FPR95, Seconds: s.Seconds})
			}
			list = append(list, c.summarized())
		}
	}
	return list
}

func (c tableCell) summarized() tableCell {
	mean, std := meanOf(c.Seeds, func(s tableSeed) rate { return s.AUROC })
	c.AUROCMean, c.AUROCStd = rate(mean), rate(std)
	return c
}
