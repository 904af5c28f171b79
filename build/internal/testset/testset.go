// Package testset makes test data for the command and the paper's harness.
package testset

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/weights"
)

// Write writes a file. It creates the folder.
func Write(t testing.TB, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TU writes a TUDataset set of n random trees, or of graphs with rings, to a folder. The set has the name of the folder.
func TU(t testing.TB, dir string, n int, rings bool, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var indicator, edges, labels strings.Builder
	node := 0
	for g := range n {
		size := 5 + rng.IntN(5)
		for i := range size {
			fmt.Fprintln(&indicator, g+1)
			if i > 0 {
				j := rng.IntN(i)
				fmt.Fprintf(&edges, "%d, %d\n%d, %d\n", node+i+1, node+j+1, node+j+1, node+i+1)
			}
			if j := i - 3; rings && j >= 0 {
				fmt.Fprintf(&edges, "%d, %d\n%d, %d\n", node+i+1, node+j+1, node+j+1, node+i+1)
			}
		}
		node += size
		fmt.Fprintln(&labels, g%2)
	}
	name := filepath.Base(dir)
	Write(t, filepath.Join(dir, name+"_graph_indicator.txt"), indicator.String())
	Write(t, filepath.Join(dir, name+"_A.txt"), edges.String())
	Write(t, filepath.Join(dir, name+"_graph_labels.txt"), labels.String())
}

// Pair writes the TUDataset sets TREES and RINGS, and returns their folder.
func Pair(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	TU(t, filepath.Join(dir, "tu", "TREES"), 120, false, 1)
	TU(t, filepath.Join(dir, "tu", "RINGS"), 40, true, 2)
	return dir
}

// Model opens an embedded model. It skips the test if there is no such model.
func Model(t testing.TB, name string) *algo.Model {
	t.Helper()
	if !slices.Contains(weights.Names(), name) {
		t.Skipf("no model %s is embedded", name)
	}
	m, err := weights.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
