// Package qsar has plain models of a property of molecules: ridge and logistic regression,
// and a random forest. A benchmark asks where they err.
//
// A molecule is a row: the numbers of the bits of its fingerprint that are set, ascending.
package qsar

import (
	"errors"
	"fmt"
	"math"
)

// An Estimate is what a model says of a molecule.
type Estimate struct {
	Value float64 // of the property, or the probability of class 1
	// Spread is how unsure the model is of it, as a standard deviation: of a prediction by
	// ridge regression, of a probability by logistic regression (to first order), or of the
	// trees of a forest.
	Spread float64
}

// A Model predicts a property.
type Model interface {
	Predict(row []int32) Estimate
}

// A Table is what models are fitted to.
type Table struct {
	Rows    [][]int32
	Values  []float64 // of each row; 0 or 1 for classes
	Width   int       // bits are below it
	Classes bool
}

// check reports a table that no model can be fitted to. Bits that are out of order or range
// are a mistake of the caller.
func (t *Table) check() error {
	if len(t.Rows) != len(t.Values) {
		panic(fmt.Sprintf("qsar: %d rows and %d values", len(t.Rows), len(t.Values)))
	}
	for _, row := range t.Rows {
		last := int32(-1)
		for _, bit := range row {
			if bit <= last || int(bit) >= t.Width {
				panic(fmt.Sprintf("qsar: bit %d after %d: want ascending ones below %d", bit, last, t.Width))
			}
			last = bit
		}
	}
	if len(t.Rows) < 2 {
		return fmt.Errorf("%d molecules to fit a model to: want 2 or more", len(t.Rows))
	}
	ones := 0
	for i, y := range t.Values {
		switch {
		case math.IsNaN(y) || math.IsInf(y, 0):
			return fmt.Errorf("the value of molecule %d is %v: want a finite number", i+1, y)
		case t.Classes && y != 0 && y != 1:
			return fmt.Errorf("the class of molecule %d is %v: want 0 or 1", i+1, y)
		case y == 1:
			ones++
		}
	}
	if t.Classes && (ones == 0 || ones == len(t.Values)) {
		return errors.New("all molecules are of one class: want two")
	}
	return nil
}
