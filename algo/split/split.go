// Package split divides molecules into a training and a test set. Groups of them, such as those with
// one scaffold ([Scaffolds], [Clusters], [Copies]), stay together: they are drawn ([Draw]), or those with
// the highest values are tested ([Highest]).
package split

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/parallel"
	"baca/algo/tanimoto"
)

// Groups are lists of places, which have no place in common.
type Groups [][]int

// By groups the places below n by key, in the order of the first of each group.
func By[K comparable](n int, key func(i int) K) (groups Groups) {
	at := map[K]int{}
	for i := range n {
		name := key(i)
		k, known := at[name]
		if !known {
			k = len(groups)
			at[name], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}

// Copies are the groups of equal graphs.
func Copies(gs []*graph.Graph) Groups {
	return By(len(gs), func(i int) [3]uint64 {
		s := fingerprint.Signature(gs[i], -1)
		return [3]uint64{s[0], s[1], uint64(gs[i].N())}
	})
}

// Scaffolds are the groups of molecules with the same elements in rings and what joins these, see [graph.Graph.Core].
// All molecules without a ring are one group.
func Scaffolds(gs []*graph.Graph) Groups {
	return By(len(gs), func(i int) string { return fmt.Sprint(fingerprint.New(gs[i].Core(), 4)) })
}

// SameCluster is the usual Tanimoto similarity of ECFP4 within a cluster.
const SameCluster = 0.35

// Clusters returns groups of similar prints (Butina, Journal of Chemical Information and Computer Sciences 39, 747, 1999).
// Neighbours are prints with a similarity of at least least. The first group is the print with most neighbours, and these. The
// next is that of the rest which comes next by the number of neighbours, counted once, and those of them that are left, and so
// on. The time grows with the square of the number of prints, the memory with the number.
func Clusters(ctx context.Context, workers int, prints []fingerprint.Print, least float64) (groups Groups, err error) {
	n := len(prints)
	sets := lists.Map(prints, func(p fingerprint.Print) []uint32 { return p.Keys })
	index := tanimoto.New(sets)
	searches, found := make([]*tanimoto.Search, parallel.Workers(workers)), make([][]uint32, parallel.Workers(workers))
	for w := range searches {
		searches[w] = tanimoto.NewSearch(index)
	}
	near, order := make([]int, n), make([]int, n)
	err = parallel.For(ctx, workers, n, func(worker, i int) {
		found[worker] = searches[worker].Within(found[worker][:0], sets[i], least)
		near[i], order[i] = len(found[worker]), i
	})
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	taken := make([]bool, n)
	for _, i := range order {
		if taken[i] || err != nil {
			continue
		}
		var members []int
		for _, j := range searches[0].Within(found[0][:0], sets[i], least) {
			if !taken[j] {
				members, taken[j] = append(members, int(j)), true
			}
		}
		slices.Sort(members)
		groups, err = append(groups, members), ctx.Err()
	}
	return groups, err
}

// Draw draws whole groups for the test set, at most want places: a group that would make more goes to the training set.
func Draw(rng *rand.Rand, groups Groups, want int) (train, test []int) {
	for _, k := range rng.Perm(len(groups)) {
		if members := groups[k]; len(test)+len(members) <= want {
			test = append(test, members...)
		} else {
			train = append(train, members...)
		}
	}
	return train, test
}

// Highest takes the groups with the highest values for the test set, at most want places: the first group
// that would make more ends it. The value of a group is the lowest of its members. Of equal groups the last
// are tested.
func Highest(groups Groups, value func(i int) float64, want int) (train, test []int) {
	lowest := func(group []int) float64 {
		x := value(group[0])
		for _, i := range group[1:] {
			x = min(x, value(i))
		}
		return x
	}
	order := slices.Clone(groups)
	slices.SortStableFunc(order, func(a, b []int) int { return cmp.Compare(lowest(a), lowest(b)) })
	first := len(order)
	for total := 0; first > 0 && total+len(order[first-1]) <= want; first-- {
		total += len(order[first-1])
	}
	return slices.Concat(order[:first]...), slices.Concat(order[first:]...)
}

// Singles are groups of one place each.
func Singles(places []int) Groups {
	groups := make(Groups, len(places))
	for k, i := range places {
		groups[k] = []int{i}
	}
	return groups
}
