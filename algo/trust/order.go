package trust

import (
	"fmt"
	"math"
)

// An Order ranks predictions, the most reliable first.
type Order string

// The orders.
const (
	// OrderScore ranks by the score of the graph by itself.
	OrderScore Order = "score"
	// OrderNeighbors ranks by one less the mean similarity of the five nearest training graphs.
	OrderNeighbors Order = "neighbors"
	// OrderMargin ranks classes by the distance of the probability from the nearer of 0 and 1. It
	// ignores the graph.
	OrderMargin Order = "margin"
)

func Orders() []Order { return []Order{OrderScore, OrderNeighbors, OrderMargin} }

// Doubt is what the order ranks a prediction by; higher is less reliable. It is NaN for a graph
// without a score and, by OrderMargin, for a value outside 0 to 1.
func (o Order) Doubt(p Place, predicted float64) (float64, error) {
	switch o {
	case OrderScore:
		return p.Score, nil
	case OrderNeighbors:
		return p.Distance, nil
	case OrderMargin:
		return Margin(predicted), nil
	}
	return 0, fmt.Errorf("errors by %q: want one of score, neighbors, margin", o)
}

// Words names the order, as in "correlation of error and …".
func (o Order) Words() string {
	switch o {
	case OrderNeighbors:
		return "distance to the five nearest"
	case OrderMargin:
		return "distance to the nearer class"
	}
	return "score"
}

// Margin is the distance of a probability from the nearer of 0 and 1, with the same bits for p and
// 1−p, NaN for what is no probability.
func Margin(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return 1 - max(p, 1-p)
}
