// Package decide turns scores into p-values (PValues) and verdicts at a rate of false alarms
// (Judge).
package decide

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// PValues returns for each score the conformal p-value
//
//	p = (1 + #{holdout ≥ score}) / (1 + #holdout),
//
// the chance that an in-distribution graph scores at least as high. It is exact at any sample size
// if the scores of the graph and of the holdout are exchangeable when the graph is in-distribution:
// computed in the same way by a scorer that learned from neither or from both. It is NaN without a
// holdout or for a NaN score; NaN in the holdout is ignored. An ascending holdout saves sorting it.
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

// CountedIn says what a p-value counts: "3 of 205, this one included" for a holdout of 204. kind,
// such as " molecules", names what is counted.
func CountedIn(p float64, holdout int, kind string) string {
	return fmt.Sprintf("%.0f of %d%s, this one included", math.Round(p*float64(1+holdout)), 1+holdout, kind)
}

// A Verdict is what a graph is called. Rows, page, reports and help use these words only.
type Verdict string

const (
	Inside     Verdict = "inside"
	Borderline Verdict = "borderline"
	Outside    Verdict = "outside"
	// Undecided is a graph without a p-value, or any graph where the holdout is too small for
	// alpha.
	Undecided Verdict = "undecided"
	// Refused is an unreadable record. Its row has an error and no verdict.
	Refused Verdict = "refused"
)

// Threshold returns the lowest score with p ≤ alpha, and false if the holdout is too small.
func Threshold(holdout []float64, alpha float64) (float64, bool) {
	sorted := slices.DeleteFunc(slices.Clone(holdout), math.IsNaN)
	slices.Sort(sorted)
	n := len(sorted)
	// With k of the holdout as high or higher, p = (1 + k)/(1 + n).
	k := sort.Search(n, func(k int) bool { return float64(1+k)/float64(1+n) > alpha })
	if k == 0 {
		return 0, false
	}
	return math.Nextafter(sorted[n-k], math.Inf(1)), true
}

// Resolves reports whether the smallest p-value, 1/(1 + holdout), is at most alpha.
func Resolves(alpha float64, holdout int) bool { return 1/float64(1+holdout) <= alpha }

// Judge returns outside where p ≤ alpha, so that at most a fraction alpha of in-distribution graphs
// is called that, borderline where p ≤ 2·alpha, and inside otherwise. With a holdout too small for
// alpha every graph is undecided.
func Judge(p, alpha float64, holdout int) Verdict {
	return Rule{Alpha: alpha, Holdout: holdout}.Judge(p, p)
}

// CheckAlpha rejects an impossible rate of false alarms.
func CheckAlpha(alpha float64) error {
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("false-alarm rate %g: want a number between 0 and 1", alpha)
	}
	return nil
}
