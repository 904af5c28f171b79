package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
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

// A bank holds the same molecules twice: as an index of subtrees, which is exact, and as
// fingerprints that are compared one by one.
type bank struct {
	index  *fingerprint.Index
	folded []folded
	sizes  []int
}

// nearest returns the greatest Tanimoto similarity to a fingerprint of the bank.
func (b *bank) nearest(q *folded) float64 {
	size := q.size()
	common, all := 0, 1
	for i := range b.folded {
		c := 0
		for w, word := range &b.folded[i] {
			c += bits.OnesCount64(word & q[w])
		}
		if a := size + b.sizes[i] - c; c*all > common*a {
			common, all = c, a
		}
	}
	return float64(common) / float64(all)
}

// Neighbours asks a bank for the nearest of other molecules.
type neighbours struct {
	bank
	queries []fingerprint.Print
	asked   []folded
}

// queryCount is how many molecules are asked for.
const queryCount = 200

// newNeighbours makes a bank of about n molecules of the mix, less those that cannot be
// read, and has others of it to ask for.
func newNeighbours(ctx context.Context, m *mix, n int) (*neighbours, error) {
	rows := m.part(n + queryCount)
	every := len(rows) / queryCount
	if every < 2 {
		return nil, fmt.Errorf("%s has %d rows, too few for a bank", m.path, len(m.rows))
	}
	molecules, err := m.molecules(rows)
	if err != nil {
		return nil, err
	}
	var kept, asked []*graph.Graph
	for i, text := range molecules {
		g, err := smiles.ParseGraph(text)
		switch {
		case err != nil: // as the command refuses it
		case i%every == every/2:
			asked = append(asked, g)
		default:
			kept = append(kept, g)
		}
	}
	workers := runtime.NumCPU()
	prints, err := fingerprint.All(ctx, workers, kept, fingerprint.DefaultHeight)
	if err != nil {
		return nil, err
	}
	s := &neighbours{bank: bank{index: fingerprint.NewIndex(prints)}}
	s.queries, err = fingerprint.All(ctx, workers, asked, fingerprint.DefaultHeight)
	for _, p := range prints {
		f := fold(p)
		s.folded, s.sizes = append(s.folded, f), append(s.sizes, f.size())
	}
	for _, q := range s.queries {
		s.asked = append(s.asked, fold(q))
	}
	return s, err
}

// name is that of the benchmark by some way.
func (s *neighbours) name(way string) string {
	return fmt.Sprintf("Neighbour/%d/%s", len(s.folded), way)
}

// run returns lines of benchmarks: the time that one of the queries takes on one core.
func (s *neighbours) run() []byte {
	var text bytes.Buffer
	for _, way := range []struct {
		name string
		ask  func(i int)
	}{
		{"subtrees", func(i int) { s.index.Best(s.queries[i], -1) }},
		{"popcount", func(i int) { s.nearest(&s.asked[i]) }},
	} {
		runtime.GC()
		fastest := math.Inf(1)
		for range 3 {
			begin := time.Now()
			for i := range s.queries {
				way.ask(i)
			}
			fastest = min(fastest, float64(time.Since(begin).Nanoseconds())/float64(len(s.queries)))
		}
		fmt.Fprintf(&text, "Benchmark%s\t%d\t%.0f %s\n", s.name(way.name), len(s.queries), fastest, nanoseconds)
	}
	return text.Bytes()
}

// write writes the fingerprints, so that others compare the same bits.
func (s *neighbours) write(folder string) (bank, queries string, err error) {
	bank, queries = filepath.Join(folder, "bank.bits"), filepath.Join(folder, "queries.bits")
	for path, prints := range map[string][]folded{bank: s.folded, queries: s.asked} {
		var data []byte
		for i := range prints {
			for _, word := range prints[i] {
				data = binary.LittleEndian.AppendUint64(data, word)
			}
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return "", "", err
		}
	}
	return bank, queries, nil
}
