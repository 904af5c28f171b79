package attention

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"baca/algo/contrast"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
	"baca/algo/metric"
)

var ctx = context.Background()

// An input is a batch with its base scores, and further ID graphs.
type input struct {
	*Batch
	holdout *contrast.Representation
	ood     []bool
}

func newInput(id, ood, bank, holdout int) *input {
	s := sample.New(id, ood, bank, holdout)
	b := &Batch{Encoder: s.Encoder, Graphs: s.Graphs, Test: s.Test, Bank: s.Bank, Terms: contrast.PlainTerms(s.Bank), Workers: 1}
	b.Base = must.Have(contrast.BaseScores(ctx, 1, b.Test, b.Test.Negatives(), true, b.Terms))
	b.Part = b.Base
	return &input{b, s.Holdout, s.OOD}
}

// synthetic counts the synthetic graphs in a dictionary.
func synthetic(d *dictionary.Dictionary) (n int) {
	for i := range d.Len() {
		if d.Entry(i).Origin == dictionary.Synthetic {
			n++
		}
	}
	return n
}

func brief() Options {
	o := DefaultOptions()
	o.Steps, o.Synthetic, o.Draws = 60, 24, 16
	return o
}

// If the base score partitions the batch correctly, the attention learns to separate the parts.
func TestCalibratorLearns(t *testing.T) {
	in := newInput(40, 40, 100, 10)
	for i := range in.Base {
		in.Base[i] = float64(i)
	}
	a := must.Have(New(DefaultOptions(), 7))
	var losses, kl []float64
	var stages []string
	var parted [2][]int
	in.Watch = &Watch{Every: 1, Stage: func(s Stage, done, total int) {
		if s != Attending || done == total {
			stages = append(stages, fmt.Sprintf("%s %d/%d", s, done, total))
		}
	}, Parted: func(inside, outside []int, _ [2]int) { parted = [2][]int{inside, outside} }, Step: func(it Iteration) {
		losses = append(losses, it.Loss)
		finite(t, "KL", it.KL)
		kl = append(kl, it.KL)
		if it.Step != len(losses) || len(it.Test) != 80 || len(it.Inside) == 0 || len(it.Outside) == 0 {
			t.Fatalf("step %d: %d scores, %d and %d graphs in the subgroups", it.Step, len(it.Test), len(it.Inside), len(it.Outside))
		}
	}}
	out := must.Have(a.Calibrate(ctx, in.Batch))
	const want = "part 0/1, graphons 0/2, graphons 1/2, mixup 128/512, mixup 256/512, mixup 384/512, mixup 512/512, attention 200/200"
	if got := strings.Join(stages, ", "); got != want {
		t.Errorf("stages %s, want %s", got, want)
	}
	finite(t, "scores", out.Test...)
	finite(t, "holdout", must.Have(out.Score(ctx, in.holdout))...)
	if n := len(losses); n != 200 || !(stat.Mean(losses[n-20:], nil) < 0.8*stat.Mean(losses[:20], nil)) {
		t.Errorf("%d losses, mean of the first 20 %g, of the last %g: want a fall", n, stat.Mean(losses[:20], nil), stat.Mean(losses[n-20:], nil))
	}
	if !(stat.Mean(kl[180:], nil) > 0) || slices.Max(kl) <= kl[0] {
		t.Errorf("KL between the subgroups starts at %g and never rises: %g at its highest", kl[0], slices.Max(kl))
	}
	for k, s := range a.sides {
		if synthetic(s.dict) == 0 || s.draws != 256 || !slices.Equal(parted[k], s.members) {
			t.Errorf("%d graphs were drawn for the %s queue and %d entered, %d were parted", s.draws, s.of, synthetic(s.dict), len(parted[k]))
		}
	}
	if auc := metric.AUROC(out.Test, in.ood); auc < 0.9 {
		t.Errorf("AUROC %g, want at least 0.9", auc)
	}
}

// A graph of the batch is scored by keys other than its own.
func TestCalibratorLeavesItselfOut(t *testing.T) {
	in := newInput(30, 30, 50, 0)
	o := brief()
	o.Steps, o.TopK, o.Training, o.Width = 0, 1, 20, 1000
	a := must.Have(New(o, 7))
	if e := a.Explain(nil, 0); e.Score != (Score{}) || e.InKeys != nil || e.OutKeys != nil {
		t.Errorf("before the first batch: %+v", e)
	}
	out := must.Have(a.Calibrate(ctx, in.Batch))
	for k := range o.Training { // two of five
		if e := a.Dictionary(dictionary.ID).Entry(k); e.Origin != dictionary.Training || e.Index != k*5/2 {
			t.Errorf("key %d is %+v, want training graph %d", k, e, k*5/2)
		}
	}
	for k, side := range a.sides {
		if members, graphons := a.Members(side.of); !slices.Equal(members, side.members) || len(graphons) != len(members) {
			t.Errorf("%d graphons of %d members, want %d", len(graphons), len(members), len(side.members))
		}
		for _, i := range side.members {
			if q := a.Query(in.Test.Q[i*in.Test.Dim():][:in.Test.Dim()]); !slices.Equal(q, a.Keys(side.of).Unit(int(side.rowOf(i)))) {
				t.Errorf("graph %d is asked for by other values than those of its key", i)
			}
			e := a.Explain(in.Test.Q[i*in.Test.Dim():(i+1)*in.Test.Dim()], i)
			nearest := [...]Contribution{e.InKeys[0], e.OutKeys[0]}[k]
			if nearest.Key == int(side.rowOf(i)) || out.Test[i] != e.Attn() {
				t.Errorf("graph %d has the score %g, %g without its own key; nearest is %+v of row %d", i, out.Test[i], e.Attn(), nearest, side.rowOf(i))
			}
		}
	}
}

// Each synthetic key has its graph, and no other graphs are kept. A second batch goes on where the first one ended.
func TestSyntheticKeysHaveTheirGraphs(t *testing.T) {
	in := newInput(40, 40, 100, 10)
	o := brief()
	o.Capacity = 30 // fewer than are drawn for two batches, so that some are pushed out
	a := must.Have(New(o, 3))
	var queue [2]int
	for round := range queue {
		must.Have(a.Calibrate(ctx, in.Batch))
		queue[round] = synthetic(a.sides[0].dict)
	}
	if queue[1] <= queue[0] || a.trainer.adam[0].Step != 2*o.Steps {
		t.Errorf("queue of %d, then %d graphs; %d training steps: want the second batch to go on", queue[0], queue[1], a.trainer.adam[0].Step)
	}
	for _, side := range []dictionary.Side{dictionary.ID, dictionary.OOD} {
		d := a.Dictionary(side)
		for i := range d.Len() {
			e := d.Entry(i)
			if e.Origin != dictionary.Synthetic {
				continue
			}
			g := a.Synthetic(side, e.Index)
			if g == nil {
				t.Fatalf("%s: synthetic key %d has no graph", side, e.Index)
			}
			r := must.Have(contrast.Represent(ctx, 1, in.Encoder, []*graph.Graph{g}))
			if got := a.latest.standard.Apply(r.Q); !slices.Equal(got, a.sides[side].keys.Row(i)) {
				t.Errorf("%s: synthetic key %d is not of its graph", side, e.Index)
			}
		}
		if got, want := len(a.sides[side].drawn), synthetic(d); got != want || want != o.Capacity {
			t.Errorf("%s: %d graphs are kept for %d keys", side, got, want)
		}
		if a.Synthetic(side, -1) != nil || a.Synthetic(side, 1<<20) != nil {
			t.Errorf("%s: there are graphs of numbers that were not given", side)
		}
	}
}

// Batches without anything to learn from give warnings and finite scores.
func TestCalibratorDegenerate(t *testing.T) {
	equal := newInput(12, 0, 20, 3)
	for i := range equal.Base {
		equal.Base[i] = 1
	}
	noEdges := newInput(12, 0, 20, 3)
	for i := range noEdges.Graphs {
		g, _ := must.Both(graph.New(3+i%2, nil))
		g.EncodeStructure()
		noEdges.Graphs[i] = g
	}
	erased := brief()
	erased.Theta = 2.02
	for _, c := range []struct {
		name, warning string
		in            *input
		options       Options
	}{
		{"batch of one", "cannot be parted", newInput(1, 0, 20, 3), brief()},
		{"all equal", "cannot be parted", equal, brief()},
		{"no bank", "", newInput(10, 10, 0, 0), brief()},
		{"one graph, no bank", "cannot be parted", newInput(1, 0, 0, 0), brief()},
		{"no edges", "synthetic graphs", noEdges, brief()},
		{"zero graphons", "synthetic graphs", newInput(10, 10, 20, 3), erased},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := must.Have(New(c.options, 1))
			out := must.Have(a.Calibrate(ctx, c.in.Batch))
			finite(t, "scores", out.Test...)
			finite(t, "holdout", must.Have(out.Score(ctx, c.in.holdout))...)
			if got := strings.Join(out.Warnings, "; "); c.warning == "" && got != "" || !strings.Contains(got, c.warning) {
				t.Errorf("warnings %q, want one with %q", got, c.warning)
			}
		})
	}
}

// A Watch wants each Every-th step and the last one.
func TestWatched(t *testing.T) {
	step := func(Iteration) {}
	for _, c := range []struct {
		watch *Watch
		want  []int
	}{{nil, nil}, {&Watch{Every: 3}, nil}, {&Watch{Step: step}, nil}, {&Watch{Every: 3, Step: step}, []int{3, 6, 8}}} {
		var got []int
		for k := range 8 {
			if c.watch.wants(k+1, 8) {
				got = append(got, k+1)
			}
		}
		if c.watch.Report(Parting, 0, 1); !slices.Equal(got, c.want) {
			t.Errorf("%+v sees steps %d, want %d", c.watch, got, c.want)
		}
	}
}

func TestCancel(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	a := must.Have(New(brief(), 1))
	in := newInput(20, 20, 20, 0)
	in.Watch = &Watch{Every: 1, Step: func(it Iteration) {
		if it.Step == 3 {
			cancel()
		}
		if it.Step > 4 {
			t.Errorf("step %d after the end", it.Step)
		}
	}}
	if _, err := a.Calibrate(done, in.Batch); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"":            func(o *Options) { o.Low, o.High, o.Theta = 0, 100, 0 },
		"percentiles": func(o *Options) { o.Low = 80 },
		"one":         func(o *Options) { o.Low = o.High },
		"below 0":     func(o *Options) { o.Low = -1 },
		"above 100":   func(o *Options) { o.High = 101 },
		"theta":       func(o *Options) { o.Theta = math.NaN() },
		"top":         func(o *Options) { o.TopK = 0 },
		"lambda":      func(o *Options) { o.Mixup.LambdaHigh = 2 },
		"rate":        func(o *Options) { o.LearningRate = 0 },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := New(o, 1); (err == nil) != (name == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Scores up to one percentile are inside, from the other on outside.
func TestPart(t *testing.T) {
	o := brief()
	o.Low, o.High = 25, 75
	c, nan := must.Have(New(o, 1)), math.NaN()
	for _, p := range []struct {
		scores          []float64
		inside, outside []int
	}{
		{[]float64{4, 2, 1, 3, 0}, []int{2, 4}, []int{0, 3}}, {[]float64{1, 2, 3, 4}, []int{0}, []int{3}}, {[]float64{1, 2, 3}, nil, nil},
		{[]float64{1, 1, 1, 1, 2}, nil, nil}, {[]float64{1, 2, 3, 4, nan}, nil, nil},
	} {
		parted := c.part(p.scores)
		if in, out := c.sides[0].members, c.sides[1].members; parted != (p.inside != nil) || !slices.Equal(in, p.inside) || !slices.Equal(out, p.outside) {
			t.Errorf("%v: parted %t into %d and %d, want %d and %d", p.scores, parted, in, out, p.inside, p.outside)
		}
	}
}

func finite(t *testing.T, what string, values ...float64) {
	t.Helper()
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: value %d is %g", what, i, v)
		}
	}
}
