package fingerprint

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// A Match is a print of an index and how similar it is to another.
type Match struct {
	Similarity float64
	Print      int  // its number; −1 where there is none
	Equal      bool // the prints are equal, and Similarity is 1
}

// Best returns the print that is most similar to p, by the similarity of Closest, as
// sets and with counts. A print that equals p is the best, by both; of equally similar
// ones the first is. own, unless negative, is a print of the index to leave out.
//
// It is exact, and looks at a small part of the index. Keys are taken from rare to
// common. What the keys that are left weigh bounds the similarity of prints not met yet,
// and with what was added up so far that of the others. Once no new print can be the
// best, the keys that are left are common ones, and bits of each print met say which of
// them it has. Prints that weigh about as much are ruled out together where the lightest of
// them is. Only those whose bound is no less than the best known similarity are compared in
// full.
func (x *Index) Best(p Print, own int) [2]Match {
	s := searchSpare.Get().(*search)
	s.begin(x, own)
	switch {
	case len(p.Keys) == 0:
		s.empty()
	case s.take(p):
		s.meet()
		s.settle()
	default:
		for i := range x.Len() {
			s.compare(i)
		}
	}
	best := s.best
	s.end()
	searchSpare.Put(s)
	for m := range best {
		if best[m].Equal {
			best[m].Similarity = 1
		}
	}
	return best
}

// searchSpare keeps the memory of Best from call to call.
var searchSpare = sync.Pool{New: func() any { return new(search) }}

// A search is one call of Best.
type search struct {
	x    *Index
	own  int     // its place
	keys int     // of the print
	all  float64 // what is bounded is at least this part of what is computed, by rounding

	terms  []term   // the keys of the print that the index has, ascending
	slots  []int32  // one more than the place in terms of a key, by a hash of its number
	shift  uint     // of that hash
	marks  []uint64 // a bit for each key, set for terms; all 0 between calls
	hits   []uint32 // the entries of a print for terms
	order  []uint64 // terms by their number of holders, which is in the high half
	rest   []uint64 // what the terms from a place of order on can add to a cell
	scales [2]float64
	owns   [2]float64 // ownWeight times what the print weighs
	best   [2]Match   // an equal print has similarity 2

	asked   uint64              // the common pairs that tell what a print has of the rest
	answers [commonPairs]uint64 // what a cell gains by each

	cells []uint64   // of each print of the index; all 0 between calls
	met   []uint32   // the places of prints whose cells are not 0, with room for one more than all
	needs [][2]int64 // of cells, by block
	open  []candidate
	sums  []uint64 // the cells of those
}

// A term is a key that both the print and the index have.
type term struct {
	number uint32
	count  uint32 // in the print
	rarity float64
	set    uint64 // the rarity in a cell, as sets
	times  uint64 // the same with counts, of a single one
	list   []uint32
	added  bool // to the cells
}

// A cell bounds from above what a print has in common with p: as sets in the low half,
// with counts in the high half, in units that give all of p about cellOne. The bit
// compared is set once the print has been compared in full.
const (
	cellOne  = 1 << 30
	compared = 1 << 63
)

func (s *search) begin(x *Index, own int) {
	s.x, s.own = x, -1
	if own >= 0 {
		s.own = int(x.places[own])
	}
	first := 0
	if own == 0 {
		first = 1
	}
	if first >= x.Len() {
		first = -1
	}
	s.best = [2]Match{{Print: first}, {Print: first}}
	if len(s.cells) < x.Len() {
		s.cells, s.met = make([]uint64, x.Len()), make([]uint32, 0, x.Len()+1)
	}
	if n := len(x.keys)/64 + 1; len(s.marks) < n {
		s.marks = make([]uint64, n)
	}
}

// end forgets the index and the print.
func (s *search) end() {
	for _, t := range s.terms {
		s.marks[t.number/64] = 0
	}
	clear(s.terms)
	s.x, s.terms = nil, s.terms[:0]
}

// empty finds a print without keys. Others have nothing in common with one.
func (s *search) empty() {
	for i, place := range s.x.places {
		if int(place) != s.own && len(s.x.of(int(place))) == 0 {
			s.best = [2]Match{{1, i, true}, {1, i, true}}
			return
		}
	}
}

// take prepares the keys of a print. It fails where the counts are too many for cells.
func (s *search) take(p Print) bool {
	x := s.x
	s.keys = len(p.Keys)
	// Every sum of rarities, of p, of both or of the other, is off by no more than one
	// rounding a key, and what is made of the sums by a few more: 16 leave room.
	s.all = 1 - float64(len(x.held)+len(p.Keys)+16)*0x1p-52
	owns, times := [2]float64{}, 0.0
	for k, key := range p.Keys {
		list, number := x.with(key)
		r := rarity(x.Len(), len(list))
		owns[Sets] += r
		owns[Counts] += float64(r * float64(p.Counts[k]))
		times += float64(p.Counts[k])
		if len(list) > 0 {
			s.terms = append(s.terms, term{number: uint32(number), count: p.Counts[k], rarity: r, list: list})
		}
	}
	s.hash()
	for m, own := range owns {
		s.owns[m], s.scales[m] = ownWeight*own, cellOne/own
	}
	s.order = s.order[:0]
	for k := range s.terms {
		t := &s.terms[k]
		// Rounded up, once for each time the key occurs.
		t.set, t.times = uint64(t.rarity*s.scales[Sets])+1, (uint64(t.rarity*s.scales[Counts])+1)<<32
		s.order = append(s.order, uint64(len(t.list))<<32|uint64(k))
		s.marks[t.number/64] |= 1 << (t.number % 64)
	}
	slices.Sort(s.order)
	n := len(s.order)
	s.rest = slices.Grow(s.rest[:0], n+1)[:n+1]
	s.rest[n] = 0
	for k, at := range slices.Backward(s.order) {
		t := &s.terms[uint32(at)]
		s.rest[k] = s.rest[k+1] + t.set + uint64(t.count)*t.times
	}
	// Two times cellOne fit below the bit compared, and times cannot be more than the rest.
	return times < cellOne/2
}

// hash fills in slots, four or more for each term.
func (s *search) hash() {
	s.shift = 32 - max(8, headBits(4*len(s.terms)))
	n := 1 << (32 - s.shift)
	s.slots = slices.Grow(s.slots[:0], n)[:n]
	clear(s.slots)
	for k, t := range s.terms {
		at := t.number * spread >> s.shift
		for s.slots[at] != 0 {
			at = (at + 1) & uint32(n-1)
		}
		s.slots[at] = int32(k + 1)
	}
}

// spread is 2³² divided by the golden ratio.
const spread = 0x9e37_79b1

// find returns the term of a key by its number. There must be one.
func (s *search) find(number uint32) *term {
	at := number * spread >> s.shift
	for {
		if t := &s.terms[s.slots[at]-1]; t.number == number {
			return t
		}
		at = (at + 1) & uint32(len(s.slots)-1)
	}
}

// compare compares the print at place i in full. Terms are found in the order of keys,
// so that sums are the same however they are come to.
func (s *search) compare(i int) {
	if i == s.own {
		return
	}
	x := s.x
	list := x.of(i)
	// Which entries are for terms nobody can predict, so that this does not branch.
	hits, n := slices.Grow(s.hits[:0], len(list))[:len(list)], 0
	for _, e := range list {
		hits[n] = e
		number := e >> x.bits
		n += int(s.marks[number/64] >> (number % 64) & 1)
	}
	s.hits = hits
	sets, counts, same := 0.0, 0.0, 0
	for _, e := range hits[:n] {
		t := s.find(e >> x.bits)
		n := x.count(e, i, int(t.number))
		if n == t.count {
			same++
		}
		sets += t.rarity
		counts += float64(t.rarity * float64(min(n, t.count)))
	}
	equal, row := same == s.keys && same == len(list), int(x.records[i].row)
	for m, common := range [2]float64{sets, counts} {
		similarity := min(1, common/(s.owns[m]+float64((1-ownWeight)*x.records[i].weighs[m])))
		if equal {
			similarity = 2
		}
		if b := &s.best[m]; similarity > b.Similarity || similarity == b.Similarity && row < b.Print {
			*b = Match{similarity, row, equal}
		}
	}
}

// A least is what half a cell and what is left must reach for the print to be as similar
// as the best known: a constant, and a part of what the print weighs. That is no less
// than what it has in common with p, so that there is a least for any print.
type least struct {
	fixed, weight float64
	any           uint64
}

func (s *search) least() (l [2]least) {
	for m := range l {
		part := s.all * min(1, s.best[m].Similarity)
		fixed := part * s.scales[m] * s.owns[m]
		l[m] = least{fixed, part * s.scales[m] * (1 - ownWeight), uint64(s.all * fixed / (1 - part*(1-ownWeight)))}
	}
	return l
}

// reachable says whether any print can be the best by the bound of what it has in common.
func reachable(l *[2]least, bound uint64) bool {
	return bound&math.MaxUint32 >= l[Sets].any || bound>>32 >= l[Counts].any
}

// meet fills the cells of all prints that can be the best.
func (s *search) meet() {
	seen := 0
	for k, at := range s.order {
		t := &s.terms[uint32(at)]
		// It pays to know a good print before a long list, not for each short one.
		if len(t.list) > seen/4 && seen > 0 {
			s.promising()
		}
		// Prints not met have keys among the rest alone.
		if l := s.least(); !reachable(&l, s.rest[k]) {
			s.order = s.order[:k]
			return
		}
		s.add(t)
		seen += len(t.list)
	}
}

// add adds a term to the cells of the prints that have the key. A count that the entry
// has no room for bounds nothing. The loops do not branch: which prints are new and how
// often they have the key nobody can predict.
func (s *search) add(t *term) {
	t.added = true
	bits, cells, met, n := s.x.bits, s.cells, s.met[:s.x.Len()+1], len(s.met)
	mask := uint32(1)<<bits - 1
	if t.count == 1 {
		once := t.set + t.times
		for _, e := range t.list {
			i := e >> bits
			cell := cells[i]
			met[n] = i
			if cell == 0 {
				n++
			}
			cells[i] = cell + once
		}
		s.met = met[:n]
		return
	}
	for _, e := range t.list {
		i, c := e>>bits, e&mask
		cell := cells[i]
		met[n] = i
		if cell == 0 {
			n++
		}
		if c == mask {
			c = math.MaxUint32 - 1
		}
		cells[i] = cell + t.set + uint64(min(c+1, t.count))*t.times
	}
	s.met = met[:n]
}

// promising compares in full the prints that have most in common with p so far.
func (s *search) promising() {
	var most, at [promised]uint64
	for _, i := range s.met {
		c := s.cells[i]
		sum := c>>32 + c&math.MaxUint32
		if c >= compared || sum <= most[promised-1] {
			continue
		}
		k := promised - 1
		for ; k > 0 && most[k-1] < sum; k-- {
			most[k], at[k] = most[k-1], at[k-1]
		}
		most[k], at[k] = sum, uint64(i)
	}
	for k, i := range at {
		if most[k] > 0 {
			s.compare(int(i))
			s.cells[i] |= compared
		}
	}
}

// promised is how many prints are compared at a time before all that can be the best
// are known.
const promised = 1

// settle compares in full the prints met that can still be the best, the most hopeful
// first, and empties the cells. The keys that are left are common: of many it is known who
// has them.
func (s *search) settle() {
	left := s.rest[len(s.order)]
	unknown := left - s.ask()
	l := s.least()
	s.sift(&l, left)
	n := 0
	for k := range s.open {
		c := &s.open[k]
		c.bound += unknown
		for b := c.common & s.asked; b != 0; b &= b - 1 {
			c.bound += s.answers[bits.TrailingZeros64(b)]
		}
		if c.reaches(&l) {
			s.open[n] = *c
			n++
		}
	}
	open := s.open[:n]
	slices.SortFunc(open, func(a, b candidate) int { return cmp.Compare(b.hope(&l), a.hope(&l)) })
	for k := range open {
		if c := &open[k]; c.reaches(&l) {
			s.compare(int(c.place))
			l = s.least()
		}
	}
}

// A candidate is a print that can be the best.
type candidate struct {
	record
	bound uint64 // of what it has in common
	place uint32
}

// reaches says whether a print can be the best by the bound.
func (c *candidate) reaches(l *[2]least) bool {
	return float64(uint32(c.bound)) >= l[Sets].of(c.weighs[Sets]) || float64(c.bound>>32) >= l[Counts].of(c.weighs[Counts])
}

// hope is the larger of the bounds, each as a part of the least.
func (c *candidate) hope(l *[2]least) float64 {
	return max(float64(uint32(c.bound))/l[Sets].of(c.weighs[Sets]), float64(c.bound>>32)/l[Counts].of(c.weighs[Counts]))
}

// sift makes those prints met open whose cells, with all that is left, are enough for the
// lightest print of their block to be the best. It empties the cells. Which prints these are
// nobody can predict, so that the first loop does not branch. The second one reads records
// that are far apart, and waits for none.
func (s *search) sift(l *[2]least, left uint64) {
	needs, block := s.fillNeeds(l, left), s.x.block
	sums, n := slices.Grow(s.sums[:0], len(s.met)+1)[:len(s.met)+1], 0
	for _, i := range s.met {
		cell, need := s.cells[i], &needs[i>>block]
		s.cells[i] = 0
		s.met[n], sums[n] = i, cell
		// Negative where the print has less than it needs, by both measures.
		lacks := (int64(cell&math.MaxUint32) - need[Sets]) & (int64(cell>>32) - need[Counts])
		n += int((uint64(lacks)|cell)>>63 ^ 1) // the high bit of a cell is compared
	}
	s.open = s.open[:0]
	for k, i := range s.met[:n] {
		s.open = append(s.open, candidate{record: s.x.records[i], bound: sums[k], place: i})
	}
	s.met, s.sums = s.met[:0], sums
}

// fillNeeds returns, for each block, what cells must have at least for one of its prints
// to be the best if it has all that is left too.
func (s *search) fillNeeds(l *[2]least, left uint64) [][2]int64 {
	lightest := s.x.lightest
	s.needs = slices.Grow(s.needs[:0], len(lightest))[:len(lightest)]
	sets, counts := int64(left&math.MaxUint32), int64(left>>32)
	for b, w := range lightest {
		// A cell has less than twice cellOne, however much is needed.
		s.needs[b] = [2]int64{int64(min(2*cellOne, l[Sets].of(w[Sets]))) - sets, int64(min(2*cellOne, l[Counts].of(w[Counts]))) - counts}
	}
	return s.needs
}

// of is the least for a print of some weight.
func (l *least) of(weight float64) float64 { return l.fixed + float64(l.weight*weight) }

// ask fills in what the common pairs are worth to the cells of prints that have them,
// for terms that are not in the cells yet, and returns the sum.
func (s *search) ask() (sum uint64) {
	s.asked = 0
	common := s.x.common
	for b := range commonPairs {
		number, times := common[2*b], common[2*b+1]
		if times == 0 || s.marks[number/64]>>(number%64)&1 == 0 {
			continue
		}
		t := s.find(number)
		if times > t.count || t.added {
			continue
		}
		s.answers[b] = t.times
		if times == 1 {
			s.answers[b] += t.set
		}
		s.asked |= 1 << b
		sum += s.answers[b]
	}
	return sum
}
