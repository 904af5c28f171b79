package compare

import (
	"cmp"
	"slices"

	"baca/algo/fingerprint"
)

// An index finds the sets of keys with the largest Tanimoto similarity |a ∩ b| / |a ∪ b|. It is
// read-only.
type index struct {
	sets  [][]uint32 // ascending, each key once
	keys  []uint32   // of all sets, ascending
	first []uint32   // offsets of each key in holders, and the end
	// holders are the ascending numbers of the sets with each key.
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

// with returns the sets with a key.
func (x *index) with(key uint32) []uint32 {
	k, found := slices.BinarySearch(x.keys, key)
	if !found {
		return nil
	}
	return x.holders[x.first[k]:x.first[k+1]]
}

// A search is one goroutine's workspace.
type search struct {
	x      *index
	common []uint16 // known common keys of each set; all 0 between searches
	met    []uint32 // sets with some
	terms  [][]uint32
	open   []candidate
}

type candidate struct {
	set   uint32
	bound uint16 // on common keys
}

func newSearch(x *index) *search { return &search{x: x, common: make([]uint16, len(x.sets))} }

// nearest returns the similarity of the set except skip that is most similar to keys, −1 without sets.
// No set may have 2¹⁶ keys.
//
// It visits keys from rare to common. A set without any visited key has at most the remaining keys
// in common. Once that is too few for the best, only sets that were met remain, and those with a
// sufficient bound are compared in full.
func (s *search) nearest(keys []uint32, skip int) float64 {
	s.terms = s.terms[:0]
	for _, key := range keys {
		if list := s.x.with(key); len(list) > 0 {
			s.terms = append(s.terms, list)
		}
	}
	slices.SortFunc(s.terms, func(a, b []uint32) int { return cmp.Compare(len(a), len(b)) })
	best := -1.0
	compare := func(i uint32) {
		if int(i) != skip {
			best = max(best, fingerprint.Tanimoto(shared(keys, s.x.sets[i]), len(keys), len(s.x.sets[i])))
		}
	}
	left, work := len(s.terms), 0
	for _, list := range s.terms {
		if float64(left)/float64(len(keys)) <= best {
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
	if best < 0 {
		// Nothing has a key in common.
		for i, other := range s.x.sets {
			if i != skip {
				best = max(best, fingerprint.Tanimoto(0, len(keys), len(other)))
			}
		}
	}
	return best
}

// fullest is the set met with the most common keys so far.
func (s *search) fullest(skip int) uint32 {
	best, most := s.met[0], uint16(0)
	for _, i := range s.met {
		if c := s.common[i]; c > most && int(i) != skip {
			best, most = i, c
		}
	}
	return best
}

// settle compares the sets met that can still be best with left keys to visit, the highest bound
// first, and forgets them all.
func (s *search) settle(size, left int, best *float64, compare func(uint32)) {
	s.open = s.open[:0]
	bound := func(c candidate) float64 {
		other := len(s.x.sets[c.set])
		return fingerprint.Tanimoto(min(int(c.bound), other, size), size, other)
	}
	// Whatever its size, a set needs at least this many common keys. Few have, so sizes are looked
	// up only for these.
	least := 0
	if *best > 0 {
		least = int(*best*float64(size)*(1-1e-12)) - left
	}
	for _, i := range s.met {
		common := int(s.common[i])
		s.common[i] = 0
		if common < least {
			continue
		}
		if c := (candidate{i, uint16(common + left)}); bound(c) > *best {
			s.open = append(s.open, c)
		}
	}
	s.met = s.met[:0]
	slices.SortFunc(s.open, func(a, b candidate) int { return cmp.Compare(b.bound, a.bound) })
	for _, c := range s.open {
		if bound(c) > *best {
			compare(c.set)
		}
	}
}

// shared counts the common values of two ascending lists.
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
