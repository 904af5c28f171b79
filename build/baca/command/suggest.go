package command

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/report"
	"baca/algo/table"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
)

// suggestFlags are those of `baca suggest`.
type suggestFlags struct {
	source
	model, plot    string
	price, exclude string // columns
	json           bool
	text           table.Text
	options        algo.SuggestOptions
}

// newSuggest is the command that says what to measure next.
func newSuggest() *cobra.Command {
	f := suggestFlags{}
	o := &f.options
	c := &cobra.Command{
		Use:   "suggest [LIBRARY|-]",
		Short: "Which molecules of a library to measure next, to widen the domain most",
		Long: `Suggest chooses molecules of a library that, measured and added to the training set, would
bring the rest of the library nearest to it. Each pick is the best one given those before,
so picks are diverse. How far a molecule is from the training set is the distance in its
score: of the embeddings and of the subtrees. Nothing is gained by being nearer than
training molecules are to each other. Greedy picks come to 63 % of the best possible at
least; with prices to 31 %. It writes a row for each pick, the best first:

  rank        from 1
  id, smiles  from the input
  score, p_value, verdict   as baca score has them
  price       its cell in the column of --price
  gain        by how much molecules of the library come nearer, on average, in standard
              deviations of training molecules
  nearer      how many come nearer by half a deviation or more
  inside      how many were outside and no longer are
  nearest_similarity   of the nearest training molecule, as nearest_similarity of baca score

Standard error then compares the picks with as many random ones, and with those of the
highest scores. What a model that is trained again will say is not known: scores are as
this model has them, with the picks added to what it compares with.`,
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
	fs.StringVar(&f.model, "model", "bbbp", "embedded model by `NAME`, or a model file")
	f.register(fs, "library", formats...)
	fs.StringVar(&f.price, "price", "", "`column` with prices; a row without one is not suggested")
	fs.Float64Var(&o.Budget, "budget", 0, "most that the suggested molecules may cost together; needs --price")
	fs.StringVar(&f.exclude, "exclude", "", "`column` that says yes, true, 1, x or anything but no, false, 0 and nothing for rows not to suggest")
	fs.Float64Var(&o.Alpha, "alpha", algo.DefaultOptions().Alpha, "rate of false alarms for what is outside")
	fs.BoolVar(&f.json, "json", false, "write JSON with the curves instead of rows")
	spreadsheetSafe(fs, &f.text)
	fs.StringVar(&f.plot, "plot", "", "draw what picks gain beside random ones to this .svg `file`")
	fs.Uint64Var(&o.Seed, "seed", 1, "of the random picks to compare with")
	fs.IntVar(&f.workers, "workers", 0, "cores to use, 0 for all; the result does not depend on it")
	return c
}

// maxSuggested bounds -n: a list that nobody reads takes long.
const maxSuggested = 100_000

func (f *suggestFlags) check(c *cobra.Command) error {
	o := &f.options
	if err := decide.CheckAlpha(o.Alpha); err != nil {
		return usage.Errorf("--alpha: %w", err)
	}
	switch budget := c.Flags().Changed("budget"); {
	case o.Most < 1 || o.Most > maxSuggested:
		return usage.Errorf("-n %d: want 1 to %d", o.Most, maxSuggested)
	case budget && f.price == "":
		return usage.Errorf("--budget without --price: name the column with the prices")
	case budget && !(o.Budget > 0):
		return usage.Errorf("--budget %g: want more than 0", o.Budget)
	case !budget:
		o.Budget = math.Inf(1)
	}
	if err := checkSVG(f.plot); err != nil {
		return err
	}
	return f.source.check(formats...)
}

// checkSVG refuses a name for a plot that is not one of an .svg file. Empty is fine.
func checkSVG(name string) error {
	if name != "" && !strings.EqualFold(filepath.Ext(name), ".svg") {
		return usage.Errorf("--plot %s: want the name of an .svg file", name)
	}
	return nil
}

func (f *suggestFlags) run(c *cobra.Command) error {
	ctx, stderr, o := c.Context(), c.ErrOrStderr(), f.options
	m, err := openModel(f.model)
	if err != nil {
		return err
	}
	f.form = algo.FormOf(m.Card.Schema).Unordered()
	alone, err := algo.NewSingleScorer(ctx, m, f.workers)
	if err != nil {
		return err
	}
	for _, column := range []string{f.price, f.exclude} {
		if column != "" {
			f.cells = append(f.cells, column)
		}
	}
	in, err := f.open(ctx, c)
	if err != nil {
		return err
	}
	defer in.close()
	if err := checkSchema(m, in.schema); err != nil {
		return err
	}
	if in.molecules == nil && len(f.cells) > 0 {
		return usage.Errorf("%s holds plain graphs: there is no column %s", f.path, f.cells[0])
	}
	o.Workers = f.workers
	l := &shelf{library: alone.NewLibrary(), suggestFlags: f, options: &o}
	if err := l.fill(ctx, in, stderr); err != nil {
		return err
	}
	s, err := l.library.Suggest(ctx, o)
	if err != nil {
		return err
	}
	if f.plot != "" {
		if err := replace.Bytes(f.plot, []byte(report.SuggestionSVG(s))); err != nil {
			return err
		}
	}
	if err := written("", l.write(c.OutOrStdout(), alone, s)); err != nil {
		return err
	}
	l.tell(stderr, m, s)
	return nil
}

// A shelf is a library with the names and prices of its molecules.
type shelf struct {
	*suggestFlags
	options               *algo.SuggestOptions
	library               *algo.Library
	ids, smiles           []string
	read, refused, priced int
	refusals              []string
}

// fill reads the library.
func (l *shelf) fill(ctx context.Context, in *input, stderr io.Writer) error {
	p := progress.New(stderr, "scoring", 0)
	defer p.Done()
	const piece = 1024
	var gs []*graph.Graph
	flush := func() error {
		err := l.library.Add(ctx, l.workers, gs)
		p.Add(int64(len(gs)))
		gs = gs[:0]
		return err
	}
	for r, err := range l.sources(ctx, in) {
		if err != nil {
			return err
		}
		if l.read++; r.Err == nil {
			r.Err = l.take(r.cells)
		}
		if r.Err != nil {
			if l.refused++; l.refused <= refusedShown {
				l.refusals = append(l.refusals, fmt.Sprintf("row %d: %v", r.Row, r.Err))
			}
			continue
		}
		l.ids, l.smiles = append(l.ids, r.ID), append(l.smiles, r.SMILES)
		if gs = append(gs, r.Graph); len(gs) == piece {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return emptyHanded(l.read, l.refused)
}

// take reads what a row says of its price and whether it may be suggested.
func (l *shelf) take(cells []string) error {
	exclude := false
	if l.exclude != "" {
		exclude = said(cells[len(cells)-1])
	}
	if l.price != "" {
		price, err := priceOf(cells[0])
		if err != nil {
			return fmt.Errorf("column %s: %w", l.price, err)
		}
		if math.IsInf(price, 1) {
			exclude, price = true, 0
		} else {
			l.priced++
		}
		l.options.Prices = append(l.options.Prices, price)
	}
	if l.exclude != "" || l.price != "" {
		l.options.Exclude = append(l.options.Exclude, exclude)
	}
	return nil
}

// said tells whether a cell says yes.
func said(cell string) bool {
	return !slices.Contains([]string{"", "0", "no", "n", "false", "f", "off", "-"}, strings.ToLower(cell))
}

// priceOf reads a price, +∞ for none.
func priceOf(cell string) (float64, error) {
	if cell == "" {
		return math.Inf(1), nil
	}
	price, err := strconv.ParseFloat(cell, 64)
	if err != nil || !(price >= 0) || math.IsInf(price, 0) {
		return 0, fmt.Errorf("price %q: want a number of at least 0, without a currency, or nothing", cell)
	}
	return price, nil
}

// A suggestedRow is what is written of a pick.
type suggestedRow struct {
	Rank       int      `json:"rank"`
	ID         string   `json:"id"`
	SMILES     string   `json:"smiles,omitempty"`
	Score      float64  `json:"score"`
	P          *float64 `json:"p_value"`
	Verdict    string   `json:"verdict"`
	Price      *float64 `json:"price,omitempty"`
	Gain       float64  `json:"gain"`
	Nearer     int      `json:"nearer"`
	Inside     int      `json:"inside"`
	Similarity float64  `json:"nearest_similarity"`
}

func (l *shelf) rows(alone *algo.SingleScorer, s *algo.Suggestion) []suggestedRow {
	rows := make([]suggestedRow, len(s.Picks))
	for k, pick := range s.Picks {
		p, verdicts := alone.Judge([]float64{pick.Score}, l.options.Alpha)
		rows[k] = suggestedRow{
			Rank: k + 1, ID: l.ids[pick.Graph], SMILES: l.smiles[pick.Graph], Score: pick.Score, Verdict: string(verdicts[0]),
			Gain: pick.Gain, Nearer: pick.Nearer, Inside: pick.Inside, Similarity: pick.Similarity,
		}
		if !math.IsNaN(p[0]) {
			rows[k].P = &p[0]
		}
		if l.options.Prices != nil {
			rows[k].Price = &l.options.Prices[pick.Graph]
		}
	}
	return rows
}

// write writes rows as CSV, or all as JSON.
func (l *shelf) write(w io.Writer, alone *algo.SingleScorer, s *algo.Suggestion) error {
	rows := l.rows(alone, s)
	if l.json {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{
			"library": l.library.Len(), "points": s.Points, "sampled": s.Sampled, "picks": rows,
			"far": s.Far, "far_random": s.FarRandom, "far_top": s.FarTop,
			"outside": s.Outside, "outside_random": s.OutsideRandom, "outside_top": s.OutsideTop,
		})
	}
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return table.Number(*x)
	}
	c := csv.NewWriter(w)
	c.Write([]string{"rank", "id", "smiles", "score", "p_value", "verdict", "price", "gain", "nearer", "inside", "nearest_similarity"})
	for _, r := range rows {
		c.Write([]string{
			strconv.Itoa(r.Rank), l.text.Cell(r.ID), l.text.Cell(r.SMILES), table.Number(r.Score), number(r.P), r.Verdict, number(r.Price),
			table.Number(r.Gain), strconv.Itoa(r.Nearer), strconv.Itoa(r.Inside), table.Number(r.Similarity),
		})
	}
	c.Flush()
	return c.Error()
}

// tell sums up.
func (l *shelf) tell(w io.Writer, m *algo.Model, s *algo.Suggestion) {
	fmt.Fprintf(w, "%d read, %d refused; model %s\n", l.read, l.refused, m.Card.Name)
	for _, r := range l.refusals {
		fmt.Fprintf(w, "refused: %s\n", table.Printable(r))
	}
	if n := l.library.Len() - l.priced; l.price != "" && n > 0 {
		fmt.Fprintf(w, "%d without a price are not suggested\n", n)
	}
	if s.Sampled {
		fmt.Fprintf(w, "what picks gain is measured on an even sample of %d of the %d\n", s.Points, l.library.Len())
	}
	n := len(s.Picks)
	switch {
	case n == 0:
		fmt.Fprintln(w, "nothing to suggest: no molecule that may be picked would bring another nearer")
		return
	case n < l.options.Most:
		fmt.Fprintf(w, "only %d of %d are suggested: no other that may be picked, and paid for, brings any nearer\n", n, l.options.Most)
	}
	if l.options.Prices != nil {
		sum := 0.0
		for _, pick := range s.Picks {
			sum += l.options.Prices[pick.Graph]
		}
		fmt.Fprintf(w, "together they cost %.6g\n", sum)
	}
	top := len(s.FarTop) - 1
	fmt.Fprintf(w, "beyond what is usual among training graphs the library is %.2f deviations away on average; with these %d it is %.2f, with random picks %.2f, with the highest scores %.2f\n",
		s.Far[0], n, s.Far[n], s.FarRandom[n], s.FarTop[top])
	fmt.Fprintf(w, "%d of %d are outside; with these %d they are %d, with random picks %.0f, with the highest scores %d\n",
		s.Outside[0], s.Points, n, s.Outside[n], s.OutsideRandom[n], s.OutsideTop[top])
}
