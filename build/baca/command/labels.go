package command

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"baca/algo/training"
	"baca/build/internal/usage"
)

// labels are the flags that name columns of values.
type labels struct{ training.Labels }

// register adds the flags --observed and --predicted.
func (l *labels) register(fs *pflag.FlagSet) {
	fs.StringVar(&l.Observed, "observed", "", "`column` with the measured value of each molecule")
	fs.StringVar(&l.Predicted, "predicted", "", "`column` with the value that a model of yours predicted")
}

// tellMissing writes which cells have no value, and what becomes of their rows.
func (l *labels) tellMissing(w io.Writer, becomes string) {
	for _, text := range l.Problems(becomes) {
		fmt.Fprintln(w, text)
	}
}

// check returns an error if a column is named twice.
func (l *labels) check() error {
	names := l.Columns()
	for k, name := range names {
		if slices.Contains(names[:k], name) {
			return usage.Errorf("column %s is named twice: want a column for each kind of value", name)
		}
	}
	return nil
}
