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

// Trust follows a plan for a list, scored one by one, with expected errors: rows are judged where they have a score and a finite
// prediction, and its uncertainty if the order of errors reads that. The model must have held-out errors, see [Training]. by names the
// order, see [trust.OrderOf].
func (m *Model) Trust(ctx context.Context, l List, p run.Plan, values []algo.Values, o trust.Options, by string) error {
	if len(values) != l.Len() {
		return fmt.Errorf("%d predictions for %d records: want one for each", len(values), l.Len())
	}
	if m.Residuals == nil {
		return fmt.Errorf("model %s knows no held-out errors of predictions: want one that was trained with observed and predicted values", m.Card.Name)
	}
	judging, err := trust.Learn(ctx, m.single, o, by)
	if err != nil {
		return err
	}
	unsure := func(v algo.Values) bool { return !math.IsNaN(v.Uncertainty) }
	if judging.By.ReadsUncertainty() && len(values) > 0 && !slices.ContainsFunc(values, unsure) {
		return fmt.Errorf("errors by %s: no prediction has an uncertainty; the model was trained with those of its own: want them, too, or another order", judging.By)
	}
	for i, v := range values {
		if y := v.Predicted; judging.Classes && (y < 0 || y > 1) {
			return fmt.Errorf("row %d: the prediction %g is no probability of class 1, from 0 to 1, as those whose errors the model knows", l.First+i+1, y)
		}
	}
	p.Columns |= table.OfTrust
	p.Predictions = &run.Predictions{
		Judging: judging,
		Values:  func(e *dataset.Entry) *algo.Values { return &values[e.Row-1-l.First] },
	}
	_, err = m.Score(ctx, l, p)
	return err
}
