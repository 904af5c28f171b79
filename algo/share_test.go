package algo_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo"
	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/internal/must"
	"baca/algo/metric"
)

func TestShare(t *testing.T) {
	m := model()
	const k = 3
	s := must.Have(alone.Share(ctx, 0, m, k))
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
	if s.Card.HoldoutRows != nil || s.Card.DatasetSHA256 != "" || s.Shared != k {
		t.Errorf("the card or the profile tell too much: %+v", s.Card)
	}
	if rows := s.KnownRows(); slices.Max(rows) != -1 {
		t.Errorf("groups have the rows %v", rows)
	}
	// It scores alone, with p-values that come from the same scorer, and nearly as well.
	const n = 60
	rng := rand.New(rand.NewPCG(31, 7))
	gs := slices.Concat(trees(rng, n, 0.1), trees(rng, n, 0.8))
	whole, shared := must.Have(single(m).Scores(ctx, gs)), must.Have(single(s).Scores(ctx, gs))
	p, _ := single(s).Judge(shared, 0.05)
	alarms := 0
	for i, row := range must.Have(must.Have(batch.NewScorer(ctx, s, options())).Score(ctx, gs)) {
		if row.P != p[i] || row.Score != shared[i] {
			t.Fatalf("graph %d has score %g and p %g, want %g and %g", i, row.Score, row.P, shared[i], p[i])
		}
		if i < n && row.P <= 0.1 {
			alarms++
		}
	}
	if a, b := metric.Above(whole[n:], whole[:n]), metric.Above(shared[n:], shared[:n]); b < a-0.1 || alarms > n/3 {
		t.Errorf("AUROC %.3f, shared %.3f with %d of %d false alarms at 10 %%", a, b, alarms, n)
	}
	if again := must.Have(alone.Share(ctx, 1, m, k)); !slices.Equal(again.Bank.Q, s.Bank.Q) {
		t.Error("sharing twice gives two models")
	}
	if least := must.Have(alone.Share(ctx, 1, m, 2)); least.Shared != 2 {
		t.Errorf("shared by %d", least.Shared)
	}
	for _, c := range []struct {
		m *algo.Model
		k int
	}{{m, 1}, {m, m.Bank.Len()}, {s, k}} {
		if _, err := alone.Share(ctx, 0, c.m, c.k); err == nil {
			t.Errorf("groups of %d of %d graphs", c.k, c.m.Bank.Len())
		}
	}
}
