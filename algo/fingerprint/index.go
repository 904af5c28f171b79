package fingerprint

import (
	"fmt"
	"slices"
	"sync"
)

// An Index finds the prints of a set that are most similar to another. It is
// read-only once built and may be shared by goroutines.
type Index struct {
	sizes [2][]int             // of each print, by measure
	with  map[uint32][]holding // ascending by print
}

// A holding says that a print has a key.
type holding struct {
	print int32
	count uint32
}

// NewIndex returns an index of prints. It keeps none of their memory.
func NewIndex(prints []Print) *Index {
	x := &Index{with: map[uint32][]holding{}}
	for i, p := range prints {
		for m := range x.sizes {
			x.sizes[m] = append(x.sizes[m], Measure(m).size(p))
		}
		for k, key := range p.Keys {
			x.with[key] = append(x.with[key], holding{int32(i), p.Counts[k]})
		}
	}
	return x
}

// Len returns the number of prints.
func (x *Index) Len() int { return len(x.sizes[Sets]) }

// Similarities writes the measure of p and every print of the index to dst, which
// must have room for exactly those. The time is that of going through the prints
// that share each key.
func (x *Index) Similarities(dst []float64, m Measure, p Print) {
	if len(dst) != x.Len() {
		panic(fmt.Sprintf("fingerprint: %d values for an index of %d prints", len(dst), x.Len()))
	}
	common := make([]int, x.Len())
	for k, key := range p.Keys {
		for _, h := range x.with[key] {
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

// Best returns the largest similarity of p to a print of the index by each measure,
// 0 if there is none. own is as in Nearest. It goes through the prints once.
func (x *Index) Best(p Print, own int) (sets, counts float64) {
	n := x.Len()
	c := commonSpare.Get().(*[]int32)
	defer commonSpare.Put(c)
	*c = slices.Grow((*c)[:0], 2*n)[:2*n]
	clear(*c)
	common, least := (*c)[:n], (*c)[n:]
	for k, key := range p.Keys {
		for _, h := range x.with[key] {
			common[h.print]++
			least[h.print] += int32(min(h.count, p.Counts[k]))
		}
	}
	size, weight := Sets.size(p), Counts.size(p)
	for i := range n {
		if i != own {
			sets = max(sets, tanimoto(int(common[i]), size, x.sizes[Sets][i]))
			counts = max(counts, tanimoto(int(least[i]), weight, x.sizes[Counts][i]))
		}
	}
	return sets, counts
}

// commonSpare keeps the memory of Best from call to call.
var commonSpare = sync.Pool{New: func() any { return new([]int32) }}

// Known returns the share of the keys of p, each counted as often as it occurs,
// that some print of the index holds: 1 where every neighbourhood was seen before.
// Of an empty print it is 1.
func (x *Index) Known(p Print) float64 {
	known, all := 0.0, 0.0
	for i, k := range p.Keys {
		all += float64(p.Counts[i])
		if len(x.with[k]) > 0 {
			known += float64(p.Counts[i])
		}
	}
	if all == 0 {
		return 1
	}
	return known / all
}
