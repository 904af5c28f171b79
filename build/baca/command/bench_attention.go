package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/calibrate"
	"baca/algo/contrast"
	"baca/algo/metric"
	"baca/build/internal/replace"
	"baca/build/internal/version"
)

// A variant is one way of running the attention, with its name in tables, or of
// reading it: part, unless nil, is what stands for S_Attn.
type variant struct {
	Name  string
	apply func(*algo.Options)
	part  func(attention.Score) float64
}

// ablations take one thing away from the attention at a time. Without either
// dictionary S_Pre is left.
var ablations = []variant{
	{Name: "full", apply: func(*algo.Options) {}},
	{Name: "ID dictionary only", apply: func(*algo.Options) {}, part: func(s attention.Score) float64 { return -s.In }},
	{Name: "OOD dictionary only", apply: func(*algo.Options) {}, part: func(s attention.Score) float64 { return s.Out }},
	{Name: "neither dictionary", apply: func(o *algo.Options) { o.Beta, o.Attention.Steps = 0, 0 }},
	{Name: "no graphon samples", apply: func(o *algo.Options) { o.Attention.Synthetic = 0 }},
	// A step of this length moves no weight.
	{Name: "no attention training", apply: func(o *algo.Options) { o.Attention.LearningRate = 1e-30 }},
	{Name: "no samples, no training", apply: func(o *algo.Options) { o.Attention.Synthetic, o.Attention.Steps = 0, 0 }},
	{Name: "no ID training bank", apply: func(o *algo.Options) { o.Attention.Training = 0 }},
}

// sensitivities vary what the paper's sensitivity analysis does. Those of β follow
// from the first variant.
func sensitivities() []variant {
	list := []variant{{Name: "fixed", apply: func(*algo.Options) {}}}
	for _, k := range gridTopK {
		list = append(list, variant{Name: fmt.Sprintf("K = %d", k), apply: func(o *algo.Options) { o.Attention.TopK = k }})
	}
	for _, band := range gridBands {
		list = append(list, variant{Name: fmt.Sprintf("λ in [%g, %g]", band[0], band[1]), apply: func(o *algo.Options) {
			o.Attention.Mixup.LambdaLow, o.Attention.Mixup.LambdaHigh = band[0], band[1]
		}})
	}
	return list
}

func newBenchAblation() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:     "ablation --data DIR --out DIR",
		Short:   "What each part of the attention is worth",
		Example: "  baca bench ablation --data ../shared/data --out out/ablation",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.variants(c, "ablation", "Ablation", "S_BaCa with one part taken away at a time, fixed protocol, the first OOD graphs.", ablations, false)
		},
	}
	f.register(c, "paper")
	return c
}

func newBenchSensitivity() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "sensitivity --data DIR --out DIR",
		Short: "How the attention depends on β, K and λ, and how it learns",
		Long: `Sensitivity varies β, K and bands of λ one at a time around the fixed setting, and
records loss, KL divergence and AUROC over the steps of the attention's training.`,
		Example: "  baca bench sensitivity --data ../shared/data --out out/sensitivity",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.variants(c, "sensitivity", "Sensitivity", "S_BaCa with one setting changed at a time, the first OOD graphs. β is the weight of S_Attn.", sensitivities(), true)
		},
	}
	f.register(c, "paper")
	return c
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
}

// variantPair has the results of a pair.
type variantPair struct {
	pair  *benchPair
	cells []*variantCell
}

// variants measures and writes a list of variants.
func (f *benchFlags) variants(c *cobra.Command, name, title, text string, list []variant, betas bool) error {
	pairs, err := f.begin(c)
	if err != nil {
		return err
	}
	ctx, stderr := c.Context(), c.ErrOrStderr()
	results := make([]*variantPair, len(pairs))
	var cells []*cell
	var of []*variantPair
	for i, pair := range pairs {
		results[i] = &variantPair{pair: pair}
	}
	for _, s := range f.seeds {
		seed := uint64(s)
		for _, r := range results {
			e, err := f.eval(ctx, r.pair)
			if err != nil {
				return err
			}
			cells = append(cells, &cell{
				name: fmt.Sprintf("%s/seed%d-%s", r.pair.file(), seed, name), weight: int64(len(list) * len(e.id.Graphs) / 5),
				key: f.key(r.pair, fmt.Sprintf("%s, seed %d", name, seed)),
				run: func(ctx context.Context) (any, error) { return f.variantCell(ctx, r.pair, seed, list, betas) },
			})
			of = append(of, r)
		}
	}
	files, err := f.runCells(ctx, stderr, name, cells)
	if err != nil {
		return err
	}
	for i, file := range files {
		var cell variantCell
		if err := json.Unmarshal(file.Result, &cell); err != nil {
			return fmt.Errorf("cell %s: %w", cells[i].name, err)
		}
		of[i].cells = append(of[i].cells, &cell)
	}
	columns := variantColumns(list, results, betas)
	if err := f.writeVariants(name, title, text, columns, results); err != nil {
		return err
	}
	if betas {
		if err := f.variantFigures(columns, results); err != nil {
			return err
		}
	}
	fmt.Fprintf(stderr, "wrote %s.json, report.md and figures to %s\n", name, f.out)
	return nil
}

func (f *benchFlags) variantCell(ctx context.Context, pair *benchPair, seed uint64, list []variant, betas bool) (*variantCell, error) {
	_, b, err := f.prepare(ctx, pair, seed, "first")
	if err != nil {
		return nil, err
	}
	cell := &variantCell{Seed: seed}
	for k, v := range list {
		o := columnOptions(columnAttention, seed)
		v.apply(&o)
		if betas && k == 0 {
			o.Watch = algo.EveryStep(func(it calibrate.Iteration) {
				cell.Trace = append(cell.Trace, traceStep{it.Step, rate(it.Loss), rate(it.KL), rate(metric.AUROC(it.Test, b.ood))})
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
		if betas && k == 0 {
			for _, beta := range gridBetas {
				w := weighted([]*outcome{out}, beta)[0]
				cell.Betas = append(cell.Betas, rate(metric.AUROC(w.scores, b.ood)))
			}
		}
	}
	return cell, nil
}

// partial returns S_BaCa with a part of the attention to its dictionaries.
func (b *testBatch) partial(ctx context.Context, out *outcome, beta float64, part func(attention.Score) float64) ([]float64, error) {
	r, err := contrast.Represent(ctx, 1, b.model.Encoder, b.graphs)
	if err != nil {
		return nil, err
	}
	pre, attn := make([]float64, r.Len()), make([]float64, r.Len())
	for i, row := range out.rows {
		pre[i] = row.Pre
		attn[i] = part(out.scorer.Attention().Explain(r.Q[i*r.Dim():(i+1)*r.Dim()], out.place[i]).Score)
	}
	return calibrate.Add(beta, pre, attn).Of(pre, attn), nil
}

// A variantColumn is what the report shows of a variant: the AUROC of each pair, by
// seed.
type variantColumn struct {
	Name  string            `json:"name"`
	Pairs map[string][]rate `json:"pairs"`
}

func variantColumns(list []variant, results []*variantPair, betas bool) []variantColumn {
	var columns []variantColumn
	add := func(name string, of func(*variantCell) rate) {
		c := variantColumn{Name: name, Pairs: map[string][]rate{}}
		for _, r := range results {
			for _, cell := range r.cells {
				c.Pairs[r.pair.name()] = append(c.Pairs[r.pair.name()], of(cell))
			}
		}
		columns = append(columns, c)
	}
	for k, v := range list {
		add(v.Name, func(c *variantCell) rate { return c.AUROC[k] })
	}
	if betas {
		for k, beta := range gridBetas {
			add(fmt.Sprintf("β = %g", beta), func(c *variantCell) rate { return c.Betas[k] })
		}
	}
	return columns
}

// of returns mean and deviation over the seeds of a pair.
func (c variantColumn) of(p *benchPair) (mean, std float64) {
	var values []float64
	for _, r := range c.Pairs[p.name()] {
		values = append(values, float64(r))
	}
	return metric.MeanStd(values)
}

func (f *benchFlags) writeVariants(name, title, text string, columns []variantColumn, results []*variantPair) error {
	if err := replace.File(filepath.Join(f.out, name+".json"), func(w io.Writer) error { return writeJSON(w, columns) }); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n`%s`, baca %s, on %s.\n\n%s AUROC in percent, mean ± standard\ndeviation over seeds.\n\n", title, f.commandLine(name), version.String(), machine(), text)
	head := []string{""}
	for _, r := range results {
		head = append(head, r.pair.name())
	}
	newMarkdown(&b, append(head, "mean")...)
	for _, c := range columns {
		fmt.Fprintf(&b, "| %s |", c.Name)
		sum := 0.0
		for _, r := range results {
			mean, std := c.of(r.pair)
			sum += mean / float64(len(results))
			fmt.Fprintf(&b, " %s |", percentOf(mean, std))
		}
		fmt.Fprintf(&b, " %s |\n", percentOf(sum, math.NaN()))
	}
	return replace.File(filepath.Join(f.out, "report.md"), func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

// variantFigures draws the curves of β and K over all pairs, and for each pair how
// the attention of the first seed learned.
func (f *benchFlags) variantFigures(columns []variantColumn, results []*variantPair) error {
	named := map[string]variantColumn{}
	for _, c := range columns {
		named[c.Name] = c
	}
	curve := func(file, title, axis string, names []string, x []float64) error {
		q := newChart(title, axis, "AUROC of S_BaCa, %")
		var list []series
		for _, r := range results {
			s := series{name: r.pair.name(), x: x}
			for _, name := range names {
				mean, _ := named[name].of(r.pair)
				s.y = append(s.y, 100*mean)
			}
			list = append(list, s)
		}
		if err := addLines(q, list); err != nil {
			return err
		}
		q.X.Max = x[0] + 1.45*(x[len(x)-1]-x[0]) // room for the legend
		q.Legend.Top = true
		return f.chart(file, q)
	}
	var betaNames, topNames []string
	var tops []float64
	for _, beta := range gridBetas {
		betaNames = append(betaNames, fmt.Sprintf("β = %g", beta))
	}
	for _, k := range gridTopK {
		topNames, tops = append(topNames, fmt.Sprintf("K = %d", k)), append(tops, float64(k))
	}
	if err := curve("beta", "Weight of the attention", "β", betaNames, gridBetas); err != nil {
		return err
	}
	if err := curve("top-k", "Keys attended to", "K", topNames, tops); err != nil {
		return err
	}
	for _, r := range results {
		for _, p := range []struct {
			file, axis string
			of         func(traceStep) float64
		}{
			{"loss", "loss", func(s traceStep) float64 { return float64(s.Loss) }},
			{"kl", "KL between the subgroups, nats", func(s traceStep) float64 { return float64(s.KL) }},
			{"auroc", "AUROC of S_Attn, %", func(s traceStep) float64 { return 100 * float64(s.AUROC) }},
		} {
			s := series{name: fmt.Sprintf("seed %d", r.cells[0].Seed)}
			for _, step := range r.cells[0].Trace {
				s.x, s.y = append(s.x, float64(step.Step)), append(s.y, p.of(step))
			}
			q := newChart(r.pair.name(), "step", p.axis)
			if err := addLines(q, []series{s}); err != nil {
				return err
			}
			if err := f.chart(fmt.Sprintf("training-%s-%s", p.file, r.pair.file()), q); err != nil {
				return err
			}
		}
	}
	return nil
}
