package model

import "baca/algo/near"

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

// Scales returns the measured scales, or nil if there are none or other rules measured them.
func (m *Model) Scales() *near.Scales {
	if m.Measured == nil || m.Measured.Rules != Rules {
		return nil
	}
	return &m.Measured.Scales
}
