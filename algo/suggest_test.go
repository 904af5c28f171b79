package algo_test

import (
	"math/rand/v2"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/suggest"
)

// A library scores graphs as their scorer does, and suggests some that bring it nearer. Package suggest tests which.
func TestSuggest(t *testing.T) {
	s, gs := alone(model()), trees(rand.New(rand.NewPCG(31, 7)), 60, 0.6)
	l := s.NewLibrary()
	must.Do(l.Add(ctx, 2, gs))
	for i, want := range must.Have(s.Scores(ctx, gs)) {
		if got := l.Score(i); got != want {
			t.Fatalf("graph %d of the library has score %g, want %g", i, got, want)
		}
	}
	got := must.Have(l.Suggest(ctx, suggest.Options{Most: 12, Alpha: 0.1, Seed: 1}))
	if last := len(got.Far) - 1; last != 12 || !(got.Far[last] < got.FarRandom[last] && got.Far[last] < got.FarTop[last]) {
		t.Errorf("far %v, with random picks %v, with the highest scores %v", got.Far, got.FarRandom, got.FarTop)
	}
}
