package suite

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
)

// A folded print is a fingerprint of 1 024 bits.
type folded [16]uint64

// fold sets a bit for each key.
func fold(p fingerprint.Print) (f folded) {
	for _, k := range p.Keys {
		f[k/64%16] |= 1 << (k % 64)
	}
	return f
}

func (f *folded) size() (n int) {
	for _, word := range f {
		n += bits.OnesCount64(word)
	}
	return n
}

// nearest returns the greatest Tanimoto similarity to a fingerprint of the bank.
func nearest(bank []folded, sizes []int, q *folded) float64 {
	size := q.size()
	common, all := 0, 1
	for i := range bank {
		c := 0
		for w, word := range &bank[i] {
			c += bits.OnesCount64(word & q[w])
		}
		if a := size + sizes[i] - c; c*all > common*a {
			common, all = c, a
		}
	}
	return float64(common) / float64(all)
}

// neighbourQueries is how many molecules are asked for.
const neighbourQueries = 200

// BenchmarkNeighbour asks for the most similar of many graphs, and for the five most similar: by the index of subtrees,
// which is exact, and by comparing fingerprints of 1 024 bits one by one. BACA_BITS names a folder to write these to, and
// the molecules, for other programs.
func BenchmarkNeighbour(b *testing.B) {
	var graphs []*graph.Graph
	var texts []string
	m := varied()
	if f, err := sets.Open("mol/many.csv"); err == nil {
		defer f.Close()
		m = list("mix", f)
	}
	for _, text := range m.smiles {
		if g, err := smiles.ParseGraph(text); err == nil {
			graphs, texts = append(graphs, g), append(texts, text)
		}
	}
	prints := try.To(fingerprint.All(ctx, 1, graphs, fingerprint.DefaultHeight))
	// The queries lie evenly, as the list does.
	var asked, known []fingerprint.Print
	var askedTexts, knownTexts []string
	every := max(2, len(prints)/neighbourQueries)
	for i, p := range prints {
		if i%every == every/2 {
			asked, askedTexts = append(asked, p), append(askedTexts, texts[i])
		} else {
			known, knownTexts = append(known, p), append(knownTexts, texts[i])
		}
	}
	index := fingerprint.NewIndex(known)
	bank, sizes, queries := make([]folded, len(known)), make([]int, len(known)), make([]folded, len(asked))
	for i, p := range known {
		bank[i] = fold(p)
		sizes[i] = bank[i].size()
	}
	for i, p := range asked {
		queries[i] = fold(p)
	}
	if folder := os.Getenv("BACA_BITS"); folder != "" {
		try.Check(writeBits(filepath.Join(folder, "bank.bits"), bank))
		try.Check(writeBits(filepath.Join(folder, "queries.bits"), queries))
		try.Check(os.WriteFile(filepath.Join(folder, "known.smi"), []byte(strings.Join(knownTexts, "\n")), 0o666))
		try.Check(os.WriteFile(filepath.Join(folder, "asked.smi"), []byte(strings.Join(askedTexts, "\n")), 0o666))
	}
	for _, way := range []struct {
		name string
		ask  func(i int)
	}{
		{"subtrees", func(i int) { index.Best(asked[i], -1) }},
		{"five", func(i int) { index.Nearest(asked[i], 5) }},
		{"popcount", func(i int) { nearest(bank, sizes, &queries[i]) }},
	} {
		b.Run(fmt.Sprintf("%d/%s", len(known), way.name), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				way.ask(i % len(asked))
			}
		})
	}
}

func writeBits(path string, prints []folded) error {
	var data []byte
	for i := range prints {
		for _, word := range prints[i] {
			data = binary.LittleEndian.AppendUint64(data, word)
		}
	}
	return os.WriteFile(path, data, 0o666)
}

// What the index finds is as similar as what comparing one by one does, where no bits fall together.
func TestNearest(t *testing.T) {
	print := func(keys ...uint32) fingerprint.Print { return fingerprint.Print{Keys: keys} }
	bank := []folded{fold(print(1, 2, 3)), fold(print(2, 3, 4, 5)), fold(print(900))}
	q := fold(print(2, 3, 5))
	if got := nearest(bank, []int{3, 4, 1}, &q); got != 0.75 {
		t.Errorf("%g, want 3 of 4 keys", got)
	}
}
