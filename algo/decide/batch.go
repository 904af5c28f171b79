package decide

import (
	"fmt"
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

// A Tally counts p-values. A holdout of n graphs gives at most n+1 different ones, so q-values of
// any number of graphs need little memory.
type Tally struct{ count map[float64]int }

func NewTally() *Tally { return &Tally{map[float64]int{}} }

// Add counts a p-value times times, unless it is NaN.
func (t *Tally) Add(p float64, times int) {
	if !math.IsNaN(p) {
		t.count[p] += times
	}
}

// Len returns the number of counted p-values.
func (t *Tally) Len() int {
	n := 0
	for _, k := range t.count {
		n += k
	}
	return n
}

// QValues maps each p-value to its q-value, see the function QValues.
func (t *Tally) QValues() Levels {
	values := make([]float64, 0, len(t.count))
	for p := range t.count {
		values = append(values, p)
	}
	slices.Sort(values)
	m := t.Len()
	q, least, below := make(Levels, len(values)), 1.0, m
	for i := len(values) - 1; i >= 0; i-- {
		p := values[i]
		least = min(least, float64(p*(float64(m)/float64(below))))
		q[p] = least
		below -= t.count[p]
	}
	return q
}

// CheckFDR rejects an impossible rate of false discoveries.
func CheckFDR(fdr float64) error {
	if !(fdr > 0 && fdr < 1) {
		return fmt.Errorf("rate of false discoveries %g: want a number between 0 and 1", fdr)
	}
	return nil
}
