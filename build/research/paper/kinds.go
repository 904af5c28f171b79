package paper

import (
	"cmp"
	"fmt"
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

// lists returns lists of tested graphs: all of them, those of each kind with at least leastOfKind, and closeLists times the
// graphs that are most like one drawn by rng, that one among them.
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

// kindNames returns the names of the kinds of lists in the order of tables, without kindAll and kindPooled.
func kindNames() []string {
	names := mapped(kindsOf(nil), func(k kind) string { return k.name })
	return slices.Insert(names, len(names)-sizeFifths, kindClose)
}

// kindsOf returns the kinds of molecules for lists: by what they contain, by rings, and by fifths of the sizes in a set.
func kindsOf(set []*graph.Graph) kinds {
	var list kinds
	for k := range explain.Traits {
		if t := &explain.Traits[k]; t.List != "" {
			list = append(list, kind{t.List, t.Of})
		}
	}
	sizes := slices.Sorted(slices.Values(mapped(set, (*graph.Graph).N)))
	for k := range sizeFifths {
		list = append(list, kind{kindSize + fmt.Sprint(k+1), func(g *graph.Graph) bool {
			smaller := 0 // fifths
			for j := 1; j < sizeFifths; j++ {
				if g.N() > sizes[j*len(sizes)/sizeFifths] {
					smaller++
				}
			}
			return smaller == k
		}})
	}
	return list
}
