package ratio

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
	"baca/algo/metric"
	"baca/algo/near"
)

var ctx = context.Background()

// The head is compared with Newton's method on the same loss, solved with
// gonum/mat.
func TestFitMatchesNewton(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, dim, c = 90, 4, 0.3
	x, y := make([]float64, n*dim), make([]float64, n)
	for i := range n {
		y[i] = -1
		if i%3 == 0 {
			y[i] = 1
		}
		for j := range dim {
			x[i*dim+j] = float64(float32(rng.NormFloat64() + 0.4*y[i]*float64(j)))
		}
	}
	weight := map[float64]float64{1: c * n / (2 * 30), -1: c * n / (2 * 60)}
	p := mat.NewVecDense(dim+1, nil)
	for range 50 {
		gradient, hessian := mat.NewVecDense(dim+1, nil), mat.NewDense(dim+1, dim+1, nil)
		for j := range dim {
			gradient.SetVec(j, p.AtVec(j))
			hessian.Set(j, j, 1)
		}
		for i := range n {
			row := mat.NewVecDense(dim+1, append(slices.Clone(x[i*dim:(i+1)*dim]), 1))
			s := 1 / (1 + math.Exp(y[i]*mat.Dot(row, p)))
			gradient.AddScaledVec(gradient, -weight[y[i]]*y[i]*s, row)
			var outer mat.Dense
			outer.Outer(weight[y[i]]*s*(1-s), row, row)
			hessian.Add(hessian, &outer)
		}
		var step mat.VecDense
		must.Do(step.SolveVec(hessian, gradient))
		p.SubVec(p, &step)
	}
	l := newLogistic(dim, n+1)
	for i := range n {
		l.add(narrow(x[i*dim:(i+1)*dim]), y[i])
	}
	l.add(make([]float32, dim), 1) // not used
	h := l.fit(newLinear(dim), l.balanced(c, func(i int) bool { return i < n }))
	for j := range dim {
		if math.Abs(h.weights[j]-p.AtVec(j)) > 1e-5 {
			t.Errorf("weight %d: %g, Newton %g", j, h.weights[j], p.AtVec(j))
		}
	}
	if math.Abs(h.intercept-p.AtVec(dim)) > 1e-5 {
		t.Errorf("intercept %g, Newton %g", h.intercept, p.AtVec(dim))
	}
}

func narrow(x []float64) []float32 {
	var n []float32
	for _, v := range x {
		n = append(n, float32(v))
	}
	return n
}

// estimate is a ratio of a batch with all that comes before it, and its scores of the
// holdout.
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
	both := append(slices.Clone(e.Test[:60]), holdout...)
	if auc := metric.AUROC(both, append(make([]bool, 60), slices.Repeat([]bool{true}, 50)...)); math.Abs(auc-0.5) > 0.17 {
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
		finite(t, "scores", append(holdout, e.Test...)...)
		if !strings.Contains(e.Skipped, "density ratio skipped") || e.Evidence != 0.5 || slices.Max(holdout) != 0 {
			t.Errorf("%v graphs: skipped %q, evidence %g, holdout %v", c, e.Skipped, e.Evidence, holdout)
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

func finite(t *testing.T, what string, values ...float64) {
	t.Helper()
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: value %d is %g", what, i, v)
		}
	}
}
