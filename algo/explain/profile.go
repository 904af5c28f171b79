package explain

import (
	"cmp"
	"math"
	"slices"

	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/molecule"
)

// A Profile holds statistics of a model's training graphs: sizes, branching and feature values.
type Profile struct {
	// Quantiles has LevelCount values for each of StatisticCount statistics.
	Quantiles [][]float64
	// Values lists each feature's values, ascending.
	Values [][]Value
}

// A Value of a feature.
type Value struct {
	Of     int // raw, as in graph.Graph.X
	Graphs int // number of training graphs that had it, at least 1
}

// LevelCount and StatisticCount are part of the format of model files.
const LevelCount, StatisticCount = 7, 10

// levels of Quantiles, in percent. Extremes are not stored: each would belong to a single graph.
var levels = [LevelCount]float64{1, 5, 25, 50, 75, 95, 99}

// A statistic is a number computed from a graph.
type statistic struct {
	name string // also the Kind of its Reason
	of   func(*graph.Graph) float64
	at   func(g *graph.Graph, i int) bool // if of is nil: the statistic is the fraction of nodes that at accepts
	// molecules marks statistics that read atom features.
	molecules  bool
	more, less string    // phrases for above and below; "%s" is nodes or atoms
	chemical   [2]string // phrases for molecules, where they differ
	count      bool      // is a count
	noun       string    // what a molecule has many or few of
}

// carbon is the code of carbon in the element column.
const carbon = 5

var statistics = [StatisticCount]statistic{
	{name: "size", of: func(g *graph.Graph) float64 { return float64(g.N()) }, more: "more %s", less: "fewer %s", count: true, noun: "atoms"},
	{name: "parts", of: func(g *graph.Graph) float64 { return float64(g.Components()) }, more: "more separate parts", less: "fewer separate parts", count: true, noun: "separate parts"},
	{name: "rings", of: func(g *graph.Graph) float64 { return float64(g.Cycles()) }, more: "more rings", less: "fewer rings", count: true, noun: "rings"},
	{name: "highest degree", of: highest, more: "a larger highest number of neighbours", less: "a smaller highest number of neighbours", count: true, chemical: [2]string{"more bonds at one atom", "fewer bonds at one atom"}, noun: "bonds at one atom"},
	{name: "mean degree", of: func(g *graph.Graph) float64 { return 2 * float64(g.M()) / float64(max(1, g.N())) }, more: "more neighbours on average", less: "fewer neighbours on average", chemical: [2]string{"more bonds at an atom on average", "fewer bonds at an atom on average"}, noun: "bonds at an atom on average"},
	{name: "ends", at: func(g *graph.Graph, i int) bool { return g.Degree(i) == 1 }, more: "a larger share of %s with one neighbour", less: "a smaller share of %s with one neighbour", chemical: [2]string{"a larger share of terminal atoms", "a smaller share of terminal atoms"}, noun: "terminal atoms"},
	{name: "branches", at: func(g *graph.Graph, i int) bool { return g.Degree(i) >= 3 }, more: "a larger share of %s with three neighbours or more", less: "a smaller share of %s with three neighbours or more", chemical: [2]string{"a larger share of branching atoms", "a smaller share of branching atoms"}, noun: "branching atoms"},
	{name: "in rings", molecules: true, at: having(molecule.ColumnRing, 1), more: "a larger share of %s in rings", less: "a smaller share of %s in rings", noun: "atoms in rings"},
	{name: "carbon", molecules: true, at: having(molecule.ColumnElement, carbon), more: "a larger share of carbon", less: "a smaller share of carbon", noun: "carbon atoms"},
	{name: "charged", molecules: true, at: func(g *graph.Graph, i int) bool { return g.X[i*g.Features+molecule.ColumnCharge] != molecule.Neutral }, more: "a larger share of charged %s", less: "a smaller share of charged %s", noun: "charged atoms"},
}

// having returns a test for nodes whose feature column equals value.
func having(column int, value float32) func(*graph.Graph, int) bool {
	return func(g *graph.Graph, i int) bool { return g.X[i*g.Features+column] == value }
}

// highest returns the highest degree of a node.
func highest(g *graph.Graph) float64 {
	most := 0
	for i := range g.N() {
		most = max(most, g.Degree(i))
	}
	return float64(most)
}

// value returns the statistic of g. It returns false if the statistic is of molecules and g is a plain graph.
func (s *statistic) value(g *graph.Graph) (float64, bool) {
	if s.molecules && g.Features != molecule.Features {
		return 0, false
	}
	if s.at != nil {
		return g.Fraction(func(i int) bool { return s.at(g, i) }), true
	}
	return s.of(g), true
}

// nodes returns the nodes that the statistic counts, if it is a fraction of nodes and more of them than usual are
// counted. Else it returns nil.
func (s *statistic) nodes(g *graph.Graph, more bool) []int {
	var list []int
	for i := range g.N() {
		if more && s.at != nil && s.at(g, i) {
			list = append(list, i)
		}
	}
	return list
}

// NewProfile returns the profile of training graphs. There must be at least one, and all must have as many features.
func NewProfile(gs []*graph.Graph) *Profile {
	p := &Profile{Values: make([][]Value, gs[0].Features)}
	for k := range statistics {
		var values []float64
		for _, g := range gs {
			if v, ok := statistics[k].value(g); ok {
				values = append(values, v)
			}
		}
		row := make([]float64, LevelCount)
		for l, level := range levels {
			if len(values) > 0 {
				row[l] = float64(float32(metric.Percentile(values, level))) // as a model file keeps it
			}
		}
		p.Quantiles = append(p.Quantiles, row)
	}
	for column := range p.Values {
		graphs := map[int]int{} // by value, the graphs that have it
		for _, g := range gs {
			seen := map[int]bool{}
			for i := range g.N() {
				if v := int(g.X[i*g.Features+column]); !seen[v] {
					seen[v] = true
					graphs[v]++
				}
			}
		}
		for v, n := range graphs {
			p.Values[column] = append(p.Values[column], Value{v, n})
		}
		slices.SortFunc(p.Values[column], func(a, b Value) int { return cmp.Compare(a.Of, b.Of) })
	}
	return p
}

// Share returns a copy of a profile of n graphs that tells only what at least k of them have. A quantile beyond which fewer
// than k graphs lie takes the value of the nearest quantile that is kept. Values of fewer than k graphs
// are left out.
func (p *Profile) Share(n, k int) *Profile {
	s := &Profile{Values: make([][]Value, len(p.Values))}
	for _, row := range p.Quantiles {
		row = slices.Clone(row)
		for l := LevelCount/2 - 1; l >= 0; l-- {
			// The levels lie evenly on both sides of the middle.
			if levels[l]/100*float64(n) < float64(k) {
				row[l], row[LevelCount-1-l] = row[l+1], row[LevelCount-2-l]
			}
		}
		s.Quantiles = append(s.Quantiles, row)
	}
	for column, values := range p.Values {
		for _, v := range values {
			if v.Graphs >= k {
				s.Values[column] = append(s.Values[column], v)
			}
		}
	}
	return s
}

// graphs returns how many training graphs had a value of a feature.
func (p *Profile) graphs(column, value int) int {
	at, ok := slices.BinarySearchFunc(p.Values[column], value, func(v Value, x int) int { return cmp.Compare(v.Of, x) })
	if !ok {
		return 0
	}
	return p.Values[column][at].Graphs
}

// whole reports whether x is an integer that float32 represents exactly. Only those are in Profile.Values.
func whole(x float32) bool {
	return x == float32(math.Trunc(float64(x))) && math.Abs(float64(x)) < 1<<24
}
