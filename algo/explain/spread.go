// Package explain explains the score of a graph: Spread and Embedding split it among nodes, and
// Reasons says in words how the graph differs from the training set.
package explain

import (
	"fmt"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/lists"
)

// A Spread splits what the subtrees of a graph add to a score among its nodes.
//
// The subtree of height h at node i has the index h·n + i in keys, counts and rarity.
type Spread struct {
	graph  *graph.Graph
	keys   []int     // index of the subtree's key in the print
	counts []float64 // how often the graph has this key
	rarity []float64
}

// NewSpread prepares a graph with its print. rarity weighs a key, for example by how few training graphs have it.
func NewSpread(g *graph.Graph, p fingerprint.Print, rarity func(key uint32) float64) *Spread {
	nodes := fingerprint.Nodes(g, fingerprint.DefaultHeight)
	s := &Spread{g, make([]int, len(nodes)), make([]float64, len(nodes)), make([]float64, len(nodes))}
	for i, key := range nodes {
		k, _ := slices.BinarySearch(p.Keys, key)
		s.keys[i], s.counts[i], s.rarity[i] = k, float64(p.Counts[k]), rarity(key)
	}
	return s
}

// Subtrees splits shares, what each key of the print adds to a score, among the nodes. The sum stays the same.
//
// All subtrees of one key get equal parts. A subtree of height h consists of the subtrees of height h−1 at its
// centre and at the centre's neighbours, and passes its share down to them. If lacks is given, they receive it in
// proportion to lacks, how much of each key the closest training graph lacks. If lacks is nil, they receive it in
// proportion to rarity. With equal parts, the neighbours of a strange atom would outweigh the atom, since their
// subtrees are strange because of it.
func (s *Spread) Subtrees(shares, lacks []float64) []float64 {
	share, weight := make([]float64, len(s.keys)), s.rarity
	for i, k := range s.keys {
		share[i] = shares[k] / s.counts[i]
	}
	if lacks != nil {
		weight = lists.Map(s.keys, func(k int) float64 { return lacks[k] })
	}
	return s.down(share, weight)
}

// Usual splits 1 among the nodes as Subtrees would if all subtrees had the same share and weight.
func (s *Spread) Usual() []float64 {
	even := slices.Repeat([]float64{1 / float64(len(s.keys))}, len(s.keys))
	return s.down(even, slices.Repeat([]float64{1}, len(s.keys)))
}

// Rarity returns how rare each node is without its neighbours.
func (s *Spread) Rarity() []float64 { return s.rarity[:s.graph.N()] }

// down passes the shares of subtrees from the greatest height down to height 0, the nodes, and returns those of the
// nodes. It overwrites share.
func (s *Spread) down(share, weight []float64) []float64 {
	n := s.graph.N()
	for h := fingerprint.DefaultHeight; h > 0; h-- {
		below, of := share[(h-1)*n:h*n], weight[(h-1)*n:h*n]
		for i := range n {
			propagate(below, of, i, s.graph.Row(i), share[h*n+i])
		}
	}
	return share[:n]
}

// propagate adds a share to a node and its neighbours in proportion to weight, or evenly if all weights are 0.
func propagate(to, weight []float64, node int, around []int32, share float64) {
	all := weight[node]
	for _, j := range around {
		all += weight[j]
	}
	if all == 0 {
		even := share / float64(1+len(around))
		to[node] += even
		for _, j := range around {
			to[j] += even
		}
		return
	}
	to[node] += share * weight[node] / all
	for _, j := range around {
		to[j] += share * weight[j] / all
	}
}

// Embedding splits shares, what each coordinate of the embedding adds to a score, among the nodes of g. shares
// covers the feature view or both views. A node receives a share in proportion to its part of the coordinate's
// sum over nodes. The share of a coordinate whose sum is 0 is lost.
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

// Add adds slope times each share to the value of the same index in to.
func Add(to []float64, slope float64, shares []float64) {
	for i, share := range shares {
		to[i] += slope * share
	}
}

// Level adds up the lists in values, node by node, and spreads the difference to sum in proportion to usual, so that the
// result adds up to sum. usual must add up to 1.
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
