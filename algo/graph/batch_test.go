package graph

import (
	"slices"
	"testing"

	"baca/algo/internal/must"
)

func TestBatch(t *testing.T) {
	a := build(t, 3, [][2]int32{{0, 1}, {1, 2}})
	empty, single, b := build(t, 0, nil), build(t, 1, nil), build(t, 2, [][2]int32{{0, 1}})
	gs := []*Graph{a, empty, single, b}
	for _, g := range gs {
		g.EncodeStructure()
	}
	var batch Batch
	for range 2 { // the second round reuses the memory
		batch.Reset(gs)
		if len(batch.Graphs) != 4 || batch.N() != 6 || batch.Features != 1 {
			t.Fatalf("%d graphs, %d nodes, %d features", len(batch.Graphs), batch.N(), batch.Features)
		}
		for k, want := range [][2]int{{0, 3}, {3, 3}, {3, 4}, {4, 6}} {
			if lo, hi := batch.Nodes(k); lo != want[0] || hi != want[1] {
				t.Errorf("graph %d has nodes %d to %d, want %v", k, lo, hi, want)
			}
		}
		if !slices.Equal(batch.Offsets, []int32{0, 1, 3, 4, 4, 5, 6}) || !slices.Equal(batch.Neighbors, []int32{1, 0, 2, 1, 5, 4}) {
			t.Errorf("offsets %v, neighbours %v", batch.Offsets, batch.Neighbors)
		}
		batch.Reset(gs[3:])
		if lo, hi := batch.Nodes(0); batch.N() != 2 || lo != 0 || hi != 2 {
			t.Errorf("%d nodes, those of the graph from %d to %d", batch.N(), lo, hi)
		}
	}
	if n := testing.AllocsPerRun(10, func() { batch.Reset(gs) }); n != 0 {
		t.Errorf("%v allocations for a batch of the same size, want 0", n)
	}
	batch.Reset(nil)
	if len(batch.Graphs) != 0 || batch.N() != 0 {
		t.Errorf("batch of nothing: %d graphs, %d nodes", len(batch.Graphs), batch.N())
	}
}

func TestBatchShapesPanic(t *testing.T) {
	some, other, short := build(t, 2, nil), build(t, 2, nil), build(t, 2, nil)
	other.Features, other.X = 9, make([]float32, 18)
	short.X = short.X[:1]
	for name, gs := range map[string][]*Graph{
		"features differ": {some, other},
		"values missing":  {some, short},
	} {
		must.Panic(t, name, func() { new(Batch).Reset(gs) })
	}
}
