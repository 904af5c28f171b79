package explain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
)

// random draws a graph of n nodes with features of a few values.
func random(rng *rand.Rand, n, features int) *graph.Graph {
	return sample.Featured(rng, features, sample.Trees(rng, 1, n, func(n int) int { return n / 3 })...)[0]
}

// A subtree gives its share to those one height lower at its centre and around it, in proportion to what each lacks, or
// to how rare they are where that is not given.
func TestSubtreesAgainstRecursion(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 50 {
		g := random(rng, 1+rng.IntN(20), 3)
		p := fingerprint.New(g, 2)
		shares, lacks, even := make([]float64, len(p.Keys)), make([]float64, len(p.Keys)), make([]float64, len(p.Keys))
		rarity := make([]float64, len(p.Keys))
		for k := range shares {
			shares[k], lacks[k], even[k] = rng.NormFloat64(), max(0, rng.NormFloat64()), float64(p.Counts[k])/float64(3*g.N())
			rarity[k] = 1 + rng.Float64()
		}
		key := func(i, h int) int { return slices.Index(p.Keys, fingerprint.Nodes(g, 2)[h*g.N()+i]) }
		recursion := func(shares, lacks []float64) []float64 {
			out := make([]float64, g.N())
			var give func(i, h int, share float64)
			give = func(i, h int, share float64) {
				if h == 0 {
					out[i] += share
					return
				}
				all, to := 0.0, []int{i}
				for _, j := range g.Row(i) {
					to = append(to, int(j))
				}
				for _, j := range to {
					all += lacks[key(j, h-1)]
				}
				for _, j := range to {
					if part := 1 / float64(len(to)); all == 0 {
						give(j, h-1, share*part)
					} else {
						give(j, h-1, share*lacks[key(j, h-1)]/all)
					}
				}
			}
			for h := range 3 {
				for i := range g.N() {
					give(i, h, shares[key(i, h)]/float64(p.Counts[key(i, h)]))
				}
			}
			return out
		}
		spread := NewSpread(g, p, func(key uint32) float64 { return rarity[slices.Index(p.Keys, key)] })
		alike := slices.Repeat([]float64{1}, len(lacks))
		for k, got := range [][]float64{spread.Subtrees(shares, nil), spread.Subtrees(shares, lacks), spread.Usual()} {
			want := recursion([][]float64{shares, shares, even}[k], [][]float64{rarity, lacks, alike}[k])
			if !floats.EqualApprox(got, want, 1e-12) {
				t.Errorf("trial %d: nodes get %v, want %v", trial, got, want)
			}
		}
	}
	// By hand.
	to := []float64{1, 2}
	if Add(to, 3, []float64{4, 5}); !slices.Equal(to, []float64{13, 17}) {
		t.Errorf("%v", to)
	}
	if got := Level([]float64{0.25, 0.75}, 10, []float64{1, 2}, []float64{3, 0}); !slices.Equal(got, []float64{5, 5}) {
		t.Errorf("%v", got)
	}
}

// What is above the limit stays. The atoms of a long chain, which share what it adds, outrank an oxygen that adds more than
// each but less than all. Plain graphs have no named parts.
func TestExcess(t *testing.T) {
	g := parse(t, "CCCCCCCCCO")[0]
	for _, c := range []struct {
		features     *graph.Graph
		chain, limit float64
		higher       bool // an atom of the chain than the oxygen
	}{
		{g, 0.4, 2, true}, {g, 0.4, 3.5, true}, {g, 0.05, 0.6, false}, {g, 0.4, -1, false}, {random(rand.New(rand.NewPCG(1, 4)), 10, 3), 0.4, 2, false}, {g, 0.4, 5, false},
	} {
		b := &Blame{Nodes: append(slices.Repeat([]float64{c.chain}, 9), 0.5)}
		b.Nodes[0] = -0.1
		got := b.Excess(c.features, slices.Repeat([]float64{0.1}, 10), c.limit)
		if sum := floats.Sum(got); math.Abs(sum-floats.Sum(b.Nodes)+c.limit) > 1e-12 || got[5] > got[9] != c.higher || got[0] > b.Nodes[0] && c.limit > 0 {
			t.Errorf("%+v: %v of %v", c, got, b.Nodes)
		}
	}
	for _, c := range [][]float64{{4, 1, 0, 4, 3}, {4, 1, 0, 4, 8.9}, {1, 0.5}, {2, 2, 2, 5.5}} {
		sizes, left := c[:len(c)-1], c[len(c)-1]
		kept, sum := fractions(sizes, left), 0.0
		for k, size := range sizes {
			sum += size * kept[k]
			if kept[k] > 1 || kept[k] < kept[len(kept)-1] && size > sizes[len(kept)-1] {
				t.Errorf("%v keep %v", sizes, kept)
			}
		}
		if math.Abs(sum-left) > 1e-12 {
			t.Errorf("%v keep %v, which is %g of %g", sizes, kept, sum, left)
		}
	}
}

// Coordinates are parted by what each node has of them.
func TestEmbedding(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	e := gin.New(gin.Config{Features: 3, Hidden: 5, Layers: 3}, rng)
	g := random(rng, 9, 3)
	r := must.Have(contrast.Describe(t.Context(), 1, e, []*graph.Graph{g}))
	shares, want := make([]float64, r.Dim()), 0.0
	for k, q := range r.Q {
		if q > 0 {
			shares[k] = rng.Float64()
			want += shares[k]
		}
	}
	got := 0.0
	for i, x := range Embedding(e, g, shares) {
		if x < 0 {
			t.Errorf("node %d has %g of shares that are all positive", i, x)
		}
		got += x
	}
	if want == 0 || math.Abs(got-want) > 1e-5*want {
		t.Errorf("nodes get %g of %g", got, want)
	}
	must.Panic(t, "coordinates", func() { Embedding(e, g, shares[1:]) })
	must.Panic(t, "views", func() { Embedding(e, g, make([]float64, 3*e.Width())) })
	must.Panic(t, "features", func() { Embedding(e, random(rng, 9, 2), shares) })
}
