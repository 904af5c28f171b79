package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
)

// near makes a Neighborhood of random embeddings and prints, and a graph beside it.
func near(t *testing.T, rng *rand.Rand) (*Neighborhood, *contrast.Representation) {
	t.Helper()
	const width = 3
	draw := func(n int) *contrast.Representation {
		r := &contrast.Representation{Width: width, NodeScore: make([]float64, n), ZF: make([]float32, n*width), ZS: make([]float32, n*width)}
		for range n * 2 * width {
			r.Q = append(r.Q, float32(2+rng.NormFloat64()/2))
		}
		for range n {
			p := fingerprint.Print{}
			for k := range uint32(30) {
				if rng.IntN(3) == 0 {
					p.Keys, p.Counts = append(p.Keys, k), append(p.Counts, 1+rng.Uint32N(3))
				}
			}
			r.Prints = append(r.Prints, p)
		}
		return r
	}
	n, err := NewNeighborhood(context.Background(), 1, draw(40))
	if err != nil {
		t.Fatal(err)
	}
	return n, draw(6)
}

// The score is the standardised weighted sum of the parts.
func TestPartsMakeTheScore(t *testing.T) {
	n, r := near(t, rand.New(rand.NewPCG(1, 5)))
	d, err := n.Measure(context.Background(), 1, r)
	if err != nil {
		t.Fatal(err)
	}
	parts := n.Parts(d)
	for i, s := range n.Scores(d) {
		sum := parts[ByEmbedding][i] + 2*parts[BySubtrees][i] + 2*parts[ByCounts][i] + 0.3*parts[ByNodes][i]
		if want := (sum - n.scale.Mean) / n.scale.Deviation; math.Abs(s-want) > 1e-12 {
			t.Errorf("graph %d: score %g, its parts make %g", i, s, want)
		}
	}
}

// Without the rounding of coordinates, which has no derivative, the gradient is that
// of central differences.
func TestGradientOfTheDistance(t *testing.T) {
	n, r := near(t, rand.New(rand.NewPCG(2, 5)))
	clear(n.standard.step)
	dim := r.Dim()
	score := func(r *contrast.Representation) float64 {
		d, err := n.Measure(context.Background(), 1, r)
		if err != nil {
			t.Fatal(err)
		}
		return n.Scores(d)[0]
	}
	for i := range r.Len() {
		one := r.Select([]int{i})
		if i == 0 {
			one.Q[1] = 60 // beyond the clip
		}
		gradient := n.Gradient(one.Q)
		for j := range dim {
			const h = 1.0 / 256
			x := one.Q[j]
			one.Q[j] = x + h
			up := score(one)
			one.Q[j] = x - h
			down := score(one)
			one.Q[j] = x
			if want := (up - down) / (2 * h); math.Abs(gradient[j]-want) > 2e-3*(1+math.Abs(want)) {
				t.Errorf("graph %d, coordinate %d: derivative %g, differences say %g", i, j, gradient[j], want)
			}
		}
		if i == 0 && gradient[1] != 0 {
			t.Errorf("a clipped coordinate has derivative %g", gradient[1])
		}
	}
}
