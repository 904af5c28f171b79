package ratio

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/metric"
)

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
		g, rng := &grower{columns: s.columns(), rng: rand.New(rand.NewPCG(seed, 0)), values: make([]float32, 0, 4)}, rand.New(rand.NewPCG(seed, 0))
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
				if c[0]+c[1] < leafRows || math.Abs(float64(n.value)-want) > 1e-6 {
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
	rng := rand.New(rand.NewPCG(5, 6))
	s := crossed(rng, 90, 40)
	shuffled, place := &samples{dim: s.dim, bank: s.bank, folds: s.folds}, append(rng.Perm(s.bank), rng.Perm(40)...)
	for k := range place {
		if k >= s.bank {
			place[k] += s.bank
		}
		shuffled.rows = append(shuffled.rows, s.rows[place[k]*s.dim:(place[k]+1)*s.dim]...)
		shuffled.fold = append(shuffled.fold, s.fold[place[k]])
	}
	first := must.Have(growForests(ctx, 1, s))
	second := must.Have(growForests(ctx, 3, shuffled))
	want, got := scoreByFold(first, s.rows, s.fold), scoreByFold(second, shuffled.rows, shuffled.fold)
	for k, i := range place {
		if got[k] != want[i] {
			t.Fatalf("row %d has %g, in another order %g", i, want[i], got[k])
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
