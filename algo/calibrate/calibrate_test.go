package calibrate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/metric"
)

var ctx = context.Background()

// family draws n random trees with some extra edges for each node.
func family(t testing.TB, rng *rand.Rand, n, size int, extra float64) []*graph.Graph {
	t.Helper()
	var gs []*graph.Graph
	for range n {
		nodes := size + rng.IntN(size)
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

// input makes a batch of id ID and ood OOD graphs for an untrained encoder.
func input(t testing.TB, id, ood, bank, holdout int) *Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	e := gin.New(gin.Default(1), rng)
	represent := func(gs []*graph.Graph) *contrast.Representation {
		r, err := contrast.Describe(ctx, 1, e, gs)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	gs := append(family(t, rng, id, 8, 0.1), family(t, rng, ood, 8, 1)...)
	in := &Input{Encoder: e, Graphs: gs, Test: represent(gs), Bank: represent(family(t, rng, bank, 8, 0.1)), Holdout: represent(family(t, rng, holdout, 8, 0.1)), Seed: 3, Workers: 1}
	base, _, err := contrast.BaseScores(ctx, 1, in.Test, in.Test.Negatives(), true, in.Bank.MeanNodeScore())
	if err != nil {
		t.Fatal(err)
	}
	in.Base = base
	return in
}

func labels(id, ood int) []bool {
	l := make([]bool, id+ood)
	for i := id; i < len(l); i++ {
		l[i] = true
	}
	return l
}

func finite(t *testing.T, what string, values ...float64) {
	t.Helper()
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: value %d is %g", what, i, v)
		}
	}
}

func TestStandardizer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, dim = 500, 3
	q := make([]float32, n*dim)
	for i := range q {
		q[i] = float32(5 + 3*rng.NormFloat64())
		if i%dim == 2 {
			q[i] = 7 // a unit that never varies
		}
	}
	s := NewStandardizer(q, dim)
	z := s.Apply(q)
	for j := range dim {
		var sum, square float64
		for i := j; i < len(z); i += dim {
			sum += float64(z[i])
			square += float64(z[i]) * float64(z[i])
		}
		want := 1.0
		if j == 2 {
			want = 0
		}
		if math.Abs(sum/n) > 1e-5 || math.Abs(square/n-want) > 1e-5 {
			t.Errorf("coordinate %d: mean %g, square %g, want 0 and %g", j, sum/n, square/n, want)
		}
	}
	// What a byte keeps of the bank is what the standardizer sees of it, and the
	// standardizer of what is kept is the same.
	kept := make([]float32, len(q))
	for j := range dim {
		low, high := q[j], q[j]
		for i := j; i < len(q); i += dim {
			low, high = min(low, q[i]), max(high, q[i])
		}
		step := (float64(high) - float64(low)) / 255
		for i := j; i < len(q); i += dim {
			if kept[i] = q[i]; step > 0 {
				kept[i] = float32(float64(low) + step*math.Floor((float64(q[i])-float64(low))/step+0.5))
			}
		}
	}
	for name, other := range map[string][]float32{"what is kept": s.Apply(kept), "its own standardizer": NewStandardizer(kept, dim).Apply(kept)} {
		for i := range z {
			if math.Abs(float64(z[i]-other[i])) > 1e-6 {
				t.Fatalf("%s: value %d becomes %g, want %g", name, i, other[i], z[i])
			}
		}
	}
	far := s.Apply([]float32{1000, -1000, 8})
	if far[0] != clip || far[1] != -clip || far[2] != clip {
		t.Errorf("far values become %v, want ±%d", far, clip)
	}
	if z := NewStandardizer(nil, 2).Apply([]float32{1, -2}); z[0] != 1 || z[1] != -2 {
		t.Errorf("without rows: %v, want the values themselves", z)
	}
}

func TestAllEqualScoresStandardizeToZero(t *testing.T) {
	for _, x := range []float64{0, 1e9, -3.7} {
		s := []float64{x, x, x}
		if z := ScaleOf(s).Standardize(s); math.Abs(z[0]) > 1e-9 || math.Abs(z[2]) > 1e-9 {
			t.Errorf("scores %g become %v, want 0", x, z)
		}
	}
	finite(t, "no scores", ScaleOf(nil).Mean, ScaleOf(nil).Deviation)
}

func TestGate(t *testing.T) {
	// The deviation of the AUC of n and m graphs that do not differ, by drawing
	// them.
	const n, m = 40, 90
	rng := rand.New(rand.NewPCG(8, 8))
	scores, isTest := make([]float64, n+m), make([]bool, n+m)
	for i := range n {
		isTest[i] = true
	}
	var aucs []float64
	for range 4000 {
		for i := range scores {
			scores[i] = rng.Float64()
		}
		aucs = append(aucs, metric.AUROC(scores, isTest))
	}
	mean, deviation := metric.MeanStd(aucs)
	if math.Abs(mean-0.5) > 0.005 {
		t.Fatalf("mean AUC %g", mean)
	}
	for _, c := range []struct{ errors, want float64 }{{-3, 0}, {0, 0}, {2.4, 0}, {3.25, 0.5}, {4.1, 1}, {100, 1}} {
		if got := Gate(0.5+c.errors*deviation, n, m); math.Abs(got-c.want) > 0.05 {
			t.Errorf("%g standard errors of evidence give the weight %g, want %g", c.errors, got, c.want)
		}
	}
	if got := Gate(0.9, 0, 10); got != 0 {
		t.Errorf("no batch gives the weight %g", got)
	}
}

func TestFuseAndAdd(t *testing.T) {
	base, extra := []float64{0, 2}, []float64{30, 10} // z: −1 1 and 1 −1
	for _, c := range []struct {
		name string
		got  []float64
		want float64 // of the first
	}{
		{"no weight", Fuse(0, base, extra).Of(base, extra), -1},
		{"full weight", Fuse(1, base, extra).Of(base, extra), -0.25 + 1},
		{"some", Fuse(0.4, base, extra).Of(base, extra), -0.7 + 0.4},
		{"beta", Add(0.25, base, extra).Of(base, extra), -0.75},
	} {
		if math.Abs(c.got[0]-c.want) > 1e-12 || math.Abs(c.got[1]+c.want) > 1e-12 {
			t.Errorf("%s: %v, want ±%g", c.name, c.got, c.want)
		}
	}
	// 4 is at 3 in the units of the batch, and 1.5 above what is added in full.
	if h := Fuse(0, base, extra).Of([]float64{4}, []float64{20}); len(h) != 1 || h[0] != 3+1.5 {
		t.Errorf("others %v, want 4.5", h)
	}
}

// The head is compared with Newton's method on the same loss, solved with
// gonum/mat.
func TestFitMatchesNewton(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, dim, c = 90, 4, 0.3
	x, y := make([]float64, n*dim), make([]float64, n)
	for i := range n {
		y[i] = -1
		if i%3 == 0 {
			y[i] = 1
		}
		for j := range dim {
			x[i*dim+j] = float64(float32(rng.NormFloat64() + 0.4*y[i]*float64(j)))
		}
	}
	weight := map[float64]float64{1: c * n / (2 * 30), -1: c * n / (2 * 60)}
	p := mat.NewVecDense(dim+1, nil)
	for range 50 {
		gradient, hessian := mat.NewVecDense(dim+1, nil), mat.NewDense(dim+1, dim+1, nil)
		for j := range dim {
			gradient.SetVec(j, p.AtVec(j))
			hessian.Set(j, j, 1)
		}
		for i := range n {
			row := mat.NewVecDense(dim+1, append(slices.Clone(x[i*dim:(i+1)*dim]), 1))
			s := 1 / (1 + math.Exp(y[i]*mat.Dot(row, p)))
			gradient.AddScaledVec(gradient, -weight[y[i]]*y[i]*s, row)
			var outer mat.Dense
			outer.Outer(weight[y[i]]*s*(1-s), row, row)
			hessian.Add(hessian, &outer)
		}
		var step mat.VecDense
		if err := step.SolveVec(hessian, gradient); err != nil {
			t.Fatal(err)
		}
		p.SubVec(p, &step)
	}
	l := newLogistic(dim, n+1)
	for i := range n {
		l.add(narrow(x[i*dim:(i+1)*dim]), y[i])
	}
	l.add(make([]float32, dim), 1) // not used
	h := l.fit(&head{weights: make([]float64, dim)}, l.balanced(c, func(i int) bool { return i < n }))
	for j := range dim {
		if math.Abs(h.weights[j]-p.AtVec(j)) > 1e-5 {
			t.Errorf("weight %d: %g, Newton %g", j, h.weights[j], p.AtVec(j))
		}
	}
	if math.Abs(h.intercept-p.AtVec(dim)) > 1e-5 {
		t.Errorf("intercept %g, Newton %g", h.intercept, p.AtVec(dim))
	}
}

func narrow(x []float64) []float32 {
	var n []float32
	for _, v := range x {
		n = append(n, float32(v))
	}
	return n
}

// estimate is a ratio of a batch with all that comes before it, and its scores of the
// holdout.
func estimate(t testing.TB, in *Input) (*Estimate, []float64) {
	t.Helper()
	near, err := NewNeighborhood(ctx, in.Workers, in.Bank)
	if err != nil {
		t.Fatal(err)
	}
	test, err := near.Measure(ctx, in.Workers, in.Test)
	if err != nil {
		t.Fatal(err)
	}
	e, err := DefaultRatio().Estimate(ctx, in, near, test)
	if err != nil {
		t.Fatal(err)
	}
	held, err := near.Measure(ctx, in.Workers, in.Holdout)
	if err != nil {
		t.Fatal(err)
	}
	return e, e.Score(in.Holdout, held)
}

func TestRatioFindsTheShift(t *testing.T) {
	in := input(t, 60, 60, 200, 50)
	e, holdout := estimate(t, in)
	if auc := metric.AUROC(e.Test, labels(60, 60)); auc < 0.95 {
		t.Errorf("AUROC %g, want at least 0.95", auc)
	}
	if e.Evidence < 0.65 {
		t.Errorf("evidence %g with half of the batch OOD, want at least 0.65", e.Evidence)
	}
	// ID graphs of the batch and of the holdout are the same population.
	both := append(slices.Clone(e.Test[:60]), holdout...)
	if auc := metric.AUROC(both, append(make([]bool, 60), labels(0, 50)...)); math.Abs(auc-0.5) > 0.17 {
		t.Errorf("AUROC %g between ID graphs of batch and holdout, want about ½ (three standard errors: 0.17)", auc)
	}
}

func TestRatioWithoutShift(t *testing.T) {
	if e, _ := estimate(t, input(t, 120, 0, 200, 0)); math.Abs(e.Evidence-0.5) > 0.1 {
		t.Errorf("evidence %g for a batch like the bank, want about ½", e.Evidence)
	}
}

func TestRatioSmall(t *testing.T) {
	for _, c := range [][2]int{{1, 100}, {100, 3}, {9, 9}} {
		e, holdout := estimate(t, input(t, c[0], 0, c[1], 4))
		finite(t, "scores", append(holdout, e.Test...)...)
		if !strings.Contains(e.Skipped, "density ratio skipped") || e.Evidence != 0.5 || slices.Max(holdout) != 0 {
			t.Errorf("%v graphs: skipped %q, evidence %g, holdout %v", c, e.Skipped, e.Evidence, holdout)
		}
	}
}

func TestSameScoresAtAnyNumberOfWorkers(t *testing.T) {
	var want [4][]float64
	for _, workers := range []int{1, 2, 5} {
		in := input(t, 40, 20, 80, 15)
		in.Workers = workers
		a, err := NewAttention(brief(), 7)
		if err != nil {
			t.Fatal(err)
		}
		out, err := a.Calibrate(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		e, holdout := estimate(t, in)
		for k, got := range [][]float64{out.Test, out.Holdout, e.Test, holdout} {
			if workers == 1 {
				want[k] = got
			}
			if !slices.Equal(got, want[k]) {
				t.Errorf("scores %d: %d workers give others than one", k, workers)
			}
		}
	}
}

func brief() AttentionOptions {
	o := DefaultAttention()
	o.Steps, o.Synthetic, o.Draws = 60, 24, 16
	return o
}

// Given a base score that parts the batch rightly, the attention must learn
// what tells the parts from each other.
func TestAttentionLearns(t *testing.T) {
	in := input(t, 40, 40, 100, 10)
	for i := range in.Base {
		in.Base[i] = float64(i)
	}
	a, err := NewAttention(DefaultAttention(), 7)
	if err != nil {
		t.Fatal(err)
	}
	var losses, kl []float64
	in.Watch = &Watch{Every: 1, Step: func(it Iteration) {
		losses = append(losses, it.Loss)
		finite(t, "KL", it.KL)
		kl = append(kl, it.KL)
		if len(it.Test) != 80 || len(it.Inside) == 0 || len(it.Outside) == 0 {
			t.Fatalf("step %d: %d scores, %d and %d graphs in the subgroups", it.Step, len(it.Test), len(it.Inside), len(it.Outside))
		}
	}}
	out, err := a.Calibrate(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	finite(t, "scores", out.Test...)
	finite(t, "holdout", out.Holdout...)
	if n := len(losses); n != 200 || !(mean(losses[n-20:]) < 0.8*mean(losses[:20])) {
		t.Errorf("%d losses, mean of the first 20 %g, of the last %g: want a fall", n, mean(losses[:20]), mean(losses[n-20:]))
	}
	if !(mean(kl[180:]) > 0) || slices.Max(kl) <= kl[0] {
		t.Errorf("KL between the subgroups starts at %g and never rises: %g at its highest", kl[0], slices.Max(kl))
	}
	for _, s := range a.sides {
		if s.dict.Queue().Len() == 0 {
			t.Errorf("no synthetic graph entered the %s queue", s.of)
		}
	}
	if auc := metric.AUROC(out.Test, labels(40, 40)); auc < 0.9 {
		t.Errorf("AUROC %g, want at least 0.9", auc)
	}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// A graph in a dictionary must not find itself there: its score is that of the
// same graph looked up among the others.
func TestAttentionLeavesItselfOut(t *testing.T) {
	in := input(t, 30, 30, 50, 0)
	o := brief()
	o.Steps, o.TopK = 0, 1
	a, err := NewAttention(o, 7)
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Calibrate(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	ones := 0
	for _, i := range a.sides[1].members {
		if out.Test[i] > 0.999 {
			ones++
		}
	}
	if ones == len(a.sides[1].members) {
		t.Error("every member of the OOD dictionary has similarity 1 to it")
	}
}

func TestSuccessiveBatchesGoOn(t *testing.T) {
	in := input(t, 30, 30, 50, 0)
	a, err := NewAttention(brief(), 7)
	if err != nil {
		t.Fatal(err)
	}
	var queue [2]int
	for round := range queue {
		if _, err := a.Calibrate(ctx, in); err != nil {
			t.Fatal(err)
		}
		queue[round] = a.sides[0].dict.Queue().Len()
	}
	if queue[1] <= queue[0] || a.trainer.Adam[0].Step != 2*brief().Steps {
		t.Errorf("queue of %d, then %d graphs; %d training steps: want the second batch to go on", queue[0], queue[1], a.trainer.Adam[0].Step)
	}
}

// What has nothing to learn from ends in warnings and finite scores.
func TestAttentionDegenerate(t *testing.T) {
	equal := input(t, 12, 0, 20, 3)
	for i := range equal.Base {
		equal.Base[i] = 1
	}
	noEdges := input(t, 12, 0, 20, 3)
	for i := range noEdges.Graphs {
		g, _, err := graph.New(3+i%2, nil)
		if err != nil {
			t.Fatal(err)
		}
		g.EncodeStructure()
		noEdges.Graphs[i] = g
	}
	erased := brief()
	erased.Theta = 2.02
	for _, c := range []struct {
		name, warning string
		in            *Input
		options       AttentionOptions
	}{
		{"batch of one", "cannot be parted", input(t, 1, 0, 20, 3), brief()},
		{"all equal", "cannot be parted", equal, brief()},
		{"no bank", "", input(t, 10, 10, 0, 0), brief()},
		{"one graph, no bank", "cannot be parted", input(t, 1, 0, 0, 0), brief()},
		{"no edges", "synthetic graphs", noEdges, brief()},
		{"zero graphons", "synthetic graphs", input(t, 10, 10, 20, 3), erased},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := NewAttention(c.options, 1)
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.Calibrate(ctx, c.in)
			if err != nil {
				t.Fatal(err)
			}
			finite(t, "scores", out.Test...)
			finite(t, "holdout", out.Holdout...)
			if got := strings.Join(out.Warnings, "; "); c.warning == "" && got != "" || !strings.Contains(got, c.warning) {
				t.Errorf("warnings %q, want one with %q", got, c.warning)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	a, err := NewAttention(brief(), 1)
	if err != nil {
		t.Fatal(err)
	}
	in := input(t, 20, 20, 20, 0)
	in.Watch = &Watch{Every: 1, Step: func(it Iteration) {
		if it.Step == 3 {
			cancel()
		}
		if it.Step > 4 {
			t.Errorf("step %d after the end", it.Step)
		}
	}}
	_, err = a.Calibrate(done, in)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*AttentionOptions){
		"percentiles": func(o *AttentionOptions) { o.Low = 80 },
		"theta":       func(o *AttentionOptions) { o.Theta = math.NaN() },
		"top":         func(o *AttentionOptions) { o.TopK = 0 },
		"lambda":      func(o *AttentionOptions) { o.Mixup.LambdaHigh = 2 },
		"rate":        func(o *AttentionOptions) { o.LearningRate = 0 },
	} {
		o := DefaultAttention()
		change(&o)
		if _, err := NewAttention(o, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Every part by comparing with every graph of the bank.
func TestNeighborhoodMatchesBruteForce(t *testing.T) {
	in := input(t, 15, 15, 70, 0)
	dim, m := in.Test.Dim(), in.Bank.Len()
	in.Test.NodeScore[2] = math.NaN()        // the mean of the bank stands for it
	in.Test.Append(in.Bank.Select([]int{3})) // at distance 0
	s := NewStandardizer(in.Bank.Q, dim)
	keys := s.Apply(in.Bank.Q)
	index := fingerprint.NewIndex(in.Bank.Prints)
	parts := func(q []float32, p fingerprint.Print, node float64, leave int) [Parts]float64 {
		equal, sets, counts := index.Closest(p, leave)
		d := [Parts]float64{math.Inf(1), 1 - sets[0], 1 - counts[0], node}
		if equal > 0 {
			d[BySubtrees], d[ByCounts] = 0, 0
		}
		for j := range m {
			if j == leave {
				continue
			}
			sum := 0.0
			for k := range dim {
				e := float64(q[k]) - float64(keys[j*dim+k])
				sum += e * e
			}
			d[0] = min(d[0], math.Sqrt(sum))
		}
		return d
	}
	var own [Parts][]float64
	for j := range m {
		for k, d := range parts(keys[j*dim:(j+1)*dim], in.Bank.Prints[j], in.Bank.NodeScore[j], j) {
			own[k] = append(own[k], d)
		}
	}
	mean := func(d [Parts]float64) float64 {
		sum := 0.0
		for k, weight := range []float64{1, 2, 2, 0.3} {
			sum += weight * ScaleOf(own[k]).Standardize(d[k : k+1])[0]
		}
		return sum / 5.3
	}
	var bank []float64
	for j := range m {
		bank = append(bank, mean([Parts]float64{own[0][j], own[1][j], own[2][j], own[3][j]}))
	}
	q := s.Apply(in.Test.Q)
	typical := in.Bank.MeanNodeScore()
	var want []float64
	for i, p := range in.Test.Prints {
		node := in.Test.NodeScore[i]
		if math.IsNaN(node) {
			node = typical
		}
		want = append(want, mean(parts(q[i*dim:(i+1)*dim], p, node, -1)))
	}
	want = ScaleOf(bank).Standardize(want)
	for _, workers := range []int{1, 3} {
		n, err := NewNeighborhood(ctx, workers, in.Bank)
		if err != nil {
			t.Fatal(err)
		}
		d, err := n.Measure(ctx, workers, in.Test)
		if err != nil {
			t.Fatal(err)
		}
		got := n.Scores(d)
		for i := range want {
			if !(math.Abs(got[i]-want[i]) < 1e-5) {
				t.Errorf("%d workers, graph %d: %g, want %g", workers, i, got[i], want[i])
			}
		}
		nearest := slices.Min(n.Distances(in.Test, 4))
		if want := parts(q[4*dim:5*dim], in.Test.Prints[4], 0, -1)[0]; math.Abs(nearest-want) > 1e-6 {
			t.Errorf("nearest of graph 4 at %g, want %g", nearest, want)
		}
	}
	if _, err := NewNeighborhood(ctx, 1, in.Bank.Select([]int{0})); err != nil {
		t.Errorf("a bank of one graph: %v", err)
	}
}

// The view of closeness by its definition, for a bank too small to have ten others.
func TestClosenessOfTheBankAndOthers(t *testing.T) {
	for _, m := range []int{8, 60} {
		in := input(t, 12, 12, m, 0)
		n, err := NewNeighborhood(ctx, 2, in.Bank)
		if err != nil {
			t.Fatal(err)
		}
		side, err := n.bankSide(ctx, 2)
		if err != nil {
			t.Fatal(err)
		}
		index := fingerprint.NewIndex(in.Bank.Prints)
		row := func(p fingerprint.Print, leave int) []float64 {
			_, sets, counts := index.Closest(p, leave)
			size := 0.0
			for _, c := range p.Counts {
				size += float64(c)
			}
			fifth, tenth := min(5, m-1)-1, min(10, m-1)-1
			return []float64{
				1 - sets[0], 1 - sets[fifth], 1 - sets[tenth],
				1 - counts[0], 1 - counts[fifth], 1 - counts[tenth], size, math.Log1p(size),
			}
		}
		var bank, test [][]float64
		for i, p := range in.Bank.Prints {
			bank = append(bank, row(p, i))
		}
		for _, p := range in.Test.Prints {
			test = append(test, row(p, -1))
		}
		want := func(rows [][]float64) []float32 {
			var flat []float32
			for _, r := range rows {
				for c, x := range r {
					var column []float64
					for _, b := range bank {
						column = append(column, b[c])
					}
					z := max(-4, min(4, ScaleOf(column).Standardize([]float64{x})[0]))
					flat = append(flat, float32(x), float32(z*z))
				}
			}
			return flat
		}
		s := NewStandardizer(want(bank), 16)
		d, err := n.Measure(ctx, 2, in.Test)
		if err != nil {
			t.Fatal(err)
		}
		for name, pair := range map[string][2][]float32{
			"bank": {side.rows[viewCloseness], s.Apply(want(bank))},
			"test": {side.apply(viewCloseness, in.Test, d), s.Apply(want(test))},
		} {
			if len(pair[0]) != len(pair[1]) {
				t.Fatalf("bank of %d, %s: %d values, want %d", m, name, len(pair[0]), len(pair[1]))
			}
			for i, x := range pair[0] {
				if math.Abs(float64(x-pair[1][i])) > 1e-5 {
					t.Errorf("bank of %d, %s: column %d of row %d is %g, want %g", m, name, i%16, i/16, x, pair[1][i])
				}
			}
		}
	}
}

func BenchmarkNeighborhood(b *testing.B) {
	in := input(b, 204, 204, 1835, 0)
	n, err := NewNeighborhood(ctx, 1, in.Bank)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d, err := n.Measure(ctx, 1, in.Test)
		if err != nil {
			b.Fatal(err)
		}
		n.Scores(d)
	}
	b.ReportMetric(408*float64(b.N)/b.Elapsed().Seconds(), "graphs/s")
}

func BenchmarkRatio(b *testing.B) {
	in := input(b, 204, 204, 1835, 0)
	for b.Loop() {
		estimate(b, in)
	}
	b.ReportMetric(408*float64(b.N)/b.Elapsed().Seconds(), "graphs/s")
}

func BenchmarkAttention(b *testing.B) {
	in := input(b, 204, 204, 1835, 0)
	in.Workers = 0
	for b.Loop() {
		a, err := NewAttention(DefaultAttention(), 1)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := a.Calibrate(ctx, in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(408*float64(b.N)/b.Elapsed().Seconds(), "graphs/s")
}
