package session

import (
	"math"
	"slices"

	"baca/algo/decide"
)

// A Verdict is what the page calls a record. The order is that of one axis: left is
// inside, right is outside.
type Verdict uint8

const (
	Unscored   Verdict = iota // not there yet
	Refused                   // no graph could be made of it
	Undecided                 // scored, and too few to compare with for α
	Inside                    // like what the model was trained on
	Borderline                // 2·α at most
	Outside                   // α at most
	Verdicts                  // how many there are
)

// Word is for people. Verdicts have the words of package decide, here and everywhere.
func (v Verdict) Word() string {
	return string([...]decide.Verdict{"waiting", decide.Refused, decide.Undecided, decide.Inside, decide.Borderline, decide.Outside}[v])
}

// Class is the one scale of colour that everything uses.
func (v Verdict) Class() string {
	if v == Unscored {
		return "is-unscored"
	}
	return "is-" + v.Word()
}

// Role is how a picture colours a verdict.
func (v Verdict) Role() string {
	if v < Undecided {
		return Undecided.Word()
	}
	return v.Word()
}

// Levels are the q-values of a whole run by their p-values. Empty until all records are
// scored and a rate of false discoveries is to decide.
type Levels map[float64]float64

// levelsOf are the levels of p-values, as `baca score --fdr` has them.
func levelsOf(p []float64) Levels {
	tally := decide.NewTally()
	for _, v := range p {
		tally.Add(v, 1)
	}
	return tally.QValues()
}

// Of is the q-value of a p-value, NaN where there is none.
func (l Levels) Of(p float64) float64 {
	if q, ok := l[p]; ok {
		return q
	}
	return math.NaN()
}

// cut is the highest p-value that is called at a rate of false discoveries, NaN where
// none is.
func (l Levels) cut(rate float64) float64 {
	cut := math.NaN()
	for p, q := range l {
		if q <= rate && !(p <= cut) {
			cut = p
		}
	}
	return cut
}

// A Rule tells verdicts from p-values.
type Rule struct {
	Alpha   float64
	Holdout int // graphs that p-values compare with
	// list is the file that those are of, empty for graphs kept from training.
	list string
	// Guard is the p-value by itself up to which a record can be outside, 0 for no such
	// limit: that of the batch, see algo.Guard.
	Guard float64
	// ByRate is the rule of `baca score --fdr`: outside up to the p-value cut, which
	// may be NaN for none, borderline up to α.
	ByRate bool
	Cut    float64
}

// Judge is the verdict on a record with a p-value, and another one by itself.
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

// Limits are the highest p-values that are called outside, NaN where none is, and
// borderline.
func (r Rule) Limits() (most, border float64) {
	if r.ByRate {
		return r.Cut, r.Alpha
	}
	return r.Alpha, 2 * r.Alpha
}

// known are the scores that are there, of in-distribution graphs that were kept from
// training.
func known(scores []float64) []float64 { return slices.DeleteFunc(slices.Clone(scores), math.IsNaN) }

// Threshold is the lowest score that is outside at α, NaN where there are too few to
// compare with.
func Threshold(reference []float64, alpha float64) float64 {
	if t, ok := decide.Threshold(reference, alpha); ok {
		return t
	}
	return math.NaN()
}
