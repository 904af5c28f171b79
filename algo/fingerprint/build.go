package fingerprint

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// NewIndex returns an index of prints made by New. It copies them. The time is linear in the number
// of keys of all prints. It panics for prints that Check refuses, more than 2²⁷ prints, or more than 2³² bytes packed.
func NewIndex(prints []Print) *Index {
	if err := Check(prints); err != nil {
		panic("fingerprint: " + err.Error())
	}
	p := newPacker(prints)
	var rows []byte
	weigh := func(q Print) [2]int64 {
		return q.weigh(func(key uint32) int64 {
			k, _ := p.Find(key)
			return rarity(len(prints), int(p.Holders[k]))
		})
	}
	for _, row := range order(prints, weigh) {
		rows = binary.LittleEndian.AppendUint32(rows, row)
		p.add(prints[row])
	}
	x, err := OpenIndex(p.Packed, rows)
	if err != nil {
		panic("fingerprint: " + err.Error())
	}
	return x
}

// order returns the rows of prints in the order in which an index stores them: by their weight as sets and, within each slab
// of that order, by their weight with counts. So prints of one block, which are neighbours in it, have similar weights.
func order(prints []Print, weigh func(Print) [2]int64) []uint32 {
	n := len(prints)
	weights, order := make([][2]int64, n), make([]uint64, n)
	for i, p := range prints {
		weights[i], order[i] = weigh(p), uint64(i)
	}
	by := func(m Measure, part []uint64) {
		for k, o := range part {
			i := uint32(o) // below the bits of the weight, so that one sort of integers does
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

// OpenIndex returns the index of packed prints. rows has the row of each print in four bytes, little-endian. The index
// keeps p.Prints. Bytes that no index has give an error.
func OpenIndex(p Packed, rows []byte) (*Index, error) {
	n := len(rows) / 4
	if len(rows)%4 != 0 || n > maxPrints || len(p.Prints) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d prints in %d bytes, want at most %d in %d", ErrPacked, n, len(p.Prints),
			maxPrints, uint32(math.MaxUint32))
	}
	if err := p.check(n); err != nil {
		return nil, err
	}
	x := &Index{
		Finder: NewFinder(p.Keys), prints: p.Prints, places: make([]uint32, n), block: blockBits(n),
		records: make([]record, n), totals: make([]uint32, n),
		names: make([]uint32, len(p.Keys)), lists: make([]list, len(p.Keys)+1), // one more for keys that are not found
	}
	if err := x.addRows(rows); err != nil {
		return nil, err
	}
	tails, rarities, err := x.addLists(p.Holders)
	if err == nil {
		err = x.addPrints(p, tails, rarities)
	}
	if err != nil {
		return nil, err
	}
	x.addLightest()
	x.addCommons()
	return x, nil
}

// addRows records the place of each print.
func (x *Index) addRows(rows []byte) error {
	n := uint32(x.Len())
	for row := range x.places {
		x.places[row] = n // none yet
	}
	for place := range n {
		row := binary.LittleEndian.Uint32(rows[4*place:])
		if row >= n || x.places[row] < n {
			return fmt.Errorf("%w: place %d of %d points to print %d, which does not exist or already has a place", ErrPacked, place, n, row)
		}
		x.places[row], x.records[place].row = place, row
	}
	return nil
}

// A tail is the end of a list that is being made: the index of its next unit, one more than the place of its last
// holder, and the number of holders still to come.
type tail struct{ unit, last, left uint32 }

// addLists numbers the keys and makes room for their lists. It returns the end of each list and the rarity of each key,
// by number. At most one unit in 2^stepBits places needs a second unit.
func (x *Index) addLists(holders []uint32) (tails []tail, rarities []int64, err error) {
	n := uint32(x.Len())
	for k, number := range numbersOf(holders, x.Len()) {
		x.names[number], x.lists[k] = uint32(k), list{0, holders[k], number}
	}
	tails, rarities = make([]tail, len(holders)), make([]int64, len(holders))
	sum := uint64(0)
	for number, k := range x.names {
		l := &x.lists[k]
		l.first = uint32(sum)
		if number > 0 && l.holders == tails[number-1].left {
			rarities[number] = rarities[number-1]
		} else {
			rarities[number] = rarity(x.Len(), int(l.holders))
		}
		tails[number] = tail{unit: l.first, left: l.holders}
		x.names[number] = x.keys[k]
		sum += uint64(l.holders + min(l.holders, n>>stepBits))
	}
	if sum > math.MaxUint32 {
		return nil, nil, fmt.Errorf("%w: room for %d holders, want at most %d", ErrPacked, sum, uint32(math.MaxUint32))
	}
	x.holders = make([]uint16, sum)
	return tails, rarities, nil
}

// addPrints checks the prints and fills the lists of holders. It records each print's weights and total, and the counts
// that do not fit into a list. It fails if a print is damaged or more prints have a key than its list has room for.
func (x *Index) addPrints(p Packed, tails []tail, rarities []int64) error {
	u, entries, err := unpacker{Packed: p}, []entry(nil), error(nil)
	for place := range uint32(x.Len()) {
		r := &x.records[place]
		r.first = uint32(u.at)
		if entries, x.totals[place], err = u.next(entries); err != nil {
			return err
		}
		for _, t := range entries {
			r.weighs[Sets] += rarities[t.number]
			r.weighs[Counts] += rarities[t.number] * int64(t.times)
			e := &tails[t.number]
			if e.left == 0 {
				return errCrowded
			}
			e.put(x.holders, place+1, t.times)
			if t.times > manyTimes {
				x.many = append(x.many, place, t.number, t.times)
			}
		}
	}
	return u.end()
}

// put appends a holder. next is one more than its place.
func (e *tail) put(holders []uint16, next, times uint32) {
	step := next - e.last
	unit := step
	if step >= 1<<stepBits {
		unit = 1<<stepBits | step>>16
	}
	holders[e.unit] = uint16(unit<<timesBits | min(times-1, manyTimes))
	if step >= 1<<stepBits {
		e.unit++
		holders[e.unit] = uint16(step)
	}
	e.unit++
	e.last, e.left = next, e.left-1
}

// addLightest computes the lowest weights in each block.
func (x *Index) addLightest() {
	for block := range slices.Chunk(x.records, 1<<x.block) {
		least := block[0].weighs
		for _, r := range block {
			least[Sets], least[Counts] = min(least[Sets], r.weighs[Sets]), min(least[Counts], r.weighs[Counts])
		}
		x.lightest = append(x.lightest, [2]float64{float64(least[Sets]), float64(least[Counts])})
	}
}

// A list of holders consists of units of 16 bits. A unit has the distance from the previous holder in its high bits, and
// the count of the key minus one in its low bits. If the distance does not fit, the high bit of the unit is set, and the
// low bits of the distance follow in another unit. A key that one print in 200 has needs few such units. Two units
// suffice for every distance within maxPrints.
const (
	timesBits = 4
	manyTimes = 1<<timesBits - 1 // higher counts are in many
	stepBits  = 15 - timesBits
	maxPrints = 1 << (16 + stepBits)
)

// commonPairs is the number of pairs for which a record has a bit.
const commonPairs = 64

// A pair is a key, by number, and a least count of it.
type pair struct{ number, times uint32 }

// addCommons chooses the pairs of the first keys that most prints have, and sets their bits in the records. Ties are
// broken by number, then by count. If there are too few pairs, the rest have a count of 0 and no bits.
func (x *Index) addCommons() {
	var lists [commonPairs]int // of the first keys
	keys := min(commonPairs, len(x.keys))
	for k := range x.keys {
		if number := x.lists[k].number; number < commonPairs {
			lists[number] = k
		}
	}
	var have [commonPairs][commonPairs + 1]int // prints, by number and count
	var pairs []pair
	for number, k := range lists[:keys] {
		have := &have[number]
		for _, times := range x.holdersOf(k) {
			have[min(times, commonPairs)]++
		}
		for times := commonPairs; times > 0; times-- {
			if times < commonPairs {
				have[times] += have[times+1]
			}
			if have[times] > 0 {
				pairs = append(pairs, pair{uint32(number), uint32(times)})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(have[b.number][b.times]-have[a.number][a.times], cmp.Compare(a.number, b.number), cmp.Compare(a.times, b.times))
	})
	x.common = make([]pair, commonPairs)
	var bits [commonPairs][commonPairs + 1]uint64 // of a print, by number and count
	for b := range copy(x.common, pairs) {
		p := x.common[b]
		for times := p.times; times <= commonPairs; times++ {
			bits[p.number][times] |= 1 << b
		}
	}
	for number, k := range lists[:keys] {
		if bits := &bits[number]; bits[commonPairs] != 0 {
			for place, times := range x.holdersOf(k) {
				x.records[place].common |= bits[min(times, commonPairs)]
			}
		}
	}
}
