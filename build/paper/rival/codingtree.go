package rival

import (
	"slices"

	"baca/algo/contrast"
	"baca/algo/graph"
	"baca/build/paper/rival/entropy"
	"baca/build/paper/rival/tape"
)

// treeHeight is that of the coding trees of SEGO and RedOUT, treeWidth the width of each of
// their levels, and degreeClasses are told apart by leaves.
const (
	treeHeight    = 5
	treeWidth     = 32
	degreeClasses = 11
)

// codingTrees are those of graphs.
func codingTrees(gs []*graph.Graph) []*entropy.Tree {
	return tabulate(len(gs), func(i int) *entropy.Tree { return entropy.New(gs[i], treeHeight) })
}

// A treeBatch is the coding trees of a batch of graphs, numbered as one.
type treeBatch struct {
	*graph.Batch
	levels [treeHeight]struct {
		parents []int32 // at this level, of the nodes of the one below
		owners  []int32 // the graphs of the nodes of this level
	}
}

func newTreeBatch(b *graph.Batch, trees []*entropy.Tree) *treeBatch {
	f := &treeBatch{Batch: b}
	for k, tree := range trees {
		for l, parents := range tree.Parents {
			level := &f.levels[l]
			first := int32(len(level.owners))
			for _, p := range parents {
				level.parents = append(level.parents, first+p)
			}
			level.owners = append(level.owners, slices.Repeat([]int32{int32(k)}, 1+int(slices.Max(parents)))...)
		}
	}
	return f
}

// A treeNet embeds coding trees, graphs×width: from the leaves up, a node has
// x = MLP(Σ x of its children), with a normalisation after each of the two layers of the
// MLP; the sums over each level, side by side, go through a linear layer and a projection.
// Leaves have the features and the degree of their node.
type treeNet func(t *tape.Tape, f *treeBatch, training bool) *tape.Value

// newTreeNet returns one for nodes with so many features and embeddings of that width.
func newTreeNet(p *tape.Params, features, width int) treeNet {
	var levels [treeHeight]tape.Layer
	in := features + degreeClasses
	for l := range levels {
		levels[l] = tape.Sequence(tape.NewLinear(p, in, treeWidth), tape.NewNorm(p, treeWidth), tape.ReLU,
			tape.NewLinear(p, treeWidth, treeWidth), tape.NewNorm(p, treeWidth), tape.ReLU)
		in = treeWidth
	}
	head := tape.Sequence(tape.NewLinear(p, treeHeight*treeWidth, width), tape.NewMLP(p, width, width, width))
	return func(t *tape.Tape, f *treeBatch, training bool) *tape.Value {
		x := t.Concat(t.Constant(tape.Features(f.Batch)), t.Constant(degrees(f.Batch, degreeClasses)))
		var pooled []*tape.Value
		for l, level := range f.levels {
			x = levels[l](t, t.Scatter(x, level.parents, len(level.owners)), training)
			pooled = append(pooled, t.Scatter(x, level.owners, len(f.Graphs)))
		}
		return head(t, t.Concat(pooled...), training)
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
	return t.LogSumExp(t.Add(t.Scale(t.MatMulT(a, b), scale), t.Constant(masked(a.Rows, func(i, j int) bool { return i == j }))))
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
