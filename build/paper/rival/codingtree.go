package rival

import (
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

// newer are detectors that the paper's table does not have yet.
func newer() []*Rival { return []*Rival{sego, redOUT, sigood} }

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
	leaves  tape.Matrix // the node features and the degree as a one-hot, of each node
	parents [][]int32   // of the nodes of each level but the last
	owners  [][]int32   // the graphs of the parents' level
	sizes   []int       // the nodes of the parents' level
	graphs  int
}

func newTreeBatch(gs []*graph.Graph, trees []*entropy.Tree) *treeBatch {
	f := &treeBatch{graphs: len(gs), parents: make([][]int32, treeHeight), owners: make([][]int32, treeHeight), sizes: make([]int, treeHeight)}
	for k, g := range gs {
		width := g.Features + mostDegree + 1
		f.leaves.Cols = width
		f.leaves.Rows += g.N()
		for i := range g.N() {
			row := make([]float32, width)
			copy(row, g.X[i*g.Features:(i+1)*g.Features])
			row[g.Features+min(g.Degree(i), mostDegree)] = 1
			f.leaves.Data = append(f.leaves.Data, row...)
		}
		for l, parents := range trees[k].Parents {
			size := 1
			if l+1 < treeHeight {
				size = len(trees[k].Parents[l+1])
			}
			for _, p := range parents {
				f.parents[l] = append(f.parents[l], int32(f.sizes[l])+p)
			}
			for range size {
				f.owners[l] = append(f.owners[l], int32(k))
			}
			f.sizes[l] += size
		}
	}
	return f
}

// A treeNet embeds coding trees: from the leaves up, a node has
// x = MLP(Σ x of its children), with a normalisation after each of the two layers of the
// MLP; the sums over each level, side by side, go through a linear layer and a projection.
type treeNet struct {
	levels [treeHeight]struct {
		first, second       *tape.Linear
		normFirst, normLast *tape.Norm
	}
	align *tape.Linear
	head  *tape.MLP
}

// newTreeNet returns one for leaves with so many features and embeddings of that width.
func newTreeNet(p *tape.Params, features, width int) *treeNet {
	n := &treeNet{}
	for l := range n.levels {
		level := &n.levels[l]
		level.first, level.normFirst = tape.NewLinear(p, features, treeWidth), tape.NewNorm(p, treeWidth)
		level.second, level.normLast = tape.NewLinear(p, treeWidth, treeWidth), tape.NewNorm(p, treeWidth)
		features = treeWidth
	}
	n.align, n.head = tape.NewLinear(p, treeHeight*treeWidth, width), tape.NewMLP(p, width, width, width)
	return n
}

// forward returns the embeddings of the trees, graphs×width.
func (n *treeNet) forward(t *tape.Tape, f *treeBatch, training bool) *tape.Value {
	x := t.Constant(f.leaves)
	var pooled []*tape.Value
	for l := range n.levels {
		level := &n.levels[l]
		x = t.Scatter(x, f.parents[l], f.sizes[l])
		x = t.ReLU(level.normFirst.Forward(t, level.first.Forward(t, x), training))
		x = t.ReLU(level.normLast.Forward(t, level.second.Forward(t, x), training))
		pooled = append(pooled, t.Scatter(x, f.owners[l], f.graphs))
	}
	return n.head.Forward(t, n.align.Forward(t, t.Concat(pooled...)))
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

// rowsOf returns rows lo to hi of a matrix of that width.
func rowsOf(data []float32, width, lo, hi int) tape.Matrix {
	return tape.Matrix{Rows: hi - lo, Cols: width, Data: data[lo*width : hi*width]}
}
