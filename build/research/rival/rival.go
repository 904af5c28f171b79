// Package rival has the detectors that BaCa is compared with: chemists' applicability domains on circular
// fingerprints (Rogers and Hahn 2010). They tell whether a molecule lies where the training molecules do, and see
// what BaCa sees: the same split, the same molecules, no labels.
package rival

import (
	"context"
	"errors"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"baca/algo/background"
	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/metric"
	"baca/build/internal/try"
)

// A Problem has molecules that a detector may be trained on, all of them in-distribution, and molecules that it has to
// rank. Nothing in it, not even their order, tells which of these are OOD.
type Problem struct {
	Train, Test []string            // SMILES
	Background  []fingerprint.Print // ECFP4 of molecules at large, see package weights
	Workers     int                 // goroutines, 0 for one on each core; scores do not depend on it
}

// A Rival is a detector.
type Rival struct {
	Name    string // for flags and columns, such as ecfp-knn
	Title   string // as its authors write it
	Cite    string // authors, title, where, when
	Differs string // how ours differs from the published one
	score   judge
}

// A judge returns a score for each fingerprint of test; higher is more OOD.
type judge = func(r *run, train, test []fingerprint.Print) []float64

// A run is a detector at work on a problem.
type run struct {
	*Problem
	ctx context.Context
}

// Score returns one score for each molecule of Test; higher is more OOD. It is a pure function of the problem.
// It fails if a SMILES cannot be read, or if ctx is done.
func (r *Rival) Score(ctx context.Context, p *Problem) (scores []float64, err error) {
	defer try.Catch(&err)
	return r.score(&run{p, ctx}, try.To(baseline.ECFPs(p.Train, 2)), try.To(baseline.ECFPs(p.Test, 2))), nil
}

// Named returns the detector of a name, or nil.
func Named(name string) *Rival {
	for _, r := range All() {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// All returns the detectors in the order of reports.
func All() []*Rival {
	domain := func(name, title, cite, differs string, score judge) *Rival {
		return &Rival{"ecfp-" + name, "ECFP4, " + title, cite, differs, score}
	}
	byDistance := func(head func(distances points) []float64) judge {
		return func(_ *run, train, test []fingerprint.Print) []float64 { return head(distances(train, test)) }
	}
	const nobody = "Nobody's: what anyone with a background of molecules writes in an hour"
	const logistic = "A logistic head (L2, C = 0.03) tells ECFP4 of the training molecules, in 2 048 buckets, from that of the built-in background."
	const scikit = "the applicability domains of scikit-fingerprints (Adamczyk and Ludynia, SoftwareX 28, 2024)"
	const sets = "ECFP4 is not folded, and Tanimoto similarity takes the place of a distance of bits."
	const folded = "ECFP4 is folded to 1 024 bits. The domain is a score and not yes or no."
	return []*Rival{
		domain("nearest", "nearest neighbour", "k-NN of "+scikit+" with its k = 1", sets, byDistance(func(p points) []float64 { return nearest(p, 1) })),
		domain("knn", "5 nearest neighbours",
			"Sheridan, Feuston, Maiorov and Kearsley, Journal of Chemical Information and Computer Sciences 44, 2004; mean Tanimoto distance", sets,
			byDistance(func(p points) []float64 { return nearest(p, 5) })),
		domain("leverage", "leverage", "Leverage of "+scikit, folded, func(_ *run, train, test []fingerprint.Print) []float64 {
			return leverages(bits(train), bits(test))
		}),
		domain("ratio", "ratio to a background", nobody, logistic, backgroundRatio),
		domain("sum", "ratio + 5 nearest neighbours", nobody, logistic+
			" The mean Tanimoto distance is added, both in standard deviations of training molecules that were left out.",
			func(r *run, train, test []fingerprint.Print) []float64 {
				sum := backgroundRatio(r, train, test)
				floats.Add(sum, standardNearest(distances(train, test), 5))
				return sum
			}),
	}
}

// tabulate returns f(0) to f(n−1).
func tabulate[T any](n int, f func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

// backgroundRatio returns how much more like the background than like train each of test is, in standard deviations of train
// under heads that have not seen them.
func backgroundRatio(r *run, train, test []fingerprint.Print) []float64 {
	sample := func(prints []fingerprint.Print) *background.Sample {
		return &background.Sample{Prints: prints, Folds: tabulate(len(prints), func(i int) int { return background.Fold(prints[i].Hash()) })}
	}
	head, _, err := background.Fit(r.ctx, r.Workers, sample(train), sample(r.Background))
	try.Check(err)
	return tabulate(len(test), func(i int) float64 { return head.Score(test[i], background.Fold(test[i].Hash())) })
}

// standardNearest returns nearest in standard deviations of the training points, each without itself.
func standardNearest(p points, k int) []float64 {
	mean, deviation := metric.MeanStd(meanDistances(p.neighbors(0, p.n, k)))
	list := nearest(p, k)
	floats.AddConst(-mean, list)
	floats.Scale(1/max(deviation, 1e-9), list)
	return list
}

// distances returns the points of prints, by their Tanimoto distances.
func distances(train, test []fingerprint.Print) points {
	index, prints := fingerprint.NewIndex(train), slices.Concat(train, test)
	return points{len(train), len(test), func(i int) []float64 {
		similarities := make([]float64, len(train))
		index.Similarities(similarities, fingerprint.Sets, prints[i])
		return tabulate(len(train), func(j int) float64 { return 1 - similarities[j] })
	}}
}

// foldedBits is the width of folded prints.
const foldedBits = 1024

// bits folds prints to rows of zeros and ones.
func bits(prints []fingerprint.Print) *mat.Dense {
	rows := mat.NewDense(len(prints), foldedBits, nil)
	for i, p := range prints {
		for _, key := range p.Keys {
			rows.Set(i, int(key%foldedBits), 1)
		}
	}
	return rows
}

// leverages returns xᵀ(XᵀX + I)⁻¹x of each row x of test, where X is train: how little X says about what a linear
// model would make of x. The identity stands in where X has fewer rows than columns.
func leverages(train, test *mat.Dense) []float64 {
	gram := new(mat.SymDense)
	gram.SymOuterK(1, train.T())
	for i := range gram.SymmetricDim() {
		gram.SetSym(i, i, gram.At(i, i)+1)
	}
	var inverse mat.Cholesky
	if !inverse.Factorize(gram) {
		try.Check(errors.New("the training graphs have no leverage: want finite values"))
	}
	var solved mat.Dense
	try.Check(inverse.SolveTo(&solved, test.T()))
	return tabulate(test.RawMatrix().Rows, func(i int) float64 { return mat.Dot(test.RowView(i), solved.ColView(i)) })
}

// Points are n training points, and after them some that are tested. Row returns the distances of
// point i from the training points.
type points struct {
	n, tested int
	row       func(i int) []float64
}

// A neighbor is a training point and how far it is.
type neighbor struct {
	point    int
	distance float64
}

// neighbors returns the k training points nearest to each of count points from first on, nearest first, ties by order. A training
// point is not its own neighbour.
func (p points) neighbors(first, count, k int) [][]neighbor {
	return tabulate(count, func(c int) (list []neighbor) {
		for j, d := range p.row(first + c) {
			if j == first+c || len(list) == k && d >= list[k-1].distance {
				continue
			}
			at := sort.Search(len(list), func(i int) bool { return list[i].distance > d })
			list = slices.Insert(list, at, neighbor{j, d})
			list = list[:min(k, len(list))]
		}
		return list
	})
}

// nearest returns the mean distance of each tested point to the k nearest training points.
func nearest(p points, k int) []float64 {
	return meanDistances(p.neighbors(p.n, p.tested, k))
}

// meanDistances returns the mean distance of each list of neighbours.
func meanDistances(lists [][]neighbor) []float64 {
	return tabulate(len(lists), func(i int) (mean float64) {
		for _, x := range lists[i] {
			mean += x.distance / float64(len(lists[i]))
		}
		return mean
	})
}
