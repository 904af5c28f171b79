package rival

import "slices"

// A measure writes something of point i and each of the n training points, such as
// distances, to dst (n values). The training points are 0 to n−1 themselves, and those
// that are tested follow.
type measure func(i int, dst []float64)

// A neighbor is a training point and how far it is.
type neighbor struct {
	point    int
	distance float64
}

// neighbors returns the k training points nearest to each of count points from first on,
// a training point itself left out, nearest first, ties by order.
func neighbors(n, first, count, k int, distances measure) [][]neighbor {
	row, lists := make([]float64, n), make([][]neighbor, count)
	for c := range lists {
		distances(first+c, row)
		list := make([]neighbor, 0, k+1)
		for j, d := range row {
			if j == first+c || len(list) == k && d >= list[k-1].distance {
				continue
			}
			at, _ := slices.BinarySearchFunc(list, d, func(x neighbor, d float64) int {
				if x.distance <= d {
					return -1
				}
				return 1
			})
			list = slices.Insert(list, at, neighbor{j, d})
			list = list[:min(k, len(list))]
		}
		lists[c] = list
	}
	return lists
}

// nearest returns the mean distance of each tested point to the k nearest of n training
// points.
func nearest(n, tested, k int, distances measure) []float64 {
	scores := make([]float64, tested)
	for i, list := range neighbors(n, n, tested, k, distances) {
		for _, x := range list {
			scores[i] += x.distance / float64(len(list))
		}
	}
	return scores
}

// lofNeighbors is scikit-learn's default.
const lofNeighbors = 20

// outlierFactors returns the local outlier factor (Breunig, Kriegel, Ng and Sander, SIGMOD
// 2000) of each tested point among n training points: how many times denser its
// neighbours lie than it does. The density of a point is one over the mean of
// max(d, reach) to its neighbours, where reach is the distance of a neighbour to its own
// k-th.
func outlierFactors(n, tested int, distances measure) []float64 {
	k := min(lofNeighbors, n-1)
	inside := neighbors(n, 0, n, k, distances)
	density := func(list []neighbor) float64 {
		mean := 0.0
		for _, x := range list {
			own := inside[x.point]
			mean += max(x.distance, own[len(own)-1].distance) / float64(len(list))
		}
		return 1 / (mean + 1e-10) // as scikit-learn does, for points that are equal
	}
	densities := make([]float64, n)
	for i, list := range inside {
		densities[i] = density(list)
	}
	scores := make([]float64, tested)
	for i, list := range neighbors(n, n, tested, k, distances) {
		for _, x := range list {
			scores[i] += densities[x.point] / float64(len(list))
		}
		scores[i] /= density(list)
	}
	return scores
}
