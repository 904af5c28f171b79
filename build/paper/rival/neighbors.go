package rival

import "slices"

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
			at := len(list)
			for at > 0 && list[at-1].distance > d {
				at--
			}
			list = slices.Insert(list, at, neighbor{j, d})
			list = list[:min(k, len(list))]
		}
		return list
	})
}

// nearest returns the mean distance of each tested point to the k nearest training points.
func nearest(p points, k int) []float64 {
	lists := p.neighbors(p.n, p.tested, k)
	return tabulate(p.tested, func(i int) (mean float64) {
		for _, x := range lists[i] {
			mean += x.distance / float64(len(lists[i]))
		}
		return mean
	})
}

// outlierFactors returns the local outlier factor (Breunig, Kriegel, Ng and Sander, SIGMOD
// 2000) of each tested point by its distances: how many times denser its neighbours lie than
// it does. The density of a point is one over the mean of max(d, reach) to its neighbours,
// where reach is the distance of a neighbour to its own k-th, with scikit-learn's k.
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
