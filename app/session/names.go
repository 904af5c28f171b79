package session

import (
	"encoding/binary"
	"slices"
	"strings"
)

// names sorts records by name as they come. Sorting 100 000 names at once would block the page; so
// each piece is sorted and merged with runs of its length, in short steps.
type names struct {
	lower []string  // by record
	first []uint64  // their first eight bytes, which nearly always decide
	runs  [][]int32 // sorted runs, together in input order
	ranks []int32   // by record, nil until needed
}

// compare orders by name, then by input.
func (n *names) compare(a, b int32) int {
	if x, y := n.first[a], n.first[b]; x < y {
		return -1
	} else if x > y {
		return 1
	}
	if c := strings.Compare(n.lower[a], n.lower[b]); c != 0 {
		return c
	}
	return int(a - b)
}

func (n *names) add(list []string) {
	run := make([]int32, len(list))
	for i, name := range list {
		run[i] = int32(len(n.lower))
		name = strings.ToLower(name)
		var first [8]byte
		copy(first[:], name)
		n.lower, n.first = append(n.lower, name), append(n.first, binary.BigEndian.Uint64(first[:]))
	}
	slices.SortFunc(run, n.compare)
	n.runs, n.ranks = append(n.runs, run), nil
	// Two merges keep up and leave long chains for later.
	for range 2 {
		for k := len(n.runs) - 2; k >= 0; k-- {
			if len(n.runs[k]) <= len(n.runs[k+1]) {
				n.join(k)
				break
			}
		}
	}
}

// join merges run k and the next.
func (n *names) join(k int) {
	a, b := n.runs[k], n.runs[k+1]
	run := make([]int32, len(a)+len(b))
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := n.first[a[i]], n.first[b[j]]
		if x < y || x == y && n.compare(a[i], b[j]) < 0 {
			run[i+j] = a[i]
			i++
		} else {
			run[i+j] = b[j]
			j++
		}
	}
	copy(run[i+j:], a[i:])
	copy(run[i+j+len(a)-i:], b[j:])
	n.runs[k] = run
	n.runs = slices.Delete(n.runs, k+1, k+2)
}

// rank ranks records by name, equal names equally.
func (n *names) rank() []int32 {
	if n.ranks != nil || len(n.lower) == 0 {
		return n.ranks
	}
	for len(n.runs) > 1 {
		n.join(len(n.runs) - 2)
	}
	n.ranks = make([]int32, len(n.lower))
	run := n.runs[0]
	for k := 1; k < len(run); k++ {
		n.ranks[run[k]] = n.ranks[run[k-1]]
		if n.lower[run[k]] != n.lower[run[k-1]] {
			n.ranks[run[k]]++
		}
	}
	return n.ranks
}
