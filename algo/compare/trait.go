package compare

import (
	"slices"
	"strconv"
	"strings"

	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/molecule"
)

// The kinds of what molecules are compared by.
const (
	KindGroup    = "group"
	KindElement  = "element"
	KindRing     = "ring"
	KindShape    = "whole"
	KindFragment = "fragment"
)

// A trait is something that a molecule has or has not, with a name for people.
type trait struct{ kind, name string }

// maxGrouped bounds the atoms of molecules whose groups are named: the time grows with their
// square.
const maxGrouped = 1000

// mostRings and mostRingSize are where counts and sizes of rings are put together.
const mostRings, macrocycle = 5, 12

// traitsOf lists what a graph has, each once.
func traitsOf(g *graph.Graph) []trait {
	var list []trait
	add := func(kind, name string) { list = append(list, trait{kind, name}) }
	switch n := g.Cycles(); {
	case n == 0:
		add(KindRing, "no ring")
	case n == 1:
		add(KindRing, "one ring")
	case n >= mostRings:
		add(KindRing, strconv.Itoa(mostRings)+" rings or more")
	default:
		add(KindRing, strconv.Itoa(n)+" rings")
	}
	for _, size := range ringSizes(g) {
		if size >= macrocycle {
			add(KindRing, "macrocycle, "+strconv.Itoa(macrocycle)+" atoms or more")
			break
		}
		add(KindRing, "ring of "+strconv.Itoa(size))
	}
	if g.Components() > 1 {
		add(KindShape, "salt or mixture")
	}
	if g.Features != molecule.Features {
		return list
	}
	var groups []string
	if g.N() <= maxGrouped {
		groups = explain.Groups(g)
	}
	for _, name := range groups {
		if !strings.HasSuffix(name, " atom") { // an element
			add(KindGroup, name)
		}
	}
	charged, stereo, chain := false, false, false
	elements := map[int]bool{}
	for i := range g.N() {
		elements[value(g, i, molecule.ColumnElement)+1] = true
		charged = charged || value(g, i, molecule.ColumnCharge) != molecule.Neutral
		stereo = stereo || value(g, i, molecule.ColumnChirality) != 0
		chain = chain || molecule.BeginsChain(g, i)
	}
	for number := range molecule.MaxElement + 1 {
		if elements[number] {
			add(KindElement, molecule.Symbol(number))
		}
	}
	for _, whole := range []struct {
		is   bool
		name string
	}{{charged, "charged atom"}, {stereo, "stereocentre that is written"}, {chain, "chain of six saturated carbons"}} {
		if whole.is {
			add(KindShape, whole.name)
		}
	}
	return list
}

func value(g *graph.Graph, i, column int) int { return int(g.X[i*g.Features+column]) }

// maxRingEdges bounds the edges of a graph that ring sizes are looked for in: each takes the
// time of a walk through its component, and no drug has as many.
const maxRingEdges = 1000

// ringSizes are the sizes of the smallest rings that edges are in, ascending, each once: 5
// and 6 for indole. None are told of graphs with more than maxRingEdges edges.
func ringSizes(g *graph.Graph) []int {
	if g.M() > maxRingEdges || g.Cycles() == 0 {
		return nil
	}
	var sizes []int
	steps, queue := make([]int, g.N()), make([]int, 0, g.N())
	for i := range g.N() {
		for _, j := range g.Row(i) {
			if int(j) <= i || g.Degree(i) < 2 || g.Degree(int(j)) < 2 {
				continue
			}
			// The shortest way from i to j but along the edge between them.
			clear(steps)
			steps[i], queue = 1, append(queue[:0], i)
			for k := 0; k < len(queue) && steps[j] == 0; k++ {
				at := queue[k]
				for _, next := range g.Row(at) {
					if steps[next] == 0 && !(at == i && next == j) {
						steps[next] = steps[at] + 1
						queue = append(queue, int(next))
					}
				}
			}
			if n := steps[j]; n > 0 && !slices.Contains(sizes, n) {
				sizes = append(sizes, n)
			}
		}
	}
	slices.Sort(sizes)
	return sizes
}
