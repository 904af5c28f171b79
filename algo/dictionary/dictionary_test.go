package dictionary

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func entryOf(id int, score float64) Entry {
	return Entry{Score: score, Origin: Synthetic, Index: id}
}

// oracle sorts all offers, the best first and the earlier of two equals first, and returns the
// numbers of what fits.
func oracle(side Side, capacity int, offers []Entry) (ids []int) {
	kept := slices.DeleteFunc(slices.Clone(offers), func(e Entry) bool { return math.IsNaN(e.Score) })
	slices.SortStableFunc(kept, func(a, b Entry) int {
		if side == OOD {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.Score, b.Score)
	})
	for _, e := range kept[:min(capacity, len(kept))] {
		ids = append(ids, e.Index)
	}
	slices.Sort(ids)
	return ids
}

func TestQueueAgainstSortedSlice(t *testing.T) {
	for _, side := range []Side{ID, OOD} {
		for _, capacity := range []int{0, 1, 2, 3, 8, 33} {
			for levels := range 4 { // 0: all distinct; else so many different scores
				t.Run(fmt.Sprintf("%v/%d/%d", side, capacity, levels), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(uint64(capacity), uint64(levels)))
					bank := capacity % 2
					q := New(side, capacity, make([]Entry, bank))
					var offers []Entry
					mirror := map[int]int{} // row to entry, from the answers alone
					for id := range 150 {
						score := rng.NormFloat64()
						if levels > 0 {
							score = float64(rng.IntN(3*levels) - levels)
						}
						if rng.IntN(13) == 0 {
							score = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[rng.IntN(3)]
						}
						offers = append(offers, entryOf(id, score))
						if row := q.Offer(offers[id]); row >= 0 {
							mirror[row] = id
						}
						var ids []int
						for row := bank; row < q.Len(); row++ {
							e := q.Entry(row)
							if ids = append(ids, e.Index); e.Score != offers[e.Index].Score || e.Origin != Synthetic || mirror[row] != e.Index {
								t.Fatalf("row %d holds %+v, the answers said entry %d", row, e, mirror[row])
							}
						}
						slices.Sort(ids)
						if want := oracle(side, capacity, offers); !slices.Equal(ids, want) || len(mirror) != len(ids) {
							t.Fatalf("after offer %d of score %g the queue holds %v, want %v", id, score, ids, want)
						}
					}
				})
			}
		}
	}
}

func TestDictionaryRows(t *testing.T) {
	d := New(ID, 2, []Entry{{Score: math.NaN(), Origin: Training, Index: 10}, {Origin: Test, Index: 11}})
	check := func(want ...int) {
		t.Helper()
		var got []int
		for i := range d.Len() {
			got = append(got, d.Entry(i).Index)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("rows %d, want %d", got, want)
		}
	}
	check(10, 11)
	for id, score := range []float64{5, 3, 6, 5, 4, math.NaN()} {
		d.Offer(entryOf(id, score))
	}
	check(10, 11, 4, 1)
	// The new bank may point into the old one.
	d.SetBank([]Entry{d.Entry(1), {Index: 12}, d.Entry(0)})
	check(11, 12, 10, 4, 1)
	if p := d.Offer(entryOf(6, 0)); p != 3 {
		t.Errorf("offer after the bank grew: %+v, want row 3", p)
	}
	check(11, 12, 10, 6, 1)
	if d.Entry(1).Origin != Training || d.Entry(0).Origin != Test || d.bank != 3 {
		t.Error("the bank lost an origin or its length")
	}
	d.SetBank(nil)
	check(6, 1)
	d.Offer(entryOf(7, -1))
	check(6, 7)
}
