package paper

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
)

// What lists of one kind are made of.
const (
	leastOfKind = 5  // graphs of a list
	closeLists  = 4  // in each split
	closeGraphs = 20 // of such a list, as many as a batch takes
	sizeFifths  = 5  // each a list
)

// Kinds that are not defined by what a molecule contains.
const (
	kindAll    = "all of them" // not a focused list
	kindClose  = "20 alike by subtrees"
	kindPooled = "pooled"
	kindSize   = "by size, fifth " // begins the names of kinds by size, which are not focused
)

// A kindList is a list of graphs of one kind, as indices into what is tested.
type kindList struct {
	kind  string
	index []int
}

// focused reports whether molecules of a kind are alike, which all of them, or those of one size, need not be.
func focused(kind string) bool { return kind != kindAll && !strings.HasPrefix(kind, kindSize) }

// lists makes the lists of a split.
func (r *heldOut) lists(rng *rand.Rand, kinds kinds, tested []int) []kindList {
	all := indices(len(tested))
	list := []kindList{{kindAll, all}}
	for _, kind := range kinds {
		others := func(i int) bool { return !kind.is(r.graphs[tested[i]]) }
		if index := slices.DeleteFunc(slices.Clone(all), others); len(index) >= leastOfKind {
			list = append(list, kindList{kind.name, index})
		}
	}
	prints := pick(r.represented.Prints, tested)
	x := fingerprint.NewIndex(prints)
	similarity := make([]float64, len(prints))
	for range closeLists {
		// The graphs most like one that is drawn.
		x.Similarities(similarity, fingerprint.Sets, prints[rng.IntN(len(prints))])
		order := slices.Clone(all)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(similarity[b], similarity[a]) })
		list = append(list, kindList{kindClose, order[:min(closeGraphs, len(order))]})
	}
	return list
}

// A kind is a named property of molecules.
type kind struct {
	name string
	is   func(*graph.Graph) bool
}

type kinds []kind

// kindNames returns the names of all kinds of lists.
func kindNames() []string {
	names := mapped(kindsOf(nil), func(k kind) string { return k.name })
	return slices.Concat(names, []string{kindClose}, sizeKinds())
}

// kindsOf returns the kinds of molecules for lists: by what they contain, by rings, and by
// size within a set.
func kindsOf(set []*graph.Graph) kinds {
	var list kinds
	for k := range explain.Traits {
		if t := &explain.Traits[k]; t.List != "" {
			list = append(list, kind{t.List, t.Of})
		}
	}
	return slices.Concat(list, kindsBySize(set))
}

// sizeKinds returns the names of kinds by size.
func sizeKinds() []string {
	var names []string
	for k := range sizeFifths {
		names = append(names, kindSize+fmt.Sprint(k+1))
	}
	return names
}

func kindsBySize(set []*graph.Graph) kinds {
	if len(set) == 0 {
		return nil
	}
	sizes := make([]int, len(set))
	for i, g := range set {
		sizes[i] = g.N()
	}
	slices.Sort(sizes)
	var list kinds
	for k, name := range sizeKinds() {
		low, high := 0, math.MaxInt // exclusive, inclusive
		if k > 0 {
			low = sizes[k*len(sizes)/sizeFifths]
		}
		if k < sizeFifths-1 {
			high = sizes[(k+1)*len(sizes)/sizeFifths]
		}
		list = append(list, kind{name, func(g *graph.Graph) bool { return g.N() > low && g.N() <= high }})
	}
	return list
}
