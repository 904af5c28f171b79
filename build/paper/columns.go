package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/metric"
)

// Columns of table 1 with their own rows. The statistics of package baseline are added, each also
// as deviation from the ID median.
const (
	columnPre       = "s_pre" // S_Pre, negatives from the test batch
	columnDistance  = "alone, no background"
	columnAlone     = algo.ByAlone       // the product's score of a graph by itself
	columnAttention = algo.ByAttention   // the paper's S_BaCa
	columnBetter    = "attention_better" // S_BaCa with the batch's score as partition and base
	columnRatio     = "ratio"            // the density ratio alone
	columnBatch     = algo.ByBatch       // the product's score of a graph in its batch
	columnDefault   = "default"          // the decider of baca score: alone
)

var (
	// evalColumns are those of baca-paper eval, the default first.
	evalColumns = []string{columnAlone, columnBatch, columnAttention, columnBetter, columnRatio, columnPre}
	// gridColumns are those of the grid protocol.
	gridColumns = []string{columnAttention, columnRatio, columnBatch, columnDefault}
)

// statisticColumns are the trivial columns.
func statisticColumns() []string {
	var names []string
	for _, s := range baseline.Statistics() {
		names = append(names, s.Name, deviation(s.Name))
	}
	return names
}

func deviation(statistic string) string { return "|Δ " + statistic + "|" }

// A measured is the result of one column on one batch.
type measured struct {
	Column  string `json:"column"`
	AUROC   rate   `json:"auroc"`
	AUPR    rate   `json:"aupr"`
	FPR95   rate   `json:"fpr95"`
	FPR95ID rate   `json:"fpr95_id"` // with ID as the positive class
	Seconds rate   `json:"seconds"`
}

// measureColumn compares a column's scores with the truth.
func measureColumn(column string, scores []float64, ood []bool, seconds float64) measured {
	return measured{
		Column: column, AUROC: rate(metric.AUROC(scores, ood)), AUPR: rate(metric.AUPR(scores, ood)),
		FPR95: rate(metric.FPR95(scores, ood)), FPR95ID: rate(metric.FPR95ID(scores, ood)), Seconds: rate(seconds),
	}
}

// statistics measures the trivial columns. The median is of ID training graphs.
func (e *evaluation) statistics(b *testBatch) []measured {
	known := e.trained(b.seed)
	var list []measured
	for _, s := range baseline.Statistics() {
		start := time.Now()
		values := s.Values(b.graphs)
		d := baseline.Deviations(values, s.Values(known))
		seconds := time.Since(start).Seconds()
		list = append(list, measureColumn(s.Name, values, b.ood, seconds), measureColumn(deviation(s.Name), d, b.ood, seconds))
	}
	return list
}

// columnOf are the scores of a column.
func (b *testBatch) columnOf(ctx context.Context, column string) ([]float64, error) {
	if column == columnAlone || column == columnDefault {
		return b.alone.Scores(ctx, b.graphs)
	}
	out, err := b.score(ctx, columnOptions(column, b.seed), column)
	if err != nil {
		return nil, err
	}
	return out.scores, nil
}

// measureRows measures columns of one run, each also without known OOD graphs.
func (e *evaluation) measureRows(b *testBatch, out *outcome, columns ...string) (list []measured) {
	unknown := e.unknown(b)
	for _, column := range columns {
		scores := columnScores(column, out.rows)
		list = append(list, measureColumn(column, scores, b.ood, out.seconds), b.measureNew(column, scores, unknown))
	}
	return list
}

// newOnly names a column measured without the OOD graphs that equal a graph trained on,
// which no score can know to be outside.
func newOnly(column string) string { return column + ", new graphs" }

// measureNew measures a column on the places of a batch without such graphs.
func (b *testBatch) measureNew(column string, scores []float64, unknown []int) measured {
	return measureColumn(newOnly(column), pick(scores, unknown), pick(b.ood, unknown), math.NaN())
}

// unknown are the places of a batch without its OOD graphs that equal a graph trained on.
func (e *evaluation) unknown(b *testBatch) []int {
	trained := map[[2]uint64]bool{}
	for _, g := range e.trained(b.seed) {
		trained[explain.Signature(g)] = true
	}
	return slices.DeleteFunc(indices(len(b.graphs)), func(i int) bool { return b.ood[i] && trained[explain.Signature(b.graphs[i])] })
}

// columnOptions are the product's options for a column, on one goroutine. The attention is trained
// only if needed.
func columnOptions(column string, seed uint64) algo.Options {
	o := algo.DefaultOptions()
	o.Seed, o.Workers = seed, 1
	switch column {
	case columnAttention:
	case columnBetter:
		o = o.PartedByBatch()
	default:
		o.Attention.Steps = 0
	}
	return o
}

// allOptions give all batchColumns in one run.
func allOptions(seed uint64) algo.Options { return columnOptions(columnAttention, seed) }

// columnScores are the scores of a column in the rows of a batch.
func columnScores(column string, rows []algo.Row) []float64 {
	scores := make([]float64, len(rows))
	for i, r := range rows {
		switch column {
		case columnPre:
			scores[i] = r.Pre
		case columnAttention, columnBetter:
			scores[i] = r.BaCa
		case columnRatio:
			scores[i] = r.Ratio
		case columnBatch:
			scores[i] = r.Batch
		default:
			scores[i] = r.Alone
		}
	}
	return scores
}

// thinned returns the indices that stay when OOD graphs are thinned to a share of the ID graphs,
// drawn by seed.
func (b *testBatch) thinned(share float64, draw uint64) ([]int, error) {
	all := indices(len(b.graphs))
	kept, err := dataset.Thin(all[b.nID:], b.nID, share, draw)
	return slices.Concat(all[:b.nID], kept), err
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// pick returns the batch with some graphs, ID first.
func (b *testBatch) pick(index []int) *testBatch {
	t := &testBatch{seed: b.seed, model: b.model, alone: b.alone, graphs: pick(b.graphs, index), ood: pick(b.ood, index)}
	for _, outside := range t.ood {
		if !outside {
			t.nID++
		}
	}
	return t
}

// halves divides a batch's ID graphs by draw into tested ones and a holdout, with fewer held out if
// the rest would make no batch.
func (b *testBatch) halves(draw uint64) (tested, reference []int) {
	count := b.nID / 2
	if b.nID > algo.MinBatch+5 {
		count = max(count, algo.MinBatch)
	}
	order := rand.New(rand.NewPCG(draw, alarmStream)).Perm(b.nID)
	tested, reference = slices.Clone(order[:count]), order[count:] // callers append
	slices.Sort(tested)
	return tested, reference
}

// rateAsked is the default false alarm rate, or the lowest that the holdout resolves.
func rateAsked(references int) float64 {
	return max(algo.DefaultOptions().Alpha, 1/float64(1+references))
}

// countUpTo counts values up to a limit.
func countUpTo(values []float64, limit float64) int {
	count := 0
	for _, v := range values {
		if v <= limit {
			count++
		}
	}
	return count
}

// shareUpTo is the share of values up to a limit.
func shareUpTo(values []float64, limit float64) float64 {
	return float64(countUpTo(values, limit)) / float64(len(values))
}

// alarmStream is the PCG stream of tested ID graphs.
const alarmStream = 0xba1a_1003
