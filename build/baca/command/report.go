package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/report"
	"baca/algo/table"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/version"
	"baca/weights"
)

// driftDelta is the rate of false alarms of the drift test.
const driftDelta = 0.01

type reportFlags struct {
	source
	model, out string
	fdr        float64
	options    algo.Options
}

func newReport() *cobra.Command {
	f := reportFlags{options: algo.DefaultOptions()}
	o := &f.options
	c := &cobra.Command{
		Use:   "report [INPUT|-] --out FILE.html",
		Short: "Score graphs and write one HTML file about them",
		Long: `Report scores graphs as baca score --columns all does and writes what came of it as
one HTML file that needs nothing else and opens offline: verdicts, whether the list as
a whole differs from the training set, distributions of scores and p-values, a test for
drift in the order of the input, the ten graphs furthest outside with coloured atoms and
reasons, a table, warnings, the model card, all settings, and the command that makes it
again. The same input, model and seed give the same bytes.`,
		Example: `  baca report --out report.html molecules.csv
  baca report --fdr 0.1 --model my.msgpack --out report.html library.smi.gz`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%d inputs: want one, or none for standard input", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f.path, f.columnSet = "-", c.Flags().Changed("column")
			if len(args) > 0 {
				f.path = args[0]
			}
			return f.run(c)
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.model, "model", "bbbp", "embedded model by `NAME`, or a model file")
	fs.StringVar(&f.format, "format", "auto", "of the input: "+strings.Join(formats, ", "))
	fs.StringVar(&f.column, "column", "smiles", "`name` of the column with the SMILES, for CSV")
	f.registerMaxExpand(fs)
	fs.StringVar(&f.out, "out", "", "`file` to write, .html")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "of the attention, the sample that forms a batch, and the draws of the drift test")
	fs.IntVar(&f.workers, "workers", 0, "cores to use, 0 for all; the report does not depend on it")
	fs.StringVar(&o.By, "by", o.By, "what decides: "+strings.Join(algo.Deciders(), ", "))
	fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "share of in-distribution graphs that may be called outside")
	fs.Float64Var(&f.fdr, "fdr", 0, "share of false ones among all called outside (Benjamini and Hochberg), by graphs by themselves; 0 for none")
	return c
}

func (f *reportFlags) check() error {
	if ext := strings.ToLower(filepath.Ext(f.out)); ext != ".html" && ext != ".htm" {
		return usagef("--out %s: want the name of an .html file", f.out)
	}
	s := scoreFlags{source: f.source, to: "csv", out: f.out, options: f.options, device: deviceFlag{value: "cpu"}, answers: answers{which: "default", fdr: f.fdr}}
	return s.check()
}

func (f *reportFlags) run(c *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	ctx, stderr := c.Context(), c.ErrOrStderr()
	data, err := readModel(f.model)
	if err != nil {
		return err
	}
	m, err := openModel(f.model)
	if err != nil {
		return err
	}
	f.options.Workers = f.workers
	f.form = algo.FormOf(m.Card.Schema)
	alone, err := algo.NewSingleScorer(ctx, m, f.workers)
	if err != nil {
		return err
	}
	f.options.Single = alone
	scorer, err := algo.NewScorer(ctx, m, f.options)
	if err != nil {
		return err
	}
	in, input, err := f.openFor(ctx, c, m)
	if err != nil {
		return err
	}
	defer in.close()
	if in.info != nil {
		if info, err := os.Stat(f.out); err == nil && os.SameFile(info, in.info) {
			return usagef("--out %s is the input itself: want another file", f.out)
		}
	}
	b := newReportBuilder(m, alone, f.options, f.fdr)
	b.report.Warnings = append(b.report.Warnings, in.warnings...)
	p := progress.New(stderr, "scoring", 0)
	defer p.Done()
	// A model that was made for sharing has no answer about the list as a whole.
	o := table.Options{Batch: m.Shared == 0, Seed: f.options.Seed, Workers: f.workers}
	o.Fitted = func(fit *table.Fit) error { b.fitted(fit); return nil }
	err = table.Score(ctx, scorer, input, o, func(rows []table.Scored) error {
		p.Add(int64(len(rows)))
		b.add(rows)
		return nil
	})
	if err != nil {
		return err
	}
	p.Done()
	if err := emptyHanded(b.report.Read, b.report.Refused); err != nil {
		return err
	}
	r, err := b.finish(ctx)
	if err != nil {
		return err
	}
	r.Title = "Out-of-distribution report"
	if f.path != "-" {
		r.Title += ": " + filepath.Base(f.path)
	}
	r.Input = describeInput(f.path, in)
	hash := sha256.Sum256(data)
	r.Model = report.ModelCard(m, len(data), hex.EncodeToString(hash[:]))
	r.Settings = []report.Pair{
		{Name: "decided by", Value: f.options.By}, {Name: "alpha", Value: fmt.Sprint(f.options.Alpha)},
		{Name: "false-discovery rate", Value: map[bool]string{true: fmt.Sprint(f.fdr), false: "not asked for"}[f.fdr > 0]},
		{Name: "seed", Value: fmt.Sprint(f.options.Seed)},
	}
	r.Settings = append(r.Settings, b.basis()...)
	r.Versions = []report.Pair{
		{Name: "program", Value: "baca " + version.String()}, {Name: "built with", Value: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
		{Name: "model file format", Value: fmt.Sprint(weights.Version)},
	}
	r.Command = f.command()
	if err := replace.File(f.out, func(w io.Writer) error { return report.Write(w, r) }); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d read, %d refused; %s; wrote %s\n", r.Read, r.Refused, table.Verdicts(r.Outside, r.Borderline, r.Inside, r.Undecided), f.out)
	return nil
}

// command makes the report again.
func (f *reportFlags) command() string {
	args := []string{"baca", "report"}
	add := func(flag, value, usual string) {
		if value != usual {
			args = append(args, flag, report.Quote(value))
		}
	}
	usual := algo.DefaultOptions()
	add("--model", f.model, "")
	add("--format", f.format, "auto")
	if f.columnSet {
		add("--column", f.column, "")
	}
	add("--max-expand", fmt.Sprint(f.maxExpand), fmt.Sprint(dataset.MaxExpand))
	add("--by", f.options.By, usual.By)
	add("--alpha", fmt.Sprint(f.options.Alpha), fmt.Sprint(usual.Alpha))
	add("--fdr", fmt.Sprint(f.fdr), "0")
	add("--seed", fmt.Sprint(f.options.Seed), "")
	add("--out", f.out, "")
	return strings.Join(append(args, report.Quote(f.path)), " ")
}

// describeInput says what was read.
func describeInput(path string, in *input) []report.Pair {
	if path == "-" {
		return []report.Pair{{Name: "input", Value: "standard input"}}
	}
	pairs := []report.Pair{{Name: "input", Value: path}}
	switch {
	case in.file != nil:
		pairs = append(pairs, report.Pair{Name: "bytes", Value: strconv.FormatInt(in.file.read, 10)}, report.Pair{Name: "its sha256", Value: in.file.digest()})
	case in.graphs != "":
		pairs = append(pairs, report.Pair{Name: "sha256 of its graphs", Value: in.graphs})
	}
	return pairs
}

// A reportBuilder gathers rows as they come.
type reportBuilder struct {
	model   *algo.Model
	alone   *algo.SingleScorer
	options algo.Options
	fdr     float64
	report  *report.Report
	fit     *table.Fit
	drift   *decide.Drift
	kept    []keptRow // those furthest outside so far, and some more
}

// A keptRow is a row that may come into the table.
type keptRow struct {
	report.Entry
	graph *graph.Graph
}

func newReportBuilder(m *algo.Model, alone *algo.SingleScorer, o algo.Options, fdr float64) *reportBuilder {
	return &reportBuilder{
		model: m, alone: alone, options: o, fdr: fdr,
		report: &report.Report{Alpha: o.Alpha, FDR: fdr, Delta: driftDelta, Wealth: []float64{0}, Holdout: alone.Holdout()},
		drift:  decide.NewDrift(alone.Holdout(), o.Seed),
	}
}

func (b *reportBuilder) fitted(f *table.Fit) {
	b.fit = f
	r := b.report
	r.Warnings = append(r.Warnings, f.Warnings...)
	if f.Few {
		return
	}
	r.Whole, r.Differences = report.Whole("this list", f.Evidence, f.P), f.Differences
	if b.options.By != algo.ByAlone {
		r.Holdout = nil
		for _, row := range f.Holdout {
			r.Holdout = append(r.Holdout, deciding(row, b.options.By))
		}
	}
	if b.options.By == algo.ByBatch {
		r.Alone = []float64{}
	}
}

// deciding is the score of a row of a batch that decides.
func deciding(row algo.Row, by string) float64 {
	switch by {
	case algo.ByBatch:
		return row.Batch
	case algo.ByAttention:
		return row.BaCa
	}
	return row.Alone
}

// add takes rows in the order of the input.
func (b *reportBuilder) add(rows []table.Scored) {
	r := b.report
	for _, s := range rows {
		r.Read++
		if s.Err != nil {
			r.Refused++
			if len(r.Refusals) < report.MaxRefused {
				r.Refusals = append(r.Refusals, s.Err.Error())
			}
			continue
		}
		r.Scores, r.P = append(r.Scores, s.Scores.Score), append(r.P, s.Scores.P)
		if r.Alone != nil {
			r.Alone = append(r.Alone, s.Scores.AloneP)
		}
		b.drift.Add(s.Scores.Alone)
		r.Wealth = append(r.Wealth, b.drift.LogWealth()/math.Ln10)
		b.kept = append(b.kept, keptRow{report.Entry{ID: s.ID, SMILES: s.SMILES, Place: r.Read, Row: *s.Scores, Q: math.NaN()}, s.Graph})
	}
	if len(b.kept) > 4*report.MaxRows {
		b.cut()
	}
}

// cut leaves the rows furthest outside.
func (b *reportBuilder) cut() {
	slices.SortStableFunc(b.kept, func(x, y keptRow) int {
		return cmp.Or(cmp.Compare(y.Row.Score, x.Row.Score), cmp.Compare(x.Place, y.Place))
	})
	b.kept = slices.Clip(b.kept[:min(len(b.kept), report.MaxRows)])
}

// finish judges the rows, and explains and draws the first of them.
func (b *reportBuilder) finish(ctx context.Context) (*report.Report, error) {
	r := b.report
	b.cut()
	for _, k := range b.kept {
		r.Rows = append(r.Rows, k.Entry)
	}
	r.Judge()
	r.Top = slices.Clone(r.Rows[:min(len(r.Rows), report.MaxTop)])
	form := algo.FormOf(b.model.Card.Schema)
	for i := range r.Top {
		if err := r.Top[i].Explain(ctx, b.alone, b.kept[i].graph, b.options.Alpha, form); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// basis says what the answer about the list rests on.
func (b *reportBuilder) basis() []report.Pair {
	f := b.fit
	if f == nil || f.Few {
		return report.Basis{Alone: true}.Pairs()
	}
	return report.Basis{Graphs: len(f.Graphs), Sample: f.Sample, First: f.First, Evidence: f.Evidence, P: f.P, Weight: f.Weight}.Pairs()
}
