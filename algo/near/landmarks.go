package near

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"baca/algo/internal/kernel"
)

// axes is how many coordinates of an embedding rule out most landmarks.
const axes = 8

// axesSample is how many rows at most the axes are taken from, in axesRounds rounds.
const axesSample, axesRounds = 512, 4

// Landmarks find the nearest of some rows, exactly. Embeddings lie close to a space of few
// dimensions: of those of molecules eight hold 99 % of the variance. The squared distance
// along some axes is at most that of the rows, so few rows need be compared as a whole.
type landmarks struct {
	rows   []float32 // m×dim
	dim    int
	axes   []float64 // axes×dim, orthonormal: about those along which rows vary most
	sorted []int32   // rows by their coordinate along the first axis
	first  []float64 // that coordinate, ascending
	// Of each, in that order, its coordinates x, |x|² and 1. The product with −2q, 1 and |q|² is the
	// squared distance from q along the axes.
	points *kernel.Packed
	far    float64 // the largest |x|²
}

// pointTerms is the length of a row of points.
const pointTerms = axes + 2

func newLandmarks(rows []float32, dim int) *landmarks {
	m := len(rows) / dim
	l := &landmarks{rows: rows, dim: dim, axes: mainAxes(rows, dim), sorted: make([]int32, m), first: make([]float64, m)}
	at := make([][axes]float64, m)
	for i := range m {
		l.sorted[i] = int32(i)
		l.project(&at[i], l.row(i))
	}
	slices.SortStableFunc(l.sorted, func(i, j int32) int { return cmp.Compare(at[i][0], at[j][0]) })
	points := make([]float32, m*pointTerms)
	for k, i := range l.sorted {
		x, square := points[k*pointTerms:][:pointTerms], 0.0
		for a, v := range at[i] {
			x[a], square = float32(v), square+float64(v*v)
		}
		x[axes], x[axes+1] = float32(square), 1
		l.first[k], l.far = at[i][0], max(l.far, square)
	}
	l.points = kernel.Pack(kernel.Dense(points, m, pointTerms))
	return l
}

func (l *landmarks) row(i int) []float32 { return l.rows[i*l.dim:][:l.dim] }

// project writes the coordinates of q along the axes.
func (l *landmarks) project(at *[axes]float64, q []float32) {
	for a := 0; a < axes; a += 4 {
		w, x := l.axes[a*l.dim:], l.axes[(a+1)*l.dim:]
		y, z := l.axes[(a+2)*l.dim:], l.axes[(a+3)*l.dim:]
		w, x, y, z = w[:len(q)], x[:len(q)], y[:len(q)], z[:len(q)]
		var s0, s1, s2, s3 float64
		for t, v := range q {
			s0 += w[t] * float64(v)
			s1 += x[t] * float64(v)
			s2 += y[t] * float64(v)
			s3 += z[t] * float64(v)
		}
		at[a], at[a+1], at[a+2], at[a+3] = s0, s1, s2, s3
	}
}

// nearest returns the row but one that is nearest to q, −1 if there is no other, and the
// square of its distance; of equally near rows the first. It begins with a row that is near along the
// axes, and then goes from those that are closest along the first axis to both sides, until
// that coordinate alone is farther than the nearest row so far.
func (l *landmarks) nearest(q []float32, leave int) (row int, square float64) {
	s := nearing{l: l, q: q, leave: leave, row: -1, limit: math.Inf(1)}
	s.begin()
	m := len(l.first)
	middle := sort.Search(m, func(k int) bool { return l.first[k] >= s.first }) / piece * piece
	if middle < m {
		s.compare(s.likeliest(middle))
	}
	for lo := middle; lo < m && (lo == middle || squared(l.first[lo]-s.first) <= s.limit); lo += piece {
		s.visit(lo)
	}
	for lo := middle - piece; lo >= 0 && squared(l.first[lo+piece-1]-s.first) <= s.limit; lo -= piece {
		s.visit(lo)
	}
	if s.row < 0 {
		return -1, 0
	}
	return s.row, SquaredDistance(l.row(s.row), q)
}

// piece is how many rows are ruled out at a time, of those in the order of the first axis.
const piece = 64

// A nearing is one call of nearest.
type nearing struct {
	l     *landmarks
	q     []float32
	leave int
	point [pointTerms]float32 // what to multiply points by
	first float64             // of q, along the first axis
	slack float64             // how far such products may be off
	apart [piece]float32      // these products
	row   int                 // the nearest so far, −1 before there is one
	rough float64             // its roughSquared
	limit float64             // what is farther than this is not the nearest
}

// begin projects q.
func (s *nearing) begin() {
	var at [axes]float64
	s.l.project(&at, s.q)
	square := 0.0
	for a, x := range at {
		s.point[a], square = float32(-2*x), square+float64(x*x)
	}
	s.point[axes], s.point[axes+1], s.first = 1, float32(square), at[0]
	// Of ten terms and as many sums, none above 2|x|² + 2|q|², each is off by a part of 2⁻²⁴, and
	// so are both factors.
	s.slack = 64 * 0x1p-24 * (s.l.far + square)
}

// measure returns the squared distances of a piece of the rows along the axes.
func (s *nearing) measure(lo int) []float32 {
	hi := min(len(s.l.first), lo+piece)
	apart := s.apart[:hi-lo]
	kernel.MulPacked(kernel.Dense(apart, 1, hi-lo), kernel.Dense(s.point[:], 1, pointTerms), s.l.points, lo, hi)
	return apart
}

// likeliest returns the row of a piece that is nearest along the axes.
func (s *nearing) likeliest(lo int) int {
	apart := s.measure(lo)
	best := 0
	for k, d := range apart {
		if d < apart[best] {
			best = k
		}
	}
	return lo + best
}

// visit compares the rows of a piece that may be the nearest.
func (s *nearing) visit(lo int) {
	limit := float32(s.limit + s.slack)
	for k, d := range s.measure(lo) {
		if !(d > limit) && s.compare(lo+k) {
			limit = float32(s.limit + s.slack)
		}
	}
}

// compare takes a row if it is the nearest so far, and says whether it did. Where rounding may
// decide, the distances are summed in the one order that counts.
func (s *nearing) compare(k int) bool {
	i := int(s.l.sorted[k])
	if i == s.leave || i == s.row {
		return false
	}
	d := roughSquared(s.l.row(i), s.q)
	if d > s.limit {
		return false
	}
	slack := axesSlack * (1 + d)
	if s.row >= 0 && d >= s.rough-slack {
		now, before := SquaredDistance(s.l.row(i), s.q), SquaredDistance(s.l.row(s.row), s.q)
		if now > before || now == before && i > s.row {
			return false
		}
	}
	s.row, s.rough, s.limit = i, d, d+slack
	return true
}

// roughSquared is SquaredDistance but for rounding, which is far below axesSlack, and about
// four times as fast: four sums do not wait for each other.
func roughSquared(a, b []float32) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	t := 0
	for ; t+3 < len(a); t += 4 {
		s0 += squared(float64(a[t]) - float64(b[t]))
		s1 += squared(float64(a[t+1]) - float64(b[t+1]))
		s2 += squared(float64(a[t+2]) - float64(b[t+2]))
		s3 += squared(float64(a[t+3]) - float64(b[t+3]))
	}
	for ; t < len(a); t++ {
		s0 += squared(float64(a[t]) - float64(b[t]))
	}
	return s0 + s1 + s2 + s3
}

// axesSlack is far above the rounding of coordinates, so that it rules out no nearest row.
const axesSlack = 1e-9

func squared(x float64) float64 { return x * x }

// mainAxes returns orthonormal axes, axes×dim, or zeros where there are no more: about the
// first principal ones of the rows, by subspace iteration on an even sample of them. Any
// others would be right, too, but rule out less.
func mainAxes(rows []float32, dim int) []float64 {
	m := len(rows) / dim
	sample := min(m, axesSample)
	mean := make([]float64, dim)
	for i := range sample {
		for t, x := range rows[Place(i, sample, m)*dim:][:dim] {
			mean[t] += float64(x) / float64(sample)
		}
	}
	now, next := make([]float64, axes*dim), make([]float64, axes*dim)
	for a := range min(axes, sample) {
		for t, x := range rows[Place(a, min(axes, sample), m)*dim:][:dim] {
			now[a*dim+t] = float64(x) - mean[t]
		}
	}
	orthonormalize(now, dim)
	centred := make([]float64, dim)
	for range axesRounds {
		clear(next)
		for i := range sample {
			for t, x := range rows[Place(i, sample, m)*dim:][:dim] {
				centred[t] = float64(x) - mean[t]
			}
			for a := range axes {
				along := dot(now[a*dim:(a+1)*dim], centred)
				for t, x := range centred {
					next[a*dim+t] += along * x
				}
			}
		}
		now, next = next, now
		orthonormalize(now, dim)
	}
	return now
}

// orthonormalize makes the axes orthogonal and of length 1, but for zeros in the place of those that
// depend on others. Twice is enough (Parlett, The Symmetric Eigenvalue Problem, 1980, 6-9).
func orthonormalize(rows []float64, dim int) {
	for a := range axes {
		row := rows[a*dim : (a+1)*dim]
		length := math.Sqrt(dot(row, row))
		for range 2 {
			for b := range a {
				other := rows[b*dim : (b+1)*dim]
				along := dot(row, other)
				for t, x := range other {
					row[t] -= along * x
				}
			}
		}
		left := math.Sqrt(dot(row, row))
		if !(left > 1e-6*length) {
			clear(row)
			continue
		}
		for t := range row {
			row[t] /= left
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for t, x := range a {
		sum += x * b[t]
	}
	return sum
}
