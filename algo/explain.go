package algo

import (
	"cmp"
	"context"
	"slices"

	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/near"
)

// An Explanation says why a graph got the score that it gets by itself.
type Explanation struct {
	Score   float64
	P       float64 // NaN without a holdout
	Verdict decide.Verdict

	// Distance says how far the graph is from the nearest training graphs, and Ratio how
	// much more it is like the background than like the training set, both in standard
	// deviations of training graphs. They answer different questions; the score fuses
	// them. Ratio is NaN where the model has no background.
	Distance, Ratio float64
	// Embedding, Subtrees, Counts and Nodes are the parts of Distance, each in
	// standard deviations of what training graphs have: the distances to the nearest
	// training graph of the embeddings, of the subtrees as sets and of the subtrees
	// with counts, and ℓ_n, which weighs little. It is NaN for graphs with features.
	Embedding, Subtrees, Counts, Nodes float64

	// Limit is the least score that is called outside, and 0, the mean of training graphs,
	// where the holdout is too small to tell.
	Limit float64
	// Contributions has for each node what it adds to Score: they add up to Score − Limit,
	// so that they are positive in sum exactly where the graph is called outside. Two of
	// the things that the score is made of come from nodes: BySubtrees is what each
	// adds by way of subtrees that the closest training graph lacks, and by the weights
	// that its subtrees have in Ratio; ByEmbedding by way of coordinates of the embedding.
	// Each of the two adds up to what its parts add to Score, 0 being what training graphs
	// have on average. What no node can be told of is spread as if all subtrees had the
	// same part of it.
	Contributions, BySubtrees, ByEmbedding []float64

	Reasons []explain.Reason
	Nearest []TrainingGraph // of the bank, see [SingleScorer.Nearest]
	// Duplicate says that the graph was likely trained on, see explain.Known.
	Duplicate bool
}

// NearestExplained is the length of Explanation.Nearest where the bank has as many.
const NearestExplained = 3

// Explain says what can be said about one graph, with a false-alarm rate for the
// verdict.
func (s *SingleScorer) Explain(ctx context.Context, g *graph.Graph, alpha float64) (*Explanation, error) {
	o, err := contrast.OutlineOf(ctx, s.workers, s.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return nil, err
	}
	x := &Explanation{}
	of := s.model.traits([]*graph.Graph{g}, o.Prints)
	list, d, err := s.answers(ctx, s.workers, o, of)
	if err != nil {
		return nil, err
	}
	x.Score, x.Distance, x.Ratio = list[0].score, list[0].distance, list[0].ratio
	p, verdicts := s.Judge(scoresOf(list), alpha)
	x.P, x.Verdict = p[0], verdicts[0]
	x.Limit, _ = decide.Threshold(s.holdout, alpha)
	parts := s.near.Parts(d)
	x.Embedding, x.Subtrees = parts[near.ByEmbedding][0], parts[near.BySubtrees][0]
	x.Counts, x.Nodes = parts[near.ByCounts][0], parts[near.ByNodes][0]
	var blame *explain.Blame
	if g.N() > 0 {
		blame = s.share(x, g, o.Prints[0], d, of.fold(0))
	}
	x.Reasons = explain.Reasons(g, explain.Memory{Profile: s.model.Profile, Index: s.near.Subtrees, Train: s.model.Card.Train, Least: max(1, s.model.Shared)}, blame)
	if r, ok := explain.Background(x.Ratio); ok {
		x.Reasons = append(x.Reasons, r)
		slices.SortStableFunc(x.Reasons, func(a, b explain.Reason) int { return cmp.Compare(b.Weight, a.Weight) })
	}
	x.Nearest, x.Duplicate = s.Nearest(g, NearestExplained), s.Duplicate(g)
	return x, nil
}

// Embedding returns the embedding of a graph, a row of contrast.Representation.Q.
func (s *SingleScorer) Embedding(ctx context.Context, g *graph.Graph) ([]float32, error) {
	r, err := contrast.Represent(ctx, s.workers, s.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return nil, err
	}
	return r.Q, nil
}

// Duplicate tells whether g was likely trained on. It is false where the model does
// not hold what that takes.
func (s *SingleScorer) Duplicate(g *graph.Graph) bool {
	return s.model.Profile != nil && s.model.Profile.Known.Likely(g)
}
