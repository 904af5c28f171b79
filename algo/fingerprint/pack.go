package fingerprint

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Packed is the form of prints in a model file. Keys are numbered from the one with most holders down, ties by key, so
// most numbers in prints are small.
//
// A print is a sequence of uvarints. The first is the number of its keys. Then each key follows, by ascending number, as
// 2·s if it occurs once, where s is how many numbers are skipped since the previous key. Otherwise it is 2·s + 1, and the
// count minus two follows. A molecule takes about 80 bytes.
type Packed struct {
	Keys    []uint32 // distinct, ascending
	Holders []uint32 // of each key, the number of prints that have it
	Prints  []byte
}

// ErrPacked is the cause of every error about packed prints.
var ErrPacked = errors.New("malformed prints")

// maxTimes is the largest sum of the counts of a print, see rarity.
const maxTimes = 1 << 22

// Pack packs prints that Check accepts.
func Pack(prints []Print) Packed {
	p := newPacker(prints)
	for _, q := range prints {
		p.add(q)
	}
	return p.Packed
}

// A packer packs prints of known keys.
type packer struct {
	*Finder
	Packed
	numbers []uint32 // of each key
	entries []entry
}

// An entry is the number of a key and its count in a print.
type entry struct{ number, times uint32 }

// newPacker returns a packer of prints that have only keys of the given prints.
func newPacker(prints []Print) *packer {
	f := NewFinder(distinct(prints))
	p := &packer{Finder: f, Packed: Packed{Keys: f.keys, Holders: make([]uint32, len(f.keys))}}
	for _, q := range prints {
		for _, key := range q.Keys {
			k, _ := f.Find(key)
			p.Holders[k]++
		}
	}
	p.numbers = make([]uint32, len(f.keys))
	for k, number := range numbersOf(p.Holders, len(prints)) {
		p.numbers[k] = number
	}
	return p
}

// numbersOf yields the index and the number of each key. Numbers count from 0, from the keys with the most holders to
// those with the fewest, equal ones by index. n is the number of prints.
func numbersOf(holders []uint32, n int) iter.Seq2[int, uint32] {
	return func(yield func(k int, number uint32) bool) {
		next := make([]uint32, n+1) // by number of prints without the key
		for _, h := range holders {
			next[n-int(h)]++
		}
		accumulate(next)
		for k, h := range holders {
			at := &next[n-int(h)]
			if !yield(k, *at) {
				return
			}
			*at++
		}
	}
}

// add appends a print: how many keys it has and, by ascending number, how many numbers each key is beyond the one
// before. This is doubled. It is odd if the count, less 2, follows, and even if the count is 1.
func (p *packer) add(q Print) {
	p.entries = p.entries[:0]
	for i, key := range q.Keys {
		k, _ := p.Find(key)
		p.entries = append(p.entries, entry{p.numbers[k], q.Counts[i]})
	}
	slices.SortFunc(p.entries, byNumber)
	b, next := binary.AppendUvarint(p.Prints, uint64(len(q.Keys))), uint32(0)
	for _, t := range p.entries {
		skip := uint64(t.number - next)
		if t.times == 1 {
			b = binary.AppendUvarint(b, 2*skip)
		} else {
			b = binary.AppendUvarint(b, 2*skip+1)
			b = binary.AppendUvarint(b, uint64(t.times)-2)
		}
		next = t.number + 1
	}
	p.Prints = b
}

func byNumber(a, b entry) int { return cmp.Compare(a.number, b.number) }

// Unpack returns the n prints of p.
func (p Packed) Unpack(n int) ([]Print, error) {
	if err := p.check(n); err != nil {
		return nil, err
	}
	names, left := make([]uint32, len(p.Keys)), make([]uint32, len(p.Keys))
	for k, number := range numbersOf(p.Holders, n) {
		names[number], left[number] = p.Keys[k], p.Holders[k]
	}
	prints := make([]Print, n)
	u, entries, err := unpacker{Packed: p}, []entry(nil), error(nil)
	for i := range prints {
		if entries, _, err = u.next(entries); err != nil {
			return nil, err
		}
		for _, t := range entries {
			if left[t.number] == 0 {
				return nil, errCrowded
			}
			left[t.number]--
		}
		prints[i] = named(entries, names)
	}
	return prints, u.end()
}

// check returns an error for keys and holders that n prints cannot have.
func (p Packed) check(n int) error {
	if len(p.Holders) != len(p.Keys) {
		return fmt.Errorf("%w: %d keys, and holders of %d", ErrPacked, len(p.Keys), len(p.Holders))
	}
	sum := uint64(n)
	for k, h := range p.Holders {
		if k > 0 && p.Keys[k] <= p.Keys[k-1] {
			return fmt.Errorf("%w: key %d is not above the one before", ErrPacked, k)
		}
		if h == 0 || uint64(h) > uint64(n) {
			return fmt.Errorf("%w: key %d is in %d prints, want 1 to %d", ErrPacked, k, h, n)
		}
		sum += uint64(h)
	}
	if sum > uint64(len(p.Prints)) {
		return fmt.Errorf("%w: %d bytes for %d prints and their %d subtrees, want at least one for each", ErrPacked,
			len(p.Prints), n, sum-uint64(n))
	}
	return nil
}

// named returns the print of entries, whose numbers are replaced by keys. It overwrites entries.
func named(entries []entry, names []uint32) Print {
	for i := range entries {
		entries[i].number = names[entries[i].number]
	}
	slices.SortFunc(entries, byNumber)
	size := len(entries)
	both := make([]uint32, 2*size)
	p := Print{Keys: both[:size:size], Counts: both[size:]}
	for i, t := range entries {
		p.Keys[i], p.Counts[i] = t.number, t.times
	}
	return p
}

// An unpacker reads packed prints from untrusted bytes.
type unpacker struct {
	Packed
	at      int
	prints  int // prints read so far
	entries int // entries of these prints
}

// next reads the entries of the next print into the memory of list. It also returns the total of their counts.
func (u *unpacker) next(list []entry) (_ []entry, total uint32, err error) {
	list, total, u.at, err = readPrint(list[:0], u.Prints, u.at, len(u.Keys))
	if err != nil {
		return list, 0, fmt.Errorf("%w: print %d %w", ErrPacked, u.prints, err)
	}
	u.prints++
	u.entries += len(list)
	return list, total, nil
}

// end returns an error if bytes follow the last print, or if the prints have fewer entries than Holders adds up to.
func (u *unpacker) end() error {
	if left := len(u.Prints) - u.at; left > 0 {
		return fmt.Errorf("%w: %d bytes after the last of %d", ErrPacked, left, u.prints)
	}
	for _, h := range u.Holders {
		u.entries -= int(h)
	}
	if u.entries != 0 {
		return fmt.Errorf("%w: %d subtrees less than prints have by their holders", ErrPacked, -u.entries)
	}
	return nil
}

var (
	errCrowded = fmt.Errorf("%w: a subtree is in more prints than its holders are", ErrPacked)
	errCut     = errors.New("ends within a number, or has one of more than 64 bits")
	errMany    = fmt.Errorf("has counts that sum to more than %d", maxTimes)
)

// readPrint appends the entries of the print at b[at:] to a list, ascending. It returns the total of the counts and the
// offset of the next print. Every number must be below keys. The length of a number and whether a count follows are
// unpredictable, so the loop does not branch on them. Most numbers have at most three bytes and counts one, which are in
// the low half of eight bytes.
func readPrint(list []entry, b []byte, at, keys int) (_ []entry, total uint32, next int, err error) {
	size, length := binary.Uvarint(b[at:])
	if length <= 0 {
		return list, 0, 0, errCut
	}
	at += length
	if left := len(b) - at; size > uint64(left) {
		return list, 0, 0, fmt.Errorf("announces %d subtrees of at least 1 byte, %d bytes remain", size, left)
	}
	end := len(list) + int(size)
	list = slices.Grow(list, int(size))[:end]
	entries := list[end-int(size):]
	number, sum := uint64(0), uint64(0)
	for i := range entries {
		word := ^uint64(0)
		if at+8 <= len(b) {
			word = binary.LittleEndian.Uint64(b[at:])
		}
		two := word >> 7 & 1 // bytes
		three := two & (word >> 15)
		width := 1 + two + three
		v := word&0x7f | word>>1&0x3f80&-two | word>>2&0x1f_c000&-three
		count, often := word>>(8*width&63)&0xff, word&1
		times := 1 + (1+count)&-often
		if three&(word>>23)|often&(count>>7) != 0 {
			if v, times, length = readLong(b[at:]); length == 0 {
				return list, 0, 0, errCut
			}
			at += length
		} else {
			at += int(width + often)
		}
		number += v / 2
		entries[i] = entry{uint32(number), uint32(times)}
		number++
		sum += times
	}
	if number > uint64(keys) {
		return list, 0, 0, fmt.Errorf("has subtree %d, want less than %d", number-1, keys)
	}
	if sum > maxTimes {
		return list, 0, 0, errMany
	}
	return list, uint32(sum), at, nil
}

// readLong reads a number and its count, and returns their length in bytes, or 0 if the bytes end too soon. It lowers
// numbers that are too large for its arithmetic. They stay out of the valid range.
func readLong(b []byte) (v, times uint64, length int) {
	v, length = binary.Uvarint(b)
	if length <= 0 {
		return 0, 0, 0
	}
	v = min(v, 1<<33|v&1)
	if v&1 == 0 {
		return v, 1, length
	}
	times, more := binary.Uvarint(b[length:])
	if more <= 0 {
		return 0, 0, 0
	}
	return v, 2 + min(times, maxTimes), length + more
}

// Check returns an error for prints that New does not make.
func Check(prints []Print) error {
	for i, p := range prints {
		if len(p.Keys) != len(p.Counts) {
			return fmt.Errorf("print %d has %d keys and %d counts, want as many", i, len(p.Keys), len(p.Counts))
		}
		sum := uint64(0)
		for k, times := range p.Counts {
			if times == 0 {
				return fmt.Errorf("print %d has a subtree 0 times, want at least once", i)
			}
			if k > 0 && p.Keys[k] <= p.Keys[k-1] {
				return fmt.Errorf("print %d has key %#08x after %#08x, want ascending keys", i, p.Keys[k], p.Keys[k-1])
			}
			sum += uint64(times)
		}
		if sum > maxTimes {
			return fmt.Errorf("print %d has counts that sum to %d, want at most %d", i, sum, maxTimes)
		}
	}
	return nil
}

// distinct returns the keys of prints, ascending.
func distinct(prints []Print) []uint32 {
	var all []uint32
	for _, p := range prints {
		all = append(all, p.Keys...)
	}
	slices.Sort(all)
	return slices.Clone(slices.Compact(all))
}
