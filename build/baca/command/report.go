package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/job"
	"baca/algo/report"
	"baca/algo/table"
	"baca/build/internal/apart"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/build/internal/version"
	"baca/web"
	"baca/weights"
)

type reportFlags struct {
	source
	out     string
	fdr     float64
	options algo.Options
	forms   formFlags
}

func newReport() *cobra.Command {
	f := reportFlags{options: algo.DefaultOptions()}
	o := &f.options
	c := &cobra.Command{
		Use:   "report [INPUT|-] --out FILE.html",
		Short: "Score graphs and write one HTML file about them",
		Long: `Report scores graphs as baca score --by both does and writes what came of it as one HTML file that needs nothing else and opens
offline: verdicts, whether the list as a whole differs from the training set, distributions, a test for drift in the order of the input, the ten
graphs furthest outside with coloured atoms and reasons, a table, warnings, the model card, all settings, and the command that makes it again.
The same input, model and seed give the same bytes.

With --qprf it says for a regulator's file whether each molecule is within the applicability domain of the model, in the fields of the QSAR
Prediction Reporting Format: p-value and its interval, structural analogues, and what was not assessed left blank. With --qmrf it describes the
domain of a model, section 5 of the QSAR Model Reporting Format. Neither says anything of an endpoint.`,
		Example: `  baca report --out report.html molecules.csv
  baca report --fdr 0.1 --model my.msgpack --out report.html library.smi.gz
  baca report --qprf --out domain.html molecules.csv
  baca report --qmrf --model esol --out esol.html`,
		Args: oneInput,
		RunE: func(c *cobra.Command, args []string) error {
			f.set(c, args)
			if f.forms.asked() {
				return f.runForm(c, args)
			}
			for _, name := range []string{"neighbors", "confidence"} {
				if c.Flags().Changed(name) {
					return usage.Errorf("--%s: want --qprf, which it is of", name)
				}
			}
			return f.run(c)
		},
	}
	fs := c.Flags()
	f.registerModel(fs, "")
	f.register(fs, formats...)
	fs.StringVar(&f.out, "out", "", "`file` to write, .html")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "of the attention, the sample that forms a batch, and the draws of the drift test")
	f.registerWorkers(fs)
	fs.StringVar(&o.By, "by", o.By, "what decides: "+strings.Join(algo.Deciders(), ", "))
	fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "share of in-distribution graphs that may be called outside")
	fs.Float64Var(&f.fdr, "fdr", 0, "false-discovery rate among those called outside (Benjamini and Hochberg); 0 for none")
	f.forms.register(fs)
	return c
}

func (f *reportFlags) check() error {
	s := scoreFlags{source: f.source, to: "csv", by: f.options.By, options: f.options, device: deviceFlag{value: "cpu"}, answers: answers{fdr: f.fdr}}
	return cmp.Or(
		rules{{f.out == "", "want --out FILE.html"}}.check(), checkHTML("out", f.out),
		f.source.check(apart.File{Role: "--out", Name: f.out}), s.check(),
	)
}

func (f *reportFlags) run(c *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	ctx, stderr := c.Context(), c.ErrOrStderr()
	f.ordered = true
	x, err := f.begin(c, f.model, nil)
	if err != nil {
		return err
	}
	defer x.close()
	m, in := x.model, x.input
	f.options.Workers, f.options.Single = f.workers, x.alone
	scorer, err := algo.NewScorer(ctx, m, f.options)
	if err != nil {
		return err
	}
	r := job.NewReport(x.alone, f.options, f.fdr)
	r.Warnings = append(r.Warnings, in.warnings...)
	// A shared model has no batch.
	o := job.ScoreOptions{Batch: m.Shared == 0, Seed: f.options.Seed, Workers: f.workers}
	fit, err := scoreFor(ctx, r, scorer, x.records, o, stderr)
	if err != nil {
		return err
	}
	if err := checkRead(r.Read, r.Refused); err != nil {
		return err
	}
	if err := r.Finish(ctx, f.form, nil); err != nil {
		return err
	}
	r.Input = describeInput(f.path, in)
	f.making(x.file, fit).Describe(r.Report, m)
	if r.Script, r.Undrawn, err = drawingScript(); err != nil {
		return err
	}
	if err := replace.File(f.out, func(w io.Writer) error { return report.Write(w, r.Report) }); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d read, %d refused; %s; wrote %s\n", r.Read, r.Refused, r.Verdicts(), f.out)
	return nil
}

// drawingScript is the page's drawing script, or why there is none.
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

// scoreFor adds a report's rows, and returns the fitted batch.
func scoreFor(ctx context.Context, r *job.Report, s *algo.Scorer, in job.Input, o job.ScoreOptions, stderr io.Writer) (fit *job.Fit, err error) {
	p := progress.New(stderr, "scoring", 0)
	defer p.Done()
	o.Fitted = func(f *job.Fit) error { fit = f; return r.Fitted(f) }
	err = job.Score(ctx, s, in, o, func(rows []table.Scored) error {
		p.Add(int64(len(rows)))
		return r.Add(rows)
	})
	return fit, err
}

// making is the report's provenance, by model file and batch, nil without one.
func (f *reportFlags) making(model []byte, fit *job.Fit) job.Making {
	m := job.Making{
		By: f.options.By, Seed: f.options.Seed, Basis: report.Basis{Alone: true}, Program: version.String(),
		ModelBytes: len(model), ModelFormat: weights.Version, ModelSHA256: fmt.Sprintf("%x", sha256.Sum256(model)),
		Flags: f.flags(), Out: f.out, Input: f.path,
	}
	if f.path != "-" {
		m.Name = filepath.Base(f.path)
	}
	if fit != nil {
		m.Basis = report.Basis{
			Graphs: len(fit.Graphs), Alone: fit.Few, Sample: fit.Sample, First: fit.First, Evidence: fit.Evidence, P: fit.P, Weight: fit.Weight,
		}
	}
	return m
}

// describeInput describes the input.
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
