package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/fingerprint"
	"baca/algo/metric"
	"baca/algo/trust"
	"baca/build/paper/qsar"
	"baca/build/paper/rival"
)

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

// worstShare is the share of the largest errors, which a score should find.
const worstShare = 0.2

// A trustCell is one split of a set.
type trustCell struct {
	Seed   uint64       `json:"seed"`
	Train  int          `json:"train"` // molecules
	Test   int          `json:"test"`
	Epochs int          `json:"epochs"` // of the detector
	Models []trustModel `json:"models"`
	Inside pValues      `json:"inside"` // half of the detector's held-out molecules, by the other half
	Tested pValues      `json:"tested"` // tested molecules, by all that are held out
}

// A trustModel is how a reference model errs on the tested molecules.
type trustModel struct {
	Model string `json:"model"`
	// Quality is R² of numbers and AUROC of classes.
	Quality rate `json:"quality"`
	// Error is the mean of |y − ŷ|, where ŷ of classes is the probability of class 1.
	Error  rate         `json:"error"`
	Scores []trustScore `json:"scores"`
}

// A trustScore is what a score says of the errors of a model.
type trustScore struct {
	Score    string `json:"score"`
	Spearman rate   `json:"spearman"` // with the error
	Worst    rate   `json:"worst"`    // AUROC of the worst fifth of the errors
}

// pValues says how even p-values are.
type pValues struct {
	Count  int    `json:"count"`
	AtMost []rate `json:"at_most"` // share of p-values up to each of pLevels
	Uneven rate   `json:"uneven"`  // largest distance of their distribution from the even one
}

// pLevels are where p-values are counted.
var pLevels = []float64{0.05, 0.1, 0.2, 0.5}

func newPValues(scores, reference []float64) pValues {
	list := slices.Sorted(slices.Values(decide.PValues(scores, reference)))
	p := pValues{Count: len(list)}
	for _, level := range pLevels {
		p.AtMost = append(p.AtMost, rate(shareUpTo(list, level)))
	}
	for i, x := range list {
		p.Uneven = max(p.Uneven, rate(max(x-float64(i)/float64(len(list)), float64(i+1)/float64(len(list))-x)))
	}
	return p
}

// A trustSplit is a split with what scores it.
type trustSplit struct {
	*trustSet
	seed        uint64
	train, test []int
	model       *algo.Model
	alone       *algo.SingleScorer
}

// cell trains and measures everything on a split. The detector keeps a tenth of the training
// molecules for its p-values, as pretrain does.
func (t *trustSet) cell(ctx context.Context, d division, seed uint64, steps int, train Trainer) (*trustCell, error) {
	x := &trustSplit{trustSet: t, seed: seed}
	var err error
	if x.train, x.test, err = t.split(d, seed); err != nil {
		return nil, err
	}
	x.model, err = train.detector(ctx, Training{Graphs: pick(t.graphs, x.train), Card: algo.Card{
		Name: fmt.Sprintf("%s-%s-seed%d", t.name, d.name, seed), Schema: algo.OGB, Dataset: t.name, DatasetSHA256: t.sha256, Seed: seed,
	}}, steps, len(x.train)*9/10)
	if err != nil {
		return nil, err
	}
	if x.alone, err = algo.NewSingleScorer(ctx, x.model, 1); err != nil {
		return nil, err
	}
	scores, err := x.scores(ctx)
	if err != nil {
		return nil, err
	}
	cell := &trustCell{Seed: seed, Train: len(x.train), Test: len(x.test), Epochs: x.model.Card.Epochs}
	holdout := x.alone.Holdout()
	order := rand.New(rand.NewPCG(seed, decisionStream)).Perm(len(holdout))
	half := len(order) / 2
	cell.Inside = newPValues(pick(holdout, order[:half]), pick(holdout, order[half:]))
	cell.Tested = newPValues(scores[columnAlone], holdout)
	cell.Models, err = x.models(ctx, scores)
	return cell, err
}

// scores returns what does not depend on a reference model.
func (x *trustSplit) scores(ctx context.Context) (map[string][]float64, error) {
	tested := pick(x.graphs, x.test)
	scores := map[string][]float64{}
	var err error
	if scores[columnAlone], err = x.alone.Scores(ctx, tested); err != nil {
		return nil, err
	}
	b := &testBatch{seed: x.seed, model: x.model, graphs: tested, alone: x.alone}
	out, err := b.score(ctx, allOptions(x.seed), columnBatch)
	if err != nil {
		return nil, err
	}
	for _, column := range []string{columnBatch, columnAttention} {
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
		if scores[name], err = x.domain(ctx, name, x.train, x.test); err != nil {
			return nil, err
		}
	}
	if err := x.join(ctx, scores, distance); err != nil {
		return nil, err
	}
	prints, err := fingerprint.All(ctx, 1, slices.Concat(pick(x.graphs, x.train), tested), fingerprint.DefaultHeight)
	if err != nil {
		return nil, err
	}
	index := fingerprint.NewIndex(prints[:len(x.train)])
	rng := rand.New(rand.NewPCG(x.seed, drawStream))
	for k, g := range tested {
		mean, _ := metric.MeanStd(index.Nearest(fingerprint.Counts, prints[len(x.train)+k], 5))
		scores[columnTrees5] = append(scores[columnTrees5], 1-mean)
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

// join adds scores that take in the nearest neighbours by ECFP4, in standard deviations of the
// held-out molecules.
func (x *trustSplit) join(ctx context.Context, scores map[string][]float64, distance *algo.SingleScorer) error {
	holdout := pick(x.train, x.model.Card.HoldoutRows)
	rest := slices.DeleteFunc(slices.Clone(x.train), func(i int) bool {
		_, held := slices.BinarySearch(holdout, i)
		return held
	})
	near, err := x.domain(ctx, columnNear5, rest, slices.Concat(holdout, x.test))
	if err != nil {
		return err
	}
	nearUnits := inUnits(near[len(holdout):], near[:len(holdout)])
	for column, part := range map[string]struct{ scores, holdout []float64 }{
		columnBoth: {scores[columnAlone], x.alone.Holdout()}, columnBothFar: {scores[columnDistance], distance.Holdout()},
	} {
		scores[column] = sumOfLists(inUnits(part.scores, part.holdout), nearUnits)
	}
	return nil
}

// inUnits returns scores less the mean of others, in standard deviations of these.
func inUnits(scores, of []float64) []float64 {
	mean, std := metric.MeanStd(of)
	if !(std > 0) {
		std = 1
	}
	return mapped(scores, func(s float64) float64 { return (s - mean) / std })
}

func sumOfLists(a, b []float64) []float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = a[i] + b[i]
	}
	return list
}

// models fits the reference models and measures what each score says of their errors.
func (x *trustSplit) models(ctx context.Context, scores map[string][]float64) ([]trustModel, error) {
	table := x.table(x.train)
	linear, err := qsar.FitLinear(ctx, table)
	if err != nil {
		return nil, err
	}
	forest, err := qsar.FitForest(ctx, table, qsar.UsualForest(table, x.seed))
	if err != nil {
		return nil, err
	}
	name := "ridge"
	if x.classes {
		name = "logistic"
	}
	return []trustModel{x.measure(name, linear, scores), x.measure("forest", forest, scores)}, nil
}

// measure asks a model about the tested molecules, and the scores about its errors.
func (x *trustSplit) measure(name string, model qsar.Model, scores map[string][]float64) trustModel {
	n := len(x.test)
	values := pick(x.values, x.test)
	predicted, errors, spread, margin := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for k, i := range x.test {
		e := model.Predict(x.rows[i])
		predicted[k], spread[k] = e.Value, e.Spread
		errors[k], margin[k] = math.Abs(values[k]-e.Value), -math.Abs(e.Value-0.5)
	}
	m := trustModel{Model: name, Error: rate(meanError(values, predicted)), Quality: rate(x.quality(values, predicted))}
	own := map[string][]float64{
		columnSpread: spread, columnPerfect: errors,
		columnWithOwn: sumOfLists(inUnits(spread, spread), inUnits(scores[columnAlone], scores[columnAlone])),
	}
	if x.classes {
		own[columnMargin] = margin
	}
	for _, c := range trustColumns {
		list := scores[c.name]
		if list == nil {
			list = own[c.name]
		}
		if list == nil {
			continue
		}
		m.Scores = append(m.Scores, trustScore{
			Score: c.name, Spearman: rate(rankCorrelation(list, errors)), Worst: rate(metric.AUROC(list, worstOf(errors))),
		})
	}
	return m
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

// shareOf is the share of a list that is true.
func shareOf(list []bool) float64 {
	count := 0.0
	for _, x := range list {
		if x {
			count++
		}
	}
	return count / float64(len(list))
}

// quality is R² of predictions of numbers, and AUROC of those of classes.
func (l labelled) quality(values, predicted []float64) float64 {
	if l.classes {
		return metric.AUROC(predicted, mapped(values, func(y float64) bool { return y == 1 }))
	}
	return determination(values, predicted)
}

// determination is R²: one less the squared error by that of the mean of the values.
func determination(values, predicted []float64) float64 {
	mean, _ := metric.MeanStd(values)
	left, all := 0.0, 0.0
	for i, y := range values {
		left += (y - predicted[i]) * (y - predicted[i])
		all += (y - mean) * (y - mean)
	}
	return 1 - left/all
}
