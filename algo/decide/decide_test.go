package decide

import (
	"math"
	"math/rand/v2"
	"slices"
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
		scores[0] = math.NaN()
		for i, p := range PValues(scores, append(holdout, math.NaN())) {
			if len(holdout) == 0 || i == 0 {
				if !math.IsNaN(p) {
					t.Fatalf("p = %g without a holdout or a score, want NaN", p)
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

// What is outside but above the Guard by itself is borderline. The guard grows with the list.
func TestGuard(t *testing.T) {
	for n, want := range map[int]float64{20: 0.05, 50: 0.05, 100: 0.1, 150: 0.15, 4096: 0.15} {
		if got := Guard(n, 0.05); got != want || Guard(n, 0.2) != 0.2 {
			t.Errorf("a list of %d: %g, want %g", n, got, want)
		}
	}
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

// The rate is the largest whose verdicts keep to alpha in as many holdouts as asked: where k of n held-out graphs are among the
// fraction alpha with the highest scores, a rate of (1+j)/(1+n) keeps to it for j below k.
func TestConfident(t *testing.T) {
	for _, alpha := range []float64{0.05, 0.1, 0.3} {
		for _, confidence := range []float64{0.5, 0.9, 0.95, 0.99} {
			for _, n := range []int{1, 20, 40, 60, 199, 204, 1000} { // with 199, ten are alpha itself
				want, share := 0.0, 1.0
				for j := range n {
					share -= binomial(j, n, alpha) // of more than j
					if rate := float64(1+j) / float64(1+n); rate <= alpha && share >= confidence {
						want = rate
					}
				}
				if got := Confident(alpha, confidence, n); got != want {
					t.Errorf("alpha %g, confidence %g of %d: rate %g, want %g", alpha, confidence, n, got, want)
				}
			}
		}
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
	// λ = 0.0675 solves the second bound's equation, by bisection in Python; the first bound is far above.
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

// binomial is the chance of k of n, each with the chance p.
func binomial(k, n int, p float64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// At a bound of the interval the tail of the binomial distribution, which is added up here term by term,
// is half of the error.
func TestIntervalIsExact(t *testing.T) {
	for _, n := range []int{1, 2, 10, 204, 999} {
		for _, k := range []int{0, 1, n / 20, n / 2, n - 1, n} {
			for _, confidence := range []float64{0.5, 0.9, 0.95, 0.999} {
				low, high := Interval(k, n, confidence)
				tail := (1 - confidence) / 2
				asMany, asFew := 0.0, 0.0
				for i := range n + 1 {
					if i >= k && k > 0 {
						asMany += binomial(i, n, low)
					}
					if i <= k && k < n {
						asFew += binomial(i, n, high)
					}
				}
				if k == 0 && low != 0 || k > 0 && !(math.Abs(asMany-tail) <= 1e-9) {
					t.Errorf("%d of %d at %g: from %g, where the chance of as many is %g", k, n, confidence, low, asMany)
				}
				if k == n && high != 1 || k < n && !(math.Abs(asFew-tail) <= 1e-9) {
					t.Errorf("%d of %d at %g: to %g, where the chance of as few is %g", k, n, confidence, high, asFew)
				}
				if p := float64(1+k) / float64(1+n); confidence >= 0.9 && n > 1 && !(low <= p && p <= high) {
					t.Errorf("%d of %d at %g: %g to %g is without the p-value %g", k, n, confidence, low, high, p)
				}
			}
		}
	}
	if low, high := Interval(0, 0, 0.95); low != 0 || high != 1 {
		t.Errorf("of nothing: %g to %g", low, high)
	}
	// As scipy.stats.beta.ppf has it.
	if low, high := Interval(9, 204, 0.95); !(math.Abs(low-0.020368978080692206) <= 1e-12) || !(math.Abs(high-0.08209445290121617) <= 1e-12) {
		t.Errorf("9 of 204: %.6f to %.6f", low, high)
	}
}

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
		if !(math.Abs(q-want[i]) <= 1e-12) {
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

func TestCounts(t *testing.T) {
	if got := CountedIn(3.0/205, 204, " molecules"); got != "3 of 205 molecules, this one included" {
		t.Error(got)
	}
	var counts Counts
	for _, v := range []Verdict{Outside, Inside, Outside, Borderline, Outside, Borderline, Undecided} {
		counts.Count(v)
	}
	for want, counts := range map[string]Counts{
		"3 outside, 2 borderline, 1 inside, 1 undecided": counts,
		"0 outside, 0 borderline, 4 inside":              {Inside: 4},
	} {
		if got := counts.Verdicts(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A list is foreign if more than a third of 20 or more is outside.
func TestForeign(t *testing.T) {
	for counts, want := range map[Counts]string{
		{Outside: 19}:                            "",
		{Outside: 20}:                            "20 of 20 are outside: this list is not what this model knows",
		{Outside: 10, Inside: 20}:                "",
		{Outside: 11, Borderline: 9, Inside: 10}: "11 of 30 are outside: this list is not what this model knows",
		{Outside: 10, Inside: 10, Undecided: 10}: "",
		{Undecided: 50}:                          "",
	} {
		if got := counts.Foreign(); got != want {
			t.Errorf("%+v: %q, want %q", counts, got, want)
		}
	}
}

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
	outliers := stream(rng, 500, 0)
	for i := 0; i < len(outliers); i += 5 {
		outliers[i] += 8
	}
	for _, c := range []struct {
		name  string
		after []float64 // the change, after 500 scores
	}{
		{"all of it a little higher", stream(rng, 500, 1)},
		{"all of it a little lower", stream(rng, 500, -1)},
		{"a fifth far outside", outliers},
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
	// Scores that rise without end: p is as small as can be, and nothing overflows.
	for i := range 20000 {
		a.Add(100 + float64(i))
	}
	if w := a.LogWealth(); math.IsInf(w, 0) || math.IsNaN(w) || w < 200 {
		t.Errorf("wealth e^%g", w)
	}
}
