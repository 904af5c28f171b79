package decide

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The rule as it was published: with the largest k for which p₍ₖ₎ ≤ f·k/m, the k
// smallest are discoveries.
func discoveries(p []float64, f float64) int {
	sorted := slices.DeleteFunc(slices.Clone(p), math.IsNaN)
	slices.Sort(sorted)
	most := 0
	for k, v := range sorted {
		if v <= f*float64(k+1)/float64(len(sorted)) {
			most = k + 1
		}
	}
	return most
}

func TestQValuesAreBenjaminiHochberg(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		p := make([]float64, rng.IntN(40))
		for i := range p {
			p[i] = float64(1+rng.IntN(20)) / 20 // ties
			if rng.IntN(3) == 0 {
				p[i] *= 0.05
			}
			if rng.IntN(15) == 0 {
				p[i] = math.NaN()
			}
		}
		q := QValues(p)
		for _, f := range []float64{0.01303, 0.05107, 0.11109, 0.2311, 0.7713} { // none on a boundary
			called := 0
			for _, v := range q {
				if v <= f {
					called++
				}
			}
			if want := discoveries(p, f); called != want {
				t.Fatalf("%v at %g: %d discoveries, want %d (q %v)", p, f, called, want, q)
			}
		}
		for i := range p {
			if math.IsNaN(p[i]) != math.IsNaN(q[i]) || q[i] < p[i] || q[i] > 1 {
				t.Fatalf("p = %g has q = %g", p[i], q[i])
			}
		}
	}
	// By hand: 4 values.
	want := []float64{0.04, 0.04, 0.9, 0.08 * 4 / 3}
	for i, q := range QValues([]float64{0.01, 0.02, 0.9, 0.08}) {
		if math.Abs(q-want[i]) > 1e-12 {
			t.Errorf("q %d is %g, want %g", i, q, want[i])
		}
	}
}

// judgeBatch is the verdict by a q-value.
func judgeBatch(p, q, alpha, fdr float64, holdout int) Verdict {
	return Rule{Alpha: alpha, Holdout: holdout, ByRate: true, Cut: Levels{p: q}.Cut(fdr)}.Judge(p, p)
}

func TestJudgeBatch(t *testing.T) {
	for _, c := range []struct {
		p, q    float64
		holdout int
		want    Verdict
	}{
		{0.01, 0.09, 99, Outside}, {0.01, 0.2, 99, Borderline}, {0.06, 0.2, 99, Inside}, {0.06, 0.1, 99, Outside}, {math.NaN(), math.NaN(), 99, Undecided},
		{0.1, 0.1, 9, Outside}, {0.1, 0.2, 9, Undecided},
	} {
		if got := judgeBatch(c.p, c.q, 0.05, 0.1, c.holdout); got != c.want {
			t.Errorf("p %g, q %g of %d: %s, want %s", c.p, c.q, c.holdout, got, c.want)
		}
	}
	for _, f := range []float64{0, 1, -1, math.NaN()} {
		if CheckFDR(f) == nil {
			t.Errorf("a rate of %g makes sense", f)
		}
	}
	if err := CheckFDR(0.1); err != nil {
		t.Error(err)
	}
}
