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

// Residuals are the prediction errors of the holdout. Errors of training graphs would not do: their
// scores are lower than those of new graphs.
type Residuals struct {
	Observed, Predicted string // their columns
	Classes             bool   // observed values are 0 or 1
	// Errors are observed less predicted values of the holdout, NaN where one is missing.
	Errors []float64
}

// KeepResiduals stores the errors of the holdout. values has one entry for each graph of the
// training set, nil for none. The predictions must have been held out or cross-validated.
func (m *Model) KeepResiduals(values []*Values, observed, predicted string) error {
	if m.Shared > 0 || m.Card.Holdout != "" || m.Holdout.Len() > len(m.Card.HoldoutRows) {
		return fmt.Errorf("model %s does not hold graphs kept from its training", m.Card.Name)
	}
	if len(values) != m.Card.Graphs {
		return fmt.Errorf("values of %d graphs: model %s was trained on a set of %d", len(values), m.Card.Name, m.Card.Graphs)
	}
	r := &Residuals{Observed: observed, Predicted: predicted, Classes: true, Errors: make([]float64, m.Holdout.Len())}
	known := 0
	for k := range r.Errors {
		v := values[m.Card.HoldoutRows[near.Place(k, len(r.Errors), len(m.Card.HoldoutRows))]]
		r.Errors[k] = math.NaN()
		if v == nil || math.IsNaN(v.Observed-v.Predicted) {
			continue
		}
		known++
		r.Errors[k] = v.Observed - v.Predicted
		r.Classes = r.Classes && (v.Observed == 0 || v.Observed == 1) && v.Predicted >= 0 && v.Predicted <= 1
	}
	if known < trust.MinPairs {
		return fmt.Errorf("%d of %d graphs kept from training have both values: want at least %d", known, len(r.Errors), trust.MinPairs)
	}
	if !r.Classes && !slices.ContainsFunc(r.Errors, func(x float64) bool { return math.Abs(x) > 0 }) {
		return fmt.Errorf("observed and predicted values of all %d graphs kept from training are equal: want predictions that were made without them", known)
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
func (r *Residuals) Known() int {
	n := 0
	for _, x := range r.Errors {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

// orderNearest is how many training graphs trust.OrderNeighbors uses.
const orderNearest = 5

// Order is the default: margin for classes, score for numbers. It was chosen on sets of its own,
// see `baca-paper bench intervals --sets validation`.
func (r *Residuals) Order() trust.Order {
	if r.Classes {
		return trust.OrderMargin
	}
	return trust.OrderScore
}

// Trust calibrates expected errors from the model's residuals, ranked by an order. The model must
// have residuals.
func (s *SingleScorer) Trust(ctx context.Context, o trust.Options, by trust.Order) (*trust.Calibration, error) {
	r := s.model.Residuals
	if r == nil {
		return nil, fmt.Errorf("model %s knows no held-out errors of predictions", s.model.Card.Name)
	}
	if by == trust.OrderMargin && !r.Classes {
		return nil, fmt.Errorf("errors by %s: model %s knows errors of numbers; want errors of classes, observed as 0 or 1 and predicted as a probability", by, s.model.Card.Name)
	}
	doubts, err := s.doubts(ctx, by, len(r.Errors), func(k int) (print fingerprint.Print, score, predicted float64) {
		// An error is as far from 0 or 1 as the prediction is.
		return s.model.Holdout.Prints[k], s.holdout[k], math.Abs(r.Errors[k])
	})
	if err != nil {
		return nil, err
	}
	pairs := make([]trust.Pair, len(r.Errors))
	for k, x := range r.Errors {
		pairs[k] = trust.Pair{Score: doubts[k], Error: x}
	}
	o.Classes = r.Classes
	return trust.New(pairs, o)
}

// A Prediction belongs to a graph with a score.
type Prediction struct {
	Graph            *graph.Graph
	Score, Predicted float64
}

// Doubts ranks predictions by an order: higher is less reliable. It is NaN for a graph without a
// score and, by trust.OrderMargin, for a value outside 0 to 1.
func (s *SingleScorer) Doubts(ctx context.Context, by trust.Order, list []Prediction) ([]float64, error) {
	return s.doubts(ctx, by, len(list), func(k int) (print fingerprint.Print, score, predicted float64) {
		if by == trust.OrderNeighbors {
			print = fingerprint.New(list[k].Graph, fingerprint.DefaultHeight)
		}
		return print, list[k].Score, list[k].Predicted
	})
}

func (s *SingleScorer) doubts(ctx context.Context, by trust.Order, n int, of func(k int) (print fingerprint.Print, score, predicted float64)) ([]float64, error) {
	if !slices.Contains(trust.Orders(), by) {
		return nil, fmt.Errorf("errors by %q: want one of score, neighbors, margin", by)
	}
	list := make([]float64, n)
	err := parallel.For(ctx, s.workers, n, func(_, k int) {
		print, score, predicted := of(k)
		switch {
		case math.IsNaN(score) || by == trust.OrderScore:
			list[k] = score
		case by == trust.OrderNeighbors:
			nearest := s.near.Subtrees.Nearest(fingerprint.Counts, print, orderNearest)
			list[k] = 1 - stat.Mean(nearest, nil)
		default:
			list[k] = trust.Margin(predicted)
		}
	})
	return list, err
}
