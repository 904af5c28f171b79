package alone

import (
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/metric"
)

// p-values compare with the holdout and with left-out training graphs, doubled. The ratios of the latter are those
// that training standardised, so their mean is 0 and their deviation 1. Scores stay.
func TestApproximate(t *testing.T) {
	m := molecules()
	m.Background.AUC = 0.9 // so that the ratio counts
	s := must.Have(New(ctx, m, 1))
	outside := parse(amines(90)...)
	a, wide := must.Both(s.Approximate(ctx, outside))
	left := must.Have(s.leftOut(ctx, outside))
	distances := s.near.Scores(must.Have(s.near.LeaveOut(ctx, 1)))
	var ratios []float64
	for k, p := range m.Bank.Prints {
		mean, deviation := m.Sizes.Of(p.Nodes())
		softened := left[k]*deviation + mean - soft(distances[k])
		ratios = append(ratios, softened-softness/(4*softened))
	}
	if mean, deviation := metric.MeanStd(ratios); len(ratios) != 96 || math.Abs(mean) > 1e-6 || math.Abs(deviation-1) > 1e-6 {
		t.Errorf("%d ratios of mean %g and deviation %g, want 96 of 0 and 1", len(ratios), mean, deviation)
	}
	gs := parse(append(alcohols(10), amines(10)...)...)
	scores := must.Have(a.Scores(ctx, gs))
	if !slices.Equal(scores, must.Have(s.Scores(ctx, gs))) {
		t.Error("scores differ")
	}
	p, _ := a.Judge(scores, 0.05)
	for i, x := range scores {
		above := 0.0
		for _, y := range slices.Concat(s.Holdout(), left) {
			if y >= x {
				above++
			}
		}
		if want := min(1, (1+above)/60); p[i] != want {
			t.Errorf("graph %d: p = %g, want %g, twice %g of 120", i, p[i], want, 1+above)
		}
	}
	if wide.References() != 59 {
		t.Errorf("%d references, want 59", wide.References())
	}
	if _, _, err := s.Approximate(ctx, outside[:80]); err == nil || !strings.Contains(err.Error(), "one of 90") {
		t.Errorf("another background: %v", err)
	}
	shared := *m
	shared.Shared = 3
	s.model = &shared
	if _, _, err := s.Approximate(ctx, outside); err == nil {
		t.Error("a shared model holds single graphs")
	}
}
