package qsar

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// A golden is what scikit-learn fits, see testdata/sklearn.py. The first rows train.
type golden struct {
	Width                      int
	Rows                       [][]int32
	Values, Classes            []float64
	Ridge, Logistic, Tree      []float64
	RidgeSpread                []float64 `json:"ridge_spread"`
	LogisticSpread             []float64 `json:"logistic_spread"`
	RidgeLeftOut               float64   `json:"ridge_left_out"`
	LogisticLeftOut            float64   `json:"logistic_left_out"`
	Regression, Classification []struct{ Value, Spread []float64 }
}

func readGolden(t *testing.T) *golden {
	t.Helper()
	data, err := os.ReadFile("testdata/sklearn.json")
	g := new(golden)
	if err == nil {
		err = json.Unmarshal(data, g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *golden) table(classes bool) *Table {
	t := &Table{Rows: g.Rows[:len(g.Values)], Values: g.Values, Width: g.Width, Classes: classes}
	if classes {
		t.Values = g.Classes
	}
	return t
}

func (g *golden) predict(m Model) (values, spreads []float64) {
	for _, row := range g.Rows[len(g.Values):] {
		e := m.Predict(row)
		values, spreads = append(values, e.Value), append(spreads, e.Spread)
	}
	return values, spreads
}

// apart is the root of the mean squared difference.
func apart(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum / float64(len(a)))
}

func TestLinearIsThatOfScikitLearn(t *testing.T) {
	g := readGolden(t)
	for _, c := range []struct {
		classes       bool
		want, spread  []float64
		leftOut, near float64 // and how near: the one for classes is a step of Newton's
	}{{false, g.Ridge, g.RidgeSpread, g.RidgeLeftOut, 1e-9}, {true, g.Logistic, g.LogisticSpread, g.LogisticLeftOut, 0.01}} {
		l, loss, err := fitPenalised(g.table(c.classes), 3)
		if err != nil {
			t.Fatal(err)
		}
		values, spreads := g.predict(l)
		if d, e := apart(values, c.want), apart(spreads, c.spread); d > 1e-6 || e > 1e-6 {
			t.Errorf("classes %v: predictions %g apart, spreads %g", c.classes, d, e)
		}
		if math.Abs(loss-c.leftOut) > c.near*c.leftOut {
			t.Errorf("classes %v: loss %g where rows are left out, want %g", c.classes, loss, c.leftOut)
		}
	}
}

// The penalty with the least loss is chosen.
func TestFitLinear(t *testing.T) {
	g := readGolden(t)
	for _, classes := range []bool{false, true} {
		best, err := FitLinear(t.Context(), g.table(classes))
		if err != nil {
			t.Fatal(err)
		}
		for _, penalty := range Penalties {
			l, loss, err := fitPenalised(g.table(classes), penalty)
			if err != nil {
				t.Fatal(err)
			}
			if least := best.leftOut(g.table(classes)); loss < least || penalty == best.Penalty && loss != least {
				t.Errorf("penalty %g has the loss %g, and %g was chosen", l.Penalty, loss, best.Penalty)
			}
		}
	}
}

func TestTreeIsThatOfScikitLearn(t *testing.T) {
	g := readGolden(t)
	f, err := FitForest(t.Context(), g.table(false), ForestOptions{Trees: 1, Tried: g.Width, Leaf: 10})
	if err != nil {
		t.Fatal(err)
	}
	values, spreads := g.predict(f)
	if d := apart(values, g.Tree); d > 1e-9 {
		t.Errorf("%g apart", d)
	}
	if d := apart(spreads, make([]float64, len(spreads))); d > 1e-6 {
		t.Errorf("one tree has the spread %g", d)
	}
}

// A forest is as near to scikit-learn's forests as these are to each other.
func TestForestIsLikeScikitLearns(t *testing.T) {
	g := readGolden(t)
	for _, classes := range []bool{false, true} {
		theirs := g.Regression
		if classes {
			theirs = g.Classification
		}
		table := g.table(classes)
		o := UsualForest(table, 1)
		o.Trees = 400
		f, err := FitForest(t.Context(), table, o)
		if err != nil {
			t.Fatal(err)
		}
		values, spreads := g.predict(f)
		ours, others := [2]float64{}, [2]float64{}
		pairs := 0.0
		for i, a := range theirs {
			ours[0] += apart(values, a.Value) / float64(len(theirs))
			ours[1] += apart(spreads, a.Spread) / float64(len(theirs))
			for _, b := range theirs[:i] {
				others[0] += apart(a.Value, b.Value)
				others[1] += apart(a.Spread, b.Spread)
				pairs++
			}
		}
		for k, what := range []string{"predictions", "spreads"} {
			if x := others[k] / pairs; ours[k] > 1.3*x {
				t.Errorf("classes %v: %s are %g apart, those of scikit-learn's %g", classes, what, ours[k], x)
			}
		}
		again, err := FitForest(t.Context(), table, o)
		if err != nil {
			t.Fatal(err)
		}
		if same, _ := g.predict(again); apart(same, values) != 0 {
			t.Error("another forest of the same seed")
		}
	}
}

func TestTablesThatCannotBeFitted(t *testing.T) {
	two := [][]int32{{0}, {1}}
	for want, table := range map[string]*Table{
		"2 or more":           {Rows: two[:1], Values: []float64{1}, Width: 2},
		"want a finite":       {Rows: two, Values: []float64{1, math.NaN()}, Width: 2},
		"want 0 or 1":         {Rows: two, Values: []float64{0, 2}, Width: 2, Classes: true},
		"all molecules are o": {Rows: two, Values: []float64{1, 1}, Width: 2, Classes: true},
	} {
		if _, err := FitLinear(t.Context(), table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ridge: %v, want %q", err, want)
		}
		if _, err := FitForest(t.Context(), table, UsualForest(table, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("forest: %v, want %q", err, want)
		}
	}
}
