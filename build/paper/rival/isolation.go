package rival

import (
	"math"
	"slices"
)

// isolationForest is that of Liu, Ting and Zhou (ICDM 2008), with their settings, which are also
// scikit-learn's: 100 trees on samples of 256. It returns 2^(−h/c) of each row of test, where h
// is its mean depth in random trees grown on samples of train, and c the mean depth of a search
// in a tree of that size. It is near 1 where a few cuts set a row apart, and below a half where
// many are needed.
func isolationForest(e *Embedded, seed uint64) []float64 {
	const trees = 100
	rng, rows := stream(seed, 0xba1a_2001), slices.Concat(e.Train, e.Test)
	n, size, depths := len(e.Train), min(256, len(e.Train)), make([]float64, len(e.Test))
	limit := int(math.Ceil(math.Log2(float64(max(size, 2)))))
	// grow grows the part of a tree below a node, which has a sample of the training rows and
	// the tested ones that fall there: it cuts a column that varies, at a place between its
	// least and its largest value. In a leaf it adds the depth that the tree would have.
	var grow func(sample, tested []int, depth int)
	grow = func(sample, tested []int, depth int) {
		var columns []int
		if len(sample) > 1 && depth < limit {
			columns = rng.Perm(len(rows[0]))
		}
		for _, column := range columns {
			low, high := math.Inf(1), math.Inf(-1)
			for _, i := range sample {
				low, high = min(low, rows[i][column]), max(high, rows[i][column])
			}
			if low < high {
				threshold := low + rng.Float64()*(high-low)
				below := func(i int) bool { return rows[i][column] <= threshold }
				above := func(i int) bool { return !below(i) }
				for _, other := range []func(int) bool{above, below} {
					grow(slices.DeleteFunc(slices.Clone(sample), other), slices.DeleteFunc(slices.Clone(tested), other), depth+1)
				}
				return
			}
		}
		for _, i := range tested {
			depths[i-n] += (float64(depth) + searchDepth(len(sample))) / trees
		}
	}
	tested := tabulate(len(e.Test), func(i int) int { return n + i })
	for range trees {
		grow(rng.Perm(n)[:size], tested, 0)
	}
	return tabulate(len(depths), func(i int) float64 { return math.Exp2(-depths[i] / max(searchDepth(size), 1e-9)) })
}

// searchDepth is the mean depth of an unsuccessful search in a binary tree of n rows.
func searchDepth(n int) float64 {
	if n <= 2 {
		return float64(max(0, n-1))
	}
	const euler = 0.5772156649015329
	return 2*(math.Log(float64(n-1))+euler) - 2*float64(n-1)/float64(n)
}
