package table

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/internal/parallel"
)

// A Sample is an even sample of the graphs of an input, of bounded size, that many
// workers can draw together: each looks at some of the records, and their samples
// are merged.
//
// The place of a record in the whole input, with the seed, gives it a key as good
// as random, and the graphs with the smallest keys are the sample: up to a limit
// of graphs, or fewer if these are very large. So it depends on nothing but the
// input and the seed, however the input is divided. Merging is associative,
// commutative and idempotent: what was added twice counts once. No two places have
// the same key, and copies of a graph at two places are two graphs.
type Sample struct {
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

// NewSample returns an empty sample of at most limit graphs; 0 stands for
// MaxGraphs.
func NewSample(limit int, seed uint64) *Sample {
	if limit <= 0 {
		limit = MaxGraphs
	}
	return &Sample{seed: seed, limit: limit}
}

// mix is a permutation of the 64-bit numbers: the finaliser of SplitMix64 (Steele,
// Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// key is one to one for each seed.
func (s *Sample) key(place int) uint64 {
	return mix(mix(uint64(place)^mix(s.seed)) + mix(s.seed^sampleStream))
}

// Len returns the number of graphs.
func (s *Sample) Len() int { return len(s.items) }

// Features returns the number of node features of the graphs, 0 if there are none.
func (s *Sample) Features() int {
	if len(s.items) == 0 {
		return 0
	}
	return s.items[0].graph.Features
}

// Clone returns a sample to add to, which leaves s as it is.
func (s *Sample) Clone() *Sample {
	c := *s
	c.items = slices.Clone(s.items)
	return &c
}

// full tells whether a first part of the sample, of so many graphs and nodes, has
// no room for another. It never is false again for more of both, so each
// graph of the sample of a whole is in the sample of its part.
func (s *Sample) full(graphs, nodes int) bool {
	return graphs >= s.limit || nodes >= maxNodes && graphs >= algo.MinBatch
}

// Wants tells whether a graph at that place would change the sample. Most records
// of a long input need not be parsed to know that they are not in it.
func (s *Sample) Wants(place int) bool {
	key := s.key(place)
	n := len(s.items)
	if n == 0 || key > s.items[n-1].key {
		return !s.full(n, s.nodes)
	}
	_, there := s.find(key)
	return !there
}

func (s *Sample) find(key uint64) (int, bool) {
	return slices.BinarySearchFunc(s.items, key, func(i sampled, key uint64) int { return cmp.Compare(i.key, key) })
}

// Add adds the graph at a place, from 0. All graphs must have the same features.
func (s *Sample) Add(place int, g *graph.Graph) {
	if f := s.Features(); f != 0 && f != g.Features {
		panic(fmt.Sprintf("table: sample of graphs with %d features, added one with %d", f, g.Features))
	}
	if !s.Wants(place) {
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

// Merge adds the graphs of another sample of the same input. Both must have the
// same limit, seed and features.
func (s *Sample) Merge(o *Sample) error {
	if s.limit != o.limit || s.seed != o.seed {
		return fmt.Errorf("sample of at most %d graphs with seed %d: want one of %d with seed %d", o.limit, o.seed, s.limit, s.seed)
	}
	if a, b := s.Features(), o.Features(); a != b && a != 0 && b != 0 {
		return fmt.Errorf("sample of graphs with %d node features: want %d", b, a)
	}
	for _, i := range o.items {
		s.Add(i.place, i.graph)
	}
	return nil
}

// byPlace returns the items in the order of the input.
func (s *Sample) byPlace() []sampled {
	return slices.SortedFunc(slices.Values(s.items), func(a, b sampled) int { return cmp.Compare(a.place, b.place) })
}

// fit returns the graphs in the order of the input, not scored yet. Total is the
// number of records of the input.
func (s *Sample) fit(total int) *Fit {
	f := &Fit{Sample: true, Total: total}
	for _, i := range s.byPlace() {
		f.Graphs, f.Records = append(f.Graphs, i.graph), append(f.Records, i.place)
	}
	return f
}

// Fit scores the graphs of the sample together, in the order of the input, of
// which total is the number of records. Without any graph the Fit has no Report.
// The scorer must not have seen another batch, and must have the features of the
// sample.
func (s *Sample) Fit(ctx context.Context, scorer *algo.Scorer, total int) (*Fit, error) {
	f := s.fit(total)
	_, err := fit(ctx, scorer, Options{}, f)
	return f, err
}

// A Placed record has its place in the whole input, from 0.
type Placed struct {
	Place int
	Read  Unread
}

// Draw adds those of the records that are in the sample, and returns how many
// records there were. They are parsed on the given number of goroutines (0: one for
// each core). Progress, unless nil, is told now and then how many records it was so
// far. The error is that of the records, behind the last one, or of ctx.
func (s *Sample) Draw(ctx context.Context, workers int, records iter.Seq2[Placed, error], progress func(records int)) (int, error) {
	n := 0
	var wanted []Placed
	parsed := make([]Record, block)
	add := func() error {
		err := parallel.For(ctx, workers, len(wanted), func(_, i int) { parsed[i] = wanted[i].Read() })
		if err != nil {
			return err
		}
		for i, p := range wanted {
			if parsed[i].Err == nil {
				s.Add(p.Place, parsed[i].Graph)
			}
		}
		clear(wanted)
		wanted = wanted[:0]
		return nil
	}
	for p, err := range records {
		if err != nil {
			return n, errors.Join(add(), err)
		}
		n++
		if s.Wants(p.Place) {
			if wanted = append(wanted, p); len(wanted) == block {
				if err := add(); err != nil {
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
	err := add()
	if progress != nil {
		progress(n)
	}
	return n, err
}

// drawn records are gone through between two looks at the context.
const drawn = 4096

// The first byte of an encoded sample.
const sampleVersion = 1

// MarshalBinary encodes the sample: a version byte, then unsigned varints. These
// are seed, limit, features and the number of graphs, then for each graph, in the
// order of the input: its place less that of the one before, its nodes, its
// features as the bits of float32 in reverse order, which is short for small whole
// numbers, and for each node the number of its neighbours with a higher
// number, and the gaps between these. The error is always nil.
func (s *Sample) MarshalBinary() ([]byte, error) {
	b := []byte{sampleVersion}
	b = binary.AppendUvarint(b, s.seed)
	b = binary.AppendUvarint(b, uint64(s.limit))
	b = binary.AppendUvarint(b, uint64(s.Features()))
	b = binary.AppendUvarint(b, uint64(len(s.items)))
	before := 0
	for _, item := range s.byPlace() {
		g := item.graph
		b = binary.AppendUvarint(b, uint64(item.place-before))
		before = item.place
		b = binary.AppendUvarint(b, uint64(g.N()))
		for _, x := range g.X {
			b = binary.AppendUvarint(b, uint64(bits.Reverse32(math.Float32bits(x))))
		}
		for i := range g.N() {
			row := g.Row(i)
			k, _ := slices.BinarySearch(row, int32(i))
			b = binary.AppendUvarint(b, uint64(len(row)-k))
			last := int32(i)
			for _, j := range row[k:] {
				b = binary.AppendUvarint(b, uint64(j-last))
				last = j
			}
		}
	}
	return b, nil
}

// UnmarshalBinary decodes a sample. Data may come from anywhere: it costs memory of
// a small multiple of its length.
func (s *Sample) UnmarshalBinary(data []byte) error {
	d := decoder{data: data}
	if len(data) == 0 || data[0] != sampleVersion {
		return errors.New("not a sample, or one of another version")
	}
	d.at = 1
	seed, limit := d.next(math.MaxUint64), d.next(math.MaxInt32)
	features, n := int(d.left()), int(d.left())
	if d.err == nil && limit == 0 {
		d.fail("limit 0")
	}
	decoded := NewSample(int(limit), seed)
	place := 0
	for k := 0; k < n && d.err == nil; k++ {
		place += int(d.next(math.MaxInt64 - uint64(place)))
		g := d.graph(features)
		if d.err != nil {
			break
		}
		if !d.finite(g) {
			d.fail("features that are not numbers")
			break
		}
		decoded.Add(place, g)
	}
	if d.err == nil && d.at < len(data) {
		d.fail("more bytes than graphs")
	}
	if d.err == nil && decoded.Len() != n {
		d.fail("%d graphs, of which %d are in a sample of at most %d", n, decoded.Len(), limit)
	}
	if d.err != nil {
		return d.err
	}
	*s = *decoded
	return nil
}

// A decoder reads varints; an error stays.
type decoder struct {
	data []byte
	at   int
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	d.err = fmt.Errorf("damaged sample: byte %d of %d: %w", d.at, len(d.data), fmt.Errorf(format, args...))
}

// next reads a number of at most limit.
func (d *decoder) next(limit uint64) uint64 {
	if d.err != nil {
		return 0
	}
	x, n := binary.Uvarint(d.data[d.at:])
	switch {
	case n <= 0:
		d.fail("no number")
		return 0
	case x > limit:
		d.fail("%d, want at most %d", x, limit)
		return 0
	}
	d.at += n
	return x
}

// left reads a number of things that take a byte at least.
func (d *decoder) left() uint64 { return d.next(uint64(len(d.data) - d.at)) }

func (d *decoder) graph(features int) *graph.Graph {
	n := int(d.left())
	if d.err == nil && (features < 1 || n > (len(d.data)-d.at)/features) {
		d.fail("%d nodes of %d features", n, features)
	}
	if d.err != nil {
		return nil
	}
	x := make([]float32, n*features)
	for i := range x {
		x[i] = math.Float32frombits(bits.Reverse32(uint32(d.next(math.MaxUint32))))
	}
	var edges [][2]int32
	for i := 0; i < n && d.err == nil; i++ {
		j := i
		for k := d.left(); k > 0 && d.err == nil; k-- {
			gap := int(d.next(uint64(n - 1 - j)))
			if d.err == nil && gap == 0 {
				d.fail("an edge twice")
			}
			j += gap
			edges = append(edges, [2]int32{int32(i), int32(j)})
		}
	}
	if d.err != nil {
		return nil
	}
	g, _, err := graph.New(n, edges)
	if err != nil {
		d.fail("%w", err)
		return nil
	}
	g.X, g.Features = x, features
	return g
}

func (d *decoder) finite(g *graph.Graph) bool {
	for _, x := range g.X {
		if x-x != 0 {
			return false
		}
	}
	return true
}
