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
	"baca/algo/graph"
)

// An Alone scores single graphs against a model, without a batch: what a graph
// gets depends on nothing but the graph. These are the scores of a batch of fewer
// than MinBatch graphs. It also says which nodes made such a score, and which
// training graphs are nearest. It is read-only and may be shared by goroutines.
type Alone struct {
	model   *Model
	workers int
	near    *calibrate.Neighborhood
	holdout []float64 // its scores
}

// NewAlone scores the holdout of a model, which p-values are taken from. The model
// must have a bank.
func NewAlone(ctx context.Context, m *Model, workers int) (*Alone, error) {
	if m.Bank.Len() == 0 {
		return nil, fmt.Errorf("model %s holds no training graphs: there is nothing to compare a single graph with", m.Card.Name)
	}
	a := &Alone{model: m, workers: workers}
	var err error
	if a.near, err = calibrate.NewNeighborhood(ctx, workers, m.Bank); err != nil {
		return nil, err
	}
	a.holdout, err = a.near.Scores(ctx, workers, m.Holdout)
	return a, err
}

// Holdout returns the scores of the model's holdout, which must not be changed.
func (a *Alone) Holdout() []float64 { return a.holdout }

// Scores returns the score of each graph, NaN for one without nodes.
func (a *Alone) Scores(ctx context.Context, gs []*graph.Graph) ([]float64, error) {
	r, err := contrast.Describe(ctx, a.workers, a.model.Encoder, gs)
	if err != nil {
		return nil, err
	}
	scores, err := a.near.Scores(ctx, a.workers, r)
	if err != nil {
		return nil, err
	}
	for i, g := range gs {
		if g.N() == 0 {
			scores[i] = math.NaN()
		}
	}
	return scores, nil
}

// Judge returns the p-values of scores, and the verdicts at a rate of false alarms.
func (a *Alone) Judge(scores []float64, alpha float64) ([]float64, []decide.Verdict) {
	p := decide.PValues(scores, a.holdout)
	verdicts := make([]decide.Verdict, len(p))
	for i, v := range p {
		verdicts[i] = decide.Judge(v, alpha)
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
	n := g.N()
	if n > MaxOcclusion {
		return nil, fmt.Errorf("%d nodes: the part of each is only found for up to %d", n, MaxOcclusion)
	}
	gs := []*graph.Graph{g}
	for i := range n {
		gs = append(gs, without(g, i))
	}
	scores, err := a.Scores(ctx, gs)
	if err != nil {
		return nil, err
	}
	part := make([]float64, n)
	for i := range part {
		part[i] = scores[0] - scores[1+i]
	}
	return part, nil
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
	if m.Card.Train+len(m.Card.HoldoutRows) != m.Card.Graphs || m.Card.Graphs > maxRows || m.Card.Train < len(rows) {
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
