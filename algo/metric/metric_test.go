package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

func near(a, b, tolerance float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= tolerance
}

func TestGolden(t *testing.T) {
	const name = "golden/graphon/graphon.json"
	var file struct {
		Metrics []struct {
			Label []int
			Score []float64
			AUROC float64
			AP    float64 `json:"average_precision"`
			FPR95 float64 `json:"fpr95_ood_positive"`
		}
	}
	golden.JSON(t, name, &file)
	if len(file.Metrics) == 0 {
		t.Fatalf("%s: no metrics", name)
	}
	for k, c := range file.Metrics {
		ood := make([]bool, len(c.Label))
		for i, l := range c.Label {
			ood[i] = l == 1
		}
		if got := AUROC(c.Score, ood); !near(got, c.AUROC, 1e-14) {
			t.Errorf("list %d: AUROC %v, want %v", k, got, c.AUROC)
		}
		if got := AUPR(c.Score, ood); !near(got, c.AP, 1e-14) {
			t.Errorf("list %d: AUPR %v, want %v", k, got, c.AP)
		}
		if got := FPR95(c.Score, ood); !near(got, c.FPR95, 1e-14) {
			t.Errorf("list %d: FPR95 %v, want %v", k, got, c.FPR95)
		}
	}
}

// The definitions, the slow way.

func aurocByPairs(score []float64, ood []bool) float64 {
	wins, pairs := 0.0, 0.0
	for i, a := range score {
		for j, b := range score {
			if ood[i] && !ood[j] {
				pairs++
				switch {
				case a > b:
					wins++
				case a == b:
					wins += 0.5
				}
			}
		}
	}
	return wins / pairs
}

// called counts the graphs of a class that a threshold calls OOD.
func called(score []float64, ood []bool, class bool, threshold float64) (hits, all float64) {
	for i, s := range score {
		if ood[i] == class {
			all++
			if s >= threshold {
				hits++
			}
		}
	}
	return hits, all
}

func auprByThresholds(score []float64, ood []bool) float64 {
	thresholds := slices.Clone(score)
	slices.Sort(thresholds)
	slices.Reverse(thresholds)
	sum, recall := 0.0, 0.0
	for _, at := range slices.Compact(thresholds) {
		hits, positives := called(score, ood, true, at)
		wrong, _ := called(score, ood, false, at)
		sum += (hits/positives - recall) * hits / (hits + wrong)
		recall = hits / positives
	}
	return sum
}

func fprByThresholds(score []float64, ood []bool) float64 {
	best := 1.0
	for _, at := range score {
		if hits, positives := called(score, ood, true, at); hits/positives >= 0.95 {
			wrong, negatives := called(score, ood, false, at)
			best = min(best, wrong/negatives)
		}
	}
	return best
}

// fprIDByThresholds accepts as ID what is not called OOD above a threshold.
func fprIDByThresholds(score []float64, ood []bool) float64 {
	best := 1.0
	for _, at := range score {
		above := math.Nextafter(at, math.Inf(1))
		if alarms, negatives := called(score, ood, false, above); (negatives-alarms)/negatives >= 0.95 {
			hits, positives := called(score, ood, true, above)
			best = min(best, (positives-hits)/positives)
		}
	}
	return best
}

func TestDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 300 {
		n := 2 + rng.IntN(60)
		score, ood := make([]float64, n), make([]bool, n)
		levels := []int{2, 5, 1 << 30}[trial%3] // many ties, some, none
		for i := range n {
			ood[i] = rng.IntN(2) == 0
			score[i] = float64(rng.IntN(levels)) - 3
			if ood[i] && rng.IntN(2) == 0 {
				score[i]++
			}
			if rng.IntN(20) == 0 {
				score[i] = math.Inf(1 - 2*rng.IntN(2))
			}
		}
		ood[0], ood[1] = true, false
		before := slices.Clone(score)
		for _, c := range []struct {
			name       string
			fast, slow func([]float64, []bool) float64
		}{
			{"AUROC", AUROC, aurocByPairs},
			{"AUPR", AUPR, auprByThresholds},
			{"FPR95", FPR95, fprByThresholds},
			{"FPR95ID", FPR95ID, fprIDByThresholds},
		} {
			if got, want := c.fast(score, ood), c.slow(score, ood); !near(got, want, 1e-13) {
				t.Errorf("trial %d: %s is %v, want %v", trial, c.name, got, want)
			}
		}
		var of [2][]float64
		for i, s := range score {
			of[map[bool]int{true: 1}[ood[i]]] = append(of[map[bool]int{true: 1}[ood[i]]], s)
		}
		if got, want := Above(of[1], of[0]), AUROC(score, ood); got != want {
			t.Errorf("trial %d: OOD is above ID in %v of pairs, want %v", trial, got, want)
		}
		if !slices.Equal(score, before) {
			t.Fatalf("trial %d: the scores were changed", trial)
		}
	}
}

func TestEdgeCases(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name                        string
		score                       []float64
		ood                         []bool
		auroc, aupr, fpr95, fpr95id float64
	}{
		{"nothing", nil, nil, nan, nan, nan, nan},
		{"ID only", []float64{1, 2}, []bool{false, false}, nan, nan, nan, nan},
		{"OOD only", []float64{1, 2}, []bool{true, true}, nan, nan, nan, nan},
		{"NaN score", []float64{1, nan}, []bool{true, false}, nan, nan, nan, nan},
		{"all equal", []float64{3, 3, 3, 3}, []bool{true, false, false, false}, 0.5, 0.25, 1, 1},
		{"zeros of both signs tie", []float64{0, math.Copysign(0, -1)}, []bool{true, false}, 0.5, 0.5, 1, 1},
	} {
		for name, v := range map[string][2]float64{
			"AUROC":   {AUROC(c.score, c.ood), c.auroc},
			"AUPR":    {AUPR(c.score, c.ood), c.aupr},
			"FPR95":   {FPR95(c.score, c.ood), c.fpr95},
			"FPR95ID": {FPR95ID(c.score, c.ood), c.fpr95id},
		} {
			if !near(v[0], v[1], 1e-15) {
				t.Errorf("%s: %s is %v, want %v", c.name, name, v[0], v[1])
			}
		}
	}
}

func TestLengthsPanic(t *testing.T) {
	for name, f := range map[string]func([]float64, []bool) float64{
		"AUROC": AUROC, "AUPR": AUPR, "FPR95": FPR95, "FPR95ID": FPR95ID,
	} {
		must.Panic(t, name, func() { f([]float64{1, 2}, []bool{true}) })
	}
}

func TestMeanStd(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		mean, std float64
	}{
		{nil, math.NaN(), math.NaN()},
		{[]float64{0.25}, 0.25, math.NaN()},
		{[]float64{1, 3}, 2, math.Sqrt2},
		{[]float64{2, 4, 4, 4, 5, 5, 7, 9}, 5, math.Sqrt(32.0 / 7)},
	} {
		if mean, std := MeanStd(c.values); !near(mean, c.mean, 1e-15) || !near(std, c.std, 1e-15) {
			t.Errorf("%v: %v ± %v, want %v ± %v", c.values, mean, std, c.mean, c.std)
		}
	}
}

func TestKL(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		p, q []float64
		bins int
		want float64
	}{
		{"same", []float64{1, 2, 3}, []float64{1, 2, 3}, 4, 0},
		{"same shares", []float64{0, 1}, []float64{0, 0, 1, 1}, 8, 0},
		{"all equal", []float64{7, 7}, []float64{7, 7, 7}, 8, 0},
		// P = (.995, .005), Q = (.005, .995).
		{"apart", []float64{0, 0}, []float64{1}, 2, 0.99 * math.Log(199)},
		// Bins [0, 1), [1, 2), [2, 3]: P = (1, 1, 0)/2, Q = (0, 0, 1) before mixing.
		{"borders", []float64{0, 1}, []float64{2, 3}, 3,
			2*(0.495+0.01/3)*math.Log((0.495+0.01/3)/(0.01/3)) + 0.01/3*math.Log((0.01/3)/(0.99+0.01/3))},
		{"widest range", []float64{-math.MaxFloat64}, []float64{math.MaxFloat64}, 2, 0.99 * math.Log(199)},
		{"one bin", []float64{1, 5}, []float64{2}, 1, 0},
		{"most bins", []float64{1, 5}, []float64{1, 5}, 1e6, 0},
		{"empty", nil, []float64{1}, 5, nan},
		{"NaN", []float64{nan}, []float64{1}, 5, nan},
		{"infinite", []float64{1}, []float64{inf}, 5, nan},
	} {
		if got := KL(c.p, c.q, c.bins); !near(got, c.want, 1e-12) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// Direction: P inside the support of Q is cheap, the reverse is not.
	narrow, wide := []float64{0, 0, 0, 0}, []float64{0, 0, 1, 1}
	if a, b := KL(narrow, wide, 2), KL(wide, narrow, 2); !(a < b) {
		t.Errorf("KL(narrow‖wide) = %v, KL(wide‖narrow) = %v, want the first smaller", a, b)
	}
}

func TestPercentile(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		values []float64
		p      float64
		want   float64
	}{
		// numpy.percentile's documentation: [[10, 7, 4], [3, 2, 1]].
		{[]float64{10, 7, 4, 3, 2, 1}, 50, 3.5},
		{[]float64{4, 1, 3, 2}, 25, 1.75},
		{[]float64{4, 1, 3, 2}, 75, 3.25},
		{[]float64{4, 1, 3, 2}, 0, 1},
		{[]float64{4, 1, 3, 2}, 100, 4},
		{[]float64{15, 20, 35, 40, 50}, 40, 29},
		{[]float64{5}, 33, 5},
		{[]float64{0.1, 0.2, 0.3, 0.4, 0.5}, 25, 0.2}, // a value itself, as "at or below" needs
		{[]float64{2, 2, 2}, 61, 2},
		{[]float64{-inf, 0, inf}, 50, 0},
		{[]float64{-inf, -inf, 0}, 25, -inf},
		{nil, 50, nan},
		{[]float64{1, nan}, 50, nan},
		{[]float64{1, 2}, -1, nan},
		{[]float64{1, 2}, 100.5, nan},
		{[]float64{1, 2}, nan, nan},
	} {
		before := slices.Clone(c.values)
		if got := Percentile(c.values, c.p); !near(got, c.want, 0) {
			t.Errorf("percentile %v of %v is %v, want %v", c.p, c.values, got, c.want)
		}
		for i, v := range before {
			if v != c.values[i] && !math.IsNaN(v) {
				t.Errorf("%v was changed to %v", before, c.values)
			}
		}
	}
}

func TestWilson(t *testing.T) {
	// By hand and from tables: 0 of 10, 1 of 10, 10 of 10, 81 of 263.
	for _, c := range []struct{ hits, n, low, high float64 }{
		{0, 10, 0, 0.2775}, {1, 10, 0.0179, 0.4042}, {10, 10, 0.7225, 1}, {81, 263, 0.2553, 0.3662},
	} {
		if low, high := Wilson(c.hits, c.n); !(math.Abs(low-c.low) <= 1e-4) || !(math.Abs(high-c.high) <= 1e-4) {
			t.Errorf("%g of %g: %.4f to %.4f, want %.4f to %.4f", c.hits, c.n, low, high, c.low, c.high)
		}
	}
	if low, high := Wilson(0, 0); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("of none: %g to %g", low, high)
	}
}
