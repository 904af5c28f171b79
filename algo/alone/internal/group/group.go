// Package group makes groups of similar training graphs, each of which stands for its members.
package group

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/near"
)

// Of partitions the rows of a bank into groups of at least size different graphs, none if there are fewer. It is MDAV,
// fixed-size microaggregation: the row farthest from the centre takes its nearest until one group is left.
func Of(bank *contrast.Representation, size int) [][]int {
	dim := bank.Dim()
	standard := near.NewStandardizer(bank.Q, dim)
	rows := standard.Apply(bank.Q)
	row := func(i int) []float32 { return rows[i*dim : (i+1)*dim] }
	// Equal graphs count once.
	var left []int
	seen := map[string]bool{}
	for i := range bank.Len() {
		key := fmt.Sprint(bank.Q[i*dim:(i+1)*dim], bank.Prints[i])
		if !seen[key] {
			seen[key] = true
			left = append(left, i)
		}
	}
	var groups [][]int
	for len(left) >= 2*size {
		middle := make([]float32, dim)
		for _, i := range left {
			for t, x := range row(i) {
				middle[t] += x / float32(len(left))
			}
		}
		far, most := left[0], -1.0
		for _, i := range left {
			if d := near.SquaredDistance(row(i), middle); d > most {
				far, most = i, d
			}
		}
		away := make(map[int]float64, len(left))
		for _, i := range left {
			away[i] = near.SquaredDistance(row(i), row(far))
		}
		slices.SortStableFunc(left, func(a, b int) int { return cmp.Or(cmp.Compare(away[a], away[b]), cmp.Compare(a, b)) })
		groups = append(groups, slices.Clone(left[:size]))
		left = left[size:]
	}
	if len(left) >= size {
		groups = append(groups, left)
	}
	return groups
}

// Mean is a group as one graph: its mean embedding, the mean of ℓ_n where it is known, and the keys
// that at least k of the graphs have, as often as k of them do.
func Mean(bank *contrast.Representation, members []int, k int) (q []float32, node float64, p fingerprint.Print) {
	dim := bank.Dim()
	q = make([]float32, dim)
	for t := range q {
		sum := 0.0
		for _, i := range members {
			sum += float64(bank.Q[i*dim+t])
		}
		q[t] = float32(sum / float64(len(members)))
	}
	sum, n := 0.0, 0.0
	for _, i := range members {
		if x := bank.NodeScore[i]; !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	return q, sum / n, common(bank.Prints, members, k)
}

// common returns the keys that at least k of the prints have, as often as k of them do.
func common(prints []fingerprint.Print, members []int, k int) fingerprint.Print {
	counts := map[uint32][]uint32{}
	for _, i := range members {
		for t, key := range prints[i].Keys {
			counts[key] = append(counts[key], prints[i].Counts[t])
		}
	}
	var p fingerprint.Print
	for key, n := range counts {
		if len(n) >= k {
			p.Keys = append(p.Keys, key)
		}
	}
	slices.Sort(p.Keys)
	for _, key := range p.Keys {
		n := counts[key]
		slices.Sort(n)
		p.Counts = append(p.Counts, n[len(n)-k])
	}
	return p
}
