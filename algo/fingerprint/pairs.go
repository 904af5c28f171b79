package fingerprint

import (
	"fmt"
	"slices"
)

// Pairs compare prints by the similarity of Closest, with rarities of keys from an index. They are
// read-only and safe for concurrent use.
type Pairs struct {
	points  []Print
	owns    [][2]float64 // ownWeight times the weight of each point
	keys    []uint32     // of all points, ascending
	rarity  []float64    // of each of keys
	first   []uint32     // of holders of each key, and the end
	holders []holder
	index   *Index
}

type holder struct{ point, count uint32 }

// Pairs prepares prints to be compared with others.
func (x *Index) Pairs(points []Print) *Pairs {
	p := &Pairs{points: points, index: x, owns: make([][2]float64, len(points))}
	for _, q := range points {
		p.keys = append(p.keys, q.Keys...)
	}
	slices.Sort(p.keys)
	p.keys = slices.Clip(slices.Compact(p.keys))
	p.first = make([]uint32, len(p.keys)+1)
	for _, q := range points {
		for _, key := range q.Keys {
			k, _ := slices.BinarySearch(p.keys, key)
			p.first[k+1]++
		}
	}
	p.rarity = make([]float64, len(p.keys))
	for k, key := range p.keys {
		p.first[k+1] += p.first[k]
		p.rarity[k] = float64(x.rarity(key))
	}
	p.holders = make([]holder, p.first[len(p.keys)])
	at := slices.Clone(p.first)
	for i, q := range points {
		for c, key := range q.Keys {
			k, _ := slices.BinarySearch(p.keys, key)
			p.holders[at[k]] = holder{uint32(i), q.Counts[c]}
			at[k]++
			p.owns[i][Sets] += ownWeight * p.rarity[k]
			p.owns[i][Counts] += ownWeight * float64(p.rarity[k]*float64(q.Counts[c]))
		}
	}
	return p
}

// To writes how similar other is to each point, as sets and with counts: what Best would return for
// the point if other were the only print of the index, with the same rarities.
func (p *Pairs) To(other Print, sets, counts []float64) {
	if len(sets) != len(p.points) || len(counts) != len(p.points) {
		panic(fmt.Sprintf("fingerprint: %d and %d values for %d prints", len(sets), len(counts), len(p.points)))
	}
	clear(sets)
	clear(counts)
	weighs := [2]float64{}
	for c, key := range other.Keys {
		k, found := slices.BinarySearch(p.keys, key)
		if !found {
			r := float64(p.index.rarity(key))
			weighs[Sets] += r
			weighs[Counts] += float64(r * float64(other.Counts[c]))
			continue
		}
		r, n := p.rarity[k], other.Counts[c]
		weighs[Sets] += r
		weighs[Counts] += float64(r * float64(n))
		for _, h := range p.holders[p.first[k]:p.first[k+1]] {
			sets[h.point] += r
			counts[h.point] += float64(r * float64(min(h.count, n)))
		}
	}
	for i := range sets {
		if sets[i] == 0 && len(p.points[i].Keys)+len(other.Keys) > 0 {
			continue // nothing in common
		}
		if p.points[i].Equal(other) {
			sets[i], counts[i] = 1, 1
			continue
		}
		sets[i] = min(1, sets[i]/(p.owns[i][Sets]+float64((1-ownWeight)*weighs[Sets])))
		counts[i] = min(1, counts[i]/(p.owns[i][Counts]+float64((1-ownWeight)*weighs[Counts])))
	}
}
