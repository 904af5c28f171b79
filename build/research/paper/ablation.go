package paper

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/batch"
	"baca/algo/contrast"
	"baca/algo/metric"
	"baca/build/internal/try"
)

// A variant is a row of the ablation: the method with other options, or another score from the run of the first variant.
type variant struct {
	name  string
	apply func(*algo.Options)                                   // changes the options; nil for none
	score func(context.Context, *testBatch, *outcome) []float64 // from the first variant's outcome; nil to run the method
}

// partial returns a variant's score: S_BaCa with part(Score) in place of the attention's whole score.
func partial(part func(attention.Score) float64) func(context.Context, *testBatch, *outcome) []float64 {
	return func(ctx context.Context, b *testBatch, out *outcome) []float64 {
		r := try.To(contrast.Represent(ctx, 1, b.model.Encoder, b.graphs))
		pre, attn := columnScores(columnPre, out.rows), make([]float64, r.Len())
		for k, i := range out.order { // graph i of the batch was the scorer's k-th
			attn[i] = part(out.scorer.Attention().Explain(r.Q[i*r.Dim():(i+1)*r.Dim()], k).Score)
		}
		return batch.Add(algo.DefaultOptions().Beta, pre, attn).Of(pre, attn)
	}
}

// ablations remove one thing from the attention at a time. Without either dictionary S_Pre is left.
var ablations = []variant{
	{name: "full"},
	{name: "ID dictionary only", score: partial(func(s attention.Score) float64 { return -s.In })},
	{name: "OOD dictionary only", score: partial(func(s attention.Score) float64 { return s.Out })},
	{name: "neither dictionary", apply: func(o *algo.Options) { o.Beta, o.Attention.Steps = 0, 0 }},
	{name: "no graphon samples", apply: func(o *algo.Options) { o.Attention.Synthetic = 0 }},
	// A step of this length moves no weight.
	{name: "no attention training", apply: func(o *algo.Options) { o.Attention.LearningRate = 1e-30 }},
	{name: "no samples, no training", apply: func(o *algo.Options) { o.Attention.Synthetic, o.Attention.Steps = 0, 0 }},
	{name: "no ID training bank", apply: func(o *algo.Options) { o.Attention.Training = 0 }},
}

func ablation() *experiment {
	return &experiment{
		name: "ablation", read: readAs[ablationColumns], measure: measureAblation,
		short: "What each part of the attention is worth",
		flags: slices.Concat(pairwise, [][2]string{{"pairs", "paper"}}),
	}
}

// measureAblation returns the AUROC of each variant, by pair and then seed.
func measureAblation(ctx context.Context, b *bench) result {
	columns := ablationColumns(mapped(ablations, func(v variant) ablationColumn { return ablationColumn{v.name, map[string][]rate{}} }))
	p := &plan{bench: b}
	eachBatch(p, "ablation", (*testBatch).ablationCell, func(e *evaluation, auroc []rate) {
		for k, x := range auroc {
			pairs := columns[k].Pairs
			pairs[e.pair.name()] = append(pairs[e.pair.name()], x)
		}
	})
	p.do(ctx)
	return columns
}

// ablationCell returns the AUROC of each variant on a batch, in the order of ablations.
func (b *testBatch) ablationCell(ctx context.Context) (auroc []rate) {
	var first *outcome
	for _, v := range ablations {
		var scores []float64
		if v.score != nil {
			scores = v.score(ctx, b, first)
		} else {
			o := columnOptions(columnAttention, b.seed)
			if v.apply != nil {
				v.apply(&o)
			}
			out := b.score(ctx, o, columnAttention)
			first, scores = cmp.Or(first, out), out.scores // first stays that of the first variant
		}
		auroc = append(auroc, rate(metric.AUROC(scores, b.ood)))
	}
	return auroc
}

// An ablationColumn is a variant's AUROC of each pair, by seed.
type ablationColumn struct {
	Name  string            `json:"name"`
	Pairs map[string][]rate `json:"pairs"`
}

// mean returns the mean over pairs of the means over seeds.
func (c ablationColumn) mean() float64 {
	var list []float64
	for _, name := range slices.Sorted(maps.Keys(c.Pairs)) {
		list = append(list, float64(mean(c.Pairs[name])))
	}
	return mean(list)
}

// ablationColumns are the content of ablation.json.
type ablationColumns []ablationColumn

func (l ablationColumns) page() *page {
	return &page{
		title: "Ablation",
		question: fmt.Sprintf(`What is each part of S_BaCa worth? One is taken away at a time; the first OOD graphs. AUROC in percent, means
over %d pairs and the seeds.`, len(l[0].Pairs)),
		tables: []*pageTable{tabulate("", []string{"variant", "AUROC"}, l, func(c ablationColumn) []any { return []any{c.Name, c.mean()} })},
	}
}
