package alone

import (
	"context"
	"math"

	"baca/algo/model"
	"baca/algo/near"
)

// Measure fills in Measured of a model. The file of a model rounds it, so measure the loaded one.
func Measure(ctx context.Context, workers int, m *model.Model) error {
	m.Measured = nil
	s, err := New(ctx, m, workers)
	if err != nil {
		return err
	}
	m.Measured = &model.Measured{Rules: model.Rules, Scales: s.near.Scales(), Holdout: s.holdout}
	if m.Shared > 0 {
		m.Measured.Holdout = nil // in Reference
	}
	return nil
}

// spotChecks is how many cached scores are checked.
const spotChecks = 3

// recall takes the scores of the holdout from the cache. It recomputes a few of them and fails if
// any has other bits, so that a cache of another model or program is not used.
func (s *Scorer) recall(ctx context.Context) (ok bool, err error) {
	m := s.model
	if m.Scales() == nil || len(m.Measured.Holdout) != m.Holdout.Len() {
		return false, nil
	}
	n := m.Holdout.Len()
	some := make([]int, min(spotChecks, n))
	traits := make([]model.Trait, len(some))
	for k := range some {
		some[k] = near.Place(k, len(some), n)
		traits[k] = m.HoldoutTraits[some[k]]
	}
	s.rank(m.Measured.Holdout)
	answers, _, err := s.answers(ctx, 1, m.Holdout.Select(some).Outline(), model.LookupOf(traits))
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
