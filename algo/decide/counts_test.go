package decide

import "testing"

func TestCounts(t *testing.T) {
	var counts Counts
	for _, v := range []Verdict{Outside, Inside, Outside, Borderline, Outside, Borderline} {
		counts.Count(v)
	}
	for want, counts := range map[string]Counts{
		"3 outside, 2 borderline, 1 inside":              counts,
		"0 outside, 0 borderline, 0 inside, 4 undecided": {Undecided: 4},
	} {
		if got := counts.Verdicts(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
