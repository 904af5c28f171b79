package command

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"baca/algo/dataset"
	"baca/algo/feature/drift"
	"baca/algo/table"
)

type driftFlags struct {
	source
	plot  string
	text  table.Text
	delta float64
	seed  uint64
	every int
}

// newDrift returns the command "drift".
func newDrift() *cobra.Command {
	f := driftFlags{source: source{workers: 1}} // a stream brings one graph at a time
	c := f.verb(&cobra.Command{
		Use:   "drift [INPUT|-]",
		Short: "Watch a stream of graphs for a change of where they come from",
		Args:  oneInput,
	}, f.check, f.run)
	fs := c.Flags()
	f.registerModel(fs, "")
	f.registerInput(fs, formats...)
	fs.Float64Var(&f.delta, "delta", drift.Delta, "chance of a false alarm, ever")
	fs.Uint64Var(&f.seed, "seed", 1, "of the draws that break ties")
	fs.IntVar(&f.every, "every", 1, "write one row in `N`")
	spreadsheetSafe(fs, &f.text)
	f.registerOut(fs, &f.plot, "plot", "draw the evidence to this .svg `file` at the end", ".svg")
	return c
}

// check returns an error of usage for flags out of range.
func (f *driftFlags) check() error {
	return rules{
		{!(f.delta > 0 && f.delta < 1), fmt.Sprintf("--delta %g: want a number between 0 and 1", f.delta)},
		{f.every < 1, fmt.Sprintf("--every %d: want 1 or more", f.every)},
	}.check()
}

// run bets on each graph of the stream and writes a row for it. It fails for models without held-out graphs.
func (f *driftFlags) run() error {
	o, err := f.openModel(f.model, false)
	if err != nil {
		return err
	}
	if o.model.References() == 0 {
		return fmt.Errorf("model %s holds no graphs kept from training: there is nothing to bet on", o.model.Card.Name)
	}
	if err := f.begin(o); err != nil {
		return err
	}
	defer o.close()
	out := rowsOut(f.c)
	if _, err := io.WriteString(out, "id,score,p_value,log10,moved,error\n"); err != nil {
		return err
	}
	w := &driftRows{driftFlags: f, test: drift.New(o.alone, f.seed), out: out, stderr: f.c.ErrOrStderr()}
	if err := w.test.Watch(f.c.Context(), o.alone, 1, o.records.Records, w.add); err != nil {
		return err
	}
	return w.finish()
}

// driftRows writes the rows of a drift test.
type driftRows struct {
	*driftFlags
	test        *drift.Drift
	out, stderr io.Writer
	read, moved int // number of records, and the record at which the alarm came; 0 for none
}

// add writes the row of a record, or counts it if --every leaves it out. The row of the alarm is always written.
func (w *driftRows) add(r dataset.Record, score, p float64) error {
	w.read++
	if r.Err != nil {
		return w.write(w.text.Cell(r.ID), "", "", "", "", w.text.Cell(r.Err.Error()))
	}
	log := w.test.Log()
	if w.plot == "" {
		w.test.Wealth = w.test.Wealth[len(w.test.Wealth)-1:] // a stream may never end
	}
	if w.moved == 0 && w.test.Moved(w.delta) {
		w.moved = w.read
		fmt.Fprintf(w.stderr, "moved: at record %d the evidence reached 10^%.2f; a false alarm has a chance of "+
			"at most %g\n", w.read, log, w.delta)
	}
	if w.read%w.every != 0 && w.moved != w.read {
		return nil
	}
	return w.write(w.text.Cell(r.ID), table.Number(score), table.Number(p), table.Number(log), strconv.FormatBool(w.moved > 0), "")
}

// write writes a row of CSV at once, so that a reader of the stream sees it.
func (w *driftRows) write(cells ...string) error {
	c := csv.NewWriter(w.out)
	c.Write(cells)
	c.Flush()
	return c.Error()
}

// finish draws the evidence and writes a summary.
func (w *driftRows) finish() error {
	d := w.test
	if err := checkRead(w.read, w.read-d.Seen()); err != nil {
		return err
	}
	if err := draw(w.plot, drift.SVG(d.Wealth, w.delta)); err != nil {
		return err
	}
	verdict := "nothing says that the distribution has moved"
	if w.moved > 0 {
		verdict = "the distribution has moved"
	}
	highest, at := d.Highest()
	fmt.Fprintf(w.stderr, "%d read, %d scored; highest evidence 10^%.2f after %d; %s\n", w.read, d.Seen(), highest/math.Ln10, at, verdict)
	return nil
}
