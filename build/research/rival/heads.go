package rival

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// Points are n training points, and after them some that are tested. Row returns something of
// point i and each of the training points, such as distances.
type points struct {
	n, tested int
	row       func(i int) []float64
}

// each returns the points with f of all that row gives.
func (p points) each(f func(float64) float64) points {
	return points{p.n, p.tested, func(i int) []float64 {
		row := p.row(i)
		return tabulate(len(row), func(j int) float64 { return f(row[j]) })
	}}
}

// A neighbor is a training point and how far it is.
type neighbor struct {
	point    int
	distance float64
}

// neighbors returns the k training points nearest to each of count points from first on,
// a training point itself left out, nearest first, ties by order.
func (p points) neighbors(first, count, k int) [][]neighbor {
	return tabulate(count, func(c int) (list []neighbor) {
		for j, d := range p.row(first + c) {
			if j == first+c || len(list) == k && d >= list[k-1].distance {
				continue
			}
			at := sort.Search(len(list), func(i int) bool { return list[i].distance > d })
			list = slices.Insert(list, at, neighbor{j, d})
			list = list[:min(k, len(list))]
		}
		return list
	})
}

// nearest returns the mean distance of each tested point to the k nearest training points.
func nearest(p points, k int) []float64 {
	return meanDistances(p.neighbors(p.n, p.tested, k))
}

func meanDistances(lists [][]neighbor) []float64 {
	return tabulate(len(lists), func(i int) (mean float64) {
		for _, x := range lists[i] {
			mean += x.distance / float64(len(lists[i]))
		}
		return mean
	})
}

// outlierFactors returns the local outlier factor (Breunig, Kriegel, Ng and Sander, SIGMOD
// 2000) of each tested point by its distances: how many times denser its neighbours lie than
// it does. The density of a point is one over the mean of max(d, reach) to its 20 neighbours,
// where reach is the distance of a neighbour to its own last one.
func outlierFactors(p points) []float64 {
	k := min(20, p.n-1)
	inside := p.neighbors(0, p.n, k)
	density := func(list []neighbor) float64 {
		mean := 0.0
		for _, x := range list {
			own := inside[x.point]
			mean += max(x.distance, own[len(own)-1].distance) / float64(len(list))
		}
		return 1 / (mean + 1e-10) // as scikit-learn does, for points that are equal
	}
	lists := p.neighbors(p.n, p.tested, k)
	return tabulate(p.tested, func(i int) (factor float64) {
		for _, x := range lists[i] {
			factor += density(inside[x.point]) / float64(len(lists[i]))
		}
		return factor / density(lists[i])
	})
}

const svmNu, svmTolerance = 0.5, 1e-4 // ν is scikit-learn's

// oneClass is the support vector machine of Schölkopf and others (Neural Computation 13, 2001). It
// returns ρ − Σ_j α_j·k(x, j) of each tested point x by a kernel: how far it is on the other side of
// the plane that parts ν of the n training points from the rest. The weights minimise ½ αᵀKα with
// 0 ≤ α ≤ 1 and Σα = νn, two at a time (Fan, Chen and Lin, JMLR 6, 2005).
func oneClass(p points, _ uint64) []float64 {
	k, total := tabulate(p.n, p.row), svmNu*float64(p.n)
	alpha := tabulate(p.n, func(i int) float64 { return min(1, max(0, total-float64(i))) })
	gradient := tabulate(p.n, func(i int) float64 { return floats.Dot(k[i], alpha) })
	for range 1_000_000 {
		up, down := workingPair(k, alpha, gradient)
		if down < 0 {
			break
		}
		step := min((gradient[down]-gradient[up])/curvature(k, up, down), 1-alpha[up], alpha[down])
		alpha[up], alpha[down] = alpha[up]+step, alpha[down]-step
		for i := range gradient {
			gradient[i] += step * (k[up][i] - k[down][i])
		}
	}
	rho := margin(alpha, gradient)
	return tabulate(p.tested, func(i int) float64 { return rho - floats.Dot(alpha, p.row(p.n+i)) })
}

// curvature is how fast the slope falls when weight i rises and j falls as much.
func curvature(k [][]float64, i, j int) float64 { return max(k[i][i]+k[j][j]-2*k[i][j], 1e-12) }

// workingPair returns a weight that is to rise and one that is to fall: the first where that
// helps most, the second where both together do, or −1 once nothing helps.
func workingPair(k [][]float64, alpha, gradient []float64) (up, down int) {
	up, down = -1, -1
	for i, g := range gradient {
		if alpha[i] < 1 && (up < 0 || g < gradient[up]) {
			up = i
		}
	}
	gain, slope := 0.0, 0.0
	for j, g := range gradient {
		d := g - gradient[up]
		if alpha[j] <= 0 || d <= 0 {
			continue
		}
		slope = max(slope, d)
		if d*d/curvature(k, up, j) > gain {
			down, gain = j, d*d/curvature(k, up, j)
		}
	}
	if slope < svmTolerance {
		return up, -1
	}
	return up, down
}

// margin is ρ: the gradient at weights strictly between their bounds, or between those of
// weights at 0 and at 1 where there are none.
func margin(alpha, gradient []float64) float64 {
	sum, free := 0.0, 0.0
	low, high := math.Inf(-1), math.Inf(1)
	for i, a := range alpha {
		switch {
		case a >= 1:
			low = max(low, gradient[i])
		case a <= 0:
			high = min(high, gradient[i])
		default:
			sum, free = sum+gradient[i], free+1
		}
	}
	if free > 0 {
		return sum / free
	}
	return (low + high) / 2
}

// isolationForest is that of Liu, Ting and Zhou (ICDM 2008), with their settings. It returns
// 2^(−h/c) of each row of test, where h is its mean depth in random trees grown on samples of
// train, and c the mean depth of a search in a tree of that size.
func isolationForest(e *embedded, seed uint64) []float64 {
	const trees = 100
	rng, rows := stream(seed, 0xba1a_2001), slices.Concat(e.train, e.test)
	n, size, depths := len(e.train), min(256, len(e.train)), make([]float64, len(e.test))
	limit := int(math.Ceil(math.Log2(float64(max(size, 2)))))
	// grow grows a tree below a node, which has a sample of the training rows and the tested ones
	// that fall there: it cuts a column that varies, at a random place. In a leaf it adds its depth.
	var grow func(sample, tested []int, depth int)
	grow = func(sample, tested []int, depth int) {
		var columns []int
		if len(sample) > 1 && depth < limit {
			columns = rng.Perm(len(rows[0]))
		}
		for _, column := range columns {
			values := tabulate(len(sample), func(k int) float64 { return rows[sample[k]][column] })
			if low, high := slices.Min(values), slices.Max(values); low < high {
				threshold := low + rng.Float64()*(high-low)
				for _, side := range []bool{true, false} {
					other := func(i int) bool { return (rows[i][column] <= threshold) != side }
					grow(slices.DeleteFunc(slices.Clone(sample), other), slices.DeleteFunc(slices.Clone(tested), other), depth+1)
				}
				return
			}
		}
		for _, i := range tested {
			depths[i-n] += (float64(depth) + searchDepth(len(sample))) / trees
		}
	}
	tested := tabulate(len(e.test), func(i int) int { return n + i })
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
