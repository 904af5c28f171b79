package gin

import (
	"baca/algo/graph"
	"baca/algo/internal/kernel"
)

// Backward adds to grad the gradient of a loss whose derivatives by the node
// projections (N×E) and graph projections (B×E) are given, for the batch that
// Forward last wrote to a.
func (e *Encoder) Backward(b *graph.Batch, a *Activations, dNodeProjection, dGraphProjection [Views][]float32, grad *Encoder) {
	n, graphs, d, width := b.N(), b.Len(), e.Hidden, e.Width()
	for v := range Views {
		a.dNode = grow(a.dNode, n*width)
		a.dGraph = grow(a.dGraph, graphs*width)
		a.headBackward(&e.NodeHead[v], &grad.NodeHead[v], a.dNode, dNodeProjection[v], a.nodeHidden[v], a.Node[v], n)
		a.headBackward(&e.GraphHead[v], &grad.GraphHead[v], a.dGraph, dGraphProjection[v], a.graphHidden[v], a.Graph[v], graphs)
		// A graph embedding is a sum, so its gradient reaches each node.
		for k := range graphs {
			for i := int(b.Graphs[k]); i < int(b.Graphs[k+1]); i++ {
				kernel.Add(a.dNode[i*width:(i+1)*width], a.dGraph[k*width:(k+1)*width])
			}
		}
		a.dOut, a.dMid = grow(a.dOut, n*d), grow(a.dMid, n*d)
		for l := e.Layers - 1; l >= 0; l-- {
			m, gm := &e.GIN[v][l], &grad.GIN[v][l]
			last := l == e.Layers-1
			if !last {
				// What came through h + A·h; A is symmetric.
				addNeighbours(a.dOut, a.dSum, b, d)
			}
			for i := range n {
				part, row := a.dNode[i*width+l*d:][:d], a.dOut[i*d:(i+1)*d]
				if last {
					copy(row, part)
				} else {
					kernel.Add(row, part)
				}
			}
			reluBackward(a.dOut, a.out[v][l])
			m.Second.backward(&gm.Second, a.dMid, a.dOut, a.mid[v][l], n)
			reluBackward(a.dMid, a.mid[v][l])
			if l > 0 {
				a.dSum = grow(a.dSum, n*d)
				m.First.backward(&gm.First, a.dSum, a.dMid, a.sum[v][l], n)
			} else {
				m.First.backward(&gm.First, nil, a.dMid, a.sum[v][l], n)
			}
		}
	}
}

func (a *Activations) headBackward(m, grad *MLP, dx, dy, hidden, x []float32, rows int) {
	a.dHidden = grow(a.dHidden, rows*m.First.Out)
	m.Second.backward(&grad.Second, a.dHidden, dy, hidden, rows)
	reluBackward(a.dHidden, hidden)
	m.First.backward(&grad.First, dx, a.dHidden, x, rows)
}

// backward adds the gradients of W and b to grad and, unless dx is nil, writes
// the gradient by x to dx.
func (l *Linear) backward(grad *Linear, dx, dy, x []float32, rows int) {
	kernel.AddTN(grad.W, dy, x, l.Out, l.In, rows)
	for i := range rows {
		kernel.Add(grad.B, dy[i*l.Out:(i+1)*l.Out])
	}
	if dx != nil {
		kernel.MulNN(dx, dy, l.W, rows, l.In, l.Out)
	}
}

// reluBackward clears the gradients where the activation was not positive.
func reluBackward(d, y []float32) {
	y = y[:len(d)]
	for i, v := range y {
		if v <= 0 {
			d[i] = 0
		}
	}
}
