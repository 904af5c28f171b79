package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The contamination sweep: shares of OOD graphs, in the number of ID graphs, and how
// many random thinnings of each. One run gives all of thinColumns.
var (
	thinShares  = []float64{0.02, 0.05, 0.2, 0.5, 1}
	thinColumns = []string{columnPre, columnAttention, columnRatio, columnAlone, columnBatch}
)

const thinDraws = 8

// fixedColumns are those of the fixed protocol.
func fixedColumns() []string {
	return append(statisticColumns(), columnAlone, columnPre, columnAttention, columnRatio, columnBatch)
}

// Protocols, and what takes the OOD graphs of a batch.
const (
	protocolFixed = "fixed"
	protocolThin  = "thin"
	firstOOD      = "first"
	randomOOD     = "random"
)

func tableOne() *experiment {
	return &experiment{
		name: "table1", read: readAs[tableCells], measure: measureTable1,
		short: "AUROC of every score on the paper's ten pairs, and under contamination",
		flags: slices.Concat(pairwise, [][2]string{{"pairs", "paper"}, {"reading", readOGB + "," + readParent}}),
	}
}

// A tableCell is an entry of table1.json.
type tableCell struct {
	Pair     string `json:"pair"`
	Reading  string `json:"reading"`
	Protocol string `json:"protocol"`
	Column   string `json:"column"`
	OOD      string `json:"ood"`
	series
	Share float64 `json:"share,omitempty"` // of thin, whose figures are over the thinnings of all seeds
}

// A series has the results of a column, seed by seed.
type series struct {
	Seeds     []tableSeed `json:"seeds,omitempty"`
	AUROCMean rate        `json:"auroc_mean"`
	AUROCStd  rate        `json:"auroc_std"`
}

type tableSeed struct {
	Seed uint64 `json:"seed"`
	measures
}

func (s *series) add(seed uint64, m measured) {
	s.Seeds = append(s.Seeds, tableSeed{seed, m.measures})
	s.AUROCMean, s.AUROCStd = meanStd(mapped(s.Seeds, func(s tableSeed) rate { return s.AUROC }))
}

// tableCells are the content of table1.json.
type tableCells []tableCell

// find returns the index of an entry, −1 for none. Older files name no reading: they read molecules as OGB does.
func (l tableCells) find(pair, reading, protocol, column, ood string, share float64) int {
	return slices.IndexFunc(l, func(c tableCell) bool {
		return c.Pair == pair && cmp.Or(c.Reading, readOGB) == reading && c.Protocol == protocol && c.Column == column && c.OOD == ood && c.Share == share
	})
}

// add adds what a seed measured to the entry of a pair and a column.
func (l *tableCells) add(e *evaluation, seed uint64, protocol, ood string, share float64, m measured) {
	k := l.find(e.pair.name(), e.reading(), protocol, m.Column, ood, share)
	if k < 0 {
		k = len(*l)
		*l = append(*l, tableCell{Pair: e.pair.name(), Reading: e.reading(), Protocol: protocol, Column: m.Column, OOD: ood, Share: share})
	}
	(*l)[k].series.add(seed, m)
}

// measureTable1 measures the fixed protocol and the contamination sweep, the first seed of all pairs first. Entries are sorted by pair.
func measureTable1(ctx context.Context, b *bench) result {
	p, list := &plan{bench: b}, tableCells(nil)
	for _, seed := range b.seeds {
		for _, e := range b.evaluations {
			fixed := func(ood string, columns ...string) {
				run := func(b *testBatch, ctx context.Context) []measured { return b.columns(ctx, columns...) }
				addTo(p, e, fmt.Sprintf("seed%d-%s", seed, ood), onBatch(e, seed, ood, run), func(c []measured) {
					for _, m := range c {
						list.add(e, seed, protocolFixed, ood, 0, m)
					}
				})
			}
			if e.reading() == readParent {
				fixed(firstOOD, columnAlone, columnBatch)
				continue
			}
			fixed(firstOOD, fixedColumns()...)
			fixed(randomOOD, fixedColumns()...)
			addTo(p, e, fmt.Sprintf("seed%d-thin", seed), onBatch(e, seed, firstOOD, (*testBatch).thinCell), func(c []thinPoint) {
				for _, x := range c {
					list.add(e, seed, protocolThin, firstOOD, x.Share, x.measured)
				}
			})
		}
	}
	p.do(ctx)
	for k := range list {
		if list[k].Protocol == protocolThin {
			list[k].Seeds = nil // too many
		}
	}
	names := distinct(list, func(c tableCell) string { return c.Pair })
	slices.SortStableFunc(list, func(a, b tableCell) int { return slices.Index(names, a.Pair) - slices.Index(names, b.Pair) })
	return list
}

// A thinPoint is a column on one thinned batch.
type thinPoint struct {
	Share float64 `json:"share"`
	measured
}

// thinCell measures thinColumns on thinDraws random thinnings of the batch to each of thinShares.
func (b *testBatch) thinCell(ctx context.Context) (points []thinPoint) {
	for _, share := range thinShares {
		for draw := range uint64(thinDraws) {
			index := b.thinned(share, b.seed<<16|draw)
			if len(index) == b.nID || draw > 0 && len(index) == len(b.graphs) {
				break // without OOD graphs, or all of them again
			}
			t := b.pick(index)
			out := t.score(ctx, allOptions(b.seed), columnBatch)
			for _, column := range thinColumns {
				points = append(points, thinPoint{share, scored{column, columnScores(column, out.rows), out.seconds}.measure(t.ood)})
			}
		}
	}
	return points
}

// mean returns a column's mean AUROC and its standard deviation on a pair, with the first OOD graphs, NaN for none.
func (l tableCells) mean(pair, reading, protocol, column string, share float64) (mean, std float64) {
	if k := l.find(pair, reading, protocol, column, firstOOD, share); k >= 0 {
		return float64(l[k].AUROCMean), float64(l[k].AUROCStd)
	}
	return math.NaN(), math.NaN()
}

// fixed returns mean by the fixed protocol.
func (l tableCells) fixed(pair, reading, column string) (mean, std float64) {
	return l.mean(pair, reading, protocolFixed, column, 0)
}

// trivial returns the mean AUROC of the best statistic on a pair, in its better direction, NaN for none.
func (l tableCells) trivial(pair string) float64 {
	best := math.NaN()
	for _, column := range statisticColumns() {
		if m, _ := l.fixed(pair, readOGB, column); math.IsNaN(best) || max(m, 1-m) > best {
			best = max(m, 1-m)
		}
	}
	return best
}

// paperFigures returns the paper's figures of a pair, NaN for none.
func paperFigures(pair string) (baca, std float64) {
	if p, _ := parsePair(pair); p.paper != nil {
		return p.paper.baca / 100, p.paper.std / 100
	}
	return math.NaN(), math.NaN()
}

func (l tableCells) page() *page {
	pairs := distinct(l, func(c tableCell) string { return c.Pair })
	heads := []string{"ID/OOD", "best statistic", "S_Pre", "attention", "alone", "batch", "alone, parents", "batch, parents", "paper's BaCa"}
	cells := func(p string) []any {
		of := func(reading, column string) float64 { mean, _ := l.fixed(p, reading, column); return mean }
		baca, _ := paperFigures(p)
		return []any{p, l.trivial(p), of(readOGB, columnPre), of(readOGB, columnAttention), of(readOGB, columnAlone), of(readOGB, columnBatch),
			of(readParent, columnAlone), of(readParent, columnBatch), baca}
	}
	return &page{
		title: "Table 1",
		question: `How well do scores tell the OOD set of a pair from its ID set? AUROC in percent, means over the seeds, with one setting
for all pairs. Attention is the paper's S_BaCa; alone scores each graph by itself.`,
		tables: []*pageTable{tabulate("", heads, pairs, cells).mean(), l.thinned(pairs)},
		answer: l.standings(pairs),
	}
}

// thinned shows the sweep, as means over the pairs.
func (l tableCells) thinned(pairs []string) *pageTable {
	at := func(column string, share float64) float64 {
		return meanDefined(mapped(pairs, func(p string) float64 { x, _ := l.mean(p, readOGB, protocolThin, column, share); return x }))
	}
	return tabulate("The mean with fewer OOD graphs.", []string{"column", "5 %", "20 %"}, []string{columnAttention, columnAlone, columnBatch},
		func(c string) []any { return []any{c, at(c, 0.05), at(c, 0.2)} })
}

// standings returns sentences on how many pairs our scores reach the best statistic and the paper's BaCa.
func (l tableCells) standings(pairs []string) (list []string) {
	for _, column := range []string{columnBatch, columnAlone} {
		compared, reached, beaten := 0, 0, 0
		for _, p := range pairs {
			mean, std := l.fixed(p, readOGB, column)
			if mean >= l.trivial(p) {
				beaten++
			}
			baca, own := paperFigures(p)
			if math.IsNaN(std) { // of one seed
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

// title capitalises the first letter.
func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
