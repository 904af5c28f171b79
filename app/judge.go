package app

import (
	"math"
	"slices"
)

// A verdict is what the page calls a record. The order is that of one axis: left is
// inside, right is outside.
type verdict uint8

const (
	unscored   verdict = iota // not there yet
	refused                   // no graph could be made of it
	unknown                   // scored, but without a p-value
	inside                    // like what the model was trained on
	borderline                // 2·α at most
	outside                   // α at most
	verdicts                  // how many there are
)

// word is for people, short is what files call it.
func (v verdict) word() string {
	return [...]string{"waiting", "refused", "no p-value", "inside", "borderline", "outside"}[v]
}

func (v verdict) short() string {
	return [...]string{"", "", "unknown", "ID", "borderline", "OOD"}[v]
}

// class is the one scale of colour that everything uses.
func (v verdict) class() string {
	return [...]string{"is-unscored", "is-refused", "is-unknown", "is-inside", "is-borderline", "is-outside"}[v]
}

// judge is the rule of `baca score`: outside where p ≤ α, borderline up to 2·α.
func judge(p, alpha float64) verdict {
	switch {
	case math.IsNaN(p):
		return unknown
	case p <= alpha:
		return outside
	case p <= 2*alpha:
		return borderline
	}
	return inside
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
	k := int(math.Floor(alpha*float64(len(r)+1)+1e-9)) - 1 // scores above that are allowed
	if len(r) == 0 || k < 0 {
		return math.NaN()
	}
	if k >= len(r) {
		return math.Inf(-1)
	}
	return r[len(r)-1-k]
}

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
