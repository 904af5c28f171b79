package command

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/report"
	"baca/algo/table"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
)

// newDrift is the command that watches a stream.
func newDrift() *cobra.Command {
	s := source{path: "-"}
	var model, plot string
	var text table.Text
	delta, seed, every := driftDelta, uint64(1), 1
	c := &cobra.Command{
		Use:   "drift [INPUT|-]",
		Short: "Watch a stream of graphs for a change of where they come from",
		Long: `Drift reads graphs one after the other, also from a pipe that never ends, and bets
against the claim that they come from where the training set came from, in any
order. It writes a row for each:

  id       from the input, or else the number of the record, from 1
  score    of the graph by itself
  p_value  smoothed conformal p-value among the held-out graphs and all before it
  log10    what the bets have made of 1 so far, as a power of ten
  moved    true once that has reached 1/DELTA
  error    why the record was refused

For graphs of the training distribution in any order, the chance that moved ever
becomes true is at most DELTA, however long the stream. Rows are written as graphs
arrive. The exit status is 0 whether it has moved or not, and 1 if the stream has ended
with nothing in it that could be scored.`,
		Example: `  tail -f incoming.smi | baca drift --model my.msgpack
  baca drift --plot drift.svg registered.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%d inputs: want one, or none for standard input", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				s.path = args[0]
			}
			s.columnSet = c.Flags().Changed("column")
			if err := usage.OneOf("format", s.format, formats...); err != nil {
				return err
			}
			if !(delta > 0 && delta < 1) {
				return usagef("--delta %g: want a number between 0 and 1", delta)
			}
			if every < 1 {
				return usagef("--every %d: want 1 or more", every)
			}
			if plot != "" && !strings.EqualFold(filepath.Ext(plot), ".svg") {
				return usagef("--plot %s: want the name of an .svg file", plot)
			}
			return runDrift(c, s, text, model, plot, delta, seed, every)
		},
	}
	fs := c.Flags()
	fs.StringVar(&model, "model", "bbbp", "embedded model by `NAME`, or a model file")
	fs.StringVar(&s.format, "format", "auto", "of the input: "+strings.Join(formats, ", "))
	fs.StringVar(&s.column, "column", "smiles", "`name` of the column with the SMILES, for CSV")
	s.registerMaxExpand(fs)
	fs.Float64Var(&delta, "delta", delta, "chance of a false alarm, ever")
	fs.Uint64Var(&seed, "seed", seed, "of the draws that break ties")
	fs.IntVar(&every, "every", every, "write one row in `N`")
	spreadsheetSafe(fs, &text)
	fs.StringVar(&plot, "plot", "", "draw the evidence to this .svg `file` at the end")
	return c
}

func runDrift(c *cobra.Command, s source, text table.Text, model, plot string, delta float64, seed uint64, every int) error {
	ctx, stderr := c.Context(), c.ErrOrStderr()
	m, err := openModel(model)
	if err != nil {
		return err
	}
	if m.References() == 0 {
		return fmt.Errorf("model %s holds no graphs kept from training: there is nothing to bet on", m.Card.Name)
	}
	s.form = algo.FormOf(m.Card.Schema)
	alone, err := algo.NewSingleScorer(ctx, m, 1)
	if err != nil {
		return err
	}
	in, err := s.open(ctx, c)
	if err != nil {
		return err
	}
	defer in.close()
	if err := checkSchema(m, in.schema); err != nil {
		return err
	}
	d := decide.NewDrift(alone.Holdout(), seed)
	wealth := []float64{0}
	out := c.OutOrStdout()
	if _, err := io.WriteString(out, "id,score,p_value,log10,moved,error\n"); err != nil {
		return written("", err)
	}
	moved, read := 0, 0
	for next, err := range in.records {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		r := next()
		read++
		if r.Err != nil {
			if err := written("", csvLine(out, text.Cell(r.ID), "", "", "", "", text.Cell(r.Err.Error()))); err != nil {
				return ended(err)
			}
			continue
		}
		score, err := alone.Scores(ctx, []*graph.Graph{r.Graph})
		if err != nil {
			return err
		}
		p := d.Add(score[0])
		log := d.LogWealth() / math.Ln10
		if plot != "" {
			wealth = append(wealth, log)
		}
		if moved == 0 && d.Moved(delta) {
			moved = read
			fmt.Fprintf(stderr, "moved: at record %d the evidence reached 10^%.2f; a false alarm has a chance of at most %g\n", read, log, delta)
		}
		if read%every == 0 || moved == read {
			if err := written("", csvLine(out, text.Cell(r.ID), table.Number(score[0]), table.Number(p), table.Number(log), strconv.FormatBool(moved > 0), "")); err != nil {
				return ended(err)
			}
		}
	}
	if err := emptyHanded(read, read-d.Seen()); err != nil {
		return err
	}
	if plot != "" {
		if err := replace.File(plot, func(w io.Writer) error {
			_, err := io.WriteString(w, report.DriftSVG(wealth, delta))
			return err
		}); err != nil {
			return err
		}
	}
	highest, at := d.Highest()
	fmt.Fprintf(stderr, "%d read, %d scored; highest evidence 10^%.2f after %d; %s\n", read, d.Seen(), highest/math.Ln10, at,
		map[bool]string{true: "the distribution has moved", false: "nothing says that the distribution has moved"}[moved > 0])
	return nil
}

// csvLine writes one line.
func csvLine(w io.Writer, cells ...string) error {
	c := csv.NewWriter(w)
	c.Write(cells)
	c.Flush()
	return c.Error()
}

// ended is no error if whoever reads has seen enough.
func ended(err error) error {
	if errors.Is(err, errClosed) {
		return nil
	}
	return err
}
