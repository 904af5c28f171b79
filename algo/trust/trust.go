// Package trust says how wrong predictions of a property are expected to be, by a score of doubt such
// as how far the molecules are outside a training set: an expected error, a conformal interval and a verdict.
// It learns that from held-out molecules, whose scores were computed as those of new ones
// are and whose predictions came from models that had not seen them. Nothing else makes the
// two exchangeable, which all that is promised here rests on.
package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/metric"
)

// A Verdict says what to do with a prediction.
type Verdict string

// The verdicts.
const (
	Trust    Verdict = "trust"
	Check    Verdict = "check"
	DoNotUse Verdict = "do-not-use"
)

// Verdicts returns all verdicts, the best first.
func Verdicts() []Verdict { return []Verdict{Trust, Check, DoNotUse} }

// A Pair is a held-out molecule: its score, higher is further outside or less sure, and its
// error, observed less predicted, in the unit of the property.
type Pair struct{ Score, Error float64 }

// Options say what is wanted. The zero value of a field is replaced by its default.
type Options struct {
	// Coverage is the share of new molecules whose observed value the interval shall hold,
	// between 0 and 1; 0.9.
	Coverage float64
	// Tolerance is the largest absolute error that is not large. By default four of five held-out
	// errors are at most that, or, of classes, it is 0.5.
	Tolerance float64
	// Rate is the share of large errors up to which predictions are trusted; up to twice that
	// they are to be checked; 0.25.
	Rate float64
	// Classes says that observed values are 0 or 1 and predictions probabilities. Then there
	// are no intervals.
	Classes bool
}

// Defaults of Options.
const (
	DefaultCoverage = 0.9
	DefaultRate     = 0.25
	usualErrors     = 80 // percent of held-out errors within the tolerance
	wrongClass      = 0.5
)

// Check reports options that mean nothing.
func (o Options) Check() error {
	switch {
	case o.Coverage != 0 && !(o.Coverage > 0 && o.Coverage < 1):
		return fmt.Errorf("a coverage of %g: want a number between 0 and 1, such as %g", o.Coverage, DefaultCoverage)
	case !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 0):
		return fmt.Errorf("a tolerance of %g: want an error above 0, or 0 for the one that four of five held-out errors stay within", o.Tolerance)
	case o.Rate != 0 && !(o.Rate > 0 && o.Rate < 0.5):
		return fmt.Errorf("a rate of %g: want a share between 0 and 0.5, such as %g", o.Rate, DefaultRate)
	}
	return nil
}

const (
	// MinPairs is how many held-out molecules it takes to say anything.
	MinPairs = 20
	// minGroup is the size of the smallest group with an interval of its own, and mostGroups how many
	// there are at most: from a few dozen errors a quantile in the tail is already rough.
	minGroup, mostGroups = 30, 5
	// minBlock is how many molecules the share of large errors is counted on, at least, and blocks how
	// many such parts there are at most.
	minBlock, blocks = 25, 10
	// folds of the held-out molecules, of which each gets verdicts from the others, so that the stated
	// rates are those of molecules that did not choose the thresholds.
	folds = 10
)

// A Calibration says what errors to expect at a score. It is read-only.
type Calibration struct {
	Options          // with defaults filled in
	Pairs    int     // held-out molecules with a score and an error
	Farthest float64 // their highest score: nothing is known beyond
	Groups   []Group // by score, the lowest first
	Steps    []Step  // the same
	// HeldOut are the large errors of held-out molecules, by the verdict that the others give each. What
	// is stated of them is Statements.
	HeldOut map[Verdict]Rate
}

// A Group is held-out molecules of scores up to To and above the group before. Intervals are
// conformal within it (Mondrian): of new molecules in the group a share of Coverage is within
// Half of its prediction, on average over what could have been held out.
type Group struct {
	To   float64
	N    int
	Half float64 // of the interval; NaN for classes, or where the group is too small for one
}

// A Step is what is expected up to a score: neither falls from step to step (isotonic).
type Step struct {
	To    float64
	Error float64 // mean absolute error
	Large float64 // share of errors beyond the tolerance
}

// A Rate is how many of N held-out molecules with a verdict had a large error, with the
// interval of 95 % by Wilson.
type Rate struct {
	Large, N         int
	Share, Low, High float64 // NaN where N is 0
}

func rateOf(large, n int) Rate {
	r := Rate{Large: large, N: n, Share: float64(large) / float64(n)}
	r.Low, r.High = metric.Wilson(float64(large), float64(n))
	return r
}

// A Judgement is of one prediction.
type Judgement struct {
	Predicted float64
	Error     float64 // absolute error expected at that score; NaN beyond the farthest
	Low, High float64 // interval; NaN for none
	Verdict   Verdict
}

// New learns from held-out molecules. Pairs with a score or an error that is not finite do not
// count. It is an error if too few are left.
func New(pairs []Pair, o Options) (*Calibration, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	sorted := make([]Pair, 0, len(pairs))
	for _, p := range pairs {
		if finite(p.Score) && finite(p.Error) {
			sorted = append(sorted, Pair{p.Score, math.Abs(p.Error)})
		}
	}
	if n := len(sorted); n < MinPairs {
		return nil, fmt.Errorf("%d held-out molecules with an observed and a predicted value: want at least %d", n, MinPairs)
	}
	slices.SortFunc(sorted, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Error, b.Error)) })
	c := &Calibration{Options: o, Pairs: len(sorted), Farthest: sorted[len(sorted)-1].Score}
	c.Coverage, c.Rate = cmp.Or(o.Coverage, DefaultCoverage), cmp.Or(o.Rate, DefaultRate)
	if c.Tolerance == 0 {
		c.Tolerance = usualTolerance(sorted, o.Classes)
	}
	c.Groups = c.group(sorted)
	count := max(1, min(blocks, len(sorted)/minBlock))
	c.Steps = steps(sorted, c.Tolerance, count)
	c.HeldOut = c.crossValidate(sorted, count)
	return c, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func usualTolerance(sorted []Pair, classes bool) float64 {
	if classes {
		return wrongClass
	}
	errors := make([]float64, len(sorted))
	for i, p := range sorted {
		errors[i] = p.Error
	}
	return metric.Percentile(errors, usualErrors)
}

// group divides the molecules evenly, by score, into as many groups as are large enough for what
// is asked.
func (c *Calibration) group(sorted []Pair) (groups []Group) {
	least := max(minGroup, int(math.Ceil(c.Coverage/(1-c.Coverage))))
	count := max(1, min(mostGroups, len(sorted)/least))
	for _, members := range cut(sorted, len(sorted)/count) {
		n := len(members)
		g := Group{To: members[n-1].Score, N: n, Half: math.NaN()}
		// Of n+1 exchangeable errors the last is among the k smallest with a probability of k/(n+1). Where that
		// is not what is asked for any k, the line between two is at least that if larger errors are rarer.
		at := c.Coverage * float64(n+1)
		k := int(at + 1e-9)
		if !c.Classes && k >= 1 && at <= float64(n)+1e-9 {
			errors := make([]float64, n)
			for i, p := range members {
				errors[i] = p.Error
			}
			slices.Sort(errors)
			g.Half = errors[k-1]
			if k < n {
				g.Half += (at - float64(k)) * (errors[k] - errors[k-1])
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// cut divides what is sorted by score into parts of at least size. Equal scores stay together, and what
// is left goes to the last part.
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

// steps are isotonic regressions on score, of so many parts: adjacent ones are joined until neither the error nor
// the share of large ones falls (pool adjacent violators, for each).
func steps(sorted []Pair, tolerance float64, count int) []Step {
	parts := cut(sorted, len(sorted)/count)
	list := make([]Step, len(parts))
	weights := make([]float64, len(parts))
	for i, members := range parts {
		n := float64(len(members))
		s := Step{To: members[len(members)-1].Score}
		for _, p := range members {
			s.Error += p.Error / n
			if p.Error > tolerance {
				s.Large += 1 / n
			}
		}
		list[i], weights[i] = s, n
	}
	isotonic(weights, len(list), func(i int) *float64 { return &list[i].Error })
	isotonic(weights, len(list), func(i int) *float64 { return &list[i].Large })
	return list
}

// isotonic replaces values by the ascending ones of least weighted squares.
func isotonic(weights []float64, n int, at func(i int) *float64) {
	type pool struct {
		value, weight float64
		from          int
	}
	var pools []pool
	for i := range n {
		p := pool{*at(i), weights[i], i}
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
			*at(i) = p.value
		}
	}
}

// crossValidate counts large errors by verdict, where each molecule has the verdict that the other folds
// give it.
func (c *Calibration) crossValidate(sorted []Pair, count int) map[Verdict]Rate {
	large, n := map[Verdict]int{}, map[Verdict]int{}
	for fold := range folds {
		var others []Pair
		for i, p := range sorted {
			if i%folds != fold {
				others = append(others, p)
			}
		}
		here := &Calibration{Options: c.Options, Farthest: others[len(others)-1].Score, Steps: steps(others, c.Tolerance, count)}
		for i := fold; i < len(sorted); i += folds {
			v := here.verdict(sorted[i].Score)
			if n[v]++; sorted[i].Error > c.Tolerance {
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

// A Statement is a rate of large errors, of one verdict or of adjacent ones.
type Statement struct {
	Verdicts []Verdict
	Rate
}

// Statements are the rates of verdicts that held-out molecules have, the best first. They do not
// fall. Near a threshold they would: without one of its large errors a part looks better than with it, so
// that large errors are left out to a better verdict than small ones. Verdicts whose rates fall are
// not told apart by so few molecules, and are counted together.
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

// Words names the verdicts.
func (s *Statement) Words() string {
	names := make([]string, len(s.Verdicts))
	for k, v := range s.Verdicts {
		names[k] = string(v)
	}
	switch len(names) {
	case 1:
		return names[0]
	case len(Verdicts()):
		return "all verdicts together"
	}
	return strings.Join(names, " and ") + " together"
}

func (c *Calibration) verdict(score float64) Verdict {
	s, known := c.step(score)
	switch {
	case !known || s.Large > 2*c.Rate:
		return DoNotUse
	case s.Large > c.Rate:
		return Check
	}
	return Trust
}

func (c *Calibration) step(score float64) (Step, bool) {
	for _, s := range c.Steps {
		if score <= s.To {
			return s, true
		}
	}
	return Step{}, false
}

// Judge judges a prediction for a molecule of that score. Beyond the farthest held-out molecule nothing
// is known: there is no interval, and the verdict is DoNotUse.
func (c *Calibration) Judge(score, predicted float64) Judgement {
	j := Judgement{Predicted: predicted, Error: math.NaN(), Low: math.NaN(), High: math.NaN(), Verdict: c.verdict(score)}
	if s, known := c.step(score); known {
		j.Error = s.Error
	}
	for _, g := range c.Groups {
		if score <= g.To {
			j.Low, j.High = predicted-g.Half, predicted+g.Half
			break
		}
	}
	return j
}

// without says why there are no intervals, or nothing if there are.
func (c *Calibration) without() string {
	if c.Classes {
		return "observed values are classes: no intervals"
	}
	// All groups are large enough for what is asked, or there is one.
	if math.IsNaN(c.Groups[0].Half) {
		least := math.Ceil(max(c.Coverage/(1-c.Coverage), 1/c.Coverage-1) - 1e-9)
		return fmt.Sprintf("no intervals: to hold %.3g %% of observed values takes errors of %.0f held-out molecules", 100*c.Coverage, least)
	}
	return ""
}

// Sentences say what verdicts and intervals rest on. order is what scores are, by its name.
func (c *Calibration) Sentences(order string) []string {
	kind := "an error"
	if c.Classes {
		kind = "a distance from the class"
	}
	var parts []string
	for _, s := range c.Statements() {
		parts = append(parts, fmt.Sprintf("%s %.0f %% of %d (95 %% interval %.0f–%.0f %%)", s.Words(), 100*s.Share, s.N, 100*s.Low, 100*s.High))
	}
	about := c.without()
	if about == "" {
		about = fmt.Sprintf("intervals hold %.3g %% of observed values, for molecules like those held out; errors are compared within groups by %s (%d)", 100*c.Coverage, order, len(c.Groups))
	}
	return []string{
		fmt.Sprintf("errors of %d held-out molecules, by %s: %s above %.3g is large", c.Pairs, order, kind, c.Tolerance),
		"large errors by verdict: " + strings.Join(parts, ", "),
		about,
	}
}
