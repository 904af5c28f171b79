package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"baca/algo/decide"
	"baca/algo/metric"
	"baca/build/paper/rival"
)

// shiftPairs are what chemists meet: OOD graphs from the same set or from one like it.
var shiftPairs = []*pair{
	{ID: "bace@common", OOD: "bace@rare"},
	{ID: "bbbp@common", OOD: "bbbp@rare"},
	{ID: "esol@small", OOD: "esol@large"},
	{ID: "bbbp@small", OOD: "bbbp@large"},
	{ID: "bace@inner", OOD: "bace@outer"},
	{ID: "bbbp@inner", OOD: "bbbp@outer"},
	{ID: "esol", OOD: "freesolv"},
	{ID: "tox21", OOD: "toxcast"},
	{ID: "tox21@many", OOD: "tox21@few"},
	{ID: "AIDS@many", OOD: "AIDS@few"},
	{ID: "MUTAG@many", OOD: "MUTAG@few"},
}

// shiftShares are the OOD graphs of a batch, in the number of its ID graphs. Single stands
// for each graph by itself.
var shiftShares = []float64{0, 0.05, 0.2, 0.5}

const single = -1

func shift() *experiment {
	return &experiment{
		name: "shift", pairs: "shift", against: true,
		short: "Rare scaffolds, larger molecules, other clusters, near assays, one class as anomaly",
		long: `Shift measures the detectors of rivals, and our scores, on what is harder and nearer to
what chemists meet than another data set: the rarer scaffolds of a set (common, rare), its
largest fifth (small, large), clusters apart (inner, outer), another set of the same
chemistry, and the smaller of two classes (many, few). OOD graphs are drawn by seed.

Batches hold 0 to 50 % of OOD graphs, in the number of ID graphs, and each graph is scored
by itself. Found is the share of OOD graphs with a p-value of at most 5 %, by the scores of
half of the ID graphs that are tested; alarms is that of the other half.`,
		example: `  baca-paper bench shift --data ../shared/data --out out/shift --weights out/encoders
  baca-paper bench shift --data ../shared/data --out out/shift --rivals ecfp-knn,wl-lof --pairs bace@common/bace@rare --seeds 1`,
		measure: measureShift,
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

// shifts are everything that was measured.
type shifts struct {
	bench *bench
	cells map[*pair]map[string][]*shiftCell // by detector, one for each seed
}

func measureShift(ctx context.Context, b *bench) (results, error) {
	p, t := &plan{bench: b}, &shifts{b, map[*pair]map[string][]*shiftCell{}}
	for _, s := range b.seeds {
		seed := uint64(s)
		for _, e := range b.evaluations {
			cells := t.cells[e.pair]
			if cells == nil {
				cells = map[string][]*shiftCell{}
				t.cells[e.pair] = cells
			}
			plan := func(name string, run func(context.Context) (*shiftCell, error)) {
				cells[name] = append(cells[name], add(p, e, fmt.Sprintf("seed%d-shift-%s", seed, name), fmt.Sprintf("shift, seed %d, %v, %s", seed, shiftShares, name), len(e.id.graphs), run))
			}
			if b.ours {
				plan(chooseOurs, func(ctx context.Context) (*shiftCell, error) { return e.ourShift(ctx, seed) })
			}
			for _, r := range b.rivals {
				if e.suits(r) {
					plan(r.Name, func(ctx context.Context) (*shiftCell, error) { return e.rivalShift(ctx, r, seed) })
				}
			}
		}
	}
	return t, p.do(ctx, "shift")
}

// rivalShift measures a detector. One that looks at each graph by itself scores them once.
func (e *evaluation) rivalShift(ctx context.Context, r *rival.Rival, seed uint64) (*shiftCell, error) {
	b, err := e.testedBy(ctx, r, seed, "random")
	if err != nil {
		return nil, err
	}
	cell := &shiftCell{Seed: seed, NID: b.nID}
	var all []float64
	if !r.Batch {
		if all, _, err = e.scoreBy(ctx, r, b, 1); err != nil {
			return nil, err
		}
		cell.Points = append(cell.Points, b.shiftPoint(r.Name, single, all))
	}
	return cell, b.eachShare(func(share float64, t *testBatch, index []int) error {
		scores := pick(all, index[:min(len(index), len(all))])
		if r.Batch {
			if scores, _, err = e.scoreBy(ctx, r, t, 1); err != nil {
				return err
			}
		}
		cell.Points = append(cell.Points, t.shiftPoint(r.Name, share, scores))
		return nil
	})
}

// eachShare visits the batches with fewer OOD graphs, with the indices of their graphs in b.
func (b *testBatch) eachShare(visit func(share float64, t *testBatch, index []int) error) error {
	for _, share := range shiftShares {
		index, err := b.thinned(share, b.seed)
		if err == nil {
			err = visit(share, b.pick(index), index)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ourShift measures our scores.
func (e *evaluation) ourShift(ctx context.Context, seed uint64) (*shiftCell, error) {
	b, err := e.prepare(ctx, seed, "random")
	if err != nil {
		return nil, err
	}
	alone, err := b.alone.Scores(ctx, b.graphs)
	if err != nil {
		return nil, err
	}
	cell := &shiftCell{Seed: seed, NID: b.nID, Points: []shiftPoint{b.shiftPoint(columnAlone, single, alone)}}
	return cell, b.eachShare(func(share float64, t *testBatch, index []int) error {
		cell.Points = append(cell.Points, t.shiftPoint(columnAlone, share, pick(alone, index)))
		out, err := t.score(ctx, allOptions(seed), columnBatch)
		if err != nil {
			return err
		}
		for _, column := range []string{columnBatch, columnAttention} {
			cell.Points = append(cell.Points, t.shiftPoint(column, share, columnScores(column, out.rows)))
		}
		return nil
	})
}

// shiftPoint measures the scores of a batch. Half of the ID graphs give p-values to the
// others and to the OOD graphs.
func (b *testBatch) shiftPoint(column string, share float64, scores []float64) shiftPoint {
	tested, reference := b.halves(b.seed)
	asked := rateAsked(len(reference))
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
	if p.NOOD > 0 {
		p.Found = rate(shareUpTo(decide.PValues(scores[b.nID:], known), asked))
	}
	return p
}

// points are those of a column of a detector at a share, by seed, of the finished cells of
// pairs.
func (t *shifts) points(pairs []*pair, row rivalRow, share float64) []shiftPoint {
	var list []shiftPoint
	for _, p := range pairs {
		for _, cell := range t.cells[p][row.detector] {
			for _, x := range cell.Points {
				if x.Column == row.column && x.Share == share {
					list = append(list, x)
				}
			}
		}
	}
	return list
}

// A shiftEntry is an entry of shift.json.
type shiftEntry struct {
	Pair     string       `json:"pair"`
	Detector string       `json:"detector"`
	Batch    bool         `json:"batch"`
	Cells    []*shiftCell `json:"seeds"`
}

// values are the content of shift.json: the cells that are finished.
func (t *shifts) values() any {
	var list []shiftEntry
	for _, e := range t.bench.evaluations {
		for _, row := range t.detectors() {
			entry := shiftEntry{Pair: e.pair.name(), Detector: row.detector, Batch: row.batch}
			for _, cell := range t.cells[e.pair][row.detector] {
				if cell.Points != nil {
					entry.Cells = append(entry.Cells, cell)
				}
			}
			if entry.Cells != nil {
				list = append(list, entry)
			}
		}
	}
	return list
}

// detectors has one row for each detector, rows one for each column.
func (t *shifts) detectors() []rivalRow {
	var list []rivalRow
	for _, r := range t.bench.rivals {
		list = append(list, rivalRow{detector: r.Name, column: r.Name, title: r.Title, batch: r.Batch})
	}
	if t.bench.ours {
		list = append(list, rivalRow{detector: chooseOurs, column: columnAlone, title: "**ours, alone**"})
	}
	return list
}

// rows leave out detectors without a finished cell.
func (t *shifts) rows() []rivalRow {
	list := t.detectors()
	if t.bench.ours {
		list = append(list, rivalRow{chooseOurs, columnBatch, "**ours, batch**", true, nil}, rivalRow{chooseOurs, columnAttention, "BaCa's attention, here", true, nil})
	}
	return slices.DeleteFunc(list, func(row rivalRow) bool { return !t.finished(row.detector) })
}

// finished tells whether any cell of a detector is.
func (t *shifts) finished(detector string) bool {
	for _, cells := range t.cells {
		for _, cell := range cells[detector] {
			if cell.Points != nil {
				return true
			}
		}
	}
	return false
}

// figures: there are none.
func (t *shifts) figures() error { return nil }

// report writes everything for people.
func (t *shifts) report() *markdown {
	m := t.bench.heading("Shifts")
	m.text(`What chemists meet: OOD graphs from the same set, or from one of the same chemistry. In percent, OOD the positive class, means over the seeds.
@common and @rare: the most frequent scaffolds, and the others. @small and @large: the largest fifth is outside. @inner and @outer:
clusters of subtrees. @many and @few: two classes. OOD graphs are drawn by seed. Found: OOD graphs
with p of at most 5 %% (or the least that half of the ID test graphs resolve), by that half; alarms: ID graphs of the other half.

`)
	t.bench.progressLine(m)
	for _, share := range append([]float64{single}, shiftShares[1:]...) {
		title := fmt.Sprintf("%g %% of OOD graphs", 100*share)
		if share == single {
			title = "Each graph by itself"
		}
		m.text("## %s\n\n", title)
		t.shareTable(m, share)
	}
	t.meanTable(m)
	return m
}

// shareTable has AUROC and found for each pair.
func (t *shifts) shareTable(m *markdown, share float64) {
	m.text("AUROC / found:\n\n")
	head := []string{"detector", "sees"}
	for _, e := range t.bench.evaluations {
		head = append(head, e.pair.name())
	}
	table := m.tableOf(head...)
	for _, row := range t.rows() {
		if share == single && row.batch {
			continue
		}
		fields := []field{words("%s", row.title), words("%s", seesWord(row.batch))}
		for _, e := range t.bench.evaluations {
			list := t.points([]*pair{e.pair}, row, share)
			auroc, _ := meanOf(list, func(x shiftPoint) rate { return x.AUROC })
			found, _ := meanOf(list, func(x shiftPoint) rate { return x.Found })
			text := "–"
			if !math.IsNaN(auroc) {
				text = rate(auroc).percent(1) + " / " + rate(found).percent(0)
			}
			fields = append(fields, words("%s", text))
		}
		table.row(fields...)
	}
	m.text("\n")
}

// meanTable has means over all finished cells of a detector, by share.
func (t *shifts) meanTable(m *markdown) {
	m.text("## Means\n\nOver the finished cells of a detector: those of detectors that read molecules alone are of fewer pairs. AUROC, AUPR, FPR95, found, alarms.\n\n")
	head := []string{"detector"}
	for _, share := range append([]float64{single}, shiftShares...) {
		name := fmt.Sprintf("%g %%", 100*share)
		if share == single {
			name = "single"
		}
		head = append(head, name)
	}
	table := m.tableOf(append(head, "cells")...)
	var pairs []*pair
	for _, e := range t.bench.evaluations {
		pairs = append(pairs, e.pair)
	}
	for _, row := range t.rows() {
		fields := []field{words("%s", row.title)}
		for _, share := range append([]float64{single}, shiftShares...) {
			list, text := t.points(pairs, row, share), ""
			for _, of := range []func(shiftPoint) rate{
				func(x shiftPoint) rate { return x.AUROC }, func(x shiftPoint) rate { return x.AUPR }, func(x shiftPoint) rate { return x.FPR95 },
				func(x shiftPoint) rate { return x.Found }, func(x shiftPoint) rate { return x.Alarms },
			} {
				mean, _ := meanOf(list, of)
				text += " " + rate(mean).percent(0)
			}
			fields = append(fields, words("%s", text[1:]))
		}
		table.row(append(fields, words("%d", len(t.points(pairs, row, 0))))...)
	}
	m.text("\n")
}
