package command

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/compare"
	"baca/algo/decide"
	"baca/algo/job"
	"baca/algo/report"
	"baca/algo/table"
	"baca/build/internal/apart"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
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

func newCompare() *cobra.Command {
	f := compareFlags{}
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "How two lists of molecules differ, and if one tests the other",
		Long: `Compare reads two lists, such as two vendors' libraries or a training and a test set,
and says how B differs from A:

    - whether B can be told from A: the cross-validated AUC of their density
    ratio, and its p-value;
  - what both have: equal molecules, without stereochemistry, and scaffolds;
  - how similar the nearest molecule of the other list is, beside the nearest
    other one of the same list, and so whether B is an easier test set for A
    than a random split;
  - which functional groups, rings, elements and fragments are commoner in
    which, with odds ratios (Fisher's exact test), at a false-discovery rate;
  - sizes and numbers of rings.

A molecule counts once in each list. Similarity is Tanimoto's, of the subtrees of up to two
bonds, much like ECFP4. The encoder of a model helps to tell the lists apart; what it was
trained on does not matter. Two lists of 100 000 molecules take some minutes, and a
molecule about two kilobytes of memory.`,
		Example: `  baca compare train.csv test.csv
  baca compare --html difference.html vendor1.smi.gz vendor2.sdf.gz
  baca compare --json monday.csv tuesday.csv | jq .evidence`,
		Args: usage.Args(2, 2, "%d inputs: want two lists, A and B"),
		RunE: func(c *cobra.Command, args []string) error {
			f.set(c, args)
			if err := f.check(args); err != nil {
				return err
			}
			return f.run(c, args)
		},
	}
	fs := c.Flags()
	f.registerModel(fs, ", whose encoder is used")
	f.register(fs, formats...)
	fs.Float64Var(&f.fdr, "fdr", 0.05, "false-discovery rate of named differences (Benjamini and Hochberg)")
	fs.StringVar(&f.html, "html", "", "also write a report to this .html `file`")
	fs.StringVar(&f.plot, "plot", "", "draw how near the lists are to this .svg `file`")
	fs.BoolVar(&f.json, "json", false, "write JSON instead of text")
	fs.Uint64Var(&f.seed, "seed", 1, "of the samples")
	f.registerWorkers(fs)
	return c
}

func (f *compareFlags) check(args []string) error {
	return cmp.Or(
		inRange("fdr", decide.CheckFDR(f.fdr)),
		rules{{args[0] == "-" && args[1] == "-", "both lists are standard input: want a file for one of them"}}.check(),
		checkHTML("html", f.html), checkSVG(f.plot),
		f.source.check(apart.File{Role: "--html", Name: f.html}, apart.File{Role: "--plot", Name: f.plot}, standardOutput),
	)
}

// checkHTML refuses a name without .html or in a missing folder. Empty is fine.
func checkHTML(flag, name string) error {
	if ext := strings.ToLower(filepath.Ext(name)); name != "" && ext != ".html" && ext != ".htm" {
		return usage.Errorf("--%s %s: want the name of an .html file", flag, name)
	}
	return checkFolder(flag, name)
}

func (f *compareFlags) run(c *cobra.Command, args []string) error {
	ctx, stderr := c.Context(), c.ErrOrStderr()
	m, _, err := openModelFile(f.model)
	if err != nil {
		return err
	}
	f.form = algo.FormOf(m.Card.Schema).Unordered()
	r := &report.Comparison{}
	var lists [2]*compare.List
	for k, path := range args {
		s := f.source
		s.path, s.more = path, nil
		in, _, err := s.openFor(ctx, c, m)
		if err != nil {
			return err
		}
		lists[k] = compare.NewList(nameOf(path), f.seed, k)
		refused, err := fill(ctx, lists[k], s, in, stderr)
		in.close()
		if err != nil {
			return err
		}
		r.Warnings = append(append(r.Warnings, in.warnings...), refused...)
		for _, p := range describeInput(path, in) {
			r.Input = append(r.Input, report.Pair{Name: fmt.Sprintf("%c: %s", 'A'+k, p.Name), Value: p.Value})
		}
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(stderr, "warning: %s\n", w)
	}
	r.Comparison, err = compare.Compare(ctx, lists[0], lists[1], compare.Options{
		Encoder: m.Encoder, FDR: f.fdr, Workers: f.workers,
		Stage: func(name string) { fmt.Fprintf(stderr, "comparing: %s\n", name) },
	})
	if err != nil {
		return err
	}
	if f.html != "" {
		if err := f.writeHTML(r, m, args); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "wrote %s\n", f.html)
	}
	if err := draw(f.plot, report.CoverageSVG(r.Comparison)); err != nil {
		return err
	}
	return f.write(c.OutOrStdout(), r.Comparison)
}

// nameOf is a list's name.
func nameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return filepath.Base(path)
}

// fill reads an input into a list, and reports refused records.
func fill(ctx context.Context, l *compare.List, s source, in *input, stderr io.Writer) (refused []string, err error) {
	p := progress.New(stderr, "reading "+l.Name, 0)
	defer p.Done()
	const piece = 1024
	refused, err = job.Gather(ctx, l, s.workers, piece, table.Parse(ctx, s.workers, in.records), func(graphs int) { p.Add(int64(graphs)) })
	if err != nil {
		return nil, err
	}
	if err := checkRead(l.Read, l.Refused); err != nil {
		return nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	return refused, nil
}

func (f *compareFlags) writeHTML(r *report.Comparison, m *algo.Model, args []string) (err error) {
	r.Title = fmt.Sprintf("How %s differs from %s", r.B.Name, r.A.Name)
	r.Settings = []report.Pair{
		{Name: "encoder", Value: "of model " + m.Card.Name},
		{Name: "false discoveries", Value: fmt.Sprint(f.fdr)},
		{Name: "seed", Value: fmt.Sprint(f.seed)},
		{Name: "program", Value: "baca " + version.String()},
	}
	r.Command = job.Command("baca compare", append(f.flags(),
		job.Flag{Name: "--fdr", Value: fmt.Sprint(f.fdr)}, job.Flag{Name: "--seed", Value: fmt.Sprint(f.seed)}, job.Flag{Name: "--html", Value: f.html}), args...)
	if r.Script, r.Undrawn, err = drawingScript(); err != nil {
		return err
	}
	return replace.File(f.html, func(w io.Writer) error { return report.WriteComparison(w, r) })
}

func (f *compareFlags) write(w io.Writer, c *compare.Comparison) error {
	if f.json {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			*compare.Comparison
			Similarities []float64 `json:"coverage_at"`
			Words        []string  `json:"words"`
			Program      string    `json:"program"`
		}{c, compare.Steps(), []string{c.Differs(), c.Shares(), c.TooEasy()}, "baca " + version.String()})
	}
	b := bufio.NewWriter(w)
	for _, text := range []string{table.Printable(c.Names()), c.Differs(), c.Shares(), c.TooEasy(), c.Sampled()} {
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
	fmt.Fprintf(b, "\nOf %d named substructures %d differ (q ≤ %g), and of %d fragments %s\n", c.NamedTested, len(c.Named), c.FDR, c.FragmentsTested, these)
	differences(b, "commoner in B", c, true)
	differences(b, "commoner in A", c, false)
	return b.Flush()
}

// textRows bounds the differences of a kind in text.
const textRows = 15

// differences writes one side's differences.
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
