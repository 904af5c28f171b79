package alone

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/gin"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/near"
)

// Measured scores of the holdout have the same bits. They are used if the ones that are looked at again agree, and not those of
// other rules.
func TestMeasured(t *testing.T) {
	m := molecules()
	m.Background.AUC = 0.9
	want := must.Have(New(ctx, m, 1)).Holdout()
	must.Do(Measure(ctx, 1, m))
	if m.Measured.Rules != model.Rules || !slices.Equal(m.Measured.Holdout, want) || len(want) != 24 {
		t.Errorf("rules %d, %v, want %v", m.Measured.Rules, m.Measured.Holdout, want)
	}
	for _, c := range []struct {
		place, length, rules int
		used                 bool
	}{{-1, 24, model.Rules, true}, {1, 24, model.Rules, true}, {0, 24, model.Rules, false}, {8, 24, model.Rules, false}, {16, 24, model.Rules, false},
		{-1, 23, model.Rules, false}, {1, 24, model.Rules - 1, false}} {
		measured := *m.Measured
		measured.Holdout, measured.Rules = slices.Clone(want)[:c.length], c.rules
		if c.place >= 0 {
			measured.Holdout[c.place]++
		}
		other := *m
		other.Measured = &measured
		got, expect := must.Have(New(ctx, &other, 1)).Holdout(), want
		if c.used {
			expect = measured.Holdout
		}
		if !slices.Equal(got, expect) {
			t.Errorf("%+v: the holdout scores %v", c, got)
		}
	}
	shared := must.Have(Share(ctx, 1, m, 3))
	must.Do(Measure(ctx, 1, shared))
	if s := must.Have(New(ctx, shared, 1)); shared.Measured.Holdout != nil || !slices.Equal(s.Holdout(), shared.Reference) {
		t.Errorf("a shared model is measured as %+v", shared.Measured)
	}
}

// The nearest by embedding are those of all distances, sorted. Large sets are sampled for the bank, and all of their prints are known.
func TestLargeBank(t *testing.T) {
	gs := slices.Repeat(parse(alcohols(120)...), 17)
	train := make([]int, 2030)
	for i := range train {
		train[i] = i + 10
	}
	e := gin.New(gin.Default(molecule.Features), rand.New(rand.NewPCG(1, 1)))
	m := must.Have(model.New(ctx, 0, e, gs, train, lists.Map(train[:10], func(i int) int { return i - 10 }),
		model.Card{Schema: model.OGB}))
	rows := m.KnownRows()
	if m.Bank.Len() != model.MaxBank || m.Known() != 2030 || !slices.Equal(rows, train) || m.Card.Train != 2030 || m.Card.Graphs != 2040 {
		t.Errorf("a bank of %d, %d known: %+v", m.Bank.Len(), m.Known(), rows[:3])
	}
	for k, p := range m.Bank.Prints {
		if !p.Equal(m.Subtrees.Print(near.Place(k, model.MaxBank, 2030))) {
			t.Fatalf("row %d of the bank is another graph", k)
		}
	}
	s := must.Have(New(ctx, m, 0))
	q := must.Have(s.Embedding(ctx, gs[3]))
	var all []Embedded
	for k, d := range s.near.Embeddings(q) {
		all = append(all, Embedded{k, d})
	}
	slices.SortFunc(all, func(a, b Embedded) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Bank, b.Bank))
	})
	for _, n := range []int{0, 5, 2000, 2001} {
		if got := s.NearestEmbedded(q, n); !slices.Equal(got, all[:min(n, 2000)]) {
			t.Errorf("%d nearest: %v", len(got), got[:min(n, 5)])
		}
	}
}
