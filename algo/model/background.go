package model

import (
	"context"
	"fmt"
	"math"

	"baca/algo/background"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/near"
)

// A Trait is what the score of a held-out graph needs besides its representation.
type Trait struct {
	Fold  int // in the background, see background.Fold
	Level int // of its rarest parts, see rare.Table
}

// fold returns the fold of the background for a graph with the print own. It depends only on the parent of a molecule. A
// model of parents has read that already, and must not look again: which of equally large fragments comes first depends on
// the writing.
func (m *Model) fold(g *graph.Graph, own fingerprint.Print) int {
	if g.Features == molecule.Features && m.Card.Schema != OGBParent {
		if p := molecule.Core(g); p != g {
			own = fingerprint.New(p, fingerprint.DefaultHeight)
		}
	}
	return background.Fold(own.Hash())
}

// Traits returns the traits of graphs with these prints, one print for each graph.
func (m *Model) Traits(gs []*graph.Graph, prints []fingerprint.Print) []Trait {
	list := make([]Trait, len(gs))
	of := m.Lookup(gs, prints)
	for i := range list {
		list[i] = Trait{of.Fold(i), of.Level(i)}
	}
	return list
}

// A Lookup computes Traits on demand: a model without a background needs no folds.
type Lookup struct {
	Fold, Level func(i int) int
}

// Lookup returns the traits of graphs with these prints, one print for each graph. i is the index of a graph.
func (m *Model) Lookup(gs []*graph.Graph, prints []fingerprint.Print) Lookup {
	return Lookup{func(i int) int { return m.fold(gs[i], prints[i]) }, func(i int) int { return m.Rare.Level(gs[i]) }}
}

// LookupOf returns a Lookup of traits that are known.
func LookupOf(list []Trait) Lookup {
	return Lookup{func(i int) int { return list[i].Fold }, func(i int) int { return list[i].Level }}
}

// BuiltInBackground names the built-in background on a model's card.
const BuiltInBackground = "ChEMBL, QM9 and enumerated chemistry"

// AddBackground fits the head that tells a model's training set from a background, outside: molecules at large, without
// labels. training are all training graphs in the order that New got them. If there are fewer than background.MinGraphs on
// a side, it leaves the model without a background. It fails for a model of plain graphs.
func (m *Model) AddBackground(ctx context.Context, workers int, training, outside []*graph.Graph) error {
	if m.Encoder.Features != molecule.Features {
		return fmt.Errorf("model %s reads graphs of the schema %s, a background holds molecules", m.Card.Name, m.Card.Schema)
	}
	in, err := m.Sample(ctx, workers, training)
	if err != nil {
		return err
	}
	out, err := m.Sample(ctx, workers, outside)
	if err != nil {
		return err
	}
	if in.Len() < background.MinGraphs || out.Len() < background.MinGraphs {
		return nil
	}
	head, ratios, err := background.Fit(ctx, workers, in, out)
	if err != nil {
		return err
	}
	bank, err := near.NewBank(ctx, workers, m.Bank, m.Subtrees, nil)
	if err != nil {
		return err
	}
	d, err := bank.LeaveOut(ctx, workers)
	if err != nil {
		return err
	}
	sizes, sums := make([]int, m.Bank.Len()), bank.Scores(d)
	for k, p := range m.Bank.Prints {
		sizes[k] = max(1, p.Nodes())
		sums[k] = Total(sums[k], ratios[k*in.Len()/len(sizes)], head.Weight())
	}
	m.Measured = nil
	m.Background, m.Sizes, m.Card.BackgroundGraphs = head, background.NewSizes(sizes, sums), out.Len()
	return nil
}

// Sample returns the prints and folds of graphs, for background.Fit.
func (m *Model) Sample(ctx context.Context, workers int, gs []*graph.Graph) (*background.Sample, error) {
	prints, err := fingerprint.All(ctx, workers, gs, fingerprint.DefaultHeight)
	if err != nil {
		return nil, err
	}
	s := &background.Sample{Prints: prints, Folds: make([]int, len(gs))}
	for i, g := range gs {
		s.Folds[i] = m.fold(g, prints[i])
	}
	return s, nil
}

// Total returns the sum of a distance and weight times a ratio to the background. Both are softened, so that neither takes
// from the other. Without weight it returns the distance as it is.
func Total(distance, ratio, weight float64) float64 {
	if weight > 0 {
		return soft(distance) + float64(weight*soft(ratio))
	}
	return distance
}

// soft returns max(0, z), rounded off: 0.46 at 0. Sums and roots have the same bits everywhere.
func soft(z float64) float64 { return (z + math.Sqrt(float64(z*z)+softness)) / 2 }

// SoftSlope returns the derivative of soft at z.
func SoftSlope(z float64) float64 { return (1 + z/math.Sqrt(float64(z*z)+softness)) / 2 }

// softness is 4·(ln 2/1.5)², so that soft(0) is that of ln(1 + exp(1.5 z))/1.5. Thrice as much does as well on the
// validation pairs.
const softness = 0.854
