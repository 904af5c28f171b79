package explain

import (
	"math/rand/v2"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/must"
)

// paths are n chains of lengths from low on, over a span.
func paths(t *testing.T, rng *rand.Rand, n, low, span int) []*graph.Graph {
	t.Helper()
	var gs []*graph.Graph
	for range n {
		nodes := low + rng.IntN(span)
		var edges [][2]int32
		for i := 1; i < nodes; i++ {
			edges = append(edges, [2]int32{int32(i - 1), int32(i)})
		}
		g, _ := must.Both(graph.New(nodes, edges))
		gs = append(gs, g)
	}
	return gs
}

func TestDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	p := NewProfile(paths(t, rng, 400, 10, 40), [SaltSize]byte{})
	if got := Differences(p, paths(t, rng, 200, 10, 40)); len(got) > 0 {
		t.Errorf("graphs like the training graphs differ: %q", got)
	}
	got := Differences(p, paths(t, rng, 60, 45, 40))
	if len(got) == 0 || !strings.Contains(strings.Join(got, "; "), "of them have more nodes than three quarters of the training graphs") {
		t.Errorf("long chains differ in %q", got)
	}
	if got := Differences(p, paths(t, rng, 60, 2, 8)); len(got) == 0 || !strings.Contains(strings.Join(got, "; "), "fewer nodes") {
		t.Errorf("short chains differ in %q", got)
	}
	if got := Differences(p, paths(t, rng, 3, 45, 40)); len(got) > 0 {
		t.Errorf("three graphs are said to differ in %q", got)
	}
	if Differences(nil, paths(t, rng, 5, 5, 5)) != nil || Differences(p, nil) != nil {
		t.Error("of nothing there are differences")
	}
}
