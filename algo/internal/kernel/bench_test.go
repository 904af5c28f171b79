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
		run := func(name, what string, f func()) {
			b.Run(fmt.Sprintf("%s/%dx%dx%d/%s", what, m, n, k, name), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				rate(b, 2*m*n*k, 1e9, "GFLOP/s")
				b.ReportMetric(float64(2*m*n*k), "flop/op")
				b.ReportMetric(float64(4*(m*k+k*n+m*n)), "B-moved/op")
			})
		}
		every := func(what string, ours func(dst, a, b Matrix), right Matrix, theirs func(p product) func(dst, a, b Matrix)) {
			for _, v := range variants {
				v.use()
				run(v.name, what, func() { ours(dst, x, right) })
			}
			for _, p := range others {
				f := theirs(p)
				run(p.name, what, func() { f(dst, x, right) })
			}
		}
		every("NN", MulNN, right, func(p product) func(dst, a, b Matrix) { return p.nn })
		every("NT", MulNT, turned, func(p product) func(dst, a, b Matrix) { return p.nt })
	}
}

func rate(b *testing.B, each int, unit float64, name string) {
	b.ReportMetric(float64(each)*float64(b.N)/b.Elapsed().Seconds()/unit, name)
}

// The other loops, by what they read and write.
func BenchmarkLoops(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	const m, n = 128, 160
	x, y, r, c := random(rng, m*n), random(rng, m*n), random(rng, m), random(rng, n)
	rows, cols, norms := make([]float64, m), make([]float64, n), random(rng, m)
	path, offsets := make([]int32, 2*m), make([]int32, m+1)
	for i := range m {
		path[2*i], path[2*i+1] = int32(max(0, i-1)), int32(min(m-1, i+1))
		offsets[i+1] = int32(2 * (i + 1))
	}
	const values = 4 * m * n // bytes
	// Molecules of a small set, and the keys of one.
	const prints, keys = 16 * Strip, 48
	sums, tops, bits, begin := make([]uint32, prints), make([]uint32, prints/Top), make([]uint64, keys*prints/64), make([]uint32, keys)
	for i := range bits {
		bits[i] = rng.Uint64()
	}
	for k := range begin {
		begin[k] = uint32(k * prints / 64)
	}
	means, squares := make([]float32, m*n), make([]float32, m*n)
	e, embedding := make([]float32, 4096), make([]float32, 4096)
	for i := range embedding {
		embedding[i] = max(0, float32(i%200-20)) / 7
	}
	for _, l := range []struct {
		name  string
		f     func()
		bytes int
		unit  string // of bytes, if they are others
	}{
		{"Add", func() { Add(Dense(x, m, n), Dense(y, m, n)) }, 3 * values, ""},
		{"AddToOne", func() { Add(Matrix{c, m, n, 0}, Dense(y, m, n)) }, values, ""},
		{"AddNeighbors160", func() { AddNeighbors(Dense(x, m, n), Dense(y, m, n), offsets, path) }, 4 * values, ""},
		{"AddNeighbors16", func() { AddNeighbors(Dense(x[:m*16], m, 16), Dense(y[:m*16], m, 16), offsets, path) }, 4 * values / 10, ""},
		{"ReLUGradient", func() { ReLUGradient(Dense(x, m, n), Dense(y, m, n)) }, 3 * values, ""},
		{"Sums", func() { Sums(rows, cols, y) }, values, ""},
		{"Weight", func() { clear(r); Weight(x, r, c) }, 2 * values, ""},
		{"Normalize", func() { Normalize(x, norms, y) }, 2 * values, ""},
		{"NormalizeGradient", func() { NormalizeGradient(x, y, y, norms) }, 2 * values, ""},
		{"Dot", func() { Dot(x, y) }, 2 * values, ""},
		{"Axpy", func() { Axpy(x, 1e-3, y) }, 3 * values, ""},
		{"AddWhere", func() { AddWhere(sums, tops, bits, begin, begin) }, keys*prints/8 + 2*4*prints, ""},
		{"Axpy64", func() { Axpy(x[:64], 1e-3, y[:64]) }, 3 * 4 * 64, ""},
		{"Exp", func() { Exp(e, 0.5) }, len(e), "Mexp/s"},
		{"Log1p", func() { Log1p(e, embedding) }, len(e), "Mlog1p/s"},
		{"Adam", func() { Adam(x, y, means, squares, AdamStep{0.9, 0.1, 0.999, 0.001, 0.5, 1e-8, 1e-4}) }, len(x), "Mparameters/s"},
	} {
		for _, v := range variants {
			v.use()
			b.Run(l.name+"/"+v.name, func(b *testing.B) {
				for b.Loop() {
					l.f()
				}
				if l.unit != "" {
					rate(b, l.bytes, 1e6, l.unit)
					return
				}
				rate(b, l.bytes, 1e9, "GB/s")
				b.ReportMetric(float64(l.bytes), "B-moved/op")
			})
		}
	}
}
