package rival

import (
	"math"
	"math/rand/v2"
)

// The isolation forest of Liu, Ting and Zhou (ICDM 2008), with their settings, which are
// also scikit-learn's.
const (
	forestTrees  = 100
	forestSample = 256
	forestStream = 0xba1a_2001
)

// isolationForest returns 2^(−h/c) of each row of test, where h is its mean depth in random trees
// grown on samples of train, and c the mean depth of a search in a tree of that size. It
// is near 1 where a few cuts set a row apart, and below a half where many are needed.
func isolationForest(train, test [][]float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, forestStream))
	size := min(forestSample, len(train))
	g := &grower{rng: rng, limit: int(math.Ceil(math.Log2(float64(max(size, 2)))))}
	depth := make([]float64, len(test))
	for range forestTrees {
		sample := make([][]float64, size)
		for k, i := range rng.Perm(len(train))[:size] {
			sample[k] = train[i]
		}
		root := g.grow(sample, 0)
		for i, row := range test {
			depth[i] += root.depth(row) / forestTrees
		}
	}
	for i, h := range depth {
		depth[i] = math.Exp2(-h / max(searchDepth(size), 1e-9))
	}
	return depth
}

// searchDepth is the mean depth of an unsuccessful search in a binary tree of n rows.
func searchDepth(n int) float64 {
	switch {
	case n <= 1:
		return 0
	case n == 2:
		return 1
	}
	const euler = 0.5772156649015329
	return 2*(math.Log(float64(n-1))+euler) - 2*float64(n-1)/float64(n)
}

// A grower grows trees up to a depth.
type grower struct {
	rng   *rand.Rand
	limit int
}

// An isolated node of a tree parts rows by a column, or is a leaf with a depth.
type isolated struct {
	column      int
	threshold   float64
	left, right *isolated
	leaf        float64
}

// grow returns a tree of rows whose root has a depth. A cut is a column that varies, and
// a place between its least and its largest value.
func (g *grower) grow(rows [][]float64, depth int) *isolated {
	leaf := &isolated{leaf: float64(depth) + searchDepth(len(rows))}
	if len(rows) < 2 || depth == g.limit {
		return leaf
	}
	for _, column := range g.rng.Perm(len(rows[0])) {
		low, high := math.Inf(1), math.Inf(-1)
		for _, row := range rows {
			low, high = min(low, row[column]), max(high, row[column])
		}
		if low == high {
			continue
		}
		n := &isolated{column: column, threshold: low + g.rng.Float64()*(high-low)}
		var left, right [][]float64
		for _, row := range rows {
			if row[column] <= n.threshold {
				left = append(left, row)
			} else {
				right = append(right, row)
			}
		}
		n.left, n.right = g.grow(left, depth+1), g.grow(right, depth+1)
		return n
	}
	return leaf // all rows are equal
}

// depth is that of the leaf which a row falls into, and of the tree that would be below.
func (n *isolated) depth(row []float64) float64 {
	for n.left != nil {
		if row[n.column] <= n.threshold {
			n = n.left
		} else {
			n = n.right
		}
	}
	return n.leaf
}
