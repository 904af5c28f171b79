package trust

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// Intervals of a list are those of scikit-learn's logistic regression, see testdata/shift.py.
func TestShiftAgainstScikitLearn(t *testing.T) {
	data := must.Have(os.ReadFile("testdata/shift.json"))
	var want struct {
		Held, List [][2]float64
		Errors     []float64
		Effective  float64
		Halves     []*float64
	}
	must.Do(json.Unmarshal(data, &want))
	var pairs []Pair
	for i, p := range want.Held {
		pairs = append(pairs, Pair{p[0], want.Errors[i], Place{p[0], p[1], math.NaN()}})
	}
	var list []Place
	for _, p := range want.List {
		list = append(list, Place{p[0], p[1], math.NaN()})
	}
	c := must.Have(New(pairs, Options{Coverage: 0.8}))
	s := c.NewShift(list)
	if math.Abs(s.Effective-want.Effective) > 1e-6*want.Effective {
		t.Errorf("effective sample %g, want %g", s.Effective, want.Effective)
	}
	if s.Effective < minEffective {
		t.Fatalf("an effective sample of %g: want a fixture whose intervals are not widened", s.Effective)
	}
	infinite := 0
	for i, p := range list {
		j := c.Judge(p.Distance, 1)
		s.Judge(p, &j)
		half := j.BatchHigh - 1
		switch w := want.Halves[i]; {
		case w == nil:
			infinite++
			if !math.IsNaN(half) || !math.IsNaN(j.BatchLow) {
				t.Errorf("molecule %d: ± %g, want no interval", i, half)
			}
		case math.Abs(half-*w) > 1e-9 || math.Abs(1-j.BatchLow-half) > 1e-9:
			t.Errorf("molecule %d: %g to %g, want 1 ± %g", i, j.BatchLow, j.BatchHigh, *w)
		}
	}
	if s.Infinite != infinite || !s.Farther {
		t.Errorf("%d without an interval, farther %t; want %d, true", s.Infinite, s.Farther, infinite)
	}
	said := fmt.Sprintf("%.0f errors of equal weight; %d of 60 molecules lie where errors are too few for an interval", want.Effective, infinite)
	if got := s.Sentences()[1]; !strings.HasSuffix(got, said) {
		t.Errorf("%s, want %s", got, said)
	}
	backwards := slices.Clone(list)
	slices.Reverse(backwards)
	if again := c.NewShift(backwards); math.Abs(again.Effective-s.Effective) > 1e-9 {
		t.Errorf("the order of the list matters: %g and %g", again.Effective, s.Effective)
	}
}

// Where errors depend on the distance, intervals of farther lists hold what is asked; those of molecules by themselves, from one
// group, do not.
func TestShiftHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func(n int, low, high float64) (pairs []Pair) {
		for range n {
			d := low + (high-low)*rng.Float64()
			pairs = append(pairs, Pair{0, d * d * rng.NormFloat64(), Place{d, 10 + float64(rng.IntN(10)), math.NaN()}})
		}
		return pairs
	}
	var covered, plain, n float64
	for range 40 {
		c := must.Have(New(draw(400, 0.1, 0.9), Options{Coverage: 0.9}))
		fresh := draw(100, 0.6, 0.9)
		var list []Place
		for _, p := range fresh {
			list = append(list, p.Place)
		}
		s := c.NewShift(list)
		for _, p := range fresh {
			j := c.Judge(0, 0)
			if s.Judge(p.Place, &j); math.Abs(p.Error) <= j.BatchHigh || math.IsNaN(j.BatchHigh) {
				covered++
			}
			if math.Abs(p.Error) <= j.High {
				plain++
			}
			n++
		}
	}
	if covered/n < 0.88 || covered/n > 0.94 || plain/n > 0.85 {
		t.Errorf("%.3f covered for the list, %.3f by themselves; want 0.9, and less than 0.85", covered/n, plain/n)
	}
}

// A list like the held-out molecules changes no verdict; a farther one has check at best, and intervals as wide as new scaffolds take.
func TestShiftVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	place := func(more float64) Place {
		return Place{rng.Float64() + more, float64(5 + rng.IntN(20)), rng.NormFloat64() + more}
	}
	var pairs []Pair
	for range 200 {
		p := place(0)
		pairs = append(pairs, Pair{p.Distance, rng.NormFloat64(), p})
	}
	elsewhere := []float64{math.NaN()}
	for i := range 40 {
		elsewhere = append(elsewhere, float64((i+1)*(1-2*(i%2))))
	}
	c := must.Have(New(pairs, Options{Tolerance: 10, NewScaffold: elsewhere})) // no error is large
	for _, row := range []struct {
		name    string
		of      func() Place
		farther bool
	}{
		{"alike", func() Place { return place(0) }, false},
		{"nearer", func() Place { return place(-0.3) }, false},
		{"farther", func() Place { return place(0.3) }, true},
		{"higher scores", func() Place { p := place(0); p.Score += 1; return p }, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			var list []Place
			for range MinList {
				list = append(list, row.of())
			}
			s := c.NewShift(list)
			j := c.Judge(0.5, 0)
			s.Judge(list[0], &j)
			if want := map[bool]Verdict{false: Trust, true: Check}[row.farther]; s.Farther != row.farther || j.Verdict != Trust || j.BatchVerdict != want {
				t.Errorf("farther %t, %s, in the list %s; want %t, trust, %s", s.Farther, j.Verdict, j.BatchVerdict, row.farther, want)
			}
			want := []string{
				"this list of 50 lies no farther from the training set than held-out molecules",
				fmt.Sprintf("interval_batch weighs errors by how common such molecules are in the list, as good as %.0f errors of equal weight", s.Effective),
			}
			if row.farther {
				want[0] = "this list of 50 lies farther from the training set than held-out molecules, so trust_batch is check at best"
				want[1] += "; as this list lies farther, intervals are at least as wide as for molecules of new scaffolds, ± 36.9"
			}
			if said := s.Sentences(); s.Effective < minEffective || s.Infinite != 0 || !slices.Equal(said, want) {
				t.Errorf("%q, want %q", said, want)
			}
			// The 36.9th of 40, half of them negative; others are of a standard normal distribution.
			if math.Abs(j.BatchHigh-36.9) < 1e-9 != row.farther || !row.farther && j.BatchHigh > 5 || j.BatchLow != -j.BatchHigh {
				t.Errorf("an interval from %g to %g", j.BatchLow, j.BatchHigh)
			}
		})
	}
	short := slices.Repeat([]Place{{0.5, 9, 0}}, MinList)
	for _, unknown := range []Place{{math.NaN(), 9, 0}, {0.5, 0, 0}} {
		if short[0] = unknown; c.NewShift(short) != nil {
			t.Errorf("%d molecules with a place are compared", MinList-1)
		}
	}
	j := c.Judge(0.5, 0)
	if (*Shift)(nil).Judge(Place{0.5, 9, 0}, &j); j.BatchVerdict != "" || !math.IsNaN(j.BatchLow) {
		t.Errorf("without a list: %+v", j)
	}
}

// Intervals of errors of one place, 1 to n, are theirs if these are enough. If they are few, intervals are as wide as those of the
// most doubtful group, whose places are not known.
func TestFewErrors(t *testing.T) {
	here := Place{0.5, 10, math.NaN()}
	for n, half := range map[int]float64{minEffective: 28, minEffective - 1: 154.9} { // the 0.9·31st and the 0.9·61st of 101 to 160
		pairs := make([]Pair, 120)
		for i := range pairs {
			if pairs[i] = (Pair{0, float64(i + 1), Place{}}); i < n {
				pairs[i].Place = here
			} else if i >= 60 {
				pairs[i].Score, pairs[i].Error = 1, float64(i+41)
			}
		}
		c := must.Have(New(pairs, Options{}))
		s, j := c.NewShift(slices.Repeat([]Place{here}, MinList)), c.Judge(0, 0)
		s.Judge(here, &j)
		want := fmt.Sprintf("as good as %d errors of equal weight", n)
		if n < minEffective {
			want += "; as these are few, intervals are at least as wide as for the most doubtful held-out molecules"
		}
		if said := s.Sentences()[1]; math.Abs(j.BatchHigh-half) > 1e-9 || !strings.HasSuffix(said, want) {
			t.Errorf("%d errors: ± %g, %s; want ± %g, %s", n, j.BatchHigh, said, half, want)
		}
	}
}

// A score above all that were held out is beyond them, whatever the order; without such scores nothing is.
func TestBeyondTheHighestScore(t *testing.T) {
	known, errors := []Prediction{{Place: Place{0.5, 10, math.NaN()}}}, []float64{1} // of a molecule trained on
	for i := range 40 {
		known, errors = append(known, Prediction{Place: Place{0.5, 10, float64(i)}}), append(errors, 1)
	}
	c := must.Have(Calibrate(OrderNeighbors, known, errors, Options{Tolerance: 2}))
	for score, want := range map[float64]Verdict{39: Trust, 39.001: DoNotUse, math.NaN(): Trust} {
		j := c.JudgePrediction(Prediction{Place: Place{0.5, 10, score}, Value: 7})
		if j.Verdict != want || math.IsNaN(j.Low) != (want == DoNotUse) || math.IsNaN(j.Error) != (want == DoNotUse) || j.Predicted != 7 {
			t.Errorf("score %g: %+v, want %s", score, j, want)
		}
	}
	for i := range known {
		known[i].Score = math.NaN()
	}
	c = must.Have(Calibrate(OrderNeighbors, known, errors, Options{Tolerance: 2}))
	if j := c.JudgePrediction(Prediction{Place: Place{0.5, 10, 1e9}, Value: 7}); j.Verdict != Trust {
		t.Errorf("without held-out scores: %+v", j)
	}
}
