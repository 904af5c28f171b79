package rival

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// outsideBox returns the share of the columns of each row of test whose value lies outside
// the range that train has.
func outsideBox(train, test [][]float64) []float64 {
	width := len(train[0])
	low, high := make([]float64, width), make([]float64, width)
	for j := range width {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
		for _, row := range train {
			low[j], high[j] = min(low[j], row[j]), max(high[j], row[j])
		}
	}
	scores := make([]float64, len(test))
	for i, row := range test {
		for j, x := range row {
			if x < low[j] || x > high[j] {
				scores[i] += 1 / float64(width)
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
func principal(rows [][]float64) (components *mat.Dense, mean []float64, err error) {
	mean, centred := centre(rows)
	few := len(rows) < len(mean)
	var products mat.SymDense
	if few {
		products.SymOuterK(1, centred)
	} else {
		products.SymOuterK(1, centred.T())
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(&products, true) {
		return nil, nil, errors.New("the principal components of the training graphs cannot be found")
	}
	values := eigen.Values(nil) // ascending
	total, sum, count := mat.Trace(&products), 0.0, 0
	for count < len(values) && (count == 0 || sum < pcaShare*total) {
		sum += values[len(values)-1-count]
		count++
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	size, _ := vectors.Dims()
	last := vectors.Slice(0, size, size-count, size)
	if !few {
		return mat.DenseCopyOf(last), mean, nil
	}
	components = new(mat.Dense)
	components.Mul(centred.T(), last)
	return components, mean, nil
}

// outsidePCA is outsideBox in the principal components of train, whose lengths do not matter
// to a box.
func outsidePCA(train, test [][]float64) ([]float64, error) {
	components, mean, err := principal(train)
	if err != nil {
		return nil, err
	}
	projected := func(rows [][]float64) [][]float64 {
		var product mat.Dense
		product.Mul(less(rows, mean), components)
		list := make([][]float64, len(rows))
		for i := range list {
			list[i] = product.RawRowView(i)
		}
		return list
	}
	return outsideBox(projected(train), projected(test)), nil
}

// leverages returns xᵀ(XᵀX + I)⁻¹x of each row x of test, where X has the rows of train:
// how little these say about what a linear model would make of x. The identity stands
// in where X has fewer rows than columns.
func leverages(train, test [][]float64) ([]float64, error) {
	none := make([]float64, len(train[0]))
	gram := new(mat.SymDense)
	gram.SymOuterK(1, less(train, none).T())
	for i := range none {
		gram.SetSym(i, i, gram.At(i, i)+1)
	}
	var inverse mat.Cholesky
	if !inverse.Factorize(gram) {
		return nil, errors.New("leverages have no inverse: want finite fingerprints")
	}
	return quadratic(&inverse, less(test, none))
}
