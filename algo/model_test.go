package algo

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/gin"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/near"
)

// Measured scores of the holdout have the same bits. They are used if the ones that are looked at again agree, and not those of
// other rules.
func TestMeasured(t *testing.T) {
	m := molecules()
	m.Background.AUC = 0.9
	want := must.Have(NewSingleScorer(ctx, m, 1)).Holdout()
	must.Do(m.Measure(ctx, 1))
	if m.Measured.Rules != Rules || !slices.Equal(m.Measured.Holdout, want) || len(want) != 24 {
		t.Errorf("rules %d, %v, want %v", m.Measured.Rules, m.Measured.Holdout, want)
	}
	for _, c := range []struct {
		place, length, rules int
		used                 bool
	}{{-1, 24, Rules, true}, {1, 24, Rules, true}, {0, 24, Rules, false}, {8, 24, Rules, false}, {16, 24, Rules, false},
		{-1, 23, Rules, false}, {1, 24, Rules - 1, false}} {
		measured := *m.Measured
		measured.Holdout, measured.Rules = slices.Clone(want)[:c.length], c.rules
		if c.place >= 0 {
			measured.Holdout[c.place]++
		}
		other := *m
		other.Measured = &measured
		got, expect := must.Have(NewSingleScorer(ctx, &other, 1)).Holdout(), want
		if c.used {
			expect = measured.Holdout
		}
		if !slices.Equal(got, expect) {
			t.Errorf("%+v: the holdout scores %v", c, got)
		}
	}
	shared := must.Have(m.Share(ctx, 1, 3))
	must.Do(shared.Measure(ctx, 1))
	if s := must.Have(NewSingleScorer(ctx, shared, 1)); shared.Measured.Holdout != nil || !slices.Equal(s.Holdout(), shared.Reference) {
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
	m := must.Have(NewModel(ctx, 0, e, gs, train, lists.Map(train[:10], func(i int) int { return i - 10 }),
		Card{Schema: OGB}))
	rows := m.KnownRows()
	if m.Bank.Len() != MaxBank || m.Known() != 2030 || !slices.Equal(rows, train) || m.Card.Train != 2030 || m.Card.Graphs != 2040 {
		t.Errorf("a bank of %d, %d known: %+v", m.Bank.Len(), m.Known(), rows[:3])
	}
	for k, p := range m.Bank.Prints {
		if !p.Equal(m.Subtrees.Print(near.Place(k, MaxBank, 2030))) {
			t.Fatalf("row %d of the bank is another graph", k)
		}
	}
	s := must.Have(NewSingleScorer(ctx, m, 0))
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

// What is said of a model.
func TestCard(t *testing.T) {
	for schema, want := range map[string]string{
		OGB: "molecules as written, in the order of their atoms", OGBCanonical: "molecules as written", OGBParent: "the parent compound",
		Constant: "plain graphs",
	} {
		if width, err := SchemaWidth(schema); err != nil || Reads(schema) != want || (width == 1) != (schema == Constant) ||
			width > 1 && SchemaOf(FormOf(schema)) != schema {
			t.Errorf("schema %s of %d features, %v, reads %s", schema, width, err, Reads(schema))
		}
	}
	c := Card{Dataset: "a.smi", Description: "Trained on a.smi.", Background: "b.smi", Holdout: "h.smi", Graphs: 9, Train: 5,
		HoldoutRows: []int{1, 2}, Repeats: []int{3, 4}}
	if got := c.Counts(); got != "9: 5 trained on, 2 kept from training, 2 repeat another" {
		t.Error(got)
	}
	if c.forgetFiles(); c.Dataset != "" || c.Description != "Trained on a file." || c.Background != "a file" || c.Holdout != "a file" {
		t.Errorf("%+v", c)
	}
	some, none := &Structures{Predicted: []float64{1, math.NaN()}}, (*Structures)(nil)
	if none.HasValues() || !some.HasValues() || (&Structures{}).HasValues() || some.values(0).Predicted != 1 || some.values(1) != nil {
		t.Error("values that are there are not, or the reverse")
	}
}
