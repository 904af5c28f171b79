package gin

import (
	"baca/algo/graph"
	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// Backward adds to grad the gradient of a loss whose derivatives by the node
// projections (N×E) and graph projections (B×E) are given, for the batch that
// Forward last wrote to a.
func (e *Encoder) Backward(b *graph.Batch, a *Activations, dNodeProjection, dGraphProjection [Views][]float32, grad *Encoder) {
	if e.fixed {
		panic("gin: Backward of a fixed encoder")
	}
	n, graphs, d, width := b.N(), len(b.Graphs), e.Hidden, e.Width()
	for v := range Views {
		a.dNode = parallel.Grow(a.dNode, n*width)
		a.dGraph = parallel.Grow(a.dGraph, graphs*width)
		a.headBackward(&e.NodeHead[v], &grad.NodeHead[v], a.dNode, dNodeProjection[v], a.nodeHidden[v], a.Node[v], n)
		a.headBackward(&e.GraphHead[v], &grad.GraphHead[v], a.dGraph, dGraphProjection[v], a.graphHidden[v], a.Graph[v], graphs)
		nodes, dNodes := kernel.Dense(a.Node[v], n, width), kernel.Dense(a.dNode, n, width)
		// A graph embedding is a sum, so its gradient reaches each node.
		for k := range graphs {
			lo, hi := b.Nodes(k)
			kernel.Add(dNodes.RowRange(lo, hi), kernel.Matrix{Data: a.dGraph[k*width:], Rows: hi - lo, Cols: width})
		}
		a.dOut, a.dMid = parallel.Grow(a.dOut, n*d), parallel.Grow(a.dMid, n*d)
		dMid := kernel.Dense(a.dMid, n, d)
		dOut := dNodes.Columns((e.Layers-1)*d, e.Layers*d)
		for l := e.Layers - 1; l >= 0; l-- {
			m, gm := &e.GIN[v][l], &grad.GIN[v][l]
			kernel.ReLUGradient(dOut, nodes.Columns(l*d, (l+1)*d))
			mid, sum := kernel.Dense(a.mid[v][l], n, d), kernel.Dense(a.sum[v][l], n, m.First.In)
			m.Second.backward(&gm.Second, dMid, dOut, mid)
			kernel.ReLUGradient(dMid, mid)
			if l == 0 {
				m.First.backward(&gm.First, kernel.Matrix{}, dMid, sum)
				break
			}
			a.dSum = parallel.Grow(a.dSum, n*d)
			dSum := kernel.Dense(a.dSum, n, d)
			m.First.backward(&gm.First, dSum, dMid, sum)
			// What came through h + A·h, A being symmetric, and what came through
			// the embedding.
			dOut = kernel.Dense(a.dOut, n, d)
			kernel.AddNeighbors(dOut, dSum, b.Offsets, b.Neighbors)
			kernel.Add(dOut, dNodes.Columns((l-1)*d, l*d))
		}
	}
}

func (a *Activations) headBackward(m, grad *MLP, dx, dy, hidden, x []float32, rows int) {
	a.dHidden = parallel.Grow(a.dHidden, rows*m.First.Out)
	h, dHidden := kernel.Dense(hidden, rows, m.First.Out), kernel.Dense(a.dHidden, rows, m.First.Out)
	m.Second.backward(&grad.Second, dHidden, kernel.Dense(dy, rows, m.Second.Out), h)
	kernel.ReLUGradient(dHidden, h)
	m.First.backward(&grad.First, kernel.Dense(dx, rows, m.First.In), dHidden, kernel.Dense(x, rows, m.First.In))
}

// backward adds the gradients of W and b to grad and, unless dx is the zero
// Matrix, writes the gradient by x to dx.
func (l *Linear) backward(grad *Linear, dx, dy, x kernel.Matrix) {
	kernel.AddTN(grad.weights(), dy, x)
	kernel.Add(kernel.Matrix{Data: grad.B, Rows: dy.Rows, Cols: l.Out}, dy)
	if dx.Cols > 0 {
		kernel.LinearGradient(dx, dy, l.weights())
	}
}
