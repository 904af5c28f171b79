package service

import (
	"context"
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/feature/trust"
	"baca/algo/run"
	"baca/algo/table"
)

// A Judging says how predictions are judged. 0 and "" stand for the defaults of [trust.Options] and [trust.OrderOf].
type Judging struct {
	Coverage    float64 `json:"coverage,omitempty" jsonschema:"share of observed values that intervals should hold; 0 for 0.9"`
	Tolerance   float64 `json:"tolerance,omitempty" jsonschema:"errors above it are large; 0 takes the value that four of five held-out errors stay within"`
	LargeErrors float64 `json:"large_errors,omitempty" jsonschema:"share of large errors up to which the verdict is trust; 0 for three quarters of that among all held out, 0.25 at most"`
	ErrorsBy    string  `json:"errors_by,omitempty" jsonschema:"what tells large errors from small ones: score, neighbors, margin, uncertainty or combined; empty for the model's own"`
}

// Predictions has a predicted value for each record, and how uncertain the user's own model is. Nil means unknown.
type Predictions struct {
	Predicted   []*float64 `json:"predicted" jsonschema:"your prediction for each molecule, of classes the probability of class 1; null for none"`
	Uncertainty []*float64 `json:"uncertainty,omitempty" jsonschema:"what your model says of its own uncertainty, in any unit, higher is less sure"`
}

// Values returns the predictions in the form that [Judging.Join] takes.
func (p *Predictions) Values() ([]algo.Values, error) {
	if n := len(p.Uncertainty); n > 0 && n != len(p.Predicted) {
		return nil, fmt.Errorf("%d uncertainties for %d predictions: want one for each, or none", n, len(p.Predicted))
	}
	values := slices.Repeat([]algo.Values{*algo.NoValues()}, len(p.Predicted))
	for i, y := range p.Predicted {
		if y != nil {
			values[i].Predicted = *y
		}
		if len(p.Uncertainty) > 0 && p.Uncertainty[i] != nil {
			values[i].Uncertainty = *p.Uncertainty[i]
		}
	}
	return values, nil
}

// Join makes a plan judge the predictions of a list, whose records are scored one by one. A row is judged if it has a score
// and a finite prediction, and an uncertainty if the order of errors reads it. The model must know held-out errors, see
// [Training]. values has one element for each record of the list.
func (j Judging) Join(ctx context.Context, p *run.Plan, l List, values []algo.Values) error {
	if len(values) != l.Len() {
		return fmt.Errorf("%d predictions for %d records: want one for each", len(values), l.Len())
	}
	if p.Model.Residuals == nil {
		return fmt.Errorf("model %s knows no held-out errors: want a model trained with observed and predicted values", p.Model.Card.Name)
	}
	judging, err := trust.Learn(ctx, p.Options.Single, trust.Options{Coverage: j.Coverage, Tolerance: j.Tolerance, Rate: j.LargeErrors}, j.ErrorsBy)
	if err != nil {
		return err
	}
	unsure := func(v algo.Values) bool { return !math.IsNaN(v.Uncertainty) }
	if judging.By.ReadsUncertainty() && len(values) > 0 && !slices.ContainsFunc(values, unsure) {
		return fmt.Errorf("errors by %s: the predictions have no uncertainty: send them, or choose another order", judging.By)
	}
	for i, v := range values {
		if y := v.Predicted; judging.Classes && (y < 0 || y > 1) {
			return fmt.Errorf("row %d: the prediction is %g: want the probability of class 1, from 0 to 1", l.First+i+1, y)
		}
	}
	p.Columns |= table.OfTrust
	p.Predictions = &run.Predictions{
		Judging: judging,
		Values:  func(e *dataset.Entry) *algo.Values { return &values[e.Row-1-l.First] },
	}
	return nil
}
