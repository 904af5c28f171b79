package trust

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"baca/algo/metric"
)

// An Outcome is a judged prediction with its observed value.
type Outcome struct {
	Score, Observed float64
	Judgement
}

// An Audit compares a Calibration with observed values.
type Audit struct {
	N         int // molecules with a score, an observed and a predicted value
	MeanError float64
	Held           // of the intervals of molecules by themselves
	Batch     Held // of those of the list
	// Verdicts has for each verdict the number of large errors and the mean absolute error.
	Verdicts map[Verdict]Count
	// Spearman is the rank correlation of score and absolute error. It is high by construction for
	// a score that reads a class probability.
	Spearman float64
	// Finds is the AUROC of large errors by the score; NaN where all or none are large.
	Finds float64
	// Risk is the mean absolute error of the k+1 molecules of lowest scores, and Area its mean.
	// Best orders by the errors themselves, the optimum, and AreaBest is its mean. A random order
	// has MeanError.
	Risk, Best     []float64
	Area, AreaBest float64
	// Scores are ascending: Risk[k] is of scores up to Scores[k].
	Scores []float64
}

// Held says how well intervals held: Covered of Intervals molecules with an interval are within it. Coverage is their
// share, with Wilson's 95 % interval, and Width the mean width. NaN for none.
type Held struct {
	Covered, Intervals         int
	Coverage, Low, High, Width float64
}

// add counts an interval and whether it covers the observed value. Intervals without bounds do not count.
func (h *Held) add(low, high, observed float64) {
	if !finite(low) || !finite(high) {
		return
	}
	h.Intervals++
	h.Width += high - low
	if low <= observed && observed <= high {
		h.Covered++
	}
}

// finish turns the sums of add into the coverage, with its interval, and the mean width.
func (h *Held) finish() {
	n := float64(h.Intervals)
	h.Coverage, h.Width = float64(h.Covered)/n, h.Width/n
	h.Low, h.High = metric.Wilson(float64(h.Covered), n)
}

// A Count is of the molecules with a verdict.
type Count struct {
	Rate
	MeanError float64 // NaN for none
}

// NewAudit compares what was promised with what was observed. It ignores outcomes with a value that
// is not finite.
func NewAudit(list []Outcome, c *Calibration) *Audit {
	a := &Audit{Verdicts: map[Verdict]Count{}}
	var scores, misses []float64
	var isLarge []bool
	large, n, sum := map[Verdict]int{}, map[Verdict]int{}, map[Verdict]float64{} // large errors, all, and their sum
	for i := range list {
		o := &list[i]
		miss := math.Abs(o.Observed - o.Predicted)
		if !finite(o.Score) || !finite(miss) {
			continue
		}
		scores, misses, isLarge = append(scores, o.Score), append(misses, miss), append(isLarge, miss > c.Tolerance)
		n[o.Verdict]++
		sum[o.Verdict] += miss
		if miss > c.Tolerance {
			large[o.Verdict]++
		}
		a.add(o.Low, o.High, o.Observed)
		a.Batch.add(o.BatchLow, o.BatchHigh, o.Observed)
	}
	a.N = len(scores)
	a.finish()
	a.Batch.finish()
	for _, v := range Verdicts() {
		a.Verdicts[v] = Count{rateOf(large[v], n[v]), sum[v] / float64(n[v])}
	}
	a.Scores = slices.Sorted(slices.Values(scores))
	a.Spearman, a.Finds = Spearman(scores, misses), metric.AUROC(scores, isLarge)
	a.Risk, a.Best = risk(scores, misses), risk(misses, misses)
	a.MeanError, a.Area, a.AreaBest = math.NaN(), math.NaN(), math.NaN()
	if a.N > 0 {
		a.MeanError, a.Area, a.AreaBest = a.Risk[a.N-1], stat.Mean(a.Risk, nil), stat.Mean(a.Best, nil)
	}
	return a
}

// sentence returns one sentence: which share of the observed values the intervals hold, and which was asked for. what names
// the intervals. Without any it returns nil.
func (h *Held) sentence(what string, c *Calibration) []string {
	values := "values"
	switch h.Intervals {
	case 0:
		return nil
	case 1:
		values = "value"
	}
	return []string{fmt.Sprintf("%s hold %.1f %% of %d observed %s (95 %% interval %.1f–%.1f %%); %.3g %% was asked. Mean width %.3g.",
		what, 100*h.Coverage, h.Intervals, values, 100*h.Low, 100*h.High, 100*c.Coverage, h.Width)}
}

// ErrNoValues says that an audit has nothing to compare.
var ErrNoValues = errors.New("no molecule has both values")

// Sentences say how well intervals held, or why there are none, and how well scores rank errors.
func (a *Audit) Sentences(c *Calibration) (list []string) {
	if why := c.without(); why != "" {
		list = append(list, strings.ToUpper(why[:1])+why[1:]+".")
	} else {
		list = append(a.Held.sentence("Intervals", c), a.Batch.sentence("Intervals for this list", c)...)
	}
	if n := a.N - a.Intervals; n > 0 && c.without() == "" {
		list = append(list, fmt.Sprintf("Without an interval, as beyond all that were held out: %d of %d.", n, a.N))
	}
	known := func(format string, x float64) string {
		if math.IsNaN(x) {
			return "–" // all or no errors are large, or all are equal
		}
		return fmt.Sprintf(format, x)
	}
	return append(list, fmt.Sprintf("Rank correlation (Spearman) of %s and error: %s. AUROC of large errors: %s.", c.By.Words(), known("%.2f", a.Spearman), known("%.3g", a.Finds)))
}

// InShort is one sentence on large errors by verdict and on intervals.
func (a *Audit) InShort(c *Calibration) string {
	var list []string
	for _, v := range Verdicts() {
		if n := a.Verdicts[v]; n.N > 0 {
			list = append(list, fmt.Sprintf("%.0f %% of %d (%s)", 100*n.Share, n.N, strings.ReplaceAll(string(v), "-", " ")))
		}
	}
	said := fmt.Sprintf("against %d measured values, errors are above %.3g in %s", a.N, c.Tolerance, strings.Join(list, ", "))
	if a.Intervals > 0 {
		said += fmt.Sprintf("; intervals hold %.0f %% of %d (asked: %.3g %%)", 100*a.Coverage, a.Intervals, 100*c.Coverage)
	}
	return said
}

// UnderCurve returns a sentence on the areas under the curves that RiskSVG draws.
func (a *Audit) UnderCurve() string {
	return fmt.Sprintf("Area under that curve %.3g; at random %.3g, ordered by the errors themselves %.3g.", a.Area, a.MeanError, a.AreaBest)
}

// RiskAt returns the mean absolute error of a share of the molecules, those of the lowest scores. It is NaN if that is none.
func (a *Audit) RiskAt(share float64) float64 {
	k := int(math.Round(share * float64(a.N)))
	if k < 1 || k > a.N {
		return math.NaN()
	}
	return a.Risk[k-1]
}

// risk returns, for each k, the mean of misses over the k+1 lowest scores. Equal scores count with the mean of their
// errors, so their order does not matter.
func risk(scores, misses []float64) []float64 {
	order := ascending(scores)
	list := make([]float64, len(order))
	for from := 0; from < len(order); {
		to, mean := from, 0.0
		for ; to < len(order) && scores[order[to]] == scores[order[from]]; to++ {
			mean += misses[order[to]]
		}
		for k := from; k < to; k++ {
			list[k] = mean / float64(to-from)
		}
		from = to
	}
	sum := 0.0
	for k, x := range list {
		sum += x
		list[k] = sum / float64(k+1)
	}
	return list
}

// ascending returns indices in ascending order of values.
func ascending(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// Spearman is the rank correlation of two equally long lists, ties with their mean rank, NaN where
// one list is constant.
func Spearman(a, b []float64) float64 {
	if len(a) < 2 {
		return math.NaN()
	}
	return stat.Correlation(ranks(a), ranks(b), nil)
}

// ranks returns the rank of each value, from 0. Equal values share their mean rank.
func ranks(values []float64) []float64 {
	order, list := ascending(values), make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for k := from; k < to; k++ {
			list[order[k]] = float64(from+to-1) / 2
		}
		from = to
	}
	return list
}
