package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/weights"
)

// publicSet reads a set of the data beside the repository as the model does, or skips
// the test.
func publicSet(t *testing.T, m *algo.Model, name string) []*graph.Graph {
	t.Helper()
	needsShared(t)
	return readSet(context.Background(), shared, name, m.Form(), 0).graphs
}

// The held-out graphs of every embedded model, half of them as holdout and the other
// half tested: over many splits no more than a share α gets the verdict OOD, by the
// score of single graphs within the error of that many splits, and in a batch, of
// which there are noBatch, within the binomial error of its graphs.
func TestFalseAlarmsOfEmbeddedModels(t *testing.T) {
	ctx := context.Background()
	for _, p := range paperPairs {
		name := strings.ToLower(p.ID)
		if !slices.Contains(weights.Names(), name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			m := testset.Model(t, name)
			all := publicSet(t, m, p.ID)
			b := newHeldOut(ctx, m, all, 0)
			scores := b.scores
			const splits = 300
			rates := map[float64][]float64{}
			for draw := range uint64(splits) {
				_, tested, reference := b.halves(draw)
				p := decide.PValues(pick(scores, tested), pick(scores, reference))
				for _, alpha := range decisionAlphas {
					rates[alpha] = append(rates[alpha], shareUpTo(p, alpha))
				}
			}
			for _, alpha := range decisionAlphas {
				mean, sd := metric.MeanStd(rates[alpha])
				if limit := alpha + 4*sd/math.Sqrt(splits); mean > limit {
					t.Errorf("alone, α = %g: %.4f of held-out graphs called outside, want at most %.4f", alpha, mean, limit)
				}
			}
			_, tested, reference := b.halves(1)
			r := b.batch(ctx, pick(b.graphs, tested), reference, 1)
			for _, alpha := range decisionAlphas {
				alarms := 0.0
				for _, row := range r.Rows {
					if row.BatchP <= alpha && row.GuardP() <= decide.Guard(len(r.Rows), alpha) {
						alarms++
					}
				}
				// The holdout is as small as the test, so the variance is double.
				n := float64(len(r.Rows))
				if limit := alpha*n + 4*math.Sqrt(2*alpha*(1-alpha)*n) + 1; alarms > limit {
					t.Errorf("in a batch, α = %g: %.0f of %.0f held-out graphs called outside, want at most %.1f", alpha, alarms, n, limit)
				}
			}
			// The batch changes nothing about a graph by itself, and where it shows nothing
			// that could be learned, nothing at all.
			for k, p := range decide.PValues(pick(scores, tested), pick(scores, reference)) {
				if row := r.Rows[k]; row.AloneP != p || r.Weight == 0 && math.Abs(p-row.BatchP) > 1e-9 {
					t.Errorf("graph %d has p = %g by itself and %+v in a batch with weight %g", tested[k], p, row, r.Weight)
				}
			}
		})
	}
}

// Two splits of two ID graphs and two OOD graphs, counted by hand. In the second the guard refuses the ID graphs.
func TestDecision(t *testing.T) {
	p, q := []float64{0.03, 0.5, 0.01, 0.2}, []float64{0.04, 0.5, 0.04, 0.27}
	d := newDecision(columnBatch, 0.5, []*judged{{p, q, nil, 2}, {p, q, []float64{1, 1, 0.05, 0.05}, 2}})
	for what, c := range map[string][2]rate{
		"false alarms at 0.01": {d.FalseAlarms["0.01"], 0}, "false alarms": {d.FalseAlarms["0.05"], 0.25}, "detected at 0.01": {d.Detected["0.01"], 0.5},
		"detected": {d.Detected["0.05"], 0.5}, "false discoveries": {d.FDR["0.05"], 0.25}, "found": {d.Found["0.05"], 0.5}, "splits": {rate(d.Splits), 2},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %g, want %g", what, float64(c[0]), float64(c[1]))
		}
	}
	noBatch := newDecision(columnBatch, 0, []*judged{{[]float64{math.NaN(), math.NaN()}, []float64{math.NaN(), math.NaN()}, nil, 2}})
	if noBatch.FalseAlarms["0.05"].defined() || noBatch.FDR["0.05"].defined() || len(noBatch.Detected)+len(noBatch.Found) > 0 {
		t.Errorf("of graphs that are no batch: %+v", noBatch)
	}
}

// trainedRows are the rows of its set that a model was trained on.
func trainedRows(m *algo.Model) []int {
	others := slices.Concat(m.Card.HoldoutRows, m.Card.Repeats)
	return slices.DeleteFunc(indices(m.Card.Graphs), func(i int) bool { return slices.Contains(others, i) })
}

// One molecule has the same row by itself, to the bit, and by its batch nearly the same
// p-value among 1000 graphs of the training distribution.
func TestOneAmongAThousand(t *testing.T) {
	ctx := context.Background()
	m := testset.Model(t, "bbbp")
	all := publicSet(t, m, "bbbp")
	probes := append(publicSet(t, m, "bace")[:3:3], all[m.Card.HoldoutRows[0]])
	train := trainedRows(m)
	o := columnOptions(columnBatch, 1)
	o.Workers = 0
	o.Single = try.To(algo.NewSingleScorer(ctx, m, 0))
	s := try.To(batch.NewScorer(ctx, m, o))
	alone := try.To(s.Score(ctx, probes))
	for k, probe := range probes {
		some := pick(train, rand.New(rand.NewPCG(uint64(k), 1)).Perm(len(train))[:1000])
		r := try.To(s.Batch(ctx, append([]*graph.Graph{probe}, pick(all, some)...)))
		row, want := r.Rows[0], alone[k]
		if row.Score != want.Score || row.P != want.P || row.Verdict != want.Verdict || row.Alone != want.Alone {
			t.Errorf("probe %d is %+v among a thousand, %+v by itself", k, row, want)
		}
		if d := math.Abs(row.BatchP - want.P); d > 0.01 {
			t.Errorf("probe %d has p = %g by itself and %g by its batch", k, want.P, row.BatchP)
		}
	}
}

// Every training molecule is known, and none of 100 000 others unless the training set has its parent. Signatures,
// eight bonds wide, tell parents apart; prints, two bonds wide, decide who is known.
func TestKnownMeansKnown(t *testing.T) {
	m := testset.Model(t, "bbbp")
	all := publicSet(t, m, "bbbp")
	trained := map[[2]uint64]bool{}
	for _, i := range trainedRows(m) {
		if !m.Trained(all[i]) {
			t.Errorf("training molecule %d is not known", i)
		}
		trained[explain.Signature(all[i])] = true
	}
	const most = 100_000
	others := publicSet(t, m, "scale-mix")
	known := 0
	for k := range most {
		g := others[k*len(others)/most]
		switch is := trained[explain.Signature(g)]; {
		case m.Trained(g) && !is:
			t.Errorf("molecule %d of %d is called known, but the training set has no such parent", k, most)
		case is:
			known++
		}
	}
	t.Logf("%d of %d molecules are training molecules", known, most)
}
