package algo

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"baca/algo/calibrate"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/metric"
)

// An Alone scores single graphs against a model, without a batch: what a graph
// gets depends on nothing but the graph and the model. It also says which nodes made
// such a score, and which training graphs are nearest. It is read-only and may be
// shared by goroutines.
type Alone struct {
	model           *Model
	workers         int
	near            *calibrate.Neighborhood
	holdout         []float64           // its scores
	holdoutNearness *calibrate.Nearness // nil for a model that was made for sharing
}

// NewAlone scores the holdout of a model, which p-values are taken from. The model
// must have a bank.
func NewAlone(ctx context.Context, m *Model, workers int) (*Alone, error) {
	if m.Bank.Len() == 0 {
		return nil, fmt.Errorf("model %s holds no training graphs: there is nothing to compare a graph with", m.Card.Name)
	}
	near, err := calibrate.NewNeighborhood(ctx, workers, m.Bank)
	if err != nil {
		return nil, err
	}
	a := &Alone{model: m, workers: workers, near: near, holdout: m.Reference}
	if m.Shared == 0 {
		var list []single
		if list, a.holdoutNearness, err = a.singles(ctx, workers, m.Holdout, m.HoldoutTraits); err != nil {
			return nil, err
		}
		a.holdout = scoresOf(list)
	}
	return a, nil
}

func scoresOf(list []single) []float64 {
	scores := make([]float64, len(list))
	for i, s := range list {
		scores[i] = s.score
	}
	return scores
}

// rows are those of graphs with these scores, not judged yet.
func (a *Alone) rows(scores []float64) []Row {
	rows := make([]Row, len(scores))
	for i, x := range scores {
		rows[i] = unscored
		rows[i].Alone = x
	}
	return rows
}

// Holdout returns the scores of the model's holdout, which must not be changed.
func (a *Alone) Holdout() []float64 { return a.holdout }

// Scores returns the score of each graph, NaN for one without nodes.
func (a *Alone) Scores(ctx context.Context, gs []*graph.Graph) ([]float64, error) {
	r, err := contrast.Describe(ctx, a.workers, a.model.Encoder, gs)
	if err != nil {
		return nil, err
	}
	list, _, err := a.singles(ctx, a.workers, r, a.model.Traits(gs, r.Prints))
	return scoresOf(list), err
}

// Judge returns the p-values of scores, and the verdicts at a rate of false alarms.
func (a *Alone) Judge(scores []float64, alpha float64) ([]float64, []decide.Verdict) {
	p := decide.PValues(scores, a.holdout)
	verdicts := make([]decide.Verdict, len(p))
	for i, v := range p {
		verdicts[i] = decide.Judge(v, alpha, a.model.References())
	}
	return p, verdicts
}

// MaxOcclusion is the number of nodes up to which Occlude is worth its cost, which
// grows with the square of it.
const MaxOcclusion = 256

// Occlude returns for each node of g by how much the score of g drops when the node
// and its edges are taken out, the other nodes keeping their features: positive
// where the node makes the graph look out-of-distribution. It is an error if g has
// more than MaxOcclusion nodes. The node of a graph of one node gets NaN.
func (a *Alone) Occlude(ctx context.Context, g *graph.Graph) ([]float64, error) {
	part, _, err := a.occlude(ctx, g)
	return part, err
}

// occlude is Occlude, and also returns by how much the distance of the embeddings
// drops, which is what Gradient estimates.
func (a *Alone) occlude(ctx context.Context, g *graph.Graph) (part, embedding []float64, err error) {
	n := g.N()
	if n > MaxOcclusion {
		return nil, nil, fmt.Errorf("%d nodes: the part of each is only found for up to %d", n, MaxOcclusion)
	}
	gs := []*graph.Graph{g}
	for i := range n {
		gs = append(gs, without(g, i))
	}
	r, err := contrast.Describe(ctx, a.workers, a.model.Encoder, gs)
	if err != nil {
		return nil, nil, err
	}
	d, err := a.near.Measure(ctx, a.workers, r)
	if err != nil {
		return nil, nil, err
	}
	// All are compared with graphs of the size of g, by the head that g meets.
	t := Trait{Fold: fold(g, r.Prints[0])}
	scores, parts := a.near.Scores(d), a.near.Parts(d)
	for i, distance := range scores {
		scores[i] = a.single(distance, r.Prints[i], t, n).score
	}
	part, embedding = make([]float64, n), make([]float64, n)
	for i := range part {
		part[i] = scores[0] - scores[1+i]
		embedding[i] = parts[calibrate.ByEmbedding][0] - parts[calibrate.ByEmbedding][1+i]
		if n == 1 { // nothing is left
			part[i], embedding[i] = math.NaN(), math.NaN()
		}
	}
	return part, embedding, nil
}

// Gradient returns for each node of g what it adds to the distance by way of the
// embedding, by integrated gradients (see explain.Gradient). It costs a few passes for
// all nodes together. Subtrees have no derivative, so what they add is not in it.
func (a *Alone) Gradient(g *graph.Graph) ([]float64, error) {
	e := a.model.Encoder
	if g.Features != e.Features {
		return nil, fmt.Errorf("graph with %d node features, the model was trained on %d", g.Features, e.Features)
	}
	return explain.Gradient(e, g, a.near.Gradient), nil
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

	// Occlusion has what taking out each node would take from the score (see
	// Alone.Occlude), nil for a graph of more than MaxOcclusion nodes, and
	// Gradient the part of each node by way of the embedding (see Alone.Gradient).
	// Agreement is the rank correlation of Gradient with what taking out each node
	// does to the distance of the embedding, NaN where it is not defined: where it
	// is low, trust Occlusion.
	Occlusion, Gradient []float64
	Agreement           float64

	Reasons []explain.Reason
	Nearest []Neighbor // in the bank
	// Duplicate says that the graph was likely trained on, see explain.Known.
	Duplicate bool
}

// nearestExplained is the length of Explanation.Nearest where the bank has as many.
const nearestExplained = 3

// Explain says what can be said about one graph, with a false-alarm rate for the
// verdict.
func (a *Alone) Explain(ctx context.Context, g *graph.Graph, alpha float64) (*Explanation, error) {
	r, err := contrast.Describe(ctx, a.workers, a.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return nil, err
	}
	x := &Explanation{Agreement: math.NaN()}
	list, d, err := a.singles(ctx, a.workers, r, a.model.Traits([]*graph.Graph{g}, r.Prints))
	if err != nil {
		return nil, err
	}
	x.Score, x.Distance, x.Ratio = list[0].score, list[0].distance, list[0].ratio
	p, verdicts := a.Judge(scoresOf(list), alpha)
	x.P, x.Verdict = p[0], verdicts[0]
	parts := a.near.Parts(d)
	x.Embedding, x.Subtrees = parts[calibrate.ByEmbedding][0], parts[calibrate.BySubtrees][0]
	x.Counts, x.Nodes = parts[calibrate.ByCounts][0], parts[calibrate.ByNodes][0]
	if n := g.N(); n > 0 && n <= MaxOcclusion {
		var embedding []float64
		if x.Occlusion, embedding, err = a.occlude(ctx, g); err != nil {
			return nil, err
		}
		if x.Gradient, err = a.Gradient(g); err != nil {
			return nil, err
		}
		x.Agreement = rankCorrelation(embedding, x.Gradient)
	}
	x.Reasons = explain.Reasons(g, a.model.Profile, a.model.Card.Train, max(1, a.model.Shared), a.near.Prints())
	if r, ok := explain.Background(x.Ratio); ok {
		x.Reasons = append(x.Reasons, r)
		slices.SortStableFunc(x.Reasons, func(a, b explain.Reason) int { return cmp.Compare(b.Weight, a.Weight) })
	}
	if x.Nearest, err = a.Nearest(ctx, g, nearestExplained); err != nil {
		return nil, err
	}
	x.Duplicate = a.Duplicate(g)
	return x, nil
}

// Embedding returns the embedding of a graph, a row of contrast.Representation.Q.
func (a *Alone) Embedding(ctx context.Context, g *graph.Graph) ([]float32, error) {
	r, err := contrast.Represent(ctx, a.workers, a.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return nil, err
	}
	return r.Q, nil
}

// Duplicate tells whether g was likely trained on. It is false where the model does
// not hold what that takes.
func (a *Alone) Duplicate(g *graph.Graph) bool {
	return a.model.Profile != nil && a.model.Profile.Known.Likely(g)
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

// without returns g without a node.
func without(g *graph.Graph, node int) *graph.Graph {
	n := g.N()
	h := &graph.Graph{
		Features:  g.Features,
		Offsets:   make([]int32, 1, n),
		Neighbors: make([]int32, 0, len(g.Neighbors)),
		X:         make([]float32, 0, len(g.X)),
	}
	for i := range n {
		if i == node {
			continue
		}
		for _, j := range g.Row(i) {
			switch {
			case int(j) < node:
				h.Neighbors = append(h.Neighbors, j)
			case int(j) > node:
				h.Neighbors = append(h.Neighbors, j-1)
			}
		}
		h.Offsets = append(h.Offsets, int32(len(h.Neighbors)))
		h.X = append(h.X, g.X[i*g.Features:(i+1)*g.Features]...)
	}
	return h
}

// A Neighbor is a training graph that resembles another graph.
type Neighbor struct {
	Bank     int     // its row in the model's bank
	Row      int     // in the data set that the model was trained on, from 0; −1 if not known
	Distance float64 // of the embeddings, in standard deviations of the bank
}

// Nearest returns the count graphs of the bank that are nearest to g, nearest
// first, ties by row.
func (a *Alone) Nearest(ctx context.Context, g *graph.Graph, count int) ([]Neighbor, error) {
	bank := a.model.Bank
	r, err := contrast.Represent(ctx, a.workers, a.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return nil, err
	}
	rows := a.model.BankRows()
	list := make([]Neighbor, bank.Len())
	for k, d := range a.near.Distances(r, 0) {
		list[k] = Neighbor{Bank: k, Row: rows[k], Distance: d}
	}
	slices.SortStableFunc(list, func(a, b Neighbor) int { return cmp.Compare(a.Distance, b.Distance) })
	return list[:min(count, len(list))], nil
}

// maxRows bounds the data sets of which BankRows is worth its memory. The numbers
// on a card are only what a file says.
const maxRows = 1 << 24

// BankRows returns the rows of the data set, from 0, that the graphs of the bank
// were, as NewModel picks them, or −1 where the card does not tell.
func (m *Model) BankRows() []int {
	rows := make([]int, m.Bank.Len())
	for k := range rows {
		rows[k] = -1
	}
	if m.Shared > 0 || m.Card.Train+len(m.Card.HoldoutRows) != m.Card.Graphs || m.Card.Graphs > maxRows || m.Card.Train < len(rows) {
		return rows
	}
	held := map[int]bool{}
	for _, row := range m.Card.HoldoutRows {
		held[row] = true
	}
	var train []int
	for row := range m.Card.Graphs {
		if !held[row] {
			train = append(train, row)
		}
	}
	if len(train) == m.Card.Train {
		for k := range rows {
			rows[k] = train[k*len(train)/len(rows)]
		}
	}
	return rows
}
