package kernel

import (
	"math"
	"testing"
)

func TestExp(t *testing.T) {
	worst := 0.0
	for x := float32(-87); x <= 87; x += 0.00137 {
		want := math.Exp(float64(x))
		worst = max(worst, math.Abs(float64(Exp(x))-want)/want)
	}
	if worst > 2e-7 {
		t.Errorf("relative error %g, want at most 2e-7", worst)
	}
	if Exp(0) != 1 {
		t.Errorf("Exp(0) = %g, want 1", Exp(0))
	}
	for _, x := range []float32{-1e30, float32(math.Inf(-1)), 1e30, float32(math.Inf(1))} {
		if y := Exp(x); !(y > 0) || math.IsInf(float64(y), 0) {
			t.Errorf("Exp(%g) = %g, want a positive number", x, y)
		}
	}
}

func BenchmarkExp(b *testing.B) {
	s := float32(0)
	for b.Loop() {
		for x := float32(-5); x < 5; x += 0.01 {
			s += Exp(x)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mexp/s")
	if s == 0 {
		b.Fatal(s)
	}
}
