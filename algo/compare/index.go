package compare

import (
	"cmp"
	"slices"

	"baca/algo/fingerprint"
)

// An index finds the sets of keys that are most similar to another, by their Tanimoto
// similarity |a ∩ b| / |a ∪ b|. It is read-only.
type index struct {
	sets  [][]uint32 // ascending, each key once
	keys  []uint32   // of all sets, ascending
	first []uint32   // of sets that have each key in holders, and the end
	// holders are the numbers of the sets that have a key, ascending.
	holders []uint32
}

func newIndex(sets [][]uint32) *index {
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
	x := &index{sets: sets, holders: make([]uint32, len(pairs))}
	for k, pair := range pairs {
		if key := uint32(pair >> 32); k == 0 || key != x.keys[len(x.keys)-1] {
			x.keys, x.first = append(x.keys, key), append(x.first, uint32(k))
		}
		x.holders[k] = uint32(pair)
	}
	x.first = append(x.first, uint32(len(pairs)))
	return x
}

// with returns the sets that have a key.
func (x *index) with(key uint32) []uint32 {
	k, found := slices.BinarySearch(x.keys, key)
	if !found {
		return nil
	}
	return x.holders[x.first[k]:x.first[k+1]]
}

// A search is the memory of one goroutine that searches an index.
type search struct {
	x      *index
	common []uint16 // keys that each set is known to have in common; all 0 between searches
	met    []uint32 // sets that have some
	terms  [][]uint32
	open   []candidate
}

type candidate struct {
	set   uint32
	bound uint16 // of keys in common
}

func newSearch(x *index) *search { return &search{x: x, common: make([]uint16, len(x.sets))} }

// nearest returns the set but skip that is most similar to keys, the first of equally
// similar ones, and the similarity: −1 where there is no set. No set may have 2¹⁶ keys.
//
// Keys are taken from rare to common. A set that has none of those taken so far has at most
// the others in common. Once that is too few for it to be the best, only sets that were met
// are left, and those are compared in full whose bound is enough.
func (s *search) nearest(keys []uint32, skip int) (similarity float64, set int) {
	s.terms = s.terms[:0]
	for _, key := range keys {
		if list := s.x.with(key); len(list) > 0 {
			s.terms = append(s.terms, list)
		}
	}
	slices.SortFunc(s.terms, func(a, b []uint32) int { return cmp.Compare(len(a), len(b)) })
	best := nearby{-1, -1}
	compare := func(i uint32) {
		if int(i) != skip {
			best.offer(fingerprint.Tanimoto(shared(keys, s.x.sets[i]), len(keys), len(s.x.sets[i])), int(i))
		}
	}
	left, work := len(s.terms), 0
	for _, list := range s.terms {
		if float64(left)/float64(len(keys)) < best.similarity {
			break
		}
		for _, i := range list {
			if s.common[i] == 0 {
				s.met = append(s.met, i)
			}
			s.common[i]++
		}
		left--
		if work += len(list); work >= len(s.met) {
			work = 0
			compare(s.fullest(skip))
		}
	}
	s.settle(len(keys), left, &best, compare)
	if best.set < 0 {
		// Nothing has anything in common.
		for i, other := range s.x.sets {
			if i != skip {
				best.offer(fingerprint.Tanimoto(0, len(keys), len(other)), i)
			}
		}
	}
	return best.similarity, best.set
}

// A nearby set is the best so far.
type nearby struct {
	similarity float64
	set        int
}

func (b *nearby) offer(similarity float64, set int) {
	if similarity > b.similarity || similarity == b.similarity && set < b.set {
		*b = nearby{similarity, set}
	}
}

// fullest is a set met that has the most in common so far.
func (s *search) fullest(skip int) uint32 {
	best, most := s.met[0], uint16(0)
	for _, i := range s.met {
		if c := s.common[i]; c > most && int(i) != skip {
			best, most = i, c
		}
	}
	return best
}

// settle compares the sets met that can be the best with so many keys left, those of the
// highest bound first, and forgets them all.
func (s *search) settle(size, left int, best *nearby, compare func(uint32)) {
	s.open = s.open[:0]
	bound := func(c candidate) float64 {
		other := len(s.x.sets[c.set])
		return fingerprint.Tanimoto(min(int(c.bound), other, size), size, other)
	}
	// Whatever its size, a set has at least this in common. Few have, and only of these is the
	// size looked up.
	least := 0
	if best.similarity > 0 {
		least = int(best.similarity*float64(size)*(1-1e-12)) - left
	}
	for _, i := range s.met {
		common := int(s.common[i])
		s.common[i] = 0
		if common < least {
			continue
		}
		if c := (candidate{i, uint16(common + left)}); bound(c) >= best.similarity {
			s.open = append(s.open, c)
		}
	}
	s.met = s.met[:0]
	slices.SortFunc(s.open, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.set, b.set)) })
	for _, c := range s.open {
		if bound(c) >= best.similarity {
			compare(c.set)
		}
	}
}

// shared counts what two ascending lists have in common.
func shared(a, b []uint32) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n, i, j = n+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}
