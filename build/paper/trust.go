package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/fingerprint"
	"baca/algo/metric"
	"baca/algo/trust"
	"baca/build/internal/usage"
	"baca/build/paper/rival"
)

// splitKinds are those of bench trust.
var splitKinds = []string{newByChance, newScaffolds, newSizes}

func trustworthiness() *experiment {
	return &experiment{
		name: "trust", read: readAs[trustEntries], measure: measureTrust,
		short: "Measure whether the scores tell where a model errs",
		long: `Trust predicts the values of labelled sets by kernel ridge regression on ECFP4 and trains a
detector on the same molecules. Then it asks each score which of the tested molecules the
regression gets wrong: rank correlation with the error, AUROC of the worst fifth, and how many
p-values of molecules that were held out are small.

Splits are random, by scaffold (tested scaffolds are new) and by size (tested molecules are
larger than those trained on). It writes trust.json and report.md to --out. A run
that was cut short goes on with the splits that are missing.`,
		example: `  baca-paper bench trust --data ../shared/data --out out/trust
  baca-paper bench trust --data ../shared/data --out out/trust --sets esol,bace --kinds scaffold --seeds 1,2,3`,
		flags: [][2]string{
			{"sets", strings.Join(namesOf(trustSets), ",")}, {"kinds", strings.Join(splitKinds, ",")},
			{"seeds", "1,2,3,4,5,6,7,8,9,10"}, {"most", "2000"}, {"steps", "300"},
		},
	}
}

// The scores of bench trust, beside those of table 1.
const (
	columnNear1    = "ecfp-nearest"  // 1 − Tanimoto of ECFP4 to the most similar training molecule
	columnNear5    = "ecfp-knn"      // … the mean of the five most similar
	columnLeverage = "ecfp-leverage" // xᵀ(XᵀX + 1)⁻¹x of folded ECFP4
	columnBoth     = "alone + ecfp-knn"
	columnBothFar  = "alone, no background + ecfp-knn"
	columnTrees5   = "wl-knn"         // 1 − mean similarity of subtrees, with counts, to the five most similar
	columnSpread   = "spread"         // of the model that is asked
	columnWithOwn  = "spread + alone" // in standard deviations of the tested molecules
	columnMargin   = "margin"         // how near its probability is to ½
	columnAtoms    = "atoms"
	columnAnyOrder = "random order"
	columnPerfect  = "the error itself"
)

// What a score of bench trust reads.
type reads int

const (
	readsMolecule reads = iota // the molecule and the training molecules
	readsBatch                 // the other tested molecules, too
	readsModel                 // what the model that is asked says of the molecule
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
	{columnBoth, "alone + ECFP4, 5 nearest", readsMolecule},
	{columnBothFar, "alone, no background + ECFP4, 5 nearest", readsMolecule},
	{columnTrees5, "subtrees with counts, 5 nearest", readsMolecule},
	{columnNear1, "ECFP4, nearest Tanimoto", readsMolecule},
	{columnNear5, "ECFP4, 5 nearest", readsMolecule},
	{columnLeverage, "ECFP4, leverage", readsMolecule},
	{columnBatch, "batch", readsBatch},
	{columnAttention, "S_BaCa, the paper's", readsBatch},
	{columnSpread, "the model's own spread", readsModel},
	{columnMargin, "the model's margin", readsModel},
	{columnWithOwn, "the model's own spread + alone", readsModel},
	{columnAtoms, "number of atoms", readsNothing},
	{columnAnyOrder, "random order", readsNothing},
	{columnPerfect, "the error itself", readsNothing},
}

// worstShare is the share of the largest errors, which a score should find; pLevel is where p-values are counted.
const worstShare, pLevel = 0.2, 0.05

// A trustCell is one split of a set.
type trustCell struct {
	Inside  rate         `json:"inside"`  // share of p-values up to pLevel: half of the detector's held-out molecules, by the other half
	Quality rate         `json:"quality"` // of the predictions: R² of numbers and AUROC of classes
	Scores  []trustScore `json:"scores"`
}

// A trustScore is what a score says of the errors.
type trustScore struct {
	Score    string `json:"score"`
	Spearman rate   `json:"spearman"` // with the error
	Worst    rate   `json:"worst"`    // AUROC of the worst fifth of the errors
}

// A trustSplit is a split with what scores its new molecules.
type trustSplit struct {
	*labelledSet
	seed        uint64
	file, fresh []int
	model       *algo.Model
	alone       *algo.SingleScorer
}

// trustCell trains and measures everything on a split. The detector keeps a tenth of the training
// molecules for its p-values, as pretrain does.
func (b *bench) trustCell(ctx context.Context, s *labelledSet, kind string, seed uint64) (*trustCell, error) {
	x := &trustSplit{labelledSet: s, seed: seed}
	x.file, x.fresh = s.split(kind, seed)
	p, err := s.predict(x.file, x.fresh)
	if err != nil {
		return nil, err
	}
	if len(x.fresh) == 0 {
		return nil, fmt.Errorf("%s: no molecule is tested: want a larger set", s.name)
	}
	if x.model, err = b.train.detector(ctx, Training{Graphs: pick(s.graphs, x.file), Card: algo.Card{
		Name: fmt.Sprintf("%s-%s-seed%d", s.name, kind, seed), Schema: algo.OGBCanonical, Dataset: s.name, Seed: seed,
	}}, b.steps, len(x.file)*9/10); err != nil {
		return nil, err
	}
	if x.alone, err = algo.NewSingleScorer(ctx, x.model, 1); err != nil {
		return nil, err
	}
	scores, err := x.scores(ctx)
	if err != nil {
		return nil, err
	}
	values := pick(s.values, x.fresh)
	errors := errorsOf(values, p.fresh)
	scores[columnSpread], scores[columnPerfect] = p.spread, errors
	scores[columnWithOwn] = sumInUnits(p.spread, p.spread, scores[columnAlone], scores[columnAlone])
	if s.classes {
		scores[columnMargin] = mapped(p.fresh, func(y float64) float64 { return -math.Abs(y - 0.5) })
	}
	holdout := x.alone.Holdout()
	order := streamed(seed).Perm(len(holdout))
	tested, reference := pick(holdout, order[:len(order)/2]), pick(holdout, order[len(order)/2:])
	cell := &trustCell{Inside: rate(shareUpTo(decide.PValues(tested, reference), pLevel)), Quality: rate(s.quality(values, p.fresh))}
	for _, c := range trustColumns {
		if list := scores[c.name]; list != nil {
			cell.Scores = append(cell.Scores, trustScore{c.name, rate(rankCorrelation(list, errors)), rate(metric.AUROC(list, worstOf(errors)))})
		}
	}
	return cell, nil
}

// scores returns what does not depend on the predictions.
func (x *trustSplit) scores(ctx context.Context) (map[string][]float64, error) {
	tested := pick(x.graphs, x.fresh)
	b := &testBatch{seed: x.seed, model: x.model, graphs: tested, alone: x.alone}
	out, err := b.score(ctx, allOptions(x.seed), columnBatch)
	if err != nil {
		return nil, err
	}
	scores := map[string][]float64{}
	for _, column := range []string{columnAlone, columnBatch, columnAttention} {
		scores[column] = columnScores(column, out.rows)
	}
	plain := *x.model
	plain.Background, plain.Sizes, plain.Measured = nil, nil, nil
	distance, err := algo.NewSingleScorer(ctx, &plain, 1)
	if err != nil {
		return nil, err
	}
	if scores[columnDistance], err = distance.Scores(ctx, tested); err != nil {
		return nil, err
	}
	for _, name := range []string{columnNear1, columnNear5, columnLeverage} {
		if scores[name], err = x.domain(ctx, name, x.file, x.fresh); err != nil {
			return nil, err
		}
	}
	// Sums take in the nearest neighbours, in standard deviations of the held-out molecules.
	holdout := pick(x.file, x.model.Card.HoldoutRows)
	rest := slices.DeleteFunc(slices.Clone(x.file), func(i int) bool { return slices.Contains(holdout, i) })
	near, err := x.domain(ctx, columnNear5, rest, slices.Concat(holdout, x.fresh))
	if err != nil {
		return nil, err
	}
	known, near := near[:len(holdout)], near[len(holdout):]
	scores[columnBoth] = sumInUnits(scores[columnAlone], x.alone.Holdout(), near, known)
	scores[columnBothFar] = sumInUnits(scores[columnDistance], distance.Holdout(), near, known)
	index := fingerprint.NewIndex(mapped(pick(x.graphs, x.file), printOf))
	rng := streamed(x.seed)
	for _, g := range tested {
		scores[columnTrees5] = append(scores[columnTrees5], 1-stat.Mean(index.Nearest(fingerprint.Counts, printOf(g), 5), nil))
		scores[columnAtoms] = append(scores[columnAtoms], float64(g.N()))
		scores[columnAnyOrder] = append(scores[columnAnyOrder], rng.Float64())
	}
	return scores, nil
}

// domain returns one of the chemists' applicability domains.
func (x *trustSplit) domain(ctx context.Context, name string, train, test []int) ([]float64, error) {
	return rival.Named(name).Score(ctx, &rival.Problem{
		Train: pick(x.graphs, train), Test: pick(x.graphs, test), TrainSMILES: pick(x.smiles, train), TestSMILES: pick(x.smiles, test), Seed: x.seed, Workers: 1,
	})
}

// sumInUnits adds two scores, each less the mean of others, in standard deviations of these.
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

// rankCorrelation is NaN where a score is.
func rankCorrelation(scores, errors []float64) float64 {
	if slices.ContainsFunc(scores, math.IsNaN) {
		return math.NaN()
	}
	return trust.Spearman(scores, errors)
}

// worstOf returns which errors are among worstShare, the largest, ties at the border included.
func worstOf(errors []float64) []bool {
	ascending := slices.Sorted(slices.Values(errors))
	k := max(1, int(math.Round(worstShare*float64(len(errors)))))
	return mapped(errors, func(e float64) bool { return e >= ascending[len(errors)-k] })
}

// measureTrust does the splits, the first seed of all sets first.
func measureTrust(ctx context.Context, b *bench) (result, error) {
	some, err := chosen(b.setList, trustSets)
	if err != nil {
		return nil, err
	}
	kinds := strings.Split(b.kindList, ",")
	for _, kind := range kinds {
		if err := usage.OneOf("kinds", kind, splitKinds...); err != nil {
			return nil, err
		}
	}
	p, list := &plan{bench: b}, trustEntries(nil)
	for _, l := range some {
		for _, kind := range kinds {
			list = append(list, trustEntry{Set: l.name, Split: kind})
		}
	}
	opened := map[string]*labelledSet{}
	for _, l := range some {
		if opened[l.name], err = l.open(b.data, b.most, true); err != nil {
			return nil, err
		}
		encode(opened[l.name].graphs)
	}
	for _, seed := range b.seeds {
		for k := range list {
			e := &list[k]
			key, err := b.modelKey(e.Set, e.Set)
			if err != nil {
				return nil, err
			}
			add(p, key, fmt.Sprintf("%s-seed%d", e.Split, seed), func(ctx context.Context) (*trustCell, error) {
				return b.trustCell(ctx, opened[e.Set], e.Split, seed)
			}, func(c *trustCell) { e.add(seed, c) })
		}
	}
	err = p.do(ctx)
	return slices.DeleteFunc(list, func(e trustEntry) bool { return e.Seeds == nil }), err
}

// A trustEntry is an entry of trust.json: the finished splits of a set of one kind.
type trustEntry struct {
	Set    string            `json:"set"`
	Split  string            `json:"split"`
	Seeds  []uint64          `json:"seeds"`
	Inside trustInside       `json:"inside"`
	Models []trustEntryModel `json:"models"`
	cells  []*trustCell
}

// A trustInside has the mean share of p-values of held-out molecules up to pLevel.
type trustInside struct {
	AtMost []rate `json:"at_most"`
}

// A trustEntryModel is how a model errs. Older results have several.
type trustEntryModel struct {
	Model   string            `json:"model"`
	Quality rate              `json:"quality"`
	Scores  []trustEntryScore `json:"scores"`
}

type trustEntryScore struct {
	Score    string `json:"score"`
	Worst    []rate `json:"worst"` // of each split
	Mean     rate   `json:"worst_mean"`
	Spearman rate   `json:"spearman"`
}

// add takes in a split.
func (e *trustEntry) add(seed uint64, c *trustCell) {
	e.Seeds, e.cells = append(e.Seeds, seed), append(e.cells, c)
	mean := func(of func(*trustCell) rate) rate {
		m, _ := meanOf(e.cells, of)
		return rate(m)
	}
	e.Inside.AtMost = []rate{mean(func(c *trustCell) rate { return c.Inside })}
	m := trustEntryModel{Model: "kernel ridge", Quality: mean(func(c *trustCell) rate { return c.Quality })}
	for k, s := range c.Scores {
		m.Scores = append(m.Scores, trustEntryScore{
			Score: s.Score, Worst: mapped(e.cells, func(c *trustCell) rate { return c.Scores[k].Worst }),
			Mean:     mean(func(c *trustCell) rate { return c.Scores[k].Worst }),
			Spearman: mean(func(c *trustCell) rate { return c.Scores[k].Spearman }),
		})
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

// worse tells whether the default is significantly worse than the best of the scores of a kind, by the AUROC of the
// worst fifth: the interval of their difference over splits is below 0.
func (e *trustEntry) worse(suits func(reads) bool) bool {
	best, most := []float64(nil), math.Inf(-1)
	for _, column := range trustColumns[1:] {
		if x := e.worst(column.name); suits(column.reads) && meanOver(x) > most {
			best, most = x, meanOver(x)
		}
	}
	differences := e.worst(columnAlone)
	for i := range differences {
		differences[i] -= best[i]
	}
	_, high := interval(differences, pairedRounds, 1)
	return high < 0
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
		question: fmt.Sprintf(`Do scores tell where a model errs? On ECFP4 of %d sets models are fitted (%s), a detector is trained on the same molecules, and the scores rank
others: random ones, those of new scaffolds, or the largest. AUROC of the worst fifth of the errors in percent, means over sets, models and splits.`,
			len(distinct(l, func(e trustEntry) string { return e.Set })), strings.Join(l.models(), ", ")),
		tables: []*pageTable{tabulate("", shown, columns...)},
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
			if sets++; !e.worse(ofMolecule) {
				fine++
			}
			if !e.worse(ofMoleculeOrModel) {
				fineWithModel++
			}
		}
		list = append(list, fmt.Sprintf("%s splits: alone is not significantly worse than the best score of one molecule on %d of %d sets, or if the model may speak of itself on %d; %.1f %% of held-out molecules have p ≤ %g %%.",
			title(kind), fine, sets, fineWithModel, 100*meanOver(inside), 100*pLevel))
	}
	return list
}
