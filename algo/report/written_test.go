package report

import (
	"math"
	"slices"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// Values of the atoms of a canonical form come back in the order of the text.
func TestWritten(t *testing.T) {
	const text = "OCC(N)(F)CCl"
	m := must.Have(smiles.Parse(text))
	c, _, _ := smiles.Canonical(m)
	values, want := make([]float64, len(c.Atoms)), make([]float64, len(m.Atoms))
	for k := range values {
		values[k], want[k] = float64(c.Atoms[k].Element), float64(m.Atoms[k].Element)
	}
	if slices.Equal(values, want) {
		t.Fatal("the canonical order is that of the text: the test tests nothing")
	}
	if got := Written(text, molecule.Canonical, len(values))(values); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if Written("", molecule.Canonical, len(values))(values) != nil || Written(text, molecule.Canonical, len(values))(nil) != nil {
		t.Error("without a text or values there are some")
	}
	// An atom that is not read has no value.
	got := Written("[Na+].CC(=O)[O-]", molecule.Parent, 4)([]float64{1, 2, 3, 4})
	if len(got) != 5 || !math.IsNaN(got[0]) || slices.ContainsFunc(got[1:], math.IsNaN) {
		t.Errorf("without its counter-ion: %v", got)
	}
}
