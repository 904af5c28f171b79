package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"baca/build/internal/figure"
	"baca/build/paper/risk"
)

// pairedRounds are those of intervals over splits.
const pairedRounds = 10000

// A trustEntry is an entry of trust.json: the finished splits of a set of one kind.
type trustEntry struct {
	Set    string            `json:"set"`
	Split  string            `json:"split"`
	Seeds  []uint64          `json:"seeds"`
	Inside pValues           `json:"inside"` // means over the splits, as all that follows; count is the sum
	Tested pValues           `json:"tested"`
	Models []trustEntryModel `json:"models"`
}

type trustEntryModel struct {
	Model   string            `json:"model"`
	Quality rate              `json:"quality"`
	Error   rate              `json:"error"`
	Missed  rate              `json:"missed"`
	Scores  []trustEntryScore `json:"scores"`
}

type trustEntryScore struct {
	Score    string `json:"score"`
	Worst    []rate `json:"worst"` // of each split
	Mean     rate   `json:"worst_mean"`
	Spearman rate   `json:"spearman"`
	Missed   rate   `json:"missed"`
	Area     rate   `json:"area"`
	Kept     []rate `json:"kept"`
}

// values are the content of trust.json.
func (t *trusts) values() any {
	list := []trustEntry{}
	for _, p := range t.parts {
		cells := p.finished()
		if len(cells) == 0 {
			continue
		}
		e := trustEntry{
			Set: p.set.name, Split: p.by.name,
			Inside: meanPValues(cells, func(c *trustCell) pValues { return c.Inside }), Tested: meanPValues(cells, func(c *trustCell) pValues { return c.Tested }),
		}
		for _, c := range cells {
			e.Seeds = append(e.Seeds, c.Seed)
		}
		for k, m := range cells[0].Models {
			of := func(value func(*trustModel) rate) rate {
				mean, _ := meanOf(cells, func(c *trustCell) rate { return value(&c.Models[k]) })
				return rate(mean)
			}
			model := trustEntryModel{
				Model: m.Model, Quality: of(func(m *trustModel) rate { return m.Quality }),
				Error: of(func(m *trustModel) rate { return m.Error }), Missed: of(func(m *trustModel) rate { return m.Missed }),
			}
			for j, s := range m.Scores {
				score := trustEntryScore{
					Score:    s.Score,
					Mean:     of(func(m *trustModel) rate { return m.Scores[j].Worst }),
					Spearman: of(func(m *trustModel) rate { return m.Scores[j].Spearman }),
					Missed:   of(func(m *trustModel) rate { return m.Scores[j].Missed }),
					Area:     of(func(m *trustModel) rate { return m.Scores[j].Area }),
				}
				for _, c := range cells {
					score.Worst = append(score.Worst, c.Models[k].Scores[j].Worst)
				}
				for c := range trustCoverages {
					score.Kept = append(score.Kept, of(func(m *trustModel) rate { return m.Scores[j].Kept[c] }))
				}
				model.Scores = append(model.Scores, score)
			}
			e.Models = append(e.Models, model)
		}
		list = append(list, e)
	}
	return list
}

// finished are the splits that are done.
func (p *trustPart) finished() []*trustCell {
	return slices.DeleteFunc(slices.Clone(p.cells), func(c *trustCell) bool { return c.Models == nil })
}

func meanPValues(cells []*trustCell, of func(*trustCell) pValues) pValues {
	var sum pValues
	for _, c := range cells {
		sum.Count += of(c).Count
	}
	for k := range pLevels {
		mean, _ := meanOf(cells, func(c *trustCell) rate { return of(c).AtMost[k] })
		sum.AtMost = append(sum.AtMost, rate(mean))
	}
	mean, _ := meanOf(cells, func(c *trustCell) rate { return of(c).Uneven })
	sum.Uneven = rate(mean)
	return sum
}

// of returns what a score has in each finished split, as means over the models. It is NaN
// where a model has no such score.
func (p *trustPart) of(column string, value func(*trustModel, *trustScore) rate) []float64 {
	var list []float64
	for _, c := range p.finished() {
		sum := 0.0
		for m := range c.Models {
			k := slices.IndexFunc(c.Models[m].Scores, func(s trustScore) bool { return s.Score == column })
			if k < 0 {
				sum = math.NaN()
				continue
			}
			sum += float64(value(&c.Models[m], &c.Models[m].Scores[k])) / float64(len(c.Models))
		}
		list = append(list, sum)
	}
	return list
}

func worstOf(_ *trustModel, s *trustScore) rate { return s.Worst }

// meanOver is the mean of a list, NaN of none.
func meanOver(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// overParts is the mean over sets of what a score has in splits of one kind.
func (t *trusts) overParts(by, column string, suits func(*trustSet) bool, value func(*trustModel, *trustScore) rate) float64 {
	var list []float64
	for _, p := range t.parts {
		if p.by.name == by && suits(p.set) && len(p.finished()) > 0 {
			list = append(list, meanOver(p.of(column, value)))
		}
	}
	return meanOver(list)
}

func anySet(*trustSet) bool { return true }

// A comparison is the default against the best of some scores, by the AUROC of the worst
// fifth, with the interval of their difference over splits.
type comparison struct {
	best          trustColumn
	own, other    float64
	difference    float64
	low, high     float64
	worse, better bool // significantly
	undecided     bool // there is no interval
}

// compare compares the default with the best of the scores of a kind.
func (p *trustPart) compare(suits func(reads) bool) comparison {
	best, most := trustColumns[0], math.Inf(-1)
	for _, column := range trustColumns {
		if column.name == columnAlone || !suits(column.reads) {
			continue
		}
		if x := meanOver(p.of(column.name, worstOf)); x > most {
			best, most = column, x
		}
	}
	return p.against(best)
}

// against compares the default with a score.
func (p *trustPart) against(column trustColumn) comparison {
	own, other := p.of(columnAlone, worstOf), p.of(column.name, worstOf)
	differences := make([]float64, len(own))
	for i := range own {
		differences[i] = own[i] - other[i]
	}
	c := comparison{best: column, own: meanOver(own), other: meanOver(other), difference: meanOver(differences)}
	c.low, c.high = risk.Interval(differences, pairedRounds, 1)
	c.undecided = len(differences) < 2 || math.IsNaN(c.difference)
	c.worse, c.better = !c.undecided && c.high < 0, !c.undecided && c.low > 0
	return c
}

// The scores that the default is compared with.
func ofMolecule(r reads) bool        { return r == readsMolecule }
func ofMoleculeOrModel(r reads) bool { return r == readsMolecule || r == readsModel }

// report writes everything for people.
func (t *trusts) report() *markdown {
	b := t.bench
	m := b.headingOf("Trust", fmt.Sprintf("--sets %s --splits %s --seeds %s --most %d --steps %d", b.sets, b.divisions, commas(b.seeds), b.most, b.steps))
	m.text(`Do the scores tell which predictions to trust? On each split two plain models are fitted to the training molecules (ridge or
logistic regression, and a random forest of 100 trees, on ECFP4 with counts, folded to %d bits), and a detector is trained on the same
molecules for about %d steps, of which it keeps a tenth for its p-values. Then the scores rank the tested molecules, which neither has seen.
The error is |y − ŷ|; of classes, ŷ is the probability of class 1, and *missed* are molecules in the wrong class. Splits: %s.

Scores of one molecule read that molecule and the training set. *Spread* and *margin* read the model that is asked: the standard deviation of its
prediction (ridge, logistic), or of its trees; how near its probability is to ½. *Batch* and *S_BaCa* see all tested molecules.

`, trustBits, b.steps, t.splitWords())
	b.progressLine(m)
	t.answer(m)
	t.eachScore(m)
	t.comparisons(m)
	t.worstTables(m)
	t.otherTables(m)
	t.pTable(m)
	t.modelTable(m)
	t.setTable(m)
	return m
}

// splitWords says what the kinds of splits are.
func (t *trusts) splitWords() string {
	words := map[string]string{
		"random":   "*random*, a fifth is tested",
		"scaffold": "*scaffold*, a fifth whose scaffolds training has none of (frequent scaffolds are trained on)",
		"size":     "*size*, of four fifths that are drawn the largest fifth is tested",
	}
	var list []string
	for _, d := range t.bench.chosenBy {
		list = append(list, words[d.name])
	}
	return strings.Join(list, "; ")
}

// answer says in a few sentences what came out.
func (t *trusts) answer(m *markdown) {
	m.text("## What wins\n\n")
	for _, d := range t.bench.chosenBy {
		for _, kind := range []struct {
			what  string
			suits func(reads) bool
		}{{"scores of one molecule", ofMolecule}, {"those and what the model says of itself", ofMoleculeOrModel}} {
			sets, fine, wins := 0, 0, map[string]int{}
			for _, p := range t.parts {
				if p.by.name != d.name || len(p.finished()) < 2 {
					continue
				}
				c := p.compare(kind.suits)
				sets++
				if !c.worse {
					fine++
				}
				if c.difference >= 0 {
					wins[plain(trustColumns[0].title)]++
				} else {
					wins[plain(c.best.title)]++
				}
			}
			if sets > 0 {
				m.text("- %s splits, among %s: *alone* is not significantly worse than the best on %d of %d sets. Best: %s.\n", title(d.name), kind.what, fine, sets, counted(wins))
			}
		}
	}
	t.choice(m)
	m.text("\n")
	t.byKind(m)
}

// byKind has the means over the sets of numbers and over those of classes.
func (t *trusts) byKind(m *markdown) {
	m.text("AUROC of the worst fifth of the errors in percent, means over the sets of numbers / over those of classes:\n\n")
	head := []string{"score"}
	for _, d := range t.bench.chosenBy {
		head = append(head, d.name)
	}
	table := m.tableOf(head...)
	for _, c := range trustColumns {
		if c.name == columnPerfect {
			continue
		}
		fields := []field{words("%s", c.title)}
		for _, d := range t.bench.chosenBy {
			of := func(classes bool) string {
				return rate(t.overParts(d.name, c.name, func(s *trustSet) bool { return s.classes == classes }, worstOf)).percent(1)
			}
			fields = append(fields, words("%s / %s", of(false), of(true)))
		}
		table.row(fields...)
	}
	m.text(`
The command writes *subtrees with counts, 5 nearest* as nearest_similarity (baca score --neighbors 5: one less their mean; of the graphs that the detector was
trained on), and *alone, no background* as distance (--explain). What a model says of itself is in the hands of who has the model.

`)
}

// title begins a sentence.
func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// plain is a title without marks of emphasis.
func plain(title string) string { return strings.ReplaceAll(title, "**", "") }

// counted lists names by how often they are there.
func counted(count map[string]int) string {
	var list []string
	for _, c := range trustColumns {
		if n := count[plain(c.title)]; n > 0 {
			list = append(list, fmt.Sprintf("%s (%d)", plain(c.title), n))
		}
	}
	return strings.Join(list, ", ")
}

// choice says which score of one molecule would be chosen without the scaffold splits, and
// what it does there.
func (t *trusts) choice(m *markdown) {
	var others []string
	for _, d := range t.bench.chosenBy {
		if d.name != "scaffold" {
			others = append(others, d.name)
		}
	}
	if len(others) == 0 || len(others) == len(t.bench.chosenBy) {
		return
	}
	chosen, most := trustColumns[0], math.Inf(-1)
	for _, c := range trustColumns {
		if c.reads != readsMolecule {
			continue
		}
		sum := 0.0
		for _, by := range others {
			sum += t.overParts(by, c.name, anySet, worstOf)
		}
		if sum > most {
			chosen, most = c, sum
		}
	}
	at := func(column string) string {
		return rate(t.overParts("scaffold", column, anySet, worstOf)).percent(1)
	}
	m.text("- By the %s splits alone, the score of one molecule to choose is: %s. Under scaffold splits, which did not choose it, it has %s in the mean of the sets, *alone* %s.\n",
		strings.Join(others, " and "), plain(chosen.title), at(chosen.name), at(columnAlone))
}

// eachScore has the default against each of the others.
func (t *trusts) eachScore(m *markdown) {
	m.text(`## The default against each other score

On how many sets the AUROC of *alone* for the worst fifth of the errors is significantly above, not different from, and significantly below that of the other score. By
a paired bootstrap over the splits; these share molecules, so the intervals are rather too narrow.

`)
	head := []string{"score"}
	for _, d := range t.bench.chosenBy {
		head = append(head, d.name)
	}
	table := m.tableOf(head...)
	for _, c := range trustColumns {
		if c.name == columnAlone || c.name == columnPerfect {
			continue
		}
		fields := []field{words("%s", c.title)}
		for _, d := range t.bench.chosenBy {
			var above, same, below int
			for _, p := range t.parts {
				if p.by.name != d.name || len(p.finished()) < 2 {
					continue
				}
				switch x := p.against(c); {
				case x.undecided:
				case x.better:
					above++
				case x.worse:
					below++
				default:
					same++
				}
			}
			fields = append(fields, words("%d / %d / %d", above, same, below))
		}
		table.row(fields...)
	}
	m.text("\n")
}

// comparisons has the default against the best, for each set.
func (t *trusts) comparisons(m *markdown) {
	m.text(`## The default against the best

AUROC of the worst fifth of the errors, in percent, means over the models and splits: of *alone*, of the best other score of one molecule, and of
the best of these and the model's own. The best is picked by these very figures, for each set anew. In brackets the 95 %% interval of the difference.
Bold: *alone* is significantly worse.

`)
	for _, d := range t.bench.chosenBy {
		m.text("### %s splits\n\n", title(d.name))
		table := m.tableOf("set", "splits", "alone", "best of one molecule", "difference", "best, with the model's own", "difference")
		for _, p := range t.parts {
			if p.by.name != d.name || len(p.finished()) == 0 {
				continue
			}
			fields := []field{words("%s", p.set.name), words("%d", len(p.finished()))}
			for k, suits := range []func(reads) bool{ofMolecule, ofMoleculeOrModel} {
				c := p.compare(suits)
				if k == 0 {
					fields = append(fields, words("%s", rate(c.own).percent(1)))
				}
				fields = append(fields, words("%s: %s", rate(c.other).percent(1), c.best.title), words("%s", c.text()))
			}
			table.row(fields...)
		}
		m.text("\n")
	}
}

// text is the difference with its interval.
func (c comparison) text() string {
	text := fmt.Sprintf("%+.1f", 100*c.difference)
	if c.undecided {
		return text
	}
	text += fmt.Sprintf(" (%+.1f to %+.1f)", 100*c.low, 100*c.high)
	if c.worse {
		return "**" + text + "**"
	}
	return text
}

// worstTables have the AUROC of the worst fifth of each score on each set.
func (t *trusts) worstTables(m *markdown) {
	m.text("## Finding the worst fifth\n\nAUROC in percent, means over the models and splits.\n\n")
	for _, d := range t.bench.chosenBy {
		m.text("### %s splits\n\n", title(d.name))
		head := []string{"score"}
		for _, s := range t.sets {
			head = append(head, s.name)
		}
		table := m.tableOf(append(head, "mean")...)
		for _, c := range trustColumns {
			if c.name == columnPerfect {
				continue
			}
			fields := []field{words("%s", c.title)}
			for _, p := range t.parts {
				if p.by.name == d.name {
					fields = append(fields, words("%s", rate(meanOver(p.of(c.name, worstOf))).percent(1)))
				}
			}
			table.row(append(fields, words("%s", rate(t.overParts(d.name, c.name, anySet, worstOf)).percent(1)))...)
		}
		m.text("\n")
	}
}

// otherTables have the other measures, as means over the sets.
func (t *trusts) otherTables(m *markdown) {
	m.text(`## Other measures

Means over the sets: rank correlation with the error, AUROC of the missed molecules (sets of classes), area under the risk–coverage curve and error where so many percent of
the molecules are kept, those with the lowest scores, both in percent of the error of all: 100 is a random order.

`)
	for _, d := range t.bench.chosenBy {
		m.text("### %s splits\n\n", title(d.name))
		head := []string{"score", "correlation", "missed", "area"}
		for _, c := range trustCoverages {
			head = append(head, fmt.Sprintf("%g %%", 100*c))
		}
		table := m.tableOf(head...)
		for _, c := range trustColumns {
			suits := anySet
			if c.name == columnMargin { // models of numbers have none
				suits = func(s *trustSet) bool { return s.classes }
			}
			text := "–"
			if x := t.overParts(d.name, c.name, suits, func(_ *trustModel, s *trustScore) rate { return s.Spearman }); !math.IsNaN(x) {
				text = fmt.Sprintf("%.2f", x)
			}
			fields := []field{words("%s", c.title), words("%s", text)}
			fields = append(fields, words("%s", rate(t.overParts(d.name, c.name, func(s *trustSet) bool { return s.classes }, func(_ *trustModel, s *trustScore) rate { return s.Missed })).percent(1)),
				words("%s", rate(t.overParts(d.name, c.name, suits, func(_ *trustModel, s *trustScore) rate { return s.Area })).percent(0)))
			for k := range trustCoverages {
				x := t.overParts(d.name, c.name, suits, func(m *trustModel, s *trustScore) rate { return s.Kept[k] / m.Error })
				fields = append(fields, words("%s", rate(x).percent(0)))
			}
			table.row(fields...)
		}
		m.text("\n")
	}
	m.text("Figures of each set, by the forest: ")
	for k, s := range t.sets {
		if k > 0 {
			m.text(", ")
		}
		m.text("[%s](figures/risk-%[1]s.svg)", s.name)
	}
	m.text(".\n\n")
}

// pTable says whether p-values are even.
func (t *trusts) pTable(m *markdown) {
	var levels []string
	for _, l := range pLevels {
		levels = append(levels, fmt.Sprintf("%g", 100*l))
	}
	m.text(`## Whether p-values are even

The share of molecules with p of at most %s %%, in percent. *Held out*: half of the molecules that the detector kept from
training, by the other half: they are like the training molecules, and their shares should be as asked, or a little lower where few molecules resolve no such p.
*Tested*: the tested molecules of the split. Those of random splits are like the training molecules, too; of the others more should be unusual.
Uneven is the largest distance of the distribution from the even one, in the mean of the splits.

`, strings.Join(levels, ", "))
	table := m.tableOf("set", "split", "held out", "uneven", "tested", "uneven")
	for _, p := range t.parts {
		cells := p.finished()
		if len(cells) == 0 {
			continue
		}
		fields := []field{words("%s", p.set.name), words("%s", p.by.name)}
		for _, of := range []func(*trustCell) pValues{func(c *trustCell) pValues { return c.Inside }, func(c *trustCell) pValues { return c.Tested }} {
			v := meanPValues(cells, of)
			var shares []string
			for _, x := range v.AtMost {
				shares = append(shares, x.percent(1))
			}
			fields = append(fields, words("%s of %d", strings.Join(shares, ", "), v.Count), words("%s", v.Uneven.percent(0)))
		}
		table.row(fields...)
	}
	m.text("\n")
}

// modelTable says how good the models are.
func (t *trusts) modelTable(m *markdown) {
	m.text("## The models\n\nR² of numbers and AUROC of classes, and the mean error, means over the splits; of classes with the share that is missed, in percent.\n\n")
	table := m.tableOf("set", "split", "linear", "forest")
	for _, p := range t.parts {
		cells := p.finished()
		if len(cells) == 0 {
			continue
		}
		fields := []field{words("%s", p.set.name), words("%s", p.by.name)}
		for k := range cells[0].Models {
			of := func(value func(*trustModel) rate) rate {
				mean, _ := meanOf(cells, func(c *trustCell) rate { return value(&c.Models[k]) })
				return rate(mean)
			}
			text := fmt.Sprintf("%.2f, error %.2f", of(func(m *trustModel) rate { return m.Quality }), of(func(m *trustModel) rate { return m.Error }))
			if p.set.classes {
				text += ", missed " + of(func(m *trustModel) rate { return m.Missed }).percent(0)
			}
			fields = append(fields, words("%s", text))
		}
		table.row(fields...)
	}
	m.text("\n")
}

// setTable says what the sets are.
func (t *trusts) setTable(m *markdown) {
	m.text("## The sets\n\nMolecules with a value; of equal ones (by canonical SMILES) the first, and of larger sets %d that are drawn.\n\n", t.bench.most)
	table := m.tableOf("set", "column", "kind", "in the file", "with a value", "used", "of class 1")
	for _, s := range t.sets {
		kind, share := "numbers", "–"
		if s.classes {
			kind, share = "classes", rate(shareOf(classesOf(s.values))).percent(0)+" %"
		}
		table.row(words("%s", s.name), words("%s", s.column), words("%s", kind), words("%d", s.read), words("%d", s.measured), words("%d", len(s.graphs)), words("%s", share))
	}
}

// riskLines are the scores of the figures.
var riskLines = []string{columnAlone, columnTrees5, columnNear5, columnLeverage, columnAttention, columnSpread, columnPerfect}

// figures draws the risk–coverage curves of each set, by the forest.
func (t *trusts) figures() error {
	for _, s := range t.sets {
		var plots []*plot.Plot
		for _, p := range t.parts {
			cells := p.finished()
			if p.set != s || len(cells) == 0 {
				continue
			}
			q := figure.New(s.name+", "+p.by.name+" splits", "molecules kept, %", "error, % of that of all")
			var lines []figure.Line
			for _, name := range riskLines {
				lines = append(lines, riskLine(cells, name))
			}
			if err := figure.AddLines(q, lines...); err != nil {
				return err
			}
			q.X.Min, q.Y.Min = 0, 0
			plots = append(plots, q)
		}
		if len(plots) == 0 {
			continue
		}
		if err := t.bench.drawWithLegend("risk-"+s.name, plots...); err != nil {
			return err
		}
	}
	return nil
}

// riskLine is the mean curve of a score over splits, by the last model, the forest.
func riskLine(cells []*trustCell, name string) figure.Line {
	l := figure.Line{Name: name}
	last := len(cells[0].Models) - 1
	k := slices.IndexFunc(cells[0].Models[last].Scores, func(s trustScore) bool { return s.Score == name })
	if k < 0 {
		return l
	}
	for i, coverage := range curveCoverages {
		mean, _ := meanOf(cells, func(c *trustCell) rate { return c.Models[last].Scores[k].Curve[i] })
		l.X, l.Y = append(l.X, 100*coverage), append(l.Y, 100*mean)
	}
	return l
}
