package weights

import (
	"math"

	"baca/algo"
)

const residualEntries = 4

// residuals is the errors of the holdout.
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
}

// checkResiduals rejects errors that do not match the holdout.
func checkResiduals(m *algo.Model, holdout int) {
	v := m.Residuals
	if v == nil {
		return
	}
	require(m.Shared <= 0 && len(v.Errors) == holdout && v.Known() > 0, ErrRows,
		"%d errors of predictions, %d of them known, for %d held-out graphs", len(v.Errors), v.Known(), holdout)
	for i, x := range v.Errors {
		if math.IsInf(x, 0) || v.Classes && math.Abs(x) > 1 {
			fail(ErrNumber, "held-out graph %d has an error of %g", i, x)
		}
	}
}
