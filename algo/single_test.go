package algo_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/feature/suggest"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/must"
)

// Explain has the score, p-value and verdict of Scores and Judge. Contributions of nodes add up to the score above the limit, so
// their sign is the verdict. Those of the embedding depend on the encoder's weights.
func TestExplain(t *testing.T) {
	m := model()
	a := single(m)
	other := *m
	other.Encoder = gin.New(m.Encoder.Config, rand.New(rand.NewPCG(77, 7)))
	other.Bank = must.Have(contrast.Describe(ctx, 0, other.Encoder, set()))
	random := single(&other)
	const strange = 30 // these have far more edges than the graphs of the training set
	gs := slices.Concat(trees(rand.New(rand.NewPCG(21, 9)), strange, 1.2), trees(rand.New(rand.NewPCG(22, 9)), 60, 0.4))
	scores := must.Have(a.Scores(ctx, gs))
	seen := map[decide.Verdict]int{}
	alike, known := 0, 0
	for i, g := range gs {
		x := must.Have(a.Explain(ctx, g, 0.1))
		p, verdicts := a.Judge(scores[i:i+1], 0.1)
		if math.Abs(x.Score-scores[i]) > 1e-9 || x.P != p[0] || x.Verdict != verdicts[0] {
			t.Errorf("graph %d: score %g, p %g, %s, want %g, %g, %s", i, x.Score, x.P, x.Verdict, scores[i], p[0], verdicts[0])
		}
		if len(x.Contributions) != g.N() || len(x.BySubtrees) != g.N() || len(x.ByEmbedding) != g.N() || len(x.Nearest) != 3 {
			t.Fatalf("graph %d: %d, %d and %d parts for %d nodes, %d neighbours", i, len(x.Contributions), len(x.BySubtrees),
				len(x.ByEmbedding), g.N(), len(x.Nearest))
		}
		if q := must.Have(a.Embedding(ctx, g)); !slices.Equal(q, must.Have(contrast.Represent(ctx, 1, m.Encoder, gs[i:i+1])).Q) {
			t.Errorf("graph %d: another embedding than that of the encoder", i)
		}
		if i < strange && (len(x.Reasons) == 0 || x.Reasons[0].Weight < 1) {
			t.Errorf("graph %d with %d nodes and %d edges has no reasons", i, g.N(), g.M())
		}
		if sum := floats.Sum(x.Contributions); math.Abs(sum-(x.Score-x.Limit)) > 1e-9 {
			t.Errorf("graph %d: contributions add up to %g, the score is %g above the limit", i, sum, x.Score-x.Limit)
		}
		if (x.Score >= x.Limit) != (x.Verdict == decide.Outside) {
			t.Errorf("graph %d: %s at %g, limit %g", i, x.Verdict, x.Score, x.Limit)
		}
		if x.Verdict == decide.Outside && slices.Max(x.Contributions) <= 0 || x.Verdict == decide.Inside && slices.Min(x.Contributions) > 0 {
			t.Errorf("graph %d is %s, and its nodes have %v", i, x.Verdict, x.Contributions)
		}
		about := slices.ContainsFunc(x.Reasons, func(r explain.Reason) bool { return len(r.Nodes) > 0 && r.About != "" })
		if x.Verdict == decide.Outside && !about {
			t.Errorf("graph %d is outside, and no reason is about its nodes: %+v", i, x.Reasons)
		}
		y := must.Have(random.Explain(ctx, g, 0.1))
		if slices.EqualFunc(x.ByEmbedding, y.ByEmbedding, func(v, w float64) bool { return math.Abs(v-w) <= 0.01*math.Abs(v) }) {
			alike++
		}
		if seen[x.Verdict]++; a.Duplicate(g) {
			known++
		}
	}
	if seen[decide.Outside] < 5 || seen[decide.Inside] < 5 {
		t.Errorf("verdicts %v do not test both", seen)
	}
	if alike > 6 {
		t.Errorf("an encoder of random weights gives nodes the same part in %d of %d graphs", alike, len(gs))
	}
	// Training graphs are known, and others mostly are not.
	for i, g := range set() {
		if i%13 != 0 && !a.Duplicate(g) {
			t.Errorf("training graph %d is not known", i)
		}
	}
	if known > 3 {
		t.Errorf("%d of %d other graphs are known", known, len(gs))
	}
	m.Profile = nil
	a = single(m)
	empty := &graph.Graph{Offsets: []int32{0}, Features: 1}
	if x := must.Have(a.Explain(ctx, empty, 0.1)); !math.IsNaN(x.Score) || x.Duplicate || x.Verdict != "undecided" {
		t.Errorf("a graph without nodes: %+v", x)
	}
	if _, err := a.Explain(ctx, &graph.Graph{Offsets: []int32{0}, Features: 4}, 0.1); err == nil {
		t.Error("a graph of other features is explained")
	}
}

// A Watch sees the stages in order, the attention and the mixup by turns, and changes no score.
func TestWatchChangesNothing(t *testing.T) {
	m := model()
	gs := trees(rand.New(rand.NewPCG(11, 3)), 300, 0.5)
	o := algo.DefaultOptions()
	want := whole(t, m, o, gs)
	var seen []string
	note := func(what string) {
		if len(seen) == 0 || seen[len(seen)-1] != what {
			seen = append(seen, what)
		}
	}
	last := map[attention.Stage][2]int{}
	o.Watch = &attention.Watch{
		Stage: func(s attention.Stage, done, total int) {
			if note(string(s)); done < 0 || done > total {
				t.Errorf("stage %s: %d of %d", s, done, total)
			}
			last[s] = [2]int{done, total}
		},
		Parted: func(inside, outside []int, sizes [2]int) {
			if note("parted"); len(inside) < 75 || len(outside) < 75 || sizes[0] < 8 || sizes[1] < 8 {
				t.Errorf("%d and %d graphs, graphons of %v steps", len(inside), len(outside), sizes)
			}
		},
		Every: 70,
		Step:  func(it attention.Iteration) { note(fmt.Sprint(it.Step)) },
	}
	if got := whole(t, m, o, gs); !slices.EqualFunc(got.Rows, want.Rows, same) {
		t.Error("a watched batch has other rows")
	}
	const order = "encode part graphons parted mixup attention mixup attention 70 attention mixup attention 140 attention mixup attention 200 ratio finish"
	if got := strings.Join(seen, " "); got != order {
		t.Errorf("seen: %s\nwant: %s", got, order)
	}
	for s, want := range map[attention.Stage][2]int{attention.Encoding: {300, 300}, attention.Attending: {200, 200}, attention.Mixing: {512, 512}} {
		if last[s] != want {
			t.Errorf("stage %s ends with %v, want %v", s, last[s], want)
		}
	}
}

// With another holdout the scores stay, and p-values are those of a model trained with that holdout.
func TestWithHoldout(t *testing.T) {
	m := model()
	a := single(m)
	other := *m
	outside := trees(rand.New(rand.NewPCG(31, 9)), 30, 0.3)
	holdout := must.Have(contrast.Describe(ctx, 0, m.Encoder, outside))
	other.Holdout, other.HoldoutTraits = holdout, m.Traits(outside, holdout.Prints)
	b := must.Have(a.WithHoldout(ctx, &other))
	if want := single(&other); !slices.Equal(b.Holdout(), want.Holdout()) || slices.Equal(a.Holdout(), b.Holdout()) {
		t.Errorf("the holdout scores %v, want %v", b.Holdout(), want.Holdout())
	}
	o := options()
	o.Single = b
	gs := trees(rand.New(rand.NewPCG(32, 9)), 25, 0.6)
	prepared, plain := whole(t, &other, o, gs), whole(t, &other, options(), gs)
	if !slices.EqualFunc(prepared.Rows, plain.Rows, same) || !slices.EqualFunc(prepared.Holdout, plain.Holdout, same) {
		t.Error("other rows than those of a model that came with this holdout")
	}
	other.Bank = m.Bank.Select([]int{0, 1})
	if _, err := a.WithHoldout(ctx, &other); err == nil {
		t.Error("a model of another bank passes")
	}
}

// A library scores graphs as their scorer does, and suggests some that bring it nearer. Package suggest tests which.
func TestSuggest(t *testing.T) {
	s, gs := single(model()), trees(rand.New(rand.NewPCG(31, 7)), 60, 0.6)
	l := suggest.New(s.Parts())
	must.Do(l.Add(ctx, 2, gs))
	for i, want := range must.Have(s.Scores(ctx, gs)) {
		if got := l.Score(i); got != want {
			t.Fatalf("graph %d of the library has score %g, want %g", i, got, want)
		}
	}
	got := must.Have(l.Suggest(ctx, suggest.Options{Most: 12, Alpha: 0.1, Seed: 1}))
	if last := len(got.Far) - 1; last != 12 || !(got.Far[last] < got.FarRandom[last] && got.Far[last] < got.FarTop[last]) {
		t.Errorf("far %v, with random picks %v, with the highest scores %v", got.Far, got.FarRandom, got.FarTop)
	}
}
