package algo

import (
	"context"
	"math"
	"slices"

	"baca/algo/near"
)

// Rules is the number of the rules by which this program scores single graphs. It goes up with
// every change that gives any graph of any model other bits, so that nothing is compared with
// what other rules measured. A test compares all models that come with the program.
const Rules = 2

// Measured is what a SingleScorer needs of a model beside the model itself, and would have to
// measure each time it starts.
type Measured struct {
	Rules   int // by which it was measured, see [Rules]
	Scales  near.Scales
	Holdout []float64 // the scores of the holdout, NaN for graphs without nodes
}

// Measure fills in Measured for a model as it is now. The file of a model rounds it, so the one
// to measure is that which was loaded.
func (m *Model) Measure(ctx context.Context, workers int) error {
	m.Measured = nil
	s, err := NewSingleScorer(ctx, m, workers)
	if err != nil {
		return err
	}
	m.Measured = &Measured{Rules: Rules, Scales: s.near.Scales(), Holdout: s.holdout}
	if m.Shared > 0 {
		m.Measured.Holdout = nil // they are in Reference
	}
	return nil
}

// scales are those that were measured, nil where these are of other rules.
func (m *Model) scales() *near.Scales {
	if m.Measured == nil || m.Measured.Rules != Rules {
		return nil
	}
	return &m.Measured.Scales
}

// spotChecks is how many scores of the holdout are computed again.
const spotChecks = 3

// recall takes the scores of the holdout from what was measured. It computes a few of them
// anew, and where any has other bits it fails, so that scores which do not belong to this
// model or program are not used.
func (s *SingleScorer) recall(ctx context.Context) (ok bool, err error) {
	m := s.model
	if m.scales() == nil || len(m.Measured.Holdout) != m.Holdout.Len() {
		return false, nil
	}
	n := m.Holdout.Len()
	some := make([]int, min(spotChecks, n))
	traits := make([]Trait, len(some))
	for k := range some {
		some[k] = near.Place(k, len(some), n)
		traits[k] = m.HoldoutTraits[some[k]]
	}
	answers, _, err := s.answers(ctx, 1, m.Holdout.Select(some).Outline(), traitsOf(traits))
	if err != nil {
		return false, err
	}
	for k, a := range answers {
		if math.Float64bits(a.score) != math.Float64bits(m.Measured.Holdout[some[k]]) && !(math.IsNaN(a.score) && math.IsNaN(m.Measured.Holdout[some[k]])) {
			return false, nil
		}
	}
	s.rank(m.Measured.Holdout)
	return true, nil
}

// rank keeps the scores of the holdout.
func (s *SingleScorer) rank(holdout []float64) {
	s.holdout = holdout
	s.ranked = slices.DeleteFunc(slices.Clone(holdout), math.IsNaN)
	slices.Sort(s.ranked)
}
