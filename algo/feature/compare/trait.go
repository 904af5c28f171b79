package compare

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/molecule"
)

// The kinds of traits.
const (
	KindGroup    = "group"
	KindElement  = "element"
	KindRing     = "ring"
	KindShape    = "whole"
	KindFragment = "fragment"
	KindWritten  = "as written" // what reading sets aside
	KindCount    = "count"      // for a Single only
)

// A trait is something that a molecule has or lacks.
type trait struct{ kind, name string }

// maxGrouped bounds the atoms of molecules whose groups are named, because naming takes quadratic time.
const maxGrouped = 1000

// mostRings and macrocycle are the number and size of rings from which on all share one trait.
const mostRings, macrocycle = 5, 12

// traitsOf lists a graph's traits, each once.
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
	rings := explain.Rings(g)
	for _, size := range ringSizes(rings) {
		if size >= macrocycle {
			add(KindRing, "macrocycle, "+strconv.Itoa(macrocycle)+" atoms or more")
			break
		}
		add(KindRing, "ring of "+strconv.Itoa(size))
	}
	for k := range explain.Traits {
		if t := &explain.Traits[k]; t.Name != "" && t.Of(g) {
			add(KindShape, t.Name)
		}
	}
	if g.Features != molecule.Features {
		return list
	}
	var groups []string
	if g.N() <= maxGrouped {
		groups = explain.Groups(g, rings)
	}
	for _, name := range groups {
		// Elements and macrocycles have traits of their own.
		if !strings.HasSuffix(name, " atom") && !strings.HasPrefix(name, "macrocycle of ") {
			add(KindGroup, name)
		}
	}
	a := molecule.Atoms{Graph: g}
	elements := map[int]bool{}
	for i := range g.N() {
		elements[a.Element(i)] = true
	}
	for number := range molecule.MaxElement + 1 {
		if elements[number] {
			add(KindElement, molecule.Symbol(number))
		}
	}
	return list
}

// writtenTraits lists what reading set aside as traits, in the order of names.
func writtenTraits(a molecule.Aside) (list []trait) {
	var names molecule.Asides
	names.Count(a)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, trait{KindWritten, name + " set aside"})
	}
	return list
}

// ringSizes returns the distinct sizes of rings, given by ascending size: 5 and 6 for indole.
func ringSizes(rings [][]int) []int {
	return slices.Compact(lists.Map(rings, func(ring []int) int { return len(ring) }))
}
