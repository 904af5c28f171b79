package job

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/table"
)

// A sample is an even sample of the graphs of an input, of bounded size.
//
// The place of a record in the input, with the seed, gives it a key as good as
// random, and the graphs with the smallest keys are the sample: up to a limit of
// graphs, or fewer if these are very large. So it depends on nothing but the input and
// the seed. No two places have the same key, and copies of a graph at two places are two
// graphs.
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

// sampleStream makes the keys differ from other random numbers of the same seed.
const sampleStream = 0xba1a_0003

// newSample returns an empty sample of at most limit graphs.
func newSample(limit int, seed uint64) *sample { return &sample{seed: seed, limit: limit} }

// mix is a permutation of the 64-bit numbers: the finaliser of SplitMix64 (Steele,
// Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// key is one to one for each seed.
func (s *sample) key(place int) uint64 {
	return mix(mix(uint64(place)^mix(s.seed)) + mix(s.seed^sampleStream))
}

// full tells whether a first part of the sample, of so many graphs and nodes, has
// no room for another. It never is false again for more of both.
func (s *sample) full(graphs, nodes int) bool {
	return graphs >= s.limit || nodes >= maxNodes && graphs >= algo.MinBatch
}

// wants tells whether a graph at that place would change the sample. Most records
// of a long input need not be parsed to know that they are not in it.
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

// fit returns the graphs in the order of the input, not scored yet. Total is the
// number of records of the input.
func (s *sample) fit(total int) *Fit {
	f := &Fit{Sample: true, Total: total}
	for _, i := range s.byPlace() {
		f.Graphs, f.Records = append(f.Graphs, i.graph), append(f.Records, i.place)
	}
	return f
}

// A placed record has its place in the whole input, from 0.
type placed struct {
	place int
	read  table.Unread
}

// draw adds those of the records that are in the sample, and returns how many
// records there were. They are parsed on the given number of goroutines (0: one for
// each core). Progress, unless nil, is told now and then how many records it was so
// far. The error is that of the records, behind the last one, or of ctx.
func (s *sample) draw(ctx context.Context, workers int, records iter.Seq2[placed, error], progress func(records int)) (int, error) {
	n := 0
	var wanted []table.Unread
	var places []int
	keep := func() error {
		parsed, err := parse(ctx, workers, wanted)
		if err != nil {
			return err
		}
		for i, place := range places {
			if parsed[i].Err == nil {
				s.add(place, parsed[i].Graph)
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
			wanted, places = append(wanted, p.read), append(places, p.place)
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

// drawn records are gone through between two looks at the context.
const drawn = 4096
