package decide

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Over many holdouts, the asked share keeps to the rate.
func TestConfident(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for _, c := range []struct {
		alpha, confidence float64
		n                 int
	}{{0.05, 0.9, 204}, {0.1, 0.95, 60}, {0.05, 0.99, 512}, {0.3, 0.5, 20}} {
		rate := Confident(c.alpha, c.confidence, c.n)
		if !(rate > 0 && rate <= c.alpha) {
			t.Errorf("%+v: rate %g", c, rate)
		}
		// Scores are uniform, so the share of further ones above a threshold is known.
		kept, keptNext := 0, 0
		const runs = 4000
		for range runs {
			holdout := make([]float64, c.n)
			for i := range holdout {
				holdout[i] = rng.Float64()
			}
			slices.Sort(holdout)
			k := int(math.Round(rate*float64(1+c.n))) - 1 // held-out ones may be as high
			if 1-holdout[c.n-1-k] <= c.alpha {
				kept++
			}
			if k+1 < c.n && 1-holdout[c.n-2-k] <= c.alpha {
				keptNext++
			}
		}
		error := 4 * math.Sqrt(c.confidence*(1-c.confidence)/runs)
		if share := float64(kept) / runs; share < c.confidence-error {
			t.Errorf("%+v: %.3f of the holdouts keep to it", c, share)
		}
		if next := rate + 1/float64(1+c.n); next <= c.alpha && float64(keptNext)/runs > c.confidence+error {
			t.Errorf("%+v: a rate of %g would do, too", c, next)
		}
	}
	if rate := Confident(0.05, 0.5, 199); rate != 0.05 { // Beta(10, 190) is below its mean of 0.05 in more than half of the cases
		t.Errorf("rate %g, want alpha itself", rate)
	}
	if rate := Confident(0.05, 0.95, 40); rate != 0 {
		t.Errorf("40 held-out graphs resolve %g with confidence 0.95", rate)
	}
	if a, b := Confident(0.05, 0.95, 1000), Confident(0.05, 0.95, 100_000); !(a < b && b < 0.05) {
		t.Errorf("rates %g and %g of 1 000 and 100 000", a, b)
	}
}

// The bound holds at the worst threshold of each run, in as many runs as asked for.
func TestMostFalse(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	for _, c := range []struct{ holdout, inside, outside int }{{200, 100, 0}, {200, 80, 20}, {60, 300, 100}, {512, 50, 50}} {
		const runs, confidence = 400, 0.9
		broken, tight := 0, 0
		for range runs {
			holdout, scores := stream(rng, c.holdout, 0), append(stream(rng, c.inside, 0), stream(rng, c.outside, 3)...)
			p, wrong := PValues(scores, holdout), false
			for k := range c.holdout + 1 {
				at := float64(1+k) / float64(1+c.holdout)
				isFalse, called := 0, 0
				for i, v := range p {
					if v <= at && i < c.inside {
						isFalse++
					}
					if v <= at {
						called++
					}
				}
				most := MostFalse(called, len(scores), c.holdout, at, confidence)
				wrong = wrong || isFalse > most
				if most < called {
					tight++
				}
			}
			if wrong {
				broken++
			}
		}
		if share := float64(broken) / runs; share > 1-confidence {
			t.Errorf("%+v: the bound fails in %.3f of the runs", c, share)
		}
		if c.outside > 0 && tight == 0 {
			t.Errorf("%+v: the bound never says anything", c)
		}
	}
	// λ = 0.0675 solves the second bound's equation, by Python; the first bound is far above.
	if got := MostFalse(900, 1000, 1000, 0.3, 0.9); got != 367 {
		t.Errorf("%d of 900, want 367", got)
	}
	// Fewer than 1000·0.00101/0.05 = 20.2, the first bound; the second has 68.
	if got := MostFalse(900, 1000, 1000, 0.00101, 0.9); got != 20 {
		t.Errorf("%d of 900, want 20", got)
	}
	if got := MostFalse(7, 100, 0, 0.1, 0.9); got != 7 {
		t.Errorf("%d of 7 without a holdout", got)
	}
}
