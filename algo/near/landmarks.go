package near

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"baca/algo/internal/kernel"
)

// axes is how many coordinates exclude most landmarks.
const axes = 8

// axesSample bounds the rows that the axes are fitted to, in axesRounds rounds.
const axesSample, axesRounds = 512, 4

// landmarks find the nearest of some rows, exactly. The squared distance along some axes is a lower
// bound, and eight axes hold 99 % of the variance of molecules, so few rows need a full comparison.
type landmarks struct {
	rows []float32 // m×dim
	dim  int
	axes []float64 // axes×dim, orthonormal, near the principal axes
	// order has the rows by ascending coordinate on the first axis, first these coordinates.
	order []int
	first []float64
	// For each row, in that order, its coordinates x, |x|² and 1. The product with −2q, 1 and |q|² is the squared
	// distance from q along the axes.
	points *kernel.Packed
	far    float64 // the largest |x|²
}

const pointTerms = axes + 2

func newLandmarks(rows []float32, dim int) *landmarks {
	m := len(rows) / dim
	l := &landmarks{rows: rows, dim: dim, axes: mainAxes(rows, dim), order: make([]int, m), first: make([]float64, m)}
	for i := range m {
		at, _ := l.project(l.row(i))
		l.order[i], l.first[i] = i, at[0]
	}
	slices.SortStableFunc(l.order, func(i, j int) int { return cmp.Compare(l.first[i], l.first[j]) })
	slices.Sort(l.first)
	points := make([]float32, 0, m*pointTerms)
	for _, i := range l.order {
		at, square := l.project(l.row(i))
		for _, x := range at {
			points = append(points, float32(x))
		}
		points = append(points, float32(square), 1)
		l.far = max(l.far, square)
	}
	l.points = kernel.Pack(kernel.Dense(points, m, pointTerms))
	return l
}

func (l *landmarks) row(i int) []float32 { return l.rows[i*l.dim:][:l.dim] }

// project returns the coordinates of q on the axes, and the sum of their squares.
func (l *landmarks) project(q []float32) (at [axes]float64, square float64) {
	for a := 0; a < axes; a += 4 { // four independent sums pipeline
		w, x := l.axes[a*l.dim:][:len(q)], l.axes[(a+1)*l.dim:][:len(q)]
		y, z := l.axes[(a+2)*l.dim:][:len(q)], l.axes[(a+3)*l.dim:][:len(q)]
		var s0, s1, s2, s3 float64
		for t, v := range q {
			s0 += w[t] * float64(v)
			s1 += x[t] * float64(v)
			s2 += y[t] * float64(v)
			s3 += z[t] * float64(v)
		}
		at[a], at[a+1], at[a+2], at[a+3] = s0, s1, s2, s3
	}
	for _, x := range at {
		square += float64(x * x)
	}
	return at, square
}

// A search finds the landmarks nearest to several queries, for one goroutine.
type search struct {
	*landmarks
	queries []float32 // of dim values each
	points  []float32
	first   []float64 // each query's coordinate on the first axis
	slack   []float64 // error bound of each query's products
	squares []float32 // of the distances along the axes, queries×rows
}

// measure compares all queries with all rows along the axes.
func (s *search) measure() {
	m, n := len(s.rows)/s.dim, len(s.queries)/s.dim
	s.points, s.first, s.slack = s.points[:0], s.first[:0], s.slack[:0]
	for i := range n {
		at, square := s.project(s.query(i))
		for _, x := range at {
			s.points = append(s.points, float32(-2*x))
		}
		s.points, s.first = append(s.points, 1, float32(square)), append(s.first, at[0])
		// Ten products and as many sums, none above 2|x|² + 2|q|², have relative errors of 2⁻²⁴,
		// and so have both factors.
		s.slack = append(s.slack, 64*0x1p-24*(s.far+square))
	}
	s.squares = slices.Grow(s.squares[:0], n*m)[:n*m]
	kernel.MulPacked(kernel.Dense(s.squares, n, m), kernel.Dense(s.points, n, pointTerms), s.landmarks.points, 0, m)
}

func (s *search) query(i int) []float32 { return s.queries[i*s.dim:][:s.dim] }

// startRows is how many rows on each side of a query, along the first axis, nearest starts from.
const startRows = 32

// nearest returns the row nearest to query i, except leave, and its squared distance; ties go to
// the first row, and without rows it is −1. It starts at the row nearest along the axes among some
// with about the same first coordinate, and goes to both sides until that coordinate excludes the rest.
func (s *search) nearest(i, leave int) (row int, square float64) {
	q, x, m := s.query(i), s.first[i], len(s.order)
	squares, first := s.squares[i*m:][:m], s.landmarks.first
	middle, _ := slices.BinarySearch(first, x)
	start := -1
	for k := max(0, middle-startRows); k < min(m, middle+startRows); k++ {
		if s.order[k] != leave && (start < 0 || squares[k] < squares[start]) {
			start = k
		}
	}
	if start < 0 {
		return -1, 0
	}
	row = s.order[start]
	square = SquaredDistance(s.row(row), q)
	limit := float32(square + s.slack[i])
	compare := func(k int) {
		other := s.order[k]
		if other == leave || other == row || squaredFloat32(s.row(other), q) > 1.001*square {
			return
		}
		if exact := SquaredDistance(s.row(other), q); exact < square || exact == square && other < row {
			row, square = other, exact
			limit = float32(square + s.slack[i])
		}
	}
	for k := middle; k < m && (first[k]-x)*(first[k]-x) <= float64(limit); k++ {
		if squares[k] <= limit {
			compare(k)
		}
	}
	for k := middle - 1; k >= 0 && (first[k]-x)*(first[k]-x) <= float64(limit); k-- {
		if squares[k] <= limit {
			compare(k)
		}
	}
	return row, square
}

// mainAxes returns orthonormal axes, axes×dim, with zeros for missing ones: the leading principal
// axes by subspace iteration on an even sample. Other axes would be correct but exclude less.
func mainAxes(rows []float32, dim int) []float64 {
	m := len(rows) / dim
	sample, count := centred(rows, dim, min(m, axesSample)), min(axes, dim)
	found := make([]float64, axes*dim)
	now := blas64.General{Rows: count, Cols: dim, Stride: dim, Data: found[:count*dim]}
	along := blas64.General{Rows: sample.Rows, Cols: count, Stride: count, Data: make([]float64, sample.Rows*count)}
	tau, work := make([]float64, count), make([]float64, count)
	for a := range min(count, sample.Rows) {
		copy(found[a*dim:(a+1)*dim], sample.Data[Place(a, min(count, sample.Rows), sample.Rows)*dim:])
	}
	for range axesRounds {
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, sample, now, 0, along)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, along, sample, 0, now)
		lapack64.Gelqf(now, tau, work, len(work))
		lapack64.Orglq(now, tau, work, len(work))
	}
	return found
}

// centred returns an even sample of rows less their mean.
func centred(rows []float32, dim, count int) blas64.General {
	c := blas64.General{Rows: count, Cols: dim, Stride: dim, Data: make([]float64, count*dim)}
	mean := make([]float64, dim)
	for i := range count {
		for t, x := range rows[Place(i, count, len(rows)/dim)*dim:][:dim] {
			c.Data[i*dim+t] = float64(x)
			mean[t] += float64(x) / float64(count)
		}
	}
	for i := range c.Data {
		c.Data[i] -= mean[i%dim]
	}
	return c
}
