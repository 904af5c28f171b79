package fingerprint

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// An Index finds the prints of a set that are most similar to another. It is
// read-only, and several goroutines may use it at once.
//
// It is flat: the prints have places, and all that is of prints is in the order of these.
// Every print is a list of entries, and so is every key. An entry has a
// number, of a key or of a print, in its high bits, and one less than how often the key
// occurs in the print in its low bits. Where those are all set the count is in many.
// About 400 bytes hold a molecule.
type Index struct {
	places  []uint32 // of each print
	records []record // of each place, and the end
	totals  []uint64 // of each place, the counts of the print
	keys    []uint32 // distinct, ascending: a key is numbered by its place
	heads   []uint32 // the first of keys that begins with some bits, see headBits
	first   []uint32 // the first of holders of each key, and the end
	// Entries, ascending by key and print, and by print and key.
	holders, held []uint32
	many          []uint32 // print, number of the key and count, ascending
	common        []uint32 // key of some number, at least so often: pairs that most prints have
	bits          uint     // of an entry's count
	// Places without their low bits are blocks, of prints that weigh about as much.
	block    uint
	lightest [][2]float64 // of each block, the least that its prints weigh

	once sync.Once // for rows
	rows *rows     // see withRows

	// Of an index in the memory of a file, see OpenIndex.
	damage *damage
	seal   []byte
}

// A record is what a search asks of a print. It is small, since most are far from the last.
type record struct {
	common uint64     // a bit for each of the common pairs, set where the print has that
	weighs [2]float64 // the rarities of the keys: once each, and by counts
	first  uint32     // of held
	row    uint32     // the number of the print
}

// Places are cut into blocks, at most maxBlocks of them, and slabBlocks of these make a slab.
const slabBlocks, maxBlocks = 16, 256

// blockBits is how many low bits of a place tell apart prints of a block.
func blockBits(prints int) uint {
	return uint(bits.Len(uint(max(prints, minBlock*maxBlocks)-1) / maxBlocks))
}

// minBlock is how many prints a block has room for at least.
const minBlock = 16

// Limits of an index. A print and a key must leave four bits of an entry for the count.
const (
	maxPrints = 1 << 28
	maxKeys   = 1 << 28
)

// countBits is how many bits an entry has for a count where there are so many prints
// and keys.
func countBits(prints, keys int) uint {
	return uint(min(8, 32-bits.Len(uint(max(prints, keys, 2)-1))))
}

// headBits is how many bits of a key choose where to look for it.
func headBits(keys int) uint { return uint(bits.Len(uint(keys))) }

// find returns the number of a key, and whether a print has it.
func (x *Index) find(key uint32) (int, bool) {
	head := key >> (32 - headBits(len(x.keys)))
	lo, hi := x.heads[head], x.heads[head+1]
	if hi-lo > 2 || len(x.keys) == 0 {
		at, found := slices.BinarySearch(x.keys[lo:hi], key)
		return int(lo) + at, found
	}
	// How many begin so and which of them is meant nobody can predict, so that this does not
	// branch. The keys from hi on are larger.
	last := uint32(len(x.keys) - 1)
	at := lo
	if x.keys[min(lo, last)] < key {
		at++
	}
	if x.keys[min(lo+1, last)] < key {
		at++
	}
	at = min(at, hi)
	return int(at), at < hi && x.keys[min(at, last)] == key
}

// A list is where the holders of a key are, and the number of the key if there are any.
type list struct{ first, end, number uint32 }

func (x *Index) listOf(key uint32) list {
	k, found := x.find(key)
	// As in find, no branch: of the last key there is one more of first.
	k = min(k, len(x.first)-2)
	if k < 0 {
		return list{}
	}
	l := list{x.first[k], x.first[k+1], uint32(k)}
	if !found {
		l.end = l.first
	}
	return l
}

// with returns the entries of the prints that have a key, and the key's number.
func (x *Index) with(key uint32) ([]uint32, int) {
	k, found := x.find(key)
	if !found {
		return nil, 0
	}
	return x.holders[x.first[k]:x.first[k+1]], k
}

// of returns the entries of the print at a place.
func (x *Index) of(place int) []uint32 {
	return x.held[x.records[place].first:x.records[place+1].first]
}

// count returns how often an entry's key occurs. The entry is of either kind.
func (x *Index) count(entry uint32, print, key int) uint32 {
	mask := uint32(1)<<x.bits - 1
	if c := entry & mask; c != mask {
		return c + 1
	}
	n := len(x.many) / 3
	lo, hi := 0, n
	for lo < hi {
		mid := (lo + hi) / 2
		p, k := int(x.many[3*mid]), int(x.many[3*mid+1])
		if p < print || p == print && k < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return x.many[3*lo+2]
}

// rarity is the inverse document frequency of a key that so many of n prints hold.
func rarity(n, holders int) float64 {
	return 1 + math.Log(float64(n+1)/float64(holders+1))
}

// weigh returns the sum of the rarities of the keys of p, once each and as often as
// each occurs.
func (x *Index) weigh(p Print) (sets, counts float64) {
	for k, key := range p.Keys {
		list, _ := x.with(key)
		r := rarity(x.Len(), len(list))
		sets += r
		counts += float64(r * float64(p.Counts[k]))
	}
	return sets, counts
}

// Len returns the number of prints.
func (x *Index) Len() int { return len(x.totals) }

// Print returns a print of the index, from 0.
func (x *Index) Print(i int) (p Print) {
	if x.damage != nil {
		defer x.damage.watch(faults())
	}
	i = int(x.places[i])
	held := x.of(i)
	both := make([]uint32, 2*len(held))
	p = Print{Keys: both[:len(held):len(held)], Counts: both[len(held):]}
	for k, e := range held {
		number := int(e >> x.bits)
		p.Keys[k], p.Counts[k] = x.keys[number], x.count(e, i, number)
	}
	return p
}

// Similarities writes the measure of p and every print of the index to dst, which
// must have room for exactly those. The time is that of going through the prints
// that have each key.
func (x *Index) Similarities(dst []float64, m Measure, p Print) {
	if x.damage != nil {
		defer x.damage.watch(faults())
	}
	if len(dst) != x.Len() {
		panic(fmt.Sprintf("fingerprint: %d values for an index of %d prints", len(dst), x.Len()))
	}
	common := make([]int, x.Len())
	for k, key := range p.Keys {
		list, number := x.with(key)
		for _, e := range list {
			print := int(e >> x.bits)
			common[print] += m.count(min(x.count(e, print, number), p.Counts[k]))
		}
	}
	size := m.size(p)
	for place, c := range common {
		i := x.records[place].row
		other := len(x.of(place))
		if m == Counts {
			other = int(x.totals[place])
		}
		dst[i] = Tanimoto(c, size, other)
	}
}

// Nearest returns the similarities of p to the k prints of the index that are most
// similar to it, the most similar first; fewer where the index has fewer. It is meant
// for a small k, 0 or more.
func (x *Index) Nearest(m Measure, p Print, k int) []float64 {
	all := make([]float64, x.Len())
	x.Similarities(all, m, p)
	var best []float64 // descending
	for _, s := range all {
		if len(best) == k && (k == 0 || s <= best[k-1]) {
			continue
		}
		at := len(best)
		for at > 0 && best[at-1] < s {
			at--
		}
		best = slices.Insert(best, at, s)
		best = best[:min(k, len(best))]
	}
	return best
}

// Ranks is how many of the most similar prints Closest looks for.
const Ranks = 10

// Ranking has the similarities of the most similar prints, the largest first, 0 where
// there are no more.
type Ranking [Ranks]float64

// add takes in a similarity if it is among the largest.
func (r *Ranking) add(s float64) {
	at := Ranks - 1
	for at > 0 && r[at-1] < s {
		r[at] = r[at-1]
		at--
	}
	r[at] = s
}

// ownWeight is that of what only p has in Closest, and the rest of 1 that of what only
// the other has.
const ownWeight = 0.7

// Closest returns how many prints of the index equal p, and how similar p is to those of
// the others that are most similar to it, as sets of keys and with counts. It is
// Tversky's similarity
//
//	c / (c + 0.7·(a−c) + 0.3·(b−c))
//
// where a, b and c are the sums over the keys of p, of the other, and of both (for
// counts the smaller one), each key weighted by its inverse document frequency
// 1 + ln((n+1)/(h+1)) if h of n prints hold it. So it matters more what p has that the
// other lacks than the reverse, and rare keys matter more than common ones. own, unless
// negative, is a print of the index to leave out. The time is that of going through the
// prints that have each key, once. Best finds the first rank much faster.
func (x *Index) Closest(p Print, own int) (equal int, sets, counts Ranking) {
	if x.damage != nil {
		defer x.damage.watch(faults())
	}
	sums := commonSpare.Get().(*[]float64)
	defer commonSpare.Put(sums)
	setsOwn, countsOwn := x.addCommon(sums, p)
	common := *sums
	// The denominator is 0.7·a + 0.3·b, whatever c is.
	if own >= 0 {
		own = int(x.places[own])
	}
	setsPart, countsPart := ownWeight*setsOwn, ownWeight*countsOwn
	for i := range x.Len() {
		c, d := common[2*i], common[2*i+1]
		a, b := x.records[i].weighs[Sets], x.records[i].weighs[Counts]
		switch {
		case i == own:
			continue
		case d == countsOwn && d == b:
			equal++ // equal prints have equal sums, added in the same order
			continue
		}
		if all := setsPart + float64((1-ownWeight)*a); c > float64(all*sets[Ranks-1]) {
			sets.add(min(1, c/all))
		}
		if all := countsPart + float64((1-ownWeight)*b); d > float64(all*counts[Ranks-1]) {
			counts.add(min(1, d/all))
		}
	}
	return equal, sets, counts
}

// addCommon fills sums with what p and each print have in common, as sets and with
// counts, and returns what p has.
func (x *Index) addCommon(sums *[]float64, p Print) (sets, counts float64) {
	n := 2 * x.Len()
	*sums = slices.Grow((*sums)[:0], n)[:n]
	common := *sums
	clear(common)
	for k, key := range p.Keys {
		list, number := x.with(key)
		r := rarity(x.Len(), len(list))
		sets += r
		counts += float64(r * float64(p.Counts[k]))
		for _, e := range list {
			print := int(e >> x.bits)
			common[2*print] += r
			common[2*print+1] += float64(r * float64(min(x.count(e, print, number), p.Counts[k])))
		}
	}
	return sets, counts
}

// commonSpare keeps the memory of Closest from call to call.
var commonSpare = sync.Pool{New: func() any { return new([]float64) }}

// Known returns the fraction of the keys of p, each counted as often as it occurs,
// that some print of the index holds: 1 where every neighbourhood was seen before.
// Of an empty print it is 1.
func (x *Index) Known(p Print) float64 {
	if x.damage != nil {
		defer x.damage.watch(faults())
	}
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

// Novel returns how many keys of p no print of the index has. own, unless negative, is a print of
// the index to leave out, which p equals.
func (x *Index) Novel(p Print, own int) (novel int) {
	if x.damage != nil {
		defer x.damage.watch(faults())
	}
	most := 0
	if own >= 0 {
		most = 1
	}
	for _, k := range p.Keys {
		if list, _ := x.with(k); len(list) <= most {
			novel++
		}
	}
	return novel
}

// Holders returns how many prints of the index have a key.
func (x *Index) Holders(key uint32) int {
	if x.damage != nil {
		defer x.damage.watch(faults())
	}
	list, _ := x.with(key)
	return len(list)
}
