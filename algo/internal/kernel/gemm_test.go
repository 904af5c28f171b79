package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func random(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

func general(v []float32, rows, cols int) blas64.General {
	d := make([]float64, len(v))
	for i, x := range v {
		d[i] = float64(x)
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: d}
}

// The products of float32 values computed by gonum in float64 are the oracle;
// k terms of size one may each be off by half a unit in the last place.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{1, 1, 1}, {2, 4, 3}, {3, 5, 7}, {7, 16, 9}, {16, 16, 16}, {33, 80, 32}, {5, 80, 80}, {6, 3, 0}, {0, 4, 4}, {17, 6, 31}} {
		m, n, k := s[0], s[1], s[2]
		for _, p := range []struct {
			name   string
			mul    func(dst, a, b []float32, m, n, k int)
			ta, tb blas.Transpose
		}{
			{"MulNT", MulNT, blas.NoTrans, blas.Trans},
			{"MulNN", MulNN, blas.NoTrans, blas.NoTrans},
			{"AddTN", AddTN, blas.Trans, blas.NoTrans},
		} {
			t.Run(fmt.Sprintf("%s/%dx%dx%d", p.name, m, n, k), func(t *testing.T) {
				a, b, dst := random(rng, m*k), random(rng, n*k), random(rng, m*n)
				beta := 0.0
				if p.name == "AddTN" {
					beta = 1
				}
				want := general(dst, m, n)
				ga, gb := general(a, m, k), general(b, k, n)
				if p.ta == blas.Trans {
					ga = general(a, k, m)
				}
				if p.tb == blas.Trans {
					gb = general(b, n, k)
				}
				if m > 0 && k > 0 {
					blas64.Gemm(p.ta, p.tb, 1, ga, gb, beta, want)
				} else if beta == 0 {
					clear(want.Data)
				}
				p.mul(dst, a, b, m, n, k)
				for i, w := range want.Data {
					if math.Abs(float64(dst[i])-w) > 1e-6*float64(k+1)*4 {
						t.Fatalf("element %d: got %g, want %g", i, dst[i], w)
					}
				}
			})
		}
	}
}

func BenchmarkProducts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range []struct {
		name string
		mul  func(dst, a, b []float32, m, n, k int)
	}{{"MulNT", MulNT}, {"MulNN", MulNN}, {"AddTN", AddTN}} {
		for _, s := range [][3]int{{384, 16, 16}, {384, 80, 80}, {24, 24, 80}} {
			m, n, k := s[0], s[1], s[2]
			if p.name == "AddTN" {
				m, n, k = s[1], s[2], s[0]
			} else if p.name == "MulNN" {
				n, k = k, n
			}
			b.Run(fmt.Sprintf("%s/%dx%dx%d", p.name, m, n, k), func(b *testing.B) {
				x, y, dst := random(rng, m*k), random(rng, n*k), make([]float32, m*n)
				for b.Loop() {
					p.mul(dst, x, y, m, n, k)
				}
				b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
