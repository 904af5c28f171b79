package algo_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"baca/algo"
	"baca/algo/internal/must"
	"baca/algo/suggest"
)

// library returns a library of graphs, some like the training set.
func library(t *testing.T) (*algo.SingleScorer, *suggest.Library) {
	t.Helper()
	s := alone(model())
	rng := rand.New(rand.NewPCG(31, 7))
	gs := append(trees(rng, 40, 0), trees(rng, 60, 0.6)...)
	l := s.NewLibrary()
	// In two parts, as from a stream.
	for _, part := range [][2]int{{0, 30}, {30, 100}} {
		must.Do(l.Add(ctx, 2, gs[part[0]:part[1]]))
	}
	scores := must.Have(s.Scores(ctx, gs))
	for i, want := range scores {
		if got := l.Score(i); got != want {
			t.Fatalf("graph %d of the library has score %g, want %g", i, got, want)
		}
	}
	return s, l
}

func TestSuggest(t *testing.T) {
	_, l := library(t)
	o := suggest.Options{Most: 12, Alpha: 0.1, Seed: 1, Workers: 1}
	s := must.Have(l.Suggest(ctx, o))
	if len(s.Picks) != 12 || len(s.Far) != 13 || s.Points != 100 || s.Sampled {
		t.Fatalf("%d picks, %d steps, %d points", len(s.Picks), len(s.Far), s.Points)
	}
	seen := map[int]bool{}
	for k, p := range s.Picks {
		if seen[p.Graph] {
			t.Errorf("graph %d is suggested twice", p.Graph)
		}
		seen[p.Graph] = true
		// What a pick gains is what the path shows, and never more than the one before.
		if fell := s.Far[k] - s.Far[k+1]; math.Abs(fell-p.Gain) > 1e-9 || k > 0 && p.Gain > s.Picks[k-1].Gain+1e-12 {
			t.Errorf("pick %d gains %g, far falls by %g", k, p.Gain, fell)
		}
		if s.Outside[k]-s.Outside[k+1] > p.Inside {
			t.Errorf("pick %d: outside falls from %d to %d, and %d came inside", k, s.Outside[k], s.Outside[k+1], p.Inside)
		}
	}
	last := len(s.Far) - 1
	if !(s.Far[last] < s.FarRandom[last] && s.Far[last] < s.FarTop[last]) {
		t.Errorf("far %g, with random picks %g, with the highest scores %g", s.Far[last], s.FarRandom[last], s.FarTop[last])
	}
	for workers := 2; workers <= 4; workers++ {
		o.Workers = workers
		if other := must.Have(l.Suggest(ctx, o)); !reflect.DeepEqual(other, s) {
			t.Errorf("%d workers suggest something else", workers)
		}
	}
	// Once all are picked none is far, and nearer than training graphs to each other counts as that.
	if all := must.Have(l.Suggest(ctx, suggest.Options{Most: l.Len(), Alpha: 0.1})); all.Far[len(all.Far)-1] < 0 {
		t.Errorf("far %g with all graphs, want at least 0", all.Far[len(all.Far)-1])
	}
	// Of one pick, no other gains more.
	for i := range l.Len() {
		only := make([]bool, l.Len())
		for j := range only {
			only[j] = j != i
		}
		if one := must.Have(l.Suggest(ctx, suggest.Options{Most: 1, Alpha: 0.1, Exclude: only})); len(one.Picks) > 0 && one.Picks[0].Gain > s.Picks[0].Gain {
			t.Errorf("graph %d gains %g, the first pick %g", i, one.Picks[0].Gain, s.Picks[0].Gain)
		}
	}
}

func TestSuggestWithinABudget(t *testing.T) {
	_, l := library(t)
	free := must.Have(l.Suggest(ctx, suggest.Options{Most: 5, Alpha: 0.1}))
	o := suggest.Options{Most: 20, Alpha: 0.1, Budget: 10, Prices: make([]float64, l.Len()), Exclude: make([]bool, l.Len())}
	for i := range o.Prices {
		o.Prices[i] = float64(1 + i%4)
	}
	o.Exclude[free.Picks[0].Graph] = true
	s := must.Have(l.Suggest(ctx, o))
	cost := 0.0
	for _, p := range s.Picks {
		cost += o.Prices[p.Graph]
		if p.Graph == free.Picks[0].Graph {
			t.Error("what is excluded is suggested")
		}
	}
	if cost > 10 || len(s.Picks) < 3 {
		t.Errorf("%d picks for %g, want some for at most 10", len(s.Picks), cost)
	}
}

func TestSuggestSaysWhatIsWrong(t *testing.T) {
	single, l := library(t)
	for _, o := range []suggest.Options{{Most: 0, Alpha: 0.1}, {Most: 1, Alpha: 2}} {
		if _, err := l.Suggest(ctx, o); err == nil {
			t.Errorf("no error about %+v", o)
		}
	}
	if _, err := single.NewLibrary().Suggest(ctx, suggest.Options{Most: 1, Alpha: 0.1}); err == nil {
		t.Error("no error about a library without graphs")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := l.Suggest(done, suggest.Options{Most: 1, Alpha: 0.1}); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
}
