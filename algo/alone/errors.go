package alone

import (
	"baca/algo/feature/trust"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/parallel"
	"baca/algo/near"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// orderNearest is how many training graphs trust.OrderNeighbors uses.
const orderNearest = 5

// Trust calibrates expected errors from the model's residuals, put in the order of a name, see Residuals.Order. The model must
// have residuals.
func (s *Scorer) Trust(ctx context.Context, o trust.Options, name string) (*trust.Calibration, error) {
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
func (s *Scorer) heldOut(ctx context.Context, errors []float64) ([]trust.Prediction, error) {
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
func (s *Scorer) Places(ctx context.Context, graphs []*graph.Graph, scores []float64) ([]trust.Place, error) {
	return s.places(ctx, len(graphs), func(k int) (print fingerprint.Print, own bool, score float64) {
		return fingerprint.New(graphs[k], fingerprint.DefaultHeight), false, scores[k]
	})
}

// places is Places of prints; own ones are the index's.
func (s *Scorer) places(ctx context.Context, n int, of func(k int) (print fingerprint.Print, own bool, score float64)) ([]trust.Place, error) {
	list := make([]trust.Place, n)
	err := parallel.For(ctx, s.workers, n, func(_, k int) {
		print, own, score := of(k)
		nearest := s.near.Subtrees.Nearest(fingerprint.Counts, print, orderNearest+1)
		if own && len(nearest) > 0 {
			nearest = nearest[1:] // itself, than which none is nearer
		}
		nearest = nearest[:min(orderNearest, len(nearest))]
		list[k] = trust.Place{Distance: 1 - stat.Mean(nearest, nil), Atoms: float64(print.Nodes()), Score: score}
	})
	return list, err
}
