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

// oracle sorts all offers, the best first and the earlier of two equals first,
// and keeps what fits.
func oracle(side Side, capacity int, offers []Entry) []Entry {
	var kept []Entry
	for _, e := range offers {
		if !math.IsNaN(e.Score) {
			kept = append(kept, e)
		}
	}
	slices.SortStableFunc(kept, func(a, b Entry) int {
		if side == OOD {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.Score, b.Score)
	})
	return kept[:min(capacity, len(kept))]
}

func ids(entries []Entry) []int {
	out := make([]int, len(entries))
	for i, e := range entries {
		out[i] = e.Index
	}
	slices.Sort(out)
	return out
}

func contents(q *Dictionary) []Entry {
	out := make([]Entry, q.Len())
	for i := range out {
		out[i] = q.Entry(i)
	}
	return out
}

func checkAgainst(t *testing.T, q *Dictionary, want []Entry) {
	t.Helper()
	got := contents(q)
	if !slices.Equal(ids(got), ids(want)) {
		t.Fatalf("queue holds %v, want %v", ids(got), ids(want))
	}
	for slot, e := range got {
		if e.Origin != Synthetic {
			t.Fatalf("slot %d holds entry %d of origin %v", slot, e.Index, e.Origin)
		}
	}
	if len(want) == 0 {
		if q.front() != -1 {
			t.Fatalf("front of an empty queue is %d, want -1", q.front())
		}
		return
	}
	if front, last := q.Entry(q.front()), want[len(want)-1]; front.Index != last.Index || front.Score != last.Score {
		t.Fatalf("front is entry %d of score %g, want %d of %g", front.Index, front.Score, last.Index, last.Score)
	}
}

func TestQueueAgainstSortedSlice(t *testing.T) {
	for _, side := range []Side{ID, OOD} {
		for _, capacity := range []int{0, 1, 2, 3, 8, 33} {
			for levels := range 4 { // 0: all distinct; else so many different scores
				t.Run(fmt.Sprintf("%v/%d/%d", side, capacity, levels), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(uint64(capacity), uint64(levels)))
					q := New(side, capacity, nil)
					var offers []Entry
					mirror := map[int]int{} // slot to entry, kept from the rows of offers alone
					for id := range 150 {
						score := rng.NormFloat64()
						if levels > 0 {
							score = float64(rng.IntN(3*levels) - levels)
						}
						switch rng.IntN(40) {
						case 0:
							score = math.NaN()
						case 1:
							score = math.Inf(1)
						case 2:
							score = math.Inf(-1)
						}
						before := q.Len()
						e := entryOf(id, score)
						row := q.Offer(e)
						offers = append(offers, e)
						want := oracle(side, capacity, offers)
						enters := slices.ContainsFunc(want, func(o Entry) bool { return o.Index == id })
						if (row >= 0) != enters || enters && q.Len() != min(before+1, capacity) {
							t.Fatalf("offer %d of score %g: row %d of %d, want entered %v at length %d", id, score, row, q.Len(), enters, before)
						}
						if row >= 0 {
							mirror[row] = id
						}
						checkAgainst(t, q, want)
					}
					for slot, e := range contents(q) {
						if mirror[slot] != e.Index {
							t.Fatalf("slot %d holds %d, offers said %d", slot, e.Index, mirror[slot])
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
		if d.Len() != len(want) {
			t.Fatalf("%d rows, want %d", d.Len(), len(want))
		}
		for i, id := range want {
			e := d.Entry(i)
			if e.Index != id {
				t.Fatalf("row %d is %+v, want entry %d", i, e, id)
			}
		}
	}
	check(10, 11)
	for _, c := range []struct {
		id    int
		score float64
		want  int
	}{
		{0, 5, 2},
		{1, 3, 3},
		{2, 6, -1},
		{3, 5, -1},
		{4, 4, 2},
		{5, math.NaN(), -1},
	} {
		if got := d.Offer(entryOf(c.id, c.score)); got != c.want {
			t.Errorf("offer %d: row %d, want %d", c.id, got, c.want)
		}
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
