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
	"baca/algo/contrast"
	"baca/algo/metric"
)

// A variant is a setting of the attention, or a reading of it, with its name in tables.
type variant struct {
	name  string
	apply func(*algo.Options)           // unless nil
	part  func(attention.Score) float64 // replaces S_Attn, unless nil
}

// ablations remove one thing from the attention at a time. Without either dictionary S_Pre is left.
var ablations = []variant{
	{name: "full"},
	{name: "ID dictionary only", part: func(s attention.Score) float64 { return -s.In }},
	{name: "OOD dictionary only", part: func(s attention.Score) float64 { return s.Out }},
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
		list = append(list, variant{name: fmt.Sprintf("K = %d", k), apply: func(o *algo.Options) { o.Attention.TopK = k }})
	}
	for _, band := range gridBands {
		list = append(list, variant{name: fmt.Sprintf("λ in [%g, %g]", band[0], band[1]), apply: func(o *algo.Options) {
			o.Attention.Mixup.LambdaLow, o.Attention.Mixup.LambdaHigh = band[0], band[1]
		}})
	}
	return list
}

// changes made the attention what it is, each with its earlier value. Sizes of synthetic graphs are
// current throughout.
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
	v := &variants{
		title: "Ladder", list: rungs(),
		question: "What did each change bring to S_BaCa? With those above it, the first OOD graphs. The changes were chosen on the validation pairs.",
	}
	return v.experiment("ladder", "all", "What each change to the attention brought", `Ladder measures S_BaCa as it was first built and after each change, on the validation
pairs, on which the changes were chosen, and on the paper's.`)
}

func ablation() *experiment {
	v := &variants{title: "Ablation", list: ablations, question: "What is each part of S_BaCa worth? One is taken away at a time; the first OOD graphs."}
	return v.experiment("ablation", "paper", "What each part of the attention is worth", "")
}

func sensitivity() *experiment {
	v := &variants{
		title: "Sensitivity", list: sensitivities(), curves: true,
		question: "How does S_BaCa depend on its settings? One is changed at a time; β is the weight of S_Attn; the first OOD graphs.",
	}
	return v.experiment("sensitivity", "paper", "How the attention depends on β, K and λ, and how it learns", `Sensitivity varies β, K and bands of λ one at a time around the fixed setting, and
records loss, KL divergence and AUROC over the steps of the attention's training.`)
}

// experiment measures the variants on pairs.
func (t *variants) experiment(name, pairs, short, long string) *experiment {
	return &experiment{
		name: name, short: short, long: long, example: "  baca-paper bench " + name + " --data ../shared/data --out out/" + name,
		flags: slices.Concat(pairwise, [][2]string{{"pairs", pairs}}), measure: t.measure,
		read: func(data []byte) (result, error) {
			r := variantResult{variants: t}
			return r, json.Unmarshal(data, &r.columns)
		},
	}
}

// variants are measured on all pairs.
type variants struct {
	title, question string
	list            []variant
	curves          bool // also by β, and over the steps of training
}

// A variantCell is one seed of one pair.
type variantCell struct {
	Seed  uint64      `json:"seed"`
	AUROC []rate      `json:"auroc"` // by variant
	Betas []rate      `json:"betas,omitempty"`
	Trace []traceStep `json:"trace,omitempty"`
}

// A traceStep is the attention after a training step.
type traceStep struct {
	Step  int  `json:"step"`
	Loss  rate `json:"loss"`
	KL    rate `json:"kl"`
	AUROC rate `json:"auroc"` // of S_Attn
	Total rate `json:"total"` // of S_BaCa
	Base  rate `json:"base"`  // of S_Pre, the same in all steps
}

func (t *variants) measure(ctx context.Context, b *bench) (result, error) {
	p, cells := &plan{bench: b}, map[*pair][]*variantCell{} // by seed
	for _, seed := range b.seeds {
		for _, e := range b.evaluations {
			addTo(p, e, fmt.Sprintf("seed%d-%s", seed, b.name), fmt.Sprintf("%s, seed %d", b.name, seed), len(t.list)*len(e.id.graphs)/5,
				func(ctx context.Context) (*variantCell, error) { return t.cell(ctx, e, seed) },
				func(c *variantCell) { cells[e.pair] = append(cells[e.pair], c) })
		}
	}
	err := p.do(ctx)
	r := variantResult{t, t.columns(cells)}
	if t.curves {
		b.figures = func() error { return r.draw(b, cells) }
	}
	return r, err
}

// cell measures one seed of one pair.
func (t *variants) cell(ctx context.Context, e *evaluation, seed uint64) (*variantCell, error) {
	b, err := e.prepare(ctx, seed, "first")
	if err != nil {
		return nil, err
	}
	cell := &variantCell{Seed: seed}
	for k, v := range t.list {
		o := columnOptions(columnAttention, seed)
		if v.apply != nil {
			v.apply(&o)
		}
		traced := t.curves && k == 0
		var learned [][]float64 // S_Attn after each step
		if traced {
			o.Watch = algo.EveryStep(func(it attention.Iteration) {
				learned = append(learned, slices.Clone(it.Test))
				cell.Trace = append(cell.Trace, traceStep{Step: it.Step, Loss: rate(it.Loss), KL: rate(it.KL)})
			})
		}
		out, err := b.score(ctx, o, columnAttention)
		if err != nil {
			return nil, err
		}
		if v.part != nil {
			if out.scores, err = b.partial(ctx, out, o.Beta, v.part); err != nil {
				return nil, err
			}
		}
		cell.AUROC = append(cell.AUROC, rate(metric.AUROC(out.scores, b.ood)))
		if traced {
			b.measureSteps(cell.Trace, learned, columnScores(columnPre, out.rows), o.Beta)
			for _, beta := range sensitivityBetas {
				w := weighted([]*outcome{out}, beta, columnAttention)[0]
				cell.Betas = append(cell.Betas, rate(metric.AUROC(w.scores, b.ood)))
			}
		}
	}
	return cell, nil
}

// measureSteps measures a trace's steps by S_Attn, S_Pre and their sum.
func (b *testBatch) measureSteps(trace []traceStep, learned [][]float64, pre []float64, beta float64) {
	for i, attn := range learned {
		s := &trace[i]
		s.AUROC, s.Base = rate(metric.AUROC(attn, b.ood)), rate(metric.AUROC(pre, b.ood))
		s.Total = rate(metric.AUROC(algo.Add(beta, pre, attn).Of(pre, attn), b.ood))
	}
}

// partial returns S_BaCa with a part of the attention.
func (b *testBatch) partial(ctx context.Context, out *outcome, beta float64, part func(attention.Score) float64) ([]float64, error) {
	r, err := contrast.Represent(ctx, 1, b.model.Encoder, b.graphs)
	if err != nil {
		return nil, err
	}
	pre, attn := make([]float64, r.Len()), make([]float64, r.Len())
	for k, i := range out.order {
		pre[i] = out.rows[i].Pre
		attn[i] = part(out.scorer.Attention().Explain(r.Q[i*r.Dim():(i+1)*r.Dim()], k).Score)
	}
	return algo.Add(beta, pre, attn).Of(pre, attn), nil
}

// A variantColumn is a variant's AUROC of each pair, by seed.
type variantColumn struct {
	Name  string            `json:"name"`
	Pairs map[string][]rate `json:"pairs"`
}

func (t *variants) columns(cells map[*pair][]*variantCell) (columns []variantColumn) {
	add := func(name string, of func(*variantCell) rate) {
		c := variantColumn{Name: name, Pairs: map[string][]rate{}}
		for p, list := range cells {
			for _, cell := range list {
				c.Pairs[p.name()] = append(c.Pairs[p.name()], of(cell))
			}
		}
		columns = append(columns, c)
	}
	for k, v := range t.list {
		add(v.name, func(c *variantCell) rate { return c.AUROC[k] })
	}
	if t.curves {
		for k, beta := range sensitivityBetas {
			add(fmt.Sprintf("β = %g", beta), func(c *variantCell) rate { return c.Betas[k] })
		}
	}
	return columns
}

// over is the mean over the paper's pairs, or over the others; NaN of none.
func (c variantColumn) over(paper bool) float64 {
	var list []float64
	for name, seeds := range c.Pairs {
		if p, _ := parsePair(name); (p.paper != nil) == paper {
			mean, _ := meanStd(seeds)
			list = append(list, mean)
		}
	}
	slices.Sort(list) // for a deterministic sum
	return meanOver(list)
}

// A variantResult is the file of variants.
type variantResult struct {
	*variants
	columns []variantColumn
}

func (r variantResult) MarshalJSON() ([]byte, error) { return json.Marshal(r.columns) }

func (r variantResult) page() *page {
	mean := func(paper bool) func(variantColumn) any {
		return func(c variantColumn) any { return c.over(paper) }
	}
	paper := !math.IsNaN(r.columns[0].over(true))
	order := func(a, b variantColumn) int { return cmp.Compare(a.over(paper), b.over(paper)) }
	least, most := slices.MinFunc(r.columns, order), slices.MaxFunc(r.columns, order)
	return &page{
		title: r.title, question: r.question + " AUROC in percent, means over the pairs and seeds.",
		tables: []*pageTable{tabulate("", r.columns,
			column[variantColumn]{"variant", func(c variantColumn) any { return c.Name }},
			column[variantColumn]{"validation pairs", mean(false)}, column[variantColumn]{"the paper's pairs", mean(true)})},
		answer: []string{fmt.Sprintf("The lowest mean is %.1f (%s), the highest %.1f (%s).", 100*least.over(paper), least.Name, 100*most.over(paper), most.Name)},
	}
}

// draw draws the curves of β and K over all pairs, and each pair's learning curve of the first seed.
func (r variantResult) draw(b *bench, cells map[*pair][]*variantCell) error {
	tops := mapped(gridTopK, func(k int) float64 { return float64(k) })
	err := cmp.Or(r.curve(b, "beta", "β", sensitivityBetas), r.curve(b, "top-k", "K", tops))
	for p, list := range cells {
		for _, part := range []struct {
			file, axis string
			lines      []line
		}{
			{"loss", "loss", []line{list[0].line("loss", func(s traceStep) rate { return s.Loss })}},
			{"kl", "KL between the subgroups, nats", []line{list[0].line("KL", func(s traceStep) rate { return s.KL })}},
			{"auroc", "AUROC, %", []line{
				list[0].line("total, S_BaCa", func(s traceStep) rate { return 100 * s.Total }),
				list[0].line("base, S_Pre", func(s traceStep) rate { return 100 * s.Base }),
				list[0].line("attention, S_Attn", func(s traceStep) rate { return 100 * s.AUROC }),
			}},
		} {
			err = cmp.Or(err, b.drawLines("training-"+part.file+"-"+p.file(), p.name(), "step", part.axis, part.lines...))
		}
	}
	return err
}

// line is a curve over the steps.
func (c *variantCell) line(name string, of func(traceStep) rate) line {
	l := line{name: name}
	for _, s := range c.Trace {
		l.x, l.y = append(l.x, float64(s.Step)), append(l.y, float64(of(s)))
	}
	return l
}

// curve draws the variants "AXIS = x" as a line for each pair.
func (r variantResult) curve(b *bench, file, axis string, x []float64) error {
	var lines []line
	for _, e := range b.evaluations {
		l := line{name: e.pair.name(), x: x}
		for _, v := range x {
			k := slices.IndexFunc(r.columns, func(c variantColumn) bool { return c.Name == fmt.Sprintf("%s = %g", axis, v) })
			mean, _ := meanStd(r.columns[k].Pairs[e.pair.name()])
			l.y = append(l.y, 100*mean)
		}
		lines = append(lines, l)
	}
	return b.drawLines(file, "AUROC by "+axis, axis, "AUROC of S_BaCa, %", lines...)
}
