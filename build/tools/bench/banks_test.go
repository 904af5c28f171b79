package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"baca/weights"
)

// Molecules that are scored are in no bank, and none is there twice.
func TestSplit(t *testing.T) {
	m := small(t, 1000)
	rows, others := m.split(90)
	seen := map[string]bool{}
	for _, row := range append(rows, others...) {
		seen[row] = true
	}
	if len(rows) != 90 || len(others) != 910 || len(seen) != 1000 {
		t.Errorf("%d and %d rows, %d of them distinct, want 90 and 910, all distinct", len(rows), len(others), len(seen))
	}
}

// A bank is a model of as many graphs as could be read.
func TestMakeBank(t *testing.T) {
	m, path := small(t, 3000), filepath.Join(t.TempDir(), "bank.msgpack")
	molecules, err := m.molecules(m.rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := makeBank(context.Background(), path, molecules); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	model, err := weights.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	if model.Known() != 2999 {
		t.Errorf("a bank of %d graphs, want 2999: one row is no molecule", model.Known())
	}
}
