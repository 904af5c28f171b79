// Package contrast computes the InfoNCE losses between the two views of a graph.
// In training they are what the encoder minimises; at test
// time the loss of a graph is its base score S_Pre: a graph whose two views the
// encoder cannot match is unlike what it was trained on.
//
// With s_ij the cosine between row i of the feature view and row j of the
// structure view and τ the temperature, the loss of row i is
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

// Temperature is τ. A cosine divided by it lies in [−5, 5], so its exponential
// needs no shift.
const Temperature = 0.2

// smallest is the norm below which a row counts as zero and has cosine 0 with
// everything, as in PyTorch's normalize.
const smallest = 1e-12

// maxSimilarities bounds the block of the similarity matrix that is in memory
// at a time; graphs of up to 512 nodes have theirs in one block.
const maxSimilarities = 1 << 18

// A Workspace holds the scratch of InfoNCE. The zero value is ready for use.
type Workspace struct {
	f, s         []float32 // unit rows
	normF, normS []float32
	sim          []float32 // n×n: e^{s_ij/τ}, then its gradient
	rows, cols   []float64
	dF, dS, loss []float32
}

func grow[T float32 | float64](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// InfoNCE writes ℓ(i) for the n rows of zf and zs, each of the given width, to
// loss and, unless dzf is nil, the gradient of scale·Σℓ(i) to dzf and dzs. With
// fewer than two rows there is no negative: the loss is NaN, not defined, and
// the gradient zero.
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
	w.f, w.s = grow(w.f, n*width), grow(w.s, n*width)
	w.normF, w.normS = grow(w.normF, n), grow(w.normS, n)
	normalize(w.f, w.normF, zf, width)
	normalize(w.s, w.normS, zs, width)
	// Blocks of rows bound the memory for graphs of many nodes, at the price of
	// computing their similarities again for the gradient.
	block := min(n, max(1, maxSimilarities/n))
	w.sim = grow(w.sim, block*n)
	w.rows, w.cols = grow(w.rows, n), grow(w.cols, n)
	clear(w.cols)
	for lo := 0; lo < n; lo += block {
		hi := min(n, lo+block)
		w.exponentials(lo, hi, n, width, loss)
		for i := lo; i < hi; i++ {
			sum := 0.0
			for j, e := range w.sim[(i-lo)*n : (i-lo+1)*n] {
				sum += float64(e)
				w.cols[j] += float64(e)
			}
			w.rows[i] = sum
		}
	}
	for i := range n {
		loss[i] = float32(0.5*(math.Log(w.rows[i])+math.Log(w.cols[i])) - float64(loss[i]))
	}
	if dzf == nil {
		return
	}
	// ∂ℓ/∂s: −1/τ on the diagonal, and from the two log-sums of row i and
	// column j, ½/τ·(e_ij/R_i + e_ij/C_j) elsewhere.
	half := 0.5 * scale / Temperature
	for j, c := range w.cols {
		w.cols[j] = float64(half) / c
	}
	w.dF, w.dS = grow(w.dF, n*width), grow(w.dS, n*width)
	clear(w.dS)
	for lo := 0; lo < n; lo += block {
		hi := min(n, lo+block)
		if block < n {
			w.exponentials(lo, hi, n, width, nil)
		}
		sim := w.sim[:(hi-lo)*n]
		for i := lo; i < hi; i++ {
			row := sim[(i-lo)*n : (i-lo+1)*n]
			r := half / float32(w.rows[i])
			for j, e := range row {
				row[j] = e * (r + float32(w.cols[j]))
			}
			row[i] = -scale / Temperature
		}
		kernel.MulNN(w.dF[lo*width:hi*width], sim, w.s, hi-lo, width, n)
		kernel.AddTN(w.dS, sim, w.f[lo*width:hi*width], n, width, hi-lo)
	}
	normalizeBackward(dzf, w.dF, w.f, w.normF, width)
	normalizeBackward(dzs, w.dS, w.s, w.normS, width)
}

// exponentials writes e^{s_ij/τ} for rows lo to hi, with 0 on the diagonal, to
// sim, and s_ii/τ to diagonal unless that is nil.
func (w *Workspace) exponentials(lo, hi, n, width int, diagonal []float32) {
	sim := w.sim[:(hi-lo)*n]
	kernel.MulNT(sim, w.f[lo*width:hi*width], w.s, hi-lo, n, width)
	for i := lo; i < hi; i++ {
		row := sim[(i-lo)*n : (i-lo+1)*n]
		if diagonal != nil {
			diagonal[i] = row[i] / Temperature
		}
		for j, s := range row {
			row[j] = kernel.Exp(s / Temperature)
		}
		row[i] = 0
	}
}

// normalize writes the rows of z, scaled to length 1, to dst and their lengths
// to norms.
func normalize(dst, norms, z []float32, width int) {
	for i := range norms {
		row, d := z[i*width:(i+1)*width], dst[i*width:(i+1)*width]
		sum := 0.0
		for _, x := range row {
			sum += float64(x) * float64(x)
		}
		norms[i] = float32(math.Sqrt(sum))
		inverse := 1 / max(norms[i], smallest)
		for j, x := range row {
			d[j] = x * inverse
		}
	}
}

// normalizeBackward carries the gradient dUnit by the unit rows back to the
// rows: (dUnit − unit·⟨unit, dUnit⟩)/norm.
func normalizeBackward(dst, dUnit, unit, norms []float32, width int) {
	for i, norm := range norms {
		d, g, u := dst[i*width:(i+1)*width], dUnit[i*width:(i+1)*width], unit[i*width:(i+1)*width]
		if norm < smallest {
			// The unit row is constant zero there.
			clear(d)
			continue
		}
		along, inverse := kernel.Dot(u, g), 1/norm
		for j, x := range g {
			d[j] = (x - u[j]*along) * inverse
		}
	}
}

// GraphScores returns ℓ_g for n graphs with projections zf and zs (n×width)
// against the m negatives with projections nf and ns (m×width). With self set
// the negatives are the graphs themselves and a graph is not its own negative;
// one graph alone then has no negative and gets NaN, as does every graph where
// m is 0. The cost is 2·n·m products of the given width; the memory does not
// depend on m·n. The result does not depend on the number of workers.
func GraphScores(ctx context.Context, workers int, zf, zs, nf, ns []float32, width int, self bool) ([]float64, error) {
	n, m := len(zf)/width, len(nf)/width
	if len(zf) != n*width || len(zs) != len(zf) || len(nf) != m*width || len(ns) != len(nf) || self && n != m {
		panic(fmt.Sprintf("contrast: %d and %d values against %d and %d of width %d", len(zf), len(zs), len(nf), len(ns), width))
	}
	unit := func(z []float32) []float32 {
		u := make([]float32, len(z))
		normalize(u, make([]float32, len(z)/width), z, width)
		return u
	}
	zf, zs, nf, ns = unit(zf), unit(zs), unit(nf), unit(ns)
	scores := make([]float64, n)
	const rows, cols = 32, 256
	sims := make([][]float32, parallel.Workers(workers))
	err := parallel.For(ctx, workers, (n+rows-1)/rows, func(worker, piece int) {
		if sims[worker] == nil {
			sims[worker] = make([]float32, rows*cols)
		}
		first := piece * rows
		count := min(rows, n-first)
		logSums := func(z, negatives []float32) {
			var sums [rows]float64
			for j := 0; j < m; j += cols {
				c := min(cols, m-j)
				sim := sims[worker][:count*c]
				kernel.MulNT(sim, z[first*width:(first+count)*width], negatives[j*width:(j+c)*width], count, c, width)
				for i := range count {
					for k, s := range sim[i*c : (i+1)*c] {
						if !self || first+i != j+k {
							sums[i] += float64(kernel.Exp(s / Temperature))
						}
					}
				}
			}
			for i := range count {
				scores[first+i] += 0.5 * math.Log(sums[i])
			}
		}
		logSums(zf, ns)
		logSums(zs, nf)
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

// MaxNodes bounds the nodes of one graph that take part in ℓ_n, whose cost grows
// with their square. The loss of a larger graph is that of MaxNodes of its nodes,
// evenly spaced.
const MaxNodes = 4096

// NodeScore returns ℓ_n of one graph, the mean of ℓ over its nodes, and writes
// the gradient of scale times that mean to dzf and dzs unless they are nil. The
// negatives of a node are the other nodes of its graph; a graph of one node has
// none, and its ℓ_n is NaN, not defined.
func (w *Workspace) NodeScore(zf, zs []float32, width int, scale float32, dzf, dzs []float32) float64 {
	n := len(zf) / width
	if n > MaxNodes {
		return w.sampledScore(zf, zs, width, scale, dzf, dzs)
	}
	w.loss = grow(w.loss, n)
	w.InfoNCE(w.loss, zf, zs, width, scale/float32(max(n, 1)), dzf, dzs)
	sum := 0.0
	for _, l := range w.loss {
		sum += float64(l)
	}
	return sum / float64(n)
}

// sampledScore is NodeScore of MaxNodes evenly spaced nodes; the others get no
// gradient.
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
