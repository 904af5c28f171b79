package algo

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/near"
)

// Structures are the molecules of the training graphs that a model holds, in their order,
// see Model.Known. They are kept in a file beside that of the model, if at all: see package
// weights.
type Structures struct {
	SMILES []string
	Names  []string // empty for a molecule without a name; nil where none has one
	// Observed and Predicted are values of the molecules, NaN for one without; nil where none
	// has one.
	Observed, Predicted []float64
}

// Values are what was measured of a molecule and what a model had predicted, NaN where that is
// not known.
type Values struct{ Observed, Predicted float64 }

// A TrainingGraph is one that a model holds and that resembles another graph.
type TrainingGraph struct {
	Place int // among those that the model holds, see Model.Known
	Row   int // in the data set that the model was trained on, from 0; −1 if not known
	// Similarity is that of fingerprint.Counts, from 0 to 1: the share of subtrees, up to
	// two edges high and as often as each occurs, that both graphs have. It is 1 for
	// graphs that differ in no such subtree.
	Similarity float64
	// SMILES and Name are empty where the structures are not at hand, see Model.Structures.
	SMILES, Name string
	Values       *Values // nil where neither is known
}

// MaxNearest bounds how many training graphs are asked for.
const MaxNearest = 100

// Nearest returns the count training graphs that are most similar to g, the most similar
// first, ties by place.
func (s *SingleScorer) Nearest(g *graph.Graph, count int) []TrainingGraph {
	similarities := make([]float64, s.near.Subtrees.Len())
	s.near.Subtrees.Similarities(similarities, fingerprint.Counts, fingerprint.New(g, fingerprint.DefaultHeight))
	list := make([]TrainingGraph, len(similarities))
	for k, x := range similarities {
		list[k] = TrainingGraph{Place: k, Similarity: x}
	}
	slices.SortStableFunc(list, func(a, b TrainingGraph) int { return cmp.Compare(b.Similarity, a.Similarity) })
	list = slices.Clone(list[:min(count, len(list))])
	for i := range list {
		n := &list[i]
		n.Row = s.rows()[n.Place]
		if known := s.model.Structures; known != nil {
			n.SMILES = known.SMILES[n.Place]
			if known.Names != nil {
				n.Name = known.Names[n.Place]
			}
			n.Values = known.values(n.Place)
		}
	}
	return list
}

// HasValues tells whether any of the values is known; s may be nil.
func (s *Structures) HasValues() bool { return s != nil && (s.Observed != nil || s.Predicted != nil) }

// values are those of a molecule, nil where none is known.
func (s *Structures) values(place int) *Values {
	v := Values{Observed: math.NaN(), Predicted: math.NaN()}
	if s.Observed != nil {
		v.Observed = s.Observed[place]
	}
	if s.Predicted != nil {
		v.Predicted = s.Predicted[place]
	}
	if math.IsNaN(v.Observed) && math.IsNaN(v.Predicted) {
		return nil
	}
	return &v
}

// An Embedded is a graph of the bank near which another graph is embedded.
type Embedded struct {
	Bank     int     // its row in the model's bank
	Distance float64 // of the embeddings, in standard deviations of the bank
}

// NearestEmbedded returns the count graphs of the bank that are nearest to an embedding,
// nearest first, ties by row.
func (s *SingleScorer) NearestEmbedded(q []float32, count int) []Embedded {
	distances := s.near.Embeddings(q)
	list := make([]Embedded, len(distances))
	for k, d := range distances {
		list[k] = Embedded{Bank: k, Distance: d}
	}
	slices.SortStableFunc(list, func(a, b Embedded) int { return cmp.Compare(a.Distance, b.Distance) })
	return list[:min(count, len(list))]
}

// A Source is a graph of a data set as it was read.
type Source struct {
	Graph        *graph.Graph
	SMILES, Name string
	Values       *Values // nil for none
}

// StructuresOf picks the molecules that the model holds from all graphs of the data set that
// it was trained on. It compares their prints, so that no other data set passes for it.
func (m *Model) StructuresOf(set []Source) (*Structures, error) {
	if m.Card.Schema == Constant || m.Shared > 0 {
		return nil, fmt.Errorf("model %s has no molecules in its bank, and so no structures", m.Card.Name)
	}
	if len(set) != m.Card.Graphs {
		return nil, fmt.Errorf("%d molecules: model %s was trained on a set of %d", len(set), m.Card.Name, m.Card.Graphs)
	}
	s, named, unknown := &Structures{}, false, &Values{Observed: math.NaN(), Predicted: math.NaN()}
	for k, row := range m.KnownRows() {
		if row < 0 {
			return nil, fmt.Errorf("model %s does not tell which rows it was trained on", m.Card.Name)
		}
		from := &set[row]
		if p := fingerprint.New(from.Graph, fingerprint.DefaultHeight); !p.Equal(m.print(k)) {
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

// Known returns how many training graphs the model holds the subtrees of: all that it was
// trained on. Those of the bank are picked from them evenly, see near.Place.
func (m *Model) Known() int {
	if m.Subtrees == nil {
		return m.Bank.Len()
	}
	return m.Subtrees.Len()
}

// print is that of a training graph that the model holds.
func (m *Model) print(place int) fingerprint.Print {
	if m.Subtrees == nil {
		return m.Bank.Prints[place]
	}
	return m.Subtrees.Print(place)
}

// maxRows bounds the data sets of which KnownRows is worth its memory. The numbers
// on a card are only what a file says.
const maxRows = 1 << 24

// KnownRows returns the rows of the data set, from 0, that the training graphs were which
// the model holds, as NewModel picks them, or −1 where the card does not tell.
func (m *Model) KnownRows() []int {
	rows := make([]int, m.Known())
	for k := range rows {
		rows[k] = -1
	}
	if m.Shared > 0 || m.Card.Train+len(m.Card.HoldoutRows) != m.Card.Graphs || m.Card.Graphs > maxRows || m.Card.Train < len(rows) {
		return rows
	}
	isHoldout := map[int]bool{}
	for _, row := range m.Card.HoldoutRows {
		isHoldout[row] = true
	}
	var train []int
	for row := range m.Card.Graphs {
		if !isHoldout[row] {
			train = append(train, row)
		}
	}
	if len(train) == m.Card.Train {
		for k := range rows {
			rows[k] = train[near.Place(k, len(rows), len(train))]
		}
	}
	return rows
}
