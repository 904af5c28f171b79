package graphon

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestNormsGolden(t *testing.T) {
	for k, c := range readGolden(t).Norms {
		a, b := &Graphon{c.N, c.A}, &Graphon{c.N, c.B}
		norm, exact := CutNorm(a, b, 0)
		if !exact || math.Abs(norm-c.Cut) > 1e-13 {
			t.Errorf("norm %d: cut norm %v (exact %v), want %v", k, norm, exact, c.Cut)
		}
		for name, w := range map[string]struct {
			w    *Graphon
			want map[string]float64
		}{"A": {a, c.TA}, "B": {b, c.TB}, "mix": {Mix(c.Lam, a, b), c.TMix}} {
			for key, f := range map[string]Motif{"edge": Edge, "wedge": Wedge, "triangle": Triangle, "cycle4": Cycle4} {
				want, ok := w.want[key]
				if got := w.w.Density(f); !ok || math.Abs(got-want) > 1e-13 {
					t.Errorf("norm %d: t(%v, %s) = %v, want %v", k, f, name, got, want)
				}
			}
		}
	}
}

// cutByDefinition tries all pairs of subsets.
func cutByDefinition(v, w *Graphon) float64 {
	best := 0.0
	for s := range 1 << v.N {
		for u := range 1 << v.N {
			sum := 0.0
			for i := range v.N {
				for j := range v.N {
					if s>>i&1 == 1 && u>>j&1 == 1 {
						sum += v.at(i, j) - w.at(i, j)
					}
				}
			}
			best = max(best, math.Abs(sum))
		}
	}
	return best / float64(v.N*v.N)
}

func TestCutNormDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for trial := range 60 {
		n := 1 + rng.IntN(5)
		v, w := randomGraphon(rng, n), randomGraphon(rng, n)
		norm, exact := CutNorm(v, w, 0)
		if want := cutByDefinition(v, w); !exact || math.Abs(norm-want) > 1e-13 {
			t.Errorf("trial %d, N=%d: %v, want %v", trial, n, norm, want)
		}
		if back, _ := CutNorm(w, v, 0); math.Abs(back-norm) > 1e-13 {
			t.Errorf("trial %d: ‖w−v‖ = %v but ‖v−w‖ = %v", trial, back, norm)
		}
	}
	if norm, exact := CutNorm(New(0), New(0), 0); norm != 0 || !exact {
		t.Errorf("no steps: %v, %v", norm, exact)
	}
}

func TestCutNormApproximation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for trial := range 40 {
		n := 2 + rng.IntN(11)
		v, w := randomGraphon(rng, n), randomGraphon(rng, n)
		d := make([]float64, n*n)
		for k := range d {
			d[k] = v.W[k] - w.W[k]
		}
		exact := cutExact(d, n)
		got := cutAlternating(d, n, rand.New(rand.NewPCG(uint64(trial), 0)))
		// A lower bound by construction; with this many restarts it is the
		// value itself at these sizes.
		if got > exact+1e-12 || got < exact-1e-12 {
			t.Errorf("trial %d, N=%d: approximation %v, exact %v", trial, n, got, exact)
		}
	}
	// A planted block: sign pattern (+ −; − +) in halves of 60 steps has cut
	// norm 1/4, reached by one half against itself.
	const n = 60
	v, w := New(n), New(n)
	for i := range n {
		for j := range n {
			if (i < n/2) == (j < n/2) {
				v.W[i*n+j] = 1
			} else {
				w.W[i*n+j] = 1
			}
		}
	}
	norm, isExact := CutNorm(v, w, 7)
	if isExact || math.Abs(norm-0.25) > 1e-12 {
		t.Errorf("planted block: %v (exact %v), want 0.25 and false", norm, isExact)
	}
	if again, _ := CutNorm(v, w, 7); again != norm {
		t.Errorf("the same seed gives %v and %v", norm, again)
	}
}

// densityByDefinition averages over all maps of the motif's nodes to steps.
func densityByDefinition(w *Graphon, f Motif) float64 {
	edges := map[Motif][][2]int{
		Edge:     {{0, 1}},
		Wedge:    {{0, 1}, {1, 2}},
		Triangle: {{0, 1}, {1, 2}, {2, 0}},
		Cycle4:   {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
	}[f]
	n := w.N
	sum := 0.0
	for code := range n * n * n * n { // unused nodes average out
		at := [4]int{code % n, code / n % n, code / n / n % n, code / n / n / n}
		p := 1.0
		for _, e := range edges {
			p *= w.at(at[e[0]], at[e[1]])
		}
		sum += p
	}
	return sum / float64(n*n*n*n)
}

func TestDensityDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for trial := range 20 {
		w := randomGraphon(rng, 1+rng.IntN(7))
		for _, f := range Motifs() {
			if got, want := w.Density(f), densityByDefinition(w, f); math.Abs(got-want) > 1e-12 {
				t.Errorf("trial %d, N=%d: t(%v) = %v, want %v", trial, w.N, f, got, want)
			}
		}
	}
	for _, f := range Motifs() {
		if got := New(0).Density(f); got != 0 {
			t.Errorf("no steps: t(%v) = %v", f, got)
		}
	}
}

func TestTheorem1(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	tightest := 0.0
	for trial := range 500 {
		n := 1 + rng.IntN(9)
		g, h := randomGraphon(rng, n), randomGraphon(rng, n)
		if trial%5 == 0 { // constants come closest to the bound
			for k := range g.W {
				g.W[k], h.W[k] = 1, 0.9
			}
		}
		lambda := rng.Float64()
		mix := Mix(lambda, g, h)
		norm, exact := CutNorm(g, h, 0)
		if !exact {
			t.Fatalf("N=%d is not exact", n)
		}
		for _, f := range Motifs() {
			moved := math.Abs(mix.Density(f) - g.Density(f))
			bound := (1 - lambda) * float64(f.Edges()) * norm
			if moved > bound+1e-12 {
				t.Errorf("trial %d, N=%d, λ=%v: t(%v) moved by %v, the bound is %v", trial, n, lambda, f, moved, bound)
			}
			tightest = max(tightest, moved/bound)
		}
	}
	if tightest < 0.9 {
		t.Errorf("the bound was never nearly reached (%v of it at most): the test is too easy", tightest)
	}
}

// As printed the theorem has no factor e(F), and fails.
func TestTheorem1AsPrintedFails(t *testing.T) {
	g, h := New(3), New(3)
	for k := range g.W {
		g.W[k] = 1
	}
	const lambda = 0.5
	norm, _ := CutNorm(g, h, 0)
	moved := math.Abs(Mix(lambda, g, h).Density(Triangle) - g.Density(Triangle))
	if norm != 1 || math.Abs(moved-0.875) > 1e-15 {
		t.Errorf("‖W_G − W_H‖ = %v and t moved by %v, want 1 and 0.875", norm, moved)
	}
	if printed := (1 - lambda) * norm; moved <= printed {
		t.Errorf("%v is within the printed bound %v", moved, printed)
	}
	if bound := (1 - lambda) * float64(Triangle.Edges()) * norm; moved > bound {
		t.Errorf("%v is above the bound %v", moved, bound)
	}
}

func BenchmarkCutNorm(b *testing.B) {
	rng := rand.New(rand.NewPCG(8, 8))
	for name, n := range map[string]int{"exact/N=13": 13, "exact/N=20": 20, "approximate/N=40": 40} {
		v, w := randomGraphon(rng, n), randomGraphon(rng, n)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				CutNorm(v, w, 1)
			}
		})
	}
}
