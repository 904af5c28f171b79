// Package tanimoto finds the sets of keys that are most similar to another: those with the largest |a ∩ b| / |a ∪ b|.
package tanimoto

import (
	"cmp"
	"math/bits"
	"slices"

	"baca/algo/fingerprint"
)

// An Index holds sets to search. It is read-only; goroutines may share it.
type Index struct {
	keys    []uint32 // of all sets, ascending
	finder  *fingerprint.Finder
	first   []uint32 // offsets of each key in holders, and the end
	holders []uint32 // the ascending numbers of the sets with each key
	bit     []uint16 // of each key in common, maxCommon for keys that are not common
	sizes   []uint32 // of each set
	common  []mask   // the common keys of each set
	rare    []uint32 // the other keys of each set, by their numbers
	begins  []uint32 // offsets of each set in rare, and the end
}

// The maxCommon keys that most sets have are common. They are most of a molecule's keys.
const maxCommon = 256

// A mask has a bit for each common key.
type mask [maxCommon / 64]uint64

func (m *mask) set(bit uint16) { m[bit/64] |= 1 << (bit % 64) }

func (m *mask) shared(other *mask) (n int) {
	for k, word := range m {
		n += bits.OnesCount64(word & other[k])
	}
	return n
}

// New returns an index of sets of ascending keys, each once. No set may have 2¹⁶ keys.
func New(sets [][]uint32) *Index {
	total := 0
	for _, s := range sets {
		total += len(s)
	}
	pairs := make([]uint64, 0, total)
	for i, s := range sets {
		for _, key := range s {
			pairs = append(pairs, uint64(key)<<32|uint64(i))
		}
	}
	slices.Sort(pairs)
	x := &Index{holders: make([]uint32, total), sizes: make([]uint32, len(sets)), common: make([]mask, len(sets))}
	for k, pair := range pairs {
		if key := uint32(pair >> 32); k == 0 || key != x.keys[len(x.keys)-1] {
			x.keys, x.first = append(x.keys, key), append(x.first, uint32(k))
		}
		x.holders[k] = uint32(pair)
	}
	x.first = append(x.first, uint32(total))
	x.finder = fingerprint.NewFinder(x.keys)
	x.bit = slices.Repeat([]uint16{maxCommon}, len(x.keys))
	byHolders := make([]uint64, len(x.keys))
	for k := range byHolders {
		byHolders[k] = uint64(len(x.list(k)))<<32 | uint64(k)
	}
	slices.Sort(byHolders)
	for bit, k := range byHolders[max(0, len(x.keys)-maxCommon):] {
		x.bit[uint32(k)] = uint16(bit)
	}
	x.begins = make([]uint32, 1, len(sets)+1)
	for i, s := range sets {
		x.sizes[i] = uint32(len(s))
		for _, key := range s {
			k, _ := x.finder.Find(key)
			if x.bit[k] < maxCommon {
				x.common[i].set(x.bit[k])
			} else {
				x.rare = append(x.rare, uint32(k))
			}
		}
		x.begins = append(x.begins, uint32(len(x.rare)))
	}
	return x
}

// list is the sets with key number k.
func (x *Index) list(k int) []uint32 { return x.holders[x.first[k]:x.first[k+1]] }

// Keys returns all keys, ascending, which must not be changed.
func (x *Index) Keys() []uint32 { return x.keys }

// With returns the numbers of the sets with a key, ascending.
func (x *Index) With(key uint32) []uint32 {
	if k, found := x.finder.Find(key); found {
		return x.list(k)
	}
	return nil
}

// A Search is one goroutine's workspace.
type Search struct {
	x     *Index
	size  int      // of the query
	terms []uint64 // keys of the query that the index has, from rare to common: number of holders, number of the key
	marks []uint64 // a bit for each key of the query; all 0 between searches
	query mask     // its common keys
	cells []uint16 // common keys of each set that were visited; all 0 between searches
	met   []uint32 // sets with some, and room for one more
}

// NewSearch returns a workspace for an index.
func NewSearch(x *Index) *Search {
	n := len(x.sizes)
	return &Search{x: x, cells: make([]uint16, n), met: make([]uint32, 0, n+1), marks: make([]uint64, len(x.bit)/64+1)}
}

func (s *Search) begin(keys []uint32) {
	s.size, s.terms, s.query = len(keys), s.terms[:0], mask{}
	for _, key := range keys {
		k, found := s.x.finder.Find(key)
		if !found {
			continue
		}
		s.terms = append(s.terms, uint64(len(s.x.list(k)))<<32|uint64(k))
		s.marks[k/64] |= 1 << (k % 64)
		if bit := s.x.bit[k]; bit < maxCommon {
			s.query.set(bit)
		}
	}
	slices.Sort(s.terms)
}

// end forgets the query.
func (s *Search) end() {
	for _, t := range s.terms {
		s.marks[uint32(t)/64] = 0
	}
}

// similarity is that of set i to the query.
func (s *Search) similarity(i uint32) float64 {
	x := s.x
	n := s.query.shared(&x.common[i])
	for _, k := range x.rare[x.begins[i]:x.begins[i+1]] {
		n += int(s.marks[k/64] >> (k % 64) & 1)
	}
	return fingerprint.Tanimoto(n, s.size, int(x.sizes[i]))
}

// add visits a term. Which sets are new is unpredictable, so the loop does not branch on it.
func (s *Search) add(term uint64) {
	cells, met, n := s.cells, s.met[:cap(s.met)], len(s.met)
	for _, i := range s.x.list(int(uint32(term))) {
		c := cells[i]
		cells[i], met[n] = c+1, i
		if c == 0 {
			n++
		}
	}
	s.met = met[:n]
}

// Nearest returns the similarity of the set except skip that is most similar to keys, −1 without sets.
//
// It visits keys from rare to common. A set without any visited key has at most the remaining keys in common. Once that
// is too few for the best, only sets that were met remain, see sift.
func (s *Search) Nearest(keys []uint32, skip int) (best float64) {
	s.begin(keys)
	best = -1
	left, visited, probed := len(s.terms), 0, 0
	for _, t := range s.terms {
		if float64(left)/float64(s.size) <= best {
			break
		}
		s.add(t)
		left--
		// Knowing a good set pays once finding it takes less time than was spent since the last one.
		if visited += int(t >> 32); visited >= 2*probed {
			probed = visited
			if i := s.fullest(skip); i >= 0 {
				best = max(best, s.similarity(uint32(i)))
			}
		}
	}
	s.sift(left, max(0, best), func(i uint32, bound float64) {
		if bound > best && int(i) != skip {
			best = max(best, s.similarity(i))
		}
	})
	if best < 0 { // nothing has a key in common
		for i := range s.x.sizes {
			if i != skip {
				best = max(best, s.similarity(uint32(i)))
			}
		}
	}
	s.end()
	return best
}

// Within appends to list the sets that are at least so similar to keys, in no order. The similarity is above 0.
func (s *Search) Within(list []uint32, keys []uint32, least float64) []uint32 {
	if len(keys) == 0 { // two empty sets are equal
		for i, size := range s.x.sizes {
			if size == 0 {
				list = append(list, uint32(i))
			}
		}
		return list
	}
	s.begin(keys)
	left := len(s.terms)
	for _, t := range s.terms {
		if float64(left) < least*float64(s.size) {
			break
		}
		s.add(t)
		left--
	}
	s.sift(left, least, func(i uint32, bound float64) {
		if bound >= least && s.similarity(i) >= least {
			list = append(list, i)
		}
	})
	s.end()
	return list
}

// fullest is the set met except skip with the most common keys so far, −1 without one.
func (s *Search) fullest(skip int) (best int) {
	best, most := -1, uint16(0)
	for _, i := range s.met {
		if c := s.cells[i]; c > most && int(i) != skip {
			best, most = int(i), c
		}
	}
	return best
}

// sift passes on the sets met that may be at least so similar with left keys to visit, each with a bound of its
// similarity, and forgets all. Few pass, so the loop over all does not branch.
func (s *Search) sift(left int, least float64, pass func(i uint32, bound float64)) {
	// a ∩ b needs at least the share least/(1+least) of |a|+|b|, here less a rounding.
	x, n, share := s.x, 0, uint64(max(0, least/(1+least)*(1<<32)-1))
	for _, i := range s.met {
		s.met[n] = i
		if uint64(int(s.cells[i])+left)<<32 >= share*uint64(s.size+int(x.sizes[i])) {
			n++
		} else {
			s.cells[i] = 0
		}
	}
	var open mask
	hidden := 0 // keys that are neither visited nor common
	for _, t := range s.terms[len(s.terms)-left:] {
		if bit := x.bit[uint32(t)]; bit < maxCommon {
			open.set(bit)
		} else {
			hidden++
		}
	}
	for _, i := range s.met[:n] {
		most := min(int(s.cells[i])+open.shared(&x.common[i])+hidden, s.size, int(x.sizes[i]))
		s.cells[i] = 0
		pass(i, fingerprint.Tanimoto(most, s.size, int(x.sizes[i])))
	}
	s.met = s.met[:0]
}

// Shared counts the common values of two ascending lists.
func Shared(a, b []uint32) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i], b[j]); c {
		case 0:
			n, i, j = n+1, i+1, j+1
		case -1:
			i++
		default:
			j++
		}
	}
	return n
}
