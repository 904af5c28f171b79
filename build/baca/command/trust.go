package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/document"
	"baca/algo/feature/trust"
	"baca/algo/run"
	"baca/algo/training"
)

// trustFlags are the flags of `baca trust`. Its rows are those of `baca score` with judgements.
type trustFlags struct {
	scoreFlags
	plot string
	json bool
}

// newTrust returns the command "trust".
func newTrust() *cobra.Command {
	f := trustFlags{scoreFlags: scoreFlags{by: algo.ByAlone, options: algo.DefaultOptions(), device: deviceFlag{value: "cpu"}}}
	c := f.verb(&cobra.Command{
		Use:        "trust --predicted YHAT [--observed Y] [INPUT|-]",
		Short:      "Which predictions to trust, and how well that held",
		SuggestFor: []string{"errors", "intervals", "predictions"},
		Args:       oneInput,
	}, f.check, f.run)
	fs := c.Flags()
	fs.StringVar(&f.model, "model", "", "model `file` that knows held-out errors")
	f.registerInput(fs, formats...)
	group(c, "Input")
	f.read.register(fs)
	f.predictions.register(fs)
	group(c, "Predictions")
	f.registerNeighbors(fs)
	f.registerRows(fs)
	fs.BoolVar(&f.json, "json", false, "with --observed: write JSON, with the whole curve, instead of text")
	f.registerOut(fs, &f.plot, "plot", "with --observed: draw risk and coverage to this .svg `file`", ".svg")
	for _, rows := range []string{"neighbors", "out", "to"} {
		c.MarkFlagsMutuallyExclusive("observed", rows)
	}
	f.registerWorkers(fs)
	group(c, "Output")
	return c
}

// check returns an error of usage for flags that are missing or do not fit each other.
func (f *trustFlags) check() error {
	measured := f.read.Observed != ""
	f.cells = f.read.Columns()
	return cmp.Or(rules{
		{f.model == "", "want --model, a model file that knows held-out errors"},
		{f.read.Predicted == "", "want --predicted, the column with the predictions"},
		{len(f.models()) > 1, fmt.Sprintf("%d models: want the one that knows the errors of these predictions", len(f.models()))},
		{f.json && !measured, "--json: want --observed, too; --to jsonl writes rows as JSON"},
		{f.plot != "" && !measured, "--plot: want --observed, too"},
	}.check(), f.read.check(), f.predictions.check(), f.scoreFlags.check())
}

// run writes rows with judgements or, with --observed, an audit.
func (f *trustFlags) run() error {
	if f.read.Observed == "" {
		return f.scoreFlags.run()
	}
	return f.audit()
}

// audit reports how well intervals and verdicts held, as text or JSON, and draws the plot if one is wanted.
func (f *trustFlags) audit() error {
	ctx, stderr := f.c.Context(), f.c.ErrOrStderr()
	o, err := f.openModel(f.model, false)
	if err != nil {
		return err
	}
	if o.model.Residuals == nil {
		return errors.New(knowsNothing(o.model))
	}
	if err := f.single(o); err != nil {
		return err
	}
	if _, err := f.learn(ctx, o.model, o.alone); err != nil {
		return err
	}
	f.cells = f.read.Columns()
	if err := f.begin(o); err != nil {
		return err
	}
	defer o.close()
	var list []trust.Outcome
	p := f.plan(o)
	p.Predictions = &run.Predictions{Judging: f.found, Values: f.read.Of, Outcome: func(one trust.Outcome) { list = append(list, one) }}
	r, err := run.New(ctx, p)
	if err == nil {
		err = r.Do(ctx)
	}
	if err != nil {
		return err
	}
	read, refused := r.Tally.Records, r.Tally.Refused
	if err := checkRead(read, refused); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s; model %s\n", f.read.Counted(read, refused), o.model.Card.Name)
	f.read.tellMissing(stderr, training.DoNotCount)
	a := trust.NewAudit(list, f.found.Calibration)
	if a.N == 0 {
		return trust.ErrNoValues
	}
	if err := draw(f.plot, a.RiskSVG(string(f.found.By))); err != nil {
		return err
	}
	if f.json {
		return document.WriteJSON(f.c.OutOrStdout(), auditOf(a, f.found.Calibration))
	}
	return writeAudit(f.c.OutOrStdout(), a, f.found.Calibration)
}

// kept are the shares of molecules with a shown mean error.
var kept = []float64{0.5, 0.8, 0.9, 0.95, 1}

// writeAudit writes the audit as sentences and tables of text.
func writeAudit(w io.Writer, a *trust.Audit, c *trust.Calibration) error {
	b := bufio.NewWriter(w)
	for _, sentence := range a.Sentences(c) {
		fmt.Fprintln(b, sentence)
	}
	fmt.Fprintln(b)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "verdict\tmolecules\tmean error\terrors above %.3g\t95 %% interval\tstated\t\n", c.Tolerance)
	for _, v := range trust.Verdicts() {
		n := a.Verdicts[v]
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t\n", v, n.N, known("%.3g", n.MeanError),
			known("%.1f %%", 100*n.Share), span(n.Rate), stated(c, v))
	}
	t.Flush()
	fmt.Fprintln(b)
	t = tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "molecules kept, surest first")
	for _, share := range kept {
		fmt.Fprintf(t, "\t%.0f %%", 100*share)
	}
	fmt.Fprint(t, "\t\nmean error")
	for _, share := range kept {
		fmt.Fprintf(t, "\t%s", known("%.3g", a.RiskAt(share)))
	}
	fmt.Fprintln(t, "\t")
	t.Flush()
	fmt.Fprintln(b, a.UnderCurve())
	return b.Flush()
}

// known formats a number, a dash for NaN.
func known(format string, x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf(format, x)
}

// span formats the interval of a rate, a dash if nothing was counted.
func span(r trust.Rate) string {
	if r.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f–%.0f %%", 100*r.Low, 100*r.High)
}

// stated returns the share of large errors with its bounds, from the first statement about a verdict, or "–" if there
// is none. It says so if the statement is about other verdicts, too.
func stated(c *trust.Calibration, v trust.Verdict) string {
	for _, s := range c.Statements() {
		if !slices.Contains(s.Verdicts, v) {
			continue
		}
		text := fmt.Sprintf("%.1f %% of %d (%s)", 100*s.Share, s.N, span(s.Rate))
		if len(s.Verdicts) > 1 {
			text += ", " + s.Words()
		}
		return text
	}
	return "–"
}

// auditOf returns an audit as JSON. Risk is the mean error of the k most reliable, k from 1.
func auditOf(a *trust.Audit, c *trust.Calibration) document.Object {
	verdicts := map[string]document.Object{}
	for _, v := range trust.Verdicts() {
		n, s := a.Verdicts[v], c.HeldOut[v]
		verdicts[string(v)] = document.Object{
			{"molecules", n.N}, {"large_errors", n.Large}, {"mean_error", n.MeanError},
			{"stated_large_errors", s.Large}, {"stated_of", s.N},
		}
	}
	return document.Object{
		{"molecules", a.N}, {"coverage_asked", c.Coverage}, {"coverage", a.Coverage},
		{"coverage_interval", []any{document.Known(a.Low), document.Known(a.High)}}, {"intervals", a.Intervals}, {"mean_width", a.Width},
		{"batch_coverage", document.Known(a.Batch.Coverage)}, {"batch_intervals", a.Batch.Intervals},
		{"batch_mean_width", document.Known(a.Batch.Width)},
		{"tolerance", c.Tolerance}, {"errors_by", c.By}, {"spearman", a.Spearman}, {"large_errors_auroc", a.Finds},
		{"mean_error", a.MeanError}, {"area", a.Area}, {"area_best", a.AreaBest}, {"risk", a.Risk},
		{"verdicts", verdicts}, {"held_out", c.Pairs},
	}
}
