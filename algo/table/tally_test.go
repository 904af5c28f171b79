package table

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/internal/must"
	"baca/algo/molecule"
)

func TestTally(t *testing.T) {
	var rows []Row
	text := "CCO\nC9CC\nC1CCCC(\nC0CC\nXx\n"
	for rec, err := range dataset.Molecules(t.Context(), strings.NewReader(text), dataset.Options{Name: "some.smi", Format: dataset.SMI}) {
		must.Do(err)
		if rec.Err == nil {
			rows = append(rows, NewScored(rec, batch.Row{Verdict: decide.Outside}))
		} else {
			rows = append(rows, &rec.Entry)
		}
	}
	rows[0].Input().Aside.Stereo = true
	rows[1].Input().Aside.Stereo = true // of a refused record, which was not read
	for _, v := range []decide.Verdict{decide.Borderline, decide.Inside, decide.Undecided, decide.Inside} {
		rows = append(rows, &Scored{Scores: batch.Row{Verdict: v}})
	}
	var got Tally
	got.Add(rows)
	want := Tally{Records: 9, Refused: 4, Counts: decide.Counts{Outside: 1, Borderline: 1, Inside: 2, Undecided: 1}, SetAside: molecule.Asides{"stereo": 1}, Reasons: got.Reasons}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got.Reasons["ring bond N is never closed"] != 2 || len(got.Reasons) != 3 {
		t.Errorf("reasons %v, want three, of which one twice, without the place", got.Reasons)
	}
}

// Tallies of any division, merged in any order, are that of the whole, also with
// more reasons than are told apart.
func TestTallyOfAnyDivision(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 30 {
		var rows []Row
		for range rng.IntN(3000) {
			s := &Scored{Scores: batch.Row{Verdict: decide.Inside}}
			s.Aside.Isotope = rng.IntN(2) == 0
			if rng.IntN(3) > 0 {
				rows = append(rows, &dataset.Entry{Err: errors.New(strings.Repeat(string(rune('a'+rng.IntN(26))), 1+rng.IntN(6)))})
			} else {
				rows = append(rows, s)
			}
		}
		var want Tally
		want.Add(rows)
		count := map[string]int{}
		for _, r := range rows {
			if err := r.Input().Err; err != nil {
				count[fmt.Sprint(err)]++
			}
		}
		for why, n := range want.Reasons {
			if count[why] != n {
				t.Fatalf("%s counted %d times, want %d", why, n, count[why])
			}
		}
		if len(want.Reasons) != min(len(count), maxReasons) {
			t.Fatalf("%d reasons of %d", len(want.Reasons), len(count))
		}
		parts := make([]Tally, 1+rng.IntN(8))
		for len(rows) > 0 {
			n := 1 + rng.IntN(len(rows))
			parts[rng.IntN(len(parts))].Add(rows[:n])
			rows = rows[n:]
		}
		for len(parts) > 1 {
			i := rng.IntN(len(parts) - 1)
			if rng.IntN(2) == 0 {
				parts[i], parts[i+1] = parts[i+1], parts[i]
			}
			parts[i].Merge(parts[i+1])
			parts = slices.Delete(parts, i+1, i+2)
		}
		if !reflect.DeepEqual(parts[0], want) {
			t.Fatalf("%+v, want %+v", parts[0], want)
		}
	}
}
