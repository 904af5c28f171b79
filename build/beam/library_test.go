package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"baca/algo"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/algo/pretrain"
	"baca/build/internal/try"
)

// moleculeLines are n lines of a .smi file. Of every thirteen one is refused; a third have a name.
func moleculeLines(rng *rand.Rand, n int) []string {
	parts := []string{"C", "CC", "O", "N", "c1ccccc1", "C(=O)", "C(F)(F)", "S", "C1CCCCC1"}
	lines := make([]string, n)
	for i := range lines {
		text := "C"
		for range 1 + rng.IntN(6) {
			text += parts[rng.IntN(len(parts))]
		}
		switch {
		case i%13 == 5:
			text += "("
		case i%3 == 0:
			text += fmt.Sprintf(" name %d", i)
		}
		lines[i] = text + "\n"
	}
	return lines
}

// small returns a model of molecules, always the same one, or of their graphs alone.
func small(schema string) *algo.Model {
	var gs []*graph.Graph
	for _, line := range moleculeLines(rand.New(rand.NewPCG(1, 1)), 150) {
		m, err := smiles.Parse(strings.Fields(line)[0])
		if err != nil || len(gs) == 120 {
			continue
		}
		g := m.Graph()
		if schema == algo.Constant {
			g, _, _ = graph.New(g.N(), g.Edges())
		}
		gs = append(gs, g)
	}
	index := make([]int, len(gs))
	for i := range index {
		index[i] = i
	}
	o := pretrain.Defaults(gs[0].Features)
	o.Config = gin.Config{Features: gs[0].Features, Hidden: 8, Layers: 2}
	tr := try.To(pretrain.New(gs[40:], o, nil))
	return try.To(algo.NewModel(context.Background(), 1, tr.Encoder(), gs, index[40:], index[:40], algo.Card{Name: "small", Schema: schema}))
}

var smallModel = sync.OnceValue(func() *algo.Model { return small(algo.OGB) })

// writeLines writes lines, compressed as the name says.
func writeLines(t *testing.T, path string, lines []string) {
	t.Helper()
	try.Check(os.WriteFile(path, packed(t, path, lines), 0o666))
}

// packed returns the bytes of a file of lines, compressed as the name says.
func packed(t *testing.T, name string, lines []string) []byte {
	t.Helper()
	text := []byte(strings.Join(lines, ""))
	switch filepath.Ext(name) {
	case ".gz":
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(text)
		z.Close()
		return b.Bytes()
	case ".zst":
		z := try.To(zstd.NewWriter(nil))
		return z.EncodeAll(text, nil)
	}
	return text
}

// splitLines writes lines into some files of a new folder, which may be empty, and returns their names.
func splitLines(t *testing.T, rng *rand.Rand, lines []string) []string {
	t.Helper()
	dir := t.TempDir()
	cuts := []int{0, len(lines)}
	for range rng.IntN(5) {
		cuts = append(cuts, rng.IntN(len(lines)+1))
	}
	slices.Sort(cuts)
	var names []string
	for i := range cuts[1:] {
		name := filepath.Join(dir, fmt.Sprintf("%d.smi%s", i, []string{"", ".gz", ".zst"}[rng.IntN(3)]))
		writeLines(t, name, lines[cuts[i]:cuts[i+1]])
		names = append(names, name)
	}
	return names
}
