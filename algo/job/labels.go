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
)

// Labels are columns of molecules' values, with their mistakes. They are safe for concurrent use.
type Labels struct {
	Observed, Predicted string // columns, empty for none
	Classes             bool   // observed values are 0 or 1, predictions probabilities

	mutex sync.Mutex
	bad   int
	first []badCell // the first few, by row
}

type badCell struct {
	row, cell int
	err       error
}

// badShown is how many bad cells are named.
const badShown = 5

// Columns are the columns to read, see [dataset.Options].
func (l *Labels) Columns() []string {
	return slices.DeleteFunc([]string{l.Observed, l.Predicted}, func(name string) bool { return name == "" })
}

// Of reads a record's values, NaN for what is no number, nil without columns.
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

// decimal accepts decimal notation, such as -12.5 and 1e-3, and not Go's 0x1p-2, 0x_ff, inf.
func decimal(cell string) (float64, bool) {
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil && strings.Trim(cell, "0123456789+-.eE") == ""
}

// checkClass rejects an observed value that is no class, or a prediction that is no probability.
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

// Problems names the cells without a number, and says what becomes of their rows.
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
