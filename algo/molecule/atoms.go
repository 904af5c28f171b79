package molecule

import "baca/algo/graph"

// Atoms reads the features of a molecule's graph.
type Atoms struct{ *graph.Graph }

func (a Atoms) Value(i, column int) int { return int(a.X[i*a.Features+column]) }
func (a Atoms) Element(i int) int       { return a.Value(i, ColumnElement) + 1 }
func (a Atoms) Charge(i int) int        { return a.Value(i, ColumnCharge) - Neutral }
func (a Atoms) Charged(i int) bool      { return a.Charge(i) != 0 }
func (a Atoms) Aromatic(i int) bool     { return a.Value(i, ColumnAromatic) == 1 }
func (a Atoms) InRing(i int) bool       { return a.Value(i, ColumnRing) == 1 }
func (a Atoms) Tagged(i int) bool       { return a.Value(i, ColumnChirality) != 0 }

// Tetrahedral reports whether an atom is saturated.
func (a Atoms) Tetrahedral(i int) bool { return a.Value(i, ColumnHybridization) == FeatureSP3 }

// Some reports whether an atom passes a test.
func (a Atoms) Some(test func(i int) bool) bool {
	for i := range a.N() {
		if test(i) {
			return true
		}
	}
	return false
}

// BeginsChain reports whether atom i is the first of six consecutive saturated carbons outside of
// rings. A longer chain is found from its end.
func (a Atoms) BeginsChain(i int) bool {
	link := func(i int) bool { return a.Element(i) == 6 && a.Tetrahedral(i) && !a.InRing(i) }
	var walk func(i, from, length int) bool
	walk = func(i, from, length int) bool {
		if length == 6 {
			return true
		}
		for _, j := range a.Row(i) {
			if int(j) != from && link(int(j)) && walk(int(j), i, length+1) {
				return true
			}
		}
		return false
	}
	return link(i) && walk(i, -1, 1)
}
