package alone

import (
	"context"
	"fmt"
	"slices"

	"baca/algo/background"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/near"
	"baca/algo/rare"
)

// Approximate returns a scorer and a model whose p-values compare with the training graphs of the
// bank, too, so that they can be lower. Scores stay the same. outside are the graphs of the model's
// background, as they were given to AddBackground, nil where it has none.
//
// Each training graph is scored as a new one: without itself in the bank, and by a head that has
// seen neither it nor its fold of the background. The encoder has seen it. Such p-values only keep
// to 2α, so they are doubled. Benjamini and Hochberg's rule is not proven for them.
func (s *Scorer) Approximate(ctx context.Context, outside []*graph.Graph) (*Scorer, *model.Model, error) {
	m := *s.model
	if m.Shared > 0 {
		return nil, nil, fmt.Errorf("model %s was made for sharing and holds no single graphs to compare with", m.Card.Name)
	}
	scores, err := s.leftOut(ctx, outside)
	if err != nil {
		return nil, nil, err
	}
	a, all := *s, slices.Concat(s.ranked, scores)
	slices.Sort(all)
	// Half as many references, the highest ones, double each p-value up to 1.
	a.ranked = all[len(all)-(len(all)-1)/2:]
	m.Reference, m.Measured, a.model = a.ranked, nil, &m
	return &a, &m, nil
}

// leftOut scores each graph of the bank as if training had left it out. outside are the graphs of the model's
// background. It fails if they are not as many as the model was made with.
func (s *Scorer) leftOut(ctx context.Context, outside []*graph.Graph) ([]float64, error) {
	m := s.model
	d, err := s.near.LeaveOut(ctx, s.workers)
	if err != nil {
		return nil, err
	}
	scores := s.near.Scores(d)
	if m.Background == nil {
		return addRare(m, scores), nil
	}
	out, err := m.Sample(ctx, s.workers, outside)
	if err != nil {
		return nil, err
	}
	if out.Len() != m.Card.BackgroundGraphs {
		return nil, fmt.Errorf("a background of %d graphs: model %s was made with one of %d", out.Len(), m.Card.Name, m.Card.BackgroundGraphs)
	}
	in := &background.Sample{}
	for k := range m.Known() {
		p := m.Subtrees.Print(k)
		in.Prints, in.Folds = append(in.Prints, p), append(in.Folds, background.Fold(p.Hash()))
	}
	logits, _, err := background.Unseen(ctx, s.workers, in, out)
	if err != nil {
		return nil, err
	}
	for k := range scores {
		logit := logits[near.Place(k, len(scores), len(logits))]
		scores[k] = s.join(scores[k], (logit-m.Background.Mean)/m.Background.Deviation, m.Bank.Prints[k].Nodes())
	}
	return addRare(m, scores), nil
}

// addRare adds to the scores of the bank what rare parts add, each graph left out.
func addRare(m *model.Model, scores []float64) []float64 {
	if m.Rare != nil {
		for k, level := range m.Rare.Bank {
			scores[k] += rare.Raise(int(level))
		}
	}
	return scores
}
