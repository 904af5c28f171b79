package command

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/calibrate"
	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/weights"
)

// The columns of table 1 that the report shows by themselves. The statistics of
// package baseline come on top, each also with its deviation from the ID median.
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
	columnECFP       = "ecfp4 5"    // 1 − mean Tanimoto of ECFP4 to the five most similar ID training graphs
	columnDistance   = "alone, no background"
	columnFar        = "alone, far background" // … that holds nothing like a test graph, see farSimilarity
	columnAlone      = algo.ByAlone            // the product's score of a graph by itself
	columnAttention  = algo.ByAttention        // the paper's S_BaCa
	columnRatio      = "ratio"                 // the density ratio alone
	columnBatch      = algo.ByBatch            // the product's score of a graph in its batch
	columnDefault    = "default"               // what baca score decides by: alone
)

var (
	// evalColumns are those of baca eval, the default first.
	evalColumns = []string{columnAlone, columnBatch, columnAttention, columnRatio, columnPre}
	// batchColumns depend on the batch.
	batchColumns = []string{columnPre, columnAttention, columnRatio, columnBatch}
	// gridColumns are those of the grid protocol.
	gridColumns = []string{columnAttention, columnRatio, columnBatch, columnDefault}
	// aloneColumns depend on nothing but the graph.
	aloneColumns = []string{columnGraphBank, columnPreBank, columnNode, columnNearest, columnPrint1, columnPrint5, columnPrintCount, columnUnknown, columnECFP, columnDistance, columnFar, columnAlone}
)

// statisticColumns are the trivial ones.
func statisticColumns() []string {
	var names []string
	for _, s := range baseline.Statistics {
		names = append(names, s.Name, deviation(s.Name))
	}
	return names
}

func deviation(statistic string) string { return "|Δ " + statistic + "|" }

// A measured is what one column does on one batch.
type measured struct {
	Column  string `json:"column"`
	AUROC   rate   `json:"auroc"`
	Low     rate   `json:"auroc_low"` // 95 % bootstrap interval over the graphs; null where not asked for
	High    rate   `json:"auroc_high"`
	AUPR    rate   `json:"aupr"`
	FPR95   rate   `json:"fpr95"`
	FPR95ID rate   `json:"fpr95_id"` // with ID as the positive class
	Seconds rate   `json:"seconds"`
}

// bootstrapRounds are for 95 % intervals.
const bootstrapRounds = 500

// measureColumn compares the scores of a column with the truth.
func measureColumn(column string, scores []float64, ood []bool, seconds float64, interval bool, seed uint64) measured {
	m := measured{
		Column: column, AUROC: rate(metric.AUROC(scores, ood)), AUPR: rate(metric.AUPR(scores, ood)),
		FPR95: rate(metric.FPR95(scores, ood)), FPR95ID: rate(metric.FPR95ID(scores, ood)), Seconds: rate(seconds),
		Low: rate(math.NaN()), High: rate(math.NaN()),
	}
	if interval {
		low, high := metric.Bootstrap(scores, ood, metric.AUROC, bootstrapRounds, seed)
		m.Low, m.High = rate(low), rate(high)
	}
	return m
}

// statistics measures the trivial columns. The median is that of the ID graphs that
// were trained on.
func (e *evalFlags) statistics(b *testBatch) []measured {
	train, _ := dataset.Split(len(e.id.Graphs), b.seed)
	known := make([]*graph.Graph, len(train))
	for k, i := range train {
		known[k] = e.id.Graphs[i]
	}
	var list []measured
	for _, s := range baseline.Statistics {
		start := time.Now()
		values := s.Values(b.graphs)
		list = append(list, measureColumn(s.Name, values, b.ood, time.Since(start).Seconds(), false, 0))
		start = time.Now()
		d := baseline.Deviations(values, s.Values(known))
		list = append(list, measureColumn(deviation(s.Name), d, b.ood, time.Since(start).Seconds(), false, 0))
	}
	return list
}

// A lonely has the scores of single graphs, by column, of the graphs of a batch.
type lonely struct {
	scores  map[string][]float64
	seconds map[string]float64
}

// alone scores each graph of the batch by itself.
func (e *evalFlags) alone(ctx context.Context, b *testBatch) (*lonely, error) {
	l := &lonely{map[string][]float64{}, map[string]float64{}}
	m := b.model
	start := time.Now()
	r, err := contrast.Represent(ctx, 1, m.Encoder, b.graphs)
	if err != nil {
		return nil, err
	}
	encoding := time.Since(start).Seconds()
	add := func(column string, encoded bool, score func() ([]float64, error)) error {
		start := time.Now()
		scores, err := score()
		l.scores[column], l.seconds[column] = scores, time.Since(start).Seconds()
		if encoded {
			l.seconds[column] += encoding
		}
		return err
	}
	typical := m.Bank.MeanNodeScore()
	err = add(columnGraphBank, true, func() ([]float64, error) {
		return m.Bank.Negatives().Scores(ctx, 1, r.ZF, r.ZS, false)
	})
	if err != nil {
		return nil, err
	}
	err = add(columnPreBank, true, func() ([]float64, error) {
		scores, _, err := contrast.BaseScores(ctx, 1, r, m.Bank.Negatives(), false, typical)
		return scores, err
	})
	if err != nil {
		return nil, err
	}
	err = add(columnNode, true, func() ([]float64, error) {
		scores := make([]float64, r.Len())
		for i, x := range r.NodeScore {
			if scores[i] = x; math.IsNaN(x) {
				scores[i] = typical
			}
		}
		return scores, nil
	})
	if err != nil {
		return nil, err
	}
	near, err := calibrate.NewNeighborhood(ctx, 1, m.Bank)
	if err != nil {
		return nil, err
	}
	err = add(columnNearest, true, func() ([]float64, error) {
		scores := make([]float64, r.Len())
		for i := range scores {
			scores[i] = slices.Min(near.Distances(r, i))
		}
		return scores, nil
	})
	if err != nil {
		return nil, err
	}
	err = add(columnAlone, false, func() ([]float64, error) {
		return b.alone.Scores(ctx, b.graphs)
	})
	if err != nil {
		return nil, err
	}
	err = add(columnDistance, false, func() ([]float64, error) {
		plain := *m
		plain.Background, plain.Sizes = nil, nil
		a, err := algo.NewAlone(ctx, &plain, 1)
		if err != nil {
			return nil, err
		}
		return a.Scores(ctx, b.graphs)
	})
	if err != nil {
		return nil, err
	}
	train, _ := dataset.Split(len(e.id.Graphs), b.seed)
	err = add(columnFar, false, func() ([]float64, error) { return e.farBackground(ctx, m, train, b.graphs) })
	if err != nil {
		return nil, err
	}
	err = add(columnECFP, false, func() ([]float64, error) { return e.chemists(ctx, train, b.graphs) })
	if err != nil {
		return nil, err
	}
	prints := make([]fingerprint.Print, len(train))
	for k, i := range train {
		prints[k] = fingerprint.New(e.id.Graphs[i], fingerprint.DefaultHeight)
	}
	index := fingerprint.NewIndex(prints)
	start = time.Now()
	for _, g := range b.graphs {
		p := fingerprint.New(g, fingerprint.DefaultHeight)
		near := index.Nearest(fingerprint.Sets, p, 5, -1)
		l.scores[columnPrint1] = append(l.scores[columnPrint1], 1-near[0])
		l.scores[columnPrintCount] = append(l.scores[columnPrintCount], 1-index.Nearest(fingerprint.Counts, p, 1, -1)[0])
		l.scores[columnPrint5] = append(l.scores[columnPrint5], 1-near[len(near)-1])
		l.scores[columnUnknown] = append(l.scores[columnUnknown], 1-index.Known(p))
	}
	for _, column := range []string{columnPrint1, columnPrint5, columnPrintCount, columnUnknown} {
		l.seconds[column] = time.Since(start).Seconds()
	}
	return l, nil
}

// chemists returns the applicability domain that chemists use: one less the mean
// similarity to the five nearest training molecules. Plain graphs have none.
func (e *evalFlags) chemists(ctx context.Context, train []int, gs []*graph.Graph) ([]float64, error) {
	scores := slices.Repeat([]float64{math.NaN()}, len(gs))
	if e.idSchema == algo.Constant || e.ecfp == nil {
		return scores, nil
	}
	wanted := slices.Clone(gs)
	for _, i := range train {
		wanted = append(wanted, e.id.Graphs[i])
	}
	prints, err := e.ecfp(ctx, wanted)
	if err != nil {
		return nil, err
	}
	index := fingerprint.NewIndex(prints[len(gs):])
	for i, p := range prints[:len(gs)] {
		sum := 0.0
		near := index.Nearest(fingerprint.Sets, p, 5, -1)
		for _, x := range near {
			sum += x
		}
		scores[i] = 1 - sum/float64(len(near))
	}
	return scores, nil
}

// farSimilarity is the Tanimoto similarity of ECFP4 from which on a molecule of the
// background is left out of farBackground.
const farSimilarity = 0.7

// farBackground returns the scores of single graphs with a background without the
// molecules that are like one of the graphs: what the background is worth where it has
// never seen anything of the kind. Plain graphs have none.
func (e *evalFlags) farBackground(ctx context.Context, m *algo.Model, train []int, gs []*graph.Graph) ([]float64, error) {
	if e.idSchema == algo.Constant || e.ecfp == nil {
		return slices.Repeat([]float64{math.NaN()}, len(gs)), nil
	}
	prints, err := e.ecfp(ctx, gs)
	if err != nil {
		return nil, err
	}
	molecules, err := readBackground()
	if err != nil {
		return nil, err
	}
	far := farFrom(molecules, prints)
	training := make([]*graph.Graph, len(train))
	for k, i := range train {
		training[k] = e.id.Graphs[i]
	}
	other := *m
	if err := other.AddBackground(ctx, 1, training, far); err != nil {
		return nil, err
	}
	a, err := algo.NewAlone(ctx, &other, 1)
	if err != nil {
		return nil, err
	}
	return a.Scores(ctx, gs)
}

// farFrom returns the graphs of the molecules that are like none of those with these
// ECFP4.
func farFrom(molecules []backgroundMolecule, prints []fingerprint.Print) []*graph.Graph {
	index := fingerprint.NewIndex(prints)
	var far []*graph.Graph
	for _, b := range molecules {
		if index.Nearest(fingerprint.Sets, b.ecfp, 1, -1)[0] < farSimilarity {
			far = append(far, b.graph)
		}
	}
	return far
}

// A backgroundMolecule is one of the built-in background.
type backgroundMolecule struct {
	graph *graph.Graph
	ecfp  fingerprint.Print
}

// readBackground returns the built-in background.
var readBackground = sync.OnceValues(func() ([]backgroundMolecule, error) {
	var list []backgroundMolecule
	for r, err := range dataset.Records(weights.Background(), dataset.Options{Format: dataset.SMI}) {
		if err != nil {
			return nil, err
		}
		m, err := r.Parse()
		if err != nil {
			return nil, err
		}
		list = append(list, backgroundMolecule{m.Graph(), baseline.ECFP(m, 2)})
	}
	return list, nil
})

// graphScore returns ℓ_g of a batch against itself.
func (b *testBatch) graphScore(ctx context.Context) ([]float64, error) {
	r, err := contrast.Represent(ctx, 1, b.model.Encoder, b.graphs)
	if err != nil {
		return nil, err
	}
	return r.Negatives().Scores(ctx, 1, r.ZF, r.ZS, true)
}

// columnOptions are those of the product for a column, with everything on one
// goroutine. The attention is trained only where it is asked for: nothing else depends on
// it.
func columnOptions(column string, seed uint64) algo.Options {
	o := algo.DefaultOptions()
	o.Seed, o.Workers = seed, 1
	if column != columnAttention {
		o.Attention.Steps = 0
	}
	return o
}

// allOptions are those for one run that has all of batchColumns in its rows.
func allOptions(seed uint64) algo.Options { return columnOptions(columnAttention, seed) }

// columnScores are the scores of a column in the rows of a batch.
func columnScores(column string, rows []algo.Row) []float64 {
	scores := make([]float64, len(rows))
	for i, r := range rows {
		switch column {
		case columnPre:
			scores[i] = r.Pre
		case columnAttention:
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

// thinned returns the indices of the batch that stay when its OOD graphs are thinned
// to a share of the number of ID graphs: all of ID, and OOD graphs drawn by seed.
func (b *testBatch) thinned(share float64, draw uint64) ([]int, error) {
	var index, ood []int
	for i := range b.graphs {
		if b.ood[i] {
			ood = append(ood, i)
		} else {
			index = append(index, i)
		}
	}
	kept, err := dataset.Thin(ood, b.nID, share, draw)
	return append(index, kept...), err
}

// pick returns the batch with some of its graphs, those of ID first.
func (b *testBatch) pick(index []int) *testBatch {
	t := &testBatch{seed: b.seed, model: b.model, alone: b.alone}
	for _, i := range index {
		t.graphs, t.ood = append(t.graphs, b.graphs[i]), append(t.ood, b.ood[i])
		if !b.ood[i] {
			t.nID++
		}
	}
	return t
}

// pickScores returns the scores of some graphs.
func pickScores(scores []float64, index []int) []float64 {
	picked := make([]float64, len(index))
	for k, i := range index {
		picked[k] = scores[i]
	}
	return picked
}

// An alarm is how often ID graphs were called outside, at the rate asked for.
type alarm struct{ rate, asked float64 }

// halves parts the ID graphs of a batch at random, by draw, into those that are tested
// for false alarms and a holdout for their p-values. These are halves, or fewer are
// held where the rest would not make a batch.
func (b *testBatch) halves(draw uint64) (tested, held []int) {
	count := b.nID / 2
	if b.nID > algo.MinBatch+5 {
		count = max(count, algo.MinBatch)
	}
	order := rand.New(rand.NewPCG(draw, alarmStream)).Perm(b.nID)
	tested, held = slices.Clone(order[:count]), order[count:] // callers append
	slices.Sort(tested)
	return tested, held
}

// rateAsked is the rate of false alarms that is asked for: the default, or the lowest
// that the holdout resolves.
func rateAsked(held int) float64 { return max(algo.DefaultOptions().Alpha, 1/float64(1+held)) }

// alarmed counts the p-values of ID graphs that are called outside.
func alarmed(p []float64, asked float64) alarm {
	count := 0
	for _, v := range p {
		if v <= asked {
			count++
		}
	}
	return alarm{float64(count) / float64(len(p)), asked}
}

// falseAlarms thins a batch to a share of OOD graphs and scores it with the holdout of
// halves taken out, by each of batchColumns. The batch calls outside as its verdicts do.
func (b *testBatch) falseAlarms(ctx context.Context, share float64, draw uint64) (map[string]alarm, error) {
	index, heldIndex := b.halves(draw)
	for i := b.nID; i < len(b.graphs); i++ {
		index = append(index, i)
	}
	t := b.pick(index)
	left, err := t.thinned(share, draw)
	if err != nil {
		return nil, err
	}
	t = t.pick(left)
	held := make([]*graph.Graph, len(heldIndex))
	for k, i := range heldIndex {
		held[k] = b.graphs[i]
	}
	m := *t.model
	if err := m.SetHoldout(ctx, 1, held); err != nil {
		return nil, err
	}
	t.model = &m
	if t.alone, err = b.alone.WithHoldout(ctx, &m); err != nil {
		return nil, err
	}
	o := allOptions(b.seed)
	o.Alpha = rateAsked(len(held))
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
			if column == columnBatch && out.rows[i].AloneP > algo.Guard {
				v = 1
			}
			if !t.ood[i] {
				p = append(p, v)
			}
		}
		alarms[column] = alarmed(p, o.Alpha)
	}
	return alarms, nil
}

// falseAlarmsAlone is falseAlarms for scores that do not depend on a batch.
func (b *testBatch) falseAlarmsAlone(scores []float64, draw uint64) alarm {
	tested, held := b.halves(draw)
	return alarmed(decide.PValues(pickScores(scores, tested), pickScores(scores, held)), rateAsked(len(held)))
}

// alarmStream is the second half of the seed of the ID graphs that are tested for
// false alarms.
const alarmStream = 0xba1a_1003
