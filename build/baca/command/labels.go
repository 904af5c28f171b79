package command

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"baca/algo/training"
	"baca/build/internal/usage"
)

// labels are value columns by flags.
type labels struct{ training.Labels }

func (l *labels) register(fs *pflag.FlagSet) {
	fs.StringVar(&l.Observed, "observed", "", "`column` with the measured value of each molecule")
	fs.StringVar(&l.Predicted, "predicted", "", "`column` with the value that a model of yours predicted")
}

// tellMissing names cells without a value, and what becomes of their rows.
func (l *labels) tellMissing(w io.Writer, becomes string) {
	for _, text := range l.Problems(becomes) {
		fmt.Fprintln(w, text)
	}
}

// check refuses columns that no input can have.
func (l *labels) check() error {
	names := l.Columns()
	for k, name := range names {
		if slices.Contains(names[:k], name) {
			return usage.Errorf("column %s is named twice: want a column for each kind of value", name)
		}
	}
	return nil
}
