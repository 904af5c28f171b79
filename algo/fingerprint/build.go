package fingerprint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// NewIndex returns an index of prints, as New makes them. It keeps none of their memory.
// The time is linear in the number of keys of all prints. There may be 2²⁸ prints, 2²⁸
// distinct keys, and 2³² − 1 keys in all.
func NewIndex(prints []Print) *Index {
	entries := 0
	for i, p := range prints {
		checkPrint(i, p)
		entries += len(p.Keys)
	}
	b := NewBuilder(distinct(prints, entries), len(prints), entries)
	for _, p := range prints {
		for k, key := range p.Keys {
			number, _ := b.x.find(key)
			b.Add(uint32(number), p.Counts[k])
		}
		b.End()
	}
	return b.Index()
}

// A Builder makes an index of prints that are told key by key.
type Builder struct {
	x    *Index
	many [][3]uint32 // as in the index, with the number of the print
}

// NewBuilder begins an index. keys are distinct and ascending, and the builder keeps them.
// prints and entries say how many prints and how many keys of all prints there will be; the
// latter may be too few or too many.
func NewBuilder(keys []uint32, prints, entries int) *Builder {
	if prints > maxPrints || len(keys) > maxKeys {
		panic(fmt.Sprintf("fingerprint: %d prints of %d distinct keys: an index has room for %d and %d", prints, len(keys), maxPrints, maxKeys))
	}
	x := &Index{
		keys: keys, bits: countBits(prints, len(keys)), first: make([]uint32, len(keys)+1),
		records: make([]record, 1, prints+1), held: make([]uint32, 0, entries), totals: make([]uint64, 1, prints+1),
	}
	x.addHeads()
	return &Builder{x: x}
}

// Add adds a key, by its place among all, to the print that is not ended yet. The places of a
// print ascend. count is how often the key occurs, at least once.
func (b *Builder) Add(key, count uint32) {
	x := b.x
	mask := uint32(1)<<x.bits - 1
	print := len(x.records) - 1
	x.first[key+1]++
	x.held = append(x.held, key<<x.bits|min(count-1, mask))
	if count > mask {
		b.many = append(b.many, [3]uint32{uint32(print), key, count})
	}
	x.totals[print] += uint64(count)
}

// End ends a print.
func (b *Builder) End() {
	x := b.x
	if uint64(len(x.held)) > math.MaxUint32 {
		panic(fmt.Sprintf("fingerprint: prints of %d keys: an index has room for %d", len(x.held), uint32(math.MaxUint32)))
	}
	x.records, x.totals = append(x.records, record{first: uint32(len(x.held))}), append(x.totals, 0)
}

// Index returns the index of all prints that were ended. The builder is then of no more use.
func (b *Builder) Index() *Index {
	x := b.x
	x.totals = x.totals[:len(x.records)-1]
	for k := range x.keys {
		x.first[k+1] += x.first[k]
	}
	x.addMany(b.many)
	x.addWeights()
	x.holders = x.arrange(x.addOrder(), b.many)
	x.addHolders()
	x.addCommons()
	return x
}

// checkPrint panics where a print is none.
func checkPrint(i int, p Print) {
	if len(p.Keys) != len(p.Counts) {
		panic(fmt.Sprintf("fingerprint: print %d has %d keys and %d counts", i, len(p.Keys), len(p.Counts)))
	}
	for k, key := range p.Keys {
		if k > 0 && key <= p.Keys[k-1] || p.Counts[k] == 0 {
			panic(fmt.Sprintf("fingerprint: key %d of print %d is out of order or occurs 0 times", k, i))
		}
	}
}

// distinct returns the keys of prints, ascending.
func distinct(prints []Print, entries int) []uint32 {
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

// addHeads fills in where the keys that begin alike are.
func (x *Index) addHeads() {
	b := headBits(len(x.keys))
	x.heads = make([]uint32, 1<<b+1)
	for _, key := range x.keys {
		x.heads[key>>(32-b)+1]++
	}
	for i := range 1 << b {
		x.heads[i+1] += x.heads[i]
	}
}

// addMany fills in the counts that entries have no room for.
func (x *Index) addMany(many [][3]uint32) {
	x.many = x.many[:0]
	for _, m := range many {
		x.many = append(x.many, m[:]...)
	}
}

// addWeights fills in what the keys of every print weigh, added in their order.
func (x *Index) addWeights() {
	rarities := make([]float64, len(x.keys))
	for k := range rarities {
		rarities[k] = rarity(x.Len(), int(x.first[k+1]-x.first[k]))
	}
	for i := range x.Len() {
		sets, counts := 0.0, 0.0
		for _, e := range x.of(i) {
			number := e >> x.bits
			r := rarities[number]
			sets += r
			counts += float64(r * float64(x.count(e, i, int(number))))
		}
		x.records[i].weighs, x.records[i].row = [2]float64{sets, counts}, uint32(i)
	}
}

// addOrder chooses the places of the prints: those that weigh about as much, as sets and
// with counts, go into one block. Prints are cut into slabs by the first weight, and each
// slab into blocks by the second. It returns the prints in that order, in the low halves.
func (x *Index) addOrder() []uint64 {
	n := x.Len()
	x.places = make([]uint32, n)
	x.block = blockBits(n)
	order := make([]uint64, n)
	by := func(m Measure, part []uint64) {
		for k, o := range part {
			i := uint32(o)
			part[k] = uint64(math.Float32bits(float32(x.records[i].weighs[m])))<<32 | uint64(i)
		}
		slices.Sort(part)
	}
	for i := range order {
		order[i] = uint64(i)
	}
	by(Sets, order)
	for part := range slices.Chunk(order, slabBlocks<<x.block) {
		by(Counts, part)
	}
	for place, o := range order {
		x.places[uint32(o)] = uint32(place)
	}
	return order
}

// arrange puts everything that is of prints into the order of their places. It returns the
// memory that the entries were in.
func (x *Index) arrange(order []uint64, many [][3]uint32) []uint32 {
	records, held := make([]record, 0, len(x.records)), make([]uint32, 0, len(x.held))
	totals := make([]uint64, 0, len(x.totals))
	for _, o := range order {
		i := uint32(o)
		r := x.records[i]
		r.first = uint32(len(held))
		held = append(held, x.of(int(i))...)
		records, totals = append(records, r), append(totals, x.totals[i])
	}
	x.lightest = make([][2]float64, 0, len(records)>>x.block+1)
	for block := range slices.Chunk(records, 1<<x.block) {
		least := block[0].weighs
		for _, r := range block {
			least[Sets], least[Counts] = min(least[Sets], r.weighs[Sets]), min(least[Counts], r.weighs[Counts])
		}
		x.lightest = append(x.lightest, least)
	}
	old := x.held
	x.held, x.totals, x.records = held, totals, append(records, record{first: uint32(len(held))})
	for k := range many {
		many[k][0] = x.places[many[k][0]]
	}
	slices.SortFunc(many, func(a, b [3]uint32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	x.addMany(many)
	return old
}

// addHolders turns the lists of the prints around.
func (x *Index) addHolders() {
	next := slices.Clone(x.first)
	mask := uint32(1)<<x.bits - 1
	for i := range x.Len() {
		for _, e := range x.of(i) {
			k := e >> x.bits
			x.holders[next[k]] = uint32(i)<<x.bits | e&mask
			next[k]++
		}
	}
}

// commonPairs is how many pairs an index has in common, with bits of prints for them.
const commonPairs = 64

// addCommons finds the pairs that most prints have, of equal ones the first. Where there
// are too few the others ask for a key 0 times, and no print has their bit.
func (x *Index) addCommons() {
	var most []uint64 // keys, by how many prints lack them
	for k := range x.keys {
		most = append(most, uint64(x.Len()-int(x.first[k+1]-x.first[k]))<<32|uint64(k))
	}
	slices.Sort(most)
	type pair struct{ lack, key, times int }
	var pairs []pair
	for _, m := range most[:min(commonPairs, len(most))] {
		k := int(uint32(m))
		var have [commonPairs]int // by count
		for _, e := range x.holders[x.first[k]:x.first[k+1]] {
			have[min(x.count(e, int(e>>x.bits), k), commonPairs)-1]++
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
		for _, e := range x.holders[x.first[p.key]:x.first[p.key+1]] {
			if print := int(e >> x.bits); x.count(e, print, p.key) >= uint32(p.times) {
				x.records[print].common |= 1 << b
			}
		}
	}
}
