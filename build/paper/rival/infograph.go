package rival

import (
	"context"
	"math/rand/v2"

	"baca/algo/graph"
	"baca/build/paper/rival/tape"
)

// infoGraph learns embeddings by the mutual information between a graph and its nodes: a
// classifier has to tell, from the embeddings of a node and of a graph, whether the node is
// one of that graph.
func infoGraph() []*Rival {
	const cite = "Sun, Hoffmann, Verma and Tang, InfoGraph, ICLR 2020"
	return embeddingRivals("infograph", "InfoGraph", cite, trainInfoGraph,
		inTable([...]float64{86.14, 50.79, 69.02, 55.25, 81.38, 59.97, 58.05, 70.49, 48.12, 77.57}),
		inTable([...]float64{63.17, 51.43, 93.10, 60.00, 58.73, 56.28, 56.92, 53.68, 48.51, 54.16}))
}

// A discriminator maps embeddings to where nodes and graphs are compared: three layers and
// a linear way around them.
type discriminator struct {
	layers [3]*tape.Linear
	around *tape.Linear
}

func newDiscriminator(p *tape.Params, width int) *discriminator {
	d := &discriminator{around: tape.NewLinear(p, width, width)}
	for l := range d.layers {
		d.layers[l] = tape.NewLinear(p, width, width)
	}
	return d
}

func (d *discriminator) forward(t *tape.Tape, x *tape.Value) *tape.Value {
	y := x
	for _, layer := range d.layers {
		y = t.ReLU(layer.Forward(t, y))
	}
	return t.Add(y, d.around.Forward(t, x))
}

// informationLoss is the Jensen–Shannon estimate, constants aside, of what nodes (N×width)
// and graphs (B×width) say of each other: the mean of softplus(−s) over nodes with their
// graph, and of softplus(s) over nodes with other graphs, where s is the inner product.
func informationLoss(t *tape.Tape, nodes, graphs *tape.Value, owners []int32) *tape.Value {
	own := t.SumRows(t.Mul(nodes, t.Gather(graphs, owners)))
	all := t.Softplus(t.MatMulT(nodes, graphs))
	others := t.Sub(t.Sum(all), t.Sum(t.Softplus(own)))
	count := max(1, nodes.Rows*(graphs.Rows-1))
	return t.Add(t.Scale(others, 1/float32(count)), t.Mean(t.Softplus(t.Scale(own, -1))))
}

func trainInfoGraph(ctx context.Context, p *Problem) (*embedder, error) {
	params, t := tape.NewParams(p.Seed), new(tape.Tape)
	e := newEmbedder(params, p.Train)
	local, global := newDiscriminator(params, embeddedWidth), newDiscriminator(params, embeddedWidth)
	adam := tape.NewAdam(params, embeddedRate)
	err := train(ctx, p.Train, embeddedEpochs, embeddedSteps, rand.New(rand.NewPCG(p.Seed, 1)), t, adam, func(_ []int, b *graph.Batch) *tape.Value {
		nodes := e.nodes(t, b, true)
		graphs := t.SumNodes(nodes, b)
		return informationLoss(t, local.forward(t, nodes), global.forward(t, graphs), tape.Owners(b))
	})
	return e, err
}
