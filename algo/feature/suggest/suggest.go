// Package suggest chooses the graphs of a library whose measurement would widen the domain of a
// model most (Library.Suggest).
package suggest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo/alone"
	"baca/algo/contrast"
	"baca/algo/cover"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/parallel"
	"baca/algo/near"
)

// A Library is a set of graphs to choose measurements from.
type Library struct {
	scorer  alone.Parts
	outline contrast.Outline
	answers []alone.Answer
	parts   [near.Parts][]float64 // each part of a graph's distance from the bank
}

func New(s alone.Parts) *Library { return &Library{scorer: s} }

func (l *Library) Len() int { return len(l.answers) }

// Add adds graphs, scored on so many goroutines. Each takes about a kilobyte.
func (l *Library) Add(ctx context.Context, workers int, gs []*graph.Graph) error {
	if len(gs) == 0 {
		return nil
	}
	answers, o, d, err := l.scorer.Outlined(ctx, workers, gs)
	if err != nil {
		return err
	}
	l.answers = append(l.answers, answers...)
	for k := range l.parts {
		l.parts[k] = append(l.parts[k], d.Part(k)...)
	}
	l.outline.Dim = o.Dim
	l.outline.Q, l.outline.Prints = append(l.outline.Q, o.Q...), append(l.outline.Prints, o.Prints...)
	l.outline.NodeScore = append(l.outline.NodeScore, o.NodeScore...)
	return nil
}

// Score returns the score of a graph by itself.
func (l *Library) Score(i int) float64 { return l.answers[i].Score }

type Options struct {
	Most    int       // the most graphs to suggest
	Alpha   float64   // rate of false alarms that decides what is outside
	Prices  []float64 // of all graphs, at least 0; nil without prices
	Budget  float64   // the most that the prices may sum to
	Exclude []bool    // graphs not to suggest, which still count as points; nil if all may be suggested
	Seed    uint64    // for the random picks
	Workers int
	// Looked, if not nil, is called when a worker first computes the gain of a graph.
	Looked func()
}

// MaxPoints bounds the points: the graphs of a library, or an even sample, that picks bring nearer to the training set.
// Any graph of the library may be picked.
const MaxPoints = 4096

// randomRounds is how many random orders are averaged.
const randomRounds = 5

// A Suggestion says which graphs would widen the domain most if they were measured and added to the training set.
type Suggestion struct {
	Points  int // the number of points
	Sampled bool
	Picks   []Pick
	// Far is the mean excess distance of the points from the training set, in standard deviations, at first and after
	// each pick. FarRandom is the mean of Far over five random orders. FarTop is Far for the highest scores first.
	Far, FarRandom, FarTop []float64
	// Outside, OutsideRandom and OutsideTop are the numbers of points outside in the same way.
	Outside, OutsideTop []int
	OutsideRandom       []float64
}

// A Pick is a graph to measure.
type Pick struct {
	Graph int // index in the library
	Score float64
	P     float64
	// Gain is by how much the pick lowers Suggestion.Far.
	Gain float64
	// Nearer counts the points that the pick, after earlier ones, brings nearer by half a deviation or more. Inside counts
	// those that it brings inside.
	Nearer, Inside int
	// Similarity is that to the nearest training graph: Tanimoto's, of counted subtrees.
	Similarity float64
}

// nearerBy is the smallest decrease of a distance, in standard deviations, that counts as nearer.
const nearerBy = 0.5

// Suggest chooses graphs greedily: each one brings the points as near as possible to the training set and the earlier
// picks. The distance is that of the score, part by part, to the nearest training graph or pick. A distance below the
// usual one between training graphs gains nothing. Package cover has bounds on greedy choices.
//
// The ratio to the background, the count of new subtrees, rare parts and the units of distance stay those of the model.
// A retrained model would have others.
func (l *Library) Suggest(ctx context.Context, o Options) (*Suggestion, error) {
	if err := l.check(&o); err != nil {
		return nil, err
	}
	points := make([]int, min(l.Len(), MaxPoints))
	for k := range points {
		points[k] = near.Place(k, len(points), l.Len())
	}
	g := l.ground(points, o)
	problem := cover.Problem{
		Now: g.costs(nil, g.now), Candidates: l.Len(), Costs: g.costsOf, Most: o.Most,
		Prices: o.Prices, Budget: o.Budget, Exclude: o.Exclude, Looked: o.Looked,
	}
	for range parallel.Workers(o.Workers) {
		g.buffers = append(g.buffers, newParts(len(points)))
	}
	chosen, err := cover.Greedy(ctx, o.Workers, problem)
	if err != nil {
		return nil, err
	}
	s := &Suggestion{Points: len(points), Sampled: len(points) < l.Len()}
	walk, err := g.walk(ctx, lists.Map(chosen, func(c cover.Pick) int { return c.Candidate }))
	if err != nil {
		return nil, err
	}
	s.Far, s.Outside = walk.far, walk.outside
	for k, c := range chosen {
		score := l.Score(c.Candidate)
		s.Picks = append(s.Picks, Pick{
			Graph: c.Candidate, Score: score, P: decide.PValues([]float64{score}, l.scorer.Ranked)[0],
			Gain: c.Gain / float64(len(points)), Nearer: walk.nearer[k], Inside: walk.inside[k],
			Similarity: l.scorer.Bank.Subtrees.Nearest(l.outline.Prints[c.Candidate], 1)[0].Similarity,
		})
	}
	return s, g.rivals(ctx, s, o)
}

// check returns an error for options out of range. It panics if prices or exclusions are not of all graphs.
func (l *Library) check(o *Options) error {
	switch {
	case l.Len() == 0:
		return errors.New("a library without graphs")
	case o.Most < 1:
		return fmt.Errorf("%d graphs to suggest: want 1 or more", o.Most)
	case o.Prices != nil && len(o.Prices) != l.Len() || o.Exclude != nil && len(o.Exclude) != l.Len():
		panic(fmt.Sprintf("suggest: %d prices and %d exclusions for %d graphs", len(o.Prices), len(o.Exclude), l.Len()))
	}
	o.Budget *= 1 + 1e-9 // decimal prices are rounded
	return decide.CheckAlpha(o.Alpha)
}

// A ground holds the points and their distances from the training set.
type ground struct {
	*Library
	points        []int
	targets       *near.Targets
	now           [near.Parts][]float64 // each part of the points' distances from the training set
	unit, typical [near.Parts]float64
	limit         float64 // scores from this on are outside
	buffers       []*[near.Parts][]float64
}

// ground returns the ground of points, which are indices of graphs of the library. If the holdout is too small for o.Alpha,
// no graph is outside.
func (l *Library) ground(points []int, o Options) *ground {
	g := &ground{Library: l, points: points}
	sample := contrast.Outline{Dim: l.outline.Dim}
	for _, i := range points {
		sample.Q, sample.Prints = append(sample.Q, l.outline.Row(i)...), append(sample.Prints, l.outline.Prints[i])
		if l.outline.NodeScore != nil {
			sample.NodeScore = append(sample.NodeScore, l.outline.NodeScore[i])
		}
	}
	for k := range g.now {
		g.unit[k], g.typical[k] = l.scorer.Bank.Unit(k)
		for _, i := range points {
			g.now[k] = append(g.now[k], l.parts[k][i])
		}
	}
	g.targets = l.scorer.Bank.Targets(&sample, g.now[near.ByEmbedding])
	limit, ok := decide.Threshold(l.scorer.Ranked, o.Alpha)
	if g.limit = limit; !ok {
		g.limit = math.Inf(1)
	}
	return g
}

// costs returns by how much each distance exceeds the typical one, part by part, in the memory of dst.
func (g *ground) costs(dst []float64, distances [near.Parts][]float64) []float64 {
	dst = dst[:0]
	for k, part := range distances {
		for _, d := range part {
			dst = append(dst, g.unit[k]*max(0, d-g.typical[k]))
		}
	}
	return dst
}

// costsOf writes to dst the costs that remain once a candidate is in the training set.
func (g *ground) costsOf(worker, candidate int, dst []float64) {
	to := g.buffers[worker]
	g.targets.To(&g.outline, candidate, to)
	g.costs(dst, *to)
}

// newParts returns parts of n distances.
func newParts(n int) *[near.Parts][]float64 {
	p := new([near.Parts][]float64)
	for k := range p {
		p[k] = make([]float64, n)
	}
	return p
}

// A walk tracks the points as graphs are added to the training set.
type walk struct {
	far            []float64 // Suggestion.Far
	outside        []int     // Suggestion.Outside
	nearer, inside []int     // Pick.Nearer and Pick.Inside
}

// walk tracks the points while picks, graphs of the library, are added to the training set one by one.
func (g *ground) walk(ctx context.Context, picks []int) (walk, error) {
	n := float64(len(g.points))
	var w walk
	var now [near.Parts][]float64
	for k := range now {
		now[k] = slices.Clone(g.now[k])
	}
	costs, to := make([]float64, 0, near.Parts*len(g.points)), newParts(len(g.points))
	// For each point the latest distance, and whether it is outside; count points are.
	distances, outside, count := slices.Repeat([]float64{math.Inf(-1)}, len(g.points)), make([]bool, len(g.points)), 0
	// state brings these up to date with now, and counts the points that came nearer and inside.
	state := func() (nearer, inside int) {
		sum := 0.0
		for _, c := range g.costs(costs, now) {
			sum += c
		}
		for i, was := range distances {
			d := g.distance(i, &now)
			if d == was {
				continue
			}
			distances[i] = d
			if was-d >= nearerBy {
				nearer++
			}
			switch is := g.score(i, d) >= g.limit; {
			case is && !outside[i]:
				outside[i] = true
				count++
			case !is && outside[i]:
				outside[i] = false
				count--
				inside++
			}
		}
		w.far, w.outside = append(w.far, sum/n), append(w.outside, count)
		return nearer, inside
	}
	state()
	for _, pick := range picks {
		if err := ctx.Err(); err != nil {
			return w, err
		}
		g.targets.To(&g.outline, pick, to)
		for k := range now {
			for i, d := range to[k] {
				now[k][i] = min(now[k][i], d)
			}
		}
		nearer, inside := state()
		w.nearer, w.inside = append(w.nearer, nearer), append(w.inside, inside)
	}
	return w, nil
}

// distance returns the distance of point i once its parts are those in now.
func (g *ground) distance(i int, now *[near.Parts][]float64) float64 {
	d := g.answers[g.points[i]].Distance
	for k := range now {
		d -= g.unit[k] * (g.now[k][i] - now[k][i])
	}
	return d
}

// score returns the score that point i would have at a distance, but no more than its present score. It is NaN if the
// graph has no score; such a point does not count as outside.
func (g *ground) score(i int, distance float64) float64 {
	x := g.answers[g.points[i]]
	if math.IsNaN(x.Score) {
		return x.Score
	}
	return min(x.Score, g.scorer.Join(distance, x, g.outline.Prints[g.points[i]]))
}

// rivals fills in what random picks and the highest scores gain, as many and under the same exclusions and budget.
func (g *ground) rivals(ctx context.Context, s *Suggestion, o Options) error {
	// take returns the first graphs in order that may be picked and paid for.
	take := func(order []int) []int {
		var picks []int
		left := o.Budget
		for _, i := range order {
			if len(picks) == len(s.Picks) {
				break
			}
			if o.Exclude != nil && o.Exclude[i] || o.Prices != nil && o.Prices[i] > left {
				continue
			}
			if o.Prices != nil {
				left -= o.Prices[i]
			}
			picks = append(picks, i)
		}
		return picks
	}
	order := make([]int, g.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(g.answers[j].Score, g.answers[i].Score) })
	top, err := g.walk(ctx, take(order))
	if err != nil {
		return err
	}
	s.FarTop, s.OutsideTop = top.far, top.outside
	walks := make([]walk, randomRounds)
	err = parallel.For(ctx, o.Workers, randomRounds, func(_, r int) {
		walks[r], _ = g.walk(ctx, take(rand.New(rand.NewPCG(o.Seed, uint64(r))).Perm(g.Len())))
	})
	if err != nil {
		return err // covers walks too, which fail only with the context
	}
	// With prices some draws buy fewer: their last value is repeated.
	for k := range s.Far {
		far, outside := 0.0, 0.0
		for _, w := range walks {
			at := min(k, len(w.far)-1)
			far += w.far[at] / randomRounds
			outside += float64(w.outside[at]) / randomRounds
		}
		s.FarRandom, s.OutsideRandom = append(s.FarRandom, far), append(s.OutsideRandom, outside)
	}
	return nil
}
