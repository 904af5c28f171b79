// Package product has the encoder's float32 matrix products for networks trained outside of algo,
// with the same bits on every machine. Matrices are dense, row-major; wrong shapes panic.
package product

import "baca/algo/internal/kernel"

// NN computes dst = a·b for a of m×k and b of k×n.
func NN(dst, a, b []float32, m, k, n int) {
	kernel.MulNN(kernel.Dense(dst, m, n), kernel.Dense(a, m, k), kernel.Dense(b, k, n))
}

// NT computes dst = a·bᵀ for a of m×k and b of n×k.
func NT(dst, a, b []float32, m, k, n int) {
	kernel.MulNT(kernel.Dense(dst, m, n), kernel.Dense(a, m, k), kernel.Dense(b, n, k))
}

// AddTN computes dst += aᵀ·b for a of k×m and b of k×n.
func AddTN(dst, a, b []float32, m, k, n int) {
	kernel.AddTN(kernel.Dense(dst, m, n), kernel.Dense(a, k, m), kernel.Dense(b, k, n))
}

// Axpy computes dst += x·b.
func Axpy(dst []float32, x float32, b []float32) { kernel.Axpy(dst, x, b) }
