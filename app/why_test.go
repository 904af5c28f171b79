package app

import (
	"math"
	"slices"
	"testing"

	"baca/algo/decide"
	"baca/app/table"
)

// The colours follow the line between inside and outside.
func TestColours(t *testing.T) {
	s, f, _ := decided(t, lengths)
	s.Inspector.Show(0)
	f.next(-1)
	limit, ok := decide.Threshold(s.References[table.EachAlone], s.Alpha)
	if !ok {
		t.Fatal("no line between inside and outside")
	}
	d := s.Inspector.Detail.Value
	d.Limit = limit
	if got := s.AboveLimit(d); !slices.Equal(got[:2], []float64{1, -1}) {
		t.Errorf("atoms have %v, want what came", got)
	}
	before := s.Alpha
	s.SetAlpha(0.3)
	moved, ok := decide.Threshold(s.References[table.EachAlone], s.Alpha)
	if !ok || moved == limit {
		t.Fatalf("α from %g to %g keeps the line at %g", before, s.Alpha, limit)
	}
	got := s.AboveLimit(d)
	if want := limit - moved; math.Abs(got[0]+got[1]-want) > 1e-12 || !math.IsNaN(got[2]) {
		t.Errorf("after moving the line atoms have %v, want %g in sum", got, want)
	}
}
