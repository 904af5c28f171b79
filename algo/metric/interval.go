package metric

import (
	"math"
	"math/rand/v2"
)

// MeanStd returns the mean and the sample standard deviation (divisor n−1) of
// results over seeds. The mean of none and the deviation of fewer than two are
// NaN.
func MeanStd(values []float64) (mean, std float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v
	}
	mean /= n // 0/0 is NaN
	if len(values) < 2 {
		return mean, math.NaN()
	}
	sum := 0.0
	for _, v := range values {
		d := v - mean
		sum += float64(d * d)
	}
	return mean, math.Sqrt(sum / (n - 1))
}

// Bootstrap returns the 95 % percentile interval of a measure such as [AUROC]:
// the graphs of each class are drawn anew, with replacement and as many as there
// are, the given number of rounds, 1 to 1e6 (1000 is usual), and the interval
// holds the middle 95 % of the results. It says how far the measure may be off
// for so few graphs, and nothing about seeds or other data sets. The ends are
// NaN where the measure or the number of rounds is not defined.
func Bootstrap(score []float64, ood []bool, measure func([]float64, []bool) float64, rounds int, seed uint64) (low, high float64) {
	if math.IsNaN(measure(score, ood)) || rounds < 1 || rounds > 1e6 {
		return math.NaN(), math.NaN()
	}
	var class [2][]int // ID, OOD
	for i, o := range ood {
		if o {
			class[1] = append(class[1], i)
		} else {
			class[0] = append(class[0], i)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	results := make([]float64, rounds)
	drawn := make([]float64, len(score))
	labels := make([]bool, len(score))
	for round := range results {
		k := 0
		for c, members := range class {
			for range members {
				drawn[k] = score[members[rng.IntN(len(members))]]
				labels[k] = c == 1
				k++
			}
		}
		results[round] = measure(drawn, labels)
	}
	return Percentile(results, 2.5), Percentile(results, 97.5)
}

// Wilson returns the 95 % interval of a fraction of which so many of n were hits, by Wilson's
// score: it is not empty where none or all are hits, and stays within [0, 1]. Hits may be
// a sum of fractions. The ends are NaN for an n of 0.
func Wilson(hits, n float64) (low, high float64) {
	const z = 1.959963984540054
	p := hits / n
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}
