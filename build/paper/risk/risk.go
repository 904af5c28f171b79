// Package risk measures whether a score tells where a model errs. Errors are 0 or more, and
// a higher score says that more is expected. Lists have one entry for each molecule; they
// panic where the lengths differ, and what is measured is NaN where there are none or a
// score or an error is NaN.
package risk

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo/metric"
	"baca/algo/trust"
)

// sorted returns the order of molecules by score, false where something is not a number.
func sorted(scores, errors []float64) ([]int, bool) {
	if len(scores) != len(errors) {
		panic(fmt.Sprintf("risk: %d scores and %d errors", len(scores), len(errors)))
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
		if math.IsNaN(scores[i]) || math.IsNaN(errors[i]) {
			return nil, false
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	return order, len(order) > 0
}

// alike visits the runs of molecules with equal scores.
func alike(order []int, scores []float64, visit func(from, to int)) {
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && scores[order[to]] == scores[order[from]] {
			to++
		}
		visit(from, to)
		from = to
	}
}

// sums returns the sums of the errors of the k molecules with the lowest scores, for k from
// 0. Of molecules with equal scores each has their mean error, as in any order of them on
// average.
func sums(scores, errors []float64) []float64 {
	order, ok := sorted(scores, errors)
	if !ok {
		return nil
	}
	list := make([]float64, 1, len(order)+1)
	alike(order, scores, func(from, to int) {
		mean := 0.0
		for _, i := range order[from:to] {
			mean += errors[i] / float64(to-from)
		}
		for range to - from {
			list = append(list, list[len(list)-1]+mean)
		}
	})
	return list
}

// At returns the mean error of a share of the molecules, those with the lowest scores, for
// each of some coverages in (0, 1]. At least one is kept.
func At(scores, errors []float64, coverages ...float64) []float64 {
	list, s := make([]float64, len(coverages)), sums(scores, errors)
	for c, coverage := range coverages {
		if !(coverage > 0 && coverage <= 1) {
			panic(fmt.Sprintf("risk: coverage %v: want it in (0, 1]", coverage))
		}
		list[c] = math.NaN()
		if s != nil {
			k := max(1, int(math.Round(coverage*float64(len(scores)))))
			list[c] = s[k] / float64(k)
		}
	}
	return list
}

// Area returns the area under the risk–coverage curve: the mean of the mean errors of the k
// molecules with the lowest scores, over all k (Geifman and El-Yaniv, NeurIPS 2017). The mean
// error of all is that of a random order.
func Area(scores, errors []float64) float64 {
	s := sums(scores, errors)
	if s == nil {
		return math.NaN()
	}
	area := 0.0
	for k := 1; k < len(s); k++ {
		area += s[k] / float64(k) / float64(len(scores))
	}
	return area
}

// Worst returns which errors are among a share of the largest, ties at the border included.
func Worst(errors []float64, share float64) []bool {
	worst := make([]bool, len(errors))
	if len(errors) == 0 {
		return worst
	}
	ascending := slices.Sorted(slices.Values(errors))
	k := max(1, int(math.Round(share*float64(len(errors)))))
	for i, e := range errors {
		worst[i] = e >= ascending[len(errors)-k]
	}
	return worst
}

// Finds returns the AUROC of finding the errors that are among a share of the largest.
func Finds(scores, errors []float64, share float64) float64 {
	return metric.AUROC(scores, Worst(errors, share))
}

// Spearman returns the rank correlation of scores and errors, ties by their mean ranks. It
// is NaN where all of either are equal.
func Spearman(scores, errors []float64) float64 {
	if _, ok := sorted(scores, errors); !ok {
		return math.NaN()
	}
	return trust.Spearman(scores, errors)
}

const intervalStream = 0xba1a_1025

// Interval returns the 95 % percentile interval of the mean of paired differences by the
// bootstrap: as many are drawn as there are, with replacement, that many rounds.
func Interval(differences []float64, rounds int, seed uint64) (low, high float64) {
	rng := rand.New(rand.NewPCG(seed, intervalStream))
	means := make([]float64, rounds)
	for r := range means {
		for range differences {
			means[r] += differences[rng.IntN(len(differences))] / float64(len(differences))
		}
	}
	if len(differences) == 0 {
		return math.NaN(), math.NaN()
	}
	return metric.Percentile(means, 2.5), metric.Percentile(means, 97.5)
}
