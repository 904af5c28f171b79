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

// A sample is an even sample of bounded size of an input's graphs.
//
// Place and seed give each record a pseudo-random key, and the graphs with the smallest keys are
// the sample: up to limit graphs, fewer if they are very large. It depends only on input and seed.
// Keys differ, so copies are two graphs.
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

func newSample(limit int, seed uint64) *sample { return &sample{seed: seed, limit: limit} }

// mix is a permutation of 64-bit numbers, SplitMix64's finaliser (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// key is injective for each seed.
func (s *sample) key(place int) uint64 {
	return mix(mix(uint64(place)^mix(s.seed)) + mix(s.seed^sampleStream))
}

// full reports whether the first part of the sample, of that many graphs and nodes, has no room. It
// is monotone in both.
func (s *sample) full(graphs, nodes int) bool {
	return graphs >= s.limit || nodes >= maxNodes && graphs >= batch.MinBatch
}

// wants reports whether a graph at that place would change the sample. Most records of a long input
// need no parsing.
func (s *sample) wants(place int) bool {
	key := s.key(place)
	n := len(s.items)
	if n == 0 || key > s.items[n-1].key {
		return !s.full(n, s.nodes)
	}
	_, there := s.find(key)
	return !there
}

func (s *sample) find(key uint64) (int, bool) {
	return slices.BinarySearchFunc(s.items, key, func(i sampled, key uint64) int { return cmp.Compare(i.key, key) })
}

// add adds the graph at a place, from 0.
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

// fit returns the graphs in input order, unscored. total is the number of records.
func (s *sample) fit(total int) *Fit {
	f := &Fit{Sample: true, Total: total}
	for _, i := range s.byPlace() {
		f.Graphs, f.Records = append(f.Graphs, i.graph), append(f.Records, i.place)
	}
	return f
}

// A placed record has its place in the input, from 0.
type placed struct {
	place int
	dataset.Record
}

// draw adds the records in the sample, parsed on that many goroutines (0: one for each core), and
// returns the number of records. It calls progress, if not nil, with the number so far. The error
// is that of the records, after the last one, or of ctx.
func (s *sample) draw(ctx context.Context, workers int, records iter.Seq2[placed, error], progress func(records int)) (int, error) {
	n := 0
	var wanted []dataset.Record
	var places []int
	keep := func() error {
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
			return n, errors.Join(keep(), err)
		}
		n++
		if s.wants(p.place) {
			wanted, places = append(wanted, p.Record), append(places, p.place)
			if len(wanted) == block {
				if err := keep(); err != nil {
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
	err := keep()
	if progress != nil {
		progress(n)
	}
	return n, err
}

// drawn records pass between checks of the context.
const drawn = 4096

// SampleOf returns an even sample of the graphs of records, MaxGraphs at most, or all of them if these are no more.
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
