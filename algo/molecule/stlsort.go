package molecule

import "math/bits"

// sortLikeSTL sorts s as std::sort of the GNU C++ library does, whose order of
// equal elements RDKit's choice among rings of the same size depends on:
// introspective quicksort down to runs of 16, then insertion sort.
func sortLikeSTL(s []int32, less func(x, y int32) bool) {
	const run = 16
	var quick func(s []int32, depth int)
	quick = func(s []int32, depth int) {
		for len(s) > run {
			if depth == 0 {
				heapSort(s, less)
				return
			}
			depth--
			// The median of the second, middle and last element goes first.
			a, b, c := 1, len(s)/2, len(s)-1
			pivot := 0
			switch {
			case less(s[a], s[b]):
				switch {
				case less(s[b], s[c]):
					pivot = b
				case less(s[a], s[c]):
					pivot = c
				default:
					pivot = a
				}
			case less(s[a], s[c]):
				pivot = a
			case less(s[b], s[c]):
				pivot = c
			default:
				pivot = b
			}
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

// heapSort is std::__partial_sort over the whole of s.
func heapSort(s []int32, less func(x, y int32) bool) {
	adjust := func(hole, n int, x int32) {
		top := hole
		child := hole
		for child < (n-1)/2 {
			child = 2 * (child + 1)
			if less(s[child], s[child-1]) {
				child--
			}
			s[hole] = s[child]
			hole = child
		}
		if n%2 == 0 && child == (n-2)/2 {
			child = 2*child + 1
			s[hole] = s[child]
			hole = child
		}
		for hole > top && less(s[(hole-1)/2], x) {
			s[hole] = s[(hole-1)/2]
			hole = (hole - 1) / 2
		}
		s[hole] = x
	}
	n := len(s)
	for i := (n - 2) / 2; i >= 0; i-- {
		adjust(i, n, s[i])
	}
	for n > 1 {
		n--
		x := s[n]
		s[n] = s[0]
		adjust(0, n, x)
	}
}
