package decide

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Ranks are those of a plain sorted list.
func TestRanked(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kinds := range []int{3, 50, 1 << 30} {
		var r ranked
		var plain []float64
		for range 700 {
			plain = append(plain, float64(rng.IntN(kinds)))
		}
		slices.Sort(plain)
		r.fill(plain)
		for range 2500 {
			x := float64(rng.IntN(kinds))
			plain = append(plain, x)
			wantAbove, wantSame := 0, 0
			for _, y := range plain {
				if y > x {
					wantAbove++
				} else if y == x {
					wantSame++
				}
			}
			if above, same := r.add(x); above != wantAbove || same != wantSame {
				t.Fatalf("%d kinds, %d numbers: %d above and %d same, want %d and %d", kinds, len(plain), above, same, wantAbove, wantSame)
			}
		}
		slices.Sort(plain)
		if got := slices.Concat(r.blocks...); !slices.Equal(got, plain) {
			t.Fatalf("%d kinds: the list is not the sorted numbers", kinds)
		}
	}
}

// stream draws scores with ties, which become larger after a change.
func stream(rng *rand.Rand, n int, shift float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = math.Round(8*(rng.NormFloat64()+shift)) / 8
	}
	return s
}

// Under exchangeability the wealth reaches 1/δ in at most a share δ of streams,
// whenever one looks: checked to four standard errors of that share.
func TestDriftIsValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	const runs = 1000
	alarms := map[float64]int{0.2: 0, 0.1: 0, 0.05: 0, 0.01: 0}
	for run := range runs {
		d := NewDrift(stream(rng, 40, 0), uint64(run))
		for _, s := range stream(rng, 300, 0) {
			d.Add(s)
		}
		for delta := range alarms {
			if d.Moved(delta) {
				alarms[delta]++
			}
		}
	}
	for delta, n := range alarms {
		if rate, limit := float64(n)/runs, delta+4*math.Sqrt(delta*(1-delta)/runs); rate > limit {
			t.Errorf("δ = %g: %.4f of the streams, want at most %.4f", delta, rate, limit)
		}
	}
	if alarms[0.2] == 0 {
		t.Error("no stream of 1000 reached a wealth of 5: the test tests nothing")
	}
}

// Smoothed p-values of exchangeable scores with ties are uniform: the largest
// distance of their distribution from the straight line is below what Kolmogorov's
// test allows at 0.1 %.
func TestDriftPValuesAreUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	d := NewDrift(stream(rng, 30, 0), 5)
	var p []float64
	for _, s := range stream(rng, 4000, 0) {
		p = append(p, d.Add(s))
	}
	slices.Sort(p)
	worst := 0.0
	for i, v := range p {
		worst = max(worst, math.Abs(v-(float64(i)+0.5)/float64(len(p))))
	}
	if limit := 1.95 / math.Sqrt(float64(len(p))); worst > limit || p[0] <= 0 || p[len(p)-1] > 1 {
		t.Errorf("distance %.4f from uniform, want at most %.4f; p from %g to %g", worst, limit, p[0], p[len(p)-1])
	}
}

// A change of the stream is noticed soon, by either bet.
func TestDriftIsNoticed(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, c := range []struct {
		name  string
		after []float64 // the change, after 500 scores
	}{
		{"all of it a little higher", stream(rng, 500, 1)},
		{"all of it a little lower", stream(rng, 500, -1)},
		{"a fifth far outside", func() []float64 {
			s := stream(rng, 500, 0)
			for i := range s {
				if i%5 == 0 {
					s[i] += 8
				}
			}
			return s
		}()},
	} {
		d := NewDrift(stream(rng, 200, 0), 1)
		for _, s := range stream(rng, 500, 0) {
			d.Add(s)
		}
		if d.Moved(0.01) {
			t.Errorf("%s: an alarm before", c.name)
		}
		noticed := 0
		for i, s := range c.after {
			if d.Add(s); noticed == 0 && d.Moved(0.01) {
				noticed = i + 1
			}
		}
		t.Logf("%s: noticed after %d", c.name, noticed)
		if noticed == 0 || noticed > 250 {
			t.Errorf("%s: noticed after %d of 500 (wealth e^%.1f)", c.name, noticed, d.LogWealth())
		}
		if top, at := d.Highest(); top < d.LogWealth() || at <= 500 || d.Seen() != 1000 {
			t.Errorf("%s: highest e^%.1f after %d of %d", c.name, top, at, d.Seen())
		}
	}
}

func TestDriftEdges(t *testing.T) {
	d := NewDrift([]float64{math.NaN(), 1}, 1)
	if p := d.Add(math.NaN()); !math.IsNaN(p) || d.Seen() != 0 || d.LogWealth() != 0 {
		t.Errorf("NaN gives p = %g, %d seen, wealth e^%g", p, d.Seen(), d.LogWealth())
	}
	if d.Moved(0.999) || !d.Moved(1) {
		t.Error("an alarm at the start, or none where every stream raises one")
	}
	a, b := NewDrift(nil, 7), NewDrift(nil, 7)
	for i := range 50 {
		if p, q := a.Add(float64(i%7)), b.Add(float64(i%7)); p != q || p <= 0 || p > 1 {
			t.Fatalf("score %d: p = %g and %g", i, p, q)
		}
	}
	if a.LogWealth() != b.LogWealth() {
		t.Error("the same seed gives another wealth")
	}
	// Scores that rise without end: p is as small as can be, and nothing overflows.
	for i := range 20000 {
		a.Add(100 + float64(i))
	}
	if w := a.LogWealth(); math.IsInf(w, 0) || math.IsNaN(w) || w < 200 {
		t.Errorf("wealth e^%g", w)
	}
}
