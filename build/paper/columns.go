package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/near"
)

// Columns of table 1 with their own rows. The statistics of package baseline are added, each also
// as deviation from the ID median.
const (
	columnPre       = "s_pre"   // S_Pre, negatives from the test batch
	columnNearest   = "nearest" // distance to the nearest embedding of the ID bank
	columnPrint1    = "wl 1"    // 1 − Tanimoto to the most similar ID training graph
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
	// batchColumns depend on the batch. One run gives all of them, columnBetter takes another.
	batchColumns = []string{columnPre, columnAttention, columnRatio, columnBatch}
	// gridColumns are those of the grid protocol.
	gridColumns = []string{columnAttention, columnRatio, columnBatch, columnDefault}
	// aloneColumns depend only on the graph.
	aloneColumns = []string{columnNearest, columnPrint1, columnAlone}
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
		list = append(list, measureColumn(s.Name, values, b.ood, time.Since(start).Seconds()))
		start = time.Now()
		d := baseline.Deviations(values, s.Values(known))
		list = append(list, measureColumn(deviation(s.Name), d, b.ood, time.Since(start).Seconds()))
	}
	return list
}

// singleScores are scores of single graphs by column.
type singleScores struct {
	scores  map[string][]float64
	seconds map[string]float64
}

// alone scores each graph of the batch by itself.
func (e *evaluation) alone(ctx context.Context, b *testBatch) (*singleScores, error) {
	l := &singleScores{map[string][]float64{}, map[string]float64{}}
	for column, score := range map[string]func() ([]float64, error){
		columnNearest: func() ([]float64, error) { return b.nearestEmbeddings(ctx) },
		columnPrint1:  func() ([]float64, error) { return nearestPrints(e.trained(b.seed), b.graphs), nil },
		columnAlone:   func() ([]float64, error) { return b.alone.Scores(ctx, b.graphs) },
	} {
		start := time.Now()
		var err error
		if l.scores[column], err = score(); err != nil {
			return nil, err
		}
		l.seconds[column] = time.Since(start).Seconds()
	}
	return l, nil
}

// nearestEmbeddings are the distances to the nearest embeddings of the ID bank.
func (b *testBatch) nearestEmbeddings(ctx context.Context) ([]float64, error) {
	r, err := contrast.Represent(ctx, 1, b.model.Encoder, b.graphs)
	if err != nil {
		return nil, err
	}
	bank, err := near.NewBank(ctx, 1, b.model.Bank, b.model.Subtrees, nil)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, r.Len())
	for i := range scores {
		scores[i] = slices.Min(bank.Embeddings(r.Q[i*r.Dim() : (i+1)*r.Dim()]))
	}
	return scores, nil
}

// nearestPrints are 1 − Tanimoto of subtrees to the most similar training graphs.
func nearestPrints(training, gs []*graph.Graph) []float64 {
	index := fingerprint.NewIndex(mapped(training, printOf))
	return mapped(gs, func(g *graph.Graph) float64 { return 1 - index.Nearest(fingerprint.Sets, printOf(g), 1)[0] })
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

// An alarm is the rate of ID graphs called outside, and the rate asked for.
type alarm struct{ rate, asked float64 }

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

// falseAlarms thins a batch and scores it without the held-out half, by each of batchColumns. The
// batch uses its verdicts.
func (b *testBatch) falseAlarms(ctx context.Context, share float64, draw uint64) (map[string]alarm, error) {
	index, referenceIndex := b.halves(draw)
	t := b.pick(append(index, indices(len(b.graphs))[b.nID:]...))
	left, err := t.thinned(share, draw)
	if err != nil {
		return nil, err
	}
	t = t.pick(left)
	reference := pick(b.graphs, referenceIndex)
	m := *t.model
	if err := m.SetHoldout(ctx, 1, reference); err != nil {
		return nil, err
	}
	t.model = &m
	if t.alone, err = b.alone.WithHoldout(ctx, &m); err != nil {
		return nil, err
	}
	o := allOptions(b.seed)
	o.Alpha = rateAsked(len(reference))
	out, err := t.score(ctx, o, columnBatch)
	if err != nil {
		return nil, err
	}
	alarms := map[string]alarm{}
	for _, column := range batchColumns {
		if math.IsNaN(out.rows[0].Batch) { // too few for a batch
			alarms[column] = alarm{math.NaN(), o.Alpha}
			continue
		}
		var p []float64
		for i, v := range decide.PValues(columnScores(column, out.rows), columnScores(column, out.holdout)) {
			switch {
			case column == columnAttention:
				v = algo.PaperP(v, out.rows[i].AloneP)
			case column == columnBatch && out.rows[i].AloneP > algo.Guard:
				v = 1
			}
			if !t.ood[i] {
				p = append(p, v)
			}
		}
		alarms[column] = alarm{shareUpTo(p, o.Alpha), o.Alpha}
	}
	return alarms, nil
}

// falseAlarmsAlone is falseAlarms for scores of single graphs. The rate is NaN for a column without
// scores.
func (b *testBatch) falseAlarmsAlone(scores []float64, draw uint64) alarm {
	tested, reference := b.halves(draw)
	asked := rateAsked(len(reference))
	if math.IsNaN(slices.Max(scores)) {
		return alarm{math.NaN(), asked}
	}
	return alarm{shareUpTo(decide.PValues(pick(scores, tested), pick(scores, reference)), asked), asked}
}

// alarmStream is the PCG stream of tested ID graphs.
const alarmStream = 0xba1a_1003
