// Package kernel holds the float32 loops of the encoder, the attention and their training.
//
// Each loop exists as portable Go, in portable.go, and where a whole run gains as vector code: AVX2 or
// AVX-512 assembly on amd64, a SIMD128 module beside WebAssembly. All round in the same order, so
// that results have the same bits: products are rounded before they are added (no fused
// multiply-add), a matrix product adds its terms in order, omitting zeros at will, and other sums
// are kept in eight interleaved parts, element j in part j mod 8, which are added up as
//
//	((s0+s4) + (s2+s6)) + ((s1+s5) + (s3+s7)).
//
// Steps that choose (percentiles, nearest keys, thresholds) would otherwise turn a last bit into another answer.
//
// Written slices must not overlap others that are read, unless stated.
package kernel

import (
	"fmt"
	"slices"
	"sync"
)

// A Matrix is a view of Rows×Cols values, row-major: row i is
// Data[i·Stride : i·Stride+Cols]. A stride of 0 makes every row the same one.
type Matrix struct {
	Data               []float32
	Rows, Cols, Stride int
}

// Dense is the view of data as rows×cols values without padding.
func Dense(data []float32, rows, cols int) Matrix {
	m := Matrix{data, rows, cols, cols}
	if len(data) != rows*cols {
		panic(fmt.Sprintf("kernel: %d values as a matrix of %d×%d", len(data), rows, cols))
	}
	return m
}

// RowRange is the view of rows lo to hi.
func (m Matrix) RowRange(lo, hi int) Matrix {
	if lo < 0 || hi < lo || hi > m.Rows {
		outside("rows", lo, hi, m.Rows)
	}
	if lo < hi {
		m.Data = m.Data[lo*m.Stride:]
	}
	m.Rows = hi - lo
	return m
}

// Columns is the view of columns lo to hi.
func (m Matrix) Columns(lo, hi int) Matrix {
	if lo < 0 || hi < lo || hi > m.Cols {
		outside("columns", lo, hi, m.Cols)
	}
	if m.Rows > 0 && lo < hi {
		m.Data = m.Data[lo:]
	}
	m.Cols = hi - lo
	return m
}

// outside panics. It is a function of its own so that the compiler can inline its callers.
//
//go:noinline
func outside(what string, lo, hi, of int) {
	panic(fmt.Sprintf("kernel: %s %d to %d of %d", what, lo, hi, of))
}

// check panics if the data cannot hold the view: the vector code would read or write beyond it.
func (m Matrix) check(name, part string) {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < 0 || m.Stride > 0 && m.Stride < m.Cols ||
		m.Rows > 0 && m.Cols > 0 && (m.Rows-1)*m.Stride+m.Cols > len(m.Data) {
		panic(fmt.Sprintf("kernel: %s: %s of %d×%d, stride %d, in %d values", name, part, m.Rows, m.Cols, m.Stride, len(m.Data)))
	}
}

// check panics unless dst is m×n, the products have k = ka = kb terms, and all matrices have their values.
func check(name string, dst, a, b Matrix, m, n, k, ka, kb int) {
	if dst.Rows != m || dst.Cols != n || k != ka || k != kb || dst.Rows > 1 && dst.Cols > 0 && dst.Stride == 0 {
		panic(fmt.Sprintf("kernel: %s of %d×%d and %d×%d into %d×%d", name, a.Rows, a.Cols, b.Rows, b.Cols, dst.Rows, dst.Cols))
	}
	dst.check(name, "result")
	a.check(name, "left")
	b.check(name, "right")
}

// Flags of a product.
const (
	accumulate = 1 << iota // starts from the values of dst instead of 0
	addBias                // adds a value to each column, at the end
	rectify                // replaces negative values by 0, after that
)

// blockCols columns of MulNT's right side are transposed at a time and fit the first level cache. blockRows, whole
// tiles in all code, is the number of rows searched for zeros at a time.
const (
	blockCols = 32
	blockRows = 240
)

// scratch reuses memory without clearing.
var scratch = sync.Pool{New: func() any { return new(buffers) }}

type buffers struct {
	block []float32 // transposed
	lists []int32
}

// The left side of a linear layer comes from a ReLU, so about half of its values are zero, and in the few rows of a
// tile more than a third of the columns. Products of few terms would not gain from omitting them.
const (
	fewestListed = 16
	mostListed   = 512
	mostRows     = 4096

	// Each list's length, and slack for writes beyond it.
	room = 17
)

// list lists the terms that are not zero in all rows of a tile of a, or returns nil if it would not pay.
func (s *buffers) list(a Matrix) []int32 {
	n := listed(a.Rows) * (a.Cols + room)
	if a.Cols < fewestListed || a.Cols > mostListed || a.Rows > mostRows || n == 0 {
		return nil
	}
	s.lists = slices.Grow(s.lists[:0], n)[:n]
	list(s.lists, a.Data, a.Stride, a.Rows, a.Cols)
	return s.lists
}

// gemm is gemmGo, in vector code where there is any.
func gemm(dst []float32, ldd int, a []float32, as, at int, b []float32, ldb, m, n, k int, bias []float32, flags int) {
	if vector {
		gemmVector(dst, ldd, a, as, at, b, ldb, m, n, k, bias, flags)
	} else {
		gemmGo(dst, ldd, a, as, at, b, ldb, m, n, k, bias, flags)
	}
}

// transpose is transposeGo, in vector code where there is any.
func transpose(dst, src []float32, lds, rows, cols int) {
	switch {
	case rows == 0 || cols == 0:
	case vector:
		transposeVector(dst, src, lds, rows, cols)
	default:
		transposeGo(dst, src, lds, rows, cols)
	}
}

// multiply computes dst = a·b for a block b of a.Cols rows and n columns, with the terms that are listed, if any.
func multiply(dst []float32, ldd int, a Matrix, b []float32, ldb, n int, bias []float32, flags int, lists []int32) {
	if lists != nil {
		gemmListed(dst, ldd, a.Data, a.Stride, b, ldb, a.Rows, n, a.Cols, bias, flags, lists)
	} else {
		gemm(dst, ldd, a.Data, a.Stride, 1, b, ldb, a.Rows, n, a.Cols, bias, flags)
	}
}

// MulNT computes dst = a·bᵀ for a of m×k and b of n×k.
func MulNT(dst, a, b Matrix) {
	mulNT("MulNT", dst, a, b, nil, 0, false)
}

// Linear computes dst = x·wᵀ + bias, the forward product of a linear layer with weights w, out×in, and with relu set
// clears negative values. The weights must be finite: terms with zero x are omitted.
func Linear(dst, x, w Matrix, bias []float32, relu bool) {
	mulNT("Linear", dst, x, w, bias, linear("Linear", len(bias), w.Rows, w.Cols, relu), true)
}

// linear returns the flags of a linear layer.
func linear(name string, biases, out, in int, relu bool) int {
	if biases != out {
		panic(fmt.Sprintf("kernel: %s with weights of %d×%d and %d biases", name, out, in, biases))
	}
	if relu {
		return addBias | rectify
	}
	return addBias
}

// mulNT computes dst = a·bᵀ in blocks of blockCols columns, with a bias and flags of gemm. With zeros it leaves out the
// zeros of a.
func mulNT(name string, dst, a, b Matrix, bias []float32, flags int, zeros bool) {
	m, n, k := a.Rows, b.Rows, a.Cols
	check(name, dst, a, b, m, n, k, a.Cols, b.Cols)
	if m == 0 || n == 0 {
		return
	}
	buffer := scratch.Get().(*buffers)
	defer scratch.Put(buffer)
	var lists []int32
	if zeros {
		lists = buffer.list(a)
	}
	buffer.block = slices.Grow(buffer.block[:0], blockCols*k)
	for j := 0; j < n; j += blockCols {
		w := min(blockCols, n-j)
		block := buffer.block[:w*k]
		if k > 0 {
			transpose(block, b.Data[j*b.Stride:], b.Stride, w, k)
		}
		multiply(dst.Data[j:], dst.Stride, a, block, w, w, columns(bias, j, w), flags, lists)
	}
}

// columns returns the biases of n columns, nil for none.
func columns(bias []float32, from, n int) []float32 {
	if bias == nil {
		return nil
	}
	return bias[from : from+n]
}

// Packed is the right side of MulNT, transposed for repeated products. The zero value with Terms
// set has no rows. Goroutines may share it, except during Set.
type Packed struct {
	Terms int // k
	rows  int
	// panels are blocks of blockCols rows, each transposed: value t of row i is
	// panels[i/blockCols·Terms·blockCols + t·blockCols + i mod blockCols].
	panels []float32
}

// Pack packs the n rows of b.
func Pack(b Matrix) *Packed {
	b.check("Pack", "rows")
	p := &Packed{Terms: b.Cols, panels: make([]float32, 0, (b.Rows+blockCols-1)/blockCols*blockCols*b.Cols)}
	for b.Cols > 0 && p.rows+blockCols <= b.Rows {
		n := len(p.panels)
		p.panels = p.panels[:n+blockCols*b.Cols]
		transpose(p.panels[n:], b.Data[p.rows*b.Stride:], b.Stride, blockCols, b.Cols)
		p.rows += blockCols
	}
	for b.Cols > 0 && p.rows < b.Rows { // the last panel, of fewer rows
		p.Set(p.rows, b.Data[p.rows*b.Stride:][:b.Cols])
	}
	p.rows = b.Rows
	return p
}

// Rows returns n.
func (p *Packed) Rows() int { return p.rows }

// Set makes a copy of row row i, appending it where i is Rows().
func (p *Packed) Set(i int, row []float32) {
	if i < 0 || i > p.rows || len(row) != p.Terms {
		panic(fmt.Sprintf("kernel: setting row %d of %d, of %d values, to %d values", i, p.rows, p.Terms, len(row)))
	}
	if i == p.rows {
		p.rows++
		if i%blockCols == 0 {
			p.panels = append(p.panels, make([]float32, blockCols*p.Terms)...)
		}
	}
	panel := p.panels[i/blockCols*blockCols*p.Terms:]
	for t, v := range row {
		panel[t*blockCols+i%blockCols] = v
	}
}

// MulPacked computes dst = a·bᵀ for a of m×k and rows lo to hi of b, lo being a multiple of 32.
func MulPacked(dst, a Matrix, b *Packed, lo, hi int) {
	mulPacked("MulPacked", dst, a, b, lo, hi, nil, 0, nil)
}

// LinearPacked is Linear with packed weights.
func LinearPacked(dst, x Matrix, w *Packed, bias []float32, relu bool) {
	flags := linear("LinearPacked", len(bias), w.rows, w.Terms, relu)
	buffer := scratch.Get().(*buffers)
	defer scratch.Put(buffer)
	for lo := 0; lo < x.Rows; lo += blockRows {
		hi := min(x.Rows, lo+blockRows)
		part := x.RowRange(lo, hi)
		part.check("LinearPacked", "left")
		mulPacked("LinearPacked", dst.RowRange(lo, hi), part, w, 0, w.rows, bias, flags, buffer.list(part))
	}
}

// mulPacked computes the columns lo to hi of a·bᵀ. lo must begin a block. lists, if any, leave out the zeros of a.
func mulPacked(name string, dst, a Matrix, b *Packed, lo, hi int, bias []float32, flags int, lists []int32) {
	if lo < 0 || lo%blockCols != 0 || hi < lo || hi > b.rows || a.Cols != b.Terms || dst.Rows != a.Rows ||
		dst.Cols != hi-lo || dst.Rows > 1 && dst.Cols > 0 && dst.Stride == 0 {
		panic(fmt.Sprintf("kernel: %s of %d×%d and rows %d to %d of %d×%d into %d×%d", name, a.Rows, a.Cols, lo, hi,
			b.rows, b.Terms, dst.Rows, dst.Cols))
	}
	dst.check(name, "result")
	a.check(name, "left")
	if a.Rows == 0 {
		return
	}
	for j := lo; j < hi; j += blockCols {
		n := min(blockCols, hi-j)
		multiply(dst.Data[j-lo:], dst.Stride, a, b.panels[j*b.Terms:], blockCols, n, columns(bias, j, n), flags, lists)
	}
}

// MulNN computes dst = a·b for a of m×k and b of k×n.
func MulNN(dst, a, b Matrix) {
	check("MulNN", dst, a, b, a.Rows, b.Cols, a.Cols, a.Cols, b.Rows)
	if dst.Rows > 0 && dst.Cols > 0 {
		multiply(dst.Data, dst.Stride, a, b.Data, b.Stride, b.Cols, nil, 0, nil)
	}
}

// LinearGradient computes dx = dy·w: it carries the gradient dy, with zeros from a ReLU, back
// through a linear layer with the finite weights w, out×in.
func LinearGradient(dx, dy, w Matrix) {
	check("LinearGradient", dx, dy, w, dy.Rows, w.Cols, dy.Cols, dy.Cols, w.Rows)
	if dx.Rows == 0 || dx.Cols == 0 {
		return
	}
	buffer := scratch.Get().(*buffers)
	defer scratch.Put(buffer)
	multiply(dx.Data, dx.Stride, dy, w.Data, w.Stride, w.Cols, nil, 0, buffer.list(dy))
}

// AddTN computes dst += aᵀ·b for a of k×m and b of k×n: the gradient of a
// linear layer's weights from k rows of output gradients and inputs.
func AddTN(dst, a, b Matrix) {
	check("AddTN", dst, a, b, a.Cols, b.Cols, a.Rows, a.Rows, b.Rows)
	if dst.Rows > 0 && dst.Cols > 0 && a.Rows > 0 {
		gemm(dst.Data, dst.Stride, a.Data, 1, a.Stride, b.Data, b.Stride, a.Cols, b.Cols, a.Rows, nil, accumulate)
	}
}

// Add computes dst += x by rows: with stride 0, x is added to every row of dst, or all rows of x to the one of dst.
func Add(dst, x Matrix) {
	if dst.Rows != x.Rows || dst.Cols != x.Cols {
		panic(fmt.Sprintf("kernel: Add of %d×%d to %d×%d", x.Rows, x.Cols, dst.Rows, dst.Cols))
	}
	dst.check("Add", "result")
	x.check("Add", "term")
	switch {
	case dst.Rows == 0 || dst.Cols == 0:
	case vector:
		addVector(dst.Data, dst.Stride, x.Data, x.Stride, dst.Rows, dst.Cols)
	default:
		addGo(dst.Data, dst.Stride, x.Data, x.Stride, dst.Rows, dst.Cols)
	}
}

// AddNeighbors computes dst = h + A·h, row i of A·h being the sum of the rows neighbors[offsets[i]:offsets[i+1]] of h
// in that order. All neighbours must be rows of h.
func AddNeighbors(dst, h Matrix, offsets, neighbors []int32) {
	if dst.Rows != h.Rows || dst.Cols != h.Cols || len(offsets) != h.Rows+1 ||
		int(offsets[h.Rows]) > len(neighbors) || dst.Rows > 1 && dst.Cols > 0 && dst.Stride == 0 {
		panic(fmt.Sprintf("kernel: AddNeighbors of %d×%d with %d offsets into %d neighbours, into %d×%d", h.Rows,
			h.Cols, len(offsets), len(neighbors), dst.Rows, dst.Cols))
	}
	dst.check("AddNeighbors", "result")
	h.check("AddNeighbors", "rows")
	switch {
	case dst.Rows == 0 || dst.Cols == 0:
	case vector:
		i := addNeighborsVector(dst.Data, dst.Stride, h.Data, h.Stride, offsets, neighbors, h.Rows, h.Cols)
		if i < h.Rows {
			panic(fmt.Sprintf("kernel: AddNeighbors: row %d of %d has offsets %d to %d of %d, or a neighbour that is no row",
				i, h.Rows, offsets[i], offsets[i+1], len(neighbors)))
		}
	default:
		addNeighborsGo(dst.Data, dst.Stride, h.Data, h.Stride, offsets, neighbors, h.Rows, h.Cols)
	}
}

// ReLUGradient clears the values of d, a gradient, where those of y, the output of the ReLU, are 0.
func ReLUGradient(d, y Matrix) {
	if d.Rows != y.Rows || d.Cols != y.Cols {
		panic(fmt.Sprintf("kernel: ReLUGradient of %d×%d for %d×%d", d.Rows, d.Cols, y.Rows, y.Cols))
	}
	d.check("ReLUGradient", "gradient")
	y.check("ReLUGradient", "output")
	switch {
	case d.Rows == 0 || d.Cols == 0:
	case vector:
		reluGradientVector(d.Data, d.Stride, y.Data, y.Stride, d.Rows, d.Cols)
	default:
		reluGradientGo(d.Data, d.Stride, y.Data, y.Stride, d.Rows, d.Cols)
	}
}

// Exp replaces each x by e^y, where y is scale·x, rounded to float32 and clipped to ±87, with a relative error
// below 2e-7.
func Exp(x []float32, scale float32) {
	if vector && len(x) > 0 {
		expVector(x, scale)
	} else {
		expGo(x, scale)
	}
}

// Log1p sets dst, which may be x, to log(1+x) with a relative error below 1.2e-7, for x ≥ 1e-7.
// Unlike math.Log1p it is the same on every platform.
func Log1p(dst, x []float32) {
	if len(dst) != len(x) {
		panic(fmt.Sprintf("kernel: Log1p of %d values into %d", len(x), len(dst)))
	}
	if len(x) > 0 {
		log1p(dst, x)
	}
}

// Sums sets rows[i] to the sum of row i of x and adds every row to cols, in order.
func Sums(rows, cols []float64, x []float32) {
	if len(x) != len(rows)*len(cols) {
		panic(fmt.Sprintf("kernel: Sums of %d values into %d rows and %d columns", len(x), len(rows), len(cols)))
	}
	if vector && len(x) > 0 {
		sumsVector(rows, cols, x)
	} else {
		sumsGo(rows, cols, x)
	}
}

// Weight multiplies the value in row i and column j of x by r[i] + c[j].
func Weight(x, r, c []float32) {
	if len(x) != len(r)*len(c) {
		panic(fmt.Sprintf("kernel: Weight of %d values by %d rows and %d columns", len(x), len(r), len(c)))
	}
	if vector && len(x) > 0 {
		weightVector(x, r, c)
	} else {
		weightGo(x, r, c)
	}
}

// smallest is the norm below which a row counts as zero and has cosine 0 with everything, as in PyTorch's normalize.
const smallest = 1e-12

// Normalize writes the rows of z, brought to length 1, to dst and their lengths,
// summed in float64, to norms. The dense matrices have len(norms) rows.
func Normalize(dst, norms, z []float32) {
	if len(dst) != len(z) || len(norms) == 0 && len(z) > 0 || len(norms) > 0 && len(z)%len(norms) != 0 {
		panic(fmt.Sprintf("kernel: Normalize of %d values in %d rows into %d", len(z), len(norms), len(dst)))
	}
	if vector && len(z) > 0 {
		normalizeVector(dst, norms, z)
	} else {
		normalizeGo(dst, norms, z)
	}
}

// NormalizeGradient carries the gradient g with respect to the unit rows u back to the rows that Normalize got: dst = (g − u·⟨u,
// g⟩)/norm, or 0 for a row that counted as zero.
func NormalizeGradient(dst, g, u, norms []float32) {
	if len(dst) != len(u) || len(g) != len(u) || len(norms) == 0 && len(u) > 0 || len(norms) > 0 && len(u)%len(norms) != 0 {
		panic(fmt.Sprintf("kernel: NormalizeGradient of %d and %d values in %d rows into %d", len(g), len(u), len(norms), len(dst)))
	}
	if vector && len(u) > 0 {
		normalizeGradientVector(dst, g, u, norms)
	} else {
		normalizeGradientGo(dst, g, u, norms)
	}
}

// Dot returns Σ a_i·b_i.
func Dot(a, b []float32) float32 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("kernel: Dot of %d and %d values", len(a), len(b)))
	}
	if vector && len(a) > 0 {
		return dotVector(a, b)
	}
	return dotGo(a, b)
}

// Axpy computes dst += x·b.
func Axpy(dst []float32, x float32, b []float32) {
	if len(dst) != len(b) {
		panic(fmt.Sprintf("kernel: Axpy of %d values to %d", len(b), len(dst)))
	}
	if len(dst) > 0 {
		axpy(dst, x, b)
	}
}

// An AdamStep holds the constants of one step of Adam.
type AdamStep struct {
	Keep1, Take1 float32 // weights of the old mean of gradients and of the new gradient: β₁ and 1 − β₁
	Keep2, Take2 float32 // those of the mean of squares: β₂ and 1 − β₂
	Root         float32 // √(1 − β₂ᵗ), for step t
	Eps          float32
	Rate         float32 // learning rate / (1 − β₁ᵗ)
}

// Adam moves params one step against grads, whose running mean is m and that of whose squares is v:
//
//	m = Keep1·m + Take1·grads, v = Keep2·v + Take2·grads²,
//	params −= Rate·(m / (√v/Root + Eps)).
func Adam(params, grads, m, v []float32, s AdamStep) {
	if n := len(params); len(grads) != n || len(m) != n || len(v) != n {
		panic(fmt.Sprintf("kernel: Adam of %d parameters with %d gradients, means of %d and %d", n, len(grads), len(m), len(v)))
	}
	if vector && len(params) > 0 {
		adamVector(params, grads, m, v, s)
	} else {
		adamGo(params, grads, m, v, s)
	}
}

// Strip is the number of sums that AddWhere processes at a time, Top the number with a common top.
const Strip, Top = 128, 16

// AddWhere adds gains[k], for all k, to those of sums whose bit is set in the row of bits that
// begins at rows[k]. Sums come in whole strips, with a bit of a row for each. The halves of a top
// are the largest lower and the largest upper half of Top sums. A gain adds the same to both halves of
// a sum, but from gains[both] on only to the upper half. No half may become too large for its bits.
func AddWhere(sums, tops []uint32, bits []uint64, rows, gains []uint32, both int) {
	words := len(sums) / 64
	if len(sums)%Strip != 0 || len(tops) != len(sums)/Top || len(rows) != len(gains) || both < 0 || both > len(gains) {
		panic(fmt.Sprintf("kernel: AddWhere of %d sums and %d tops with %d rows and %d gains, %d of both halves",
			len(sums), len(tops), len(rows), len(gains), both))
	}
	for _, r := range rows {
		if int(r)+words > len(bits) {
			panic(fmt.Sprintf("kernel: AddWhere: a row from %d of %d words", r, len(bits)))
		}
	}
	if vector && len(sums) > 0 {
		addWhereVector(sums, tops, bits, rows, gains, both)
	} else {
		addWhereGo(sums, tops, bits, rows, gains)
	}
}

// Walks is the number of random walks that Walk steps together, and Lane has a value of each.
const Walks = 8

type Lane [Walks]float64

// Walk steps walks on an undirected graph, whose node v has the neighbours neighbors[offsets[v]:offsets[v+1]]. part has for
// each node its probability over its degree, inverse 1 over its degree. Walk sets next to what part is after the step, for the nodes
// of reach. With p the probability after the step, it adds the sum of p·part over reach to odd, and of p·next to even.
// It leaves out nodes without neighbours.
func Walk(next, part []Lane, inverse []float64, offsets, neighbors, reach []int32, odd, even *Lane) {
	n := len(next)
	if len(part) != n || len(inverse) != n || len(offsets) != n+1 {
		panic(fmt.Sprintf("kernel: Walk of %d, %d and %d nodes with %d offsets", n, len(part), len(inverse), len(offsets)))
	}
	if len(reach) == 0 {
		return
	}
	switch done := walkVector(next, part, inverse, offsets, neighbors, reach, odd, even); {
	case done < 0:
		walkGo(next, part, inverse, offsets, neighbors, reach, odd, even)
	case done < len(reach):
		panic(fmt.Sprintf("kernel: Walk: node %d of %d, or its neighbours, are not in the graph", reach[done], n))
	}
}
