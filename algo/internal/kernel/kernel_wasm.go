//go:build js && wasm && !noasm

package kernel

import "unsafe"

// The loops of simd128/kernel.c, a WebAssembly module that works on this program's memory.
// web/kernel.js imports it, and answers if it is missing; then the portable code runs.
//
// The functions keep no pointer, so their arguments may be on the stack.

//go:wasmimport kern available
func wasmAvailable() int32

//go:wasmimport kern gemm
//go:noescape
func wasmGemm(dst unsafe.Pointer, ldd int32, a unsafe.Pointer, as, at int32, b unsafe.Pointer, ldb, m, n, k int32,
	bias unsafe.Pointer, flags int32)

//go:wasmimport kern list
//go:noescape
func wasmList(lists, a unsafe.Pointer, as, m, k int32)

//go:wasmimport kern gemmListed
//go:noescape
func wasmGEMMListed(dst unsafe.Pointer, ldd int32, a unsafe.Pointer, as int32, b unsafe.Pointer, ldb, m, n, k int32,
	bias unsafe.Pointer, flags int32, lists unsafe.Pointer)

//go:wasmimport kern transpose
//go:noescape
func wasmTranspose(dst, src unsafe.Pointer, lds, rows, cols int32)

//go:wasmimport kern add
//go:noescape
func wasmAdd(dst unsafe.Pointer, ldd int32, x unsafe.Pointer, ldx, rows, cols int32)

//go:wasmimport kern addNeighbors
//go:noescape
func wasmAddNeighbors(dst unsafe.Pointer, ldd int32, h unsafe.Pointer, ldh int32, offsets, neighbors unsafe.Pointer,
	count, rows, cols int32) int32

//go:wasmimport kern reluGradient
//go:noescape
func wasmReLUGradient(d unsafe.Pointer, ldd int32, y unsafe.Pointer, ldy, rows, cols int32)

//go:wasmimport kern exp
//go:noescape
func wasmExp(x unsafe.Pointer, n int32, scale float32)

//go:wasmimport kern sums
//go:noescape
func wasmSums(rows, cols, x unsafe.Pointer, m, n int32)

//go:wasmimport kern weight
//go:noescape
func wasmWeight(x, r, c unsafe.Pointer, m, n int32)

//go:wasmimport kern normalize
//go:noescape
func wasmNormalize(dst, norms, z unsafe.Pointer, rows, width int32)

//go:wasmimport kern normalizeGradient
//go:noescape
func wasmNormalizeGradient(dst, g, u, norms unsafe.Pointer, rows, width int32)

//go:wasmimport kern dot
//go:noescape
func wasmDot(a, b unsafe.Pointer, n int32) float32

//go:wasmimport kern adam
//go:noescape
func wasmAdam(params, grads, m, v unsafe.Pointer, n int32, keep1, take1, keep2, take2, root, eps, rate float32)

//go:wasmimport kern products
//go:noescape
func wasmProducts(dst, x, v unsafe.Pointer, rows, n int32)

//go:wasmimport kern addProducts
//go:noescape
func wasmAddProducts(dst, v, x unsafe.Pointer, rows, n int32)

//go:wasmimport kern addWhere
//go:noescape
func wasmAddWhere(sums, tops, bits, rows, gains unsafe.Pointer, parts, both, more int32)

// vector reports whether the module is there.
var vector = wasmAvailable() != 0

func pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// The vector code of each loop, for operands that hold values; gemmGo says what as, at and ldd are.

func gemmVector(dst []float32, ldd int, a []float32, as, at int, b []float32, ldb, m, n, k int, bias []float32, flags int) {
	wasmGemm(pointer(dst), int32(ldd), pointer(a), int32(as), int32(at), pointer(b), int32(ldb), int32(m), int32(n),
		int32(k), pointer(bias), int32(flags))
}

// listed is the number of tiles that m rows make, of four rows and of one.
func listed(m int) int {
	if !vector {
		return 0
	}
	return m/4 + m%4
}

// list writes to lists, for each tile of rows of a (m×k, a row every as values), the terms that gemmListed must add.
func list(lists []int32, a []float32, as, m, k int) {
	wasmList(pointer(lists), pointer(a), int32(as), int32(m), int32(k))
}

func gemmListed(dst []float32, ldd int, a []float32, as int, b []float32, ldb, m, n, k int, bias []float32, flags int, lists []int32) {
	wasmGEMMListed(pointer(dst), int32(ldd), pointer(a), int32(as), pointer(b), int32(ldb), int32(m), int32(n),
		int32(k), pointer(bias), int32(flags), pointer(lists))
}

func transposeVector(dst, src []float32, lds, rows, cols int) {
	wasmTranspose(pointer(dst), pointer(src), int32(lds), int32(rows), int32(cols))
}

func addVector(dst []float32, ldd int, x []float32, ldx, rows, cols int) {
	wasmAdd(pointer(dst), int32(ldd), pointer(x), int32(ldx), int32(rows), int32(cols))
}

// addNeighborsVector stops before a row with a fault and returns how many it did.
func addNeighborsVector(dst []float32, ldd int, h []float32, ldh int, offsets, neighbors []int32, rows, cols int) (done int) {
	return int(wasmAddNeighbors(pointer(dst), int32(ldd), pointer(h), int32(ldh), pointer(offsets),
		pointer(neighbors), int32(len(neighbors)), int32(rows), int32(cols)))
}

func reluGradientVector(d []float32, ldd int, y []float32, ldy, rows, cols int) {
	wasmReLUGradient(pointer(d), int32(ldd), pointer(y), int32(ldy), int32(rows), int32(cols))
}

func expVector(x []float32, scale float32) { wasmExp(pointer(x), int32(len(x)), scale) }

func sumsVector(rows, cols []float64, x []float32) {
	wasmSums(pointer(rows), pointer(cols), pointer(x), int32(len(rows)), int32(len(cols)))
}

func weightVector(x, r, c []float32) {
	wasmWeight(pointer(x), pointer(r), pointer(c), int32(len(r)), int32(len(c)))
}

func normalizeVector(dst, norms, z []float32) {
	wasmNormalize(pointer(dst), pointer(norms), pointer(z), int32(len(norms)), int32(len(z)/len(norms)))
}

func normalizeGradientVector(dst, g, u, norms []float32) {
	wasmNormalizeGradient(pointer(dst), pointer(g), pointer(u), pointer(norms), int32(len(norms)), int32(len(u)/len(norms)))
}

func dotVector(a, b []float32) float32 { return wasmDot(pointer(a), pointer(b), int32(len(a))) }

// productsVector returns false, and does nothing, without the module. So does addProductsVector.
func productsVector(dst, x, v []float64) bool {
	if vector {
		wasmProducts(pointer(dst), pointer(x), pointer(v), int32(len(dst)), int32(len(v)))
	}
	return vector
}

func addProductsVector(dst, v, x []float64) bool {
	if vector {
		wasmAddProducts(pointer(dst), pointer(v), pointer(x), int32(len(v)), int32(len(dst)))
	}
	return vector
}

func adamVector(params, grads, m, v []float32, s AdamStep) {
	wasmAdam(pointer(params), pointer(grads), pointer(m), pointer(v), int32(len(params)), s.Keep1, s.Take1, s.Keep2,
		s.Take2, s.Root, s.Eps, s.Rate)
}

func addWhereVector(sums, tops []uint32, bits []uint64, rows, gains []uint32, both int) {
	wasmAddWhere(pointer(sums), pointer(tops), pointer(bits), pointer(rows), pointer(gains), int32(len(sums)/64), int32(both),
		int32(len(rows)-both))
}

// HasMasks reports whether AddWhere is vector code.
func HasMasks() bool { return vector }

// walkVector says that Walk is no vector code.
func walkVector(_, _ []Lane, _ []float64, _, _, _ []int32, _, _ *Lane) int { return -1 }
