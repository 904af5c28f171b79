package training

import (
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo/dataset"
	"baca/algo/model"
)

func TestLabels(t *testing.T) {
	l := &Labels{ValueColumns: model.ValueColumns{Observed: "y", Predicted: "yhat"}}
	of := func(l *Labels, row int, cells ...string) *model.Values {
		return l.Of(&dataset.Entry{Row: row, Line: row + 1, Cells: cells})
	}
	if v := of(l, 9, "1.5", "-2e1"); v.Observed != 1.5 || v.Predicted != -20 {
		t.Errorf("%+v", v)
	}
	if list := l.Problems("so"); list != nil {
		t.Errorf("%q where all cells hold numbers", list)
	}
	// Rows come in any order, and the first are named.
	for row := 8; row >= 1; row-- {
		if v := of(l, row, "NaN", "1,5"); !math.IsNaN(v.Observed) || !math.IsNaN(v.Predicted) {
			t.Errorf("%+v", v)
		}
	}
	list := l.Problems("so")
	if len(list) != 7 || list[0] != `no value: line 2, column 1: column y: "NaN", want a finite number with a point for decimals` || !strings.Contains(list[1], `column yhat: "1,5"`) || list[5] != "no value: 11 more cells" || list[6] != "8 rows without a value: so" {
		t.Errorf("%q", list)
	}
	if got, want := l.Counted(11, 2), "11 read, 2 refused, 8 without a value"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	one := &Labels{ValueColumns: model.ValueColumns{Predicted: "yhat"}}
	if v := of(one, 1, "3"); !math.IsNaN(v.Observed) || v.Predicted != 3 || !slices.Equal(one.Columns(), []string{"yhat"}) {
		t.Errorf("%+v", v)
	}
	classes := &Labels{ValueColumns: model.ValueColumns{Observed: "y", Predicted: "p", Uncertainty: "u"}, Classes: true}
	of(classes, 1, "0", "0", "7")
	if of(classes, 1, "1", "1", "-7"); classes.bad != 0 {
		t.Errorf("%v of classes and probabilities", classes.first)
	}
	const known = `, as those whose errors the model knows`
	for cells, want := range map[[2]string]string{
		{"0.5", "1"}: `column y: "0.5", want a class, 0 or 1` + known, {"1",
			"1.5"}: `column p: "1.5", want the probability of class 1, from 0 to 1` + known,
		{"0", "-0.1"}: `column p: "-0.1", want the probability of class 1, from 0 to 1` + known, {"0", ""}: "column p: empty, want a number",
	} {
		classes.bad, classes.first = 0, nil
		if of(classes, 2, cells[0], cells[1], "1"); classes.bad != 1 || classes.first[0].err.Error() != "line 3, column 1: "+want {
			t.Errorf("%q: %v, want %s", cells, classes.first, want)
		}
	}
	if list := one.Problems("so"); list != nil {
		t.Errorf("%q", list)
	}
	if of(one, 1); one.bad != 1 || one.first[0].err.Error() != "column yhat: empty, want a number" {
		t.Errorf("a record without cells: %v", one.first)
	}
	if v := of(new(Labels), 1); v != nil {
		t.Errorf("values of no columns: %+v", v)
	}
}

// Numbers are those that tables have, and not all that Go has.
func TestNumbers(t *testing.T) {
	for cell, want := range map[string]float64{"0": 0, "-12.5": -12.5, "+3": 3, ".5": 0.5, "5.": 5, "007": 7, "1e-3": 0.001, "2E+02": 200} {
		if x, err := numberIn(cell); err != nil || x != want {
			t.Errorf("%q is %g: %v", cell, x, err)
		}
	}
	for _, cell := range []string{"0x1p4", "0X1P-2", "0x_1p4", "0x10", "1_000", "inf", "-Infinity", "NaN", "1e999", "1,5", "1 000", "1.2.3", "e5", "-", "1e", "½", "٣", "<5", "5 kJ"} {
		if x, err := numberIn(cell); err == nil || !math.IsNaN(x) || !strings.Contains(err.Error(), "want a finite number with a point for decimals") {
			t.Errorf("%q is %g: %v", cell, x, err)
		}
	}
}
