package fingerprint

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"
)

// An Index finds the prints of a set that are most similar to a given print. It is read-only and safe for concurrent
// use.
//
// Prints are packed as in a file. Each has a place, and the packed prints are in the order of their places. The holders
// of a key, the prints that have it, are a list of units, see build.go. A molecule takes about 250 bytes.
type Index struct {
	*Finder
	prints  []byte   // packed, in the order of their places
	places  []uint32 // of each print
	records []record // of each place
	totals  []uint32 // of each place, the counts of the print
	names   []uint32 // keys by their number
	lists   []list   // of each key, and an empty one
	holders []uint16 // units
	many    []uint32 // triples of place, key number and count, ascending, for counts that a unit has no room for
	common  []pair   // pairs that most prints have
	// Prints whose places agree except in the low block bits form a block. They have similar weights.
	block    uint
	lightest [][2]float64 // the least weights in each block

	once sync.Once // for rows
	rows *rows     // see withRows
}

// A Finder finds keys.
type Finder struct {
	keys  []uint32 // distinct, ascending
	heads []uint32 // for each value of the leading bits, the index of the first such key
	shift uint     // the number of the other bits
}

// NewFinder returns a Finder of distinct ascending keys. It keeps the slice.
func NewFinder(keys []uint32) *Finder {
	b := uint(bits.Len(uint(len(keys)) / 2))
	f := &Finder{keys: keys, heads: make([]uint32, 1<<b+1), shift: 32 - b}
	for _, key := range keys {
		f.heads[key>>f.shift+1]++
	}
	for i := range 1 << b {
		f.heads[i+1] += f.heads[i]
	}
	return f
}

// A record is the part of a print that a search reads first. It is small, because a search reads few records, far apart.
type record struct {
	common uint64   // a bit for each common pair that the print has
	weighs [2]int64 // sum of the rarities of the keys, once each and by counts
	first  uint32   // offset in prints
	row    uint32   // number of the print, as the caller counts
}

// A list says where the holders of a key begin, how many there are, and which number the key has, see Packed.
type list struct{ first, holders, number uint32 }

// Places are cut into at most maxBlocks blocks; slabBlocks blocks make a slab.
const slabBlocks, maxBlocks = 16, 256

// blockBits returns how many low bits of a place number the prints within a block.
func blockBits(prints int) uint {
	return uint(bits.Len(uint(max(prints, minBlock*maxBlocks)-1) / maxBlocks))
}

// minBlock is the least size of a block.
const minBlock = 16

// Find returns the index of a key among the keys, and whether the key exists.
func (x *Finder) Find(key uint32) (int, bool) {
	head := key >> x.shift
	lo, hi := x.heads[head], x.heads[head+1]
	if hi-lo > 3 || len(x.keys) == 0 {
		at, found := slices.BinarySearch(x.keys[lo:hi], key)
		return int(lo) + at, found
	}
	// How many keys have these bits and which is meant is unpredictable, so this does not branch.
	// Keys from hi on are larger.
	last := uint32(len(x.keys) - 1)
	at := lo + below(x.keys[min(lo, last)], key) + below(x.keys[min(lo+1, last)], key) + below(x.keys[min(lo+2, last)], key)
	at = min(at, hi)
	return int(at), at < hi && x.keys[min(at, last)] == key
}

// below returns 1 if a < b, else 0.
func below(a, b uint32) uint32 { return uint32((uint64(a) - uint64(b)) >> 63) }

// look returns the index of a key's list. If no print has the key, this is the empty list at the end.
func (x *Index) look(key uint32) int {
	k, ok := x.Find(key)
	if !ok { // a conditional move
		k = len(x.keys)
	}
	return k
}

// Holders returns how many prints of the index have a key.
func (x *Index) Holders(key uint32) int {
	return int(x.lists[x.look(key)].holders)
}

// Has reports whether a print of the index equals p. It is false for an empty p. It compares p with the holders of p's
// rarest key.
func (x *Index) Has(p Print) bool {
	if len(p.Keys) == 0 {
		return false
	}
	rarest := slices.MinFunc(p.Keys, func(a, b uint32) int { return cmp.Compare(x.Holders(a), x.Holders(b)) })
	for place := range x.holdersOf(x.look(rarest)) {
		if int(x.totals[place]) == Counts.size(p) && x.Print(int(x.records[place].row)).Equal(p) {
			return true
		}
	}
	return false
}

// holdersOf yields the holders in list k, by ascending place, and their counts.
func (x *Index) holdersOf(k int) iter.Seq2[uint32, uint32] {
	return func(yield func(place, times uint32) bool) {
		l, place := x.lists[k], ^uint32(0)
		at := l.first
		for range l.holders {
			u := uint32(x.holders[at])
			step := u >> timesBits
			at++
			if step >= 1<<stepBits {
				step = step&(1<<stepBits-1)<<16 | uint32(x.holders[at])
				at++
			}
			place += step
			times := u&manyTimes + 1
			if times > manyTimes {
				times = x.manyOf(place, l.number)
			}
			if !yield(place, times) {
				return
			}
		}
	}
}

// manyOf returns the count of a key in a print that many has. many holds triples of place, number and count, ascending.
func (x *Index) manyOf(place, number uint32) uint32 {
	at := sort.Search(len(x.many)/3, func(i int) bool {
		p, k := x.many[3*i], x.many[3*i+1]
		return p > place || p == place && k >= number
	})
	return x.many[3*at+2]
}

// size returns the number of keys of the print at a place.
func (x *Index) size(place int) int {
	n, _ := binary.Uvarint(x.prints[x.records[place].first:])
	return int(n)
}

// rarity returns the inverse document frequency of a key that holders of n prints have, in units of 2⁻³⁶. Sums of
// integers do not depend on their order. For up to 2²⁷ prints it is below 20, so maxTimes of them fit into 63 bits.
func rarity(n, holders int) int64 {
	return int64(math.Round((1 + math.Log(float64(n+1)/float64(holders+1))) * (1 << 36)))
}

// weigh returns the sums of the rarities of p's keys, once each and by counts.
func (p Print) weigh(rarity func(key uint32) int64) (sums [2]int64) {
	for k, key := range p.Keys {
		r := rarity(key)
		sums[Sets] += r
		sums[Counts] += r * int64(p.Counts[k])
	}
	return sums
}

// rarity returns the rarity of a key.
func (x *Index) rarity(key uint32) int64 { return rarity(x.Len(), x.Holders(key)) }

// Len returns the number of prints.
func (x *Index) Len() int { return len(x.places) }

// Packed returns what OpenIndex takes: the prints in the order of their places, and the row of each print. Both must
// not be changed.
func (x *Index) Packed() (p Packed, rows []byte) {
	rows = make([]byte, 0, 4*x.Len())
	for _, r := range x.records {
		rows = binary.LittleEndian.AppendUint32(rows, r.row)
	}
	p = Packed{Keys: x.keys, Holders: make([]uint32, len(x.keys)), Prints: x.prints}
	for k := range p.Holders {
		p.Holders[k] = x.lists[k].holders
	}
	return p, rows
}

// Print returns print i of the index.
func (x *Index) Print(i int) Print { return named(x.entries(nil, int(x.places[i])), x.names) }

// entries reads the print at a place. It reuses the memory of list.
func (x *Index) entries(list []entry, place int) []entry {
	list, _, _, err := readPrint(list[:0], x.prints, int(x.records[place].first), len(x.keys))
	if err != nil {
		panic("fingerprint: " + err.Error()) // prints were changed since they were checked
	}
	return list
}

// Similarities writes the similarity of p to every print of the index to dst. dst must have the length of the index.
// The time is that of going through the holders of each key of p.
func (x *Index) Similarities(dst []float64, m Measure, p Print) {
	if len(dst) != x.Len() {
		panic(fmt.Sprintf("fingerprint: %d values for an index of %d prints", len(dst), x.Len()))
	}
	common := make([]int, x.Len())
	for k, key := range p.Keys {
		for place, times := range x.holdersOf(x.look(key)) {
			common[place] += m.count(min(times, p.Counts[k]))
		}
	}
	size := m.size(p)
	for place, c := range common {
		other := int(x.totals[place])
		if m == Sets {
			other = x.size(place)
		}
		dst[x.records[place].row] = Tanimoto(c, size, other)
	}
}

// insert inserts s into a descending list if it is larger than the last value, which is dropped.
func insert(list []float64, s float64) {
	at := len(list) - 1
	if at < 0 || s <= list[at] {
		return
	}
	for ; at > 0 && list[at-1] < s; at-- {
		list[at] = list[at-1]
	}
	list[at] = s
}

// Ranks is the number of prints that Closest ranks.
const Ranks = 10

// A Ranking lists the similarities of the most similar prints, the largest first. Missing prints have 0.
type Ranking [Ranks]float64

// ownWeight is Closest's weight of the keys that only p has. Keys that only the other print has weigh 1 − ownWeight.
const ownWeight = 0.7

// Closest returns how many prints of the index equal p, and the similarities of p to the most similar of the other
// prints, as sets of keys and with counts. It uses Tversky's similarity
//
//	c / (c + 0.7·(a−c) + 0.3·(b−c))
//
// where a, b and c are sums over the keys of p, of the other print, and of both. With counts, c takes the smaller one.
// Each key is weighted by its inverse document frequency 1 + ln((n+1)/(h+1)), where h of n prints have it. So what only p
// has matters more than what only the other has, and rare keys matter more than common ones.
//
// own, unless negative, is a print of the index to leave out. Closest goes through the holders of each key once. Best
// finds the first rank much faster.
func (x *Index) Closest(p Print, own int) (equal int, sets, counts Ranking) {
	sums := commonSpare.Get().(*[]int64)
	defer commonSpare.Put(sums)
	x.addCommon(sums, p)
	common, owns := *sums, p.weigh(x.rarity)
	// The denominator is 0.7·a + 0.3·b, whatever c is.
	if own >= 0 {
		own = int(x.places[own])
	}
	setsPart, countsPart := ownWeight*float64(owns[Sets]), ownWeight*float64(owns[Counts])
	for i := range x.Len() {
		weighs := &x.records[i].weighs
		switch {
		case i == own:
			continue
		case common[2*i+1] == owns[Counts] && weighs[Counts] == owns[Counts]:
			equal++
			continue
		}
		c, d := float64(common[2*i]), float64(common[2*i+1])
		a, b := float64(weighs[Sets]), float64(weighs[Counts])
		if all := setsPart + float64((1-ownWeight)*a); c > float64(all*sets[Ranks-1]) {
			insert(sets[:], min(1, c/all))
		}
		if all := countsPart + float64((1-ownWeight)*b); d > float64(all*counts[Ranks-1]) {
			insert(counts[:], min(1, d/all))
		}
	}
	return equal, sets, counts
}

// addCommon sets sums to what p and each print have in common, as sets and with counts in turn.
func (x *Index) addCommon(sums *[]int64, p Print) {
	n := 2 * x.Len()
	*sums = slices.Grow((*sums)[:0], n)[:n]
	common := *sums
	clear(common)
	for k, key := range p.Keys {
		r := x.rarity(key)
		for place, times := range x.holdersOf(x.look(key)) {
			common[2*place] += r
			common[2*place+1] += r * int64(min(times, p.Counts[k]))
		}
	}
}

// commonSpare keeps the memory of Closest from call to call.
var commonSpare = sync.Pool{New: func() any { return new([]int64) }}

// Known returns the fraction of p's keys, by counts, that the index has. It is 1 if every neighbourhood occurs in the
// index, and for an empty print.
func (x *Index) Known(p Print) float64 {
	known, all := 0.0, 0.0
	for i, k := range p.Keys {
		all += float64(p.Counts[i])
		if x.Holders(k) > 0 {
			known += float64(p.Counts[i])
		}
	}
	if all == 0 {
		return 1
	}
	return known / all
}
