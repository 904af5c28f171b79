package rival

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/pretrain"
	"baca/build/internal/try"
	"baca/build/research/rival/tape"
)

// easyGraphs are n graphs: rings of 5 to 8 nodes with tails, or trees.
func easyGraphs(n int, rings bool, rng *rand.Rand) []*graph.Graph {
	gs := make([]*graph.Graph, n)
	for k := range gs {
		ring := int32(5 + rng.IntN(4))
		size := ring + int32(4+rng.IntN(6))
		var edges [][2]int32
		for i := int32(1); i < size; i++ {
			if rings && i < ring {
				edges = append(edges, [2]int32{i - 1, i})
			} else {
				edges = append(edges, [2]int32{rng.Int32N(i), i})
			}
		}
		if rings {
			edges = append(edges, [2]int32{0, ring - 1})
		}
		gs[k] = graphOf(int(size), edges)
	}
	return gs
}

func graphOf(nodes int, edges [][2]int32) *graph.Graph {
	g, _, err := graph.New(nodes, edges)
	try.Check(err)
	g.EncodeStructure()
	return g
}

// easyPair is a problem whose test graphs are 30 rings and then 30 trees.
var easyPair = sync.OnceValue(func() *Problem {
	rng := rand.New(rand.NewPCG(1, 2))
	train := easyGraphs(30, true, rng)
	o := pretrain.Defaults(1)
	o.LearningRate, o.Batch = 1e-3, 32
	trainer := try.To(pretrain.New(train, o, nil))
	for range 60 {
		try.To(trainer.Epoch(context.Background()))
	}
	all := tabulate(len(train), func(i int) int { return i })
	m := try.To(algo.NewModel(context.Background(), 1, trainer.Encoder(), train, all, nil, algo.Card{Name: "rings", Schema: algo.Constant}))
	return &Problem{Train: train, Test: slices.Concat(easyGraphs(30, true, rng), easyGraphs(30, false, rng)), Model: m, Seed: 1, Workers: 1}
})

func scores(t *testing.T, r *Rival, p *Problem) []float64 {
	t.Helper()
	s, err := r.Score(context.Background(), p)
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	if len(s) != len(p.Test) {
		t.Fatalf("%s: %d scores for %d graphs", r.Name, len(s), len(p.Test))
	}
	for i, x := range s {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%s: score %d is %g", r.Name, i, x)
		}
	}
	return s
}

// fewerGraphs is easyPair with fewer graphs, for detectors that learn for long.
func fewerGraphs(train, test int) *Problem {
	p := *easyPair()
	p.Train, p.Test = p.Train[:train], slices.Concat(p.Test[:test], p.Test[30:30+test])
	return &p
}

// A detector that learns tells the second half of the test graphs from the first, which are like those that it was trained on,
// gives the same again with more workers, and does not know the order of the test graphs.
func TestLearnedRivals(t *testing.T) {
	for _, c := range []struct {
		p     *Problem
		least float64 // AUROC
		list  []*Rival
	}{
		{fewerGraphs(12, 30), 0.75, []*Rival{sego}},
		// It learns from the test graphs alone. Nothing says how well it does on an easy pair.
		{fewerGraphs(0, 6), 0, []*Rival{redOUT}},
	} {
		for _, r := range c.list {
			t.Run(r.Name, func(t *testing.T) {
				t.Parallel()
				checkRival(t, r, c.p, c.least)
			})
		}
	}
}

func checkRival(t *testing.T, r *Rival, p *Problem, least float64) {
	t.Helper()
	first := scores(t, r, p)
	half := len(first) / 2
	truth := slices.Concat(make([]bool, half), slices.Repeat([]bool{true}, half))
	if auroc := metric.AUROC(first, truth); auroc < least {
		t.Errorf("AUROC %.3f, want %.2f at least", auroc, least)
	}
	// The same again by more goroutines in another order, and of single graphs only some.
	other := *p
	other.Workers = 3
	if r.NoModel {
		other.Model = nil
	}
	order := rand.New(rand.NewPCG(5, 5)).Perm(len(p.Test))
	if !r.Batch {
		order = order[:10]
	}
	other.Test = pick(p.Test, order)
	for k, got := range scores(t, r, &other) {
		want := first[order[k]]
		if r.Batch && math.Abs(got-want) > 1e-3*max(1, math.Abs(want)) || !r.Batch && got != want {
			t.Fatalf("graph %d has score %g, and %g among others", order[k], want, got)
		}
	}
}

// The means of rows that papers print check the figures that were typed in.
func TestPublishedMeans(t *testing.T) {
	want := map[string]float64{
		"sego": 84.46, "redout": 87.46,
	}
	for name, want := range want {
		if mean := stat.Mean(Named(name).Published, nil); math.Abs(mean-want) > 0.006 {
			t.Errorf("%s: the mean is %.4f, the paper prints %g", name, mean, want)
		}
	}
}

// Batches hold every graph once an epoch, and stop at the number of steps.
func TestEachBatch(t *testing.T) {
	gs := easyGraphs(257, true, rand.New(rand.NewPCG(1, 1)))
	run := func(epochs, steps int) (seen []int, sizes []int) {
		seen = make([]int, len(gs))
		r := newRun(context.Background(), &Problem{Seed: 1})
		r.train(nil, gs, epochs, steps, func(index []int, b *graph.Batch) *tape.Value {
			sizes = append(sizes, len(b.Graphs))
			for k, i := range index {
				seen[i]++
				if b.Graphs[k] != gs[i] {
					t.Fatalf("graph %d of a batch is not number %d", k, i)
				}
			}
			return nil
		})
		return seen, sizes
	}
	if seen, sizes := run(3, 100); slices.Min(seen) != 3 || slices.Max(seen) != 3 || !slices.Equal(sizes[:2], []int{128, 129}) {
		t.Errorf("after 3 epochs the graphs were seen %d to %d times, in batches of %d", slices.Min(seen), slices.Max(seen), sizes)
	}
	if _, sizes := run(100, 7); len(sizes) != 7 {
		t.Errorf("%d steps, want 7", len(sizes))
	}
}

// A run that is cancelled ends with the reason, and scores nothing.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, r := range []*Rival{sego, redOUT} {
		if s, err := r.Score(ctx, easyPair()); !errors.Is(err, context.Canceled) || s != nil {
			t.Errorf("%s: %d scores and %v, want %v", r.Name, len(s), err, context.Canceled)
		}
	}
}
