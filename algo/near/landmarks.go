package near

import (
	"cmp"
	"math"
	"slices"
	"sort"
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
	at     [][axes]float64
}

func newLandmarks(rows []float32, dim int) *landmarks {
	m := len(rows) / dim
	l := &landmarks{rows: rows, dim: dim, axes: mainAxes(rows, dim), sorted: make([]int32, m), at: make([][axes]float64, m)}
	at := make([][axes]float64, m)
	for i := range m {
		l.sorted[i] = int32(i)
		l.project(&at[i], l.row(i))
	}
	slices.SortStableFunc(l.sorted, func(i, j int32) int { return cmp.Compare(at[i][0], at[j][0]) })
	for k, i := range l.sorted {
		l.at[k] = at[i]
	}
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
// square of its distance. It begins with a row that is near along the axes, and then goes from
// those that are closest along the first axis to both sides, until that coordinate alone is
// farther than the nearest row so far.
func (l *landmarks) nearest(q []float32, leave int) (row int, square float64) {
	var at [axes]float64
	l.project(&at, q)
	m := len(l.at)
	middle := sort.Search(m, func(k int) bool { return l.at[k][0] >= at[0] })
	row, limit := -1, math.Inf(1)
	compare := func(k int) {
		if i := int(l.sorted[k]); i != leave && !(roughSquared(l.row(i), q) > limit) {
			if d := SquaredDistance(l.row(i), q); row < 0 || d < square {
				row, square, limit = i, d, d+axesSlack*(1+d)
			}
		}
	}
	if first := l.around(&at, middle); first >= 0 {
		compare(first)
	}
	look := func(k int) (farther bool) {
		x := &l.at[k]
		first := squared(at[0] - x[0])
		if first > limit {
			return true
		}
		if first+squared(at[1]-x[1])+squared(at[2]-x[2])+squared(at[3]-x[3]) <= limit && apart(&at, x) <= limit {
			compare(k)
		}
		return false
	}
	for left, right := middle-1, middle; left >= 0 || right < m; {
		if right < m {
			if right++; look(right - 1) {
				right = m
			}
		}
		if left >= 0 {
			if left--; look(left + 1) {
				left = -1
			}
		}
	}
	return row, square
}

// beginning is how many rows on both sides are looked at for the one to begin with.
const beginning = 24

// around returns the row that is nearest along the axes among those about a place, −1 if
// there is none.
func (l *landmarks) around(at *[axes]float64, middle int) int {
	best, least := -1, math.Inf(1)
	for k := max(0, middle-beginning); k < min(len(l.at), middle+beginning); k++ {
		if d := apart(at, &l.at[k]); d < least {
			best, least = k, d
		}
	}
	return best
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

// apart is the squared distance along the axes.
func apart(a, b *[axes]float64) float64 {
	sum := 0.0
	for t, x := range a {
		sum += squared(x - b[t])
	}
	return sum
}

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
