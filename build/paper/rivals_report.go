package paper

import (
	"fmt"
	"math"
	"strings"

	"baca/algo"
	"baca/build/paper/rival"
)

// A best is the highest AUROC in percent that anybody published for a pair, as far as we
// know, and whose.
type best struct {
	auroc float64
	by    string
}

// bestPublished are tuned for each pair, by the test AUROC.
var bestPublished = map[string]best{
	"BZR/COX2":               {96.66, "SEGO"},
	"PTC_MR/MUTAG":           {94.45, "RedOUT"},
	"AIDS/DHFR":              {99.98, "RedOUT"},
	"ENZYMES/PROTEINS":       {67.88, "SIGOOD"},
	"IMDB-MULTI/IMDB-BINARY": {81.74, "HGOE"},
	"tox21/sider":            {71.67, "RedOUT"},
	"freesolv/toxcast":       {92.97, "RedOUT"},
	"bbbp/bace":              {93.11, "BaCa"},
	"clintox/lipo":           {86.56, "RedOUT"},
	"esol/muv":               {95.31, "BaCa"},
}

// A rivalRow is a line of the report: a column of the cells of a detector.
type rivalRow struct {
	detector, column, title string
	batch                   bool
	published               map[string]float64 // by pair, in percent
}

// publishedFor is the published figure for a pair in percent. They are of molecules as OGB reads them.
func (r *rivalRow) publishedFor(p *rivalPair) (float64, bool) {
	x, ok := r.published[p.pair.name()]
	return x, ok && p.reading() == readOGB
}

// rows are the detectors, and then ours.
func (t *rivalries) rows() []rivalRow {
	var rows []rivalRow
	for _, r := range t.bench.rivals {
		published := map[string]float64{}
		for k, x := range r.Published {
			if x > 0 {
				published[paperPairs[k].name()] = x
			}
		}
		rows = append(rows, rivalRow{r.Name, r.Name, r.Title, r.Batch, published})
	}
	if !t.bench.ours {
		return rows
	}
	paper, base := map[string]float64{}, map[string]float64{}
	for _, p := range paperPairs {
		paper[p.name()], base[p.name()] = p.paper.baca, p.paper.base
	}
	return append(rows,
		rivalRow{chooseOurs, columnPre, "S_Pre, here", true, base},
		rivalRow{chooseOurs, columnAttention, "BaCa's attention, here", true, paper},
		rivalRow{chooseOurs, columnAlone, "**ours, alone**", false, nil},
		rivalRow{chooseOurs, columnBatch, "**ours, batch**", true, nil},
	)
}

// seesWord says what a score depends on.
func seesWord(batch bool) string {
	if batch {
		return "batch"
	}
	return "graph"
}

// readingTitles stand at the head of tables.
var readingTitles = map[string]string{
	readOGB: "Molecules read as OGB does\n\nAs those do who published figures.",
	readParent: `Molecules read as parents

Without stereo marks, isotopes, counter-ions and charges, each molecule once in a set; ECFP4, too, are of parents. Sets and splits of molecules are
other than those of published figures, so there are none. Plain graphs are read in one way.`,
}

// report writes everything for people.
func (t *rivalries) report() *markdown {
	m := t.bench.heading("Rivals")
	m.text(`AUROC in percent, OOD the positive class, mean ± standard deviation over the seeds; where fewer seeds are
finished than asked for, their number stands behind. Every detector was written anew from its paper, and trained
and run here: the same splits, the first OOD graphs, one setting for all pairs, no labels. The published figure
stands in brackets; its settings were often picked for each pair. "Graph" in the second column: the score depends on that graph alone; "batch": also
on the others that are tested. The mean of pairs is given where all pairs are there; in brackets that of the published figures. Seconds
are those of training and scoring one batch on one core, for ours of scoring with all of our scores, the attention's training included.

`)
	t.bench.progressLine(m)
	for _, reading := range t.bench.readings {
		read := &rivalries{bench: t.bench}
		for _, r := range t.pairs {
			if r.reading() == reading || r.id.schema == algo.Constant {
				read.pairs = append(read.pairs, r)
			}
		}
		m.text("## %s\n\n", readingTitles[reading])
		read.mainTable(m)
		m.text("Other metrics, as means over the finished cells of a detector:\n\n")
		read.otherTable(m)
		m.text("Without OOD graphs that equal a graph trained on, which is inside, whatever set it is taken from:\n\n")
		read.newTable(m)
	}
	t.detectors(m)
	return m
}

// mainTable has a line for each detector and a column for each pair.
func (t *rivalries) mainTable(m *markdown) {
	head := []string{"detector", "sees"}
	for _, r := range t.pairs {
		head = append(head, r.pair.name())
	}
	table := m.tableOf(append(head, "mean")...)
	for _, row := range t.rows() {
		fields := []field{words("%s", row.title), words("%s", seesWord(row.batch))}
		sum, published := 0.0, 0.0
		for _, r := range t.pairs {
			mean, text := t.mean(r, row.detector, row.column)
			x, ok := row.publishedFor(r)
			if ok {
				text += fmt.Sprintf(" (%.1f)", x)
			} else {
				x = math.NaN()
			}
			sum, published = sum+mean, published+x/100
			fields = append(fields, words("%s", text))
		}
		table.row(append(fields, words("%s", t.means(sum, published)))...)
	}
	t.referenceRows(table)
	m.text("\n")
}

// mean is the mean AUROC of a column on a pair, also as text.
func (t *rivalries) mean(r *rivalPair, detector, column string) (float64, string) {
	list := r.measured(detector, column)
	mean, std := meanOf(list, func(x measured) rate { return x.AUROC })
	text := percentOf(mean, std)
	if len(list) > 0 && len(list) < len(t.bench.seeds) {
		text += fmt.Sprintf(", %d", len(list))
	}
	return mean, text
}

// newTable is mainTable without OOD graphs that equal a graph trained on. Its last line is the
// share of these.
func (t *rivalries) newTable(m *markdown) {
	head, equal := []string{"detector"}, []field{words("such OOD graphs")}
	for _, r := range t.pairs {
		head = append(head, r.pair.name())
		known, all := 0, 0
		for _, cells := range r.cells {
			for _, cell := range cells {
				known, all = known+cell.Known, all+cell.NOOD
			}
		}
		equal = append(equal, words("%.0f %%", 100*float64(known)/float64(max(1, all))))
	}
	table := m.tableOf(append(head, "mean")...)
	for _, row := range t.rows() {
		fields, sum := []field{words("%s", row.title)}, 0.0
		for _, r := range t.pairs {
			mean, text := t.mean(r, row.detector, newOnly(row.column))
			sum += mean
			fields = append(fields, words("%s", text))
		}
		table.row(append(fields, words("%s", t.means(sum, math.NaN())))...)
	}
	table.row(append(equal, words(""))...)
	m.text("\n")
}

// means are the means over the pairs of sums, NaN where one is missing.
func (t *rivalries) means(sum, published float64) string {
	n := float64(len(t.pairs))
	text := rate(sum / n).percent(1)
	if !math.IsNaN(published) {
		text += " (" + rate(published/n).percent(1) + ")"
	}
	return text
}

// referenceRows are the best statistic and the best published figures.
func (t *rivalries) referenceRows(table *tabular) {
	line := func(title, sees string, of func(r *rivalPair) (float64, string)) {
		fields, sum := []field{words("%s", title), words("%s", sees)}, 0.0
		for _, r := range t.pairs {
			x, text := of(r)
			sum += x
			fields = append(fields, words("%s", text))
		}
		table.row(append(fields, words("%s", t.means(sum, math.NaN())))...)
	}
	if t.bench.ours {
		line("best statistic, in its better direction", "graph", func(r *rivalPair) (float64, string) {
			name, mean := r.trivial()
			if math.IsNaN(mean) {
				return mean, "–"
			}
			return mean, escaped(rate(mean).percent(1) + " (" + name + ")")
		})
	}
	line("best published, each tuned for the pair", "", func(r *rivalPair) (float64, string) {
		b, ok := bestPublished[r.pair.name()]
		if !ok || r.reading() == readParent {
			return math.NaN(), "–"
		}
		return b.auroc / 100, fmt.Sprintf("%.2f (%s)", b.auroc, b.by)
	})
}

// trivial is the statistic with the best mean AUROC in the direction that suits the pair.
func (r *rivalPair) trivial() (name string, mean float64) {
	mean = math.NaN()
	for _, column := range statisticColumns() {
		x, _ := meanOf(r.measured(chooseOurs, column), func(m measured) rate { return m.AUROC })
		shown := column
		if x < 0.5 {
			x, shown = 1-x, "low "+column
		}
		if x > mean || math.IsNaN(mean) {
			name, mean = shown, x
		}
	}
	return name, mean
}

// otherTable has the other metrics, as means over the pairs that are there.
func (t *rivalries) otherTable(m *markdown) {
	table := m.tableOf("detector", "cells", "AUROC", "AUPR", "FPR95", "FPR95, ID positive", "seconds")
	for _, row := range t.rows() {
		var all []measured
		for _, r := range t.pairs {
			all = append(all, r.measured(row.detector, row.column)...)
		}
		fields := []field{words("%s", row.title), words("%d", len(all))}
		for _, of := range []func(measured) rate{
			func(x measured) rate { return x.AUROC }, func(x measured) rate { return x.AUPR },
			func(x measured) rate { return x.FPR95 }, func(x measured) rate { return x.FPR95ID },
		} {
			mean, _ := meanOf(all, of)
			fields = append(fields, percents(mean, math.NaN()))
		}
		seconds, _ := meanOf(all, func(x measured) rate { return x.Seconds })
		text := "–"
		if !math.IsNaN(seconds) {
			text = fmt.Sprintf("%.1f", seconds)
		}
		table.row(append(fields, words("%s", text))...)
	}
	m.text("\n")
}

// detectors says what each is, and how it differs from what was published.
func (t *rivalries) detectors(m *markdown) {
	if len(t.bench.rivals) == 0 {
		return
	}
	m.text("## What they are\n\n")
	for _, r := range t.bench.rivals {
		m.text("- **%s** (`%s`). %s.%s %s\n", r.Title, r.Name, strings.TrimSuffix(r.Cite, "."), publishedBy(r), r.Differs)
	}
	m.text("\n")
}

// publishedBy says where the figures in brackets are from.
func publishedBy(r *rival.Rival) string {
	if len(r.Published) == 0 {
		return ""
	}
	return " Published figures: " + strings.TrimSuffix(r.Source, ".") + "."
}
