// Package baseline has what a detector must beat before it can be said to have
// learned anything: statistics that can be counted off a graph. On several published
// pairs one of them alone ranks 80 to 95 % of the pairs of graphs right.
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

// Statistics are those that benchmarks report.
func Statistics() []Statistic {
	degree := func(d int) func(*graph.Graph) float64 {
		return func(g *graph.Graph) float64 { return Fraction(g, func(i int) bool { return g.Degree(i) == d }) }
	}
	return []Statistic{
		{"nodes", func(g *graph.Graph) float64 { return float64(g.N()) }},
		{"edges", func(g *graph.Graph) float64 { return float64(g.M()) }},
		{"mean degree", func(g *graph.Graph) float64 { return 2 * float64(g.M()) / float64(max(1, g.N())) }},
		{"leaves", degree(1)},
		{"degree 3", degree(3)},
		{"cycles", func(g *graph.Graph) float64 { return float64(g.M() - g.N() + Components(g)) }},
	}
}

// Fraction returns the fraction of nodes for which is holds.
func Fraction(g *graph.Graph, is func(i int) bool) float64 {
	count := 0
	for i := range g.N() {
		if is(i) {
			count++
		}
	}
	return float64(count) / float64(max(1, g.N()))
}

// Components returns the number of connected components.
func Components(g *graph.Graph) int {
	seen := make([]bool, g.N())
	var stack []int32
	count := 0
	for i := range seen {
		if seen[i] {
			continue
		}
		count++
		seen[i] = true
		stack = append(stack, int32(i))
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, j := range g.Row(int(at)) {
				if !seen[j] {
					seen[j] = true
					stack = append(stack, j)
				}
			}
		}
	}
	return count
}

// Values returns the statistic of each graph.
func (s Statistic) Values(gs []*graph.Graph) []float64 {
	v := make([]float64, len(gs))
	for i, g := range gs {
		v[i] = s.Of(g)
	}
	return v
}

// Deviations returns how far each value lies from the median of the
// in-distribution values, of which there must be at least one.
func Deviations(values, id []float64) []float64 {
	middle := metric.Percentile(id, 50)
	d := make([]float64, len(values))
	for i, v := range values {
		d[i] = math.Abs(v - middle)
	}
	return d
}

// Core returns g without its trees: nodes of degree 1 and 0 are taken away until
// none is left. Of a molecule that is its rings and what links them, the scaffold
// in the sense of Bemis and Murcko but for atoms double-bonded to it. The nodes
// keep their order and only the first of their features, which in molecules is the
// element.
func Core(g *graph.Graph) *graph.Graph {
	n := g.N()
	degree := make([]int, n)
	var ends []int
	for i := range n {
		degree[i] = g.Degree(i)
		if degree[i] <= 1 {
			ends = append(ends, i)
		}
	}
	gone := make([]bool, n)
	for len(ends) > 0 {
		i := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		if gone[i] {
			continue
		}
		gone[i] = true
		for _, j := range g.Row(i) {
			if degree[j]--; degree[j] <= 1 && !gone[j] {
				ends = append(ends, int(j))
			}
		}
	}
	c := g.Select(func(i int) bool { return !gone[i] })
	elements := make([]float32, c.N())
	for i := range elements {
		elements[i] = c.X[i*c.Features]
	}
	c.X, c.Features = elements, 1
	return c
}
