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
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/algo/report"
	"baca/algo/table"
	"baca/build/internal/usage"
	"baca/web"
	"baca/weights"
)

// An example is one of the molecules that come with the program.
type example struct {
	name, class, smiles string
	row                 algo.Row
}

func newDemo() *cobra.Command {
	var model string
	o := algo.DefaultOptions()
	c := &cobra.Command{
		Use:   "demo",
		Short: "Score the example molecules that come with this program",
		Long: `Demo scores well-known molecules of many kinds, drugs, dyes, sugars, explosives and
more, each by itself, and prints them with the one furthest outside of what the model
was trained on first. Then it says whether the list as a whole differs from the training
set.`,
		Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
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
			w := c.OutOrStdout()
			p := painter{isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
			var b bytes.Buffer
			d.table(&b, p)
			d.summary(&b, p)
			_, err = raw(c).Write(b.Bytes())
			return err
		},
	}
	c.Flags().StringVar(&model, "model", weights.Default, "embedded model of molecules by `NAME`, or a model file")
	c.Flags().Uint64Var(&o.Seed, "seed", o.Seed, "of the attention; nothing else is random")
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
		mol, err := smiles.Parse(row[2])
		if err != nil {
			return nil, fmt.Errorf("built-in example %s: %w", row[0], err)
		}
		mol, _, _ = smiles.In(mol, algo.FormOf(m.Card.Schema))
		d.examples = append(d.examples, example{name: row[0], class: row[1], smiles: row[2]})
		graphs = append(graphs, mol.Graph())
	}
	s, err := algo.NewScorer(ctx, m, o)
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
	const form = "%s  %s  %s  %7s %s  %6s  %-10s  %7s  %s"
	const name, class, structure, length = 24, 16, 24, 8
	head := fmt.Sprintf(form, fit("NAME", name), fit("CLASS", class), fit("STRUCTURE", structure), "SCORE", fit("", length), "P", "VERDICT", "BATCH P", "IN ITS BATCH")
	fmt.Fprintln(w, p.bold(head))
	for _, e := range sorted {
		r := e.row
		line := fmt.Sprintf(form, fit(e.name, name), fit(e.class, class), fit(e.smiles, structure),
			fixed(r.Score, 2), p.verdict(r.Verdict, bar((r.Score-low)/(high-low), length)), fixed(r.P, 3), p.verdict(r.Verdict, fit(string(r.Verdict), 10)),
			fixed(r.BatchP, 3), p.verdict(r.BatchVerdict, string(r.BatchVerdict)))
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

// summary prints counts, what the list is like as a whole, and the warnings.
func (d *demonstration) summary(w io.Writer, p painter) {
	card, o := d.model.Card, d.options
	for _, text := range []*string{&card.Name, &card.Description, &card.Holdout, &card.Dataset} {
		*text = table.Visible(*text) // no screen does, for the colours
	}
	total := map[decide.Verdict]int{}
	byClass := map[string]*decide.Counts{}
	var classes []string
	for _, e := range d.examples {
		total[e.row.Verdict]++
		if byClass[e.class] == nil {
			byClass[e.class] = new(decide.Counts)
			classes = append(classes, e.class)
		}
		byClass[e.class].Count(e.row.Verdict)
	}
	fmt.Fprintf(w, "\n%s\n", p.bold(fmt.Sprintf("%d molecules, each scored by itself by the model %s", len(d.examples), card.Name)))
	if card.Description != "" {
		fmt.Fprintln(w, card.Description)
	}
	kept := "more were kept"
	if card.Holdout != "" {
		kept = "of " + card.Holdout + " are there"
	}
	fmt.Fprintf(w, "%d graphs of %s were trained on for %s, %d %s to compare with.\n\n", card.Train, card.Dataset, explain.Count(card.Epochs, "epoch"), d.model.Holdout.Len(), kept)
	for _, v := range []struct {
		verdict decide.Verdict
		meaning string
	}{
		{decide.Outside, fmt.Sprintf("of molecules like the training set at most %.3g in 100 score as high", 100*o.Alpha)},
		{decide.Borderline, fmt.Sprintf("at most %.3g in 100", 200*o.Alpha)},
		{decide.Inside, "more than that"},
		{decide.Undecided, "the model holds too few graphs to compare with"},
	} {
		if n := total[v.verdict]; n > 0 || v.verdict != decide.Undecided {
			fmt.Fprintf(w, "  %s %4d   %s\n", p.verdict(v.verdict, fit(string(v.verdict), 10)), n, v.meaning)
		}
	}
	fmt.Fprintf(w, "\n%s\n", p.bold(fmt.Sprintf("  %s %7s %11s %7s", fit("CLASS", 16), decide.Outside, decide.Borderline, decide.Inside)))
	share := func(class string) float64 {
		n := byClass[class]
		return float64(n.Outside) / float64(n.Outside+n.Borderline+n.Inside+n.Undecided)
	}
	slices.SortStableFunc(classes, func(a, b string) int { return cmp.Compare(share(b), share(a)) })
	for _, class := range classes {
		n := byClass[class]
		fmt.Fprintf(w, "  %s %7d %11d %7d\n", fit(class, 16), n.Outside, n.Borderline, n.Inside)
	}
	whole := report.Whole("this list", d.report.Evidence, d.report.P)
	fmt.Fprintf(w, "\n%s%s.\n", strings.ToUpper(whole[:1]), whole[1:])
	if list := d.report.Differences; len(list) > 0 {
		fmt.Fprintf(w, "%s.\n", report.MakesTheDifference(list))
	}
	for _, text := range d.report.Warnings {
		fmt.Fprintf(w, "Warning: %s.\n", text)
	}
}
