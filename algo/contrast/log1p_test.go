package contrast

import (
	"math"
	"testing"
)

func TestLog1p(t *testing.T) {
	// Every 997th float32 that is positive and finite, and the borders.
	xs := []float32{0, 1, 3, 0x1p-23, 1e-7, 0.41421354, 0.41421360, math.MaxFloat32, float32(math.Inf(1))}
	for bits := uint32(0); bits < 0x7f800000; bits += 997 {
		xs = append(xs, math.Float32frombits(bits))
	}
	got := make([]float32, len(xs))
	log1p(got, xs)
	for i, x := range xs {
		if want := math.Log1p(float64(x)); math.Abs(float64(got[i])-want) > 1.2e-7*want && float64(got[i]) != want {
			t.Fatalf("log1p(%g) = %g, want %g", x, got[i], want)
		}
	}
	log1p(got[:2], []float32{float32(math.NaN()), -0.5})
	if got[0] == got[0] || got[1] != float32(math.Log(0.5)) {
		t.Errorf("log1p of NaN and −½ is %g", got[:2])
	}
}

func BenchmarkLog1p(b *testing.B) {
	x, y := make([]float32, 1000), make([]float32, 1000)
	for i := range x {
		x[i] = float32(i%200) / 7
	}
	for b.Loop() {
		log1p(y, x)
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlog1p/s")
}
