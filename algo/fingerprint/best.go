package fingerprint

import (
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
// common, sooner if they occur often in p. What the keys that are left weigh bounds the
// similarity of prints not met yet, and with what was added up so far that of the others.
// Once no new print can be the best, the keys that are left are common ones, and bits of each
// print met say which of them it has. Prints that weigh about as much are ruled out together
// where the lightest of them is. Only those whose bound is no less than the best known
// similarity are compared in full. Of few prints all are bounded by the masks of rows where the
// processor has them.
func (x *Index) Best(p Print, own int) (best [2]Match) {
	s := searchSpare.Get().(*search)
	s.begin(x, own)
	if len(p.Keys) == 0 {
		s.empty()
	} else if !s.take(p) {
		for i := range x.Len() {
			s.compare(i)
		}
	} else if r := x.withRows(); r != nil {
		s.few(r)
	} else {
		s.rank()
		s.meet()
		s.settle()
	}
	best = s.best
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
	own  int // its place
	keys int // of the print

	terms  []term   // the keys of the print that the index has, in the order of marks
	marks  []mark   // of 64 numbers each, all 0 between calls
	marked []uint32 // which of them are not
	other  []entry  // another print
	hits   []uint64 // the terms that it has, each below how often
	lists  []list   // of the keys of the print
	order  []int32  // terms by what they cost, about
	rest   []cell   // what the terms from a place of order on can add to a cell
	scales [2]float64
	owns   [2]float64 // ownWeight times what the print weighs
	best   [2]Match   // an equal print has similarity 2

	answers [commonPairs / 4][16]cell // what a cell gains by each four of the common pairs

	cells []cell     // of each print of the index; all 0 between calls
	met   []uint32   // the places of prints whose cells are not 0, with room for one more than all
	left  cell       // what prints can have besides their cells
	needs [][2]int32 // of cells, by block
	sums  []cell     // the cells of those

	at, gains, tops []uint32 // rows, what they add, and the tops of cells

	touched uint32 // of no use but to be read

	rarities   [1 << 12]int64 // of keys by their holders among raritiesOf prints, 0 where not known yet
	raritiesOf int
}

// A term is a key that both the print and the index have.
type term struct {
	number uint32
	count  uint32 // in the print
	rarity int64
	set    cell     // the rarity in a cell, as sets
	fine   uint64   // the same with counts, of a single one, times 2 to the fineBits
	list   []uint16 // begins with the units of its holders
	held   int      // how many these are
	class  uint8    // by what it costs
	added  bool     // to the cells
}

// times is what so many of the key are in a cell, with counts.
func (t *term) times(n uint32) cell {
	return cell((uint64(n)*t.fine+1<<fineBits-1)>>fineBits) << 16
}

// fineBits make the rounding of a key that occurs often no larger than that of others.
const fineBits = 16

// A mark is of 64 numbers: bits of those that are terms, and where the first of these is.
type mark struct {
	bits  uint64
	first uint32
}

// at says which term a number is, if it is one.
func (m *mark) at(number uint32) uint32 {
	return m.first + uint32(bits.OnesCount64(m.bits&(1<<(number%64)-1)))
}

// A cell bounds from above what a print has in common with p: as sets in the low half,
// with counts in the high half, in units that give all of p about cellOne. It is short, so
// that those of many prints fit in a cache. The bit compared is set once the print has been
// compared in full, and what the cell had is forgotten then.
type cell uint32

const (
	cellOne  = 1 << 14
	compared = 1 << 31
)

func (c cell) sets() int32   { return int32(c & 0xffff) }
func (c cell) counts() int32 { return int32(c >> 16) }

// sum is that of both halves, little where the print has been compared.
func (c cell) sum() int64 { return int64(int32(c)>>16 + c.sets()) }

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
	if n := strips(x.Len()); len(s.cells) < n {
		s.cells, s.met = make([]cell, n), make([]uint32, 0, n+1)
	}
	if n := len(x.keys)/64 + 1; len(s.marks) < n {
		s.marks = make([]mark, n)
	}
}

// end forgets the index and the print.
func (s *search) end() {
	for _, k := range s.marked {
		s.marks[k] = mark{}
	}
	clear(s.terms)
	s.x, s.terms, s.marked = nil, s.terms[:0], s.marked[:0]
}

// empty finds a print without keys. Others have nothing in common with one.
func (s *search) empty() {
	for i, place := range s.x.places {
		if int(place) != s.own && s.x.size(int(place)) == 0 {
			s.best = [2]Match{{1, i, true}, {1, i, true}}
			return
		}
	}
}

// take prepares the keys of a print. It fails where they are too many for cells.
func (s *search) take(p Print) bool {
	x := s.x
	s.keys = len(p.Keys)
	// Lists are far apart in memory: all are looked for at once.
	s.lists = slices.Grow(s.lists[:0], s.keys)[:s.keys]
	for k, key := range p.Keys {
		s.lists[k] = x.lists[x.look(key)]
	}
	terms := s.mark()
	s.terms = slices.Grow(s.terms, terms)[:terms]
	owns, times := [2]int64{}, 0.0
	for k, l := range s.lists {
		r := s.rarity(int(l.holders))
		owns[Sets] += r
		owns[Counts] += r * int64(p.Counts[k])
		times += float64(p.Counts[k])
		if l.holders > 0 {
			at := s.marks[l.number/64].at(l.number)
			s.terms[at] = term{number: l.number, count: p.Counts[k], rarity: r, list: x.holders[l.first:], held: int(l.holders)}
		}
	}
	for m, own := range owns {
		s.owns[m], s.scales[m] = ownWeight*float64(own), cellOne/float64(own)
	}
	for k := range s.terms {
		t := &s.terms[k]
		r := float64(t.rarity) // what is made of it is rounded up
		t.set, t.fine = cell(r*s.scales[Sets])+1, uint64(r*s.scales[Counts]*(1<<fineBits))+1
	}
	// Two times cellOne fit below the bit compared. Rounding adds no more than this.
	return float64(len(s.terms))+times/(1<<fineBits) < cellOne/2
}

// mark says where each of lists that is not empty has its term, and returns how many terms there are.
func (s *search) mark() (terms int) {
	for _, l := range s.lists {
		if l.holders == 0 {
			continue
		}
		m := &s.marks[l.number/64]
		if m.bits == 0 {
			s.marked = append(s.marked, l.number/64)
		}
		m.bits |= 1 << (l.number % 64)
	}
	for _, k := range s.marked {
		m := &s.marks[k]
		m.first = uint32(terms)
		terms += bits.OnesCount64(m.bits)
	}
	return terms
}

// rank puts the terms in order, and fills in what the rest of them can add to a cell.
func (s *search) rank() {
	s.sortTerms()
	n := len(s.order)
	s.rest = slices.Grow(s.rest[:0], n+1)[:n+1]
	s.rest[n] = 0
	for k, at := range slices.Backward(s.order) {
		t := &s.terms[at]
		s.rest[k] = s.rest[k+1] + t.set + t.times(t.count)
	}
}

// rarity is that of a key which so many prints hold. It is kept, since logarithms are slow.
func (s *search) rarity(holders int) int64 {
	n := s.x.Len()
	if s.raritiesOf != n {
		clear(s.rarities[:])
		s.raritiesOf = n
	}
	if holders >= len(s.rarities) {
		return rarity(n, holders)
	}
	r := &s.rarities[holders]
	if *r == 0 {
		*r = rarity(n, holders)
	}
	return *r
}

// sortTerms puts terms in the order of what they cost, by the first three bits of that.
func (s *search) sortTerms() {
	var ends [4 * 32]int32
	for k := range s.terms {
		t := &s.terms[k]
		t.class = classOf(t)
		ends[t.class]++
	}
	sum := int32(0)
	for c, n := range ends {
		ends[c] = sum
		sum += n
	}
	s.order = slices.Grow(s.order[:0], len(s.terms))[:len(s.terms)]
	for k := range s.terms {
		at := &ends[s.terms[k].class]
		s.order[*at] = int32(k)
		*at++
	}
}

// classOf grows with the number of prints that have a key, up to 2²⁸ of them, for what the key
// is worth by both measures.
func classOf(t *term) uint8 {
	n := uint32(float64(t.held)*(8<<36)/(float64(t.rarity)*(1+float64(t.count)))) + 1
	log := bits.Len32(n)
	return uint8(log<<2 | int(uint64(n)<<2>>(log-1)&3))
}

// compare compares the print at place i in full.
func (s *search) compare(i int) (better bool) {
	if i == s.own {
		return false
	}
	x := s.x
	s.other = x.entries(s.other, i)
	// Which keys are terms nobody can predict, so that this does not branch on it.
	size := len(s.other)
	hits, n := slices.Grow(s.hits[:0], size)[:size], 0
	marks := s.marks
	for _, o := range s.other {
		m := &marks[o.number/64]
		hits[n] = uint64(m.at(o.number)) | uint64(o.times)<<32
		n += int(m.bits >> (o.number % 64) & 1)
	}
	s.hits = hits
	sets, counts, same := int64(0), int64(0), 0
	for _, h := range hits[:n] {
		t, n := &s.terms[uint32(h)], uint32(h>>32)
		if n == t.count {
			same++
		}
		sets += t.rarity
		counts += t.rarity * int64(min(n, t.count))
	}
	equal, row := same == s.keys && same == size, int(x.records[i].row)
	for m, common := range [2]int64{sets, counts} {
		similarity := min(1, float64(common)/(s.owns[m]+float64((1-ownWeight)*float64(x.records[i].weighs[m]))))
		if equal {
			similarity = 2
		}
		if b := &s.best[m]; similarity > b.Similarity || similarity == b.Similarity && row < b.Print {
			*b, better = Match{similarity, row, equal}, true
		}
	}
	return better
}

// A least is what half a cell and what is left must reach for the print to be as similar
// as the best known: a constant, and a part of what the print weighs. That is no less
// than what it has in common with p, so that there is a least for any print.
type least struct{ fixed, weight, any float64 }

// of is the least for a print of some weight.
func (l *least) of(weight int64) float64 { return l.fixed + float64(l.weight*float64(weight)) }

// The leasts are those by both measures.
type leasts [2]least

// reachable says whether any print can be the best by the bound of what it has in common.
func (l *leasts) reachable(bound cell) bool {
	return float64(bound.sets()) >= l[Sets].any || float64(bound.counts()) >= l[Counts].any
}

// reached says whether a bound is enough for a print to be the best.
func (l *leasts) reached(bound cell, weighs *[2]int64) bool {
	return float64(bound.sets()) >= l[Sets].of(weighs[Sets]) || float64(bound.counts()) >= l[Counts].of(weighs[Counts])
}

// rounded is a part of what is computed that what is bounded has at least, since both are rounded some times.
const rounded = 1 - 0x1p-48

func (s *search) least() (l leasts) {
	for m := range l {
		part := rounded * min(1, s.best[m].Similarity) * s.scales[m]
		l[m] = least{part * s.owns[m], part * (1 - ownWeight), rounded * part * s.owns[m] / (1 - part/s.scales[m]*(1-ownWeight))}
	}
	return l
}

// meet fills the cells of all prints that can be the best.
func (s *search) meet() {
	l, seen := s.least(), 0
	for k, at := range s.order {
		t := &s.terms[at]
		// It pays to know a good print before a long list, not for each short one.
		if t.held > max(fewHolders, seen/4) && s.promising() {
			l = s.least()
		}
		// Prints not met have keys among the rest alone.
		if !l.reachable(s.rest[k]) {
			s.order = s.order[:k]
			break
		}
		s.add(t)
		seen += t.held
	}
	s.left = s.rest[len(s.order)]
}

// fewHolders are added in less time than it takes to compare a print.
const fewHolders = 24

// add adds a term to the cells of the prints that have the key. Which prints are new and how
// often they have the key nobody can predict, so that the loop does not branch on it. A count
// that a unit has no room for bounds nothing.
func (s *search) add(t *term) {
	t.added = true
	// What a cell gains, by how often the print has the key less one.
	var gains [manyTimes + 1]cell
	for i := range gains {
		gains[i] = t.set + t.times(min(uint32(i)+1, t.count))
	}
	gains[manyTimes] = t.set + t.times(t.count)
	cells, met, n := s.cells, s.met[:s.x.Len()+1], len(s.met)
	list, place, k := t.list, ^uint32(0), 0
	for range t.held {
		u := uint32(list[k])
		step := u >> timesBits
		k++
		if step >= 1<<stepBits {
			step = step&(1<<stepBits-1)<<16 | uint32(list[k])
			k++
		}
		place += step
		c := cells[place]
		met[n] = place
		cells[place] = c + gains[u&manyTimes]
		if c == 0 {
			n++
		}
	}
	s.met = met[:n]
}

// promising compares in full the print that has most in common with p so far, of those that
// were not compared, and says whether it is the best by some measure.
func (s *search) promising() bool {
	top := int64(0)
	for _, i := range s.met {
		top = max(top, s.cells[i].sum()<<32|int64(i))
	}
	if top == 0 {
		return false
	}
	i := uint32(top)
	s.cells[i] = compared
	return s.compare(int(i))
}

// settle compares in full the prints met that can still be the best. The keys that are left
// are common: of many it is known who has them.
func (s *search) settle() {
	known := s.ask()
	l := s.least()
	cells := s.sift(&l)
	// Records are far apart in memory: the processor begins to read all before one is used.
	s.touched = 0
	for _, i := range s.met[:len(cells)] {
		s.touched += s.x.records[i].row
	}
	for k, i := range s.met[:len(cells)] {
		r, bound := &s.x.records[i], cells[k]+s.left
		if l.reached(bound, &r.weighs) && l.reached(bound-known+s.answered(r.common), &r.weighs) && s.compare(int(i)) {
			l = s.least()
		}
	}
	s.met = s.met[:0]
}

// sift moves to the front the prints met whose cells, with all that is left, are enough for
// the lightest print of their block to be the best, and returns their cells. It empties all
// cells. Which prints these are nobody can predict, so that the loop does not branch.
func (s *search) sift(l *leasts) []cell {
	needs, block := s.fillNeeds(l), s.x.block
	sums, n := slices.Grow(s.sums[:0], len(s.met)+1)[:len(s.met)+1], 0
	cells, met := s.cells, s.met
	for _, i := range met {
		c, need := cells[i], &needs[i>>block]
		cells[i] = 0
		met[n], sums[n] = i, c
		// Negative where the print has less than it needs, by both measures.
		lacks := (c.sets() - need[Sets]) & (c.counts() - need[Counts])
		n += int((uint32(lacks)|uint32(c))>>31 ^ 1) // the high bit of a cell is compared
	}
	s.sums = sums
	return sums[:n]
}

// fillNeeds returns, for each block, what cells must have at least for one of its prints
// to be the best if it has all that is left too.
func (s *search) fillNeeds(l *leasts) [][2]int32 {
	lightest := s.x.lightest
	s.needs = slices.Grow(s.needs[:0], len(lightest))[:len(lightest)]
	sets, counts := s.left.sets(), s.left.counts()
	for b, w := range lightest {
		s.needs[b] = [2]int32{int32(min(most, l[Sets].of(w[Sets]))) - sets, int32(min(most, l[Counts].of(w[Counts]))) - counts}
	}
	return s.needs
}

// most is more than half a cell ever has.
const most = 2 * cellOne

// ask fills in what the common pairs are worth to the cells of prints that have them,
// for terms that are not in the cells yet, and returns the sum.
func (s *search) ask() (sum cell) {
	common := s.x.common
	for four := range s.answers {
		of := &s.answers[four]
		for k := range 4 {
			b := 4*four + k
			gain := s.answer(common[b])
			for set := range 1 << k {
				of[1<<k|set] = of[set] + gain
			}
		}
		sum += of[15]
	}
	return sum
}

// answer is what a cell gains by a key that occurs so often, and not by one less.
func (s *search) answer(p pair) cell {
	m := &s.marks[p.number/64]
	if p.times == 0 || m.bits>>(p.number%64)&1 == 0 {
		return 0
	}
	t := &s.terms[m.at(p.number)]
	if p.times > t.count || t.added {
		return 0
	}
	gain := t.times(p.times) - t.times(p.times-1)
	if p.times == 1 {
		gain += t.set
	}
	return gain
}

// answered is what a cell gains by the common pairs of a print.
func (s *search) answered(common uint64) (sum cell) {
	for four := range s.answers {
		sum += s.answers[four][common&15]
		common >>= 4
	}
	return sum
}
