package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"baca/algo/metric"
	"baca/build/internal/usage"
)

func trustworthiness() *experiment {
	return &experiment{
		name: "trust", read: readAs[trustEntries], measure: measureTrust,
		short: "Measure whether the scores tell where a model errs",
		long: `Trust fits plain models to labelled sets (ridge or logistic regression, and a random forest,
on ECFP4) and trains a detector on the same molecules. Then it asks each score which of the
tested molecules the models get wrong: rank correlation with the error, AUROC of the worst
fifth, and whether p-values are even.

Splits are random, by scaffold (tested scaffolds are new) and by size (tested molecules are
larger than those trained on). It writes trust.json and report.md to --out. A run
that was cut short goes on with the splits that are missing.`,
		example: `  baca-paper bench trust --data ../shared/data --out out/trust
  baca-paper bench trust --data ../shared/data --out out/trust --sets esol,bace --kinds scaffold --seeds 1,2,3`,
		flags: [][2]string{
			{"sets", strings.Join(namesOf(trustSets), ",")}, {"kinds", strings.Join(namesOf(divisions), ",")},
			{"seeds", "1,2,3,4,5,6,7,8,9,10"}, {"most", "2000"}, {"steps", "300"},
		},
	}
}

// A named thing is what flags choose from.
type named interface{ label() string }

func (l labelled) label() string { return l.name }
func (d division) label() string { return d.name }

func namesOf[T named](list []T) []string {
	return mapped(list, func(x T) string { return x.label() })
}

// chosen are those that a flag names.
func chosen[T named](flag, list string, all []T) ([]T, error) {
	var some []T
	names := namesOf(all)
	seen := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		i := slices.Index(names, name)
		if i < 0 || seen[name] {
			return nil, usage.Errorf("--%s %s: want some of %s, each once", flag, list, strings.Join(names, ", "))
		}
		seen[name] = true
		some = append(some, all[i])
	}
	return some, nil
}

// A trustPart has the finished splits of a set of one kind, by seed.
type trustPart struct {
	set   *trustSet
	by    division
	cells []*trustCell
}

// measureTrust does the splits, the first seed of all sets first.
func measureTrust(ctx context.Context, b *bench) (result, error) {
	sides, err := chosen("sets", b.setList, trustSets)
	if err != nil {
		return nil, err
	}
	kinds, err := chosen("kinds", b.kindList, divisions)
	if err != nil {
		return nil, err
	}
	var parts []*trustPart
	for _, l := range sides {
		set, err := openLabelled(b.data, l, b.most)
		if err != nil {
			return nil, err
		}
		for _, d := range kinds {
			parts = append(parts, &trustPart{set: set, by: d})
		}
	}
	p := &plan{bench: b}
	for _, seed := range b.seeds {
		for _, part := range parts {
			key := runKey{Pair: part.set.name, IDData: part.set.sha256, Part: fmt.Sprintf("trust, %s, seed %d, %d steps, %d molecules, %s", part.by.name, seed, b.steps, b.most, part.set.column)}
			add(p, key, fmt.Sprintf("%s-%s/seed%d", part.set.name, part.by.name, seed), len(part.set.graphs), func(ctx context.Context) (*trustCell, error) {
				return part.set.cell(ctx, part.by, seed, b.steps, b.train)
			}, func(c *trustCell) { part.cells = append(part.cells, c) })
		}
	}
	err = p.do(ctx)
	parts = slices.DeleteFunc(parts, func(p *trustPart) bool { return len(p.cells) == 0 })
	list := trustEntries{}
	for _, p := range parts {
		list = append(list, p.entry())
	}
	return list, err
}

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
	Scores  []trustEntryScore `json:"scores"`
}

type trustEntryScore struct {
	Score    string `json:"score"`
	Worst    []rate `json:"worst"` // of each split
	Mean     rate   `json:"worst_mean"`
	Spearman rate   `json:"spearman"`
}

func (p *trustPart) entry() trustEntry {
	e := trustEntry{
		Set: p.set.name, Split: p.by.name,
		Inside: meanPValues(p.cells, func(c *trustCell) pValues { return c.Inside }), Tested: meanPValues(p.cells, func(c *trustCell) pValues { return c.Tested }),
	}
	for _, c := range p.cells {
		e.Seeds = append(e.Seeds, c.Seed)
	}
	for k := range p.cells[0].Models {
		e.Models = append(e.Models, p.model(k))
	}
	return e
}

// model has the means of a reference model.
func (p *trustPart) model(k int) trustEntryModel {
	of := func(value func(*trustModel) rate) rate {
		mean, _ := meanOf(p.cells, func(c *trustCell) rate { return value(&c.Models[k]) })
		return rate(mean)
	}
	m := p.cells[0].Models[k]
	model := trustEntryModel{
		Model: m.Model, Quality: of(func(m *trustModel) rate { return m.Quality }),
		Error: of(func(m *trustModel) rate { return m.Error }),
	}
	for j, s := range m.Scores {
		score := trustEntryScore{
			Score:    s.Score,
			Mean:     of(func(m *trustModel) rate { return m.Scores[j].Worst }),
			Spearman: of(func(m *trustModel) rate { return m.Scores[j].Spearman }),
		}
		for _, c := range p.cells {
			score.Worst = append(score.Worst, c.Models[k].Scores[j].Worst)
		}
		model.Scores = append(model.Scores, score)
	}
	return model
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

// worst returns the AUROC of the worst fifth by a score in each split, as means over the models. It is NaN
// where a model has no such score.
func (e *trustEntry) worst(column string) []float64 {
	list := make([]float64, len(e.Seeds))
	for _, m := range e.Models {
		k := slices.IndexFunc(m.Scores, func(s trustEntryScore) bool { return s.Score == column })
		for i := range list {
			x := math.NaN()
			if k >= 0 {
				x = float64(m.Scores[k].Worst[i])
			}
			list[i] += x / float64(len(e.Models))
		}
	}
	return list
}

// A comparison is the default against the best of some scores, by the AUROC of the worst
// fifth, with the interval of their difference over splits.
type comparison struct {
	best       trustColumn
	difference float64
	low, high  float64
}

// worse tells whether the default is significantly so.
func (c comparison) worse() bool { return c.high < 0 }

// pairedRounds are those of intervals over splits.
const pairedRounds = 10000

const intervalStream = 0xba1a_1025

// interval is the 95 % percentile interval of the mean of paired differences by the bootstrap: as many are drawn
// as there are, with replacement, that many rounds.
func interval(differences []float64, rounds int, seed uint64) (low, high float64) {
	rng := rand.New(rand.NewPCG(seed, intervalStream))
	means := make([]float64, rounds)
	for r := range means {
		for range differences {
			means[r] += differences[rng.IntN(len(differences))] / float64(len(differences))
		}
	}
	return metric.Percentile(means, 2.5), metric.Percentile(means, 97.5)
}

// compare compares the default with the best of the scores of a kind.
func (e *trustEntry) compare(suits func(reads) bool) comparison {
	c := comparison{best: trustColumns[0]}
	most := math.Inf(-1)
	for _, column := range trustColumns[1:] {
		if x := meanOver(e.worst(column.name)); suits(column.reads) && x > most {
			c.best, most = column, x
		}
	}
	own, other := e.worst(columnAlone), e.worst(c.best.name)
	differences := make([]float64, len(own))
	for i := range own {
		differences[i] = own[i] - other[i]
	}
	c.difference = meanOver(differences)
	c.low, c.high = interval(differences, pairedRounds, 1)
	return c
}

// The scores that the default is compared with.
func ofMolecule(r reads) bool        { return r == readsMolecule }
func ofMoleculeOrModel(r reads) bool { return r == readsMolecule || r == readsModel }

// trustEntries are the content of trust.json.
type trustEntries []trustEntry

func (l trustEntries) page() *page {
	kinds := distinct(l, func(e trustEntry) string { return e.Split })
	columns := []column[trustColumn]{{"score", func(c trustColumn) any { return c.title }}}
	for _, kind := range kinds {
		columns = append(columns, column[trustColumn]{kind, func(c trustColumn) any { return l.mean(kind, c.name) }})
	}
	shown := slices.DeleteFunc(slices.Clone(trustColumns), func(c trustColumn) bool { return c.name == columnPerfect })
	return &page{
		title: "Trust",
		question: fmt.Sprintf(`Do scores tell where a model errs? Ridge or logistic regression and a random forest are fitted to ECFP4 of %d sets, a detector is trained on the same
molecules, and the scores rank others: random ones, those of new scaffolds, or the largest. AUROC of the worst fifth of the errors in percent, means over sets, models and splits.`, len(distinct(l, func(e trustEntry) string { return e.Set }))),
		tables: []*pageTable{tabulate("", shown, columns...)},
		answer: l.answer(kinds),
	}
}

// mean is that over sets in splits of one kind. Sets whose models have no such score are left out.
func (l trustEntries) mean(kind, column string) float64 {
	var list []float64
	for _, e := range l {
		if x := meanOver(e.worst(column)); e.Split == kind && !math.IsNaN(x) {
			list = append(list, x)
		}
	}
	return meanOver(list)
}

func (l trustEntries) answer(kinds []string) (list []string) {
	for _, kind := range kinds {
		sets, fine, fineWithModel := 0, 0, 0
		var inside []float64
		for _, e := range l {
			if e.Split != kind {
				continue
			}
			if inside = append(inside, float64(e.Inside.AtMost[0])); len(e.Seeds) < 2 {
				continue
			}
			if sets++; !e.compare(ofMolecule).worse() {
				fine++
			}
			if !e.compare(ofMoleculeOrModel).worse() {
				fineWithModel++
			}
		}
		list = append(list, fmt.Sprintf("%s splits: alone is not significantly worse than the best score of one molecule on %d of %d sets, or if the model may speak of itself on %d; %.1f %% of held-out molecules have p ≤ %g %%.",
			title(kind), fine, sets, fineWithModel, 100*meanOver(inside), 100*pLevels[0]))
	}
	return list
}
