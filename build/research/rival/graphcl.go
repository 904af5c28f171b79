package rival

import (
	"math/rand/v2"
	"slices"

	"baca/algo/graph"
	"baca/build/internal/try"
	"baca/build/research/rival/tape"
)

// graphCL learns embeddings in which two random changes of one graph are alike, and those
// of other graphs are not.
func graphCL() []*Rival {
	return embeddingRivals("graphcl", "GraphCL", "You, Chen, Sui, Chen, Wang and Shen, Graph contrastive learning with augmentations, NeurIPS 2020", newGraphCL,
		[]float64{83.64, 73.03, 93.75, 52.87, 79.09, 58.30, 60.31, 75.72, 51.58, 78.73},
		[]float64{60.00, 50.86, 92.90, 61.33, 59.67, 56.81, 55.55, 59.41, 47.84, 62.12})
}

// The share of a graph that is changed, and the temperature of the loss, are the paper's.
const changedShare, graphCLTemperature = 0.2, 0.2

func newGraphCL(r *run, e embedder) batchLoss {
	head := tape.NewMLP(r.params, embeddedWidth, embeddedWidth, embeddedWidth)
	var views [2]graph.Batch
	return func(index []int, _ *graph.Batch) *tape.Value {
		if len(index) < 2 {
			return nil // nothing to tell it from
		}
		var projected [2]*tape.Value
		for v := range views {
			views[v].Reset(tabulate(len(index), func(k int) *graph.Graph { return changed(r.Train[index[k]], r.rng) }))
			projected[v] = head(r.t, r.t.SumNodes(e(&views[v]), &views[v]))
		}
		return viewLoss(r.t, projected[0], projected[1])
	}
}

// viewLoss is the mean over i of −log(e^{s_ii/τ} / Σ_{j≠i} e^{s_ij/τ}), where s_ij is the
// cosine of row i of one view and row j of the other.
func viewLoss(t *tape.Tape, one, other *tape.Value) *tape.Value {
	one, other = t.Unit(one), t.Unit(other)
	all := othersOf(t, one, other, 1/graphCLTemperature)
	return t.Mean(t.Sub(all, t.Scale(t.SumRows(t.Mul(one, other)), 1/graphCLTemperature)))
}

// changed returns g after one of four changes, drawn by rng: nodes left out, edges moved,
// the surroundings of a node alone, features hidden. A node alone stays as it is.
func changed(g *graph.Graph, rng *rand.Rand) *graph.Graph {
	n := g.N()
	if n < 2 {
		return g
	}
	count := int(changedShare * float64(n))
	switch rng.IntN(4) {
	case 0:
		return keepNodes(g, rng.Perm(n)[count:])
	case 1:
		return movedEdges(g, rng)
	case 2:
		return keepNodes(g, surroundings(g, n-count, rng))
	}
	return hidden(g, rng.Perm(n)[:count])
}

func keepNodes(g *graph.Graph, nodes []int) *graph.Graph {
	return g.Select(func(i int) bool { return slices.Contains(nodes, i) })
}

// movedEdges puts edges between random nodes in the place of some.
func movedEdges(g *graph.Graph, rng *rand.Rand) *graph.Graph {
	edges := g.Edges()
	for _, k := range rng.Perm(len(edges))[:int(changedShare*float64(len(edges)))] {
		edges[k] = [2]int32{int32(rng.IntN(g.N())), int32(rng.IntN(g.N()))}
	}
	other, _, err := graph.New(g.N(), edges)
	try.Check(err)
	other.X, other.Features = g.X, g.Features
	return other
}

// surroundings are count nodes that are reached from a random one by adding random
// neighbours of those that are there, or fewer where there are none left.
func surroundings(g *graph.Graph, count int, rng *rand.Rand) []int {
	seen := []int{rng.IntN(g.N())}
	nodes, border := []int(nil), slices.Clone(seen)
	for len(nodes) < count && len(border) > 0 {
		k := rng.IntN(len(border))
		i := border[k]
		nodes, border = append(nodes, i), slices.Delete(border, k, k+1)
		for _, j := range g.Row(i) {
			if j := int(j); !slices.Contains(seen, j) {
				seen, border = append(seen, j), append(border, j)
			}
		}
	}
	return nodes
}

// hidden gives some nodes the mean features of all.
func hidden(g *graph.Graph, nodes []int) *graph.Graph {
	other := &graph.Graph{Offsets: g.Offsets, Neighbors: g.Neighbors, X: slices.Clone(g.X), Features: g.Features}
	for j := range g.Features {
		mean := float32(0)
		for i := range g.N() {
			mean += g.X[i*g.Features+j] / float32(g.N())
		}
		for _, i := range nodes {
			other.X[i*g.Features+j] = mean
		}
	}
	return other
}
