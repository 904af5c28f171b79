// Package explain says why a graph looks as it does to a model: what each node adds to the
// score, and in words how the graph differs from those of the training set.
package explain

import (
	"fmt"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
)

// Subtrees gives each node of g its part of what the subtrees of the graph, up to
// fingerprint.DefaultHeight, add to a score: shares, in the order of the keys of its print p. Their sum
// stays what it is.
//
// A key that occurs many times is shared by all of them. A subtree is made of those one
// height lower, of its centre and of the neighbours of that, and hands its share down to
// them evenly, until the nodes have it: so what is at its middle gets the most. Where
// lacks says how much of each key is missing elsewhere, a subtree hands its share to those
// parts of it that are missing too, by how much they are. Else a strange atom would be
// outshone by its neighbours, whose surroundings are strange for its sake.
func Subtrees(g *graph.Graph, p fingerprint.Print, shares, lacks []float64) []float64 {
	const height = fingerprint.DefaultHeight
	n := g.N()
	if len(shares) != len(p.Keys) || lacks != nil && len(lacks) != len(p.Keys) {
		panic(fmt.Sprintf("explain: %d shares and %d fractions for %d subtrees", len(shares), len(lacks), len(p.Keys)))
	}
	keys := fingerprint.Nodes(g, height)
	share, lack := make([]float64, len(keys)), make([]float64, len(keys))
	for i, key := range keys {
		k, _ := slices.BinarySearch(p.Keys, key)
		share[i] = shares[k] / float64(p.Counts[k])
		if lack[i] = 1; lacks != nil {
			lack[i] = lacks[k]
		}
	}
	for h := height; h > 0; h-- {
		below, missing := share[(h-1)*n:h*n], lack[(h-1)*n:h*n]
		for i := range n {
			handDown(below, missing, i, g.Row(i), share[h*n+i])
		}
	}
	return share[:n]
}

// handDown parts a share among a node and its neighbours by what is missing of each, and
// evenly where nothing is.
func handDown(to, missing []float64, node int, around []int32, share float64) {
	all := missing[node]
	for _, j := range around {
		all += missing[j]
	}
	if all == 0 {
		even := share / float64(1+len(around))
		to[node] += even
		for _, j := range around {
			to[j] += even
		}
		return
	}
	to[node] += share * missing[node] / all
	for _, j := range around {
		to[j] += share * missing[j] / all
	}
}

// Embedding gives each node of g its part of what the coordinates of the feature view, or of
// both views, add to a score: of each coordinate as much as the node has of the sum over all nodes, which
// the coordinate is made of. A share of a coordinate that no node has is lost.
func Embedding(e *gin.Encoder, g *graph.Graph, shares []float64) []float64 {
	if g.Features != e.Features || len(shares)%e.Width() != 0 || len(shares) > gin.Views*e.Width() {
		panic(fmt.Sprintf("explain: graph of %d features and %d coordinates, encoder of %d and %d", g.Features, len(shares), e.Features, gin.Views*e.Width()))
	}
	var batch graph.Batch
	var act gin.Activations
	batch.Reset([]*graph.Graph{g})
	n, width := g.N(), e.Width()
	out := make([]float64, n)
	for v := range len(shares) / width {
		if v == gin.Structure {
			g.EncodeStructure()
		}
		e.Embed(v, &batch, &act)
		for t := range width {
			sum := float64(act.Graph[v][t])
			if sum == 0 {
				continue
			}
			for i := range n {
				out[i] += shares[v*width+t] * float64(act.Node[v][i*width+t]) / sum
			}
		}
	}
	return out
}
