package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Products sets dst to x·v, with a row of x for each value of dst. SIMD128 rounds otherwise than gonum.
func Products(dst, x, v []float64) {
	if !productsVector(dst, checked(x, dst, v), v) {
		blas64.Gemv(blas.NoTrans, 1, rowsOf(x, len(v)), vectorOf(v), 0, vectorOf(dst))
	}
}

// AddProducts adds xᵀ·v to dst, with a row of x for each value of v. SIMD128 rounds otherwise than gonum.
func AddProducts(dst, v, x []float64) {
	if !addProductsVector(dst, v, checked(x, v, dst)) {
		blas64.Gemv(blas.Trans, 1, rowsOf(x, len(dst)), vectorOf(v), 1, vectorOf(dst))
	}
}

func checked(x, rows, cols []float64) []float64 {
	if len(x) != len(rows)*len(cols) || len(x) == 0 {
		panic(fmt.Sprintf("kernel: a matrix of %d values has not %d rows of %d", len(x), len(rows), len(cols)))
	}
	return x
}

func rowsOf(x []float64, cols int) blas64.General {
	return blas64.General{Rows: len(x) / cols, Cols: cols, Stride: cols, Data: x}
}

func vectorOf(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }
