package fingerprint

import (
	"slices"
	"unsafe"

	"baca/algo/internal/kernel"
)

// rows are bit masks over the places of a small index. A row marks the prints that have a key at least once, twice and so
// on. A processor that adds by masks computes from them an upper bound on what each print has in common with another
// print. This is faster than search.meet and leaves two or three prints to compare. Keys with few holders have no
// rows, because going through their lists is faster.
type rows struct {
	words uint32   // of a row
	bits  []uint64 // all rows
	// of has, by number of a key, the number of its rows in the low rowBits, and above them the word of bits
	// where they begin.
	of []uint32
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
// prints, or if the processor cannot add by masks.
func (x *Index) withRows() *rows {
	if x.Len() == 0 || x.Len() > mostRowed || !useRows {
		return nil
	}
	x.once.Do(func() { x.rows = newRows(x) })
	return x.rows
}

// newRows makes the rows of an index.
func newRows(x *Index) *rows {
	r := &rows{words: uint32(strips(x.Len()) / 64), of: make([]uint32, len(x.keys))}
	for k := range x.keys {
		least, l := x.Len()/rowedPart, x.lists[k]
		if int(l.holders) <= least {
			continue
		}
		var have [mostRows + 1]int // prints by count; the last includes higher ones
		for _, times := range x.holdersOf(k) {
			have[min(times, mostRows)]++
		}
		n := 1 // at mostRows, none are left
		for left := int(l.holders) - have[1]; left > least; n++ {
			left -= have[n+1]
		}
		begin := len(r.bits)
		r.of[l.number] = uint32(begin)<<rowBits | uint32(n)
		r.bits = append(r.bits, make([]uint64, n*int(r.words))...)
		for place, times := range x.holdersOf(k) {
			for row := range min(int(times), n) {
				r.bits[begin+row*int(r.words)+int(place)/64] |= 1 << (place % 64)
			}
		}
	}
	return r
}

// strips returns the number of cells for n prints, rounded up to whole strips of the kernel.
func strips(n int) int { return (n + kernel.Strip - 1) / kernel.Strip * kernel.Strip }

// searchRows replaces meet and settle for an index with rows.
func (s *search) searchRows(r *rows) {
	cells := s.cells[:r.words*64]
	s.at, s.gains = s.at[:0], s.gains[:0]
	for k := range s.terms {
		t := &s.terms[k]
		row, n := r.of[t.number]>>rowBits, min(t.count, r.of[t.number]&mostRows)
		if n == 0 {
			s.add(t)
			continue
		}
		gain, sum := t.set, cell(0) // of this row, and of the rows so far with counts
		for times := uint32(1); times <= n; times++ {
			upTo := t.times(times)
			if times == n {
				upTo = t.times(t.count)
			}
			s.at, s.gains = append(s.at, row), append(s.gains, uint32(gain+upTo-sum))
			gain, sum = 0, upTo
			row += r.words
		}
	}
	s.tops = slices.Grow(s.tops[:0], len(cells)/kernel.Top)[:len(cells)/kernel.Top]
	kernel.AddWhere(unsafe.Slice((*uint32)(unsafe.SliceData(cells)), len(cells)), s.tops, r.bits, s.at, s.gains)
	s.compareAbove(cells)
	clear(cells)
	s.met = s.met[:0]
}

// compareAbove compares in full the prints whose cells may reach the best similarity. It begins with the print that
// seems the best by each measure.
func (s *search) compareAbove(cells []cell) {
	x := s.x
	for m := range Measure(2) {
		b, shift := s.likeliest(m), 16*m
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
		if !l.reached(cell(s.tops[b]), &x.lightest[b]) {
			continue
		}
		for k, c := range cells[b*kernel.Top:][:kernel.Top] {
			if i := b*kernel.Top + k; c != 0 && l.reached(c, &x.records[i].weighs) && s.compare(i) {
				l = s.least()
			}
		}
	}
}

// likeliest returns the block that seems to hold the best print by a measure.
func (s *search) likeliest(m Measure) (block int) {
	have, of := 0.0, 1.0
	for b := range s.x.lightest {
		h := float64(s.tops[b] >> (16 * m) & 0xffff)
		if w := s.owns[m] + float64((1-ownWeight)*float64(s.x.lightest[b][m])); h*of > have*w {
			have, of, block = h, w, b
		}
	}
	return block
}
