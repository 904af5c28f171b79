package fingerprint

import (
	"math/bits"
	"slices"
	"sync"
)

// Nearest returns the k prints most similar to p by [Counts], the most similar first, equally similar ones by number; all
// prints if the index has fewer.
//
// The search is exact. It takes keys by how many prints share each of their occurrences, few first. Prints that no key has
// led to have at most the remaining keys, so at some point none of them can be among the k. The keys that remain then are
// mostly common ones, and the bits of each print tell which of them it has. Only prints whose bound reaches the k-th best
// known similarity are compared in full.
func (x *Index) Nearest(p Print, k int) []Match {
	if k = min(k, x.Len()); k == 0 {
		return nil
	}
	s := nearestSpare.Get().(*nearest)
	defer nearestSpare.Put(s)
	s.begin(x, p, k)
	s.meet()
	s.settle()
	return s.end()
}

// nearestSpare keeps the memory of Nearest from call to call.
var nearestSpare = sync.Pool{New: func() any { return new(nearest) }}

// A nearest is one call of Nearest.
type nearest struct {
	x     *Index
	k     int
	size  int      // of p, by counts
	terms []sought // the keys of p that the index has
	order []uint64 // of terms: above the index of each, by how many prints share an occurrence
	next  int      // the first term that is not in cells yet
	left  int      // counts of these terms
	times []uint32 // by number of a key, its count in p; all 0 between calls
	cells []cell   // of each place, what its print has in common with the terms visited, or more; all 0 between calls
	met   []uint32 // places whose cells are not 0; the capacity exceeds the prints by one
	best  []Match  // at most k, of the prints compared
	other []entry
	open  []candidate
}

// A sought key is one that p and the index have.
type sought struct {
	list
	times uint32 // its count in p
}

// A candidate is a print that may be among the nearest, and the most that its similarity can be.
type candidate struct {
	bound float64
	place uint32
}

func (s *nearest) begin(x *Index, p Print, k int) {
	s.x, s.k, s.size, s.next, s.left = x, k, Counts.size(p), 0, 0
	s.terms, s.best = s.terms[:0], nil
	if len(s.cells) < x.Len() {
		s.cells, s.met = make([]cell, x.Len()), make([]uint32, 0, x.Len()+1)
	}
	if len(s.times) < len(x.keys) {
		s.times = make([]uint32, len(x.keys))
	}
	for i, key := range p.Keys {
		if l := x.lists[x.look(key)]; l.holders > 0 {
			s.terms = append(s.terms, sought{l, p.Counts[i]})
			s.times[l.number] = p.Counts[i]
			s.left += int(p.Counts[i])
		}
	}
	s.order = s.order[:0]
	for k, t := range s.terms {
		s.order = append(s.order, uint64(t.holders/t.times)<<32|uint64(k))
	}
	slices.Sort(s.order)
}

// least is the similarity of the k-th best print so far, −1 while there are fewer.
func (s *nearest) least() float64 {
	if len(s.best) < s.k {
		return -1
	}
	return s.best[s.k-1].Similarity
}

// meet visits terms until the prints that none has led to cannot be among the nearest: they share at most what is left,
// and are no smaller than that.
func (s *nearest) meet() {
	visited, probed := 0, 0 // holders
	for ; s.next < len(s.order) && Tanimoto(s.left, s.size, s.left) >= s.least(); s.next++ {
		t := &s.terms[uint32(s.order[s.next])]
		s.add(t)
		s.left -= int(t.times)
		// Knowing good prints pays once finding them takes less time than was spent since they were last looked for.
		if visited += int(t.holders); visited >= 3*probed+probeCost*s.k {
			probed = visited
			s.probe()
		}
	}
}

// probeCost is the number of holders that take as much time to add as comparing a print.
const probeCost = 32

// add adds a term to the cells of the prints that have it. Counts that do not fit into a unit are taken for that of p.
func (s *nearest) add(t *sought) {
	var gains [manyTimes + 1]cell // by the print's count less one
	for i := range gains {
		gains[i] = cell(min(uint32(i)+1, t.times))
	}
	gains[manyTimes] = cell(t.times)
	s.met = meet(s.met, s.cells, s.x.holders[t.first:], int(t.holders), &gains)
}

// probe compares the k prints in full that have most in common with the terms so far, of those not compared yet.
func (s *nearest) probe() {
	s.open = s.open[:0]
	for _, i := range s.met {
		if c := s.cells[i]; c < compared && (len(s.open) < s.k || float64(c) > s.open[s.k-1].bound) {
			s.push(candidate{float64(c), i})
		}
	}
	for _, c := range s.open {
		s.compare(c.place)
	}
}

// push inserts a candidate into open, which has the k with the largest bounds in descending order.
func (s *nearest) push(c candidate) {
	if len(s.open) == s.k {
		s.open = s.open[:s.k-1]
	}
	s.open = append(s.open, c)
	for at := len(s.open) - 1; at > 0 && s.open[at-1].bound < c.bound; at-- {
		s.open[at-1], s.open[at] = c, s.open[at-1]
	}
}

// settle compares in full the prints met that may be among the nearest. It clears all cells.
func (s *nearest) settle() {
	x, known := s.x, s.common()
	hidden := s.left - bits.OnesCount64(known) // what is left of terms that the bits of prints do not tell
	s.open = s.open[:0]
	least := s.least()
	// What both prints have in common needs at least this share of their sizes, less a rounding.
	share := rounded * least / (1 + least)
	if least < 0 {
		share = 0
	}
	for _, i := range s.met {
		c := s.cells[i]
		s.cells[i] = 0
		total := int(x.totals[i])
		if c >= compared || float64(int(c)+s.left) < share*float64(s.size+total) {
			continue
		}
		most := min(int(c)+hidden+bits.OnesCount64(known&x.records[i].common), s.size, total)
		if bound := Tanimoto(most, s.size, total); bound >= least {
			s.open = append(s.open, candidate{bound, i})
		}
	}
	for _, c := range s.open {
		if c.bound >= s.least() {
			s.compare(c.place)
			s.cells[c.place] = 0
		}
	}
	s.met = s.met[:0]
}

// common has a bit for each common pair that adds an occurrence of a term not visited.
func (s *nearest) common() (set uint64) {
	for _, o := range s.order[s.next:] {
		t := &s.terms[uint32(o)]
		for b, pair := range s.x.common {
			if pair.number == t.number && pair.times > 0 && pair.times <= t.times {
				set |= 1 << b
			}
		}
	}
	return set
}

// compare compares the print at a place in full.
func (s *nearest) compare(place uint32) {
	s.cells[place] = compared
	s.other = s.x.entries(s.other, int(place))
	n := 0
	for _, o := range s.other {
		n += int(min(o.times, s.times[o.number]))
	}
	total := int(s.x.totals[place])
	s.rank(Match{Tanimoto(n, s.size, total), int(s.x.records[place].row), n == s.size && n == total})
}

// rank inserts a match into best, and drops the last beyond k.
func (s *nearest) rank(m Match) {
	s.best = append(s.best, m)
	for at := len(s.best) - 1; at > 0; at-- {
		before := s.best[at-1]
		if before.Similarity > m.Similarity || before.Similarity == m.Similarity && before.Print < m.Print {
			break
		}
		s.best[at-1], s.best[at] = m, before
	}
	s.best = s.best[:min(len(s.best), s.k)]
}

// end returns the nearest and forgets the print. Prints that share no key with p come last; an empty one is equal to an
// empty p.
func (s *nearest) end() []Match {
	for row := 0; row < s.x.Len() && (len(s.best) < s.k || s.size == 0); row++ {
		place := s.x.places[row]
		if !slices.ContainsFunc(s.best, func(m Match) bool { return m.Print == row }) {
			s.rank(Match{Tanimoto(0, s.size, int(s.x.totals[place])), row, s.size == 0 && s.x.totals[place] == 0})
		}
	}
	for _, t := range s.terms {
		s.times[t.number] = 0
	}
	s.x = nil
	return s.best
}
