package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/metric"
	"baca/build/internal/figure"
)

// A variant is one way of running the attention, with its name in tables, or of
// reading it.
type variant struct {
	name  string
	apply func(*algo.Options)           // unless nil
	part  func(attention.Score) float64 // unless nil, what stands for S_Attn
}

// ablations take one thing away from the attention at a time. Without either
// dictionary S_Pre is left.
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

// sensitivityBetas are the weights of S_Attn that are measured: those of the paper's figure, none,
// and those around the default.
var sensitivityBetas = []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.5, 2, 2.5, 3, 4}

// sensitivities vary what the paper's sensitivity analysis does. Those of β follow
// from the first variant.
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

// changes are those that made the attention what it is, each with what it was before. The
// sizes of synthetic graphs are those of now throughout.
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

// rungs are the changes, one after the other, then the better partition.
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
	return &experiment{
		name: "ladder", pairs: "all",
		short: "What each change to the attention brought",
		long: `Ladder measures S_BaCa as it was first built and after each change, on the validation
pairs, on which the changes were chosen, and on the paper's.`,
		example: "  baca-paper bench ladder --data ../shared/data --out out/ladder --seeds 1",
		measure: (&variants{
			title: "Ladder",
			text:  "S_BaCa after each change, those above it included, the first OOD graphs. The changes were chosen on the validation pairs.",
			list:  rungs(),
		}).measure,
	}
}

func ablation() *experiment {
	return &experiment{
		name: "ablation", pairs: "paper",
		short:   "What each part of the attention is worth",
		example: "  baca-paper bench ablation --data ../shared/data --out out/ablation",
		measure: (&variants{
			title: "Ablation", text: "S_BaCa with one part taken away at a time, fixed protocol, the first OOD graphs.",
			list: ablations,
		}).measure,
	}
}

func sensitivity() *experiment {
	return &experiment{
		name: "sensitivity", pairs: "paper",
		short: "How the attention depends on β, K and λ, and how it learns",
		long: `Sensitivity varies β, K and bands of λ one at a time around the fixed setting, and
records loss, KL divergence and AUROC over the steps of the attention's training.`,
		example: "  baca-paper bench sensitivity --data ../shared/data --out out/sensitivity",
		measure: (&variants{
			title: "Sensitivity", text: "S_BaCa with one setting changed at a time, the first OOD graphs. β is the weight of S_Attn.",
			list: sensitivities(), curves: true,
		}).measure,
	}
}

// variants are measured on all pairs.
type variants struct {
	title, text string
	list        []variant
	curves      bool // also by β, and over the steps of training

	bench *bench
	pairs []*pair
	cells map[*pair][]*variantCell // by seed
}

// A variantCell is one seed of one pair.
type variantCell struct {
	Seed  uint64      `json:"seed"`
	AUROC []rate      `json:"auroc"` // by variant
	Betas []rate      `json:"betas,omitempty"`
	Trace []traceStep `json:"trace,omitempty"`
}

// A traceStep is the attention after a step of its training.
type traceStep struct {
	Step  int  `json:"step"`
	Loss  rate `json:"loss"`
	KL    rate `json:"kl"`
	AUROC rate `json:"auroc"` // of S_Attn
	Total rate `json:"total"` // of S_BaCa
	Base  rate `json:"base"`  // of S_Pre, the same in all steps
}

func (t *variants) measure(ctx context.Context, b *bench) (results, error) {
	t.bench, t.cells = b, map[*pair][]*variantCell{}
	p := &plan{bench: b}
	for _, s := range b.seeds {
		seed := uint64(s)
		for _, e := range b.evaluations {
			t.cells[e.pair] = append(t.cells[e.pair], add(p, e, fmt.Sprintf("seed%d-%s", seed, b.name), fmt.Sprintf("%s, seed %d", b.name, seed),
				len(t.list)*len(e.id.graphs)/5, func(ctx context.Context) (*variantCell, error) { return t.cell(ctx, e, seed) }))
		}
	}
	for _, e := range b.evaluations {
		t.pairs = append(t.pairs, e.pair)
	}
	return t, p.do(ctx, b.name)
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

// measureSteps measures the steps of a trace by S_Attn after each, S_Pre and their sum.
func (b *testBatch) measureSteps(trace []traceStep, learned [][]float64, pre []float64, beta float64) {
	for i, attn := range learned {
		s := &trace[i]
		s.AUROC, s.Base = rate(metric.AUROC(attn, b.ood)), rate(metric.AUROC(pre, b.ood))
		s.Total = rate(metric.AUROC(algo.Add(beta, pre, attn).Of(pre, attn), b.ood))
	}
}

// partial returns S_BaCa with a part of the attention to its dictionaries.
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

// A variantColumn is what the report shows of a variant: the AUROC of each pair, by
// seed.
type variantColumn struct {
	Name  string            `json:"name"`
	Pairs map[string][]rate `json:"pairs"`
}

func (t *variants) values() any { return t.columns() }

func (t *variants) columns() []variantColumn {
	var columns []variantColumn
	add := func(name string, of func(*variantCell) rate) {
		c := variantColumn{Name: name, Pairs: map[string][]rate{}}
		for _, p := range t.pairs {
			for _, cell := range t.cells[p] {
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

// of returns mean and deviation over the seeds of a pair.
func (c variantColumn) of(p *pair) (mean, std float64) {
	return meanStd(c.Pairs[p.name()])
}

func (t *variants) report() *markdown {
	m := t.bench.heading(t.title)
	m.text("%s AUROC in percent, mean ± standard\ndeviation over seeds.\n\n", t.text)
	groups := t.groups()
	head := []string{""}
	for _, g := range groups {
		for _, p := range g.pairs {
			head = append(head, p.name())
		}
		head = append(head, g.name)
	}
	table := m.tableOf(head...)
	for _, c := range t.columns() {
		fields := []field{words("%s", c.Name)}
		for _, g := range groups {
			sum := 0.0
			for _, p := range g.pairs {
				mean, std := c.of(p)
				sum += mean / float64(len(g.pairs))
				fields = append(fields, percents(mean, std))
			}
			fields = append(fields, percents(sum, math.NaN()))
		}
		table.row(fields...)
	}
	return m
}

// A pairGroup is pairs with the name of their mean.
type pairGroup struct {
	name  string
	pairs []*pair
}

// groups are the pairs, those of the paper by themselves where there are others.
func (t *variants) groups() []pairGroup {
	others, paper := pairGroup{name: "mean of validation"}, pairGroup{name: "mean of the paper's"}
	for _, p := range t.pairs {
		if p.paper == nil {
			others.pairs = append(others.pairs, p)
		} else {
			paper.pairs = append(paper.pairs, p)
		}
	}
	if len(others.pairs) == 0 || len(paper.pairs) == 0 {
		return []pairGroup{{"mean", t.pairs}}
	}
	return []pairGroup{others, paper}
}

// figures draws the curves of β and K over all pairs, and for each pair how the attention
// of the first seed learned.
func (t *variants) figures() error {
	if !t.curves {
		return nil
	}
	tops := make([]float64, len(gridTopK))
	for i, k := range gridTopK {
		tops[i] = float64(k)
	}
	if err := t.curve("beta", "Weight of the attention", "β", sensitivityBetas); err != nil {
		return err
	}
	if err := t.curve("top-k", "Keys attended to", "K", tops); err != nil {
		return err
	}
	for _, p := range t.pairs {
		first := t.cells[p][0]
		seed := fmt.Sprintf("seed %d", first.Seed)
		for _, part := range []struct {
			file, axis string
			lines      []figure.Line
		}{
			{"loss", "loss", []figure.Line{first.line(seed, func(s traceStep) rate { return s.Loss })}},
			{"kl", "KL between the subgroups, nats", []figure.Line{first.line(seed, func(s traceStep) rate { return s.KL })}},
			{"auroc", "AUROC, %", []figure.Line{
				first.line("total, S_BaCa", func(s traceStep) rate { return 100 * s.Total }),
				first.line("base, S_Pre", func(s traceStep) rate { return 100 * s.Base }),
				first.line("attention, S_Attn", func(s traceStep) rate { return 100 * s.AUROC }),
			}},
		} {
			q := figure.New(p.name(), "step", part.axis)
			if err := t.bench.chart(fmt.Sprintf("training-%s-%s", part.file, p.file()), q, part.lines...); err != nil {
				return err
			}
		}
	}
	return nil
}

// line is a curve over the steps.
func (c *variantCell) line(name string, of func(traceStep) rate) figure.Line {
	l := figure.Line{Name: name}
	for _, s := range c.Trace {
		l.X, l.Y = append(l.X, float64(s.Step)), append(l.Y, float64(of(s)))
	}
	return l
}

// curve draws the variants "AXIS = x" as a line for each pair.
func (t *variants) curve(file, title, axis string, x []float64) error {
	named := map[string]variantColumn{}
	for _, c := range t.columns() {
		named[c.Name] = c
	}
	var lines []figure.Line
	for _, p := range t.pairs {
		line := figure.Line{Name: p.name(), X: x}
		for _, v := range x {
			mean, _ := named[fmt.Sprintf("%s = %g", axis, v)].of(p)
			line.Y = append(line.Y, 100*mean)
		}
		lines = append(lines, line)
	}
	q := figure.New(title, axis, "AUROC of S_BaCa, %")
	legendAtTop(q, x[0]+1.45*(x[len(x)-1]-x[0]))
	return t.bench.chart(file, q, lines...)
}
