package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo/dataset"
	"baca/algo/feature/compare"
	"baca/algo/molecule"
	"baca/algo/split"
	"baca/algo/table"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
)

type splitFlags struct {
	source
	split.Splitting
	train, test splitFile
	to          string
	text        table.Text
	quiet       bool
	names       []string // columns of the input
}

// A splitFile is the file of one of the two sets.
type splitFile struct{ name, form string }

// newSplit returns the command "split".
func newSplit() *cobra.Command {
	f := splitFlags{}
	c := f.verb(&cobra.Command{
		Use:   "split [LIBRARY|-]",
		Short: "Divide a library into a training and a test set",
		Args:  oneInput,
	}, f.check, f.run)
	fs := c.Flags()
	fs.StringVar(&f.By, "by", split.ByScaffold, "one of "+strings.Join(split.Ways, ", "))
	fs.StringVar(&f.Values, "values", "", "`column` with what --by time or property sorts by")
	fs.Float64Var(&f.Share, "test", 0.2, "`share` of the molecules to test, at most")
	fs.Uint64Var(&f.Seed, "seed", 1, "of the draws")
	f.registerInput(fs, moleculeFormats...)
	f.registerOut(fs, &f.train.name, "train-file", "write the training set to this `file`, in the form of its name")
	f.registerOut(fs, &f.test.name, "test-file", "write the test set to this `file`")
	c.MarkFlagsRequiredTogether("train-file", "test-file")
	fs.StringVar(&f.to, "to", "", "output `format`: "+strings.Join(table.Forms(), ", ")+" (default csv, or what the names of files say)")
	spreadsheetSafe(fs, &f.text)
	fs.BoolVar(&f.quiet, "no-compare", false, "do not compare the sets, which takes minutes for 100 000 molecules")
	f.registerWorkers(fs)
	c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(split.Ways, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// check sets the options that follow from flags, and returns an error of usage for flags that do not fit.
func (f *splitFlags) check() error {
	f.form, f.Workers, f.cells = molecule.UnorderedParent, f.workers, f.Columns()
	f.own = func(_, names []string) { f.names = names }
	var err error
	for flag, file := range map[string]*splitFile{"train-file": &f.train, "test-file": &f.test} {
		form, bad := rowsForm(f.to, flag, file.name)
		file.form, err = form, cmp.Or(err, bad)
	}
	if f.to != "" {
		err = cmp.Or(err, usage.OneOf("to", f.to, table.Forms()...))
	}
	return cmp.Or(err, usage.OneOf("by", f.By, split.Ways...), rules{
		{f.Sorted() && f.Values == "", "--by " + f.By + ": name the column to sort by with --values"},
		{!f.Sorted() && f.Values != "", "--values is for --by time and --by property"},
		{!(f.Share > 0 && f.Share < 1), fmt.Sprintf("--test %g: want a number between 0 and 1", f.Share)},
	}.check())
}

// run divides the library and writes both sets.
func (f *splitFlags) run() error {
	ctx, stderr := f.c.Context(), f.c.ErrOrStderr()
	records, err := f.read(ctx, stderr)
	if err != nil {
		return err
	}
	parts, err := f.Split(ctx, records)
	if err != nil {
		return err
	}
	train, test := split.Part(records, parts, split.TrainPart), split.Part(records, parts, split.TestPart)
	f.summarize(stderr, records, len(train), len(test))
	if err := f.write(records, parts, train, test); err != nil {
		return err
	}
	if f.quiet {
		return nil
	}
	return f.compare(ctx, stderr, train, test)
}

// read reads all records of the library.
func (f *splitFlags) read(ctx context.Context, stderr io.Writer) (list []dataset.Record, err error) {
	in, err := f.open()
	if err != nil {
		return nil, err
	}
	defer in.close()
	if in.plain() {
		return nil, usage.Errorf("%s holds plain graphs: want molecules", f.paths[0])
	}
	for r, err := range progress.Each(stderr, "reading", dataset.Parse(ctx, f.workers, in.stream)) {
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// write writes both sets to their files, with id, SMILES and the columns of the input. Without files it writes all records to
// standard output, with a column that names their set. It returns an error if no record can be used.
func (f *splitFlags) write(records []dataset.Record, parts []string, train, test []dataset.Record) error {
	refused := len(records) - len(train) - len(test)
	if err := checkRead(len(records), refused); err != nil {
		return err
	}
	usual := table.Fields(table.OfRecord) // id, smiles, error, set_aside
	if f.train.name == "" {
		part := table.Field{Name: "split", Group: table.OfRecord, Input: func(e *dataset.Entry) string { return parts[e.Row-1] }}
		return f.rows(rowsOut(f.c), f.train.form, []table.Field{usual[0], usual[1], part, usual[2]}, records)
	}
	for file, rows := range map[splitFile][]dataset.Record{f.train: train, f.test: test} {
		err := replace.File(file.name, func(w io.Writer) error { return f.rows(w, file.form, usual[:2:2], rows) })
		if err != nil {
			return written(file.name, err)
		}
	}
	return nil
}

// rows writes records to w as a table of these fields and the columns of the input. form is its file format.
func (f *splitFlags) rows(w io.Writer, form string, fields []table.Field, rows []dataset.Record) error {
	sink := table.NewSink(w, form, f.text, true, append(fields, table.OwnBehind(f.names, fields)...))
	sink.Add(table.Listed(rows)...)
	return sink.Close()
}

// summarize writes the numbers of records, and the first refused ones.
func (f *splitFlags) summarize(w io.Writer, records []dataset.Record, train, test int) {
	molecules, how := train+test, fmt.Sprintf("seed %d", f.Seed)
	if f.Sorted() {
		how = "values " + f.Values
	}
	fmt.Fprintf(w, "%d read, %d refused; %d to train on, %d to test (%s), by %s, %s\n",
		len(records), len(records)-molecules, train, test, compare.Share(test, molecules), f.By, how)
	shown := 0
	for _, r := range records {
		if r.Err != nil && shown < maxShown {
			shown++
			fmt.Fprintln(w, show(&r.Entry))
		}
	}
}

// compare writes how the test set differs from the training set.
func (f *splitFlags) compare(ctx context.Context, stderr io.Writer, train, test []dataset.Record) error {
	var lists [2]*compare.List
	for k, rows := range [][]dataset.Record{train, test} {
		lists[k] = compare.NewList([]string{split.TrainPart, split.TestPart}[k], f.Seed, k)
		if err := lists[k].Add(ctx, f.workers, rows); err != nil {
			return err
		}
	}
	c, err := compare.Compare(ctx, lists[0], lists[1], compare.Options{FDR: namedFDR, Workers: f.workers})
	if err != nil {
		return err
	}
	fmt.Fprintln(stderr, "A is the training set, B is the test set.")
	for _, text := range []string{c.Differs(), c.Shares(), c.TooEasy(), commoner(c, true), commoner(c, false)} {
		if text != "" {
			fmt.Fprintln(stderr, text)
		}
	}
	return nil
}

// commonerNamed is how many traits are named for each set.
const commonerNamed = 5

// commoner returns a sentence on the traits that are surely commoner in one set, or "" if there are none.
func commoner(c *compare.Comparison, inB bool) string {
	var list []string
	for _, d := range compare.Commoner(c.Named, inB) {
		a, b := compare.Share(d.InA, c.A.Molecules), compare.Share(d.InB, c.B.Molecules)
		list = append(list, fmt.Sprintf("%s (%s of A, %s of B)", d.Name, a, b))
	}
	if list == nil {
		return ""
	}
	side := "A"
	if inB {
		side = "B"
	}
	return "Commoner in " + side + ": " + strings.Join(list[:min(len(list), commonerNamed)], ", ") + "."
}
