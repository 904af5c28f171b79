package decide

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPValuesMatchDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		holdout, scores := make([]float64, rng.IntN(12)), make([]float64, 7)
		for i := range holdout {
			holdout[i] = float64(rng.IntN(6)) // ties
		}
		for i := range scores {
			scores[i] = float64(rng.IntN(8)) - 1
		}
		for i, p := range PValues(scores, holdout) {
			if len(holdout) == 0 {
				if !math.IsNaN(p) {
					t.Fatalf("p = %g without a holdout, want NaN", p)
				}
				continue
			}
			atLeast := 0
			for _, h := range holdout {
				if h >= scores[i] {
					atLeast++
				}
			}
			if want := float64(1+atLeast) / float64(1+len(holdout)); p != want {
				t.Fatalf("score %g in %v: p = %g, want %g", scores[i], holdout, p, want)
			}
		}
	}
}

func TestNaN(t *testing.T) {
	p := PValues([]float64{math.NaN(), 2}, []float64{1, math.NaN(), 3})
	if !math.IsNaN(p[0]) || p[1] != 2.0/3 {
		t.Errorf("p = %v, want NaN and 2/3", p)
	}
	if v := Judge(p[0], 0.05, 100); v != Undecided {
		t.Errorf("verdict %q without a p-value, want %q", v, Undecided)
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		p       float64
		holdout int
		want    Verdict
	}{
		{0.01, 99, Outside}, {0.05, 19, Outside}, {0.06, 99, Borderline}, {0.1, 99, Borderline}, {0.11, 99, Inside}, {1, 19, Inside},
		// Of 18 the smallest p-value is 1/19, so that none is outside says nothing.
		{1.0 / 19, 18, Undecided}, {1, 18, Undecided}, {math.NaN(), 99, Undecided}, {math.NaN(), 0, Undecided},
	} {
		if got := Judge(c.p, 0.05, c.holdout); got != c.want {
			t.Errorf("p = %g of %d: %s, want %s", c.p, c.holdout, got, c.want)
		}
	}
}

// What is outside but above the Guard by itself is borderline.
func TestGuard(t *testing.T) {
	r := Rule{Alpha: 0.05, Holdout: 99, Guard: 0.1}
	for _, c := range []struct {
		p, alone float64
		want     Verdict
	}{{0.05, 0.1, Outside}, {0.05, 0.11, Borderline}, {0.06, 0.01, Borderline}, {0.11, 0.01, Inside}} {
		if got := r.Judge(c.p, c.alone); got != c.want {
			t.Errorf("p %g, %g alone: %s, want %s", c.p, c.alone, got, c.want)
		}
	}
}

func TestCheckAlpha(t *testing.T) {
	for alpha, ok := range map[float64]bool{0.05: true, 1e-9: true, 0: false, 1: false, math.NaN(): false, -1: false} {
		if err := CheckAlpha(alpha); (err == nil) != ok {
			t.Errorf("alpha %g: %v", alpha, err)
		}
	}
}

func TestThreshold(t *testing.T) {
	holdout := []float64{3, 1, 2, 5, 4, 6, 9, 8, 7} // p is a multiple of 0.1
	for _, alpha := range []float64{0.05, 0.1, 0.15, 0.2, 0.5, 0.99} {
		at, ok := Threshold(holdout, alpha)
		if want := alpha >= 0.1; ok != want {
			t.Errorf("alpha %g: a threshold is %v, want %v", alpha, ok, want)
		}
		for s := 0.5; ok && s < 10; s += 0.5 {
			if p := PValues([]float64{s}, holdout)[0]; (p <= alpha) != (s >= at) {
				t.Errorf("alpha %g: score %g has p %g, but the threshold is %g", alpha, s, p, at)
			}
		}
	}
}
