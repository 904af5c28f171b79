package command

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"baca/algo/metric"
	"baca/build/internal/version"
)

// over returns mean and deviation over the seeds of a column of the fixed protocol,
// by a function of its AUROC, or NaN where there is none.
func (r *pairResult) over(ood, column string, of func(float64) float64) (mean, std float64) {
	var values []float64
	for _, cell := range r.fixed[ood] {
		for _, m := range cell.Columns {
			if m.Column == column {
				values = append(values, of(float64(m.AUROC)))
			}
		}
	}
	return metric.MeanStd(values)
}

func same(x float64) float64 { return x }

// either is the AUROC of a score or of its opposite, whichever is better: what a
// statistic could do if its direction were known.
func either(x float64) float64 { return max(x, 1-x) }

// trivial returns the best statistic of a pair, by its mean in the better direction.
func (r *pairResult) trivial(ood string) (name string, mean, std float64) {
	mean = math.NaN()
	for _, column := range statisticColumns() {
		m, s := r.over(ood, column, same)
		shown := column
		if m < 0.5 {
			m, shown = 1-m, "low "+column
		}
		if m > mean || math.IsNaN(mean) {
			name, mean, std = shown, m, s
		}
	}
	return name, mean, std
}

// gridded returns mean and deviation of a column of the grid protocol.
func (r *pairResult) gridded(column string) (mean, std float64) {
	var values []float64
	for _, s := range r.grid[column].Seeds {
		values = append(values, float64(s.AUROC))
	}
	return metric.MeanStd(values)
}

// contaminated returns the means over the thinnings of all seeds of a column: AUROC,
// false alarms, and the rate of them that was asked for.
func (r *pairResult) contaminated(column string, share float64) (auroc, alarms, asked float64) {
	var values [3][]float64
	for _, cell := range r.thin {
		for _, p := range cell.Points {
			if p.Column != column || p.Share != share {
				continue
			}
			for k, v := range []rate{p.AUROC, p.Alarms, p.Asked} {
				if x := float64(v); !math.IsNaN(x) {
					values[k] = append(values[k], x)
				}
			}
		}
	}
	var means [3]float64
	for k, v := range values {
		means[k], _ = metric.MeanStd(v)
	}
	return means[0], means[1], means[2]
}

// A markdown table, whose columns of numbers may get a line of means.
type markdown struct {
	b     *bytes.Buffer
	width int
	sums  []float64
	rows  int
}

func newMarkdown(b *bytes.Buffer, head ...string) *markdown {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	return &markdown{b: b, width: len(head), sums: make([]float64, len(head))}
}

// row writes fields; numbers, in percent, are those to take the mean of.
func (m *markdown) row(fields []string, numbers []float64) {
	fmt.Fprintf(m.b, "| %s |\n", strings.Join(fields, " | "))
	m.rows++
	for i := range m.sums {
		m.sums[i] += numbers[i]
	}
}

// mean ends the table with the means, where there are any.
func (m *markdown) mean() {
	fields := make([]string, m.width)
	fields[0] = "**mean**"
	for i, s := range m.sums {
		if i > 0 && !math.IsNaN(s) {
			fields[i] = fmt.Sprintf("**%.1f**", 100*s/float64(m.rows))
		}
	}
	fmt.Fprintf(m.b, "| %s |\n\n", strings.Join(fields, " | "))
}

// report writes everything for people.
func (t *table1) report(w io.Writer) error {
	var b bytes.Buffer
	f := t.flags
	fmt.Fprintf(&b, `# Table 1

`+"`%s`"+`, baca %s, on %s.

AUROC in percent, OOD the positive class, mean ± standard deviation over the seeds. "Paper" is its
table 1, whose settings were picked for each pair by the test AUROC. Every number below comes from
table1.json and the files in cells beside it.

`, f.commandLine("table1"), version.String(), machine())
	for _, ood := range []string{"first", "random"} {
		if ood == "first" {
			b.WriteString("## Fixed protocol: one setting for all pairs, the first OOD graphs\n\n")
		} else {
			b.WriteString("## Fixed protocol with a random draw of OOD graphs\n\nSome sets are sorted; this says how much the choice of the first ones decides.\n\n")
		}
		t.fixedTable(&b, ood)
	}
	t.gridTable(&b)
	t.aloneTable(&b)
	t.newTable(&b)
	t.trivialTable(&b)
	t.thinTables(&b)
	t.intervals(&b)
	t.costs(&b)
	t.warnings(&b)
	_, err := w.Write(b.Bytes())
	return err
}

func (t *table1) fixedTable(b *bytes.Buffer, ood string) {
	head := []string{"ID / OOD", "best statistic", "S_Pre", "S_Pre, bank", "ℓ_g", "nearest", "WL 1", "attention", "ratio", "**alone**", "**batch**", "paper: base", "paper: BaCa", ""}
	columns := []string{columnPre, columnPreBank, columnGraph, columnNearest, columnPrint1, columnAttention, columnRatio, columnAlone, columnBatch}
	m := newMarkdown(b, head...)
	// Of alone and of batch.
	var reached, beaten [2]int
	compared := 0
	for _, r := range t.pairs {
		name, best, spread := r.trivial(ood)
		fields := append([]string{r.pair.name()}, escaped([]string{percentOf(best, spread) + " (" + name + ")"})...)
		numbers := []float64{math.NaN(), best}
		var means, stds []float64
		for k, column := range columns {
			mean, std := r.over(ood, column, same)
			text := percentOf(mean, std)
			if k >= len(columns)-2 {
				text = "**" + text + "**"
				means, stds = append(means, mean), append(stds, std)
			}
			fields, numbers = append(fields, text), append(numbers, mean)
		}
		for k, mean := range means {
			if mean >= best {
				beaten[k]++
			}
		}
		if p := r.pair.paper; p != nil {
			compared++
			for k, mean := range means {
				if mean >= p.baca/100-spreadOf(stds[k], p.std) {
					reached[k]++
				}
			}
			mark := "batch below"
			switch mean := means[1]; {
			case mean >= p.baca/100:
				mark = "batch above"
			case mean >= p.baca/100-spreadOf(stds[1], p.std):
				mark = "batch within one deviation"
			}
			fields = append(fields, fmt.Sprintf("%.1f", p.base), fmt.Sprintf("%.1f ± %.1f", p.baca, p.std), mark)
			numbers = append(numbers, p.base/100, p.baca/100, math.NaN())
		} else {
			fields, numbers = append(fields, "–", "–", ""), append(numbers, math.NaN(), math.NaN(), math.NaN())
		}
		m.row(fields, numbers)
	}
	m.mean()
	fmt.Fprintf(b, "Alone is the score of each graph by itself, which baca score decides by; batch is what the paper's protocol measures.\n")
	if compared > 0 {
		fmt.Fprintf(b, "Batch is at or above the paper's BaCa, within one standard deviation of its own, on %d of %d pairs, alone on %d.\n", reached[1], compared, reached[0])
	}
	fmt.Fprintf(b, "Batch beats the best statistic, in the direction that suits that pair best, on %d of %d pairs, alone on %d.\n\n", beaten[1], len(t.pairs), beaten[0])
}

// spreadOf is the deviation over seeds, or the paper's where there is one seed.
func spreadOf(own, paper float64) float64 {
	if math.IsNaN(own) {
		return paper / 100
	}
	return own
}

func (t *table1) gridTable(b *bytes.Buffer) {
	b.WriteString("## Grid protocol: settings picked for each pair by these very labels\n\nAs the paper does. Such figures say what could be reached, not what will be.\n\n")
	m := newMarkdown(b, "ID / OOD", "attention", "picked", "ratio", "picked", "batch", "picked", "paper: BaCa")
	for _, r := range t.pairs {
		fields, numbers := []string{r.pair.name()}, []float64{math.NaN()}
		for _, column := range []string{columnAttention, columnRatio, columnBatch} {
			mean, std := r.gridded(column)
			fields, numbers = append(fields, percentOf(mean, std), r.grid[column].Choice.String()), append(numbers, mean, math.NaN())
		}
		if p := r.pair.paper; p != nil {
			fields, numbers = append(fields, fmt.Sprintf("%.1f ± %.1f", p.baca, p.std)), append(numbers, p.baca/100)
		} else {
			fields, numbers = append(fields, "–"), append(numbers, math.NaN())
		}
		m.row(fields, numbers)
	}
	m.mean()
}

func (t *table1) aloneTable(b *bytes.Buffer) {
	b.WriteString("## One graph at a time\n\nScores that depend on nothing but the graph and the model; the first OOD graphs.\n\n")
	head := append([]string{"ID / OOD"}, aloneColumns...)
	m := newMarkdown(b, head...)
	for _, r := range t.pairs {
		fields, numbers := []string{r.pair.name()}, []float64{math.NaN()}
		for _, column := range aloneColumns {
			mean, std := r.over("first", column, same)
			fields, numbers = append(fields, percentOf(mean, std)), append(numbers, mean)
		}
		m.row(fields, numbers)
	}
	m.mean()
}

// newTable shows the pairs some of whose OOD graphs equal a graph trained on.
func (t *table1) newTable(b *bytes.Buffer) {
	b.WriteString("## Without OOD graphs that equal a graph trained on\n\nThe same scores, measured without them: a graph that was trained on is inside, whatever set it is taken from. The first OOD graphs.\n\n")
	m := newMarkdown(b, "ID / OOD", "equal", columnAlone, newOnly(columnAlone), columnBatch, newOnly(columnBatch))
	for _, r := range t.pairs {
		known, all := 0, 0
		for _, cell := range r.fixed["first"] {
			known += cell.Known
			all += cell.NOOD
		}
		fields, numbers := []string{r.pair.name(), fmt.Sprintf("%.0f %%", 100*float64(known)/float64(all))}, []float64{math.NaN(), math.NaN()}
		for _, column := range []string{columnAlone, columnBatch} {
			for _, column := range []string{column, newOnly(column)} {
				mean, std := r.over("first", column, same)
				fields, numbers = append(fields, percentOf(mean, std)), append(numbers, mean)
			}
		}
		m.row(fields, numbers)
	}
	m.mean()
}

func (t *table1) trivialTable(b *bytes.Buffer) {
	b.WriteString("## Statistics\n\nWhat can be counted off a graph, in the better of the two directions: above 50 in every case. The\nfirst OOD graphs. |Δ| is the distance to the median of the ID training graphs.\n\n")
	head := append([]string{"ID / OOD"}, statisticColumns()...)
	m := newMarkdown(b, escaped(head)...)
	for _, r := range t.pairs {
		fields, numbers := []string{r.pair.name()}, []float64{math.NaN()}
		for _, column := range statisticColumns() {
			mean, _ := r.over("first", column, either)
			fields, numbers = append(fields, fmt.Sprintf("%.1f", 100*mean)), append(numbers, mean)
		}
		m.row(fields, numbers)
	}
	m.mean()
}

// escaped makes text stand in a table.
func escaped(fields []string) []string {
	list := make([]string, len(fields))
	for i, s := range fields {
		list[i] = strings.ReplaceAll(s, "|", "\\|")
	}
	return list
}

// sweepColumns are those of the contamination tables.
var sweepColumns = []string{columnPre, columnPrint1, columnAttention, columnRatio, columnAlone, columnBatch}

func (t *table1) thinTables(b *bytes.Buffer) {
	fmt.Fprintf(b, "## Contamination\n\nOOD graphs thinned to a share of the number of ID graphs, everything computed again in the smaller\nbatch; means over %d thinnings of each seed (1 at 100 %%).\n\n", thinDraws)
	for _, share := range thinShares {
		if share == 0 {
			continue
		}
		fmt.Fprintf(b, "### %g %%\n\n", 100*share)
		m := newMarkdown(b, append([]string{"ID / OOD"}, sweepColumns...)...)
		for _, r := range t.pairs {
			fields, numbers := []string{r.pair.name()}, []float64{math.NaN()}
			for _, column := range sweepColumns {
				auroc, _, _ := r.contaminated(column, share)
				fields, numbers = append(fields, percentOf(auroc, math.NaN())), append(numbers, auroc)
			}
			m.row(fields, numbers)
		}
		m.mean()
	}
	b.WriteString("### False alarms\n\nThe share of ID graphs that were called outside where 5 % was asked for, or as little as the holdout\nresolves; by the batch as its verdicts say, with their guard. Half of the ID graphs are the holdout that p-values need, the rest are in the batch with the\nOOD graphs. Means over the pairs:\n\n")
	head := []string{"column"}
	for _, share := range thinShares {
		head = append(head, fmt.Sprintf("%g %% OOD", 100*share))
	}
	m := newMarkdown(b, head...)
	for _, column := range append(slices.Clone(batchColumns), aloneColumns...) {
		fields := []string{column}
		for _, share := range thinShares {
			sum := 0.0
			for _, r := range t.pairs {
				_, alarms, asked := r.contaminated(column, share)
				sum += alarms / asked / float64(len(t.pairs))
			}
			text := "–"
			if !math.IsNaN(sum) {
				text = fmt.Sprintf("%.2f of asked", sum)
			}
			fields = append(fields, text)
		}
		m.row(fields, make([]float64, len(fields)))
	}
	for _, column := range []string{columnAlone, columnBatch} {
		fmt.Fprintf(b, "\n%s, pair by pair, in percent:\n\n", strings.ToUpper(column[:1])+column[1:])
		m = newMarkdown(b, append([]string{"ID / OOD", "asked"}, head[1:]...)...)
		for _, r := range t.pairs {
			_, _, asked := r.contaminated(column, 0)
			fields, numbers := []string{r.pair.name(), fmt.Sprintf("%.1f", 100*asked)}, []float64{math.NaN(), asked}
			for _, share := range thinShares {
				_, alarms, _ := r.contaminated(column, share)
				fields, numbers = append(fields, percentOf(alarms, math.NaN())), append(numbers, alarms)
			}
			m.row(fields, numbers)
		}
		m.mean()
	}
}

func (t *table1) intervals(b *bytes.Buffer) {
	fmt.Fprintf(b, "## How far one test batch can be off\n\n95 %% bootstrap intervals over the graphs of a batch (%d rounds), of the score of single graphs, the default, with the first OOD\ngraphs. They say nothing about other seeds.\n\n", bootstrapRounds)
	head := []string{"ID / OOD"}
	for _, s := range t.flags.seeds {
		head = append(head, fmt.Sprintf("seed %d", s))
	}
	m := newMarkdown(b, head...)
	for _, r := range t.pairs {
		fields := []string{r.pair.name()}
		for _, cell := range r.fixed["first"] {
			for _, c := range cell.Columns {
				if c.Column == columnDefault {
					fields = append(fields, fmt.Sprintf("%.1f (%.1f – %.1f)", 100*c.AUROC, 100*c.Low, 100*c.High))
				}
			}
		}
		m.row(fields, make([]float64, len(head)))
	}
	b.WriteString("\n")
}

func (t *table1) costs(b *bytes.Buffer) {
	fmt.Fprintf(b, "## Cost\n\nSeconds on one core to score a batch with the bank of the model prepared, mean over seeds, and for whole cells of this benchmark with the\npeak of the memory of the program while they ran, other cells at the same time included (%d at a time).\nOnly attention trains the attention: nothing else depends on it. Alone is without a batch.\n\n", t.flags.workers)
	m := newMarkdown(b, "ID / OOD", "graphs", "S_Pre", "attention", "ratio", "batch", "alone", "all cells, s", "peak, MB")
	for _, r := range t.pairs {
		first := r.fixed["first"][0]
		fields := []string{r.pair.name(), fmt.Sprint(first.NID + first.NOOD)}
		for _, column := range append(slices.Clone(batchColumns), columnAlone) {
			sum := 0.0
			for _, cell := range r.fixed["first"] {
				for _, c := range cell.Columns {
					if c.Column == column {
						sum += float64(c.Seconds) / float64(len(r.fixed["first"]))
					}
				}
			}
			fields = append(fields, fmt.Sprintf("%.2f", sum))
		}
		seconds, peak := 0.0, uint64(0)
		for _, file := range r.files {
			seconds += file.Seconds
			peak = max(peak, file.PeakBytes)
		}
		fields = append(fields, fmt.Sprintf("%.0f", seconds), fmt.Sprintf("%.0f", float64(peak)/1e6))
		m.row(fields, make([]float64, len(fields)))
	}
	b.WriteString("\n")
}

func (t *table1) warnings(b *bytes.Buffer) {
	counts := map[string]int{}
	for _, r := range t.pairs {
		for _, cells := range r.fixed {
			for _, cell := range cells {
				for _, w := range cell.Warnings {
					counts[r.pair.name()+": "+w]++
				}
			}
		}
	}
	if len(counts) == 0 {
		return
	}
	b.WriteString("## Warnings\n\n")
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare)
	for _, name := range names {
		fmt.Fprintf(b, "- %s (%d times)\n", name, counts[name])
	}
}
