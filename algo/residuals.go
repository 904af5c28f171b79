package algo

import (
	"fmt"
	"math"

	"baca/algo/near"
	"baca/algo/trust"
)

// Residuals are the errors of predictions for the graphs of a model's holdout. Neither the encoder nor
// whatever made the predictions has seen these, and their scores are computed as those of new
// graphs are. The errors of training graphs would not do: their scores are lower than those of new ones.
type Residuals struct {
	Observed, Predicted string // the columns that they come from
	Classes             bool   // observed values are 0 or 1
	// Errors are observed less predicted values, of each row of the holdout, NaN where one of the two is
	// not known.
	Errors []float64
}

// KeepResiduals gives the model the errors of its holdout, from the values of all graphs of the data
// set that it was trained on, nil for none. The predictions must have been held out or cross-validated.
func (m *Model) KeepResiduals(values []*Values, observed, predicted string) error {
	if m.Shared > 0 || m.Card.Holdout != "" || m.Holdout.Len() > len(m.Card.HoldoutRows) {
		return fmt.Errorf("model %s does not hold graphs kept from its training", m.Card.Name)
	}
	if len(values) != m.Card.Graphs {
		return fmt.Errorf("values of %d graphs: model %s was trained on a set of %d", len(values), m.Card.Name, m.Card.Graphs)
	}
	r := &Residuals{Observed: observed, Predicted: predicted, Classes: true, Errors: make([]float64, m.Holdout.Len())}
	known := 0
	for k := range r.Errors {
		v := values[m.Card.HoldoutRows[near.Place(k, len(r.Errors), len(m.Card.HoldoutRows))]]
		r.Errors[k] = math.NaN()
		if v == nil || math.IsNaN(v.Observed-v.Predicted) {
			continue
		}
		known++
		r.Errors[k] = v.Observed - v.Predicted
		r.Classes = r.Classes && (v.Observed == 0 || v.Observed == 1) && v.Predicted >= 0 && v.Predicted <= 1
	}
	if known < trust.MinPairs {
		return fmt.Errorf("of %d graphs kept from training %d have both values: want at least %d", len(r.Errors), known, trust.MinPairs)
	}
	m.Residuals = r
	return nil
}

// Known is how many errors are known.
func (r *Residuals) Known() int {
	n := 0
	for _, x := range r.Errors {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

// Trust says what errors to expect of predictions, from the model's residuals, which it must have.
func (s *SingleScorer) Trust(o trust.Options) (*trust.Calibration, error) {
	r := s.model.Residuals
	if r == nil {
		return nil, fmt.Errorf("model %s knows no held-out errors of predictions", s.model.Card.Name)
	}
	pairs := make([]trust.Pair, len(r.Errors))
	for k, x := range r.Errors {
		pairs[k] = trust.Pair{Score: s.holdout[k], Error: x}
	}
	o.Classes = r.Classes
	return trust.New(pairs, o)
}
