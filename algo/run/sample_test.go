package run

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/batch"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
)

func places(s *sample) []int { return lists.Map(s.byPlace(), func(i sampled) int { return i.place }) }

// smallest is the sample by its definition: all keys sorted, and a first part cut
// off.
func smallest(s *sample, gs []*graph.Graph) []int {
	all := rand.Perm(len(gs))
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(s.key(a), s.key(b)) })
	var in []int
	nodes := 0
	for _, p := range all {
		if len(in) >= s.limit || nodes >= maxNodes && len(in) >= batch.MinBatch {
			break
		}
		in = append(in, p)
		nodes += gs[p].N()
	}
	slices.Sort(in)
	return in
}

// However the graphs come, and whatever is added twice, the sample is the one by
// definition. They are paths of a few nodes, but for some that are very long.
func TestSampleOfAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	big := &graph.Graph{Offsets: make([]int32, 1<<16+1)} // as a molecule may be: 16 have maxNodes
	small := trees(t, 1, 5, 0)
	for run := range 60 {
		gs := make([]*graph.Graph, rng.IntN(400))
		for i := range gs {
			if gs[i] = small[i%len(small)]; rng.IntN(100) < []int{0, 5, 60}[run%3] {
				gs[i] = big
			}
		}
		limit, seed := 1+rng.IntN(80), rng.Uint64()
		s := newSample(limit, seed)
		want := smallest(s, gs)
		for _, p := range slices.Concat(rng.Perm(len(gs)), rng.Perm(len(gs))) {
			s.add(p, gs[p])
		}
		if got := places(s); !slices.Equal(got, want) {
			t.Fatalf("run %d: places %v, want %v", run, got, want)
		}
		nodes := 0
		for _, i := range s.items {
			nodes += i.graph.N()
		}
		if nodes != s.nodes {
			t.Errorf("%d nodes, counted as %d", nodes, s.nodes)
		}
	}
}

// Every graph is in the sample as often as any other, and every pair of
// neighbours: over many seeds the counts are binomial, and six deviations are
// never seen.
func TestSampleIsEven(t *testing.T) {
	const n, size, runs = 300, 30, 2000
	g := trees(t, 1, 1, 0)[0]
	count, pairs := make([]int, n), make([]int, n)
	for seed := range uint64(runs) {
		s := newSample(size, seed)
		for p := range n {
			s.add(p, g)
		}
		in := places(s)
		if len(in) != size {
			t.Fatalf("%d graphs, want %d", len(in), size)
		}
		for i, p := range in {
			count[p]++
			if i > 0 && in[i-1] == p-1 {
				pairs[p]++
			}
		}
	}
	even := func(what string, p, c int, share float64) {
		if mean, sd := runs*share, math.Sqrt(runs*share*(1-share)); math.Abs(float64(c)-mean) > 6*sd {
			t.Errorf("%s %d in %d of %d samples, want about %.0f", what, p, c, runs, mean)
		}
	}
	for p, c := range count {
		even("graph", p, c, float64(size)/n)
		if p > 0 {
			even("neighbours behind", p-1, pairs[p], float64(size)/n*(size-1)/(n-1))
		}
	}
}

func TestDrawFromABrokenInput(t *testing.T) {
	broken := errors.New("broken")
	rs := mixed(t, 5000)
	s, told := newSample(1000, 1), 0
	n, err := s.draw(ctx, 2, inOrder(unread(rs, broken), 0, 0), func(n int) { told = n })
	if !errors.Is(err, broken) || n != len(rs) || len(s.items) != 1000 || told != drawn {
		t.Errorf("%d records and %d graphs, error %v; want %d, 1000 and %v", n, len(s.items), err, len(rs), broken)
	}
	ended, end := context.WithCancel(ctx)
	n, err = s.draw(ended, 2, inOrder(unread(rs, nil), 0, 0), func(int) { end() })
	if n, again := must.Have(s.draw(ctx, 2, inOrder(unread(rs, nil), 0, 0), nil)), len(rs); n != again {
		t.Errorf("%d records without an error, want %d", n, again)
	}
	if !errors.Is(err, context.Canceled) || n != len(rs) {
		t.Errorf("ended: %d records, %v", n, err)
	}
}
