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
	x := &Index{keys: distinct(prints, entries)}
	if len(prints) > maxPrints || len(x.keys) > maxKeys || uint64(entries) > math.MaxUint32 {
		panic(fmt.Sprintf("fingerprint: %d prints of %d keys, %d of them distinct: an index has room for %d, %d and %d",
			len(prints), entries, len(x.keys), maxPrints, uint32(math.MaxUint32), maxKeys))
	}
	x.bits = countBits(len(prints), len(x.keys))
	x.addHeads()
	x.addPrints(prints, entries)
	x.addHolders()
	x.addWeights(prints)
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

// addPrints fills in the entries of every print, and counts the holders of every key.
func (x *Index) addPrints(prints []Print, entries int) {
	x.lists, x.held = make([]uint32, 1, len(prints)+1), make([]uint32, 0, entries)
	x.totals, x.weighs = make([]uint64, len(prints)), make([]float64, 0, 2*len(prints))
	x.first = make([]uint32, len(x.keys)+1)
	mask := uint32(1)<<x.bits - 1
	for i, p := range prints {
		for k, key := range p.Keys {
			number, _ := x.find(key)
			x.first[number+1]++
			x.held = append(x.held, uint32(number)<<x.bits|min(p.Counts[k]-1, mask))
			if p.Counts[k] > mask {
				x.many = append(x.many, uint32(i), uint32(number), p.Counts[k])
			}
			x.totals[i] += uint64(p.Counts[k])
		}
		x.lists = append(x.lists, uint32(len(x.held)))
	}
}

// addHolders turns the numbers of holders into places, and the lists of the prints
// around.
func (x *Index) addHolders() {
	for k := range x.keys {
		x.first[k+1] += x.first[k]
	}
	next := slices.Clone(x.first)
	mask := uint32(1)<<x.bits - 1
	x.holders = make([]uint32, len(x.held))
	for i := range x.Len() {
		for _, e := range x.of(i) {
			k := e >> x.bits
			x.holders[next[k]] = uint32(i)<<x.bits | e&mask
			next[k]++
		}
	}
}

// addWeights fills in what the keys of every print weigh, added in their order.
func (x *Index) addWeights(prints []Print) {
	rarities := make([]float64, len(x.keys))
	for k := range rarities {
		rarities[k] = rarity(x.Len(), int(x.first[k+1]-x.first[k]))
	}
	for i, p := range prints {
		sets, counts := 0.0, 0.0
		for k, e := range x.of(i) {
			r := rarities[e>>x.bits]
			sets += r
			counts += float64(r * float64(p.Counts[k]))
		}
		x.weighs = append(x.weighs, sets, counts)
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
	x.common, x.commons = make([]uint32, 2*commonPairs), make([]uint64, x.Len())
	for b, p := range pairs[:min(commonPairs, len(pairs))] {
		x.common[2*b], x.common[2*b+1] = uint32(p.key), uint32(p.times)
		for _, e := range x.holders[x.first[p.key]:x.first[p.key+1]] {
			if print := int(e >> x.bits); x.count(e, print, p.key) >= uint32(p.times) {
				x.commons[print] |= 1 << b
			}
		}
	}
}
