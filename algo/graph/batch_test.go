package graph

import (
	"slices"
	"testing"
)

func TestBatch(t *testing.T) {
	a := build(t, 3, [][2]int32{{0, 1}, {1, 2}})
	empty := build(t, 0, nil)
	single := build(t, 1, nil)
	b := build(t, 2, [][2]int32{{0, 1}})
	gs := []*Graph{a, empty, single, b}
	for k, g := range gs {
		g.EncodeStructure()
		for v := range g.X {
			g.X[v] = float32(10*k + v)
		}
	}
	var batch Batch
	// The second and third round reuse the buffers.
	for round := range 3 {
		batch.Reset(gs)
		if batch.Len() != 4 || batch.N() != 6 || batch.Features != 1 {
			t.Fatalf("round %d: %d graphs, %d nodes, %d features", round, batch.Len(), batch.N(), batch.Features)
		}
		if want := []int32{0, 3, 3, 4, 6}; !slices.Equal(batch.Graphs, want) {
			t.Errorf("round %d: graphs %v, want %v", round, batch.Graphs, want)
		}
		if want := []int32{0, 1, 3, 4, 4, 5, 6}; !slices.Equal(batch.Offsets, want) {
			t.Errorf("round %d: offsets %v, want %v", round, batch.Offsets, want)
		}
		if want := []int32{1, 0, 2, 1, 5, 4}; !slices.Equal(batch.Neighbors, want) {
			t.Errorf("round %d: neighbours %v, want %v", round, batch.Neighbors, want)
		}
		if want := []float32{0, 1, 2, 20, 30, 31}; !slices.Equal(batch.X, want) {
			t.Errorf("round %d: features %v, want %v", round, batch.X, want)
		}
		if want := slices.Concat(a.XS, single.XS, b.XS); !slices.Equal(batch.XS, want) {
			t.Errorf("round %d: encodings differ", round)
		}
		batch.Reset([]*Graph{b})
		if batch.Len() != 1 || !slices.Equal(batch.Neighbors, b.Neighbors) || !slices.Equal(batch.Offsets, b.Offsets) {
			t.Errorf("round %d: a batch of one is not its graph", round)
		}
	}
	batch.Reset(nil)
	if batch.Len() != 0 || batch.N() != 0 {
		t.Errorf("batch of nothing: %d graphs, %d nodes", batch.Len(), batch.N())
	}
}

func TestBatchReusesBuffers(t *testing.T) {
	g := build(t, 50, [][2]int32{{0, 1}, {1, 2}, {2, 0}})
	g.EncodeStructure()
	gs := []*Graph{g, g, g}
	var b Batch
	b.Reset(gs)
	if n := testing.AllocsPerRun(10, func() { b.Reset(gs) }); n != 0 {
		t.Errorf("%v allocations for a batch of the same size, want 0", n)
	}
}

func TestBatchShapesPanic(t *testing.T) {
	encoded, other, bare := build(t, 2, nil), build(t, 2, nil), build(t, 2, nil)
	encoded.EncodeStructure()
	other.EncodeStructure()
	other.Features, other.X = 9, make([]float32, 18)
	for name, gs := range map[string][]*Graph{
		"features differ": {encoded, other},
		"no encoding":     {encoded, bare},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			new(Batch).Reset(gs)
		}()
	}
}
