package graphon

import (
	"encoding/json"
	"os"
	"testing"

	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

func tuGraphs(tb testing.TB, set string) []*graph.Graph {
	tb.Helper()
	read := must.Have(dataset.ReadTU(os.DirFS(golden.Path(tb, "data/tu/"+set)), set, dataset.Unpack{}))
	return read.Graphs
}

// molecules reads the graphs of a reference file of molecules, by row.
func molecules(tb testing.TB, name string) map[int]*graph.Graph {
	tb.Helper()
	gs := make(map[int]*graph.Graph)
	for d := json.NewDecoder(golden.Open(tb, name)); d.More(); {
		var m struct {
			Row int
			X   [][]int
			E   [][2]int32
		}
		must.Do(d.Decode(&m))
		gs[m.Row] = build(len(m.X), m.E)
	}
	return gs
}

func build(n int, edges [][2]int32) *graph.Graph {
	g, _ := must.Both(graph.New(n, edges))
	return g
}
