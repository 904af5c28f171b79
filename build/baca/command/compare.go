package command

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/feature/compare"
	"baca/build/internal/progress"
	"baca/build/internal/usage"
	"baca/build/internal/version"
)

type compareFlags struct {
	source
	html, plot string
	json       bool
	fdr        float64
	seed       uint64
}

// newCompare returns the command "compare".
func newCompare() *cobra.Command {
	f := compareFlags{}
	c := f.verb(&cobra.Command{
		Use:   "compare A B",
		Short: "How two lists of molecules differ, and if one tests the other",
		Args:  usage.Args(2, 2, "%d inputs: want two lists, A and B"),
	}, f.check, f.run)
	fs := c.Flags()
	f.registerModel(fs, ", which says how molecules are read")
	f.registerInput(fs, formats...)
	fs.Float64Var(&f.fdr, "fdr", namedFDR, "false-discovery rate of named differences (Benjamini and Hochberg)")
	f.registerOut(fs, &f.html, "html", "also write a report to this .html `file`", ".html")
	f.registerOut(fs, &f.plot, "plot", "draw how near the lists are to this .svg `file`", ".svg")
	fs.BoolVar(&f.json, "json", false, "write JSON instead of text")
	fs.Uint64Var(&f.seed, "seed", 1, "of the samples")
	f.registerWorkers(fs)
	return c
}

// namedFDR is the default rate of false discoveries among named differences.
const namedFDR = 0.05

// check returns an error of usage for flags that do not fit.
func (f *compareFlags) check() error {
	return cmp.Or(inRange("fdr", decide.CheckFDR(f.fdr)), rules{
		{f.paths[0] == "-" && f.paths[1] == "-", "both lists are standard input: want a file for one of them"},
	}.check())
}

// run reads both lists, compares them and writes the page, if one is wanted, and the comparison.
func (f *compareFlags) run() error {
	ctx, stderr := f.c.Context(), f.c.ErrOrStderr()
	o, err := f.openModel(f.model, false)
	if err != nil {
		return err
	}
	r := &compare.Report{}
	var lists [2]*compare.List
	for k := range lists {
		if lists[k], err = f.list(k, o.model, r); err != nil {
			return err
		}
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(stderr, "warning: %s\n", w)
	}
	r.Comparison, err = compare.Compare(ctx, lists[0], lists[1], compare.Options{
		FDR: f.fdr, Workers: f.workers,
		Stage: func(name string) { fmt.Fprintf(stderr, "comparing: %s\n", name) },
	})
	if err != nil {
		return err
	}
	if f.html != "" {
		if err := f.writeHTML(r, o.model); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "wrote %s\n", f.html)
	}
	if err := draw(f.plot, r.CoverageSVG()); err != nil {
		return err
	}
	return f.write(f.c.OutOrStdout(), r.Comparison)
}

// list reads input k, 0 for A and 1 for B, and adds its warnings and what identifies it to the report.
func (f *compareFlags) list(k int, m *algo.Model, r *compare.Report) (*compare.List, error) {
	s := f.source
	s.paths = f.paths[k : k+1]
	in, records, err := s.openFor(m)
	if err != nil {
		return nil, err
	}
	defer in.close()
	l := compare.NewList(nameOf(s.paths[0]), f.seed, k)
	ctx := f.c.Context()
	refused, err := compare.Gather(ctx, l, s.workers, piece,
		progress.Each(f.c.ErrOrStderr(), "reading "+l.Name, dataset.Parse(ctx, s.workers, records.Records)), func() {})
	if err != nil {
		return nil, err
	}
	if err := checkRead(l.Read, l.Refused, refused...); err != nil {
		return nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	r.Warnings = append(append(r.Warnings, in.warnings...), refused...)
	pairs, err := s.describe(in)
	for _, p := range pairs {
		r.Input = append(r.Input, document.Pair{fmt.Sprintf("%c: %s", 'A'+k, p.Name), p.Value})
	}
	return l, err
}

// nameOf returns the name by which a list is called.
func nameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return filepath.Base(path)
}

// writeHTML writes the report as a page.
func (f *compareFlags) writeHTML(r *compare.Report, m *algo.Model) error {
	r.Title = fmt.Sprintf("How %s differs from %s", r.B.Name, r.A.Name)
	r.Settings = []document.Pair{
		{"read as", algo.Reads(m.Card.Schema)},
		{"false discoveries", fmt.Sprint(f.fdr)},
		{"seed", fmt.Sprint(f.seed)},
		{"program", "baca " + version.String()},
	}
	return f.save(f.html, &r.About, func(w io.Writer) error { return compare.Write(w, r) })
}

// write writes the comparison as JSON or as text.
func (f *compareFlags) write(w io.Writer, c *compare.Comparison) error {
	if f.json {
		return document.WriteJSON(w, struct {
			*compare.Comparison
			Similarities []float64 `json:"coverage_at"`
			Words        []string  `json:"words"`
			Program      string    `json:"program"`
		}{c, compare.Steps(), []string{c.Differs(), c.Shares(), c.TooEasy()}, "baca " + version.String()})
	}
	b := bufio.NewWriter(w)
	for _, text := range []string{document.Printable(c.Names()), c.Differs(), c.Shares(), c.TooEasy(), c.Sampled()} {
		if text != "" {
			fmt.Fprintln(b, text)
		}
	}
	fmt.Fprintln(b)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, c.Say("\tread\trefused\tcopies\tmolecules\tatoms 5 %\t25 %\t50 %\t75 %\t95 %\trings 5 %\t25 %\t50 %\t75 %\t95 %\t"))
	for k, s := range []*compare.Side{&c.A, &c.B} {
		fmt.Fprintf(t, "%c\t%d\t%d\t%d\t%d\t", 'A'+k, s.Read, s.Refused, s.Copies, s.Molecules)
		for _, q := range [][5]float64{s.Atoms.Quantiles, s.Rings.Quantiles} {
			for _, v := range q {
				fmt.Fprintf(t, "%.3g\t", v)
			}
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintln(b, c.Say("\nShare with a molecule at least so similar"))
	t = tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	shown := []int{6, 8, 10, 12, 14, 16, 17, 18, 20} // 0.3 … 1
	for _, k := range shown {
		fmt.Fprintf(t, "\t%.2g", compare.Steps()[k])
	}
	fmt.Fprintln(t, "\t")
	for _, line := range []struct {
		name string
		of   *compare.Nearest
	}{{"of B, in A", &c.BtoA}, {"of A, in A", &c.AtoA}, {"of A, in B", &c.AtoB}, {"of B, in B", &c.BtoB}} {
		fmt.Fprint(t, line.name)
		for _, k := range shown {
			fmt.Fprintf(t, "\t%s", compare.Percent(line.of.Coverage[k]))
		}
		fmt.Fprintln(t, "\t")
	}
	t.Flush()
	these := "these are the surest that do not go together"
	if len(c.Fragments) == 0 {
		these = "none does"
	}
	fmt.Fprintf(b, "\nOf %d named substructures %d differ (q ≤ %g), and of %d fragments %s\n", c.NamedTested,
		len(c.Named), c.FDR, c.FragmentsTested, these)
	differences(b, "commoner in B", c, true)
	differences(b, "commoner in A", c, false)
	return b.Flush()
}

// textRows is the most differences of a kind that are written as text.
const textRows = 15

// differences writes the differences that are commoner in one list.
func differences(w io.Writer, title string, c *compare.Comparison, inB bool) {
	named, fragments := compare.Commoner(c.Named, inB), compare.Commoner(c.Fragments, inB)
	if len(named)+len(fragments) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\n%s\t\tof A\tof B\todds ratio\t95 %% interval\tq\n", title)
	for _, list := range [][]compare.Difference{named, fragments} {
		for _, d := range list[:min(len(list), textRows)] {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.3g\t%.3g–%.3g\t%.2g\n", d.Name, d.Kind,
				compare.Share(d.InA, c.A.Molecules), compare.Share(d.InB, c.B.Molecules), d.Odds, d.Low, d.High, d.Q)
		}
		if more := len(list) - textRows; more > 0 {
			fmt.Fprintf(t, "… and %d more, see --json\n", more)
		}
	}
	t.Flush()
}
