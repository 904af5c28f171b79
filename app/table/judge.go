package table

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

// verdictOf is the page's word for a verdict.
func verdictOf(v decide.Verdict) Verdict {
	switch v {
	case decide.Inside:
		return Inside
	case decide.Borderline:
		return Borderline
	case decide.Outside:
		return Outside
	}
	return Undecided
}

// known are the scores without NaN.
func known(scores []float64) []float64 { return slices.DeleteFunc(slices.Clone(scores), math.IsNaN) }

// Threshold is the lowest score outside at α, NaN if the holdout is too small.
func Threshold(reference []float64, alpha float64) float64 {
	if t, ok := decide.Threshold(reference, alpha); ok {
		return t
	}
	return math.NaN()
}
