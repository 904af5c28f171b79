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
	"baca/algo/feature/trust"
	"baca/algo/metric"
	"baca/build/internal/try"
	"baca/build/internal/usage"
	"baca/build/internal/version"
)

// intervalKinds are the kinds of splits in bench intervals.
var intervalKinds = []string{newByChance, newScaffolds, newClusters, newSizes}

// validationSets are the sets on which the default order of errors was chosen. No report on errors has these
// columns; bace and tox21 share molecules with other sets.
var validationSets = []labelled{
	{"bace", "pIC50", false},
	{"sider", "Hepatobiliary disorders", true},
	{"tox21", "SR-MMP", true},
	{"toxcast", "ATG_PXRE_CIS_up", true},
}

// freshSets were named before anything was measured on them, and nothing was chosen after.
var freshSets = []labelled{
	{"sider", "Cardiac disorders", true},
	{"toxcast", "ATG_NRF2_ARE_CIS_up", true},
}

// setLists are values of --sets that stand for several sets.
var setLists = map[string][]labelled{"validation": validationSets, "fresh": freshSets}

// intervalCoverages are asked for; verdicts do not depend on them. The page shows the second.
var intervalCoverages = []float64{0.8, 0.9, 0.95}

// intervalMost molecules are drawn from a larger set. A fifth is new, the rest the training file.
const intervalMost = 1500

func intervals() *experiment {
	return &experiment{
		name: "intervals", page: "intervals.md", read: readAs[intervalResults], measure: measureIntervals,
		short: "Measure whether intervals and verdicts on predictions hold",
		flags: [][2]string{
			{"sets", strings.Join(namesOf(trustSets), ",")}, {"kinds", strings.Join(intervalKinds, ",")}, {"splits", "20"}, {"steps", "300"},
		},
	}
}

// An intervalResult has the results of a set for one kind of split.
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

// An intervalOrder has the results by one order of errors.
type intervalOrder struct {
	Order  trust.Order       `json:"order"`
	Finds  rate              `json:"large_errors_auroc"`
	Levels []intervalLevel   `json:"coverages,omitempty"` // none for classes
	Stated []intervalVerdict `json:"verdicts"`
}

// An intervalLevel has the results for one requested coverage, means over splits.
type intervalLevel struct {
	Asked     float64      `json:"asked"`
	Alone     intervalKept `json:"alone"`
	List      intervalKept `json:"list"`
	Infinite  rate         `json:"list_infinite"`   // share of molecules
	Effective rate         `json:"list_effective"`  // sample of errors
	Hindsight rate         `json:"hindsight_width"` // of the narrowest constant interval that holds
}

// An intervalKept says how often intervals held; infinite ones count.
type intervalKept struct {
	Mean  rate `json:"mean"`
	Std   rate `json:"std"` // over splits
	Width rate `json:"median_width"`
}

// An intervalVerdict pools all splits.
type intervalVerdict struct {
	Verdict   string `json:"verdict"`
	Molecules int    `json:"molecules"`
	Small     rate   `json:"of_small_errors"` // the share of molecules with small errors that have it
	Large     rate   `json:"large_errors"`
	Stated    rate   `json:"stated"`
}

// intervalResults are the content of intervals.json.
type intervalResults struct {
	Program string            `json:"program"`
	Steps   int               `json:"steps"` // of each detector
	Results []*intervalResult `json:"results"`
}

// measureIntervals has one cell for each set and kind of split, with all its splits.
func measureIntervals(ctx context.Context, b *bench) result {
	all := trustSets
	if list := setLists[b.setList]; list != nil {
		all = list
		b.setList = strings.Join(namesOf(all), ",")
	}
	r, p := intervalResults{Program: version.String(), Steps: b.steps}, &plan{bench: b}
	for _, of := range chosen(b.setList, all) {
		key := b.modelKey(of.name, of.name)
		open := sync.OnceValue(func() *labelledSet { return of.open(b.data, intervalMost) })
		for _, kind := range strings.Split(b.kindList, ",") {
			try.Check(usage.OneOf("kinds", kind, intervalKinds...))
			add(p, key, of.column+"-"+kind, func(ctx context.Context) *intervalResult {
				return b.intervalsOf(ctx, open(), kind)
			}, func(one *intervalResult) { r.Results = append(r.Results, one) })
		}
	}
	p.do(ctx)
	return r
}

// intervalsOf returns the results of a set over the splits of a kind.
func (b *bench) intervalsOf(ctx context.Context, s *labelledSet, kind string) *intervalResult {
	r := &intervalResult{Set: s.name, Classes: s.classes, Split: kind, Splits: b.splits}
	orders := trust.OrdersOf(&algo.Residuals{Classes: s.classes, Uncertainty: algo.Column{Name: "spread"}})
	tallies := mapped(orders, func(by trust.Order) *intervalTally { return &intervalTally{order: by} })
	var errors, quality []float64
	for k := range uint64(b.splits) {
		x := s.open(ctx, b.train, kind, k+1, b.steps)
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
	small        map[trust.Verdict]int // molecules with small errors
	levels       [][]splitLevel        // by coverage, then split
}

// A splitLevel has the results of one split for one coverage.
type splitLevel struct{ alone, aloneWidth, list, listWidth, infinite, effective, hindsight float64 }

// add judges the new molecules of a split, by themselves and as a list, for each coverage. Verdicts do not depend on the coverage
// and are counted for the first.
func (t *intervalTally) add(ctx context.Context, x *labelledSplit) {
	graphs := pick(x.graphs, x.fresh)
	places := try.To(trust.Places(ctx, x.alone, graphs, try.To(x.alone.Scores(ctx, graphs))))
	if t.levels == nil {
		t.levels, t.small = make([][]splitLevel, len(intervalCoverages)), map[trust.Verdict]int{}
	}
	for k, coverage := range intervalCoverages {
		c := try.To(trust.Learn(ctx, x.alone, trust.Options{Coverage: coverage}, string(t.order)))
		list, outcomes := c.NewShift(places), make([]trust.Outcome, len(graphs))
		for i := range outcomes {
			p := trust.Prediction{Place: places[i], Value: x.predicted[i], Uncertainty: x.spread[i]}
			j := c.JudgePrediction(p)
			list.Judge(p, c.Doubt(p), &j)
			outcomes[i] = trust.Outcome{Score: c.Doubt(p), Observed: x.values[i], Judgement: j}
			if k == 0 && x.errors[i] <= c.Tolerance {
				t.small[j.Verdict]++
			}
		}
		t.levels[k] = append(t.levels[k], levelOf(outcomes, x.errors, coverage, list))
		if k == 0 {
			t.audits, t.calibrations = append(t.audits, trust.NewAudit(outcomes, c.Calibration)), append(t.calibrations, c.Calibration)
		}
	}
}

// levelOf returns the share of intervals that hold and their median width. A molecule without an interval of its own does not count.
// One without an interval for the list has an infinite one, which holds. list may be nil.
func levelOf(outcomes []trust.Outcome, errors []float64, coverage float64, list *trust.Shift) (l splitLevel) {
	var alone, together []float64
	n, judged := float64(len(outcomes)), 0.0
	for i, o := range outcomes { // half widths; NaN for no interval
		own, other := (o.High-o.Low)/2, (o.BatchHigh-o.BatchLow)/2
		if !math.IsNaN(own) {
			judged++
		}
		if errors[i] <= own {
			l.alone++
		}
		if math.IsNaN(other) {
			l.infinite += 1 / n
			other = math.Inf(1)
		} else {
			together = append(together, other)
		}
		if errors[i] <= other {
			l.list += 1 / n
		}
		if !math.IsNaN(own) {
			alone = append(alone, own)
		}
	}
	l.alone /= judged
	l.aloneWidth, l.listWidth = 2*metric.Percentile(alone, 50), 2*metric.Percentile(together, 50)
	l.hindsight = 2 * metric.Percentile(errors, 100*coverage)
	if list != nil {
		l.effective = list.Effective
	}
	return l
}

// sum returns the results of an order: means over splits for each coverage, but none for classes, and verdicts of all splits.
func (t *intervalTally) sum(classes bool) intervalOrder {
	finds, _ := metric.MeanStd(mapped(t.audits, func(a *trust.Audit) float64 { return a.Finds }))
	o := intervalOrder{Order: t.order, Finds: rate(finds)}
	for k, coverage := range intervalCoverages {
		if classes {
			break
		}
		over := func(of func(l splitLevel) float64) (mean, std rate) { // over splits
			m, s := metric.MeanStd(mapped(t.levels[k], of))
			return rate(m), rate(s)
		}
		l := intervalLevel{Asked: coverage}
		l.Alone.Mean, l.Alone.Std = over(func(l splitLevel) float64 { return l.alone })
		l.Alone.Width, _ = over(func(l splitLevel) float64 { return l.aloneWidth })
		l.List.Mean, l.List.Std = over(func(l splitLevel) float64 { return l.list })
		l.List.Width, _ = over(func(l splitLevel) float64 { return l.listWidth })
		l.Infinite, _ = over(func(l splitLevel) float64 { return l.infinite })
		l.Effective, _ = over(func(l splitLevel) float64 { return l.effective })
		l.Hindsight, _ = over(func(l splitLevel) float64 { return l.hindsight })
		o.Levels = append(o.Levels, l)
	}
	small := 0 // molecules with small errors
	for _, n := range t.small {
		small += n
	}
	for _, v := range trust.Verdicts() {
		var got, stated trust.Rate
		for k, c := range t.calibrations {
			a, b := t.audits[k].Verdicts[v], c.HeldOut[v]
			got.Large, got.N, stated.Large, stated.N = got.Large+a.Large, got.N+a.N, stated.Large+b.Large, stated.N+b.N
		}
		o.Stated = append(o.Stated, intervalVerdict{
			Verdict: string(v), Molecules: got.N, Small: rate(float64(t.small[v]) / float64(small)),
			Large: rate(float64(got.Large) / float64(got.N)), Stated: rate(float64(stated.Large) / float64(stated.N)),
		})
	}
	return o
}

// by returns the results of an order, or undefined rates if it was not measured.
func (r *intervalResult) by(order trust.Order) *intervalOrder {
	k := slices.IndexFunc(r.Orders, func(o intervalOrder) bool { return o.Order == order })
	if k < 0 {
		return &intervalOrder{Finds: none}
	}
	return &r.Orders[k]
}

// errors returns a row of the table of errors: AUROC of large errors by each order; large errors with the verdicts
// trust and check; those stated for trust; the share of molecules with small errors that are trusted.
func (r *intervalResult) errors() (row []float64) {
	for _, order := range trust.Orders() {
		row = append(row, float64(r.by(order).Finds))
	}
	o := r.byDefault()
	sure, check := o.Stated[0], o.Stated[1]
	return append(row, float64(sure.Large), float64(check.Large), float64(sure.Stated), float64(sure.Small))
}

// byDefault returns the results of the default order.
func (r *intervalResult) byDefault() *intervalOrder {
	return r.by(try.To(trust.OrderOf(&algo.Residuals{Classes: r.Classes}, "")))
}

func (r intervalResults) page() *page {
	kinds := slices.DeleteFunc(slices.Clone(intervalKinds), func(kind string) bool { return len(r.levels(kind)) == 0 })
	heads := []string{"values"}
	for _, order := range trust.Orders() {
		heads = append(heads, string(order))
	}
	groups := distinct(r.Results, func(one *intervalResult) string { return one.values() + ", " + one.Split })
	return &page{
		title: "Do intervals and verdicts on predictions hold?",
		question: fmt.Sprintf(`A fifth of each set is new: drawn by chance, by whole scaffolds or clusters, or the largest. From the rest
kernel ridge regression on ECFP4 predicts, and a detector is trained for %d steps. In percent, means over %d splits; the JSON beside
has each set.`, r.Steps, r.Results[0].Splits),
		tables: []*pageTable{
			tabulate("Observed numbers within 90 % intervals, alone and for the list, means and least; "+
				"the list's median width beside one exact in hindsight; infinite ones:",
				[]string{"new", "alone", "least", "list", "least", "width", "infinite"}, kinds, r.coverage),
			tabulate("AUROC of large errors by --errors-by; by its default, large errors with trust and check, "+
				"those stated for trust, and small errors with trust:",
				append(heads, "trust", "check", "stated", "trusted"), groups, r.meanErrors),
		},
	}
}

// levels returns the shown coverage of each set of numbers, for splits of a kind.
func (r intervalResults) levels(kind string) (list []intervalLevel) {
	for _, one := range r.Results {
		if !one.Classes && one.Split == kind {
			list = append(list, one.byDefault().Levels[1])
		}
	}
	return list
}

// coverage returns the row of a kind of split in the table of intervals.
func (r intervalResults) coverage(kind string) []any {
	each := func(of func(l intervalLevel) rate) []float64 { // of each set
		return mapped(r.levels(kind), func(l intervalLevel) float64 { return float64(of(l)) })
	}
	alone, list := each(func(l intervalLevel) rate { return l.Alone.Mean }), each(func(l intervalLevel) rate { return l.List.Mean })
	return []any{
		kind, mean(alone), slices.Min(alone), mean(list), slices.Min(list),
		meanDefined(each(func(l intervalLevel) rate { return l.List.Width / l.Hindsight })),
		mean(each(func(l intervalLevel) rate { return l.Infinite })),
	}
}

// values returns the word for the set's values: classes or numbers.
func (r *intervalResult) values() string {
	if r.Classes {
		return "classes"
	}
	return "numbers"
}

// meanErrors returns the row of a group of results: numbers or classes, with one kind of split.
func (r intervalResults) meanErrors(group string) []any {
	var rows [][]float64
	for _, one := range r.Results {
		if one.values()+", "+one.Split == group {
			rows = append(rows, one.errors())
		}
	}
	row := []any{group}
	for k := range rows[0] {
		row = append(row, meanDefined(mapped(rows, func(of []float64) float64 { return of[k] })))
	}
	return row
}
