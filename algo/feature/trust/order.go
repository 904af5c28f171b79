package trust

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"baca/algo/internal/lists"
	"baca/algo/model"
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
	// OrderUncertainty ranks by what the user's model says of its own prediction.
	OrderUncertainty Order = "uncertainty"
	// OrderCombined ranks by the sum of two ranks among the held-out predictions: by neighbors and
	// by uncertainty.
	OrderCombined Order = "combined"
)

// Orders returns all orders.
func Orders() []Order {
	return []Order{OrderScore, OrderNeighbors, OrderMargin, OrderUncertainty, OrderCombined}
}

// Names joins the names of orders with commas.
func Names(orders []Order) string {
	return strings.Join(lists.Map(orders, func(o Order) string { return string(o) }), ", ")
}

// OrdersOf returns the orders that the errors of a model can be put in, the default last. The default was chosen on sets of
// its own, see `baca-paper bench intervals --sets validation`.
func OrdersOf(r *model.Residuals) []Order {
	list := []Order{OrderScore, OrderNeighbors}
	if r.Uncertainty.Name != "" {
		list = append(list, OrderCombined, OrderUncertainty)
	}
	if r.Classes {
		list = append(list, OrderMargin)
	}
	return list
}

// OrderOf returns the order of that name among OrdersOf, OrderUncertainty for the name of the column of uncertainties, and
// the default for an empty name. Any other name gives an error.
func OrderOf(r *model.Residuals, name string) (Order, error) {
	orders := OrdersOf(r)
	switch by := Order(name); {
	case name == "":
		return orders[len(orders)-1], nil
	case slices.Contains(orders, by):
		return by, nil
	case name == r.Uncertainty.Name:
		return OrderUncertainty, nil
	}
	kind := "numbers"
	if r.Classes {
		kind = "classes"
	}
	return "", fmt.Errorf("errors by %s: the model knows errors of %s; want one of %s", name, kind, Names(orders))
}

// ReadsUncertainty tells whether the order needs Prediction.Uncertainty.
func (o Order) ReadsUncertainty() bool { return o == OrderUncertainty || o == OrderCombined }

// Words names the order, as in "correlation of error and …".
func (o Order) Words() string {
	switch o {
	case OrderNeighbors:
		return "distance to the five nearest"
	case OrderMargin:
		return "distance to the nearer class"
	case OrderUncertainty:
		return "uncertainty of the prediction"
	case OrderCombined:
		return "distance to the five nearest and uncertainty of the prediction"
	}
	return "score"
}

// A Prediction is what is known of one before its value is observed.
type Prediction struct {
	Place
	Value       float64
	Uncertainty float64 // by the user's model, in any unit, higher is less sure; NaN for none
}

// A ranking puts predictions into an order.
type ranking struct {
	by                       Order
	distances, uncertainties []float64 // of held-out predictions, ascending
}

// newRanking returns a ranking by the distances and uncertainties of known predictions. It fails for an unknown order.
func newRanking(by Order, known []Prediction) (*ranking, error) {
	if !slices.Contains(Orders(), by) {
		return nil, fmt.Errorf("errors by %q: want one of %s", by, Names(Orders()))
	}
	r := &ranking{by: by}
	for _, p := range known {
		r.distances, r.uncertainties = append(r.distances, p.Distance), append(r.uncertainties, p.Uncertainty)
	}
	slices.Sort(r.distances)
	slices.Sort(r.uncertainties)
	return r, nil
}

// Doubt is what the order ranks a prediction by; higher is less reliable. It is NaN where the order needs what is not known: a score,
// an uncertainty, or a probability from 0 to 1.
func (r *ranking) Doubt(p Prediction) float64 {
	switch r.by {
	case OrderScore:
		return p.Score
	case OrderNeighbors:
		return p.Distance
	case OrderMargin:
		return Margin(p.Value)
	case OrderUncertainty:
		return p.Uncertainty
	}
	return rank(r.distances, p.Distance) + rank(r.uncertainties, p.Uncertainty)
}

// rank is the share of ascending values below x, and half of those equal to it. NaN has none.
func rank(values []float64, x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	below := sort.SearchFloat64s(values, x)
	upTo := sort.Search(len(values), func(i int) bool { return values[i] > x })
	return float64(below+upTo) / 2 / float64(len(values))
}

// Margin is the distance of a probability from the nearer of 0 and 1, with the same bits for p and
// 1−p, NaN for what is no probability.
func Margin(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return 1 - max(p, 1-p)
}
