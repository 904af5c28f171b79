package command

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/trust"
	"baca/weights"
)

// heldOut is the value of --residuals.
const heldOut = "held-out"

// enoughResiduals reports, before anything is trained, that too few of the molecules to be kept from training
// have both values.
func enoughResiduals(set *trainingSet, seed uint64) error {
	_, holdout := dataset.Hold(len(set.graphs), seed)
	known := 0
	for _, row := range holdout {
		if v := set.values[row]; !math.IsNaN(v.Observed - v.Predicted) {
			known++
		}
	}
	if known < trust.MinPairs {
		return fmt.Errorf("--residuals: errors are taken from the %d molecules kept from training, of which %d have both values: want at least %d", len(holdout), known, trust.MinPairs)
	}
	return nil
}

// withResiduals returns the file of a model with the errors of its holdout.
func (o *pretrainFlags) withResiduals(data []byte, set *trainingSet) ([]byte, error) {
	m, err := weights.Load(data)
	if err != nil {
		return nil, err
	}
	if err := m.KeepResiduals(set.values, o.values.observed, o.values.predicted); err != nil {
		return nil, fmt.Errorf("--residuals: %w", err)
	}
	var b bytes.Buffer
	err = weights.Save(&b, m)
	return b.Bytes(), err
}

// tellResiduals says what the model knows of errors, or why it knows nothing although there are
// predictions.
func (o *pretrainFlags) tellResiduals(w io.Writer, data []byte) {
	switch m, err := weights.Load(data); {
	case err == nil && m.Residuals != nil:
		fmt.Fprintf(w, "kept the errors of %d molecules kept from training, for baca score --predicted\n", m.Residuals.Known())
	case o.values.predicted != "" && o.residuals == "":
		fmt.Fprintf(w, "note: %s\n", noPromise)
	}
}

// noPromise says why there is no interval and no verdict.
const noPromise = "the model keeps no errors of predictions, so there will be no interval and no verdict on trust: --residuals held-out promises that each was made without its molecule, and errors on molecules that a model was fitted to are too small"

// knowsNothing says why a model has no intervals.
func knowsNothing(m *algo.Model) string {
	if m.Card.Holdout != "" {
		return fmt.Sprintf("model %s takes p-values from %s, of which it knows no errors: no interval and no verdict on trust", m.Card.Name, m.Card.Holdout)
	}
	return fmt.Sprintf("model %s knows no held-out errors of predictions: no interval and no verdict on trust; baca pretrain --observed --predicted --residuals held-out makes one that does", m.Card.Name)
}
