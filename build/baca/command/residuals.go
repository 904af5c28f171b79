package command

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/weights"
)

// keepsErrors reports whether the model keeps prediction errors.
func (o *trainFlags) keepsErrors() bool { return o.values.Predicted != "" }

// completed adds the training molecules to a model file.
func (o *trainFlags) completed(c *cobra.Command, data []byte) ([]byte, error) {
	m, err := weights.Load(data)
	if err != nil {
		return nil, err
	}
	if err := o.keepStructures(c, m); err != nil {
		return nil, fmt.Errorf("--keep-structures: %w", err)
	}
	var b bytes.Buffer
	err = weights.Save(&b, m)
	return b.Bytes(), err
}

func tellResiduals(w io.Writer, data []byte) {
	if m, err := weights.Load(data); err == nil && m.Residuals != nil {
		fmt.Fprintf(w, "kept the errors of %d molecules kept from training, for baca trust\n", m.Residuals.Known())
	}
}

// knowsNothing says why a model has no intervals.
func knowsNothing(m *algo.Model) string {
	text := m.NoResiduals()
	if m.Card.Holdout == "" {
		text += "; baca train --observed --held-out makes one that does"
	}
	return text
}
