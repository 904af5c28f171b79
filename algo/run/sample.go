package run

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/graph"
)

// A sample is an even sample, of bounded size, of an input's graphs.
//
// Place and seed give each record a pseudo-random key. The sample has the graphs with the smallest keys: up to limit
// graphs, fewer if they are very large. So it depends only on the input and the seed. Keys differ even for equal graphs.
type sample struct {
	seed  uint64
	limit int
	nodes int
	items []sampled // by key
}

type sampled struct {
	key   uint64
	place int
	graph *graph.Graph
}

// sampleStream separates the keys from other random numbers of the seed.
const sampleStream = 0xba1a_0003

// newSample returns an empty sample for up to limit graphs.
func newSample(limit int, seed uint64) *sample { return &sample{seed: seed, limit: limit} }

// mix is a permutation of 64-bit numbers, SplitMix64's finaliser (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// key returns the key of the record at a place. No two places have the same key.
func (s *sample) key(place int) uint64 {
	return mix(mix(uint64(place)^mix(s.seed)) + mix(s.seed^sampleStream))
}

// full reports whether a sample of so many graphs and nodes has no room for another. If it is full, so is one with more
// graphs or nodes.
func (s *sample) full(graphs, nodes int) bool {
	return graphs >= s.limit || nodes >= maxNodes && graphs >= batch.MinBatch
}

// wants reports whether the graph at a place would change the sample. For most records of a long input it is false, so
// that they need no parsing.
func (s *sample) wants(place int) bool {
	key := s.key(place)
	n := len(s.items)
	if n == 0 || key > s.items[n-1].key {
		return !s.full(n, s.nodes)
	}
	_, there := s.find(key)
	return !there
}

// find returns the index of a key among the items, and whether it exists.
func (s *sample) find(key uint64) (int, bool) {
	return slices.BinarySearchFunc(s.items, key, func(i sampled, key uint64) int { return cmp.Compare(i.key, key) })
}

// add adds the graph at a place, which counts from 0, if the sample wants it.
func (s *sample) add(place int, g *graph.Graph) {
	if !s.wants(place) {
		return
	}
	key := s.key(place)
	i, _ := s.find(key)
	s.items = slices.Insert(s.items, i, sampled{key, place, g})
	s.nodes += g.N()
	for {
		last := len(s.items) - 1
		nodes := s.nodes - s.items[last].graph.N()
		if !s.full(last, nodes) {
			return
		}
		s.nodes = nodes
		s.items = slices.Delete(s.items, last, last+1)
	}
}

// byPlace returns the items in the order of the input.
func (s *sample) byPlace() []sampled {
	return slices.SortedFunc(slices.Values(s.items), func(a, b sampled) int { return cmp.Compare(a.place, b.place) })
}

// fit returns the sample as a Fit that is not scored yet. total is the number of records of the input.
func (s *sample) fit(total int) *Fit {
	f := &Fit{Sample: true, Total: total}
	for _, i := range s.byPlace() {
		f.Graphs, f.Records = append(f.Graphs, i.graph), append(f.Records, i.place)
	}
	return f
}

// A placed is a record and its place in the input, from 0.
type placed struct {
	place int
	dataset.Record
}

// draw adds the records that belong to the sample, parsed on so many goroutines (0: one for each core). It returns the
// number of records. It calls progress, if not nil, with the number so far. An error is that of ctx, or of records: then
// those before it have been added.
func (s *sample) draw(ctx context.Context, workers int, records iter.Seq2[placed, error], progress func(records int)) (int, error) {
	n := 0
	var wanted []dataset.Record
	var places []int
	addWanted := func() error {
		if err := parse(ctx, workers, wanted); err != nil {
			return err
		}
		for i, place := range places {
			if wanted[i].Err == nil {
				s.add(place, wanted[i].Graph)
			}
		}
		wanted, places = wanted[:0], places[:0]
		return nil
	}
	for p, err := range records {
		if err != nil {
			return n, errors.Join(addWanted(), err)
		}
		n++
		if s.wants(p.place) {
			wanted, places = append(wanted, p.Record), append(places, p.place)
			if len(wanted) == block {
				if err := addWanted(); err != nil {
					return n, err
				}
			}
		}
		if n%drawn == 0 {
			if err := ctx.Err(); err != nil {
				return n, err
			}
			if progress != nil {
				progress(n)
			}
		}
	}
	err := addWanted()
	if progress != nil {
		progress(n)
	}
	return n, err
}

// drawn is the number of records between checks of the context.
const drawn = 4096

// SampleOf returns an even sample of at most MaxGraphs graphs of the records, or all if they are fewer: then Fit.Sample is
// not set. An error of the records ends the sample and is not returned. An error is that of ctx.
func SampleOf(ctx context.Context, records iter.Seq2[dataset.Record, error], seed uint64, workers int) (*Fit, error) {
	s := newSample(MaxGraphs, seed)
	n, err := s.draw(ctx, workers, inOrder(records, 0, 0), nil)
	if ctx.Err() != nil {
		return nil, err
	}
	f := s.fit(n)
	f.Sample = n > len(f.Graphs) && s.full(len(f.Graphs), s.nodes)
	return f, nil // an error of the input comes again when rows are scored
}
