package weights

import (
	"bytes"
	"errors"
	"math"
	"testing"
)

func TestResidualsThatCannotBe(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		classes         bool
		errors, trained []float64
		want            error
	}{
		"too many": {false, []float64{1, 2, 3}, []float64{1, 2}, ErrRows}, "too few": {false, []float64{1}, []float64{1, 2}, ErrRows},
		"too many of training graphs": {false, []float64{1, 2}, []float64{1, 2, 3}, ErrRows},
		"none known":                  {false, []float64{nan, nan}, []float64{nan, nan}, ErrRows},
		"infinite":                    {false, []float64{1, math.Inf(-1)}, []float64{1, 2}, ErrNumber},
		"infinite of training graphs": {false, []float64{1, 2}, []float64{1, math.Inf(1)}, ErrNumber},
		"a class above 1":             {true, []float64{-1.5, 1}, []float64{1, 1}, ErrNumber},
		"classes":                     {true, []float64{-1, nan}, []float64{1, 0.5}, nil},
	} {
		m := everything(t)
		m.Residuals.Classes, m.Residuals.Errors, m.Residuals.Trained = c.classes, c.errors, c.trained
		var b bytes.Buffer
		if err := Save(&b, m); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		} else if err == nil && !load(t, b.Bytes()).Residuals.Classes {
			t.Errorf("%s are numbers", name)
		}
	}
	m := everything(t)
	data := save(t, m)
	w := newWriter()
	w.residuals(m)
	two := bytes.Replace(w.buf.Bytes(), []byte("\xa7classes\x00"), []byte("\xa7classes\x02"), 1)
	_, err := Load(replaced(t, data, residualsSection, two))
	refused(t, "classes 2", err, ErrNumber, "residuals: number out of range: classes is 2, want 0 or 1")
}
