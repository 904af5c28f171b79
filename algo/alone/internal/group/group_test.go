package group

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"baca/algo/contrast"
	"baca/algo/contrast/contrasttest"
	"baca/algo/fingerprint"
	"baca/algo/near"
)

// Each group is the farthest row from the mean of those left with its nearest, the last one what is left. Copies count once.
func TestOf(t *testing.T) {
	const size = 6
	var left []int
	for i := range 40 {
		left = append(left, i)
	}
	bank := contrasttest.New(0, 0, len(left), 0).Bank
	if few, enough := Of(bank.Select(left[1:size]), size), Of(bank.Select(left[:size]), size); len(few) != 0 || len(enough) != 1 {
		t.Errorf("%d groups of too few, %d of just enough", len(few), len(enough))
	}
	bank = bank.Select(append(slices.Clone(left), 7, 7, 30))
	dim, rows := bank.Dim(), near.NewStandardizer(bank.Q, bank.Dim()).Apply(bank.Q)
	row := func(i int) []float32 { return rows[i*dim : (i+1)*dim] }
	for k, got := range Of(bank, size) {
		want := left
		if len(left) >= 2*size {
			mean := make([]float32, dim)
			for _, i := range left {
				for t, x := range row(i) {
					mean[t] += x / float32(len(left))
				}
			}
			by := func(to []float32) func(a, b int) int {
				return func(a, b int) int {
					return cmp.Compare(near.SquaredDistance(row(a), to), near.SquaredDistance(row(b), to))
				}
			}
			slices.SortFunc(left, by(row(slices.MaxFunc(left, by(mean)))))
			want = left[:size]
		}
		slices.Sort(got)
		slices.Sort(want)
		if left = left[len(want):]; !slices.Equal(got, want) {
			t.Errorf("group %d is %d, want %d", k, got, want)
		}
	}
	if len(left) > 0 {
		t.Errorf("rows %d are in no group", left)
	}
}

// The mean of two graphs has the keys that both have, as often as both do.
func TestMean(t *testing.T) {
	r := &contrast.Representation{
		Width: 1, Q: []float32{9, 9, 1, 2, 3, 6}, NodeScore: []float64{8, 1, math.NaN()},
		Prints: []fingerprint.Print{{}, {Keys: []uint32{1, 2, 4}, Counts: []uint32{5, 1, 2}}, {Keys: []uint32{1, 4}, Counts: []uint32{3, 4}}},
	}
	q, node, p := Mean(r, []int{1, 2}, 2)
	want := fingerprint.Print{Keys: []uint32{1, 4}, Counts: []uint32{3, 2}}
	if !slices.Equal(q, []float32{2, 4}) || node != 1 || !p.Equal(want) {
		t.Errorf("%v, %g and %v; want [2 4], 1 and %v", q, node, p, want)
	}
}
