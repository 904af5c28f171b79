package paper

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/batch"
	"baca/algo/contrast"
	"baca/algo/metric"
	"baca/build/internal/try"
)

// A variant is a setting of the attention, or another score from the run of the first one, with its name in tables.
type variant struct {
	name  string
	apply func(*algo.Options) // unless nil
	score func(context.Context, *testBatch, *outcome) []float64
}

// partial computes S_BaCa from one part of the attention's score.
func partial(part func(attention.Score) float64) func(context.Context, *testBatch, *outcome) []float64 {
	return func(ctx context.Context, b *testBatch, out *outcome) []float64 {
		r := try.To(contrast.Represent(ctx, 1, b.model.Encoder, b.graphs))
		pre, attn := columnScores(columnPre, out.rows), make([]float64, r.Len())
		for k, i := range out.order {
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

// sensitivityBetas are the paper's weights of S_Attn, none, and some around the default.
var sensitivityBetas = []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.5, 2, 2.5, 3, 4}

// sensitivities vary the parameters of the paper's sensitivity analysis. β needs no further runs.
func sensitivities() []variant {
	list := []variant{{name: "fixed"}}
	for _, k := range gridTopK {
		list = append(list, variant{name: fmt.Sprintf("K = %d", k), apply: func(o *algo.Options) { setTopK(o, k) }})
	}
	for _, band := range gridBands {
		list = append(list, variant{name: fmt.Sprintf("λ in [%g, %g]", band[0], band[1]), apply: func(o *algo.Options) { setBand(o, band) }})
	}
	for _, beta := range sensitivityBetas {
		list = append(list, variant{name: fmt.Sprintf("β = %g", beta), score: func(_ context.Context, _ *testBatch, out *outcome) []float64 {
			return out.weighted(beta).scores
		}})
	}
	return list
}

// changes lists how the attention was changed; undo restores the value before. The sizes of synthetic
// graphs are always today's.
var changes = []struct {
	name string
	undo func(*algo.Options)
}{
	{"ℓ_g and 0.3 ℓ_n in their deviations, not ℓ_g + ℓ_n", func(o *algo.Options) { o.Plain = true }},
	{"parted at 45 and 55 %, not 25 and 75 %", func(o *algo.Options) { o.Attention.Low, o.Attention.High = 25, 75 }},
	{"keys of width 160, not 64", func(o *algo.Options) { o.Attention.Width = 64 }},
	{"the whole bank in the ID dictionary, not 512 graphs", func(o *algo.Options) { o.Attention.Training = 512 }},
	{"K = 2, not 5", func(o *algo.Options) { o.Attention.TopK = 5 }},
	{"256 synthetic graphs for 128 places, not 128 for 512", func(o *algo.Options) { o.Attention.Synthetic, o.Attention.Capacity = 128, 512 }},
	{"β = 2, not 1", func(o *algo.Options) { o.Beta = 1 }},
}

// rungs are the changes in order, then the better partition.
func rungs() []variant {
	var list []variant
	for done := range len(changes) + 1 {
		name := "before"
		if done > 0 {
			name = changes[done-1].name
		}
		list = append(list, variant{name: name, apply: func(o *algo.Options) {
			for _, c := range changes[done:] {
				c.undo(o)
			}
		}})
	}
	return append(list,
		variant{name: "parted by the batch's score, which is the base", apply: func(o *algo.Options) { *o = o.PartedByBatch() }},
		variant{name: "that base without the attention", apply: func(o *algo.Options) {
			*o = o.PartedByBatch()
			o.Beta, o.Attention.Steps = 0, 0
		}})
}

func ladder() *experiment {
	return variants("ladder", "all", rungs(), "What each change to the attention brought",
		`Ladder measures S_BaCa as it was first built and after each change, on the validation
pairs, on which the changes were chosen, and on the paper's.`,
		"What did each change bring to S_BaCa? With those above it, the first OOD graphs. The changes were chosen on the validation pairs.")
}

func ablation() *experiment {
	return variants("ablation", "paper", ablations, "What each part of the attention is worth", "",
		"What is each part of S_BaCa worth? One is taken away at a time; the first OOD graphs.")
}

func sensitivity() *experiment {
	return variants("sensitivity", "paper", sensitivities(), "How the attention depends on β, K and λ",
		"Sensitivity varies β, K and bands of λ one at a time around the fixed setting.",
		"How does S_BaCa depend on its settings? One is changed at a time; β is the weight of S_Attn; the first OOD graphs.")
}

// variants is an experiment that measures a list of them on pairs.
func variants(name, pairs string, list []variant, short, long, question string) *experiment {
	r := variantResult{title: title(name), question: question}
	return &experiment{
		name: name, short: short, long: long, example: "  baca-paper bench " + name + " --data ../shared/data --out out/" + name,
		flags: slices.Concat(pairwise, [][2]string{{"pairs", pairs}}),
		read: func(data []byte) (result, error) {
			return &r, json.Unmarshal(data, &r.columns)
		},
		measure: func(ctx context.Context, b *bench) result {
			r.columns = mapped(list, func(v variant) variantColumn { return variantColumn{v.name, map[string][]rate{}} })
			p := &plan{bench: b}
			run := func(b *testBatch, ctx context.Context) []rate { return b.variants(ctx, list) }
			eachBatch(p, name, run, func(e *evaluation, auroc []rate) {
				for k, x := range auroc {
					pairs := r.columns[k].Pairs
					pairs[e.pair.name()] = append(pairs[e.pair.name()], x)
				}
			})
			p.do(ctx)
			return &r
		},
	}
}

// variants measures the AUROC of each on a batch. The first is the setting without a change.
func (b *testBatch) variants(ctx context.Context, list []variant) (auroc []rate) {
	var first *outcome
	for _, v := range list {
		var scores []float64
		if v.score != nil {
			scores = v.score(ctx, b, first)
		} else {
			o := columnOptions(columnAttention, b.seed)
			if v.apply != nil {
				v.apply(&o)
			}
			out := b.score(ctx, o, columnAttention)
			first, scores = cmp.Or(first, out), out.scores
		}
		auroc = append(auroc, rate(metric.AUROC(scores, b.ood)))
	}
	return auroc
}

// A variantColumn is a variant's AUROC of each pair, by seed.
type variantColumn struct {
	Name  string            `json:"name"`
	Pairs map[string][]rate `json:"pairs"`
}

// over returns the mean over the paper's pairs, or over the others; NaN for none.
func (c variantColumn) over(paper bool) float64 {
	var list []float64
	for name, seeds := range c.Pairs {
		if p, _ := parsePair(name); (p.paper != nil) == paper {
			list = append(list, float64(mean(seeds)))
		}
	}
	slices.Sort(list) // for a deterministic sum
	return mean(list)
}

// A variantResult is the JSON file of an experiment on variants.
type variantResult struct {
	title, question string
	columns         []variantColumn
}

func (r *variantResult) MarshalJSON() ([]byte, error) { return json.Marshal(r.columns) }

func (r *variantResult) page() *page {
	paper := !math.IsNaN(r.columns[0].over(true))
	order := func(a, b variantColumn) int { return cmp.Compare(a.over(paper), b.over(paper)) }
	least, most := slices.MinFunc(r.columns, order), slices.MaxFunc(r.columns, order)
	return &page{
		title: r.title, question: r.question + " AUROC in percent, means over the pairs and seeds.",
		tables: []*pageTable{tabulate("", []string{"variant", "validation pairs", "the paper's pairs"}, r.columns,
			func(c variantColumn) []any { return []any{c.Name, c.over(false), c.over(true)} })},
		answer: []string{fmt.Sprintf("The lowest mean is %.1f (%s), the highest %.1f (%s).", 100*least.over(paper), least.Name, 100*most.over(paper), most.Name)},
	}
}
