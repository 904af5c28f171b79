package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/metric"
	"baca/build/internal/try"
)

// Columns of table 1 with their own rows. The statistics of package baseline are added, each also
// as deviation from the ID median.
const (
	columnPre       = "s_pre" // S_Pre, negatives from the test batch
	columnDistance  = "alone, no background"
	columnAlone     = algo.ByAlone     // the product's score of a graph by itself
	columnAttention = algo.ByAttention // the paper's S_BaCa
	columnRatio     = "ratio"          // the density ratio alone
	columnBatch     = algo.ByBatch     // the product's score of a graph in its batch
)

// evalColumns are those of baca-paper eval, the default first.
var evalColumns = []string{columnAlone, columnBatch, columnAttention, columnRatio, columnPre}

// statisticColumns are the trivial columns.
func statisticColumns() []string {
	var names []string
	for _, s := range baseline.Statistics() {
		names = append(names, s.Name, deviation(s.Name))
	}
	return names
}

// deviation names the column of a statistic's distance from its median on ID training graphs.
func deviation(statistic string) string { return "|Δ " + statistic + "|" }

// A measured is the result of one column on one batch.
type measured struct {
	Column string `json:"column"`
	measures
}

type measures struct {
	AUROC   rate `json:"auroc"`
	AUPR    rate `json:"aupr"`
	FPR95   rate `json:"fpr95"`
	FPR95ID rate `json:"fpr95_id"` // with ID as the positive class
	Seconds rate `json:"seconds"`
}

// A scored is a column's scores of graphs.
type scored struct {
	column  string
	scores  []float64
	seconds float64
}

// measure compares scores with the truth.
func (s scored) measure(ood []bool) measured {
	return measured{s.column, measures{
		rate(metric.AUROC(s.scores, ood)), rate(metric.AUPR(s.scores, ood)),
		rate(metric.FPR95(s.scores, ood)), rate(metric.FPR95ID(s.scores, ood)), rate(s.seconds),
	}}
}

// columns measures the named columns on a batch, all from one run: first statistics, each followed by its deviation, then scores,
// each followed by the same without known graphs, see measureNew. It ends with an error for fewer than algo.MinBatch graphs.
func (b *testBatch) columns(ctx context.Context, columns ...string) (list []measured) {
	if n := len(b.graphs); n < algo.MinBatch {
		try.Check(fmt.Errorf("%d graphs are tested, which are no batch: want at least %d, as from two sets of 100", n, algo.MinBatch))
	}
	out := b.score(ctx, allOptions(b.seed), columnAlone)
	known := b.of.trained(b.seed)
	for _, s := range baseline.Statistics() {
		if !slices.Contains(columns, s.Name) {
			continue
		}
		start := time.Now()
		values := s.Values(b.graphs)
		d := baseline.Deviations(values, s.Values(known)) // from the median of ID training graphs
		seconds := time.Since(start).Seconds()
		list = append(list, scored{s.Name, values, seconds}.measure(b.ood), scored{deviation(s.Name), d, seconds}.measure(b.ood))
	}
	var own []scored
	for _, column := range columns {
		if !slices.Contains(statisticColumns(), column) {
			own = append(own, scored{column, columnScores(column, out.rows), out.seconds})
		}
	}
	return append(list, b.measureNew(own)...)
}

// newOnly names a column that is measured without OOD graphs that equal a training graph:
// no score can know that these are outside.
func newOnly(column string) string { return column + ", new graphs" }

// measureNew measures columns on the whole batch, and each also as newOnly names it, which has no seconds.
func (b *testBatch) measureNew(columns []scored) (list []measured) {
	unknown := b.unknown()
	for _, s := range columns {
		fresh := scored{newOnly(s.column), pick(s.scores, unknown), math.NaN()}
		list = append(list, s.measure(b.ood), fresh.measure(pick(b.ood, unknown)))
	}
	return list
}

// unknown returns the indices of a batch's graphs except of OOD graphs that equal a training graph.
func (b *testBatch) unknown() []int {
	trained := map[[2]uint64]bool{}
	for _, g := range b.of.trained(b.seed) {
		trained[explain.Signature(g)] = true
	}
	return slices.DeleteFunc(indices(len(b.graphs)), func(i int) bool { return b.ood[i] && trained[explain.Signature(b.graphs[i])] })
}

// columnOptions are the product's options for a column, on one goroutine. The attention is trained only if needed.
func columnOptions(column string, seed uint64) algo.Options {
	o := algo.DefaultOptions()
	o.Seed, o.Workers = seed, 1
	if column != columnAttention {
		o.Attention.Steps = 0
	}
	return o
}

// allOptions returns the options by which one run gives all columns.
func allOptions(seed uint64) algo.Options { return columnOptions(columnAttention, seed) }

// scoreOf has the score that a column shows of a row. A column that is not here shows the score of the graph by itself.
var scoreOf = map[string]func(algo.Row) float64{
	columnPre:       func(r algo.Row) float64 { return r.Pre },
	columnAttention: func(r algo.Row) float64 { return r.BaCa },
	columnRatio:     func(r algo.Row) float64 { return r.Ratio },
	columnBatch:     func(r algo.Row) float64 { return r.Batch },
}

// columnScores returns the scores of a column in the rows of a batch.
func columnScores(column string, rows []algo.Row) []float64 {
	if of := scoreOf[column]; of != nil {
		return mapped(rows, of)
	}
	return mapped(rows, func(r algo.Row) float64 { return r.Alone })
}

// thinned returns the indices that stay when OOD graphs are thinned to a share of the ID graphs, drawn by seed: all ID graphs,
// then the drawn OOD graphs.
func (b *testBatch) thinned(share float64, draw uint64) []int {
	all := indices(len(b.graphs))
	return slices.Concat(all[:b.nID], try.To(dataset.Thin(all[b.nID:], b.nID, share, draw)))
}

// indices returns 0, …, n−1.
func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// pick returns the batch of the graphs at index, in that order. ID graphs must come first.
func (b *testBatch) pick(index []int) *testBatch {
	t := &testBatch{of: b.of, seed: b.seed, model: b.model, alone: b.alone, graphs: pick(b.graphs, index), ood: pick(b.ood, index)}
	for _, outside := range t.ood {
		if !outside {
			t.nID++
		}
	}
	return t
}

// halves divides the indices of a batch's ID graphs at random into tested ones, ascending, and a holdout. If half would be fewer
// than MinBatch, MinBatch are tested, as long as that leaves six for the holdout.
func (b *testBatch) halves(draw uint64) (tested, reference []int) {
	count := b.nID / 2
	if b.nID > algo.MinBatch+5 {
		count = max(count, algo.MinBatch)
	}
	order := rand.New(rand.NewPCG(draw, alarmStream)).Perm(b.nID)
	tested, reference = order[:count], order[count:]
	slices.Sort(tested)
	return tested, reference
}

// shareUpTo returns the share of values up to a limit, NaN for no values.
func shareUpTo(values []float64, limit float64) float64 {
	count := 0.0
	for _, v := range values {
		if v <= limit {
			count++
		}
	}
	return count / float64(len(values))
}

// alarmStream is the PCG stream that halves draws from.
const alarmStream = 0xba1a_1003
