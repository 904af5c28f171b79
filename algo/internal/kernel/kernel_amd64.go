//go:build !noasm

package kernel

import (
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

// level is the machine's best, and vector whether it has any; only tests change them.
var (
	level  = detect()
	vector = level > portable
)

// detect returns the best level that both the processor and the operating system support.
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

// The vector code of each loop, for operands that hold values.

// gemmVector is gemmGo in vector code of the level.
func gemmVector(dst []float32, ldd int, a []float32, as, at int, b []float32, ldb, m, n, k int, bias []float32, flags int) {
	d, x, y, z := unsafe.SliceData(dst), unsafe.SliceData(a), unsafe.SliceData(b), unsafe.SliceData(bias)
	if level == avx512 {
		gemmAVX512(d, ldd, x, as, at, y, ldb, m, n, k, z, flags)
	} else {
		gemmAVX2(d, ldd, x, as, at, y, ldb, m, n, k, z, flags)
	}
}

// gemmListed is gemmVector for the terms in lists alone.
func gemmListed(dst []float32, ldd int, a []float32, as int, b []float32, ldb, m, n, k int, bias []float32, flags int, lists []int32) {
	d, x, y, z := unsafe.SliceData(dst), unsafe.SliceData(a), unsafe.SliceData(b), unsafe.SliceData(bias)
	if level == avx512 {
		gemmListedAVX512(d, ldd, x, as, y, ldb, m, n, k, z, flags, &lists[0])
	} else {
		gemmListedAVX2(d, ldd, x, as, y, ldb, m, n, k, z, flags, &lists[0])
	}
}

// listed is the number of tiles that m rows make: the highest ones, and at most one of each other height.
func listed(m int) int {
	switch level {
	case avx512:
		return m/8 + bits.OnesCount(uint(m%8))
	case avx2:
		return m/6 + bits.OnesCount(uint(m%6))
	}
	return 0
}

// list writes to lists, for each tile of rows of a (m×k, a row every as values), the terms that gemmListed must add.
func list(lists []int32, a []float32, as, m, k int) {
	if level == avx512 {
		listAVX512(&lists[0], &a[0], as, m, k)
	} else {
		listAVX2(&lists[0], &a[0], as, m, k)
	}
}

// transposeVector is transposeGo in vector code.
func transposeVector(dst, src []float32, lds, rows, cols int) {
	transposeAVX2(&dst[0], &src[0], lds, rows, cols)
}

// addVector is addGo in vector code.
func addVector(dst []float32, ldd int, x []float32, ldx, rows, cols int) {
	switch {
	case ldd == 0:
		addToOneAVX2(&dst[0], &x[0], ldx, rows, cols)
	case ldd == cols && ldx == cols: // one long row
		addAVX2(&dst[0], 0, &x[0], 0, 1, rows*cols)
	default:
		addAVX2(&dst[0], ldd, &x[0], ldx, rows, cols)
	}
}

// addNeighborsVector is addNeighborsGo in vector code. It stops before a row with a fault and returns how many it did.
func addNeighborsVector(dst []float32, ldd int, h []float32, ldh int, offsets, neighbors []int32, rows, cols int) (done int) {
	return addNeighborsAVX2(&dst[0], ldd, &h[0], ldh, &offsets[0], unsafe.SliceData(neighbors), len(neighbors), rows, cols)
}

// reluGradientVector is reluGradientGo in vector code. It takes rows without gaps as one long row.
func reluGradientVector(d []float32, ldd int, y []float32, ldy, rows, cols int) {
	if ldd == cols && ldy == cols {
		ldd, ldy, rows, cols = 0, 0, 1, rows*cols
	}
	reluGradientAVX2(&d[0], ldd, &y[0], ldy, rows, cols)
}

func expVector(x []float32, scale float32) { expAVX2(&x[0], len(x), scale) }

// sumsVector is sumsGo in vector code.
func sumsVector(rows, cols []float64, x []float32) {
	sumsAVX2(&rows[0], &cols[0], &x[0], len(rows), len(cols))
}

func weightVector(x, r, c []float32) { weightGo(x, r, c) }

// normalizeVector is normalizeGo in vector code.
func normalizeVector(dst, norms, z []float32) {
	normalizeAVX2(&dst[0], &norms[0], &z[0], len(norms), len(z)/len(norms))
}

// normalizeGradientVector is normalizeGradientGo in vector code.
func normalizeGradientVector(dst, g, u, norms []float32) {
	normalizeGradientAVX2(&dst[0], &g[0], &u[0], &norms[0], len(norms), len(u)/len(norms))
}

func dotVector(a, b []float32) float32 { return dotGo(a, b) }

func productsVector(_, _, _ []float64) bool    { return false }
func addProductsVector(_, _, _ []float64) bool { return false }

// adamVector is adamGo in vector code.
func adamVector(params, grads, m, v []float32, s AdamStep) {
	adamAVX2(&params[0], &grads[0], &m[0], &v[0], len(params), s.Keep1, s.Take1, s.Keep2, s.Take2, s.Root, s.Eps, s.Rate)
}

// HasMasks reports whether AddWhere is vector code.
func HasMasks() bool { return vector }

// addWhereVector is addWhereGo in vector code of the level.
func addWhereVector(sums, tops []uint32, bits []uint64, rows, gains []uint32, both int) {
	words, starts, by := unsafe.SliceData(bits), unsafe.SliceData(rows), unsafe.SliceData(gains)
	if level == avx512 {
		addWhereAVX512(&sums[0], &tops[0], words, starts, by, len(sums)/Strip, len(rows))
	} else {
		addWhereAVX2(&sums[0], &tops[0], words, starts, by, len(sums)/Strip, both, len(rows)-both)
	}
}

// walkVector is walkGo in vector code, for at least one node. It stops at a node with a fault and returns how many it did. It
// returns −1 if there is no vector code.
func walkVector(next, part []Lane, inverse []float64, offsets, neighbors, reach []int32, odd, even *Lane) (done int) {
	if !vector {
		return -1
	}
	return walkAVX2(&next[0][0], &part[0][0], &inverse[0], &offsets[0], unsafe.SliceData(neighbors), &reach[0], len(neighbors), len(next),
		len(reach), &odd[0], &even[0])
}
