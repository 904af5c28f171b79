package molecule

import "baca/algo/graph"

// Atoms reads the atom features of a molecule's graph. Each method reads one property of atom i.
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
