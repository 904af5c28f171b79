package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat"

	"baca/algo"
	"baca/algo/metric"
	"baca/algo/trust"
	"baca/build/internal/try"
	"baca/build/internal/version"
)

// intervalSets are those that bench intervals measures.
var intervalSets = trustSets[:5]

// validationSets are those that the default order of errors was chosen on. No report on errors has these
// columns; bace and tox21 share molecules with others.
var validationSets = []labelled{
	{"bace", "pIC50", false},
	{"sider", "Hepatobiliary disorders", true},
	{"tox21", "SR-MMP", true},
	{"toxcast", "ATG_PXRE_CIS_up", true},
}

// onlyValidation is the value of --sets that stands for validationSets.
const onlyValidation = "validation"

// intervalCoverage is asked for; verdicts do not depend on it.
const intervalCoverage = 0.9

// A set of more molecules is drawn from. A fifth is new, the rest the training file.
const (
	intervalMost  = 1500
	intervalSteps = 300 // of the detector, after which it finds no more
)

func intervals() *experiment {
	return &experiment{
		name: "intervals", page: "intervals.md", read: readAs[intervalResults], measure: measureIntervals,
		short: "Measure whether intervals and verdicts on predictions hold",
		long: `Intervals asks whether baca trust keeps what it promises, by each value of
--errors-by: on esol, freesolv and lipo, whose values are numbers, and bace and bbbp, whose values
are classes. A fifth of a set is new, drawn by chance or by whole scaffolds; the rest is a training
file. Kernel ridge regression on ECFP4 predicts: for the molecules of the file each without itself,
for new ones from the whole file. A detector is trained on the file as baca train --held-out
held-out does, and judges the predictions for the new molecules. It measures

  the share of observed numbers in their intervals, and how wide these are,
  large errors by verdict beside the rates that were stated,
  how well large errors are found,

and writes intervals.json and intervals.md to --out. The sets "` + onlyValidation + `" are others, on which
the default of --errors-by was chosen.`,
		flags: [][2]string{{"sets", strings.Join(namesOf(intervalSets), ",")}, {"splits", "50"}, {"scaffold-splits", "10"}},
	}
}

// orders are those that predictions for the set can be put in.
func (s *labelledSet) orders() []trust.Order {
	return slices.DeleteFunc(trust.Orders(), func(o trust.Order) bool { return o == trust.OrderMargin && !s.classes })
}

// An intervalResult is what came of the splits of a set.
type intervalResult struct {
	Set     string          `json:"set"`
	Classes bool            `json:"classes"`
	Split   string          `json:"split"`
	Splits  int             `json:"splits"`
	HeldOut int             `json:"held_out"` // molecules of the training file with errors
	Error   rate            `json:"mean_error"`
	Quality rate            `json:"quality"` // of the predictions for new molecules: R², or of classes AUROC
	Orders  []intervalOrder `json:"orders"`
}

// An intervalOrder is what came of them by one order.
type intervalOrder struct {
	Order  trust.Order       `json:"order"`
	Finds  rate              `json:"large_errors_auroc"`
	Levels []intervalLevel   `json:"coverages,omitempty"` // none for classes
	Stated []intervalVerdict `json:"verdicts"`
}

// An intervalLevel is a coverage that was asked for.
type intervalLevel struct {
	Asked float64 `json:"asked"`
	Mean  rate    `json:"mean"`
	Std   rate    `json:"std"` // over splits
	Width rate    `json:"mean_width"`
}

// An intervalVerdict pools all splits.
type intervalVerdict struct {
	Verdict   string `json:"verdict"`
	Molecules int    `json:"molecules"`
	Large     rate   `json:"large_errors"`
	Stated    rate   `json:"stated"`
}

// intervalResults are the content of intervals.json.
type intervalResults struct {
	Program string            `json:"program"`
	Results []*intervalResult `json:"results"`
}

// measureIntervals has a cell for the splits of a kind of a set.
func measureIntervals(ctx context.Context, b *bench) result {
	all := intervalSets
	if b.setList == onlyValidation {
		all = validationSets
		b.setList = strings.Join(namesOf(all), ",")
	}
	r, p := intervalResults{Program: version.String()}, &plan{bench: b}
	for _, of := range chosen(b.setList, all) {
		key := b.modelKey(of.name, of.name)
		open := sync.OnceValue(func() *labelledSet { return of.open(b.data, intervalMost, false) })
		for kind, splits := range []int{b.splits, b.scaffolds} {
			if splits == 0 {
				continue
			}
			kind := splitKinds[kind]
			add(p, key, of.column+"-"+kind, func(ctx context.Context) *intervalResult {
				return b.intervalsOf(ctx, open(), kind, splits)
			}, func(one *intervalResult) { r.Results = append(r.Results, one) })
		}
	}
	p.do(ctx)
	return r
}

// intervalsOf does the splits of a kind.
func (b *bench) intervalsOf(ctx context.Context, s *labelledSet, kind string, splits int) *intervalResult {
	r := &intervalResult{Set: s.name, Classes: s.classes, Split: kind, Splits: splits}
	tallies := mapped(s.orders(), func(by trust.Order) *intervalTally { return &intervalTally{order: by} })
	var errors, quality []float64
	for k := range uint64(splits) {
		x := s.open(ctx, b.train, kind, k+1, intervalSteps)
		r.HeldOut = x.model.Residuals.Known()
		errors, quality = append(errors, stat.Mean(x.errors, nil)), append(quality, x.quality())
		for _, t := range tallies {
			t.add(ctx, x)
		}
	}
	r.Error, r.Quality = rate(stat.Mean(errors, nil)), rate(stat.Mean(quality, nil))
	r.Orders = mapped(tallies, func(t *intervalTally) intervalOrder { return t.sum(s.classes) })
	return r
}

// An intervalTally sums up splits by one order.
type intervalTally struct {
	order        trust.Order
	audits       []*trust.Audit
	calibrations []*trust.Calibration
}

// add adds a split.
func (t *intervalTally) add(ctx context.Context, x *labelledSplit) {
	graphs := pick(x.graphs, x.fresh)
	scores := try.To(x.alone.Scores(ctx, graphs))
	asked := make([]algo.Prediction, len(graphs))
	for i, g := range graphs {
		asked[i] = algo.Prediction{Graph: g, Score: scores[i], Predicted: x.predicted[i]}
	}
	doubts := try.To(x.alone.Doubts(ctx, t.order, asked))
	c := try.To(x.alone.Trust(ctx, trust.Options{Coverage: intervalCoverage}, t.order))
	outcomes := make([]trust.Outcome, len(graphs))
	for i := range outcomes {
		outcomes[i] = trust.Outcome{Score: doubts[i], Observed: x.values[i], Judgement: c.Judge(doubts[i], x.predicted[i])}
	}
	t.audits, t.calibrations = append(t.audits, trust.NewAudit(outcomes, c)), append(t.calibrations, c)
}

func (t *intervalTally) sum(classes bool) intervalOrder {
	of := func(of func(*trust.Audit) float64) (mean, std rate) {
		m, s := metric.MeanStd(mapped(t.audits, of))
		return rate(m), rate(s)
	}
	o := intervalOrder{Order: t.order}
	o.Finds, _ = of(func(a *trust.Audit) float64 { return a.Finds })
	if !classes {
		l := intervalLevel{Asked: intervalCoverage}
		l.Mean, l.Std = of(func(a *trust.Audit) float64 { return a.Coverage })
		l.Width, _ = of(func(a *trust.Audit) float64 { return a.Width })
		o.Levels = []intervalLevel{l}
	}
	for _, v := range trust.Verdicts() {
		var got, stated trust.Rate
		for k, c := range t.calibrations {
			a, b := t.audits[k].Verdicts[v], c.HeldOut[v]
			got.Large, got.N, stated.Large, stated.N = got.Large+a.Large, got.N+a.N, stated.Large+b.Large, stated.N+b.N
		}
		o.Stated = append(o.Stated, intervalVerdict{string(v), got.N, rate(float64(got.Large) / float64(got.N)), rate(float64(stated.Large) / float64(stated.N))})
	}
	return o
}

// covered is the share of numbers within their intervals, NaN for classes.
func (o *intervalOrder) covered() float64 {
	k := slices.IndexFunc(o.Levels, func(l intervalLevel) bool { return l.Asked == intervalCoverage })
	if k < 0 {
		return math.NaN()
	}
	return float64(o.Levels[k].Mean)
}

// by returns what came of an order. Where there is nothing, large errors are not found.
func (r *intervalResult) by(order trust.Order) *intervalOrder {
	k := slices.IndexFunc(r.Orders, func(o intervalOrder) bool { return o.Order == order })
	if k < 0 {
		return &intervalOrder{Finds: none}
	}
	return &r.Orders[k]
}

// cells are the result's row on the page.
func (r *intervalResult) cells() []any {
	row := []any{r.Set, r.Split}
	for _, order := range trust.Orders() {
		row = append(row, float64(r.by(order).Finds))
	}
	o := r.byDefault()
	row = append(row, o.covered())
	for _, v := range o.Stated {
		row = append(row, float64(v.Large))
	}
	return row
}

// byDefault is what came of the default order.
func (r *intervalResult) byDefault() *intervalOrder {
	return r.by((&algo.Residuals{Classes: r.Classes}).Order())
}

func (r intervalResults) page() *page {
	heads := []string{"set", "new"}
	for _, order := range trust.Orders() {
		heads = append(heads, "by "+string(order))
	}
	heads = append(heads, "covered")
	for _, v := range trust.Verdicts() {
		heads = append(heads, string(v))
	}
	return &page{
		title: "Do intervals and verdicts on predictions hold?",
		question: fmt.Sprintf(`A fifth of each set is new, drawn by chance or by whole scaffolds; the rest is a training file, from which kernel ridge regression on ECFP4 predicts, and on which a detector
is trained for %d steps. In percent, means over the splits: AUROC of large errors by each value of --errors-by; by the default, observed numbers within their 90 %% intervals, and large errors
among molecules with each verdict. Nothing is promised for new scaffolds, and classes have no intervals.`, intervalSteps),
		tables: []*pageTable{tabulate("", heads, r.Results, (*intervalResult).cells)},
		answer: r.answer(),
	}
}

func (r intervalResults) answer() (list []string) {
	for _, kind := range []string{newByChance, newScaffolds} {
		var covered, trusted, others []float64
		for _, one := range r.Results {
			o := one.byDefault()
			if one.Split != kind {
				continue
			}
			covered = append(covered, o.covered())
			trusted, others = append(trusted, float64(o.Stated[0].Large)), append(others, float64(o.Stated[2].Large))
		}
		if len(trusted) > 0 {
			list = append(list, fmt.Sprintf("New by %s: intervals of 90 %% hold %s %% of the numbers; %s %% of the molecules to trust have large errors, and %s %% of those not to use.",
				kind, rate(meanDefined(covered)).percent(1), rate(meanOver(trusted)).percent(1), rate(meanOver(others)).percent(1)))
		}
	}
	return list
}
