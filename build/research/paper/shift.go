package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/metric"
	"baca/build/internal/try"
	"baca/build/research/rival"
)

// shiftPairs are what chemists meet: OOD graphs from the same set or from one like it.
var shiftPairs = pairsOf(`bace@common/bace@rare bbbp@common/bbbp@rare esol@small/esol@large bbbp@small/bbbp@large
	bace@inner/bace@outer bbbp@inner/bbbp@outer esol/freesolv tox21/toxcast tox21@many/tox21@few AIDS@many/AIDS@few
	MUTAG@many/MUTAG@few`)

// shiftShares are the OOD graphs of a batch, in the number of its ID graphs. The share single stands for each graph by itself.
var shiftShares = []float64{0, 0.05, 0.2, 0.5}

const single, half = -1, 0.5

func shift() *experiment {
	return &experiment{
		name: "shift", read: readAs[shiftEntries], measure: measureShift,
		short: "Rare scaffolds, larger molecules, other clusters, near assays, one class as anomaly",
		flags: slices.Concat(pairwise, [][2]string{{"pairs", "shift"}, {"rivals", "all"}}),
	}
}

// A shiftCell is what a detector does on one seed of one pair.
type shiftCell struct {
	Seed   uint64       `json:"seed"`
	NID    int          `json:"n_id"`
	Points []shiftPoint `json:"points"`
}

// A shiftPoint is a column on one batch.
type shiftPoint struct {
	Column string  `json:"column"`
	Share  float64 `json:"share"` // of OOD graphs; −1 for single graphs
	NOOD   int     `json:"n_ood"`
	AUROC  rate    `json:"auroc"`
	AUPR   rate    `json:"aupr"`
	FPR95  rate    `json:"fpr95"`
	Found  rate    `json:"found"`
	Alarms rate    `json:"alarms"`
	Asked  rate    `json:"asked"` // the rate of alarms that found and alarms are for
}

// measureShift measures each rival and our scores on each pair. Entries without finished cells are left out.
func measureShift(ctx context.Context, b *bench) result {
	p, list := &plan{bench: b}, shiftEntries(nil)
	for _, e := range b.evaluations {
		for _, r := range b.rivals {
			list = append(list, shiftEntry{Pair: e.pair.name(), Detector: r.Name})
		}
		list = append(list, shiftEntry{Pair: e.pair.name(), Detector: chooseOurs})
	}
	eachDetector(p, randomOOD, (*testBatch).ourShift, (*testBatch).rivalShift, func(e *evaluation, name string, _ uint64, c *shiftCell) {
		k := slices.IndexFunc(list, func(x shiftEntry) bool { return x.Pair == e.pair.name() && x.Detector == name })
		list[k].Cells = append(list[k].Cells, c)
	})
	p.do(ctx)
	return slices.DeleteFunc(list, func(e shiftEntry) bool { return e.Cells == nil })
}

// rivalShift measures a detector, which looks at each molecule by itself.
func (b *testBatch) rivalShift(ctx context.Context, r *rival.Rival) *shiftCell {
	return b.shiftCell(b.scoresBy(ctx, r), func(*testBatch) []scored { return nil })
}

// ourShift measures our scores.
func (b *testBatch) ourShift(ctx context.Context) *shiftCell {
	alone := try.To(b.alone.Scores(ctx, b.graphs))
	return b.shiftCell(scored{column: columnAlone, scores: alone}, func(t *testBatch) (list []scored) {
		out := t.score(ctx, allOptions(b.seed), columnBatch)
		for _, column := range []string{columnBatch, columnAttention} {
			list = append(list, scored{column: column, scores: columnScores(column, out.rows)})
		}
		return list
	})
}

// shiftCell measures scores of single graphs, and the scores that batched returns of batches with fewer OOD graphs.
func (b *testBatch) shiftCell(alone scored, batched func(t *testBatch) []scored) *shiftCell {
	cell := &shiftCell{Seed: b.seed, NID: b.nID, Points: []shiftPoint{b.shiftPoint(alone.column, single, alone.scores)}}
	for _, share := range shiftShares {
		index := b.thinned(share, b.seed)
		t := b.pick(index)
		cell.Points = append(cell.Points, t.shiftPoint(alone.column, share, pick(alone.scores, index)))
		for _, s := range batched(t) {
			cell.Points = append(cell.Points, t.shiftPoint(s.column, share, s.scores))
		}
	}
	return cell
}

// shiftPoint measures the scores of a batch. Half of the ID graphs give p-values to the others and to the OOD graphs.
func (b *testBatch) shiftPoint(column string, share float64, scores []float64) shiftPoint {
	tested, reference := b.halves(b.seed)
	asked := max(algo.DefaultOptions().Alpha, 1/float64(1+len(reference))) // no p-value is lower
	known := pick(scores, reference)
	p := shiftPoint{
		Column: column, Share: share, NOOD: len(scores) - b.nID, Asked: rate(asked),
		Alarms: none, Found: none,
		AUROC: rate(metric.AUROC(scores, b.ood)), AUPR: rate(metric.AUPR(scores, b.ood)), FPR95: rate(metric.FPR95(scores, b.ood)),
	}
	if slices.ContainsFunc(scores, math.IsNaN) { // too few for a batch
		return p
	}
	p.Alarms = rate(shareUpTo(decide.PValues(pick(scores, tested), known), asked))
	p.Found = rate(shareUpTo(decide.PValues(scores[b.nID:], known), asked)) // NaN without OOD graphs
	return p
}

// A shiftEntry is an entry of shift.json: the cells that are finished.
type shiftEntry struct {
	Pair     string       `json:"pair"`
	Detector string       `json:"detector"`
	Batch    bool         `json:"batch"`
	Cells    []*shiftCell `json:"seeds"`
}

// shiftEntries are the content of shift.json.
type shiftEntries []shiftEntry

// mean returns the mean over all cells of a column at a share, NaN for none.
func (l shiftEntries) mean(column string, share float64, of func(shiftPoint) rate) float64 {
	var rates []rate
	for _, e := range l {
		for _, c := range e.Cells {
			for _, x := range c.Points {
				if x.Column == column && x.Share == share {
					rates = append(rates, of(x))
				}
			}
		}
	}
	return float64(mean(rates))
}

func (x shiftPoint) auroc() rate { return x.AUROC }
func (x shiftPoint) found() rate { return x.Found }

func (l shiftEntries) page() *page {
	names := distinct(l, func(e shiftEntry) string { return e.Detector })
	names = slices.DeleteFunc(names, func(n string) bool { return n == chooseOurs })
	names = append(names, columnAttention, columnAlone, columnBatch)
	names = slices.DeleteFunc(names, func(n string) bool {
		return math.IsNaN(l.mean(n, half, shiftPoint.auroc))
	})
	p := &page{
		title: "Shifts",
		question: fmt.Sprintf(`Do detectors find what chemists meet: rare scaffolds, larger molecules, other clusters, a near assay, the
smaller class? In percent, means over %d pairs, or those of molecules for ecfp: AUROC of single graphs, OOD graphs found with p ≤ 5
%%, AUROC with 50 %% of OOD graphs in a batch.`,
			len(distinct(l, func(e shiftEntry) string { return e.Pair }))),
		tables: []*pageTable{tabulate("", []string{"detector", "single", "found", "50 %"}, names, func(n string) []any {
			return []any{n, l.mean(n, single, shiftPoint.auroc), l.mean(n, single, shiftPoint.found), l.mean(n, half, shiftPoint.auroc)}
		})},
	}
	best := func(share float64) string {
		name := slices.MaxFunc(names, func(a, b string) int {
			return cmp.Compare(l.mean(a, share, shiftPoint.auroc), l.mean(b, share, shiftPoint.auroc))
		})
		return fmt.Sprintf("%s with %.1f", name, 100*l.mean(name, share, shiftPoint.auroc))
	}
	p.answer = append(p.answer, fmt.Sprintf("The best on average: of single graphs %s, in batches %s.", best(single), best(half)))
	return p
}
