package rival

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"baca/algo/baseline"
	"baca/build/internal/try"
)

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

// By hand: with X = I the matrix is 2·I; with the one row x its inverse is I − x·xᵀ/(1 + x·x).
func TestLeverages(t *testing.T) {
	dense := func(data ...float64) *mat.Dense { return mat.NewDense(len(data)/2, 2, data) }
	alike(t, "leverage", leverages(dense(1, 0, 0, 1), dense(3, 4, 0, 1)), []float64{12.5, 0.5}, 1e-12)
	alike(t, "leverage", leverages(dense(1, 2), dense(1, 0, 2, 1)), []float64{5.0 / 6, 7.0 / 3}, 1e-12)
}

func TestNearest(t *testing.T) {
	alike(t, "nearest", nearest(onLine([]float64{0, 1, 3, 7, 2, 10}, 4), 2), []float64{1, 5}, 0)
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

// Every detector scores all molecules, gives the same scores twice, and what it is shown beside a molecule does not matter.
func TestDomains(t *testing.T) {
	texts := []string{"CCO", "CCCO", "CCCCO", "CCN", "CCCN", "c1ccccc1O", "c1ccccc1N", "CC(C)O", "CC(C)N", "CCOC"}
	background := []string{"CCCCCCCCP", "c1ccc(F)cc1S", "FC(F)(F)CCl", "c1ccsc1C(F)F", "CP(C)C"}
	p := &Problem{
		Train: slices.Repeat(texts, 6), Test: append(texts[:9:9], "FC(F)(F)S(=O)(=O)c1nnsc1P"),
		Background: try.To(baseline.ECFPs(slices.Repeat(background, 12), 2)),
	}
	last := *p
	last.Test = p.Test[9:]
	for _, r := range All() {
		all := try.To(r.Score(t.Context(), p))
		alike(t, r.Name+" again", try.To(r.Score(t.Context(), p)), all, 0)
		alike(t, r.Name+" of the last molecule", try.To(r.Score(t.Context(), &last)), all[9:], 1e-12)
		if all[9] < slices.Max(all[:9]) {
			t.Errorf("%s: %g for a molecule like no other, %v for known ones", r.Name, all[9], all[:9])
		}
	}
}
