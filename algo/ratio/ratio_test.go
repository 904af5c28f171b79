package ratio

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
	"baca/algo/metric"
	"baca/algo/near"
)

var ctx = context.Background()

// The loss of the head, by its definition, has no slope. It is strictly convex.
func TestFitMinimises(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, dim, c = 90, 4, 0.3
	l := newLogistic(dim, n+1)
	x := make([]float32, n*dim)
	for i := range n {
		y := float64(2*min(i%3, 1) - 1) // a third is −1
		for j := range dim {
			x[i*dim+j] = float32(rng.NormFloat64() + 0.4*y*float64(j))
		}
		l.add(x[i*dim:(i+1)*dim], y)
	}
	l.add(make([]float32, dim), 1) // not used
	h := l.fit(newLinear(dim), l.balanced(c, func(i int) bool { return i < n }))
	slope := append(slices.Clone(h.weights), 0) // of ½|w|²
	for i := range n {
		row, y := x[i*dim:(i+1)*dim], l.y[i]
		weight := map[float64]float64{-1: c * n / (2 * 30), 1: c * n / (2 * 60)}[y]
		d := -y * weight / (1 + math.Exp(y*h.score(row)))
		for j, v := range row {
			slope[j] += d * float64(v)
		}
		slope[dim] += d
	}
	for j, v := range slope {
		if math.Abs(v) > 1e-4 {
			t.Errorf("slope %g along weight %d", v, j)
		}
	}
}

// estimate runs all steps on a batch, and also returns the scores of the holdout.
func estimate(workers int, in *sample.Batch) (*Estimate, []float64) {
	known := must.Have(near.NewBank(ctx, workers, in.Bank, nil, nil))
	bank := NewBank(known)
	test := must.Have(bank.Measure(ctx, workers, in.Test))
	holdout := must.Have(bank.Measure(ctx, workers, in.Holdout))
	e := must.Have(bank.Estimate(ctx, workers, DefaultOptions(), test, holdout))
	return e, e.Score(holdout)
}

func TestFindsTheShift(t *testing.T) {
	in := sample.New(60, 60, 200, 50)
	e, holdout := estimate(1, in)
	if auc := metric.AUROC(e.Test, in.OOD); auc < 0.95 {
		t.Errorf("AUROC %g, want at least 0.95", auc)
	}
	if e.Evidence < 0.65 {
		t.Errorf("evidence %g with half of the batch OOD, want at least 0.65", e.Evidence)
	}
	// ID graphs of the batch and of the holdout are the same population.
	if auc := metric.Above(holdout, e.Test[:60]); math.Abs(auc-0.5) > 0.17 {
		t.Errorf("AUROC %g between ID graphs of batch and holdout, want about ½ (three standard errors: 0.17)", auc)
	}
}

func TestWithoutShift(t *testing.T) {
	if e, _ := estimate(1, sample.New(120, 0, 200, 0)); math.Abs(e.Evidence-0.5) > 0.1 {
		t.Errorf("evidence %g for a batch like the bank, want about ½", e.Evidence)
	}
}

func TestSmall(t *testing.T) {
	for _, c := range [][2]int{{1, 100}, {100, 3}, {9, 9}} {
		e, holdout := estimate(1, sample.New(c[0], 0, c[1], 4))
		scores := append(holdout, e.Test...)
		if !strings.Contains(e.Skipped, "density ratio skipped") || e.Evidence != 0.5 || slices.Max(scores) != 0 || slices.Min(scores) != 0 {
			t.Errorf("%v graphs: skipped %q, evidence %g, scores %v", c, e.Skipped, e.Evidence, scores)
		}
	}
	for holdout := minGraphs - 1; holdout <= minGraphs; holdout++ {
		e, _ := estimate(1, sample.New(minGraphs, 0, minGraphs, holdout))
		if few := holdout < minGraphs; e.Skipped != "" || math.IsNaN(e.P) != few || math.IsNaN(e.AUC) != few {
			t.Errorf("%d of each and %d held out: skipped %q, AUC %g, p = %g", minGraphs, holdout, e.Skipped, e.AUC, e.P)
		}
	}
}

// The view of closeness by its definition, for a bank too small to have ten others.
func TestClosenessOfTheBankAndOthers(t *testing.T) {
	for _, m := range []int{8, 60} {
		in := sample.New(12, 12, m, 0)
		n := must.Have(near.NewBank(ctx, 2, in.Bank, nil, nil))
		b := NewBank(n)
		side := must.Have(b.prepare(ctx, 2))
		index := fingerprint.NewIndex(in.Bank.Prints)
		few := NewBank(must.Have(near.NewBank(ctx, 2, in.Bank.Select([]int{0, 3}), index, nil)))
		if b.index().Len() != m || few.index().Len() != 2 {
			t.Errorf("graphs are compared with %d and %d, want those of the banks, %d and 2", b.index().Len(), few.index().Len(), m)
		}
		row := func(p fingerprint.Print, leave int) []float64 {
			_, sets, counts := index.Closest(p, leave)
			size := 0.0
			for _, c := range p.Counts {
				size += float64(c)
			}
			fifth, tenth := min(5, m-1)-1, min(10, m-1)-1
			return []float64{
				1 - sets[0], 1 - sets[fifth], 1 - sets[tenth],
				1 - counts[0], 1 - counts[fifth], 1 - counts[tenth], size, math.Log1p(size),
			}
		}
		var bank, test [][]float64
		for i, p := range in.Bank.Prints {
			bank = append(bank, row(p, i))
		}
		for _, p := range in.Test.Prints {
			test = append(test, row(p, -1))
		}
		want := func(rows [][]float64) []float32 {
			var flat []float32
			for _, r := range rows {
				for c, x := range r {
					var column []float64
					for _, b := range bank {
						column = append(column, b[c])
					}
					z := max(-4, min(4, near.ScaleOf(column).Standardize([]float64{x})[0]))
					flat = append(flat, float32(x), float32(z*z))
				}
			}
			return flat
		}
		s := near.NewStandardizer(want(bank), 16)
		d := must.Have(b.Measure(ctx, 2, in.Test))
		for name, pair := range map[string][2][]float32{
			"bank": {side.rows[viewCloseness], s.Apply(want(bank))},
			"test": {side.apply(viewCloseness, d), s.Apply(want(test))},
		} {
			if len(pair[0]) != len(pair[1]) {
				t.Fatalf("bank of %d, %s: %d values, want %d", m, name, len(pair[0]), len(pair[1]))
			}
			for i, x := range pair[0] {
				if math.Abs(float64(x-pair[1][i])) > 1e-5 {
					t.Errorf("bank of %d, %s: column %d of row %d is %g, want %g", m, name, i%16, i/16, x, pair[1][i])
				}
			}
		}
	}
}

func TestSketches(t *testing.T) {
	r := &contrast.Representation{NodeScore: make([]float64, 1), Prints: []fingerprint.Print{{Keys: []uint32{1, 257, 258}, Counts: []uint32{2, 3, 1}}}}
	got := sketches(r)
	if len(got) != 256 || got[1] != float32(math.Log(6)) || got[2] != float32(math.Log(2)) || got[0] != 0 || got[3] != 0 {
		t.Errorf("%d values, the first are %v", len(got), got[:4])
	}
}
