//go:build linux

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The short form of make chaos: two faults of each kind that any process may inject.
func TestChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and runs it a few dozen times")
	}
	cells := []string{
		"kill/score", "kill/train", "changing input/score", "changing model/neighbors", "changing model/calibrate", "several writers/bench table1",
		"slow reader/score to a pipe", "slow reader/score --out FIFO",
	}
	w := &world{
		seed: 1, faults: 16, log: t.Output(), out: os.DevNull, // two of each
		picks: func(name string) bool { return slices.Contains(cells, name) },
	}
	if err := w.inject(); err != nil {
		t.Error(err)
	}
	for _, c := range w.cells {
		if n := c.became; n[survived]+n[refused] < 2*c.kind.cells {
			t.Errorf("%s: %d faults, want %d", c.name, n[survived]+n[refused], 2*c.kind.cells)
		}
	}
}

// What the outcomes rest on: other bytes, files that are missing and files too many are found,
// and how long a benchmark took does not count.
func TestDiffers(t *testing.T) {
	for name, test := range map[string]struct {
		got, want map[string]string
		differs   bool
	}{
		"same":    {map[string]string{"a": "1", "b.json": `{"seconds": 1.5e-05}`}, map[string]string{"a": "1", "b.json": `{"seconds": 2}`}, false},
		"bytes":   {map[string]string{"a": "1\x00"}, map[string]string{"a": "1"}, true},
		"missing": {map[string]string{"a": "1"}, map[string]string{"a": "1", "sub/b": "2"}, true},
		"more":    {map[string]string{"sub/a": "1", "sub/b": ""}, map[string]string{"sub/a": "1"}, true},
	} {
		dir := t.TempDir()
		for folder, files := range map[string]map[string]string{"got": test.got, "want": test.want} {
			for file, text := range files {
				write(filepath.Join(dir, folder, "out", "all", file), text)
			}
		}
		t.Run(name, func(t *testing.T) {
			target := target{gives: "all"}
			if err := target.differs(filepath.Join(dir, "got"), filepath.Join(dir, "want")); (err != nil) != test.differs {
				t.Errorf("%v, want a difference: %v", err, test.differs)
			}
		})
	}
}

// Molecules of another input have lines of the same lengths, or a fault would show by its size.
func TestOthers(t *testing.T) {
	const lines = "CC(=O)O m000001\nC1CC m000007\n"
	if got, want := otherMolecules(lines), "CC(=S)S x000001\nC1CC x000007\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
