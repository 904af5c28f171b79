package near

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The nearest row is the one that comparing with all rows finds: where rows lie close to
// few dimensions, fill the space, are equal, or are fewer than the axes.
func TestNearestLandmark(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, c := range []struct {
		m, dim, rank int
		far          float64 // where products round
	}{
		{0, 5, 1, 0}, {1, 3, 1, 0}, {2, 80, 2, 0}, {5, 3, 3, 0}, {12, 20, 20, 0}, {300, 20, 20, 0}, {700, 80, 3, 0}, {60, 4, 1, 0}, {260, 6, 1, 0}, {260, 6, 1, 300},
	} {
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
					rows[i*c.dim+t] += float32(c.far + noise*rng.NormFloat64())
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
