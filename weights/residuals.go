package weights

import (
	"fmt"
	"math"

	"baca/algo"
)

const residualEntries = 4

// residuals writes the errors of the holdout.
func (w *writer) residuals(v *algo.Residuals) {
	classes := 0
	if v.Classes {
		classes = 1
	}
	w.fields("", residualEntries)
	w.text("observed", &v.Observed)
	w.text("predicted", &v.Predicted)
	w.count("classes", &classes)
	w.doubles("errors", v.Errors)
}

// residuals reads the errors of so many held-out graphs.
func (r *reader) residuals(holdout int) *algo.Residuals {
	v, classes := new(algo.Residuals), 0
	r.fields("", residualEntries)
	r.text("observed", &v.Observed)
	r.text("predicted", &v.Predicted)
	r.count("classes", &classes)
	v.Errors = r.doubles("errors", holdout)
	if classes > 1 {
		r.fail(ErrNumber, "classes is %d, want 0 or 1", classes)
	}
	v.Classes = classes == 1
	return v
}

// checkResiduals rejects errors that do not match the holdout.
func checkResiduals(m *algo.Model, holdout int) error {
	v := m.Residuals
	if v == nil {
		return nil
	}
	if m.Shared > 0 || len(v.Errors) != holdout || v.Known() == 0 {
		return fmt.Errorf("%w: %d errors of predictions, %d of them known, for %d held-out graphs", ErrRows, len(v.Errors), v.Known(), holdout)
	}
	for i, x := range v.Errors {
		if math.IsInf(x, 0) || v.Classes && math.Abs(x) > 1 {
			return fmt.Errorf("%w: held-out graph %d has an error of %g", ErrNumber, i, x)
		}
	}
	return nil
}
