package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"baca/algo/near"
)

// Residuals are the errors of predictions: observed less predicted values, NaN where one is missing.
// Each prediction was made without its graph.
type Residuals struct {
	Observed, Predicted string    // their columns
	Classes             bool      // observed values are 0 or 1
	Errors              []float64 // of the holdout
	// Trained are errors of training graphs, evenly picked from those that the model knows, see
	// near.Place. Scores of these graphs are too low to compare errors by, distances to their
	// neighbours are not.
	Trained []float64

	// Uncertainty has that of predictions by the model that made them, NewScaffold the errors of predictions that were made
	// without all molecules of the same scaffold. Both have first a value for each of Errors, then for each of Trained.
	Uncertainty, NewScaffold Column
}

// A Column has numbers, NaN where one is missing. Without a name there are none.
type Column struct {
	Name   string
	Values []float64
}

// keep appends a value, unless the column has no name.
func (c *Column) keep(x float64) {
	if c.Name != "" {
		c.Values = append(c.Values, x)
	}
}

// MinErrors is the least number of errors that tell anything.
const MinErrors = 20

// maxTrained bounds Residuals.Trained: more tell little, and their neighbours take time to find.
const maxTrained = 2000

// ErrorsOfTrained returns how many training graphs Residuals hold errors of.
func (m *Model) ErrorsOfTrained() int { return min(maxTrained, m.Known()) }

// KeepResiduals stores the errors of the holdout and of training graphs, and what else of their predictions has a column.
// values has one entry for each graph of the data set, nil for none. The predictions must have been held out or
// cross-validated. It fails for fewer than MinErrors values in a column, for errors that are all 0, and for a model that
// does not hold graphs kept from its training.
func (m *Model) KeepResiduals(values []*Values, of ValueColumns) error {
	if m.Shared > 0 || m.Card.Holdout != "" || m.Holdout.Len() > len(m.Card.HoldoutRows) {
		return fmt.Errorf("model %s does not hold graphs kept from its training", m.Card.Name)
	}
	if len(values) != m.Card.Graphs {
		return fmt.Errorf("values of %d graphs: model %s was trained on a set of %d", len(values), m.Card.Name, m.Card.Graphs)
	}
	r := &Residuals{
		Observed: of.Observed, Predicted: of.Predicted, Classes: true, Uncertainty: Column{Name: of.Uncertainty}, NewScaffold: Column{Name: of.NewScaffold},
	}
	keep := func(row int) float64 { // returns the error of a row's prediction, NaN for none, and keeps the rest
		v := NoValues()
		if row >= 0 && values[row] != nil {
			v = values[row]
		}
		r.Uncertainty.keep(v.Uncertainty)
		r.NewScaffold.keep(v.Observed - v.NewScaffold)
		if math.IsNaN(v.Observed - v.Predicted) {
			return math.NaN()
		}
		r.Classes = r.Classes && (v.Observed == 0 || v.Observed == 1) && v.Predicted >= 0 && v.Predicted <= 1
		return v.Observed - v.Predicted
	}
	for k, n := 0, m.Holdout.Len(); k < n; k++ {
		r.Errors = append(r.Errors, keep(m.Card.HoldoutRows[near.Place(k, n, len(m.Card.HoldoutRows))]))
	}
	rows := m.KnownRows()
	for k, n := 0, m.ErrorsOfTrained(); k < n; k++ {
		r.Trained = append(r.Trained, keep(rows[near.Place(k, n, len(rows))]))
	}
	known := knownOf(r.Errors)
	if known < MinErrors {
		return fmt.Errorf("%d of %d graphs kept from training have both values: want at least %d", known, len(r.Errors), MinErrors)
	}
	if !r.Classes && !slices.ContainsFunc(r.Errors, func(x float64) bool { return math.Abs(x) > 0 }) {
		return fmt.Errorf("observed and predicted values of all %d graphs kept from training are equal: want predictions that were made without them", known)
	}
	for _, c := range []Column{r.Uncertainty, r.NewScaffold} {
		if n := knownOf(c.Values); c.Name != "" && n < MinErrors {
			return fmt.Errorf("%d of %d predictions have a value in column %s: want at least %d", n, len(c.Values), c.Name, MinErrors)
		}
	}
	m.Residuals = r
	return nil
}

// doubtful is the mean held-out error, in standard deviations of observed values, below which a fit is suspected. Forests
// had 0.20 to 0.50 in cross-validation on five sets, and 0.07 to 0.18 on the molecules that they were fitted to.
const doubtful = 0.15

// DoubtErrors returns a sentence that asks whether predictions were made by a model that had seen their molecules, if their
// errors are near zero. Otherwise, and without values, it returns "".
func DoubtErrors(values []*Values) string {
	var observed, errors []float64
	for _, v := range values {
		if v != nil && !math.IsNaN(v.Observed-v.Predicted) {
			observed, errors = append(observed, v.Observed), append(errors, math.Abs(v.Observed-v.Predicted))
		}
	}
	part := stat.Mean(errors, nil) / stat.StdDev(observed, nil)
	if !(part < doubtful) { // or NaN
		return ""
	}
	return fmt.Sprintf("held-out errors are %.2g %% of the standard deviation of observed values: were these predictions fitted to the same molecules?", 100*part)
}

// NoPromise says that errors are not kept unless predictions were held out.
const NoPromise = "the model keeps no errors of predictions, so there will be no interval and no verdict on trust: errors on molecules that a model was fitted to are too small"

// NoResiduals says why a model gives no intervals.
func (m *Model) NoResiduals() string {
	if m.Card.Holdout != "" {
		return fmt.Sprintf("model %s takes p-values from %s, of which it knows no errors: no interval and no verdict on trust", m.Card.Name, m.Card.Holdout)
	}
	return fmt.Sprintf("model %s knows no held-out errors of predictions: no interval and no verdict on trust", m.Card.Name)
}

// Known returns the number of errors that are known, not NaN.
func (r *Residuals) Known() int { return knownOf(r.Errors) + knownOf(r.Trained) }

// knownOf counts the numbers other than NaN.
func knownOf(errors []float64) int {
	n := 0
	for _, x := range errors {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}
