//go:build js && wasm && !noasm

package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"syscall/js"
	"testing"
	"time"
)

func init() {
	simd := vector
	variants = []variant{{"portable Go", func() { vector = false }}}
	if simd {
		variants = append(variants, variant{"WebAssembly SIMD", func() { vector = true }})
	}
}

// The kernel must be there, unless BACA_KERNEL=none says that it is not. In a browser the
// variable is given by the runner too.
func TestKernelIsThere(t *testing.T) {
	if want := os.Getenv("BACA_KERNEL") != "none"; vector != want {
		t.Errorf("the kernel is there: %t, want %t", vector, want)
	}
}

// When the memory of the program grows, a view of it that JavaScript keeps is
// detached. The kernel must reach the new part, and the old one.
func TestMemoryGrowth(t *testing.T) {
	if testing.Short() || !vector {
		t.Skip("takes 600 MB and the SIMD kernel")
	}
	before := random(rand.New(rand.NewPCG(3, 4)), 80*80)
	var kept [][]float32
	for i := range 3 {
		block := make([]float32, 50<<20)
		kept = append(kept, block)
		tail := block[len(block)-80*80:]
		MulNT(Dense(tail, 80, 80), Dense(before, 80, 80), Dense(before, 80, 80))
		want := make([]float32, 80*80)
		columns := make([]float32, 80*80)
		transposeGo(columns, before, 80, 80, 80)
		gemmGo(want, 80, before, 80, 1, columns, 80, 80, 80, 80, nil, 0)
		if !slices.Equal(tail, want) {
			t.Fatalf("after %d MB more, a product in the last of it is wrong", (i+1)*200)
		}
		for _, l := range loops {
			l.run(t, &sample{rng: rand.New(rand.NewPCG(uint64(i), 5)), m: 9, n: 47, k: 30 + i, padding: i})
		}
	}
	for i, block := range kept {
		if slices.IndexFunc(block, func(v float32) bool { return v != 0 }) != len(block)-80*80 {
			t.Errorf("block %d was written outside its end", i)
		}
	}
}

// peakModule is a WebAssembly module that exports run(n), which repeats n times
// 6 sums and 6 products of four values each. None depends on another of the same
// repetition, and together with their two constants they fit into the registers.
func peakModule() []byte {
	const chains, unroll = 6, 4
	sized := func(b []byte) []byte { // with the length before it
		return append(binary.AppendUvarint(nil, uint64(len(b))), b...)
	}
	section := func(id byte, b ...byte) []byte { return append([]byte{id}, sized(b)...) }
	const get, set, v128, f32x4 = 0x20, 0x21, 0xfd, 0x0c
	add, multiply := []byte{v128, 0xe4, 0x01}, []byte{v128, 0xe6, 0x01}
	constant := func(f float32) []byte {
		c := []byte{v128, f32x4}
		for range 4 {
			c = binary.LittleEndian.AppendUint32(c, math.Float32bits(f))
		}
		return c
	}
	// Local 0 is n, then the values of the sums and of the products, then the
	// constants.
	const first, ones, step = 1, 1 + 2*chains, 2 + 2*chains
	body := []byte{1, 2*chains + 2, 0x7b}
	for l := range byte(2*chains + 1) {
		body = append(append(body, constant(1)...), set, first+l)
	}
	body = append(append(body, constant(0.25)...), set, step)
	body = append(body, 0x03, 0x40) // loop
	for range unroll {
		for c := range byte(chains) {
			body = append(append(append(body, get, first+c, get, step), add...), set, first+c)
			body = append(append(append(body, get, first+chains+c, get, ones), multiply...), set, first+chains+c)
		}
	}
	// n -= unroll; again unless that is 0; end; the sum of all.
	body = append(body, get, 0, 0x41, unroll, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, get, first)
	for l := range byte(2*chains - 1) {
		body = append(append(body, get, first+1+l), add...)
	}
	body = append(body, v128, 0x1f, 0, 0x0b) // its first value; end
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, 1, 0x60, 1, 0x7f, 1, 0x7d), section(3, 1, 0), section(7, 1, 3, 'r', 'u', 'n', 0, 0),
		section(10, append([]byte{1}, sized(body)...)...))
}

// The rate that the SIMD kernel cannot go beyond: as many products as sums, in
// registers.
func BenchmarkPeak(b *testing.B) {
	const steps, operations = 100_000, 12 * 4
	code := peakModule()
	bytes := js.Global().Get("Uint8Array").New(len(code))
	js.CopyBytesToJS(bytes, code)
	assembly := js.Global().Get("WebAssembly")
	instance := assembly.Get("Instance").New(assembly.Get("Module").New(bytes))
	run := instance.Get("exports").Get("run")
	for start := time.Now(); time.Since(start) < 100*time.Millisecond; { // as in BenchmarkGemm
		if got, want := run.Invoke(1000).Float(), 6*(1+250)+6.; got != want {
			b.Fatalf("the sum is %g, want %g", got, want)
		}
	}
	b.Run("SIMD128", func(b *testing.B) {
		for b.Loop() {
			run.Invoke(steps)
		}
		rate(b, steps*operations, 1e9, "GFLOP/s")
		b.ReportMetric(steps*operations, "flop/op")
	})
}

// BenchmarkVector runs the loops with the SIMD kernel and without, in turn.
func BenchmarkVector(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	run := func(name, unit string, count float64, f func()) {
		had := vector
		defer func() { vector = had }()
		for _, code := range []string{"SIMD", "portable"} {
			b.Run(name+"/"+code, func(b *testing.B) {
				if vector = code == "SIMD"; vector && !had {
					b.Skip("no SIMD kernel here")
				}
				// The engine compiles code again, and better, once it has run a while.
				for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
					f()
				}
				for b.Loop() {
					f()
				}
				b.ReportMetric(count*float64(b.N)/b.Elapsed().Seconds(), unit)
			})
		}
	}
	const m = 384
	for _, n := range []int{16, 64, 80} {
		x, w, dst := matrix(rng, m, n, 0), matrix(rng, n, n, 0), matrix(rng, m, n, 0)
		bias, flops := random(rng, n), 2*float64(m*n*n)/1e9
		run(fmt.Sprintf("Linear/%dx%dx%d", m, n, n), "GFLOP/s", flops, func() { Linear(dst, x, w, bias, true) })
		run(fmt.Sprintf("MulNN/%dx%dx%d", m, n, n), "GFLOP/s", flops, func() { MulNN(dst, x, w) })
		run(fmt.Sprintf("AddTN/%dx%dx%d", n, n, m), "GFLOP/s", flops, func() { AddTN(w, x, dst) })
	}
	square, big := matrix(rng, 24, 24, 0), matrix(rng, 24, 80, 0)
	run("MulNT/24x24x80", "GFLOP/s", 2*24*24*80/1e9, func() { MulNT(square, big, big) })
	x, y := random(rng, m*80), random(rng, m*80)
	z := slices.Clone(x)
	norms, rows, cols := make([]float32, m), make([]float64, m), make([]float64, 80)
	millions := m * 80 / 1e6
	run("Exp", "Mvalues/s", millions, func() { copy(z, x); Exp(z, 0.5) })
	run("Sums", "Mvalues/s", millions, func() { Sums(rows, cols, x) })
	run("Weight", "Mvalues/s", millions, func() { copy(z, x); Weight(z, norms, x[:80]) })
	run("Normalize", "Mvalues/s", millions, func() { Normalize(y, norms, x) })
	run("NormalizeGradient", "Mvalues/s", millions, func() { NormalizeGradient(z, x, y, norms) })
	run("ReLUGradient", "Mvalues/s", millions, func() { copy(z, x); ReLUGradient(Dense(z, m, 80), Dense(x, m, 80)) })
	// Chains of 24 nodes, as molecules nearly are.
	offsets, neighbors := []int32{0}, []int32{}
	for i := range int32(m) {
		if i%24 > 0 {
			neighbors = append(neighbors, i-1)
		}
		if i%24 < 23 {
			neighbors = append(neighbors, i+1)
		}
		offsets = append(offsets, int32(len(neighbors)))
	}
	for _, width := range []int{9, 16, 80} {
		h, dst := matrix(rng, m, width, 0), matrix(rng, m, width, 0)
		run(fmt.Sprintf("AddNeighbors/%dx%d", m, width), "Mvalues/s", float64(m*width)/1e6, func() { AddNeighbors(dst, h, offsets, neighbors) })
		row := Matrix{make([]float32, width), m, width, 0}
		run(fmt.Sprintf("Add/%dx%d", m, width), "Mvalues/s", float64(m*width)/1e6, func() { clear(row.Data); Add(row, h) })
	}
	for _, n := range []int{16, 80} {
		u, v := x[:n], y[:n]
		run(fmt.Sprintf("Dot/%d", n), "Mvalues/s", float64(n)/1e6, func() { norms[0] = Dot(u, v) })
		row := Dense(z[:n], 1, n)
		run(fmt.Sprintf("Add/1x%d", n), "Mvalues/s", float64(n)/1e6, func() { clear(z[:n]); Add(row, Dense(v, 1, n)) })
	}
}
