package algo

import (
	"context"
	"math"

	"baca/algo/near"
)

// Rules numbers the scoring rules of single graphs. It rises with every change that gives any graph
// other bits, so that scores of different rules are never compared. A test checks it against all
// built-in models.
const Rules = 5

// Measured caches what a SingleScorer would otherwise compute at each start.
type Measured struct {
	Rules   int // the value of [Rules] then
	Scales  near.Scales
	Holdout []float64 // scores of the holdout, NaN for graphs without nodes
}

// Measure fills in Measured. The file of a model rounds it, so measure the loaded one.
func (m *Model) Measure(ctx context.Context, workers int) error {
	m.Measured = nil
	s, err := NewSingleScorer(ctx, m, workers)
	if err != nil {
		return err
	}
	m.Measured = &Measured{Rules: Rules, Scales: s.near.Scales(), Holdout: s.holdout}
	if m.Shared > 0 {
		m.Measured.Holdout = nil // in Reference
	}
	return nil
}

// scales are the measured scales, nil if other rules measured them.
func (m *Model) scales() *near.Scales {
	if m.Measured == nil || m.Measured.Rules != Rules {
		return nil
	}
	return &m.Measured.Scales
}

// spotChecks is how many cached scores are checked.
const spotChecks = 3

// recall takes the scores of the holdout from the cache. It recomputes a few of them and fails if
// any has other bits, so that a cache of another model or program is not used.
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
	s.rank(m.Measured.Holdout)
	answers, _, err := s.answers(ctx, 1, m.Holdout.Select(some).Outline(), traitsOf(traits))
	if err != nil {
		return false, err
	}
	for k, a := range answers {
		if math.Float64bits(a.Score) != math.Float64bits(m.Measured.Holdout[some[k]]) && !(math.IsNaN(a.Score) && math.IsNaN(m.Measured.Holdout[some[k]])) {
			return false, nil
		}
	}
	return true, nil
}
