package main

import "slices"

// minPairs is the least number of pairs from which an interval of 95 % can be had.
const minPairs = 6

// centre returns the centre of differences, which is Hodges and Lehmann's: the median of
// the means of all pairs of them. With it comes the interval that holds the true one in
// at least 95 of 100 samples, by Wilcoxon's signed ranks: it supposes that differences
// lie evenly about their centre, and nothing else. There must be minPairs of them.
func centre(differences []float64) (middle, low, high float64) {
	var means []float64
	for i, x := range differences {
		for _, y := range differences[:i+1] {
			means = append(means, (x+y)/2)
		}
	}
	slices.Sort(means)
	n := len(means)
	out := excluded(len(differences))
	return (means[(n-1)/2] + means[n/2]) / 2, means[out], means[n-1-out]
}

// excluded is how many of the sorted means of n differences lie outside the interval at
// each end: as many as the sum of the ranks of the positive ones can stay below with a
// probability of 2.5 %.
func excluded(n int) int {
	// ways[s] is in how many of the 2ⁿ choices of signs the ranks sum to s.
	ways := make([]float64, n*(n+1)/2+1)
	ways[0] = 1
	all := 1.0
	for rank := 1; rank <= n; rank++ {
		for s := len(ways) - 1; s >= rank; s-- {
			ways[s] += ways[s-rank]
		}
		all *= 2
	}
	s := 0
	for sum := ways[0]; sum <= 0.025*all; sum += ways[s] {
		s++
	}
	return s - 1
}
