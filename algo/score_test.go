package algo_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"baca/algo"
	"baca/algo/alone"
	"baca/algo/attention"
	"baca/algo/batch"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
	"baca/algo/metric"
	"baca/algo/pretrain"
)

var ctx = context.Background()

// trees draws random trees with some extra edges for each node.
func trees(rng *rand.Rand, n int, extra float64) []*graph.Graph {
	return sample.Trees(rng, n, 8, func(nodes int) int { return int(extra * float64(nodes)) })
}

// pick returns the graphs of these rows.
func pick(gs []*graph.Graph, rows []int) []*graph.Graph {
	return lists.Map(rows, func(i int) *graph.Graph { return gs[i] })
}

// model returns a model that was briefly trained on trees; ID graphs have few
// extra edges. It is the test's own but for its encoder and bank.
func model() *algo.Model {
	if trained == nil {
		trained = train()
	}
	m := *trained
	return &m
}

var trained *algo.Model

// set is the ID set; train holds out every thirteenth graph.
func set() []*graph.Graph { return trees(rand.New(rand.NewPCG(1, 2)), 260, 0.1) }

func train() *algo.Model {
	gs := set()
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
	tr := must.Have(pretrain.New(pick(gs, train), o, nil))
	for range 5 {
		must.Have(tr.Epoch(ctx))
	}
	return must.Have(algo.NewModel(ctx, 0, tr.Encoder(), gs, train, holdout, algo.Card{Name: "trees", Schema: algo.Constant, Epochs: 300}))
}

func options() algo.Options {
	o := algo.DefaultOptions()
	o.Attention.Steps, o.Attention.Draws, o.Attention.Synthetic = 30, 16, 16
	o.Alpha = 0.1
	return o
}

// by returns the options with that decider.
func by(name string) algo.Options {
	o := options()
	o.By = name
	return o
}

// whole scores graphs as a batch and checks what all reports have in common.
func whole(t testing.TB, m *algo.Model, o algo.Options, gs []*graph.Graph) *algo.Report {
	t.Helper()
	r := must.Have(must.Have(batch.NewScorer(ctx, m, o)).Batch(ctx, gs))
	if len(r.Rows) != len(gs) || len(r.Holdout) != m.Holdout.Len() || r.Few != (len(gs) < algo.MinBatch) {
		t.Fatalf("%d rows for %d graphs, %d for a holdout of %d, few: %v", len(r.Rows), len(gs), len(r.Holdout), m.Holdout.Len(), r.Few)
	}
	for i, row := range slices.Concat(r.Rows, r.Holdout) {
		if row.Alone-row.Alone != 0 {
			t.Fatalf("row %d: %+v", i, row)
		}
		for _, x := range []float64{row.Pre, row.Attn, row.BaCa, row.Ratio, row.Batch} {
			if r.Few != math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("row %d: %+v", i, row)
			}
		}
	}
	return r
}

// same tells whether two rows have the same bits, NaN being equal to itself: the digits tell all numbers apart.
func same(a, b algo.Row) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// alike compares only scores and p-values of graphs by themselves.
func alike(a, b algo.Row) bool {
	return math.Float64bits(a.Alone) == math.Float64bits(b.Alone) && math.Float64bits(a.AloneP) == math.Float64bits(b.AloneP)
}

func TestBatchIsTold(t *testing.T) {
	m := model()
	rng := rand.New(rand.NewPCG(3, 4))
	const id, ood = 60, 40
	gs := append(trees(rng, id, 0.1), trees(rng, ood, 1.2)...)
	for _, name := range algo.Deciders() {
		r := whole(t, m, by(name), gs)
		var scores []float64
		called := map[bool]int{}
		for i, row := range r.Rows {
			scores = append(scores, row.Score)
			if row.Verdict == decide.Outside {
				called[i < id]++
			}
			if by := name == algo.ByAttention; by && row.P != row.BaCaP || by == math.IsNaN(row.BaCaP) {
				t.Fatalf("by %s: row %d has p %g, by S_BaCa %g", name, i, row.P, row.BaCaP)
			}
			want := map[string]float64{algo.ByAlone: row.Alone, algo.ByBatch: row.Batch, algo.ByAttention: row.BaCa}[name]
			if row.Score != want {
				t.Fatalf("by %s: row %d has score %g, want %g", name, i, row.Score, want)
			}
		}
		auc, alarms, found := metric.Above(scores[id:], scores[:id]), called[true], called[false]
		t.Logf("by %s: AUROC %.3f, evidence %.2f, p %.3g, %d alarms, %d found, warnings %q", name, auc, r.Evidence, r.P, alarms, found, r.Warnings)
		if r.P > 0.05 || r.Evidence < 0.6 {
			t.Errorf("by %s: nothing says that the batch differs: AUC %g, p %g", name, r.Evidence, r.P)
		}
		if name == algo.ByAttention {
			continue // so few steps teach it little
		}
		if auc < 0.9 || found < ood/2 {
			t.Errorf("by %s: AUROC %g, %d of %d OOD graphs called outside", name, auc, found, ood)
		}
		// 0.1 asked; four standard errors with 20 in the holdout.
		if alarms > id/2 {
			t.Errorf("by %s: %d false alarms among %d", name, alarms, id)
		}
	}
}

// PartedByBatch partitions by Row.Batch and leaves scores alone that do not depend on the attention.
// Without S_Attn, S_BaCa is in the order of Row.Batch.
func TestPartedByBatch(t *testing.T) {
	m := model()
	rng := rand.New(rand.NewPCG(8, 9))
	gs := append(trees(rng, 40, 0.1), trees(rng, 30, 1.2)...)
	o := by(algo.ByAttention)
	plain := whole(t, m, o, gs)
	o = o.PartedByBatch()
	var inside, outside []int
	o.Watch = &attention.Watch{Parted: func(in, out []int, _ [2]int) { inside, outside = in, out }}
	r := whole(t, m, o, gs)
	compare := func(i, k int) int { return cmp.Compare(r.Rows[i].Batch, r.Rows[k].Batch) }
	if in, out := slices.MaxFunc(inside, compare), slices.MinFunc(outside, compare); compare(in, out) >= 0 {
		t.Errorf("graph %d is taken for ID, graph %d for OOD: %+v and %+v", in, out, r.Rows[in], r.Rows[out])
	}
	differ := false
	for i, row := range r.Rows {
		old := plain.Rows[i]
		if row.Pre != old.Pre || row.Ratio != old.Ratio || row.Batch != old.Batch || row.BatchP != old.BatchP || !alike(row, old) {
			t.Errorf("row %d is %+v, with the paper's partition %+v", i, row, old)
		}
		differ = differ || row.Attn != old.Attn
	}
	if !differ {
		t.Error("the partition changes nothing")
	}
	o.Beta, o.Watch = 0, nil
	rows := whole(t, m, o, gs).Rows
	for i := range rows {
		for k := range i {
			if (rows[i].BaCa < rows[k].BaCa) != (rows[i].Batch < rows[k].Batch) {
				t.Fatalf("without S_Attn graphs %d and %d are in another order than by the batch", i, k)
			}
		}
	}
}

// Scores of graphs by themselves have the same bits in any company and order, with any seed, number of
// workers and size of the batch, in a batch and by Score.
func TestAloneDependsOnTheGraphOnly(t *testing.T) {
	m := model()
	rng := rand.New(rand.NewPCG(7, 8))
	gs := slices.Concat(trees(rng, 30, 0.1), trees(rng, 30, 1.2), set()[:30])
	want := make([]algo.Row, len(gs))
	one := must.Have(batch.NewScorer(ctx, m, options()))
	for i := range gs {
		rows := must.Have(one.Score(ctx, gs[i:i+1]))
		if want[i] = rows[0]; !(want[i].P > 0 && want[i].P <= 1) || want[i].Verdict == decide.Undecided || !math.IsNaN(want[i].Batch) || want[i].BatchVerdict != decide.Undecided {
			t.Fatalf("graph %d by itself: %+v", i, want[i])
		}
	}
	for run, size := range []int{1, 2, 5, 17, 19, 20, 33, 90} {
		o := options()
		o.Attention.Steps, o.Seed, o.Workers = 2, uint64(run), 1+run%3
		s := must.Have(batch.NewScorer(ctx, m, o))
		order := rng.Perm(len(gs))[:size]
		report := must.Have(s.Batch(ctx, pick(gs, order)))
		after := must.Have(s.Score(ctx, pick(gs, order)))
		for k, i := range order {
			for _, row := range []algo.Row{report.Rows[k], after[k]} {
				if !alike(row, want[i]) || row.Score != want[i].Score || row.P != want[i].P || row.Verdict != want[i].Verdict {
					t.Fatalf("batch of %d: graph %d gets %+v, by itself %+v", size, i, row, want[i])
				}
			}
		}
	}
}

// Fewer than MinBatch graphs are scored one by one, with a warning where a batch was to decide.
func TestFewGraphs(t *testing.T) {
	m := model()
	gs := trees(rand.New(rand.NewPCG(7, 8)), 10, 0.6)
	want := whole(t, m, options(), gs)
	if len(want.Warnings) > 0 || !math.IsNaN(want.P) || want.Evidence != 0.5 || want.Weight != 0 {
		t.Errorf("ten graphs: %+v", want)
	}
	for _, name := range algo.Deciders()[1:] {
		r := whole(t, m, by(name), gs)
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "judged by itself") {
			t.Errorf("by %s: warnings %q", name, r.Warnings)
		}
		if !slices.EqualFunc(r.Rows, want.Rows, same) {
			t.Errorf("by %s: other rows than alone", name)
		}
	}
}

// Copies of a training graph, in any number, are outside neither by themselves nor by the batch.
func TestCopiesOfTrainingGraphs(t *testing.T) {
	m := model()
	all := set()
	rng := rand.New(rand.NewPCG(23, 9))
	o := options()
	o.Attention.Steps = 1
	for _, copies := range []int{1, 19, 20, 60} {
		for _, beside := range []int{0, 25} {
			for _, extra := range []float64{0.1, 1.2} {
				i := 1 + 13*rng.IntN(20) + rng.IntN(12) // trained on
				gs := append(slices.Repeat([]*graph.Graph{all[i]}, copies), trees(rng, beside, extra)...)
				r := whole(t, m, o, gs)
				for _, row := range r.Rows[:copies] {
					if row.Verdict == decide.Outside || row.BatchVerdict == decide.Outside || row.Alone > 0 {
						t.Errorf("%d copies of training graph %d beside %d others: %+v", copies, i, beside, row)
					}
				}
				if beside == 0 && !r.Few && r.P < 0.05 {
					t.Errorf("%d copies of one graph differ from the training set: AUC %g, p %g", copies, r.Evidence, r.P)
				}
			}
		}
	}
}

// Equal graphs have equal scores in a batch, and the order of the batch changes no density ratio and
// no verdict.
func TestEqualGraphsAreScoredAlike(t *testing.T) {
	m := model()
	rng := rand.New(rand.NewPCG(24, 9))
	kinds := append(trees(rng, 25, 0.1), trees(rng, 15, 0.9)...)
	var of []int
	for k := range kinds {
		of = append(of, slices.Repeat([]int{k}, 1+rng.IntN(4))...)
	}
	o := options()
	o.Attention.Steps = 1
	first := map[int]algo.Row{}
	for range 2 {
		rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		seen := map[int]algo.Row{}
		for i, row := range whole(t, m, o, pick(kinds, of)).Rows {
			if before, ok := seen[of[i]]; ok && !same(row, before) {
				t.Fatalf("graph %d has %+v, an equal one %+v", i, row, before)
			}
			seen[of[i]] = row
			before, ok := first[of[i]]
			if !ok {
				first[of[i]] = row
			} else if !alike(row, before) || math.Abs(row.Batch-before.Batch) > 1e-3 || row.BatchVerdict != before.BatchVerdict {
				t.Errorf("in another order graph %d has %+v, before %+v", of[i], row, before)
			}
		}
	}
}

// The p-value of a batch is fair: random batches of held-out graphs rarely have p ≤ 0.05. Each is
// compared with a holdout of its own.
func TestTheWholeBatchIsFair(t *testing.T) {
	m := model()
	rng := rand.New(rand.NewPCG(25, 9))
	o := options()
	o.Attention.Steps, o.Ratio.Folds = 0, 5 // nothing of the attention is asked for
	const runs = 60
	low := 0
	for range runs {
		gs := trees(rng, 80, 0.1)
		holdout := must.Have(contrast.Describe(ctx, 0, m.Encoder, gs[40:]))
		m.Holdout, m.HoldoutTraits = holdout, make([]algo.Trait, holdout.Len())
		if r := whole(t, m, o, gs[:40]); r.P <= 0.05 {
			low++
		}
	}
	t.Logf("%d of %d random batches with p ≤ 0.05", low, runs)
	// 8 % and three standard errors.
	if limit := 0.08 + 3*math.Sqrt(0.08*0.92/runs); float64(low) > limit*runs {
		t.Errorf("%d of %d random batches with p ≤ 0.05, want at most %.0f", low, runs, limit*runs)
	}
}

// p-values by S_BaCa are fair: of held-out graphs in random lists, each compared with a holdout of its own, a tenth has p ≤ 0.1.
func TestPaperIsFair(t *testing.T) {
	m := model()
	rng := rand.New(rand.NewPCG(27, 9))
	o := by(algo.ByAttention)
	o.Ratio.Folds = 2 // nothing of the ratio is asked for
	const runs, size = 30, 40
	low := 0
	for range runs {
		gs := trees(rng, 2*size, 0.1)
		m.Holdout, m.HoldoutTraits = must.Have(contrast.Describe(ctx, 0, m.Encoder, gs[size:])), make([]algo.Trait, size)
		for _, row := range whole(t, m, o, gs[:size]).Rows {
			if row.BaCaP <= 0.1 {
				low++
			}
		}
	}
	t.Logf("%d of %d graphs with p ≤ 0.1", low, runs*size)
	// Three standard errors of as many lists, of which holdout and graphs vary.
	if limit := 0.1 + 3*math.Sqrt(2*0.1*0.9/(runs*size)); float64(low) > limit*runs*size {
		t.Errorf("%d of %d graphs with p ≤ 0.1, want at most %.0f", low, runs*size, limit*runs*size)
	}
}

// The batch calls no graph outside whose p-value by itself is above decide.Guard, unless it is foreign.
func TestGuard(t *testing.T) {
	m := model()
	rng := rand.New(rand.NewPCG(26, 9))
	o := by(algo.ByBatch)
	o.Attention.Steps = 1
	guarded, foreign := 0, 0
	for _, extra := range []float64{0.1, 0.3, 0.6, 1.2} {
		for i, row := range whole(t, m, o, trees(rng, 60, extra)).Rows {
			want := decide.Judge(row.BatchP, o.Alpha, m.Holdout.Len())
			if want == decide.Outside && row.AloneP > decide.Guard(60, o.Alpha) {
				if foreign++; !row.Foreign {
					want = decide.Borderline
					guarded, foreign = guarded+1, foreign-1
				}
			}
			if row.BatchVerdict != want || row.Verdict != want {
				t.Errorf("row %d is %+v, want %s", i, row, want)
			}
		}
	}
	if guarded*foreign == 0 {
		t.Errorf("%d were guarded and %d foreign: the test tests too little", guarded, foreign)
	}
}

// With a holdout too small for alpha every verdict is undecided, and without any there are no p-values.
func TestUndecided(t *testing.T) {
	small, none := model(), model()
	none.Holdout, none.HoldoutTraits = none.Holdout.Select(nil), nil
	rng := rand.New(rand.NewPCG(27, 9))
	gs := append(trees(rng, 15, 0.1), trees(rng, 15, 1.2)...)
	for _, c := range []struct {
		m         *algo.Model
		alpha     float64
		undecided bool
	}{{small, 0.04, true}, {small, 0.05, false}, {none, 0.1, true}} { // 1/21 is between
		for _, by := range algo.Deciders() {
			o := options()
			o.By, o.Alpha = by, c.alpha
			for _, n := range []int{30, 5, 2} {
				r := whole(t, c.m, o, gs[:n])
				for i, row := range r.Rows {
					undecided := row.Verdict == decide.Undecided
					bad := undecided != c.undecided || undecided && row.BatchVerdict != decide.Undecided
					if bad || c.m == none && !math.IsNaN(row.P) || c.m != none && !(row.P > 0) {
						t.Fatalf("by %s at %g, row %d of %d: %+v", by, c.alpha, i, n, row)
					}
				}
				if c.m == none && (!math.IsNaN(r.P) || len(r.Warnings) == 0) {
					t.Errorf("by %s without a holdout: p of the batch %g, warnings %q", by, r.P, r.Warnings)
				}
			}
		}
	}
}

func TestSingleNodes(t *testing.T) {
	m := model()
	one, _ := must.Both(graph.New(1, nil))
	whole(t, m, options(), []*graph.Graph{one})
	r := whole(t, m, options(), slices.Repeat([]*graph.Graph{one}, 30))
	if got := strings.Join(r.Warnings, "; "); !strings.Contains(got, "single node") {
		t.Errorf("warnings %q, want one about the single node", got)
	}
	// A graph without nodes has no score, and the others keep theirs.
	gs := trees(rand.New(rand.NewPCG(28, 9)), 30, 0.1)
	s := must.Have(batch.NewScorer(ctx, m, options()))
	r = must.Have(s.Batch(ctx, append(gs, &graph.Graph{Offsets: []int32{0}, Features: 1})))
	for i, row := range r.Rows {
		if none := i == len(gs); math.IsNaN(row.Alone) != none || math.IsNaN(row.Batch) != none || none && row.Verdict != decide.Undecided {
			t.Errorf("row %d: %+v", i, row)
		}
	}
}

// The rows do not depend on the number of workers, and have the same bits on amd64, where math and
// gonum have assembly, as in WebAssembly, where they have none. The density ratio, which gonum fits,
// is the same but for rounding.
func TestSameBitsNativelyAndInWebAssembly(t *testing.T) {
	m, rng, o := model(), rand.New(rand.NewPCG(9, 10)), options()
	gs := append(trees(rng, 40, 0.1), trees(rng, 20, 1.2)...)
	o.Workers = 1
	want := whole(t, m, o, gs)
	for _, workers := range []int{1, 2, 3} {
		o.Workers = workers
		if got := whole(t, m, o, gs); !slices.EqualFunc(got.Rows, want.Rows, same) || !slices.EqualFunc(got.Holdout, want.Holdout, same) || got.P != want.P || got.Evidence != want.Evidence {
			t.Errorf("%d workers give other rows than one", workers)
		}
	}
	if arch := runtime.GOARCH; arch != "amd64" && arch != "wasm" {
		t.Skipf("%s rounds otherwise where it fuses products with sums", arch)
	}
	h, sum := sha256.New(), 0.0
	for _, r := range want.Rows {
		binary.Write(h, binary.LittleEndian, []float64{r.Alone, r.AloneP, r.Pre, r.Attn})
		sum += math.Abs(r.Ratio)
	}
	if got, want := fmt.Sprintf("%x", h.Sum(nil)[:8]), "ada2f24b294f65ea"; got != want {
		t.Errorf("the SHA-256 of the scores begins with %s, want %s", got, want)
	}
	if want := 52.69688517349471; math.Abs(sum-want) > 1e-10 {
		t.Errorf("density ratios of %.16g in all, want %.16g", sum, want)
	}
}

func single(m *algo.Model) *algo.SingleScorer {
	return must.Have(algo.NewSingleScorer(ctx, m, 0))
}

func TestRefusals(t *testing.T) {
	m := model()
	shared := must.Have(alone.Share(ctx, 0, m, 3))
	for name, c := range map[string]struct {
		m      *algo.Model
		change func(*algo.Options)
	}{
		"by":              {m, func(o *algo.Options) { o.By = "magic" }},
		"alpha":           {m, func(o *algo.Options) { o.Alpha = 0 }},
		"partition":       {m, func(o *algo.Options) { o.Partition = "luck" }},
		"attention":       {m, func(o *algo.Options) { o.Attention.TopK = 0 }},
		"another model":   {m, func(o *algo.Options) { o.Single = single(model()) }},
		"shared by batch": {shared, func(o *algo.Options) { o.By = algo.ByBatch }},
	} {
		o := options()
		c.change(&o)
		if _, err := batch.NewScorer(ctx, c.m, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s := must.Have(batch.NewScorer(ctx, m, options()))
	g := trees(rand.New(rand.NewPCG(1, 1)), 1, 0)[0]
	g.Features, g.X = 9, make([]float32, 9*g.N())
	if _, err := s.Batch(ctx, []*graph.Graph{g}); err == nil || !strings.Contains(err.Error(), "9 node features") {
		t.Errorf("a graph of another schema: error %v", err)
	}
	if r, err := s.Batch(ctx, nil); err != nil || len(r.Rows) != 0 {
		t.Errorf("no graphs: %v, %v", r, err)
	}
	if _, err := must.Have(batch.NewScorer(ctx, shared, options())).Batch(ctx, trees(rand.New(rand.NewPCG(1, 1)), 30, 0)); err == nil {
		t.Error("a model made for sharing calibrates a batch")
	}
	if _, err := algo.NewModel(ctx, 1, gin.New(gin.Default(1), rand.New(rand.NewPCG(1, 1))), nil, nil, nil, algo.Card{Schema: algo.OGB}); err == nil {
		t.Error("an encoder of one feature passes for the molecule schema")
	}
	bare := *m
	bare.Bank = m.Bank.Select(nil)
	if _, err := algo.NewSingleScorer(ctx, &bare, 0); err == nil {
		t.Error("a model without a bank gives scores")
	}
	if err := m.AddBackground(ctx, 1, set(), set()); err == nil {
		t.Error("a model of plain graphs takes a background")
	}
}

// After a batch, Score gives held-out graphs the scores that the batch gave them, also concurrently.
func TestScoreGoesOnFromTheBatch(t *testing.T) {
	m := model()
	holdout := pick(set(), m.Card.HoldoutRows)
	for _, name := range algo.Deciders() {
		for _, n := range []int{5, 40} {
			s := must.Have(batch.NewScorer(ctx, m, by(name)))
			gs := trees(rand.New(rand.NewPCG(3, 4)), n, 0.6)
			report := must.Have(s.Batch(ctx, gs))
			rows := make([]algo.Row, len(holdout))
			var group sync.WaitGroup
			for i := range holdout {
				group.Go(func() { rows[i] = must.Have(s.Score(ctx, holdout[i:i+1]))[0] })
			}
			group.Wait()
			// The p-value by S_BaCa is of what learned without the graph, so it does not matter whether it was in the batch.
			for i, again := range must.Have(s.Score(ctx, gs)) {
				if p := report.Rows[i].BaCaP; again.BaCaP != p && !(math.IsNaN(p) && math.IsNaN(again.BaCaP)) {
					t.Errorf("by %s, batch of %d: graph %d has baca_p %g, after the batch %g", name, n, i, p, again.BaCaP)
				}
			}
			for i, want := range report.Holdout {
				got := rows[i]
				// The holdout is not judged.
				want.Score, want.P, want.Verdict = got.Score, got.P, got.Verdict
				want.AloneP, want.BatchP, want.BaCaP, want.Foreign, want.BatchVerdict = got.AloneP, got.BatchP, got.BaCaP, got.Foreign, got.BatchVerdict
				if !same(got, want) {
					t.Errorf("by %s, batch of %d: held-out graph %d has %+v, in the batch %+v", name, n, i, got, want)
				}
				if !(got.P > 0 && got.P <= 1) || got.Verdict == decide.Undecided {
					t.Errorf("by %s, batch of %d: held-out graph %d has p-value %g, verdict %v", name, n, i, got.P, got.Verdict)
				}
			}
		}
	}
}
