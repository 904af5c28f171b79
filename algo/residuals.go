package algo

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/parallel"
	"baca/algo/near"
	"baca/algo/trust"
)

// Residuals are the errors of predictions: observed less predicted values, NaN where one is missing.
// Each prediction was made without its graph.
type Residuals struct {
	Observed, Predicted string    // their columns
	Classes             bool      // observed values are 0 or 1
	Errors              []float64 // of the holdout
	// Trained are errors of training graphs, evenly picked from those that the model knows, see
	// near.Place. Scores of these graphs are too low to compare errors by, distances to their
	// neighbours are not.
	Trained []float64

	// Uncertainty has that of predictions by the model that made them, NewScaffold the errors of predictions that were made without all
	// molecules of the same scaffold; of Errors, then of Trained.
	Uncertainty, NewScaffold Column
}

// A Column has numbers, NaN where one is missing. Without a name there are none.
type Column struct {
	Name   string
	Values []float64
}

func (c *Column) keep(x float64) {
	if c.Name != "" {
		c.Values = append(c.Values, x)
	}
}

// maxTrained bounds Residuals.Trained: more tell little, and their neighbours take time to find.
const maxTrained = 2000

// ErrorsOfTrained returns how many training graphs Residuals hold errors of.
func (m *Model) ErrorsOfTrained() int { return min(maxTrained, m.Known()) }

// KeepResiduals stores the errors of the holdout and of training graphs, and what else of their predictions has a column. values has one
// entry for each graph of the training set, nil for none. The predictions must have been held out or cross-validated.
func (m *Model) KeepResiduals(values []*Values, of ValueColumns) error {
	if m.Shared > 0 || m.Card.Holdout != "" || m.Holdout.Len() > len(m.Card.HoldoutRows) {
		return fmt.Errorf("model %s does not hold graphs kept from its training", m.Card.Name)
	}
	if len(values) != m.Card.Graphs {
		return fmt.Errorf("values of %d graphs: model %s was trained on a set of %d", len(values), m.Card.Name, m.Card.Graphs)
	}
	r := &Residuals{
		Observed: of.Observed, Predicted: of.Predicted, Classes: true, Uncertainty: Column{Name: of.Uncertainty}, NewScaffold: Column{Name: of.NewScaffold},
	}
	keep := func(row int) float64 {
		v := NoValues()
		if row >= 0 && values[row] != nil {
			v = values[row]
		}
		r.Uncertainty.keep(v.Uncertainty)
		r.NewScaffold.keep(v.Observed - v.NewScaffold)
		if math.IsNaN(v.Observed - v.Predicted) {
			return math.NaN()
		}
		r.Classes = r.Classes && (v.Observed == 0 || v.Observed == 1) && v.Predicted >= 0 && v.Predicted <= 1
		return v.Observed - v.Predicted
	}
	for k, n := 0, m.Holdout.Len(); k < n; k++ {
		r.Errors = append(r.Errors, keep(m.Card.HoldoutRows[near.Place(k, n, len(m.Card.HoldoutRows))]))
	}
	rows := m.KnownRows()
	for k, n := 0, m.ErrorsOfTrained(); k < n; k++ {
		r.Trained = append(r.Trained, keep(rows[near.Place(k, n, len(rows))]))
	}
	known := knownOf(r.Errors)
	if known < trust.MinPairs {
		return fmt.Errorf("%d of %d graphs kept from training have both values: want at least %d", known, len(r.Errors), trust.MinPairs)
	}
	if !r.Classes && !slices.ContainsFunc(r.Errors, func(x float64) bool { return math.Abs(x) > 0 }) {
		return fmt.Errorf("observed and predicted values of all %d graphs kept from training are equal: want predictions that were made without them", known)
	}
	for _, c := range []Column{r.Uncertainty, r.NewScaffold} {
		if n := knownOf(c.Values); c.Name != "" && n < trust.MinPairs {
			return fmt.Errorf("%d of %d predictions have a value in column %s: want at least %d", n, len(c.Values), c.Name, trust.MinPairs)
		}
	}
	m.Residuals = r
	return nil
}

// NoPromise says that errors are not kept unless predictions were held out.
const NoPromise = "the model keeps no errors of predictions, so there will be no interval and no verdict on trust: errors on molecules that a model was fitted to are too small"

// NoResiduals says why a model gives no intervals.
func (m *Model) NoResiduals() string {
	if m.Card.Holdout != "" {
		return fmt.Sprintf("model %s takes p-values from %s, of which it knows no errors: no interval and no verdict on trust", m.Card.Name, m.Card.Holdout)
	}
	return fmt.Sprintf("model %s knows no held-out errors of predictions: no interval and no verdict on trust", m.Card.Name)
}

// Known counts the known errors.
func (r *Residuals) Known() int { return knownOf(r.Errors) + knownOf(r.Trained) }

func knownOf(errors []float64) int {
	n := 0
	for _, x := range errors {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

// orderNearest is how many training graphs trust.OrderNeighbors uses.
const orderNearest = 5

// Orders are those that the predictions can be put in, the default last. It was chosen on sets of its own, see
// `baca-paper bench intervals --sets validation`.
func (r *Residuals) Orders() []trust.Order {
	list := []trust.Order{trust.OrderScore, trust.OrderNeighbors}
	if r.Uncertainty.Name != "" {
		list = append(list, trust.OrderUncertainty, trust.OrderCombined)
	}
	if r.Classes {
		list = append(list, trust.OrderMargin)
	}
	return list
}

// Default is the order without a name.
func (r *Residuals) Default() trust.Order {
	orders := r.Orders()
	return orders[len(orders)-1]
}

// Order is the order of a name: that of one of Orders, the column of uncertainties, or empty for the default.
func (r *Residuals) Order(name string) (trust.Order, error) {
	orders := r.Orders()
	switch by := trust.Order(name); {
	case name == "":
		return r.Default(), nil
	case slices.Contains(orders, by):
		return by, nil
	case name == r.Uncertainty.Name:
		return trust.OrderUncertainty, nil
	}
	kind := "numbers"
	if r.Classes {
		kind = "classes"
	}
	return "", fmt.Errorf("errors by %s: the model knows errors of %s; want one of %s", name, kind, trust.Names(orders))
}

// Trust calibrates expected errors from the model's residuals, put in the order of a name, see Residuals.Order. The model must
// have residuals.
func (s *SingleScorer) Trust(ctx context.Context, o trust.Options, name string) (*trust.Calibration, error) {
	r := s.model.Residuals
	if r == nil {
		return nil, fmt.Errorf("model %s knows no held-out errors of predictions", s.model.Card.Name)
	}
	by, err := r.Order(name)
	if err != nil {
		return nil, err
	}
	errors := r.Errors
	if by != trust.OrderScore {
		errors = slices.Concat(r.Errors, r.Trained)
	}
	known, err := s.heldOut(ctx, errors)
	if err != nil {
		return nil, err
	}
	o.Classes = r.Classes
	o.NewScaffold = r.NewScaffold.Values
	return trust.Calibrate(by, known, errors, o)
}

// heldOut returns the predictions with these errors, which begin with those of the holdout.
func (s *SingleScorer) heldOut(ctx context.Context, errors []float64) ([]trust.Prediction, error) {
	r := s.model.Residuals
	places, err := s.places(ctx, len(errors), func(k int) (print fingerprint.Print, own bool, score float64) {
		if k < len(r.Errors) {
			return s.model.Holdout.Prints[k], false, s.holdout[k]
		}
		i := near.Place(k-len(r.Errors), len(r.Trained), s.near.Subtrees.Len())
		return s.near.Subtrees.Print(i), true, math.NaN()
	})
	known := make([]trust.Prediction, len(places))
	for k, p := range places {
		// An error is as far from 0 or 1 as the prediction is.
		known[k] = trust.Prediction{Place: p, Value: math.Abs(errors[k]), Uncertainty: math.NaN()}
		if r.Uncertainty.Name != "" {
			known[k].Uncertainty = r.Uncertainty.Values[k]
		}
	}
	return known, err
}

// Places returns where graphs lie beside the training set, given their scores.
func (s *SingleScorer) Places(ctx context.Context, graphs []*graph.Graph, scores []float64) ([]trust.Place, error) {
	return s.places(ctx, len(graphs), func(k int) (print fingerprint.Print, own bool, score float64) {
		return fingerprint.New(graphs[k], fingerprint.DefaultHeight), false, scores[k]
	})
}

// places is Places of prints; own ones are the index's.
func (s *SingleScorer) places(ctx context.Context, n int, of func(k int) (print fingerprint.Print, own bool, score float64)) ([]trust.Place, error) {
	list := make([]trust.Place, n)
	err := parallel.For(ctx, s.workers, n, func(_, k int) {
		print, own, score := of(k)
		nearest := s.near.Subtrees.Nearest(fingerprint.Counts, print, orderNearest+1)
		if own && len(nearest) > 0 {
			nearest = nearest[1:] // itself, than which none is nearer
		}
		nearest = nearest[:min(orderNearest, len(nearest))]
		list[k] = trust.Place{Distance: 1 - stat.Mean(nearest, nil), Atoms: float64(nodes(print)), Score: score}
	})
	return list, err
}
