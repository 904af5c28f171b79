//go:build !noasm

package kernel

import (
	"fmt"
	"math/bits"
	"unsafe"
)

//go:generate go run -C asm . -pkg kernel -out ../vector_amd64.s -stubs ../vector_amd64.go

// Instruction sets with code. Later ones include earlier ones.
const (
	portable = iota
	avx2
	avx512
)

// level is the machine's best; only tests change it.
var level = detect()

func detect() int {
	const (
		osxsave, avx    = 1 << 27, 1 << 28 // of leaf 1, ecx
		avx2Bit, bmi2   = 1 << 5, 1 << 8   // of leaf 7, ebx
		avx512f         = 1 << 16
		ymmSaved        = 0x06 // of xgetbv
		zmmSaved        = 0xe6
		features, extra = 1, 7
	)
	last, _, _, _ := cpuid(0, 0)
	if last < extra {
		return portable
	}
	_, _, basic, _ := cpuid(features, 0)
	if basic&osxsave == 0 || basic&avx == 0 {
		return portable
	}
	saved := xgetbv()
	_, more, _, _ := cpuid(extra, 0)
	switch {
	case saved&ymmSaved != ymmSaved || more&avx2Bit == 0:
		return portable
	case saved&zmmSaved != zmmSaved || more&avx512f == 0 || more&bmi2 == 0:
		return avx2
	}
	return avx512
}

func gemm(dst []float32, ldd int, a []float32, as, at int, b []float32, ldb, m, n, k int, bias []float32, flags int) {
	d, x, y, z := unsafe.SliceData(dst), unsafe.SliceData(a), unsafe.SliceData(b), unsafe.SliceData(bias)
	switch level {
	case avx512:
		gemmAVX512(d, ldd, x, as, at, y, ldb, m, n, k, z, flags)
	case avx2:
		gemmAVX2(d, ldd, x, as, at, y, ldb, m, n, k, z, flags)
	default:
		gemmGo(dst, ldd, a, as, at, b, ldb, m, n, k, bias, flags)
	}
}

func gemmListed(dst []float32, ldd int, a []float32, as int, b []float32, ldb, m, n, k int, bias []float32, flags int, lists []int32) {
	d, x, y, z := unsafe.SliceData(dst), unsafe.SliceData(a), unsafe.SliceData(b), unsafe.SliceData(bias)
	if level == avx512 {
		gemmListedAVX512(d, ldd, x, as, y, ldb, m, n, k, z, flags, &lists[0])
	} else {
		gemmListedAVX2(d, ldd, x, as, y, ldb, m, n, k, z, flags, &lists[0])
	}
}

// listed is the number of tiles that m rows make: the highest ones, and at most one of each other
// height.
func listed(m int) int {
	switch level {
	case avx512:
		return m/8 + bits.OnesCount(uint(m%8))
	case avx2:
		return m/6 + bits.OnesCount(uint(m%6))
	}
	return 0
}

func list(lists []int32, a []float32, as, m, k int) {
	if level == avx512 {
		listAVX512(&lists[0], &a[0], as, m, k)
	} else {
		listAVX2(&lists[0], &a[0], as, m, k)
	}
}

func transpose(dst, src []float32, lds, rows, cols int) {
	if level == portable {
		transposeGo(dst, src, lds, rows, cols)
	} else if rows > 0 && cols > 0 {
		transposeAVX2(&dst[0], &src[0], lds, rows, cols)
	}
}

func add(dst []float32, ldd int, x []float32, ldx, rows, cols int) {
	switch {
	case level == portable:
		addGo(dst, ldd, x, ldx, rows, cols)
	case ldd == 0:
		addToOneAVX2(&dst[0], &x[0], ldx, rows, cols)
	case ldd == cols && ldx == cols: // one long row
		addAVX2(&dst[0], 0, &x[0], 0, 1, rows*cols)
	default:
		addAVX2(&dst[0], ldd, &x[0], ldx, rows, cols)
	}
}

func addNeighbors(dst []float32, ldd int, h []float32, ldh int, offsets, neighbors []int32, rows, cols int) {
	if level == portable {
		addNeighborsGo(dst, ldd, h, ldh, offsets, neighbors, rows, cols)
		return
	}
	done := addNeighborsAVX2(&dst[0], ldd, &h[0], ldh, &offsets[0], unsafe.SliceData(neighbors), len(neighbors), rows, cols)
	if done < rows {
		panic(fmt.Sprintf("kernel: AddNeighbors: row %d of %d has offsets %d to %d of %d, or a neighbour that is no row",
			done, rows, offsets[done], offsets[done+1], len(neighbors)))
	}
}

func reluGradient(d []float32, ldd int, y []float32, ldy, rows, cols int) {
	switch {
	case level == portable:
		reluGradientGo(d, ldd, y, ldy, rows, cols)
	case ldd == cols && ldy == cols:
		reluGradientAVX2(&d[0], 0, &y[0], 0, 1, rows*cols)
	default:
		reluGradientAVX2(&d[0], ldd, &y[0], ldy, rows, cols)
	}
}

func exp(x []float32, scale float32) {
	if level == portable {
		expGo(x, scale)
	} else {
		expAVX2(&x[0], len(x), scale)
	}
}

func sums(rows, cols []float64, x []float32) {
	if level == portable {
		sumsGo(rows, cols, x)
	} else {
		sumsAVX2(&rows[0], &cols[0], &x[0], len(rows), len(cols))
	}
}

func weight(x, r, c []float32) { weightGo(x, r, c) }

func normalize(dst, norms, z []float32) {
	if level == portable {
		normalizeGo(dst, norms, z)
	} else {
		normalizeAVX2(&dst[0], &norms[0], &z[0], len(norms), len(z)/len(norms))
	}
}

func normalizeGradient(dst, g, u, norms []float32) {
	if level == portable {
		normalizeGradientGo(dst, g, u, norms)
	} else {
		normalizeGradientAVX2(&dst[0], &g[0], &u[0], &norms[0], len(norms), len(u)/len(norms))
	}
}

func dot(a, b []float32) float32 { return dotGo(a, b) }

func adam(params, grads, m, v []float32, s AdamStep) {
	if level == portable {
		adamGo(params, grads, m, v, s)
	} else {
		adamAVX2(&params[0], &grads[0], &m[0], &v[0], len(params), s.Keep1, s.Take1, s.Keep2, s.Take2, s.Root, s.Eps, s.Rate)
	}
}

// HasMasks reports whether AddWhere is vector code.
func HasMasks() bool { return level == avx512 }

func addWhere(sums, tops []uint32, bits []uint64, rows, gains []uint32) {
	if level < avx512 {
		addWhereGo(sums, tops, bits, rows, gains)
	} else {
		addWhereAVX512(&sums[0], &tops[0], unsafe.SliceData(bits), unsafe.SliceData(rows), unsafe.SliceData(gains), len(sums)/Strip, len(rows))
	}
}
