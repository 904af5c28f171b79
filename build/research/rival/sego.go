package rival

import (
	"slices"

	"baca/algo/contrast"
	"baca/algo/graph"
	"baca/build/research/rival/entropy"
	"baca/build/research/rival/tape"
)

// sego contrasts graphs on three levels: the nodes of the two views, the graphs of the two
// views, and each graph with its coding tree, which it calls the anchor. The score is the sum
// of the three losses, each in deviations of the training graphs.
var sego = &Rival{
	Name: "sego", Title: "SEGO",
	Cite:      "Hou and others, Structural Entropy Guided Unsupervised Graph Out-Of-Distribution Detection, AAAI 2025",
	Published: []float64{96.66, 85.02, 99.48, 64.42, 80.27, 66.67, 90.95, 87.55, 78.99, 94.59}, Source: "its table 1",
	Differs: `Ours takes the shared encoder, 16 wide instead of 32, and trains only the network on the trees, for 500 steps; the published
one trains all of it, with a weight tuned for each pair. Its code never trains the network on the trees, and its score has the loss
between the views twice and none of the trees.`,
	Batch: true, score: scoreSEGO,
}

func scoreSEGO(r *run) []float64 {
	const rate, epochs, steps = 0.01, 400, 500
	known, tested := r.represent(r.Train), r.represent(r.Test)
	net := newTreeNet(r.params, r.Model.Encoder.Features, known.Width)
	trees, z := codingTrees(r.Train), matrixOf(known.ZF(), known.Width)
	r.rng = stream(r.Seed, 0x5e60)
	// The network learns to embed the trees of training graphs near the graphs.
	r.train(tape.NewAdam(r.params, rate), r.Train, epochs, steps, func(index []int, b *graph.Batch) *tape.Value {
		embedded := net(r.t, b, pick(trees, index))
		return r.t.Mean(contrastLoss(r.t, embedded, tape.Constant(pickRows(z, index))))
	})
	// losses are those of graph and tree, of the two views of the graph, and of its nodes.
	losses := func(gs []*graph.Graph, of *contrast.Representation) [3][]float64 {
		var b graph.Batch
		var anchors []float32
		for part := range slices.Chunk(gs, trainingBatch) {
			b.Reset(part)
			r.t.Reset()
			anchors = append(anchors, net(r.t, &b, codingTrees(part)).Data...)
		}
		return [3][]float64{r.losses(of.ZF(), anchors, of.Width), r.losses(of.ZF(), of.ZS(), of.Width), of.NodeScore}
	}
	before, scores := losses(r.Train, known), make([]float64, len(r.Test))
	for k, values := range losses(r.Test, tested) {
		addStandard(scores, values, before[k])
	}
	return scores
}

// The height of the coding trees of SEGO and RedOUT, the width of each of their levels, and
// the number of degrees that leaves tell apart.
const treeHeight, treeWidth, degreeClasses = 5, 32, 11

func codingTrees(gs []*graph.Graph) []*entropy.Tree {
	return tabulate(len(gs), func(i int) *entropy.Tree { return entropy.New(gs[i], treeHeight) })
}

// newTreeNet returns what embeds coding trees, graphs×width. From the leaves up, which have the
// features and the degree of their node, x = MLP(Σ x of the children), with a normalisation after
// both layers; the sums over each level, side by side, go through a linear layer and a projection.
func newTreeNet(p *tape.Params, features, width int) func(t *tape.Tape, b *graph.Batch, trees []*entropy.Tree) *tape.Value {
	var levels [treeHeight]tape.Layer
	in := features + degreeClasses
	for l := range levels {
		levels[l] = tape.Sequence(tape.NewLinear(p, in, treeWidth), tape.NewNorm(p, treeWidth), tape.ReLU,
			tape.NewLinear(p, treeWidth, treeWidth), tape.NewNorm(p, treeWidth), tape.ReLU)
		in = treeWidth
	}
	head := tape.Sequence(tape.NewLinear(p, treeHeight*treeWidth, width), tape.NewMLP(p, width, width, width))
	return func(t *tape.Tape, b *graph.Batch, trees []*entropy.Tree) *tape.Value {
		x := t.Concat(tape.Features(b), degrees(b, degreeClasses))
		var pooled []*tape.Value
		for l, layer := range levels {
			// The nodes of a level are numbered through. They have graphs, and those below have parents.
			var parents, owners []int32
			for k, tree := range trees {
				first := int32(len(owners))
				for _, p := range tree.Parents[l] {
					parents = append(parents, first+p)
				}
				owners = append(owners, slices.Repeat([]int32{int32(k)}, 1+int(slices.Max(tree.Parents[l])))...)
			}
			x = layer(t, t.Scatter(x, parents, len(owners)))
			pooled = append(pooled, t.Scatter(x, owners, len(trees)))
		}
		return head(t, t.Concat(pooled...))
	}
}

// contrastLoss is ℓ of package contrast for each row of a and b: how much less similar row i
// of a is to row i of b than to the other rows, and the other way round.
func contrastLoss(t *tape.Tape, a, b *tape.Value) *tape.Value {
	const scale = 1 / contrast.Temperature
	a, b = t.Unit(a), t.Unit(b)
	same := t.Scale(t.SumRows(t.Mul(a, b)), scale)
	return t.Sub(t.Scale(t.Add(othersOf(t, a, b, scale), othersOf(t, b, a, scale)), 0.5), same)
}

// othersOf returns log Σ_{j≠i} e^{scale·a_i·b_j} of each row i, rows×1.
func othersOf(t *tape.Tape, a, b *tape.Value, scale float32) *tape.Value {
	return t.LogSumExp(t.Add(t.Scale(t.MatMulT(a, b), scale), tape.Constant(masked(a.Rows, func(i, j int) bool { return i == j }))))
}

// masked returns an n×n matrix that takes some pairs out of a LogSumExp it is added to.
func masked(n int, out func(i, j int) bool) tape.Matrix {
	m := tape.NewMatrix(n, n)
	for i := range n {
		for j := range n {
			if out(i, j) {
				m.Data[i*n+j] = -1e4
			}
		}
	}
	return m
}
