package fingerprint

import "fmt"

// Pairs compare a fixed list of prints with others by the similarity of Closest. The rarities of keys are those of an
// index. Pairs are read-only and safe for concurrent use.
type Pairs struct {
	prints  []Print
	holders map[uint32][]holder // prints that have a key
	owns    [][2]float64        // ownWeight times the weight of each print
	index   *Index
}

// A holder is the place of a print and the count of a key in it.
type holder struct{ at, times uint32 }

// Pairs prepares points to be compared with other prints.
func (x *Index) Pairs(points []Print) *Pairs {
	p := &Pairs{prints: points, holders: map[uint32][]holder{}, owns: make([][2]float64, len(points)), index: x}
	for i, q := range points {
		for c, key := range q.Keys {
			r := float64(x.rarity(key))
			p.owns[i][Sets] += ownWeight * r
			p.owns[i][Counts] += ownWeight * float64(r*float64(q.Counts[c]))
			p.holders[key] = append(p.holders[key], holder{uint32(i), q.Counts[c]})
		}
	}
	return p
}

// To writes how similar other is to each point, as sets and with counts. The result for a point is what Best would return
// for it if other were the only print of the index, with the same rarities.
func (p *Pairs) To(other Print, sets, counts []float64) {
	if len(sets) != len(p.prints) || len(counts) != len(p.prints) {
		panic(fmt.Sprintf("fingerprint: %d and %d values for %d prints", len(sets), len(counts), len(p.prints)))
	}
	clear(sets)
	clear(counts)
	weighs := [2]float64{}
	for c, key := range other.Keys {
		r := float64(p.index.rarity(key))
		weighs[Sets] += r
		weighs[Counts] += float64(r * float64(other.Counts[c]))
		for _, h := range p.holders[key] {
			sets[h.at] += r
			counts[h.at] += float64(r * float64(min(h.times, other.Counts[c])))
		}
	}
	for i := range sets {
		switch {
		case sets[i] == 0 && len(p.prints[i].Keys)+len(other.Keys) > 0: // nothing in common
		case sets[i] == weighs[Sets] && p.prints[i].Equal(other):
			sets[i], counts[i] = 1, 1
		default:
			sets[i] = min(1, sets[i]/(p.owns[i][Sets]+float64((1-ownWeight)*weighs[Sets])))
			counts[i] = min(1, counts[i]/(p.owns[i][Counts]+float64((1-ownWeight)*weighs[Counts])))
		}
	}
}
