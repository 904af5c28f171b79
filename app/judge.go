package app

import (
	"maps"
	"math"
	"slices"

	"baca/algo/decide"
)

// A verdict is what the page calls a record. The order is that of one axis: left is
// inside, right is outside.
type verdict uint8

const (
	unscored   verdict = iota // not there yet
	refused                   // no graph could be made of it
	undecided                 // scored, and too few to compare with for α
	inside                    // like what the model was trained on
	borderline                // 2·α at most
	outside                   // α at most
	verdicts                  // how many there are
)

// word is for people, short is what files call it.
func (v verdict) word() string {
	return [...]string{"waiting", "refused", "undecided", "inside", "borderline", "outside"}[v]
}

func (v verdict) short() string {
	if v == unscored || v == refused {
		return ""
	}
	return v.word()
}

// class is the one scale of colour that everything uses.
func (v verdict) class() string {
	return [...]string{"is-unscored", "is-refused", "is-undecided", "is-inside", "is-borderline", "is-outside"}[v]
}

// levels are the p-values of a whole run, ascending, and the q-value of each, which
// never falls. Empty until all records are scored.
type levels struct{ p, q []float64 }

// levelsOf are the levels of p-values, as `baca score --fdr` has them.
func levelsOf(p []float64) levels {
	tally := decide.NewTally()
	for _, v := range p {
		tally.Add(v, 1)
	}
	of := tally.QValues()
	l := levels{p: slices.Sorted(maps.Keys(of))}
	for _, v := range l.p {
		l.q = append(l.q, of[v])
	}
	return l
}

// of is the q-value of a p-value, NaN where there is none.
func (l levels) of(p float64) float64 {
	if i, ok := slices.BinarySearch(l.p, p); ok && i < len(l.q) {
		return l.q[i]
	}
	return math.NaN()
}

// cut is the highest p-value that is called at a rate of false discoveries, NaN where
// none is.
func (l levels) cut(fdr float64) float64 {
	cut := math.NaN()
	for i, q := range l.q {
		if i < len(l.p) && q <= fdr {
			cut = l.p[i]
		}
	}
	return cut
}

// A rule tells verdicts from p-values.
type rule struct {
	alpha float64
	held  int // graphs that p-values compare with
	// list is the file that those are of, empty for graphs kept from training.
	list string
	// guard is the p-value by itself up to which a record can be outside, 0 for no such
	// limit: that of the batch, see algo.Guard.
	guard float64
	// fdr is the rule of `baca score --fdr`: outside up to the p-value cut, which
	// may be NaN for none, borderline up to α.
	fdr bool
	cut float64
}

// judge is the verdict on a record with a p-value, and another one by itself.
func (r rule) judge(p, alone float64) verdict {
	most, border := r.limits()
	switch {
	case math.IsNaN(p):
		return undecided
	case p <= most && r.guard > 0 && alone > r.guard:
		return borderline
	case p <= most:
		return outside
	case !decide.Resolves(r.alpha, r.held):
		return undecided
	case p <= border:
		return borderline
	}
	return inside
}

// limits are the highest p-values that are called outside, NaN where none is, and
// borderline.
func (r rule) limits() (most, border float64) {
	if r.fdr {
		return r.cut, r.alpha
	}
	return r.alpha, 2 * r.alpha
}

// A reference is the sorted scores of in-distribution graphs that were kept from
// training, without NaN.
type reference []float64

func newReference(scores []float64) reference {
	r := make(reference, 0, len(scores))
	for _, s := range scores {
		if !math.IsNaN(s) {
			r = append(r, s)
		}
	}
	slices.Sort(r)
	return r
}

// above counts the reference scores that are at least s.
func (r reference) above(s float64) int {
	i, _ := slices.BinarySearch(r, s)
	return len(r) - i
}

// p is the conformal p-value of a score, NaN without a reference.
func (r reference) p(s float64) float64 {
	if len(r) == 0 || math.IsNaN(s) {
		return math.NaN()
	}
	return float64(1+r.above(s)) / float64(1+len(r))
}

// threshold is the score above which p ≤ α. It is NaN where no score is that
// unusual, because the reference is too small.
func (r reference) threshold(alpha float64) float64 {
	if math.IsNaN(alpha) {
		return alpha
	}
	k := int(math.Floor(alpha*float64(len(r)+1)+1e-9)) - 1 // scores above that are allowed
	if len(r) == 0 || k < 0 {
		return math.NaN()
	}
	if k >= len(r) {
		return math.Inf(-1)
	}
	return r[len(r)-1-k]
}

// rates are the rates of false discoveries to choose from.
var rates = []float64{0.01, 0.05, 0.1, 0.2, 0.3}

// usualRate is the one to begin with.
const usualRate = 0.1

// The slider of α goes from 0.1 % to 30 % in logarithmic steps.
const (
	leastAlpha, mostAlpha = 0.001, 0.3
	alphaSteps            = 100
)

// alphaOf gives the α of a step of the slider, with two digits; stepOf the step
// nearest to an α.
func alphaOf(step int) float64 {
	a := leastAlpha * math.Pow(mostAlpha/leastAlpha, float64(step)/alphaSteps)
	return round(a, 2)
}

func stepOf(alpha float64) int {
	x := math.Log(alpha/leastAlpha) / math.Log(mostAlpha/leastAlpha)
	return min(max(int(math.Round(x*alphaSteps)), 0), alphaSteps)
}

// round keeps that many significant digits.
func round(x float64, digits int) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	scale := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}
