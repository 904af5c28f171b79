package gin

import (
	"fmt"

	"baca/algo/graph"
	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// Activations holds the results of a forward pass (exported) and what the backward pass needs. It
// may be reused for other batches and encoders, and then rarely allocates.
type Activations struct {
	// Node and Graph are embeddings: the concatenated layer outputs (N×E), and their sums over each
	// graph's nodes (B×E).
	Node, Graph [Views][]float32
	// NodeProjection (N×E) and GraphProjection (B×E) are the inputs of the losses.
	NodeProjection, GraphProjection [Views][]float32

	// sum[v][l] is h + A·h, the input of layer l's MLP; mid its hidden layer. The output after ReLU
	// is a block of columns of Node. A fixed encoder keeps only the first of them.
	sum, mid                [Views][][]float32
	nodeHidden, graphHidden [Views][]float32

	// Scratch of the backward pass.
	dHidden, dNode, dGraph, dOut, dMid, dSum []float32
}

// Forward encodes the graphs of b,
// h^{l+1} = ReLU(W₂ ReLU(W₁ (h^l + A·h^l) + b₁) + b₂), in both views.
func (e *Encoder) Forward(b *graph.Batch, a *Activations) {
	for v := range Views {
		e.Embed(v, b, a)
		kv := v
		if e.fixed {
			kv = 0
		}
		a.NodeProjection[v], a.nodeHidden[kv] = e.NodeHead[v].forward(a.NodeProjection[v], a.nodeHidden[kv], a.Node[v], b.N())
		a.GraphProjection[v], a.graphHidden[kv] = e.GraphHead[v].forward(a.GraphProjection[v], a.graphHidden[kv], a.Graph[v], len(b.Graphs))
	}
}

// Embed computes the embeddings of one view, a small part of Forward, which spends most time on
// node projections.
func (e *Encoder) Embed(v int, b *graph.Batch, a *Activations) {
	if b.Features != e.Features {
		panic(fmt.Sprintf("gin: encoder of %d features got a batch of %d", e.Features, b.Features))
	}
	n, graphs, d, width := b.N(), len(b.Graphs), e.Hidden, e.Width()
	for k := range Views {
		if len(a.sum[k]) != e.Layers {
			a.sum[k], a.mid[k] = make([][]float32, e.Layers), make([][]float32, e.Layers)
		}
	}
	a.Node[v] = parallel.Grow(a.Node[v], n*width)
	nodes := kernel.Dense(a.Node[v], n, width)
	for l := range e.Layers {
		m := &e.GIN[v][l]
		in, kv, kl := m.First.In, v, l
		if e.fixed {
			// Reusing memory keeps it in the cache.
			kv, kl = 0, 0
		}
		a.sum[kv][kl] = parallel.Grow(a.sum[kv][kl], n*in)
		a.mid[kv][kl] = parallel.Grow(a.mid[kv][kl], n*d)
		sum, mid := kernel.Dense(a.sum[kv][kl], n, in), kernel.Dense(a.mid[kv][kl], n, d)
		if l > 0 {
			kernel.AddNeighbors(sum, nodes.Columns((l-1)*d, l*d), b.Offsets, b.Neighbors)
		} else {
			for k, g := range b.Graphs {
				lo, hi := b.Nodes(k)
				x := g.X
				if v == Structure {
					if x = g.XS; len(x) != (hi-lo)*in {
						panic(fmt.Sprintf("gin: a graph of %d nodes has %d values of structural encodings", hi-lo, len(x)))
					}
				}
				kernel.AddNeighbors(sum.RowRange(lo, hi), kernel.Dense(x, hi-lo, in), g.Offsets, g.Neighbors)
			}
		}
		m.First.forward(mid, sum, true)
		m.Second.forward(nodes.Columns(l*d, (l+1)*d), mid, true)
	}
	a.Graph[v] = parallel.Grow(a.Graph[v], graphs*width)
	clear(a.Graph[v])
	for k := range graphs {
		lo, hi := b.Nodes(k)
		kernel.Add(kernel.Matrix{Data: a.Graph[v][k*width:], Rows: hi - lo, Cols: width}, nodes.RowRange(lo, hi))
	}
}

// ProjectGraphs applies the graph head of a view to n graph embeddings.
func (e *Encoder) ProjectGraphs(view int, embeddings []float32) []float32 {
	out, _ := e.GraphHead[view].forward(nil, nil, embeddings, len(embeddings)/e.Width())
	return out
}

func (l *Linear) weights() kernel.Matrix { return kernel.Dense(l.W, l.Out, l.In) }

func (l *Linear) forward(dst, x kernel.Matrix, relu bool) {
	if l.packed != nil {
		kernel.LinearPacked(dst, x, l.packed, l.B, relu)
		return
	}
	kernel.Linear(dst, x, l.weights(), l.B, relu)
}

// forward returns the output and the hidden layer, reusing the given slices.
func (m *MLP) forward(out, hidden, x []float32, rows int) (_, _ []float32) {
	hidden, out = parallel.Grow(hidden, rows*m.First.Out), parallel.Grow(out, rows*m.Second.Out)
	h := kernel.Dense(hidden, rows, m.First.Out)
	m.First.forward(h, kernel.Dense(x, rows, m.First.In), true)
	m.Second.forward(kernel.Dense(out, rows, m.Second.Out), h, false)
	return out, hidden
}
