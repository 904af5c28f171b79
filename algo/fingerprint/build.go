package fingerprint

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// NewIndex returns an index of prints, as New makes them. It keeps none of their memory.
// The time is linear in the number of keys of all prints. There may be 2²⁷ prints, and their
// packed form may have 2³² bytes.
func NewIndex(prints []Print) *Index {
	if err := Check(prints); err != nil {
		panic("fingerprint: " + err.Error())
	}
	f := newFinder(distinct(prints))
	x := &Index{finder: f, lists: make([]list, len(f.keys)+1)}
	for _, p := range prints {
		for _, key := range p.Keys {
			number, _ := f.find(key)
			x.lists[number].holders++
		}
	}
	inOrder := order(prints, func(p Print) [2]float64 {
		sets, counts := x.weigh(len(prints), p)
		return [2]float64{sets, counts}
	})
	var rows, packed []byte
	for _, row := range inOrder {
		rows = binary.LittleEndian.AppendUint32(rows, row)
		packed = f.pack(packed, prints[row])
	}
	x, err := openIndex(f, rows, packed)
	if err != nil {
		panic("fingerprint: " + err.Error())
	}
	return x
}

// order returns the rows of prints in the order of their places: those that weigh about as much,
// as sets and with counts, go into one block. Prints are cut into slabs by the first weight, and
// each slab into blocks by the second.
func order(prints []Print, weigh func(Print) [2]float64) []uint32 {
	n := len(prints)
	weights, order := make([][2]float64, n), make([]uint64, n)
	for i, p := range prints {
		weights[i], order[i] = weigh(p), uint64(i)
	}
	by := func(m Measure, part []uint64) {
		for k, o := range part {
			i := uint32(o)
			part[k] = uint64(math.Float32bits(float32(weights[i][m])))<<32 | uint64(i)
		}
		slices.Sort(part)
	}
	by(Sets, order)
	for part := range slices.Chunk(order, slabBlocks<<blockBits(n)) {
		by(Counts, part)
	}
	rows := make([]uint32, n)
	for place, o := range order {
		rows[place] = uint32(o)
	}
	return rows
}

// OpenIndex returns the index of packed prints as Packed gives them, with the row of each, four bytes
// little-endian. It keeps the prints. Bytes that are not those of an index are an error.
func OpenIndex(p Packed, rows []byte) (*Index, error) {
	for i := 1; i < len(p.Keys); i++ {
		if p.Keys[i] <= p.Keys[i-1] {
			return nil, fmt.Errorf("%w: key %d is not above the one before", ErrPacked, i)
		}
	}
	return openIndex(newFinder(p.Keys), rows, p.Prints)
}

func openIndex(f *finder, rows, packed []byte) (*Index, error) {
	n := len(rows) / 4
	if len(rows)%4 != 0 || n > maxPrints || len(packed) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d prints in %d bytes, want at most %d in %d", ErrPacked, n, len(packed), maxPrints, uint32(math.MaxUint32))
	}
	x := &Index{
		finder: f, prints: packed, places: make([]uint32, n), block: blockBits(n),
		records: make([]record, n), totals: make([]uint32, n), lists: make([]list, len(f.keys)+1), // one more for who is not found
	}
	if err := x.addRows(rows); err != nil {
		return nil, err
	}
	ends := make([]end, len(x.keys))
	if err := x.addPrints(ends); err != nil {
		return nil, err
	}
	x.addHolders(ends)
	x.addLightest()
	x.addCommons()
	return x, nil
}

// addRows fills in which print is at which place.
func (x *Index) addRows(rows []byte) error {
	n := uint32(x.Len())
	for row := range x.places {
		x.places[row] = n // none yet
	}
	for place := range n {
		row := binary.LittleEndian.Uint32(rows[4*place:])
		if row >= n || x.places[row] < n {
			return fmt.Errorf("%w: place %d of %d is that of print %d, which is not there or has another", ErrPacked, place, n, row)
		}
		x.places[row], x.records[place].row = place, row
	}
	return nil
}

// An end is that of a list while it is made: one more than the place of the last holder, and the
// units so far or where the next one is written. rarity is that of the key.
type end struct {
	rarity     float64
	last, unit uint32
}

// addPrints checks the packed prints. It fills in where each begins, its total, the counts
// that have no room in a list, and where the lists of keys begin.
func (x *Index) addPrints(ends []end) error {
	u := unpacker{keys: len(x.keys), b: x.prints}
	for place := uint32(0); u.next(x.Len()); place++ {
		x.records[place].first = uint32(u.at)
		size := u.size()
		x.most = max(x.most, size)
		for range size {
			key, times := u.entry()
			if u.err != nil {
				return u.err
			}
			e := &ends[key]
			e.unit += 1 + isLong(place+1-e.last)
			e.last = place + 1
			x.lists[key].holders++
			if times > manyTimes {
				x.many = append(x.many, place, key, times)
			}
		}
		x.totals[place] = uint32(u.total)
	}
	if u.err != nil {
		return u.err
	}
	sum := uint64(0)
	for k := range ends {
		l := &x.lists[k]
		l.first = uint32(sum)
		sum += uint64(ends[k].unit)
		if l.holders == 0 || sum > math.MaxUint32 {
			return fmt.Errorf("%w: key %d is in no print, or prints have too many", ErrPacked, k)
		}
	}
	x.holders = make([]uint16, sum)
	return nil
}

// addHolders turns the prints around into the lists of holders, and fills in what they weigh,
// added in the order of the keys.
func (x *Index) addHolders(ends []end) {
	rarities := map[uint32]float64{}
	for k := range ends {
		l := x.lists[k]
		if rarities[l.holders] == 0 {
			rarities[l.holders] = rarity(x.Len(), int(l.holders))
		}
		ends[k] = end{rarity: rarities[l.holders], unit: l.first}
	}
	at := 0
	for place := range x.records {
		var size, v uint32
		sets, counts, key := 0.0, 0.0, uint32(0)
		size, at = number(x.prints, at)
		for range size {
			v, at = number(x.prints, at)
			times := uint32(1)
			if v%2 == 1 {
				times, at = number(x.prints, at)
				times += 2
			}
			key += v / 2
			e := &ends[key]
			e.unit = putUnits(x.holders, e.unit, uint32(place)+1-e.last, times)
			e.last = uint32(place) + 1
			sets += e.rarity
			counts += float64(e.rarity * float64(times))
			key++
		}
		x.records[place].weighs = [2]float64{sets, counts}
	}
}

// addLightest fills in the least that prints of each block weigh.
func (x *Index) addLightest() {
	for block := range slices.Chunk(x.records, 1<<x.block) {
		least := block[0].weighs
		for _, r := range block {
			least[Sets], least[Counts] = min(least[Sets], r.weighs[Sets]), min(least[Counts], r.weighs[Counts])
		}
		x.lightest = append(x.lightest, least)
	}
}

// A list of holders is units of 16 bits. The holder's distance from the one before is in the high
// bits, above how often it has the key, less one. Where the distance has no room the high bit of the
// unit is set, and its low bits are in another. Of a key that one print in 200 holds few have two.
// No step between maxPrints is too long.
const (
	timesBits = 4
	manyTimes = 1<<timesBits - 1 // more than this are in many
	stepBits  = 15 - timesBits
	maxPrints = 1 << (16 + stepBits)
)

// isLong is 1 where a step takes two units, else 0. Nobody can predict it, so that neither this nor putUnits
// branches.
func isLong(step uint32) uint32 { return min(step>>stepBits, 1) }

// putUnits writes a step and a count, and returns where the next one goes.
func putUnits(dst []uint16, at, step, times uint32) uint32 {
	long := isLong(step)
	dst[at+long] = uint16(step) // or else for the next line to replace
	dst[at] = uint16(long<<15 | step>>(16*long)<<timesBits | min(times-1, manyTimes))
	return at + 1 + long
}

// commonPairs is how many pairs an index has in common, with bits of prints for them.
const commonPairs = 64

// addCommons finds the pairs that most prints have, of equal ones the first. Where there
// are too few the others ask for a key 0 times, and no print has their bit.
func (x *Index) addCommons() {
	var most []int // keys that most prints have, of equal ones the first
	for k := range x.keys {
		n := x.lists[k].holders
		at := len(most)
		for at > 0 && x.lists[most[at-1]].holders < n {
			at--
		}
		if at < commonPairs {
			most = slices.Insert(most[:min(len(most), commonPairs-1)], at, k)
		}
	}
	type pair struct{ lack, key, times int }
	var pairs []pair
	for _, k := range most {
		var have [commonPairs]int // by count
		for _, times := range x.holdersOf(k) {
			have[min(times, commonPairs)-1]++
		}
		for times, sum := commonPairs, 0; times > 0; times-- {
			if sum += have[times-1]; sum > 0 {
				pairs = append(pairs, pair{x.Len() - sum, k, times})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(a.lack-b.lack, a.key-b.key, a.times-b.times)
	})
	x.common = make([]uint32, 2*commonPairs)
	for b, p := range pairs[:min(commonPairs, len(pairs))] {
		x.common[2*b], x.common[2*b+1] = uint32(p.key), uint32(p.times)
		for place, times := range x.holdersOf(p.key) {
			if times >= uint32(p.times) {
				x.records[place].common |= 1 << b
			}
		}
	}
}
