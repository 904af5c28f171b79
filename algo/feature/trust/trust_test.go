package trust

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo/internal/must"
)

// draw makes molecules whose errors grow with the score.
func draw(rng *rand.Rand, n int) []Pair {
	list := make([]Pair, n)
	for i := range list {
		score := rng.NormFloat64()
		list[i] = Pair{Score: score, Error: (1 + max(0, score)) * rng.NormFloat64()}
	}
	return list
}

// The half width of a group is the k-th smallest error, k = c·(n+1), and linear between two.
func TestInterval(t *testing.T) {
	var pairs []Pair
	for i := range 29 { // errors 1 to 29, with both signs, at one score
		pairs = append(pairs, Pair{Score: 2, Error: float64(i+1) * float64(1-2*(i%2))})
	}
	c := must.Have(New(pairs, Options{Coverage: 0.9, Tolerance: 25, Rate: 0.25}))
	if j := c.Judge(2, 100); len(c.Groups) != 1 || j.Low != 73 || j.High != 127 || j.Error != 15 || j.Verdict != Trust || j.Predicted != 100 {
		t.Errorf("%+v of groups %+v, want 100 ± 27", j, c.Groups)
	}
	if j := c.Judge(2.01, 100); c.Farthest != 2 || !math.IsNaN(j.Low) || !math.IsNaN(j.High) || !math.IsNaN(j.Error) || j.Verdict != DoNotUse {
		t.Errorf("beyond the farthest: %+v", j)
	}
	if j := c.Judge(math.NaN(), 1); j.Verdict != DoNotUse || !math.IsNaN(j.Low) {
		t.Errorf("without a score: %+v", j)
	}
	if of := c.HeldOut[Trust]; of.Large != 4 || of.N != 29 || len(c.Steps) != 1 || !(math.Abs(c.Steps[0].Large-4.0/29) <= 1e-12) {
		t.Errorf("%+v and %+v are above 25, want 4 of 29", of, c.Steps)
	}
	// 29 errors cannot promise 97 %: that takes k above 29. Nor 3 %: that takes k below 1.
	for coverage, half := range map[float64]float64{0.91: 27.3, 29.0 / 30: 29, 0.04: 1.2, 0.97: math.NaN(), 0.03: math.NaN()} {
		c := must.Have(New(pairs, Options{Coverage: coverage}))
		got, none := c.Groups[0].Half, math.IsNaN(half)
		if math.IsNaN(got) != none || math.Abs(got-half) > 1e-9 || math.IsNaN(c.Judge(2, 0).Low) != none {
			t.Errorf("coverage %g: a half width of %g, want %g", coverage, got, half)
		}
	}
	// With a rate of 0.25, up to that share of large errors is Trust, up to twice that Check.
	for large, want := range map[int]Verdict{8: Trust, 9: Check, 16: Check, 17: DoNotUse} {
		list := slices.Concat(slices.Repeat(pairs[:1], 32-large), slices.Repeat(pairs[9:10], large))
		if c := must.Have(New(list, Options{Tolerance: 5, Rate: 0.25})); c.verdict(2) != want {
			t.Errorf("%d of 32 errors are large: %s, want %s", large, c.verdict(2), want)
		}
	}
	if c := must.Have(New(pairs, Options{Classes: true})); c.Tolerance != 0.5 || !math.IsNaN(c.Judge(2, 0).Low) {
		t.Errorf("classes: %+v", c)
	}
}

// ascendingFit is the regression of steps by its definition: maxima of minima of means.
func ascendingFit(values, weights []float64) []float64 {
	mean := func(from, to int) float64 {
		sum, w := 0.0, 0.0
		for i := from; i <= to; i++ {
			sum, w = sum+weights[i]*values[i], w+weights[i]
		}
		return sum / w
	}
	want := make([]float64, len(values))
	for i := range want {
		want[i] = math.Inf(-1)
		for from := 0; from <= i; from++ {
			least := math.Inf(1)
			for to := i; to < len(values); to++ {
				least = min(least, mean(from, to))
			}
			want[i] = max(want[i], least)
		}
	}
	return want
}

// Stated rates do not fall from a verdict to a worse one, and count each molecule once.
func TestStatements(t *testing.T) {
	of := func(counts ...int) *Calibration {
		c := &Calibration{HeldOut: map[Verdict]Rate{}}
		for k, v := range Verdicts() {
			c.HeldOut[v] = rateOf(counts[2*k], counts[2*k+1])
		}
		return c
	}
	for _, test := range []struct {
		counts []int
		want   string
	}{
		{[]int{1, 10, 2, 10, 3, 10}, "trust 1 of 10; check 2 of 10; do-not-use 3 of 10"},
		{[]int{6, 25, 0, 3, 1, 1}, "trust and check together 6 of 28; do-not-use 1 of 1"},
		{[]int{1, 10, 5, 10, 2, 10}, "trust 1 of 10; check and do-not-use together 7 of 20"},
		{[]int{5, 10, 4, 10, 0, 5}, "all verdicts together 9 of 25"},
		{[]int{6, 25, 0, 0, 0, 2}, "trust and do-not-use together 6 of 27"},
		{[]int{0, 0, 1, 10, 0, 0}, "check 1 of 10"},
		{[]int{2, 10, 2, 10, 0, 0}, "trust 2 of 10; check 2 of 10"},
	} {
		var said []string
		for _, s := range of(test.counts...).Statements() {
			said = append(said, fmt.Sprintf("%s %d of %d", s.Words(), s.Large, s.N))
		}
		if got := strings.Join(said, "; "); got != test.want {
			t.Errorf("%v: %s, want %s", test.counts, got, test.want)
		}
	}
}

// Where errors grow with the score, verdicts get worse with it, and stated rates hold for new molecules.
func TestVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	sum := map[Verdict][4]float64{}
	for range 100 {
		held := draw(rng, 500)
		c := must.Have(New(held, Options{Tolerance: 1.5, Rate: 0.25}))
		// Every tenth by score is judged by all others.
		slices.SortFunc(held, func(a, b Pair) int { return cmp.Compare(a.Score, b.Score) })
		large, all := map[Verdict]int{}, map[Verdict]int{}
		for fold := range 10 {
			var others []Pair
			for i, p := range held {
				if i%10 != fold {
					others = append(others, p)
				}
			}
			d := must.Have(New(others, Options{Tolerance: 1.5, Rate: 0.25}))
			for i := fold; i < len(held); i += 10 {
				v := d.Judge(held[i].Score, 0).Verdict
				if all[v]++; math.Abs(held[i].Error) > 1.5 {
					large[v]++
				}
			}
		}
		var list []Outcome
		for _, p := range draw(rng, 500) {
			list = append(list, Outcome{Score: p.Score, Observed: p.Error, Judgement: c.Judge(p.Score, 0)})
		}
		a := NewAudit(list, c)
		for _, v := range Verdicts() {
			s, n := c.HeldOut[v], a.Verdicts[v]
			if s.N != all[v] || s.Large != large[v] {
				t.Fatalf("%s: %d large of %d, want %d of %d", v, s.Large, s.N, large[v], all[v])
			}
			before := sum[v]
			sum[v] = [4]float64{before[0] + float64(s.Large), before[1] + float64(s.N), before[2] + float64(n.Large), before[3] + float64(n.N)}
		}
	}
	rates := map[Verdict]float64{}
	for v, s := range sum {
		stated, real := s[0]/s[1], s[2]/s[3]
		if rates[v] = real; !(math.Abs(stated-real) <= 0.03) {
			t.Errorf("%s: %.3f large errors were stated, there are %.3f", v, stated, real)
		}
	}
	if !(rates[Trust] < rates[Check] && rates[Check] < rates[DoNotUse]) {
		t.Errorf("rates %v", rates)
	}
}

func TestAuditByHand(t *testing.T) {
	c := &Calibration{Options: Options{Tolerance: 1}}
	outcome := func(score, miss, half float64, v Verdict) Outcome {
		return Outcome{Score: score, Observed: 5 + miss, Judgement: Judgement{
			Predicted: 5, Low: 5 - half, High: 5 + half, Verdict: v, BatchLow: 5 - math.Abs(miss), BatchHigh: 5 + math.Abs(miss),
		}}
	}
	a := NewAudit([]Outcome{
		outcome(1, 0.5, 1, Trust), outcome(2, -3, 1, Trust), outcome(2, 1, 1, Check), outcome(3, 2, math.NaN(), DoNotUse),
		outcome(math.NaN(), 9, 1, Trust), outcome(1, math.NaN(), 1, Trust),
	}, c)
	batch := a.Batch.Covered == 4 && a.Batch.Width == 2*a.MeanError
	if a.N != 4 || a.Intervals != 3 || a.Covered != 2 || a.Width != 2 || a.MeanError != 6.5/4 || !batch {
		t.Errorf("%+v", a)
	}
	// The two of score 2 count with their mean of 2.
	for k, want := range []float64{0.5, 1.25, 1.5, 1.625} {
		if !(math.Abs(a.Risk[k]-want) <= 1e-12 && math.Abs(a.RiskAt(float64(k+1)/4)-want) <= 1e-12) {
			t.Errorf("risk of %d is %g, want %g", k+1, a.Risk[k], want)
		}
	}
	if few, all := a.RiskAt(0.1), a.RiskAt(1.2); !math.IsNaN(few) || !math.IsNaN(all) {
		t.Errorf("risk of none is %g, of more than all %g", few, all)
	}
	if !slices.Equal(a.Scores, []float64{1, 2, 2, 3}) {
		t.Errorf("scores %v", a.Scores)
	}
	for v, want := range map[Verdict][3]float64{Trust: {2, 1, 1.75}, Check: {1, 0, 1}, DoNotUse: {1, 1, 2}} {
		if got := a.Verdicts[v]; [3]float64{float64(got.N), float64(got.Large), got.MeanError} != want {
			t.Errorf("%s: %+v, want %v", v, got, want)
		}
	}
	if none := NewAudit(nil, c); none.N != 0 || !math.IsNaN(none.MeanError) || !math.IsNaN(none.Area) || !math.IsNaN(none.Spearman) {
		t.Errorf("of nothing: %+v", none)
	}
	if r := Spearman([]float64{1, 2}, []float64{3, 1}); r != -1 {
		t.Errorf("two in opposite order have a Spearman of %g", r)
	}
	// Ranks 1 2.5 2.5 4 and 1 4 2 3: the products of deviations sum up to 3.
	if want := 3 / math.Sqrt(4.5*5); !(math.Abs(a.Spearman-want) <= 1e-12) {
		t.Errorf("Spearman %g, want %g", a.Spearman, want)
	}
	// Large ones of scores 2 and 3, others of 1 and 2: three and a half of four pairs.
	if a.Finds != 3.5/4 {
		t.Errorf("large errors are found with an AUROC of %g, want 0.875", a.Finds)
	}
}

// Each order ranks by what it says, and is NaN without it.
func TestOrders(t *testing.T) {
	nan := math.NaN()
	var known []Prediction
	for i := range 20 { // distances 0 0 1 1 … 9 9, uncertainties 0 to 19
		known = append(known, Prediction{Place{float64(i / 2), 1, 0}, 0, float64(i)})
	}
	for _, c := range []struct {
		by    Order
		reads bool
		words string
		of    []Prediction
		want  []float64
	}{
		{OrderScore, false, "score", []Prediction{{Place: Place{Score: 4}}}, []float64{4}},
		{OrderNeighbors, false, "distance to the five nearest", []Prediction{{Place: Place{Distance: 4}}}, []float64{4}},
		{OrderMargin, false, "distance to the nearer class",
			[]Prediction{{}, {Value: 0.25}, {Value: 0.75}, {Value: 1}, {Value: -0.1}, {Value: 1.1}},
			[]float64{0, 0.25, 0.25, 0, nan, nan}},
		{OrderUncertainty, true, "uncertainty of the prediction", []Prediction{{Uncertainty: 4}}, []float64{4}},
		{OrderCombined, true, "distance to the five nearest and uncertainty of the prediction",
			[]Prediction{{Place{3, 1, 0}, 0, 4}, {Place{-1, 1, 0}, 0, 20}, {Place{10, 1, 0}, 0, 0.5}, {Uncertainty: nan}, {Place{nan, 1, 0}, 0, 0}},
			[]float64{0.35 + 0.225, 1, 1.05, nan, nan}},
	} {
		calibration := must.Have(Calibrate(c.by, known, make([]float64, 20), Options{Tolerance: 1}))
		for k, p := range c.of {
			if got := calibration.Doubt(p); !(math.Abs(got-c.want[k]) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(c.want[k])) {
				t.Errorf("%s of %+v: %g, want %g", c.by, p, got, c.want[k])
			}
		}
		if calibration.By != c.by || c.by.Words() != c.words || c.by.ReadsUncertainty() != c.reads {
			t.Errorf("%s is %s, reads uncertainties: %t", calibration.By, c.by.Words(), c.by.ReadsUncertainty())
		}
	}
	const all = `errors by "": want one of score, neighbors, margin, uncertainty, combined`
	if _, err := Calibrate("", known, make([]float64, 20), Options{}); err == nil || err.Error() != all {
		t.Errorf("no order: %v, want %s", err, all)
	}
}

func TestRefused(t *testing.T) {
	pairs := draw(rand.New(rand.NewPCG(1, 1)), 19)
	pairs = append(pairs, Pair{Score: 1, Error: math.NaN()}, Pair{Score: math.NaN(), Error: 1}, Pair{Score: 1, Error: math.Inf(1)})
	if _, err := New(pairs, Options{}); err == nil || !strings.Contains(err.Error(), "19 held-out") {
		t.Errorf("too few: %v", err)
	}
	must.Have(New(append(pairs, pairs[0]), Options{}))
	for _, o := range []Options{{Coverage: 1}, {Coverage: -0.1}, {Coverage: math.NaN()}, {Tolerance: -1}, {Tolerance: math.Inf(1)}, {Tolerance: math.NaN()}, {Rate: 0.5}, {Rate: -1}} {
		if _, err := New(draw(rand.New(rand.NewPCG(1, 1)), 50), o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// Groups and steps are parts of as many molecules as are asked, and equal scores are in one. Every group is large enough for an
// interval, unless all molecules are too few.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	// parts are the most parts, up to a number, that have at least that many pairs.
	parts := func(sorted []Pair, most, least int) (list [][]Pair) {
		count := 1
		for count < most && len(sorted)/(count+1) >= least {
			count++
		}
		size, from := len(sorted)/count, 0
		for end := 1; end <= len(sorted); end++ {
			if left := len(sorted) - end; left == 0 || min(end-from, left) >= size && sorted[end].Score > sorted[end-1].Score {
				list, from = append(list, sorted[from:end]), end
			}
		}
		return list
	}
	for _, n := range []int{20, 49, 50, 59, 60, 74, 75, 150, 190, 250, 300} {
		for _, asked := range []float64{0.5, 0.8, 0.9, 0.95, 0.97} {
			for _, values := range []int{1, 3, 20, 1000} {
				pairs := draw(rng, n)
				for i, p := range pairs {
					pairs[i] = Pair{Score: float64(rng.IntN(values)), Error: math.Abs(p.Error)}
				}
				c := must.Have(New(pairs, Options{Coverage: asked}))
				slices.SortFunc(pairs, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Error, b.Error)) })
				for k, part := range parts(pairs, 5, max(30, int(math.Ceil(asked/(1-asked))))) {
					misses, size := errorsOf(part), len(part)
					slices.Sort(misses)
					half := math.NaN()
					if k, rest := math.Modf(asked*float64(size+1) + 1e-9); int(k) < size {
						half = misses[int(k)-1]*(1-rest) + misses[int(k)]*rest
					}
					g := c.Groups[k]
					if g.To != part[size-1].Score || g.N != size || !(math.Abs(g.Half-half) < 1e-6) && (n >= 30 || g.Half == half) {
						t.Errorf("%d of %d scores, %g asked: %+v, want ± %g of %d", n, values, asked, g, half, size)
					}
				}
				var weights, errors, large []float64
				list := parts(pairs, 10, 25)
				for _, part := range list {
					above := 0.0
					for _, p := range part {
						if p.Error > c.Tolerance {
							above++
						}
					}
					size := float64(len(part))
					weights, errors, large = append(weights, size), append(errors, floats.Sum(errorsOf(part))/size), append(large, above/size)
				}
				errors, large = ascendingFit(errors, weights), ascendingFit(large, weights)
				for k, s := range c.Steps {
					off := math.Abs(s.Error-errors[k]) + math.Abs(s.Large-large[k])
					if part := list[k]; len(c.Steps) != len(list) || s.To != part[len(part)-1].Score || !(off <= 1e-9) {
						t.Fatalf("%d of %d scores, step %d: %+v; want errors %v, shares of large ones %v", n, values, k, c.Steps, errors, large)
					}
				}
			}
		}
	}
}

// Without intervals the sentences say why, and nothing about how well they hold.
func TestSentencesWithoutIntervals(t *testing.T) {
	var pairs []Pair
	for n := range 90 {
		pairs = append(pairs, Pair{Score: float64(n), Error: float64(n%7) + 1})
	}
	for coverage, want := range map[float64]string{0.99: "99", 0.999: "999", 0.005: "199"} {
		c := must.Have(New(pairs, Options{Coverage: coverage}))
		why := "o intervals: to hold " + strconv.FormatFloat(100*coverage, 'g', 3, 64) + " % of observed values takes errors of " + want + " held-out molecules"
		if said := c.Sentences()[2]; said != "n"+why {
			t.Errorf("%s", said)
		}
		list := []Outcome{{Judgement: c.Judge(3, 1), Observed: 1, Score: 3}}
		said := NewAudit(list, c).Sentences(c)
		if len(said) != 2 || said[0] != "N"+why+"." || strings.Contains(said[1], "NaN") {
			t.Errorf("%q", said)
		}
	}
	c := must.Have(New(pairs, Options{}))
	if said, want := c.Sentences()[3], "score hardly tells large errors from small ones here, so nothing is trusted"; said != want || c.HeldOut[Trust].N != 0 {
		t.Errorf("%q and %+v, want %q", said, c.HeldOut, want)
	}
	list := []Outcome{{Judgement: c.Judge(1e3, 1), Observed: 1, Score: 1e3}}
	if said := strings.Join(NewAudit(list, c).Sentences(c), " "); strings.Contains(said, "NaN") || !strings.HasPrefix(said, "Without an interval, as beyond all that were held out: 1 of 1.") {
		t.Errorf("%s", said)
	}
	// In short an audit names verdicts that some have, and intervals where there are any.
	if said, want := NewAudit(list, c).InShort(c), "against 1 measured values, errors are above 6 in 0 % of 1 (do not use)"; said != want {
		t.Errorf("%q, want %q", said, want)
	}
	list = []Outcome{{Judgement: c.Judge(3, 1), Observed: 1, Score: 3}, {Judgement: c.Judge(3, 1), Observed: 9, Score: 3}}
	if said, want := NewAudit(list, c).InShort(c), "against 2 measured values, errors are above 6 in 50 % of 2 (check); intervals hold 50 % of 2 (asked: 90 %)"; said != want {
		t.Errorf("%q, want %q", said, want)
	}
}

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
		pairs = append(pairs, Pair{Score: p[0], Error: want.Errors[i], Place: Place{p[0], p[1], math.NaN()}})
	}
	var list []Place
	for _, p := range want.List {
		list = append(list, Place{p[0], p[1], math.NaN()})
	}
	c := must.Have(New(pairs, Options{Coverage: 0.8}))
	s := c.NewShift(list)
	if !(math.Abs(s.Effective-want.Effective) <= 1e-6*want.Effective) {
		t.Errorf("effective sample %g, want %g", s.Effective, want.Effective)
	}
	if s.Effective < minEffective {
		t.Fatalf("an effective sample of %g: want a fixture whose intervals are not widened", s.Effective)
	}
	infinite := 0
	for i, p := range list {
		j := c.Judge(p.Distance, 1)
		s.Judge(Prediction{Place: p}, p.Distance, &j)
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
	const format = "%.0f errors of equal weight; %d of 60 molecules lie where errors are too few for an interval"
	said := fmt.Sprintf(format, want.Effective, infinite)
	if got := s.Sentences()[1]; !strings.HasSuffix(got, said) {
		t.Errorf("%s, want %s", got, said)
	}
	backwards := slices.Clone(list)
	slices.Reverse(backwards)
	if again := c.NewShift(backwards); !(math.Abs(again.Effective-s.Effective) <= 1e-9) {
		t.Errorf("the order of the list matters: %g and %g", again.Effective, s.Effective)
	}
}

// A list like the held-out molecules changes no verdict; a farther one has those of weighted errors, and intervals as wide as new
// scaffolds take.
func TestShiftVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	place := func(more float64) Place {
		return Place{rng.Float64() + more, float64(5 + rng.IntN(20)), rng.NormFloat64() + more}
	}
	var pairs []Pair
	for range 200 {
		p := place(0)
		pairs = append(pairs, Pair{Score: p.Distance, Error: rng.NormFloat64(), Place: p})
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
			s.Judge(Prediction{Place: list[0]}, 0.5, &j)
			if s.Farther != row.farther || j.Verdict != Trust || j.BatchVerdict != Trust {
				t.Errorf("farther %t, %s, in the list %s; want %t, trust, trust", s.Farther, j.Verdict, j.BatchVerdict, row.farther)
			}
			want := []string{
				"this list of 50 lies no farther from the training set than held-out molecules",
				"interval_batch weighs errors by how common such molecules are in the list, as good as " +
					fmt.Sprintf("%.0f errors of equal weight", s.Effective),
			}
			if row.farther {
				want[0] = "this list of 50 lies farther from the training set than held-out molecules; trust_batch expects 0 % large errors in it"
				want[1] += "; as this list lies farther, intervals are at least as wide as for molecules of new scaffolds, ± 36.9"
			}
			if s.Sample = row.name == "nearer"; s.Sample {
				want[0] = strings.Replace(want[0], "list of 50", "list, judged by a sample of 50,", 1)
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
	if (*Shift)(nil).Judge(Prediction{Place: Place{0.5, 9, 0}}, 0.5, &j); j.BatchVerdict != "" || !math.IsNaN(j.BatchLow) {
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
			if pairs[i] = (Pair{Error: float64(i + 1)}); i < n {
				pairs[i].Place = here
			} else if i >= 60 {
				pairs[i].Score, pairs[i].Error = 1, float64(i+41)
			}
		}
		c := must.Have(New(pairs, Options{}))
		s, j := c.NewShift(slices.Repeat([]Place{here}, MinList)), c.Judge(0, 0)
		s.Judge(Prediction{Place: here}, 0, &j)
		want := fmt.Sprintf("as good as %d errors of equal weight", n)
		if n < minEffective {
			want += "; as these are few, intervals are at least as wide as for the most doubtful held-out molecules"
		}
		if said := s.Sentences()[1]; !(math.Abs(j.BatchHigh-half) <= 1e-9) || !strings.HasSuffix(said, want) {
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

// In a list of far molecules the share of large errors is that of far held-out ones.
func TestListOfFarMolecules(t *testing.T) {
	var pairs []Pair
	for i := range 400 {
		p := Pair{Score: float64(i % 2), Error: 1, Place: Place{0.2 + float64(i%20)/100, 10, math.NaN()}}
		if i%4 >= 2 {
			if p.Place.Distance += 0.5; i%2 == 1 {
				p.Error = 3
			}
		}
		pairs = append(pairs, p)
	}
	c := must.Have(New(pairs, Options{Tolerance: 2}))
	far := Place{0.8, 10, math.NaN()}
	s := c.NewShift(slices.Repeat([]Place{far}, 100))
	if !s.Farther || !(math.Abs(s.Large-0.5) <= 0.05) {
		t.Errorf("farther %t, %g large errors, want true, 0.5", s.Farther, s.Large)
	}
	for score, want := range []Verdict{Trust, DoNotUse} {
		j := c.Judge(float64(score), 0)
		s.Judge(Prediction{Place: far}, float64(score), &j)
		if j.BatchVerdict != want {
			t.Errorf("score %d: %s in the list, want %s", score, j.BatchVerdict, want)
		}
	}
}

// Intervals follow what errors are proportional to: an uncertainty, and an exponential of the distance.
func TestScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, growth := range []float64{0, 2} {
		drawn := func(u float64) (Prediction, float64) {
			p := Prediction{Place: Place{rng.Float64(), 10, math.NaN()}, Uncertainty: u}
			return p, u * math.Exp(growth*p.Distance) * rng.NormFloat64()
		}
		var known []Prediction
		var errors []float64
		for range 2000 {
			p, e := drawn(0.1 + rng.ExpFloat64())
			known, errors = append(known, p), append(errors, e)
		}
		c := must.Have(Calibrate(OrderUncertainty, known, errors, Options{}))
		if math.Abs(c.scale.growth-growth) > 0.5 {
			t.Errorf("growth %g, want %g", c.scale.growth, growth)
		}
		for _, u := range []float64{0.2, 1, 3} {
			held, errors, expected := 0.0, 0.0, 0.0
			for range 1000 {
				p, e := drawn(u)
				j := c.JudgePrediction(p)
				errors, expected = errors+math.Abs(e), expected+j.Error
				if math.Abs(e) <= j.High {
					held += 0.001
				}
			}
			if math.Abs(expected/errors-1) > 0.15 {
				t.Errorf("growth %g: errors of %g are expected for an uncertainty of %g, they are %g", growth, expected, u, errors)
			}
			if math.Abs(held-0.9) > 0.04 {
				t.Errorf("growth %g: intervals hold %g of values with an uncertainty of %g, want 0.9", growth, held, u)
			}
		}
		if known[5].Uncertainty = -1; fitScale(known, errors) != nil {
			t.Error("a negative uncertainty is a size")
		}
	}
}
