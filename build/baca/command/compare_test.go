package command

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"baca/algo/compare"
	"baca/build/internal/testset"
)

// Two draws from one set are called different about as rarely as p-values say, and named
// differences among them are rare.
func TestCompareOfTwoDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	m, set := testset.Model(t, "esol"), openData(t, "lipo")
	const rounds, size = 60, 300
	low, named, easier := 0, 0, 0
	for round := range rounds {
		order := rand.New(rand.NewPCG(uint64(round), 5)).Perm(len(set.Graphs))
		var lists [2]*compare.List
		for k := range lists {
			lists[k] = compare.NewList("list "+strconv.Itoa(k), uint64(round), k)
			var sources []compare.Source
			for _, i := range order[k*size : (k+1)*size] {
				sources = append(sources, compare.Source{ID: set.IDs[i], Graph: set.Graphs[i]})
			}
			if err := lists[k].Add(context.Background(), 0, sources); err != nil {
				t.Fatal(err)
			}
		}
		c, err := compare.Compare(context.Background(), lists[0], lists[1], compare.Options{Encoder: m.Encoder, FDR: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		if c.Evidence.P <= 0.05 {
			low++
		}
		if len(c.Named) > 0 {
			named++
		}
		if c.Audit.Verdict != "random" {
			easier++
		}
	}
	t.Logf("of %d pairs of draws of %d: p ≤ 0.05 in %d, something named in %d, called easier or harder than random %d", rounds, size, low, named, easier)
	// Binomial with 0.05: at most 8 of 60 in 99.5 %.
	if low > 8 || named > 8 || easier > 8 {
		t.Errorf("of %d pairs of draws p ≤ 0.05 in %d, something named in %d, called easier or harder in %d", rounds, low, named, easier)
	}
}
