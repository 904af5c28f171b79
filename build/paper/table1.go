package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"baca/algo"
	"baca/algo/metric"
)

// The contamination sweep: shares of OOD graphs, in the number of ID graphs, and how
// many random thinnings of each. One run gives all of thinColumns.
var (
	thinShares  = []float64{0.02, 0.05, 0.2, 0.5, 1}
	thinColumns = []string{columnPre, columnAttention, columnRatio, columnAlone, columnBatch}
)

const thinDraws = 8

// fixedColumns are those of the fixed protocol, after the statistics.
var fixedColumns = []string{
	columnAlone, columnDefault, columnPre, columnAttention, columnRatio, columnBatch, columnBetter,
}

// Protocols, and what takes the OOD graphs of a batch.
const (
	protocolFixed = "fixed"
	protocolGrid  = "grid"
	protocolThin  = "thin"
	firstOOD      = "first"
	randomOOD     = "random"
)

func tableOne() *experiment {
	return &experiment{
		name: "table1", read: readAs[tableCells], measure: measureTable1,
		short: "AUROC of every score on the paper's ten pairs, and under contamination",
		long: `Table1 measures every column on every pair by both protocols of eval, with the
first OOD graphs and with a random draw of them, thins the OOD graphs of each batch to
a share of the ID graphs, and scores each graph alone. Molecules are read as OGB does;
alone and batch are measured on their parents, too. It writes table1.json and report.md.`,
		example: `  baca-paper bench table1 --data ../shared/data --out out/table1
  baca-paper bench table1 --data ../shared/data --out out/validation --pairs validation --seeds 1,2`,
		flags: slices.Concat(pairwise, [][2]string{{"pairs", "paper"}, {"reading", readOGB + "," + readParent}}),
	}
}

// A tableCell is an entry of table1.json.
type tableCell struct {
	Pair     string      `json:"pair"`
	Reading  string      `json:"reading"`
	Protocol string      `json:"protocol"`
	Column   string      `json:"column"`
	OOD      string      `json:"ood"`
	Choice   *gridChoice `json:"choice,omitempty"`
	series
	Share *float64 `json:"share,omitempty"` // of thin, whose mean is over the thinnings of all seeds
}

// A series is what came of a column, seed by seed.
type series struct {
	Seeds     []tableSeed `json:"seeds,omitempty"`
	AUROCMean rate        `json:"auroc_mean"`
	AUROCStd  rate        `json:"auroc_std"`
}

type tableSeed struct {
	Seed    uint64 `json:"seed"`
	AUROC   rate   `json:"auroc"`
	AUPR    rate   `json:"aupr"`
	FPR95   rate   `json:"fpr95"`
	FPR95ID *rate  `json:"fpr95_id,omitempty"`
	Seconds rate   `json:"seconds"`
}

func (s *series) add(seed uint64, m measured) {
	s.Seeds = append(s.Seeds, tableSeed{Seed: seed, AUROC: m.AUROC, AUPR: m.AUPR, FPR95: m.FPR95, FPR95ID: &m.FPR95ID, Seconds: m.Seconds})
	mean, std := meanOf(s.Seeds, func(s tableSeed) rate { return s.AUROC })
	s.AUROCMean, s.AUROCStd = rate(mean), rate(std)
}

// tableCells are the content of table1.json.
type tableCells []tableCell

// add adds what a seed measured to the entries of a pair by a protocol.
func (l *tableCells) add(e *evaluation, seed uint64, protocol, ood string, columns []measured) {
	for _, m := range columns {
		like := tableCell{Pair: e.pair.name(), Reading: e.reading(), Protocol: protocol, Column: m.Column, OOD: ood}
		k := slices.IndexFunc(*l, func(c tableCell) bool {
			return c.Pair == like.Pair && c.Reading == like.Reading && c.Protocol == protocol && c.Column == m.Column && c.OOD == ood
		})
		if k < 0 {
			k, *l = len(*l), append(*l, like)
		}
		(*l)[k].series.add(seed, m)
	}
}

// measureTable1 does the cells, the first seed of all pairs first. Entries are sorted by pair, the sweep is behind.
func measureTable1(ctx context.Context, b *bench) (result, error) {
	p, list := &plan{bench: b}, tableCells(nil)
	thin := map[*evaluation][]thinPoint{}
	for _, seed := range b.seeds {
		for _, e := range b.evaluations {
			fixed := func(ood string, run func(context.Context, uint64, string) (*[]measured, error)) {
				addTo(p, e, fmt.Sprintf("seed%d-%s", seed, ood), func(ctx context.Context) (*[]measured, error) { return run(ctx, seed, ood) },
					func(c *[]measured) { list.add(e, seed, protocolFixed, ood, *c) })
			}
			if e.reading() == readParent {
				fixed(firstOOD, e.parentCell)
				continue
			}
			fixed(firstOOD, e.fixedCell)
			fixed(randomOOD, e.fixedCell)
			addTo(p, e, fmt.Sprintf("seed%d-thin", seed), func(ctx context.Context) (*[]thinPoint, error) { return e.thinCell(ctx, seed) },
				func(c *[]thinPoint) { thin[e] = append(thin[e], *c...) })
		}
	}
	plain := slices.DeleteFunc(slices.Clone(b.evaluations), func(e *evaluation) bool { return e.reading() == readParent })
	for _, e := range plain {
		for _, column := range gridColumns {
			addTo(p, e, fmt.Sprintf("grid-%s-%v", column, b.seeds), func(ctx context.Context) (*gridCell, error) { return e.gridCell(ctx, b.seeds, column) },
				func(c *gridCell) {
					for k, m := range c.Seeds {
						list.add(e, b.seeds[k], protocolGrid, firstOOD, []measured{m})
					}
					list[len(list)-1].Choice = c.Choice
				})
		}
	}
	err := p.do(ctx)
	names := distinct(list, func(c tableCell) string { return c.Pair })
	slices.SortStableFunc(list, func(a, b tableCell) int { return slices.Index(names, a.Pair) - slices.Index(names, b.Pair) })
	for _, e := range plain {
		list = append(list, contamination(e, thin[e])...)
	}
	return list, err
}

// fixedCell measures the statistics and fixedColumns, those that decide also without known OOD graphs.
func (e *evaluation) fixedCell(ctx context.Context, seed uint64, ood string) (*[]measured, error) {
	b, err := e.prepare(ctx, seed, ood)
	if err != nil {
		return nil, err
	}
	if n := len(b.graphs); n < algo.MinBatch {
		return nil, fmt.Errorf("%d graphs are tested, which are no batch: want at least %d, as from two sets of 100", n, algo.MinBatch)
	}
	list, unknown := e.statistics(b), e.unknown(b)
	for _, column := range fixedColumns {
		start := time.Now()
		scores, err := b.columnOf(ctx, column)
		if err != nil {
			return nil, err
		}
		list = append(list, measureColumn(column, scores, b.ood, time.Since(start).Seconds()))
		if column == columnBatch || column == columnAlone {
			list = append(list, b.measureNew(column, scores, unknown))
		}
	}
	return &list, nil
}

// parentCell measures what decides where molecules are read as parents.
func (e *evaluation) parentCell(ctx context.Context, seed uint64, ood string) (*[]measured, error) {
	b, err := e.prepare(ctx, seed, ood)
	if err != nil {
		return nil, err
	}
	out, err := b.score(ctx, columnOptions(columnBatch, seed), columnBatch)
	if err != nil {
		return nil, err
	}
	list := e.measureRows(b, out, columnAlone, columnBatch)
	return &list, nil
}

// A thinPoint is a column on one thinned batch.
type thinPoint struct {
	Column string  `json:"column"`
	Share  float64 `json:"share"`
	AUROC  rate    `json:"auroc"`
}

func (e *evaluation) thinCell(ctx context.Context, seed uint64) (*[]thinPoint, error) {
	b, err := e.prepare(ctx, seed, firstOOD)
	if err != nil {
		return nil, err
	}
	var points []thinPoint
	for _, share := range thinShares {
		for draw := range uint64(thinDraws) {
			index, err := b.thinned(share, seed<<16|draw)
			if err != nil {
				return nil, err
			}
			if len(index) == b.nID || draw > 0 && len(index) == len(b.graphs) {
				break // without OOD graphs, or all of them again
			}
			t := b.pick(index)
			out, err := t.score(ctx, allOptions(seed), columnBatch)
			if err != nil {
				return nil, err
			}
			for _, column := range thinColumns {
				points = append(points, thinPoint{column, share, rate(metric.AUROC(columnScores(column, out.rows), t.ood))})
			}
		}
	}
	return &points, nil
}

// contamination are the entries of a pair by the sweep.
func contamination(e *evaluation, points []thinPoint) (list tableCells) {
	for _, column := range thinColumns {
		for _, share := range thinShares {
			var rates []rate
			for _, p := range points {
				if p.Column == column && p.Share == share && p.AUROC.defined() {
					rates = append(rates, p.AUROC)
				}
			}
			mean, _ := meanStd(rates)
			list = append(list, tableCell{
				Pair: e.pair.name(), Reading: readOGB, Protocol: protocolThin, Column: column, OOD: firstOOD, Share: &share,
				series: series{AUROCMean: rate(mean), AUROCStd: none},
			})
		}
	}
	return list
}

// A gridCell is what the grid protocol picked for a column of one pair.
type gridCell struct {
	Choice *gridChoice `json:"choice"`
	Seeds  []measured  `json:"seeds"`
}

// gridCell searches the settings of a column of a pair.
func (e *evaluation) gridCell(ctx context.Context, seeds []uint64, column string) (*gridCell, error) {
	var batches []*testBatch
	for _, seed := range seeds {
		b, err := e.prepare(ctx, seed, firstOOD)
		if err != nil {
			return nil, err
		}
		batches = append(batches, b)
	}
	best, choice, err := scoreBy(ctx, protocolGrid, batches, columnOptions(column, 0), column, func(*testBatch) {})
	if err != nil {
		return nil, err
	}
	cell := &gridCell{Choice: choice}
	for i, b := range batches {
		cell.Seeds = append(cell.Seeds, measureColumn(column, best[i].scores, b.ood, best[i].seconds))
	}
	return cell, nil
}

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
	columns := []column[string]{{"column", func(c string) any { return c }}}
	for _, share := range []float64{0.05, 0.2} {
		columns = append(columns, column[string]{fmt.Sprintf("%g %%", 100*share), func(c string) any {
			var list []float64
			for _, p := range pairs {
				if x := l.of(p, readOGB, protocolThin, c, share); x != nil && x.AUROCMean.defined() {
					list = append(list, float64(x.AUROCMean))
				}
			}
			return meanOver(list)
		}})
	}
	return tabulate("The mean with fewer OOD graphs.", []string{columnAttention, columnAlone, columnBatch}, columns...)
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
