package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/job"
	"baca/algo/report"
	"baca/algo/suggest"
	"baca/algo/table"
	"baca/build/internal/apart"
	"baca/build/internal/progress"
	"baca/build/internal/usage"
)

type suggestFlags struct {
	source
	plot           string
	price, exclude string // columns
	json           bool
	text           table.Text
	options        suggest.Options
}

func newSuggest() *cobra.Command {
	f := suggestFlags{}
	o := &f.options
	c := &cobra.Command{
		Use:   "suggest [LIBRARY|-]",
		Short: "Which molecules of a library to measure next",
		Long: `Suggest chooses molecules of a library that, measured and added to the training set, would bring the rest of the library nearest to
it. Each pick is the best one given those before, so picks are diverse. How far a molecule is from the training set is the distance in its score.
Nothing is gained by being nearer than training molecules are to each other. It writes a row for each pick, the best first:

  rank        from 1
  id, smiles  from the input
  score, p_value, verdict, nearest_similarity   as baca score has them
  price       its cell in the column of --price
  gain        by how much molecules of the library come nearer, on average, in
              standard deviations of training molecules
  nearer      how many come nearer by half a deviation or more
  inside      how many were outside and no longer are

Standard error compares the picks with as many random ones, and with those of the highest scores. Scores are as this model has them, with the
picks added to what it compares with; what a model that is trained again will say is not known.`,
		Example: `  baca suggest -n 50 --model my.msgpack library.csv > next.csv
  baca suggest -n 96 --price eur --budget 5000 --exclude measured library.csv
  baca suggest --plot gain.svg library.smi.gz`,
		Args: oneInput,
		RunE: func(c *cobra.Command, args []string) error {
			f.set(c, args)
			if err := f.check(c); err != nil {
				return err
			}
			return f.run(c)
		},
	}
	fs := c.Flags()
	fs.IntVarP(&o.Most, "number", "n", 50, "suggest at most `N` molecules")
	f.registerModel(fs, "")
	f.register(fs, formats...)
	fs.StringVar(&f.price, "price", "", "`column` with prices; a row without one is not suggested")
	fs.Float64Var(&o.Budget, "budget", 0, "total price of the suggested molecules, at most; needs --price")
	fs.StringVar(&f.exclude, "exclude", "", "`column` that excludes rows, unless it is empty or says no, false, 0 or nan")
	fs.Float64Var(&o.Alpha, "alpha", algo.DefaultOptions().Alpha, "rate of false alarms for what is outside")
	fs.BoolVar(&f.json, "json", false, "write JSON with the curves instead of rows")
	spreadsheetSafe(fs, &f.text)
	fs.StringVar(&f.plot, "plot", "", "draw what picks gain beside random ones to this .svg `file`")
	fs.Uint64Var(&o.Seed, "seed", 1, "of the random picks to compare with")
	f.registerWorkers(fs)
	return c
}

func (f *suggestFlags) check(c *cobra.Command) error {
	o, budget := &f.options, c.Flags().Changed("budget")
	if !budget {
		o.Budget = math.Inf(1)
	}
	return cmp.Or(
		inRange("alpha", decide.CheckAlpha(o.Alpha)),
		rules{
			{o.Most < 1 || o.Most > job.MaxSuggested, fmt.Sprintf("-n %d: want 1 to %d", o.Most, job.MaxSuggested)},
			{budget && f.price == "", "--budget without --price: name the column with the prices"},
			{budget && !(o.Budget > 0), fmt.Sprintf("--budget %g: want more than 0", o.Budget)},
		}.check(),
		checkSVG(f.plot), f.source.check(apart.File{Role: "--plot", Name: f.plot}, standardOutput),
	)
}

// checkSVG refuses a plot without .svg. Empty is fine.
func checkSVG(name string) error {
	if name == "" {
		return nil
	}
	if !strings.EqualFold(filepath.Ext(name), ".svg") {
		return usage.Errorf("--plot %s: want the name of an .svg file", name)
	}
	return checkFolder("plot", name)
}

// checkFolder refuses a file in a missing folder before the work starts.
func checkFolder(flag, name string) error {
	dir := filepath.Dir(name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--%s %s: there is no folder %s", flag, name, dir)
	}
	return nil
}

func (f *suggestFlags) run(c *cobra.Command) error {
	ctx, stderr := c.Context(), c.ErrOrStderr()
	f.cells = job.NewShelf(nil, f.price, f.exclude).Columns()
	o, err := f.begin(c, f.model, nil)
	if err != nil {
		return err
	}
	defer o.close()
	shelf, in := job.NewShelf(o.alone, f.price, f.exclude), o.input
	if err := f.fill(ctx, shelf, in, stderr); err != nil {
		return err
	}
	s, err := f.suggest(ctx, shelf, f.options, stderr)
	if err != nil {
		return err
	}
	things := "molecules"
	if in.molecules == nil {
		things = "graphs"
	}
	if err := draw(f.plot, report.SuggestionSVG(s.Suggestion, things)); err != nil {
		return err
	}
	if err := f.write(c.OutOrStdout(), shelf, s); err != nil {
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

// fill reads the library.
func (f *suggestFlags) fill(ctx context.Context, shelf *job.Shelf, in *input, stderr io.Writer) error {
	p := progress.New(stderr, "scoring", 0)
	defer p.Done()
	const piece = 1024
	before := 0
	return shelf.Fill(ctx, f.workers, piece, table.Parse(ctx, f.workers, in.records), func() {
		p.Add(int64(shelf.Library.Len() - before))
		before = shelf.Library.Len()
	})
}

func (f *suggestFlags) suggest(ctx context.Context, shelf *job.Shelf, o suggest.Options, stderr io.Writer) (*job.Suggested, error) {
	p := progress.New(stderr, "choosing", int64(shelf.Library.Len()))
	defer p.Done()
	o.Workers, o.Looked = f.workers, func() { p.Add(1) }
	return shelf.Suggest(ctx, o)
}

// write writes rows as CSV, or everything as JSON.
func (f *suggestFlags) write(w io.Writer, shelf *job.Shelf, s *job.Suggested) error {
	if !f.json {
		return s.WriteCSV(w, f.text)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"library": shelf.Library.Len(), "points": s.Points, "sampled": s.Sampled, "picks": s.Rows,
		"far": s.Far, "far_random": s.FarRandom, "far_top": s.FarTop,
		"outside": s.Outside, "outside_random": s.OutsideRandom, "outside_top": s.OutsideTop,
	})
}
