package ratio

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/contrast"
	"baca/algo/contrast/contrasttest"
	"baca/algo/fingerprint"
	"baca/algo/internal/must"
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
		if !(math.Abs(v) <= 1e-4) {
			t.Errorf("slope %g along weight %d", v, j)
		}
	}
}

// estimate runs all steps on a batch, and also returns the scores of the holdout.
func estimate(workers int, in *contrasttest.Batch) (*Estimate, []float64) {
	known := must.Have(near.NewBank(ctx, workers, in.Bank, nil, nil))
	bank := NewBank(known)
	test := must.Have(bank.Measure(ctx, workers, in.Test))
	holdout := must.Have(bank.Measure(ctx, workers, in.Holdout))
	e := must.Have(bank.Estimate(ctx, workers, DefaultOptions(), test, holdout))
	return e, e.Score(holdout)
}

func TestFindsTheShift(t *testing.T) {
	in := contrasttest.New(60, 60, 200, 50)
	e, holdout := estimate(1, in)
	if auc := metric.AUROC(e.Test, in.OOD); auc < 0.95 {
		t.Errorf("AUROC %g, want at least 0.95", auc)
	}
	if e.Evidence < 0.65 {
		t.Errorf("evidence %g with half of the batch OOD, want at least 0.65", e.Evidence)
	}
	// ID graphs of the batch and of the holdout are the same population.
	if auc := metric.Above(holdout, e.Test[:60]); !(math.Abs(auc-0.5) <= 0.17) {
		t.Errorf("AUROC %g between ID graphs of batch and holdout, want about ½ (three standard errors: 0.17)", auc)
	}
	if e, _ := estimate(1, contrasttest.New(120, 0, 200, 0)); !(math.Abs(e.Evidence-0.5) <= 0.1) {
		t.Errorf("evidence %g for a batch like the bank, want about ½", e.Evidence)
	}
}

func TestSmall(t *testing.T) {
	for _, c := range [][2]int{{1, 100}, {100, 3}, {9, 9}} {
		e, holdout := estimate(1, contrasttest.New(c[0], 0, c[1], 4))
		scores := append(holdout, e.Test...)
		if !strings.Contains(e.Skipped, "density ratio skipped") || e.Evidence != 0.5 || slices.Max(scores) != 0 || slices.Min(scores) != 0 {
			t.Errorf("%v graphs: skipped %q, evidence %g, scores %v", c, e.Skipped, e.Evidence, scores)
		}
	}
	for holdout := minGraphs - 1; holdout <= minGraphs; holdout++ {
		e, _ := estimate(1, contrasttest.New(minGraphs, 0, minGraphs, holdout))
		if few := holdout < minGraphs; e.Skipped != "" || math.IsNaN(e.P) != few || math.IsNaN(e.AUC) != few {
			t.Errorf("%d of each and %d held out: skipped %q, AUC %g, p = %g", minGraphs, holdout, e.Skipped, e.AUC, e.P)
		}
	}
}

// The view of closeness by its definition, for a bank too small to have ten others.
func TestClosenessOfTheBankAndOthers(t *testing.T) {
	for _, m := range []int{8, 60} {
		in := contrasttest.New(12, 12, m, 0)
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
				if !(math.Abs(float64(x-pair[1][i])) <= 1e-5) {
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

// crossed are rows of four columns, of which the batch has the first two on the same side
// of 0 and the bank on different ones. No plane parts them.
func crossed(rng *rand.Rand, bank, batch int) *samples {
	s := &samples{dim: 4, bank: bank, folds: 10}
	for i := range bank + batch {
		a, b := rng.NormFloat64(), math.Abs(rng.NormFloat64())
		if (a < 0) == (i < bank) {
			b = -b
		}
		s.rows = append(s.rows, float32(a), float32(-b), float32(rng.NormFloat64()), float32(rng.IntN(3)))
		s.fold = append(s.fold, i%s.folds)
	}
	return s
}

func TestForestPartsWhatNoPlaneDoes(t *testing.T) {
	s := crossed(rand.New(rand.NewPCG(1, 2)), 300, 120)
	forest := must.Have(growForests(ctx, 2, s))
	plane := must.Have(fitLinear(ctx, 2, s, 0.1))
	of := func(heads []head) float64 {
		scores := scoreByFold(heads, s.rows, s.fold)
		return metric.Above(scores[s.bank:], scores[:s.bank])
	}
	if f, p := of(forest), of(plane); f < 0.95 || p > 0.65 {
		t.Errorf("AUROC of rows that were not seen: forest %g, plane %g, want at least 0.95 and about ½", f, p)
	}
	for i := s.bank; i < len(s.fold); i++ {
		s.rows[4*i+2] += 4
	}
	if p := of(must.Have(fitLinear(ctx, 2, s, 0.1))); p < 0.95 {
		t.Errorf("AUROC %g of a plane for rows on its sides, want at least 0.95", p)
	}
	for i := s.bank; i < len(s.fold); i++ {
		s.fold[i] = 1
	}
	if heads := must.Have(fitLinear(ctx, 2, s, 0.1)); heads[0].score(s.rows[:4]) == 0 || heads[1].score(s.rows[:4]) != 0 {
		t.Error("a plane without rows of the batch says something, or one with them nothing")
	}
}

// Rows at a threshold are left of it. Two rows on each side of one are enough, where numbers are next to each other, too. As
// many columns are tried as they say, and the first of equals is taken.
func TestSplits(t *testing.T) {
	tr, x := tree{{column: 0, left: 1, threshold: 1}, {column: -1}, {column: -1, value: 1}}, []float32{0, 1, 2}
	if n := part(x, []int32{2, 0, 1}, 1); n != 2 || tr.value(x) != 0 || tr.value(x[1:]) != 0 || tr.value(x[2:]) != 1 {
		t.Errorf("%d of %v are up to 1, these have values %g, %g and %g", n, x, tr.value(x), tr.value(x[1:]), tr.value(x[2:]))
	}
	for seed := range uint64(20) {
		s, next := &samples{dim: 16, bank: 2, fold: make([]int, 4)}, math.Nextafter32(1, 2)
		for _, x := range []float32{1, 1, next, next} {
			s.rows = append(s.rows, slices.Repeat([]float32{x}, s.dim)...)
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		g := &grower{columns: s.columns(), rng: rand.New(rand.NewPCG(seed, 0)), values: make([]float32, 0, 4)}
		for c := range int32(16) {
			g.order = append(g.order, c)
		}
		first := rng.IntN(16)
		rng.Float32()
		for k := 1; k < 8; k++ { // 16^¾ columns
			rng.IntN(16 - k)
			rng.Float32()
		}
		got := g.grow([]int32{0, 1}, []int32{2, 3})
		want := tree{{column: int32(first), left: 1, threshold: 1}, {column: -1}, {column: -1, value: 1}}
		if !slices.Equal(got, want) || g.rng.Uint64() != rng.Uint64() {
			t.Errorf("seed %d: %+v, want %+v after eight columns", seed, got, want)
		}
	}
	if got := (&grower{}).grow(nil, nil); got[0].value != 0.5 {
		t.Errorf("the tree of no rows says %g", got[0].value)
	}
}

// Every leaf has the share of the batch among the rows that reach it, when both classes are
// as many, and is reached by no fewer than it must be.
func TestLeaves(t *testing.T) {
	s := crossed(rand.New(rand.NewPCG(3, 4)), 200, 50)
	heads := must.Have(growForests(ctx, 1, s))
	seen := map[*node]bool{}
	for fold, h := range heads {
		f := h.(forest)
		if len(f) != trees*unseenFolds/s.folds {
			t.Errorf("%d of %d trees have not seen fold %d, want %d in 10", len(f), trees, fold, unseenFolds)
		}
		for _, tr := range f {
			if seen[&tr[0]] {
				continue
			}
			seen[&tr[0]] = true
			// The folds that the tree left out: those whose heads it is in.
			out := map[int]bool{}
			for k, h := range heads {
				for _, other := range h.(forest) {
					out[k] = out[k] || &other[0] == &tr[0]
				}
			}
			reach, all := map[int32][2]float64{}, [2]float64{}
			for i, k := range s.fold {
				if out[k] {
					continue
				}
				row, at := s.rows[i*s.dim:(i+1)*s.dim], int32(0)
				for tr[at].column >= 0 {
					n := tr[at]
					at = n.left
					if row[n.column] > n.threshold {
						at++
					}
				}
				class := 0
				if i >= s.bank {
					class = 1
				}
				c := reach[at]
				c[class]++
				reach[at] = c
				all[class]++
			}
			for at, n := range tr {
				if n.column >= 0 {
					continue
				}
				c := reach[int32(at)]
				want := c[1] / all[1] / (c[0]/all[0] + c[1]/all[1])
				if c[0]+c[1] < leafRows || !(math.Abs(float64(n.value)-want) <= 1e-6) {
					t.Fatalf("leaf of %g rows of the bank and %g of the batch says %g, want %g", c[0], c[1], n.value, want)
				}
			}
		}
	}
	if len(seen) != trees {
		t.Errorf("%d trees, want %d", len(seen), trees)
	}
}

// The order of rows does not change scores.
func TestForestOfRowsInAnotherOrder(t *testing.T) {
	s := crossed(rand.New(rand.NewPCG(5, 6)), 90, 40)
	backwards := &samples{dim: s.dim, bank: s.bank, folds: s.folds}
	place := func(k int) int {
		if k < s.bank {
			return s.bank - 1 - k
		}
		return len(s.fold) - 1 - (k - s.bank)
	}
	for k := range s.fold {
		backwards.rows = append(backwards.rows, s.rows[place(k)*s.dim:(place(k)+1)*s.dim]...)
		backwards.fold = append(backwards.fold, s.fold[place(k)])
	}
	want := scoreByFold(must.Have(growForests(ctx, 1, s)), s.rows, s.fold)
	for k, got := range scoreByFold(must.Have(growForests(ctx, 3, backwards)), backwards.rows, backwards.fold) {
		if got != want[place(k)] {
			t.Fatalf("row %d has %g, in another order %g", place(k), want[place(k)], got)
		}
	}
}

// Columns of few values have the same extremes and counts by bits as by their values, for sets of rows of any size.
func TestBitsOfColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, bank := range []int{1, 63, 64, 130} {
		s := &samples{dim: 1, bank: bank, fold: make([]int, bank+70)}
		for range s.fold {
			s.rows = append(s.rows, float32(rng.IntN(6)))
		}
		c, g, rows := &s.columns()[0], &grower{values: make([]float32, 0, len(s.fold))}, newRowSet(bank, len(s.fold))
		for range 100 {
			inBank, inBatch := []int32{int32(rng.IntN(bank))}, []int32{int32(bank + rng.IntN(70))}
			for i := range s.fold {
				switch {
				case rng.IntN(3) > 0 || int32(i) == inBank[0] || int32(i) == inBatch[0]:
				case i < bank:
					inBank = append(inBank, int32(i))
				default:
					inBatch = append(inBatch, int32(i))
				}
			}
			rows.set(inBank, inBatch)
			low, high := c.extremes(rows)
			if l, h := g.take(c.values, inBank, inBatch); low != l || high != h {
				t.Fatalf("a bank of %d: %g to %g, want %g to %g", bank, low, high, l, h)
			}
			cut := float32(rng.IntN(12)) / 2
			m, n := c.count(rows, cut)
			if a, b := upTo(g.values[:len(inBank)], cut), upTo(g.values[len(inBank):], cut); m != a || n != b {
				t.Fatalf("a bank of %d: %d and %d up to %g, want %d and %d", bank, m, n, cut, a, b)
			}
		}
	}
}
