package baseline

import (
	"slices"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/must"
)

func build(n int, edges ...[2]int32) *graph.Graph {
	g, _ := must.Both(graph.New(n, edges))
	return g
}

func TestStatistics(t *testing.T) {
	// A triangle with a tail of two, and a node by itself.
	g := build(6, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{2, 0}, [2]int32{2, 3}, [2]int32{3, 4})
	want := map[string]float64{"nodes": 6, "edges": 5, "mean degree": 10.0 / 6, "leaves": 1.0 / 6, "degree 3": 1.0 / 6, "cycles": 1}
	empty := build(0)
	for _, s := range Statistics() {
		w, ok := want[s.Name]
		if !ok {
			t.Errorf("%s: no value to compare with", s.Name)
		}
		if got := s.Values([]*graph.Graph{g, empty}); got[0] != w || got[1] != 0 {
			t.Errorf("%s: %v, want %v and 0", s.Name, got, w)
		}
	}
	if n := g.Components(); n != 2 {
		t.Errorf("%d components, want 2", n)
	}
}

func TestDeviations(t *testing.T) {
	got := Deviations([]float64{1, 2, 10}, []float64{1, 3, 2, 100})
	if want := []float64{1.5, 0.5, 7.5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
