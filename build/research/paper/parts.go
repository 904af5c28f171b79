package paper

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/split"
	"baca/build/internal/try"
)

// A part is one side of a division of a set.
type part struct {
	divide func(s *sets, l *loadedSet) (most, rest []int)
	rest   bool
}

// parts are the named parts that do not depend on another set.
var parts = map[string]part{
	"early": {byOrder, false}, "late": {byOrder, true},
	"common": {byScaffold, false}, "rare": {byScaffold, true},
	"small": {bySize, false}, "large": {bySize, true},
	"inner": {byCluster, false}, "outer": {byCluster, true},
	"many": {byClass, false}, "few": {byClass, true},
}

// of returns the ascending indices of the part in a set.
func (p part) of(s *sets, l *loadedSet) []int {
	index, rest := p.divide(s, l)
	if p.rest {
		index = rest
	}
	slices.Sort(index)
	return index
}

// byScaffold parts molecules by scaffold: the most frequent ones, of equals the first, until they make four fifths, and the rest.
func byScaffold(_ *sets, l *loadedSet) (common, rare []int) {
	groups := split.Scaffolds(l.graphs)
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	for _, group := range groups {
		if 5*len(common) < 4*len(l.graphs) {
			common = append(common, group...)
		} else {
			rare = append(rare, group...)
		}
	}
	return common, rare
}

// byOrder takes the first three fifths of a set in the order of its file, and the last fifth.
func byOrder(_ *sets, l *loadedSet) (early, late []int) {
	all := indices(len(l.graphs))
	return all[:3*len(all)/5], all[4*len(all)/5:]
}

// bySize parts graphs by their number of nodes, ties by order: four fifths, and the largest.
func bySize(_ *sets, l *loadedSet) (small, large []int) {
	return split.Highest(split.Singles(indices(len(l.graphs))), sizesOf(l.graphs), len(l.graphs)/5)
}

// sizesOf returns a function from the index of a graph to its number of nodes.
func sizesOf(gs []*graph.Graph) func(i int) float64 {
	return func(i int) float64 { return float64(gs[i].N()) }
}

// clusterCentres is how many clusters byCluster makes.
const clusterCentres = 10

// printOf returns the subtrees of a graph, by which graphs are compared.
func printOf(g *graph.Graph) fingerprint.Print { return fingerprint.New(g, fingerprint.DefaultHeight) }

// byCluster parts graphs by clusters around graphs far from each other, by the Tanimoto similarity of their subtrees: the first
// graph, then always the one that is least like any centre yet. The smallest clusters are the rest, as long as they make a fifth
// at most, and one at least.
func byCluster(_ *sets, l *loadedSet) (inner, outer []int) {
	prints := mapped(l.graphs, printOf)
	index := fingerprint.NewIndex(prints)
	best, cluster := make([]float64, len(prints)), make([]int, len(prints)) // the similarity to the nearest centre, and which it is
	for i := range best {
		best[i] = -1
	}
	similarity, centre := make([]float64, len(prints)), 0
	for c := range min(clusterCentres, len(prints)) {
		index.Similarities(similarity, fingerprint.Sets, prints[centre])
		for i, x := range similarity {
			if x > best[i] {
				best[i], cluster[i] = x, c
			}
		}
		centre = slices.Index(best, slices.Min(best))
	}
	members := make([][]int, clusterCentres)
	for i, c := range cluster {
		members[c] = append(members[c], i)
	}
	slices.SortStableFunc(members, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	for k, list := range members {
		if 5*(len(outer)+len(list)) <= len(prints) || len(outer) == 0 && k < clusterCentres-1 {
			outer = append(outer, list...)
		} else {
			inner = append(inner, list...)
		}
	}
	return inner, outer
}

// byClass parts graphs by their label: the larger of two classes, of equals that of the first graph, and the other. Graphs that
// were not measured are in neither. Another number of classes is an error. Labels serve to make a set: no score is given them.
func byClass(s *sets, l *loadedSet) (larger, smaller []int) {
	classes := map[string][]int{}
	// Labels are those of trustSets for molecules, and of the set itself for plain graphs.
	if k := slices.IndexFunc(trustSets, func(s labelled) bool { return s.name == l.name && s.classes }); k >= 0 {
		labels := map[string]string{}
		for _, m := range trustSets[k].read(s.folder) {
			labels[m.text] = fmt.Sprint(m.value)
		}
		for i, text := range l.smiles {
			if label, ok := labels[text]; ok {
				classes[label] = append(classes[label], i)
			}
		}
	}
	for i, label := range l.labels {
		classes[fmt.Sprint(label)] = append(classes[fmt.Sprint(label)], i)
	}
	if len(classes) != 2 {
		try.Check(fmt.Errorf("%s has %d classes: want two", l.name, len(classes)))
	}
	lists := slices.Collect(maps.Values(classes))
	slices.SortFunc(lists, func(a, b []int) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0])) })
	return lists[0], lists[1]
}
