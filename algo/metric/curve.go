// Package metric measures how well scores separate out-of-distribution (OOD)
// from in-distribution (ID) graphs. OOD is the positive class and a higher
// score means more OOD.
//
// Functions of scores and labels take one label for each score, true for OOD;
// they panic where the lengths differ. They return NaN where the answer is not
// defined: a class is missing or a score is NaN. Infinite scores are fine.
package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A step counts the graphs with one score.
type step struct {
	ood, id int
}

// steps groups the graphs of equal score, highest score first, and counts the
// classes. It is false where nothing can be measured.
func steps(score []float64, ood []bool) (groups []step, positives, negatives int, ok bool) {
	if len(score) != len(ood) {
		panic(fmt.Sprintf("metric: %d scores and %d labels", len(score), len(ood)))
	}
	order := make([]int, len(score))
	for i, s := range score {
		order[i] = i
		if math.IsNaN(s) {
			return nil, 0, 0, false
		}
		if ood[i] {
			positives++
		}
	}
	negatives = len(score) - positives
	if positives == 0 || negatives == 0 {
		return nil, 0, 0, false
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	groups = make([]step, 0, len(score))
	for k, i := range order {
		if k == 0 || score[i] != score[order[k-1]] {
			groups = append(groups, step{})
		}
		if g := &groups[len(groups)-1]; ood[i] {
			g.ood++
		} else {
			g.id++
		}
	}
	return groups, positives, negatives, true
}

// AUROC returns the area under the ROC curve: the chance that a random OOD
// graph has a higher score than a random ID graph, ties counted half.
func AUROC(score []float64, ood []bool) float64 {
	groups, positives, negatives, ok := steps(score, ood)
	if !ok {
		return math.NaN()
	}
	// Pairs in the right order, twice, so that a tie counts 1. Integers: exact.
	wins, below := int64(0), int64(negatives)
	for _, g := range groups {
		below -= int64(g.id)
		wins += int64(g.ood) * (2*below + int64(g.id))
	}
	return float64(wins) / 2 / float64(positives) / float64(negatives)
}

// Above is AUROC of two lists: the chance that one of high exceeds one of low.
func Above(high, low []float64) float64 {
	isHigh := make([]bool, len(high)+len(low))
	for i := range high {
		isHigh[i] = true
	}
	return AUROC(slices.Concat(high, low), isHigh)
}

// AUPR returns the area under the precision-recall curve as average precision,
// Σ (R_k − R_{k−1})·P_k over the distinct scores in descending order, which is
// scikit-learn's average_precision_score. It is not the area under the
// trapezoids, which is too optimistic.
func AUPR(score []float64, ood []bool) float64 {
	groups, positives, _, ok := steps(score, ood)
	if !ok {
		return math.NaN()
	}
	sum, hits, seen := 0.0, 0, 0
	for _, g := range groups {
		hits += g.ood
		seen += g.ood + g.id
		precision := float64(hits) / float64(seen)
		sum += float64(float64(g.ood) * precision)
	}
	return sum / float64(positives)
}

// FPR95 returns the fraction of ID graphs called OOD by the strictest threshold
// that finds at least 95 % of the OOD graphs; graphs with the score of the
// threshold are called OOD.
func FPR95(score []float64, ood []bool) float64 {
	groups, positives, negatives, ok := steps(score, ood)
	if !ok {
		return math.NaN()
	}
	found, wrong := 0, 0
	for _, g := range groups {
		found += g.ood
		wrong += g.id
		if 20*found >= 19*positives {
			break
		}
	}
	return float64(wrong) / float64(negatives)
}

// FPR95ID is FPR95 with ID as the positive class, as some papers print it: the
// fraction of OOD graphs accepted by the threshold that accepts at least 95 % of
// the ID graphs.
func FPR95ID(score []float64, ood []bool) float64 {
	flipped := make([]float64, len(score))
	for i, s := range score {
		flipped[i] = -s
	}
	id := make([]bool, len(ood))
	for i, o := range ood {
		id[i] = !o
	}
	return FPR95(flipped, id)
}
