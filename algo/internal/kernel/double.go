package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Products sets dst to x·v, where x has a row for each value of dst. It panics if the sizes do not match or are 0. The
// SIMD128 code of WebAssembly may round differently from gonum.
func Products(dst, x, v []float64) {
	if !productsVector(dst, checked(x, dst, v), v) {
		blas64.Gemv(blas.NoTrans, 1, rowsOf(x, len(v)), vectorOf(v), 0, vectorOf(dst))
	}
}

// AddProducts adds xᵀ·v to dst, where x has a row for each value of v. It panics if the sizes do not match or are 0.
// The SIMD128 code of WebAssembly may round differently from gonum.
func AddProducts(dst, v, x []float64) {
	if !addProductsVector(dst, v, checked(x, v, dst)) {
		blas64.Gemv(blas.Trans, 1, rowsOf(x, len(dst)), vectorOf(v), 1, vectorOf(dst))
	}
}

// checked returns x. It panics unless x is a matrix with a row for each of rows and a column for each of cols, at least
// one of both.
func checked(x, rows, cols []float64) []float64 {
	if len(x) != len(rows)*len(cols) || len(x) == 0 {
		panic(fmt.Sprintf("kernel: a matrix of %d values has not %d rows of %d", len(x), len(rows), len(cols)))
	}
	return x
}

// rowsOf returns x as a matrix with that many columns.
func rowsOf(x []float64, cols int) blas64.General {
	return blas64.General{Rows: len(x) / cols, Cols: cols, Stride: cols, Data: x}
}

// vectorOf returns v as a vector of gonum.
func vectorOf(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }
