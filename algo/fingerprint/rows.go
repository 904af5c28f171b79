package fingerprint

import (
	"slices"
	"unsafe"

	"baca/algo/internal/kernel"
)

// rows are bit masks over the places of a small index. A row marks the prints that have a key at least once, twice and so
// on. The kernel computes from them an upper bound on what each print has in common with another print. This is faster than
// search.meet and leaves three or four prints to compare. Keys with few holders have no rows, because going through their
// lists is faster.
type rows struct {
	words uint32   // of a row
	bits  []uint64 // all rows
	// of has, by number of a key, the number of its rows in the low rowBits, and above them the word of bits
	// where they begin. It ends with the last key that has rows.
	of []uint32
	// entries are those of all prints, since reading packed ones takes most of the time to compare a print. Those of a place
	// begin at its first.
	entries []entry
	first   []uint32
}

const (
	// mostRowed is the most prints for which an index is small.
	mostRowed = maxBlocks * minBlock
	// A key that at most one in rowedPart prints has gets no row, because adding them one by one is faster. This also
	// bounds the memory of rows by a small multiple of the counts.
	rowedPart = 32
	// rowBits hold the number of a key's rows. The last row of mostRows stands for all higher counts.
	rowBits  = 4
	mostRows = 1<<rowBits - 1
)

// minBlock must equal kernel.Top: the kernel finds the largest cell of each block.
var _ = [1]struct{}{}[minBlock-kernel.Top]

// useRows reports whether rows help. Only tests change it.
var useRows = kernel.HasMasks()

// withRows returns the rows, made by the first call. It returns nil if the index is empty or has more than mostRowed
// prints, or if the kernel has no vector code for rows.
func (x *Index) withRows() *rows {
	if x.Len() == 0 || x.Len() > mostRowed || !useRows {
		return nil
	}
	x.once.Do(func() { x.rows = newRows(x) })
	return x.rows
}

// newRows makes the rows of an index.
func newRows(x *Index) *rows {
	r := &rows{words: uint32(strips(x.Len()) / 64), first: make([]uint32, x.Len()+1)}
	least, rowed, entries := x.Len()/rowedPart, 0, 0
	for _, l := range x.lists {
		entries += int(l.holders)
		if int(l.holders) > least { // these keys have the lowest numbers
			rowed++
		}
	}
	have := make([][mostRows + 1]int, rowed) // prints by count; the last includes higher ones
	r.entries = make([]entry, 0, entries)
	for place := range x.Len() {
		list := x.entries(r.entries[len(r.entries):], place)
		for _, e := range list {
			if int(e.number) < rowed {
				have[e.number][min(e.times, mostRows)]++
			}
		}
		r.entries = r.entries[:len(r.entries)+len(list)]
		r.first[place+1] = uint32(len(r.entries))
	}
	begin := 0
	for number := range have {
		n := 1 // at mostRows, none are left
		for left := int(x.lists[x.look(x.names[number])].holders) - have[number][1]; left > least; n++ {
			left -= have[number][n+1]
		}
		r.of = append(r.of, uint32(begin)<<rowBits|uint32(n))
		begin += n * int(r.words)
	}
	r.bits = make([]uint64, begin)
	for place := range x.Len() {
		for _, e := range r.entriesOf(place) {
			if int(e.number) < rowed {
				row := r.of[e.number]>>rowBits + uint32(place/64)
				for range min(e.times, r.of[e.number]&mostRows) {
					r.bits[row] |= 1 << (place % 64)
					row += r.words
				}
			}
		}
	}
	return r
}

// entriesOf returns the entries of the print at a place.
func (r *rows) entriesOf(place int) []entry { return r.entries[r.first[place]:r.first[place+1]] }

// strips returns the number of cells for n prints, rounded up to whole strips of the kernel.
func strips(n int) int { return (n + kernel.Strip - 1) / kernel.Strip * kernel.Strip }

// searchRows replaces meet and settle for an index with rows.
func (s *search) searchRows() {
	r := s.rows
	cells := s.cells[:r.words*64]
	s.at, s.gains = s.at[:0], s.gains[:0]
	for k := range s.terms {
		t := &s.terms[k]
		if int(t.number) >= len(r.of) {
			s.add(t)
			continue
		}
		s.at, s.gains = append(s.at, r.of[t.number]>>rowBits), append(s.gains, uint32(t.set|t.set<<16))
	}
	both := len(s.at) // further occurrences add to counts only
	for k := range s.terms {
		t := &s.terms[k]
		if t.count == 1 || int(t.number) >= len(r.of) {
			continue
		}
		row, n := r.of[t.number]>>rowBits, min(t.count, r.of[t.number]&mostRows)
		for range n - 1 {
			row += r.words
			s.at, s.gains = append(s.at, row), append(s.gains, uint32(t.set<<16))
		}
		if n < t.count { // the last row stands for all that follow
			s.at, s.gains = append(s.at, row), append(s.gains, uint32(t.set<<16)*(t.count-n))
		}
	}
	s.tops = slices.Grow(s.tops[:0], len(cells)/kernel.Top)[:len(cells)/kernel.Top]
	kernel.AddWhere(unsafe.Slice((*uint32)(unsafe.SliceData(cells)), len(cells)), s.tops, r.bits, s.at, s.gains, both)
	s.compareAbove(cells)
	clear(cells)
	s.met = s.met[:0]
}

// compareAbove compares in full the prints whose cells may reach the best similarity. It begins with the print that
// seems the best by each measure.
func (s *search) compareAbove(cells []cell) {
	x := s.x
	for m, b := range s.likeliest() {
		shift := 16 * m
		block := cells[b*kernel.Top:][:kernel.Top]
		for k, c := range block {
			if c != 0 && uint32(c)>>shift&0xffff == s.tops[b]>>shift&0xffff {
				block[k] = 0
				s.compare(b*kernel.Top + k)
				break
			}
		}
	}
	l := s.least()
	for b := range x.lightest {
		if !l.reachedBy(cell(s.tops[b]), &x.lightest[b]) {
			continue
		}
		for k, c := range cells[b*kernel.Top:][:kernel.Top] {
			if i := b*kernel.Top + k; c != 0 && l.reached(c, &x.records[i].weighs) && s.compare(i) {
				l = s.least()
			}
		}
	}
}

// likeliest returns, by measure, the block that seems to hold the best print: the one with the largest cell.
func (s *search) likeliest() (blocks [2]int) {
	var most [2]int32
	for b := range s.x.lightest {
		top := cell(s.tops[b])
		if h := top.sets(); h > most[Sets] {
			most[Sets], blocks[Sets] = h, b
		}
		if h := top.counts(); h > most[Counts] {
			most[Counts], blocks[Counts] = h, b
		}
	}
	return blocks
}
