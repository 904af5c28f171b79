// Package contrast computes the InfoNCE losses between the two views of a graph. Training minimises them; at test time
// BatchScores makes them the base score S_Pre: an encoder fails to match the views of a graph unlike its training set.
//
// With s_ij the cosine between row i of the feature view and row j of the structure view and τ the
// temperature, the loss of row i is
//
//	ℓ(i) = −½ [log(e^{s_ii/τ} / Σ_{j≠i} e^{s_ij/τ}) + log(e^{s_ii/τ} / Σ_{j≠i} e^{s_ji/τ})].
//
// Rows are graphs for ℓ_g, and the nodes of one graph for ℓ_n.
package contrast

import (
	"context"
	"fmt"
	"math"

	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// Temperature is τ. A cosine divided by it lies in [−5, 5], so its exponential needs no shift.
const Temperature = 0.2

// maxSimilarities bounds the block of the similarity matrix in memory; graphs of up to 512 nodes need one block.
const maxSimilarities = 1 << 18

// A Workspace holds the scratch of InfoNCE. The zero value is ready for use.
type Workspace struct {
	f, s         []float32 // unit rows
	normF, normS []float32
	sim          []float32 // n×n: e^{s_ij/τ}, then its gradient
	rows, cols   []float64
	perRow       []float32 // of the gradient
	perCol       []float32
	dF, dS, loss []float32
}

// InfoNCE writes ℓ(i) for the n rows of zf and zs, each of the given width, to loss and, unless dzf is nil, the
// gradient of scale·Σℓ(i) to dzf and dzs. With fewer than two rows there is no negative: the loss is NaN, not defined,
// and the gradient zero.
func (w *Workspace) InfoNCE(loss, zf, zs []float32, width int, scale float32, dzf, dzs []float32) {
	n := len(loss)
	if len(zf) != n*width || len(zs) != n*width {
		panic(fmt.Sprintf("contrast: %d losses of width %d with %d and %d values", n, width, len(zf), len(zs)))
	}
	if n < 2 {
		for i := range loss {
			loss[i] = float32(math.NaN())
		}
		clear(dzf)
		clear(dzs)
		return
	}
	w.f, w.s = parallel.Grow(w.f, n*width), parallel.Grow(w.s, n*width)
	w.normF, w.normS = parallel.Grow(w.normF, n), parallel.Grow(w.normS, n)
	kernel.Normalize(w.f, w.normF, zf)
	kernel.Normalize(w.s, w.normS, zs)
	f, s := kernel.Dense(w.f, n, width), kernel.Dense(w.s, n, width)
	// Blocks bound the memory for large graphs, at the price of computing similarities again for the gradient.
	block := min(n, max(1, maxSimilarities/n))
	w.sim = parallel.Grow(w.sim, block*n)
	w.rows, w.cols = parallel.Grow(w.rows, n), parallel.Grow(w.cols, n)
	clear(w.cols)
	for lo := 0; lo < n; lo += block {
		hi := min(n, lo+block)
		sim := w.exponentials(lo, hi, f, s, loss) // loss holds s_ii/τ until all sums are known
		kernel.Sums(w.rows[lo:hi], w.cols, sim)
	}
	for i := range n {
		loss[i] = float32(0.5*math.Log(w.rows[i]*w.cols[i]) - float64(loss[i]))
	}
	if dzf != nil {
		w.gradient(f, s, block, scale, dzf, dzs)
	}
}

// gradient writes the gradient of scale·Σℓ(i), given the sums over rows and columns. It takes block rows at a time. If
// one block has all rows, w.sim still holds their exponentials.
func (w *Workspace) gradient(f, s kernel.Matrix, block int, scale float32, dzf, dzs []float32) {
	n, width := f.Rows, f.Cols
	// ∂ℓ/∂s: −1/τ on the diagonal, and from the two log-sums of row i and
	// column j, ½/τ·(e_ij/R_i + e_ij/C_j) elsewhere.
	half := 0.5 * scale / Temperature
	w.perRow, w.perCol = parallel.Grow(w.perRow, n), parallel.Grow(w.perCol, n)
	for i := range n {
		w.perRow[i] = half / float32(w.rows[i])
		w.perCol[i] = float32(float64(half) / w.cols[i])
	}
	w.dF, w.dS = parallel.Grow(w.dF, n*width), parallel.Grow(w.dS, n*width)
	clear(w.dS)
	for lo := 0; lo < n; lo += block {
		hi := min(n, lo+block)
		sim := w.sim[:(hi-lo)*n]
		if block < n {
			sim = w.exponentials(lo, hi, f, s, nil)
		}
		kernel.Weight(sim, w.perRow[lo:hi], w.perCol)
		for i := lo; i < hi; i++ {
			sim[(i-lo)*n+i] = -scale / Temperature
		}
		d := kernel.Dense(sim, hi-lo, n)
		kernel.MulNN(kernel.Dense(w.dF[lo*width:hi*width], hi-lo, width), d, s)
		kernel.AddTN(kernel.Dense(w.dS, n, width), d, f.RowRange(lo, hi))
	}
	kernel.NormalizeGradient(dzf, w.dF, w.f, w.normF)
	kernel.NormalizeGradient(dzs, w.dS, w.s, w.normS)
}

// exponentials returns e^{s_ij/τ} for rows lo to hi, with 0 on the diagonal, and
// writes s_ii/τ to diagonal unless that is nil.
func (w *Workspace) exponentials(lo, hi int, f, s kernel.Matrix, diagonal []float32) []float32 {
	n := s.Rows
	sim := w.sim[:(hi-lo)*n]
	kernel.MulNT(kernel.Dense(sim, hi-lo, n), f.RowRange(lo, hi), s)
	if diagonal != nil {
		for i := lo; i < hi; i++ {
			diagonal[i] = sim[(i-lo)*n+i] / Temperature
		}
	}
	kernel.Exp(sim, 1/Temperature)
	for i := lo; i < hi; i++ {
		sim[(i-lo)*n+i] = 0
	}
	return sim
}

// Negatives are graphs that ℓ_g compares with: their normalised projections. Goroutines may share them.
type Negatives struct {
	width            int
	f, s             []float32
	packedF, packedS *kernel.Packed
}

// NewNegatives returns the graphs with projections zf and zs, each of the given width.
func NewNegatives(zf, zs []float32, width int) *Negatives {
	if len(zf) != len(zs) || len(zf)%width != 0 {
		panic(fmt.Sprintf("contrast: %d and %d values of width %d", len(zf), len(zs), width))
	}
	f, s := unit(zf, width), unit(zs, width)
	n := len(f) / width
	return &Negatives{width, f, s, kernel.Pack(kernel.Dense(f, n, width)), kernel.Pack(kernel.Dense(s, n, width))}
}

// Len returns the number of graphs.
func (g *Negatives) Len() int { return len(g.f) / g.width }

// unit returns the rows of z, which have that width, brought to length 1.
func unit(z []float32, width int) []float32 {
	u := make([]float32, len(z))
	kernel.Normalize(u, make([]float32, len(z)/width), z)
	return u
}

// Scores returns ℓ_g of n graphs with projections zf and zs. With self set they are the negatives themselves, in the
// same order, and a graph is not its own negative. Without negatives it is NaN. The cost is 2·n·Len() products of the
// given width in constant memory. Results do not depend on workers or on other graphs.
func (g *Negatives) Scores(ctx context.Context, workers int, zf, zs []float32, self bool) ([]float64, error) {
	width := g.width
	n, m := len(zf)/width, g.Len()
	if len(zf) != n*width || len(zs) != len(zf) || self && n != m {
		panic(fmt.Sprintf("contrast: %d and %d values against %d negatives of width %d", len(zf), len(zs), m, width))
	}
	if self {
		zf, zs = g.f, g.s
	} else {
		zf, zs = unit(zf, width), unit(zs, width)
	}
	scores := make([]float64, n)
	const rows, cols = 32, 256
	sims := make([][]float32, parallel.Workers(workers))
	err := parallel.For(ctx, workers, (n+rows-1)/rows, func(worker, piece int) {
		if sims[worker] == nil {
			sims[worker] = make([]float32, rows*cols)
		}
		first := piece * rows
		count := min(rows, n-first)
		// logSums adds to the scores of the piece ½·log Σ e^{s/τ} over the negatives, cols of them at a time.
		logSums := func(z []float32, negatives *kernel.Packed) {
			var sums, part [rows]float64
			var unused [cols]float64
			mine := kernel.Dense(z[first*width:(first+count)*width], count, width)
			for j := 0; j < m; j += cols {
				c := min(cols, m-j)
				sim := sims[worker][:count*c]
				kernel.MulPacked(kernel.Dense(sim, count, c), mine, negatives, j, j+c)
				kernel.Exp(sim, 1/Temperature)
				if self { // a graph is not its own negative
					for i := range count {
						if k := first + i - j; k >= 0 && k < c {
							sim[i*c+k] = 0
						}
					}
				}
				kernel.Sums(part[:count], unused[:c], sim)
				for i := range count {
					sums[i] += part[i]
				}
			}
			for i := range count {
				scores[first+i] += 0.5 * math.Log(sums[i])
			}
		}
		logSums(zf, g.packedS)
		logSums(zs, g.packedF)
		for i := first; i < first+count; i++ {
			if m == 0 || self && n == 1 {
				scores[i] = math.NaN()
				continue
			}
			scores[i] -= float64(kernel.Dot(zf[i*width:(i+1)*width], zs[i*width:(i+1)*width]) / Temperature)
		}
	})
	return scores, err
}

// MaxNodes bounds the nodes in ℓ_n, whose cost is quadratic. Larger graphs use MaxNodes evenly spaced nodes.
const MaxNodes = 4096

// NodeScore returns ℓ_n of one graph, the mean of ℓ over its nodes, and writes the gradient of scale times that mean to
// dzf and dzs unless nil. The negatives of a node are the other nodes; ℓ_n of a single node is NaN.
func (w *Workspace) NodeScore(zf, zs []float32, width int, scale float32, dzf, dzs []float32) float64 {
	n := len(zf) / width
	if n > MaxNodes {
		return w.sampledScore(zf, zs, width, scale, dzf, dzs)
	}
	w.loss = parallel.Grow(w.loss, n)
	w.InfoNCE(w.loss, zf, zs, width, scale/float32(max(n, 1)), dzf, dzs)
	sum := 0.0
	for _, l := range w.loss {
		sum += float64(l)
	}
	return sum / float64(n)
}

// sampledScore is NodeScore of MaxNodes evenly spaced nodes; the others get no gradient.
func (w *Workspace) sampledScore(zf, zs []float32, width int, scale float32, dzf, dzs []float32) float64 {
	n := len(zf) / width
	row := func(z []float32, k int) []float32 { return z[k*n/MaxNodes*width:][:width] }
	f, s := make([]float32, MaxNodes*width), make([]float32, MaxNodes*width)
	for k := range MaxNodes {
		copy(f[k*width:], row(zf, k))
		copy(s[k*width:], row(zs, k))
	}
	if dzf == nil {
		return w.NodeScore(f, s, width, scale, nil, nil)
	}
	df, ds := make([]float32, len(f)), make([]float32, len(s))
	score := w.NodeScore(f, s, width, scale, df, ds)
	clear(dzf)
	clear(dzs)
	for k := range MaxNodes {
		copy(row(dzf, k), df[k*width:][:width])
		copy(row(dzs, k), ds[k*width:][:width])
	}
	return score
}
