package paper

import (
	"math"
	"slices"
	"testing"

	"baca/algo"
	"baca/build/internal/testset"
)

// In lists of one kind that are as in-distribution as any, few graphs are called outside:
// by themselves at most 6.5 %, by their batch at most 8 % at α = 5 %, pooled over the lists
// of each model of molecules, as far as their numbers can show; and so is the kind that came off worst.
// One half of the held-out graphs gives p-values to the other, and the other way round; `baca-paper bench
// company` measures models that are trained anew.
func TestCompany(t *testing.T) {
	const aloneAtMost, batchAtMost = 0.065, 0.08
	ctx := t.Context()
	// By the score of the batch alone, which decided once, most of these were called outside.
	once := map[string][]string{"tox21": {"nitro groups"}, "clintox": {"48 atoms and more"}, "esol": {"long chains"}}
	for _, name := range []string{"tox21", "freesolv", "bbbp", "clintox", "esol"} {
		t.Run(name, func(t *testing.T) {
			m := testset.Model(t, name)
			r := newHeldOut(ctx, m, publicSet(t, m, name), 0)
			kinds := kindsOf(r.graphs)
			_, tested, reference := r.halves(1)
			lists := append(r.company(ctx, kinds, 2, tested, reference), r.company(ctx, kinds, 3, reference, tested)...)
			groups := groupsOf(lists)
			var worst companyGroup
			seen := map[string]bool{}
			for _, g := range groups {
				seen[g.Kind] = true
				switch {
				case g.Kind == kindPooled:
					t.Logf("pooled over %d lists: alone %s, batch_verdict %s", g.Lists, g.Alone[0], g.Batch[0])
					if exceeds(g.Alone[0], aloneAtMost, 1) || exceeds(g.Batch[0], batchAtMost, 1) {
						t.Errorf("called outside in lists of one kind: alone %s, batch_verdict %s, want at most %g and %g", g.Alone[0], g.Batch[0], 100*aloneAtMost, 100*batchAtMost)
					}
				case g.Kind == kindAll:
				case g.Molecules >= 30 && (worst.Alone == nil || g.Alone[0].Share > worst.Alone[0].Share):
					worst = g
				}
				if least, _ := g.Alone[0].interval(); slices.Contains(once[name], g.Kind) && least > aloneAtMost {
					t.Errorf("%s: %s called outside", g.Kind, g.Alone[0])
				}
			}
			t.Logf("worst of 30 graphs and more: %s, %s of %d", worst.Kind, worst.Alone[0], worst.Molecules)
			if exceeds(worst.Alone[0], aloneAtMost, len(kindNames())) || exceeds(worst.Batch[0], batchAtMost, len(kindNames())) {
				t.Errorf("%s: alone %s, batch_verdict %s", worst.Kind, worst.Alone[0], worst.Batch[0])
			}
			for _, kind := range once[name] {
				if !seen[kind] {
					t.Errorf("there is no list of the kind %q", kind)
				}
			}
		})
	}
}

// Two lists of three molecules, of which one is a batch, counted by hand. The q-values of the second are 0.12 and more.
func TestGroupOf(t *testing.T) {
	g := groupOf("a", []companyList{{Rows: []int{1, 2}, Alone: []float64{0.01, 0.9}}, {Rows: []int{2, 3}, Alone: []float64{0.5, 0.06}, Batch: []float64{0.01, 0.2}}})
	if g.Molecules != 3 || g.Alone[0] != (companyShare{0.25, 3}) || g.Alone[1] != (companyShare{0.5, 3}) || g.Batch[0] != (companyShare{0.5, 2}) || g.Discovery != (companyShare{0.5, 2}) {
		t.Errorf("%+v", g)
	}
}

// exceeds reports, at 5 %, that the share of the worst of some kinds is above a limit, and not by
// having been picked from so many.
func exceeds(s companyShare, limit float64, kinds int) bool {
	z := math.Sqrt2 * math.Erfinv(1-2*0.05/float64(kinds))
	return float64(s.Share)-limit > z*math.Sqrt(limit*(1-limit)/s.Of)
}

// In a long list each guard lets through what is outside in the batch and not plainly inside by itself, and what is foreign where that passes.
func TestGuardCounts(t *testing.T) {
	var sum, one guardCount
	one.count(4000, []algo.Row{{BatchP: 0.01, AloneP: 0.1}, {BatchP: 0.01, AloneP: 0.04}, {BatchP: 0.2, AloneP: 0.01, Foreign: true}, {BatchP: 0.01, AloneP: 0.9, Foreign: true}})
	sum.add(&one)
	sum.add(&one)
	want := guardCount{8, [...]int{2, 4, 4, 4, 6}, [...]int{4, 6, 6, 6, 6}, [...]int{6, 6, 6, 6}}
	if sum != want {
		t.Errorf("called %+v, want %+v", sum, want)
	}
}

func TestHalfOf(t *testing.T) {
	for n, want := range map[int]int{10: 6, 4: 4} {
		got := halfOf([]int{0, 3, 1}, n, streamed(1))
		sorted := slices.Compact(slices.Sorted(slices.Values(got)))
		if len(got) != want || len(sorted) != want || !slices.Equal(got[:3], []int{0, 3, 1}) || sorted[want-1] >= n {
			t.Errorf("of %d: %v", n, got)
		}
	}
}
