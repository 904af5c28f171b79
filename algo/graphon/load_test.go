package graphon

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/golden"
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

// tuGraphs reads a TUDataset set: edges only.
func tuGraphs(tb testing.TB, set string) []*graph.Graph {
	tb.Helper()
	prefix := "data/tu/" + set + "/" + set
	var of, number []int // by node, from 1: its graph, and its number there
	var sizes []int
	of, number = append(of, 0), append(number, 0)
	lines(tb, prefix+"_graph_indicator.txt.gz", func(line string) {
		var g int
		if _, err := fmt.Sscan(line, &g); err != nil {
			tb.Fatal(set, err)
		}
		for len(sizes) < g {
			sizes = append(sizes, 0)
		}
		of, number = append(of, g-1), append(number, sizes[g-1])
		sizes[g-1]++
	})
	edges := make([][][2]int32, len(sizes))
	lines(tb, prefix+"_A.txt.gz", func(line string) {
		var a, b int
		if _, err := fmt.Sscanf(line, "%d, %d", &a, &b); err != nil {
			tb.Fatal(set, err)
		}
		edges[of[a]] = append(edges[of[a]], [2]int32{int32(number[a]), int32(number[b])})
	})
	gs := make([]*graph.Graph, len(sizes))
	for k, n := range sizes {
		gs[k] = build(tb, n, edges[k])
	}
	return gs
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
		gs[m.Row] = build(tb, len(m.X), edges)
	})
	return gs
}

func build(tb testing.TB, n int, edges [][2]int32) *graph.Graph {
	tb.Helper()
	g, _, err := graph.New(n, edges)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}
