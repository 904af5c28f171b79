package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"baca/algo/dataset"
	"baca/algo/document"
	"baca/algo/explain"
	"baca/algo/model"
)

// Labels are columns of molecules' values, with their mistakes. They are safe for concurrent use.
type Labels struct {
	model.ValueColumns
	Classes bool // observed values are 0 or 1, predictions probabilities

	mutex sync.Mutex
	rows  int // with a bad cell
	bad   int
	first []badCell // the first few, by row
}

type badCell struct {
	row, cell int
	err       error
}

// badShown is how many bad cells are named.
const badShown = 5

// A valueColumn has one of a molecule's values.
type valueColumn struct {
	name  string
	value *float64
	class func(x float64) string // what was wanted instead of x, empty for nothing
}

// columns returns the columns that are read, each with its place in v.
func (l *Labels) columns(v *model.Values) []valueColumn {
	return slices.DeleteFunc([]valueColumn{
		{l.Observed, &v.Observed, notClass}, {l.Predicted, &v.Predicted, notProbability}, {l.Uncertainty, &v.Uncertainty, nil},
		{l.NewScaffold, &v.NewScaffold, notProbability},
	}, func(c valueColumn) bool { return c.name == "" })
}

// Columns returns the names of the columns to read, for Cells of [dataset.Options].
func (l *Labels) Columns() (names []string) {
	for _, c := range l.columns(new(model.Values)) {
		names = append(names, c.name)
	}
	return names
}

// Of returns a record's values from its Cells, which are those of Columns. A value is NaN if its cell is no number or no
// class where it has to be one; such cells are counted. Without labels or columns Of returns nil.
func (l *Labels) Of(r *dataset.Entry) *model.Values {
	if l == nil {
		return nil
	}
	v := model.NoValues()
	columns := l.columns(v)
	if len(columns) == 0 {
		return nil
	}
	var bad []badCell
	for k, c := range columns {
		text := ""
		if k < len(r.Cells) {
			text = r.Cells[k]
		}
		x, err := numberIn(text)
		if err == nil && l.Classes && c.class != nil && c.class(x) != "" {
			err = fmt.Errorf("%q, want %s, as those whose errors the model knows", text, c.class(x))
		}
		if err == nil {
			*c.value = x
			continue
		}
		if err = fmt.Errorf("column %s: %w", c.name, err); r.Cells != nil {
			err = r.FailCell(k, err)
		}
		bad = append(bad, badCell{r.Row, k, err})
	}
	l.note(bad)
	return v
}

// numberIn parses a cell. It fails for an empty cell and for what is no finite decimal number.
func numberIn(cell string) (float64, error) {
	if cell == "" {
		return math.NaN(), fmt.Errorf("empty, want a number")
	}
	x, ok := dataset.Decimal(cell)
	if !ok {
		return math.NaN(), fmt.Errorf("%q, want a finite number with a point for decimals", cell)
	}
	return x, nil
}

// notClass returns what is wanted instead of x as an observed class, or "" if x is one.
func notClass(x float64) string {
	if x != 0 && x != 1 {
		return "a class, 0 or 1"
	}
	return ""
}

// notProbability returns what is wanted instead of x as a prediction of a class, or "" if x is one.
func notProbability(x float64) string {
	if x < 0 || x > 1 {
		return "the probability of class 1, from 0 to 1"
	}
	return ""
}

// note counts the bad cells of a row, if it has any, and keeps the first badShown of all rows, by row and cell.
func (l *Labels) note(bad []badCell) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.rows += min(1, len(bad))
	l.bad += len(bad)
	for _, b := range bad {
		at, _ := slices.BinarySearchFunc(l.first, b, func(a, b badCell) int { return cmp.Or(a.row-b.row, a.cell-b.cell) })
		l.first = slices.Insert(l.first, at, b)
		l.first = l.first[:min(len(l.first), badShown)]
	}
}

// Counted says how many rows were read and refused, and how many had a bad cell, if any.
func (l *Labels) Counted(read, refused int) string {
	text := fmt.Sprintf("%d read, %d refused", read, refused)
	if l.rows > 0 {
		text += fmt.Sprintf(", %d without a value", l.rows)
	}
	return text
}

// Problems names the first bad cells, counts the others, and says what becomes of their rows. Without any it is empty.
func (l *Labels) Problems(becomes string) (list []string) {
	for _, b := range l.first {
		list = append(list, "no value: "+document.Printable(b.err.Error()))
	}
	if n := l.bad - len(l.first); n > 0 {
		list = append(list, fmt.Sprintf("no value: %d more cells", n))
	}
	if l.bad > 0 {
		list = append(list, fmt.Sprintf("%s without a value: %s", explain.Count(l.rows, "row"), becomes))
	}
	return list
}

// What becomes of rows without a value, see [Labels.Problems].
const (
	TrainedAsOthers = "their molecules are trained on as the others are"
	WithoutInterval = "these rows have a score and no interval"
	DoNotCount      = "these molecules do not count"
)
