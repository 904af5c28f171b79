package trust_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/feature/trust"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

var ctx = context.Background()

func single(m *algo.Model) *algo.SingleScorer { return must.Have(algo.NewSingleScorer(ctx, m, 0)) }

// few molecules make a model, many one with a holdout that errors can be taken from.
const few, many = 30, 180

// modelOf is a model of molecules without any training, and what it was made of.
func modelOf(count int) (*algo.Model, []algo.Source) {
	var set []algo.Source
	var gs []*graph.Graph
	var train, holdout []int
	for n := range count {
		text := strings.Repeat("C", n%10+1) + "O" + strings.Repeat("N", n/10+1)
		if n == 1 {
			text = "C[C@H](N)OC"
		}
		g := must.Have(smiles.ParseGraph(text))
		set, gs = append(set, algo.Source{Graph: g, SMILES: text, Name: "m" + text}), append(gs, g)
		if n%7 == 3 {
			holdout = append(holdout, n)
		} else {
			train = append(train, n)
		}
	}
	card := algo.Card{Name: "chains", Schema: algo.OGB, Seed: 1}
	m := must.Have(algo.NewModel(ctx, 1, gin.New(gin.Default(molecule.Features), rand.New(rand.NewPCG(1, 1))), gs, train, holdout, card))
	return m, set
}

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
	must.Do(m.KeepResiduals(values, algo.ValueColumns{Observed: "y", Predicted: "p"}))
	r := m.Residuals
	if r.Classes || r.Known() != len(set)-2 || !math.IsNaN(r.Errors[2]) || !math.IsNaN(r.Errors[3]) {
		t.Errorf("%+v", r)
	}
	for k, row := range m.Card.HoldoutRows {
		if x := r.Errors[k]; k != 2 && k != 3 && math.Abs(x-1/float64(row+1)) > 1e-12 {
			t.Errorf("held-out graph %d, row %d, has an error of %g", k, row, x)
		}
	}
	a := single(m)
	if c := must.Have(trust.Learn(ctx, a, trust.Options{}, string(trust.OrderScore))); c.Pairs != len(m.Card.HoldoutRows)-2 {
		t.Errorf("%+v", c)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := trust.Learn(over, a, trust.Options{}, string(trust.OrderNeighbors)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
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
		if err := c.m.KeepResiduals(c.values, algo.ValueColumns{Observed: "y", Predicted: "p"}); err == nil || !strings.Contains(err.Error(), c.want) || c.m.Residuals != nil {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	many.Card.Holdout = "other.csv"
	if err := many.KeepResiduals(valued(len(more)), algo.ValueColumns{Observed: "y", Predicted: "p"}); err == nil {
		t.Error("errors of a holdout from another file")
	}
	a := single(few)
	if _, err := trust.Learn(ctx, a, trust.Options{}, string(trust.OrderScore)); err == nil || !strings.Contains(err.Error(), "knows no held-out errors") {
		t.Errorf("%v", err)
	}
}

// Held-out graphs and new ones stand in each order where a calculation by hand puts them.
func TestOrders(t *testing.T) {
	m, set := modelOf(many)
	values, probability := make([]*algo.Values, len(set)), func(row int) float64 { return float64(row%10) / 9 }
	uncertainty := func(row int) float64 { return float64(row * 7 % 11) }
	for row := range values {
		values[row] = &algo.Values{Observed: float64(row % 2), Predicted: probability(row), Uncertainty: uncertainty(row)}
	}
	must.Do(m.KeepResiduals(values, algo.ValueColumns{Observed: "y", Predicted: "p", Uncertainty: "sd"}))
	a := single(m)
	gs := lists.Map(set, func(s algo.Source) *graph.Graph { return s.Graph })
	similarity := func(row, count int, sum float64) float64 {
		for _, n := range a.Nearest(gs[row], count) {
			sum += n.Similarity
		}
		return sum
	}
	scores := must.Have(a.Scores(ctx, gs))
	places := must.Have(trust.Places(ctx, a, gs, scores))
	for row, p := range places {
		want := 1 - similarity(row, 5, 0)/5
		if math.Abs(p.Distance-want) > 1e-12 || p.Atoms != float64(gs[row].N()) || p.Score != scores[row] {
			t.Errorf("row %d: %+v, want a distance of %g, %d atoms and a score of %g", row, p, want, gs[row].N(), scores[row])
		}
	}
	held := make([]trust.Prediction, len(set))
	for row := range held {
		held[row] = trust.Prediction{Place: places[row], Value: probability(row), Uncertainty: uncertainty(row)}
		if !slices.Contains(m.Card.HoldoutRows, row) {
			// Training graphs have the mean similarity to the five others that are most similar: the first of six is itself.
			held[row].Place = trust.Place{Distance: 1 - similarity(row, 6, -1)/5, Atoms: places[row].Atoms, Score: math.NaN()}
		}
	}
	// rank is the share of held-out values below x, and half of those equal to it but for rounding.
	rank := func(of func(p trust.Prediction) float64, x float64) float64 {
		twice := 0
		for _, p := range held {
			if y := of(p); math.Abs(y-x) < 1e-12 {
				twice++
			} else if y < x {
				twice += 2
			}
		}
		return float64(twice) / 2 / float64(len(held))
	}
	doubts := map[trust.Order]func(p trust.Prediction) float64{
		trust.OrderScore:       func(p trust.Prediction) float64 { return p.Score },
		trust.OrderNeighbors:   func(p trust.Prediction) float64 { return p.Distance },
		trust.OrderMargin:      func(p trust.Prediction) float64 { return 0.5 - math.Abs(p.Value-0.5) },
		trust.OrderUncertainty: func(p trust.Prediction) float64 { return p.Uncertainty },
	}
	doubts[trust.OrderCombined] = func(p trust.Prediction) float64 {
		return rank(doubts[trust.OrderNeighbors], p.Distance) + rank(doubts[trust.OrderUncertainty], p.Uncertainty)
	}
	for _, by := range trust.Orders() {
		got := must.Have(trust.Learn(ctx, a, trust.Options{}, string(by)))
		var pairs []trust.Pair
		for row, p := range held {
			if by != trust.OrderScore || !math.IsNaN(p.Score) {
				pairs = append(pairs, trust.Pair{Score: doubts[by](p), Error: values[row].Observed - values[row].Predicted, Place: p.Place})
			}
		}
		want, near := must.Have(trust.New(pairs, trust.Options{Classes: true})), 1e-12
		if by == trust.OrderCombined {
			near = 1 / float64(len(held)) // rounding breaks ties of distances
		}
		if got.By != by || got.Pairs != want.Pairs || math.Abs(got.Farthest-want.Farthest) > near {
			t.Errorf("by %s: %d pairs up to %g, want %d up to %g", got.By, got.Pairs, got.Farthest, want.Pairs, want.Farthest)
		}
		if by != trust.OrderCombined && !slices.Equal(got.Steps, want.Steps) {
			t.Errorf("by %s: %+v, want %+v", by, got.Steps, want.Steps)
		}
		for _, p := range []trust.Prediction{held[m.Card.HoldoutRows[0]], {Place: places[0], Value: 0.7, Uncertainty: 3.5}} {
			if x := got.Doubt(p); math.Abs(x-doubts[by](p)) > near {
				t.Errorf("%+v by %s: %g, want %g", p, by, x, doubts[by](p))
			}
		}
		for _, value := range []float64{1.01, -0.01, math.NaN()} {
			p := trust.Prediction{Value: value, Uncertainty: math.NaN()}
			if x := got.Doubt(p); by != trust.OrderScore && by != trust.OrderNeighbors && !math.IsNaN(x) {
				t.Errorf("%+v by %s: %g, want none", p, by, x)
			}
		}
	}
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
		must.Do(m.KeepResiduals(values, algo.ValueColumns{Observed: "y", Predicted: "p"}))
		doubts := lists.Map(values, func(v *algo.Values) float64 { return trust.Margin(v.Predicted) })
		if c, err := trust.Learn(ctx, single(m), trust.Options{}, string(trust.OrderMargin)); err != nil || c.Farthest != slices.Max(doubts) {
			t.Errorf("%+v, %v, want the farthest at %v", c, err, slices.Max(doubts))
		}
	}
}

// Names of orders are those that the errors can be put in, with that of the column of uncertainties.
func TestOrderNames(t *testing.T) {
	for _, c := range []struct {
		r          algo.Residuals
		name, want string
	}{
		{algo.Residuals{}, "", "neighbors"},
		{algo.Residuals{Classes: true}, "", "margin"},
		{algo.Residuals{Uncertainty: algo.Column{Name: "sd"}}, "", "uncertainty"},
		{algo.Residuals{Uncertainty: algo.Column{Name: "sd"}, Classes: true}, "", "margin"},
		{algo.Residuals{Uncertainty: algo.Column{Name: "sd"}}, "sd", "uncertainty"},
		{algo.Residuals{Uncertainty: algo.Column{Name: "score"}}, "score", "score"},
		{algo.Residuals{}, "margin", "errors by margin: the model knows errors of numbers; want one of score, neighbors"},
		{algo.Residuals{}, "sd", "errors by sd: the model knows errors of numbers; want one of score, neighbors"},
		{algo.Residuals{Classes: true}, "combined", "errors by combined: the model knows errors of classes; want one of score, neighbors, margin"},
	} {
		by, err := trust.OrderOf(&c.r, c.name)
		if got := string(by); got != c.want && (err == nil || err.Error() != c.want) {
			t.Errorf("%+v by %q: %q, %v, want %q", c.r, c.name, got, err, c.want)
		}
	}
}

// Predictions without an uncertainty have no place in its order, and too few with one are refused.
func TestMissingUncertainties(t *testing.T) {
	m, set := modelOf(many)
	keep := func(known int) error {
		values := valued(len(set))
		for row, v := range values {
			if v.Uncertainty = float64(row); row%2 == 0 || row < len(values)-2*known {
				v.Uncertainty = math.NaN()
			}
		}
		return m.KeepResiduals(values, algo.ValueColumns{Observed: "y", Predicted: "p", Uncertainty: "sd"})
	}
	must.Do(keep(len(set) / 2))
	for by, want := range map[string]int{"neighbors": len(set), "sd": len(set) / 2, "combined": len(set) / 2} {
		if c := must.Have(trust.Learn(ctx, single(m), trust.Options{}, by)); c.Pairs != want {
			t.Errorf("by %s: %d pairs, want %d", by, c.Pairs, want)
		}
	}
	must.Do(keep(trust.MinPairs))
	const want = "predictions have a value in column sd: want at least 20"
	if err := keep(trust.MinPairs - 1); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}
