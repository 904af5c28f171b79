package graphon

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// lines calls f for every line of a file of shared.
func lines(tb testing.TB, name string, f func(line string)) {
	tb.Helper()
	s := bufio.NewScanner(golden.Open(tb, name))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		f(s.Text())
	}
	if err := s.Err(); err != nil {
		tb.Fatal(name, err)
	}
}

func tuGraphs(tb testing.TB, set string) []*graph.Graph {
	tb.Helper()
	read := must.Have(dataset.ReadTU(os.DirFS(golden.Path(tb, "data/tu/"+set)), set, dataset.Unpack{}))
	return read.Graphs
}

// molecules reads the graphs of a reference file of molecules, by row.
func molecules(tb testing.TB, name string) map[int]*graph.Graph {
	tb.Helper()
	gs := make(map[int]*graph.Graph)
	lines(tb, name, func(line string) {
		var m struct {
			Row int
			X   [][]int
			E   [][]int32
		}
		if err := json.NewDecoder(strings.NewReader(line)).Decode(&m); err != nil {
			tb.Fatal(name, err)
		}
		edges := make([][2]int32, len(m.E))
		for k, e := range m.E {
			edges[k] = [2]int32{e[0], e[1]}
		}
		gs[m.Row] = build(len(m.X), edges)
	})
	return gs
}

func build(n int, edges [][2]int32) *graph.Graph {
	g, _ := must.Both(graph.New(n, edges))
	return g
}
