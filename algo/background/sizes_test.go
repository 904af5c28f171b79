package background

import (
	"math"
	"math/rand/v2"
	"testing"

	"baca/algo/near"
)

// Of large graphs the excess of their size is subtracted 1.5 times. Small graphs, and those larger than
// all training graphs, are compared with all.
func TestSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, slope := range []float64{1, 0, -1} {
		var nodes []int
		var sums []float64
		for range 4000 {
			n := 5 + rng.IntN(60)
			nodes, sums = append(nodes, n), append(sums, 1+slope*float64(n)/20+(1+max(0, slope)*float64(n)/60)*rng.NormFloat64())
		}
		s := NewSizes(nodes, sums)
		all := near.ScaleOf(sums)
		for _, low := range []int{40, 50} {
			var list []float64
			for i, n := range nodes {
				if n >= low && n < low+10 {
					list = append(list, sums[i])
				}
			}
			own := near.ScaleOf(list)
			mean, deviation := s.Of(low + 5)
			more, wider := mean-all.Mean, deviation-all.Deviation
			if want := 1.5 * max(0, own.Mean-all.Mean); math.Abs(more-want) > 0.2 {
				t.Errorf("slope %g: graphs of %d to %d nodes have %g taken off, want %g", slope, low, low+9, more, want)
			}
			if want := 1.5 * max(0, own.Deviation-all.Deviation); math.Abs(wider-want) > 0.3 {
				t.Errorf("slope %g: graphs of %d to %d nodes are divided by %g more, want %g", slope, low, low+9, wider, want)
			}
		}
		for n := range 100 {
			mean, deviation := s.Of(n)
			if mean < all.Mean || deviation < all.Deviation {
				t.Errorf("slope %g, %d nodes: mean %g and deviation %g, of all %g and %g", slope, n, mean, deviation, all.Mean, all.Deviation)
			}
			if (n < 30 || n > s.High || slope < 0) && (near.Scale{Mean: mean, Deviation: deviation}) != all {
				t.Errorf("slope %g, %d nodes: mean %g and deviation %g, want those of all graphs, %g and %g", slope, n, mean, deviation, all.Mean, all.Deviation)
			}
		}
		part := s.Between(20, 60)
		for _, n := range []int{20, 30, 40, 60} {
			got, _ := part.Of(n)
			if want, _ := s.Of(n); math.Abs(got-want) > 0.05 {
				t.Errorf("a part of the curve has mean %g at %d nodes, the curve %g", got, n, want)
			}
		}
	}
	// At the size of the one large graph, the small ones weigh nothing and all weigh as much as 20 graphs.
	sums := []float64{1, 2, 3, 30}
	s, all := NewSizes([]int{5, 5, 5, 50}, sums), near.ScaleOf(sums)
	mean := (20*all.Mean + 30) / 21
	deviation := math.Sqrt((20*all.Deviation*all.Deviation + (30-mean)*(30-mean)) / 21)
	want := near.Scale{Mean: all.Mean + 1.5*(mean-all.Mean), Deviation: all.Deviation + 1.5*(deviation-all.Deviation)}
	if m, d := s.Of(50); math.Abs(m-want.Mean) > 1e-9 || math.Abs(d-want.Deviation) > 1e-9 {
		t.Errorf("one large graph has mean %g and deviation %g, want %+v", m, d, want)
	}
	if part := s.Between(1, 1000); part.Low != 5 || part.High != 50 {
		t.Errorf("a part of sizes %d to %d", part.Low, part.High)
	}
	one := NewSizes([]int{7, 7, 7}, []float64{1, 2, 3})
	if mean, deviation := one.Of(7); mean != 2 || !(deviation > 0) {
		t.Errorf("graphs of one size have mean %g and deviation %g", mean, deviation)
	}
}
