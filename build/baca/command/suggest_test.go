package command

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"baca/algo"
	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/suggest"
	"baca/build/internal/testset"
)

// openData opens a public set, or skips the test.
func openData(t *testing.T, name string) *dataset.Set {
	t.Helper()
	data, err := filepath.Abs("../../../../shared/data")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(data, "mol")); err != nil {
		t.Skip("no benchmark data here")
	}
	set, err := dataset.Open(context.Background(), os.DirFS(data), name, 0)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Half of a library is suggested from, and the other half is judged by a model whose bank has
// the picks indeed, with all that follows from its bank measured anew: suggested molecules
// bring more of it nearer, and inside, than random ones or those of the highest scores.
// With -v it writes the table of build/baca/SETS.md.
func TestSuggestWidensTheDomain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	m, set := testset.Model(t, "esol"), openData(t, "lipo")
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 0))
	var library, others []*graph.Graph
	for k, i := range rng.Perm(len(set.Graphs)) {
		if k%2 == 0 {
			library = append(library, set.Graphs[i])
		} else {
			others = append(others, set.Graphs[i])
		}
	}
	single, err := algo.NewSingleScorer(ctx, m, 0)
	if err != nil {
		t.Fatal(err)
	}
	l := single.NewLibrary()
	if err := l.Add(ctx, 0, library); err != nil {
		t.Fatal(err)
	}
	const most = 200
	s, err := l.Suggest(ctx, suggest.Options{Most: most, Alpha: 0.05, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var suggested []int
	for _, p := range s.Picks {
		suggested = append(suggested, p.Graph)
	}
	judge := func(picks []int) (score, outside float64) {
		var gs []*graph.Graph
		for _, i := range picks {
			gs = append(gs, library[i])
		}
		wider := *m
		if len(gs) > 0 {
			r, err := contrast.Describe(ctx, 0, m.Encoder, gs)
			if err != nil {
				t.Fatal(err)
			}
			all := make([]int, m.Bank.Len())
			for i := range all {
				all[i] = i
			}
			wider.Bank = m.Bank.Select(all)
			wider.Bank.Append(r)
			wider.Subtrees = nil
		}
		now, err := algo.NewSingleScorer(ctx, &wider, 0)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := now.Scores(ctx, others)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := now.Judge(scores, 0.05)
		for i := range p {
			score += scores[i] / float64(len(p))
			if p[i] <= 0.05 {
				outside += 1 / float64(len(p))
			}
		}
		return score, outside
	}
	top := make([]int, 0, most)
	taken := map[int]bool{}
	for range most {
		best, highest := -1, math.Inf(-1)
		for i := range library {
			if !taken[i] && l.Score(i) > highest {
				best, highest = i, l.Score(i)
			}
		}
		taken[best] = true
		top = append(top, best)
	}
	if m.Known() > m.Bank.Len() {
		t.Fatal("the model's bank is a sample: want one that has all training graphs")
	}
	score, outside := judge(nil)
	t.Logf("before: mean score %.2f, %.1f %% outside", score, 100*outside)
	for _, n := range []int{10, 50, most} {
		got, gotOutside := judge(suggested[:n])
		byTop, topOutside := judge(top[:n])
		const draws = 5
		random, randomOutside := 0.0, 0.0
		for r := range draws {
			score, outside := judge(rand.New(rand.NewPCG(uint64(r), 9)).Perm(len(library))[:n])
			random, randomOutside = random+score/draws, randomOutside+outside/draws
		}
		t.Logf("%d picks: mean score %.2f suggested, %.2f random, %.2f highest scores; outside %.1f, %.1f, %.1f %%",
			n, got, random, byTop, 100*gotOutside, 100*randomOutside, 100*topOutside)
		t.Logf("  far, on the library itself: %.2f of %.2f suggested, %.2f random, %.2f highest scores", s.Far[n], s.Far[0], s.FarRandom[n], s.FarTop[n])
		if !(got < random && got < byTop) {
			t.Errorf("%d picks: mean score %g, random %g, highest scores %g", n, got, random, byTop)
		}
	}
}
