// Package kernel holds the float32 loops that the encoder spends its time in.
// Matrices are dense, row-major, without padding between rows. Every loop adds
// in a fixed order, so a result does not depend on how work is divided.
package kernel

import "fmt"

func check(name string, dst, a, b []float32, m, n, k int) {
	if len(dst) != m*n || len(a) != m*k || len(b) != n*k {
		panic(fmt.Sprintf("kernel: %s of m=%d n=%d k=%d with lengths dst %d, a %d, b %d", name, m, n, k, len(dst), len(a), len(b)))
	}
}

// MulNT computes dst = a·bᵀ for a of m×k and b of n×k. It is the forward
// product of a linear layer whose weights are stored out×in.
//
// Blocks of b are transposed first: in the loop that adds four scaled rows each
// sum is independent of its neighbour, where a dot product waits for itself.
func MulNT(dst, a, b []float32, m, n, k int) {
	check("MulNT", dst, a, b, m, n, k)
	clear(dst)
	const width, depth = 80, 64
	var block [width * depth]float32
	for j := 0; j < n; j += width {
		w := min(width, n-j)
		for t := 0; t < k; t += depth {
			h := min(depth, k-t)
			for c := range w {
				for r, v := range b[(j+c)*k+t:][:h] {
					block[r*w+c] = v
				}
			}
			for i := range m {
				addRows(dst[i*n+j:][:w], a[i*k+t:][:h], block[:h*w])
			}
		}
	}
}

// MulNN computes dst = a·b for a of m×k and b of k×n. It carries a gradient
// back through a linear layer whose weights are stored out×in.
func MulNN(dst, a, b []float32, m, n, k int) {
	check("MulNN", dst, a, b, m, n, k)
	clear(dst)
	for i := range m {
		addRows(dst[i*n:(i+1)*n], a[i*k:(i+1)*k], b)
	}
}

// addRows computes d += x·b for b of len(x)×len(d).
func addRows(d, x, b []float32) {
	n, t := len(d), 0
	for ; t+4 <= len(x); t += 4 {
		axpy4(d, x[t], x[t+1], x[t+2], x[t+3], b[t*n:(t+4)*n])
	}
	for ; t < len(x); t++ {
		Axpy(d, x[t], b[t*n:(t+1)*n])
	}
}

// AddTN computes dst += aᵀ·b for a of k×m and b of k×n: the gradient of a
// linear layer's weights from k rows of output gradients and inputs.
func AddTN(dst, a, b []float32, m, n, k int) {
	check("AddTN", dst, a, b, m, n, k)
	t := 0
	for ; t+4 <= k; t += 4 {
		a0, a1, a2, a3 := a[t*m:][:m], a[(t+1)*m:][:m], a[(t+2)*m:][:m], a[(t+3)*m:][:m]
		bt := b[t*n : (t+4)*n]
		for i, x := range a0 {
			axpy4(dst[i*n:(i+1)*n], x, a1[i], a2[i], a3[i], bt)
		}
	}
	for ; t < k; t++ {
		bt := b[t*n : (t+1)*n]
		for i, x := range a[t*m : (t+1)*m] {
			Axpy(dst[i*n:(i+1)*n], x, bt)
		}
	}
}

// axpy4 adds four multiples of consecutive rows of b to d, so that each value
// of d is loaded and stored once for four products.
func axpy4(d []float32, x0, x1, x2, x3 float32, b []float32) {
	n := len(d)
	b0, b1, b2, b3 := b[:n], b[n:][:n], b[2*n:][:n], b[3*n:][:n]
	for i, s := range d {
		s += x0 * b0[i]
		s += x1 * b1[i]
		s += x2 * b2[i]
		s += x3 * b3[i]
		d[i] = s
	}
}

// Dot returns Σ a_i·b_i, added in order.
func Dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s float32
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// Axpy computes d += x·b.
func Axpy(d []float32, x float32, b []float32) {
	b = b[:len(d)]
	for i := range d {
		d[i] += x * b[i]
	}
}

// Add computes d += b.
func Add(d, b []float32) {
	b = b[:len(d)]
	for i := range d {
		d[i] += b[i]
	}
}
