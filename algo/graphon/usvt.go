package graphon

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"baca/algo/internal/parallel"
)

// DefaultTheta is the threshold of the G-Mixup papers' code. It keeps rank 7 to 19 of the molecules
// of AIDS, DHFR, BZR and COX2. At 0.01 a graphon is nearly its adjacency matrix; 2.02, meant for
// averaged dense graphs, erases all of them.
const DefaultTheta = 0.2

// cutSlack keeps eigenvalues that equal the threshold up to rounding, such as integer eigenvalues at 0.2·√25.
const cutSlack = 1e-9

// USVT is the workspace of universal singular value thresholding, not for concurrent use.
type USVT struct {
	vectors, values, work, row []float64
}

// Threshold reduces w to its eigenvalues of magnitude at least θ·√N, clipped to [0, 1], and returns
// their number. Rank 0 means that w is zero and nothing can be drawn, as for θ NaN.
//
// A symmetric matrix has its eigenvalues' magnitudes as singular values, so this is the SVD at half
// the price. Trailing zero padding is not decomposed.
func (u *USVT) Threshold(w *Graphon, theta float64) (rank int) {
	m := w.support()
	cut := theta * math.Sqrt(float64(w.N)) * (1 - cutSlack)
	if !u.decompose(w, m) {
		m = 0 // LAPACK needs finite values
	}
	clear(w.W)
	u.row = parallel.Grow(u.row, m)
	for k, value := range u.values[:m] { // add value·v·vᵀ to the upper triangle
		if !(math.Abs(value) >= cut) {
			continue
		}
		rank++
		for i := range m {
			u.row[i] = u.vectors[i*m+k]
		}
		for i, vi := range u.row {
			dst := w.W[i*w.N+i : i*w.N+m]
			scale := value * vi
			for j, vj := range u.row[i:] {
				dst[j] += float64(scale * vj)
			}
		}
	}
	for i := range m { // clip, and mirror the upper triangle
		for j := i; j < m; j++ {
			p := min(max(w.W[i*w.N+j], 0), 1)
			w.W[i*w.N+j], w.W[j*w.N+i] = p, p
		}
	}
	return rank
}

// support returns the size of the leading block outside which w is zero.
func (w *Graphon) support() int {
	for m := w.N; m > 0; m-- {
		for _, p := range w.W[(m-1)*w.N : m*w.N] {
			if p != 0 {
				return m
			}
		}
	}
	return 0
}

// decompose sets u.values, ascending, and the columns of the m×m u.vectors to the eigenvalues and eigenvectors of the leading
// m×m block of w. It returns false if a value is not finite or LAPACK does not converge.
func (u *USVT) decompose(w *Graphon, m int) bool {
	u.values = parallel.Grow(u.values, m)
	u.vectors = parallel.Grow(u.vectors, m*m)
	if m == 0 {
		return true
	}
	for i := range m {
		for j, p := range w.W[i*w.N : i*w.N+m] {
			if math.IsNaN(p) || math.IsInf(p, 0) {
				return false
			}
			u.vectors[i*m+j] = p
		}
	}
	a := blas64.Symmetric{N: m, Stride: m, Data: u.vectors, Uplo: blas.Upper}
	u.work = parallel.Grow(u.work, 1)
	lapack64.Syev(lapack.EVCompute, a, u.values, u.work, -1) // asks how long work must be
	u.work = parallel.Grow(u.work, int(u.work[0]))
	return lapack64.Syev(lapack.EVCompute, a, u.values, u.work, len(u.work))
}
