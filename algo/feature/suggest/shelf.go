package suggest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"baca/algo/alone"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/table"
)

// MaxSuggested bounds the number of suggestions: nobody reads longer lists.
const MaxSuggested = 100_000

// refusalsNamed is how many refused records are named.
const refusalsNamed = 3

// A Shelf is a library of graphs with names and prices to choose measurements from.
type Shelf struct {
	Library       *Library
	Read, Refused int      // records
	Refusals      []string // why the first refused records were refused

	alone          *alone.Scorer
	price, exclude string // names of columns, or empty
	rows           []int  // row of each graph in the input
	ids, smiles    []string
	prices         []float64 // nil without a price column
	excluded       []bool    // nil if all may be suggested
	marked         int       // graphs that the column exclude marks
	unpriced       int       // graphs without a price
	cleaned        bool      // the training set lacks what leftOut reports
	leftOut        int       // graphs that leftOut reports
}

// NewShelf returns an empty shelf. price and exclude name columns of the input, or are empty. A yes in the column exclude
// excludes a graph. With a nil alone the shelf has columns only.
func NewShelf(alone *alone.Scorer, price, exclude string) *Shelf {
	s := &Shelf{alone: alone, price: price, exclude: exclude}
	if alone != nil {
		s.Library = New(alone.Parts())
		profile := alone.Model().Profile
		s.cleaned = alone.Model().Card.Schema != model.Constant && profile != nil && profile.Quantiles[0][0] >= leastAtoms
	}
	return s
}

// Columns lists the columns whose cells records must have, see dataset.Options.Cells.
func (s *Shelf) Columns() []string {
	return slices.DeleteFunc([]string{s.price, s.exclude}, func(column string) bool { return column == "" })
}

// Fill adds parsed records, piece of them at a time on so many goroutines, and calls scored after each piece. Results do
// not depend on piece and workers. It returns an error if no record can be used.
func (s *Shelf) Fill(ctx context.Context, workers, piece int, records iter.Seq2[dataset.Record, error], scored func()) error {
	for some, err := range dataset.Pieces(records, piece) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		var graphs []*graph.Graph
		for _, r := range some {
			err := r.Err
			if err == nil {
				err = s.addCells(&r)
			}
			if err == nil {
				graphs = append(graphs, r.Graph)
			} else if s.Refused++; s.Refused <= refusalsNamed {
				s.Refusals = append(s.Refusals, fmt.Sprintf("row %d: %v", r.Row, err))
			}
		}
		if err := s.Library.Add(ctx, workers, graphs); err != nil {
			return err
		}
		s.Read = s.Refused + s.Library.Len()
		scored()
	}
	switch {
	case s.Read == 0:
		return errors.New("the input holds no records")
	case s.Library.Len() == 0:
		return fmt.Errorf("no record can be used, %d refused, the first as %s", s.Read, s.Refusals[0])
	}
	return nil
}

// addCells records a record's price and whether it is excluded. It returns an error for a price that is no number.
func (s *Shelf) addCells(r *dataset.Record) error {
	exclude := false
	if s.exclude != "" {
		exclude = saysYes(r.Cells[len(r.Cells)-1]) // Columns has the price first
	}
	marked := exclude
	if s.cleaned && leftOut(cmp.Or(r.SMILES, r.Written)) {
		s.leftOut++
		exclude = true
	}
	if s.price != "" {
		price, err := priceOf(r.Cells[0])
		if err != nil {
			return r.FailCell(0, fmt.Errorf("column %s: %w", s.price, err))
		}
		if math.IsInf(price, 1) {
			s.unpriced++
			exclude, price = true, 0
		}
		s.prices = append(s.prices, price)
	}
	if s.exclude != "" || s.price != "" || s.cleaned {
		s.excluded = append(s.excluded, exclude)
	}
	if marked {
		s.marked++
	}
	s.rows, s.ids, s.smiles = append(s.rows, r.Row), append(s.ids, r.ID), append(s.smiles, cmp.Or(r.SMILES, r.Written))
	return nil
}

// leastAtoms is the size, in heavy atoms, from which on sets of medicinal molecules have molecules. A training set with
// hardly any smaller one is taken to be cleaned.
const leastAtoms = 5

// leftOut reports whether cleaned sets lack a molecule: a counter-ion or solvent alone, a radical, or a molecule without
// organic carbon or with fewer than leastAtoms heavy atoms.
func leftOut(text string) bool {
	m, err := smiles.Parse(text)
	if err != nil {
		return false
	}
	parent, _, _ := smiles.Parent(m)
	listed, medicine := smiles.Listed(parent)
	return listed && !medicine || len(parent.Atoms) < leastAtoms || !smiles.IsOrganic(parent) ||
		slices.ContainsFunc(parent.Atoms, func(a molecule.Atom) bool { return a.Radicals > 0 })
}

// saysYes reports whether a cell means yes. "No" has many spellings, and tables with empty cells have 0.0 for 0.
func saysYes(cell string) bool {
	if x, ok := dataset.Decimal(cell); ok {
		return x != 0
	}
	return !slices.Contains([]string{"", "no", "n", "false", "f", "off", "-", "nan", "na", "n/a", "<na>", "none", "null"}, strings.ToLower(cell))
}

// priceOf parses a price. An empty cell is +∞.
func priceOf(cell string) (float64, error) {
	if cell == "" {
		return math.Inf(1), nil
	}
	price, ok := dataset.Decimal(cell)
	if !ok || price < 0 {
		return 0, fmt.Errorf("price %q: want a number of at least 0 with a point for decimals, without a currency, or nothing", cell)
	}
	return price, nil
}

// A Row is what is shown of a suggested graph. Record is its place in the input, from 1.
type Row struct {
	Record     int      `json:"-"`
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

type Suggested struct {
	*Suggestion
	Rows []Row // of the picks, the best first

	shelf *Shelf
	most  int
}

// Suggest chooses graphs of the shelf and returns a row for each, the best first. The shelf's prices and exclusions
// replace those of o.
func (s *Shelf) Suggest(ctx context.Context, o Options) (*Suggested, error) {
	o.Prices, o.Exclude = s.prices, s.excluded
	found, err := s.Library.Suggest(ctx, o)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(found.Picks))
	for k, pick := range found.Picks {
		p, verdicts := s.alone.Judge([]float64{pick.Score}, o.Alpha)
		rows[k] = Row{
			Record: s.rows[pick.Graph], Rank: k + 1, ID: s.ids[pick.Graph], SMILES: s.smiles[pick.Graph], Score: pick.Score, Verdict: string(verdicts[0]),
			Gain: pick.Gain, Nearer: pick.Nearer, Inside: pick.Inside, Similarity: pick.Similarity,
		}
		if !math.IsNaN(p[0]) {
			rows[k].P = &p[0]
		}
		if s.prices != nil {
			rows[k].Price = &s.prices[pick.Graph]
		}
	}
	return &Suggested{Suggestion: found, Rows: rows, shelf: s, most: o.Most}, nil
}

// Columns returns the rows as columns. Integers are texts, so that they keep all digits.
func (s *Suggested) Columns() []table.Column {
	words := func(name string, of func(*Row) string) table.Column {
		c := table.TextColumn(name, nil)
		for i := range s.Rows {
			c.Texts = append(c.Texts, of(&s.Rows[i]))
		}
		return c
	}
	number := func(name string, of func(*Row) *float64) table.Column {
		c := table.NumberColumn(name, nil)
		for i := range s.Rows {
			x := math.NaN()
			if p := of(&s.Rows[i]); p != nil {
				x = *p
			}
			c.Numbers = append(c.Numbers, x)
		}
		return c
	}
	return []table.Column{
		words("rank", func(r *Row) string { return strconv.Itoa(r.Rank) }),
		words("id", func(r *Row) string { return r.ID }),
		words("smiles", func(r *Row) string { return r.SMILES }),
		number("score", func(r *Row) *float64 { return &r.Score }),
		number("p_value", func(r *Row) *float64 { return r.P }),
		words("verdict", func(r *Row) string { return r.Verdict }),
		number("price", func(r *Row) *float64 { return r.Price }),
		number("gain", func(r *Row) *float64 { return &r.Gain }),
		words("nearer", func(r *Row) string { return strconv.Itoa(r.Nearer) }),
		words("inside", func(r *Row) string { return strconv.Itoa(r.Inside) }),
		number("nearest_similarity", func(r *Row) *float64 { return &r.Similarity }),
	}
}

// WriteCSV writes the picks as a table with a header.
func (s *Suggested) WriteCSV(w io.Writer, text table.Text) error {
	columns := s.Columns()
	rows := table.NewRows(w, "csv", text, true, columns)
	rows.Write(columns)
	return rows.Flush()
}

// Sentences say what was left out and what the picks gain, in lower case and without full stops.
func (s *Suggested) Sentences() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if s.shelf.marked > 0 {
		say("%d are excluded, as column %s says", s.shelf.marked, s.shelf.exclude)
	}
	if s.shelf.leftOut > 0 {
		say("%d are not suggested, as such a training set leaves them out: counter-ions, solvents, radicals, inorganic or tiny", s.shelf.leftOut)
	}
	if s.shelf.unpriced > 0 {
		say("%d without a price are not suggested", s.shelf.unpriced)
	}
	if s.Sampled {
		say("what picks gain is measured on an even sample of %d of the %d", s.Points, s.shelf.Library.Len())
	}
	n := len(s.Picks)
	switch {
	case n == 0 && s.shelf.excluded != nil && !slices.Contains(s.shelf.excluded, false):
		say("nothing to suggest: all %d molecules are excluded, left out or without a price", s.shelf.Library.Len())
		return list
	case n == 0:
		say("nothing to suggest: none that may be picked would bring another nearer")
		return list
	case n < s.most:
		say("only %d of %d are suggested: no other that may be picked, and paid for, brings any nearer", n, s.most)
	}
	if s.shelf.prices != nil {
		sum := 0.0
		for _, pick := range s.Picks {
			sum += s.shelf.prices[pick.Graph]
		}
		say("together they cost %.6g", sum)
	}
	top := len(s.FarTop) - 1
	say("beyond what is usual among training graphs the library is %.2f deviations away on average; with these %d it is %.2f, with random picks %.2f, with the highest scores %.2f",
		s.Far[0], n, s.Far[n], s.FarRandom[n], s.FarTop[top])
	say("%d of %d are outside; with these %d they are %d, with random picks %.0f, with the highest scores %d",
		s.Outside[0], s.Points, n, s.Outside[n], s.OutsideRandom[n], s.OutsideTop[top])
	return list
}
