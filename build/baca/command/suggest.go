package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/feature/suggest"
	"baca/algo/table"
	"baca/build/internal/progress"
)

type suggestFlags struct {
	source
	plot           string
	price, exclude string // names of columns
	json           bool
	text           table.Text
	options        suggest.Options
}

// newSuggest returns the command "suggest".
func newSuggest() *cobra.Command {
	f := suggestFlags{}
	o := &f.options
	c := f.verb(&cobra.Command{
		Use:   "suggest [LIBRARY|-]",
		Short: "Which molecules of a library to measure next",
		Args:  oneInput,
	}, f.check, f.run)
	fs := c.Flags()
	fs.IntVarP(&o.Most, "number", "n", 50, "suggest at most `N` molecules")
	f.registerModel(fs, "")
	f.registerInput(fs, formats...)
	fs.StringVar(&f.price, "price", "", "`column` with prices; rows without a price are not suggested")
	fs.Float64Var(&o.Budget, "budget", 0, "total price of the suggested molecules, at most; needs --price")
	fs.StringVar(&f.exclude, "exclude", "", "`column` that excludes rows, unless it is empty or says no, false, 0 or nan")
	fs.Float64Var(&o.Alpha, "alpha", algo.DefaultOptions().Alpha, "share of graphs like the training set that may be called outside")
	fs.BoolVar(&f.json, "json", false, "write JSON with the curves instead of rows")
	spreadsheetSafe(fs, &f.text)
	f.registerOut(fs, &f.plot, "plot", "draw what picks gain beside random ones to this .svg `file`", ".svg")
	fs.Uint64Var(&o.Seed, "seed", 1, "of the random picks to compare with")
	f.registerWorkers(fs)
	return c
}

// check returns an error of usage for flags that do not fit. Without --budget it sets the budget to infinity.
func (f *suggestFlags) check() error {
	o, budget := &f.options, f.c.Flags().Changed("budget")
	if !budget {
		o.Budget = math.Inf(1)
	}
	return cmp.Or(inRange("alpha", decide.CheckAlpha(o.Alpha)), rules{
		{o.Most < 1 || o.Most > suggest.MaxSuggested, fmt.Sprintf("-n %d: want 1 to %d", o.Most, suggest.MaxSuggested)},
		{budget && f.price == "", "--budget without --price: name the column with the prices"},
		{budget && !(o.Budget > 0), fmt.Sprintf("--budget %g: want more than 0", o.Budget)},
	}.check())
}

// run reads the library, chooses molecules, draws the plot if one is wanted, writes the picks, and says what they rest on.
func (f *suggestFlags) run() error {
	ctx, stderr := f.c.Context(), f.c.ErrOrStderr()
	o, err := f.openModel(f.model, false)
	if err != nil {
		return err
	}
	if err := f.single(o); err != nil {
		return err
	}
	shelf := suggest.NewShelf(o.alone, f.price, f.exclude)
	f.cells = shelf.Columns()
	if err := f.begin(o); err != nil {
		return err
	}
	defer o.close()
	scored := progress.Each(stderr, "scoring", dataset.Parse(ctx, f.workers, o.records.Records))
	if err := shelf.Fill(ctx, f.workers, piece, scored, func() {}); err != nil {
		return err
	}
	s, err := f.suggest(ctx, shelf, f.options, stderr)
	if err != nil {
		return err
	}
	things := "molecules"
	if o.plain() {
		things = "graphs"
	}
	if err := draw(f.plot, s.SVG(things)); err != nil {
		return err
	}
	if err := f.write(f.c.OutOrStdout(), shelf, s); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d read, %d refused; model %s\n", shelf.Read, shelf.Refused, o.model.Card.Name)
	for _, r := range shelf.Refusals {
		fmt.Fprintf(stderr, "refused: %s\n", r)
	}
	for _, sentence := range s.Sentences() {
		fmt.Fprintln(stderr, sentence)
	}
	return nil
}

// suggest chooses molecules of a shelf, and shows progress on stderr.
func (f *suggestFlags) suggest(ctx context.Context, shelf *suggest.Shelf, o suggest.Options, stderr io.Writer) (*suggest.Suggested, error) {
	p := progress.New(stderr, "choosing", int64(shelf.Library.Len()))
	defer p.Done()
	o.Workers, o.Looked = f.workers, func() { p.Add(1) }
	return shelf.Suggest(ctx, o)
}

// write writes the picks as CSV, or everything as JSON.
func (f *suggestFlags) write(w io.Writer, shelf *suggest.Shelf, s *suggest.Suggested) error {
	if !f.json {
		return s.WriteCSV(w, f.text)
	}
	return document.WriteJSON(w, map[string]any{
		"library": shelf.Library.Len(), "points": s.Points, "sampled": s.Sampled, "picks": s.Rows,
		"far": s.Far, "far_random": s.FarRandom, "far_top": s.FarTop,
		"outside": s.Outside, "outside_random": s.OutsideRandom, "outside_top": s.OutsideTop,
	})
}
