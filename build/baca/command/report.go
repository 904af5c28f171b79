package command

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/document"
	"baca/algo/feature/domain"
	"baca/algo/feature/drift"
	"baca/algo/report"
	"baca/algo/run"
	"baca/algo/table"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/build/internal/version"
	"baca/web"
	"baca/weights"
)

// reportFlags are the flags of a report, some of which are those of score, and of regulators' forms.
type reportFlags struct {
	scoreFlags
	qprf, qmrf bool
	analogues  int
	interval   float64 // confidence of the intervals of p-values
}

// newReport returns the command "report".
func newReport() *cobra.Command {
	f := reportFlags{scoreFlags: scoreFlags{options: algo.DefaultOptions(), device: deviceFlag{value: "cpu"}}}
	o := &f.options
	c := f.verb(&cobra.Command{
		Use:   "report [INPUT|-] --out FILE.html",
		Short: "Score graphs and write one HTML file about them",
		Args:  oneInput,
	}, f.check, f.run)
	fs := c.Flags()
	f.registerModel(fs, "")
	f.registerInput(fs, formats...)
	f.registerOut(fs, &f.out, "out", "`file` to write, .html", ".html", ".json")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of the attention, the sample that forms a batch, and the draws of the drift test")
	f.registerWorkers(fs)
	fs.StringVar(&f.by, "by", o.By, "what decides: "+strings.Join(algo.Deciders(), ", "))
	fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "share of in-distribution graphs that may be called outside")
	fs.Float64Var(&f.fdr, "fdr", 0, "false-discovery rate among those called outside (Benjamini and Hochberg); 0 for none")
	fs.BoolVar(&f.qprf, "qprf", false,
		"write a report on the applicability domain of each molecule instead, 100 at most; --out may be .json")
	fs.BoolVar(&f.qmrf, "qmrf", false, "write a page about the model instead, without any input; --out may be .json")
	fs.IntVar(&f.analogues, "neighbors", domain.Neighbors, "structural analogues to show with --qprf")
	fs.Float64Var(&f.interval, "confidence", domain.Confidence, "confidence of the intervals of p-values with --qprf")
	c.MarkFlagsMutuallyExclusive("qprf", "qmrf")
	for _, batch := range []string{"by", "fdr", "seed"} { // a form judges each molecule by itself
		c.MarkFlagsMutuallyExclusive("qprf", batch)
		c.MarkFlagsMutuallyExclusive("qmrf", batch)
	}
	return c
}

// form reports whether to write a regulator's form instead of a report.
func (f *reportFlags) form() bool { return f.qprf || f.qmrf }

// json reports whether to write a form as JSON.
func (f *reportFlags) json() bool { return strings.EqualFold(filepath.Ext(f.out), ".json") }

// check returns an error of usage for flags that do not fit each other.
func (f *reportFlags) check() error {
	changed := f.c.Flags().Changed
	f.to = "csv" // or scoreFlags.check would take the form of rows from the name of --out, which is no table
	return cmp.Or(rules{
		{f.out == "", "want --out FILE.html"},
		{!f.form() && f.json(), "--out " + f.out + ": want the name of an .html file; --qprf and --qmrf write .json, too"},
		{!f.form() && changed("neighbors"), "--neighbors needs --qprf"},
		{!f.form() && changed("confidence"), "--confidence needs --qprf"},
		{f.qmrf && f.paths[0] != "-", "--qmrf is about the model alone: want no input, not " + f.paths[0]},
		{f.analogues < 0 || f.analogues > algo.MaxNearest, fmt.Sprintf("--neighbors %d: want 0 to %d", f.analogues, algo.MaxNearest)},
		{!(f.interval > 0 && f.interval < 1),
			fmt.Sprintf("--confidence %g: want a number between 0 and 1, such as %g", f.interval, domain.Confidence)},
	}.check(), f.scoreFlags.check())
}

// run writes a QPRF, a QMRF or the report.
func (f *reportFlags) run() error {
	o, err := f.openModel(f.model, true)
	if err != nil {
		return err
	}
	if f.form() {
		if err := domain.Check(o.model); err != nil {
			return usage.Errorf("%w", err)
		}
	}
	if f.qmrf {
		if err := f.single(o); err != nil {
			return err
		}
		return f.writeQMRF(f.domain(o))
	}
	if err := f.begin(o); err != nil {
		return err
	}
	defer o.close()
	if f.qprf {
		return f.writeQPRF(o)
	}
	return f.write(o)
}

// write scores the input and writes the report.
func (f *reportFlags) write(o *opening) error {
	ctx := f.c.Context()
	p := f.plan(o)
	p.Batch = o.model.Shared == 0 // a shared model has no batch
	r := report.New(o.alone, f.options, f.fdr, drift.New(o.alone, f.options.Seed))
	r.Warnings = append(r.Warnings, o.warnings...)
	scored, err := run.New(ctx, p)
	if err != nil {
		return err
	}
	shown := progress.New(f.c.ErrOrStderr(), "scoring", 0)
	scored.Fitted = func(f *run.Fit) error {
		r.Fitted(f.Report)
		return nil
	}
	scored.Rows = func(rows []table.Row) error {
		shown.Add(int64(len(rows)))
		r.Add(rows)
		return nil
	}
	err = scored.Do(ctx)
	shown.Done()
	if err != nil {
		return err
	}
	if err := checkRead(r.Read, r.Refused, r.Refusals[:min(maxShown, len(r.Refusals))]...); err != nil {
		return err
	}
	if err := r.Finish(ctx, f.source.form, nil); err != nil {
		return err
	}
	if r.Input, err = f.describe(o.input); err != nil {
		return err
	}
	f.making(o.data, scored.Fit).Describe(r, o.model)
	if err := f.save(f.out, &r.About, func(w io.Writer) error { return report.Write(w, r) }); err != nil {
		return err
	}
	fmt.Fprintf(f.c.ErrOrStderr(), "%d read, %d refused; %s; wrote %s\n", r.Read, r.Refused, r.Verdicts(), f.out)
	return nil
}

// making says how the report was made. model is the model's file, and fit the batch or nil.
func (f *reportFlags) making(model []byte, fit *run.Fit) report.Making {
	m := report.Making{
		By: f.options.By, Seed: f.options.Seed, Basis: report.Basis{Alone: true}, Program: version.String(),
		ModelBytes: len(model), ModelFormat: weights.Version, ModelSHA256: hashOf(model),
	}
	if path := f.paths[0]; path != "-" {
		m.Name = filepath.Base(path)
	}
	if fit != nil {
		m.Basis = report.Basis{Graphs: len(fit.Graphs), Alone: fit.Few, Sample: fit.Sample, First: fit.First, Weight: fit.Weight}
	}
	return m
}

// save writes a document by write. It sets what write needs first: the script that draws molecules, and the command that makes the
// document again, without the flags in without.
func (s *source) save(out string, d *document.About, write func(io.Writer) error, without ...string) (err error) {
	d.Command = s.command(without...)
	if d.Script, d.Undrawn, err = drawingScript(); err != nil {
		return err
	}
	return replace.File(out, write)
}

// drawingScript returns the script that draws molecules. A program without the page has none: then undrawn is a
// sentence for readers that says so. A page without the script is an error.
func drawingScript() (script []byte, undrawn string, err error) {
	if _, err := web.Site(); err != nil {
		return nil, "the program that wrote this was built without the page, which has what draws", nil
	}
	s, err := openSite()
	if err != nil {
		return nil, "", err
	}
	script, err = s.Content("web/lib/draw.js")
	return script, "", err
}

// describe returns the name of an input that was read, the size and the SHA-256 of a file, and the SHA-256 of a TUDataset set.
func (s *source) describe(in *input) ([]document.Pair, error) {
	path := s.paths[0]
	if path == "-" {
		return []document.Pair{{"input", nameOf(path)}}, nil
	}
	pairs := []document.Pair{{"input", path}}
	if s.file != nil {
		return append(pairs, document.Pair{"bytes", strconv.FormatInt(s.file.read.Load(), 10)},
			document.Pair{"its sha256", s.file.digest()}), nil
	}
	if in.files == nil {
		return pairs, nil
	}
	sum, err := in.files.Sum()
	return append(pairs, document.Pair{"its sha256", sum}), err
}
