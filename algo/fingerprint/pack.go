package fingerprint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Packed is prints in the form of a model file. Each print is uvarints: the number of its
// keys, then for each, ascending, 2·s if it occurs once and 2·s + 1 if more often, where s is
// how many numbers of keys to skip; in the latter case also how often it occurs, less two.
// A molecule takes about 130 bytes.
type Packed struct {
	Keys   []uint32 // distinct, ascending: a key is numbered by its place
	Prints []byte
}

// ErrPacked is the cause of every error about packed prints.
var ErrPacked = errors.New("malformed prints")

// maxTimes is the largest sum of the counts of a print, since two prints are compared in int32.
const maxTimes = math.MaxInt32

// Pack packs prints. They must be as New makes them, see Check.
func Pack(prints []Print) Packed {
	p := Packed{Keys: distinct(prints)}
	f := newFinder(p.Keys)
	for _, q := range prints {
		p.Prints = f.pack(p.Prints, q)
	}
	return p
}

// pack appends a print.
func (f *finder) pack(b []byte, p Print) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.Keys)))
	next := 0
	for k, key := range p.Keys {
		number, _ := f.find(key)
		skip := uint64(number - next)
		if times := p.Counts[k]; times == 1 {
			b = binary.AppendUvarint(b, 2*skip)
		} else {
			b = binary.AppendUvarint(b, 2*skip+1)
			b = binary.AppendUvarint(b, uint64(times)-2)
		}
		next = number + 1
	}
	return b
}

// Unpack returns the n prints that p has.
func (p Packed) Unpack(n int) ([]Print, error) {
	if n > len(p.Prints) {
		return nil, fmt.Errorf("%w: %d bytes for %d prints, want at least one for each", ErrPacked, len(p.Prints), n)
	}
	prints := make([]Print, 0, n)
	u := unpacker{keys: len(p.Keys), b: p.Prints}
	for u.next(n) {
		size := u.size()
		q := Print{Keys: make([]uint32, 0, size), Counts: make([]uint32, 0, size)}
		for range size {
			number, times := u.entry()
			if u.err != nil {
				return nil, u.err
			}
			q.Keys, q.Counts = append(q.Keys, p.Keys[number]), append(q.Counts, times)
		}
		prints = append(prints, q)
	}
	return prints, u.err
}

// An unpacker reads packed prints from bytes that nobody vouches for. After the first error,
// which stays in err, numbers are 0.
type unpacker struct {
	keys  int // how many there are
	b     []byte
	at    int
	print int // prints begun
	begin uint64
	total uint64 // counts of the print so far
	err   error
}

func (u *unpacker) fail(format string, args ...any) {
	if u.err == nil {
		u.err = fmt.Errorf("%w: print %d %s", ErrPacked, u.print-1, fmt.Sprintf(format, args...))
	}
}

// next says whether there is another of n prints. After the last one no bytes may be left.
func (u *unpacker) next(n int) bool {
	if u.err != nil {
		return false
	}
	if u.print == n {
		if left := len(u.b) - u.at; left > 0 {
			u.err = fmt.Errorf("%w: %d bytes after the last of %d", ErrPacked, left, n)
		}
		return false
	}
	u.print, u.begin, u.total = u.print+1, 0, 0
	return true
}

// size reads how many keys the print has.
func (u *unpacker) size() int {
	n := u.uvarint()
	if left := len(u.b) - u.at; n > uint64(left) {
		u.fail("announces %d subtrees of at least 1 byte, %d bytes remain", n, left)
		return 0
	}
	return int(n)
}

// entry reads the number of the next key of the print, and how often it occurs.
func (u *unpacker) entry() (number, times uint32) {
	v := u.uvarint()
	n := uint64(1)
	if v%2 == 1 {
		n = 2 + min(u.uvarint(), maxTimes) // as wrong as more, which could wrap
	}
	left := uint64(u.keys) - u.begin
	if v/2 >= left {
		u.fail("skips %d subtrees, want less than the %d that are left of %d", v/2, left, u.keys)
		return 0, 0
	}
	at := u.begin + v/2
	u.begin, u.total = at+1, u.total+n
	if u.total > maxTimes {
		u.fail("has counts that sum to %d or more, want at most %d", u.total, maxTimes)
	}
	if u.err != nil {
		return 0, 0
	}
	return uint32(at), uint32(n)
}

// uvarint reads a number. Most have one byte or two.
func (u *unpacker) uvarint() uint64 {
	if b := u.b[u.at:]; len(b) > 1 {
		if b[0] < 0x80 {
			u.at++
			return uint64(b[0])
		}
		if b[1] < 0x80 {
			u.at += 2
			return uint64(b[0])&0x7f | uint64(b[1])<<7
		}
	}
	return u.long()
}

func (u *unpacker) long() uint64 {
	v, size := binary.Uvarint(u.b[u.at:])
	if size <= 0 {
		u.fail("ends within a number, or has one of more than 64 bits")
		return 0
	}
	u.at += size
	return v
}

// Check reports prints that are not as New makes them.
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
	entries := 0
	for _, p := range prints {
		entries += len(p.Keys)
	}
	all, spare := make([]uint32, 0, entries), make([]uint32, entries)
	for _, p := range prints {
		all = append(all, p.Keys...)
	}
	for shift := 0; shift < 32; shift += 8 {
		sortByte(spare, all, shift)
		all, spare = spare, all
	}
	return slices.Clone(slices.Compact(all))
}

// sortByte writes src to dst ordered by eight bits, those equal in them as they were.
func sortByte(dst, src []uint32, shift int) {
	var at [257]int
	for _, k := range src {
		at[k>>shift&0xff+1]++
	}
	for b := range 256 {
		at[b+1] += at[b]
	}
	for _, k := range src {
		b := k >> shift & 0xff
		dst[at[b]] = k
		at[b]++
	}
}

// entry reads the next key of a print that was checked: how many numbers of keys to skip, and how
// often it occurs.
func entry(b []byte, at int) (skip, times uint32, next int) {
	v, at := number(b, at)
	if v%2 == 0 {
		return v / 2, 1, at
	}
	times, at = number(b, at)
	return v / 2, times + 2, at
}

// number reads a number of packed prints that were checked.
func number(b []byte, at int) (v uint32, next int) {
	v = uint32(b[at])
	if v < 0x80 {
		return v, at + 1
	}
	if w := uint32(b[at+1]); w < 0x80 {
		return v&0x7f | w<<7, at + 2
	}
	return longNumber(b, at)
}

func longNumber(b []byte, at int) (uint32, int) {
	if w := uint32(b[at+2]); w < 0x80 {
		return uint32(b[at])&0x7f | uint32(b[at+1])&0x7f<<7 | w<<14, at + 3
	}
	v, size := binary.Uvarint(b[at:])
	return uint32(v), at + size
}
