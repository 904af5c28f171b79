package rival

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// outsideBox returns the share of the columns of each row of test whose value lies outside
// the range that train has.
func outsideBox(e *Embedded, _ uint64) []float64 {
	low, high := slices.Clone(e.Train[0]), slices.Clone(e.Train[0])
	for _, row := range e.Train {
		for j, x := range row {
			low[j], high[j] = min(low[j], x), max(high[j], x)
		}
	}
	scores := make([]float64, len(e.Test))
	for i, row := range e.Test {
		for j, x := range row {
			if x < low[j] || x > high[j] {
				scores[i] += 1 / float64(len(low))
			}
		}
	}
	return scores
}

// pcaShare is the share of the variance that principal components explain together.
const pcaShare = 0.9

// principal returns the principal components of rows (columns of the result), as many as
// explain pcaShare of the variance, and the mean. They follow from the products of rows
// where there are fewer of these than columns, else from those of columns.
func principal(rows [][]float64) (components *mat.Dense, mean []float64) {
	mean, centred := centre(rows)
	few := len(rows) < len(mean)
	var products mat.SymDense
	if few {
		products.SymOuterK(1, centred)
	} else {
		products.SymOuterK(1, centred.T())
	}
	values, vectors := eigen(&products)
	total, sum, count := mat.Trace(&products), 0.0, 0
	for count < len(values) && (count == 0 || sum < pcaShare*total) {
		sum += values[len(values)-1-count]
		count++
	}
	last := vectors.Slice(0, len(values), len(values)-count, len(values)).(*mat.Dense)
	if !few {
		return last, mean
	}
	components = new(mat.Dense)
	components.Mul(centred.T(), last)
	return components, mean
}

// eigen returns the eigenvalues, ascending, and the eigenvectors.
func eigen(a mat.Symmetric) ([]float64, *mat.Dense) {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		check(errors.New("the covariance of the training graphs has no eigenvectors: want finite values"))
	}
	vectors := new(mat.Dense)
	e.VectorsTo(vectors)
	return e.Values(nil), vectors
}

// outsidePCA is outsideBox in the principal components of train, whose lengths do not matter
// to a box.
func outsidePCA(e *Embedded, seed uint64) []float64 {
	components, mean := principal(e.Train)
	projected := func(rows [][]float64) [][]float64 {
		var product mat.Dense
		product.Mul(less(rows, mean), components)
		list := make([][]float64, len(rows))
		for i := range list {
			list[i] = product.RawRowView(i)
		}
		return list
	}
	return outsideBox(&Embedded{projected(e.Train), projected(e.Test)}, seed)
}
