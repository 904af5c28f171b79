// Package decide turns scores into statements: how often an in-distribution
// graph scores as high, and what to call a graph at a chosen rate of false
// alarms.
package decide

import (
	"fmt"
	"math"
	"slices"
)

// PValues returns for each score the conformal p-value
//
//	p = (1 + #{holdout ≥ score}) / (1 + #holdout):
//
// the chance that an in-distribution graph scores at least as high. It holds at
// any sample size if the graph's score and the holdout's are exchangeable when
// the graph is in-distribution, that is, computed in the same way by a scorer
// that learned from neither or from both alike. It is NaN where there is no
// holdout or the score is NaN; NaN in the holdout is left out. A holdout in ascending order
// saves sorting it.
func PValues(scores, holdout []float64) []float64 {
	sorted := holdout
	if slices.ContainsFunc(holdout, math.IsNaN) || !slices.IsSorted(holdout) {
		sorted = slices.DeleteFunc(slices.Clone(holdout), math.IsNaN)
		slices.Sort(sorted)
	}
	p := make([]float64, len(scores))
	for i, s := range scores {
		if len(sorted) == 0 || math.IsNaN(s) {
			p[i] = math.NaN()
			continue
		}
		below, _ := slices.BinarySearch(sorted, s)
		p[i] = float64(1+len(sorted)-below) / float64(1+len(sorted))
	}
	return p
}

// CountedIn says what a p-value counts: "3 of 205, this one counted in" of a holdout of 204, and
// with a kind, such as " molecules", what they are.
func CountedIn(p float64, holdout int, kind string) string {
	return fmt.Sprintf("%.0f of %d%s, this one counted in", math.Round(p*float64(1+holdout)), 1+holdout, kind)
}

// A Verdict is what a graph is called. These words stand in rows, on the page, in reports
// and in help, and no others for the same.
type Verdict string

const (
	Inside     Verdict = "inside"
	Borderline Verdict = "borderline"
	Outside    Verdict = "outside"
	// Undecided is a graph without a p-value, and every graph where there are too few
	// others to compare it with for the rate of false alarms asked for.
	Undecided Verdict = "undecided"
	// Refused is what a record is called that no graph could be made of. Rows have no
	// verdict for it, but an error.
	Refused Verdict = "refused"
)

// Threshold returns the lowest score whose p-value is at most alpha, and false if
// the holdout is too small for such a p-value.
func Threshold(holdout []float64, alpha float64) (float64, bool) {
	sorted := slices.DeleteFunc(slices.Clone(holdout), math.IsNaN)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	// With k of the holdout as high or higher, p = (1 + k)/(1 + n).
	most := -1
	for k := range sorted {
		if float64(1+k)/float64(1+len(sorted)) <= alpha {
			most = k
		}
	}
	if most < 0 {
		return 0, false
	}
	return math.Nextafter(sorted[most], math.Inf(1)), true
}

// Resolves tells whether p-values from a holdout of so many graphs, the smallest of
// which is 1/(1 + holdout), reach a rate of false alarms.
func Resolves(alpha float64, holdout int) bool { return 1/float64(1+holdout) <= alpha }

// Judge calls a graph outside where p ≤ alpha, so that at most a fraction alpha of
// in-distribution graphs is called that, borderline where p ≤ 2·alpha, and
// inside otherwise. With a holdout too small for alpha every graph is undecided: that
// none is called outside would say nothing.
func Judge(p, alpha float64, holdout int) Verdict {
	switch {
	case math.IsNaN(p) || !Resolves(alpha, holdout):
		return Undecided
	case p <= alpha:
		return Outside
	case p <= 2*alpha:
		return Borderline
	}
	return Inside
}

// CheckAlpha reports a rate of false alarms that makes no sense.
func CheckAlpha(alpha float64) error {
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("false-alarm rate %g: want a number between 0 and 1", alpha)
	}
	return nil
}
