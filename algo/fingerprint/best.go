package fingerprint

import (
	"math/bits"
	"slices"
	"sync"
)

// A Match is the print of an index that is most similar to another print, and that similarity.
type Match struct {
	Similarity float64
	Print      int  // the number of the print, or −1 if there is none
	Equal      bool // the prints are equal, and Similarity is 1
}

// Best returns the print most similar to p by the similarity of Closest, as sets and with counts. A print equal to p is
// the best by both. Of equally similar prints it returns the first. novel is the number of p's keys that no print has.
// own, unless negative, is a print of the index to leave out.
//
// The search is exact and reads a small part of the index. It takes keys from rare to common, those that occur often in
// p sooner. The weight of the remaining keys bounds the similarity of prints that no key has led to. With the sum so far
// it also bounds the similarity of the others. Once no new print can be the best, the remaining keys are common ones, and
// the bits of each print tell which of them it has. The lightest print of a block may rule out the whole block. Only
// prints whose bound reaches the best known similarity are compared in full. A small index is searched by rows, see rows,
// where the kernel has vector code for them.
func (x *Index) Best(p Print, own int) (best [2]Match, novel int) {
	s := searchSpare.Get().(*search)
	s.begin(x, own)
	s.rows = x.withRows()
	switch {
	case len(p.Keys) == 0:
		s.empty()
	case !s.take(p):
		for i := range x.Len() {
			s.compare(i)
		}
	case s.rows != nil:
		s.searchRows()
	default:
		s.rank()
		s.meet()
		s.settle()
	}
	best, novel = s.best, s.novel
	s.end()
	searchSpare.Put(s)
	for m := range best {
		if best[m].Equal {
			best[m].Similarity = 1
		}
	}
	return best, novel
}

// searchSpare keeps the memory of Best from call to call.
var searchSpare = sync.Pool{New: func() any { return new(search) }}

// A search is one call of Best.
type search struct {
	x     *Index
	rows  *rows // if the search goes by them, else nil
	own   int   // place of the print to leave out, or −1
	keys  int   // number of the print's keys
	novel int   // number of its keys that no other print has

	terms  []term   // the print's keys that the index has, in the order of marks
	marks  []mark   // one for 64 numbers; all 0 between calls
	marked []uint32 // marks that are not 0
	other  []entry  // the print that is being compared
	hits   []uint64 // its keys that are terms: the count above the index of the term
	lists  []list   // of the keys of the print
	order  []int32  // terms by approximate cost
	rest   []cell   // the most that the terms from an index of order on add to a cell
	scales [2]float64
	owns   [2]float64 // ownWeight times the weight of the print
	best   [2]Match   // an equal print has similarity 2

	answers [commonPairs / 4][16]cell // what each set of four common pairs adds to a cell

	cells []cell     // of each print of the index; all 0 between calls
	met   []uint32   // places of prints whose cells are not 0; the capacity exceeds the prints by one
	left  cell       // the most that the terms not added yet add to a cell
	needs [][2]int32 // for each block, the least that a cell needs
	sums  []cell     // the cells of met

	at, gains, tops []uint32 // rows, what they add, and the largest cells of blocks

	touched uint32 // keeps the compiler from removing a loop that only reads

	rarities   [1 << 12]int64 // by number of holders among raritiesOf prints; 0 if not computed yet
	raritiesOf int
}

// A term is a key that both the print and the index have.
type term struct {
	number uint32
	count  uint32 // in the print
	rarity int64
	set    cell   // what the key adds to a cell as sets
	fine   uint64 // what one occurrence adds to a cell with counts, times 2^fineBits
	first  uint32 // where its holders begin
	held   uint32 // number of holders
	class  uint8  // see classOf
	added  bool   // the key is in the cells
}

// times returns what n occurrences of the key add to a cell, with counts.
func (t *term) times(n uint32) cell {
	return cell((uint64(n)*t.fine+1<<fineBits-1)>>fineBits) << 16
}

// fineBits are extra bits that keep the rounding error small for keys that occur often.
const fineBits = 16

// A mark covers 64 numbers: a bit for each that is a term, and the index of the first such term.
type mark struct {
	bits  uint64
	first uint32
}

// at returns the index of the term with a number. The result means nothing if there is no such term.
func (m *mark) at(number uint32) uint32 {
	return m.first + uint32(bits.OnesCount64(m.bits&(1<<(number%64)-1)))
}

// A cell is an upper bound on what a print has in common with p: as sets in the low half, with counts in the high half,
// in units of which all of p has about cellOne. It is small, so that the cells of many prints fit into a cache. After the
// print has been compared in full, the cell is just the bit compared.
type cell uint32

const (
	cellOne  = 1 << 14
	compared = 1 << 31
)

func (c cell) sets() int32   { return int32(c & 0xffff) }
func (c cell) counts() int32 { return int32(c >> 16) }

// sum adds both halves. It is negative for a print that has been compared.
func (c cell) sum() int64 { return int64(int32(c)>>16 + c.sets()) }

// begin prepares the search for the index x without its print own. The first other print is the best so far.
func (s *search) begin(x *Index, own int) {
	s.x, s.own, s.novel = x, -1, 0
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
	s.x, s.rows, s.terms, s.marked = nil, nil, s.terms[:0], s.marked[:0]
}

// empty finds a print without keys for a p without keys, which has nothing in common with other prints.
func (s *search) empty() {
	for i, place := range s.x.places {
		if int(place) != s.own && s.x.size(int(place)) == 0 {
			s.best = [2]Match{{1, i, true}, {1, i, true}}
			return
		}
	}
}

// take prepares the keys of p. It returns false if they are too many for cells.
func (s *search) take(p Print) bool {
	x := s.x
	s.keys = len(p.Keys)
	// Lists are far apart in memory: look all up first.
	s.lists = slices.Grow(s.lists[:0], s.keys)[:s.keys]
	for k, key := range p.Keys {
		s.lists[k] = x.lists[x.look(key)]
	}
	terms := s.mark()
	s.terms = slices.Grow(s.terms, terms)[:terms]
	owns, times, leave := [2]int64{}, 0.0, uint32(0)
	if s.own >= 0 {
		leave = 1
	}
	for k, l := range s.lists {
		if l.holders <= leave {
			s.novel++
		}
		r := s.rarity(int(l.holders))
		owns[Sets] += r
		owns[Counts] += r * int64(p.Counts[k])
		times += float64(p.Counts[k])
		if l.holders > 0 {
			at := s.marks[l.number/64].at(l.number)
			s.terms[at] = term{number: l.number, count: p.Counts[k], rarity: r, first: l.first, held: l.holders}
		}
	}
	for m, own := range owns {
		s.owns[m], s.scales[m] = ownWeight*float64(own), cellOne/float64(own)
	}
	// A row adds the same to both halves of a cell. So rounding adds at most one for each occurrence, which may be too much.
	if times >= cellOne/2 {
		s.rows = nil
	} else if s.rows != nil {
		s.scales[Sets] = s.scales[Counts]
	}
	for k := range s.terms {
		t := &s.terms[k]
		r := float64(t.rarity) // both results are rounded up
		t.set, t.fine = cell(r*s.scales[Sets])+1, uint64(r*s.scales[Counts]*(1<<fineBits))+1
		if s.rows != nil {
			t.fine = uint64(t.set) << fineBits
		}
	}
	// 2·cellOne fits below the bit compared. Rounding adds at most this much.
	return float64(len(s.terms))+times/(1<<fineBits) < cellOne/2
}

// mark numbers the terms, one for each nonempty list, and returns how many there are.
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

// rank orders the terms by cost and computes rest.
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

// rarity returns the rarity of a key that so many prints have. It caches it, since logarithms are slow.
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

// sortTerms sorts terms by classOf.
func (s *search) sortTerms() {
	var ends [4 * 32]int32
	for k := range s.terms {
		t := &s.terms[k]
		t.class = classOf(t)
		ends[t.class]++
	}
	accumulate(ends[:])
	s.order = slices.Grow(s.order[:0], len(s.terms))[:len(s.terms)]
	for k := range s.terms {
		at := &ends[s.terms[k].class]
		s.order[*at] = int32(k)
		*at++
	}
}

// classOf returns the leading three bits of a term's cost with their exponent. The cost is the number of its holders, up
// to 2²⁸, in relation to its rarity by both measures.
func classOf(t *term) uint8 {
	n := uint32(float64(t.held)*(8<<36)/(float64(t.rarity)*(1+float64(t.count)))) + 1
	log := bits.Len32(n)
	return uint8(log<<2 | int(uint64(n)<<2>>(log-1)&3))
}

// compare compares the print at place i in full. It reports whether the print is the best so far by some measure.
func (s *search) compare(i int) (better bool) {
	if i == s.own {
		return false
	}
	x := s.x
	var other []entry
	if s.rows != nil {
		other = s.rows.entriesOf(i)
	} else {
		s.other = x.entries(s.other, i)
		other = s.other
	}
	// Which keys are terms is unpredictable, so the loop does not branch on it.
	size := len(other)
	hits, n := slices.Grow(s.hits[:0], size)[:size], 0
	marks := s.marks
	for _, o := range other {
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

// A least is what a print needs to be as similar as the best one so far: the least bound, by one measure, in units of
// cells. For a print of a known weight it is fixed + weight·(its weight). any holds for all prints, since a print weighs
// no less than what it has in common with p.
type least struct{ fixed, weight, any float64 }

// of returns the least for a print of a weight.
func (l *least) of(weight float64) float64 { return l.fixed + float64(l.weight*weight) }

// leasts are the leasts by both measures.
type leasts [2]least

// reachable reports whether some print with this bound can be the best.
func (l *leasts) reachable(bound cell) bool {
	return float64(bound.sets()) >= l[Sets].any || float64(bound.counts()) >= l[Counts].any
}

// reached reports whether a print of these weights with this bound can be the best.
func (l *leasts) reached(bound cell, weighs *[2]int64) bool {
	return l.reachedBy(bound, &[2]float64{float64(weighs[Sets]), float64(weighs[Counts])})
}

// reachedBy is reached for weights that are float64 already.
func (l *leasts) reachedBy(bound cell, weighs *[2]float64) bool {
	return float64(bound.sets()) >= l[Sets].of(weighs[Sets]) || float64(bound.counts()) >= l[Counts].of(weighs[Counts])
}

// rounded allows for the rounding of a least and of the similarity it stands for.
const rounded = 1 - 0x1p-48

// least returns what a print needs at present. For a similarity common/(owns + (1−ownWeight)·weight) of need or more its
// common must be need·owns + need·(1−ownWeight)·weight. The lightest print has a weight of common: that gives any.
func (s *search) least() (l leasts) {
	for m := range l {
		need := rounded * min(1, s.best[m].Similarity) // an equal print has a similarity of 2
		part := need * s.scales[m]
		l[m] = least{
			fixed: part * s.owns[m], weight: part * (1 - ownWeight),
			any: rounded * part * s.owns[m] / (1 - part/s.scales[m]*(1-ownWeight)),
		}
	}
	return l
}

// meet adds terms to the cells of the prints that have them, until no further print can be the best.
func (s *search) meet() {
	l, seen := s.least(), 0
	for k, at := range s.order {
		t := &s.terms[at]
		// Knowing a good print pays before a long list, not before each short one.
		if int(t.held) > max(fewHolders, seen/4) && s.promising() {
			l = s.least()
		}
		// Prints not met have only keys of the rest.
		if !l.reachable(s.rest[k]) {
			s.order = s.order[:k]
			break
		}
		s.add(t)
		seen += int(t.held)
	}
	s.left = s.rest[len(s.order)]
}

// fewHolders is the number of holders that takes less time to add than one print to compare.
const fewHolders = 24

// add adds a term to the cells of the prints that have its key. For a count that does not fit into a unit it adds the
// count of p, an upper bound.
func (s *search) add(t *term) {
	t.added = true
	// The gain of a cell, by the print's count less one.
	var gains [manyTimes + 1]cell
	most := t.set + t.times(t.count)
	for i := range gains {
		gains[i] = most
	}
	for n := uint32(1); n < min(t.count, manyTimes+1); n++ {
		gains[n-1] = t.set + t.times(n)
	}
	gains[manyTimes] = most
	s.met = meet(s.met, s.cells, s.x.holders[t.first:], int(t.held), &gains)
}

// meet adds the gain by its count to the cell of each holder in units, and the places whose cells were 0 to met, which has
// room for one more than all. Which prints are new and how often they have the key is unpredictable, so the loop does not
// branch on it.
func meet(met []uint32, cells []cell, units []uint16, holders int, gains *[manyTimes + 1]cell) []uint32 {
	n, place, k := len(met), ^uint32(0), 0
	met = met[:cap(met)]
	for range holders {
		u := uint32(units[k])
		step := u >> timesBits
		k++
		if step >= 1<<stepBits {
			step = step&(1<<stepBits-1)<<16 | uint32(units[k])
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
	return met[:n]
}

// promising compares in full the print with the largest cell of those not compared yet. It reports whether this print is
// the best so far by some measure.
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

// settle compares in full the prints with cells that may still be the best. Most remaining keys are common ones, and the
// bits in the records tell which prints have them.
func (s *search) settle() {
	known := s.ask()
	l := s.least()
	cells := s.sift(&l)
	// Records are far apart in memory: start reading all before using one.
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

// sift returns the cells of the prints that may be the best if they have everything that is left and the weight of the
// lightest print of their block. It moves these prints to the front of met. It clears all cells. Which prints pass is
// unpredictable, so the loop does not branch.
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

// fillNeeds returns the least cell, by block and measure, with which a print may be the best if it has everything that
// is left.
func (s *search) fillNeeds(l *leasts) [][2]int32 {
	lightest := s.x.lightest
	s.needs = slices.Grow(s.needs[:0], len(lightest))[:len(lightest)]
	sets, counts := s.left.sets(), s.left.counts()
	for b, w := range lightest {
		s.needs[b] = [2]int32{int32(min(most, l[Sets].of(w[Sets]))) - sets, int32(min(most, l[Counts].of(w[Counts]))) - counts}
	}
	return s.needs
}

// most exceeds any half of a cell.
const most = 2 * cellOne

// ask computes what sets of common pairs add to a cell, for terms that are not in the cells yet. It returns the sum over
// all pairs.
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

// answer returns what the last occurrence that a pair asks for adds to a cell.
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

// answered returns what the common pairs of a print add to its cell, from the tables that ask made for four pairs each.
// A bit of common is set for each pair that the print has.
func (s *search) answered(common uint64) (sum cell) {
	for four := range s.answers {
		sum += s.answers[four][common&15]
		common >>= 4
	}
	return sum
}
