package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// By hand: errors 1, 5, 3 in the order of the scores.
func TestByHand(t *testing.T) {
	scores, errors := []float64{10, 30, 20}, []float64{1, 3, 5}
	near(t, "area", Area(scores, errors), (1+3+3)/3.0)
	at := At(scores, errors, 0.01, 0.67, 1)
	for i, want := range []float64{1, 3, 3} {
		near(t, "at", at[i], want)
	}
	near(t, "Spearman", Spearman(scores, errors), 0.5) // 1 − 6·(0+1+1)/(3·8)
	if w := Worst(errors, 0.2); !slices.Equal(w, []bool{false, false, true}) {
		t.Errorf("worst %v", w)
	}
	near(t, "finds", Finds(scores, errors, 0.2), 0.5)
	if w := Worst([]float64{2, 1, 2, 0, 0}, 0.2); !slices.Equal(w, []bool{true, false, true, false, false}) {
		t.Errorf("ties at the border: %v", w)
	}
}

// With equal scores a value is the mean over all orders of these.
func TestTiesAreAveraged(t *testing.T) {
	scores, errors := []float64{1, 2, 2, 2, 3}, []float64{4, 0, 3, 9, 2}
	area, half, n := 0.0, 0.0, 0.0
	for _, p := range [][]int{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
		broken := slices.Clone(scores)
		for k, i := range p {
			broken[i] += float64(k) / 10
		}
		area, half, n = area+Area(broken, errors), half+At(broken, errors, 0.6)[0], n+1
	}
	near(t, "area", Area(scores, errors), area/n)
	near(t, "at", At(scores, errors, 0.6)[0], half/n)
	near(t, "area of equal scores", Area(make([]float64, 5), errors), 18/5.0)
	near(t, "Spearman of equal scores", Spearman(make([]float64, 5), errors), math.NaN())
	// Ranks 1, 3, 3, 3, 5 and 4, 1, 3, 5, 2: covariance −4 of variances 8 and 10.
	near(t, "Spearman", Spearman(scores, errors), -4/math.Sqrt(80))
}

// The errors themselves are the best score there is, and what is not a number has none.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	errors, scores := make([]float64, 40), make([]float64, 40)
	for range 50 {
		for i := range errors {
			errors[i], scores[i] = rng.ExpFloat64(), rng.Float64()
		}
		if Area(scores, errors) < Area(errors, errors) {
			t.Fatal("a random order has a smaller area than the errors themselves")
		}
	}
	scores[3] = math.NaN()
	near(t, "area", Area(scores, errors), math.NaN())
	near(t, "at", At(scores, errors, 0.5)[0], math.NaN())
	near(t, "Spearman", Spearman(scores, errors), math.NaN())
	near(t, "area of nothing", Area(nil, nil), math.NaN())
}

// About 95 in 100 intervals hold the mean that the differences are drawn with.
func TestInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	holds := 0
	for k := range 400 {
		list := make([]float64, 60)
		for i := range list {
			list[i] = 2 + rng.NormFloat64()
		}
		if low, high := Interval(list, 400, uint64(k)); low <= 2 && 2 <= high {
			holds++
		}
	}
	if holds < 360 || holds > 395 {
		t.Errorf("%d of 400 intervals hold the mean, want about 376", holds)
	}
	if low, _ := Interval(nil, 10, 1); !math.IsNaN(low) {
		t.Errorf("no differences: %g", low)
	}
}
