package algo_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/trust"
)

// valued are values of all molecules of the set of moleculeModel but one of the holdout: row n
// is observed as n and predicted as n − 1/(n+1).
func valued(n int) []*algo.Values {
	list := make([]*algo.Values, n)
	for row := range list {
		list[row] = &algo.Values{Observed: float64(row), Predicted: float64(row) - 1/float64(row+1)}
	}
	return list
}

// Errors are those of the rows that the holdout is made of, and nothing else.
func TestKeepResiduals(t *testing.T) {
	m, set := modelOf(many)
	values := valued(len(set))
	values[m.Card.HoldoutRows[2]] = nil
	values[m.Card.HoldoutRows[3]].Predicted = math.NaN()
	must.Do(m.KeepResiduals(values, "y", "p"))
	r := m.Residuals
	if r.Classes || r.Known() != len(set)-2 || !math.IsNaN(r.Errors[2]) || !math.IsNaN(r.Errors[3]) {
		t.Errorf("%+v", r)
	}
	for k, row := range m.Card.HoldoutRows {
		if x := r.Errors[k]; k != 2 && k != 3 && math.Abs(x-1/float64(row+1)) > 1e-12 {
			t.Errorf("held-out graph %d, row %d, has an error of %g", k, row, x)
		}
	}
	a := alone(m)
	if c := must.Have(a.Trust(ctx, trust.Options{}, trust.OrderScore)); c.Pairs != len(m.Card.HoldoutRows)-2 {
		t.Errorf("%+v", c)
	}
	for _, v := range values {
		if v != nil {
			v.Observed, v.Predicted = 1, 0.75
		}
	}
	if err := m.KeepResiduals(values, "y", "p"); err != nil || !m.Residuals.Classes {
		t.Errorf("classes: %+v, %v", m.Residuals, err)
	}
	if err := m.SetHoldout(ctx, 1, nil); err != nil || m.Residuals != nil {
		t.Errorf("errors outlast their holdout: %v", err)
	}
}

func TestKeepResidualsRefuses(t *testing.T) {
	few, set := modelOf(few)
	many, more := modelOf(many)
	copied := valued(len(more))
	for _, v := range copied {
		v.Predicted = v.Observed
	}
	for _, c := range []struct {
		m      *algo.Model
		values []*algo.Values
		want   string
	}{
		{few, valued(len(set)), "want at least 20"},
		{many, valued(len(more) - 1), "trained on a set of"},
		{many, make([]*algo.Values, len(more)), "have both values"},
		{many, copied, "are equal: want predictions"},
	} {
		if err := c.m.KeepResiduals(c.values, "y", "p"); err == nil || !strings.Contains(err.Error(), c.want) || c.m.Residuals != nil {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	many.Card.Holdout = "other.csv"
	if err := many.KeepResiduals(valued(len(more)), "y", "p"); err == nil {
		t.Error("errors of a holdout from another file")
	}
	a := alone(few)
	if _, err := a.Trust(ctx, trust.Options{}, trust.OrderScore); err == nil || !strings.Contains(err.Error(), "knows no held-out errors") {
		t.Errorf("%v", err)
	}
}

// Held-out graphs and new ones stand in each order where a calculation by hand puts them.
func TestOrders(t *testing.T) {
	m, set := modelOf(many)
	values, probability := make([]*algo.Values, len(set)), func(row int) float64 { return float64(row%10) / 9 }
	for row := range values {
		values[row] = &algo.Values{Observed: float64(row % 2), Predicted: probability(row)}
	}
	must.Do(m.KeepResiduals(values, "y", "p"))
	a := alone(m)
	var gs []*graph.Graph
	for _, s := range set {
		gs = append(gs, s.Graph)
	}
	scores := must.Have(a.Scores(ctx, gs))
	places := must.Have(a.Places(ctx, gs, scores))
	for row, p := range places {
		want := 1.0
		for _, n := range a.Nearest(gs[row], 5) {
			want -= n.Similarity / 5
		}
		if math.Abs(p.Distance-want) > 1e-12 || p.Atoms != float64(gs[row].N()) || p.Score != scores[row] {
			t.Errorf("row %d: %+v, want a distance of %g, %d atoms and a score of %g", row, p, want, gs[row].N(), scores[row])
		}
	}
	for _, by := range trust.Orders() {
		var pairs []trust.Pair
		add := func(row int, p trust.Place) {
			doubt := must.Have(by.Doubt(p, probability(row)))
			want := map[trust.Order]float64{trust.OrderScore: p.Score, trust.OrderNeighbors: p.Distance, trust.OrderMargin: 0.5 - math.Abs(probability(row)-0.5)}[by]
			if math.Abs(doubt-want) > 1e-12 {
				t.Errorf("row %d by %s: %g, want %g", row, by, doubt, want)
			}
			pairs = append(pairs, trust.Pair{Score: doubt, Error: values[row].Observed - values[row].Predicted, Place: p})
		}
		for _, row := range m.Card.HoldoutRows {
			add(row, places[row])
		}
		for row := range set {
			if by != trust.OrderScore && !slices.Contains(m.Card.HoldoutRows, row) {
				add(row, trust.Place{Distance: withoutItself(a, gs[row]), Atoms: float64(gs[row].N()), Score: math.NaN()})
			}
		}
		got, want := must.Have(a.Trust(ctx, trust.Options{}, by)), must.Have(trust.New(pairs, trust.Options{Classes: true}))
		if got.Pairs != want.Pairs || !slices.Equal(got.Steps, want.Steps) || math.Abs(got.Farthest-want.Farthest) > 1e-12 {
			t.Errorf("by %s: %+v, want %+v", by, got, want)
		}
	}
	for _, predicted := range []float64{1.01, -0.01, math.NaN()} {
		if doubt := must.Have(trust.OrderMargin.Doubt(places[0], predicted)); !math.IsNaN(doubt) {
			t.Errorf("the probability %g: %g", predicted, doubt)
		}
	}
}

// withoutItself is one less the mean similarity of a training graph to the five others that are most similar.
func withoutItself(a *algo.SingleScorer, g *graph.Graph) float64 {
	sum := -1.0 // its own
	for _, n := range a.Nearest(g, 6) {
		sum += n.Similarity
	}
	return 1 - sum/5
}

// The margin of a held-out prediction has the bits of its kept error, for either class. Otherwise the
// farthest molecule could be beyond itself.
func TestMarginHasTheBitsOfItsError(t *testing.T) {
	m, set := modelOf(many)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		values := make([]*algo.Values, len(set))
		for row := range values {
			values[row] = &algo.Values{Observed: float64(rng.IntN(2)), Predicted: 0.49 * rng.Float64()}
		}
		must.Do(m.KeepResiduals(values, "y", "p"))
		a := alone(m)
		var doubts []float64
		for _, v := range values {
			doubts = append(doubts, trust.Margin(v.Predicted))
		}
		if c, err := a.Trust(ctx, trust.Options{}, trust.OrderMargin); err != nil || c.Farthest != slices.Max(doubts) {
			t.Errorf("%+v, %v, want the farthest at %v", c, err, slices.Max(doubts))
		}
	}
}

func TestOrdersRefused(t *testing.T) {
	m, set := modelOf(many)
	must.Do(m.KeepResiduals(valued(len(set)), "y", "p"))
	a := alone(m)
	if _, err := a.Trust(ctx, trust.Options{}, trust.OrderMargin); err == nil || !strings.Contains(err.Error(), "knows errors of numbers; want errors of classes") {
		t.Errorf("margin of numbers: %v", err)
	}
	if _, err := a.Trust(ctx, trust.Options{}, "luck"); err == nil || !strings.Contains(err.Error(), "want one of score, neighbors, margin") {
		t.Errorf("an order that there is not: %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := a.Trust(over, trust.Options{}, trust.OrderNeighbors); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Neighbours carry values where the set had any.
func TestNeighbourValues(t *testing.T) {
	m, set := modelOf(few)
	set[0].Values = &algo.Values{Observed: 2.5, Predicted: math.NaN()}
	s, err := m.StructuresOf(set)
	if err != nil || s.Predicted != nil || len(s.Observed) != m.Known() || s.Observed[0] != 2.5 || !math.IsNaN(s.Observed[1]) {
		t.Fatalf("%+v, %v", s, err)
	}
	m.Structures = s
	a := alone(m)
	if v := a.Nearest(set[0].Graph, 1)[0].Values; v == nil || v.Observed != 2.5 || !math.IsNaN(v.Predicted) {
		t.Errorf("%+v", v)
	}
	if v := a.Nearest(set[1].Graph, 1)[0].Values; v != nil {
		t.Errorf("values of a molecule without any: %+v", v)
	}
}
