package dataset

import (
	"math"
	"slices"
	"testing"

	"baca/algo/internal/must"
)

// The figures are pinned: published results name seeds, so a seed must mean the same split for ever, on every platform.
func TestSplitPinned(t *testing.T) {
	for seed, want := range map[uint64][]int{1: {5, 16}, 2: {14, 19}} {
		if _, test := Split(20, seed); !slices.Equal(test, want) {
			t.Errorf("Split(20, %d): test %v, want %v", seed, test, want)
		}
	}
	if got := TakeOOD(1000, 5, Random, 1); !slices.Equal(got, []int{199, 409, 453, 577, 729}) {
		t.Errorf("TakeOOD(1000, 5, Random, 1): %v", got)
	}
	if got, _ := Thin([]int{10, 11, 12, 13, 14, 15, 16, 17}, 8, 0.5, 1); !slices.Equal(got, []int{10, 12, 14, 17}) {
		t.Errorf("Thin: %v", got)
	}
}

// checkParts reports parts that are not ascending, or no partition of 0…n−1 with so many in the first.
func checkParts(t *testing.T, n, want int, first, second []int) {
	t.Helper()
	all := slices.Sorted(slices.Values(slices.Concat(first, second)))
	isPartition := len(all) == n && (n == 0 || all[0] == 0 && all[n-1] == n-1 && len(slices.Compact(all)) == n)
	if len(first) != want || !isPartition || !slices.IsSorted(first) || !slices.IsSorted(second) {
		t.Errorf("%d graphs: %v and %v, want two ascending parts, %d in the first", n, first, second, want)
	}
}

func TestSplit(t *testing.T) {
	for n := range 400 {
		train, test := Split(n, 7)
		checkParts(t, n, int(float64(n)*0.9), train, test) // as GOOD-D has it
	}
	for n := 0; n < 1<<30; n = n*5/4 + 1 {
		if want := int(float64(n) * 0.9); 9*(n/10)+9*(n%10)/10 != want {
			t.Errorf("%d graphs: GOOD-D has %d", n, want)
		}
	}
}

func TestTakeOOD(t *testing.T) {
	if got := TakeOOD(10, 3, First, 1); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("first: %v", got)
	}
	if got := TakeOOD(3, 5, First, 1); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("first of a small set: %v", got)
	}
	if got := TakeOOD(3, 5, Random, 1); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("random of a small set: %v", got)
	}
	if a, b := TakeOOD(0, 3, Random, 1), TakeOOD(3, 0, Random, 1); len(a)+len(b) != 0 {
		t.Errorf("of none %v, none %v", a, b)
	}
	a, b, c := TakeOOD(1000, 50, Random, 1), TakeOOD(1000, 50, Random, 1), TakeOOD(1000, 50, Random, 2)
	if !slices.Equal(a, b) || slices.Equal(a, c) || len(a) != 50 || !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != 50 || a[49] >= 1000 {
		t.Errorf("random: %v %v %v", a, b, c)
	}
}

func TestThin(t *testing.T) {
	ood := make([]int, 100)
	for i := range ood {
		ood[i] = 3 * i
	}
	var last []int
	for _, test := range []struct {
		share float64
		want  int
	}{{0, 0}, {0.004, 0}, {0.005, 1}, {0.02, 2}, {0.05, 5}, {0.2, 20}, {1, 100}, {1.5, 100}, {math.MaxFloat64, 100}} {
		got := must.Have(Thin(ood, 100, test.share, 3))
		if len(got) != test.want || !slices.IsSorted(got) {
			t.Errorf("share %v: %v, want %d", test.share, got, test.want)
		}
		for _, i := range got {
			if i%3 != 0 || i >= 300 {
				t.Errorf("share %v: %d is not an index of ood", test.share, i)
			}
		}
		for _, i := range last {
			if !slices.Contains(got, i) {
				t.Errorf("share %v: lacks %d, which a smaller share has", test.share, i)
			}
		}
		last = got
	}
	if got, err := Thin(ood, 50, 0.5, 3); err != nil || len(got) != 25 {
		t.Errorf("%v, %v, want 25", got, err)
	}
	for _, share := range []float64{-0.1, math.NaN(), math.Inf(1)} {
		if _, err := Thin(ood, 100, share, 1); err == nil {
			t.Errorf("share %v: want an error", share)
		}
	}
	if ood[1] != 3 {
		t.Error("ood was changed")
	}
}

// Small sets are divided as the benchmark divides them; a large one keeps so many that a p-value of 0.001 can be.
func TestHold(t *testing.T) {
	for n, want := range map[int]int{0: 0, 10: 1, 4999: 500, 5000: 999, 5001: 999, 20000: 999} {
		train, held := Hold(n, 3)
		checkParts(t, n, n-want, train, held)
		if again, _ := Hold(n, 3); !slices.Equal(again, train) {
			t.Errorf("%d graphs: another draw by the same seed", n)
		}
	}
	if smallest := 1 / float64(1+Held); smallest != 0.001 {
		t.Errorf("p-values go down to %g", smallest)
	}
}
