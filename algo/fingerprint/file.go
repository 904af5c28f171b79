package fingerprint

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// The file form of an index is what an Index holds, in little-endian numbers without
// anything between them:
//
//	sizes    4 × uint64        of prints, distinct keys, entries, and counts in many
//	weighs   2 × float64       for each print
//	totals   uint64            for each print
//	commons  uint64            for each print
//	common   2 × uint32        for each of 64 pairs
//	heads    uint32            2^(bits of the number of keys) and one more
//	keys     uint32            ascending
//	first    uint32            for each key, and the end
//	lists    uint32            for each print, and the end
//	holders  uint32            for each entry
//	held     uint32            for each entry
//	many     3 × uint32        for each count that no entry has room for
//
// It has no name, version or checksum: those are for the file around it.

// sizes is how many numbers the file form begins with.
const sizes = 4

// WriteTo writes the file form of the index. Equal prints give equal bytes.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	e := &encoder{w: w}
	encode(e, binary.LittleEndian.AppendUint64, []uint64{uint64(x.Len()), uint64(len(x.keys)), uint64(len(x.held)), uint64(len(x.many) / 3)})
	encode(e, func(b []byte, v float64) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(v)) }, x.weighs)
	encode(e, binary.LittleEndian.AppendUint64, x.totals)
	encode(e, binary.LittleEndian.AppendUint64, x.commons)
	for _, part := range [][]uint32{x.common, x.heads, x.keys, x.first, x.lists, x.holders, x.held, x.many} {
		encode(e, binary.LittleEndian.AppendUint32, part)
	}
	return e.written, e.err
}

// An encoder writes until something fails.
type encoder struct {
	w       io.Writer
	buffer  []byte
	written int64
	err     error
}

// encode writes numbers, some thousands at a time.
func encode[T number](e *encoder, put func([]byte, T) []byte, list []T) {
	for some := range slices.Chunk(list, 1<<13) {
		if e.err != nil {
			return
		}
		e.buffer = e.buffer[:0]
		for _, v := range some {
			e.buffer = put(e.buffer, v)
		}
		n, err := e.w.Write(e.buffer)
		e.written, e.err = e.written+int64(n), err
	}
}

// OpenIndex returns the index whose file form data is. Where it can, it uses data in
// place: data must stay as it is then, and may be a file mapped to memory. It is best
// aligned to eight bytes. All of data is read once and checked, so that no bytes make
// the index fail later. What it does not check is that the lists of keys and of prints
// say the same and that weights and common pairs are theirs: only NewIndex makes such an index, and
// other bytes give wrong similarities.
func OpenIndex(data []byte) (*Index, error) {
	d := &decoder{data: data}
	var head [sizes]uint64
	if len(data) < 8*sizes {
		return nil, fmt.Errorf("index of subtrees: %d bytes, want %d or more", len(data), 8*sizes)
	}
	for i := range head {
		head[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	d.at = 8 * sizes
	prints, keys, entries, many := head[0], head[1], head[2], head[3]
	if prints > maxPrints || keys > maxKeys || entries > math.MaxUint32 || many > entries {
		return nil, fmt.Errorf("index of subtrees: %d prints, %d keys, %d entries and %d large counts, want at most %d, %d, %d and as many as entries",
			prints, keys, entries, many, maxPrints, maxKeys, uint32(math.MaxUint32))
	}
	heads := uint64(1)<<headBits(int(keys)) + 1
	want := 8*(sizes+4*prints+commonPairs) + 4*(heads+2*keys+1+prints+1+2*entries+3*many)
	if uint64(len(data)) != want {
		return nil, fmt.Errorf("index of subtrees: %d bytes, want %d for %d prints, %d keys and %d entries", len(data), want, prints, keys, entries)
	}
	word, double := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	x := &Index{bits: countBits(int(prints), int(keys))}
	x.weighs = decode(d, 2*prints, func(b []byte) float64 { return math.Float64frombits(double(b)) })
	x.totals = decode(d, prints, double)
	x.commons, x.common = decode(d, prints, double), decode(d, 2*commonPairs, word)
	x.heads, x.keys, x.first = decode(d, heads, word), decode(d, keys, word), decode(d, keys+1, word)
	x.lists, x.holders = decode(d, prints+1, word), decode(d, entries, word)
	x.held, x.many = decode(d, entries, word), decode(d, 3*many, word)
	if err := x.check(); err != nil {
		return nil, fmt.Errorf("index of subtrees: %w", err)
	}
	return x, nil
}

// A decoder takes numbers from the front of data that is long enough.
type decoder struct {
	data []byte
	at   int
}

// decode returns the next n numbers, in place or copied.
func decode[T number](d *decoder, n uint64, get func([]byte) T) []T {
	size := binary.Size(T(0))
	part := d.data[d.at : d.at+int(n)*size : d.at+int(n)*size]
	d.at += len(part)
	if list, ok := view[T](part); ok {
		return list
	}
	list := make([]T, n)
	for i := range list {
		list[i] = get(part[i*size:])
	}
	return list
}

// check says what is wrong with an index whose parts have the right sizes.
func (x *Index) check() error {
	for i, w := range x.weighs {
		if !(w >= 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("weight %d is %g, want a number from 0", i, w)
		}
	}
	for b := range commonPairs {
		if key, times := x.common[2*b], x.common[2*b+1]; times > 0 && int(key) >= len(x.keys) {
			return fmt.Errorf("common pair %d is of key %d, want less than %d", b, key, len(x.keys))
		}
	}
	if err := x.checkHeads(); err != nil {
		return err
	}
	large, err := x.checkEntries("key", x.first, x.holders, x.Len())
	if err == nil && large != len(x.many)/3 {
		err = fmt.Errorf("%d entries of keys need large counts, want %d", large, len(x.many)/3)
	}
	if err != nil {
		return err
	}
	if large, err = x.checkEntries("print", x.lists, x.held, len(x.keys)); err != nil {
		return err
	}
	return x.checkMany(large)
}

// checkHeads checks that the keys ascend and that each is where heads says.
func (x *Index) checkHeads() error {
	b := headBits(len(x.keys))
	if x.heads[0] != 0 {
		return fmt.Errorf("the first head is %d, want 0", x.heads[0])
	}
	for i, end := range x.heads[1:] {
		if end < x.heads[i] || int(end) > len(x.keys) {
			return fmt.Errorf("head %d is %d, want %d to %d", i+1, end, x.heads[i], len(x.keys))
		}
		for k := x.heads[i]; k < end; k++ {
			if key := x.keys[k]; key>>(32-b) != uint32(i) || k > 0 && key <= x.keys[k-1] {
				return fmt.Errorf("key %d is %#x, out of order", k, key)
			}
		}
	}
	if end := x.heads[len(x.heads)-1]; int(end) != len(x.keys) {
		return fmt.Errorf("the last head is %d, want %d", end, len(x.keys))
	}
	return nil
}

// checkEntries checks lists of entries with numbers below limit, and returns how many
// have a count in many. what the lists are of is for the error.
func (x *Index) checkEntries(what string, starts, entries []uint32, limit int) (large int, err error) {
	if starts[0] != 0 || int(starts[len(starts)-1]) != len(entries) {
		return 0, fmt.Errorf("the lists by %s are from %d to %d, want 0 to %d", what, starts[0], starts[len(starts)-1], len(entries))
	}
	mask := uint32(1)<<x.bits - 1
	for i, end := range starts[1:] {
		if end < starts[i] || int(end) > len(entries) {
			return 0, fmt.Errorf("the list of %s %d ends at %d, want %d to %d", what, i, end, starts[i], len(entries))
		}
		last := -1
		for k, e := range entries[starts[i]:end] {
			number := int(e >> x.bits)
			if number <= last || number >= limit {
				return 0, fmt.Errorf("entry %d of %s %d has number %d, want %d to %d", k, what, i, number, last+1, limit-1)
			}
			if last = number; e&mask == mask {
				large++
			}
		}
	}
	return large, nil
}

// checkMany checks that many has the large counts of the entries of prints, and no others.
func (x *Index) checkMany(large int) error {
	if large != len(x.many)/3 {
		return fmt.Errorf("%d entries of prints need large counts, want %d", large, len(x.many)/3)
	}
	if large == 0 {
		return nil
	}
	mask, at := uint32(1)<<x.bits-1, 0
	for i := range x.Len() {
		for _, e := range x.of(i) {
			if e&mask != mask {
				continue
			}
			m := x.many[3*at : 3*at+3]
			if m[0] != uint32(i) || m[1] != e>>x.bits || m[2] <= mask {
				return fmt.Errorf("large count %d is %d of key %d in print %d, want more than %d of key %d in print %d",
					at, m[2], m[1], m[0], mask, e>>x.bits, i)
			}
			at++
		}
	}
	return nil
}
