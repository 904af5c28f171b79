package rings

import (
	"cmp"
	"math/bits"
	"slices"
)

// sortLikeSTL sorts s by key as GNU's std::sort, on whose order of equals RDKit's choice of rings
// depends: quicksort down to runs of 16, then insertion sort. Its heapsort fallback, which no real
// molecule triggers, orders equals differently.
func sortLikeSTL(s []int32, key func(int32) int) {
	const run = 16
	less := func(x, y int32) bool { return key(x) < key(y) }
	var quick func(s []int32, depth int)
	quick = func(s []int32, depth int) {
		for len(s) > run {
			if depth == 0 {
				slices.SortStableFunc(s, func(x, y int32) int { return cmp.Compare(key(x), key(y)) })
				return
			}
			depth--
			pivot := median(s, less)
			s[0], s[pivot] = s[pivot], s[0]
			lo, hi := 1, len(s)
			for {
				for less(s[lo], s[0]) {
					lo++
				}
				hi--
				for less(s[0], s[hi]) {
					hi--
				}
				if lo >= hi {
					break
				}
				s[lo], s[hi] = s[hi], s[lo]
				lo++
			}
			quick(s[lo:], depth)
			s = s[:lo]
		}
	}
	if len(s) > 1 {
		quick(s, 2*(bits.Len(uint(len(s)))-1))
	}
	for i := 1; i < len(s); i++ {
		x, j := s[i], i
		for ; j > 0 && less(x, s[j-1]); j-- {
			s[j] = s[j-1]
		}
		s[j] = x
	}
}

// median returns the position of the median of the second, middle and last element.
func median(s []int32, less func(x, y int32) bool) int {
	a, b, c := 1, len(s)/2, len(s)-1
	if !less(s[a], s[b]) {
		a, b = b, a
	}
	// Ties are resolved as in std::sort.
	switch {
	case less(s[b], s[c]):
		return b
	case less(s[a], s[c]):
		return c
	}
	return a
}
