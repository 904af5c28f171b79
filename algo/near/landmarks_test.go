package near

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// The nearest row is the one that comparing with all rows finds: where rows lie close to
// few dimensions, fill the space, are equal, or are fewer than the axes.
func TestNearestLandmark(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, c := range []struct{ m, dim, rank int }{{0, 5, 1}, {1, 3, 1}, {2, 80, 2}, {5, 3, 3}, {300, 20, 20}, {700, 80, 3}, {60, 4, 1}, {260, 6, 1}} {
		draw := func(n int, noise float64) []float32 {
			base := rand.New(rand.NewPCG(uint64(c.m), 2)) // the same space for rows and queries
			directions := make([]float64, c.rank*c.dim)
			for k := range directions {
				directions[k] = base.NormFloat64()
			}
			rows := make([]float32, n*c.dim)
			for i := range n {
				for r := range c.rank {
					x := rng.NormFloat64()
					for t := range c.dim {
						rows[i*c.dim+t] += float32(x * directions[r*c.dim+t])
					}
				}
				for t := range c.dim {
					rows[i*c.dim+t] += float32(noise * rng.NormFloat64())
				}
			}
			return rows
		}
		rows := draw(c.m, 0.01)
		if c.m > 4 {
			copy(rows[4*c.dim:5*c.dim], rows[:c.dim]) // equal rows
		}
		l := newLandmarks(rows, c.dim)
		queries := append(draw(50, 0.5), rows[:min(c.m, 20)*c.dim]...)
		s := search{landmarks: l, queries: queries}
		s.measure()
		for q := range len(queries) / c.dim {
			at := queries[q*c.dim:][:c.dim]
			for _, leave := range []int{-1, 0, c.m / 2} {
				first, least := -1, math.Inf(1)
				for i := range c.m {
					if d := SquaredDistance(l.row(i), at); i != leave && d < least {
						first, least = i, d
					}
				}
				row, square := s.nearest(q, leave)
				name := fmt.Sprintf("%d rows of %d, query %d without %d", c.m, c.dim, q, leave)
				switch {
				case math.IsInf(least, 1):
					if row != -1 || square != 0 {
						t.Errorf("%s: row %d at %g, want none", name, row, square)
					}
				case row != first || square != least:
					t.Errorf("%s: row %d at %g, want %d at %g", name, row, square, first, least)
				}
			}
		}
	}
}

// The axes are orthonormal, and on rows near a plane the first two span it.
func TestMainAxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	const m, dim = 200, 12
	rows := make([]float32, m*dim)
	for i := range m {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		rows[i*dim+3], rows[i*dim+7] = float32(10*x), float32(5*y)
		rows[i*dim+1] = float32(rng.NormFloat64() / 1000)
	}
	a := mainAxes(rows, dim)
	row := func(k int) []float64 { return a[k*dim : (k+1)*dim] }
	for j := range axes {
		for k := range j + 1 {
			want := 0.0
			if j == k {
				want = 1
			}
			if got := floats.Dot(row(j), row(k)); math.Abs(got-want) > 1e-12 {
				t.Errorf("product of axes %d and %d is %g, want %g", j, k, got, want)
			}
		}
	}
	for k, column := range []int{3, 7} {
		if in := math.Hypot(row(k)[3], row(k)[7]); in < 1-1e-6 {
			t.Errorf("axis %d is %v: only %g of it in the plane of columns 3 and 7, of which %d is the %d.", k, row(k), in, column, k+1)
		}
	}
}
