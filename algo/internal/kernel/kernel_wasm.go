//go:build js && wasm && !noasm

package kernel

import (
	"fmt"
	"unsafe"
)

// The loops of simd128/kernel.c, a WebAssembly module that works on this program's memory.
// web/kernel.js imports it, and answers if it is missing; then the portable code runs.
//
// The functions keep no pointer, so their arguments may be on the stack.

//go:wasmimport kern available
func wasmAvailable() int32

//go:wasmimport kern gemm
//go:noescape
func wasmGemm(dst unsafe.Pointer, ldd int32, a unsafe.Pointer, as, at int32, b unsafe.Pointer, ldb, m, n, k int32, bias unsafe.Pointer, flags int32)

//go:wasmimport kern list
//go:noescape
func wasmList(lists, a unsafe.Pointer, as, m, k int32)

//go:wasmimport kern gemmListed
//go:noescape
func wasmGEMMListed(dst unsafe.Pointer, ldd int32, a unsafe.Pointer, as int32, b unsafe.Pointer, ldb, m, n, k int32, bias unsafe.Pointer, flags int32, lists unsafe.Pointer)

//go:wasmimport kern transpose
//go:noescape
func wasmTranspose(dst, src unsafe.Pointer, lds, rows, cols int32)

//go:wasmimport kern add
//go:noescape
func wasmAdd(dst unsafe.Pointer, ldd int32, x unsafe.Pointer, ldx, rows, cols int32)

//go:wasmimport kern addNeighbors
//go:noescape
func wasmAddNeighbors(dst unsafe.Pointer, ldd int32, h unsafe.Pointer, ldh int32, offsets, neighbors unsafe.Pointer, count, rows, cols int32) int32

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

// vector reports whether the module is there.
var vector = wasmAvailable() != 0

func pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

func gemm(dst []float32, ldd int, a []float32, as, at int, b []float32, ldb, m, n, k int, bias []float32, flags int) {
	if !vector {
		gemmGo(dst, ldd, a, as, at, b, ldb, m, n, k, bias, flags)
		return
	}
	wasmGemm(pointer(dst), int32(ldd), pointer(a), int32(as), int32(at), pointer(b), int32(ldb), int32(m), int32(n), int32(k), pointer(bias), int32(flags))
}

// listed is the number of tiles that m rows make, of four rows and of one.
func listed(m int) int {
	if !vector {
		return 0
	}
	return m/4 + m%4
}

func list(lists []int32, a []float32, as, m, k int) {
	wasmList(pointer(lists), pointer(a), int32(as), int32(m), int32(k))
}

func gemmListed(dst []float32, ldd int, a []float32, as int, b []float32, ldb, m, n, k int, bias []float32, flags int, lists []int32) {
	wasmGEMMListed(pointer(dst), int32(ldd), pointer(a), int32(as), pointer(b), int32(ldb), int32(m), int32(n), int32(k), pointer(bias), int32(flags), pointer(lists))
}

func transpose(dst, src []float32, lds, rows, cols int) {
	if !vector {
		transposeGo(dst, src, lds, rows, cols)
		return
	}
	wasmTranspose(pointer(dst), pointer(src), int32(lds), int32(rows), int32(cols))
}

func add(dst []float32, ldd int, x []float32, ldx, rows, cols int) {
	if !vector {
		addGo(dst, ldd, x, ldx, rows, cols)
		return
	}
	wasmAdd(pointer(dst), int32(ldd), pointer(x), int32(ldx), int32(rows), int32(cols))
}

func addNeighbors(dst []float32, ldd int, h []float32, ldh int, offsets, neighbors []int32, rows, cols int) {
	if !vector {
		addNeighborsGo(dst, ldd, h, ldh, offsets, neighbors, rows, cols)
		return
	}
	done := int(wasmAddNeighbors(pointer(dst), int32(ldd), pointer(h), int32(ldh), pointer(offsets), pointer(neighbors), int32(len(neighbors)), int32(rows), int32(cols)))
	if done < rows {
		panic(fmt.Sprintf("kernel: AddNeighbors: row %d of %d has offsets %d to %d of %d, or a neighbour that is no row",
			done, rows, offsets[done], offsets[done+1], len(neighbors)))
	}
}

func reluGradient(d []float32, ldd int, y []float32, ldy, rows, cols int) {
	if !vector {
		reluGradientGo(d, ldd, y, ldy, rows, cols)
		return
	}
	wasmReLUGradient(pointer(d), int32(ldd), pointer(y), int32(ldy), int32(rows), int32(cols))
}

func exp(x []float32, scale float32) {
	if !vector {
		expGo(x, scale)
		return
	}
	wasmExp(pointer(x), int32(len(x)), scale)
}

func sums(rows, cols []float64, x []float32) {
	if !vector {
		sumsGo(rows, cols, x)
		return
	}
	wasmSums(pointer(rows), pointer(cols), pointer(x), int32(len(rows)), int32(len(cols)))
}

func weight(x, r, c []float32) {
	if !vector {
		weightGo(x, r, c)
		return
	}
	wasmWeight(pointer(x), pointer(r), pointer(c), int32(len(r)), int32(len(c)))
}

func normalize(dst, norms, z []float32) {
	if !vector {
		normalizeGo(dst, norms, z)
		return
	}
	wasmNormalize(pointer(dst), pointer(norms), pointer(z), int32(len(norms)), int32(len(z)/len(norms)))
}

func normalizeGradient(dst, g, u, norms []float32) {
	if !vector {
		normalizeGradientGo(dst, g, u, norms)
		return
	}
	wasmNormalizeGradient(pointer(dst), pointer(g), pointer(u), pointer(norms), int32(len(norms)), int32(len(u)/len(norms)))
}

func dot(a, b []float32) float32 {
	if !vector {
		return dotGo(a, b)
	}
	return wasmDot(pointer(a), pointer(b), int32(len(a)))
}

func adam(params, grads, m, v []float32, s AdamStep) { adamGo(params, grads, m, v, s) }

func addWhere(sums, tops []uint32, bits []uint64, rows, gains []uint32) {
	addWhereGo(sums, tops, bits, rows, gains)
}

func HasMasks() bool { return false }
