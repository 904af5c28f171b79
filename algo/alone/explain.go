package alone

import (
	"context"
	"math"
	"slices"

	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/molecule/smiles"
	"baca/algo/near"
)

// An Explanation says why a graph has its score.
type Explanation struct {
	Score   float64
	P       float64 // NaN without a holdout
	Counted string  // what P counts, see decide.CountedIn; empty without a holdout
	Verdict decide.Verdict

	// Distance is to the nearest training graphs, Ratio the likelihood ratio to the background,
	// both in standard deviations of training graphs, and Rare what the rarest parts of a molecule add
	// to the score. The score is a sum of the first two, softened, plus Rare, see Scorer. Ratio is
	// NaN without a background.
	Distance, Ratio, Rare float64
	// The parts of Distance, in standard deviations of training graphs: the distances to the
	// nearest training graph by embedding, by subtree sets and by subtree counts; and ℓ_n, NaN for
	// graphs with features, which have the number of subtrees that no training graph has instead.
	Embedding, Subtrees, Counts, Nodes float64

	// Limit is the least score that is outside, or 0 where the holdout is too small.
	Limit float64
	// Contributions has what each node adds to Score; they add up to Score − Limit. BySubtrees is
	// the share of subtrees that the closest training graph lacks, of subtree weights in Ratio and of
	// rare parts, ByEmbedding that of embedding coordinates; each adds up to its part of Score, 0 being the
	// mean of training graphs. What belongs to no node is spread evenly over subtrees.
	Contributions, BySubtrees, ByEmbedding []float64

	Reasons []explain.Reason
	Nearest []TrainingGraph // of the bank, see [Scorer.Nearest]
	// Duplicate reports that the graph was trained on, see [Model.Trained].
	Duplicate bool
}

// NearestExplained bounds Explanation.Nearest.
const NearestExplained = 3

// Explain explains one graph, with its verdict at a rate of false alarms.
func (s *Scorer) Explain(ctx context.Context, g *graph.Graph, alpha float64) (*Explanation, error) {
	if err := s.model.CheckReading([]*graph.Graph{g}); err != nil {
		return nil, err
	}
	o, err := contrast.OutlineOf(ctx, s.workers, s.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return nil, err
	}
	x := &Explanation{}
	of := s.model.Lookup([]*graph.Graph{g}, o.Prints)
	list, d, err := s.answers(ctx, s.workers, o, of)
	if err != nil {
		return nil, err
	}
	x.Score, x.Distance, x.Ratio, x.Rare = list[0].Score, list[0].Distance, list[0].Ratio, list[0].Rare
	p, verdicts := s.Judge(ScoresOf(list), alpha)
	if x.P, x.Verdict = p[0], verdicts[0]; !math.IsNaN(x.P) {
		x.Counted = decide.CountedIn(x.P, s.model.References(), "")
	}
	x.Limit, _ = decide.Threshold(s.holdout, alpha)
	parts := s.near.Parts(d)
	x.Embedding, x.Subtrees = parts[near.ByEmbedding][0], parts[near.BySubtrees][0]
	x.Counts, x.Nodes = parts[near.ByCounts][0], math.NaN()
	if o.NodeScore != nil {
		x.Nodes = parts[near.ByRest][0]
	}
	var blame *explain.Blame
	if g.N() > 0 {
		blame = s.contribute(x, g, o.Prints[0], d, of.Fold(0))
	}
	if x.Duplicate = s.Duplicate(g); x.Duplicate {
		x.Nearest = s.Nearest(g, mostTwins)
		x.Reasons = []explain.Reason{s.naming(g, x.Nearest)}
		x.Nearest = x.Nearest[:min(len(x.Nearest), NearestExplained)]
		return x, nil
	}
	x.Nearest, x.Reasons = s.Nearest(g, NearestExplained), explain.Reasons(g, s.memory(), blame)
	if r, ok := explain.Background(x.Ratio); ok && x.Verdict != decide.Inside {
		at := len(x.Reasons)
		for at > 0 && x.Reasons[at-1].Kind != "part" && x.Reasons[at-1].Weight < r.Weight {
			at--
		}
		x.Reasons = slices.Insert(x.Reasons, at, r)
	}
	s.lead(x, g)
	return x, nil
}

// memory is what the model knows of its training graphs.
func (s *Scorer) memory() explain.Memory {
	m := explain.Memory{Profile: s.model.Profile, Index: s.near.Subtrees, Train: s.model.Card.Train, Rare: s.model.Rare, Least: max(1, s.model.Shared)}
	if s.model.Structures != nil {
		m.Contain = func(g *graph.Graph) int { return s.structures().Holders(g) }
	}
	return m
}

// readStructures reads the molecules of the training graphs.
func (s *Scorer) readStructures() *explain.Library {
	var list []*graph.Graph
	for _, text := range s.model.Structures.SMILES {
		if g, _, err := smiles.ParseIn(text, s.model.Form()); err == nil {
			list = append(list, g)
		}
	}
	return explain.NewLibrary(list)
}

// Embedding returns the embedding of a graph, a row of contrast.Representation.Q.
func (s *Scorer) Embedding(ctx context.Context, g *graph.Graph) ([]float32, error) {
	r, err := contrast.Represent(ctx, s.workers, s.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return nil, err
	}
	return r.Q, nil
}

// Duplicate reports whether g was trained on, see [Model.Trained].
func (s *Scorer) Duplicate(g *graph.Graph) bool { return s.model.Trained(g) }

// strangeDegree is how much more a node gets of a plain graph's subtree than its other nodes where the closest training
// graph lacks its degree and so does every other. A node is no more than its degree there, which all around it make, and
// which may lack in the closest graph alone. It was chosen on shapes planted in IMDB-BINARY and PROTEINS.
const strangeDegree = 3

// contribute fills in what each node adds to the score. p is the print of g; d has g alone and the
// head of its fold. It returns the contributions for reasons.
func (s *Scorer) contribute(x *Explanation, g *graph.Graph, p fingerprint.Print, d *near.Distances, fold int) *explain.Blame {
	n, parts := g.N(), s.near.Shares(d, 0)
	ofDistance, ofRatio := s.slopes(x, n)
	spread := explain.NewSpread(g, p, s.rarity)
	b := &explain.Blame{Lacking: make([]float64, n), Ratio: make([]float64, n), Embedding: make([]float64, n)}
	for m, shares := range parts.Keys {
		lacks := parts.Lacks[m]
		if s.model.Card.Schema == model.Constant {
			for k := range lacks {
				lacks[k] = 1 + strangeDegree*lacks[k]*(s.rarity(p.Keys[k])-1)
			}
		}
		if shares != nil {
			explain.Add(b.Lacking, ofDistance, spread.Subtrees(shares, lacks))
		}
	}
	if x.Rare > 0 {
		explain.Add(b.Lacking, 1, s.model.Rare.Shares(g, x.Rare, spread.Rarity()))
	}
	whole := x.Distance
	if head := s.model.Background; head != nil {
		shares, _ := head.Shares(p, fold)
		explain.Add(b.Ratio, ofRatio, spread.Subtrees(shares, nil))
		_, deviation := s.model.Sizes.Of(n)
		whole = model.Total(x.Distance, x.Ratio, head.Weight()) / deviation
	}
	explain.Add(b.Embedding, ofDistance, explain.Embedding(s.model.Encoder, g, parts.Coordinates))
	usual := spread.Usual()
	x.BySubtrees = explain.Level(usual, whole+x.Rare-ofDistance*parts.Embedding, b.Lacking, b.Ratio)
	x.ByEmbedding = explain.Level(usual, ofDistance*parts.Embedding, b.Embedding)
	b.Nodes, b.Inside = explain.Level(usual, x.Score, b.Lacking, b.Ratio, b.Embedding), x.Verdict == decide.Inside
	x.Contributions = b.Excess(g, usual, x.Limit)
	if b.Inside {
		b.Nodes = x.Contributions
	}
	return b
}

// rarity weighs a subtree: 1 if all training graphs have it, about 2 if none does.
func (s *Scorer) rarity(key uint32) float64 {
	n := float64(s.near.Subtrees.Len() + 1)
	return 1 + math.Log(n/(float64(s.near.Subtrees.Holders(key))+0.5))/math.Log(2*n)
}

// slopes returns the derivatives of the score by distance and by ratio.
func (s *Scorer) slopes(x *Explanation, nodes int) (ofDistance, ofRatio float64) {
	if s.model.Background == nil {
		return 1, 0
	}
	_, deviation := s.model.Sizes.Of(nodes)
	weight := s.model.Background.Weight()
	if weight == 0 {
		return 1 / deviation, 0
	}
	return model.SoftSlope(x.Distance) / deviation, weight * model.SoftSlope(x.Ratio) / deviation
}
