package command

import (
	"bytes"
	"fmt"
	"io"

	"baca/algo"
	"baca/weights"
)

// heldOut is the value of --residuals.
const heldOut = "held-out"

// withResiduals returns the file of a model with the errors of its holdout.
func (o *trainFlags) withResiduals(data []byte, set *trainingSet) ([]byte, error) {
	m, err := weights.Load(data)
	if err != nil {
		return nil, err
	}
	if err := m.KeepResiduals(set.values, o.values.Observed, o.values.Predicted); err != nil {
		return nil, fmt.Errorf("--residuals: %w", err)
	}
	var b bytes.Buffer
	err = weights.Save(&b, m)
	return b.Bytes(), err
}

// tellResiduals says what the model knows of errors, or why it knows nothing although there are
// predictions.
func (o *trainFlags) tellResiduals(w io.Writer, data []byte) {
	switch m, err := weights.Load(data); {
	case err == nil && m.Residuals != nil:
		fmt.Fprintf(w, "kept the errors of %d molecules kept from training, for baca score --predicted\n", m.Residuals.Known())
	case o.values.Predicted != "" && o.residuals == "":
		fmt.Fprintf(w, "note: %s\n", noPromise)
	}
}

// noPromise says why there is no interval and no verdict.
const noPromise = algo.NoPromise + "; --residuals held-out promises that each prediction was made without its molecule"

// knowsNothing says why a model has no intervals.
func knowsNothing(m *algo.Model) string {
	text := m.NoResiduals()
	if m.Card.Holdout == "" {
		text += "; baca train --observed --predicted --residuals held-out makes one that does"
	}
	return text
}
