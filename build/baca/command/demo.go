package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/calibrate"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/web"
)

// An example is one of the molecules that come with the program.
type example struct {
	name, class, smiles string
	row                 algo.Row
}

func newDemo() *cobra.Command {
	var model, plot string
	o := algo.DefaultOptions()
	c := &cobra.Command{
		Use:   "demo",
		Short: "Score the example molecules that come with this program",
		Long: `Demo scores well-known molecules of many kinds, drugs, dyes, sugars, explosives and
more, and prints them with the one furthest outside of what the model was trained
on first.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if plot != "" && !strings.EqualFold(filepath.Ext(plot), ".svg") {
				return usagef("--plot %s: want the name of an .svg file", plot)
			}
			m, err := openModel(model)
			if err != nil {
				return err
			}
			if err := checkSchema(m, algo.OGB); err != nil {
				return err
			}
			d, err := newDemonstration(c.Context(), m, o)
			if err != nil {
				return err
			}
			if plot != "" {
				if err := d.plot(plot); err != nil {
					return err
				}
			}
			w := c.OutOrStdout()
			p := painter{isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
			var b bytes.Buffer
			d.table(&b, p)
			d.summary(&b, p)
			if plot != "" {
				fmt.Fprintf(&b, "\nThe distribution of scores before and after calibration: %s\n", plot)
			}
			_, err = w.Write(b.Bytes())
			return err
		},
	}
	c.Flags().StringVar(&model, "model", "bbbp", "embedded model of molecules by `NAME`, or a model file")
	c.Flags().StringVar(&plot, "plot", "", "draw the distribution of scores to this .svg `file`")
	c.Flags().Uint64Var(&o.Seed, "seed", o.Seed, "of everything random")
	return c
}

// A demonstration is the examples with what a model says of them.
type demonstration struct {
	model    *algo.Model
	options  algo.Options
	examples []example
	report   *algo.Report
}

func newDemonstration(ctx context.Context, m *algo.Model, o algo.Options) (*demonstration, error) {
	rows, err := csv.NewReader(bytes.NewReader(web.Examples())).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("built-in examples: %w", err)
	}
	d := &demonstration{model: m, options: o}
	var graphs []*graph.Graph
	for _, row := range rows[1:] {
		mol, err := molecule.Parse(row[2])
		if err != nil {
			return nil, fmt.Errorf("built-in example %s: %w", row[0], err)
		}
		if m.Card.Schema == algo.OGBCanonical {
			mol, _, _ = mol.Canonical()
		}
		d.examples = append(d.examples, example{name: row[0], class: row[1], smiles: row[2]})
		graphs = append(graphs, mol.Graph())
	}
	s, err := algo.NewScorer(m, o)
	if err != nil {
		return nil, err
	}
	if d.report, err = s.Batch(ctx, graphs); err != nil {
		return nil, err
	}
	for i, row := range d.report.Rows {
		d.examples[i].row = row
	}
	return d, nil
}

// A painter colours text, or leaves it as it is.
type painter struct{ colour bool }

// The colours are the nearest of 256 to those of the figure: blue inside,
// vermilion outside.
var colourOf = map[decide.Verdict]string{
	decide.Inside:     "\x1b[38;5;32m",
	decide.Borderline: "\x1b[38;5;178m",
	decide.Outside:    "\x1b[38;5;166m",
}

func (p painter) verdict(v decide.Verdict, text string) string {
	if !p.colour || colourOf[v] == "" {
		return text
	}
	return colourOf[v] + text + "\x1b[0m"
}

func (p painter) bold(text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// table prints the examples, those furthest outside first.
func (d *demonstration) table(w io.Writer, p painter) {
	sorted := slices.Clone(d.examples)
	slices.SortStableFunc(sorted, func(a, b example) int { return cmp.Compare(b.row.Score, a.row.Score) })
	low, high := sorted[len(sorted)-1].row.Score, sorted[0].row.Score
	const form = "%s  %s  %s  %7s  %7s  %7s %s  %6s  %s"
	const name, class, structure, length = 24, 16, 24, 8
	head := fmt.Sprintf(form, fit("NAME", name), fit("CLASS", class), fit("STRUCTURE", structure), "S_PRE", "S_BACA", "SCORE", fit("", length), "P", "VERDICT")
	fmt.Fprintln(w, p.bold(head))
	for _, e := range sorted {
		r := e.row
		line := fmt.Sprintf(form, fit(e.name, name), fit(e.class, class), fit(e.smiles, structure),
			fixed(r.Pre, 2), fixed(r.BaCa, 2), fixed(r.Score, 2),
			p.verdict(r.Verdict, bar((r.Score-low)/(high-low), length)), fixed(r.P, 3), p.verdict(r.Verdict, string(r.Verdict)))
		fmt.Fprintln(w, line)
	}
}

// fit makes text exactly n characters wide.
func fit(text string, n int) string {
	if utf8.RuneCountInString(text) > n {
		return string([]rune(text)[:n-1]) + "…"
	}
	return text + strings.Repeat(" ", n-utf8.RuneCountInString(text))
}

// fixed is a number with so many decimals, and a dash for none.
func fixed(x float64, decimals int) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.*f", decimals, x)
}

// bar draws a share of n characters, in halves of a character.
func bar(share float64, n int) string {
	halves := 0
	if share > 0 { // not where all scores are equal
		halves = int(math.Round(min(share, 1) * float64(2*n)))
	}
	return fit(strings.Repeat("█", halves/2)+strings.Repeat("▌", halves%2), n)
}

// summary prints counts, what the calibrator found and the warnings.
func (d *demonstration) summary(w io.Writer, p painter) {
	card, o := d.model.Card, d.options
	total := map[decide.Verdict]int{}
	byClass := map[string]map[decide.Verdict]int{}
	var classes []string
	for _, e := range d.examples {
		total[e.row.Verdict]++
		if byClass[e.class] == nil {
			byClass[e.class] = map[decide.Verdict]int{}
			classes = append(classes, e.class)
		}
		byClass[e.class][e.row.Verdict]++
	}
	fmt.Fprintf(w, "\n%s\n", p.bold(fmt.Sprintf("%d molecules, scored together by the model %s", len(d.examples), card.Name)))
	if card.Description != "" {
		fmt.Fprintln(w, card.Description)
	}
	fmt.Fprintf(w, "%d graphs of %s were trained on for %d epochs, %d more were kept to compare with.\n\n", card.Train, card.Dataset, card.Epochs, d.model.Holdout.Len())
	for _, v := range []struct {
		verdict decide.Verdict
		meaning string
	}{
		{decide.Outside, fmt.Sprintf("of in-distribution molecules at most %.3g in 100 score as high", 100*o.Alpha)},
		{decide.Borderline, fmt.Sprintf("at most %.3g in 100", 200*o.Alpha)},
		{decide.Inside, "more than that"},
		{decide.Unknown, "the model holds nothing to compare with"},
	} {
		if n := total[v.verdict]; n > 0 || v.verdict != decide.Unknown {
			fmt.Fprintf(w, "  %s %4d   %s\n", p.verdict(v.verdict, fit(string(v.verdict), 10)), n, v.meaning)
		}
	}
	fmt.Fprintf(w, "\n%s\n", p.bold(fmt.Sprintf("  %s %5s %11s %5s", fit("CLASS", 16), "OOD", "borderline", "ID")))
	share := func(class string) float64 {
		n := byClass[class]
		return float64(n[decide.Outside]) / float64(n[decide.Outside]+n[decide.Borderline]+n[decide.Inside]+n[decide.Unknown])
	}
	slices.SortStableFunc(classes, func(a, b string) int { return cmp.Compare(share(b), share(a)) })
	for _, class := range classes {
		n := byClass[class]
		fmt.Fprintf(w, "  %s %5d %11d %5d\n", fit(class, 16), n[decide.Outside], n[decide.Borderline], n[decide.Inside])
	}
	fmt.Fprintf(w, `
Evidence: a molecule of this list can be told from one of the training set with an
AUC of %.2f, where 0.50 is chance. So the density ratio has %.0f %% of its weight beside
the score that each molecule would get by itself.
`, d.report.Evidence, 100*d.report.Weight)
	for _, text := range d.report.Warnings {
		fmt.Fprintf(w, "Warning: %s.\n", text)
	}
}

// plot draws the distributions to a file.
func (d *demonstration) plot(path string) error {
	var b bytes.Buffer
	if err := d.figure().draw(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// figure gathers the scores of the examples and of the holdout, before and after
// calibration.
func (d *demonstration) figure() *figure {
	scores := func(rows []algo.Row) (pre, score []float64) {
		for _, r := range rows {
			pre, score = append(pre, r.Pre), append(score, r.Score)
		}
		return pre, score
	}
	pre, score := scores(d.report.Rows)
	preHoldout, scoreHoldout := scores(d.report.Holdout)
	outside := make([]bool, len(pre))
	for i, r := range d.report.Rows {
		outside[i] = r.Verdict == decide.Outside
	}
	scale := calibrate.ScaleOf(pre)
	return &figure{
		outside: outside,
		alpha:   d.options.Alpha,
		before:  panel{"Before calibration", "S_Pre, in standard deviations of the batch", scale.Standardize(pre), scale.Standardize(preHoldout)},
		after:   panel{"After calibration", "score", score, scoreHoldout},
	}
}
