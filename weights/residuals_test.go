package weights

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"baca/algo"
)

func TestResidualsThatCannotBe(t *testing.T) {
	nan := math.NaN()
	with := func(classes bool, errors, trained []float64) func(*algo.Model) {
		return func(m *algo.Model) {
			m.Residuals.Classes, m.Residuals.Errors, m.Residuals.Trained = classes, errors, trained
		}
	}
	notSaved(t, everything, []harm{
		{"too many", with(false, []float64{1, 2, 3}, []float64{1, 2}), ErrRows},
		{"too few", with(false, []float64{1}, []float64{1, 2}), ErrRows},
		{"too many of training graphs", with(false, []float64{1, 2}, []float64{1, 2, 3}), ErrRows},
		{"none known", with(false, []float64{nan, nan}, []float64{nan, nan}), ErrRows},
		{"infinite", with(false, []float64{1, math.Inf(-1)}, []float64{1, 2}), ErrNumber},
		{"infinite of training graphs", with(false, []float64{1, 2}, []float64{1, math.Inf(1)}), ErrNumber},
		{"a class above 1", with(true, []float64{-1.5, 1}, []float64{1, 1}), ErrNumber},
	})
	m := everything(t)
	with(true, []float64{-1, nan}, []float64{1, 0.5})(m)
	if !have(Load(save(t, m))).Residuals.Classes {
		t.Error("classes are numbers")
	}
	m = everything(t)
	data := save(t, m)
	w := newWriter()
	w.residuals(m)
	two := bytes.Replace(w.buf.Bytes(), []byte("\xa7classes\x00"), []byte("\xa7classes\x02"), 1)
	notLoaded(t, "classes 2", replaced(t, data, residualsSection, two), ErrNumber, "residuals: number out of range: classes is 2, want 0 or 1")
}

// Uncertainties of predictions are kept beside their errors, or refused.
func TestDoubts(t *testing.T) {
	m := everything(t)
	m.Residuals.Uncertainty = algo.Column{Name: "sd", Values: []float64{0.5, math.NaN(), 2, -1}}
	m.Residuals.NewScaffold = algo.Column{Name: "elsewhere", Values: []float64{7, 8, 9, math.NaN()}}
	data := save(t, m)
	if got := have(Load(data)); !bytes.Equal(save(t, got), data) || fmt.Sprint(got.Residuals) != fmt.Sprint(m.Residuals) {
		t.Errorf("%+v, want %+v", got.Residuals, m.Residuals)
	}
	w := newWriter()
	besideErrors(uncertainty)(w, m)
	good := w.buf.Bytes()
	infinite := append(bytes.Clone(good[:len(good)-8]), 0, 0, 0, 0, 0, 0, 0xf0, 0x7f)
	for name, c := range map[string]struct {
		doubts []byte
		cause  error
		text   string
	}{
		"too few":    {bytes.Replace(good[:len(good)-8], []byte{0xc4, 32}, []byte{0xc4, 24}, 1), ErrFormat, "doubts: "},
		"infinite":   {infinite, ErrNumber, "value 3 beside the errors of predictions is +Inf"},
		"of no name": {bytes.Replace(good, []byte("\xa2sd"), []byte("\xa0"), 1), ErrFormat, "doubts: malformed file: the column has no name"},
	} {
		notLoaded(t, name, replaced(t, data, doubtsSection, c.doubts), c.cause, c.text)
	}
	list := slices.DeleteFunc(sections(t, data), func(s algo.Section) bool { return s.Name == residualsSection })
	notLoaded(t, "without errors", sealed(t, modelKind, list...), ErrRows, "of predictions whose errors are not known")
}
