package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/job"
	"baca/algo/report"
	"baca/algo/table"
	"baca/build/internal/apart"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/build/internal/version"
)

// formFlags are the flags of regulators' forms.
type formFlags struct {
	qprf, qmrf bool
	neighbors  int
	confidence float64
}

func (f *formFlags) register(fs *pflag.FlagSet) {
	fs.BoolVar(&f.qprf, "qprf", false, "write a report on the applicability domain for each molecule instead, of at most 100; --out may be .json")
	fs.BoolVar(&f.qmrf, "qmrf", false, "write the page of the model instead, which takes no input; --out may be .json")
	fs.IntVar(&f.neighbors, "neighbors", job.DomainNeighbors, "with --qprf, how many structural analogues to show")
	fs.Float64Var(&f.confidence, "confidence", job.DomainConfidence, "with --qprf, of the intervals of p-values")
}

func (f *formFlags) asked() bool { return f.qprf || f.qmrf }

// checkForm checks the flags of a form.
func (f *reportFlags) checkForm(c *cobra.Command, args []string) error {
	switch ext := strings.ToLower(filepath.Ext(f.out)); {
	case f.forms.qprf && f.forms.qmrf:
		return usage.Errorf("--qprf and --qmrf are two reports: want one of them")
	case f.out == "":
		return usage.Errorf("want --out FILE.html or FILE.json")
	case ext != ".html" && ext != ".htm" && ext != ".json":
		return usage.Errorf("--out %s: want the name of an .html or .json file", f.out)
	case f.forms.qmrf && len(args) > 0:
		return usage.Errorf("--qmrf is about the model alone: want no input, not %s", args[0])
	case f.forms.neighbors < 0 || f.forms.neighbors > algo.MaxNearest:
		return usage.Errorf("--neighbors %d: want 0 to %d", f.forms.neighbors, algo.MaxNearest)
	case !(f.forms.confidence > 0 && f.forms.confidence < 1):
		return usage.Errorf("--confidence %g: want a number between 0 and 1, such as %g", f.forms.confidence, job.DomainConfidence)
	}
	if err := checkFolder("out", f.out); err != nil {
		return err
	}
	for _, name := range []string{"by", "fdr", "seed"} {
		if c.Flags().Changed(name) {
			return usage.Errorf("--%s: not with --qprf or --qmrf, where each molecule is judged by itself", name)
		}
	}
	return cmp.Or(inRange("alpha", decide.CheckAlpha(f.options.Alpha)), f.source.check(apart.File{Role: "--out", Name: f.out}))
}

// domain is the basis of a form.
func (f *reportFlags) domain(o *opening) *job.Domain {
	return &job.Domain{
		Model: o.model, Alone: o.alone, Name: f.model, SHA256: hashOf(o.file), Bytes: len(o.file), Program: "baca " + version.String(),
		Alpha: f.options.Alpha, Confidence: f.forms.confidence, Neighbors: f.forms.neighbors,
	}
}

// runForm writes a form.
func (f *reportFlags) runForm(c *cobra.Command, args []string) error {
	if err := f.checkForm(c, args); err != nil {
		return err
	}
	f.ordered = true
	open := f.begin
	if f.forms.qmrf {
		open = f.beginModel
	}
	o, err := open(c, f.model, func(o *opening) error {
		if err := job.CheckDomain(o.model); err != nil {
			return usage.Errorf("%w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	q := f.domain(o)
	if f.forms.qmrf {
		return f.writeQMRF(c, q)
	}
	defer o.close()
	d := q.Report()
	d.Command = q.Command(f.flags()[1:], f.out, f.path) // it adds the model
	read, refused, err := f.judge(c, q, d, o.input)
	if err != nil {
		return err
	}
	if d.Script, d.Undrawn, err = drawingScript(); err != nil {
		return err
	}
	if err := f.writeForm(func(w io.Writer) error { return report.WriteDomain(w, d) }, func(w io.Writer) error { return report.WriteDomainJSON(w, d) }); err != nil {
		return err
	}
	var counts decide.Counts
	for i := range d.Substances {
		counts.Count(d.Substances[i].Why.Verdict)
	}
	fmt.Fprintf(c.ErrOrStderr(), "%d read, %d refused; %s; wrote %s\n", read, refused, counts.Verdicts(), f.out)
	return nil
}

// errMany ends reading.
var errMany = errors.New("too many molecules")

// judge reads and judges the input's molecules.
func (f *reportFlags) judge(c *cobra.Command, q *job.Domain, d *report.Domain, in *input) (read, refused int, err error) {
	ctx := c.Context()
	for r, err := range table.Parse(ctx, f.workers, in.records) {
		if err != nil {
			return read, refused, err
		}
		if read++; read > job.MaxSubstances {
			return read, refused, fmt.Errorf("%w: --qprf writes a page and more for each, and for at most %d; choose those that matter", errMany, job.MaxSubstances)
		}
		if r.Err != nil {
			refused++
		}
		if err := q.Add(ctx, d, r); err != nil {
			return read, refused, err
		}
	}
	d.Warnings = append(d.Warnings, in.warnings...)
	d.Input = describeInput(f.path, in)
	for _, w := range d.Warnings {
		fmt.Fprintf(c.ErrOrStderr(), "warning: %s\n", w)
	}
	return read, refused, checkRead(read, refused)
}

func (f *reportFlags) writeQMRF(c *cobra.Command, q *job.Domain) error {
	p := q.ModelPage(f.out)
	if err := f.writeForm(func(w io.Writer) error { return report.WriteModelPage(w, p) }, func(w io.Writer) error { return report.WriteModelPageJSON(w, p) }); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "wrote %s\n", f.out)
	return nil
}

// writeForm writes a form in the format of its file name.
func (f *reportFlags) writeForm(asHTML, asJSON func(io.Writer) error) error {
	if strings.EqualFold(filepath.Ext(f.out), ".json") {
		return replace.File(f.out, asJSON)
	}
	return replace.File(f.out, asHTML)
}
