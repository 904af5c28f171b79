// Package graphon estimates step-function graphons of test graphs, mixes them within a subgroup and
// draws synthetic graphs (the paper's "Boundary-Aware Latent Pattern Modeling"). It also computes
// the cut norm and motif densities of the paper's theorem 1.
//
// For one subgroup:
//
//	ws, err := graphon.Estimate(ctx, workers, graphs, graphon.Steps(graphs), theta)
//	m := graphon.NewMixup(ws, graphon.DefaultOptions())
//	s, ok := m.Draw(rng)                    // a synthetic graph, as often as wanted
//	graphon.NewDonors(graphs).Fill(s.Graph) // its feature view
package graphon

import (
	"context"
	"fmt"
	"slices"

	"baca/algo/graph"
	"baca/algo/internal/parallel"
)

// A Graphon is a symmetric step function on [0,1]² with N×N steps of equal
// size: W(x, y) = W[⌊xN⌋·N + ⌊yN⌋]. Values are edge probabilities in [0, 1].
type Graphon struct {
	N int
	W []float64 // row-major, N·N
}

// New returns the graphon of n×n steps that is zero everywhere.
func New(n int) *Graphon {
	if n < 0 {
		panic(fmt.Sprintf("graphon: %d×%d steps", n, n))
	}
	return &Graphon{N: n, W: make([]float64, n*n)}
}

// IsZero reports whether no step off the diagonal exceeds 1e-9, so that no graph can be drawn. USVT
// returns such a graphon if the threshold exceeds every eigenvalue.
func (w *Graphon) IsZero() bool {
	for i := range w.N {
		for j := range i {
			if w.W[i*w.N+j] > 1e-9 {
				return false
			}
		}
	}
	return true
}

// Align embeds the adjacency matrix of g in n×n steps, nodes by descending degree, ties by index.
// Larger graphs lose their nodes of lowest degree, smaller ones are padded with zeros.
func Align(g *graph.Graph, n int) *Graphon {
	w := New(n)
	order := degreeOrder(g)
	rank := make([]int32, g.N())
	for r, v := range order {
		rank[v] = int32(r)
	}
	for r, v := range order[:min(n, len(order))] {
		for _, u := range g.Row(int(v)) {
			if int(rank[u]) < n {
				w.W[r*n+int(rank[u])] = 1
			}
		}
	}
	return w
}

// Mean returns the mean of the graphs, each aligned on n×n steps.
func Mean(graphs []*graph.Graph, n int) *Graphon {
	m := New(n)
	for _, g := range graphs {
		for k, x := range Align(g, n).W {
			m.W[k] += x
		}
	}
	for k := range m.W {
		m.W[k] /= float64(max(len(graphs), 1))
	}
	return m
}

// degreeOrder returns the nodes by degree descending, then by index.
func degreeOrder(g *graph.Graph) []int32 {
	order := make([]int32, g.N())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if d := g.Degree(int(b)) - g.Degree(int(a)); d != 0 {
			return d
		}
		return int(a - b)
	})
	return order
}

// sizeLimit bounds [Steps], since USVT costs N³: milliseconds at the limit. Benchmark sets have
// medians of 8 to 41 nodes.
const sizeLimit = 128

// Steps returns the median of the graphs' node counts, rounded down, at most 128, and 0 for no graphs.
func Steps(graphs []*graph.Graph) int {
	if len(graphs) == 0 {
		return 0
	}
	sizes := make([]int, len(graphs))
	for k, g := range graphs {
		sizes[k] = g.N()
	}
	slices.Sort(sizes)
	return min((sizes[(len(sizes)-1)/2]+sizes[len(sizes)/2])/2, sizeLimit)
}

// Estimate returns the graphons of graphs: [Align] on n steps, then [USVT.Threshold]. They do not
// depend on the number of workers.
func Estimate(ctx context.Context, workers int, graphs []*graph.Graph, n int, theta float64) ([]*Graphon, error) {
	graphons, workspaces := make([]*Graphon, len(graphs)), make([]USVT, parallel.Workers(workers))
	err := parallel.For(ctx, workers, len(graphs), func(worker, k int) {
		graphons[k] = Align(graphs[k], n)
		workspaces[worker].Threshold(graphons[k], theta)
	})
	return graphons, err
}

// Mix returns λ·wi + (1−λ)·wj, the paper's equation 3. Both must have the same number of steps.
func Mix(lambda float64, wi, wj *Graphon) *Graphon {
	if wi.N != wj.N {
		panic(fmt.Sprintf("graphon: mix of %d×%d and %d×%d steps", wi.N, wi.N, wj.N, wj.N))
	}
	w := New(wi.N)
	for k, a := range wi.W {
		// No fused multiply-add: the same bits on every platform.
		w.W[k] = float64(lambda*a) + float64((1-lambda)*wj.W[k])
	}
	return w
}
