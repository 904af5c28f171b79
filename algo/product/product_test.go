package product

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The products are those of gonum in float64, up to rounding.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	random := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = rng.Float32() - 0.5
		}
		return list
	}
	wide := func(list []float32, rows, cols int) *mat.Dense {
		d := mat.NewDense(rows, cols, nil)
		for i, x := range list {
			d.Set(i/cols, i%cols, float64(x))
		}
		return d
	}
	const m, k, n = 7, 19, 33
	a, b, start := random(m*k), random(k*n), random(m*n)
	for _, c := range []struct {
		name string
		run  func(dst []float32)
		a, b mat.Matrix
		add  bool
	}{
		{"NN", func(dst []float32) { NN(dst, a, b, m, k, n) }, wide(a, m, k), wide(b, k, n), false},
		{"NT", func(dst []float32) { NT(dst, a, b, m, k, n) }, wide(a, m, k), wide(b, n, k).T(), false},
		{"AddTN", func(dst []float32) { AddTN(dst, a, b, m, k, n) }, wide(a, k, m).T(), wide(b, k, n), true},
	} {
		var want mat.Dense
		want.Mul(c.a, c.b)
		got := append([]float32(nil), start...)
		c.run(got)
		for i, x := range got {
			w := want.At(i/n, i%n)
			if c.add {
				w += float64(start[i])
			}
			if math.Abs(float64(x)-w) > 1e-5 {
				t.Fatalf("%s: value %d is %g, want %g", c.name, i, x, w)
			}
		}
	}
}
