package graph

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"baca/algo/internal/must"
)

// encodeDense is the definition: powers of the dense matrix A·D⁻¹ in float64.
func encodeDense(g *Graph) []float64 {
	n := g.N()
	p := make([]float64, n*n)
	for j := range n {
		for _, i := range g.Row(j) {
			p[int(i)*n+j] = 1 / float64(g.Degree(j))
		}
	}
	out := make([]float64, n*EncodingWidth)
	power := make([]float64, n*n)
	for i := range n {
		power[i*n+i] = 1
		out[i*EncodingWidth+WalkSteps+min(g.Degree(i), DegreeClasses-1)] = 1
	}
	for k := range WalkSteps {
		next := make([]float64, n*n)
		for i := range n {
			for j := range n {
				for l := range n {
					next[i*n+j] += power[i*n+l] * p[l*n+j]
				}
			}
		}
		power = next
		for i := range n {
			out[i*EncodingWidth+k] = power[i*n+i]
		}
	}
	return out
}

func encoded(g *Graph) []float32 {
	g.EncodeStructure()
	return g.XS
}

// exactTolerance is about one float32 rounding of a probability.
const exactTolerance = 1e-7

// near reports the first value further than tolerance from its reference.
func near(t *testing.T, name string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for k, w := range want {
		if !(math.Abs(float64(got[k])-w) <= tolerance) {
			t.Errorf("%s: node %d, place %d is %v, want %v", name, k/EncodingWidth, k%EncodingWidth, got[k], w)
			return
		}
	}
}

func TestEncodeDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		n := 1 + rng.IntN(30)
		g := drawn(t, rng, n, rng.IntN(1+rng.IntN(n*n)))
		near(t, "random graph", encoded(g), encodeDense(g), exactTolerance)
	}
	star := [][2]int32{}
	for leaf := range int32(40) {
		star = append(star, [2]int32{0, leaf + 1})
	}
	for name, g := range map[string]*Graph{
		"nothing":  build(t, 0, nil),
		"isolated": build(t, 3, nil),
		"edge":     build(t, 3, [][2]int32{{0, 2}}),
		"star":     build(t, 41, star),
	} {
		near(t, name, encoded(g), encodeDense(g), exactTolerance)
	}
}

// A long ring, in memory that grows with its length and not with its square:
// the walk is back after 2k steps with the chance C(2k, k)/4^k.
func TestEncodeLongRing(t *testing.T) {
	const n = MaxNodes
	edges := make([][2]int32, n)
	for i := range edges {
		edges[i] = [2]int32{int32(i), int32((i + 1) % n)}
	}
	g := build(t, n, edges)
	dst := make([]float32, n*EncodingWidth)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Encode(g, dst)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64*n {
		t.Errorf("%d bytes allocated for %d nodes, want at most 64 each", used, n)
	}
	row := make([]float64, EncodingWidth)
	chance := 1.0
	for k := 1; 2*k <= WalkSteps; k++ {
		chance *= float64(2*k-1) / float64(2*k)
		row[2*k-1] = chance
	}
	row[WalkSteps+2] = 1
	want := make([]float64, 0, n*EncodingWidth)
	for range n {
		want = append(want, row...)
	}
	near(t, "ring", dst, want, exactTolerance)
	// Cut open, the nodes out of reach of the ends are the same, and the ends
	// are those of a short path.
	path := encoded(build(t, n, edges[:n-1]))
	const end = WalkSteps/2 + 1 // 16 steps turn round at most 8 away
	near(t, "path", path[end*EncodingWidth:(n-end)*EncodingWidth], want[end*EncodingWidth:(n-end)*EncodingWidth], exactTolerance)
	short := encodeDense(build(t, 40, edges[:39]))
	near(t, "end of the path", path[:end*EncodingWidth], short[:end*EncodingWidth], exactTolerance)
}

// The leaves of a large star must not each cost a walk over all the others.
func TestEncodeLargeStar(t *testing.T) {
	const leaves = MaxNodes - 1
	edges := make([][2]int32, leaves)
	for i := range edges {
		edges[i] = [2]int32{0, int32(i) + 1}
	}
	g, _ := must.Both(New(leaves+1, edges))
	x := encoded(g)
	for i, back := range []float64{1, 1.0 / leaves, 1.0 / leaves} {
		near(t, "star", x[i*EncodingWidth:][:2], []float64{0, back}, exactTolerance)
	}
}

func TestEncodeShapePanics(t *testing.T) {
	must.Panic(t, "short", func() { Encode(build(t, 2, nil), make([]float32, EncodingWidth)) })
}
