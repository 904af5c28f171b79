package algo_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo"
	"baca/algo/internal/must"
	"baca/algo/metric"
)

func TestShare(t *testing.T) {
	m := model(t)
	const k = 3
	s := must.Have(m.Share(ctx, 0, k))
	if n := s.Bank.Len(); n < 10 || n > m.Bank.Len()/(2*k) {
		t.Errorf("%d groups of %d graphs", n, m.Bank.Len())
	}
	// A key of a group is one that k graphs of the whole bank have so often.
	for i, p := range s.Bank.Prints {
		for t2, key := range p.Keys {
			holders := 0
			for _, q := range m.Bank.Prints {
				if at, ok := slices.BinarySearch(q.Keys, key); ok && q.Counts[at] >= p.Counts[t2] {
					holders++
				}
			}
			if holders < k {
				t.Errorf("group %d: key %x occurs %d times in %d graphs, want %d", i, key, p.Counts[t2], holders, k)
			}
		}
	}
	// The means of all groups lie within what the bank has, and none is a row of it.
	dim := m.Bank.Dim()
	for i := range s.Bank.Len() {
		row := s.Bank.Q[i*dim : (i+1)*dim]
		for j := range m.Bank.Len() {
			if slices.Equal(row, m.Bank.Q[j*dim:(j+1)*dim]) {
				t.Errorf("group %d is graph %d", i, j)
			}
		}
	}
	if s.Holdout.Len() != 0 || len(s.Reference) != m.Holdout.Len() || s.References() != m.References() || !slices.IsSorted(s.Reference) {
		t.Errorf("%d held-out graphs, %d scores, want none and %d", s.Holdout.Len(), len(s.Reference), m.Holdout.Len())
	}
	if s.Card.HoldoutRows != nil || s.Card.DatasetSHA256 != "" || len(s.Profile.Known.Hashes) != 0 || s.Shared != k {
		t.Errorf("the card or the profile tell too much: %+v", s.Card)
	}
	for _, row := range s.KnownRows() {
		if row != -1 {
			t.Fatalf("a group has row %d", row)
		}
	}
	// It scores alone, with p-values that come from the same scorer, and nearly as
	// well.
	rng := rand.New(rand.NewPCG(31, 7))
	inside, outside := trees(rng, 60, 0.1), trees(rng, 60, 0.8)
	gs := slices.Concat(inside, outside)
	labels := make([]bool, len(gs))
	for i := range outside {
		labels[len(inside)+i] = true
	}
	auroc := func(m *algo.Model) float64 {
		single := alone(m)
		scores := must.Have(single.Scores(ctx, gs))
		if m.Shared > 0 {
			p, _ := single.Judge(scores, 0.05)
			rows := must.Have(must.Have(algo.NewScorer(ctx, m, options())).Score(ctx, gs))
			for i, row := range rows {
				if row.P != p[i] || row.Score != scores[i] {
					t.Fatalf("graph %d has score %g and p %g, want %g and %g", i, row.Score, row.P, scores[i], p[i])
				}
			}
			alarms := 0
			for _, row := range rows[:len(inside)] {
				if row.P <= 0.1 {
					alarms++
				}
			}
			if alarms > 20 {
				t.Errorf("%d of %d false alarms at 10 %%", alarms, len(inside))
			}
		}
		return metric.AUROC(scores, labels)
	}
	whole, shared := auroc(m), auroc(s)
	t.Logf("AUROC alone %.3f, shared %.3f", whole, shared)
	if shared < whole-0.1 {
		t.Errorf("AUROC alone %.3f, shared %.3f", whole, shared)
	}
	again, err := m.Share(ctx, 1, k)
	if err != nil || !slices.Equal(again.Bank.Q, s.Bank.Q) {
		t.Errorf("sharing twice gives two models (%v)", err)
	}
	for _, c := range []struct {
		m *algo.Model
		k int
	}{{m, 1}, {m, m.Bank.Len()}, {s, k}} {
		if _, err := c.m.Share(ctx, 0, c.k); err == nil {
			t.Errorf("groups of %d of %d graphs", c.k, c.m.Bank.Len())
		}
	}
}
