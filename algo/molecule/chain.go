package molecule

import "baca/algo/graph"

// BeginsChain reports whether atom i is the first of six consecutive saturated carbons outside of
// rings. A longer chain is found from its end.
func BeginsChain(g *graph.Graph, i int) bool {
	value := func(i, column int) int { return int(g.X[i*g.Features+column]) }
	link := func(i int) bool {
		return value(i, ColumnElement)+1 == 6 && value(i, ColumnHybridization) == FeatureSP3 && value(i, ColumnRing) == 0
	}
	var walk func(i, from, length int) bool
	walk = func(i, from, length int) bool {
		if length == 6 {
			return true
		}
		for _, j := range g.Row(i) {
			if int(j) != from && link(int(j)) && walk(int(j), i, length+1) {
				return true
			}
		}
		return false
	}
	return link(i) && walk(i, -1, 1)
}
