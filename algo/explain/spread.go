// Package explain explains the score of a graph: Subtrees and Embedding split it among nodes, and
// Reasons says in words how the graph differs from the training set.
package explain

import (
	"fmt"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
)

// Subtrees splits shares, what each key of g's print p adds to a score, among the nodes of g. The
// sum stays.
//
// All subtrees of one key get equal parts. A subtree consists of those one height lower at its
// centre and its neighbours, and passes its share down to them, so its middle gets the most. Where
// lacks says how much of each key is missing elsewhere, the share goes to the missing parts in
// proportion. Otherwise the neighbours of a strange atom, whose surroundings are strange because of
// it, would outweigh it.
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
			propagate(below, missing, i, g.Row(i), share[h*n+i])
		}
	}
	return share[:n]
}

// propagate splits a share among a node and its neighbours by what each is missing, evenly if
// nothing is.
func propagate(to, missing []float64, node int, around []int32, share float64) {
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

// Embedding splits shares, what each coordinate of the feature view or of both views adds to a
// score, among the nodes of g, in proportion to each node's part of the pooled sum. A share that no
// node has is lost.
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

// Add adds a multiple of shares.
func Add(to []float64, slope float64, shares []float64) {
	for i, share := range shares {
		to[i] += slope * share
	}
}

// Usual splits 1 among nodes as if all subtrees added the same.
func Usual(g *graph.Graph, p fingerprint.Print) []float64 {
	even := make([]float64, len(p.Counts))
	for k, n := range p.Counts {
		even[k] = float64(n) / float64(g.N()*(fingerprint.DefaultHeight+1))
	}
	return Subtrees(g, p, even, nil)
}

// Level sums the values of nodes and spreads the difference to sum by the usual shares.
func Level(usual []float64, sum float64, values ...[]float64) []float64 {
	all := make([]float64, len(usual))
	for _, list := range values {
		for i, v := range list {
			all[i] += v
			sum -= v
		}
	}
	for i, u := range usual {
		all[i] += sum * u
	}
	return all
}
