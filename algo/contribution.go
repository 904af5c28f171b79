package algo

import (
	"math"

	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/near"
)

// share fills in what each node adds to the score. p is the print of g and d has g alone, which meets the head of a
// fold. It returns the same for reasons.
func (s *SingleScorer) share(x *Explanation, g *graph.Graph, p fingerprint.Print, d *near.Distances, fold int) *explain.Blame {
	n, parts := g.N(), s.near.Shares(d, 0)
	ofDistance, ofRatio := s.slopes(x.Distance, x.Ratio, n)
	const height = fingerprint.DefaultHeight
	b := &explain.Blame{Lacking: make([]float64, n), Ratio: make([]float64, n), Embedding: make([]float64, n)}
	for m, shares := range parts.Keys {
		if shares != nil {
			add(b.Lacking, ofDistance, explain.Subtrees(g, height, p, shares, parts.Lacks[m]))
		}
	}
	subtrees := ofDistance * parts.Subtrees
	if head := s.model.Background; head != nil {
		shares, _ := head.Shares(p, fold)
		add(b.Ratio, ofRatio, explain.Subtrees(g, height, p, shares, nil))
		subtrees += ofRatio * x.Ratio
	}
	add(b.Embedding, ofDistance, explain.Embedding(s.model.Encoder, g, parts.Coordinates))
	usual := usualShares(g, p)
	x.BySubtrees = level(usual, subtrees, b.Lacking, b.Ratio)
	x.ByEmbedding = level(usual, ofDistance*parts.Embedding, b.Embedding)
	x.Contributions = level(usual, x.Score-x.Limit, b.Lacking, b.Ratio, b.Embedding)
	b.Nodes = x.Contributions
	return b
}

func add(to []float64, slope float64, shares []float64) {
	for i, share := range shares {
		to[i] += slope * share
	}
}

// usualShares is the part of 1 that each node has where all subtrees add the same.
func usualShares(g *graph.Graph, p fingerprint.Print) []float64 {
	even := make([]float64, len(p.Counts))
	for k, n := range p.Counts {
		even[k] = float64(n) / float64(nodes(p)*(fingerprint.DefaultHeight+1))
	}
	return explain.Subtrees(g, fingerprint.DefaultHeight, p, even, nil)
}

// level adds up values of nodes, and what is missing to a sum as the usual shares have it.
func level(usual []float64, sum float64, values ...[]float64) []float64 {
	all := make([]float64, len(usual))
	for _, list := range values {
		for i, v := range list {
			all[i] += v
			sum -= v
		}
	}
	for i, u := range usual {
		all[i] += sum * u
	}
	return all
}

// slopeSteps are those of the path along which slopes are taken.
const slopeSteps = 32

// slopes returns by how much the score grows with each of its two parts, on average on the
// straight way from the mean of training graphs to a graph. So each slope times its
// part is what the part adds, though the score is no sum of them. In a step both
// parts grow, in either order, of which the mean is taken (Shapley's value).
func (s *SingleScorer) slopes(distance, ratio float64, nodes int) (ofDistance, ofRatio float64) {
	if s.model.Background == nil {
		return 1, 0
	}
	distance, ratio = apart(distance), apart(ratio)
	for k := range slopeSteps {
		from, to := float64(k)/slopeSteps, float64(k+1)/slopeSteps
		low := s.join(from*distance, from*ratio, nodes)
		further := s.join(to*distance, from*ratio, nodes)
		likelier := s.join(from*distance, to*ratio, nodes)
		high := s.join(to*distance, to*ratio, nodes)
		ofDistance += (further - low + high - likelier) / 2
		ofRatio += (likelier - low + high - further) / 2
	}
	return ofDistance / distance, ofRatio / ratio
}

// apart is x, but not so close to 0 that a slope cannot be measured.
func apart(x float64) float64 {
	const least = 1e-4
	if math.Abs(x) < least {
		return math.Copysign(least, x)
	}
	return x
}
