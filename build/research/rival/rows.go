package rival

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"baca/build/internal/try"
	"baca/build/research/rival/tape"
)

// embedded are the embeddings of the graphs of a problem, one row each.
type embedded struct{ train, test [][]float64 }

// mahalanobis returns the squared Mahalanobis distance of each row of test to the mean of train,
// which must have two rows that differ.
func mahalanobis(e *embedded, _ uint64) []float64 {
	mean, covariance := ledoitWolf(e.train)
	return quadratic(covariance, minus(e.test, mean))
}

// leverages returns xᵀ(XᵀX + I)⁻¹x of each row x of test, where X has the rows of train:
// how little these say about what a linear model would make of x. The identity stands
// in where X has fewer rows than columns.
func leverages(e *embedded, _ uint64) []float64 {
	none := make([]float64, len(e.train[0]))
	gram := new(mat.SymDense)
	gram.SymOuterK(1, minus(e.train, none).T())
	for i := range none {
		gram.SetSym(i, i, gram.At(i, i)+1)
	}
	return quadratic(gram, minus(e.test, none))
}

// quadratic returns xᵀA⁻¹x of each row x.
func quadratic(a *mat.SymDense, rows *mat.Dense) []float64 {
	var inverse mat.Cholesky
	if !inverse.Factorize(a) {
		try.Check(errors.New("the covariance of the training graphs has no inverse: want graphs that differ"))
	}
	var solved mat.Dense
	try.Check(inverse.SolveTo(&solved, rows.T()))
	return tabulate(rows.RawMatrix().Rows, func(i int) float64 { return mat.Dot(rows.RowView(i), solved.ColView(i)) })
}

// ledoitWolf returns the mean of rows and their covariance, shrunk to a multiple of the identity as
// much as Ledoit and Wolf (Journal of Multivariate Analysis 88, 2004) find best, so that it can be
// inverted where there are fewer rows than columns.
func ledoitWolf(rows [][]float64) ([]float64, *mat.SymDense) {
	n, width := float64(len(rows)), len(rows[0])
	mean, centred := centre(rows)
	var product mat.SymDense
	product.SymOuterK(1/n, centred.T())
	trace := mat.Trace(&product) / float64(width)
	squares, fourth := 0.0, 0.0
	for i := range width {
		for j := range width {
			squares += product.At(i, j) * product.At(i, j)
		}
	}
	for i := range rows {
		length := 0.0
		for _, x := range centred.RawRowView(i) {
			length += x * x
		}
		fourth += length * length / n
	}
	distance := squares - float64(width)*trace*trace
	shrink := max(0, min((fourth-squares)/n, distance)) / cmp.Or(distance, 1)
	product.ScaleSym(1-shrink, &product)
	for i := range width {
		product.SetSym(i, i, product.At(i, i)+shrink*trace)
	}
	return mean, &product
}

// outsideBox returns the share of the columns of each row of test whose value lies outside
// the range that train has.
func outsideBox(e *embedded, _ uint64) []float64 {
	low, high := slices.Clone(e.train[0]), slices.Clone(e.train[0])
	for _, row := range e.train {
		for j, x := range row {
			low[j], high[j] = min(low[j], x), max(high[j], x)
		}
	}
	return tabulate(len(e.test), func(i int) (share float64) {
		for j, x := range e.test[i] {
			if x < low[j] || x > high[j] {
				share += 1 / float64(len(low))
			}
		}
		return share
	})
}

// outsidePCA is outsideBox in the principal components of train, whose lengths do not matter to a box.
func outsidePCA(e *embedded, seed uint64) []float64 {
	components, mean := principal(e.train)
	projected := func(rows [][]float64) [][]float64 {
		var product mat.Dense
		product.Mul(minus(rows, mean), components)
		return tabulate(len(rows), product.RawRowView)
	}
	return outsideBox(&embedded{projected(e.train), projected(e.test)}, seed)
}

// principal returns the principal components of rows (columns of the result), as many as
// explain 0.9 of the variance, and the mean.
func principal(rows [][]float64) (components mat.Matrix, mean []float64) {
	mean, centred := centre(rows)
	var products mat.SymDense
	products.SymOuterK(1, centred.T())
	values, vectors := eigen(&products)
	least, sum, first := 0.9*mat.Trace(&products), 0.0, len(values)
	for first > 0 && (first == len(values) || sum < least) {
		first--
		sum += values[first]
	}
	return vectors.Slice(0, len(values), first, len(values)), mean
}

// eigen returns the eigenvalues, ascending, and the eigenvectors.
func eigen(a mat.Symmetric) ([]float64, *mat.Dense) {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		try.Check(errors.New("the covariance of the training graphs has no eigenvectors: want finite values"))
	}
	vectors := new(mat.Dense)
	e.VectorsTo(vectors)
	return e.Values(nil), vectors
}

// centre returns the mean of rows, and the rows less it.
func centre(rows [][]float64) (mean []float64, centred *mat.Dense) {
	mean = make([]float64, len(rows[0]))
	for _, row := range rows {
		for j, x := range row {
			mean[j] += x / float64(len(rows))
		}
	}
	return mean, minus(rows, mean)
}

// minus returns rows with mean subtracted.
func minus(rows [][]float64, mean []float64) *mat.Dense {
	centred := mat.NewDense(len(rows), len(mean), nil)
	for i, row := range rows {
		floats.SubTo(centred.RawRowView(i), row, mean)
	}
	return centred
}

// kMeans divides rows into k clusters, or as many as there are rows, by 20 rounds of Lloyd's
// algorithm after k-means++ (Arthur and Vassilvitskii 2007). It returns the centres, k×cols, and
// the cluster of each row and its distance from the centre of that.
func kMeans(rows tape.Matrix, k int, rng *rand.Rand) (centres tape.Matrix, cluster []int, distance []float64) {
	k = min(k, rows.Rows)
	cluster, distance = make([]int, rows.Rows), slices.Repeat([]float64{1}, rows.Rows)
	for range k {
		total := 0.0
		for _, d := range distance {
			total += d * d
		}
		drawn, left := rows.Rows-1, rng.Float64()*total
		for i, d := range distance {
			if left -= d * d; left < 0 {
				drawn = i
				break
			}
		}
		centres = matrixOf(append(centres.Data, rows.Row(drawn)...), rows.Cols)
		assign(centres, rows, cluster, distance)
	}
	for range 20 {
		counts, sums := make([]float32, k), tape.NewMatrix(k, rows.Cols)
		for i, c := range cluster {
			counts[c]++
			for j, x := range rows.Row(i) {
				sums.Row(c)[j] += x
			}
		}
		for i, x := range sums.Data {
			if n := counts[i/rows.Cols]; n > 0 { // an empty cluster keeps its centre
				centres.Data[i] = x / n
			}
		}
		assign(centres, rows, cluster, distance)
	}
	return centres, cluster, distance
}

// assign finds the nearest centre of each row, the first of several.
func assign(centres, rows tape.Matrix, cluster []int, distance []float64) {
	for i := range rows.Rows {
		distance[i] = math.Inf(1)
		for c := range centres.Rows {
			sum, centre := float32(0), centres.Row(c)
			for j, x := range rows.Row(i) {
				sum += (x - centre[j]) * (x - centre[j])
			}
			if d := math.Sqrt(float64(sum)); d < distance[i] {
				cluster[i], distance[i] = c, d
			}
		}
	}
}
