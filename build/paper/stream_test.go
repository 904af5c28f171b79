package paper

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/weights"
)

// streamBatches are scored one after the other; from the third on the OOD graphs are of
// another set than before.
const streamBatches = 4

// stream returns batches of the graphs that a model has not seen, each with as many OOD
// graphs behind them.
func stream(t *testing.T, m *algo.Model, id string, ood [2]string) [][]*graph.Graph {
	t.Helper()
	s := &sets{folder: shared}
	var graphs [3][]*graph.Graph
	for k, name := range []string{id, ood[0], ood[1]} {
		l := s.open(t.Context(), name, id)
		graphs[k] = l.graphs
	}
	rng := rand.New(rand.NewPCG(1, 0x57e4))
	inside := pick(graphs[0], m.Card.HoldoutRows)
	rng.Shuffle(len(inside), func(i, j int) { inside[i], inside[j] = inside[j], inside[i] })
	n := len(inside) / streamBatches
	var batches [][]*graph.Graph
	for k := range streamBatches {
		outside := graphs[1+k*2/streamBatches]
		picked := pick(outside, rng.Perm(len(outside))[:n])
		batches = append(batches, slices.Concat(inside[k*n:(k+1)*n], picked))
		encode(batches[k])
	}
	return batches
}

// What a scorer carries from batch to batch is worth about nothing, and loses little where the OOD
// graphs become others: the row of algo/DEPARTURES.md has its figures from here.
func TestStreamThatChanges(t *testing.T) {
	if _, err := os.Stat(shared); err != nil {
		t.Skip("the benchmark data are not beside the repository")
	}
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for _, parted := range []struct {
		name    string
		options algo.Options
	}{{"paper's partition", algo.DefaultOptions()}, {"better partition", algo.DefaultOptions().PartedByBatch()}} {
		name, o := parted.name, parted.options
		var sum [2]float64
		var changed [2]float64 // of the first batch with other OOD graphs
		streams := []struct {
			model string
			ood   [2]string
		}{{"bbbp", [2]string{"bace", "lipo"}}, {"esol", [2]string{"muv", "toxcast"}}, {"clintox", [2]string{"lipo", "muv"}}, {"AIDS", [2]string{"DHFR", "PTC_MR"}}}
		for _, of := range streams {
			m, err := weights.Open(of.model)
			if err != nil {
				t.Fatal(err)
			}
			batches := stream(t, m, of.model, of.ood)
			stripped := *m // else what is tested is also known to be ID
			stripped.Holdout, stripped.HoldoutTraits = m.Holdout.Select(nil), nil
			single, err := algo.NewSingleScorer(t.Context(), &stripped, 0)
			if err != nil {
				t.Fatal(err)
			}
			o.Single = single
			newScorer := func() *algo.Scorer {
				scorer, err := algo.NewScorer(t.Context(), &stripped, o)
				if err != nil {
					t.Fatal(err)
				}
				return scorer
			}
			goesOn := newScorer()
			for k, gs := range batches {
				var attn [2][]float64
				for i, scorer := range []*algo.Scorer{newScorer(), goesOn} {
					report, err := scorer.Batch(t.Context(), gs)
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range report.Rows {
						attn[i] = append(attn[i], r.Attn)
					}
				}
				ood := slices.Concat(make([]bool, len(gs)/2), slices.Repeat([]bool{true}, len(gs)/2))
				fresh, going := 100*metric.AUROC(attn[0], ood), 100*metric.AUROC(attn[1], ood)
				t.Logf("%s, %s, batch %d: S_Attn %.1f fresh, %.1f going on", name, of.model, k+1, fresh, going)
				if k == 0 {
					if !slices.Equal(attn[0], attn[1]) {
						t.Error("the first batch of two scorers differs")
					}
					continue
				}
				sum[0], sum[1] = sum[0]+fresh, sum[1]+going
				if k == streamBatches/2 {
					changed[0], changed[1] = changed[0]+fresh, changed[1]+going
				}
			}
		}
		n := float64(len(streams))
		t.Logf("%s, mean of batches 2 to 4: S_Attn %.1f fresh, %.1f going on; of batch 3, the first with other OOD graphs: %.1f, %.1f",
			name, sum[0]/n/3, sum[1]/n/3, changed[0]/n, changed[1]/n)
		if sum[1] < sum[0]-3*3*n {
			t.Errorf("%s: going on costs %.1f points a batch, want 3 at most", name, (sum[0]-sum[1])/n/3)
		}
	}
}
