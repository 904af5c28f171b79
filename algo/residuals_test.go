package algo_test

import (
	"math"
	"strings"
	"testing"

	"baca/algo"
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
	m, set := manyMolecules(t)
	values := valued(len(set))
	values[m.Card.HoldoutRows[2]] = nil
	values[m.Card.HoldoutRows[3]].Predicted = math.NaN()
	if err := m.KeepResiduals(values, "y", "p"); err != nil {
		t.Fatal(err)
	}
	r := m.Residuals
	if r.Classes || r.Known() != len(m.Card.HoldoutRows)-2 || !math.IsNaN(r.Errors[2]) || !math.IsNaN(r.Errors[3]) {
		t.Errorf("%+v", r)
	}
	for k, row := range m.Card.HoldoutRows {
		if x := r.Errors[k]; k != 2 && k != 3 && math.Abs(x-1/float64(row+1)) > 1e-12 {
			t.Errorf("held-out graph %d, row %d, has an error of %g", k, row, x)
		}
	}
	a, err := algo.NewSingleScorer(ctx, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Trust(ctx, trust.Options{}, algo.OrderScore)
	if err != nil || c.Pairs != r.Known() {
		t.Errorf("%+v, %v", c, err)
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
	few, set := moleculeModel(t)
	many, more := manyMolecules(t)
	for _, c := range []struct {
		m      *algo.Model
		values []*algo.Values
		want   string
	}{
		{few, valued(len(set)), "want at least 20"},
		{many, valued(len(more) - 1), "trained on a set of"},
		{many, make([]*algo.Values, len(more)), "0 have both values"},
	} {
		if err := c.m.KeepResiduals(c.values, "y", "p"); err == nil || !strings.Contains(err.Error(), c.want) || c.m.Residuals != nil {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	many.Card.Holdout = "other.csv"
	if err := many.KeepResiduals(valued(len(more)), "y", "p"); err == nil {
		t.Error("errors of a holdout from another file")
	}
	a, err := algo.NewSingleScorer(ctx, few, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Trust(ctx, trust.Options{}, algo.OrderScore); err == nil || !strings.Contains(err.Error(), "knows no held-out errors") {
		t.Errorf("%v", err)
	}
}

// Neighbours carry values where the set had any.
func TestNeighbourValues(t *testing.T) {
	m, set := moleculeModel(t)
	set[0].Values = &algo.Values{Observed: 2.5, Predicted: math.NaN()}
	s, err := m.StructuresOf(set)
	if err != nil || s.Predicted != nil || len(s.Observed) != m.Known() || s.Observed[0] != 2.5 || !math.IsNaN(s.Observed[1]) {
		t.Fatalf("%+v, %v", s, err)
	}
	m.Structures = s
	a, err := algo.NewSingleScorer(ctx, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v := a.Nearest(set[0].Graph, 1)[0].Values; v == nil || v.Observed != 2.5 || !math.IsNaN(v.Predicted) {
		t.Errorf("%+v", v)
	}
	if v := a.Nearest(set[1].Graph, 1)[0].Values; v != nil {
		t.Errorf("values of a molecule without any: %+v", v)
	}
}
