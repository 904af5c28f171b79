package algo

import (
	"context"
	"fmt"

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

// fold depends only on the parent of a molecule. Parents need a second look: which of several
// equally large fragments comes first depends on the writing.
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
	for i, of := 0, m.traits(gs, prints); i < len(gs); i++ {
		list[i] = Trait{of.fold(i), of.level(i)}
	}
	return list
}

// traits computes Traits on demand: a model without a background needs no folds.
type traits struct {
	fold, level func(i int) int
}

func (m *Model) traits(gs []*graph.Graph, prints []fingerprint.Print) traits {
	return traits{func(i int) int { return m.fold(gs[i], prints[i]) }, func(i int) int { return m.Rare.Level(gs[i]) }}
}

func traitsOf(list []Trait) traits {
	return traits{func(i int) int { return list[i].Fold }, func(i int) int { return list[i].Level }}
}

// BuiltInBackground names the built-in background on a model's card.
const BuiltInBackground = "ChEMBL, QM9 and enumerated chemistry"

// AddBackground fits the head that tells a model's training set from a background: molecules at
// large, without labels. training are all training graphs in the order that NewModel got them. Too
// few graphs leave the model without a background.
func (m *Model) AddBackground(ctx context.Context, workers int, training, outside []*graph.Graph) error {
	if m.Encoder.Features != molecule.Features {
		return fmt.Errorf("model %s reads graphs of the schema %s, a background holds molecules", m.Card.Name, m.Card.Schema)
	}
	in, err := m.sample(ctx, workers, training)
	if err != nil {
		return err
	}
	out, err := m.sample(ctx, workers, outside)
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
		sizes[k] = max(1, nodes(p))
		sums[k] = total(sums[k], ratios[k*in.Len()/len(sizes)], head.Weight())
	}
	m.Measured = nil
	m.Background, m.Sizes, m.Card.BackgroundGraphs = head, background.NewSizes(sizes, sums), out.Len()
	return nil
}

func (m *Model) sample(ctx context.Context, workers int, gs []*graph.Graph) (*background.Sample, error) {
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
