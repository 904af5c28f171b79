package job

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"baca/algo"
	"baca/algo/table"
	"baca/algo/trust"
)

// Labels are columns with values of molecules, and what is wrong in them. Several goroutines may
// use them.
type Labels struct {
	Observed, Predicted string // columns, empty for none
	Classes             bool   // observed values are 0 or 1, and predicted ones probabilities

	mutex sync.Mutex
	bad   int
	first []badCell // the first few, by row
}

// A badCell is a cell that holds no value.
type badCell struct {
	row, cell int
	err       error
}

// badShown is how many cells without a value are named.
const badShown = 5

// Columns are those that are to be read, see [dataset.Options].
func (l *Labels) Columns() []string {
	return slices.DeleteFunc([]string{l.Observed, l.Predicted}, func(name string) bool { return name == "" })
}

// Of reads the values of a record by its cells, NaN for what is no number. It is nil where no
// columns are read.
func (l *Labels) Of(row int, cells *table.Cells) *algo.Values {
	columns := l.Columns()
	if len(columns) == 0 {
		return nil
	}
	v := &algo.Values{Observed: math.NaN(), Predicted: math.NaN()}
	for k, name := range columns {
		text := ""
		if cells != nil && k < len(cells.Texts) {
			text = cells.Texts[k]
		}
		observed := name == l.Observed && k == 0
		x, err := numberIn(text)
		if err == nil && l.Classes {
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
	x, ok := decimal(cell)
	if !ok {
		return math.NaN(), fmt.Errorf("%q, want a finite number with a point for decimals", cell)
	}
	return x, nil
}

// decimal reads what tables of numbers have, such as -12.5 and 1e-3. Go's numbers are more: 0x1p-2,
// 0x_ff, inf.
func decimal(cell string) (float64, bool) {
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil && strings.Trim(cell, "0123456789+-.eE") == ""
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

func (l *Labels) note(b badCell) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.bad++
	at, _ := slices.BinarySearchFunc(l.first, b, func(a, b badCell) int { return cmp.Or(a.row-b.row, a.cell-b.cell) })
	l.first = slices.Insert(l.first, at, b)
	l.first = l.first[:min(len(l.first), badShown)]
}

// Problems say which cells hold no number, and end with what becomes of their rows. There are
// none where all hold one.
func (l *Labels) Problems(becomes string) (list []string) {
	for _, b := range l.first {
		list = append(list, "no value: "+table.Printable(b.err.Error()))
	}
	if n := l.bad - len(l.first); n > 0 {
		list = append(list, fmt.Sprintf("no value: %d more cells", n))
	}
	if l.bad > 0 {
		list = append(list, becomes)
	}
	return list
}

// What becomes of rows without a value, see [Labels.Problems].
const (
	TrainedAsOthers = "their molecules are trained on as the others are"
	WithoutInterval = "these rows have a score and no interval"
	DoNotCount      = "these molecules do not count"
)

// EnoughResiduals reports, before anything is trained on graphs with these values, that too few
// of those to be kept from training have both, or that predictions are a copy of what was observed.
// Prepare comes before it.
func (t *Training) EnoughResiduals(values []*algo.Values) error {
	holdout := t.Holdout
	known, numbers, copied := 0, false, true
	for _, row := range holdout {
		if v := values[row]; v != nil && !math.IsNaN(v.Observed-v.Predicted) {
			known++
			numbers = numbers || v.Observed != 0 && v.Observed != 1 // classes may be all right
			copied = copied && v.Observed == v.Predicted
		}
	}
	if known < trust.MinPairs {
		return fmt.Errorf("errors are taken from the %d molecules kept from training, of which %d have both values: want at least %d", len(holdout), known, trust.MinPairs)
	}
	if numbers && copied {
		return fmt.Errorf("observed and predicted values of all %d molecules kept from training are equal: want predictions that were made without them", known)
	}
	return nil
}
