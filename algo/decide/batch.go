package decide

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// QValues returns the q-value of each p-value of a batch, the lowest rate at which Benjamini and
// Hochberg's procedure calls it: with p₍₁₎ ≤ … ≤ p₍ₘ₎,
//
//	q₍ᵢ₎ = min over j ≥ i of min(1, m·p₍ⱼ₎/j).
//
// Of those with q ≤ f, the expected fraction of in-distribution graphs is at most f times their
// fraction in the batch. Conformal p-values from one holdout are dependent in a way that the bound
// allows (Bates and others, "Testing for outliers with conformal p-values", 2023). NaN stays NaN
// and does not count.
func QValues(p []float64) []float64 {
	of, q := LevelsOf(p), make([]float64, len(p))
	for i, v := range p {
		q[i] = of.Of(v)
	}
	return q
}

// A Tally counts p-values by value. A holdout of n graphs gives at most n+1 different ones, so q-values
// of any number of graphs need little memory.
type Tally map[float64]int

// Add counts a p-value, unless it is NaN.
func (t Tally) Add(p float64) {
	if !math.IsNaN(p) {
		t[p]++
	}
}

// Len returns the number of counted p-values.
func (t Tally) Len() (n int) {
	for _, times := range t {
		n += times
	}
	return n
}

// Levels maps each p-value to its q-value, see QValues.
func (t Tally) Levels() Levels {
	below := t.Len() // how many p-values are at or below p
	q, least, all := make(Levels, len(t)), 1.0, float64(below)
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(t))) {
		least = min(least, float64(p*(all/float64(below))))
		q[p] = least
		below -= t[p]
	}
	return q
}

// CheckFDR rejects an impossible false-discovery rate.
func CheckFDR(fdr float64) error {
	if !(fdr > 0 && fdr < 1) {
		return fmt.Errorf("rate of false discoveries %g: want a number between 0 and 1", fdr)
	}
	return nil
}
