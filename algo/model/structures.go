package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
)

// Structures are the molecules of the known training graphs, see Model.Known.
type Structures struct {
	SMILES []string
	Names  []string // empty for a molecule without a name; nil if none has one
	// Observed and Predicted are values of the molecules, NaN for none; nil if no molecule has one.
	Observed, Predicted []float64
}

// Values are of a molecule, NaN if not known: the measured and the predicted one, how uncertain the prediction is by the
// model that made it, and a prediction made without all molecules of the same scaffold.
type Values struct{ Observed, Predicted, Uncertainty, NewScaffold float64 }

// NoValues returns values of which none is known.
func NoValues() *Values { return &Values{math.NaN(), math.NaN(), math.NaN(), math.NaN()} }

// ValueColumns name the columns of Values, empty for none.
type ValueColumns struct{ Observed, Predicted, Uncertainty, NewScaffold string }

// HasValues reports whether any value is known; s may be nil.
func (s *Structures) HasValues() bool { return s != nil && (s.Observed != nil || s.Predicted != nil) }

// ValuesOf returns the values of the molecule at a place in SMILES, nil if neither is known.
func (s *Structures) ValuesOf(place int) *Values {
	v := NoValues()
	if s.Observed != nil {
		v.Observed = s.Observed[place]
	}
	if s.Predicted != nil {
		v.Predicted = s.Predicted[place]
	}
	if math.IsNaN(v.Observed) && math.IsNaN(v.Predicted) {
		return nil
	}
	return v
}

// A Source is a graph of a data set as read.
type Source struct {
	Graph        *graph.Graph
	SMILES, Name string
	Values       *Values // nil for none
}

// StructuresOf picks the model's molecules from its training set, as read. It compares prints, and fails for another data
// set. It also fails for a model without molecules, and for one whose card does not tell their rows.
func (m *Model) StructuresOf(set []Source) (*Structures, error) {
	if m.Card.Schema == Constant || m.Shared > 0 {
		return nil, fmt.Errorf("model %s has no molecules in its bank, and so no structures", m.Card.Name)
	}
	if len(set) != m.Card.Graphs {
		return nil, fmt.Errorf("a set of %d: model %s was trained on one of %d", len(set), m.Card.Name, m.Card.Graphs)
	}
	s, named, unknown := &Structures{}, false, NoValues()
	for k, row := range m.KnownRows() {
		if row < 0 {
			return nil, fmt.Errorf("model %s does not tell which rows it was trained on", m.Card.Name)
		}
		from := &set[row]
		if p := fingerprint.New(from.Graph, fingerprint.DefaultHeight); !p.Equal(m.Subtrees.Print(k)) {
			return nil, fmt.Errorf("row %d is not what model %s was trained on", row+1, m.Card.Name)
		}
		s.SMILES, s.Names = append(s.SMILES, from.SMILES), append(s.Names, from.Name)
		named = named || from.Name != ""
		values := cmp.Or(from.Values, unknown)
		s.Observed, s.Predicted = append(s.Observed, values.Observed), append(s.Predicted, values.Predicted)
	}
	if !named {
		s.Names = nil
	}
	known := func(x float64) bool { return !math.IsNaN(x) }
	if !slices.ContainsFunc(s.Observed, known) {
		s.Observed = nil
	}
	if !slices.ContainsFunc(s.Predicted, known) {
		s.Predicted = nil
	}
	return s, nil
}
