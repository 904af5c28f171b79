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
	columnPre        = "s_pre"      // S_Pre, negatives from the test batch
	columnPreBank    = "s_pre bank" // S_Pre, negatives from the ID bank
	columnGraph      = "l_g"        // ℓ_g alone, negatives from the test batch
	columnGraphBank  = "l_g bank"   // ℓ_g alone, negatives from the ID bank
	columnNode       = "l_n"        // ℓ_n alone
	columnNearest    = "nearest"    // distance to the nearest embedding of the ID bank
	columnPrint1     = "wl 1"       // 1 − Tanimoto to the most similar ID training graph
	columnPrint5     = "wl 5"       // … to the fifth most similar
	columnPrintCount = "wl counts"  // … to the most similar, with counts
	columnUnknown    = "wl unknown" // share of subtrees that no ID training graph has
	columnDistance   = "alone, no background"
	columnAlone      = algo.ByAlone       // the product's score of a graph by itself
	columnAttention  = algo.ByAttention   // the paper's S_BaCa
	columnBetter     = "attention_better" // S_BaCa with the batch's score as partition and base
	columnRatio      = "ratio"            // the density ratio alone
	columnBatch      = algo.ByBatch       // the product's score of a graph in its batch
	columnDefault    = "default"          // the decider of baca score: alone
)

var (
	// evalColumns are those of baca-paper eval, the default first.
	evalColumns = []string{columnAlone, columnBatch, columnAttention, columnBetter, columnRatio, columnPre}
	// batchColumns depend on the batch. One run gives all of them, columnBetter takes another.
	batchColumns = []string{columnPre, columnAttention, columnRatio, columnBatch}
	// gridColumns are those of the grid protocol.
	gridColumns = []string{columnAttention, columnRatio, columnBatch, columnDefault}
	// aloneColumns depend only on the graph.
	aloneColumns = []string{columnGraphBank, columnPreBank, columnNode, columnNearest, columnPrint1, columnPrint5, columnPrintCount, columnUnknown, columnDistance, columnAlone}
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
	m := b.model
	start := time.Now()
	r, err := contrast.Represent(ctx, 1, m.Encoder, b.graphs)
	if err != nil {
		return nil, err
	}
	encoding := time.Since(start).Seconds()
	bank, err := near.NewBank(ctx, 1, m.Bank, m.Subtrees, nil)
	if err != nil {
		return nil, err
	}
	typical, training := m.Bank.MeanNodeScore(), e.trained(b.seed)
	for _, c := range []struct {
		column string
		before float64 // seconds of preparation
		score  func() ([]float64, error)
	}{
		{columnGraphBank, encoding, func() ([]float64, error) {
			return m.Bank.Negatives().Scores(ctx, 1, r.ZF(), r.ZS(), false)
		}},
		{columnPreBank, encoding, func() ([]float64, error) {
			return contrast.BaseScores(ctx, 1, r, m.Bank.Negatives(), false, contrast.PlainTerms(m.Bank))
		}},
		{columnNode, encoding, func() ([]float64, error) { return nodeScores(r, typical), nil }},
		{columnNearest, encoding, func() ([]float64, error) {
			scores := make([]float64, r.Len())
			for i := range scores {
				scores[i] = slices.Min(bank.Embeddings(r.Q[i*r.Dim() : (i+1)*r.Dim()]))
			}
			return scores, nil
		}},
		{columnAlone, 0, func() ([]float64, error) { return b.alone.Scores(ctx, b.graphs) }},
		{columnDistance, 0, func() ([]float64, error) {
			plain := *m
			plain.Background, plain.Sizes = nil, nil
			return scoresAlone(ctx, &plain, b.graphs)
		}},
	} {
		start := time.Now()
		if l.scores[c.column], err = c.score(); err != nil {
			return nil, err
		}
		l.seconds[c.column] = c.before + time.Since(start).Seconds()
	}
	l.addPrints(training, b.graphs)
	return l, nil
}

// scoresAlone are the scores of single graphs by a model.
func scoresAlone(ctx context.Context, m *algo.Model, gs []*graph.Graph) ([]float64, error) {
	a, err := algo.NewSingleScorer(ctx, m, 1)
	if err != nil {
		return nil, err
	}
	return a.Scores(ctx, gs)
}

// nodeScores are ℓ_n, or typical where undefined.
func nodeScores(r *contrast.Representation, typical float64) []float64 {
	scores := slices.Clone(r.NodeScore)
	for i, x := range scores {
		if math.IsNaN(x) {
			scores[i] = typical
		}
	}
	return scores
}

// addPrints adds the columns of subtrees.
func (l *singleScores) addPrints(training, gs []*graph.Graph) {
	prints := make([]fingerprint.Print, len(training))
	for k, g := range training {
		prints[k] = fingerprint.New(g, fingerprint.DefaultHeight)
	}
	index := fingerprint.NewIndex(prints)
	start := time.Now()
	add := func(column string, likeness float64) { l.scores[column] = append(l.scores[column], 1-likeness) }
	for _, g := range gs {
		p := fingerprint.New(g, fingerprint.DefaultHeight)
		near := index.Nearest(fingerprint.Sets, p, 5)
		add(columnPrint1, near[0])
		add(columnPrint5, near[len(near)-1])
		add(columnPrintCount, index.Nearest(fingerprint.Counts, p, 1)[0])
		add(columnUnknown, index.Known(p))
	}
	for _, column := range []string{columnPrint1, columnPrint5, columnPrintCount, columnUnknown} {
		l.seconds[column] = time.Since(start).Seconds()
	}
}

// graphScore returns ℓ_g of a batch against itself.
func (b *testBatch) graphScore(ctx context.Context) ([]float64, error) {
	r, err := contrast.Represent(ctx, 1, b.model.Encoder, b.graphs)
	if err != nil {
		return nil, err
	}
	return r.Negatives().Scores(ctx, 1, r.ZF(), r.ZS(), true)
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
