package fingerprint

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// An Index finds the prints of a set that are most similar to another. It is
// read-only once built, and several goroutines may use it at once.
type Index struct {
	sizes  [2][]int     // of each print, by measure
	weighs [2][]float64 // the same with each key weighted by its rarity
	with   map[uint32]holders
	prints []Print
}

// Print returns print i.
func (x *Index) Print(i int) Print { return x.prints[i] }

// The holders of a key, ascending by print, and its rarity.
type holders struct {
	list   []holding
	rarity float64
}

// A holding says that a print has a key.
type holding struct {
	print int32
	count uint32
}

// NewIndex returns an index of prints. It keeps none of their memory.
func NewIndex(prints []Print) *Index {
	x := &Index{with: map[uint32]holders{}, prints: prints}
	for i, p := range prints {
		for m := range x.sizes {
			x.sizes[m] = append(x.sizes[m], Measure(m).size(p))
		}
		for k, key := range p.Keys {
			h := x.with[key]
			h.list = append(h.list, holding{int32(i), p.Counts[k]})
			x.with[key] = h
		}
	}
	for key, h := range x.with {
		h.rarity = rarity(len(prints), len(h.list))
		x.with[key] = h
	}
	for _, p := range prints {
		sets, counts := x.weigh(p)
		x.weighs[Sets], x.weighs[Counts] = append(x.weighs[Sets], sets), append(x.weighs[Counts], counts)
	}
	return x
}

// rarity is the inverse document frequency of a key that so many of n prints hold.
func rarity(n, holders int) float64 {
	return 1 + math.Log(float64(n+1)/float64(holders+1))
}

// weigh returns the sum of the rarities of the keys of p, once each and as often as
// each occurs.
func (x *Index) weigh(p Print) (sets, counts float64) {
	unknown := rarity(x.Len(), 0)
	for k, key := range p.Keys {
		r := unknown
		if h := x.with[key]; len(h.list) > 0 {
			r = h.rarity
		}
		sets += r
		counts += float64(r * float64(p.Counts[k]))
	}
	return sets, counts
}

// Len returns the number of prints.
func (x *Index) Len() int { return len(x.sizes[Sets]) }

// Similarities writes the measure of p and every print of the index to dst, which
// must have room for exactly those. The time is that of going through the prints
// that have each key.
func (x *Index) Similarities(dst []float64, m Measure, p Print) {
	if len(dst) != x.Len() {
		panic(fmt.Sprintf("fingerprint: %d values for an index of %d prints", len(dst), x.Len()))
	}
	common := make([]int, x.Len())
	for k, key := range p.Keys {
		for _, h := range x.with[key].list {
			common[h.print] += m.count(min(h.count, p.Counts[k]))
		}
	}
	size := m.size(p)
	for i, c := range common {
		dst[i] = tanimoto(c, size, x.sizes[m][i])
	}
}

// Nearest returns the similarities of p to the k prints of the index that are most
// similar to it, the most similar first; fewer where the index has fewer. own,
// unless negative, is a print of the index to leave out: p itself, when the set is
// compared with itself. It is meant for a small k, 0 or more.
func (x *Index) Nearest(m Measure, p Print, k, own int) []float64 {
	all := make([]float64, x.Len())
	x.Similarities(all, m, p)
	var best []float64 // descending
	for i, s := range all {
		if i == own || len(best) == k && (k == 0 || s <= best[k-1]) {
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
// other lacks than the reverse, and rare keys matter more than common ones. own, unless negative, is a print of the index to leave out. The time is
// that of going through the prints that have each key, once.
func (x *Index) Closest(p Print, own int) (equal int, sets, counts Ranking) {
	n := x.Len()
	sums := commonSpare.Get().(*[]float64)
	defer commonSpare.Put(sums)
	*sums = slices.Grow((*sums)[:0], 2*n)[:2*n]
	common := *sums // by print, sets and counts
	clear(common)
	setsOwn, countsOwn := x.weigh(p)
	for k, key := range p.Keys {
		h := x.with[key]
		for _, g := range h.list {
			common[2*g.print] += h.rarity
			common[2*g.print+1] += float64(h.rarity * float64(min(g.count, p.Counts[k])))
		}
	}
	// The denominator is 0.7·a + 0.3·b, whatever c is.
	setsPart, countsPart := ownWeight*setsOwn, ownWeight*countsOwn
	for i := range n {
		c, d := common[2*i], common[2*i+1]
		a, b := x.weighs[Sets][i], x.weighs[Counts][i]
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

// commonSpare keeps the memory of Closest from call to call.
var commonSpare = sync.Pool{New: func() any { return new([]float64) }}

// Known returns the fraction of the keys of p, each counted as often as it occurs,
// that some print of the index holds: 1 where every neighbourhood was seen before.
// Of an empty print it is 1.
func (x *Index) Known(p Print) float64 {
	known, all := 0.0, 0.0
	for i, k := range p.Keys {
		all += float64(p.Counts[i])
		if len(x.with[k].list) > 0 {
			known += float64(p.Counts[i])
		}
	}
	if all == 0 {
		return 1
	}
	return known / all
}

// Holders returns how many prints of the index have a key.
func (x *Index) Holders(key uint32) int { return len(x.with[key].list) }
