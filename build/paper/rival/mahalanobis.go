package rival

import (
	"errors"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// mahalanobis returns the squared Mahalanobis distance of each row of test to the mean of
// train. The covariance is shrunk to a multiple of the identity, as much as Ledoit and
// Wolf (Journal of Multivariate Analysis 88, 2004) find best, so that it can be inverted
// where there are fewer rows than columns. Train must have two rows that differ.
func mahalanobis(e *Embedded, _ uint64) []float64 {
	mean, covariance := ledoitWolf(e.Train)
	return quadratic(covariance, less(e.Test, mean))
}

// leverages returns xᵀ(XᵀX + I)⁻¹x of each row x of test, where X has the rows of train:
// how little these say about what a linear model would make of x. The identity stands
// in where X has fewer rows than columns.
func leverages(e *Embedded, _ uint64) []float64 {
	none := make([]float64, len(e.Train[0]))
	gram := new(mat.SymDense)
	gram.SymOuterK(1, less(e.Train, none).T())
	for i := range none {
		gram.SetSym(i, i, gram.At(i, i)+1)
	}
	return quadratic(gram, less(e.Test, none))
}

// quadratic returns xᵀA⁻¹x of each row x.
func quadratic(a *mat.SymDense, rows *mat.Dense) []float64 {
	var inverse mat.Cholesky
	if !inverse.Factorize(a) {
		check(errors.New("the covariance of the training graphs has no inverse: want graphs that differ"))
	}
	var solved mat.Dense
	check(inverse.SolveTo(&solved, rows.T()))
	scores := make([]float64, rows.RawMatrix().Rows)
	for i := range scores {
		scores[i] = mat.Dot(rows.RowView(i), solved.ColView(i))
	}
	return scores
}

// ledoitWolf returns the mean of rows and their shrunk covariance.
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
	shrink := 0.0
	if noise := min((fourth-squares)/n, distance); noise > 0 {
		shrink = noise / distance
	}
	product.ScaleSym(1-shrink, &product)
	for i := range width {
		product.SetSym(i, i, product.At(i, i)+shrink*trace)
	}
	return mean, &product
}

// centre returns the mean of rows, and the rows less it.
func centre(rows [][]float64) (mean []float64, centred *mat.Dense) {
	mean = make([]float64, len(rows[0]))
	for _, row := range rows {
		for j, x := range row {
			mean[j] += x / float64(len(rows))
		}
	}
	return mean, less(rows, mean)
}

// less returns rows less a mean.
func less(rows [][]float64, mean []float64) *mat.Dense {
	centred := mat.NewDense(len(rows), len(mean), nil)
	for i, row := range rows {
		floats.SubTo(centred.RawRowView(i), row, mean)
	}
	return centred
}
