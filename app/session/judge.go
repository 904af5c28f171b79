package session

import (
	"math"
	"slices"

	"baca/algo/decide"
)

// A Verdict of the page, ordered from inside to outside.
type Verdict uint8

const (
	Unscored   Verdict = iota // not there yet
	Refused                   // unreadable
	Undecided                 // scored, but the holdout is too small for α
	Inside                    // like the training set
	Borderline                // 2·α at most
	Outside                   // α at most
	Verdicts                  // number of verdicts
)

// Word is the verdict's word of package decide.
func (v Verdict) Word() string {
	return string([...]decide.Verdict{"waiting", decide.Refused, decide.Undecided, decide.Inside, decide.Borderline, decide.Outside}[v])
}

// Class is the CSS class of its colour.
func (v Verdict) Class() string {
	if v == Unscored {
		return "is-unscored"
	}
	return "is-" + v.Word()
}

// Role is its role in pictures.
func (v Verdict) Role() string {
	if v < Undecided {
		return Undecided.Word()
	}
	return v.Word()
}

// Levels map p-values to q-values. Empty until all records are scored and a false-discovery rate
// decides.
type Levels map[float64]float64

// levelsOf computes q-values as `baca score --fdr`.
func levelsOf(p []float64) Levels {
	tally := decide.NewTally()
	for _, v := range p {
		tally.Add(v, 1)
	}
	return tally.QValues()
}

// Of is a q-value, NaN for none.
func (l Levels) Of(p float64) float64 {
	if q, ok := l[p]; ok {
		return q
	}
	return math.NaN()
}

// cut is the highest p-value called at a rate, NaN for none.
func (l Levels) cut(rate float64) float64 {
	cut := math.NaN()
	for p, q := range l {
		if q <= rate && !(p <= cut) {
			cut = p
		}
	}
	return cut
}

// A Rule maps p-values to verdicts.
type Rule struct {
	Alpha   float64
	Holdout int // number of reference graphs
	// list is the reference's file, empty for held-out graphs.
	list string
	// Guard is the highest p-value by itself that can be outside, 0 for no limit, see algo.Guard.
	Guard float64
	// ByRate is the rule of `baca score --fdr`: outside up to the p-value cut, NaN for none,
	// borderline up to α.
	ByRate bool
	Cut    float64
}

// Judge is the verdict for a p-value and the one by itself.
func (r Rule) Judge(p, alone float64) Verdict {
	most, border := r.Limits()
	switch {
	case math.IsNaN(p):
		return Undecided
	case p <= most && r.Guard > 0 && alone > r.Guard:
		return Borderline
	case p <= most:
		return Outside
	case !decide.Resolves(r.Alpha, r.Holdout):
		return Undecided
	case p <= border:
		return Borderline
	}
	return Inside
}

// Limits are the highest p-values outside, NaN for none, and borderline.
func (r Rule) Limits() (most, border float64) {
	if r.ByRate {
		return r.Cut, r.Alpha
	}
	return r.Alpha, 2 * r.Alpha
}

// known are the held-out scores that are not NaN.
func known(scores []float64) []float64 { return slices.DeleteFunc(slices.Clone(scores), math.IsNaN) }

// Threshold is the lowest score outside at α, NaN if the holdout is too small.
func Threshold(reference []float64, alpha float64) float64 {
	if t, ok := decide.Threshold(reference, alpha); ok {
		return t
	}
	return math.NaN()
}
