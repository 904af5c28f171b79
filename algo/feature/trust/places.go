package trust

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"baca/algo/alone"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/parallel"
	"baca/algo/near"
)

// orderNearest is how many training graphs OrderNeighbors uses.
const orderNearest = 5

// Learn calibrates on the errors that the scorer's model knows. name is that of the order to put them in, see OrderOf. It
// fails for an unknown order, and if the model knows no errors or too few.
func Learn(ctx context.Context, s *alone.Scorer, o Options, name string) (*Judging, error) {
	r := s.Model().Residuals
	if r == nil {
		return nil, fmt.Errorf("model %s knows no held-out errors of predictions", s.Model().Card.Name)
	}
	by, err := OrderOf(r, name)
	if err != nil {
		return nil, err
	}
	errors := r.Errors
	if by != OrderScore { // a score does not fit the graphs that the model was trained on
		errors = slices.Concat(r.Errors, r.Trained)
	}
	known, err := heldOut(ctx, s, errors)
	if err != nil {
		return nil, err
	}
	o.Classes = r.Classes
	o.NewScaffold = r.NewScaffold.Values
	c, err := Calibrate(by, known, errors, o)
	return &Judging{Calibration: c, Alone: s}, err
}

// heldOut returns the predictions with these errors: first those of the holdout, then those of training graphs.
func heldOut(ctx context.Context, s *alone.Scorer, errors []float64) ([]Prediction, error) {
	m, subtrees := s.Model(), s.Parts().Bank.Subtrees
	r := m.Residuals
	places, err := placesOf(ctx, s, len(errors), func(k int) (print fingerprint.Print, own bool, score float64) {
		if k < len(r.Errors) {
			return m.Holdout.Prints[k], false, s.Holdout()[k]
		}
		i := near.Place(k-len(r.Errors), len(r.Trained), subtrees.Len())
		return subtrees.Print(i), true, math.NaN()
	})
	known := make([]Prediction, len(places))
	for k, p := range places {
		// An error is as far from 0 or 1 as the prediction is.
		known[k] = Prediction{Place: p, Value: math.Abs(errors[k]), Uncertainty: math.NaN()}
		if r.Uncertainty.Name != "" {
			known[k].Uncertainty = r.Uncertainty.Values[k]
		}
	}
	return known, err
}

// Places returns where graphs lie beside the training set of a scorer, given their scores.
func Places(ctx context.Context, s *alone.Scorer, graphs []*graph.Graph, scores []float64) ([]Place, error) {
	return placesOf(ctx, s, len(graphs), func(k int) (print fingerprint.Print, own bool, score float64) {
		return fingerprint.New(graphs[k], fingerprint.DefaultHeight), false, scores[k]
	})
}

// placesOf returns the places of n prints. of returns print k, whether it is of the bank itself, and the score.
func placesOf(ctx context.Context, s *alone.Scorer, n int, of func(k int) (print fingerprint.Print, own bool, score float64)) ([]Place, error) {
	list, parts := make([]Place, n), s.Parts()
	err := parallel.For(ctx, parts.Workers, n, func(_, k int) {
		print, own, score := of(k)
		nearest := lists.Map(parts.Bank.Subtrees.Nearest(print, orderNearest+1), func(m fingerprint.Match) float64 { return m.Similarity })
		if own && len(nearest) > 0 {
			nearest = nearest[1:] // without itself
		}
		nearest = nearest[:min(orderNearest, len(nearest))]
		list[k] = Place{Distance: 1 - stat.Mean(nearest, nil), Atoms: float64(print.Nodes()), Score: score}
	})
	return list, err
}
