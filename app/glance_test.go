package app

import (
	"slices"
	"testing"

	"baca/app/run"
	"baca/app/table"
	"baca/wasm/message"
)

// details are the records that were asked about so far.
func (f *fake) details() (list []int) {
	for _, r := range f.asked {
		if r, ok := r.(*message.Detail); ok {
			list = append(list, r.Record)
		}
	}
	return list
}

// Rows in view are looked at one after the other while the worker is idle. Those that have
// left the view are not, and the record that is chosen comes first.
func TestGlances(t *testing.T) {
	s, f, _ := decided(t, lengths)
	asked := func(want ...int) {
		t.Helper()
		if got := f.details(); !slices.Equal(got, want) {
			t.Fatalf("asked for %v, want %v", got, want)
		}
	}
	s.Glances.Want([]int32{2, 5, 1, 0, 99}) // 5 was refused, 99 is not there
	asked(2)
	s.Glances.Want([]int32{1, 0, 4, 3})
	asked(2)
	f.next(1)
	asked(2, 1)
	if d := s.Glances.Of(2); d == nil || len(d.Contributions) != 3 || s.Glances.Of(1) != nil || s.Glances.Count != 1 {
		t.Errorf("of record 2 there is %+v, and %d have come", d, s.Glances.Count)
	}
	s.Inspector.Show(3)
	asked(2, 1, 3)
	f.next(1) // record 1; the chosen one is waited for
	asked(2, 1, 3)
	f.next(1)
	asked(2, 1, 3, 0)
	f.next(-1)
	asked(2, 1, 3, 0, 4, 3)
	s.Glances.Want([]int32{2, 1})
	asked(2, 1, 3, 0, 4, 3)

	// While a batch is calibrated nothing is asked, and another input has other atoms.
	s.DecideBy(table.TheBatch)
	s.Glances.Want([]int32{0, 1, 2, 3, 4})
	asked(2, 1, 3, 0, 4, 3)
	s.DecideBy(table.EachAlone)
	f.next(-1)
	s.Input.Give(run.Given{})
	if s.Glances.Of(2) != nil {
		t.Error("the atoms of another input are coloured")
	}
}
