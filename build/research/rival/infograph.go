package rival

import (
	"baca/algo/graph"
	"baca/build/research/rival/tape"
)

// infoGraph learns embeddings by the mutual information between a graph and its nodes: a classifier
// has to tell, from the embeddings of a node and of a graph, whether the node is one of that graph.
func infoGraph() []*Rival {
	return embeddingRivals("infograph", "InfoGraph", "Sun, Hoffmann, Verma and Tang, InfoGraph, ICLR 2020", newInfoGraph,
		[]float64{86.14, 50.79, 69.02, 55.25, 81.38, 59.97, 58.05, 70.49, 48.12, 77.57},
		[]float64{63.17, 51.43, 93.10, 60.00, 58.73, 56.28, 56.92, 53.68, 48.51, 54.16})
}

// newInfoGraph compares nodes and graphs after each went through three layers and a linear way
// around them.
func newInfoGraph(r *run, e embedder) batchLoss {
	newDiscriminator := func() tape.Layer {
		linear := func() tape.Layer { return tape.NewLinear(r.params, embeddedWidth, embeddedWidth) }
		around, through := linear(), tape.Sequence(linear(), tape.ReLU, linear(), tape.ReLU, linear(), tape.ReLU)
		return func(t *tape.Tape, x *tape.Value) *tape.Value {
			return t.Add(through(t, x), around(t, x))
		}
	}
	local, global := newDiscriminator(), newDiscriminator()
	return func(_ []int, b *graph.Batch) *tape.Value {
		nodes := e(b)
		graphs := r.t.SumNodes(nodes, b)
		return informationLoss(r.t, local(r.t, nodes), global(r.t, graphs), tape.Owners(b))
	}
}

// informationLoss is the Jensen–Shannon estimate, constants aside, of what nodes (N×width)
// and graphs (B×width) say of each other: the mean of softplus(−s) over nodes with their
// graph, and of softplus(s) over nodes with other graphs, where s is the inner product.
func informationLoss(t *tape.Tape, nodes, graphs *tape.Value, owners []int32) *tape.Value {
	own := t.SumRows(t.Mul(nodes, t.Gather(graphs, owners)))
	all := t.Softplus(t.MatMulT(nodes, graphs))
	others := t.Sub(t.Sum(all), t.Sum(t.Softplus(own)))
	return t.Add(t.Scale(others, 1/float32(max(1, nodes.Rows*(graphs.Rows-1)))), t.Mean(t.Softplus(t.Scale(own, -1))))
}
