package algo_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"baca/algo"
	"baca/algo/calibrate"
	"baca/algo/decide"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/pretrain"
)

var ctx = context.Background()

// trees draws random trees with some extra edges for each node.
func trees(t testing.TB, rng *rand.Rand, n int, extra float64) []*graph.Graph {
	t.Helper()
	var gs []*graph.Graph
	for range n {
		nodes := 8 + rng.IntN(8)
		var edges [][2]int32
		for i := 1; i < nodes; i++ {
			edges = append(edges, [2]int32{rng.Int32N(int32(i)), int32(i)})
		}
		for range int(extra * float64(nodes)) {
			edges = append(edges, [2]int32{rng.Int32N(int32(nodes)), rng.Int32N(int32(nodes))})
		}
		g, _, err := graph.New(nodes, edges)
		if err != nil {
			t.Fatal(err)
		}
		gs = append(gs, g)
	}
	return gs
}

// model returns a model that was briefly trained on trees; ID graphs have few
// extra edges. It is the test's own but for its encoder and bank.
func model(t testing.TB) *algo.Model {
	t.Helper()
	if trained == nil {
		trained = train(t)
	}
	m := *trained
	return &m
}

var trained *algo.Model

func train(t testing.TB) *algo.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	gs := trees(t, rng, 260, 0.1)
	var train, holdout []int
	for i := range gs {
		if i%13 == 0 {
			holdout = append(holdout, i)
		} else {
			train = append(train, i)
		}
	}
	o := pretrain.Defaults(1)
	o.LearningRate = 1e-3
	var training []*graph.Graph
	for _, i := range train {
		training = append(training, gs[i])
	}
	tr, err := pretrain.New(training, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := tr.Epoch(ctx); err != nil {
			t.Fatal(err)
		}
	}
	m, err := algo.NewModel(ctx, 0, tr.Encoder(), gs, train, holdout, algo.Card{Name: "trees", Schema: algo.Constant})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func options() algo.Options {
	o := algo.DefaultOptions()
	o.Attention.Steps, o.Attention.Draws, o.Attention.Synthetic = 30, 16, 16
	o.Alpha = 0.1
	return o
}

func score(t testing.TB, m *algo.Model, o algo.Options, gs []*graph.Graph) *algo.Report {
	t.Helper()
	s, err := algo.NewScorer(m, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Batch(ctx, gs)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != len(gs) {
		t.Fatalf("%d rows for %d graphs", len(r.Rows), len(gs))
	}
	if len(r.Holdout) != m.Holdout.Len() {
		t.Fatalf("%d rows for a holdout of %d", len(r.Holdout), m.Holdout.Len())
	}
	for i, row := range append(slices.Clone(r.Rows), r.Holdout...) {
		for _, x := range []float64{row.Pre, row.Attn, row.BaCa, row.Score} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("row %d: %+v", i, row)
			}
		}
	}
	return r
}

func TestBatchIsTold(t *testing.T) {
	m := model(t)
	rng := rand.New(rand.NewPCG(3, 4))
	const id, ood = 60, 40
	gs := append(trees(t, rng, id, 0.1), trees(t, rng, ood, 1.2)...)
	labels := make([]bool, id+ood)
	for i := id; i < len(labels); i++ {
		labels[i] = true
	}
	for _, name := range algo.Calibrators {
		o := options()
		o.Calibrator = name
		r := score(t, m, o, gs)
		var s, pre, baca []float64
		alarms, found := 0, 0
		for i, row := range r.Rows {
			s, pre, baca = append(s, row.Score), append(pre, row.Pre), append(baca, row.BaCa)
			if row.Verdict == decide.Outside {
				if labels[i] {
					found++
				} else {
					alarms++
				}
			}
		}
		auc := metric.AUROC(s, labels)
		t.Logf("%s: AUROC %.3f, S_Pre %.3f, evidence %.2f, %d alarms, %d found, warnings %q", name, auc, metric.AUROC(pre, labels), r.Evidence, alarms, found, r.Warnings)
		switch name {
		case algo.None:
			if !slices.Equal(s, pre) {
				t.Error("none: the score is not S_Pre")
			}
		case algo.Attention:
			if !slices.Equal(s, baca) {
				t.Error("attention: the score is not S_BaCa")
			}
		default:
			if auc < 0.9 || found < ood/2 {
				t.Errorf("%s: AUROC %g, %d of %d OOD graphs called OOD", name, auc, found, ood)
			}
			// 0.1 asked; four standard errors with 20 in the holdout.
			if alarms > id/2 {
				t.Errorf("%s: %d false alarms among %d", name, alarms, id)
			}
		}
	}
}

// On ID batches the p-values of the default are about uniform.
func TestFalseAlarmsOnIDBatches(t *testing.T) {
	m := model(t)
	rng := rand.New(rand.NewPCG(5, 6))
	o := options()
	o.Attention.Steps = 1
	alarms, n := 0, 0
	for range 8 {
		for _, row := range score(t, m, o, trees(t, rng, 50, 0.1)).Rows {
			n++
			if row.Verdict == decide.Outside {
				alarms++
			}
		}
	}
	// All batches share a holdout of 20, so the rate itself varies with
	// standard deviation √(0.1·0.9/20) = 0.07 around at most 0.1.
	if rate := float64(alarms) / float64(n); rate > 0.1+3*0.07 {
		t.Errorf("%.3f false alarms at alpha 0.1", rate)
	}
}

// Few graphs are scored one by one: the same molecule alone or with others.
func TestAloneDoesNotDependOnTheOthers(t *testing.T) {
	m := model(t)
	rng := rand.New(rand.NewPCG(7, 8))
	gs := append(trees(t, rng, 5, 0.1), trees(t, rng, 5, 1.2)...)
	for _, name := range algo.Calibrators {
		o := options()
		o.Calibrator = name
		together := score(t, m, o, gs)
		if !together.Alone || len(together.Warnings) == 0 {
			t.Fatalf("%s: 10 graphs are taken for a batch, or without a word: %q", name, together.Warnings)
		}
		for i, g := range gs {
			if alone := score(t, m, o, []*graph.Graph{g}).Rows[0]; alone != together.Rows[i] {
				t.Errorf("%s: graph %d alone %+v, with others %+v", name, i, alone, together.Rows[i])
			}
		}
	}
}

func TestSingleNodes(t *testing.T) {
	m := model(t)
	one, _, err := graph.New(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := score(t, m, options(), []*graph.Graph{one})
	if got := strings.Join(r.Warnings, "; "); !strings.Contains(got, "single node") {
		t.Errorf("warnings %q, want one about the single node", got)
	}
	many := make([]*graph.Graph, 30)
	for i := range many {
		many[i] = one
	}
	score(t, m, options(), many)
}

func TestSameBytesAtAnyNumberOfWorkers(t *testing.T) {
	m := model(t)
	rng := rand.New(rand.NewPCG(9, 10))
	gs := append(trees(t, rng, 40, 0.1), trees(t, rng, 20, 1.2)...)
	o := options()
	o.Workers = 1
	want := score(t, m, o, gs)
	for _, workers := range []int{1, 2, 3} {
		o.Workers = workers
		if got := score(t, m, o, gs); !slices.Equal(got.Rows, want.Rows) {
			t.Errorf("%d workers give other rows than one", workers)
		}
	}
}

func TestWithoutHoldout(t *testing.T) {
	m := model(t)
	m.Holdout = m.Holdout.Select(nil)
	r := score(t, m, options(), trees(t, rand.New(rand.NewPCG(1, 1)), 30, 0.1))
	if row := r.Rows[0]; !math.IsNaN(row.P) || row.Verdict != decide.Unknown {
		t.Errorf("p = %g, verdict %s: want none", row.P, row.Verdict)
	}
	score(t, m, options(), trees(t, rand.New(rand.NewPCG(1, 1)), 2, 0.1))
}

func alone(t *testing.T, m *algo.Model) *algo.Alone {
	t.Helper()
	a, err := algo.NewAlone(ctx, m, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A bank that was prepared before gives the scores of one that the scorer prepares, for
// one batch after another.
func TestPreparedBank(t *testing.T) {
	m := model(t)
	prepared := options()
	prepared.Near = alone(t, m).Near()
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 9))
		gs := append(trees(t, rng, 30, 0.1), trees(t, rng, 30, 1.2)...)
		if got, want := score(t, m, prepared, gs), score(t, m, options(), gs); !slices.Equal(got.Rows, want.Rows) {
			t.Errorf("batch %d: other rows", seed)
		}
	}
}

func TestRefusals(t *testing.T) {
	m := model(t)
	other := *m
	other.Bank = m.Bank.Select([]int{0, 1, 2})
	for name, change := range map[string]func(*algo.Options){
		"calibrator": func(o *algo.Options) { o.Calibrator = "magic" },
		"alpha":      func(o *algo.Options) { o.Alpha = 0.001 }, // below 1/21
		"attention":  func(o *algo.Options) { o.Attention.TopK = 0 },
		"other bank": func(o *algo.Options) { o.Near = alone(t, &other).Near() },
	} {
		o := options()
		change(&o)
		if _, err := algo.NewScorer(m, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s, err := algo.NewScorer(m, options())
	if err != nil {
		t.Fatal(err)
	}
	g := trees(t, rand.New(rand.NewPCG(1, 1)), 1, 0)[0]
	g.Features, g.X = 9, make([]float32, 9*g.N())
	if _, err := s.Batch(ctx, []*graph.Graph{g}); err == nil || !strings.Contains(err.Error(), "9 node features") {
		t.Errorf("a graph of another schema: error %v", err)
	}
	if r, err := s.Batch(ctx, nil); err != nil || len(r.Rows) != 0 {
		t.Errorf("no graphs: %v, %v", r, err)
	}
	if _, err := algo.NewModel(ctx, 1, gin.New(gin.Default(1), rand.New(rand.NewPCG(1, 1))), nil, nil, nil, algo.Card{Schema: algo.OGB}); err == nil {
		t.Error("an encoder of one feature passes for the molecule schema")
	}
}

func TestWatchSeesEveryStep(t *testing.T) {
	m := model(t)
	o := options()
	steps := 0
	o.Watch = algo.EveryStep(func(calibrate.Iteration) { steps++ })
	score(t, m, o, trees(t, rand.New(rand.NewPCG(2, 2)), 30, 0.5))
	if steps != o.Attention.Steps {
		t.Errorf("%d steps seen, want %d", steps, o.Attention.Steps)
	}
}

// The holdout went through the same state, so its graphs, scored afterwards one
// at a time and side by side, must get the very same scores.
func TestScoreGoesOnFromTheBatch(t *testing.T) {
	m := model(t)
	var held []*graph.Graph
	for i, g := range trees(t, rand.New(rand.NewPCG(1, 2)), 260, 0.1) { // as train does
		if i%13 == 0 {
			held = append(held, g)
		}
	}
	for _, calibrator := range algo.Calibrators {
		for _, n := range []int{5, 40} {
			o := options()
			o.Calibrator = calibrator
			s, err := algo.NewScorer(m, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Score(ctx, held); err == nil {
				t.Error("want an error before the first batch")
			}
			report, err := s.Batch(ctx, trees(t, rand.New(rand.NewPCG(3, 4)), n, 0.6))
			if err != nil {
				t.Fatal(err)
			}
			rows := make([]algo.Row, len(held))
			var group sync.WaitGroup
			for i := range held {
				group.Go(func() {
					one, err := s.Score(ctx, held[i:i+1])
					if err != nil {
						t.Error(err)
						return
					}
					rows[i] = one[0]
				})
			}
			group.Wait()
			for i, want := range report.Holdout {
				got := rows[i]
				if got.Pre != want.Pre || got.Attn != want.Attn || got.BaCa != want.BaCa || got.Score != want.Score {
					t.Errorf("%s, batch of %d: held-out graph %d has %+v, in the batch %+v", calibrator, n, i, got, want)
				}
				if !(got.P > 0 && got.P <= 1) || got.Verdict == decide.Unknown {
					t.Errorf("%s, batch of %d: held-out graph %d has p-value %g, verdict %v", calibrator, n, i, got.P, got.Verdict)
				}
			}
		}
	}
}
