package table

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo"
	"baca/algo/graph"
)

// draw adds the graphs at some places.
func draw(s *Sample, gs []*graph.Graph, places []int) *Sample {
	for _, p := range places {
		s.Add(p, gs[p])
	}
	return s
}

func places(s *Sample) []int {
	var p []int
	for _, i := range s.byPlace() {
		p = append(p, i.place)
	}
	return p
}

// smallest is the sample by its definition: all keys sorted, and a first part cut
// off.
func smallest(s *Sample, gs []*graph.Graph) []int {
	all := rand.Perm(len(gs))
	slices.SortFunc(all, func(a, b int) int {
		if s.key(a) < s.key(b) {
			return -1
		}
		return 1
	})
	var in []int
	nodes := 0
	for _, p := range all {
		if len(in) >= s.limit || nodes >= maxNodes && len(in) >= algo.MinBatch {
			break
		}
		in = append(in, p)
		nodes += gs[p].N()
	}
	slices.Sort(in)
	return in
}

// paths returns n graphs: paths of a few nodes, but for some that are very long.
func paths(t *testing.T, rng *rand.Rand, n, long int) []*graph.Graph {
	t.Helper()
	big, _, err := graph.New(maxNodes/25, nil)
	if err != nil {
		t.Fatal(err)
	}
	small := trees(t, 1, 5, 0)
	gs := make([]*graph.Graph, n)
	for i := range gs {
		if gs[i] = small[i%len(small)]; rng.IntN(100) < long {
			gs[i] = big
		}
	}
	return gs
}

// However the input is divided and the parts are merged, and whatever is added
// twice, the sample is the one by definition.
func TestSampleOfAnyDivision(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for run := range 60 {
		gs := paths(t, rng, rng.IntN(400), []int{0, 5, 60}[run%3])
		limit, seed := 1+rng.IntN(80), rng.Uint64()
		want := smallest(NewSample(limit, seed), gs)
		parts := make([][]int, 1+rng.IntN(9))
		for p := range gs {
			k := rng.IntN(len(parts))
			parts[k] = append(parts[k], p)
			if rng.IntN(10) == 0 { // by another worker too
				k = rng.IntN(len(parts))
				parts[k] = append(parts[k], p)
			}
		}
		samples := []*Sample{NewSample(limit, seed)}
		for _, p := range parts {
			rng.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
			s := draw(NewSample(limit, seed), gs, p)
			samples = append(samples, s)
			if rng.IntN(3) == 0 { // a retry
				samples = append(samples, draw(NewSample(limit, seed), gs, p))
			}
		}
		// A random tree of merges.
		for len(samples) > 1 {
			i, j := rng.IntN(len(samples)), rng.IntN(len(samples)-1)
			if j >= i {
				j++
			}
			if err := samples[i].Merge(samples[j]); err != nil {
				t.Fatal(err)
			}
			samples = slices.Delete(samples, j, j+1)
		}
		if got := places(samples[0]); !slices.Equal(got, want) {
			t.Fatalf("run %d: places %v, want %v", run, got, want)
		}
		nodes := 0
		for _, i := range samples[0].items {
			nodes += i.graph.N()
		}
		if nodes != samples[0].nodes {
			t.Errorf("%d nodes, counted as %d", nodes, samples[0].nodes)
		}
	}
}

func TestSamplesThatDoNotFit(t *testing.T) {
	s := NewSample(10, 1)
	for _, o := range []*Sample{NewSample(11, 1), NewSample(10, 2)} {
		if err := s.Merge(o); err == nil {
			t.Errorf("limit %d and seed %d merged with %d and %d", o.limit, o.seed, s.limit, s.seed)
		}
	}
	a, b := trees(t, 1, 2, 0), *trees(t, 1, 1, 0)[0]
	b.Features, b.X = 2, slices.Concat(b.X, b.X)
	s.Add(0, a[0])
	o := NewSample(10, 1)
	o.Add(1, &b)
	if err := s.Merge(o); err == nil || s.Len() != 1 {
		t.Errorf("graphs of one and two features merged, error %v", err)
	}
}

// Wants is false just for what would change nothing.
func TestSampleWants(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, long := range []int{0, 60} {
		gs := paths(t, rng, 300, long)
		s := NewSample(40, 3)
		for p, g := range gs {
			wants, before := s.Wants(p), places(s)
			s.Add(p, g)
			if changed := !slices.Equal(before, places(s)); changed != wants {
				t.Fatalf("place %d: wanted %v, changed %v", p, wants, changed)
			}
			if s.Wants(p) && !slices.Contains(places(s), p) && !wants {
				t.Fatalf("place %d was refused and is wanted again", p)
			}
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
		s := NewSample(size, seed)
		for p := range n {
			s.Add(p, g)
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

func TestSampleCodec(t *testing.T) {
	gs := trees(t, 3, 200, 4)
	for i, g := range gs {
		c := *g
		c.Features, c.X = 3, make([]float32, 3*g.N())
		for k := range c.X {
			c.X[k] = []float32{0, 1, 7, -2, 0.1, 119}[(i+k)%6]
		}
		gs[i] = &c
	}
	for _, n := range []int{0, 1, 200} {
		s := NewSample(50, math.MaxUint64)
		for p, g := range gs[:n] {
			s.Add(p*1_000_003, g)
		}
		data, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got Sample
		if err := got.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if got.seed != s.seed || got.limit != s.limit || got.nodes != s.nodes || !slices.Equal(places(&got), places(s)) {
			t.Fatalf("%+v came back as %+v", s, got)
		}
		for i, item := range got.items {
			g, want := item.graph, s.items[i].graph
			if !slices.Equal(g.X, want.X) || !slices.Equal(g.Offsets, want.Offsets) || !slices.Equal(g.Neighbors, want.Neighbors) || g.Features != want.Features {
				t.Fatalf("graph %d came back changed", i)
			}
		}
		for k := range data {
			if err := new(Sample).UnmarshalBinary(data[:k]); err == nil {
				t.Fatalf("the first %d of %d bytes are taken", k, len(data))
			}
		}
		if err := new(Sample).UnmarshalBinary(append(data, 0)); err == nil {
			t.Error("a byte more is taken")
		}
	}
}

// Whatever the bytes, there is an error or a sample that comes back the same.
func FuzzSampleCodec(f *testing.F) {
	s := NewSample(3, 9)
	for p, g := range trees(f, 3, 5, 1) {
		s.Add(p, g)
	}
	data, _ := s.MarshalBinary()
	f.Add(data)
	f.Add([]byte{sampleVersion, 0, 255, 255, 255, 255, 7, 255, 255, 255, 255, 15, 255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, data []byte) {
		var s, again Sample
		if s.UnmarshalBinary(data) != nil {
			return
		}
		first, _ := s.MarshalBinary()
		if err := again.UnmarshalBinary(first); err != nil {
			t.Fatal(err)
		}
		if second, _ := again.MarshalBinary(); !slices.Equal(first, second) {
			t.Error("a sample changes when it is encoded again")
		}
	})
}

// Scores do not depend on who draws which part of the sample and who scores which
// records.
func TestScoreInParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for run := range 4 {
		rs := mixed(t, []int{150, 25, 150, 4}[run])
		var want []Scored
		err := Score(ctx, newScorer(t, 9), input(rs, nil, true), Options{Graphs: 30, Seed: 9}, func(rows []Scored) error {
			want = append(want, rows...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		// part yields the records of [lo, hi).
		part := func(lo, hi int) func(func(Placed, error) bool) {
			return func(yield func(Placed, error) bool) {
				for u, err := range placed(unread(rs[lo:hi], nil), lo, 0) {
					if !yield(u, err) {
						return
					}
				}
			}
		}
		cuts := []int{0, len(rs)}
		for range rng.IntN(6) {
			cuts = append(cuts, rng.IntN(len(rs)+1))
		}
		slices.Sort(cuts)
		whole := NewSample(30, 9)
		for _, i := range rng.Perm(len(cuts) - 1) {
			s := NewSample(30, 9)
			n, err := s.Draw(ctx, 1+i%2, part(cuts[i], cuts[i+1]), nil)
			if err != nil || n != cuts[i+1]-cuts[i] {
				t.Fatalf("%d records and %v, want %d", n, err, cuts[i+1]-cuts[i])
			}
			data, _ := s.MarshalBinary()
			var sent Sample
			if err := sent.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
			if err := whole.Merge(&sent); err != nil {
				t.Fatal(err)
			}
		}
		var got []Scored
		for i := range cuts[1:] {
			scorer := newScorer(t, 9) // of another machine
			fit, err := whole.Fit(ctx, scorer, len(rs))
			if err != nil {
				t.Fatal(err)
			}
			err = Onwards(ctx, scorer, fit, 1+i%2, part(cuts[i], cuts[i+1]), func(rows []Scored) error {
				got = append(got, rows...)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i := range got {
			a, b := got[i], want[i]
			if a.Record != b.Record || (a.Scores == nil) != (b.Scores == nil) || a.Scores != nil && *a.Scores != *b.Scores {
				t.Fatalf("run %d, row %d is %+v, want %+v", run, i+1, a, b)
			}
		}
	}
}

func TestDrawFromABrokenInput(t *testing.T) {
	broken := errors.New("broken")
	rs := mixed(t, 100)
	s := NewSample(30, 1)
	n, err := s.Draw(ctx, 2, placed(unread(rs, broken), 0, 0), nil)
	if !errors.Is(err, broken) || n != len(rs) || s.Len() != 30 {
		t.Errorf("%d records and %d graphs, error %v; want %d, 30 and %v", n, s.Len(), err, len(rs), broken)
	}
}

func BenchmarkSample(b *testing.B) {
	g := trees(b, 1, 1, 0)[0]
	const n = 1_000_000
	for b.Loop() {
		s := NewSample(0, 1)
		for p := range n {
			if s.Wants(p) {
				s.Add(p, g)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}
