package kernel

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// A product computes dst = a·b, or a·bᵀ; all matrices are dense.
type product struct {
	name   string
	nn, nt func(dst, a, b Matrix)
}

// others computes products by other means, to compare with.
var others = []product{{
	"blas32",
	func(dst, a, b Matrix) { blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, view(a), view(b), 0, view(dst)) },
	func(dst, a, b Matrix) { blas32.Gemm(blas.NoTrans, blas.Trans, 1, view(a), view(b), 0, view(dst)) },
}}

func view(m Matrix) blas32.General {
	return blas32.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
}

// The shapes are those of layers for 16 molecules of 24 atoms, of the
// similarities of atoms in one molecule, and of a block of InfoNCE.
func BenchmarkGemm(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	if runtime.GOARCH == "wasm" {
		// The engine compiles code again, and better, once it has run a while.
		x := matrix(rng, 64, 64, 0)
		dst := matrix(rng, 64, 64, 0)
		for _, v := range variants {
			v.use()
			for start := time.Now(); time.Since(start) < 100*time.Millisecond; {
				MulNN(dst, x, x)
				MulNT(dst, x, x)
			}
		}
	}
	for _, s := range [][3]int{
		{384, 16, 9}, {384, 16, 16}, {384, 64, 64}, {384, 80, 80}, {384, 160, 160}, {24, 24, 80},
		{32, 3000, 160}, {32, 160, 3000}, {32, 4096, 32},
	} {
		m, n, k := s[0], s[1], s[2]
		dst, x := matrix(rng, m, n, 0), matrix(rng, m, k, 0)
		right := matrix(rng, k, n, 0)
		turned := Matrix{right.Data, n, k, k}
		run := func(name, what string, by func(dst, a, b Matrix), right Matrix) {
			b.Run(fmt.Sprintf("%s/%dx%dx%d/%s", what, m, n, k, name), func(b *testing.B) {
				for b.Loop() {
					by(dst, x, right)
				}
				rate(b, 2*m*n*k, 1e9, "GFLOP/s")
				b.ReportMetric(float64(2*m*n*k), "flop/op")
				b.ReportMetric(float64(4*(m*k+k*n+m*n)), "B-moved/op")
			})
		}
		for _, v := range variants {
			v.use()
			run(v.name, "NN", MulNN, right)
			run(v.name, "NT", MulNT, turned)
		}
		for _, p := range others {
			run(p.name, "NN", p.nn, right)
			run(p.name, "NT", p.nt, turned)
		}
	}
}

func rate(b *testing.B, each int, unit float64, name string) {
	b.ReportMetric(float64(each)*float64(b.N)/b.Elapsed().Seconds()/unit, name)
}

// All loops, by the size of their operands.
func BenchmarkLoops(b *testing.B) {
	for _, l := range loops {
		for _, v := range variants {
			v.use()
			s := &sample{rng: rand.New(rand.NewPCG(3, 4)), m: 128, n: 160, k: 128}
			run, bytes := l.call(s), 0
			for _, p := range s.placed {
				bytes += p.hi - p.lo
			}
			b.Run(l.name+"/"+v.name, func(b *testing.B) {
				for b.Loop() {
					run()
				}
				rate(b, bytes, 1e9, "GB/s")
				b.ReportMetric(float64(bytes), "B-moved/op")
			})
		}
	}
}
