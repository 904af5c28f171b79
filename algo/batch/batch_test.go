package batch

import (
	"math"
	"math/rand/v2"
	"testing"

	"baca/algo/metric"
)

func TestGate(t *testing.T) {
	// The deviation of the AUC of n and m graphs that do not differ, by drawing
	// them.
	const n, m = 40, 90
	rng := rand.New(rand.NewPCG(8, 8))
	scores, isTest := make([]float64, n+m), make([]bool, n+m)
	for i := range n {
		isTest[i] = true
	}
	var aucs []float64
	for range 4000 {
		for i := range scores {
			scores[i] = rng.Float64()
		}
		aucs = append(aucs, metric.AUROC(scores, isTest))
	}
	mean, deviation := metric.MeanStd(aucs)
	if math.Abs(mean-0.5) > 0.005 {
		t.Fatalf("mean AUC %g", mean)
	}
	for _, c := range []struct{ errors, want float64 }{{-3, 0}, {0, 0}, {0.9, 0}, {2, 0.5}, {3.1, 1}, {100, 1}} {
		if got := gate(0.5+c.errors*deviation, n, m); math.Abs(got-c.want) > 0.05 {
			t.Errorf("%g standard errors of evidence give the weight %g, want %g", c.errors, got, c.want)
		}
	}
	if got := gate(0.9, 0, 10); got != 0 {
		t.Errorf("no batch gives the weight %g", got)
	}
}

func TestBlendAndAdd(t *testing.T) {
	base, extra := []float64{0, 2}, []float64{30, 10} // z: −1 1 and 1 −1
	for _, c := range []struct {
		name string
		got  []float64
		want float64 // of the first
	}{
		{"no weight", blend(0, base, extra).Of(base, extra), -1},
		{"full weight", blend(1, base, extra).Of(base, extra), -0.25 + 1},
		{"some", blend(0.4, base, extra).Of(base, extra), -0.7 + 0.4},
		{"beta", Add(0.25, base, extra).Of(base, extra), -0.75},
	} {
		if math.Abs(c.got[0]-c.want) > 1e-12 || math.Abs(c.got[1]+c.want) > 1e-12 {
			t.Errorf("%s: %v, want ±%g", c.name, c.got, c.want)
		}
	}
	// 5.5 is at 4.5 in the units of the batch, and 1.5 above what is added in full.
	if h := blend(0, base, extra).Of([]float64{5.5}, []float64{20}); len(h) != 1 || h[0] != 4.5+1.5 {
		t.Errorf("others %v, want 6", h)
	}
}
