package rival

import (
	"slices"

	"baca/algo/contrast"
	"baca/algo/graph"
	"baca/build/paper/rival/entropy"
	"baca/build/paper/rival/tape"
)

// treeHeight is that of the coding trees of SEGO and RedOUT, treeWidth the width of each of
// their levels, and mostDegree the highest degree that leaves tell apart.
const (
	treeHeight = 5
	treeWidth  = 32
	mostDegree = 10
)

// codingTrees are those of graphs.
func codingTrees(gs []*graph.Graph) []*entropy.Tree {
	trees := make([]*entropy.Tree, len(gs))
	for i, g := range gs {
		trees[i] = entropy.New(g, treeHeight)
	}
	return trees
}

// A treeBatch is the coding trees of graphs, numbered as one.
type treeBatch struct {
	leaves tape.Matrix // the node features and the degree as a one-hot, of each node
	levels [treeHeight]struct {
		parents []int32 // at this level, of the nodes of the one below
		owners  []int32 // the graphs of the nodes of this level
	}
	graphs int
}

func newTreeBatch(gs []*graph.Graph, trees []*entropy.Tree) *treeBatch {
	f := &treeBatch{graphs: len(gs)}
	for k, g := range gs {
		for i := range g.N() {
			row := make([]float32, g.Features+mostDegree+1)
			copy(row, g.X[i*g.Features:(i+1)*g.Features])
			row[g.Features+min(g.Degree(i), mostDegree)] = 1
			f.leaves = matrixOf(append(f.leaves.Data, row...), len(row))
		}
		for l, parents := range trees[k].Parents {
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
type treeNet func(t *tape.Tape, f *treeBatch, training bool) *tape.Value

// newTreeNet returns one for leaves with so many features and embeddings of that width.
func newTreeNet(p *tape.Params, features, width int) treeNet {
	var levels [treeHeight]tape.Layer
	for l := range levels {
		levels[l] = tape.Sequence(tape.NewLinear(p, features, treeWidth), tape.NewNorm(p, treeWidth), tape.ReLU,
			tape.NewLinear(p, treeWidth, treeWidth), tape.NewNorm(p, treeWidth), tape.ReLU)
		features = treeWidth
	}
	head := tape.Sequence(tape.NewLinear(p, treeHeight*treeWidth, width), tape.NewMLP(p, width, width, width))
	return func(t *tape.Tape, f *treeBatch, training bool) *tape.Value {
		x := t.Constant(f.leaves)
		var pooled []*tape.Value
		for l, level := range f.levels {
			x = levels[l](t, t.Scatter(x, level.parents, len(level.owners)), training)
			pooled = append(pooled, t.Scatter(x, level.owners, f.graphs))
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
