package command

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/table"
	"baca/build/internal/usage"
)

// labels are the columns with values of molecules, and what is wrong in them.
type labels struct {
	observed, predicted string // columns, empty for none
	classes             bool   // observed are 0 or 1, and predicted probabilities

	mutex sync.Mutex
	bad   int
	first []badCell // the first few, by row
}

// A badCell is a cell that holds no number.
type badCell struct {
	row, cell int
	err       error
}

// badShown is how many cells without a number are shown.
const badShown = 5

func (l *labels) register(fs *pflag.FlagSet) {
	fs.StringVar(&l.observed, "observed", "", "`column` with the measured value of each molecule")
	fs.StringVar(&l.predicted, "predicted", "", "`column` with the value that a model of yours predicted")
}

// columns are those that are to be read.
func (l *labels) columns() []string {
	return slices.DeleteFunc([]string{l.observed, l.predicted}, func(name string) bool { return name == "" })
}

// of reads the values of a record by its cells, NaN for what is no number. It is nil where no
// columns are read. Several goroutines may call it.
func (l *labels) of(row int, cells *table.Cells) *algo.Values {
	columns := l.columns()
	if len(columns) == 0 {
		return nil
	}
	v := &algo.Values{Observed: math.NaN(), Predicted: math.NaN()}
	for k, name := range columns {
		text := ""
		if cells != nil && k < len(cells.Texts) {
			text = cells.Texts[k]
		}
		observed := name == l.observed && k == 0
		x, err := numberIn(text)
		if err == nil && l.classes {
			err = checkClass(text, x, observed)
		}
		if err != nil {
			x = math.NaN()
			if err = fmt.Errorf("column %s: %w", name, err); cells != nil {
				err = cells.Fail(k, err)
			}
			l.note(badCell{row, k, err})
		}
		if observed {
			v.Observed = x
		} else {
			v.Predicted = x
		}
	}
	return v
}

// numberIn reads a cell with a finite number.
func numberIn(cell string) (float64, error) {
	if cell == "" {
		return math.NaN(), fmt.Errorf("empty, want a number")
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return math.NaN(), fmt.Errorf("%q, want a finite number with a point for decimals", cell)
	}
	return x, nil
}

// checkClass reports what is no class, where that was observed, and else what is no probability.
func checkClass(text string, x float64, observed bool) error {
	switch {
	case observed && x != 0 && x != 1:
		return fmt.Errorf("%q, want a class, 0 or 1, as those whose errors the model knows", text)
	case x < 0 || x > 1:
		return fmt.Errorf("%q, want the probability of class 1, from 0 to 1, as those whose errors the model knows", text)
	}
	return nil
}

func (l *labels) note(b badCell) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.bad++
	at, _ := slices.BinarySearchFunc(l.first, b, func(a, b badCell) int {
		if a.row != b.row {
			return a.row - b.row
		}
		return a.cell - b.cell
	})
	l.first = slices.Insert(l.first, at, b)
	l.first = l.first[:min(len(l.first), badShown)]
}

// tell says which cells hold no value, and what becomes of their rows.
func (l *labels) tell(w io.Writer, becomes string) {
	for _, b := range l.first {
		fmt.Fprintf(w, "no value: %s\n", table.Printable(b.err.Error()))
	}
	if n := l.bad - len(l.first); n > 0 {
		fmt.Fprintf(w, "no value: %d more cells\n", n)
	}
	if l.bad > 0 {
		fmt.Fprintln(w, becomes)
	}
}

// check reports columns that cannot be read from an input.
func (l *labels) check() error {
	if l.observed != "" && l.observed == l.predicted {
		return usage.Errorf("--observed and --predicted are both %s: want two columns", l.observed)
	}
	return nil
}

// readable reports an input that has no columns.
func (l *labels) readable(in *input, path string) error {
	if columns := l.columns(); in.molecules == nil && len(columns) > 0 {
		return usage.Errorf("%s holds plain graphs: there is no column %s", path, columns[0])
	}
	return nil
}
