package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/chart"
	"baca/algo/dataset"
	"baca/algo/metric"
)

// The contamination sweep: shares of OOD graphs, in the number of ID graphs, and how
// many random thinnings of each.
var thinShares = []float64{0, 0.02, 0.05, 0.2, 0.5, 1}

const thinDraws = 8

func tableOne() *experiment {
	return &experiment{
		name: "table1", read: readAs[tableCells], measure: measureTable1,
		short: "AUROC of every score on the paper's ten pairs, and under contamination",
		long: `Table1 measures every column on every pair by both protocols of eval, with the
first OOD graphs and with a random draw of them, thins the OOD graphs of each batch to
a share of the ID graphs, and scores each graph alone. Molecules are read as OGB does;
alone and batch are measured on their parents, too. It writes table1.json, report.md and
figures.

--quick with cached encoders takes seconds, and under three minutes without.`,
		example: `  baca-paper bench table1 --data ../shared/data --out out/table1
  baca-paper bench table1 --data ../shared/data --out out/validation --pairs validation --seeds 1,2`,
		flags: slices.Concat(pairwise, [][2]string{{"pairs", "paper"}, {"reading", readOGB + "," + readParent}}),
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

// A pairResult is everything that was measured of a pair.
type pairResult struct {
	pair  *pair
	fixed map[string][]*fixedCell // by way of taking OOD graphs or readParent, then seed
	thin  []*thinCell
	grid  []*gridCell
}

// measureTable1 does the cells, the first seed of all pairs first.
func measureTable1(ctx context.Context, b *bench) (result, error) {
	p, of := &plan{bench: b}, map[*pair]*pairResult{}
	var pairs []*pairResult
	for _, e := range b.evaluations {
		if of[e.pair] == nil {
			of[e.pair] = &pairResult{pair: e.pair, fixed: map[string][]*fixedCell{}}
			pairs = append(pairs, of[e.pair])
		}
	}
	for _, seed := range b.seeds {
		for _, e := range b.evaluations {
			of[e.pair].plan(p, e, seed)
		}
	}
	for _, e := range b.evaluations {
		for _, column := range gridColumns {
			if e.reading() == readParent {
				continue
			}
			r, weight := of[e.pair], len(b.seeds)*gridRuns(column)*len(e.id.graphs)/5
			addTo(p, e, "grid-"+column, fmt.Sprintf("grid, seeds %v, %s", b.seeds, column), weight,
				func(ctx context.Context) (*gridCell, error) { return e.gridCell(ctx, b.seeds, column) },
				func(c *gridCell) { r.grid = append(r.grid, c) })
		}
	}
	b.figures = func() error { return b.drawScores(pairs) }
	err := p.do(ctx)
	cells, sweep := mapped(pairs, (*pairResult).cells), mapped(pairs, (*pairResult).contamination)
	return slices.Concat(append(cells, sweep...)...), err
}

// plan plans the cells of a seed in one reading.
func (r *pairResult) plan(p *plan, e *evaluation, seed uint64) {
	fixed := func(by, ood string, weight int, run func(context.Context) (*fixedCell, error)) {
		addTo(p, e, fmt.Sprintf("seed%d-%s", seed, ood), fmt.Sprintf("fixed, seed %d, %s", seed, ood), weight, run,
			func(c *fixedCell) { r.fixed[by] = append(r.fixed[by], c) })
	}
	if e.reading() == readParent {
		fixed(readParent, "first", 2*len(e.id.graphs)/10, func(ctx context.Context) (*fixedCell, error) { return e.parentCell(ctx, seed) })
		return
	}
	_, test := dataset.Split(len(e.id.graphs), seed)
	for _, ood := range []string{"first", "random"} {
		fixed(ood, ood, 12*len(test), func(ctx context.Context) (*fixedCell, error) { return e.fixedCell(ctx, seed, ood) })
	}
	addTo(p, e, fmt.Sprintf("seed%d-thin", seed), fmt.Sprintf("thin, seed %d, %v, %d", seed, thinShares, thinDraws), 150*len(test),
		func(ctx context.Context) (*thinCell, error) { return e.thinCell(ctx, seed) },
		func(c *thinCell) { r.thin = append(r.thin, c) })
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
	add := func(column string, scores []float64, seconds float64) {
		cell.Columns = append(cell.Columns, measureColumn(column, scores, b.ood, seconds))
	}
	l, err := e.alone(ctx, b)
	if err != nil {
		return nil, err
	}
	for _, column := range aloneColumns {
		add(column, l.scores[column], l.seconds[column])
	}
	cell.After = l.scores[columnAlone]
	add(columnDefault, cell.After, l.seconds[columnAlone])
	for _, column := range append(slices.Clone(batchColumns), columnBetter) {
		out, err := b.score(ctx, columnOptions(column, seed), column)
		if err != nil {
			return nil, err
		}
		add(column, out.scores, out.seconds)
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
		cell.Columns = append(cell.Columns, measureColumn(column, scores, b.ood, out.seconds))
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
	c.Columns = append(c.Columns, measureColumn(newOnly(column), pick(scores, index), pick(b.ood, index), math.NaN()))
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
func (e *evaluation) gridCell(ctx context.Context, seeds []uint64, column string) (*gridCell, error) {
	var batches []*testBatch
	for _, seed := range seeds {
		b, err := e.prepare(ctx, seed, "first")
		if err != nil {
			return nil, err
		}
		batches = append(batches, b)
	}
	score := func(o algo.Options) ([]*outcome, error) {
		return scoreAll(ctx, batches, o, column, func(*testBatch) {})
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
	Protocol  string      `json:"protocol"` // fixed, grid or thin
	Column    string      `json:"column"`
	OOD       string      `json:"ood"`
	Choice    *gridChoice `json:"choice,omitempty"`
	Seeds     []tableSeed `json:"seeds,omitempty"`
	AUROCMean rate        `json:"auroc_mean"`
	AUROCStd  rate        `json:"auroc_std"`
	// Of thin: means over the thinnings of all seeds to a share of OOD graphs, and the rate of false alarms
	// that was asked for.
	Share  *float64 `json:"share,omitempty"`
	Alarms *rate    `json:"alarms,omitempty"`
	Asked  *rate    `json:"asked,omitempty"`
}

type tableSeed struct {
	Seed    uint64 `json:"seed"`
	AUROC   rate   `json:"auroc"`
	AUPR    rate   `json:"aupr"`
	FPR95   rate   `json:"fpr95"`
	FPR95ID *rate  `json:"fpr95_id,omitempty"`
	Seconds rate   `json:"seconds"`
}

// newTableSeed has what was measured of a column.
func newTableSeed(seed uint64, m measured) tableSeed {
	return tableSeed{Seed: seed, AUROC: m.AUROC, AUPR: m.AUPR, FPR95: m.FPR95, FPR95ID: &m.FPR95ID, Seconds: m.Seconds}
}

// cells are the entries of a pair by both protocols.
func (r *pairResult) cells() (list tableCells) {
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
				c.Seeds = append(c.Seeds, newTableSeed(cell.Seed, cell.Columns[k]))
			}
			list = append(list, c.summarized())
		}
	}
	for _, g := range r.grid {
		c := tableCell{Pair: r.pair.name(), Reading: readOGB, Protocol: "grid", Column: g.Column, OOD: "first", Choice: g.Choice}
		for _, s := range g.Seeds {
			c.Seeds = append(c.Seeds, tableSeed{Seed: s.Seed, AUROC: s.AUROC, AUPR: s.AUPR, FPR95: s.FPR95, Seconds: s.Seconds})
		}
		list = append(list, c.summarized())
	}
	return list
}

func (c tableCell) summarized() tableCell {
	mean, std := meanOf(c.Seeds, func(s tableSeed) rate { return s.AUROC })
	c.AUROCMean, c.AUROCStd = rate(mean), rate(std)
	return c
}

// sweepColumns are those of the contamination sweep that table1.json has. All are in the cells.
var sweepColumns = []string{columnPre, columnPrint1, columnNearest, columnAttention, columnBetter, columnRatio, columnAlone, columnBatch}

// contamination are the entries of a pair by the sweep.
func (r *pairResult) contamination() (list tableCells) {
	for _, column := range sweepColumns {
		for _, share := range thinShares {
			mean := func(of func(thinMeasure) rate) rate {
				var rates []rate
				for _, cell := range r.thin {
					for _, p := range cell.Points {
						if x := of(p); p.Column == column && p.Share == share && x.defined() {
							rates = append(rates, x)
						}
					}
				}
				mean, _ := meanStd(rates)
				return rate(mean)
			}
			alarms, asked := mean(func(p thinMeasure) rate { return p.Alarms }), mean(func(p thinMeasure) rate { return p.Asked })
			list = append(list, tableCell{
				Pair: r.pair.name(), Reading: readOGB, Protocol: "thin", Column: column, OOD: "first", Share: &share,
				AUROCMean: mean(func(p thinMeasure) rate { return p.AUROC }), AUROCStd: none, Alarms: &alarms, Asked: &asked,
			})
		}
	}
	return list
}

// tableCells are the content of table1.json.
type tableCells []tableCell

// of returns the entry of a pair, nil for none. Files of old have no readings: molecules are as OGB has them.
func (l tableCells) of(pair, reading, protocol, column string, share float64) *tableCell {
	for i, c := range l {
		if c.Pair == pair && cmp.Or(c.Reading, readOGB) == reading && c.Protocol == protocol && c.Column == column && c.OOD == "first" && (c.Share == nil || *c.Share == share) {
			return &l[i]
		}
	}
	return nil
}

// fixed returns mean and deviation of a column by the fixed protocol, NaN for none.
func (l tableCells) fixed(pair, reading, column string) (mean, std float64) {
	if c := l.of(pair, reading, "fixed", column, 0); c != nil {
		return float64(c.AUROCMean), float64(c.AUROCStd)
	}
	return math.NaN(), math.NaN()
}

// trivial is the mean AUROC of the best statistic of a pair, in its better direction.
func (l tableCells) trivial(pair string) float64 {
	best := math.NaN()
	for _, column := range statisticColumns() {
		if m, _ := l.fixed(pair, readOGB, column); math.IsNaN(best) || max(m, 1-m) > best {
			best = max(m, 1-m)
		}
	}
	return best
}

// of returns the paper's figures of a pair, NaN where it has none.
func paperFigures(pair string) (base, baca, std float64) {
	if p, _ := parsePair(pair); p.paper != nil {
		return p.paper.base / 100, p.paper.baca / 100, p.paper.std / 100
	}
	return math.NaN(), math.NaN(), math.NaN()
}

func (l tableCells) page() *page {
	pairs := distinct(l, func(c tableCell) string { return c.Pair })
	columns := []column[string]{
		{"ID/OOD", func(p string) any { return p }},
		{"best statistic", func(p string) any { return l.trivial(p) }},
	}
	for _, c := range []struct{ head, reading, column string }{
		{"S_Pre", readOGB, columnPre}, {"attention", readOGB, columnAttention}, {"alone", readOGB, columnAlone}, {"batch", readOGB, columnBatch},
		{"alone, parents", readParent, columnAlone}, {"batch, parents", readParent, columnBatch},
	} {
		columns = append(columns, column[string]{c.head, func(p string) any { mean, _ := l.fixed(p, c.reading, c.column); return mean }})
	}
	columns = append(columns, column[string]{"paper's BaCa", func(p string) any { _, baca, _ := paperFigures(p); return baca }})
	return &page{
		title: "Table 1",
		question: `How well do scores tell the OOD set of a pair from its ID set? AUROC in percent, means over the seeds, with one setting for all pairs. Attention is the
paper's S_BaCa; alone scores each graph by itself.`,
		tables: []*pageTable{tabulate("", pairs, columns...).mean(), l.thinned(pairs)},
		answer: l.standings(pairs),
	}
}

// thinned shows the sweep, as means over the pairs.
func (l tableCells) thinned(pairs []string) *pageTable {
	over := func(column string, share float64, of func(*tableCell) float64) float64 {
		var list []float64
		for _, p := range pairs {
			if c := l.of(p, readOGB, "thin", column, share); c != nil {
				if x := of(c); !math.IsNaN(x) {
					list = append(list, x)
				}
			}
		}
		return meanOver(list)
	}
	columns := []column[string]{{"column", func(c string) any { return c }}}
	for _, share := range []float64{0.05, 0.2} {
		columns = append(columns, column[string]{fmt.Sprintf("%g %%", 100*share), func(c string) any {
			return over(c, share, func(c *tableCell) float64 { return float64(c.AUROCMean) })
		}})
	}
	columns = append(columns, column[string]{"alarms", func(c string) any {
		return over(c, 0.2, func(c *tableCell) float64 {
			if c.Alarms == nil { // as null is read
				return math.NaN()
			}
			return float64(*c.Alarms)
		})
	}})
	return tabulate("The mean with fewer OOD graphs, and ID graphs called outside at 20 %, where 5 % is asked.",
		[]string{columnAttention, columnAlone, columnBatch}, columns...)
}

// standings say on how many pairs our scores reach others.
func (l tableCells) standings(pairs []string) (list []string) {
	for _, column := range []string{columnBatch, columnAlone} {
		compared, reached, beaten := 0, 0, 0
		for _, p := range pairs {
			mean, std := l.fixed(p, readOGB, column)
			if mean >= l.trivial(p) {
				beaten++
			}
			_, baca, own := paperFigures(p)
			if math.IsNaN(std) {
				std = own
			}
			if !math.IsNaN(baca) {
				compared++
			}
			if mean >= baca-std {
				reached++
			}
		}
		text := fmt.Sprintf("%s beats the best statistic on %d of %d pairs", title(column), beaten, len(pairs))
		if compared > 0 {
			text += fmt.Sprintf(", and reaches the paper's BaCa, within one standard deviation, on %d of %d", reached, compared)
		}
		list = append(list, text+".")
	}
	return list
}

// title begins a sentence.
func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// drawScores draws the scores of the first seed of each pair: the paper's figure 1b, before and after
// calibration, and alone.
func (b *bench) drawScores(pairs []*pairResult) error {
	for _, r := range pairs {
		if len(r.fixed["first"]) == 0 {
			continue
		}
		cell := r.fixed["first"][0]
		for _, part := range []struct {
			name, axis string
			scores     []float64
		}{{"before", "S_Pre", cell.Before}, {"after", "S_BaCa", cell.BaCa}, {"alone", "score", cell.After}} {
			c := distributions(part.scores[:cell.NID], part.scores[cell.NID:])
			c.Title, c.XAxis, c.YAxis = r.pair.name()+", "+part.name, part.axis, "graphs, OOD on top"
			if err := b.drawChart("scores-"+r.pair.file()+"-"+part.name, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// distributions draws a histogram of OOD graphs on top of one of ID graphs.
func distributions(id, ood []float64) *chart.Chart {
	const bars = 30
	all := slices.Concat(id, ood)
	c := &chart.Chart{Low: slices.Min(all), High: slices.Max(all), Top: 1}
	if !(c.High > c.Low) {
		c.High = c.Low + 1
	}
	width := (c.High - c.Low) / bars
	counts := func(scores []float64) []float64 {
		list := make([]float64, bars)
		for _, x := range scores {
			list[min(bars-1, int((x-c.Low)/width))]++
		}
		return list
	}
	inside, outside := counts(id), counts(ood)
	for k := range inside {
		c.Top = max(c.Top, inside[k]+outside[k])
	}
	c.Bars(c.Low, width, inside, outside, nil)
	return c
}
