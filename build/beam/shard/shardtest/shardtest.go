// Package shardtest has what the tests of package shard and of the programs on it
// work with: a library, a small model, and the rows that one process gives.
package shardtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
	"baca/algo/dataset"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/molecule/smiles"
	"baca/algo/pretrain"
	"baca/algo/table"
	"baca/weights"
)

// Lines are n lines of a .smi file. Of every thirteen one is refused; a third have a
// name.
func Lines(rng *rand.Rand, n int) []string {
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

// Model returns a small model of molecules, always the same one.
var Model = sync.OnceValue(func() *algo.Model {
	var gs []*graph.Graph
	for _, line := range Lines(rand.New(rand.NewPCG(1, 1)), 150) {
		if m, err := smiles.Parse(strings.Fields(line)[0]); err == nil && len(gs) < 120 {
			gs = append(gs, m.Graph())
		}
	}
	index := make([]int, len(gs))
	for i := range index {
		index[i] = i
	}
	o := pretrain.Defaults(gs[0].Features)
	o.Config = gin.Config{Features: gs[0].Features, Hidden: 8, Layers: 2}
	tr, err := pretrain.New(gs[40:], o, nil)
	if err != nil {
		panic(err)
	}
	m, err := algo.NewModel(context.Background(), 1, tr.Encoder(), gs, index[40:], index[:40], algo.Card{Name: "small", Schema: algo.OGB})
	if err != nil {
		panic(err)
	}
	return m
})

// Reference returns the rows and the refused records of one process that has all
// lines in one file of the given name.
func Reference(t *testing.T, m *algo.Model, o algo.Options, name string, lines []string) (rows, rejects []byte) {
	t.Helper()
	ctx := context.Background()
	scorer, err := algo.NewScorer(ctx, m, o)
	if err != nil {
		t.Fatal(err)
	}
	records := table.Molecules(strings.NewReader(strings.Join(lines, "")), dataset.Options{Name: name, Format: dataset.SMI})
	var out, refused bytes.Buffer
	hash := sha256.New()
	if err := weights.Save(hash, m); err != nil {
		t.Fatal(err)
	}
	origin := table.Run{Model: m.Card.Name, SHA256: hex.EncodeToString(hash.Sum(nil)), By: o.By, Alpha: o.Alpha}
	w := table.NewSink(&out, "csv", table.Text{}, true, append(table.Fields(table.Usual), origin.Fields()...))
	r := table.NewSink(&refused, "csv", table.Text{}, true, table.RejectFields())
	err = job.Score(ctx, scorer, job.Input{Records: records}, job.ScoreOptions{Workers: o.Workers}, func(rows []table.Scored) error {
		w.Add(rows...)
		for _, s := range rows {
			if s.Err != nil {
				r.Add(s)
			}
		}
		return nil
	})
	if err = errors.Join(err, w.Flush(), r.Flush()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), refused.Bytes()
}

// Write writes lines, compressed as the name says.
func Write(t *testing.T, path string, lines []string) {
	t.Helper()
	if err := os.WriteFile(path, Packed(t, path, lines), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Packed returns the bytes of a file of lines, compressed as the name says.
func Packed(t *testing.T, name string, lines []string) []byte {
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
		z, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return z.EncodeAll(text, nil)
	}
	return text
}

// Split writes lines into some files of a new folder, which may be empty, and returns
// their names.
func Split(t *testing.T, rng *rand.Rand, lines []string) []string {
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
		Write(t, name, lines[cuts[i]:cuts[i+1]])
		names = append(names, name)
	}
	return names
}
