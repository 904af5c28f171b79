package smiles

import (
	"math"
	"slices"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule"
)

// Values of the atoms of a canonical form come back in the order of the text.
func TestReordered(t *testing.T) {
	const text = "OCC(N)(F)CCl"
	m := must.Have(Parse(text))
	c, _, _ := Canonical(m)
	values, want := make([]float64, len(c.Atoms)), make([]float64, len(m.Atoms))
	for k := range values {
		values[k], want[k] = float64(c.Atoms[k].Element), float64(m.Atoms[k].Element)
	}
	if slices.Equal(values, want) {
		t.Fatal("the canonical order is that of the text: the test tests nothing")
	}
	if got := Reordered(text, molecule.Canonical, len(values))(values); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if Reordered("", molecule.Canonical, len(values))(values) != nil || Reordered(text, molecule.Canonical, len(values))(nil) != nil {
		t.Error("without a text or values there are some")
	}
	if v := Reordered("CC", molecule.Canonical, 3)([]float64{1, 2, 3}); v != nil {
		t.Errorf("values %v of three atoms for two", v)
	}
	// An atom that is not read has no value.
	got := Reordered("[Na+].CC(=O)[O-]", molecule.Parent, 4)([]float64{1, 2, 3, 4})
	if len(got) != 5 || !math.IsNaN(got[0]) || slices.ContainsFunc(got[1:], math.IsNaN) {
		t.Errorf("without its counter-ion: %v", got)
	}
}
