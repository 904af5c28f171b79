package algo

import (
	"cmp"
	"context"
	"math"
	"slices"

	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/near"
)

// maxOcclusion is the number of nodes up to which occlude is worth its cost, which
// grows with the square of it.
const maxOcclusion = 256

// occlude returns for each node of g by how much the score of g drops when the node
// and its edges are taken out, the other nodes keeping their features: positive
// where the node makes the graph look out-of-distribution. It also returns by how much
// the distance of the embeddings drops. The node of a graph of one node gets NaN.
func (s *SingleScorer) occlude(ctx context.Context, g *graph.Graph) (part, embedding []float64, err error) {
	n := g.N()
	gs := []*graph.Graph{g}
	for i := range n {
		gs = append(gs, g.Select(func(node int) bool { return node != i }))
	}
	r, err := contrast.Describe(ctx, s.workers, s.model.Encoder, gs)
	if err != nil {
		return nil, nil, err
	}
	d, err := s.near.Measure(ctx, s.workers, r)
	if err != nil {
		return nil, nil, err
	}
	// All are compared with graphs of the size of g, by the head that g meets.
	t := Trait{Fold: fold(g, r.Prints[0])}
	scores, parts := s.near.Scores(d), s.near.Parts(d)
	for i, distance := range scores {
		scores[i] = s.answer(distance, r.Prints[i], t, n).score
	}
	part, embedding = make([]float64, n), make([]float64, n)
	for i := range part {
		part[i] = scores[0] - scores[1+i]
		embedding[i] = parts[near.ByEmbedding][0] - parts[near.ByEmbedding][1+i]
		if n == 1 { // nothing is left
			part[i], embedding[i] = math.NaN(), math.NaN()
		}
	}
	return part, embedding, nil
}

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
	// with counts, and ℓ_n, which weighs little.
	Embedding, Subtrees, Counts, Nodes float64

	// Occlusion has for each node by how much the score drops when the node and its
	// edges are taken out: positive where the node makes the graph look
	// out-of-distribution. Gradient has what each node adds to the distance by way of
	// the embedding (see explain.Gradient); subtrees have no derivative, so what they
	// add is not in it. Both are nil for a graph of more than 256 nodes. Agreement is
	// the rank correlation of Gradient with what taking out each node does to the
	// distance of the embedding, NaN where it is not defined: where it is low, trust
	// Occlusion.
	Occlusion, Gradient []float64
	Agreement           float64

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
	r, err := contrast.Describe(ctx, s.workers, s.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return nil, err
	}
	x := &Explanation{Agreement: math.NaN()}
	list, d, err := s.answers(ctx, s.workers, r, s.model.Traits([]*graph.Graph{g}, r.Prints))
	if err != nil {
		return nil, err
	}
	x.Score, x.Distance, x.Ratio = list[0].score, list[0].distance, list[0].ratio
	p, verdicts := s.Judge(scoresOf(list), alpha)
	x.P, x.Verdict = p[0], verdicts[0]
	parts := s.near.Parts(d)
	x.Embedding, x.Subtrees = parts[near.ByEmbedding][0], parts[near.BySubtrees][0]
	x.Counts, x.Nodes = parts[near.ByCounts][0], parts[near.ByNodes][0]
	if n := g.N(); n > 0 && n <= maxOcclusion {
		var embedding []float64
		if x.Occlusion, embedding, err = s.occlude(ctx, g); err != nil {
			return nil, err
		}
		x.Gradient = explain.Gradient(s.model.Encoder, g, s.near.Gradient)
		x.Agreement = rankCorrelation(embedding, x.Gradient)
	}
	x.Reasons = explain.Reasons(g, s.model.Profile, s.model.Card.Train, max(1, s.model.Shared), s.near.Subtrees)
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

// rankCorrelation is Spearman's, NaN for fewer than two values or all-equal ones.
func rankCorrelation(x, y []float64) float64 {
	rank := func(v []float64) []float64 {
		ranks := make([]float64, len(v))
		for i, a := range v {
			for _, b := range v {
				switch {
				case b < a:
					ranks[i]++
				case b == a:
					ranks[i] += 0.5
				}
			}
		}
		return ranks
	}
	rx, ry := rank(x), rank(y)
	mx, dx := metric.MeanStd(rx)
	my, dy := metric.MeanStd(ry)
	if !(dx > 0 && dy > 0) || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	sum := 0.0
	for i := range rx {
		sum += (rx[i] - mx) * (ry[i] - my)
	}
	return sum / (dx * dy * float64(len(rx)-1))
}
