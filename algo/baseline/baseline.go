// Package baseline has what a detector must beat: simple graph statistics (Statistics) and ECFP4 fingerprints. On
// several published pairs one statistic alone ranks 80 to 95 % of the pairs of graphs correctly.
package baseline

import (
	"math"

	"baca/algo/graph"
	"baca/algo/metric"
)

// A Statistic is a number of a graph.
type Statistic struct {
	Name string
	// Of returns the number, 0 for a graph without nodes.
	Of func(*graph.Graph) float64
}

// Statistics returns all statistics.
func Statistics() []Statistic {
	degree := func(d int) func(*graph.Graph) float64 {
		return func(g *graph.Graph) float64 { return g.Fraction(func(i int) bool { return g.Degree(i) == d }) }
	}
	return []Statistic{
		{"nodes", func(g *graph.Graph) float64 { return float64(g.N()) }},
		{"edges", func(g *graph.Graph) float64 { return float64(g.M()) }},
		{"mean degree", func(g *graph.Graph) float64 { return 2 * float64(g.M()) / float64(max(1, g.N())) }},
		{"leaves", degree(1)},
		{"degree 3", degree(3)},
		{"cycles", func(g *graph.Graph) float64 { return float64(g.Cycles()) }},
	}
}

// Values returns the statistic of each graph.
func (s Statistic) Values(gs []*graph.Graph) []float64 {
	v := make([]float64, len(gs))
	for i, g := range gs {
		v[i] = s.Of(g)
	}
	return v
}

// Deviations returns each value's distance from the median of id, the in-distribution values. id must not be empty.
func Deviations(values, id []float64) []float64 {
	middle := metric.Percentile(id, 50)
	d := make([]float64, len(values))
	for i, v := range values {
		d[i] = math.Abs(v - middle)
	}
	return d
}
