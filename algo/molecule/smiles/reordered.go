package smiles

import (
	"math"
	"slices"

	"baca/algo/molecule"
)

// Reordered returns a function that reorders values of the n atoms of a molecule in form f to the atoms of its SMILES,
// with NaN for omitted atoms. The function returns nil for nil, and if in form f the SMILES has not n atoms.
func Reordered(text string, f molecule.Form, n int) func([]float64) []float64 {
	if f == molecule.AsWritten {
		return func(v []float64) []float64 { return v }
	}
	var read *molecule.Molecule
	var order []int32
	m, err := Parse(text)
	if err == nil {
		read, order, _ = In(m, f)
	}
	if text == "" || err != nil || len(read.Atoms) != n {
		return func([]float64) []float64 { return nil }
	}
	return func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		w := slices.Repeat([]float64{math.NaN()}, len(m.Atoms))
		for k, i := range order {
			w[i] = v[k]
		}
		return w
	}
}
