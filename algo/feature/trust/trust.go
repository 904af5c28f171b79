// Package trust estimates the errors of predictions of a property from a score of doubt, such as
// the distance from a training set: an expected error, a conformal interval and a verdict (New,
// then Calibration.Judge). It learns from held-out molecules, scored as new ones are, with
// predictions by models that had not seen them. Only then are both exchangeable, which every
// promise here rests on.
package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"baca/algo/internal/lists"
	"baca/algo/metric"
	"baca/algo/model"
)

// A Verdict says what to do with a prediction.
type Verdict string

const (
	Trust    Verdict = "trust"
	Check    Verdict = "check"
	DoNotUse Verdict = "do-not-use"
)

// Verdicts lists the verdicts, the best first.
func Verdicts() []Verdict { return []Verdict{Trust, Check, DoNotUse} }

// A Pair is a held-out molecule: its score, higher is less sure, its error, observed less predicted,
// and its place, which only a Shift needs. Intervals compare errors divided by Scale, 0 for 1.
type Pair struct {
	Score, Error float64
	Place        Place
	Scale        float64
}

// relative returns the error in units of the scale.
func (p *Pair) relative() float64 { return p.Error / p.Scale }

// Options of a Calibration. Zero values mean defaults.
type Options struct {
	// Coverage is the share of new molecules whose observed value the interval holds, between 0 and
	// 1; 0.9.
	Coverage float64
	// Tolerance is the largest absolute error that is not large. The default is above four fifths
	// of held-out errors, for classes 0.5.
	Tolerance float64
	// Rate is the largest share of large errors with the verdict Trust; with Check it is a half. The default is three quarters
	// of the share among all held-out molecules, 0.25 at most. If that does not separate, nothing is trusted. A bound with a
	// confidence would trust too few, see build/research/results/README.md.
	Rate float64
	// Classes marks observed values of 0 or 1 and predicted probabilities, which have no intervals.
	Classes bool
	// NewScaffold has errors of predictions that were made without all molecules of the same scaffold, NaN
	// for unknown, divided by the scale of pairs that have one. They bound the intervals of a list that lies farther from below.
	NewScaffold []float64
}

// Defaults of Options.
const (
	DefaultCoverage = 0.9
	mostRate        = 0.25
	usualPart       = 0.75 // of the share of large errors among all
	mostLarge       = 0.5  // share of large errors with the verdict Check
	usualErrors     = 80   // percent of held-out errors within the tolerance
	wrongClass      = 0.5
)

// Check returns an error for a value out of range.
func (o Options) Check() error {
	switch {
	case !(o.Coverage >= 0 && o.Coverage < 1):
		return fmt.Errorf("a coverage of %g: want a number between 0 and 1, such as %g", o.Coverage, DefaultCoverage)
	case !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 0):
		return fmt.Errorf("a tolerance of %g: want an error above 0, or 0 for the one that four of five held-out errors stay within", o.Tolerance)
	case !(o.Rate >= 0 && o.Rate < 0.5):
		return fmt.Errorf("a rate of %g: want a share between 0 and 0.5, or 0 for three quarters of that among all", o.Rate)
	}
	return nil
}

const (
	// MinPairs is the least number of held-out molecules.
	MinPairs = model.MinErrors
	// minGroup is the least group with its own interval, mostGroups the most groups: tail quantiles
	// of few dozen errors are rough.
	minGroup, mostGroups = 30, 5
	// minBlock is the least number of molecules for a share of large errors, blocks the most such
	// parts.
	minBlock, blocks = 25, 10
	// folds cross-validate the stated rates, so that no molecule chose its own thresholds.
	folds = 10
)

// A Calibration gives the expected error for a score. It is read-only.
type Calibration struct {
	Options          // with defaults filled in
	By       Order   // of the scores; empty for those of New
	Pairs    int     // held-out molecules with a score and an error
	Farthest float64 // their highest score; nothing is known beyond
	Groups   []Group // by ascending score
	Steps    []Step  // the same
	// HeldOut has the cross-validated rate of large errors of each verdict, see Statements.
	HeldOut map[Verdict]Rate

	Apart bool // large errors are rarer with Trust than among all, three quarters at most

	usual   bool     // the rate is by default
	ranking *ranking // gives the scores; nil for those of New
	scale   *scale   // of errors; nil for those of New
	factor  float64  // mean error divided by its scale
	pairs   []Pair   // by score, with absolute errors
	highest float64  // Place.Score of these, +Inf if none is known
}

// A Group is the held-out molecules with scores up to To, above the group before. Intervals are
// conformal within it (Mondrian): a share Coverage of new molecules in the group is within Half of
// its prediction, on average over holdouts.
type Group struct {
	To   float64
	N    int
	Half float64 // of the interval; NaN for classes or small groups
}

// A Step is the expectation up to a score. Neither value falls between steps (isotonic).
type Step struct {
	To    float64
	Error float64 // mean absolute error
	Large float64 // share of errors above the tolerance
}

// A Rate is the large errors of N held-out molecules, with Wilson's 95 % interval.
type Rate struct {
	Large, N         int
	Share, Low, High float64 // NaN where N is 0
}

// rateOf returns the rate of large errors among n.
func rateOf(large, n int) Rate {
	r := Rate{Large: large, N: n, Share: float64(large) / float64(n)}
	r.Low, r.High = metric.Wilson(float64(large), float64(n))
	return r
}

// A Judgement of one prediction.
type Judgement struct {
	Predicted float64
	Error     float64 // expected absolute error; NaN beyond the farthest
	Low, High float64 // interval; NaN for none
	Verdict   Verdict

	// What a list says, see Shift.
	BatchLow, BatchHigh float64 // NaN for none
	BatchVerdict        Verdict // empty for none
}

// Calibrate calibrates on held-out predictions, put in an order, and their errors. It fails for an unknown order, as New does,
// and leaves o.NewScaffold as it is.
func Calibrate(by Order, known []Prediction, errors []float64, o Options) (*Calibration, error) {
	r, err := newRanking(by, known)
	if err != nil {
		return nil, err
	}
	var s *scale
	if by.ReadsUncertainty() && !o.Classes {
		s = fitScale(known, errors)
	}
	o.NewScaffold = slices.Clone(o.NewScaffold)
	pairs := make([]Pair, len(known))
	for i, p := range known {
		pairs[i] = Pair{Score: r.Doubt(p), Error: errors[i], Place: p.Place, Scale: s.of(p)}
		if i < len(o.NewScaffold) {
			o.NewScaffold[i] /= s.of(p)
		}
	}
	c, err := New(pairs, o)
	if err == nil {
		c.By, c.ranking, c.scale = by, r, s
	}
	return c, err
}

// New calibrates on held-out molecules, ignoring those whose score or error is not finite. It fails if too few are left, and
// for options out of range.
func New(pairs []Pair, o Options) (*Calibration, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	sorted := make([]Pair, 0, len(pairs))
	for _, p := range pairs {
		if finite(p.Score) && finite(p.Error) {
			p.Error, p.Scale = math.Abs(p.Error), cmp.Or(p.Scale, 1)
			sorted = append(sorted, p)
		}
	}
	if n := len(sorted); n < MinPairs {
		return nil, fmt.Errorf("%d held-out molecules with an observed and a predicted value: want at least %d", n, MinPairs)
	}
	slices.SortFunc(sorted, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Error, b.Error)) })
	c := &Calibration{Options: o, Pairs: len(sorted), Farthest: sorted[len(sorted)-1].Score, pairs: sorted}
	c.highest = math.Inf(-1)
	for _, p := range sorted {
		if finite(p.Place.Score) {
			c.highest = max(c.highest, p.Place.Score)
		}
	}
	if math.IsInf(c.highest, -1) {
		c.highest = math.Inf(1)
	}
	c.Coverage = cmp.Or(o.Coverage, DefaultCoverage)
	if c.Tolerance == 0 {
		c.Tolerance = usualTolerance(sorted, o.Classes)
	}
	c.Groups, c.factor = c.group(sorted), stat.Mean(relativeOf(sorted), nil)
	count := max(1, min(blocks, len(sorted)/minBlock))
	c.Steps = steps(sorted, equally, c.Tolerance, count)
	all := largeIn(sorted, equally, c.Tolerance)
	c.usual = o.Rate == 0
	c.Rate = c.rate(all)
	c.HeldOut = c.crossValidate(sorted, count)
	c.Apart = c.HeldOut[Trust].Share <= usualPart*all
	if !c.Apart && c.usual { // scores hardly tell large errors: nothing is trusted
		c.Rate = none
		c.HeldOut = c.crossValidate(sorted, count)
	}
	return c, nil
}

// none is a Rate that no share is at or below, so that nothing is trusted.
const none = -1

// rate returns Options.Rate or, by default, the rate for a list with the share all of large errors.
func (c *Calibration) rate(all float64) float64 {
	if !c.usual || c.Rate == none {
		return c.Rate
	}
	return min(mostRate, usualPart*all)
}

// equally weighs all pairs the same.
func equally(Pair) float64 { return 1 }

// largeIn returns the weighted share of errors above the tolerance.
func largeIn(pairs []Pair, weight func(Pair) float64, tolerance float64) float64 {
	large, all := 0.0, 0.0
	for _, p := range pairs {
		w := weight(p)
		all += w
		if p.Error > tolerance {
			large += w
		}
	}
	return large / all
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// usualTolerance returns the default of Options.Tolerance.
func usualTolerance(sorted []Pair, classes bool) float64 {
	if classes {
		return wrongClass
	}
	return metric.Percentile(errorsOf(sorted), usualErrors)
}

func errorsOf(pairs []Pair) []float64 {
	return lists.Map(pairs, func(p Pair) float64 { return p.Error })
}

func relativeOf(pairs []Pair) []float64 {
	return lists.Map(pairs, func(p Pair) float64 { return p.relative() })
}

// group divides the molecules by score into as many equal groups as the coverage allows. Errors that are divided by a scale
// form a single group.
func (c *Calibration) group(sorted []Pair) (groups []Group) {
	least := max(minGroup, int(math.Ceil(c.Coverage/(1-c.Coverage))))
	count := max(1, min(mostGroups, len(sorted)/least))
	if slices.ContainsFunc(sorted, func(p Pair) bool { return p.Scale != 1 }) {
		count = 1
	}
	for _, members := range cut(sorted, len(sorted)/count) {
		n := len(members)
		groups = append(groups, Group{To: members[n-1].Score, N: n, Half: c.half(relativeOf(members))})
	}
	return groups
}

// half returns the conformal half width of an interval from absolute errors, which it sorts. It is NaN for classes and if errors
// are too few. Of n+1 exchangeable errors the last is among the k smallest with probability k/(n+1). Between two k it
// interpolates, which is conservative if larger errors are rarer.
func (c *Calibration) half(errors []float64) float64 {
	n := len(errors)
	at := c.Coverage * float64(n+1)
	k := int(at + 1e-9)
	if c.Classes || k < 1 || at > float64(n)+1e-9 {
		return math.NaN()
	}
	slices.Sort(errors)
	if k == n {
		return errors[k-1]
	}
	return errors[k-1] + (at-float64(k))*(errors[k]-errors[k-1])
}

// cut divides pairs sorted by score into parts of at least size, the last one larger. Equal scores
// stay in one part.
func cut(sorted []Pair, size int) (parts [][]Pair) {
	for len(sorted) > 0 {
		n := min(size, len(sorted))
		for n < len(sorted) && sorted[n].Score == sorted[n-1].Score {
			n++
		}
		if len(sorted)-n < size {
			n = len(sorted)
		}
		parts, sorted = append(parts, sorted[:n]), sorted[n:]
	}
	return parts
}

// steps returns isotonic regressions on score, of the error and of the share of large errors, over count parts of the sorted
// pairs. weight gives the weight of a pair.
func steps(sorted []Pair, weight func(Pair) float64, tolerance float64, count int) []Step {
	parts := cut(sorted, len(sorted)/count)
	list := make([]Step, len(parts))
	weights := make([]float64, len(parts))
	for i, members := range parts {
		s := Step{To: members[len(members)-1].Score, Large: largeIn(members, weight, tolerance)}
		for _, p := range members {
			w := weight(p)
			weights[i] += w
			s.Error += w * p.Error
		}
		s.Error /= weights[i]
		list[i] = s
	}
	isotonic(weights, len(list), func(i int) *float64 { return &list[i].Error })
	isotonic(weights, len(list), func(i int) *float64 { return &list[i].Large })
	return list
}

// isotonic replaces n values by their weighted least-squares ascending fit (pool adjacent violators). value(i) points to one.
func isotonic(weights []float64, n int, value func(i int) *float64) {
	type pool struct {
		value, weight float64
		from          int
	}
	var pools []pool
	for i := range n {
		p := pool{*value(i), weights[i], i}
		for k := len(pools) - 1; k >= 0 && pools[k].value >= p.value; k-- {
			before := pools[k]
			total := before.weight + p.weight
			p = pool{(before.value*before.weight + p.value*p.weight) / total, total, before.from}
			pools = pools[:k]
		}
		pools = append(pools, p)
	}
	for k, p := range pools {
		to := n
		if k+1 < len(pools) {
			to = pools[k+1].from
		}
		for i := p.from; i < to; i++ {
			*value(i) = p.value
		}
	}
}

// crossValidate counts large errors by the verdict that the other folds give.
func (c *Calibration) crossValidate(sorted []Pair, count int) map[Verdict]Rate {
	large, n := map[Verdict]int{}, map[Verdict]int{}
	for fold := range folds {
		var others []Pair
		for i, p := range sorted {
			if i%folds != fold {
				others = append(others, p)
			}
		}
		here := &Calibration{Options: c.Options, Farthest: others[len(others)-1].Score, Steps: steps(others, equally, c.Tolerance, count)}
		for i := fold; i < len(sorted); i += folds {
			v := here.verdict(sorted[i].Score)
			n[v]++
			if sorted[i].Error > c.Tolerance {
				large[v]++
			}
		}
	}
	rates := map[Verdict]Rate{}
	for _, v := range Verdicts() {
		rates[v] = rateOf(large[v], n[v])
	}
	return rates
}

// A Statement is the rate of large errors of one verdict, or of adjacent ones.
type Statement struct {
	Verdicts []Verdict
	Rate
}

// Statements returns the cross-validated rates of the verdicts, the best first. Verdicts whose rates would fall are counted
// as one. Near a threshold they do: without one of its large errors a part looks better, so large errors move to a better
// verdict when left out.
func (c *Calibration) Statements() (list []Statement) {
	for _, v := range Verdicts() {
		s := Statement{[]Verdict{v}, c.HeldOut[v]}
		if s.N == 0 {
			continue
		}
		for k := len(list) - 1; k >= 0 && list[k].Share > s.Share; k-- {
			s = Statement{append(list[k].Verdicts, s.Verdicts...), rateOf(list[k].Large+s.Large, list[k].N+s.N)}
			list = list[:k]
		}
		list = append(list, s)
	}
	return list
}

// Words names the verdicts: "check and do-not-use together".
func (s *Statement) Words() string {
	names := lists.Map(s.Verdicts, func(v Verdict) string { return string(v) })
	switch len(names) {
	case 1:
		return names[0]
	case len(Verdicts()):
		return "all verdicts together"
	}
	return strings.Join(names, " and ") + " together"
}

func (c *Calibration) verdict(score float64) Verdict { return verdictOf(c.Steps, score, c.Rate) }

// verdictOf returns the verdict for a score by the share of large errors at its step: Trust up to rate, and DoNotUse beyond
// mostLarge and the last step.
func verdictOf(steps []Step, score, rate float64) Verdict {
	s, known := stepOf(steps, score)
	switch {
	case !known || s.Large > mostLarge:
		return DoNotUse
	case s.Large > rate:
		return Check
	}
	return Trust
}

// stepOf returns the step of a score, and false beyond the last one.
func stepOf(steps []Step, score float64) (Step, bool) {
	for _, s := range steps {
		if score <= s.To {
			return s, true
		}
	}
	return Step{}, false
}

// Unjudged returns the judgement of a prediction of which nothing is known.
func Unjudged(predicted float64) Judgement {
	nan := math.NaN()
	return Judgement{Predicted: predicted, Error: nan, Low: nan, High: nan, BatchLow: nan, BatchHigh: nan}
}

// Doubt is the score of a prediction in the calibration's order.
func (c *Calibration) Doubt(p Prediction) float64 { return c.ranking.Doubt(p) }

// JudgePrediction is Judge in the calibration's order and scale. A molecule that by itself scores higher than all that were
// held out is beyond the farthest, too, whatever the order.
func (c *Calibration) JudgePrediction(p Prediction) Judgement {
	if p.Score > c.highest {
		j := Unjudged(p.Value)
		j.Verdict = DoNotUse
		return j
	}
	return c.judge(c.Doubt(p), p.Value, c.scale.of(p))
}

// Judge judges a prediction for a score. Beyond the farthest held-out molecule there is no interval
// and the verdict is DoNotUse. The scale of the error is 1.
func (c *Calibration) Judge(score, predicted float64) Judgement { return c.judge(score, predicted, 1) }

// judge is Judge for an error of that scale.
func (c *Calibration) judge(score, predicted, scale float64) Judgement {
	j := Unjudged(predicted)
	j.Verdict = c.verdict(score)
	if s, known := stepOf(c.Steps, score); known {
		j.Error = s.Error
		if c.scale != nil {
			j.Error = scale * c.factor
		}
	}
	for _, g := range c.Groups {
		if score <= g.To {
			half := g.Half * scale
			j.Low, j.High = predicted-half, predicted+half
			break
		}
	}
	return j
}

// without returns why there are no intervals, or "" if there are.
func (c *Calibration) without() string {
	if c.Classes {
		return "observed values are classes: no intervals"
	}
	// All groups are large enough, or there is only one.
	if math.IsNaN(c.Groups[0].Half) {
		least := math.Ceil(max(c.Coverage/(1-c.Coverage), 1/c.Coverage-1) - 1e-9)
		return fmt.Sprintf("no intervals: to hold %.3g %% of observed values takes errors of %.0f held-out molecules", 100*c.Coverage, least)
	}
	return ""
}

// Sentences describe the basis of verdicts and intervals.
func (c *Calibration) Sentences() []string {
	kind, order := "an error", c.By.Words()
	if c.Classes {
		kind = "a distance from the class"
	}
	parts := lists.Map(c.Statements(), func(s Statement) string {
		return fmt.Sprintf("%s %.0f %% of %d (95 %% interval %.0f–%.0f %%)", s.Words(), 100*s.Share, s.N, 100*s.Low, 100*s.High)
	})
	about := c.without()
	switch {
	case about != "":
	case c.scale != nil:
		about = fmt.Sprintf("intervals hold %.3g %% of observed values, for molecules like those held out; uncertainty and distance to the five nearest scale them", 100*c.Coverage)
	default:
		about = fmt.Sprintf("intervals hold %.3g %% of observed values, for molecules like those held out; errors are compared within groups by %s (%d)", 100*c.Coverage, order, len(c.Groups))
	}
	list := []string{
		fmt.Sprintf("errors of %d held-out predictions, by %s: %s above %.3g is large", c.Pairs, order, kind, c.Tolerance),
		"large errors by verdict: " + strings.Join(parts, ", "),
		about,
	}
	switch hardly := order + " hardly tells large errors from small ones here"; {
	case c.Rate == none:
		list = append(list, hardly+", so nothing is trusted")
	case !c.Apart:
		list = append(list, hardly)
	}
	return list
}
