package fingerprint

import "fmt"

// Pairs compare prints by the similarity of Closest, with rarities of keys from an index. They are
// read-only and safe for concurrent use.
type Pairs struct {
	prints []Print
	points *Index       // of prints
	owns   [][2]float64 // ownWeight times the weight of each print
	index  *Index
}

// Pairs prepares prints to be compared with others.
func (x *Index) Pairs(points []Print) *Pairs {
	p := &Pairs{prints: points, points: NewIndex(points), owns: make([][2]float64, len(points)), index: x}
	for i, q := range points {
		for c, key := range q.Keys {
			r := float64(x.rarity(key))
			p.owns[i][Sets] += ownWeight * r
			p.owns[i][Counts] += ownWeight * float64(r*float64(q.Counts[c]))
		}
	}
	return p
}

// To writes how similar other is to each point, as sets and with counts: what Best would return for
// the point if other were the only print of the index, with the same rarities.
func (p *Pairs) To(other Print, sets, counts []float64) {
	if len(sets) != len(p.prints) || len(counts) != len(p.prints) {
		panic(fmt.Sprintf("fingerprint: %d and %d values for %d prints", len(sets), len(counts), len(p.prints)))
	}
	clear(sets)
	clear(counts)
	weighs := [2]float64{}
	for c, key := range other.Keys {
		r, n := float64(p.index.rarity(key)), other.Counts[c]
		weighs[Sets] += r
		weighs[Counts] += float64(r * float64(n))
		for place, times := range p.points.holdersOf(p.points.look(key)) {
			i := p.points.records[place].row
			sets[i] += r
			counts[i] += float64(r * float64(min(times, n)))
		}
	}
	for i := range sets {
		switch {
		case sets[i] == 0 && len(p.prints[i].Keys)+len(other.Keys) > 0: // nothing in common
		case p.prints[i].Equal(other):
			sets[i], counts[i] = 1, 1
		default:
			sets[i] = min(1, sets[i]/(p.owns[i][Sets]+float64((1-ownWeight)*weighs[Sets])))
			counts[i] = min(1, counts[i]/(p.owns[i][Counts]+float64((1-ownWeight)*weighs[Counts])))
		}
	}
}
