package decide

import "testing"

func TestCounts(t *testing.T) {
	if got := CountedIn(3.0/205, 204, " molecules"); got != "3 of 205 molecules, this one counted in" {
		t.Error(got)
	}
	var counts Counts
	for _, v := range []Verdict{Outside, Inside, Outside, Borderline, Outside, Borderline, Undecided} {
		counts.Count(v)
	}
	for want, counts := range map[string]Counts{
		"3 outside, 2 borderline, 1 inside, 1 undecided": counts,
		"0 outside, 0 borderline, 4 inside":              {Inside: 4},
	} {
		if got := counts.Verdicts(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A list is foreign if more than a third of 20 or more is outside.
func TestForeign(t *testing.T) {
	for _, c := range []struct {
		counts Counts
		want   bool
	}{
		{Counts{Outside: 19}, false},
		{Counts{Outside: 20}, true},
		{Counts{Outside: 10, Inside: 20}, false},
		{Counts{Outside: 11, Borderline: 9, Inside: 10}, true},
		{Counts{Outside: 10, Inside: 10, Undecided: 10}, false},
		{Counts{Undecided: 50}, false},
	} {
		if got := c.counts.Foreign(); (got != "") != c.want {
			t.Errorf("%+v: %q", c.counts, got)
		}
	}
	if got, want := (Counts{Outside: 11, Inside: 10}).Foreign(), "11 of 21 are outside: this list is not what this model knows"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
