package cover

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo/internal/must"
)

// random draws points and candidates in a square.
func random(rng *rand.Rand, points, candidates int) Problem {
	at := func() [2]float64 { return [2]float64{rng.Float64(), rng.Float64()} }
	p, c := make([][2]float64, points), make([][2]float64, candidates)
	now := make([]float64, points)
	for i := range p {
		p[i], now[i] = at(), 0.3+rng.Float64()
	}
	for j := range c {
		c[j] = at()
	}
	return Problem{
		Now: now, Candidates: candidates, Most: 3,
		Costs: func(_, j int, dst []float64) {
			for i := range p {
				dst[i] = math.Hypot(p[i][0]-c[j][0], p[i][1]-c[j][1])
			}
		},
	}
}

// fall is by how much the costs fall for a set of candidates, and their price.
func fall(p Problem, set uint) (fell, price float64) {
	now, costs := slices.Clone(p.Now), make([]float64, len(p.Now))
	for j := range p.Candidates {
		if set>>j&1 == 0 {
			continue
		}
		if p.Prices != nil {
			price += p.Prices[j]
		}
		p.Costs(0, j, costs)
		for i, cost := range costs {
			now[i] = min(now[i], cost)
		}
	}
	return floats.Sum(p.Now) - floats.Sum(now), price
}

// Against all choices there are: never less than the guarantee, never more than the best.
func TestGreedyAgainstAllChoices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p, guarantee := random(rng, 12, 10), 1-1/math.E
		if rng.IntN(2) == 0 {
			p.Prices, p.Budget = make([]float64, 10), 2
			for j := range p.Prices {
				p.Prices[j] = 2 * rng.Float64()
			}
			guarantee /= 2
		}
		best := 0.0
		for set := range uint(1) << 10 {
			if fell, price := fall(p, set); bits.OnesCount(set) <= p.Most && price <= p.Budget {
				best = max(best, fell)
			}
		}
		picks, set := must.Have(Greedy(context.Background(), 2, p)), uint(0)
		for _, pick := range picks {
			set |= 1 << pick.Candidate
		}
		fell, price := fall(p, set)
		if fell < guarantee*best || fell > best*(1+1e-9) || price > p.Budget {
			t.Fatalf("the costs fall by %g at a price of %g, the best choice is %g", fell, price, best)
		}
		if got := total(picks); math.Abs(fell-got) > 1e-9 {
			t.Fatalf("gains add up to %g, the costs fall by %g", got, fell)
		}
	}
}

// The lazy choice is that of looking at all candidates each time.
func TestGreedyIsGreedy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		p := random(rng, 80, 60)
		p.Most = 15
		p.Exclude = make([]bool, 60)
		for j := range p.Exclude {
			p.Exclude[j] = rng.IntN(4) == 0
		}
		var want []int
		for set := uint(0); len(want) < p.Most; {
			best, most := -1, 0.0
			for j := range 60 {
				fell, _ := fall(p, set)
				if more, _ := fall(p, set|1<<j); more-fell > most+1e-12 && !p.Exclude[j] {
					best, most = j, more-fell
				}
			}
			if best < 0 {
				break
			}
			set |= 1 << best
			want = append(want, best)
		}
		for workers := 1; workers <= 3; workers++ {
			picks := must.Have(Greedy(context.Background(), workers, p))
			var got []int
			for _, pick := range picks {
				got = append(got, pick.Candidate)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%d workers choose %v, want %v", workers, got, want)
			}
		}
	}
}

// Of candidates that serve a point each, by hand.
func TestGreedyEnds(t *testing.T) {
	for _, c := range []struct {
		now, prices []float64
		budget      float64
		want        []Pick
	}{
		{[]float64{9, 6, 4}, nil, 0, []Pick{{0, 9}, {1, 6}, {2, 4}}},
		{[]float64{9, 0, 4}, nil, 0, []Pick{{0, 9}, {2, 4}}},
		{[]float64{10, 6, 4}, []float64{10, 4, 6}, 10, []Pick{{0, 10}}},
		{[]float64{9, 6, 4}, []float64{10, 4, 5}, 10, []Pick{{1, 6}, {2, 4}}},
		{[]float64{10, 6, 4}, []float64{10, 4, 5}, 9, []Pick{{1, 6}, {2, 4}}},
		{[]float64{10, 6, 4}, []float64{0, 4, 5}, 0, []Pick{{0, 10}}},
		{[]float64{10, 6, 4}, []float64{5, 5, 5}, 4, nil},
	} {
		p := Problem{Now: c.now, Candidates: 6, Most: 9, Prices: c.prices, Budget: c.budget, Costs: func(_, j int, dst []float64) {
			copy(dst, c.now)
			dst[j%3] = 0
		}}
		if p.Prices != nil {
			p.Prices = slices.Concat(c.prices, c.prices) // the second of equal ones gains nothing
		}
		if got := must.Have(Greedy(context.Background(), 1, p)); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Greedy(ctx, 1, p); err != context.Canceled {
			t.Errorf("error %v, want that of the context", err)
		}
	}
}
