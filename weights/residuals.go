package weights

import (
	"math"
	"slices"

	"baca/algo"
)

const residualEntries = 5

// residuals writes or reads the errors of predictions.
func (c *codec) residuals(m *algo.Model) {
	v := m.Residuals
	if !c.writes {
		v = new(algo.Residuals)
		m.Residuals = v
	}
	c.fields("", residualEntries)
	c.text("observed", &v.Observed)
	c.text("predicted", &v.Predicted)
	c.flag("classes", &v.Classes)
	values(c, "errors", &v.Errors, m.Holdout.Len(), 8, c.double)
	values(c, "trained", &v.Trained, m.ErrorsOfTrained(), 8, c.double)
}

// uncertainty and newScaffold are optional columns beside the errors, each in a section of its own.
func uncertainty(r *algo.Residuals) *algo.Column { return &r.Uncertainty }
func newScaffold(r *algo.Residuals) *algo.Column { return &r.NewScaffold }

// hasColumn returns a function that reports whether a model has the column that of selects.
func hasColumn(of func(r *algo.Residuals) *algo.Column) func(m *algo.Model) bool {
	return func(m *algo.Model) bool { return m.Residuals != nil && of(m.Residuals).Name != "" }
}

const columnEntries = 2

// besideErrors returns a function that writes or reads the column that of selects: its name, and a value for each
// error. That function fails if the model has no errors, or the column no name.
func besideErrors(of func(r *algo.Residuals) *algo.Column) func(c *codec, m *algo.Model) {
	return func(c *codec, m *algo.Model) {
		c.require(m.Residuals != nil, ErrRows, "of predictions whose errors are not known")
		v := of(m.Residuals)
		c.fields("", columnEntries)
		c.text("column", &v.Name)
		c.require(v.Name != "", ErrFormat, "the column has no name")
		values(c, "values", &v.Values, len(m.Residuals.Errors)+len(m.Residuals.Trained), 8, c.double)
	}
}

// checkResiduals fails unless there is an error, or NaN, for each held-out graph and each of the training graphs that have
// one, not all are NaN, and none is infinite or above 1 for classes. A model made for sharing has none.
func checkResiduals(m *algo.Model, holdout int) {
	v := m.Residuals
	if v == nil {
		return
	}
	trained := m.ErrorsOfTrained()
	require(m.Shared <= 0 && len(v.Errors) == holdout && len(v.Trained) == trained && v.Known() > 0, ErrRows,
		"%d and %d errors of predictions, %d of them known, for %d held-out and %d "+
			"training graphs", len(v.Errors), len(v.Trained), v.Known(), holdout, trained)
	for i, x := range slices.Concat(v.Uncertainty.Values, v.NewScaffold.Values) {
		require(!math.IsInf(x, 0), ErrNumber, "value %d beside the errors of predictions is %g", i, x)
	}
	for i, x := range slices.Concat(v.Errors, v.Trained) {
		if math.IsInf(x, 0) || v.Classes && math.Abs(x) > 1 {
			fail(ErrNumber, "prediction %d has an error of %g", i, x)
		}
	}
}
