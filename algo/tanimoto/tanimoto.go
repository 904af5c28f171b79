// Package tanimoto finds the sets of keys that are most similar to another: those with the largest |a ∩ b| / |a ∪ b|.
package tanimoto

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
	"unsafe"

	"baca/algo/fingerprint"
)

// An Index holds sets to search. It is read-only; goroutines may share it. Each set has a place, the smallest first. Sets of
// a size begin at a multiple of lanes. Places before it may be empty, as sets without keys.
type Index struct {
	keys    []uint32 // of all sets, ascending
	finder  *fingerprint.Finder
	first   []uint32 // offsets of each key in holders, and the end
	holders []uint32 // the ascending places of the sets with each key
	bit     []uint16 // of each key in common, maxCommon for keys that are not common
	sets    []uint32 // at each place, the number of its set
	places  []uint32 // of each set
	sizes   []uint32 // at each place
	groups  []group  // of sets of a size, ascending
	common  []mask   // the common keys at each place
	rare    []uint32 // the other keys at each place, by their numbers
	begins  []uint32 // offsets of each place in rare, and the end
}

// A group is the places of the sets of a size.
type group struct{ size, begin, end int }

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
	n, total := len(sets), 0
	order := make([]int, n)
	for i, s := range sets {
		order[i] = i
		total += len(s)
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(sets[i]) - len(sets[j]) })
	x := &Index{places: make([]uint32, n)}
	pairs := make([]uint64, 0, total)
	for _, i := range order {
		size := len(sets[i])
		if k := len(x.groups) - 1; k < 0 || x.groups[k].size != size {
			for len(x.sets)%lanes > 0 {
				x.sets, x.sizes = append(x.sets, 0), append(x.sizes, 0)
			}
			x.groups = append(x.groups, group{size: size, begin: len(x.sets)})
		}
		place := len(x.sets)
		x.places[i], x.sets, x.sizes = uint32(place), append(x.sets, uint32(i)), append(x.sizes, uint32(size))
		x.groups[len(x.groups)-1].end = place + 1
		for _, key := range sets[i] {
			pairs = append(pairs, uint64(key)<<32|uint64(place))
		}
	}
	slices.Sort(pairs)
	x.holders = make([]uint32, total)
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
	x.common, x.begins = make([]mask, len(x.sets)), make([]uint32, 1, len(x.sets)+1)
	for place, i := range x.sets {
		if x.sizes[place] > 0 {
			for _, key := range sets[i] {
				k, _ := x.finder.Find(key)
				if x.bit[k] < maxCommon {
					x.common[place].set(x.bit[k])
				} else {
					x.rare = append(x.rare, uint32(k))
				}
			}
		}
		x.begins = append(x.begins, uint32(len(x.rare)))
	}
	return x
}

// list is the places of the sets with key number k.
func (x *Index) list(k int) []uint32 { return x.holders[x.first[k]:x.first[k+1]] }

// Keys returns all keys, ascending, which must not be changed.
func (x *Index) Keys() []uint32 { return x.keys }

// With returns the numbers of the sets with a key, ascending.
func (x *Index) With(key uint32) []uint32 {
	k, found := x.finder.Find(key)
	if !found {
		return nil
	}
	numbers := slices.Clone(x.list(k))
	for i, place := range numbers {
		numbers[i] = x.sets[place]
	}
	slices.Sort(numbers)
	return numbers
}

// Count returns how many sets have a key.
func (x *Index) Count(key uint32) int {
	if k, found := x.finder.Find(key); found {
		return len(x.list(k))
	}
	return 0
}

// A Search is one goroutine's workspace.
type Search struct {
	x     *Index
	size  int      // of the query
	terms []uint64 // keys of the query that the index has, from rare to common: number of holders, number of the key
	marks []uint64 // a bit for each key of the query; all 0 between searches
	query mask     // its common keys
	cells []uint16 // at each place, how many keys of the query were visited that the set has; all 0 between searches
	words []uint64 // the memory of cells
	top   uint64   // the largest cell yet, above its place
	met   []uint32 // memory of reaching
}

// lanes is the number of cells in a word.
const lanes = 4

// NewSearch returns a workspace for an index.
func NewSearch(x *Index) *Search {
	words := make([]uint64, (len(x.sizes)+lanes-1)/lanes)
	cells := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(words))), lanes*len(words))
	return &Search{x: x, cells: cells, words: words, met: make([]uint32, len(words)+1), marks: make([]uint64, len(x.bit)/64+1)}
}

func (s *Search) begin(keys []uint32) {
	s.size, s.terms, s.query, s.top = len(keys), s.terms[:0], mask{}, 0
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
	clear(s.words)
}

// similarity is that of the set at a place to the query.
func (s *Search) similarity(place uint32) float64 {
	x := s.x
	n := s.query.shared(&x.common[place])
	for _, k := range x.rare[x.begins[place]:x.begins[place+1]] {
		n += int(s.marks[k/64] >> (k % 64) & 1)
	}
	return fingerprint.Tanimoto(n, s.size, int(x.sizes[place]))
}

// add visits a term, for the sets of the sizes that may be at least so similar.
func (s *Search) add(term uint64, least float64) {
	list := s.x.list(int(uint32(term)))
	if len(list) > longList {
		lo, hi := s.between(least)
		from, _ := slices.BinarySearch(list, uint32(lo))
		to, _ := slices.BinarySearch(list, uint32(hi))
		list = list[from:to]
	}
	cells, top := s.cells, s.top
	for _, place := range list {
		c := cells[place] + 1
		cells[place] = c
		top = max(top, uint64(c)<<32|uint64(place))
	}
	s.top = top
}

// longList is the number of holders from which looking for a part of them pays.
const longList = 256

// between returns the places of the sets that may be at least so similar by their size, and the place after the last.
func (s *Search) between(least float64) (lo, hi int) {
	groups, size := s.x.groups, float64(s.size)
	lo = sort.Search(len(groups), func(k int) bool { return float64(groups[k].size) >= rounded*least*size })
	hi = sort.Search(len(groups), func(k int) bool { return rounded*least*float64(groups[k].size) > size })
	if lo >= hi {
		return 0, 0
	}
	return groups[lo].begin, groups[hi-1].end
}

// rounded allows for the rounding of a bound.
const rounded = 1 - 0x1p-40

// Nearest returns the similarity of the set except skip that is most similar to keys, −1 without sets.
//
// It visits keys from rare to common. A set without any visited key has at most the remaining keys in common. Once that
// is too few for the best, only sets that have some remain, see sift.
func (s *Search) Nearest(keys []uint32, skip int) (best float64) {
	s.begin(keys)
	best = -1
	left, visited, probed, own := len(s.terms), 0, 0, -1
	if skip >= 0 {
		own = int(s.x.places[skip])
	}
	for _, t := range s.terms {
		if float64(left)/float64(s.size) <= best {
			break
		}
		s.add(t, max(0, best))
		left--
		if own >= 0 {
			s.cells[own] = 0 // it has every key
		}
		// Knowing a good set pays once finding it takes less time than was spent since the last one.
		if visited += int(t >> 32); visited >= 2*probed && s.top > 0 {
			probed = visited
			if place := uint32(s.top); int(place) != own {
				best = max(best, s.similarity(place))
			}
		}
	}
	s.sift(left, max(0, best), func(place uint32, bound float64) {
		if bound > best && int(place) != own {
			best = max(best, s.similarity(place))
		}
	})
	if best < 0 { // nothing has a key in common
		for i, place := range s.x.places {
			if i != skip {
				best = max(best, s.similarity(place))
			}
		}
	}
	s.end()
	return best
}

// Within appends to list the sets that are at least so similar to keys, in no order. The similarity is above 0.
func (s *Search) Within(list []uint32, keys []uint32, least float64) []uint32 {
	if len(keys) == 0 { // two empty sets are equal
		for _, g := range s.x.groups {
			if g.size == 0 {
				list = append(list, s.x.sets[g.begin:g.end]...)
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
		s.add(t, least)
		left--
	}
	s.sift(left, least, func(place uint32, bound float64) {
		if bound >= least && s.similarity(place) >= least {
			list = append(list, s.x.sets[place])
		}
	})
	s.end()
	return list
}

// sift passes on the places with visited keys that may be at least so similar with left keys to visit, each with a bound of
// its similarity.
func (s *Search) sift(left int, least float64, pass func(place uint32, bound float64)) {
	x := s.x
	var open mask
	hidden := 0 // keys that are neither visited nor common
	for _, t := range s.terms[len(s.terms)-left:] {
		if bit := x.bit[uint32(t)]; bit < maxCommon {
			open.set(bit)
		} else {
			hidden++
		}
	}
	// a ∩ b needs at least the share least/(1+least) of |a|+|b|.
	share := rounded * least / (1 + least)
	lo, hi := s.between(least)
	for _, g := range x.groups {
		need := max(1, int(math.Ceil(share*float64(s.size+g.size)))-left)
		if g.begin < lo || g.begin >= hi || need > min(s.size, math.MaxUint16) {
			continue
		}
		for _, w := range s.reaching(g, uint16(need)) {
			for place := lanes * w; place < lanes*(w+1); place++ {
				if c := int(s.cells[place]); c >= need {
					most := min(c+open.shared(&x.common[place])+hidden, s.size, g.size)
					pass(place, fingerprint.Tanimoto(most, s.size, g.size))
				}
			}
		}
	}
}

// reaching returns the words of a group with a cell of at least need. Few have one, and which do is unpredictable, so the loop
// does not branch.
func (s *Search) reaching(g group, need uint16) []uint32 {
	const high = 0x8000_8000_8000_8000 // bits of all lanes
	y, n, first := uint64(need)*0x0001_0001_0001_0001, 0, g.begin/lanes
	met := s.met
	for w, x := range s.words[first : (g.end+lanes-1)/lanes] {
		met[n] = uint32(first + w)
		less := (x | high) - y&^high // high where the low bits of x are not less
		reaches := (x&^y | ^(x^y)&less) & high
		n += int((reaches | -reaches) >> 63)
	}
	return met[:n]
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
