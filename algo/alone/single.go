// Package alone scores one graph by itself, and explains the score.
package alone

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/model"
	"baca/algo/near"
	"baca/algo/rare"
	"baca/algo/ratio"
)

// A Scorer scores single graphs and explains the scores. A score depends only on the graph
// and the model. It is read-only; goroutines may share it.
type Scorer struct {
	model   *model.Model
	workers int
	near    *near.Bank
	ratio   *ratio.Bank
	rows    func() []int // see Model.KnownRows
	// structures are the molecules of the training graphs, where the model has them.
	structures func() *explain.Library

	holdout []float64 // its scores
	ranked  []float64 // the same, ascending
	known   float64   // the highest score of a training graph
}

// New scores the holdout, unless Measured has the scores. The model must have a bank.
func New(ctx context.Context, m *model.Model, workers int) (*Scorer, error) {
	if m.Bank.Len() == 0 {
		return nil, fmt.Errorf("model %s holds no training graphs: there is nothing to compare a graph with", m.Card.Name)
	}
	s := &Scorer{model: m, workers: workers, rows: sync.OnceValue(m.KnownRows)}
	s.structures = sync.OnceValue(s.readStructures)
	s.rank(m.Reference)
	scales := m.Scales()
	if err := s.prepare(ctx, scales); err != nil || m.Shared > 0 {
		return s, err
	}
	if scales != nil {
		if known, err := s.recall(ctx); known || err != nil {
			return s, err
		}
		if err := s.prepare(ctx, nil); err != nil {
			return nil, err
		}
	}
	return s, s.measureHoldout(ctx)
}

// prepare prepares the bank for distances and density ratios. Without scales it measures them.
func (s *Scorer) prepare(ctx context.Context, scales *near.Scales) (err error) {
	if s.near, err = near.NewBank(ctx, s.workers, s.model.Bank, s.model.Subtrees, scales); err == nil {
		s.ratio = ratio.NewBank(s.near)
	}
	return err
}

// measureHoldout scores and ranks the holdout. Molecules whose print equals that of a training molecule score s.known,
// which depends on the ranks: it is set from the scores before they are settled.
func (s *Scorer) measureHoldout(ctx context.Context) error {
	s.rank(nil)
	answers, d, err := s.answers(ctx, s.workers, s.model.Holdout.Outline(), model.LookupOf(s.model.HoldoutTraits))
	if err != nil {
		return err
	}
	scores := ScoresOf(answers)
	s.rank(scores)
	for i, x := range scores {
		scores[i] = s.settled(x, d.Equal(i))
	}
	s.rank(scores)
	return nil
}

// WithHoldout returns a scorer for a model that differs only in its holdout. It costs scoring that.
func (s *Scorer) WithHoldout(ctx context.Context, m *model.Model) (*Scorer, error) {
	if m.Bank != s.model.Bank || m.Encoder != s.model.Encoder {
		return nil, errors.New("the model has another bank or encoder: only its holdout may differ")
	}
	b := *s
	b.model = m
	return &b, b.measureHoldout(ctx)
}

// ScoresOf returns the scores of answers.
func ScoresOf(answers []Answer) []float64 {
	return lists.Map(answers, func(x Answer) float64 { return x.Score })
}

// Holdout returns the scores of the holdout, which must not be changed.
func (s *Scorer) Holdout() []float64 { return s.holdout }

// Scores returns the scores of graphs, NaN for one without nodes.
func (s *Scorer) Scores(ctx context.Context, gs []*graph.Graph) ([]float64, error) {
	list, _, _, err := s.Outlined(ctx, s.workers, gs)
	return ScoresOf(list), err
}

// Judge returns the p-values and verdicts of scores at a rate of false alarms.
func (s *Scorer) Judge(scores []float64, alpha float64) ([]float64, []decide.Verdict) {
	p := decide.PValues(scores, s.ranked)
	return p, lists.Map(p, func(v float64) decide.Verdict { return decide.Judge(v, alpha, s.model.References()) })
}

// An Answer is the score of one graph with its parts.
type Answer struct {
	Score           float64 // NaN without nodes
	Distance, Ratio float64 // NaN without a background
	Rare            float64 // what the rarest parts add to Score
}

// Parts are what a search for graphs scores them by.
type Parts struct {
	Bank   *near.Bank // of the training graphs
	Ranked []float64  // the ascending scores of held-out graphs
	// Outlined scores graphs on that many goroutines.
	Outlined func(ctx context.Context, workers int, gs []*graph.Graph) ([]Answer, *contrast.Outline, *near.Distances, error)
	// Workers is the number of goroutines, 0: one for each core.
	Workers int
	// Join is the score of a graph at another distance.
	Join func(distance float64, x Answer, p fingerprint.Print) float64
}

// Parts returns those of the scorer.
func (s *Scorer) Parts() Parts {
	join := func(distance float64, x Answer, p fingerprint.Print) float64 {
		return s.join(distance, x.Ratio, p.Nodes()) + x.Rare
	}
	return Parts{Bank: s.near, Ranked: s.ranked, Outlined: s.Outlined, Workers: s.workers, Join: join}
}

// Model returns the scorer's model.
func (s *Scorer) Model() *model.Model { return s.model }

// Ranked returns the scores of the holdout in ascending order, which must not be changed.
func (s *Scorer) Ranked() []float64 { return s.ranked }

// Ratio returns the training graphs as density ratios read them.
func (s *Scorer) Ratio() *ratio.Bank { return s.ratio }

// Outlined returns the scores of graphs, scored on that many goroutines, and what they were scored by.
func (s *Scorer) Outlined(ctx context.Context, workers int, gs []*graph.Graph) ([]Answer, *contrast.Outline, *near.Distances, error) {
	if err := s.model.CheckReading(gs); err != nil {
		return nil, nil, nil, err
	}
	o, err := contrast.OutlineOf(ctx, workers, s.model.Encoder, gs)
	if err != nil {
		return nil, nil, nil, err
	}
	list, d, err := s.answers(ctx, workers, o, s.model.Lookup(gs, o.Prints))
	return list, o, d, err
}

// Represented returns the scores of graphs that r represents, as Outlined does. Graphs with several features are
// outlined again, so that their scores have the same bits as without a batch.
func (s *Scorer) Represented(ctx context.Context, workers int, gs []*graph.Graph, r *contrast.Representation) ([]Answer, error) {
	if err := s.model.CheckReading(gs); err != nil {
		return nil, err
	}
	o := r.Outline()
	if s.model.Encoder.Features > 1 {
		var err error
		if o, err = contrast.OutlineOf(ctx, workers, s.model.Encoder, gs); err != nil {
			return nil, err
		}
	}
	answers, _, err := s.answers(ctx, workers, o, s.model.Lookup(gs, o.Prints))
	return answers, err
}

// answers returns the scores of outlined graphs.
//
// A molecule that equals a training molecule scores s.known, which is 0, the mean of training
// molecules, unless the holdout scores lower. A plain graph that does, which need not be the same
// graph, scores at most s.known. The holdout follows the same rule, so p-values stay exact.
func (s *Scorer) answers(ctx context.Context, workers int, o *contrast.Outline, of model.Lookup) ([]Answer, *near.Distances, error) {
	d, err := s.near.Measure(ctx, workers, o)
	if err != nil {
		return nil, nil, err
	}
	list := make([]Answer, o.Len())
	for i, distance := range s.near.Scores(d) {
		list[i] = s.answer(distance, d.Equal(i), o.Prints[i], of, i)
	}
	return list, d, nil
}

// knownGraph is half a deviation above the mean of training graphs, where p is about a quarter.
const knownGraph = 0.5

// rank stores the scores of the holdout. A quarter of them are at least s.known for molecules: no
// training molecule is outside where alpha is below ¼, however alike the training set is.
func (s *Scorer) rank(holdout []float64) {
	s.holdout = holdout
	s.ranked = slices.DeleteFunc(slices.Clone(holdout), math.IsNaN)
	slices.Sort(s.ranked)
	switch n := len(s.ranked); {
	case s.model.Encoder.Features == 1:
		s.known = knownGraph
	case n > 0:
		s.known = min(0, s.ranked[n*3/4])
	default:
		s.known = 0
	}
}

// answer combines the parts of the score of graph i. equal tells that its print equals that of a training graph.
// A graph without nodes has no score: NaN.
func (s *Scorer) answer(distance float64, equal bool, p fingerprint.Print, of model.Lookup, i int) Answer {
	x := Answer{Score: math.NaN(), Distance: distance, Ratio: math.NaN()}
	if len(p.Keys) == 0 {
		return x
	}
	if head := s.model.Background; head != nil {
		x.Ratio = head.Score(p, of.Fold(i))
	}
	if s.model.Rare != nil {
		x.Rare = rare.Raise(of.Level(i))
	}
	x.Score = s.settled(s.join(distance, x.Ratio, p.Nodes())+x.Rare, equal)
	return x
}

// settled returns the score of a graph. If its print equals that of a training graph (equal), a molecule scores
// s.known, and a plain graph at most s.known. A model made for sharing holds no training graphs, so there the score
// stays.
func (s *Scorer) settled(score float64, equal bool) float64 {
	switch {
	case !equal || s.model.Shared > 0:
		return score
	case s.model.Encoder.Features > 1:
		return s.known
	}
	return min(score, s.known)
}

// The score of a molecule is the sum of three parts in standard deviations of left-out training
// molecules: the distance to the nearest (near.Bank) and the ratio to a background (background.Head),
// softened, so that neither takes from the other, and standardised by size (Sizes); and what its rarest
// parts add (rare.Raise). That of a plain graph is the distance.

// join computes the score but for rare parts.
func (s *Scorer) join(distance, ratio float64, nodes int) float64 {
	if s.model.Background == nil {
		return distance
	}
	mean, deviation := s.model.Sizes.Of(nodes)
	return (model.Total(distance, ratio, s.model.Background.Weight()) - mean) / deviation
}
