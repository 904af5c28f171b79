package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"baca/algo"
	"baca/algo/fingerprint"
	"baca/algo/metric"
	"baca/build/internal/try"
	"baca/build/internal/usage"
	"baca/build/research/rival"
)

// splitKinds are those of bench trust.
var splitKinds = []string{newByChance, newScaffolds, newSizes}

func trustworthiness() *experiment {
	return &experiment{
		name: "trust", read: readAs[trustEntries], measure: measureTrust,
		short: "Measure whether the scores tell where a model errs",
		flags: [][2]string{
			{"sets", strings.Join(namesOf(trustSets), ",")}, {"kinds", strings.Join(splitKinds, ",")},
			{"seeds", "1,2,3,4,5,6,7,8,9,10"}, {"most", "2000"}, {"steps", "300"},
		},
	}
}

// What a score of bench trust reads.
type reads int

const (
	readsMolecule reads = iota // the molecule and the training molecules
	readsModel                 // what the model that is asked says of the molecule
	readsBatch                 // the other tested molecules, too
	readsNothing               // for comparison
)

// A trustColumn is one of the scores.
type trustColumn struct {
	name, title string
	reads       reads
}

var trustColumns = []trustColumn{
	{columnAlone, "**alone**, the default", readsMolecule},
	{columnDistance, "alone, no background", readsMolecule},
	{"alone + ecfp-knn", "alone + ECFP4, 5 nearest", readsMolecule},
	{"alone, no background + ecfp-knn", "alone, no background + ECFP4, 5 nearest", readsMolecule},
	{"wl-knn", "subtrees with counts, 5 nearest", readsMolecule},
	{"ecfp-nearest", "ECFP4, nearest Tanimoto", readsMolecule},
	{"ecfp-knn", "ECFP4, 5 nearest", readsMolecule},
	{"ecfp-leverage", "ECFP4, leverage", readsMolecule},
	{columnBatch, "batch", readsBatch},
	{columnAttention, "S_BaCa, the paper's", readsBatch},
	{"spread", "the model's own spread", readsModel},
	{"margin", "the model's margin", readsModel},
	{"spread + alone", "the model's own spread + alone", readsModel},
	{"atoms", "number of atoms", readsNothing},
	{"random order", "random order", readsNothing},
	{"the error itself", "the error itself", readsNothing},
}

// worstShare is the share of the largest errors, which a score should find.
const worstShare = 0.2

// A trustCell is one split of a set.
type trustCell struct {
	Quality rate         `json:"quality"` // of the predictions: R² of numbers and AUROC of classes
	Scores  []trustScore `json:"scores"`
}

// A trustScore is what a score says of the errors.
type trustScore struct {
	Score string `json:"score"`
	Worst rate   `json:"worst"` // AUROC of the worst fifth of the errors
}

// trustCell measures everything on a split. The detector keeps a tenth of the training molecules for its p-values, as
// pretrain does.
func (b *bench) trustCell(ctx context.Context, s *labelledSet, kind string, seed uint64) *trustCell {
	x := s.open(ctx, b.train, kind, seed, b.steps)
	scores := x.scores(ctx)
	cell, worst := &trustCell{Quality: rate(x.quality())}, worstOf(x.errors)
	for _, c := range trustColumns {
		if list := scores[c.name]; list != nil {
			cell.Scores = append(cell.Scores, trustScore{c.name, rate(metric.AUROC(list, worst))})
		}
	}
	return cell
}

// scores returns the scores of new molecules, by the names of trustColumns.
func (x *labelledSplit) scores(ctx context.Context) map[string][]float64 {
	tested := pick(x.graphs, x.fresh)
	b := &testBatch{seed: x.seed, model: x.model, graphs: tested, alone: x.alone}
	out := b.score(ctx, allOptions(x.seed), columnBatch)
	scores := map[string][]float64{}
	for _, column := range []string{columnAlone, columnBatch, columnAttention} {
		scores[column] = columnScores(column, out.rows)
	}
	plain := *x.model
	plain.Background, plain.Sizes, plain.Measured = nil, nil, nil
	distance := try.To(algo.NewSingleScorer(ctx, &plain, 1))
	scores[columnDistance] = try.To(distance.Scores(ctx, tested))
	for _, name := range []string{"ecfp-nearest", "ecfp-knn", "ecfp-leverage"} {
		scores[name] = x.domain(ctx, name, x.file, x.fresh)
	}
	// Sums add the distance to the nearest neighbours, in standard deviations of held-out molecules.
	holdout := pick(x.file, x.model.Card.HoldoutRows)
	rest := slices.DeleteFunc(slices.Clone(x.file), func(i int) bool { return slices.Contains(holdout, i) })
	near := x.domain(ctx, "ecfp-knn", rest, slices.Concat(holdout, x.fresh))
	known, near := near[:len(holdout)], near[len(holdout):]
	scores["alone + ecfp-knn"] = sumInUnits(scores[columnAlone], x.alone.Holdout(), near, known)
	scores["alone, no background + ecfp-knn"] = sumInUnits(scores[columnDistance], distance.Holdout(), near, known)
	index := fingerprint.NewIndex(mapped(pick(x.graphs, x.file), printOf))
	rng := streamed(x.seed)
	for _, g := range tested {
		scores["wl-knn"] = append(scores["wl-knn"], 1-stat.Mean(index.Nearest(fingerprint.Counts, printOf(g), 5), nil))
		scores["atoms"] = append(scores["atoms"], float64(g.N()))
		scores["random order"] = append(scores["random order"], rng.Float64())
	}
	scores["spread"], scores["the error itself"] = x.spread, x.errors
	scores["spread + alone"] = sumInUnits(x.spread, x.spread, scores[columnAlone], scores[columnAlone])
	if x.classes {
		scores["margin"] = mapped(x.predicted, func(y float64) float64 { return -math.Abs(y - 0.5) })
	}
	return scores
}

// domain returns one of the chemists' applicability domains.
func (x *labelledSplit) domain(ctx context.Context, name string, train, test []int) []float64 {
	return try.To(rival.Named(name).Score(ctx, &rival.Problem{
		Train: pick(x.graphs, train), Test: pick(x.graphs, test), Seed: x.seed, Workers: 1,
		TrainSMILES: pick(x.smiles, train), TestSMILES: pick(x.smiles, test),
	}))
}

// sumInUnits adds two scores after each was standardised by the mean and deviation of its reference list.
func sumInUnits(a, ofA, b, ofB []float64) []float64 {
	sum := make([]float64, len(a))
	for _, part := range [][2][]float64{{a, ofA}, {b, ofB}} {
		mean, std := metric.MeanStd(part[1])
		if !(std > 0) {
			std = 1
		}
		for i, x := range part[0] {
			sum[i] += (x - mean) / std
		}
	}
	return sum
}

// worstOf returns which errors are among worstShare, the largest, ties at the border included.
func worstOf(errors []float64) []bool {
	ascending := slices.Sorted(slices.Values(errors))
	k := max(1, int(math.Round(worstShare*float64(len(errors)))))
	return mapped(errors, func(e float64) bool { return e >= ascending[len(errors)-k] })
}

// measureTrust does the splits, the first seed of all sets first.
func measureTrust(ctx context.Context, b *bench) result {
	some := chosen(b.setList, trustSets)
	kinds := strings.Split(b.kindList, ",")
	for _, kind := range kinds {
		try.Check(usage.OneOf("kinds", kind, splitKinds...))
	}
	p, list := &plan{bench: b}, trustEntries(nil)
	opened := map[string]*labelledSet{}
	for _, l := range some {
		for _, kind := range kinds {
			list = append(list, trustEntry{Set: l.name, Split: kind})
		}
		opened[l.name] = l.open(b.data, b.most, true)
		encode(opened[l.name].graphs)
	}
	for _, seed := range b.seeds {
		for k := range list {
			e := &list[k]
			add(p, b.modelKey(e.Set, e.Set), fmt.Sprintf("%s-seed%d", e.Split, seed), func(ctx context.Context) *trustCell {
				return b.trustCell(ctx, opened[e.Set], e.Split, seed)
			}, func(c *trustCell) { e.add(seed, c) })
		}
	}
	p.do(ctx)
	return slices.DeleteFunc(list, func(e trustEntry) bool { return e.Seeds == nil })
}

// A trustEntry is an entry of trust.json: the finished splits of a set of one kind.
type trustEntry struct {
	Set    string            `json:"set"`
	Split  string            `json:"split"`
	Seeds  []uint64          `json:"seeds"`
	Models []trustEntryModel `json:"models"`
	cells  []*trustCell
}

// A trustEntryModel is how a model errs. Older results have several.
type trustEntryModel struct {
	Model   string            `json:"model"`
	Quality rate              `json:"quality"`
	Scores  []trustEntryScore `json:"scores"`
}

type trustEntryScore struct {
	Score string `json:"score"`
	Worst []rate `json:"worst"` // of each split
	Mean  rate   `json:"worst_mean"`
}

// add adds a split.
func (e *trustEntry) add(seed uint64, c *trustCell) {
	e.Seeds, e.cells = append(e.Seeds, seed), append(e.cells, c)
	m := trustEntryModel{Model: "kernel ridge", Quality: meanOf(e.cells, func(c *trustCell) rate { return c.Quality })}
	for k, s := range c.Scores {
		worst := func(c *trustCell) rate { return c.Scores[k].Worst }
		m.Scores = append(m.Scores, trustEntryScore{s.Score, mapped(e.cells, worst), meanOf(e.cells, worst)})
	}
	e.Models = []trustEntryModel{m}
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

// worse reports whether the default is significantly worse than the best score that reads no more than most says, by the
// AUROC of the worst fifth: Student's 95 % interval of their mean difference over splits lies below 0.
func (e *trustEntry) worse(most reads) bool {
	best, highest := []float64(nil), math.Inf(-1)
	for _, column := range trustColumns[1:] {
		if x := e.worst(column.name); column.reads <= most && mean(x) > highest {
			best, highest = x, mean(x)
		}
	}
	if best == nil {
		return false // no score is defined
	}
	differences := e.worst(columnAlone)
	for i := range differences {
		differences[i] -= best[i]
	}
	mean, std := metric.MeanStd(differences)
	n := float64(len(differences))
	return mean+distuv.StudentsT{Sigma: 1, Nu: max(n-1, 1)}.Quantile(0.975)*std/math.Sqrt(n) < 0
}

// trustEntries are the content of trust.json.
type trustEntries []trustEntry

func (l trustEntries) page() *page {
	kinds := distinct(l, func(e trustEntry) string { return e.Split })
	shown := slices.DeleteFunc(slices.Clone(trustColumns), func(c trustColumn) bool { return c.name == "the error itself" })
	return &page{
		title: "Trust",
		question: fmt.Sprintf(`Do scores tell where a model errs? On ECFP4 of %d sets models are fitted (%s), a detector is trained on the
same molecules, and the scores rank others: random ones, those of new scaffolds, or the largest. AUROC of the worst fifth of the
errors in percent, means over sets, models and splits.`,
			len(distinct(l, func(e trustEntry) string { return e.Set })), strings.Join(l.models(), ", ")),
		tables: []*pageTable{tabulate("", append([]string{"score"}, kinds...), shown, func(c trustColumn) []any {
			return append([]any{c.title}, mapped(kinds, func(kind string) any { return l.mean(kind, c.name) })...)
		})},
		answer: l.answer(kinds),
	}
}

// models are the names of those that were fitted.
func (l trustEntries) models() (names []string) {
	for _, e := range l {
		names = append(names, mapped(e.Models, func(m trustEntryModel) string { return m.Model })...)
	}
	return distinct(names, func(name string) string { return name })
}

// mean returns the mean over sets in splits of one kind. Sets whose models have no such score are left out.
func (l trustEntries) mean(kind, column string) float64 {
	return meanDefined(mapped(l, func(e trustEntry) float64 {
		if e.Split != kind {
			return math.NaN()
		}
		return mean(e.worst(column))
	}))
}

func (l trustEntries) answer(kinds []string) (list []string) {
	for _, kind := range kinds {
		sets, fine, fineWithModel := 0, 0, 0
		for _, e := range l {
			if e.Split != kind || len(e.Seeds) < 2 {
				continue
			}
			if sets++; !e.worse(readsMolecule) {
				fine++
			}
			if !e.worse(readsModel) {
				fineWithModel++
			}
		}
		list = append(list, fmt.Sprintf("%s splits: alone is not significantly worse than the best score of one molecule on %d of %d sets, "+
			"or if the model may speak of itself on %d.", title(kind), fine, sets, fineWithModel))
	}
	return list
}
