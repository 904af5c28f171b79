package rival

import (
	"cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"baca/build/internal/try"
)

// A golden is what scikit-learn makes of points, see testdata/sklearn.py.
type golden struct {
	Train, Test                             [][]float64
	Mahalanobis, LOF, SVM, Forest, Leverage []float64
	PCABox                                  []float64 `json:"pca_box"`
	Covariance                              [][]float64
	Components                              int
}

func readGolden() *golden {
	g := new(golden)
	try.Check(json.Unmarshal(try.To(os.ReadFile("testdata/sklearn.json")), g))
	return g
}

// alike fails where values differ by more than a tolerance.
func alike(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i, x := range got {
		if !(math.Abs(x-want[i]) <= tolerance*max(1, math.Abs(want[i]))) {
			t.Errorf("%s of point %d: %g, want %g", name, i, x, want[i])
		}
	}
}

// between are points of which a row has something of the squared distances.
func between(train, test [][]float64, of func(squared float64) float64) points {
	all := slices.Concat(train, test)
	return points{len(train), len(test), func(i int) []float64 {
		row := make([]float64, len(train))
		for j, other := range train {
			sum := 0.0
			for c, x := range all[i] {
				sum += (x - other[c]) * (x - other[c])
			}
			row[j] = of(sum)
		}
		return row
	}}
}

// onLine are points at places, of which a row has the distances.
func onLine(places []float64, n int) points {
	return points{n, len(places) - n, func(i int) []float64 {
		row := make([]float64, n)
		for j := range row {
			row[j] = math.Abs(places[i] - places[j])
		}
		return row
	}}
}

func TestHeadsAreThoseOfScikitLearn(t *testing.T) {
	g := readGolden()
	all := &embedded{g.Train, g.Test}
	alike(t, "Mahalanobis", mahalanobis(all, 0), g.Mahalanobis, 1e-9)
	_, covariance := ledoitWolf(g.Train)
	for i, want := range g.Covariance {
		alike(t, "covariance", mat.Row(nil, i, covariance), want, 1e-12)
	}
	alike(t, "LOF", outlierFactors(between(g.Train, g.Test, math.Sqrt)), g.LOF, 1e-9)
	alike(t, "one-class SVM", oneClass(between(g.Train, g.Test, func(d float64) float64 { return math.Exp(-d / 4) }), 0), g.SVM, 1e-3)
	alike(t, "PCA box", outsidePCA(all, 0), g.PCABox, 1e-12)
	components, _ := principal(g.Train)
	if _, count := components.Dims(); count != g.Components {
		t.Errorf("%d principal components, want %d", count, g.Components)
	}
	// Fewer rows than columns: each column three times spans the same boxes.
	triple := func(rows [][]float64) (wide [][]float64) {
		for _, row := range rows {
			wide = append(wide, slices.Concat(row, row, row))
		}
		return wide
	}
	wide := outsidePCA(&embedded{triple(g.Train[:8]), triple(g.Test)}, 0)
	alike(t, "PCA box of wide rows", wide, outsidePCA(&embedded{g.Train[:8], g.Test}, 0), 1e-12)
	alike(t, "leverage", leverages(all, 0), g.Leverage, 1e-9)
}

// Random trees differ from those of scikit-learn. Their means over many forests do not.
func TestForest(t *testing.T) {
	g := readGolden()
	all, mean := &embedded{g.Train, g.Test}, make([]float64, len(g.Test))
	for seed := range uint64(100) {
		for i, x := range isolationForest(all, seed) {
			mean[i] += x / 100
		}
	}
	alike(t, "forest", mean, g.Forest, 0.005)
	if !slices.Equal(isolationForest(all, 3), isolationForest(all, 3)) {
		t.Error("one seed gives two forests")
	}
	same := [][]float64{{1, 2}, {1, 2}, {1, 2}}
	if s := isolationForest(&embedded{same, [][]float64{{1, 2}, {5, 5}}}, 1); s[0] != s[1] || math.IsNaN(s[0]) {
		t.Errorf("equal rows cannot be cut: %v", s)
	}
}

// The weights of the SVM meet the conditions of an optimum: ν of the training points at
// most lie outside, and as many at least are support vectors, which tested points that
// equal training points show.
func TestOneClassShare(t *testing.T) {
	g := readGolden()
	outside := 0
	for _, s := range oneClass(between(g.Train, g.Train, func(d float64) float64 { return math.Exp(-d / 4) }), 0) {
		if s > 2*svmTolerance {
			outside++
		}
	}
	n := len(g.Train)
	if want := int(svmNu * float64(n)); outside > want || outside < want-4 {
		t.Errorf("%d of %d training points are outside, want about %d and no more", outside, n, want)
	}
}

func TestNearest(t *testing.T) {
	alike(t, "nearest", nearest(onLine([]float64{0, 1, 3, 7, 2, 10}, 4), 2), []float64{1, 5}, 0)
	box := outsideBox(&embedded{[][]float64{{0, 0}, {1, 2}}, [][]float64{{0.5, 2}, {2, -1}, {1, 3}}}, 0)
	alike(t, "box", box, []float64{0, 1, 0.5}, 0)
}

// The nearest are those that sorting finds, ties by order.
func TestNeighborsAreSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	places := make([]float64, 60)
	for i := range places {
		places[i] = float64(rng.IntN(30))
	}
	for i, list := range onLine(places, 50).neighbors(0, 60, 7) {
		var all []neighbor
		for j := range 50 {
			if j != i {
				all = append(all, neighbor{j, math.Abs(places[i] - places[j])})
			}
		}
		slices.SortStableFunc(all, func(a, b neighbor) int { return cmp.Compare(a.distance, b.distance) })
		if !slices.Equal(list, all[:7]) {
			t.Errorf("point %d: %v, want %v", i, list, all[:7])
		}
	}
}
