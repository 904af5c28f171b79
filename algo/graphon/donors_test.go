package graphon

import (
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/graph"
)

// nearestByScan is the definition.
func nearestByScan(gs []*graph.Graph, xs []float32) int {
	at, best, node := -1, 0.0, 0
	for _, g := range gs {
		for v := range g.N() {
			sum := 0.0
			for c := range width {
				d := float64(xs[c]) - float64(g.XS[v*width+c])
				sum += float64(d * d)
			}
			if at < 0 || sum < best {
				at, best = node, sum
			}
			node++
		}
	}
	return at
}

func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 16))
	for trial := range 12 {
		var gs []*graph.Graph
		for range 1 + rng.IntN(40) {
			gs = append(gs, randomGraph(rng, rng.IntN(30), 0.2*rng.Float64()))
		}
		gs = append(gs, randomGraph(rng, 3, 1)) // at least one node
		if trial%3 < 2 {
			// A coarse grid, of all coordinates or of one and a degree: many donors at the same distance.
			for _, g := range gs {
				for k := range g.XS {
					if g.XS[k] = float32(rng.IntN(2)); trial%3 == 1 && k%width != sortStep && k%width != width-1 {
						g.XS[k] = 0
					}
				}
			}
		}
		d := NewDonors(gs)
		for query := range 300 {
			xs := make([]float32, width)
			switch query % 4 {
			case 0: // a donor itself
				g := gs[len(gs)-1]
				copy(xs, g.XS[:width])
			case 1: // a synthetic node
				g := randomGraph(rng, 12, 0.2)
				copy(xs, g.XS[rng.IntN(12)*width:])
			case 2: // between two steps of the grid
				xs[sortStep], xs[width-1] = float32(rng.IntN(3))/2, float32(rng.IntN(2))/2
			default:
				for k := range xs {
					xs[k] = float32(rng.IntN(4)) / 2
				}
			}
			if got, want := d.nearest(xs).first, nearestByScan(gs, xs); got != want {
				t.Fatalf("trial %d, query %d: node %d, want %d", trial, query, got, want)
			}
		}
	}
}

func TestFill(t *testing.T) {
	// A path of three nodes and a triangle, features (graph, node).
	path, triangle := build(3, [][2]int32{{0, 1}, {1, 2}}), build(3, [][2]int32{{0, 1}, {1, 2}, {2, 0}})
	for k, g := range []*graph.Graph{path, triangle} {
		g.EncodeStructure()
		g.Features, g.X = 2, nil
		for v := range g.N() {
			g.X = append(g.X, float32(k), float32(v))
		}
	}
	d := NewDonors([]*graph.Graph{path, triangle})
	// A triangle, and apart from it an edge: the ends of an edge are nearer to
	// the ends of a path than to anything else.
	g := build(5, [][2]int32{{0, 1}, {1, 2}, {2, 0}, {3, 4}})
	g.EncodeStructure()
	d.Fill(g)
	if want := []float32{1, 0, 1, 0, 1, 0, 0, 0, 0, 0}; g.Features != 2 || !slices.Equal(g.X, want) {
		t.Errorf("%d features %v, want 2 and %v", g.Features, g.X, want)
	}
	var b graph.Batch
	b.Reset([]*graph.Graph{path, g}) // shapes fit
	empty := build(0, nil)
	empty.EncodeStructure()
	NewDonors(nil).Fill(empty)
}
