package suggest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/golden"
)

// A report says what is true of a few picks, and of too many to show.
func TestReportSaysWhatIsThere(t *testing.T) {
	var s golden.Pages
	x := &Suggestion{Far: []float64{2, 1, 0.5}, FarRandom: []float64{2, 1.5, 1}, FarTop: []float64{2, 2, 2}}
	picks := slices.Repeat([]Row{{Record: 1, Rank: 2, ID: "y", Similarity: 1}}, 101)
	picks[0] = Row{Record: 3, Rank: 1, ID: golden.Evil, SMILES: "C<", Score: 9, Verdict: "outside", Price: new(12.5), Gain: 0.125, Nearer: 2, Inside: 1, Similarity: 0.5}
	s.Page(t, "suggestion", (&Report{x, picks, []string{"one thing"}, []string{"a warning"}, "graphs", "baca suggest"}).HTML())
	s.Page(t, "suggestion of 100", (&Report{Suggestion: &Suggestion{Far: []float64{0}, FarTop: []float64{0}}, Picks: picks[:100]}).HTML())
	s.Page(t, "suggestion of nothing", (&Report{Sentences: []string{"none"}}).HTML())
	for top, want := range map[float64]string{2: "The picks beat sorting by score: 0.50 and 2.00 after 2.", 0.501: "The picks do as well as sorting by score: 0.50 and 0.50 after 2.",
		0.4: "The picks do not beat sorting by score: 0.50 and 0.40 after 2."} {
		if got := (&Suggestion{Far: x.Far, FarTop: []float64{2, top}}).Beats(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	fmt.Fprintln(&s, "a file:", strings.Count(x.SVG("graphs"), `<svg xmlns="http://www.w3.org/2000/svg"`))
	golden.Same(t, "testdata/report.txt", s.String())
}
