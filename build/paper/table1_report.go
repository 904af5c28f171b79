package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"baca/build/internal/figure"
)

// measured are the measurements of a column of the fixed protocol, by seed.
func (r *pairResult) measured(ood, column string) []measured {
	var list []measured
	for _, cell := range r.fixed[ood] {
		for _, m := range cell.Columns {
			if m.Column == column {
				list = append(list, m)
			}
		}
	}
	return list
}

// over returns mean and deviation over the seeds of the AUROC of a column of the fixed
// protocol, or NaN where there is none.
func (r *pairResult) over(ood, column string) (mean, std float64) {
	return meanOf(r.measured(ood, column), func(m measured) rate { return m.AUROC })
}

// either is the mean AUROC of a column or of its opposite, whichever is better: what a
// statistic could do if its direction were known.
func (r *pairResult) either(column string) float64 {
	mean, _ := meanOf(r.measured("first", column), func(m measured) rate { return max(m.AUROC, 1-m.AUROC) })
	return mean
}

// trivial returns the best statistic of a pair, by its mean in the better direction.
func (r *pairResult) trivial(ood string) (name string, mean, std float64) {
	mean = math.NaN()
	for _, column := range statisticColumns() {
		m, s := r.over(ood, column)
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
	return meanOf(r.grid[column].Seeds, func(s seedResult) rate { return s.AUROC })
}

// A contamination is the means over the thinnings of all seeds of a column: AUROC, false
// alarms, and the rate of them that was asked for.
type contamination struct{ auroc, alarms, asked float64 }

func (r *pairResult) contaminated(column string, share float64) contamination {
	mean := func(of func(thinMeasure) rate) float64 {
		var rates []rate
		for _, cell := range r.thin {
			for _, p := range cell.Points {
				if x := of(p); p.Column == column && p.Share == share && x.defined() {
					rates = append(rates, x)
				}
			}
		}
		mean, _ := meanStd(rates)
		return mean
	}
	return contamination{
		auroc:  mean(func(p thinMeasure) rate { return p.AUROC }),
		alarms: mean(func(p thinMeasure) rate { return p.Alarms }),
		asked:  mean(func(p thinMeasure) rate { return p.Asked }),
	}
}

// byPair writes a table with a row for each pair, and a row of means.
func (t *table1) byPair(m *markdown, head []string, fields func(*pairResult) []field) {
	table := m.tableOf(append([]string{"ID / OOD"}, head...)...)
	for _, r := range t.pairs {
		table.row(append([]field{words("%s", r.pair.name())}, fields(r)...)...)
	}
	table.mean()
}

// report writes everything for people.
func (t *table1) report() *markdown {
	m := t.bench.heading("Table 1")
	m.text(`AUROC in percent, OOD the positive class, mean ± standard deviation over the seeds. "Paper" is its
table 1, whose settings were picked for each pair by the test AUROC. Every number below comes from
table1.json and the files in cells beside it.

S_Pre, of its parts ℓ_g and ℓ_n, is the paper's score before calibration, with negatives of the batch, or of training graphs ("bank").
Attention is its S_BaCa, "better" with another partition of the batch. Nearest is the distance to the nearest embedding of a training
graph; WL 1 and WL 5 are by how many subtrees a graph shares with the most similar training graph, and with the fifth. Ratio is how likely
a graph is in the batch, compared with the training set. ID graphs are of the set that was trained on, OOD graphs of the other.
Molecules are read as OGB does, as by the paper, but where the head of a column says "parents".

`)
	m.text("## Fixed protocol: one setting for all pairs, the first OOD graphs\n\n")
	t.fixedTable(m, "first")
	m.text("## Fixed protocol with a random draw of OOD graphs\n\nSome sets are sorted; this says how much the choice of the first ones decides.\n\n")
	t.fixedTable(m, "random")
	t.parentTable(m)
	t.gridTable(m)
	t.aloneTable(m)
	t.newTable(m)
	t.trivialTable(m)
	t.thinTables(m)
	t.alarmTables(m)
	t.intervals(m)
	t.costs(m)
	t.warnings(m)
	return m
}

// A standing is how the mean of a column compares with the paper's BaCa and the best
// statistic, over the pairs.
type standing struct{ reached, beaten int }

func (t *table1) fixedTable(m *markdown, ood string) {
	head := []string{"best statistic", "S_Pre", "S_Pre, bank", "ℓ_g", "nearest", "WL 1", "attention", "attention, better", "ratio", "**alone**", "**batch**", "paper: base", "paper: BaCa", ""}
	columns := []string{columnPre, columnPreBank, columnGraph, columnNearest, columnPrint1, columnAttention, columnBetter, columnRatio}
	var alone, batch standing
	compared := 0
	t.byPair(m, head, func(r *pairResult) []field {
		name, best, spread := r.trivial(ood)
		fields := []field{{escaped(percentOf(best, spread) + " (" + name + ")"), best}}
		for _, column := range columns {
			fields = append(fields, percents(r.over(ood, column)))
		}
		p := r.pair.paper
		if p != nil {
			compared++
		}
		mark := ""
		for _, c := range []struct {
			column string
			counts *standing
		}{{columnAlone, &alone}, {columnBatch, &batch}} {
			mean, std := r.over(ood, c.column)
			fields = append(fields, field{"**" + percentOf(mean, std) + "**", mean})
			if mean >= best {
				c.counts.beaten++
			}
			if p != nil {
				if mark = p.compare(c.column, mean, std); mark != c.column+" below" {
					c.counts.reached++
				}
			}
		}
		if p == nil {
			return append(fields, words("–"), words("–"), words(""))
		}
		return append(fields, field{fmt.Sprintf("%.1f", p.base), p.base / 100}, p.field(), words("%s", mark))
	})
	m.text("Alone is the score of each graph by itself, which baca score decides by; batch is what the paper's protocol measures.\n")
	if compared > 0 {
		m.text("Batch is at or above the paper's BaCa, within one standard deviation of its own, on %d of %d pairs, alone on %d.\n", batch.reached, compared, alone.reached)
	}
	m.text("Batch beats the best statistic, in the direction that suits that pair best, on %d of %d pairs, alone on %d.\n\n", batch.beaten, len(t.pairs), alone.beaten)
}

// field is the paper's BaCa.
func (p *paperRow) field() field {
	return field{fmt.Sprintf("%.1f ± %.1f", p.baca, p.std), p.baca / 100}
}

// compare says where a mean is beside the paper's BaCa. Its deviation is that over
// seeds, or the paper's where there is one seed.
func (p *paperRow) compare(column string, mean, std float64) string {
	if math.IsNaN(std) {
		std = p.std / 100
	}
	switch {
	case mean >= p.baca/100:
		return column + " above"
	case mean >= p.baca/100-std:
		return column + " within one deviation"
	}
	return column + " below"
}

func (t *table1) gridTable(m *markdown) {
	m.text("## Grid protocol: settings picked for each pair by these very labels\n\nAs the paper does. Such figures say what could be reached, not what will be.\n\n")
	t.byPair(m, []string{"attention", "picked", "ratio", "picked", "batch", "picked", "paper: BaCa"}, func(r *pairResult) []field {
		var fields []field
		for _, column := range []string{columnAttention, columnRatio, columnBatch} {
			fields = append(fields, percents(r.gridded(column)), words("%v", r.grid[column].Choice))
		}
		if p := r.pair.paper; p != nil {
			return append(fields, p.field())
		}
		return append(fields, words("–"))
	})
}

func (t *table1) aloneTable(m *markdown) {
	m.text("## One graph at a time\n\nScores that depend on nothing but the graph and the model; the first OOD graphs.\n\n")
	t.columnsTable(m, aloneColumns, func(r *pairResult, column string) field { return percents(r.over("first", column)) })
}

// columnsTable has a column for each name.
func (t *table1) columnsTable(m *markdown, names []string, of func(r *pairResult, name string) field) {
	head := make([]string, len(names))
	for i, name := range names {
		head[i] = escaped(name)
	}
	t.byPair(m, head, func(r *pairResult) []field {
		var fields []field
		for _, name := range names {
			fields = append(fields, of(r, name))
		}
		return fields
	})
}

// parentTable shows the molecules in both readings.
func (t *table1) parentTable(m *markdown) {
	molecules := &table1{bench: t.bench}
	for _, r := range t.pairs {
		if r.fixed[readParent] != nil {
			molecules.pairs = append(molecules.pairs, r)
		}
	}
	if len(molecules.pairs) == 0 {
		return
	}
	m.text("## Molecules read as OGB does, and as parents\n\n" + `Two readings beside each other. As parents, without stereo marks, isotopes, counter-ions and charges, each molecule is in a set
once, so that sets, splits and encoders are others. "Equal": parents of OOD molecules that were trained on; "new": without these. The first OOD graphs.

`)
	head := []string{"alone, OGB", "**alone, parents**", "batch, OGB", "**batch, parents**", "equal, parents", "alone, new, parents", "batch, new, parents"}
	molecules.byPair(m, head, func(r *pairResult) []field {
		var fields []field
		for _, column := range parentColumns {
			fields = append(fields, percents(r.over("first", column)), percents(r.over(readParent, column)))
		}
		fields = append(fields, r.equal(readParent))
		for _, column := range parentColumns {
			fields = append(fields, percents(r.over(readParent, newOnly(column))))
		}
		return fields
	})
}

// equal is the share of OOD graphs that equal a graph trained on.
func (r *pairResult) equal(ood string) field {
	known, all := 0, 0
	for _, cell := range r.fixed[ood] {
		known, all = known+cell.Known, all+cell.NOOD
	}
	return words("%.0f %%", 100*float64(known)/float64(all))
}

// newTable shows the pairs some of whose OOD graphs equal a graph trained on.
func (t *table1) newTable(m *markdown) {
	m.text("## Without OOD graphs that equal a graph trained on\n\nThe same scores, measured without them: a graph that was trained on is inside, whatever set it is taken from. The first OOD graphs.\n\n")
	columns := []string{columnAlone, newOnly(columnAlone), columnBatch, newOnly(columnBatch)}
	t.byPair(m, append([]string{"equal"}, columns...), func(r *pairResult) []field {
		fields := []field{r.equal("first")}
		for _, column := range columns {
			fields = append(fields, percents(r.over("first", column)))
		}
		return fields
	})
}

func (t *table1) trivialTable(m *markdown) {
	m.text("## Statistics\n\nWhat can be counted off a graph, in the better of the two directions: above 50 in every case. The\nfirst OOD graphs. |Δ| is the distance to the median of the ID training graphs.\n\n")
	t.columnsTable(m, statisticColumns(), func(r *pairResult, column string) field {
		mean := r.either(column)
		return field{fmt.Sprintf("%.1f", 100*mean), mean}
	})
}

// escaped makes text stand in a table.
func escaped(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// sweepColumns are those of the contamination tables.
var sweepColumns = []string{columnPre, columnPrint1, columnAttention, columnBetter, columnRatio, columnAlone, columnBatch}

func (t *table1) thinTables(m *markdown) {
	m.text("## Contamination\n\nOOD graphs thinned to a share of the number of ID graphs, everything computed again in the smaller\nbatch; means over %d thinnings of each seed (1 at 100 %%).\n\n", thinDraws)
	for _, share := range thinShares[1:] {
		m.text("### %g %%\n\n", 100*share)
		t.columnsTable(m, sweepColumns, func(r *pairResult, column string) field {
			return percents(r.contaminated(column, share).auroc, math.NaN())
		})
	}
}

func (t *table1) alarmTables(m *markdown) {
	m.text("### False alarms\n\nThe share of ID graphs that were called outside where 5 %% was asked for, or as little as the holdout\nresolves; by the batch as its verdicts say, with their guard. Half of the ID graphs are the holdout that p-values need, the rest are in the batch with the\nOOD graphs. Means over the pairs:\n\n")
	var shares []string
	for _, share := range thinShares {
		shares = append(shares, fmt.Sprintf("%g %% OOD", 100*share))
	}
	table := m.tableOf(append([]string{"column"}, shares...)...)
	for _, column := range slices.Concat(batchColumns, aloneColumns) {
		fields := []field{words("%s", column)}
		for _, share := range thinShares {
			sum := 0.0
			for _, r := range t.pairs {
				c := r.contaminated(column, share)
				sum += c.alarms / c.asked / float64(len(t.pairs))
			}
			f := words("–")
			if !math.IsNaN(sum) {
				f = words("%.2f of asked", sum)
			}
			fields = append(fields, f)
		}
		table.row(fields...)
	}
	for _, column := range []string{columnAlone, columnBatch} {
		m.text("\n%s, pair by pair, in percent:\n\n", strings.ToUpper(column[:1])+column[1:])
		t.byPair(m, append([]string{"asked"}, shares...), func(r *pairResult) []field {
			asked := r.contaminated(column, 0).asked
			fields := []field{{fmt.Sprintf("%.1f", 100*asked), asked}}
			for _, share := range thinShares {
				fields = append(fields, percents(r.contaminated(column, share).alarms, math.NaN()))
			}
			return fields
		})
	}
}

func (t *table1) intervals(m *markdown) {
	m.text("## How far one test batch can be off\n\n95 %% bootstrap intervals over the graphs of a batch (%d rounds), of the score of single graphs, the default, with the first OOD\ngraphs. They say nothing about other seeds.\n\n", bootstrapRounds)
	head := []string{"ID / OOD"}
	for _, s := range t.bench.seeds {
		head = append(head, fmt.Sprintf("seed %d", s))
	}
	table := m.tableOf(head...)
	for _, r := range t.pairs {
		fields := []field{words("%s", r.pair.name())}
		for _, c := range r.measured("first", columnDefault) {
			fields = append(fields, words("%.1f (%.1f – %.1f)", 100*c.AUROC, 100*c.Low, 100*c.High))
		}
		table.row(fields...)
	}
	m.text("\n")
}

func (t *table1) costs(m *markdown) {
	m.text("## Cost\n\nSeconds on one core to score a batch with the bank of the model prepared, mean over seeds, and for whole cells of this benchmark with the\npeak of the memory of the program while they ran, other cells at the same time included (%d at a time).\nOnly attention trains the attention: nothing else depends on it. Alone is without a batch.\n\n", t.bench.workers)
	table := m.tableOf("ID / OOD", "graphs", "S_Pre", "attention", "ratio", "batch", "alone", "all cells, s", "peak, MB")
	for _, r := range t.pairs {
		first := r.fixed["first"][0]
		fields := []field{words("%s", r.pair.name()), words("%d", first.NID+first.NOOD)}
		for _, column := range append(slices.Clone(batchColumns), columnAlone) {
			sum := 0.0
			for _, c := range r.measured("first", column) {
				sum += float64(c.Seconds) / float64(len(r.fixed["first"]))
			}
			fields = append(fields, words("%.2f", sum))
		}
		seconds, peak := 0.0, uint64(0)
		for _, c := range r.cells {
			seconds += c.file.Seconds
			peak = max(peak, c.file.PeakBytes)
		}
		table.row(append(fields, words("%.0f", seconds), words("%.0f", float64(peak)/1e6))...)
	}
	m.text("\n")
}

func (t *table1) warnings(m *markdown) {
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
	m.text("## Warnings\n\n")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		m.text("- %s (%d times)\n", name, counts[name])
	}
}

// figures draws the scores of the first seed before and after calibration (the paper's
// figure 1b) and alone, and the
// contamination sweep of each pair.
func (t *table1) figures() error {
	for _, r := range t.pairs {
		if err := t.drawScores(r); err != nil {
			return err
		}
		if err := t.drawSweep(r); err != nil {
			return err
		}
	}
	return nil
}

func (t *table1) drawScores(r *pairResult) error {
	cell := r.fixed["first"][0]
	var plots []*plot.Plot
	for _, part := range []struct {
		title, axis string
		scores      []float64
	}{{"before: S_Pre", "S_Pre", cell.Before}, {"after: S_BaCa", "S_BaCa", cell.BaCa}, {"default", "score", cell.After}} {
		q, err := distributions(r.pair.name()+", "+part.title, part.axis, part.scores[:cell.NID], part.scores[cell.NID:])
		if err != nil {
			return err
		}
		plots = append(plots, q)
	}
	return t.bench.drawPlots("scores-"+r.pair.file(), plots...)
}

func (t *table1) drawSweep(r *pairResult) error {
	shares := thinShares[1:]
	var lines []figure.Line
	for _, column := range []string{columnAlone, columnBatch, columnPre, columnAttention, columnNearest, columnPrint1} {
		l := figure.Line{Name: column}
		for k, share := range shares {
			if auroc := r.contaminated(column, share).auroc; !math.IsNaN(auroc) { // else the batches were too small
				l.X, l.Y = append(l.X, float64(k)), append(l.Y, 100*auroc)
			}
		}
		if len(l.X) > 0 {
			lines = append(lines, l)
		}
	}
	q := figure.New(r.pair.name()+" under contamination", "OOD graphs, % of the number of ID graphs", "AUROC, %")
	q.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
		var marks []plot.Tick
		for k, share := range shares {
			marks = append(marks, plot.Tick{Value: float64(k), Label: fmt.Sprintf("%g", 100*share)})
		}
		return marks
	})
	legendAtTop(q, float64(len(shares)-1)*1.35)
	return t.bench.chart("contamination-"+r.pair.file(), q, lines...)
}

// distributions draws two histograms over each other, as shares of their graphs.
func distributions(title, axis string, id, ood []float64) (*plot.Plot, error) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, side := range [][]float64{id, ood} {
		for _, x := range side {
			low, high = min(low, x), max(high, x)
		}
	}
	if !(high > low) {
		high = low + 1
	}
	const bars = 30
	q := figure.New(title, axis, "share of graphs, %")
	var list []figure.Line
	for _, side := range []struct {
		name   string
		scores []float64
	}{{"OOD", ood}, {"ID", id}} {
		count := make([]float64, bars)
		for _, x := range side.scores {
			count[min(bars-1, int(bars*(x-low)/(high-low)))] += 100 / float64(len(side.scores))
		}
		s := figure.Line{Name: side.name, X: []float64{low}, Y: []float64{0}}
		for k, c := range count {
			from, to := low+(high-low)*float64(k)/bars, low+(high-low)*float64(k+1)/bars
			s.X, s.Y = append(s.X, from, to), append(s.Y, c, c)
		}
		s.X, s.Y = append(s.X, high), append(s.Y, 0)
		list = append(list, s)
	}
	q.Legend.Top = true
	return q, figure.AddLines(q, list...)
}
