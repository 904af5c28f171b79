//go:build openblas && cgo

// Package openblas calls OpenBLAS, on one thread, for the benchmarks of package kernel to compare with. It is there
// only with the build tag openblas, and needs the library and its headers (Debian's libopenblas-dev).
package openblas

// #cgo pkg-config: openblas
// #include <cblas.h>
import "C"

func init() { C.openblas_set_num_threads(1) }

// MulNN computes dst = a·b for a dense m×k and b k×n.
func MulNN(dst, a, b []float32, m, n, k int) { gemm(dst, a, b, m, n, k, C.CblasNoTrans, n) }

// MulNT computes dst = a·bᵀ for a dense m×k and b n×k.
func MulNT(dst, a, b []float32, m, n, k int) { gemm(dst, a, b, m, n, k, C.CblasTrans, k) }

func gemm(dst, a, b []float32, m, n, k int, turn C.enum_CBLAS_TRANSPOSE, ldb int) {
	C.cblas_sgemm(C.CblasRowMajor, C.CblasNoTrans, turn, C.blasint(m), C.blasint(n), C.blasint(k),
		1, (*C.float)(&a[0]), C.blasint(k), (*C.float)(&b[0]), C.blasint(ldb), 0, (*C.float)(&dst[0]), C.blasint(n))
}
