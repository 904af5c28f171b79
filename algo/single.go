package algo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/near"
	"baca/algo/rare"
	"baca/algo/ratio"
	"baca/algo/suggest"
)

// A SingleScorer scores single graphs and explains the scores. A score depends only on the graph
// and the model. It is read-only; goroutines may share it.
type SingleScorer struct {
	model   *Model
	workers int
	near    *near.Bank
	ratio   *ratio.Bank
	rows    func() []int // see Model.KnownRows

	holdout []float64 // its scores
	ranked  []float64 // the same, ascending
	known   float64   // the highest score of a training graph
}

// NewSingleScorer scores the holdout, unless Measured has the scores. The model must have a bank.
func NewSingleScorer(ctx context.Context, m *Model, workers int) (*SingleScorer, error) {
	if m.Bank.Len() == 0 {
		return nil, fmt.Errorf("model %s holds no training graphs: there is nothing to compare a graph with", m.Card.Name)
	}
	s := &SingleScorer{model: m, workers: workers, rows: sync.OnceValue(m.KnownRows)}
	s.rank(m.Reference)
	scales := m.scales()
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

func (s *SingleScorer) prepare(ctx context.Context, scales *near.Scales) (err error) {
	if s.near, err = near.NewBank(ctx, s.workers, s.model.Bank, s.model.Subtrees, scales); err == nil {
		s.ratio = ratio.NewBank(s.near)
	}
	return err
}

func (s *SingleScorer) measureHoldout(ctx context.Context) error {
	s.rank(nil)
	answers, d, err := s.answers(ctx, s.workers, s.model.Holdout.Outline(), traitsOf(s.model.HoldoutTraits))
	if err != nil {
		return err
	}
	scores := scoresOf(answers)
	s.rank(scores)
	for i, x := range scores {
		scores[i] = s.settled(x, d.Equal(i))
	}
	s.rank(scores)
	return nil
}

// WithHoldout returns a scorer for a model that differs only in its holdout. It costs scoring that.
func (s *SingleScorer) WithHoldout(ctx context.Context, m *Model) (*SingleScorer, error) {
	if m.Bank != s.model.Bank || m.Encoder != s.model.Encoder {
		return nil, errors.New("the model has another bank or encoder: only its holdout may differ")
	}
	b := *s
	b.model = m
	return &b, b.measureHoldout(ctx)
}

func scoresOf(answers []answer) []float64 {
	return lists.Map(answers, func(x answer) float64 { return x.Score })
}

// newRows returns rows with these scores, without verdicts.
func newRows(scores []float64) []Row {
	rows := make([]Row, len(scores))
	for i, x := range scores {
		rows[i] = unscored
		rows[i].Alone = x
	}
	return rows
}

// Holdout returns the scores of the holdout, which must not be changed.
func (s *SingleScorer) Holdout() []float64 { return s.holdout }

// Scores returns the scores of graphs, NaN for one without nodes.
func (s *SingleScorer) Scores(ctx context.Context, gs []*graph.Graph) ([]float64, error) {
	list, _, _, err := s.answersOf(ctx, s.workers, gs)
	return scoresOf(list), err
}

// Judge returns the p-values and verdicts of scores at a rate of false alarms.
func (s *SingleScorer) Judge(scores []float64, alpha float64) ([]float64, []decide.Verdict) {
	p := decide.PValues(scores, s.ranked)
	return p, lists.Map(p, func(v float64) decide.Verdict { return decide.Judge(v, alpha, s.model.References()) })
}

type answer = suggest.Answer

// NewLibrary returns a library without graphs, to choose measurements from.
func (s *SingleScorer) NewLibrary() *suggest.Library {
	join := func(distance float64, x answer, p fingerprint.Print) float64 {
		return s.join(distance, x.Ratio, nodes(p)) + x.Rare
	}
	return suggest.New(suggest.Scorer{Bank: s.near, Ranked: s.ranked, Outlined: s.answersOf, Join: join})
}

func (s *SingleScorer) answersOf(ctx context.Context, workers int, gs []*graph.Graph) ([]answer, *contrast.Outline, *near.Distances, error) {
	o, err := contrast.OutlineOf(ctx, workers, s.model.Encoder, gs)
	if err != nil {
		return nil, nil, nil, err
	}
	list, d, err := s.answers(ctx, workers, o, s.model.traits(gs, o.Prints))
	return list, o, d, err
}

// answersRepresented is answersOf for graphs that r represents. Graphs with several features are
// outlined again, so that their scores have the same bits as without a batch.
func (s *SingleScorer) answersRepresented(ctx context.Context, workers int, gs []*graph.Graph, r *contrast.Representation) ([]answer, error) {
	o := r.Outline()
	if s.model.Encoder.Features > 1 {
		var err error
		if o, err = contrast.OutlineOf(ctx, workers, s.model.Encoder, gs); err != nil {
			return nil, err
		}
	}
	answers, _, err := s.answers(ctx, workers, o, s.model.traits(gs, o.Prints))
	return answers, err
}

// answers returns the scores of outlined graphs.
//
// A molecule that equals a training molecule scores s.known, which is 0, the mean of training
// molecules, unless the holdout scores lower. A plain graph that does, which need not be the same
// graph, scores at most s.known. The holdout follows the same rule, so p-values stay exact.
func (s *SingleScorer) answers(ctx context.Context, workers int, o *contrast.Outline, of traits) ([]answer, *near.Distances, error) {
	d, err := s.near.Measure(ctx, workers, o)
	if err != nil {
		return nil, nil, err
	}
	list := make([]answer, o.Len())
	for i, distance := range s.near.Scores(d) {
		list[i] = s.answer(distance, d.Equal(i), o.Prints[i], of, i)
	}
	return list, d, nil
}

// knownGraph is half a deviation above the mean of training graphs, where p is about a quarter.
const knownGraph = 0.5

// rank stores the scores of the holdout. A quarter of them are at least s.known for molecules: no
// training molecule is outside where alpha is below ¼, however alike the training set is.
func (s *SingleScorer) rank(holdout []float64) {
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

// answer combines the parts of graph i. equal reports that its print equals that of a training
// graph.
func (s *SingleScorer) answer(distance float64, equal bool, p fingerprint.Print, of traits, i int) answer {
	x := answer{Score: math.NaN(), Distance: distance, Ratio: math.NaN()}
	if len(p.Keys) == 0 {
		return x
	}
	if head := s.model.Background; head != nil {
		x.Ratio = head.Score(p, of.fold(i))
	}
	if s.model.Rare != nil {
		x.Rare = rare.Raise(of.level(i))
	}
	x.Score = s.settled(s.join(distance, x.Ratio, nodes(p))+x.Rare, equal)
	return x
}

// settled is the score of a graph whose print may equal that of a training graph. A model made for
// sharing holds no training graphs.
func (s *SingleScorer) settled(score float64, equal bool) float64 {
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
func (s *SingleScorer) join(distance, ratio float64, nodes int) float64 {
	if s.model.Background == nil {
		return distance
	}
	mean, deviation := s.model.Sizes.Of(nodes)
	return (total(distance, ratio, s.model.Background.Weight()) - mean) / deviation
}

func total(distance, ratio, weight float64) float64 {
	if weight > 0 {
		return soft(distance) + float64(weight*soft(ratio))
	}
	return distance
}

// soft is max(0, z), rounded off: 0.46 at 0. Sums and roots have the same bits everywhere.
func soft(z float64) float64 { return (z + math.Sqrt(float64(z*z)+softness)) / 2 }

// softSlope is its derivative.
func softSlope(z float64) float64 { return (1 + z/math.Sqrt(float64(z*z)+softness)) / 2 }

// softness is 4·(ln 2/1.5)², so that soft(0) is that of ln(1 + exp(1.5 z))/1.5. Thrice as much does as
// well on the validation pairs.
const softness = 0.854

// nodes returns the number of nodes of a graph: its print has one subtree of each height per node.
func nodes(p fingerprint.Print) int {
	sum := 0
	for _, c := range p.Counts {
		sum += int(c)
	}
	return sum / (fingerprint.DefaultHeight + 1)
}
